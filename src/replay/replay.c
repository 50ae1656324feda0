/* From blocks to CTR: each block's last instruction says what transfer it was, and the next block where
 * it went. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/ctr_replay.h>

#include "program/select.h"

#define CACHE 16384u /* blocks whose instructions were looked at; a power of two */
#define HARTS_MAX 4096u
#define CAUSE_BREAKPOINT 3

/* What a block's instructions say. */
struct known {
	uint64_t iaddr, last, target; /* of its last instruction; target 0: not in the code */
	const struct hs_program *program;
	uint32_t iretire;             /* 0: free */
	uint32_t instructions;        /* 0: the code is not known */
	uint8_t kind;                 /* enum hs_insn_kind of the last */
	uint8_t type;                 /* enum hs_ctr_type of it; a branch: taken */
};

/* A hart, and its last block until the next one tells where that led. */
struct track {
	struct hs_ctr_replay_hart seen;
	struct hs_block block;
	struct known known;
	uint64_t time;
	uint32_t cause;
	bool pending, have_cause, have_time;
	uint8_t mode; /* of the block */
	uint8_t said; /* by the last context event: the mode of blocks that do not say theirs */
};

struct hs_ctr_replay {
	struct hs_ctr_settings settings;
	struct hs_ctr start;
	struct program_select select;
	struct track **harts; /* by select.index */
	size_t count;
	struct known cache[CACHE];
};

/* ---- what blocks say ------------------------------------------------------------------- */

static void look(const struct hs_program *program, const struct hs_block *b, struct known *k)
{
	const struct hs_image *image = hs_program_image((struct hs_program *)(uintptr_t)program);
	const uint64_t end = hs_block_end(b);
	struct hs_insn insn = { 0 };
	uint64_t at = b->iaddr;

	*k = (struct known){ .iaddr = b->iaddr, .iretire = b->iretire, .program = program,
		             .last = end - 2u * b->ilast, .kind = HS_INSN_LINEAR };
	while (at < end && hs_img_insn(image, at, &insn) == HS_OK && 2u * insn.hwords <= end - at) {
		k->instructions++;
		k->last = at;
		at += 2u * insn.hwords;
	}
	if (at != end) { /* the code is not known: believe the block */
		k->instructions = 0;
		k->type = b->itype == HS_ITYPE_NOT_TAKEN ? HS_CTR_TAKEN
		          : b->itype == HS_ITYPE_TAKEN || b->itype > HS_ITYPE_RESERVED ? b->itype : HS_CTR_NO_TRANSFER;
		k->kind = k->type == HS_CTR_TAKEN ? HS_INSN_BRANCH
		          : b->itype == HS_ITYPE_XRET ? HS_INSN_XRET : HS_INSN_LINEAR;
		k->last = end - 2u * b->ilast;
		return;
	}
	k->kind = insn.kind;
	k->type = (uint8_t)hs_ctr_type_of(&insn, true);
	k->target = insn.target;
	if (insn.kind == HS_INSN_TABLE_JUMP || insn.kind == HS_INSN_TABLE_CALL)
		hs_img_table_target(image, insn.index, &k->target);
}

static const struct known *known_of(struct hs_ctr_replay *r, const struct hs_program *program,
                                    const struct hs_block *b)
{
	const uint64_t h = (b->iaddr ^ (uint64_t)b->iretire << 40) * UINT64_C(0x9e3779b97f4a7c15);
	struct known *k = &r->cache[h >> 32 & (CACHE - 1)];

	if (k->iretire != b->iretire || k->iaddr != b->iaddr || k->program != program || !k->instructions)
		look(program, b, k);
	return k;
}

static bool known_mode(unsigned priv)
{
	return priv != 2 && priv <= HS_PRIV_VS;
}

/* Of a block that comes now: its own, that of the last context event, or the setting. */
static uint8_t mode(const struct hs_ctr_replay *r, const struct track *t, const struct hs_block *b)
{
	if (known_mode(b->priv))
		return b->priv;
	return known_mode(t->said) ? t->said : r->settings.unknown_priv;
}

static bool is_user(unsigned priv)
{
	return priv == HS_PRIV_U || priv == HS_PRIV_VU;
}

/* ---- transfers --------------------------------------------------------------------------- */

/* The handler is not in the flow: the supervisor counts as not enabled. */
static void unseen_trap(struct hs_ctr *c, struct hs_ctr_transfer *t, uint64_t cause)
{
	uint64_t *control = t->from == HS_PRIV_VU ? &c->vsctl : &c->mctl;
	const uint64_t s = *control & 2; /* S is bit 1 in both versions */

	t->to = t->from == HS_PRIV_VU ? HS_PRIV_VS : HS_PRIV_S;
	t->target = 0;
	*control &= ~s;
	hs_ctr_refresh(c);
	hs_ctr_trap(c, t, cause);
	*control |= s;
	hs_ctr_refresh(c);
}

/* epc: of an ecall or ebreak its own address, whether or not the block counts it as retired. */
static void trap(struct hs_ctr_replay *r, struct track *t, const struct hs_block *next)
{
	const bool own = t->block.itype == HS_ITYPE_EXCEPTION && t->block.iretire &&
	                 (t->known.kind == HS_INSN_ECALL || t->known.kind == HS_INSN_EBREAK);
	struct hs_ctr_transfer made = {
		.source = own ? t->known.last : hs_block_end(&t->block),
		.type = t->block.itype, .from = t->mode,
	};
	struct hs_insn insn;
	uint64_t cause = t->cause;

	if (!t->have_cause && t->block.itype == HS_ITYPE_EXCEPTION &&
	    hs_img_insn(hs_program_image(t->seen.program), made.source, &insn) == HS_OK)
		cause = insn.kind == HS_INSN_EBREAK ? CAUSE_BREAKPOINT : 0;
	if (is_user(made.from) && (!next || is_user(mode(r, t, next)))) {
		unseen_trap(&t->seen.ctr, &made, cause);
	} else if (next) {
		made.to = mode(r, t, next);
		made.target = next->iaddr;
		hs_ctr_trap(&t->seen.ctr, &made, cause);
	} else {
		t->seen.lost++;
		return;
	}
	t->seen.transfers++;
}

/* Type of what the last instruction did; *target is known here when @next is NULL and it can be. */
static unsigned type_of(const struct track *t, const struct hs_block *next, uint64_t *target)
{
	const uint64_t end = hs_block_end(&t->block);
	bool taken = t->block.itype == HS_ITYPE_TAKEN;

	*target = next ? next->iaddr : t->known.target;
	if (t->known.kind != HS_INSN_BRANCH)
		return t->known.type;
	if (t->block.itype == HS_ITYPE_NONE) { /* nobody says: the next address tells */
		if (!next)
			return HS_CTR_NO_TRANSFER;
		taken = next->iaddr != end;
	}
	if (!taken)
		*target = end;
	return taken ? HS_CTR_TAKEN : HS_CTR_NOT_TAKEN;
}

static void transfer(struct hs_ctr_replay *r, struct track *t, const struct hs_block *next)
{
	struct hs_ctr_transfer made = { .source = t->known.last, .from = t->mode };

	made.type = (uint8_t)type_of(t, next, &made.target);
	if (t->known.kind == HS_INSN_XRET) {
		made.to = next ? mode(r, t, next) : 0;
		if (next)
			hs_ctr_xret(&t->seen.ctr, &made);
	} else if (made.type == HS_CTR_NO_TRANSFER) {
		return;
	} else if (next || made.target) {
		hs_ctr_retire(&t->seen.ctr, &made);
	}
	t->seen.transfers += next || (made.target && t->known.kind != HS_INSN_XRET);
	t->seen.lost += !next && (!made.target || t->known.kind == HS_INSN_XRET);
}

/* The last block is over; @next is NULL where the flow does not say what came. */
static void complete(struct hs_ctr_replay *r, struct track *t, const struct hs_block *next)
{
	if (!t->pending)
		return;
	t->pending = false;
	if (r->settings.cycles == HS_CTR_CYCLES_INSTRUCTIONS)
		hs_ctr_tick(&t->seen.ctr, t->mode, t->known.instructions);
	if (t->block.itype == HS_ITYPE_EXCEPTION || t->block.itype == HS_ITYPE_INTERRUPT)
		trap(r, t, next);
	else if (t->block.iretire)
		transfer(r, t, next);
	t->seen.retired += t->seen.instructions;
	t->seen.instructions = 0;
}

static void retired(struct hs_ctr_replay *r, struct track *t, const struct hs_block *b)
{
	complete(r, t, b);
	t->block = t->seen.block = *b;
	t->mode = mode(r, t, b);
	t->seen.block.priv = t->mode & 7;
	t->known = b->iretire ? *known_of(r, t->seen.program, b) : (struct known){ .kind = HS_INSN_LINEAR };
	t->seen.instructions = t->known.instructions;
	t->seen.unmapped += b->iretire && !t->known.instructions;
	t->pending = true;
	t->have_cause = false;
	t->cause = 0;
}

/* ---- events ------------------------------------------------------------------------------- */

static struct track *new_track(const struct hs_ctr_replay *r)
{
	struct track *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->said = HS_PRIV_UNKNOWN;
	t->mode = r->settings.unknown_priv;
	t->seen.hart = r->select.hart;
	t->seen.program = r->select.program;
	t->seen.ctr = r->start;
	return t;
}

/* The current hart is a new one. */
static enum hs_status add_track(struct hs_ctr_replay *r)
{
	struct track **more;

	if (r->count == HARTS_MAX)
		return HS_E_UNSUPPORTED;
	if (r->select.index != r->count) /* there was no memory for an earlier one */
		return HS_E_MEMORY;
	more = realloc(r->harts, (r->count + 1) * sizeof(struct track *));
	if (!more)
		return HS_E_MEMORY;
	r->harts = more;
	r->harts[r->count] = new_track(r);
	if (!r->harts[r->count])
		return HS_E_MEMORY;
	r->count++;
	return HS_OK;
}

static enum hs_status change_hart(struct hs_ctr_replay *r, uint32_t hart)
{
	const enum hs_status s = program_select_hart(&r->select, hart);

	return s != HS_OK || r->select.index < r->count ? s : add_track(r);
}

static enum hs_status change_context(struct hs_ctr_replay *r, struct track *t,
                                     const struct hs_block *b)
{
	const enum hs_status s = program_select_event(&r->select, b);

	t->said = b->priv;
	t->seen.program = r->select.program;
	return s;
}

/* The pending transfer belongs to the time before. */
static void change_time(struct hs_ctr_replay *r, struct track *t, uint64_t time)
{
	if (r->settings.cycles == HS_CTR_CYCLES_TIME && t->have_time && time > t->time)
		hs_ctr_tick(&t->seen.ctr, t->mode, time - t->time);
	t->time = time;
	t->have_time = true;
}

/* What comes next is not what followed. */
static void cut(struct hs_ctr_replay *r, struct track *t)
{
	complete(r, t, NULL);
	hs_ctr_invalidate_cc(&t->seen.ctr);
	t->have_time = false;
	t->said = HS_PRIV_UNKNOWN;
}

static enum hs_status event(struct hs_ctr_replay *r, struct track *t, const struct hs_block *b)
{
	switch (b->kind) {
	case HS_KIND_TRAP:
		t->have_cause = true;
		t->cause = b->arg;
		break;
	case HS_KIND_CONTEXT:
		return change_context(r, t, b);
	case HS_KIND_TIME:
		change_time(r, t, b->value);
		break;
	case HS_KIND_GAP:
	case HS_KIND_STOP:
		cut(r, t);
		break;
	case HS_KIND_CODE:
		memset(r->cache, 0, sizeof(r->cache));
		break;
	case HS_KIND_NOTE:
		if (b->arg == HS_NOTE_PARTIAL && t->pending) {
			t->pending = false;
			t->seen.lost++;
			t->seen.retired += t->seen.instructions;
			t->seen.instructions = 0;
		}
		break;
	default:
		break;
	}
	return HS_OK;
}

enum hs_status hs_ctr_replay_add(struct hs_ctr_replay *r, const struct hs_block *b)
{
	enum hs_status s = HS_OK;

	if (b->kind == HS_KIND_HART)
		return change_hart(r, b->arg);
	if (r->select.index >= r->count)
		s = change_hart(r, r->select.hart);
	if (s != HS_OK)
		return s;
	struct track *t = r->harts[r->select.index];

	if (b->kind != HS_KIND_BLOCK)
		return event(r, t, b);
	retired(r, t, b);
	return HS_OK;
}

void hs_ctr_replay_end(struct hs_ctr_replay *r)
{
	for (size_t i = 0; i < r->count; i++)
		complete(r, r->harts[i], NULL);
}

/* ---- the object ------------------------------------------------------------------------------ */

enum hs_status hs_ctr_replay_new(const struct hs_ctr_settings *s, struct hs_program *program,
                                 const struct hs_program_set *programs, struct hs_ctr_replay **replay,
                                 struct hs_error *error)
{
	struct hs_ctr_replay *r = calloc(1, sizeof(*r));
	enum hs_status status;

	if (!r)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	r->settings = *s;
	program_select_start(&r->select, program, programs);
	status = hs_ctr_settings_make(s, hs_program_image(program)->isa.xlen == 32 ? 32 : 64, &r->start, error);
	if (status != HS_OK) {
		free(r);
		return status;
	}
	*replay = r;
	return HS_OK;
}

void hs_ctr_replay_free(struct hs_ctr_replay *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->count; i++)
		free(r->harts[i]);
	free(r->harts);
	program_select_end(&r->select);
	free(r);
}

const struct hs_ctr_replay_hart *hs_ctr_replay_now(const struct hs_ctr_replay *r)
{
	return hs_ctr_replay_at(r, r->select.index);
}

const struct hs_ctr_replay_hart *hs_ctr_replay_at(const struct hs_ctr_replay *r, size_t index)
{
	return index < r->count ? &r->harts[index]->seen : NULL;
}

enum hs_status hs_ctr_replay_step(const struct hs_ctr_replay_hart *h, uint64_t *pc, uint64_t n)
{
	const struct hs_image *image = hs_program_image(h->program);
	const uint64_t end = hs_block_end(&h->block);
	struct hs_insn insn;
	uint64_t at = *pc;

	for (; n && at >= h->block.iaddr && at < end; n--) {
		if (hs_img_insn(image, at, &insn) != HS_OK)
			return HS_E_NOCODE;
		at += 2u * insn.hwords;
	}
	if (at < h->block.iaddr || at >= end)
		return HS_E_ARG;
	*pc = at;
	return HS_OK;
}
