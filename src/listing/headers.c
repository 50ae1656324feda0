/* Listings: headers, by numbers that stay until all that is kept is forgotten. */
#include <string.h>

#include "listing/private.h"

static bool same_header(const void *item, const void *key)
{
	return memcmp(item, key, sizeof(struct listed_header)) == 0;
}

uint32_t listing_number_header(struct listing_texts *t, const struct listed_header *h)
{
	const uint32_t hash = support_hash_of((uintptr_t)h->file ^ (uint64_t)h->line << 40 ^
	                                              (uintptr_t)h->inlined,
	                                      (uintptr_t)h->function ^ h->function_start);
	struct listed_header *known = support_hash_find(&t->headers, hash, same_header, h);

	if (!known) {
		known = support_hash_add(&t->headers, hash);
		if (!known)
			return 0;
		*known = *h;
	}
	return (uint32_t)(known - (struct listed_header *)t->headers.items) + 1;
}

uint32_t listing_header_of(struct hs_listing *l, const struct listed_insn *i)
{
	const struct listed_header h = { i->place.function, i->place.file,     i->place.object,
		                         i->place.inlined,  i->function_start, i->place.line };

	return listing_number_header(&l->texts, &h);
}

struct listed_header listing_header_at(const struct hs_listing *l, uint32_t number)
{
	return *(struct listed_header *)support_hash_item(&l->texts.headers, number - 1);
}

void listing_forget_paths(struct hs_listing *l)
{
	if (l->texts.of_paths)
		memset(l->texts.of_paths, 0, l->texts.path_room * sizeof(*l->texts.of_paths));
}

enum hs_status listing_forget(struct hs_listing *l)
{
	struct listing_texts *t = &l->texts;
	struct listed_header now = { 0 };

	if (l->header)
		now = listing_header_at(l, l->header);
	support_hash_clear(&l->insns);
	support_hash_clear(&t->blocks);
	support_hash_clear(&t->scopes);
	support_hash_clear(&t->headers);
	t->arena_n = 0;
	t->has_last = t->has_scope = false;
	listing_forget_paths(l);
	if (!l->header)
		return HS_OK;
	l->header = listing_number_header(t, &now);
	return l->header ? HS_OK : HS_E_MEMORY;
}

/* ---- printing one ------------------------------------------------------------------- */

void listing_note_seam(struct hs_listing *l, size_t n, uint32_t header)
{
	*l->share.seam = (struct listing_seam){ .any = true,
		                                .at = l->share.flushed + l->out_n,
		                                .n = n,
		                                .header = listing_header_at(l, header) };
}

void listing_put(struct hs_listing *l, const struct listed_insn *i, const struct hs_block *last,
                 const struct hs_access *data)
{
	const struct listing_format *f = l->format;

	if (f->header && i->header != l->header) {
		const size_t n = l->out_n;

		l->header = i->header;
		f->header(l, i);
		if (listing_is_seam(l)) {
			const size_t header_n = l->out_n - n;

			l->out_n = n;
			listing_note_seam(l, header_n, i->header);
			l->out_n += header_n;
		}
	}
	f->insn(l, i, last, data);
}
