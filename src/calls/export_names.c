/* Names of places and functions, as all formats have them. */
#include <stdio.h>

#include "calls/exports_private.h"

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
