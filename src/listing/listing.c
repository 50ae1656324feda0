/* Listings: on one thread, or on several. */
#include "listing/private.h"

enum hs_status hs_listing_new(const struct hs_listing_options *options,
                              struct hs_listing **listing)
{
	return listing_new(options, listing);
}

void hs_listing_free(struct hs_listing *l)
{
	if (l)
		listing_team_free(l);
	listing_free(l);
}

enum hs_status hs_listing_add(struct hs_listing *l, const struct hs_block *blocks, size_t n)
{
	return l->o.threads > 1 ? listing_team_add(l, blocks, n) : listing_add_items(l, blocks, n);
}

enum hs_status hs_listing_end(struct hs_listing *l)
{
	enum hs_status s = listing_team_drain(l);

	if (s == HS_OK)
		s = listing_end_items(l);
	if (s == HS_OK) {
		if (l->format->end)
			l->format->end(l);
		s = listing_flush(l);
	}
	return s;
}

uint64_t hs_listing_count(const struct hs_listing *l)
{
	return l->seen;
}

uint64_t hs_listing_unmapped(const struct hs_listing *l)
{
	return l->unmapped;
}
