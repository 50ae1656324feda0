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
	return !t->items || !(t->begun || t->slice || t->perf || t->parts);
}

enum hs_status source_nothing_read(const struct source_trace *t, struct hs_error *error)
{
	struct hs_capture_report report = { .kind = NULL };

	if (t->capture)
		hs_capture_get_report(t->capture, &report);
	if (report.kind && report.kind->certain) /* of a pipe: that was the error before */
		return HS_END;
	if (!t->bytes && t->transport && strcmp(t->transport, "raw") != 0)
		return hs_error_set(error, HS_E_FORMAT, "%s: no byte of a trace is in it as %s%s",
		                    t->name, t->transport,
		                    hs_transport_frames(t->transport)
		                            ? " of this source: 'hartscope dump' shows all sources"
		                            : ": it may be of another transport (--transport)");
	if (!t->bytes)
		return hs_error_set(error, HS_E_FORMAT, "%s is empty: it holds no trace", t->name);
	return hs_error_set(
		error, HS_E_FORMAT,
		"%s: no message synchronises in %llu bytes: nothing can be decoded%s%s"
		"%s%s",
		t->name, (unsigned long long)t->bytes, report.kind ? "; it looks like " : "",
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
	if (t->memo)
		hs_memo_flush(t->memo);
	return is_nothing(t) ? source_nothing_read(t, error) : HS_OK;
}

/* Bytes that may be decoded at once: one where each message must be seen on its own, and none past
 * a stop. */
static size_t next_piece(const struct source_trace *t)
{
	const uint64_t at = t->bytes - t->left.n;
	uint64_t n = t->left.n;

	if (n < 2 || t->adrift || (t->by_byte && at >= t->by_byte_from))
		return n ? 1 : 0;
	if (t->by_byte && t->by_byte_from - at < n)
		n = t->by_byte_from - at;
	for (unsigned i = 0; i < 2; i++)
		if (t->stops[i] > at && t->stops[i] - at < n)
			n = t->stops[i] - at;
	return (size_t)n;
}

static enum hs_status decode_left(struct source_trace *t, struct hs_block *out, size_t cap,
                                  size_t *n)
{
	struct hs_span piece = { t->left.p, next_piece(t) };
	const enum hs_status status = source_decode_bytes(t, &piece, out, cap, n);

	t->left.n -= (size_t)(piece.p - t->left.p);
	t->left.p = piece.p;
	return status;
}

/* Must a decoder know of bytes that are missing?  Where pins lost alignment and messages
 * end by MSEO, the bytes say so. */
bool source_is_lost(const struct source_trace *t, enum hs_status status)
{
	return status == HS_E_LOST || (status == HS_E_FRAMING && t->protocol->codec->find_ring);
}

static enum hs_status decode_items(struct source_trace *t, struct hs_block *out, size_t cap,
                                   size_t *n, struct hs_error *error)
{
	*n = 0;
	t->reason = HS_REASON_NONE;
	if (!t->left.n && !t->eof && !t->full) {
		const enum hs_status status = source_refill(t, error);

		if (source_is_lost(t, status))
			source_decode_lose(t);
		if (status != HS_OK)
			return status;
	}
	if (!t->left.n && !t->full)
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
	if (!t->perf && !t->parts)
		return decode_items(t, out, cap, n, error);
	const enum hs_status status = decode_items(t, out + 1, cap - 1, n, error);

	*n = t->perf ? source_name_harts(t->perf, out, *n) : source_name_part(t, out, *n);
	if (t->reason != HS_REASON_NONE && error && t->perf)
		source_name_buffer(t->perf, error);
	if (t->parts && error && status != HS_OK && status != HS_END)
		source_name_part_error(t, error);
	return status;
}
