/* QEMU's log: the blocks that it translates, as they run.
 *
 * A line says that a block begins; how far it went is known from the next line of the same CPU.
 * With in_asm the block's code is in the log.  Without it the program is walked up to where QEMU
 * ends a block: at what can change the PC, after as many instructions as its flags allow, and,
 * where the next block shows it, after instructions that change the hart's state, and at the end of
 * a page. */
#include <stdlib.h>
#include <string.h>

#include "inputs/log_private.h"
#include "support/grow.h"

#define QEMU_PAGE 4096
#define QEMU_INSNS 512    /* most instructions of a block */
#define QEMU_COUNT 0x1ffu /* in cflags: most instructions of this one; 0: QEMU_INSNS */
#define CFLAGS_SHIFT 32

/* ---- blocks with code --------------------------------------------------------------------- */

static bool same_block(const void *item, const void *key)
{
	const struct log_block *a = item, *b = key;

	return a->pc == b->pc && a->flags == b->flags;
}

static struct log_block *find_block(const struct hs_exec_log *l, const struct log_running *r)
{
	const struct log_block key = { .pc = r->pc, .flags = r->flags };

	return support_hash_find(&l->blocks, support_hash_of(r->pc, r->flags), same_block, &key);
}

static void free_blocks(struct hs_exec_log *l)
{
	const struct log_block *blocks = l->blocks.items;

	for (uint32_t i = 0; i < l->blocks.count; i++)
		free(blocks[i].bytes);
	support_hash_free(&l->blocks);
	l->blocks.item_size = sizeof(struct log_block);
}

/* Take one out of the list; its bytes belong to the caller. */
static struct log_translated take_translated(struct hs_exec_log *l, size_t at)
{
	const struct log_translated t = l->qemu.translated[at];

	l->qemu.translated_count--;
	memmove(l->qemu.translated + at, l->qemu.translated + at + 1,
	        (l->qemu.translated_count - at) * sizeof(*l->qemu.translated));
	return t;
}

/* The code of a block is complete.  It waits for the block to run: CPUs translate in parallel. */
static void end_code(struct hs_exec_log *l)
{
	const bool have = l->in.have && l->in.n;
	uint8_t *bytes = have ? malloc(l->in.n) : NULL;

	l->in.have = false;
	if (!have)
		return;
	if (l->qemu.translated_count == LOG_TRANSLATED)
		free(take_translated(l, 0).bytes);
	if (!bytes || !support_grow(&l->qemu.translated, &l->qemu.translated_room,
	                            l->qemu.translated_count + 1, sizeof(*l->qemu.translated))) {
		free(bytes);
		l->no_memory = true;
		return;
	}
	memcpy(bytes, l->in.bytes, l->in.n);
	l->qemu.translated[l->qemu.translated_count++] =
		(struct log_translated){ l->in.pc, l->in.priv, l->in.n, bytes };
}

void log_qemu_blank(struct hs_exec_log *l)
{
	end_code(l);
}

/* The code that was translated at the address of the block which runs now is that block's. */
static enum hs_status keep_block(struct hs_exec_log *l, const struct log_running *r)
{
	struct log_block *b;
	size_t at = 0;

	end_code(l);
	while (at < l->qemu.translated_count && l->qemu.translated[at].pc != r->pc)
		at++;
	if (at == l->qemu.translated_count)
		return HS_OK;
	if (l->blocks.count == LOG_BLOCKS)
		free_blocks(l);
	const struct log_translated t = take_translated(l, at);

	b = find_block(l, r);
	if (!b)
		b = support_hash_add(&l->blocks, support_hash_of(r->pc, r->flags));
	if (!b) {
		free(t.bytes);
		l->no_memory = true;
		return HS_E_MEMORY;
	}
	free(b->bytes);
	*b = (struct log_block){ r->pc, r->flags, t.n, t.priv, t.bytes };
	return HS_OK;
}

void log_qemu_free(struct hs_exec_log *l)
{
	free_blocks(l);
	while (l->qemu.translated_count)
		free(l->qemu.translated[--l->qemu.translated_count].bytes);
	free(l->qemu.translated);
}

/* ---- how far a block went ----------------------------------------------------------------- */

struct walk {
	struct hs_exec_log *l;
	struct log_hart *h;
	const struct log_block *block; /* NULL: its code is not in the log */
	uint64_t pc;                   /* of the block */
	unsigned most;                 /* instructions of it */
};

static struct walk walk_of(struct hs_exec_log *l, struct log_hart *h)
{
	const unsigned count = (unsigned)(h->running.flags >> CFLAGS_SHIFT) & QEMU_COUNT;

	return (struct walk){ l, h, find_block(l, &h->running), h->running.pc,
		              count ? count : QEMU_INSNS };
}

/* The instruction at an offset of a block.  False: it has no more, or no code is known. */
static bool insn_at(const struct walk *w, uint64_t at, struct log_insn *i)
{
	const struct log_block *b = w->block;

	memset(i, 0, sizeof(*i));
	i->pc = w->pc + at;
	i->priv = b ? (uint8_t)b->priv : HS_PRIV_UNKNOWN;
	if (!b)
		return log_code_get(&w->l->code, w->h->owner, &w->l->isa, i->pc, i->bytes,
		                    &i->insn);
	const uint64_t left = b->n - at;
	const size_t n = left < HS_INSN_MAX ? (size_t)left : HS_INSN_MAX;

	i->coded = true;
	memcpy(i->bytes, b->bytes + at, n);
	return hs_isa_decode(&w->l->isa, i->pc, i->bytes, n, &i->insn) == HS_OK;
}

/* Does QEMU end a block after an instruction that the PC does not show to be one? */
static bool may_end(const struct log_insn *i, uint64_t end)
{
	const unsigned opcode = i->bytes[0] & 0x7fu, f3 = i->bytes[1] >> 4 & 7u;

	return opcode == 0x73 || (opcode == 0x0f && f3 == 1) ||
	       i->pc / QEMU_PAGE != end / QEMU_PAGE;
}

enum how { WHOLE, PART, NOBODY_KNOWS, NO_CODE };

/* How many bytes of a block ran, if the next one is at @next. */
static enum how measure(const struct walk *w, const uint64_t *next, bool trap, uint64_t *size)
{
	struct log_insn i;
	uint64_t at = 0, part = UINT64_MAX;

	for (unsigned n = 0; n < w->most; n++) {
		if (next && *next == w->pc + at && (trap || (at && part == UINT64_MAX)))
			part = at;
		if (trap && part == at)
			break;
		if (w->block && at >= w->block->n)
			break;
		if (!insn_at(w, at, &i))
			return part != UINT64_MAX ? (*size = part, PART) : NO_CODE;
		at += 2u * i.insn.hwords;
		if (i.insn.kind != HS_INSN_LINEAR ||
		    (!w->block && next && *next == w->pc + at && may_end(&i, *next)))
			break;
	}
	*size = at;
	if (!trap && (!next || log_explains(w->l, &i, *next)))
		return WHOLE;
	*size = part;
	return part != UINT64_MAX ? PART : NOBODY_KNOWS;
}

static void emit(const struct walk *w, uint64_t size)
{
	struct log_insn i;

	for (uint64_t at = 0; at < size && insn_at(w, at, &i); at += 2u * i.insn.hwords)
		log_retire(w->l, w->h, &i);
}

enum hs_status log_qemu_finish(struct hs_exec_log *l, struct log_hart *h, const uint64_t *next,
                               bool trap, struct hs_error *e)
{
	const struct walk w = walk_of(l, h);
	uint64_t size = 0;

	if (!h->running.have)
		return HS_OK;
	h->running.have = false;
	const enum how how = measure(&w, next, trap, &size);

	if (how == WHOLE || how == PART) {
		emit(&w, size);
		return HS_OK;
	}
	log_gap(l, h, how == NO_CODE ? HS_E_NOCODE : HS_E_BLOCK);
	if (how != NO_CODE)
		return HS_OK;
	return hs_error_set(e, HS_E_NOCODE,
	                    "line %llu: no code is known of the block at 0x%llx: "
	                    "--elf, or a log with -d in_asm",
	                    (unsigned long long)l->stats.lines, (unsigned long long)w.pc);
}

/* ---- lines -------------------------------------------------------------------------------- */

static enum hs_status take_block(struct hs_exec_log *l, struct log_hart *h,
                                 const struct log_fields *f, struct hs_error *e)
{
	struct log_running r = { true, f->v[F_PC], f->v[F_FLAGS] };
	enum hs_status s;

	if (log_has(f, F_CFLAGS))
		r.flags |= f->v[F_CFLAGS] << CFLAGS_SHIFT;
	if (r.pc & 1)
		return log_refuse_field(l, "an even address", e);
	s = log_qemu_finish(l, h, &r.pc, false, e);
	h->running = r;
	return keep_block(l, &r) == HS_OK ? s : HS_E_MEMORY;
}

/* The instruction that trapped, if it is of the block that runs. */
static void find_caller(struct hs_exec_log *l, struct log_hart *h, struct log_trap *t)
{
	const struct walk w = walk_of(l, h);
	const uint64_t at = t->epc - w.pc;

	t->have_caller = !t->interrupt && h->running.have && w.block && at < w.block->n &&
	                 insn_at(&w, at, &t->caller);
}

static enum hs_status take_trap(struct hs_exec_log *l, struct log_hart *h,
                                const struct log_fields *f, struct hs_error *e)
{
	struct log_trap t = { .epc = f->v[F_EPC],
		              .tval = f->v[F_TVAL],
		              .cause = (uint32_t)(f->v[F_CAUSE_HEX] & INT32_MAX),
		              .interrupt = f->v[F_ASYNC] != 0 };

	if (t.epc & 1)
		return log_refuse_field(l, "an even address", e);
	find_caller(l, h, &t);
	const enum hs_status s = log_qemu_finish(l, h, &t.epc, !t.interrupt, e);

	log_trap(l, h, &t);
	return s;
}

/* The code of a new block: each line is an instruction. */
static void take_code(struct hs_exec_log *l, const struct log_fields *f)
{
	const uint64_t code = f->v[F_CODE];
	const size_t n = 2u * hs_isa_hwords((uint16_t)code);

	if (!l->in.have)
		return;
	if (!l->in.n)
		l->in.pc = f->v[F_PC];
	if (f->v[F_PC] != l->in.pc + l->in.n || n > 8 || l->in.n + n > LOG_RUN) {
		l->in.have = false;
		return;
	}
	for (size_t i = 0; i < n; i++)
		l->in.bytes[l->in.n++] = (uint8_t)(code >> 8 * i);
}

static struct log_hart *running_at(const struct hs_exec_log *l, uint64_t pc)
{
	for (uint32_t i = 0; i < l->hart_count; i++)
		if (l->harts[i]->running.have && l->harts[i]->running.pc == pc)
			return l->harts[i];
	return NULL;
}

enum hs_status log_qemu_take(struct hs_exec_log *l, enum log_action action,
                             const struct log_fields *f, struct hs_error *e)
{
	struct log_hart *h = l->current;

	switch (action) {
	case LOG_HOST:
		end_code(l);
		return HS_OK;
	case LOG_START:
		end_code(l);
		l->in.have = true;
		l->in.n = 0;
		l->in.priv = HS_PRIV_UNKNOWN;
		return HS_OK;
	case LOG_PRIV:
		l->in.priv = log_priv(f);
		return HS_OK;
	case LOG_CODE:
		take_code(l, f);
		return HS_OK;
	case LOG_UNDONE:
		h = running_at(l, f->v[F_PC]);
		if (h)
			h->running.have = false;
		return HS_OK;
	case LOG_REWOUND:
		return h ? log_qemu_finish(l, h, &f->v[F_PC], true, e) : HS_OK;
	default:
		h = log_hart_of(l, f->v[F_HART]);
		if (!h)
			return l->no_memory ? HS_E_MEMORY : HS_E_UNSUPPORTED;
		return action == LOG_BLOCK ? take_block(l, h, f, e) : take_trap(l, h, f, e);
	}
}
