/* Sources: TEXT_POKE records of a perf.data as a list of changes (design/perf-data).
 *
 * What is known of a change is its time: it stands in the list in place of a byte of the trace. */
#include <stdlib.h>
#include <string.h>

#include "inputs/inputs.h"
#include "source/private.h"
#include "source/source.h"

#define POKES_MAX ((size_t)1 << 20)

/* What was at an address, and what is there from then on. */
struct poke {
	uint64_t time, address, at; /* @at: of the record in the file */
	uint32_t old_size, new_size;
	uint8_t *bytes; /* old, then new */
};

struct pokes {
	struct poke *items;
	size_t count, room;
	bool more; /* than are kept */
};

static bool make_room(struct pokes *p)
{
	const size_t room = p->room ? 2 * p->room : 64;
	struct poke *more;

	if (p->count < p->room)
		return true;
	more = realloc(p->items, room * sizeof(*more));
	if (!more)
		return false;
	p->items = more;
	p->room = room;
	return true;
}

static bool add_poke(struct pokes *p, const struct hs_perf_event *e)
{
	const size_t n = e->bytes.n + e->poke.n;

	p->more |= p->count == POKES_MAX;
	if (!n || p->more)
		return true;
	uint8_t *bytes = malloc(n);

	if (!bytes || !make_room(p)) {
		free(bytes);
		return false;
	}
	if (e->bytes.n)
		memcpy(bytes, e->bytes.p, e->bytes.n);
	if (e->poke.n)
		memcpy(bytes + e->bytes.n, e->poke.p, e->poke.n);
	p->items[p->count++] = (struct poke){ e->sample.time, e->address, e->at, e->old_size,
		                              e->new_size, bytes };
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct poke *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static bool add_change(struct hs_code_changes *list, uint64_t time, uint64_t address,
                       const uint8_t *bytes, uint32_t size)
{
	const struct hs_code_change c = { .blocks = HS_CHANGE_BY_OFFSET, .offset = time,
		                          .code = { address, size, bytes } };

	/* what wraps around the end of the address space is no code */
	return !size || hs_code_changes_add(list, &c) != HS_E_MEMORY;
}

/* First what was there before the first change of each address: the files may have either. */
static bool make_list(const struct pokes *p, struct hs_code_changes *list)
{
	bool good = true;

	for (size_t i = p->count; good && i-- > 0;)
		good = add_change(list, 0, p->items[i].address, p->items[i].bytes,
		                  p->items[i].old_size);
	for (size_t i = 0; good && i < p->count; i++)
		good = add_change(list, p->items[i].time, p->items[i].address,
		                  p->items[i].bytes + p->items[i].old_size,
		                  p->items[i].new_size);
	return good;
}

enum hs_status source_read_pokes(struct source_perf *perf, struct hs_code_changes **list)
{
	struct pokes pokes = { .items = NULL };
	struct hs_perf_event e;
	bool good = true;

	while (good && hs_perf_next(perf->file, &e, NULL) == HS_OK)
		if (e.type == HS_PERF_TEXT_POKE)
			good = add_poke(&pokes, &e);
	hs_perf_rewind(perf->file);
	if (good && pokes.count) {
		qsort(pokes.items, pokes.count, sizeof(*pokes.items), by_time);
		good = hs_code_changes_new(list) == HS_OK && make_list(&pokes, *list);
		perf->by_time = true;
	}
	for (size_t i = 0; i < pokes.count; i++)
		free(pokes.items[i].bytes);
	free(pokes.items);
	if (pokes.more)
		return HS_E_UNSUPPORTED;
	return good ? HS_OK : HS_E_MEMORY;
}
