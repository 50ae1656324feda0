/* The encoder of hartscope record --encode: it takes blocks while a program runs. */
#include <stdlib.h>
#include <string.h>

#include "commands/encode_job.h"
#include "commands/encode_live.h"
#include "common/overwrite.h"

struct encode_live {
	struct job job;
	struct encode_options own;
	const char *trace;
	uint32_t harts, left_out; /* lanes; harts that have none */
	bool set_id, failed;
};

static bool open_live(struct encode_live *e)
{
	struct job *j = &e->job;

	if (encode_configure(j, &e->own) != HS_OK || encode_check_transport(j, &e->own) != HS_OK ||
	    encode_take_filters(j, &e->own) != HS_OK) {
		fail(&j->error);
		return false;
	}
	j->timed = e->own.shared.source.clock ||
	           j->protocol->config_is_timed(hs_trace_params_config(j->params));
	if (j->timed) {
		complain("timestamps need a recording with a clock: encode --cycles-per");
		return false;
	}
	j->output.idle = e->own.idle;
	return overwrite_trace(e->trace, j->params, NULL, NULL) &&
	       new_file_open_trace(&j->file, e->trace) &&
	       pin_output_open(&j->output, &e->own.shared, j->file.fd);
}

struct encode_live *encode_live_open(int argc, char **argv, uint32_t harts)
{
	struct encode_live *e = calloc(1, sizeof(*e));
	int status;

	if (!e) {
		complain("out of memory");
		return NULL;
	}
	e->own = (struct encode_options)ENCODE_OPTIONS;
	e->job.file.fd = -1;
	e->harts = harts;
	if (options_parse(&encode_usage, argc, argv, &e->own.shared, &status)) {
		e->trace = e->own.shared.output;
		if (open_live(e))
			return e;
	}
	encode_live_discard(e);
	return NULL;
}

void encode_live_discard(struct encode_live *e)
{
	encode_close(&e->job);
	free(e);
}

/* The lane of a hart; NULL: there are no more, or it cannot be opened. */
static struct lane *find_lane(struct encode_live *e, const struct hs_rec *rec, uint32_t hart)
{
	struct job *j = &e->job;
	struct lane *l;

	for (uint32_t i = 0; i < j->count; i++)
		if (j->lanes[i].hart == hart)
			return &j->lanes[i];
	j->rec = rec;
	e->failed = !j->lanes &&
	            encode_prepare_lanes(j, &e->own, e->harts, e->harts, &e->set_id) != HS_OK;
	if (e->failed || hart >= e->harts || j->count == e->harts)
		return NULL;
	l = &j->lanes[j->count++];
	e->failed = encode_open_lane(j, &e->own, l, hart, e->set_id) != HS_OK;
	return e->failed ? NULL : l;
}

bool encode_live_take(void *live, const struct hs_rec *rec, uint32_t hart, const struct hs_block *b,
                      size_t n)
{
	struct encode_live *e = live;
	struct lane *l = find_lane(e, rec, hart);
	bool good = !e->failed;

	if (!l)
		e->left_out += n == 0;
	else if (n == 0)
		good = feed_end(&l->feed);
	for (size_t at = 0; l && good && at < n; at += l->reader.n) {
		l->reader.n = n - at < READ_BATCH ? n - at : READ_BATCH;
		memcpy(l->read, b + at, l->reader.n * sizeof(*b));
		good = encode_read(&e->job, l);
	}
	e->failed = !good;
	return good;
}

int encode_live_close(struct encode_live *e)
{
	struct job *j = &e->job;
	int status;

	if (e->left_out)
		complain("%u harts are not in the trace, which has room for %u (--harts)",
		         e->left_out, e->harts);
	if (e->set_id && j->lanes)
		j->protocol->config_hart(hs_trace_params_edit_config(j->params), 0);
	if (!j->changes) /* nothing was executed */
		e->failed |= hs_code_changes_new(&j->changes) != HS_OK;
	if (e->failed || !pin_output_end(&j->output))
		status = j->error.status != HS_OK ? fail(&j->error) : EXIT_USAGE;
	else
		status = encode_finish(j, e->trace, &e->own);
	if (status == EXIT_GOOD && e->left_out)
		status = EXIT_DAMAGED;
	encode_live_discard(e);
	return status;
}
