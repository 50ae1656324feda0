/* Another encoder's bytes against those of the model. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

typedef unsigned long long ull;

#define KEPT 65536 /* bytes that are equal and still there */

/* ---- text ---- */

struct text {
	char *at;
	size_t n, size;
};

static void print(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (t->n < t->size)
		t->n += (size_t)vsnprintf(t->at + t->n, t->size - t->n, format, args);
	va_end(args);
}

static void print_value(struct text *t, const struct hs_message_field *f)
{
	if (!f)
		print(t, "  %-18s", "-");
	else if (f->address)
		print(t, "  0x%-16llx", (ull)f->value);
	else
		print(t, "  %-18llu", (ull)f->value);
}

/* ---- one message of each ---- */

/* A message of one side, at the first difference. */
struct side {
	struct hs_message m;
	enum hs_status status; /* HS_OK: it could be read */
};

/* The message of @b that has the byte @at; a message begins at @from. */
static void read_side(const struct model *m, const struct bytes *b, uint64_t from, uint64_t at,
                      struct side *side)
{
	struct hs_span in = bytes_from(b, from);
	const uint8_t *start = in.p;
	struct hs_reader *reader;

	side->status = hs_reader_new(&reader, m->protocol, hs_trace_params_config(m->set.params));
	if (side->status != HS_OK)
		return;
	do {
		side->m.offset = from + (uint64_t)(in.p - start);
		const uint64_t offset = side->m.offset;

		side->status = hs_reader_next(reader, &in, &side->m);
		side->m.offset = offset;
	} while (side->status == HS_OK && from + (uint64_t)(in.p - start) <= at);
	hs_reader_free(reader);
}

/* ---- the difference ---- */

static void print_first(struct text *t, const struct side *want, const struct side *got)
{
	if (want->status != HS_OK) {
		print(t, "the design sends %s (%s), and the model nothing more", got->m.name,
		      got->m.clause);
	} else if (got->status == HS_MORE) {
		print(t, "%s: the model sends %s, and the design nothing more", want->m.clause,
		      want->m.name);
	} else if (got->status != HS_OK) {
		print(t, "%s: the design's bytes are no message: %s", want->m.clause,
		      hs_status_text(got->status));
	} else {
		static const char *const names[2] = { "the design", "the model" };
		char first[512];

		hs_message_difference(&got->m, &want->m, names, first, sizeof(first));
		print(t, "%s", first);
	}
}

static void print_row(struct text *t, const struct row *r)
{
	print(t, "\n  row      cycle %llu, slot %u: 0x%llx, %u half-words, %s", (ull)r->cycle,
	      r->slot, (ull)r->iaddr, r->iretire, hs_itype_name(r->itype));
}

static void print_fields(struct text *t, const struct hs_message *want,
                         const struct hs_message *got)
{
	struct hs_field_pair pairs[HS_FIELD_PAIRS + 1];
	struct hs_message_field sources[2];
	unsigned n = hs_message_compare(want, got, pairs);

	n += hs_message_compare_source(want, got, sources, &pairs[n]);
	print(t, "\n  %-8s  %-18s  %-18s  clause", "field", "design", "model");
	for (unsigned i = 0; i < n; i++) {
		const struct hs_field_pair *p = &pairs[i];
		const struct hs_message_field *f = p->a ? p->a : p->b;
		char clause[80];

		hs_message_clause(want, f->clause, clause, sizeof(clause));
		print(t, "\n  %-8s", f->name);
		print_value(t, p->b);
		print_value(t, p->a);
		print(t, "  %s%s", clause, p->same ? "" : "  <- differs");
	}
}

/* Where the bytes differ, once both messages are whole.  False: wait for more bytes. */
static bool explain(struct model *m, bool ended)
{
	struct text t = { m->difference, 0, sizeof(m->difference) };
	const struct mark *mark = marks_find(&m->marks, m->equal);
	const struct mark *came = marks_find(&m->got_marks, m->equal);
	const uint64_t from = mark ? mark->offset : m->want.base;
	struct side want, got;

	read_side(m, &m->want, from, m->equal, &want);
	read_side(m, &m->got, from, m->equal, &got);
	if (!ended && (want.status == HS_MORE || got.status == HS_MORE))
		return false;
	print_first(&t, &want, &got);
	print(&t, " (cycle %llu)", mark ? (ull)mark->row.cycle : 0);
	if (mark)
		print_row(&t, &mark->row);
	print(&t, "\n  stream   byte %llu, message at byte %llu, which came in cycle %llu",
	      (ull)m->equal, want.status == HS_OK ? (ull)want.m.offset : (ull)m->equal,
	      came ? (ull)came->row.cycle : 0);
	if (want.status == HS_OK && got.status == HS_OK)
		print_fields(&t, &want.m, &got.m);
	return true;
}

/* ---- bytes ---- */

static size_t count_equal(const uint8_t *a, const uint8_t *b, size_t n)
{
	size_t i = 0;

	if (memcmp(a, b, n) == 0)
		return n;
	while (a[i] == b[i])
		i++;
	return i;
}

static void forget_equal(struct model *m)
{
	const struct mark *mark = marks_find(&m->marks, m->equal);

	if (!mark || mark->offset - m->want.base < KEPT)
		return;
	const uint64_t from = mark->offset;

	bytes_drop(&m->want, from);
	bytes_drop(&m->got, from);
	marks_drop(&m->marks, from);
	marks_drop(&m->got_marks, from);
}

/* Compare what both have.  @ended: no more comes, and one may have less than the other. */
static enum hs_status advance(struct model *m, bool ended)
{
	const struct hs_span want = bytes_from(&m->want, m->equal);
	const struct hs_span got = bytes_from(&m->got, m->equal);
	const size_t n = want.n < got.n ? want.n : got.n;
	const size_t same = n ? count_equal(want.p, got.p, n) : 0;

	m->equal += same;
	if (same == n && !(ended && want.n != got.n)) {
		forget_equal(m);
		return HS_OK;
	}
	m->differs = explain(m, ended);
	return m->differs ? HS_E_DIFFERS : HS_OK;
}

int hs_dpi_compare(void *model, const uint32_t *bits, int bytes, uint64_t cycle)
{
	const struct row row = { .cycle = cycle };
	struct model *m = model;

	if (m->differs || !m->encoder)
		return HS_OK;
	if (m->decoder)
		return hs_dpi_decode(m->decoder, bits, bytes) == HS_OK ? blocks_compare(m, false)
		                                                       : HS_E_MEMORY;
	if (bytes > 0 && !(marks_put(&m->got_marks, m->got.base + m->got.n, &row) &&
	                   bytes_put_bits(&m->got, bits, bytes)))
		return HS_E_MEMORY;
	return advance(m, false);
}

int hs_dpi_compare_end(void *model)
{
	struct model *m = model;

	if (m->differs || !m->encoder)
		return HS_OK;
	return m->decoder ? blocks_compare(m, true) : advance(m, true);
}

const char *hs_dpi_difference(void *model)
{
	return ((struct model *)model)->difference;
}

uint64_t hs_dpi_compared(void *model)
{
	return ((struct model *)model)->equal;
}
