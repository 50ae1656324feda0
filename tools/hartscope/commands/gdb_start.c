/* hartscope gdb at a terminal: start the debugger, with hartscope.py and this program as its
 * target. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/gdb.h"
#include "common/sandbox.h"

#define PATH_SIZE 4096u

static bool begins(const char *word, const char *with)
{
	return strncmp(word, with, strlen(with)) == 0;
}

bool gdb_is_started(int argc, char **argv)
{
	bool wanted = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--start") == 0)
			return true;
		if (strcmp(argv[i], "-") == 0 || strcmp(argv[i], "-h") == 0 ||
		    begins(argv[i], "--listen") || begins(argv[i], "--help") ||
		    begins(argv[i], "--complete"))
			wanted = false;
	}
	return wanted && argc > 1;
}

/* ---- what is debugged --------------------------------------------------------------------- */

struct debugged {
	char program[PATH_SIZE]; /* "": not known */
	bool good, died;
};

/* In a process that is confined, where parsing may cut the words. */
static void find_debugged(const struct usage *u, size_t room, int argc, char **argv,
                          struct debugged *d)
{
	struct options *o = calloc(1, room);
	int status;

	sandbox_arm();
	if (!o || !options_parse(u, argc, argv, o, &status) || o->arg_count != 1)
		return;
	o->source.names = true;
	struct hs_source *source = open_argument(o, &status);

	if (!source)
		return;
	const char *path = hs_source_known(source)->program_path;

	snprintf(d->program, sizeof(d->program), "%s", path ? path : "");
	d->died = died_of(hs_source_known(source)->info) != 0;
	d->good = true;
}

static struct debugged ask(const struct usage *u, size_t room, int argc, char **argv)
{
	struct debugged d = { .good = false };
	int ends[2], status;

	if (pipe(ends) != 0)
		return d;
	const pid_t child = fork();

	if (child == 0) {
		find_debugged(u, room, argc, argv, &d);
		_exit(write(ends[1], &d, sizeof(d)) == (ssize_t)sizeof(d) ? 0 : 1);
	}
	close(ends[1]);
	if (read(ends[0], &d, sizeof(d)) != (ssize_t)sizeof(d))
		d.good = false;
	d.program[PATH_SIZE - 1] = '\0';
	close(ends[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return d;
}

/* ---- the debugger ---------------------------------------------------------------------------- */

/* hartscope.py as it is installed, or in the tree where this program was built. */
static bool find_script(const char *own, char *path, size_t size)
{
	static const char *const places[] = { "../share/hartscope", "../../../scripts/gdb" };
	const int folder = (int)(path_base(own) - own);

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, size, "%.*s%s/hartscope.py", folder, own, places[i]);
		if (access(path, R_OK) == 0)
			return true;
	}
	return false;
}

/* A word for a shell. */
static void put_quoted(FILE *f, const char *word)
{
	fputs(" '", f);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (const char[]){ *word, '\0' }, f);
	fputc('\'', f);
}

/* "target remote | hartscope gdb - ...", which a shell of the debugger's runs.  NULL: no memory. */
static char *target(const char *own, int argc, char **argv)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	fputs("target remote |", f);
	put_quoted(f, own);
	fputs(" gdb -", f);
	for (int i = 1; i < argc; i++)
		put_quoted(f, argv[i]);
	return fclose(f) == 0 ? text : NULL;
}

int gdb_start(const struct usage *u, size_t room, int argc, char **argv)
{
	static const char *const debuggers[] = { "gdb-multiarch", "gdb" };
	char own[PATH_SIZE] = "", script[PATH_SIZE + 64];
	int n = 0;

	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], "--start") != 0)
			argv[n++] = argv[i];
	const struct debugged d = ask(u, room, n, argv);

	if (!d.good || readlink("/proc/self/exe", own, sizeof(own) - 1) <= 0)
		return EXIT_USAGE;
	char *remote = target(own, n, argv);
	const bool scripted = find_script(own, script, sizeof(script));

	if (!scripted)
		complain("hartscope.py was not found: there are no callers (docs/gdb.md)");
	const char *line[] = { NULL,
		               "-q",
		               "-iex",
		               "set confirm off",
		               "-iex",
		               "set remotetimeout 60",
		               scripted ? "-x" : "-q",
		               scripted ? script : "-q",
		               "-ex",
		               remote,
		               d.died && scripted ? "-ex" : "-q",
		               d.died && scripted ? "hartscope goto end" : "-q",
		               *d.program ? d.program : NULL,
		               NULL };

	for (size_t i = 0; remote && i < sizeof(debuggers) / sizeof(*debuggers); i++) {
		line[0] = debuggers[i];
		execvp(debuggers[i], (char **)(uintptr_t)line);
	}
	complain("gdb-multiarch could not be started: %s", strerror(errno));
	free(remote);
	return EXIT_USAGE;
}
