/* hartscope decode: a trace to a flow. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "common/job_part.h"

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

/* Where the blocks go, and how many there are. */
struct decoding {
	struct hs_rec_writer *writer; /* NULL: they are only counted */
	uint64_t blocks, gaps;
	bool parts; /* they come from the parts of the trace */
	bool bare;  /* it is a part */
	uint32_t threads;
	struct damage damage;
	struct hs_error error; /* of the writer */
};

static void count_items(const struct hs_block *b, size_t n, uint64_t *blocks, uint64_t *gaps)
{
	uint64_t events = 0, lost = 0;

	for (size_t i = 0; i < n; i++) {
		prefetch_item(&b[i]);
		events += b[i].kind != HS_KIND_BLOCK;
		lost += b[i].kind == HS_KIND_GAP;
	}
	*blocks += n - events;
	*gaps += lost;
}

static bool write_blocks(void *to, const struct hs_block *b, size_t n)
{
	struct decoding *d = to;

	count_items(b, n, &d->blocks, &d->gaps);
	return !d->writer || hs_rec_write(d->writer, b, n, &d->error) == HS_OK;
}

/* ---- what threads do ---------------------------------------------------------------- */

/* The share of one thread. */
struct decode_worker {
	struct hs_rec_numbers *numbers; /* NULL: blocks are only counted */
};

struct decode_share {
	uint64_t blocks, gaps;
	struct hs_rec_numbered *items;
};

static void *begin_share(void *to)
{
	const struct decoding *d = to;
	struct decode_worker *w = calloc(1, sizeof(*w));

	if (w && d->writer && hs_rec_numbers_new(&w->numbers) != HS_OK) {
		free(w);
		return NULL;
	}
	return w;
}

static void end_share(void *worker)
{
	struct decode_worker *w = worker;

	hs_rec_numbers_free(w->numbers);
	free(w);
}

static bool add_share(void *worker, void **share, const struct hs_block *b, size_t n)
{
	const struct decode_worker *w = worker;

	if (!*share)
		*share = calloc(1, sizeof(struct decode_share));
	struct decode_share *s = *share;

	if (!s)
		return false;
	count_items(b, n, &s->blocks, &s->gaps);
	return !w->numbers || hs_rec_number(w->numbers, &s->items, b, n) == HS_OK;
}

static void take_share(void *to, void *worker, const void *share)
{
	const struct decode_worker *w = worker;
	const struct decode_share *s = share;
	struct decoding *d = to;

	d->blocks += s->blocks;
	d->gaps += s->gaps;
	if (s->items && d->error.status == HS_OK)
		hs_rec_write_numbered(d->writer, w->numbers, s->items, &d->error);
}

static void clear_share(void *share)
{
	struct decode_share *s = share;

	s->blocks = s->gaps = 0;
	if (s->items)
		hs_rec_numbered_clear(s->items);
}

static void free_share(void *share)
{
	struct decode_share *s = share;

	hs_rec_numbered_free(s->items);
	free(s);
}

static void print_summary(struct hs_source *source, const char *flow, const struct decoding *d,
                          bool json)
{
	uint64_t bytes = hs_source_bytes(source, NULL);
	struct report r;

	if (d->parts)
		hs_source_bytes(source, &bytes);

	report_begin(&r, stdout, json);
	report_text(&r, "flow", "flow", flow);
	report_text(&r, "protocol", "protocol", hs_source_protocol(source)->name);
	report_u64(&r, "bytes", "trace bytes", bytes);
	capture_report(&r, source);
	report_u64(&r, "blocks", "blocks", d->blocks);
	versions_report(&r, source);
	report_u64(&r, "gaps", "gaps", d->gaps);
	report_u64(&r, "errors", "errors", d->damage.count);
	damage_report(&r, &d->damage);
	report_end(&r);
}

static enum hs_status create(struct hs_source *source, const char *trace, const char *flow,
                             struct decoding *d)
{
	char made_by[300];
	struct flow f = { .path = flow,
		          .made_by = made_by,
		          .bare = d->bare,
		          .threads = d->threads,
		          .program = hs_source_program(source),
		          .program_path = hs_source_program_path(source) };

	snprintf(made_by, sizeof(made_by), "decode %.250s", trace);
	f.source = source;
	f.processes = hs_source_processes(source, &f.process_count);
	return create_flow(&f, &d->writer, &d->error);
}

static int decode_to(struct hs_source *source, const char *flow, const struct options *o)
{
	const bool discard =
		strcmp(flow, "/dev/null") == 0; /* only errors and the summary matter */
	struct decoding d = { .threads = (uint32_t)o->jobs };
	const struct hs_source_work work = { .to = &d,
		                             .begin = begin_share,
		                             .end = end_share,
		                             .add = add_share,
		                             .take = take_share,
		                             .clear = clear_share,
		                             .free = free_share };
	const struct block_taker taker = { "decoding", o->quiet, write_blocks, &d, false };

	interrupt_watch();
	if (!discard && create(source, o->args[0], flow, &d) != HS_OK)
		return fail(&d.error);
	const bool written = read_shared(&taker, &work, &d.error, source, &d.damage);

	if (interrupted()) {
		hs_rec_discard(d.writer);
		interrupt_end();
	}
	if (!written || input_was_unread()) {
		const int status = written ? damage_exit(&d.damage) : fail(&d.error);

		if (!discard)
			hs_rec_finish(d.writer, false, "cut", NULL);
		return status;
	}
	if (nothing_to_show(&d.damage, o->json)) {
		hs_rec_discard(d.writer);
		return EXIT_FINDINGS;
	}
	if (!discard && hs_rec_finish(d.writer, true, "end of the trace", &d.error) != HS_OK)
		return fail(&d.error);
	if (!o->quiet || o->json)
		print_summary(source, flow, &d, o->json);
	return damage_exit(&d.damage);
}

/* ---- parts of a trace --------------------------------------------------------------- */

/* The flow begins with the hart that the trace is in there. */
static bool name_hart(struct hs_source *source, struct decoding *d)
{
	struct hs_block lead[HS_SOURCE_LEAD];
	const size_t n = hs_source_slice_lead(source, lead);

	return !n || lead[n - 1].kind != HS_KIND_HART ||
	       hs_rec_write(d->writer, &lead[n - 1], 1, &d->error) == HS_OK;
}

static int write_part(struct job_part *j, struct decoding *d, bool quiet)
{
	const struct block_taker taker = { "decoding", quiet, write_blocks, d, false };
	uint8_t payload[24];

	if (!name_hart(j->source, d) || !job_part_read(j, &taker)) {
		hs_rec_finish(d->writer, false, "cut", NULL);
		return fail(&d->error);
	}
	if (hs_rec_finish(d->writer, true, "end of the part", &d->error) != HS_OK)
		return fail(&d->error);
	job_put_word(payload, d->blocks);
	job_put_word(payload + 8, d->gaps);
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
	struct decoding d = { .bare = true };
	struct job_part j;
	int status;

	if (job_part_begin(&j, "decode", HS_PART_FLOW, o, source, &status)) {
		char *path = job_part_path(o, "decode", o->job.part, ".flow");

		if (path)
			remove_rest(path);
		status = path && create(source, o->args[0], path, &d) == HS_OK
		                 ? write_part(&j, &d, o->quiet)
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
	const enum hs_status s = path ? hs_rec_add_part(d->writer, path, &d->error)
	                              : hs_error_set(&d->error, HS_E_MEMORY, "out of memory");

	free(path);
	return s == HS_OK;
}

/* --parts */
static int join_parts(struct hs_source *source, const char *flow, const struct options *o)
{
	struct job_sum sum = { .any = false };
	struct decoding d = { .parts = true };
	bool good = job_parts_add(&sum, "decode", HS_PART_FLOW, o, source, 0);
	int status = EXIT_USAGE;

	interrupt_watch();
	if (good && create(source, o->args[0], flow, &d) != HS_OK) {
		status = fail(&d.error);
		good = false;
	}
	for (size_t i = 2; good && i < sum.word_count && !interrupted(); i++)
		good = append_part(&d, o, (uint32_t)sum.words[i]);
	if (interrupted()) {
		hs_rec_discard(d.writer);
		interrupt_end();
	}
	if (good && hs_rec_finish(d.writer, true, "end of the trace", &d.error) == HS_OK) {
		d.blocks = sum.words[0];
		d.gaps = sum.words[1];
		job_sum_damage(&sum, &d.damage);
		verify_merged();
		if (!o->quiet || o->json)
			print_summary(source, flow, &d, o->json);
		status = damage_exit(&d.damage);
	} else if (d.writer) {
		status = fail(&d.error);
		if (!good)
			hs_rec_discard(d.writer);
	}
	job_sum_free(&sum);
	return status;
}

/* ---- the command ------------------------------------------------------------------ */

static int decode_argument(struct hs_source *source, const struct options *o)
{
	char *flow = o->output ? strdup(o->output) : with_ending(o->args[0], ".nt", ".flow");
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
