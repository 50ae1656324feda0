/* What the items of a trace before one of its bytes mean to those after it: which hart they are
 * of, its contexts, and the block that it executed last. */
#ifndef HS_SOURCE_LEAD_H
#define HS_SOURCE_LEAD_H

#include <stdbool.h>
#include <stddef.h>

#include <hartscope/source.h>

#define LEAD_HARTS 64u
#define LEAD_FORMATS 4u /* of PROCESS (NT Table 12) */
_Static_assert(LEAD_HARTS *(LEAD_FORMATS + 2u) < HS_SOURCE_LEAD, "they fit");

struct lead_hart {
	uint32_t number;
	bool has_last; /* not after a gap or a stop */
	struct hs_block last;
	struct hs_block contexts[LEAD_FORMATS]; /* kind is 0: none */
};

/* Zero but for count, which is 1: nothing was before. */
struct source_lead {
	struct lead_hart harts[LEAD_HARTS];
	uint32_t count, now;
	bool named; /* HS_KIND_HART was among the items */
	bool over;  /* more harts than these */
};

void source_lead_start(struct source_lead *l);
void source_lead_follow(struct source_lead *l, const struct hs_block *items, size_t n);
bool source_lead_same(const struct source_lead *a, const struct source_lead *b);
/* The same as items: at most HS_SOURCE_LEAD. */
size_t source_lead_items(const struct source_lead *l, struct hs_block *out);

#endif
