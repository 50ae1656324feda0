/* The blocks of each hart of an execution log. */
#include <stdlib.h>
#include <string.h>

#include "inputs/log_private.h"
#include "support/grow.h"

struct log_hart *log_hart_of(struct hs_exec_log *l, uint64_t id)
{
	struct log_hart **more, *h = l->current;

	if (h && h->id == id)
		return h;
	for (uint32_t i = 0; i < l->hart_count; i++)
		if (l->harts[i]->id == id)
			return l->current = l->harts[i];
	if (l->hart_count == LOG_HARTS || id > UINT32_MAX)
		return NULL;
	more = realloc(l->harts, (l->hart_count + 1) * sizeof(*more));
	if (more)
		l->harts = more;
	h = more ? calloc(1, sizeof(*h)) : NULL;
	if (!h) {
		l->no_memory = true;
		return NULL;
	}
	h->id = (uint32_t)id;
	h->owner = l->hart_count + 1;
	hs_builder_init(&h->builder, l->isa.xlen);
	l->harts[l->hart_count++] = h;
	return l->current = h;
}

/* ---- blocks that wait to be taken --------------------------------------------------------- */

static void push(struct hs_exec_log *l, const struct hs_block *b)
{
	if (!support_grow(&l->out.at, &l->out.room, l->out.n + 1, sizeof(*l->out.at))) {
		l->no_memory = true;
		return;
	}
	/* All of it is zeroed, padding included. */
	struct hs_block *to = memset(&l->out.at[l->out.n++], 0, sizeof(*to));

	to->value = b->value;
	to->arg = b->arg;
	to->ilast = b->ilast;
	to->itype = b->itype;
	to->priv = b->priv;
	to->sijump = b->sijump;
	to->kind = b->kind;
}

/* Pass on what a hart's builder made; if the hart is not the last one reported, an event first. */
static void report(struct hs_exec_log *l, struct log_hart *h, const struct hs_blocks *made)
{
	if (made->n && l->reported != h) {
		push(l, &(struct hs_block){ .arg = h->id, .kind = HS_KIND_HART });
		l->reported = h;
	}
	for (size_t i = 0; i < made->n; i++)
		push(l, &made->at[i]);
}

void log_gap(struct hs_exec_log *l, struct log_hart *h, enum hs_status why)
{
	struct hs_block gap = { .value = l->place.offset, .arg = why, .kind = HS_KIND_GAP };
	struct hs_blocks made = { &gap, 1, 1 };

	log_finish_trap(l, h);
	if (h->pending_done)
		log_retire_pending(l, h);
	log_flush_hart(l, h);
	h->have_pending = h->have_last = h->running.have = h->have_next = false;
	h->pending_faulted = h->repeating.have = false;
	report(l, h, &made);
}

static void build(struct hs_exec_log *l, struct log_hart *h, const struct log_insn *i);

/* A branch waits for what follows it, which shows its outcome.  If nothing follows, it is left out,
 * unless the log itself says where it led. */
static void build_branch(struct hs_exec_log *l, struct log_hart *h)
{
	if (h->have_branch)
		build(l, h, &h->branch);
	h->have_branch = false;
}

void log_flush_hart(struct hs_exec_log *l, struct log_hart *h)
{
	struct hs_block at[2 * HS_BUILDER_ROOM];
	struct hs_blocks made = { at, 2 * HS_BUILDER_ROOM, 0 };

	if (h->have_branch && h->have_next && log_explains(l, &h->branch, h->next)) {
		build_branch(l, h);
		hs_builder_cut(&h->builder, h->next, &made);
	} else if (h->have_branch) { /* the flow came as far as the branch */
		hs_builder_cut(&h->builder, h->branch.pc, &made);
	}
	h->have_branch = false;
	hs_builder_flush(&h->builder, &made);
	report(l, h, &made);
}

/* ---- instructions ------------------------------------------------------------------------- */

static uint64_t end_of(const struct hs_exec_log *l, const struct log_insn *i)
{
	const uint64_t end = i->pc + 2u * i->insn.hwords;

	return l->isa.xlen == 32 ? end & UINT32_MAX : end;
}

bool log_explains(const struct hs_exec_log *l, const struct log_insn *last, uint64_t next)
{
	switch (last->insn.kind) {
	case HS_INSN_LINEAR:
		return next == end_of(l, last);
	case HS_INSN_BRANCH:
		return next == end_of(l, last) || next == last->insn.target;
	case HS_INSN_JUMP:
	case HS_INSN_CALL:
		return next == last->insn.target;
	default:
		return true;
	}
}

/* If the code at an address has changed, end the block and report an event. */
static void change_code(struct hs_exec_log *l, struct log_hart *h, const struct log_insn *i)
{
	const struct hs_block event = { .value = i->pc, .kind = HS_KIND_VERSION };
	struct hs_block at[2 * HS_BUILDER_ROOM];
	struct hs_blocks made = { at, 2 * HS_BUILDER_ROOM, 0 };
	uint32_t number = 0;
	const enum log_seen seen =
		log_code_see(&l->code, h->owner, i->pc, i->bytes, 2u * i->insn.hwords, &number);

	l->no_memory |= seen == LOG_NO_MEMORY;
	if (seen != LOG_CHANGED)
		return;
	hs_builder_cut(&h->builder, i->pc, &made);
	at[made.n] = event;
	at[made.n++].arg = number;
	report(l, h, &made);
}

/* The time of a block's first instruction. */
static void report_time(struct hs_exec_log *l, struct log_hart *h, const struct log_insn *i)
{
	const struct hs_block event = { .value = i->time, .kind = HS_KIND_TIME };
	const struct hs_builder *b = &h->builder;
	struct hs_block at[HS_BUILDER_ROOM];
	struct hs_blocks made = { at, HS_BUILDER_ROOM, 0 };

	if (!i->timed || (b->have && !b->ended && h->have_last && end_of(l, &h->last) == i->pc))
		return;
	hs_builder_event(&h->builder, &event, &made);
	report(l, h, &made);
}

static void build(struct hs_exec_log *l, struct log_hart *h, const struct log_insn *i)
{
	const struct hs_retired r = {
		.iaddr = i->pc, .insn = i->insn, .known = true, .priv = i->priv
	};
	struct hs_block at[HS_BUILDER_ROOM];
	struct hs_blocks made = { at, HS_BUILDER_ROOM, 0 };

	report_time(l, h, i);
	hs_builder_insn(&h->builder, &r, &made);
	report(l, h, &made);
	l->stats.instructions++;
}

void log_retire(struct hs_exec_log *l, struct log_hart *h, const struct log_insn *i)
{
	log_finish_trap(l, h);
	h->builder.offset = l->place.offset;
	build_branch(l, h);
	if (i->coded)
		change_code(l, h, i);
	if (i->insn.kind == HS_INSN_BRANCH) {
		h->branch = *i;
		h->have_branch = true;
	} else {
		build(l, h, i);
	}
	h->last = *i;
	h->have_last = true;
	h->have_next = false;
}

void log_retire_pending(struct hs_exec_log *l, struct log_hart *h)
{
	bool ran = !h->has_commits;

	if (h->pending_done)
		ran = !h->pending_faulted || log_is_call(&h->pending);
	if (h->have_pending && ran)
		log_retire(l, h, &h->pending);
	h->have_pending = h->pending_done = h->pending_faulted = false;
}

/* ---- traps -------------------------------------------------------------------------------- */

/* An ecall or ebreak that traps counts as retired in blocks, but not in logs (design/blocks). */
static void retire_caller(struct hs_exec_log *l, struct log_hart *h, struct log_trap *t)
{
	static const struct log_insn ecall = { .bytes = { 0x73 },
		                               .coded = true,
		                               .insn = { .hwords = 2, .kind = HS_INSN_ECALL } };
	const bool call = !t->no_cause && t->cause >= 8 && t->cause <= 11;
	struct log_insn i = ecall;

	if (t->interrupt || t->no_epc)
		return;
	if (h->have_last && h->last.pc == t->epc && h->builder.have && log_is_call(&h->last))
		return; /* the log has it as retired */
	i.pc = t->epc;
	i.priv = h->builder.priv;
	if (h->builder.have)
		i.priv = h->builder.open.priv;
	if (t->have_caller) {
		const uint8_t priv = i.priv;

		i = t->caller;
		change_code(l, h, &i);
		if (!log_is_call(&i))
			return;
		if (i.priv == HS_PRIV_UNKNOWN)
			i.priv = priv;
	} else if (!call) {
		i.coded = false;
		if (!log_code_get(&l->code, h->owner, &l->isa, t->epc, i.bytes, &i.insn) ||
		    !log_is_call(&i))
			return;
	}
	if (i.coded)
		change_code(l, h, &i);
	build(l, h, &i);
	if (i.insn.kind == HS_INSN_EBREAK && t->no_cause) {
		t->cause = 3;
		t->no_cause = false;
	} else if (i.insn.kind == HS_INSN_ECALL && !call) {
		t->no_cause = i.priv > HS_PRIV_M;
		t->cause = 8u + i.priv;
	}
}

void log_finish_trap(struct hs_exec_log *l, struct log_hart *h)
{
	struct hs_block at[HS_BUILDER_ROOM];
	struct hs_blocks made = { at, HS_BUILDER_ROOM, 0 };
	struct log_trap t = h->trap;

	if (!h->have_trap)
		return;
	h->have_trap = false;
	h->builder.offset = l->place.offset;
	if (h->have_branch && t.no_epc) { /* nothing shows its outcome */
		log_gap(l, h, HS_E_BLOCK);
		return;
	}
	build_branch(l, h);
	retire_caller(l, h, &t);
	const struct hs_trap trap = { .epc = t.epc,
		                      .tval = t.tval,
		                      .cause = t.cause,
		                      .interrupt = t.interrupt,
		                      .no_epc = t.no_epc,
		                      .no_cause = t.no_cause,
		                      .priv = t.have_caller ? t.caller.priv : HS_PRIV_UNKNOWN };

	if (hs_builder_trap(&h->builder, &trap, &made) != HS_OK) { /* nobody knows where it was */
		log_gap(l, h, HS_E_BLOCK);
		return;
	}
	report(l, h, &made);
	h->have_last = h->have_next = false;
	l->stats.traps++;
}

void log_trap(struct hs_exec_log *l, struct log_hart *h, const struct log_trap *t)
{
	log_finish_trap(l, h);
	h->trap = *t;
	h->have_trap = true;
}
