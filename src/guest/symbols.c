/* The kernel's symbols: /proc/kallsyms and System.map, "ADDRESS TYPE NAME" and a module in
 * brackets (proc(5), nm(1)). */
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "guest/private.h"
#include "support/demangle.h"
#include "support/grow.h"

#define SIZE_MAX_GUESS 65536u /* bytes of a symbol at most; of the last one */

/* Useless are mapping symbols ($x, $d; RISC-V ELF psABI) and local labels of assemblers, which the
 * kernel lists as L0 and a byte 1. */
static bool is_useful_name(const char *name)
{
	if (strncmp(name, "__pi_", 5) == 0) /* arch/riscv/kernel/pi puts it before each name */
		name += 5;
	return *name != '$' && strncmp(name, ".L", 2) != 0 && !strchr(name, '\x01');
}

/* How good a name is among those of one address; 0: it is not of code (nm(1)). */
static unsigned rank_of(char type)
{
	switch (type) {
	case 'T': return 3;
	case 'W': case 'w': return 2;
	case 't': return 1;
	default: return 0;
	}
}

/* Cut "[MODULE]" off a line's name.  Returns the module in its brackets, or GUEST_KERNEL. */
static const char *cut_module(char *name)
{
	char *end = name + strcspn(name, "\t ");

	if (*end != '\0')
		*end++ = '\0';
	end += strspn(end, "\t ");
	return *end == '\0' ? GUEST_KERNEL : end;
}

static bool read_symbol(char *line, struct guest_symbol *s)
{
	if (!guest_take_hex(&line, &s->start) || !line[0] || (line[1] != ' ' && line[1] != '\t') ||
	    !line[2])
		return false;
	s->file = cut_module(line + 2);
	s->rank = rank_of(line[0]);
	s->name = s->rank ? line + 2 : NULL;
	return strcmp(s->file, GUEST_KERNEL) == 0 || *s->file == '[';
}

static enum hs_status add_symbol(struct guest_symbols *to, const struct guest_symbol *s)
{
	if (!support_grow(&to->items, &to->room, to->count + 1, sizeof(*s)))
		return HS_E_MEMORY;
	to->items[to->count++] = *s;
	to->sorted = false;
	return HS_OK;
}

static enum hs_status read_symbols(struct hs_guest *g, char *text, const char *path,
                                   struct hs_error *error)
{
	uint64_t any = 0;
	size_t number = 1;

	for (char *line; (line = guest_next_line(&text)); number++) {
		struct guest_symbol s = { 0 };

		if (!read_symbol(line, &s))
			return hs_error_set(error, HS_E_FORMAT,
			                    "%s:%zu: not ADDRESS TYPE NAME, as /proc/kallsyms and "
			                    "System.map have it",
			                    path, number);
		any |= s.start;
		if (s.name && !is_useful_name(s.name))
			continue;
		if (add_symbol(&g->symbols, &s) != HS_OK)
			return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", path);
	}
	if (number == 1)
		return hs_error_set(error, HS_E_FORMAT, "%s: no symbols", path);
	if (any)
		return HS_OK;
	return hs_error_set(error, HS_E_CONFIG,
	                    "%s: all addresses are 0: read it as root of the guest, with "
	                    "/proc/sys/kernel/kptr_restrict 0 or 1",
	                    path);
}

enum hs_status guest_add_symbols(struct hs_guest *g, const struct hs_guest_file *file,
                                 struct hs_error *error)
{
	const size_t before = g->symbols.count;
	char *text;
	enum hs_status status = guest_read_text(g, file, &text, error);

	if (status == HS_OK)
		status = read_symbols(g, text, file->path, error);
	if (status != HS_OK)
		g->symbols.count = before;
	return status;
}

/* By address; at the same address the better name first. */
static int by_address(const void *a, const void *b)
{
	const struct guest_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return x->name && y->name ? strcmp(x->name, y->name) : 0;
}

void guest_sort_symbols(struct guest_symbols *s)
{
	size_t kept = 0;

	s->sorted = true;
	if (s->count)
		qsort(s->items, s->count, sizeof(*s->items), by_address);
	for (size_t i = 0; i < s->count; i++)
		if (!kept || s->items[kept - 1].start != s->items[i].start)
			s->items[kept++] = s->items[i];
	s->count = kept;
	for (size_t i = 0; i < kept; i++) {
		struct guest_symbol *one = &s->items[i];

		one->size = i + 1 < kept ? one[1].start - one->start : SIZE_MAX_GUESS;
		if (one->size > SIZE_MAX_GUESS)
			one->size = SIZE_MAX_GUESS;
	}
}

const char *guest_show(struct hs_guest *g, struct guest_symbol *s)
{
	if (!s->shown) {
		char *plain = g->names.mangled ? NULL : support_demangle(s->name);

		s->shown = plain ? guest_keep(g, "%s", plain) : s->name;
		free(plain);
	}
	return s->shown ? s->shown : s->name;
}

struct guest_symbol *guest_find_symbol(struct guest_symbols *s, uint64_t addr)
{
	if (!s->sorted)
		guest_sort_symbols(s);
	const size_t low = base_count_leading(s->count, i, s->items[i].start <= addr);

	if (!low || addr - s->items[low - 1].start >= s->items[low - 1].size)
		return NULL;
	return s->items[low - 1].name ? &s->items[low - 1] : NULL;
}
