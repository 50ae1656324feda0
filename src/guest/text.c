/* Texts that stay as long as the guest: names, notes, and whole files, which are cut into lines and
 * numbers in place. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/private.h"
#include "support/grow.h"

#define TEXT_MAX ((size_t)1 << 30)

/* ---- names and notes ---------------------------------------------------------------------- */

char *guest_keep(struct hs_guest *g, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	const int n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	struct guest_text *t = n < 0 ? NULL : malloc(sizeof(*t) + (size_t)n + 1);

	if (!t)
		return NULL;
	va_start(args, format);
	vsnprintf(t->text, (size_t)n + 1, format, args);
	va_end(args);
	t->size = (size_t)n;
	t->next = g->texts;
	g->texts = t;
	return t->text;
}

enum hs_status guest_note(struct hs_guest *g, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!support_grow(&g->notes, &g->note_room, g->note_count + 1, sizeof(*g->notes)))
		return HS_E_MEMORY;
	g->notes[g->note_count] = strdup(text);
	return g->notes[g->note_count++] ? HS_OK : HS_E_MEMORY;
}

const char *hs_guest_note(const struct hs_guest *g, size_t index)
{
	return index < g->note_count ? g->notes[index] : NULL;
}

const char *guest_base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void guest_free_texts(struct hs_guest *g)
{
	while (g->texts) {
		struct guest_text *t = g->texts;

		g->texts = t->next;
		free(t);
	}
	for (size_t i = 0; i < g->note_count; i++)
		free(g->notes[i]);
	free(g->notes);
}

/* ---- files -------------------------------------------------------------------------------- */

/* Read up to the end: files of /proc have no size. */
static enum hs_status read_all(int fd, struct guest_text **text)
{
	size_t room = 1u << 16;
	struct guest_text *t = malloc(sizeof(*t) + room + 1);
	ssize_t n = 1;

	for (size_t size = 0; t; size += (size_t)n) {
		t->size = size;
		*text = t;
		n = read(fd, t->text + size, room - size);
		if (n <= 0)
			return n == 0 ? HS_OK : HS_E_SYSTEM;
		if (size + (size_t)n < room)
			continue;
		room *= 2;
		t = room > TEXT_MAX ? NULL : realloc(t, sizeof(*t) + room + 1);
	}
	return HS_E_MEMORY;
}

static enum hs_status read_path(const char *path, struct guest_text **text, struct hs_error *error)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum hs_status status = fd < 0 ? HS_E_SYSTEM : read_all(fd, text);

	if (status == HS_E_SYSTEM)
		hs_error_set(error, status, "%s: %s", path, strerror(errno));
	else if (status != HS_OK)
		hs_error_set(error, status, "%s: too large for memory", path);
	if (fd >= 0)
		close(fd);
	return status;
}

static enum hs_status copy_bytes(const struct hs_guest_file *file, struct guest_text **text,
                                 struct hs_error *error)
{
	struct guest_text *t = malloc(sizeof(*t) + file->bytes.n + 1);

	if (!t)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", file->path);
	memcpy(t->text, file->bytes.p, file->bytes.n);
	t->size = file->bytes.n;
	*text = t;
	return HS_OK;
}

enum hs_status guest_read_text(struct hs_guest *g, const struct hs_guest_file *file, char **text,
                               struct hs_error *error)
{
	struct guest_text *t = NULL;
	const enum hs_status status = file->bytes.p ? copy_bytes(file, &t, error)
	                                            : read_path(file->path, &t, error);

	if (t) {
		t->next = g->texts;
		g->texts = t;
	}
	if (status != HS_OK)
		return status;
	t->text[t->size] = '\0';
	if (memchr(t->text, '\0', t->size))
		return hs_error_set(error, HS_E_FORMAT, "%s: not a text", file->path);
	*text = t->text;
	return HS_OK;
}

char *guest_next_line(char **at)
{
	char *line = *at, *end = strchr(line, '\n');

	if (*line == '\0')
		return NULL;
	*at = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	if (end && end > line && end[-1] == '\r') /* it came over a console */
		end[-1] = '\0';
	return line;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool guest_take_hex(char **at, uint64_t *value)
{
	const char *c = *at;
	unsigned digits = 0;

	*value = 0;
	for (int d; (d = digit(*c)) >= 0; c++, digits++)
		*value = *value << 4 | (unsigned)d;
	if (digits == 0 || digits > 16 || (*c != ' ' && *c != '\t' && *c != '\0'))
		return false;
	*at += digits + (*c != '\0');
	return true;
}
