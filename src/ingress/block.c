/* The rules of the retired block that every room relies on (NT 2). */
#include <hartscope/block.h>

#include "ingress/ingress.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const itype_names[] = {
	[HS_ITYPE_NONE] = "none",
	[HS_ITYPE_EXCEPTION] = "exception",
	[HS_ITYPE_INTERRUPT] = "interrupt",
	[HS_ITYPE_XRET] = "trap return",
	[HS_ITYPE_NOT_TAKEN] = "branch not taken",
	[HS_ITYPE_TAKEN] = "taken branch",
	[HS_ITYPE_UNINFERABLE] = "uninferable jump",
	[HS_ITYPE_RESERVED] = "reserved",
	[HS_ITYPE_CALL_UNINF] = "uninferable call",
	[HS_ITYPE_CALL_INF] = "inferable call",
	[HS_ITYPE_TAIL_UNINF] = "uninferable tail call",
	[HS_ITYPE_TAIL_INF] = "inferable tail call",
	[HS_ITYPE_SWAP] = "co-routine swap",
	[HS_ITYPE_RETURN] = "return",
	[HS_ITYPE_JUMP_UNINF] = "other uninferable jump",
	[HS_ITYPE_JUMP_INF] = "other inferable jump",
};

static const char *const kind_names[] = {
	[HS_KIND_BLOCK] = "block",     [HS_KIND_TRAP] = "trap",       [HS_KIND_HART] = "hart",
	[HS_KIND_SYNC] = "sync",       [HS_KIND_GAP] = "gap",         [HS_KIND_STOP] = "stop",
	[HS_KIND_CONTEXT] = "context", [HS_KIND_TIME] = "time",       [HS_KIND_CODE] = "code",
	[HS_KIND_NOTE] = "note",       [HS_KIND_SOURCE] = "source",   [HS_KIND_TARGET] = "target",
	[HS_KIND_CYCLES] = "cycles",   [HS_KIND_DATA] = "data",       [HS_KIND_VALUE] = "value",
	[HS_KIND_UNSEEN] = "unseen",   [HS_KIND_VERSION] = "version", [HS_KIND_PATH] = "run",
};

const char *hs_itype_name(unsigned itype)
{
	return itype < COUNT(itype_names) ? itype_names[itype] : "?";
}

const char *hs_kind_name(unsigned kind)
{
	return kind < COUNT(kind_names) ? kind_names[kind] : "?";
}

bool hs_block_equal(const struct hs_block *a, const struct hs_block *b)
{
	return a->kind == b->kind && a->value == b->value && a->arg == b->arg &&
		a->ilast == b->ilast &&
	       a->itype == b->itype && a->priv == b->priv && a->sijump == b->sijump;
}

bool hs_block_same(const struct hs_block *a, const struct hs_block *b)
{
	const bool unknown = a->priv == HS_PRIV_UNKNOWN || b->priv == HS_PRIV_UNKNOWN;

	if (a->kind == HS_KIND_TRAP && b->kind == HS_KIND_TRAP && unknown) {
		struct hs_block own = *a;

		own.priv = b->priv;
		return hs_block_equal(&own, b);
	}
	if (a->kind != HS_KIND_BLOCK || b->kind != HS_KIND_BLOCK)
		return hs_block_equal(a, b);
	if (a->priv != b->priv && !unknown)
		return false;
	return a->iaddr == b->iaddr && a->iretire == b->iretire && a->ilast == b->ilast &&
	       a->itype == b->itype;
}

/* What one block must keep, whatever came before it. */
static bool well_formed(const struct hs_block *b)
{
	const bool trap = hs_itype_is_trap(b->itype);

	if (b->itype > HS_ITYPE_JUMP_INF || b->itype == HS_ITYPE_RESERVED)
		return false;
	if ((b->iaddr & 1) != 0 || b->ilast > b->iretire)
		return false;
	return b->iretire == 0 ? trap : b->ilast != 0;
}

/* The end of a 32-bit address space is followed by its start, and a block does not say
 * how wide its hart is: a block that ends at 2^32 may be followed by address 0. */
static bool follows(const struct hs_block *prev, const struct hs_block *b)
{
	const uint64_t end = hs_block_end(prev);

	if (prev->itype != HS_ITYPE_NONE && prev->itype != HS_ITYPE_NOT_TAKEN)
		return true;
	return b->iaddr == end || (end == UINT64_C(1) << 32 && b->iaddr == 0);
}

/* After these events the address of the next block says nothing about the last one. */
static bool breaks_flow(const struct hs_block *event)
{
	switch (event->kind) {
	case HS_KIND_HART:
	case HS_KIND_GAP:
	case HS_KIND_STOP:
		return true;
	case HS_KIND_CONTEXT:
		return event->itype == 3; /* ctype: a discontinuity (block.h) */
	case HS_KIND_NOTE:
		return event->arg == HS_NOTE_EXEC || event->arg == HS_NOTE_PARTIAL;
	default:
		return false;
	}
}

enum hs_status hs_block_check(struct hs_block_checker *c, const struct hs_block *b)
{
	if (b->kind >= COUNT(kind_names) || b->kind == HS_KIND_PATH) /* which is in no file */
		return HS_E_BLOCK;
	if (b->kind != HS_KIND_BLOCK) {
		if (breaks_flow(b))
			c->have = false;
		return HS_OK;
	}
	if (!well_formed(b) || (c->have && !follows(&c->prev, b)))
		return HS_E_BLOCK;
	c->prev = *b;
	c->have = true;
	return HS_OK;
}
