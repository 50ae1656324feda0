/* Random CSR accesses, transfers, traps, returns and cycles on random harts with CTR, both versions
 * and widths: what software sees afterwards follows from what it saw before by the rules of the
 * text, which are written here (and in ctr_laws.h) once more.  A copy of the hart goes the same
 * way. */
#include "cases.h"

#include "ctr_laws.h"
#include "property/campaign.h"
#include "property/randprog.h"

#define CASES 2000
#define STEPS 300

static struct {
	struct hs_ctr c, copy;
	struct ctr_view before, after;
	uint64_t cycles; /* since the last record */
	bool ccv;
	uint64_t done[8], ok[8], moved[4];
} t;

static bool guest(unsigned priv)
{
	return priv == HS_PRIV_VS || priv == HS_PRIV_VU;
}

static bool draft(void)
{
	return t.c.config.version == HS_CTR_0_1_4;
}

/* ---- who may access what (Smstateen, Sscsrind, State Enable Access Control) ------------ */

static enum hs_ctr_answer passes(const struct hs_ctr_env *e, unsigned level, unsigned bit)
{
	const bool m = !ctr_hart_has(&t.c.config, HS_CTR_NO_SMSTATEEN) || (e->mstateen0 >> bit & 1);
	const bool h = !ctr_hart_has(&t.c.config, HS_CTR_NO_SMSTATEEN) ||
		(m && (e->hstateen0 >> bit & 1));

	if (e->priv == HS_PRIV_M)
		return HS_CTR_OK;
	if (!m || level == 3 || e->priv == HS_PRIV_U)
		return HS_CTR_ILLEGAL;
	if (e->priv == HS_PRIV_S)
		return HS_CTR_OK;
	return e->priv == HS_PRIV_VS && level == 1 && h ? HS_CTR_OK : HS_CTR_VIRTUAL;
}

static uint64_t selected(const struct hs_ctr_env *e, unsigned csr)
{
	return csr >> 8 == 3 ? e->miselect : csr >> 8 == 2 || guest(e->priv) ? e->vsiselect
		: e->siselect;
}

/* 1 to 6: *ireg to *ireg6; 0: *iselect; 7: none of them. */
static unsigned window(unsigned csr)
{
	const unsigned n = csr & 0xff;

	if (csr >> 8 < 1 || csr >> 8 > 3 || n < 0x50 || n > 0x57 || n == 0x54)
		return 7;
	return n < 0x54 ? n - 0x50 : n - 0x51;
}

static bool own(unsigned csr)
{
	static const uint16_t numbers[2][8] =
		{ { 0x181, 0x182, 0x183, 0x281, 0x282, 0x381, 0x382, 0x383 },
		                                { 0x14e, 0x14f, 0x15f, 0x24e, 0x34e } };

	for (unsigned i = 0; i < 8; i++)
		if (csr != 0 && numbers[!draft()][i] == csr)
			return true;
	return false;
}

static bool upper_half(unsigned csr)
{
	return draft() && (csr == 0x182 || csr == 0x282 || csr == 0x382);
}

static enum hs_ctr_answer answer(const struct hs_ctr_env *e, unsigned csr)
{
	const unsigned level = csr >> 8, bit = draft() ? 55 : 54;
	const bool exists = level == 3 || (ctr_hart_has(&t.c.config, level == 2 ? HS_CTR_NO_H
	                                                : HS_CTR_NO_S));
	enum hs_ctr_answer a;

	if (!own(csr) && window(csr) > 6)
		return HS_CTR_NOT_MINE;
	if (!exists || (upper_half(csr) && e->xlen == 64))
		return HS_CTR_ILLEGAL;
	if (own(csr)) {
		a = passes(e, level, bit);
		return csr == 0x15f && guest(e->priv) && a == HS_CTR_OK ? HS_CTR_VIRTUAL : a;
	}
	a = passes(e, level, 60);
	if (a != HS_CTR_OK)
		return a;
	if (window(csr) == 0 || selected(e, csr) < 0x200 || selected(e, csr) > 0x2ff ||
	    (level == 3 && !draft()))
		return HS_CTR_NOT_MINE;
	return passes(e, level, bit);
}

/* ---- what a write does ------------------------------------------------------------------ */

static bool same_entries(unsigned except)
{
	for (unsigned i = 0; i < HS_CTR_ENTRIES; i++)
		if (i != except && memcmp(&t.before.e[i], &t.after.e[i], sizeof(t.after.e[i])) != 0)
			return false;
	return true;
}

static bool same_status(void)
{
	return t.before.wrptr == t.after.wrptr && t.before.wrap == t.after.wrap &&
		t.before.frozen == t.after.frozen;
}

/* A7 and "sctrdepth": the largest supported depth that is not above, else the smallest. */
static unsigned nearest(unsigned code)
{
	static const uint8_t codes[] = { 0, 1, 3, 7, 15 };
	unsigned best = 0;

	for (unsigned i = 0; i < 5; i++)
		if ((t.c.config.depths >> i & 1) && (!best || (draft() ? codes[i] : i) <= code))
			best = 16u << i;
	return best;
}

/* STA-10: logical entry X is physical WRPTR - 1 - X; a new WRPTR turns the array. */
static void turned(void)
{
	const unsigned by = t.before.wrptr - t.after.wrptr, last = t.before.depth - 1;

	for (unsigned i = 0; i <= last; i++)
		CTR_LAW(memcmp(&t.after.e[i], &t.before.e[(i + by) & last],
		               sizeof(t.after.e[i])) == 0);
}

static void depth_written(unsigned code)
{
	CTR_LAW(t.after.depth == nearest(code));
	CTR_LAW(t.after.wrap == t.before.wrap && t.after.frozen == t.before.frozen);
	if (t.after.depth == t.before.depth)
		CTR_LAW(same_entries(HS_CTR_ENTRIES) && same_status());
	else if (!(t.c.config.options & HS_CTR_POISON))
		CTR_LAW(t.after.wrptr == (t.before.wrptr & (t.after.depth - 1)));
}

static void control_written(const struct ctr_op *op)
{
	const uint64_t fields = ctr_law_fields(&t.c.config), hidden = ctr_law_hidden(&t.c.config);
	const bool v = op->csr >> 8 == 2 || guest(op->env.priv), machine = op->csr >> 8 == 3;
	const uint64_t old = v ? t.before.vsctl : t.before.mctl, low = UINT32_MAX, code = draft()
		? 0xf0000 : 0;
	const uint64_t value = upper_half(op->csr) ? op->value << 32 | (old & low) :
	                       op->env.xlen == 32  ? (op->value & low) | (old & ~low) : op->value;
	const uint64_t kept = machine ? 0 : hidden;

	CTR_LAW((t.after.vsctl & ~code) == (v ? value & fields & ~hidden : t.before.vsctl & ~code));
	CTR_LAW((t.after.mctl & ~code) == (v ? t.before.mctl & ~code
	                                   : (value & fields & ~kept) | (old & kept)));
	t.cycles = 0;
	t.ccv = false;
	if (draft() && (value & 0x80) && (!v || guest(op->env.priv))) { /* CLR */
		for (unsigned i = 0; i < HS_CTR_ENTRIES; i++)
			CTR_LAW(!(t.after.e[i].source | t.after.e[i].target | t.after.e[i].data));
		CTR_LAW(!t.after.wrptr && !t.after.wrap && !t.after.frozen);
		CTR_LAW(t.after.depth == (v ? t.before.depth : nearest(value >> 16 & 15)));
	} else if (draft() && !v) {
		depth_written(value >> 16 & 15);
	} else {
		CTR_LAW(t.after.depth == t.before.depth && same_entries(HS_CTR_ENTRIES) &&
		        same_status());
	}
}

static void status_written(const struct ctr_op *op)
{
	CTR_LAW(t.after.wrptr == (op->value & (t.before.depth - 1)));
	CTR_LAW(t.after.wrap == (draft() && (op->value >> 14 & 1)));
	CTR_LAW(t.after.frozen == (op->value >> (draft() ? 15 : 31) & 1));
	CTR_LAW(t.after.depth == t.before.depth);
	turned();
}

/* The bits that every hart holds; the others are laws of any entry. */
static void entry_written(const struct ctr_op *op)
{
	const struct hs_ctr_config *k = &t.c.config;
	const uint64_t index = selected(&op->env, op->csr) - 0x200;
	const unsigned which = window(op->csr), bits = k->va_bits && k->va_bits < 32 ? k->va_bits
		: 32;
	const uint64_t low = (UINT64_C(1) << bits) - 2,
		data = (ctr_hart_has(k, HS_CTR_NO_TYPE) ? 0xf : 0) | (ctr_hart_has(k, HS_CTR_NO_CC)
		? 0xfff8000 & ~0x7000 : 0);
	struct hs_ctr_entry want = t.before.e[index], got = t.after.e[index];

	CTR_LAW(same_status() && same_entries((unsigned)index));
	if (index >= t.before.depth)
		return;
	if (which == 1) {
		CTR_LAW(((got.source ^ op->value) & (low | 1)) == 0);
		want.source = got.source;
	} else if (which == 2) {
		CTR_LAW(((got.target ^ op->value) & (low | ctr_hart_has(k, HS_CTR_NO_MISP))) == 0);
		want.target = got.target;
	} else if (which == 3) {
		CTR_LAW(((got.data ^ op->value) & data) == 0);
		want.data = got.data;
	}
	CTR_LAW(memcmp(&want, &got, sizeof(got)) == 0);
}

static void written(const struct ctr_op *op)
{
	if (!own(op->csr))
		entry_written(op);
	else if (op->csr == 0x183 || op->csr == 0x383 || op->csr == 0x14f)
		status_written(op);
	else if (op->csr == 0x15f)
		depth_written(op->value & 7);
	else
		control_written(op);
}

/* ---- what an event does ----------------------------------------------------------------- */

static uint64_t control_of(unsigned priv)
{
	return guest(priv) ? t.before.vsctl : t.before.mctl;
}

static bool active(unsigned priv)
{
	static const uint8_t bits[2][8] = { { 4, 2, 0, 1, 4, 2 }, { 1, 2, 0, 4, 1, 2 } };

	return !t.before.frozen && priv < 8 && (control_of(priv) & bits[!draft()][priv]);
}

static bool emulated(const struct ctr_op *op)
{
	return op->what == CTR_RETIRE && (control_of(op->t.from) >> (draft() ? 10 : 7) & 1);
}

/* 1.0 "Cycle Counting": sizes of the counter, and the coding. */
static unsigned cc_of(uint64_t n)
{
	unsigned msb = 63;

	if (n < 4096)
		return (unsigned)n;
	while (!(n >> msb & 1))
		msb--;
	return (msb - 11) << 12 | (n >> (msb - 12) & 0xfff);
}

static void count(uint64_t n)
{
	static const uint8_t sizes[] = { 12, 13, 15, 19, 27 };
	const uint64_t max = (UINT64_C(1) << sizes[t.c.config.cc_bits ? t.c.config.cc_bits - 12
	                                           : 0]) - 1;

	t.cycles = n > max - t.cycles ? max : t.cycles + n;
}

/* Cycles of a record that RASEMU takes away count again, if they are known. */
static void uncount(const struct hs_ctr_entry *e)
{
	const unsigned exponent = e->data >> 28 & 15, mantissa = e->data >> 16 & 0xfff;

	if ((e->source & 1) && (e->data & 0x8000))
		count(exponent ? (4096 + (uint64_t)mantissa) << (exponent - 1) : mantissa);
	else
		t.ccv = false;
}

static void made(const struct ctr_op *op)
{
	const struct hs_ctr_config *k = &t.c.config;
	const struct hs_ctr_entry *e = &t.after.e[0];
	const bool ccv = t.ccv && !(emulated(op) && (k->options & HS_CTR_RAS_NO_CC));
	const unsigned type = op->what == CTR_XRET ? 3 : op->t.type, shown = e->data & 15;

	CTR_LAW(e->source & 1);
	CTR_LAW(!(e->data & ~0xffff800full));
	CTR_LAW(shown == (ctr_hart_has(k, HS_CTR_NO_TYPE) ? type : 0) ||
	        (shown == 6 && (k->options & HS_CTR_TYPE6)));
	CTR_LAW((e->source ^ (active(op->t.from) ? op->t.source : 0)) << 52 >> 53 == 0);
	CTR_LAW((e->target ^ (active(op->t.to) || op->what == CTR_RETIRE ? op->t.target
	                      : 0)) << 52 >> 53 == 0);
	CTR_LAW((e->target & 1) == (ctr_hart_has(k, HS_CTR_NO_MISP) && op->t.misp &&
	                            (op->what == CTR_RETIRE || op->what == CTR_XRET)));
	CTR_LAW((e->data >> 15 & 1) == (ctr_hart_has(k, HS_CTR_NO_CC) && ccv));
	CTR_LAW(e->data >> 16 == (ctr_hart_has(k, HS_CTR_NO_CC) ? cc_of(t.cycles) : 0));
	t.cycles = 0;
	t.ccv = true;
}

static void pushed(const struct ctr_op *op)
{
	for (unsigned i = 1; i < t.before.depth; i++)
		CTR_LAW(memcmp(&t.after.e[i], &t.before.e[i - 1], sizeof(t.after.e[i])) == 0);
	CTR_LAW(t.after.wrap == (t.before.wrap ||
	                         (draft() && t.before.wrptr == t.before.depth - 1)));
	made(op);
}

static void popped(void)
{
	struct hs_ctr_entry gone = t.before.e[0];

	uncount(&gone);
	gone.source &= ~UINT64_C(1);
	for (unsigned i = 1; i < t.before.depth; i++)
		CTR_LAW(memcmp(&t.after.e[i - 1], &t.before.e[i], sizeof(gone)) == 0);
	CTR_LAW(memcmp(&t.after.e[t.before.depth - 1], &gone, sizeof(gone)) == 0);
	CTR_LAW(t.after.wrap == (t.before.wrap && t.before.wrptr != 0));
}

enum move { STAYS, PUSHES, POPS, REPLACES };

/* Qualification of what retires; ctr_transitions.c has every change of mode. */
static enum move expected(const struct ctr_op *op)
{
	const unsigned type = op->t.type;
	const bool bit = type < 16 && (control_of(op->t.from) >> (32 + type) & 1);

	if (!active(op->t.from) || type < 4 || type > 15 || type == 6 || type == 7)
		return STAYS;
	if (emulated(op))
		return type == 8 || type == 9 ? PUSHES : type == 13 ? POPS : type == 12 ? REPLACES
			: STAYS;
	return (type == 4) == bit ? PUSHES : STAYS;
}

static void happened(const struct ctr_op *op)
{
	const unsigned by = (t.after.wrptr - t.before.wrptr) & (t.before.depth - 1);
	enum move move = op->what == CTR_RETIRE ? expected(op) : by == 1 ? PUSHES : STAYS;

	CTR_LAW(t.after.mctl == t.before.mctl && t.after.vsctl == t.before.vsctl &&
	        t.after.depth == t.before.depth);
	CTR_LAW(by == (move == PUSHES ? 1 : move == POPS ? t.before.depth - 1 : 0));
	CTR_LAW(!t.before.frozen || (move == STAYS && t.after.frozen));
	CTR_LAW(t.before.frozen || !t.after.frozen || (op->what == CTR_TRAP && move == STAYS));
	t.moved[move]++;
	if (move == PUSHES) {
		pushed(op);
	} else if (move == POPS) {
		popped();
	} else if (move == REPLACES) {
		uncount(&t.before.e[0]);
		CTR_LAW(same_entries(0) && t.after.wrap == t.before.wrap);
		made(op);
	} else {
		CTR_LAW(same_entries(HS_CTR_ENTRIES) && t.after.wrap == t.before.wrap);
	}
}

/* ---- steps ------------------------------------------------------------------------------ */

/* 1.0 "Supervisor CTR Clear Instruction". */
static void cleared(void)
{
	for (unsigned i = 0; i < HS_CTR_ENTRIES; i++)
		CTR_LAW(!(t.after.e[i].source | t.after.e[i].target | t.after.e[i].data));
	CTR_LAW(same_status());
	t.cycles = 0;
	t.ccv = false;
}

/* What mode M sees, a mode that may access sees too, in its XLEN. */
static void has_read(const struct ctr_op *op, uint64_t value)
{
	const uint64_t index = selected(&op->env, op->csr) - 0x200;
	const unsigned which = window(op->csr);

	CTR_LAW(op->env.xlen == 64 || value <= UINT32_MAX);
	if (own(op->csr))
		return;
	const struct hs_ctr_entry *e = &t.before.e[index];
	const uint64_t want = which == 1 ? e->source : which == 2 ? e->target : which == 3 ? e->data
		: 0;

	CTR_LAW(value == (op->env.xlen == 32 ? want & UINT32_MAX : want));
}

static void one_step(const struct ctr_numbers *s)
{
	const struct ctr_op op = ctr_any_op(s, &t.c.config);
	const bool access = op.what == CTR_READ || op.what == CTR_WRITE;
	uint64_t value = 0x1234, again = 0x1234;
	const enum hs_ctr_answer asked = hs_ctr_access(&t.c, &op.env, op.csr),
	                         may_clear = hs_ctr_may_clear(&t.c, &op.env);
	const enum hs_ctr_answer a = ctr_do(&t.c, &op, &value), b = ctr_do(&t.copy, &op, &again);

	CTR_LAW(a == b && value == again && memcmp(&t.c, &t.copy, sizeof(t.c)) == 0);
	CTR_LAW(hs_ctr_check(&t.c) == HS_OK);
	ctr_law_state(&t.c, &t.after);
	t.done[op.what]++;
	t.ok[op.what] += a == HS_CTR_OK;
	if (access)
		CTR_LAW(a == answer(&op.env, op.csr) && a == asked);
	if (op.what == CTR_CLEAR)
		CTR_LAW(a == may_clear && a == (draft() ? HS_CTR_NOT_MINE : passes(&op.env, 1, 54)));
	if (a != HS_CTR_OK || op.what == CTR_READ || op.what == CTR_TICK || op.what == CTR_MISSED)
		CTR_LAW(memcmp(&t.before, &t.after, sizeof(t.after)) == 0);
	if (op.what == CTR_TICK && active(op.env.priv))
		count(op.value);
	if (op.what == CTR_MISSED)
		t.ccv = false;
	if (a == HS_CTR_OK && op.what == CTR_READ)
		has_read(&op, value);
	else if (a == HS_CTR_OK && op.what == CTR_WRITE)
		written(&op);
	else if (a == HS_CTR_OK && op.what == CTR_CLEAR)
		cleared();
	else if (op.what >= CTR_RETIRE && op.what <= CTR_XRET)
		happened(&op);
	t.before = t.after;
}

/* The copy is taken away and put back elsewhere now and then, also as bytes. */
static void put_back(unsigned round)
{
	static uint8_t bytes[HS_CTR_SAVED_MAX];
	struct hs_span in = { bytes, hs_ctr_save(&t.c, bytes) };

	memset(&t.copy, 0x5a, sizeof(t.copy));
	if (round % 2) {
		memcpy(&t.copy, &t.c, sizeof(t.c));
		return;
	}
	CTR_LAW(hs_ctr_init(&t.copy, &t.c.config) == HS_OK);
	CTR_LAW(hs_ctr_restore(&t.copy, &in) == HS_OK && in.n == 0);
}

static uint32_t below(void *ctx, uint32_t n)
{
	return rng_below(ctx, n);
}

static void one_case(uint64_t seed)
{
	struct rng r = { seed * 0x9e3779b97f4a7c15u | 1 };
	const struct ctr_numbers s = { below, &r };
	const struct hs_ctr_config k = ctr_any_config(&s);

	printf("# seed %llu\n", (unsigned long long)seed); /* a broken law aborts */
	CTR_LAW(hs_ctr_init(&t.c, &k) == HS_OK);
	memset(&t.before, 0, sizeof(t.before));
	memset(&t.after, 0, sizeof(t.after));
	ctr_law_state(&t.c, &t.before);
	t.cycles = 0;
	t.ccv = false;
	for (unsigned i = 0; i < STEPS; i++) {
		if (i % 50 == 0)
			put_back(i / 50);
		one_step(&s);
	}
}

CAMPAIGN(whatever_happens)
{
	const uint64_t cases = campaign_run(CASES, one_case);

	printf("# %llu reads (%llu done), %llu writes (%llu done), %llu SCTRCLR (%llu done)\n",
	       (unsigned long long)t.done[CTR_READ], (unsigned long long)t.ok[CTR_READ],
	       (unsigned long long)t.done[CTR_WRITE], (unsigned long long)t.ok[CTR_WRITE],
	       (unsigned long long)t.done[CTR_CLEAR], (unsigned long long)t.ok[CTR_CLEAR]);
	printf("# %llu events: %llu pushed, %llu popped, %llu replaced\n",
	       (unsigned long long)(t.done[CTR_RETIRE] + t.done[CTR_TRAP] + t.done[CTR_XRET]),
	       (unsigned long long)t.moved[PUSHES], (unsigned long long)t.moved[POPS],
	       (unsigned long long)t.moved[REPLACES]);
	for (unsigned i = 0; cases >= CASES && i < 4; i++)
		assert_true(t.moved[i] > 500);
}
