/* What a file is that was given as a trace. */
#include <string.h>

#include <hartscope/file_kind.h>

/* Fewer bytes may be text by chance. */
#define TEXT_BYTES 16
/* Fewer bytes of 0 or 0xff may be idle by chance. */
#define BLANK_BYTES 64

/* What a file holds nothing else of. */
enum holds { ANYTHING, TEXT, ONE_BYTE };

static const struct row {
	struct hs_file_kind kind;
	uint8_t holds; /* enum holds */
	uint8_t length;
	const char *start;
} rows[] = {
#define HS_FILE_KIND(id, holds, start, what, hint) \
	{ { what, hint, sizeof(start) > 1 && (holds) != ONE_BYTE, (holds) == ONE_BYTE }, \
	  holds, \
	  sizeof(start) - 1, \
	  start },
#include "capture/file_kinds.def"
#undef HS_FILE_KIND
};

static bool is_text(const struct hs_span *first)
{
	for (size_t i = 0; i < first->n; i++) {
		const uint8_t c = first->p[i];

		if (c != '\t' && c != '\n' && c != '\r' && (c < ' ' || c > '~'))
			return false;
	}
	return first->n >= TEXT_BYTES;
}

static bool is_one_byte(const struct hs_span *first)
{
	return first->n >= BLANK_BYTES && memcmp(first->p, first->p + 1, first->n - 1) == 0;
}

const struct hs_file_kind *hs_file_kind_of(const struct hs_span *first)
{
	const bool fits[] = { true, is_text(first), is_one_byte(first) };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (first->n >= rows[i].length && fits[rows[i].holds] &&
		    memcmp(first->p, rows[i].start, rows[i].length) == 0)
			return &rows[i].kind;
	return NULL;
}
