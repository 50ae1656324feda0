/* CoreSight frames to bytes with their sources, and back (design/captures).
 *
 * A frame has 16 bytes.  An even byte with bit 0 set names the ID of the bytes after it; else it
 * is data without its bit 0.  Byte 15 has a bit for each even byte: bit 0 of that data, or, with
 * an ID, whether the odd byte next to it still belongs to the ID before.  Example: 03 aa names ID
 * 1, and if bit 0 of byte 15 is 0, aa is the first byte of ID 1.
 *
 * Invariant: before the first ID the source is unknown; after a fault it is unknown again.
 */
#include <hartscope/transport.h>

#include "core/mem.h"
#include "transport/frames.h"
#include "transport/transport.h"

#define UNKNOWN 0xffu
#define SYNC_FILL 0xffffu /* the first half of a full synchronisation */
#define SYNC_HALF 0x7fffu
#define FRAMES_A_NAME 10 /* the ID is named again, for readers that lost a frame */

/* ---- reading ---------------------------------------------------------------------- */

void hs_frame_reader_init(struct hs_frame_reader *r, bool aligned)
{
	memset(r, 0, sizeof *r);
	r->aligned = aligned;
	r->hunting = !aligned;
	r->id = UNKNOWN;
}

static bool is_good(unsigned id)
{
	return id <= HS_FRAME_SOURCE_MAX || id == HS_FRAME_TRIGGER;
}

static bool ids_good(const uint8_t *frame)
{
	for (unsigned i = 0; i < 16; i += 2)
		if (i < 15 && frame[i] & 1 && !is_good(frame[i] >> 1))
			return false;
	return true;
}

static void add(struct hs_frame *out, unsigned id, unsigned byte)
{
	if (id == HS_FRAME_NULL)
		return;
	out->id[out->n] = (uint8_t)id;
	out->byte[out->n++] = (uint8_t)byte;
}

/* The frame is whole and its IDs are good. */
static void take_frame(struct hs_frame_reader *r, struct hs_frame *out)
{
	const uint8_t *f = r->bytes;

	for (unsigned i = 0; i < 16; i += 2) {
		const unsigned bit = f[15] >> (i / 2) & 1u, old = r->id;
		const bool named = f[i] & 1;

		if (named)
			r->id = f[i] >> 1;
		else
			add(out, r->id, (f[i] & 0xfeu) | bit);
		if (i < 14)
			add(out, named && bit ? old : r->id, f[i + 1]);
	}
	r->frames++;
	r->held = 0;
}

/* No frame can be here. */
static enum hs_status lose(struct hs_frame_reader *r)
{
	r->losses++;
	r->skipped += r->held;
	r->held = 0;
	r->id = UNKNOWN;
	r->hunting = !r->aligned;
	r->half = false;
	return HS_E_FRAMING;
}

/* Wait for ff ff ff 7f, byte by byte. */
static void hunt(struct hs_frame_reader *r, uint8_t byte)
{
	r->skipped++;
	if (byte == 0x7f && r->held >= 3) {
		r->hunting = false;
		r->skipped -= 4;
		r->syncs++;
		r->held = 0;
	} else {
		r->held = byte != 0xff ? 0 : (uint8_t)(r->held + (r->held < 3));
	}
}

/* Two bytes at an even place are there.  False: they are a synchronisation, or no part of a frame;
 * *status says so. */
static bool is_data(struct hs_frame_reader *r, enum hs_status *status)
{
	const unsigned pair = r->bytes[r->held - 2] | (unsigned)r->bytes[r->held - 1] << 8;
	const bool was_half = r->half;

	r->half = pair == SYNC_FILL;
	if (pair != SYNC_FILL && pair != SYNC_HALF && !was_half)
		return true;
	r->held = (uint8_t)(r->held - 2);
	if (pair == SYNC_FILL && !was_half)
		return false;
	if (pair != SYNC_HALF || (was_half && r->held)) {
		r->skipped += 2;
		*status = lose(r);
		r->hunting = pair != SYNC_HALF; /* a full synchronisation within a frame */
	} else {
		r->syncs++;
	}
	return false;
}

enum hs_status hs_frame_read(struct hs_frame_reader *r, struct hs_span *in, struct hs_frame *out)
{
	enum hs_status status = HS_OK;

	while (in->n && status == HS_OK) {
		const uint8_t byte = *in->p++;

		in->n--;
		r->offset++;
		if (r->hunting) {
			hunt(r, byte);
			continue;
		}
		r->bytes[r->held++] = byte;
		if (r->held % 2 || (!r->aligned && !is_data(r, &status)) || r->held < 16)
			continue;
		if (!ids_good(r->bytes))
			return lose(r);
		memset(out, 0, sizeof *out);
		out->offset = r->offset - 16;
		take_frame(r, out);
		return HS_OK;
	}
	return status == HS_OK ? HS_MORE : status;
}

/* ---- writing ---------------------------------------------------------------------- */

void hs_frame_writer_init(struct hs_frame_writer *w, unsigned every)
{
	memset(w, 0, sizeof *w);
	w->every = (uint8_t)every;
	w->id = UNKNOWN;
}

/* The frame is full. */
static size_t send(struct hs_frame_writer *w, uint8_t *out)
{
	static const uint8_t sync[4] = { 0xff, 0xff, 0xff, 0x7f };
	size_t n = 0;

	if (w->every && w->count == 0) {
		memcpy(out, sync, sizeof sync);
		n = sizeof sync;
	}
	w->count = w->count + 1 == w->every || !w->every ? 0 : w->count + 1;
	memcpy(out + n, w->bytes, 16);
	memset(w->bytes, 0, 16);
	w->at = 0;
	if (++w->named == FRAMES_A_NAME) {
		w->named = 0;
		w->id = UNKNOWN;
	}
	return n + 16;
}

/* An even byte and the odd one after it; @bit: that of the even one. */
static size_t put_pair(struct hs_frame_writer *w, unsigned even, unsigned bit, unsigned odd,
                       uint8_t *out)
{
	w->bytes[w->at] = (uint8_t)even;
	w->bytes[15] |= (uint8_t)(bit << w->at / 2);
	if (w->at < 14)
		w->bytes[w->at + 1] = (uint8_t)odd;
	w->at = (uint8_t)(w->at + 2);
	return w->at == 16 ? send(w, out) : 0;
}

static unsigned name(unsigned id)
{
	return id << 1 | 1;
}

/* An even place waits for the byte after it, which may be another source's. */
size_t hs_frame_put(struct hs_frame_writer *w, uint8_t id, uint8_t byte, uint8_t *out)
{
	const bool held = w->held, same = id == w->id;
	const unsigned before = w->byte;
	size_t n;

	w->held = 0;
	w->id = id;
	if (held) {
		n = same ? put_pair(w, before & 0xfe, before & 1, byte, out)
		         : put_pair(w, name(id), 1, before, out);
		w->held = !same;
	} else if (w->at == 14) { /* no odd byte after it */
		n = same ? put_pair(w, byte & 0xfeu, byte & 1u, 0, out)
		         : put_pair(w, name(id), 0, 0, out);
		w->held = !same;
	} else {
		n = same ? 0 : put_pair(w, name(id), 0, byte, out);
		w->held = same;
	}
	w->byte = byte;
	if (w->held && w->at == 14) {
		n += put_pair(w, byte & 0xfeu, byte & 1u, 0, out + n);
		w->held = 0;
	}
	return n;
}

size_t hs_frame_flush(struct hs_frame_writer *w, uint8_t *out)
{
	size_t n = 0;

	while ((w->at || w->held) && !n)
		n = hs_frame_put(w, HS_FRAME_NULL, 0, out);
	w->held = 0;
	return n;
}
