/* Options of a queue after an encoder. */
#include <errno.h>
#include <stdlib.h>

#include <hartscope/status.h>

#include "common/tool.h"

static bool parse_queue(void *queue, const struct option_row *r, char *value)
{
	struct queue_options *q = queue;

	(void)r;
	q->given = true;
	if (hs_text_number(value, 1024, &q->bytes) == HS_OK && q->bytes && q->bytes <= UINT32_MAX)
		return true;
	complain("--queue needs 1 to %u bytes, such as 64 or 4k, not '%s'", UINT32_MAX, value);
	return false;
}

/* A decimal number of bits, above 0, with up to three places after the point. */
static bool parse_drain(void *queue, const struct option_row *r, char *text)
{
	struct queue_options *q = queue;
	uint32_t bits = 0, scale = 0;
	const char *at = text;

	(void)r;
	for (; *at && bits <= UINT32_MAX / 10 - 1 && scale < 10000; at++) {
		if (*at == '.' && !scale)
			scale = 1;
		else if (*at >= '0' && *at <= '9')
			bits = 10 * bits + (uint32_t)(*at - '0');
		else
			break;
		scale *= *at == '.' ? 1 : 10;
	}
	if (*at || !bits || *text == '.' || scale > 1000) {
		complain("--drain needs bits in a cycle, such as 4 or 0.5, not '%s'", text);
		return false;
	}
	q->drain_given = true;
	q->drain_bits = bits;
	q->drain_cycles = scale ? scale : 1;
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct hs_encode_change *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* CYCLE:NAME=VALUE */
static bool parse_change(void *queue, const struct option_row *r, char *text)
{
	struct queue_options *q = queue;
	struct hs_encode_change *c = &q->changes[q->change_count];
	char *end = text;

	if (q->change_count == SETTINGS_MAX) {
		complain("%s may be given at most %d times", r->name, SETTINGS_MAX);
		return false;
	}
	errno = 0;
	c->at = strtoull(text, &end, 0);
	if (*text < '0' || *text > '9' || *end != ':' || errno) {
		complain("%s needs CYCLE:NAME=VALUE, not '%s'", r->name, text);
		return false;
	}
	if (!setting_cut(r->name, end + 1, &c->setting))
		return false;
	qsort(q->changes, ++q->change_count, sizeof(*q->changes), by_time);
	return true;
}

/* clang-format off */
const struct option_row options_queue[] = {
	{ "--queue", 0, "BYTES",
	  "of each hart a queue of so many bytes between encoder and port: where messages do "
	  "not fit, they are lost (needs --drain)", PARSED(parse_queue) },
	{ "--drain", 0, "BITS",
	  "bits that leave the queue in a cycle, such as 4 or 0.5; a cycle is a unit of the "
	  "recording's times, or without times that of --cycles-per", PARSED(parse_drain) },
	{ "--stall", 0, NULL,
	  "a full queue stalls the hart: nothing is lost", AS_FLAG(struct queue_options, stall) },
	{ "--options-at", 0, "CYCLE:NAME=VALUE",
	  "etrace: an option that changes while the encoder traces, such as "
	  "5000:full-address=true; may be given several times", PARSED(parse_change) },
	{ .name = NULL }
};
/* clang-format on */
