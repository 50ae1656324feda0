/* Who ran, and in which functions: a recording, a flow, a trace or a perf.data, and files of the
 * system that ran.  C, and C++.
 *
 *   who_ran TRACE [FILE]...      programs and directories; FILE.map: a process map
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <hartscope/file_kind.h>
#include <hartscope/perf_data.h>
#include <hartscope/profile.h>
#include <hartscope/source.h>

enum { BLOCKS = 4096, FILES = 64, TOP = 5 };

/* What else a perf.data says: how many records it has of processes and of switches. */
static void show_records(const char *path, struct hs_error *error)
{
	struct hs_perf_event event;
	struct hs_perf *perf = NULL;
	unsigned tasks = 0, switches = 0;

	if (hs_file_what(path, NULL) != HS_FILE_PERF || hs_perf_open(path, &perf, error) != HS_OK)
		return;
	while (hs_perf_next(perf, &event, error) == HS_OK) {
		tasks += event.type == HS_PERF_COMM || event.type == HS_PERF_FORK;
		switches += event.type == HS_PERF_SWITCH || event.type == HS_PERF_SWITCH_CPU_WIDE;
	}
	printf("records: %u of processes, %u of switches\n", tasks, switches);
	hs_perf_close(perf);
}

/* Count all of the source.  Damage is no end: the next call continues after it. */
static enum hs_status count(struct hs_source *source, struct hs_profile *profile,
                            struct hs_error *error)
{
	static struct hs_block blocks[BLOCKS];
	enum hs_status status = HS_OK;
	size_t n;

	while (status != HS_END) {
		status = hs_source_next(source, blocks, BLOCKS, &n, error);
		if (hs_profile_add(profile, blocks, n) != HS_OK)
			return HS_E_MEMORY;
		if (status != HS_OK && status != HS_END)
			fprintf(stderr, "%s\n", error->text);
	}
	return HS_OK;
}

static void show(const struct hs_profile_result *r)
{
	for (size_t i = 0; i < r->group_count; i++) {
		const struct hs_guest_task *task = r->groups[i].task;

		printf("%10" PRIu64 "  ", r->groups[i].instructions);
		if (task)
			printf("%s pid %u tid %u\n", task->name ? task->name : "(no name)",
			       task->pid, task->tid);
		else
			printf("threads that nothing names\n");
	}
	for (size_t i = 0; i < r->function_count && i < TOP; i++)
		printf("%10" PRIu64 "  %s\n", r->functions[i].instructions,
		       r->functions[i].name ? r->functions[i].name : "(no symbol)");
}

static size_t list_files(struct hs_guest_file *files, char **paths, int n)
{
	size_t count = 0;

	for (int i = 0; i < n && count < FILES; i++) {
		const char *dot = strrchr(paths[i], '.');

		files[count].kind = dot && strcmp(dot, ".map") == 0 ? HS_GUEST_PROCESSES
		                                                    : HS_GUEST_CODE;
		files[count++].path = paths[i];
	}
	return count;
}

static enum hs_status run(struct hs_source *source, struct hs_error *error)
{
	struct hs_profile_options options;
	struct hs_profile_result result;
	struct hs_profile *profile = NULL;

	memset(&options, 0, sizeof(options));
	options.size = sizeof(options);
	options.by = HS_PROFILE_BY_THREAD;
	options.program = hs_source_program(source);
	options.programs = hs_source_programs(source);
	options.guest = hs_source_guest(source);
	enum hs_status status = hs_profile_open(&options, &profile);

	if (status == HS_OK)
		status = count(source, profile, error);
	if (status == HS_OK)
		status = hs_profile_get_result(profile, &result);
	if (status == HS_OK)
		show(&result);
	hs_profile_free(profile);
	return status;
}

int main(int argc, char **argv)
{
	static struct hs_guest_file files[FILES];
	struct hs_source_options options;
	struct hs_source *source = NULL;
	struct hs_error error;
	const char *note;

	if (argc < 2)
		return 2;
	memset(&options, 0, sizeof(options));
	options.size = sizeof(options);
	options.path = argv[1];
	options.names = true;     /* of a recording: its own files, too */
	options.versions = true;  /* code that changes is counted as what it was */
	options.processes = true; /* of a perf.data */
	options.guest = files;
	options.guest_count = list_files(files, argv + 2, argc - 2);
	enum hs_status status = hs_source_open(&options, &source, &error);

	if (status != HS_OK) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	for (size_t i = 0; hs_source_guest(source) &&
	     (note = hs_guest_note(hs_source_guest(source), i)) != NULL; i++)
		fprintf(stderr, "%s\n", note);
	show_records(argv[1], &error);
	status = run(source, &error);
	hs_source_close(source);
	return status == HS_OK ? 0 : 1;
}
