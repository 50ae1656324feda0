/* Lines from pieces of text.  A line of any length costs HS_LINE_MAX bytes. */
#include "import/lines.h"

#include "base/digit.h"
#include "base/mem.h"

static void start_line(struct hs_lines *l)
{
	l->done = false;
	l->cut = false;
	l->n = 0;
	l->offset = l->next;
}

static void complete(struct hs_lines *l)
{
	if (!l->cut && l->n > 0 && l->text[l->n - 1] == '\r')
		l->n--;
	l->number++;
	l->done = true;
}

bool hs_lines_take(struct hs_lines *l, const char *text, size_t n, size_t *used)
{
	if (l->done)
		start_line(l);
	while (*used < n) {
		const char c = text[(*used)++];

		l->next++;
		if (c == '\n') {
			complete(l);
			return true;
		}
		if (l->n < HS_LINE_MAX)
			l->text[l->n++] = c;
		else
			l->cut = true;
	}
	return false;
}

bool hs_lines_last(struct hs_lines *l)
{
	if (l->done || l->n == 0)
		return false;
	complete(l);
	return true;
}

static enum hs_status room(const struct import_importer *i, const struct hs_blocks *out)
{
	if (out->cap < i->room || out->n > out->cap)
		return HS_E_SPACE;
	return out->cap - out->n < i->room ? HS_FULL : HS_OK;
}

enum hs_status import_feed(const struct import_importer *i, const char *text, size_t n, size_t *used,
                        struct hs_blocks *out)
{
	enum hs_status s = HS_OK;

	*used = 0;
	if (room(i, out) == HS_E_SPACE)
		return HS_E_SPACE;
	while (s == HS_OK && *used < n) {
		s = room(i, out);
		if (s == HS_OK && hs_lines_take(i->lines, text, n, used))
			s = i->take_line(i->state, out);
	}
	return s == HS_OK ? HS_MORE : s;
}

enum hs_status import_flush(const struct import_importer *i, struct hs_blocks *out)
{
	const enum hs_status s = room(i, out);

	return s == HS_OK && hs_lines_last(i->lines) ? i->take_line(i->state, out) : s;
}

struct hs_text hs_text_of(const struct hs_lines *l)
{
	return (struct hs_text){ l->text, l->text + l->n, true };
}

bool hs_text_peek(const struct hs_text *t, char c)
{
	return t->ok && t->p < t->end && *t->p == c;
}

void hs_text_blanks(struct hs_text *t)
{
	while (hs_text_peek(t, ' ') || hs_text_peek(t, '\t'))
		t->p++;
}

bool hs_text_skip(struct hs_text *t, const char *expected)
{
	size_t n = 0;

	while (expected[n])
		n++;
	if (!t->ok || (size_t)(t->end - t->p) < n || memcmp(t->p, expected, n) != 0)
		return false;
	t->p += n;
	return true;
}

void hs_text_expect(struct hs_text *t, const char *expected)
{
	if (!hs_text_skip(t, expected))
		t->ok = false;
}

uint64_t hs_text_number(struct hs_text *t, unsigned base, unsigned *digits)
{
	uint64_t v = 0;
	unsigned n = 0;

	for (; t->ok && t->p < t->end && hs_digit(*t->p) < base; t->p++, n++) {
		const unsigned d = hs_digit(*t->p);

		/* Constants: rv32 has no instruction for a 64-bit division. */
		if (v > (base == 16 ? UINT64_MAX / 16 : UINT64_MAX / 10) || v * base > UINT64_MAX - d)
			t->ok = false;
		v = v * base + d;
	}
	if (n == 0)
		t->ok = false;
	if (digits)
		*digits = n;
	return t->ok ? v : 0;
}
