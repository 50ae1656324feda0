/* What a file is that was given as a trace. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <hartscope/capture.h>

#include "inputs/fst.h"

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
#define HS_FILE_KIND(id, is, holds, start, what, hint) \
	{ { what, hint, sizeof(start) > 1 && (holds) != ONE_BYTE, (holds) == ONE_BYTE, \
	    HS_FILE_##is }, \
	  holds, \
	  sizeof(start) - 1, \
	  start },
#include "inputs/file_kinds.def"
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

enum hs_file_type hs_file_what_bytes(const struct hs_span *first, const struct hs_file_kind **kind)
{
	const bool fits[] = { true, is_text(first), is_one_byte(first) };
	const struct row *row = rows, *const end = rows + sizeof(rows) / sizeof(*rows);

	while (row < end && (first->n < row->length || !fits[row->holds] ||
	                     memcmp(first->p, row->start, row->length) != 0))
		row++;
	if (kind)
		*kind = row < end ? &row->kind : NULL;
	if (row < end)
		return (enum hs_file_type)row->kind.is;
	if (hs_fst_is(first))
		return HS_FILE_FST;
	return first->n ? HS_FILE_UNKNOWN : HS_FILE_EMPTY;
}

static bool has_manifest(const char *folder)
{
	char path[PATH_MAX + 16];
	struct stat st;
	const int n = snprintf(path, sizeof(path), "%s/manifest.json", folder);

	return n > 0 && (size_t)n < sizeof(path) && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

enum hs_file_type hs_file_what(const char *path, const struct hs_file_kind **kind)
{
	uint8_t bytes[HS_FILE_KIND_BYTES];
	struct stat st;

	if (kind)
		*kind = NULL;
	if (!path || stat(path, &st) != 0)
		return HS_FILE_UNREADABLE;
	if (S_ISDIR(st.st_mode))
		return has_manifest(path) ? HS_FILE_RECORDING : HS_FILE_FOLDER;
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return HS_FILE_UNKNOWN;
	FILE *f = fopen(path, "re");

	if (!f)
		return HS_FILE_UNREADABLE;
	const struct hs_span first = { bytes, fread(bytes, 1, sizeof(bytes), f) };
	const int error = ferror(f) ? errno : 0;

	fclose(f);
	errno = error;
	return error ? HS_FILE_UNREADABLE : hs_file_what_bytes(&first, kind);
}
