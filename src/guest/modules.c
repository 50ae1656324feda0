/* The kernel's modules: /proc/modules, "NAME SIZE USERS USED-BY STATE ADDRESS" (proc(5)). */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "guest/private.h"
#include "support/grow.h"

/* Words of a line, each ended by a 0; how many there are, up to @max. */
static size_t cut_words(char *line, char **words, size_t max)
{
	size_t n = 0;

	for (char *save, *w = strtok_r(line, " \t", &save); w && n < max;
	     w = strtok_r(NULL, " \t", &save))
		words[n++] = w;
	return n;
}

static bool read_module(char *line, struct guest_module *m, const char **name)
{
	char *words[6], *end, *at;

	if (cut_words(line, words, 6) < 6 || strncmp(words[5], "0x", 2) != 0)
		return false;
	*name = words[0];
	m->size = strtoull(words[1], &end, 10);
	at = words[5] + 2;
	return *end == '\0' && *words[1] != '-' && guest_take_hex(&at, &m->start) && *at == '\0' &&
	       m->start <= UINT64_MAX - m->size;
}

static enum hs_status add_module(struct hs_guest *g, struct guest_module *m, const char *name)
{
	if (!support_grow(&g->modules, &g->module_room, g->module_count + 1, sizeof(*m)))
		return HS_E_MEMORY;
	m->file = guest_keep(g, "[%s]", name);
	m->label = guest_keep(g, "[%s] (no symbol)", name);
	g->modules[g->module_count++] = *m;
	return m->file && m->label ? HS_OK : HS_E_MEMORY;
}

static int by_start(const void *a, const void *b)
{
	const struct guest_module *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static enum hs_status read_modules(struct hs_guest *g, char *text, const char *path,
                                   struct hs_error *error)
{
	uint64_t any = 0;
	size_t number = 1;

	for (char *line; (line = guest_next_line(&text)); number++) {
		struct guest_module m;
		const char *name;

		if (guest_is_section_line(line)) {
			const enum hs_status status = guest_take_section_line(g, line);

			if (status == HS_OK)
				continue;
			return hs_error_set(error, status, "%s:%zu: not PATH/NAME/sections/SECTION:"
			                    "ADDRESS, as grep shows /sys/module", path, number);
		}
		if (!read_module(line, &m, &name))
			return hs_error_set(error, HS_E_FORMAT,
			                    "%s:%zu: not NAME SIZE USERS USED-BY STATE ADDRESS, as "
			                    "/proc/modules has it",
			                    path, number);
		any |= m.start;
		if (add_module(g, &m, name) != HS_OK)
			return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", path);
	}
	if (any || number == 1 || !g->module_count) /* a kernel may have none */
		return HS_OK;
	return hs_error_set(error, HS_E_CONFIG,
	                    "%s: all addresses are 0: read it as root of the guest, with "
	                    "/proc/sys/kernel/kptr_restrict 0 or 1",
	                    path);
}

enum hs_status guest_add_modules(struct hs_guest *g, const struct hs_guest_file *file,
                                 struct hs_error *error)
{
	const size_t before = g->module_count;
	struct stat st;
	char *text;

	if (!file->bytes.p && stat(file->path, &st) == 0 && S_ISDIR(st.st_mode))
		return guest_add_sections(g, file->path, error);
	enum hs_status status = guest_read_text(g, file, &text, error);

	if (status == HS_OK)
		status = read_modules(g, text, file->path, error);
	if (status != HS_OK)
		g->module_count = before;
	else if (g->module_count)
		qsort(g->modules, g->module_count, sizeof(*g->modules), by_start);
	return status;
}

const struct guest_module *guest_find_module(const struct hs_guest *g, uint64_t addr)
{
	for (size_t i = g->module_count; i > 0; i--)
		if (g->modules[i - 1].start <= addr)
			return addr - g->modules[i - 1].start < g->modules[i - 1].size
				       ? &g->modules[i - 1] : NULL;
	return NULL;
}
