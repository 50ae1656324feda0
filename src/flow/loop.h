/* The loop of a decoder, of any protocol: read a message, find its source, follow it; after a
 * fault, write the gaps and return (design/codec).
 *
 * It is included once the protocol has defined DECODER and SOURCE, its types; DECODE_ROOM and
 * STEP_ROOM, items that a call and a step may write; and these functions:
 *
 *   read_message(d, in, out)          make the source of the next message, after those that are
 *                                     remembered, the current one; HS_OK also where none could be
 *                                     read, HS_MORE: the input is used up
 *   follow_message(d, s, out)         follow the current message; HS_OK, or HS_FULL: call again
 *   write_gap(d, s, current, out)     the source lost synchronisation, by this message or not
 *   resume(d, s)                      all gaps are written; s: the source of the message, or NULL
 *   close_source(d, s, out)           the stream is over; false: there is no room
 *   end_stream(d)                     all is written: what is wrong at the end
 *
 * What is wrong with a message they record.  WITHOUT_MEMO: the decoder remembers no messages.
 */
#ifndef HS_FLOW_LOOP_H
#define HS_FLOW_LOOP_H

#include "flow/stream.h"

/* Write the gap of each source that lost synchronisation, then return the fault. */
static enum hs_status end_fault(DECODER *d, struct flow_out *out)
{
	const size_t current = d->stream.current;

	for (size_t i; i = stream_find_losing(&d->stream), i < d->stream.count;) {
		if (out->end - out->p < STEP_ROOM)
			return HS_FULL;
		write_gap(d, &d->sources[i], i == current, out);
	}
	const enum hs_status status = stream_end_fault(&d->stream);

	resume(d, current < d->stream.count ? &d->sources[current] : NULL);
	return status;
}

static enum hs_status run_source(DECODER *d, SOURCE *s, struct flow_out *out)
{
	if (out->end - out->p < STEP_ROOM)
		return HS_FULL;
	stream_put_hart(&d->stream, &s->track, out);
	return follow_message(d, s, out);
}

static enum hs_status run(DECODER *d, struct hs_span *in, struct flow_out *out)
{
	enum hs_status status = HS_OK;

	while (status == HS_OK) {
		if (d->stream.fault != HS_OK)
			status = end_fault(d, out);
		else if (stream_busy(&d->stream))
			status = run_source(d, &d->sources[d->stream.current], out);
		else
			status = read_message(d, in, out);
	}
	return status;
}

/* Write what is open of each source; false when the output is full before that. */
static bool close_sources(DECODER *d, struct flow_out *out)
{
	for (size_t i = 0; i < d->stream.count; i++)
		if (stream_is_followed(&d->sources[i].track) &&
		    !close_source(d, &d->sources[i], out))
			return false;
	return true;
}

/* A call of the decoder.  @in NULL: the stream is over; what is left of a message is followed. */
static enum hs_status decode(DECODER *d, struct hs_span *in, struct hs_block *out, size_t cap,
                             size_t *n)
{
	struct hs_span none = { d->reader.buffer, 0 };
	struct flow_out items = { out, out + cap };

	*n = 0;
	if (cap < DECODE_ROOM)
		return HS_E_SPACE;
	stream_begin_call(&d->stream, &items);
#ifndef WITHOUT_MEMO
	d->pending.from = NULL;
	d->pending.seen = out;
#endif
	const enum hs_status status = run(d, in ? in : &none, &items);
	const bool ends = !in && status == HS_MORE, closed = ends && close_sources(d, &items);

#ifndef WITHOUT_MEMO
	if (d->recall)
		d->recall(d, NULL, &items);
#endif
	*n = (size_t)(items.p - out);
	if (!ends)
		return status;
	return closed ? end_stream(d) : HS_FULL;
}

#endif
