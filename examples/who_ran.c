/* Who ran, and in which functions: a recording, a flow, a trace or a perf.data, and files of the
 * system that ran.  C, and C++.
 *
 *   who_ran TRACE [FILE]...      programs and directories; FILE.map: a process map
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <hartscope/capture.h>
#include <hartscope/counts.h>

enum { FILES = 64, TOP = 5 };

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

/* Damage is no end: counting goes on after it. */
static void say(void *unused, const struct hs_error *error)
{
	(void)unused;
	fprintf(stderr, "%s\n", error->text);
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

static enum hs_status run(struct hs_source *source)
{
	struct hs_taker look = { NULL, NULL, say };
	struct hs_counts_options options;
	struct hs_profile_result result;
	struct hs_counts *counts = NULL;

	memset(&options, 0, sizeof(options));
	options.size = sizeof(options);
	options.source = source;
	options.by = HS_PROFILE_BY_THREAD;
	enum hs_status status = hs_counts_new(&options, &counts);

	if (status == HS_OK)
		status = hs_source_count(source, counts, &look);
	if (status == HS_OK)
		status = hs_counts_get_profile(counts, &result);
	if (status == HS_OK)
		show(&result);
	hs_counts_free(counts);
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
	for (size_t i = 0; hs_source_known(source)->guest &&
	                   (note = hs_guest_note(hs_source_known(source)->guest, i)) != NULL;
	     i++)
		fprintf(stderr, "%s\n", note);
	show_records(argv[1], &error);
	status = run(source);
	hs_source_close(source);
	return status == HS_OK ? 0 : 1;
}
