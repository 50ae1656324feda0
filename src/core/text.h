/* Reading text: a cursor over characters that remembers a failure. */
#ifndef HS_BASE_TEXT_H
#define HS_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left of a text.  After a failure @ok is false, and everything else fails too. */
struct base_text {
	const char *p, *end;
	bool ok;
};

/* The value of a decimal or hexadecimal digit; 16 for every other character. */
static inline unsigned base_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 16;
}

/* A cursor over @n characters, or over a string. */
struct base_text base_text_of(const char *p, size_t n);
struct base_text base_text_of_string(const char *s);

/* Is all of it read, without a failure? */
bool base_text_at_end(const struct base_text *t);
/* Is @c the next character? */
bool base_text_peek(const struct base_text *t, char c);
/* Skip spaces and tabs. */
void base_text_skip_blanks(struct base_text *t);
/* Skip everything before @c, or to the end. */
void base_text_skip_to(struct base_text *t, char c);
/* Skip a byte order mark, which editors and shells of Windows put first. */
void base_text_skip_mark(struct base_text *t);
/* Skip @expected.  False, and nothing is skipped, when the text continues with something else. */
bool base_text_skip(struct base_text *t, const char *expected);
/* Skip @expected; a failure when the text continues with something else. */
void base_text_expect(struct base_text *t, const char *expected);
/* A number without sign or prefix; without a digit, or above 64 bits, a failure, and 0.
 * @base 10 or 16; *digits may be NULL. */
uint64_t base_text_number(struct base_text *t, unsigned base, unsigned *digits);
/* The same with digits that are x or z, as Verilog writes them: *unknown has their bits, and the
 * value 0 for them; where @base is 10 all bits. */
uint64_t base_text_number_x(struct base_text *t, unsigned base, uint64_t *unknown);
/* The same: decimal, or hexadecimal after "0x". */
uint64_t base_text_number_0x(struct base_text *t);

#endif
