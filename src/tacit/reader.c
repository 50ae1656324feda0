/* Bytes to messages, and to the next synchronisation after damage. */
#include "tacit/tacit_reader.h"

#include "core/mem.h"

static void advance(struct tacit_reader *r, struct hs_span *in, size_t n)
{
	in->p += n;
	in->n -= n;
	r->offset += n;
}

/* Among bytes of which it is not known where messages begin, may this be one?  A synchronisation
 * comes from no mode, and CONFIG has a mode that is defined. */
static bool is_plausible(const struct tacit_msg *m)
{
	const unsigned mode = (unsigned)TACIT_GET(m, CONFIG) & 3u;

	return tacit_synchronises(m->code) && tacit_prv_from(m) == 0 &&
	       (!TACIT_HAS(m, CONFIG) || mode == TACIT_MODE_TARGET || mode == TACIT_MODE_PREDICT);
}

/* The bytes of a message as what they are while branches are predicted. */
static void name_predicted(struct tacit_msg *m)
{
	if (m->code == TACIT_NOT_TAKEN)
		m->code = TACIT_MISS;
	if (m->code != TACIT_TAKEN)
		return;
	m->code = TACIT_HITS;
	m->present = 1u << TACIT_F_COUNT;
	m->field[TACIT_F_COUNT] = m->field[TACIT_F_DELTA];
	m->at[TACIT_F_COUNT] = m->at[TACIT_F_DELTA];
	m->size[TACIT_F_COUNT] = m->size[TACIT_F_DELTA];
}

static enum hs_status parse(struct tacit_reader *r, const uint8_t *p, size_t n, struct tacit_msg *m)
{
	const enum hs_status s = tacit_parse(p, n, m);

	if (s != HS_OK)
		return s;
	if (r->skipping && !is_plausible(m))
		return HS_E_FIELD;
	r->skipping = false;
	if (m->code == TACIT_START || m->code == TACIT_PERIODIC)
		r->predicts = (TACIT_GET(m, CONFIG) & 3u) == TACIT_MODE_PREDICT;
	else if (r->predicts)
		name_predicted(m);
	return HS_OK;
}

/* May a message that synchronises begin with the byte? */
static bool is_candidate(uint8_t byte)
{
	return (byte & 3u) == 2 && tacit_synchronises(tacit_first(byte));
}

/* What is held is no message: keep it from where one may begin. */
static void drop(struct tacit_reader *r)
{
	unsigned n = 1;

	while (n < r->held && !is_candidate(r->buffer[n]))
		n++;
	r->held = (uint8_t)(r->held - n);
	r->start += n;
	memmove(r->buffer, r->buffer + n, r->held);
}

/* A message that begins with what is held, which takes bytes until it is known what it is. */
static enum hs_status collect(struct tacit_reader *r, struct hs_span *in, struct tacit_msg *m)
{
	enum hs_status s = parse(r, r->buffer, r->held, m);

	for (; s == HS_MORE && in->n; s = parse(r, r->buffer, r->held, m)) {
		r->buffer[r->held++] = *in->p;
		advance(r, in, 1);
	}
	m->offset = r->start;
	if (s == HS_OK) {
		r->held = (uint8_t)(r->held - m->length);
		r->start += m->length;
		memmove(r->buffer, r->buffer + m->length, r->held);
	} else if (s == HS_E_FIELD) {
		drop(r);
	}
	return s;
}

static void skip(struct tacit_reader *r, struct hs_span *in)
{
	while (r->skipping && in->n && !is_candidate(*in->p))
		advance(r, in, 1);
}

/* A message that begins with the input. */
static enum hs_status take_message(struct tacit_reader *r, struct hs_span *in, struct tacit_msg *m)
{
	r->start = r->offset;
	const enum hs_status s = parse(r, in->p, in->n, m);

	m->offset = r->start;
	if (s == HS_OK) {
		advance(r, in, m->length);
	} else if (s == HS_MORE) {
		r->held = (uint8_t)in->n;
		memcpy(r->buffer, in->p, in->n);
		advance(r, in, in->n);
	} else {
		advance(r, in, 1);
	}
	return s;
}

enum hs_status tacit_read(struct tacit_reader *r, struct hs_span *in, struct tacit_msg *m)
{
	for (;;) {
		if (!r->held)
			skip(r, in);
		if (!r->held && in->n == 0)
			return HS_MORE;
		const enum hs_status s = r->held ? collect(r, in, m) : take_message(r, in, m);

		if (s != HS_E_FIELD)
			return s;
		const bool known = r->skipping;

		r->skipping = true;
		if (!known)
			return s;
	}
}

enum hs_status tacit_reader_end(const struct tacit_reader *r)
{
	return r->held && !r->skipping ? HS_E_TRUNCATED : HS_OK;
}
