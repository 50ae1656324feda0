/* Code that changed while it was traced: the list and its file. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/source.h>

#include "source/private.h"
#include "source/source.h"
#include "support/file.h"

#define FORMAT "hartscope-code"
#define VERSION 1
#define CODE_MAX ((size_t)1 << 20)

struct hs_code_changes {
	struct hs_code_change *items;
	size_t count, room;
	uint32_t harts;
};

/* ---- the list ------------------------------------------------------------------ */

enum hs_status hs_code_changes_new(struct hs_code_changes **list)
{
	struct hs_code_changes *l = calloc(1, sizeof(*l));

	if (!l)
		return HS_E_MEMORY;
	l->harts = 1;
	*list = l;
	return HS_OK;
}

void hs_code_changes_free(struct hs_code_changes *l)
{
	for (size_t i = 0; l && i < l->count; i++)
		free((void *)(uintptr_t)l->items[i].code.bytes);
	if (l)
		free(l->items);
	free(l);
}

static enum hs_status make_room(struct hs_code_changes *l)
{
	const size_t room = l->room ? 2 * l->room : 64;
	struct hs_code_change *more;

	if (l->count < l->room)
		return HS_OK;
	more = realloc(l->items, room * sizeof(*more));
	if (!more)
		return HS_E_MEMORY;
	l->items = more;
	l->room = room;
	return HS_OK;
}

enum hs_status hs_code_changes_add(struct hs_code_changes *l, const struct hs_code_change *change)
{
	const struct hs_section *code = &change->code;

	if (!code->bytes || !code->size || code->size > CODE_MAX ||
	    code->size - 1 > UINT64_MAX - code->start)
		return HS_E_ARG;
	uint8_t *bytes = malloc(code->size);

	if (!bytes || make_room(l) != HS_OK) {
		free(bytes);
		return HS_E_MEMORY;
	}
	memcpy(bytes, code->bytes, code->size);
	l->items[l->count] = *change;
	l->items[l->count++].code.bytes = bytes;
	return HS_OK;
}

size_t hs_code_changes_count(const struct hs_code_changes *l)
{
	return l->count;
}

const struct hs_code_change *hs_code_changes_get(const struct hs_code_changes *l, size_t i)
{
	return &l->items[i];
}

void hs_code_changes_set_harts(struct hs_code_changes *l, uint32_t harts)
{
	l->harts = harts;
}

uint32_t hs_code_changes_harts(const struct hs_code_changes *l)
{
	return l->harts;
}

/* ---- writing ------------------------------------------------------------------- */

static char *file_beside(const char *trace, struct hs_error *error)
{
	char *path;

	if (asprintf(&path, "%s.code", trace) >= 0)
		return path;
	hs_error_set(error, HS_E_MEMORY, "out of memory");
	return NULL;
}

static void write_change(FILE *f, const struct hs_code_change *c)
{
	fprintf(f,
	        "{\"hart\":%" PRIu32 ",\"blocks\":%" PRIu64 ",\"offset\":%" PRIu64
	        ",\"address\":\"0x%" PRIx64 "\",\"code\":\"",
	        c->hart, c->blocks, c->offset, c->code.start);
	for (uint64_t i = 0; i < c->code.size; i++)
		fprintf(f, "%02x", c->code.bytes[i]);
	fputs("\"}\n", f);
}

static void write_list(const struct hs_code_changes *l, FILE *f)
{
	fprintf(f, "{\"format\":\"" FORMAT "\",\"version\":%d,\"harts\":%" PRIu32 "}\n", VERSION,
	        l->harts);
	for (size_t i = 0; i < l->count; i++)
		write_change(f, &l->items[i]);
}

/* False, and errno, where it fails. */
static bool write_file(const struct hs_code_changes *l, const char *path)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	bool good;

	if (!f)
		return false;
	write_list(l, f);
	good = !ferror(f);
	if (fclose(f) != 0 || !good) {
		errno = ENOMEM;
		good = false;
	}
	good = good && support_replace_file(path, text, n) == 0;
	free(text);
	return good;
}

enum hs_status hs_code_changes_write_beside(const struct hs_code_changes *l, const char *trace,
                                            struct hs_error *error)
{
	char *path = file_beside(trace, error);
	enum hs_status status = HS_OK;

	if (!path)
		return HS_E_MEMORY;
	if (l->count ? !write_file(l, path) : unlink(path) < 0 && errno != ENOENT)
		status = hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	free(path);
	return status;
}

/* ---- reading ------------------------------------------------------------------- */

/* A number that JSON has as one, or as text in any base of C. */
static bool read_number(const json_t *object, const char *key, uint64_t *value)
{
	const json_t *v = json_object_get(object, key);
	const char *text = json_string_value(v);
	char *end;

	if (json_is_integer(v) && json_integer_value(v) >= 0) {
		*value = (uint64_t)json_integer_value(v);
		return true;
	}
	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return *end == '\0' && errno == 0;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Bytes as hexadecimal digits; their memory is the caller's to free.  NULL: they are none. */
static uint8_t *read_code(const json_t *object, uint64_t *size)
{
	const char *text = json_string_value(json_object_get(object, "code"));
	const size_t n = text ? strlen(text) : 0;
	uint8_t *bytes = n && n % 2 == 0 ? malloc(n / 2) : NULL;

	*size = n / 2;
	for (size_t i = 0; bytes && i < n / 2; i++) {
		const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

		if (high < 0 || low < 0) {
			free(bytes);
			return NULL;
		}
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return bytes;
}

static enum hs_status read_change(struct hs_code_changes *l, const json_t *object)
{
	struct hs_code_change c;
	uint64_t hart;

	if (!read_number(object, "hart", &hart) || hart > UINT32_MAX ||
	    !read_number(object, "blocks", &c.blocks) ||
	    !read_number(object, "offset", &c.offset) ||
	    !read_number(object, "address", &c.code.start))
		return HS_E_FORMAT;
	uint8_t *bytes = read_code(object, &c.code.size);

	if (!bytes)
		return HS_E_FORMAT;
	c.hart = (uint32_t)hart;
	c.code.bytes = bytes;
	const enum hs_status status = hs_code_changes_add(l, &c);

	free(bytes);
	return status == HS_E_ARG ? HS_E_FORMAT : status;
}

static enum hs_status read_head(struct hs_code_changes *l, const json_t *object)
{
	const char *format = json_string_value(json_object_get(object, "format"));
	uint64_t version, harts;

	if (!format || strcmp(format, FORMAT) != 0 || !read_number(object, "version", &version) ||
	    !read_number(object, "harts", &harts) || harts == 0 || harts > UINT32_MAX)
		return HS_E_FORMAT;
	l->harts = (uint32_t)harts;
	return version > VERSION ? HS_E_UNSUPPORTED : HS_OK;
}

static enum hs_status read_line(struct hs_code_changes *l, const char *line, size_t n, bool first)
{
	json_t *object = json_loadb(line, n, JSON_REJECT_DUPLICATES, NULL);
	enum hs_status status = HS_E_FORMAT;

	if (object)
		status = first ? read_head(l, object) : read_change(l, object);
	json_decref(object);
	return status;
}

static enum hs_status read_lines(struct hs_code_changes *l, FILE *f, const char *path,
                                 struct hs_error *error)
{
	enum hs_status status = HS_OK;
	size_t room = 0, number = 0;
	char *line = NULL;
	ssize_t n;

	for (n = getline(&line, &room, f); status == HS_OK && n > 0;
	     n = status == HS_OK ? getline(&line, &room, f) : 0)
		status = read_line(l, line, (size_t)n, ++number == 1);
	free(line);
	if (status == HS_OK && ferror(f))
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	if (status == HS_OK && number == 0)
		status = HS_E_FORMAT;
	return status == HS_OK ? status
	                       : hs_error_set(error, status, "%s:%zu: %s", path, number,
	                                      hs_status_text(status));
}

/* Read all of @f, which may be NULL: then there is no memory. */
static enum hs_status read_file(FILE *f, const char *path, struct hs_code_changes **list,
                                struct hs_error *error)
{
	enum hs_status status;

	*list = NULL;
	if (!f || hs_code_changes_new(list) != HS_OK)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	status = read_lines(*list, f, path, error);
	if (status == HS_OK)
		return status;
	hs_code_changes_free(*list);
	*list = NULL;
	return status;
}

enum hs_status hs_code_changes_read(struct hs_span *text, const char *name,
                                    struct hs_code_changes **list, struct hs_error *error)
{
	FILE *f = fmemopen((void *)(uintptr_t)text->p, text->n, "r");
	const enum hs_status status = read_file(f, name, list, error);

	if (f)
		fclose(f);
	text->p += text->n;
	text->n = 0;
	return status;
}

enum hs_status hs_code_changes_read_beside(const char *trace, struct hs_code_changes **list,
                                           struct hs_error *error)
{
	char *path = file_beside(trace, error);
	enum hs_status status = HS_OK;

	*list = NULL;
	if (!path)
		return HS_E_MEMORY;
	FILE *f = support_stream(support_open_file(AT_FDCWD, path));

	if (f)
		status = read_file(f, path, list, error);
	else if (errno != ENOENT && errno != ENOTDIR)
		status = hs_error_set(error, HS_E_SYSTEM, "%s: %s", path,
		                      support_open_failure(errno));
	if (f)
		fclose(f);
	free(path);
	return status;
}

enum hs_status hs_code_changes_beside(const char *trace, bool *any, struct hs_error *error)
{
	struct hs_code_changes *list = NULL;
	const enum hs_status s = hs_code_changes_read_beside(trace, &list, error);

	if (s == HS_OK)
		*any = list && hs_code_changes_count(list);
	hs_code_changes_free(list);
	return s;
}
