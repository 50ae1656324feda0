/* Blocks of which nothing is reported but branches and the targets of jumps.
 *
 * For these decide.c would always decide the same: et_nothing_pending() says that nothing from
 * before is pending, brings_nothing_new() that a block adds nothing.  What is left is the branch or
 * jump at its end.
 *
 * Example: beq not taken, jal, beq taken, jr to 0x200.  put_run() takes the blocks that end with
 * the first three: two bits of the branch map.  encode_jump() takes the block at 0x200 after the
 * jr: a packet of format 1 with the two branches and 0x200.
 *
 * Invariant: the state of the encoder after a block is what et_advance() leaves, so that either may
 * take the next one.  tests/property/memo.c compares their bytes.
 */
#include "etrace/decide.h"

#include "core/image_word.h"

bool et_nothing_pending(const struct hs_et_encoder *e)
{
	return !e->pending && e->cur.kind == ITEM_INSN && !(e->cur.flags & ~(unsigned)ITEM_PAIR) &&
	       e->cur.priv == e->priv && et_context(e) == e->cur.context &&
	       e->before == BEFORE_PLAIN && !et_interval_over(e) && e->branches < 31;
}

/* Bit N: a plain block may have itype N: it is not reserved and ends without a trap. */
#define PLAIN_ITYPES \
	(0xffffu & ~(1u << HS_ITYPE_EXCEPTION | 1u << HS_ITYPE_INTERRUPT | 1u << HS_ITYPE_RESERVED))

/* Can packets have the addresses of the block?  @wrong: bits that addresses do not have. */
static inline bool is_addressable(const struct hs_et_encoder *e, const struct hs_block *b,
                                  uint64_t wrong)
{
	const uint64_t last = hs_block_end(b) - 2u * (uint64_t)b->ilast;

	return b->ilast && b->iretire >= b->ilast && !((b->iaddr | last) & wrong) &&
	       et_addresses_fit(&e->config, b->iaddr, last);
}

/* Is it in the current mode, and ends without a trap and with no sequentially inferable jump? */
static inline bool brings_nothing_new(const struct hs_et_encoder *e, const struct hs_block *b,
                                      uint64_t wrong)
{
	return b->kind == HS_KIND_BLOCK && b->itype <= 15 && PLAIN_ITYPES >> b->itype & 1u &&
	       is_addressable(e, b, wrong) &&
	       (b->priv == e->cur.priv || b->priv == HS_PRIV_UNKNOWN) &&
	       !(b->sijump && et_on(e, HS_ET_SIJUMP));
}

/* Add the branch cur, after which @b comes.  False: that needs et_advance(). */
static inline bool encode_branch(struct hs_et_encoder *e, struct et_output *out,
                                 const struct hs_block *b)
{
	const bool taken = e->cur.itype == HS_ITYPE_TAKEN;

	if ((!taken && b->iaddr != e->expect) || e->correct >= UINT32_MAX)
		return false;
	et_add_branch(e, taken);
	if (et_branches_due(e))
		et_emit_branches(e, out);
	return true;
}

/* ---- runs of branches ------------------------------------------------------------ */

#define BRANCHES (1u << HS_ITYPE_TAKEN | 1u << HS_ITYPE_NOT_TAKEN)

/* After these nothing is reported: branches, and direct jumps. */
#define RUN_ITYPES \
	(BRANCHES | 1u << HS_ITYPE_CALL_INF | 1u << HS_ITYPE_TAIL_INF | 1u << HS_ITYPE_JUMP_INF)

/* Branches that a packet reports at most. */
#define MAP_BITS 31u

/* What blocks of a run have in common. */
struct run {
	uint64_t word, bits; /* their words, in these bits */
	uint64_t wrong;      /* bits that addresses do not have */
	uint64_t next;       /* where the last block ended */
	uint64_t addr;       /* its last instruction */
	uint32_t map;
	unsigned branches, itype;
};

/* May blocks be added by their itypes only? */
static bool may_run(const struct hs_et_encoder *e)
{
	return !(e->config.options & (HS_ET_BRANCH_PREDICTION | HS_ET_IMPLICIT_RETURN)) &&
	       e->config.sync_mode != HS_ET_SYNC_HALFWORDS && e->config.iaddress_width >= 32;
}

/* Blocks in the mode of cur, with addresses that are not sign-extended. */
static struct run begin_run(const struct hs_et_encoder *e, uint64_t wrong)
{
	const struct hs_block same = { .kind = HS_KIND_BLOCK, .priv = e->cur.priv & 7u };
	const struct hs_block bits = {
		.itype = 0xf0, .kind = 0xff, .priv = 7, .sijump = et_on(e, HS_ET_SIJUMP) != 0
	};

	return (struct run){ .word = img_word(&same) & img_word(&bits),
		             .bits = img_word(&bits),
		             .wrong = wrong | ~et_ones(e->config.iaddress_width) };
}

/* Is the block not of the run, or does it not come after the last one? */
static inline bool leaves_run(const struct run *r, const struct hs_block *b)
{
	const uint64_t last = hs_block_end(b) - 2u * (uint64_t)b->ilast;
	const bool falls = r->itype == HS_ITYPE_NOT_TAKEN, branch = BRANCHES >> r->itype & 1;

	return ((img_word(b) ^ r->word) & r->bits) | ((b->iaddr | last) & r->wrong) |
	       (b->ilast - 1u >= b->iretire) | !(PLAIN_ITYPES >> (b->itype & 15) & 1u) |
	       !(RUN_ITYPES >> r->itype & 1u) | (falls & (b->iaddr != r->next)) |
	       (!branch & (b->iaddr <= r->addr));
}

/* Add blocks that only fill the branch map, after cur.  @return  How many of @n. */
static inline size_t add_run(struct hs_et_encoder *e, struct run run, const struct hs_block *b,
                             size_t n)
{
	const size_t most = MAP_BITS - e->branches;
	struct run r = run;
	size_t i = 0;

	r.next = e->expect;
	r.addr = e->cur.addr;
	r.map = e->map;
	r.branches = e->branches;
	r.itype = e->cur.itype;
	for (; i < n && i < most && !leaves_run(&r, &b[i]); i++) {
		r.map |= (uint32_t)(r.itype == HS_ITYPE_NOT_TAKEN) << r.branches;
		r.branches += BRANCHES >> r.itype & 1;
		r.next = hs_block_end(&b[i]);
		r.addr = r.next - 2u * (uint64_t)b[i].ilast;
		r.itype = b[i].itype;
	}
	e->map = r.map;
	e->branches = (uint8_t)r.branches;
	return i;
}

/* ---- one block ------------------------------------------------------------------- */

/* Follow the jump cur to @b.  False: that needs et_advance(). */
static inline bool encode_jump(struct hs_et_encoder *e, struct et_output *out,
                               const struct hs_block *b)
{
	/* With one instruction in @b, what comes after it is not known yet. */
	if (e->cur.itype == HS_ITYPE_NONE || b->iretire == b->ilast ||
	    et_return_fails(e, true, b->iaddr))
		return false;
	e->emitted = false;
	if (et_finish_insn(e, out, true, b->iaddr) == BEFORE_PLAIN)
		return true;
	e->cur.addr = b->iaddr;
	et_report_target(e, out, false);
	return true;
}

/* Make the last instruction of @b the current item. */
static inline void set_cur(struct hs_et_encoder *e, const struct hs_block *b)
{
	e->returned = false; /* what comes after a return has at least two instructions */
	e->expect = hs_block_end(b);
	e->cur.tval = e->expect;
	e->cur.addr = e->expect - 2u * (uint64_t)b->ilast;
	e->cur.itype = b->itype;
	if (e->config.sync_mode == HS_ET_SYNC_HALFWORDS)
		e->count += b->iretire;
}

/* Put the blocks of a run, and the map where it is full. */
static inline size_t put_run(struct hs_et_encoder *e, struct et_output *out, struct run run,
                             const struct hs_block *b, size_t n)
{
	const size_t i = add_run(e, run, b, n);

	if (e->branches == MAP_BITS)
		et_emit_branches(e, out);
	if (i)
		set_cur(e, &b[i - 1]);
	return i;
}

/* The jump cur leads to @b, which is one instruction: a branch or a direct jump, whose packet
 * reports the branch, too.  @b[1] comes after it.  False: that needs et_advance(). */
static inline bool encode_single(struct hs_et_encoder *e, struct et_output *out,
                                 const struct hs_block *b)
{
	const bool falls = b->itype == HS_ITYPE_NOT_TAKEN;

	if (b->iretire != b->ilast || !hs_itype_uninferable(e->cur.itype) ||
	    !(RUN_ITYPES >> b->itype & 1u) || (falls && b[1].iaddr != hs_block_end(b)))
		return false;
	set_cur(e, b);
	if (et_is_branch(&e->cur))
		et_add_branch(e, !falls);
	et_report_target(e, out, false);
	return true;
}

size_t et_encode_plain(struct hs_et_encoder *e, struct et_output *out, const struct hs_block *b,
                       size_t n)
{
	const uint64_t wrong = 1 | (((uint64_t)1 << e->config.iaddress_lsb) - 1);
	const struct run run = begin_run(e, wrong);
	const bool runs = may_run(e);
	size_t i = 0, in_run = 0;

	for (; i < n; i += in_run ? in_run : 1) {
		if (out->end - out->p < HS_ET_ENCODE_ROOM || e->count >= e->interval)
			break;
		in_run = runs && !e->segment ? put_run(e, out, run, &b[i], n - i) : 0;
		if (in_run)
			continue;
		if (!brings_nothing_new(e, &b[i], wrong))
			break;
		if (runs && i + 1 < n && brings_nothing_new(e, &b[i + 1], wrong) &&
		    encode_single(e, out, &b[i])) {
			set_cur(e, &b[++i]);
			continue;
		}
		const bool done = et_is_branch(&e->cur) ? encode_branch(e, out, &b[i])
		                                        : encode_jump(e, out, &b[i]);

		if (!done)
			break;
		set_cur(e, &b[i]);
	}
	if (i)
		e->follow = et_continues(e, e->cur.itype);
	return i;
}
