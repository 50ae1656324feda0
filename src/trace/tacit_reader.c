/* TACIT's reader of messages, for its row in the table of protocols. */
#include <stdlib.h>
#include <string.h>

#include "trace/memory.h"
#include "trace/tacit.h"

struct reader {
	struct hs_reader common;
	struct tacit_reader tacit;
	struct tacit_msg last;
};

static enum hs_status open_reader(void **self, const struct hs_protocol *p, const void *config,
                                  const struct hs_image *image, const struct hs_image_set *set)
{
	struct reader *r = calloc(1, sizeof(*r));

	(void)config;
	(void)image;
	(void)set;
	if (!r)
		return HS_E_MEMORY;
	r->common.self = (struct codec_self){ &protocol_tacit_reader, p };
	*self = r;
	return HS_OK;
}

static size_t size_of(const void *reader)
{
	(void)reader;
	return sizeof(struct tacit_reader);
}

static void save(const void *reader, void *state)
{
	*(struct tacit_reader *)state = ((const struct reader *)reader)->tacit;
}

static void restore(void *reader, const void *state)
{
	((struct reader *)reader)->tacit = *(const struct tacit_reader *)state;
}

/* What branches are called is known from before. */
static void begin(void *reader, const void *state, uint64_t offset)
{
	const struct tacit_reader *before = state;

	((struct reader *)reader)->tacit = (struct tacit_reader){
		.offset = offset, .start = offset, .predicts = before && before->predicts
	};
}

/* Readers that both stand between two messages are alike, where they call branches the same. */
static bool is_alike(const void *reader, const void *other, const void *state, uint64_t source)
{
	const struct tacit_reader *a = &((const struct reader *)reader)->tacit, *b = state;

	(void)other;
	(void)source;
	return !a->held && !b->held && !a->skipping && !b->skipping && a->predicts == b->predicts;
}

static void advance(void *reader, const void *other, const void *join, const void *end)
{
	(void)other;
	(void)join;
	restore(reader, end);
}

/* ---- messages ------------------------------------------------------------------------ */

void protocol_tacit_describe(const struct tacit_msg *msg, struct hs_message *m)
{
	*m = (struct hs_message){ .offset = msg->offset,
		                  .length = msg->length,
		                  .code = msg->code,
		                  .name = tacit_msg_name(msg->code),
		                  .clause = tacit_msg_clause(msg->code) };
	for (unsigned f = 0; f < TACIT_FIELDS; f++)
		if (msg->length && msg->present >> f & 1u)
			protocol_add_field(m, tacit_field_name(f), tacit_field_clause(f),
			                   msg->field[f], tacit_field_is_address(f));
}

static enum hs_status next(void *reader, struct hs_span *in, struct codec_out *out)
{
	struct reader *r = reader;
	const enum hs_status s = tacit_read(&r->tacit, in, &r->last);

	if (s == HS_MORE)
		return s;
	if (s != HS_OK)
		r->last.length = 0;
	protocol_tacit_describe(&r->last, out->message);
	return s;
}

static enum hs_status end(void *reader, struct codec_out *out)
{
	const struct tacit_reader *r = &((const struct reader *)reader)->tacit;

	out->message->offset = r->start;
	return tacit_reader_end(r);
}

/* The only field of a message in the short form is in bits 7:2 of its byte. */
void protocol_tacit_where(const struct hs_reader *reader, struct hs_message *m)
{
	const struct tacit_msg *last = &((const struct reader *)(const void *)reader)->last;
	unsigned k = 0;

	for (unsigned f = 0; f < TACIT_FIELDS && k < m->count; f++)
		if (last->present >> f & 1u)
			m->field[k++].bits =
				last->size[f] ? (struct hs_bits){ (uint16_t)(8u * last->at[f]),
				                                  (uint16_t)(8u * last->size[f]) }
					      : (struct hs_bits){ 2, 6 };
}

const struct codec_machine protocol_tacit_reader = {
	.open = open_reader,
	.close = free,
	.size = size_of,
	.save = save,
	.restore = restore,
	.begin = begin,
	.alike = is_alike,
	.advance = advance,
	.next = next,
	.end = end,
};
