/* The encoder of hartscope record --encode: it takes blocks while a program runs. */
#include <stdlib.h>

#include "commands/encode_job.h"
#include "commands/encode_live.h"

struct encode_live {
	struct encode_job job;
	struct encode_options own;
	uint32_t harts; /* that have room */
};

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
	if (options_parse(&encode_usage, argc, argv, &e->own.shared, &status) &&
	    encode_begin(&e->job, &e->own, harts) == EXIT_GOOD &&
	    encode_create(&e->job, e->own.shared.output, NULL) == EXIT_GOOD)
		return e;
	encode_live_discard(e);
	return NULL;
}

struct hs_encode *encode_live_encoder(const struct encode_live *e)
{
	return e->job.encode;
}

void encode_live_discard(struct encode_live *e)
{
	encode_close(&e->job);
	free(e);
}

int encode_live_close(struct encode_live *e)
{
	struct hs_encode_result r;
	int status;

	hs_encode_get_result(e->job.encode, &r);
	if (r.left_out)
		complain("%u harts are not in the trace, which has room for %u (--harts)",
		         r.left_out, e->harts);
	status = encode_finish(&e->job, e->own.shared.output);
	if (status == EXIT_GOOD && r.left_out)
		status = EXIT_DAMAGED;
	encode_live_discard(e);
	return status;
}
