/* The time of each block: the flow's own, else counted by a clock. */
#include <stdlib.h>

#include "encode/private.h"
#include "ingress/ingress.h"

bool encode_clock_open(struct encode_clock *c, const struct hs_image *image)
{
	*c = (struct encode_clock){ .model = malloc(sizeof(*c->model)) };
	return c->model && hs_clock_init(c->model, NULL, image) == HS_OK;
}

void encode_clock_close(struct encode_clock *c)
{
	free(c->model);
}

uint64_t encode_clock_pass(struct encode_clock *c, const struct hs_block *b)
{
	struct hs_block out[2];
	size_t used, n;

	if (b->kind == HS_KIND_TIME && !c->timed) {
		c->timed = true;
		if (b->itype != HS_CLOCK_TIME) /* the flow's times need not begin at 0 */
			c->first = b->value - c->now;
	}
	hs_clock_run(c->model, b, 1, &used, out, 2, &n);
	const uint64_t now = c->model->time - c->first;

	if (now > c->now && c->model->time >= c->first)
		c->now = now;
	return c->now;
}
