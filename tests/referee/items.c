/* Blocks as items (items.h). */
#include "referee/items.h"

#include <hartscope/status.h>

#include "referee/etrace_referee.h"
#include "referee/instructions.h"

void items_add(struct items *to, unsigned kind, uint64_t value, unsigned cause, bool interrupt)
{
	to->full |= to->n == to->cap;
	if (!to->full)
		to->item[to->n++] = (struct item){ value, kind, cause, interrupt };
}

static bool add_block(struct items *to, const struct items_code *code, const struct hs_block *b)
{
	uint64_t pc = b->iaddr;

	for (uint32_t left = b->iretire; left && !to->full;) {
		struct instr i;

		if (!instr_get(code->fetch, code->program, code->xlen, pc, &i) ||
		    i.size / 2 > left)
			return false;
		items_add(to, REFEREE_PC, pc, 0, false);
		left -= i.size / 2;
		pc += i.size;
		if (code->xlen == 32)
			pc &= UINT32_MAX;
	}
	return true;
}

bool items_add_blocks(struct items *to, const struct items_code *code,
                      const struct hs_block *blocks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct hs_block *b = &blocks[i];

		if (b->kind == HS_KIND_BLOCK) {
			if (!add_block(to, code, b))
				return false;
			to->interrupt = b->itype == HS_ITYPE_INTERRUPT;
			to->running |= b->iretire > 0;
		} else if (b->kind == HS_KIND_TRAP) {
			if (b->itype != HS_ITYPE_NONE) /* it has no block */
				to->interrupt = b->itype == HS_ITYPE_INTERRUPT;
			items_add(to, REFEREE_TRAP, to->interrupt ? 0 : b->value, b->arg,
			          to->interrupt);
		} else if (b->kind == HS_KIND_STOP || (b->kind == HS_KIND_SYNC && b->itype == 1)) {
			if (b->kind != HS_KIND_STOP || b->arg != HS_STOP_WAIT)
				items_end(to);
		}
	}
	return true;
}

void items_end(struct items *to)
{
	if (to->running)
		items_add(to, REFEREE_END, 0, 0, false);
	to->running = false;
}

bool items_same(const struct item *a, const struct item *b)
{
	return a->kind == b->kind && a->value == b->value && a->cause == b->cause &&
	       a->interrupt == b->interrupt;
}
