/* What a file is that was given as a trace. */
#include <string.h>

#include <hartscope/file_kind.h>

/* Fewer bytes may be text by chance. */
#define TEXT_BYTES 16

static const struct row {
	struct hs_file_kind kind;
	bool text;
	uint8_t length;
	const char *start;
} rows[] = {
#define HS_FILE_KIND(id, text, start, what, hint)                                                  \
	{ { what, hint, sizeof(start) > 1 }, text, sizeof(start) - 1, start },
#include <hartscope/tables/file_kinds.def>
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

const struct hs_file_kind *hs_file_kind_of(const struct hs_span *first)
{
	const bool text = is_text(first);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (first->n >= rows[i].length && (text || !rows[i].text) &&
		    memcmp(first->p, rows[i].start, rows[i].length) == 0)
			return &rows[i].kind;
	return NULL;
}
