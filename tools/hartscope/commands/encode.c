/* hartscope encode: a recording to a trace, as hardware would send it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/tool.h"

static const struct usage usage = {
	.name = "encode",
	.form = "--protocol ntrace [--set NAME=VALUE]... [--filter TERMS]... [-o TRACE] REC",
	.text = "Encodes a recording as a trace.  The parameters are written beside it, to TRACE.json,\n"
	        "so that decode, list, dump and stat need not be told them again.  Without -o the trace\n"
	        "stands beside REC, with the ending .nt; '-o -' writes it to standard output, alone.\n"
	        "The harts of a recording become one stream with SRC fields.  With --transport the samples\n"
	        "of a trace port are written in place of its bytes.",
	.example = "  hartscope encode --protocol ntrace --set trTeInstMode=htm -o app.nt app.rec",
	.set = OPT_OUTPUT | OPT_JSON | OPT_PROTOCOL | OPT_FILTER | OPT_TRANSPORT | OPT_IDLE | OPT_QUIET,
	.min_args = 1,
	.max_args = 1,
};

#define BATCH 4096
#define TYPES 128

/* One hart of the recording with its encoder. */
struct lane {
	struct hs_rec_stream *stream;
	struct feed feed;
	struct hs_qualifier qualifier;
	struct hs_block read[BATCH], blocks[BATCH];
	size_t n;
	bool ended;
};

struct job {
	const struct hs_protocol *protocol;
	void *config;
	struct hs_rec *rec;
	struct lane *lanes;
	uint32_t count;
	int fd;
	uint8_t *out;
	uint64_t bytes, blocks;
	struct pin_output output;
	bool filtered;
	struct damage damage;
	struct hs_error error;
};

static bool put(void *job, const uint8_t *bytes, size_t n)
{
	struct job *j = job;

	j->bytes += n;
	return pin_output_put(&j->output, bytes, n);
}

/* Encode what a lane holds.  False: the output cannot be written. */
static bool encode_lane(struct lane *l)
{
	return feed_blocks(&l->feed, l->blocks, l->n);
}

static bool end_lane(struct lane *l)
{
	l->ended = true;
	return feed_end(&l->feed);
}

/* Encode what the filters let through. */
static bool qualify_lane(struct job *j, struct lane *l, size_t n)
{
	size_t at = 0, used;
	bool good = true;

	while (good && at < n) {
		hs_qualify(&l->qualifier, l->read + at, n - at, &used, l->blocks, BATCH, &l->n);
		at += used;
		for (size_t i = 0; i < l->n; i++)
			j->blocks += l->blocks[i].kind == HS_KIND_BLOCK;
		good = encode_lane(l);
	}
	return good;
}

/* Some thousand blocks of one hart. */
static bool turn(struct job *j, struct lane *l)
{
	size_t n;
	const enum hs_status s = hs_rec_stream_next(l->stream, j->filtered ? l->read : l->blocks, BATCH,
	                                            &n, &j->error);

	if (s != HS_OK && s != HS_END)
		damage_add(&j->damage, &j->error);
	if (j->filtered)
		return qualify_lane(j, l, n) && (s == HS_OK || end_lane(l));
	l->n = n;
	for (size_t i = 0; i < n; i++)
		j->blocks += l->blocks[i].kind == HS_KIND_BLOCK;
	return encode_lane(l) && (s == HS_OK || end_lane(l));
}

static bool encode_all(struct job *j, bool quiet)
{
	struct progress progress;
	uint32_t open = j->count;

	progress_start(&progress, quiet);
	while (open) {
		for (uint32_t i = 0; i < j->count; i++) {
			if (j->lanes[i].ended)
				continue;
			if (!turn(j, &j->lanes[i])) {
				progress_end(&progress);
				return false;
			}
			open -= j->lanes[i].ended;
		}
		progress_show(&progress, "encoding, blocks", j->blocks, 0);
	}
	progress_end(&progress);
	return true;
}

/* ---- set-up ------------------------------------------------------------------- */

static bool asks(const struct hs_qualifier_config *c)
{
	bool any = c->off;

	for (unsigned i = 0; i < HS_FILTERS; i++)
		any |= c->filters[i].enable;
	for (unsigned i = 0; i < HS_COMPARATORS; i++)
		any |= c->comparators[i].p_notify || c->comparators[i].s_notify;
	return any;
}

static enum hs_status open_lane(struct job *j, const struct options *o, struct lane *l,
                                uint32_t index, bool own_id)
{
	enum hs_status s = hs_rec_stream_open(j->rec, index, &l->stream, &j->error);

	if (s != HS_OK)
		return s;
	if (hs_qualifier_init(&l->qualifier, &o->filter, hs_rec_image(j->rec)) != HS_OK)
		return hs_error_set(&j->error, HS_E_CONFIG, "filters out of range");
	j->filtered = asks(&o->filter);
	if (j->protocol->config_filters && j->protocol->config_filters(j->config, &o->filter) != HS_OK)
		return hs_error_set(&j->error, HS_E_CONFIG,
		                    "--filter asks for more than comparators_p, filters_p, filter_*_p, ecause_choice_p say there is");
	l->feed = (struct feed){ .protocol = j->protocol, .image = hs_rec_image(j->rec), .out = j->out,
		                 .put = put, .to = j, .damage = &j->damage };
	l->feed.encoder = calloc(1, j->protocol->encoder_size);
	if (!l->feed.encoder)
		return hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
	if (!own_id)
		j->protocol->config_hart(j->config, hs_rec_stream_hart(l->stream));
	s = j->protocol->encoder_init(l->feed.encoder, j->config);
	return s == HS_OK ? s
	                  : hs_error_set(&j->error, s,
	                                 "%s: parameters out of range or contradicting each other",
	                                 j->protocol->name);
}

static enum hs_status open_lanes(struct job *j, const struct options *o)
{
	const uint32_t harts = hs_rec_get_info(j->rec)->harts;
	const bool own_id = harts <= 1 && (setting_given(o, "trTeSrcID") || o->source.registers);

	j->lanes = calloc(harts ? harts : 1, sizeof(*j->lanes));
	j->out = malloc(FEED_ROOM);
	if (!j->lanes || !j->out)
		return hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
	if (j->protocol->config_sources(j->config, harts) != HS_OK)
		return hs_error_set(&j->error, HS_E_CONFIG,
		                    "%u harts do not fit the number of sources of %s (trTeSrcBits)",
		                    harts, j->protocol->name);
	for (uint32_t i = 0; i < harts; i++) {
		const enum hs_status s = open_lane(j, o, &j->lanes[j->count++], i, own_id);

		if (s != HS_OK)
			return s;
	}
	if (!own_id)
		j->protocol->config_hart(j->config, 0);
	return HS_OK;
}

/* As for a trace that is read, but nothing stands beside it yet. */
static enum hs_status configure(struct job *j, const struct options *o)
{
	struct hs_source_options so = o->source;

	so.path = "-";
	const enum hs_status s = hs_trace_read_config(&so, &j->protocol, &j->config, &j->error);

	if (s == HS_OK && j->protocol->config_sync && !setting_given(o, "trTeInstSyncMode") && !so.config &&
	    !so.registers)
		j->protocol->config_sync(j->config);
	return s;
}

static void close_job(struct job *j)
{
	for (uint32_t i = 0; i < j->count; i++) {
		hs_rec_stream_close(j->lanes[i].stream);
		free(j->lanes[i].feed.encoder);
	}
	pin_output_close(&j->output);
	free(j->lanes);
	free(j->out);
	free(j->config);
	hs_rec_close(j->rec);
	if (j->fd > STDERR_FILENO)
		close(j->fd);
}

/* ---- result ------------------------------------------------------------------- */

static void add_counts(struct hs_message_count *sum, unsigned *n, const struct hs_message_count *v,
                       unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		unsigned at = 0;

		while (at < *n && strcmp(sum[at].name, v[i].name) != 0)
			at++;
		if (at == *n && *n < TYPES)
			sum[(*n)++] = (struct hs_message_count){ .name = v[i].name };
		if (at < *n)
			sum[at].messages += v[i].messages;
	}
}

static void summary(const struct job *j, const char *trace, bool json)
{
	struct hs_message_count sum[TYPES], v[TYPES];
	struct report r;
	unsigned n = 0;

	for (uint32_t i = 0; i < j->count; i++)
		add_counts(sum, &n, v, j->protocol->encoder_counts(j->lanes[i].feed.encoder, v, TYPES));
	report_begin(&r, stdout, json);
	report_text(&r, "trace", "trace", trace);
	report_text(&r, "protocol", "protocol", j->protocol->name);
	report_u64(&r, "harts", "harts", j->count);
	report_u64(&r, "blocks", "blocks", j->blocks);
	report_u64(&r, "bytes", "bytes", j->bytes);
	if (j->output.on)
		report_u64(&r, "sample_bytes", "bytes of samples", j->output.bytes);
	report_list(&r, "messages", "messages by type");
	for (unsigned i = 0; i < n; i++) {
		report_row(&r);
		report_u64(&r, "count", "", sum[i].messages);
		report_text(&r, "name", "", sum[i].name);
		report_row_end(&r);
	}
	report_list_end(&r);
	report_end(&r);
}

static int finish(struct job *j, const char *trace, const struct options *o)
{
	if (strcmp(trace, "-") == 0)
		return damage_exit(&j->damage);
	if (hs_trace_write_config(trace, j->protocol, j->config, o->args[0],
	                          o->source.capture.transport, &j->error) != HS_OK)
		return fail(&j->error);
	if (!o->quiet || o->json)
		summary(j, trace, o->json);
	return damage_exit(&j->damage);
}

static int run(struct job *j, const char *trace, const struct options *o)
{
	if (configure(j, o) != HS_OK || hs_rec_open(o->args[0], &j->rec, &j->error) != HS_OK ||
	    open_lanes(j, o) != HS_OK)
		return fail(&j->error);
	j->fd = strcmp(trace, "-") == 0 ? STDOUT_FILENO
	                                : open(trace, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (j->fd < 0) {
		complain("%s: %s", trace, strerror(errno));
		return EXIT_USAGE;
	}
	if (!pin_output_open(&j->output, o, j->fd) || !encode_all(j, o->quiet) ||
	    !pin_output_end(&j->output))
		return EXIT_USAGE;
	return finish(j, trace, o);
}

int cmd_encode(int argc, char **argv)
{
	struct job j = { .fd = -1 };
	struct options o;
	char *trace;
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	trace = o.output ? strdup(o.output) : with_ending(o.args[0], ".rec", ".nt");
	if (!trace) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	status = run(&j, trace, &o);
	close_job(&j);
	free(trace);
	return status;
}
