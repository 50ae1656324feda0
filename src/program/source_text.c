/* Programs: lines of source text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "program/private.h"
#include "support/file.h"
#include "support/grow.h"

/* Larger files are not source text. */
#define SOURCE_MAX ((off_t)64 << 20)

struct source_file {
	struct source_file *next;
	char *path;
	char *text;   /* newlines replaced by terminators; NULL when it cannot be read */
	char **lines;
	size_t count;
};

void program_free_sources(struct hs_program *p)
{
	while (p->sources) {
		struct source_file *s = p->sources;

		p->sources = s->next;
		free(s->path);
		free(s->text);
		free(s->lines);
		free(s);
	}
}

static char *read_text(struct hs_program *p, const char *path, size_t *size)
{
	FILE *f = support_stream(program_open_source(p, path));
	struct stat st;
	char *text = NULL;

	if (!f)
		return NULL;
	if (fstat(fileno(f), &st) == 0 && st.st_size <= SOURCE_MAX)
		text = malloc((size_t)st.st_size + 1);
	else
		(void)program_add_note(p, "%s: larger than 64 MB: its text is not shown", path);
	*size = text ? fread(text, 1, (size_t)st.st_size, f) : 0;
	if (text)
		text[*size] = '\0';
	fclose(f);
	return text;
}

static void split_lines(struct source_file *s, size_t size)
{
	size_t cap = 0;

	for (char *at = s->text; at < s->text + size;) {
		char *end = memchr(at, '\n', (size_t)(s->text + size - at));

		if (!support_grow(&s->lines, &cap, s->count + 1, sizeof(*s->lines)))
			return;
		s->lines[s->count++] = at;
		if (!end)
			return;
		*end = '\0';
		if (end > at && end[-1] == '\r')
			end[-1] = '\0';
		at = end + 1;
	}
}

static struct source_file *open_source(struct hs_program *p, const char *path)
{
	struct source_file *s = calloc(1, sizeof(*s));
	size_t size = 0;

	if (s)
		s->path = strdup(path);
	if (!s || !s->path) {
		free(s);
		return NULL;
	}
	s->text = read_text(p, path, &size);
	if (s->text)
		split_lines(s, size);
	s->next = p->sources;
	p->sources = s;
	return s;
}

const char *hs_program_source_line(struct hs_program *p, const char *file, int line)
{
	struct source_file *s = p->sources, **link = &p->sources;

	for (; s && strcmp(s->path, file) != 0; link = &s->next, s = s->next)
		;
	if (!s) {
		s = open_source(p, file);
	} else if (s != p->sources) { /* the file in use is the first of the list */
		*link = s->next;
		s->next = p->sources;
		p->sources = s;
	}
	return s && line > 0 && (size_t)line <= s->count ? s->lines[line - 1] : NULL;
}
