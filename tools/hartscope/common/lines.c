/* Text that is made in memory (lines.h). */
#include "common/lines.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/tool.h"

#define LEAST 4096u
#define DIGITS 20u /* of 2^64 */

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";
static const char hex_digits[] = "0123456789abcdef";

/* ---- folding ------------------------------------------------------------------------ */

/* The columns in which the first line of a message and what is about it have their text. */
#define MESSAGE 10u
#define ABOUT 17u

/* One process has one standard output. */
static size_t fold_at; /* columns; 0: lines are as they are */

void lines_fold(void)
{
	fold_at = terminal_is(stdout) ? terminal_width() : 0;
}

/* How many bytes of a line, which begins in column @at, belong to the first row: up to a space. */
static size_t row_of(const char *line, size_t n, size_t at)
{
	size_t end = at + n > fold_at ? fold_at - at : n;

	if (end == n)
		return n;
	while (end && line[end] != ' ')
		end--;
	while (end && line[end - 1] == ' ')
		end--;
	if (end > ABOUT || at)
		return end ? end : n;
	return n;
}

static void show_line(const char *line, size_t n)
{
	const size_t indent = strspn(line, " ") < MESSAGE ? MESSAGE : ABOUT;
	size_t at = 0;

	do {
		const size_t row = row_of(line, n, at);
		size_t next = row;

		while (next < n && line[next] == ' ')
			next++;
		printf("%*s%.*s\n", (int)at, "", (int)row, line);
		line += next;
		n -= next;
		at = indent;
	} while (n);
}

void lines_show(const char *text, size_t n)
{
	while (fold_at > 2 * ABOUT && n) {
		const char *end = memchr(text, '\n', n);

		if (!end)
			break;
		show_line(text, (size_t)(end - text));
		n -= (size_t)(end + 1 - text);
		text = end + 1;
	}
	fwrite(text, 1, n, stdout);
}

/* ---- making ------------------------------------------------------------------------- */

void lines_free(struct lines *l)
{
	free(l->text);
	*l = (struct lines){ .text = NULL };
}

void lines_print(struct lines *l)
{
	if (l->failed)
		note_out_of_memory();
	lines_show(l->text, l->n);
	l->n = 0;
	l->failed = false;
}

void lines_grow(struct lines *l, size_t n)
{
	const size_t cap = 2 * (l->n + n) > LEAST ? 2 * (l->n + n) : LEAST;
	char *text = realloc(l->text, cap);

	l->failed |= !text;
	if (!text)
		return;
	l->text = text;
	l->cap = cap;
}

/* At the end of the @DIGITS bytes of @room; where they begin. */
static const char *decimal(char room[DIGITS], uint64_t value)
{
	char *at = room + DIGITS;

	for (; value >= 100; value /= 100)
		memcpy(at -= 2, pairs + 2 * (value % 100), 2);
	if (value < 10)
		*--at = (char)('0' + value);
	else
		memcpy(at -= 2, pairs + 2 * value, 2);
	return at;
}

void lines_decimal(struct lines *l, uint64_t value)
{
	char room[DIGITS];
	const char *at = decimal(room, value);

	lines_put(l, at, (size_t)(room + DIGITS - at));
}

void lines_number(struct lines *l, uint64_t value, unsigned width, bool left)
{
	const size_t from = l->n;
	char room[DIGITS];
	const char *at = decimal(room, value);
	const size_t n = (size_t)(room + DIGITS - at);

	if (!left && n < width)
		lines_pad(l, from, width - (unsigned)n);
	lines_put(l, at, n);
	if (left)
		lines_pad(l, from, width);
}

void lines_hex(struct lines *l, uint64_t value, unsigned width)
{
	char room[DIGITS], *at = room + DIGITS;

	do
		*--at = hex_digits[value & 15];
	while (value >>= 4);
	while (room + DIGITS - at < (ptrdiff_t)width)
		*--at = ' ';
	lines_put(l, at, (size_t)(room + DIGITS - at));
}

void lines_byte(struct lines *l, uint8_t value)
{
	const char text[2] = { hex_digits[value >> 4], hex_digits[value & 15] };

	lines_put(l, text, sizeof(text));
}

void lines_pad(struct lines *l, size_t from, unsigned width)
{
	const size_t has = l->n - from;

	if (has >= width || !lines_room(l, width - has))
		return;
	memset(l->text + l->n, ' ', width - has);
	l->n += width - has;
}
