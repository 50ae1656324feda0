/* Programs: what is kept as long as a program is: names and notes. */
#define _GNU_SOURCE /* vasprintf() */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/private.h"
#include "support/grow.h"

const char *program_keep(struct program_text **texts, const char *text)
{
	const size_t n = strlen(text) + 1;
	struct program_text *t = malloc(sizeof(*t) + n);

	if (!t)
		return NULL;
	memcpy(t->text, text, n);
	t->next = *texts;
	*texts = t;
	return t->text;
}

void program_free_texts(struct program_text *texts)
{
	while (texts) {
		struct program_text *t = texts;

		texts = t->next;
		free(t);
	}
}

const char *program_base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

enum hs_status program_add_note(struct hs_program *p, const char *format, ...)
{
	va_list ap;

	if (!support_grow(&p->notes.items, &p->notes.cap, p->notes.count + 1,
	                  sizeof(*p->notes.items)))
		return HS_E_MEMORY;
	va_start(ap, format);
	const int n = vasprintf(&p->notes.items[p->notes.count], format, ap);

	va_end(ap);
	p->notes.count += n >= 0;
	return n >= 0 ? HS_OK : HS_E_MEMORY;
}

const char *hs_program_note(const struct hs_program *p, size_t index)
{
	return index < p->notes.count ? p->notes.items[index] : NULL;
}

static bool has_note(const struct hs_program *p, const char *text)
{
	const char *note;

	for (size_t i = 0; (note = hs_program_note(p, i)); i++)
		if (strcmp(note, text) == 0)
			return true;
	return false;
}

enum hs_status hs_program_add_note(struct hs_program *p, const char *format, ...)
{
	enum hs_status s;
	va_list ap;
	char *text;

	va_start(ap, format);
	const int n = vasprintf(&text, format, ap);

	va_end(ap);
	if (n < 0)
		return HS_E_MEMORY;
	s = has_note(p, text) ? HS_OK : program_add_note(p, "%s", text);
	free(text);
	return s;
}
