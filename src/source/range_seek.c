/* Where reading a range begins: at a place of the index, if there is one that fits. */
#include <stdlib.h>

#include "source/private.h"
#include "source/source.h"

struct seek {
	struct hs_source *source;
	const struct hs_range_options *range;
	struct hs_trace_index_entry entry; /* where the source stands then */
	uint64_t total;                    /* instructions of all of it; UINT64_MAX: not known */
};

/* Continue at an entry. */
static bool go_to(struct hs_source *source, const struct hs_trace_index_entry *e,
                  struct hs_error *error)
{
	const size_t count = e->state.n / sizeof(uint32_t);
	uint32_t *state = calloc(count + 1, sizeof(*state));
	bool good = state != NULL;

	for (size_t i = 0; good && i < e->state.n; i++)
		state[i / 4] |= (uint32_t)e->state.p[i] << i % 4 * 8;
	good = good && hs_source_seek(source, &e->place, state, count, error) == HS_OK;
	free(state);
	return good;
}

/* Why an index that is there is not used. */
static void say_why(const struct hs_range_options *r, enum hs_status s, const struct hs_error *why)
{
	struct hs_error e = { .status = HS_OK };

	if (s == HS_E_DIFFERS)
		hs_error_set(&e, s,
		             "%s.idx is not used: it is of another trace, program, "
		             "parameters or version; 'hartscope index' makes it again",
		             r->index);
	else if (s == HS_E_FORMAT)
		hs_error_set(&e, s, "%s.idx is not used: it is damaged", r->index);
	else if (s == HS_OK)
		hs_error_set(&e, HS_E_FORMAT, "%s.idx is not used: %s", r->index, why->text);
	if (e.status != HS_OK && r->note)
		r->note(r->note_to, e.text);
}

/* Go to the last place before a value.  False: the source stands at its start. */
static bool seek_to(struct seek *k, enum hs_trace_index_key key, uint64_t value)
{
	const uint64_t fingerprint = k->range->index ? hs_source_fingerprint(k->source) : 0;
	struct hs_error e = { 0 };
	struct hs_span file = { NULL, 0 };
	bool found = false;

	k->entry = (struct hs_trace_index_entry){ .instructions = 0 };
	k->total = UINT64_MAX;
	if (fingerprint)
		hs_source_map_index(k->range->index, &file);
	if (!file.n)
		return false;
	const enum hs_status s =
		hs_trace_index_find(&file, fingerprint, key, value, &k->entry, &k->total);

	if (s == HS_OK)
		found = go_to(k->source, &k->entry, &e);
	if (!found && s != HS_END) {
		say_why(k->range, s, &e);
		k->total = UINT64_MAX;
	}
	if (!found) {
		hs_source_rewind(k->source, NULL);
		k->entry = (struct hs_trace_index_entry){ .instructions = 0 };
	}
	hs_source_unmap_index(&file);
	return found;
}

/* Can the range begin at a place of the index?  Times before an address or function are not counted
 * there, and several harts of a recording come one after the other. */
static bool may_seek(const struct hs_range_options *r, const struct hs_source *source)
{
	const struct hs_rec_info *info = hs_source_info(source);

	if (r->from.kind == HS_POSITION_NONE || r->from.kind > HS_POSITION_BYTE || r->to.count)
		return false;
	return r->from.kind != HS_POSITION_TIME || !info || info->harts <= 1;
}

static bool ends_reading(enum hs_status s)
{
	return s == HS_END || s == HS_E_ARG || s == HS_E_CONFIG || s == HS_E_SYSTEM ||
	       s == HS_E_MEMORY || s == HS_E_UNSUPPORTED;
}

/* Instructions of all of a source, which is rewound. */
static enum hs_status count_all(struct hs_source *source, uint64_t *count, struct hs_error *e)
{
	const struct hs_range_options none = {
		.size = sizeof(none),
		.from = { .kind = HS_POSITION_INSTRUCTION, .value = UINT64_MAX },
	};
	struct hs_range_found found = { .seen = 0 };
	struct hs_block items[64];
	enum hs_status s = source_set_range(source, &none, 0, e);
	size_t n;

	while (!ends_reading(s)) {
		struct hs_error own = { .status = HS_OK }; /* damage is none of @e */

		s = hs_source_next(source, items, sizeof(items) / sizeof(*items), &n, &own);
		if (s != HS_END && ends_reading(s))
			hs_error_set(e, s, "%s", own.text);
	}
	if (s != HS_END)
		return s;
	hs_source_get_range(source, &found);
	*count = found.seen;
	return hs_source_rewind(source, e);
}

/* Where the last instructions begin. */
static enum hs_status find_last(struct seek *k, struct hs_position *from, struct hs_error *e)
{
	const uint64_t last = k->range->last;
	enum hs_status s = HS_OK;

	if (seek_to(k, HS_TRACE_INDEX_INSTRUCTIONS, 0))
		s = hs_source_rewind(k->source, e);
	if (s == HS_OK && k->total == UINT64_MAX)
		s = count_all(k->source, &k->total, e);
	*from = (struct hs_position){ .kind = HS_POSITION_INSTRUCTION,
		                      .value = k->total > last ? k->total - last : 0 };
	return s;
}

enum hs_status hs_source_set_range(struct hs_source *s, const struct hs_range_options *range,
                                   struct hs_error *error)
{
	static const enum hs_trace_index_key keys[] = {
		[HS_POSITION_INSTRUCTION] = HS_TRACE_INDEX_INSTRUCTIONS,
		[HS_POSITION_TIME] = HS_TRACE_INDEX_TIME,
		[HS_POSITION_BYTE] = HS_TRACE_INDEX_BYTE,
	};
	struct hs_range_options r = { .size = 0 };
	struct seek k = { .source = s, .range = range };
	enum hs_status status = HS_OK;

	if (range->size != sizeof(r))
		return hs_error_set(error, HS_E_CONFIG, "hs_range_options: another size");
	r = *range;
	if (r.last)
		status = find_last(&k, &r.from, error);
	if (status != HS_OK)
		return status;
	k.entry.instructions = 0;
	if (r.index && may_seek(&r, s))
		seek_to(&k, keys[r.from.kind], r.from.value);
	return source_set_range(s, &r, k.entry.instructions, error);
}
