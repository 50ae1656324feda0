/* hartscope encode: a recording to a trace, as hardware would send it. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/status.h>

#include "commands/encode_job.h"
#include "common/overwrite.h"
#include "common/sandbox.h"

/* ---- options ----------------------------------------------------------------------- */

static bool take_number(const char *word, const char *name, uint64_t *value)
{
	const size_t n = strlen(name);

	return strncmp(word, name, n) == 0 && word[n] == '=' &&
	       hs_text_number(word + n + 1, 1024, value) == HS_OK && *value > 0 &&
	       *value <= UINT32_MAX;
}

static bool take_word(struct hs_encode_perf *p, const char *word)
{
	if (strcmp(word, "cpu") == 0 || strcmp(word, "thread") == 0)
		p->threads = *word == 't';
	else if (strcmp(word, "plain") == 0)
		p->plain = true;
	else if (strcmp(word, "noinfo") == 0)
		p->no_info = true;
	else if (strcmp(word, "frames") == 0)
		p->frames = true;
	else
		return take_number(word, "type", &p->type) ||
		       take_number(word, "piece", &p->piece) ||
		       take_number(word, "snapshot", &p->snapshot) ||
		       take_number(word, "every", &p->every);
	return true;
}

static bool parse_perf(void *perf, const struct option_row *r, char *words)
{
	struct perf_options *p = perf;
	char *rest = words;

	(void)r;
	sandbox_allow_temporary();
	*p = (struct perf_options){ .given = true };
	for (char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (take_word(&p->perf, word))
			continue;
		complain("--perf-data has no word '%s': cpu, thread, frames, plain, noinfo, or "
		         "type, piece, snapshot or every with =N",
		         word);
		return false;
	}
	return true;
}

/* clang-format off */
static const struct option_row perf_rows[] = {
	{ "--perf-data", 0, "WORDS",
	  "write a perf.data with a buffer for each hart: cpu or thread, and with commas "
	  "frames (one buffer, of CoreSight frames with an ID for each hart), "
	  "plain (only the PMU's type in AUXTRACE_INFO), type=N (its number, 7), "
	  "noinfo (without it: for perf that does not know the number), "
	  "piece=BYTES (of an AUXTRACE record), snapshot=BYTES and "
	  "every=BYTES (between snapshots)",
	  AS_PARSED(struct encode_options, perf, parse_perf), .words = "cpu thread" },
	{ .name = NULL }
};

static const struct option_row transport_rows[] = {
	{ "--transport", 0, "NAME",
	  "how the bytes are transported: raw, pins1 to pins16 (a byte for each sample), "
	  "pins1-packed to pins4-packed, tpiu, tpiu-frames, uart and manchester (also with -packed; "
	  "docs/captures.md)",
	  AS_TEXT(struct options, capture.transport),
	  .words = "raw pins1 pins2 pins4 pins8 pins16 pins1-packed pins2-packed pins4-packed "
	           "tpiu tpiu-frames uart uart-packed manchester manchester-packed" },
	{ .name = NULL }
};

static const struct option_row idle_rows[] = {
	{ "--idle", 0, "N",
	  "pins: send N idle samples after each message (one byte)",
	  AS_NUMBER(struct encode_options, idle, UINT32_MAX) },
	{ .name = NULL }
};
/* clang-format on */

const struct usage encode_usage = {
	.name = "encode",
	.form = "--protocol ntrace [--set NAME=VALUE]... [--filter TERMS]... [-o TRACE] "
		"REC|FLOW|TRACE",
	.text = "Encodes a recording, or a trace that has a TRACE.json, as a trace.  The parameters are\n"
		"written next to it, to TRACE.json, where other commands read them.  Without -o the\n"
		"trace is next to REC, with the ending .nt or (E-Trace) .et; '-o -' writes it to\n"
		"standard output, and no TRACE.json.  If code changed while it ran, TRACE.code gets\n"
		"what changed, and when.  The harts of a recording become one stream with SRC fields.\n\n"
		"With --transport the samples of a trace port, or CoreSight frames with an ID for each\n"
		"hart from 1 on, are written.\n\n"
		"With --queue each hart has a queue of that many bytes, from which --drain bits leave in each\n"
		"cycle.  A full queue loses messages, and the trace reports it as hardware does (N-Trace: Error,\n"
		"then a synchronisation; E-Trace: a support packet, then one); with --stall the hart waits.\n"
		"stat --rate prints the smallest queue that loses nothing.\n\n"
		"With --perf-data the harts are CPUs or threads of a perf.data, with a buffer each and what a\n"
		"kernel reports: mappings, processes, switches, changes of code (docs/perf-data.md).\n\n"
		"With --system the harts run in a trace system, and -o is a folder: for each sink it gets\n"
		"what the sink holds, its registers (.regs, for --registers), and TRACE.json.",
	.example = "  hartscope encode --protocol ntrace --set trTeInstMode=htm -o app.nt app.rec\n"
		   "  hartscope encode --protocol etrace -o app.et app.nt\n"
		   "  hartscope encode --protocol etrace --queue 64 --drain 4 -o app.et app.rec\n"
		   "  hartscope encode --transport tpiu --source 0x22=other.et -o both.tpiu "
		   "app.rec\n"
		   "  hartscope encode --perf-data cpu -o perf.data app.rec\n"
		   "  hartscope encode --system board.system -o board app.rec",
	.often =
		"--output --protocol --set --config --filter --hart --queue --perf-data --quiet --json",
	.options = OPTIONS(ROWS(options_output), ROWS(options_protocol),
	                   ROWS_AT(options_filter, struct encode_options, filter),
	                   ROWS(options_config),
	                   ROWS_AT(options_system, struct encode_options, system), ROWS(perf_rows),
	                   ROWS(transport_rows), ROWS(options_samples), ROWS(idle_rows),
	                   ROWS_AT(options_queue, struct encode_options, queue), ROWS(options_code),
	                   OPTIONS_GUEST, OPTIONS_VIEW, ROWS(options_cycles), ROWS(options_xlen),
	                   ROWS(options_jobs), ROWS(options_json), ROWS(options_force),
	                   ROWS(options_quiet), ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
	.next_to = true,
};

/* ---- what the library asks for ---------------------------------------------------- */

static bool write_bytes(void *job, const void *bytes, size_t n)
{
	struct encode_job *j = job;

	if (write_all(j->file.fd, bytes, n))
		return true;
	j->unwritten = true;
	return false;
}

static enum hs_status open_range(void *job, struct hs_source *source, struct hs_error *e)
{
	const struct encode_job *j = job;

	verify_source(j->o, source, j->o->args[0]);
	return range_set(j->o, j->o->args[0], source, e);
}

void encode_add_fault(struct damage *d, const struct hs_encode_fault *f)
{
	if (f->source && hs_source_known(f->source)->info)
		damage_add_of(d, &f->error, f->source);
	else
		damage_add(d, &f->error, f->reason);
}

static void take_fault(void *job, const struct hs_encode_fault *f)
{
	encode_add_fault(&((struct encode_job *)job)->damage, f);
}

static void show_progress(void *job, uint64_t done, uint64_t total)
{
	struct encode_job *j = job;

	progress_show(&j->progress, total ? "encoding" : "encoding, blocks", done, total);
}

/* --queue, --drain and --stall need each other. */
static enum hs_status check_queue(const struct queue_options *q, struct hs_error *e)
{
	if (q->given != q->drain_given)
		return hs_error_set(e, HS_E_CONFIG, "--queue and --drain need each other");
	if (q->stall && !q->given)
		return hs_error_set(e, HS_E_CONFIG, "--stall needs --queue and --drain");
	return HS_OK;
}

int encode_begin(struct encode_job *j, const struct encode_options *own, uint32_t harts)
{
	const struct options *o = &own->shared;
	const struct hs_queue_config queue = { sizeof(queue), (uint32_t)own->queue.bytes,
		                               own->queue.drain_bits, own->queue.drain_cycles };

	j->o = o;
	j->queued = own->queue.given;
	j->queue = queue;
	const struct hs_encode_options eo = {
		.size = sizeof(eo),
		.threads = (uint32_t)o->jobs,
		.params = &o->params,
		.filter = &own->filter,
		.transport = o->capture.transport,
		.period = o->capture.period,
		.has_idle = own->idle != UINT64_MAX,
		.idle = own->idle,
		.others = j->others,
		.other_count = o->parts.count,
		.queue = own->queue.given ? &j->queue : NULL,
		.stall = own->queue.stall,
		.changes = own->queue.changes,
		.change_count = own->queue.change_count,
		.perf = own->perf.given ? &own->perf.perf : NULL,
		.harts = harts,
		.recording = o->args[0],
		.to = j,
		.write = write_bytes,
		.opened = open_range,
		.fault = take_fault,
		.progress = show_progress,
	};

	for (size_t i = 0; hs_transport_frames(o->capture.transport) && i < o->parts.count; i++)
		if (!part_of_output(o->parts.at[i], &j->others[i].id, &j->others[i].path))
			return EXIT_USAGE;
	if (check_queue(&own->queue, &j->error) != HS_OK ||
	    hs_encode_new(&eo, &j->encode, &j->error) != HS_OK)
		return fail(&j->error);
	return EXIT_GOOD;
}

int encode_create(struct encode_job *j, const char *trace, const char *recording)
{
	struct hs_encode_result r;

	hs_encode_get_result(j->encode, &r);
	return overwrite_trace(trace, r.params, j->o->capture.transport, recording) &&
	                       new_file_open_trace(&j->file, trace)
	               ? EXIT_GOOD
	               : EXIT_USAGE;
}

void encode_close(struct encode_job *j)
{
	hs_encode_free(j->encode);
	new_file_discard(&j->file);
}

/* ---- result ----------------------------------------------------------------------- */

/* What the queues of all harts did. */
static void report_queue(struct report *p, const struct hs_encode_result *r)
{
	report_u64(p, "cycles", "cycles", r->cycles);
	report_u64(p, "stalled_cycles", "cycles stalled", r->stalled_cycles);
	report_u64(p, "losses", "times that messages were lost", r->losses);
	if (r->accesses_lost)
		report_u64(p, "accesses_lost", "accesses lost", r->accesses_lost);
	report_u64(p, "queue_peak", "most bytes in a queue", r->queue_peak);
}

static void print_summary(const struct encode_job *j, const char *trace)
{
	struct hs_encode_result r;
	struct report p;

	hs_encode_get_result(j->encode, &r);
	report_begin(&p, stdout, j->o->json);
	report_text(&p, "trace", "trace", trace);
	report_text(&p, "protocol", "protocol", hs_trace_params_protocol(r.params)->name);
	report_u32(&p, "harts", "harts", r.harts);
	report_u64(&p, "blocks", "blocks", r.blocks);
	report_u64(&p, "bytes", "bytes", r.bytes);
	if (r.sampled)
		report_u64(&p, "sample_bytes", "bytes of samples", r.sample_bytes);
	if (j->queued)
		report_queue(&p, &r);
	report_list(&p, "messages", "messages by type");
	for (unsigned i = 0; i < r.type_count; i++) {
		report_row(&p);
		report_u64(&p, "count", "", r.types[i].messages);
		report_text(&p, "name", "", r.types[i].name);
		report_row_end(&p);
	}
	report_list_end(&p);
	report_end(&p);
}

int encode_finish(struct encode_job *j, const char *trace)
{
	const bool piped = strcmp(trace, "-") == 0;

	if (hs_encode_end(j->encode, piped ? NULL : new_file_stem(&j->file), &j->error) != HS_OK)
		return j->unwritten ? EXIT_USAGE : fail(&j->error);
	if (piped)
		return damage_exit(&j->damage);
	if (!new_file_commit(&j->file))
		return EXIT_USAGE;
	if (!j->o->quiet || j->o->json)
		print_summary(j, trace);
	return damage_exit(&j->damage);
}

/* ---- the command ------------------------------------------------------------------ */

/* What is encoded: a recording as the options ask for it, or a trace with its code. */
static struct hs_source_options source_of(const struct options *o)
{
	struct hs_source_options so = recording_options(o, o->args[0]);

	so.no_code = !o->range.given && !so.guest_count;
	so.clock = o->source.clock;
	so.code = o->source.code;
	so.code_count = o->source.code_count;
	so.xlen = o->source.xlen;
	return so;
}

/* Where the trace goes: to -o, or next to what is encoded with the ending of its protocol. */
static char *trace_path(const struct options *o, const struct hs_encode_result *r)
{
	if (o->output)
		return strdup(o->output);
	return with_ending(o->args[0], ".rec", hs_trace_params_protocol(r->params)->ending);
}

static int run(struct encode_job *j, const char *trace, const char *recording)
{
	const struct options *o = j->o;
	int status = encode_create(j, trace, recording);

	if (status != EXIT_GOOD)
		return status;
	progress_start(&j->progress, o->quiet);
	const enum hs_status s = hs_encode_run(j->encode, &j->error);

	progress_end(&j->progress);
	if (s != HS_OK)
		return j->unwritten ? EXIT_USAGE : fail(&j->error);
	return encode_finish(j, trace);
}

static int open_and_run(struct encode_job *j, const struct encode_options *own)
{
	const struct options *o = &own->shared;
	const struct hs_source_options so = source_of(o);
	struct hs_encode_result r;
	int status = encode_begin(j, own, 0);
	char *trace;

	if (status != EXIT_GOOD)
		return status;
	if (hs_encode_open(j->encode, &so, &j->error) != HS_OK)
		return fail_file(o->args[0], &j->error);
	hs_encode_get_result(j->encode, &r);
	trace = trace_path(o, &r);
	if (!trace) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	status = run(j, trace, r.recording);
	free(trace);
	return status;
}

int cmd_encode(int argc, char **argv)
{
	struct encode_job j = { .file.fd = -1 };
	struct encode_options own = ENCODE_OPTIONS;
	struct options *o = &own.shared;
	int status;

	if (!options_parse(&encode_usage, argc, argv, o, &status))
		return status;
	o->range.given |= o->source.select != NULL; /* what is not there is said of all harts */
	if (own.system)
		return encode_system(o, own.system);
	status = open_and_run(&j, &own);
	encode_close(&j);
	return status;
}
