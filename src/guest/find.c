/* What a guest is asked. */
#include "guest/private.h"

/* Is it the kernel's code?  Linux has the upper half of addresses, and the lower one before it
 * switches translation on. */
static bool in_kernel(const struct hs_guest_at *at, uint64_t addr)
{
	if (at->priv == HS_PRIV_S || at->priv == HS_PRIV_VS)
		return true;
	return at->priv == HS_PRIV_UNKNOWN && addr >> 63;
}

static bool find_kernel(struct hs_guest *g, uint64_t addr, struct hs_guest_place *place)
{
	const struct guest_symbol *s = guest_find_symbol(&g->symbols, addr);
	const struct guest_module *m = guest_find_module(g, addr);

	if (s)
		*place = (struct hs_guest_place){ s->name, s->name, s->file, s->start, s->size,
			                          addr - s->start };
	else if (m)
		*place = (struct hs_guest_place){ m->label, NULL, m->file, m->start, m->size,
			                          addr - m->start };
	return s || m;
}

bool hs_guest_find_place(struct hs_guest *g, const struct hs_guest_at *at, uint64_t addr,
                         struct hs_guest_place *place)
{
	*place = (struct hs_guest_place){ 0 };
	return in_kernel(at, addr) && find_kernel(g, addr, place);
}

bool hs_guest_find_line(struct hs_guest *g, const struct hs_guest_at *at, uint64_t addr,
                        struct hs_guest_line *line)
{
	(void)g;
	(void)at;
	(void)addr;
	*line = (struct hs_guest_line){ 0 };
	return false;
}

const struct hs_guest_task *hs_guest_find_task(struct hs_guest *g, const struct hs_guest_at *at)
{
	(void)g;
	(void)at;
	return NULL;
}
