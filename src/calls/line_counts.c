/* Counts of blocks and calls, for formats of source lines (line_format.h). */
#include <stdlib.h>

#include <hartscope/status.h>

#include "calls/line_counts.h"

enum hs_status exports_lines_begin(struct hs_export *x, const struct line_places *places)
{
	struct line_profile *p = calloc(1, sizeof(*p));

	if (!p)
		return HS_E_MEMORY;
	p->places = places;
	p->blocks.item_size = p->calls.item_size = sizeof(struct line_pair);
	p->records.item_size = sizeof(struct line_record);
	x->own = p;
	return HS_OK;
}

void exports_lines_free(struct hs_export *x)
{
	struct line_profile *p = x->own;

	support_hash_free(&p->blocks);
	support_hash_free(&p->calls);
	support_hash_free(&p->records);
	free(p);
}

static bool same_pair(const void *item, const void *key)
{
	const struct line_pair *a = item, *b = key;

	return a->from == b->from && a->to == b->to && a->program == b->program &&
	       a->indirect == b->indirect;
}

static bool count(struct support_hash *pairs, const struct line_pair *key)
{
	const uint32_t hash = support_hash_of(key->from, (uintptr_t)key->program + key->to);
	struct line_pair *p = support_hash_find(pairs, hash, same_pair, key);

	if (!p) {
		p = support_hash_add(pairs, hash);
		if (!p)
			return false;
		*p = *key;
	}
	p->count++;
	return true;
}

static struct line_pair call_at_end(const struct hs_block *b, struct hs_program *program)
{
	const bool indirect = b->itype == HS_ITYPE_CALL_UNINF;

	if (!indirect && b->itype != HS_ITYPE_CALL_INF)
		return (struct line_pair){ .from = 0 };
	return (struct line_pair){ hs_block_end(b), 0, program, 0, indirect };
}

static enum hs_status add_block(struct hs_export *x, const struct hs_block *b)
{
	struct line_profile *p = x->own;
	const struct line_pair block = { b->iaddr, hs_block_end(b), x->select.program, 0, false };
	uint32_t n;
	const enum hs_status s = program_count_block(&x->counts, &x->select, b, &n);
	bool good = s == HS_OK;

	if (good && p->call.from) {
		p->call.to = b->iaddr;
		good = count(&p->calls, &p->call);
	}
	if (good && n)
		good = count(&p->blocks, &block);
	p->call = n ? call_at_end(b, x->select.program) : (struct line_pair){ .from = 0 };
	x->report.instructions += n;
	return good ? HS_OK : HS_E_MEMORY;
}

enum hs_status exports_lines_item(struct hs_export *x, const struct hs_block *b)
{
	struct line_profile *p = x->own;

	if (b->kind == HS_KIND_BLOCK)
		return add_block(x, b);
	p->call.from = 0;
	return program_select_event(&x->select, b);
}

const struct support_hash *exports_lines_end(struct hs_export *x)
{
	struct line_profile *p = x->own;

	return lines_make_records(p, &x->select) ? &p->records : NULL;
}
