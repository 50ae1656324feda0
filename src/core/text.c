/* Reading text.  The end may be followed by anything: nothing is read there. */
#include "core/text.h"

#include "core/mem.h"

struct base_text base_text_of(const char *p, size_t n)
{
	return (struct base_text){ p, p + n, true };
}

static size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

struct base_text base_text_of_string(const char *s)
{
	return base_text_of(s, length(s));
}

bool base_text_at_end(const struct base_text *t)
{
	return t->ok && t->p == t->end;
}

bool base_text_peek(const struct base_text *t, char c)
{
	return t->ok && t->p < t->end && *t->p == c;
}

void base_text_skip_blanks(struct base_text *t)
{
	while (base_text_peek(t, ' ') || base_text_peek(t, '\t'))
		t->p++;
}

void base_text_skip_to(struct base_text *t, char c)
{
	while (t->p < t->end && *t->p != c)
		t->p++;
}

bool base_text_skip(struct base_text *t, const char *expected)
{
	const size_t n = length(expected);

	if (!t->ok || (size_t)(t->end - t->p) < n || memcmp(t->p, expected, n) != 0)
		return false;
	t->p += n;
	return true;
}

void base_text_skip_mark(struct base_text *t)
{
	base_text_skip(t, "\xef\xbb\xbf");
}

void base_text_expect(struct base_text *t, const char *expected)
{
	if (!base_text_skip(t, expected))
		t->ok = false;
}

uint64_t base_text_number(struct base_text *t, unsigned base, unsigned *digits)
{
	uint64_t v = 0;
	unsigned n = 0;

	for (; t->ok && t->p < t->end && base_digit(*t->p) < base; t->p++, n++) {
		const unsigned d = base_digit(*t->p);

		/* Constants: rv32 has no instruction for a 64-bit division. */
		if (v > (base == 16 ? UINT64_MAX / 16 : UINT64_MAX / 10) ||
		    v * base > UINT64_MAX - d)
			t->ok = false;
		v = v * base + d;
	}
	if (n == 0)
		t->ok = false;
	if (digits)
		*digits = n;
	return t->ok ? v : 0;
}

static bool is_unknown(char c)
{
	return c == 'x' || c == 'X' || c == 'z' || c == 'Z';
}

/* A hexadecimal number of which a digit is not known. */
static uint64_t hex_x(struct base_text *t, uint64_t *unknown)
{
	uint64_t v = 0;

	*unknown = 0;
	for (; t->p < t->end && (base_digit(*t->p) < 16 || is_unknown(*t->p)); t->p++) {
		const bool x = is_unknown(*t->p);

		if ((v | *unknown) >> 60)
			t->ok = false;
		v = v << 4 | (x ? 0 : base_digit(*t->p));
		*unknown = *unknown << 4 | (x ? 15u : 0u);
	}
	return v;
}

uint64_t base_text_number_x(struct base_text *t, unsigned base, uint64_t *unknown)
{
	const char *p = t->p;

	*unknown = 0;
	while (p < t->end && base_digit(*p) < base)
		p++;
	if (!t->ok || p == t->end || !is_unknown(*p))
		return base_text_number(t, base, NULL);
	if (base == 16)
		return hex_x(t, unknown);
	t->p = p + 1;
	*unknown = UINT64_MAX;
	return 0;
}

uint64_t base_text_number_0x(struct base_text *t)
{
	const bool hex = base_text_skip(t, "0x") || base_text_skip(t, "0X");

	return base_text_number(t, hex ? 16 : 10, NULL);
}
