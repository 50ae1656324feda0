/* Any life of any hart: our CTR does what the second one does (tests/referee), which is written
 * from the text of 0.1.4 and 1.0 alone.  After each step registers, status and all entries are the
 * same, and what is read and answered.
 *
 * Input: 64 bytes of configuration; steps of 48 bytes.
 */
#include "ctr_ops.h"

#include "edit.h"
#include "fuzz.h"
#include "numbers.h"
#include "referee/ctr_referee.h"

#define HEAD 64
#define STEP 48
#define STEPS 128

struct both {
	struct hs_ctr ours;
	struct ctr_referee theirs;
	uint8_t mode; /* where the last transfer led to */
};

/* ---- our numbers as those of the text ------------------------------------------------- */

static enum ctr_mode mode_of(unsigned priv)
{
	switch (priv) {
	case HS_PRIV_U: return CTR_U;
	case HS_PRIV_S: return CTR_S;
	case HS_PRIV_M: return CTR_M;
	case HS_PRIV_VU: return CTR_VU;
	case HS_PRIV_VS: return CTR_VS;
	default: return CTR_DEBUG;
	}
}

/* @k: with the defaults filled in. */
static struct ctr_traits traits_of(const struct hs_ctr_config *k)
{
	const uint32_t w = k->without;
	struct ctr_traits h = {
		.draft = k->version == HS_CTR_0_1_4,
		.rv32 = k->xlen == 32,
		.has_u = !(w & HS_CTR_NO_U),
		.has_s = !(w & HS_CTR_NO_S),
		.has_h = !(w & HS_CTR_NO_H),
		.smstateen = !(w & HS_CTR_NO_SMSTATEEN),
		.sscofpmf = !(w & HS_CTR_NO_SSCOFPMF),
		.misp = !(w & HS_CTR_NO_MISP),
		.type = !(w & HS_CTR_NO_TYPE),
		.cycles = !(w & HS_CTR_NO_CC),
		.exponent = k->cc_bits ? k->cc_bits - 12u : 0,
		.va = k->va_bits,
		.pa = k->pa_bits,
		.absent = k->absent,
		.type6 = k->options & HS_CTR_TYPE6,
		.v_as_1_0 = k->options & HS_CTR_V_AS_1_0,
		.freeze_as_1_0 = k->options & HS_CTR_FREEZE_AS_1_0,
		.keeps_undefined = k->options & HS_CTR_PRESERVE,
		.keeps_upper = k->options & HS_CTR_KEEP_UPPER,
		.no_ras_cycles = k->options & HS_CTR_RAS_NO_CC,
	};

	for (unsigned n = 0; n < 5; n++)
		h.depth[n] = k->depths >> n & 1;
	return h;
}

static struct ctr_who who_of(const struct hs_ctr *c, const struct hs_ctr_env *e)
{
	return (struct ctr_who){ mode_of(e->priv), e->xlen == 32 || c->config.xlen == 32,
		                 e->mstateen0,     e->hstateen0,
		                 e->miselect,      e->siselect,
		                 e->vsiselect };
}

static struct ctr_move move_of(const struct hs_ctr *c, const struct hs_ctr_transfer *t)
{
	const bool rv32 = c->config.xlen == 32;

	return (struct ctr_move){ t->type, mode_of(t->from), mode_of(t->to), rv32 || t->xlen == 32,
		                  rv32 || t->to_xlen == 32, t->misp, t->source, t->target };
}

/* ---- what software sees ---------------------------------------------------------------- */

static void same(const char *what, uint64_t ours, uint64_t theirs)
{
	if (ours == theirs)
		return;
	fprintf(stderr, "%s: ours %llx, theirs %llx\n", what, (unsigned long long)ours,
	        (unsigned long long)theirs);
	fuzz_must(false);
}

/* What the text leaves open is as ours has it, if a register can hold that. */
static void take_open(struct ctr_referee *r, const struct hs_ctr *c)
{
	const struct ctr_open *o = &r->open;
	const struct hs_ctr_entry *e = &c->entries[o->row];

	if (o->wrptr)
		r->wrptr = c->wrptr;
	for (unsigned i = o->from; i < r->depth; i++) {
		const struct hs_ctr_entry *new = &c->entries[i];

		r->row[i] = (struct ctr_row){ new->source, new->target, new->data };
		fuzz_must(ctr_referee_holds(r, &r->row[i]));
	}
	if (o->source)
		r->row[o->row].source = (e->source & ~1ull) | (r->row[o->row].source & 1);
	if (o->target)
		r->row[o->row].target = (e->target & ~1ull) | (r->row[o->row].target & 1);
	if (o->cc)
		r->row[o->row].data = (r->row[o->row].data & ~0xffff0000ull) |
		                      (e->data & 0xffff0000u);
	fuzz_must(r->wrptr < r->depth && ctr_referee_holds(r, &r->row[o->row]));
}

static void compare_csr(struct both *b, unsigned csr)
{
	const struct hs_ctr_env env = { .priv = HS_PRIV_M };
	const struct ctr_who who = who_of(&b->ours, &env);
	uint64_t ours = 0, theirs = 0;
	const unsigned answer = hs_ctr_read(&b->ours, &env, csr, &ours);

	same("machine's answer", answer, ctr_referee_read(&b->theirs, &who, csr, &theirs));
	same("machine's register", ours, theirs);
}

static void compare_entry(const struct both *b, unsigned index)
{
	const struct hs_ctr_entry e = hs_ctr_get_entry(&b->ours, index);
	const struct ctr_row none = { 0, 0, 0 },
		*row = index < b->theirs.depth
			? &b->theirs.row[ctr_referee_place(&b->theirs, index)] : &none;

	same("source", e.source, row->source);
	same("target", e.target, row->target);
	same("data", e.data, row->data);
}

/* Entries above the depth are out of sight, and what is in them then is open. */
static void compare_entries(const struct both *b)
{
	_Static_assert(sizeof(struct ctr_row) == sizeof(struct hs_ctr_entry), "compared as bytes");
	if (memcmp(b->ours.entries, b->theirs.row, b->theirs.depth * sizeof(struct ctr_row)) == 0)
		return;
	for (unsigned i = 0; i < b->theirs.depth; i++)
		compare_entry(b, i);
	fuzz_must(false);
}

static void compare(struct both *b)
{
	static const uint16_t draft[] = { 0x381, 0x382, 0x383, 0x281, 0x282 },
	                      ratified[] = { 0x34e, 0x14f, 0x24e, 0x15f, 0x14e };

	take_open(&b->theirs, &b->ours);
	for (unsigned i = 0; i < 5; i++)
		compare_csr(b, b->theirs.has.draft ? draft[i] : ratified[i]);
	same("depth", hs_ctr_depth(&b->ours), b->theirs.depth);
	compare_entries(b);
	compare_entry(b, 0);
	compare_entry(b, b->theirs.depth - 1);
	compare_entry(b, b->theirs.depth);
}

/* ---- steps ------------------------------------------------------------------------------ */

static enum ctr_says theirs_do(struct both *b, const struct ctr_op *op, uint64_t *value)
{
	struct ctr_referee *r = &b->theirs;
	const struct ctr_who who = who_of(&b->ours, &op->env);
	const struct ctr_move move = move_of(&b->ours, &op->t);

	switch (op->what) {
	case CTR_READ: return ctr_referee_read(r, &who, op->csr, value);
	case CTR_WRITE: return ctr_referee_write(r, &who, op->csr, op->value);
	case CTR_CLEAR: return ctr_referee_clear(r, &who);
	case CTR_TICK: ctr_referee_tick(r, who.mode, op->value); break;
	case CTR_MISSED: ctr_referee_miss_cycles(r); break;
	default: ctr_referee_move(r, &move, op->value);
	}
	return CTR_DONE;
}

/* False: no hart does this. */
static bool is_possible(const struct both *b, struct ctr_op *op)
{
	struct ctr_move move;

	if (op->what == CTR_XRET)
		op->t.type = HS_CTR_TRET;
	if (op->what == CTR_RETIRE && op->t.type <= HS_CTR_TRET)
		op->t.type = (uint8_t)(op->t.type + 8);
	move = move_of(&b->ours, &op->t);
	return op->what < CTR_RETIRE || op->what > CTR_XRET || ctr_referee_possible(&move);
}

/* Most accesses are to a register that there is, by a mode that may: else few have an effect. */
static void favour_access(const struct both *b, const struct ctr_numbers *s, struct ctr_op *op)
{
	static const uint16_t csrs[2][8] = {
		{ 0x14e, 0x14f, 0x24e, 0x34e, 0x151, 0x152, 0x153, 0x15f },
		{ 0x181, 0x183, 0x281, 0x381, 0x151, 0x152, 0x153, 0x182 }
	};
	const bool rasemu = ctr_flip(s);

	op->csr = csrs[b->theirs.has.draft][ctr_below(s, 8)];
	op->env.mstateen0 = op->env.hstateen0 = UINT64_MAX;
	if (op->env.priv == HS_PRIV_U)
		op->env.priv = b->theirs.has.has_s ? HS_PRIV_S : HS_PRIV_M;
	op->env.siselect = 0x200 + op->env.siselect % 8;
	op->env.vsiselect = 0x200 + op->env.vsiselect % 8;
	if (op->csr != 0x151)
		op->value &= ~(uint64_t)ctr_below(s, 8); /* modes that are not enabled */
	if (rasemu)
		op->value |= b->theirs.has.draft ? 1 << 10 : 1 << 7;
}

/* Most transfers begin in the current mode, and many are of the types that RASEMU looks at. */
static void favour_transfer(const struct both *b, const struct ctr_numbers *s, struct ctr_op *op)
{
	static const uint8_t types[] = { HS_CTR_CALL, HS_CTR_CALL_IND, HS_CTR_SWAP, HS_CTR_RETURN };

	op->t.from = op->env.priv = b->mode;
	if (op->what == CTR_RETIRE && ctr_flip(s))
		op->t.type = types[ctr_below(s, 4)];
}

/* A trap or return the other way round. */
static void turn(struct hs_ctr_transfer *t)
{
	const struct hs_ctr_transfer was = *t;

	t->from = was.to;
	t->xlen = was.to_xlen;
	t->to = was.from;
	t->to_xlen = was.xlen;
}

static void one_step(struct both *b, const struct ctr_numbers *s)
{
	const bool favoured = ctr_below(s, 4);
	struct ctr_op op = ctr_any_op(s, &b->ours.config);
	uint64_t ours = 0, theirs = 0;
	unsigned answer;

	if (favoured && op.what <= CTR_WRITE)
		favour_access(b, s, &op);
	else if (favoured)
		favour_transfer(b, s, &op);
	if (!is_possible(b, &op))
		turn(&op.t);
	if (!is_possible(b, &op))
		return;
	if (op.what <= CTR_WRITE)
		same("access", hs_ctr_access(&b->ours, &op.env, op.csr),
		     hs_ctr_read(&b->ours, &op.env, op.csr, &ours));
	ours = 0;
	answer = ctr_do(&b->ours, &op, &ours);
	same("answer", answer, theirs_do(b, &op, &theirs));
	same("value", ours, theirs);
	if ((op.what == CTR_TRAP || op.what == CTR_XRET) && op.t.to != HS_CTR_DEBUG)
		b->mode = op.t.to;
	compare(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct both b;
	const size_t head = size < HEAD ? size : HEAD;
	struct fuzz_numbers in = { data, data + head };
	struct ctr_numbers s = { fuzz_below, &in };
	const struct hs_ctr_config k = ctr_any_config(&s);

	fuzz_must(hs_ctr_init(&b.ours, &k) == HS_OK);
	const struct ctr_traits has = traits_of(&b.ours.config);

	ctr_referee_start(&b.theirs, &has);
	b.mode = HS_PRIV_M;
	for (size_t at = head, n = 0; at + STEP <= size && n < STEPS; at += STEP, n++) {
		in = (struct fuzz_numbers){ data + at, data + at + STEP };
		one_step(&b, &s);
	}
	return 0;
}

bool fuzz_mutate(struct fuzz_edit *e)
{
	return fuzz_mutate_steps(e, HEAD, STEP);
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	return fuzz_seed_steps(i, HEAD + 32 * STEP, data, size);
}
