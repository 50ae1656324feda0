/* Sources: all items, to a taker (source.h). */
#include "source/private.h"

enum hs_status hs_source_follow(struct hs_source *source, const struct hs_taker *taker)
{
	struct hs_error e = { .status = HS_OK };
	enum hs_status s = HS_OK;
	bool more = true;

	while (more && s != HS_END) {
		const struct hs_block *items;
		size_t n;

		s = hs_source_view(source, &items, &n, &e);
		if (s != HS_OK && s != HS_END && taker->error)
			taker->error(taker->to, &e);
		more = !taker->take || taker->take(taker->to, items, n);
	}
	return more ? HS_OK : HS_MORE;
}
