/* The functions of an export, numbered as they are first entered. */
#include "exports/private.h"

static bool same_function(const void *item, const void *key)
{
	const struct exports_function *a = item, *b = key;

	return a->name == b->name && a->start == b->start;
}

uint32_t exports_function_of(struct hs_export *x, struct exports_span *s)
{
	struct exports_function key = { .name = s->name, .start = s->start };
	const uint32_t hash = support_hash_of(s->start, (uintptr_t)s->name);

	if (s->function)
		return s->function - 1;
	struct exports_function *f =
		support_hash_find(&x->functions, hash, same_function, &key);

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
