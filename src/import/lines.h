/* Lines from pieces of text, and a cursor that reads one. */
#ifndef HS_IMPORT_LINES_H
#define HS_IMPORT_LINES_H

#include <hartscope/import.h>

/* Take bytes up to and with the end of a line; true when the line in l->text is complete.
 * Moves *used.  The end is "\n"; a "\r" before it does not belong to the line. */
bool hs_lines_take(struct hs_lines *l, const char *text, size_t n, size_t *used);

/* The text is over: true when a last line without an end is in l->text. */
bool hs_lines_last(struct hs_lines *l);

/* An importer, which takes line after line. */
struct import_importer {
	struct hs_lines *lines;
	void *state; /* what take_line() gets */
	enum hs_status (*take_line)(void *state, struct hs_blocks *out);
	size_t room; /* free entries of @out that a line needs */
};

/* The feed() of importers. */
enum hs_status import_feed(const struct import_importer *i, const char *text, size_t n, size_t *used,
                        struct hs_blocks *out);
/* The last line.  After HS_OK the importer gives what it still has. */
enum hs_status import_flush(const struct import_importer *i, struct hs_blocks *out);

/* A place in a line.  After a failure @ok is false and everything else fails too. */
struct hs_text {
	const char *p, *end;
	bool ok;
};

struct hs_text hs_text_of(const struct hs_lines *l);
bool hs_text_peek(const struct hs_text *t, char c);
void hs_text_blanks(struct hs_text *t);                    /* skip spaces and tabs */
bool hs_text_skip(struct hs_text *t, const char *expected); /* false, nothing taken: not there */
void hs_text_expect(struct hs_text *t, const char *expected); /* fails when not there */
/* A number without sign or prefix; fails without a digit and above 64 bits.
 * @base 10 or 16, *digits may be NULL. */
uint64_t hs_text_number(struct hs_text *t, unsigned base, unsigned *digits);

#endif
