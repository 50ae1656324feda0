/* Listings of bare PCs. */
#include "listing/private.h"

static void print_line(struct hs_listing *l, const struct listed_insn *i,
                       const struct hs_block *last, const struct hs_access *data)
{
	char *to = listing_hex(l->out + l->out_n, i->addr);

	(void)last;
	(void)data;
	*to++ = '\n';
	l->out_n = (size_t)(to - l->out);
}

const struct listing_format listing_pc = { .bare = true, .insn = print_line };
