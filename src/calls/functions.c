/* The functions of an export, numbered as they are first entered, and their names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/exports_private.h"
#include "guest/guest.h"

void exports_find(struct hs_export *x, uint64_t addr, uint8_t priv, struct exports_place *place)
{
	const struct hs_guest_at at = { .context = x->select.at.context,
		                        .has_context = x->select.at.has_context,
		                        .priv = priv };
	struct hs_guest_place named;
	struct hs_guest_line line;
	struct hs_place found;

	*place = (struct exports_place){ NULL, NULL, 0 };
	hs_guest_name(x->o.guest, x->select.program, &at, addr, &named);
	place->object = named.file;
	if (x->o.guest && hs_guest_find_line(x->o.guest, &at, addr, &line)) {
		place->file = line.file;
		place->line = line.line;
	} else if (hs_program_find_place(x->select.program, addr, &found) && found.file) {
		place->file = found.file;
		place->line = found.line;
	}
}

const char *exports_name(const char *name, uint64_t start_address, char text[32])
{
	if (name)
		return name;
	snprintf(text, 32, "0x%llx", (ull)start_address);
	return text;
}

static bool same_function(const void *item, const void *key)
{
	const struct exports_function *a = item, *b = key;

	return a->name == b->name && a->start == b->start && a->inner == b->inner;
}

uint32_t exports_function_of(struct hs_export *x, struct exports_span *s)
{
	struct exports_function key = { .name = s->name, .start = s->start, .inner = s->inner };
	const uint32_t hash = support_hash_of(s->start, (uintptr_t)s->name + s->inner);

	if (s->function)
		return s->function - 1;
	struct exports_function *f = support_hash_find(&x->functions, hash, same_function, &key);

	if (!f) {
		exports_find(x, s->start, HS_PRIV_UNKNOWN, &key.place);
		f = support_hash_add(&x->functions, hash);
		if (!f)
			return UINT32_MAX;
		*f = key;
	}
	const size_t at = (size_t)((char *)f - (char *)x->functions.items);

	s->function = 1 + (uint32_t)(at / sizeof(*f));
	return s->function - 1;
}

struct exports_function *exports_function_at(const struct hs_export *x, uint32_t number)
{
	return support_hash_item(&x->functions, number);
}

bool exports_have_label(struct hs_export *x, uint32_t number)
{
	struct exports_function *f = exports_function_at(x, number);
	char address[32];

	if (f->label)
		return true;
	const char *name = exports_name(f->name, f->start, address);
	const size_t room = 6 * strlen(name) + 3; /* \u0080 for a byte */
	struct exports_label *label = malloc(sizeof(*label) + room);

	if (!label)
		return false;
	label->n = x->format->label(label->text, room, name);
	struct exports_label *shorter = realloc(label, sizeof(*label) + label->n);

	if (shorter) /* where it is not to be had, the longer one stays */
		label = shorter;
	f->label = label;
	return true;
}

void exports_free_functions(struct hs_export *x)
{
	for (uint32_t i = 0; i < x->functions.count; i++)
		free(exports_function_at(x, i)->label);
	support_hash_free(&x->functions);
}
