/* Packets with an index (design/captures): a byte of length, 16 bits that count packets, the
 * payload.
 *
 * A length that is wrong leads to bytes that are no header, or whose index is far from the one
 * expected.  Then a place counts as the begin of a packet when the index after its own follows. */
#include "etrace/payload.h"

#include "core/mem.h"

/* What the bytes in the buffer are. */
enum look { LOOK_MORE, LOOK_NULL, LOOK_PACKET, LOOK_NONE };

/* A length with the three bytes before the payload, and 3 bits of 0. */
bool et_indexed_begins(unsigned byte)
{
	return byte > ET_INDEXED_BYTES && byte <= HS_ET_PAYLOAD_MAX;
}

static uint16_t index_at(const uint8_t *packet)
{
	return (uint16_t)(packet[1] | packet[2] << 8);
}

/* Is @index the one that is expected, or a few packets later? */
static bool is_near(uint16_t index, uint16_t expected)
{
	return (uint16_t)(index - expected) < 64;
}

#define ZEROS_MAX 64u

/* Does the packet after the first one say that both are packets?  An anchor may be between them.
 * Only the next index does: of bytes that are no packets, one pair of a thousand is near. */
static enum look look_after(const struct hs_et_reader *r)
{
	const uint8_t *first = r->buffer;
	const unsigned end = first[0];
	unsigned at = end;

	while (at < r->held && first[at] == 0 && at < end + ZEROS_MAX)
		at++;
	if (at == end + ZEROS_MAX) /* the end of what was written */
		return r->known && is_near(index_at(first), r->next) ? LOOK_PACKET : LOOK_NONE;
	if (at >= r->held)
		return r->ending && !r->hunting && r->held >= end ? LOOK_PACKET : LOOK_MORE;
	if (!et_indexed_begins(first[at]) || (at > end && at - end < r->config.anchor_bytes))
		return LOOK_NONE;
	if (r->held < at + ET_INDEXED_BYTES)
		return LOOK_MORE;
	return index_at(first + at) == (uint16_t)(index_at(first) + 1) ? LOOK_PACKET : LOOK_NONE;
}

static enum look look(const struct hs_et_reader *r)
{
	const uint8_t *b = r->buffer;

	if (r->held == 0)
		return LOOK_MORE;
	if (!et_indexed_begins(b[0]))
		return b[0] ? LOOK_NONE : LOOK_NULL;
	if (r->held < ET_INDEXED_BYTES)
		return LOOK_MORE;
	if (!r->hunting && (!r->known || is_near(index_at(b), r->next)))
		return r->held < b[0] ? LOOK_MORE : LOOK_PACKET;
	return look_after(r);
}

/* The first @n bytes of the buffer are done with. */
static void drop(struct hs_et_reader *r, unsigned n)
{
	r->held = (uint16_t)(r->held - n);
	memmove(r->buffer, r->buffer + n, r->held);
}

static enum hs_status take_packet(struct hs_et_reader *r, struct hs_et_packet *p)
{
	const uint16_t index = index_at(r->buffer);
	const unsigned n = r->buffer[0];
	const enum hs_status s = et_read_whole(r, r->buffer, n, sizeof r->buffer, p);

	p->has_index = true;
	p->index = index;
	p->gap = r->hunting || (r->known && index != r->next);
	r->next = (uint16_t)(index + 1);
	r->known = true;
	r->hunting = false;
	drop(r, n);
	return s;
}

/* The first byte begins no packet: the search begins. */
static enum hs_status refuse(struct hs_et_reader *r, struct hs_et_packet *p)
{
	memset(p, 0, sizeof *p);
	p->offset = r->start;
	p->length = 1;
	p->form = HS_ET_FORM_OTHER;
	r->hunting = true;
	drop(r, 1);
	return HS_E_FIELD;
}

static void push(struct hs_et_reader *r, struct hs_span *in)
{
	r->buffer[r->held++] = *in->p++;
	in->n--;
	r->offset++;
}

enum hs_status et_read_indexed(struct hs_et_reader *r, struct hs_span *in, struct hs_et_packet *p)
{
	for (;;) {
		const enum look found = look(r);

		r->start = r->offset - r->held;
		if (found == LOOK_PACKET)
			return take_packet(r, p);
		if (found == LOOK_NONE && !r->hunting)
			return refuse(r, p);
		if (found == LOOK_MORE && !in->n)
			return HS_MORE;
		r->nulls += found == LOOK_NULL;
		if (found == LOOK_MORE)
			push(r, in);
		else
			drop(r, 1);
	}
}
