/* Sources: the items of a trace, one piece of its bytes after the other. */
#include <string.h>

#include "source/private.h"

void source_count_items(struct source_trace *t, const struct hs_block *items, size_t n,
                        enum hs_status status)
{
	for (size_t i = 0; i < n && !t->begun; i++)
		t->begun = source_begins(&items[i]);
	t->items += n + (hs_status_get_class(status) >= HS_CLASS_CALLER);
}

/* Is nothing of a trace known?  Of a part of it, or of a buffer, gaps are enough. */
static bool is_nothing(const struct source_trace *t)
{
	return !t->items || !(t->begun || t->slice || t->in.perf || t->parts);
}

enum hs_status source_nothing_read(const struct source_trace *t, struct hs_error *error)
{
	struct hs_capture_report report = { .kind = NULL };

	if (t->in.capture)
		hs_capture_get_report(t->in.capture, &report);
	if (report.kind && report.kind->certain) /* of a pipe: that was the error before */
		return HS_END;
	if (!t->in.bytes && t->transport && strcmp(t->transport, "raw") != 0)
		return hs_error_set(error, HS_E_FORMAT, "%s: no byte of a trace is in it as %s%s",
		                    t->in.name, t->transport,
		                    hs_transport_frames(t->transport)
		                            ? " of this source: 'hartscope dump' shows all sources"
		                            : ": it may be of another transport (--transport)");
	if (!t->in.bytes)
		return hs_error_set(error, HS_E_FORMAT, "%s is empty: it holds no trace",
		                    t->in.name);
	return hs_error_set(
		error, HS_E_FORMAT,
		"%s: no message synchronises in %llu bytes: nothing can be decoded%s%s"
		"%s%s",
		t->in.name, (unsigned long long)t->in.bytes, report.kind ? "; it looks like " : "",
		report.kind ? report.kind->what : "", report.kind ? ": " : "; ",
		report.kind ? report.kind->hint
			    : "it may be of another protocol, transport or SRC (--protocol, "
			      "--transport, --set trTeSrcBits; 'hartscope identify' tries them)");
}

static enum hs_status finish(struct source_trace *t, struct hs_block *out, size_t cap, size_t *n,
                             struct hs_error *error)
{
	if (t->ended)
		return HS_END;
	const enum hs_status status = source_decode_end(t, out, cap, n);

	source_count_items(t, out, *n, HS_OK);
	if (status == HS_FULL)
		return HS_OK;
	if (status != HS_OK) {
		source_set_fault(t, status, error);
		return status;
	}
	t->ended = true;
	if (t->counted.memo)
		hs_memo_flush(t->counted.memo);
	return is_nothing(t) ? source_nothing_read(t, error) : HS_OK;
}

/* Bytes that may be decoded at once: one where each message must be seen on its own, and none past
 * a stop, at which all items of the bytes before it are taken first. */
static size_t next_piece(const struct source_trace *t)
{
	const uint64_t at = t->in.bytes - t->in.left.n;
	uint64_t n = t->in.left.n;

	if (n < 2 || t->code.adrift || (t->cut.by_byte && at >= t->cut.by_byte_from))
		return n ? 1 : 0;
	if (t->cut.by_byte && t->cut.by_byte_from - at < n)
		n = t->cut.by_byte_from - at;
	for (unsigned i = 0; i < 2; i++)
		if ((t->cut.stops[i] > at || (t->full && t->cut.stops[i] == at)) &&
		    t->cut.stops[i] - at < n)
			n = t->cut.stops[i] - at;
	return (size_t)n;
}

static enum hs_status decode_left(struct source_trace *t, struct hs_block *out, size_t cap,
                                  size_t *n)
{
	struct hs_span piece = { t->in.left.p, next_piece(t) };
	const enum hs_status status = source_decode_bytes(t, &piece, out, cap, n);

	t->in.left.n -= (size_t)(piece.p - t->in.left.p);
	t->in.left.p = piece.p;
	return status;
}

/* Must a decoder know of bytes that are missing?  Where pins lost alignment and messages
 * end by MSEO, the bytes say so. */
bool source_is_lost(const struct source_trace *t, enum hs_status status)
{
	return status == HS_E_LOST ||
	       (status == HS_E_FRAMING && t->protocol->codec->end != CODEC_END_MSEO);
}

static enum hs_status decode_items(struct source_trace *t, struct hs_block *out, size_t cap,
                                   size_t *n, struct hs_error *error)
{
	*n = 0;
	t->diag.reason = HS_REASON_NONE;
	if (!t->in.left.n && !t->in.eof && !t->full) {
		const enum hs_status status = source_refill(t, error);

		if (source_is_lost(t, status))
			source_decode_lose(t);
		if (status != HS_OK)
			return status;
	}
	if (!t->in.left.n && !t->full)
		return finish(t, out, cap, n, error);
	const enum hs_status status = decode_left(t, out, cap, n);

	t->full = status == HS_FULL; /* one message may give more blocks than fit into @out */
	source_count_items(t, out, *n, status);
	if (status == HS_OK || status == HS_MORE || status == HS_FULL)
		return HS_OK;
	source_set_fault(t, status, error);
	return status;
}

enum hs_status source_decode(struct source_trace *t, struct hs_block *out, size_t cap, size_t *n,
                             struct hs_error *error)
{
	if (!t->in.perf && !t->parts)
		return decode_items(t, out, cap, n, error);
	const enum hs_status status = decode_items(t, out + 1, cap - 1, n, error);

	*n = t->in.perf ? source_name_harts(t->in.perf, out, *n) : source_name_part(t, out, *n);
	if (t->diag.reason != HS_REASON_NONE && error && t->in.perf)
		source_name_buffer(t->in.perf, error);
	if (t->parts && error && status != HS_OK && status != HS_END)
		source_name_part_error(t, error);
	return status;
}
