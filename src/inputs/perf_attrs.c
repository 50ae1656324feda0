/* perf.data: attributes of events, and the ids by which records name them. */
#include <stdlib.h>

#include "inputs/perf_private.h"
#include "support/grow.h"

#define ATTR_MIN 64u /* PERF_ATTR_SIZE_VER0 */
#define ATTR_MAX 4096u
#define SAMPLE_TYPE 24u /* bytes into struct perf_event_attr */
#define FLAGS 40u
#define SECTION 16u /* offset and size */

static enum hs_status add_attr(struct hs_perf *p, const uint8_t *attr)
{
	if (!support_grow(&p->events.attrs, &p->events.attr_room, p->events.attr_count + 1,
	                  sizeof(*p->events.attrs)))
		return HS_E_MEMORY;
	p->events.attrs[p->events.attr_count++] =
		(struct perf_attr){ perf_number(attr + SAMPLE_TYPE, 8),
		                    perf_number(attr + FLAGS, 8) };
	return HS_OK;
}

static enum hs_status add_id(struct hs_perf *p, uint64_t id)
{
	if (!support_grow(&p->events.ids, &p->events.id_room, p->events.id_count + 1,
	                  sizeof(*p->events.ids)))
		return HS_E_MEMORY;
	p->events.ids[p->events.id_count++] = (struct perf_id){ id, p->events.attr_count - 1 };
	p->events.ids_sorted = false;
	return HS_OK;
}

/* The ids of the last attribute. */
static enum hs_status read_ids(struct hs_perf *p, uint64_t at, uint64_t size,
                               struct hs_error *error)
{
	if (size % 8 || at > p->size || size > p->size - at)
		return hs_error_set(error, HS_E_FORMAT,
		                    "%s: ids of an event at 0x%llx, %llu bytes: not in the file",
		                    p->name, (ull)at, (ull)size);
	for (uint64_t i = 0; i < size; i += 8) {
		const uint8_t *b = perf_bytes(p, at + i, 8);

		if (!b)
			return hs_error_set(error, HS_E_SYSTEM, "%s: cannot be read", p->name);
		if (add_id(p, perf_number(b, 8)) != HS_OK)
			return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", p->name);
	}
	return HS_OK;
}

enum hs_status perf_read_attrs(struct hs_perf *p, uint64_t at, uint64_t size, uint64_t each,
                               struct hs_error *error)
{
	enum hs_status status = HS_OK;

	if (each < ATTR_MIN + SECTION || each > ATTR_MAX || at > p->size || size > p->size - at)
		return hs_error_set(error, HS_E_FORMAT,
		                    "%s: attributes at 0x%llx, %llu bytes, each of %llu: not in "
		                    "the file, or of a size that they cannot have",
		                    p->name, (ull)at, (ull)size, (ull)each);
	for (uint64_t i = 0; i + each <= size && status == HS_OK; i += each) {
		const uint8_t *b = perf_bytes(p, at + i, (size_t)each);

		if (!b)
			return hs_error_set(error, HS_E_SYSTEM, "%s: cannot be read", p->name);
		const uint64_t ids = perf_number(b + each - SECTION, 8);
		const uint64_t ids_size = perf_number(b + each - 8, 8);

		if (add_attr(p, b) != HS_OK)
			return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", p->name);
		if (ids_size)
			status = read_ids(p, ids, ids_size, error);
	}
	return status;
}

enum hs_status perf_add_attr_record(struct hs_perf *p, const struct hs_span *body)
{
	const uint64_t size = body->n >= ATTR_MIN ? perf_number(body->p + 4, 4) : 0;
	enum hs_status status;

	if (size < ATTR_MIN || size > body->n)
		return HS_E_FORMAT;
	status = add_attr(p, body->p);
	for (uint64_t at = size; status == HS_OK && at + 8 <= body->n; at += 8)
		status = add_id(p, perf_number(body->p + at, 8));
	return status;
}

static int by_id(const void *a, const void *b)
{
	const struct perf_id *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static const struct perf_id *find_id(struct hs_perf *p, uint64_t id)
{
	const struct perf_id key = { id, 0 };

	if (!p->events.id_count)
		return NULL;
	if (!p->events.ids_sorted)
		qsort(p->events.ids, p->events.id_count, sizeof(*p->events.ids), by_id);
	p->events.ids_sorted = true;
	return bsearch(&key, p->events.ids, p->events.id_count, sizeof(*p->events.ids), by_id);
}

/* Where all attributes end records alike, the first one says how; else each has IDENTIFIER, which
 * is the last word of a record. */
const struct perf_attr *perf_attr_of(struct hs_perf *p, uint64_t last)
{
	const struct perf_id *found = NULL;

	if (!p->events.attr_count)
		return NULL;
	if (p->events.attrs[0].sample_type & HS_PERF_HAS_IDENTIFIER)
		found = find_id(p, last);
	return &p->events.attrs[found ? found->attr : 0];
}
