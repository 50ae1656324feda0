/* hartscope decode: a trace to a flow. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/record.h>

#include "common/interrupt.h"
#include "common/job_part.h"
#include "common/overwrite.h"

static const struct usage usage = {
	.name = "decode",
	.form = "[--protocol ntrace] [--set NAME=VALUE]... [--elf FILE]... [-o FLOW] TRACE",
	.text = "Decodes a trace to the blocks that were executed.  FLOW is a directory in the format of\n"
		"a recording; without -o it is next to TRACE, with the ending .flow.\n\n"
		"Parameters come\n"
		"from TRACE.json if it exists, and --set wins.  After damage in the trace, decoding\n"
		"continues at the next synchronisation, and the flow has a gap there.\n\n"
		"With --part only a\n"
		"part of the trace is decoded; 'hartscope merge decode' then makes FLOW.",
	.example =
		"  hartscope decode --elf app.elf --set trTeInstMode=htm -o app.flow capture.bin\n"
		"  hartscope decode --elf app.elf --transport tpiu --source 1=ntrace,hart=0 \\\n"
		"      --source 0x22=etrace,hart=1 -o app.flow both.tpiu\n"
		"  hartscope decode --elf app.elf --source hart1.nt=hart=1 -o app.flow hart0.nt",
	.often =
		"--output --protocol --elf --set --config --auto --transport --part --jobs --quiet",
	.options = OPTIONS(ROWS(options_output), OPTIONS_TRACE, OPTIONS_GUEST, OPTIONS_VIEW,
	                   ROWS(options_xlen), ROWS(options_jobs), ROWS(options_part),
	                   ROWS(options_json), ROWS(options_force), ROWS(options_quiet),
	                   ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
	.next_to = true,
};

/* A flow that is written, and what is said of it. */
struct decoding {
	struct hs_flow_writer *flow;
	struct hs_source *source;
	struct hs_flow_counts counts;
	struct progress progress;
	struct damage damage;
	struct hs_error error; /* why it cannot be written */
};

static void take_report(void *to, const struct hs_error *what)
{
	struct decoding *d = to;

	if (what->status == HS_OK)
		complain("%s", what->text);
	else
		damage_add_of(&d->damage, what, d->source);
}

static bool is_stopped(void *to, uint64_t items)
{
	struct decoding *d = to;
	uint64_t total;
	const uint64_t bytes = hs_source_bytes(d->source, &total);

	progress_show(&d->progress, "decoding", total ? bytes : items, total);
	return interrupted();
}

static bool take_blocks(void *to, const struct hs_block *b, size_t n)
{
	struct decoding *d = to;

	return hs_flow_write(d->flow, b, n, &d->error) == HS_OK;
}

/* @bytes: of the trace. */
static void print_summary(const struct decoding *d, const char *flow, uint64_t bytes, bool json)
{
	struct report r;

	report_begin(&r, stdout, json);
	report_text(&r, "flow", "flow", flow);
	report_text(&r, "protocol", "protocol", hs_source_known(d->source)->protocol->name);
	report_u64(&r, "bytes", "trace bytes", bytes);
	capture_report(&r, d->source);
	report_u64(&r, "blocks", "blocks", d->counts.blocks);
	versions_report(&r, d->source);
	report_u64(&r, "gaps", "gaps", d->counts.gaps);
	report_u64(&r, "errors", "errors", d->damage.count);
	damage_report(&r, &d->damage);
	report_end(&r);
}

/* Begin a flow at @path, or none where that is NULL; @bare: it is a part. */
static enum hs_status create(struct decoding *d, const struct options *o, const char *path,
                             bool bare)
{
	char made_by[300];
	const struct hs_flow_options fo = {
		.size = sizeof(fo),
		.path = path,
		.source = d->source,
		.made_by = made_by,
		.bare = bare,
		.threads = bare || o->job.parts ? 0 : (uint32_t)o->jobs,
		.report = take_report,
		.stop = is_stopped,
		.to = d,
		.counts = &d->counts,
	};

	snprintf(made_by, sizeof(made_by), "decode %.250s", o->args[0]);
	if (path && overwrite_flow(path, made_by, &d->error) != HS_OK)
		return d->error.status;
	return hs_flow_create(&fo, &d->flow, &d->error);
}

static int decode_to(struct hs_source *source, const char *flow, const struct options *o)
{
	const bool discard =
		strcmp(flow, "/dev/null") == 0; /* only errors and the summary matter */
	struct decoding d = { .source = source };

	interrupt_watch();
	if (create(&d, o, discard ? NULL : flow, false) != HS_OK)
		return fail(&d.error);
	progress_start(&d.progress, o->quiet);
	const enum hs_status s = hs_flow_read(d.flow, &d.error);

	if (s == HS_OK)
		verify_end(source);
	progress_end(&d.progress);
	if (interrupted()) {
		hs_flow_finish(d.flow, HS_FLOW_DISCARD, NULL, NULL);
		interrupt_end();
	}
	if (s != HS_OK || input_was_unread()) {
		const int status = s == HS_OK ? damage_exit(&d.damage) : fail(&d.error);

		hs_flow_finish(d.flow, HS_FLOW_CUT, "cut", NULL);
		return status;
	}
	if (nothing_to_show(&d.damage, o->json)) {
		hs_flow_finish(d.flow, HS_FLOW_DISCARD, NULL, NULL);
		return EXIT_FINDINGS;
	}
	if (hs_flow_finish(d.flow, HS_FLOW_WHOLE, "end of the trace", &d.error) != HS_OK)
		return fail(&d.error);
	if (!o->quiet || o->json)
		print_summary(&d, flow, hs_source_bytes(source, NULL), o->json);
	return damage_exit(&d.damage);
}

/* ---- parts of a trace --------------------------------------------------------------- */

/* The flow begins with the hart that the trace is in there. */
static bool name_hart(struct decoding *d)
{
	struct hs_block lead[HS_SOURCE_LEAD];
	const size_t n = hs_source_slice_lead(d->source, lead);

	return !n || lead[n - 1].kind != HS_KIND_HART || take_blocks(d, &lead[n - 1], 1);
}

static int write_part(struct job_part *j, struct decoding *d, bool quiet)
{
	const struct block_taker taker = { "decoding", quiet, take_blocks, d, false };
	uint8_t payload[24];
	const bool whole = name_hart(d) && job_part_read(j, &taker);

	if (!whole) {
		hs_flow_finish(d->flow, HS_FLOW_CUT, "cut", NULL);
		return fail(&d->error);
	}
	if (hs_flow_finish(d->flow, HS_FLOW_WHOLE, "end of the part", &d->error) != HS_OK)
		return fail(&d->error);
	job_put_word(payload, d->counts.blocks);
	job_put_word(payload + 8, d->counts.gaps);
	job_put_word(payload + 16, j->o->job.part);
	return job_part_finish(j, payload, sizeof(payload));
}

/* Remove what a process left that was killed before its flow was one. */
static void remove_rest(const char *flow)
{
	static const char *const names[] = { "runs.zst", "manifest.new" };

	if (is_recording(flow))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", flow, names[i]);
		unlink(path);
	}
	rmdir(flow);
}

/* --part */
static int decode_part(struct hs_source *source, const struct options *o)
{
	struct decoding d = { .source = source };
	struct job_part j;
	int status;

	if (job_part_begin(&j, "decode", HS_PART_FLOW, o, source, &status)) {
		char *path = job_part_path(o, "decode", o->job.part, ".flow");

		if (path)
			remove_rest(path);
		status = path && create(&d, o, path, true) == HS_OK ? write_part(&j, &d, o->quiet)
		                                                    : fail(&d.error);
		free(path);
	}
	job_part_end(&j);
	return status;
}

/* Make the flow of a part one of the flow. */
static bool append_part(struct decoding *d, const struct options *o, uint32_t number)
{
	char *path = job_part_path(o, "decode", number, ".flow");
	const enum hs_status s = path ? hs_flow_add_part(d->flow, path, &d->error)
	                              : hs_error_set(&d->error, HS_E_MEMORY, "out of memory");

	free(path);
	return s == HS_OK;
}

static int print_sum(struct decoding *d, const struct job_sum *sum, const char *flow,
                     const struct options *o)
{
	uint64_t bytes;

	d->counts = (struct hs_flow_counts){ sum->words[0], sum->words[1] };
	job_sum_damage(sum, &d->damage);
	verify_merged();
	hs_source_bytes(d->source, &bytes);
	if (!o->quiet || o->json)
		print_summary(d, flow, bytes, o->json);
	return damage_exit(&d->damage);
}

/* --parts */
static int join_parts(struct hs_source *source, const char *flow, const struct options *o)
{
	struct job_sum sum = { .any = false };
	struct decoding d = { .source = source };
	bool good = job_parts_add(&sum, "decode", HS_PART_FLOW, o, source, 0);
	int status = EXIT_USAGE;

	interrupt_watch();
	if (good && create(&d, o, flow, false) != HS_OK) {
		status = fail(&d.error);
		good = false;
	}
	for (size_t i = 2; good && i < sum.word_count && !interrupted(); i++)
		good = append_part(&d, o, (uint32_t)sum.words[i]);
	if (interrupted()) {
		hs_flow_finish(d.flow, HS_FLOW_DISCARD, NULL, NULL);
		interrupt_end();
	}
	const bool begun = d.flow != NULL;

	if (good && hs_flow_finish(d.flow, HS_FLOW_WHOLE, "end of the trace", &d.error) == HS_OK) {
		status = print_sum(&d, &sum, flow, o);
	} else if (begun) {
		status = fail(&d.error);
		if (!good)
			hs_flow_finish(d.flow, HS_FLOW_DISCARD, NULL, NULL);
	}
	job_sum_free(&sum);
	return status;
}

/* ---- the command ------------------------------------------------------------------ */

static int decode_argument(struct hs_source *source, const struct options *o)
{
	const size_t n = strlen(o->args[0]);
	const bool et = n > 3 && strcmp(o->args[0] + n - 3, ".et") == 0;
	char *flow = o->output ? strdup(o->output)
	                       : with_ending(o->args[0], et ? ".et" : ".nt", ".flow");
	int status = EXIT_USAGE;

	if (flow && o->job.part)
		status = decode_part(source, o);
	else if (flow)
		status = o->job.parts ? join_parts(source, flow, o) : decode_to(source, flow, o);
	free(flow);
	return status;
}

int cmd_decode(int argc, char **argv)
{
	struct hs_source *source;
	struct options o = { .arg_count = 0 };
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	if (refuse_recording(o.args[0], "it needs no decoding"))
		return EXIT_USAGE;
	if ((o.output && strcmp(o.output, "-") == 0) ||
	    (!o.output && (strcmp(o.args[0], "-") == 0 || strncmp(o.args[0], "/dev/", 5) == 0))) {
		complain("decode writes a directory: name it with -o FLOW; other commands take the "
		         "trace itself, also from '-'");
		return EXIT_USAGE;
	}
	o.source.versions = o.reads_all = true;
	source = open_argument(&o, &status);
	if (!source)
		return status;
	status = decode_argument(source, &o);
	hs_source_close(source);
	return status;
}
