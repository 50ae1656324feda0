/* The harts of any source, for those who read them one by one. */
#include <stdlib.h>

#include "source/private.h"
#include "source/source.h"

static bool add_hart(struct source_harts *h, uint32_t hart)
{
	uint32_t *more;

	for (uint32_t i = 0; i < h->count; i++)
		if (h->numbers[i] == hart)
			return true;
	more = reallocarray(h->numbers, (size_t)h->count + 1, sizeof(*more));
	if (!more)
		return false;
	h->numbers = more;
	more[h->count++] = hart;
	return true;
}

/* Take the harts that a trace's items name; the one that is wanted, or 0, when they name none. */
static bool read_named(struct hs_source *source, struct source_harts *h)
{
	enum hs_status s = HS_OK;
	bool good = true;

	while (good && s != HS_END) {
		const struct hs_block *items;
		size_t n;

		s = hs_source_view(source, &items, &n, NULL);
		for (size_t i = 0; good && i < n; i++)
			if (items[i].kind == HS_KIND_HART)
				good = add_hart(h, items[i].arg);
	}
	return good && (h->count || add_hart(h, source->one_hart ? source->hart : 0));
}

enum hs_status source_read_harts(struct hs_source *source, struct source_harts *h,
                                 struct hs_error *error)
{
	const uint32_t *numbers;
	uint32_t count;
	bool good = true;

	*h = (struct source_harts){ .count = 0 };
	const enum hs_status status = hs_source_get_harts(source, &numbers, &count, error);

	if (status != HS_OK)
		return status;
	const bool trace = !hs_source_info(source);

	if (trace)
		good = read_named(source, h);
	for (uint32_t i = 0; good && i < count; i++) /* the items of an only one do not name it */
		good = add_hart(h, numbers[i]);
	if (!good)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	return trace ? hs_source_rewind(source, error) : HS_OK;
}
