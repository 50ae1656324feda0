/* Text that is made in memory: many short lines, which printf would make one by one. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_LINES_H
#define HS_TOOLS_HARTSCOPE_COMMON_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Zero is empty. */
struct lines {
	char *text;
	size_t n, cap;
	bool failed; /**< no memory: some text is missing */
};

void lines_free(struct lines *l);
/** Write what there is to stdout, and be empty.  Notes where there was no memory for some of it. */
void lines_print(struct lines *l);
/** From now on lines of messages are folded where stdout is a terminal that is narrower. */
void lines_fold(void);
/** Write text to stdout, whole lines. */
void lines_show(const char *text, size_t n);

void lines_grow(struct lines *l, size_t n);
void lines_decimal(struct lines *l, uint64_t value);
/** Hexadecimal without 0x, at least @width wide, with spaces before it. */
void lines_hex(struct lines *l, uint64_t value, unsigned width);
/** A byte as two digits of hexadecimal. */
void lines_byte(struct lines *l, uint8_t value);
/** As lines_decimal(), at least @width wide: with spaces before it, or with @left after it. */
void lines_number(struct lines *l, uint64_t value, unsigned width, bool left);
/** Spaces up to @width characters after place @from of the text. */
void lines_pad(struct lines *l, size_t from, unsigned width);

/** Room for @n bytes more.  False: no memory. */
static inline bool lines_room(struct lines *l, size_t n)
{
	if (l->cap - l->n < n || !l->text)
		lines_grow(l, n);
	return l->text && l->cap - l->n >= n;
}

static inline void lines_put(struct lines *l, const char *bytes, size_t n)
{
	if (!lines_room(l, n))
		return;
	memcpy(l->text + l->n, bytes, n);
	l->n += n;
}

static inline void lines_text(struct lines *l, const char *text)
{
	lines_put(l, text, strlen(text));
}

static inline void lines_char(struct lines *l, char c)
{
	lines_put(l, &c, 1);
}

#endif
