/* hartscope-mpi: decode, stat, coverage and check on all processes of an MPI job.
 *
 * Each rank makes its parts of the trace as hartscope COMMAND --part K/N does, files included, so
 * that a job that is started again goes on.  What the parts hold is added up along a tree, whose
 * root, rank 0, then does what hartscope merge does (design/parts). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <mpi.h>

#include "mpi/job.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	unsigned files;    /* arguments of a trace */
	const char *first; /* what is done before it; NULL: nothing */
} commands[] = {
	{ "decode", cmd_decode, 1, NULL },
	{ "stat", cmd_stat, 1, NULL },
	{ "coverage", cmd_coverage, 1, NULL },
	{ "check", cmd_check, 2, "stat" },
};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int print_usage(FILE *to)
{
	fprintf(to,
	        "Usage: mpirun hartscope-mpi decode|stat|coverage|check [--parts N] [--work DIR]\n"
	        "                            [--figures] [OPTIONS] [--] TRACE...\n\n"
	        "Does what 'hartscope COMMAND OPTIONS TRACE' does, on all processes of an MPI job, for\n"
	        "each TRACE in turn (check: for each two arguments), and prints the same.  The trace\n"
	        "and the folder of its parts (TRACE.parts, or DIR) are on a file system that all\n"
	        "processes share.  Several traces come after '--'.\n\n"
	        "Options:\n"
	        "      --parts N     parts of each trace (as many as there are processes); a job that\n"
	        "                    is started again with as many goes on with those that are done\n"
	        "      --work DIR    where the files of the parts are\n"
	        "      --figures     print on standard error what each process did\n"
	        "OPTIONS are those of the command that hartscope COMMAND --part takes.\n\n"
	        "Example:\n"
	        "  mpirun -np 8 hartscope-mpi stat --calls --elf app.elf app.nt\n"
	        "  mpirun hartscope-mpi decode --parts 4000 --elf app.elf -o app.flow app.nt\n"
	        "  mpirun hartscope-mpi stat --json --elf app.elf -- run1.nt run2.nt run3.nt\n");
	return to == stdout ? EXIT_GOOD : EXIT_USAGE;
}

/* ---- words ------------------------------------------------------------------------ */

static bool take_parts(struct job *j, const char *text)
{
	char *end;

	errno = 0;
	const unsigned long n = strtoul(text, &end, 10);

	if (*text >= '1' && *text <= '9' && !*end && !errno && n <= JOB_PARTS_MAX)
		j->parts = (uint32_t)n;
	return j->parts;
}

/* Words of ours; what is left belongs to the command.  Files are the words after "--", else the
 * last ones. */
static bool take_words(struct job *j, int argc, char **argv)
{
	bool files = false, good = true;

	for (int i = 2; i < argc && good; i++) {
		const char *next = i + 1 < argc ? argv[i + 1] : "";

		if (files) {
			j->files[j->file_count++] = argv[i];
		} else if (strcmp(argv[i], "--") == 0) {
			files = true;
		} else if (strcmp(argv[i], "--parts") == 0) {
			good = take_parts(j, next);
			i++;
		} else if (strcmp(argv[i], "--work") == 0) {
			j->work = next;
			i++;
		} else if (strcmp(argv[i], "--figures") == 0) {
			j->figures = true;
		} else {
			j->options[j->option_count++] = argv[i];
		}
	}
	for (unsigned n = j->command_files; !files && n && j->option_count >= n; n = 0) {
		memcpy(j->files, &j->options[j->option_count - n], n * sizeof(*j->files));
		j->file_count = n;
		j->option_count -= n;
	}
	return good && j->file_count && j->file_count % j->command_files == 0;
}

/* ---- running a command ------------------------------------------------------------ */

/* Run a command on file number @file with two more words, and those for the folder. */
static int run(const struct job *j, const struct command *c, unsigned file, const char *option,
               const char *value, bool quiet)
{
	char **argv = calloc(j->option_count + 16u, sizeof(*argv));
	char work[4096] = "--work=", word[64];
	int n = 0;

	if (!argv)
		return EXIT_USAGE;
	argv[n++] = (char *)(uintptr_t)c->name;
	for (unsigned i = 0; i < j->option_count; i++)
		argv[n++] = j->options[i];
	snprintf(word, sizeof(word), "%s=%s", option, value);
	argv[n++] = word;
	if (quiet)
		argv[n++] = (char *)(uintptr_t) "--quiet";
	if (j->work && job_folder(j, file, work + strlen(work), sizeof(work) - strlen(work)))
		argv[n++] = work;
	argv[n++] = (char *)(uintptr_t) "--";
	/* the trace comes last */
	for (unsigned i = 0; i < c->files; i++)
		argv[n++] = j->files[file + j->command_files - c->files + i];
	const int status = c->run(n, argv);

	free(argv);
	return status;
}

/* A rank that cannot go on ends the job, by name. */
static void give_up(const struct job *j, const char *command, uint32_t part, unsigned file)
{
	char host[MPI_MAX_PROCESSOR_NAME] = "";
	int n;

	MPI_Get_processor_name(host, &n);
	complain("rank %d of %d on %s: %s: part %u of %u of %s is not done; the job ends", j->rank,
	         j->size, host, command, part, j->parts, j->files[file + j->command_files - 1]);
	fflush(NULL);
	MPI_Abort(MPI_COMM_WORLD, EXIT_USAGE);
}

/* The parts of this rank. */
static void make_parts(struct job *j, const struct command *c, unsigned file)
{
	uint32_t first, end;

	job_range(j, &first, &end);
	for (uint32_t k = first; k < end; k++) {
		char word[32];

		snprintf(word, sizeof(word), "%u/%u", k, j->parts);
		if (run(j, c, file, "--part", word, true) != EXIT_GOOD)
			give_up(j, c->name, k, file);
		j->made++;
	}
}

static int do_file(struct job *j, const struct command *c, unsigned file)
{
	int status = EXIT_GOOD;
	char count[32];

	if (c->first) {
		make_parts(j, find_command(c->first), file);
		MPI_Barrier(
			MPI_COMM_WORLD); /* where a part begins is in the files of those before */
	}
	make_parts(j, c, file);
	if (!job_reduce(j, c->name, file))
		give_up(j, c->name, j->parts, file);
	if (j->rank == 0) {
		snprintf(count, sizeof(count), "%u", j->parts);
		status = run(j, c, file, "--parts", count, false);
		fflush(stdout);
	}
	job_reduce_end(j);
	return status;
}

static int do_job(struct job *j, const struct command *c)
{
	int status = EXIT_GOOD;

	if (j->rank == 0 && j->work && mkdir(j->work, 0777) != 0 && errno != EEXIST)
		complain("%s: %s", j->work, strerror(errno));
	MPI_Barrier(MPI_COMM_WORLD);
	for (unsigned i = 0; i < j->file_count; i += c->files) {
		const int s = do_file(j, c, i);

		status = s > status ? s : status;
	}
	job_figures(j);
	return status;
}

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

/* Is this the first process, or the only one?  Help needs no MPI. */
static bool is_first(void)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");

	return !rank || strcmp(rank, "0") == 0;
}

int main(int argc, char **argv)
{
	const struct command *c = argc > 1 ? find_command(argv[1]) : NULL;
	struct job j = { .options = calloc((size_t)argc + 1, sizeof(char *)),
		         .files = calloc((size_t)argc + 1, sizeof(char *)) };
	int status = EXIT_USAGE;

	setenv("PAGER", "cat", 1); /* mpirun's output of a process looks like a terminal */
	if (asks_for_help(argc, argv))
		return is_first() ? print_usage(stdout) : EXIT_GOOD;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &j.size);
	j.parts = 0;
	j.command_files = c ? c->files : 1;
	if (c && j.options && j.files && take_words(&j, argc, argv)) {
		j.parts = j.parts ? j.parts : (uint32_t)j.size;
		status = do_job(&j, c);
	} else if (j.rank == 0) {
		print_usage(stderr);
	}
	free(j.options);
	free(j.files);
	MPI_Finalize();
	return status;
}
