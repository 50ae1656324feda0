/* Sources: the messages of a trace, one by one. */
#include <string.h>

#include "source/private.h"

static enum hs_status damage_at(uint64_t offset, enum hs_status status, struct hs_error *error)
{
	return hs_error_set(error, status, "offset 0x%llx: %s", (unsigned long long)offset,
	                    hs_status_text(status));
}

/* Keep the last bytes that the reader was given: messages lie across pieces, and some readers look
 * ahead. */
static void keep_bytes(struct source_recent *k, const uint8_t *p, size_t n)
{
	const size_t skip = n > SOURCE_RECENT ? n - SOURCE_RECENT : 0;

	k->end += skip;
	for (size_t i = skip; i < n; i++)
		k->bytes[k->end++ % SOURCE_RECENT] = p[i];
}

static bool begin_reader(struct source_trace *t)
{
	t->messages.recent.end = 0;
	return hs_reader_new(&t->messages.reader, t->protocol, t->config) == HS_OK;
}

static enum hs_status read_message(struct source_trace *t, struct hs_message *m)
{
	const struct hs_span before = t->in.left;
	const enum hs_status status = hs_reader_next(t->messages.reader, &t->in.left, m);

	keep_bytes(&t->messages.recent, before.p, before.n - t->in.left.n);
	return status;
}

/* The bytes of a message, and where its fields are in them. */
static void find_bytes(struct source_trace *t, struct hs_message *m)
{
	struct source_recent *k = &t->messages.recent;

	if (m->length > sizeof(k->message) || m->offset + m->length > k->end ||
	    k->end - m->offset > SOURCE_RECENT)
		return;
	for (uint32_t i = 0; i < m->length; i++)
		k->message[i] = k->bytes[(m->offset + i) % SOURCE_RECENT];
	m->bytes = k->message;
	t->protocol->codec->where(t->messages.reader, m);
}

static enum hs_status end_messages(struct source_trace *t, struct hs_error *error)
{
	uint64_t offset = 0;

	if (t->ended)
		return source_go_on(t, error);
	t->ended = true;
	const enum hs_status status = reader_end(t->messages.reader, &offset);

	if (!t->in.bytes)
		return source_nothing_read(t, error);
	return status == HS_OK ? source_go_on(t, error)
	                       : damage_at(t->messages.reader_base + offset, status, error);
}

/* A message that was cut is dropped. */
static void lose_reader(struct source_trace *t)
{
	hs_reader_free(t->messages.reader);
	t->messages.reader = NULL;
	t->messages.reader_base = t->in.perf ? t->in.perf->given : t->in.bytes;
}

enum hs_status hs_source_message(struct hs_source *s, struct hs_message *m, struct hs_error *error)
{
	struct source_trace *t = &s->trace;
	enum hs_status status = HS_OK;

	if (s->kind != SOURCE_TRACE)
		return hs_error_set(error, HS_END, "not a trace");
	do {
		if (!t->messages.reader && !begin_reader(t))
			return source_no_memory(s, error);
		if (!t->in.left.n && !t->in.eof) {
			status = source_refill(t, error);
			if (status == HS_E_LOST)
				lose_reader(t);
			if (status != HS_OK)
				return status;
		}
		status = t->in.left.n ? read_message(t, m) : HS_MORE;
		if (status == HS_MORE && t->in.eof && !t->in.left.n) {
			status = end_messages(t, error);
			if (status != HS_OK)
				return status;
			status = HS_MORE;
		}
	} while (status == HS_MORE);
	if (status == HS_OK)
		find_bytes(t, m);
	m->offset += t->messages.reader_base;
	return status == HS_OK ? HS_OK : damage_at(m->offset, status, error);
}
