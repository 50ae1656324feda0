/* What a guest is asked. */
#include <string.h>

#include "guest/guest.h"
#include "guest/private.h"
#include "program/program.h"

/* ---- the kernel by its symbols -------------------------------------------------------------- */

/* Where an address is by the kernel's symbols; false: they do not have it. */
static bool move_to_symbols(const struct hs_guest *g, const struct guest_space *space,
                            uint64_t *addr)
{
	const bool low = *addr < g->bottom;

	if (space && !(low ? space->low_fits : space->fits))
		return false;
	if (space)
		*addr -= low ? space->low_slide : space->slide;
	return space || !low;
}

static bool find_kernel(struct hs_guest *g, const struct guest_space *space, uint64_t addr,
                        struct hs_guest_place *place)
{
	const struct guest_module *m = guest_find_module(g, addr);
	struct guest_symbol *s = NULL;
	uint64_t moved = addr;

	if (move_to_symbols(g, space, &moved))
		s = guest_find_symbol(&g->symbols, moved);
	if (s) {
		const char *name = guest_show(g, s);

		*place = (struct hs_guest_place){ .label = name,
			                          .function = name,
			                          .file = s->file,
			                          .start = s->start + (addr - moved),
			                          .size = s->size,
			                          .offset = moved - s->start,
			                          .symbol = s->name };
	} else if (m) {
		*place = (struct hs_guest_place){ .label = m->label,
			                          .file = m->file,
			                          .start = m->start,
			                          .size = m->size,
			                          .offset = addr - m->start };
	}
	return s || m;
}

/* ---- files by their code -------------------------------------------------------------------- */

#define BACK_MAX 256u /* pieces that may begin between an address and the piece that has it */

/* The bytes at an address: the caller's, else those that ran there first. */
static struct hs_span code_at(const struct hs_guest *g, const struct guest_space *space,
                              const struct hs_guest_at *at, uint64_t addr)
{
	const uint32_t end = space->first + space->count;
	uint32_t i = guest_first_piece(&g->evidence, space, addr);

	if (at->code.p)
		return at->code;
	if (i == end || guest_piece(&g->evidence, i)->addr != addr) /* inside an earlier one */
		for (uint32_t n = 0; i > space->first && n < BACK_MAX; n++) {
			const struct guest_piece *p = guest_piece(&g->evidence, --i);

			if (addr - p->addr < p->size)
				return (struct hs_span){ p->bytes + (addr - p->addr),
					                 p->size - (addr - p->addr) };
		}
	else
		return (struct hs_span){ guest_piece(&g->evidence, i)->bytes,
			                 guest_piece(&g->evidence, i)->size };
	return (struct hs_span){ 0 };
}

/* Is the file's code there what ran?  A kernel's may be patched. */
static bool is_same(const struct guest_object *o, const struct guest_segment *s, uint64_t at,
                    const struct hs_span *code)
{
	return o->patched || !code->p || !s->bytes ||
	       guest_count_other(s, at, code->p, code->n) == 0;
}

/* The mapping that has an address, and its segment; NULL: none, or none with this code. */
static const struct guest_mapping *find_mapping(const struct hs_guest *g,
                                                const struct guest_space *space,
                                                const struct hs_guest_at *at, uint64_t addr,
                                                const struct guest_segment **segment)
{
	struct hs_span code = { 0 };
	bool have_code = false;

	for (uint32_t i = 0; i < space->mapping_count; i++) {
		const struct guest_mapping *m = &g->mappings[space->first_mapping + i];
		const struct guest_object *o = &g->objects.items[m->object];

		*segment = guest_segment_at(o, m->bias, addr);
		if (!*segment)
			continue;
		if (!have_code && (m->other || at->code.p))
			code = code_at(g, space, at, addr);
		have_code = true;
		if (is_same(o, *segment, addr - m->bias - (*segment)->start, &code))
			return m;
	}
	return NULL;
}

static void fill_place(struct hs_guest *g, struct guest_object *o, const struct guest_mapping *m,
                       const struct guest_segment *s, uint64_t addr, struct hs_guest_place *place)
{
	struct hs_program *names = guest_names_of(g, o);
	struct hs_program_function f = { 0 };

	if (names && hs_program_find_function(names, addr - m->bias, &f))
		*place = (struct hs_guest_place){ .label = f.name,
			                          .function = f.name,
			                          .file = o->path,
			                          .start = f.start + m->bias,
			                          .size = f.size,
			                          .offset = addr - m->bias - f.start,
			                          .symbol = f.symbol };
	else
		*place = (struct hs_guest_place){ .label = o->label,
			                          .file = o->path,
			                          .start = s->start + m->bias,
			                          .size = s->size,
			                          .offset = addr - m->bias - s->start };
}

/* The space of a question; NULL: nothing ran there. */
static struct guest_space *space_of(const struct hs_guest *g, const struct hs_guest_at *at,
                                    uint64_t addr)
{
	return guest_find_space(&g->evidence, guest_class_of(at->priv, addr), at);
}

/* ---- questions ------------------------------------------------------------------------------ */

bool hs_guest_find_place(struct hs_guest *g, const struct hs_guest_at *at, uint64_t addr,
                         struct hs_guest_place *place)
{
	const enum guest_class class = guest_class_of(at->priv, addr);
	const bool kernel = class == CLASS_KERNEL || class == CLASS_GUEST_KERNEL;
	const struct guest_space *space = space_of(g, at, addr);
	const struct guest_segment *s;

	*place = (struct hs_guest_place){ 0 };
	if (kernel && find_kernel(g, space, addr, place) && place->function)
		return true;
	const struct guest_mapping *m = space ? find_mapping(g, space, at, addr, &s) : NULL;

	if (m)
		fill_place(g, &g->objects.items[m->object], m, s, addr, place);
	return place->label != NULL;
}

bool hs_guest_find_line(struct hs_guest *g, const struct hs_guest_at *at, uint64_t addr,
                        struct hs_guest_line *line)
{
	const struct guest_space *space = space_of(g, at, addr);
	const struct guest_segment *s;
	const struct guest_mapping *m = space ? find_mapping(g, space, at, addr, &s) : NULL;
	struct guest_object *o = m ? &g->objects.items[m->object] : NULL;
	struct hs_program *names = o ? guest_names_of(g, o) : NULL;
	struct hs_place place = { 0 };

	*line = (struct hs_guest_line){ 0 };
	if (names && hs_program_find_place(names, addr - m->bias, &place))
		*line = (struct hs_guest_line){ place.file, place.line, place.column, place.inlined,
			                        place.inlined_count };
	if (names)
		guest_note_names(g, o);
	return line->file != NULL;
}

/* ---- one name for all views --------------------------------------------------------- */

/* What the guest knows; where no mode is known, in any that has something there. */
static void ask_guest(struct hs_guest *g, const struct hs_guest_at *at, uint64_t addr,
                      struct hs_guest_place *place)
{
	static const uint8_t modes[] = { HS_PRIV_S, HS_PRIV_M };
	struct hs_guest_at here = *at;

	hs_guest_find_place(g, &here, addr, place);
	for (unsigned i = 0; at->priv == HS_PRIV_UNKNOWN && !place->label && i < sizeof(modes);
	     i++) {
		here.priv = modes[i];
		hs_guest_find_place(g, &here, addr, place);
	}
}

bool hs_guest_name(struct hs_guest *g, struct hs_program *p, const struct hs_guest_at *at,
                   uint64_t addr, struct hs_guest_place *place)
{
	struct hs_program_function f = { .name = NULL };

	*place = (struct hs_guest_place){ .label = NULL };
	if (g)
		ask_guest(g, at, addr, place);
	place->own = place->file && strcmp(place->file, GUEST_KERNEL) == 0;
	if (place->function || !p || !hs_program_is_as_in_file(p, addr, &at->code))
		return place->label != NULL;
	if (hs_program_find_function(p, addr, &f))
		*place = (struct hs_guest_place){ .label = f.name,
			                          .function = f.name,
			                          .file = f.file,
			                          .start = f.start,
			                          .size = f.size,
			                          .offset = addr - f.start,
			                          .symbol = f.symbol };
	else if (!place->label)
		place->file = f.file;
	place->own |= place->file && place->file == hs_program_own_file(p);
	return place->label != NULL;
}
