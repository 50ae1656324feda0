/* The guest's accesses to CTR: each value read, and each access refused, is compared with the
 * model's. */
#include <inttypes.h>
#include <string.h>

#include "lockstep.h"

#define CSR_MSTATEEN0 0x30cu
#define CSR_MSTATEEN0H 0x31cu

#define CAUSE_ILLEGAL 2u
#define CAUSE_VIRTUAL 22u

static const char *mode_name(unsigned mode)
{
	static const char *const names[8] = { "U", "S", "?", "M", "VU", "VS", "?", "?" };

	return names[mode & 7u];
}

static uint64_t read_mstateen0(const struct lockstep_hart *h)
{
	const uint64_t low = sys_read(&h->registers, SYS_MSTATEEN0);

	return sys_xlen == 32 ? low | sys_read(&h->registers, SYS_MSTATEEN0H) << 32 : low;
}

static struct hs_ctr_env environment(const struct lockstep_hart *h)
{
	const struct sys_registers *r = &h->registers;

	return (struct hs_ctr_env){
		.priv = h->mode, .xlen = (uint8_t)sys_xlen,
		.mstateen0 = (read_mstateen0(h) & ~STATEEN_CTR) | h->mstateen0,
		.hstateen0 = sys_read(r, SYS_HSTATEEN0) |
		             (sys_xlen == 32 ? sys_read(r, SYS_HSTATEEN0H) << 32 : 0),
		.miselect = h->miselect, .siselect = h->siselect, .vsiselect = h->vsiselect,
	};
}

/* The environment as QEMU has it. */
static struct hs_ctr_env qemu_environment(const struct lockstep_access *a)
{
	struct hs_ctr_env env = a->env;

	env.mstateen0 = a->mstateen0;
	return lockstep_qemu_env(&env, a->csr);
}

/* mstateen0.CTR that cannot be set: what the text allows is illegal. */
static bool is_locked_out(const struct lockstep_access *a)
{
	return a->mstateen0 != a->env.mstateen0 && a->answer[LOCKSTEP_TEXT] == HS_CTR_OK &&
	       a->answer[LOCKSTEP_QEMU] == HS_CTR_ILLEGAL;
}

static void begin_clear(struct lockstep_hart *h, struct lockstep_access *a)
{
	struct hs_ctr copy = h->model[LOCKSTEP_TEXT];
	struct hs_ctr_env qemu;

	a->pending = a->clears = true;
	a->env = environment(h);
	a->mstateen0 = read_mstateen0(h);
	qemu = qemu_environment(a);
	a->answer[LOCKSTEP_TEXT] = hs_ctr_clear(&copy, &a->env);
	a->answer[LOCKSTEP_QEMU] = hs_ctr_clear(&copy, &qemu);
	if (is_locked_out(a))
		a->rule = 1u << LOCKSTEP_STATEEN;
}

/* Our copy of the selector that an access is to; NULL: it is to another CSR. */
static uint64_t *find_selector(struct lockstep_hart *h, const struct lockstep_access *a)
{
	switch (a->csr) {
	case HS_CTR_SISELECT: return sys_virtual(a->env.priv) ? &h->vsiselect : &h->siselect;
	case HS_CTR_VSISELECT: return &h->vsiselect;
	case HS_CTR_MISELECT: return &h->miselect;
	default: return NULL;
	}
}

/* The half of mstateen0 that has the bit CTR. */
static bool is_stateen(const struct lockstep_access *a)
{
	return a->csr == (sys_xlen == 32 ? CSR_MSTATEEN0H : CSR_MSTATEEN0);
}

static bool concerns_ctr(const struct lockstep_access *a)
{
	return hs_ctr_csr_name(HS_CTR_1_0, a->csr) != NULL || lockstep_window(a->csr) ||
	       a->csr == HS_CTR_SISELECT || a->csr == HS_CTR_VSISELECT ||
	       a->csr == HS_CTR_MISELECT || is_stateen(a);
}

/* mstateen0 with the bit CTR as the guest wrote it, and as QEMU has it. */
static void read_stateen(struct lockstep_access *a)
{
	const unsigned shift = sys_xlen == 32 ? 32 : 0;
	const bool legal = a->env.priv == HS_PRIV_M;

	a->answer[LOCKSTEP_TEXT] = a->answer[LOCKSTEP_QEMU] = legal ? HS_CTR_OK : HS_CTR_ILLEGAL;
	a->before[LOCKSTEP_TEXT] = a->env.mstateen0 >> shift;
	a->before[LOCKSTEP_QEMU] = a->mstateen0 >> shift;
	a->rule = 1u << LOCKSTEP_STATEEN;
}

/* What both models answer, and the values they have. */
static void read_models(const struct lockstep_hart *h, struct lockstep_access *a)
{
	const struct hs_ctr_env qemu_env = qemu_environment(a);
	const enum hs_ctr_answer text = hs_ctr_read(&h->model[LOCKSTEP_TEXT], &a->env, a->csr,
	                                            &a->before[LOCKSTEP_TEXT]);
	const enum hs_ctr_answer qemu = hs_ctr_read(&h->model[LOCKSTEP_QEMU], &qemu_env, a->csr,
	                                            &a->before[LOCKSTEP_QEMU]);

	a->answer[LOCKSTEP_TEXT] = text;
	a->answer[LOCKSTEP_QEMU] = qemu;
	if (is_locked_out(a))
		a->rule = 1u << LOCKSTEP_STATEEN;
	else if (qemu != text || text != HS_CTR_OK)
		a->answer[LOCKSTEP_QEMU] = lockstep_qemu_answer(&a->env, a->csr, text, qemu,
		                                                &a->rule);
}

static void begin_csr(struct lockstep_hart *h, struct lockstep_access *a, uint32_t bits)
{
	const unsigned funct3 = bits >> 12 & 7u, rs1 = bits >> 15 & 31u;
	*a = (struct lockstep_access){ .csr = bits >> 20,
		                       .rd = bits >> 7 & 31u,
		                       .operation = funct3 & 3u };
	if (!concerns_ctr(a))
		return;
	a->pending = true;
	a->env = environment(h);
	a->mstateen0 = read_mstateen0(h);
	a->operand = funct3 >= 5 ? rs1 : sys_read_x(&h->registers, rs1);
	a->reads = a->operation != LOCKSTEP_WRITE || a->rd != 0;
	a->writes = a->operation == LOCKSTEP_WRITE || rs1 != 0;
	if (is_stateen(a))
		read_stateen(a);
	else
		read_models(h, a);
}

static bool is_csr_insn(uint32_t bits)
{
	return (bits & 0x7fu) == 0x73u && (bits >> 12 & 3u) != 0;
}

bool lockstep_is_csr(uint32_t bits, unsigned csr)
{
	return is_csr_insn(bits) && bits >> 20 == csr;
}

void lockstep_access_begins(struct lockstep_hart *h, const struct lockstep_insn *i)
{
	struct lockstep_access *a = &h->access;

	memset(a, 0, sizeof(*a));
	if (i->bits == HS_CTR_SCTRCLR)
		begin_clear(h, a);
	else if (is_csr_insn(i->bits))
		begin_csr(h, a, i->bits);
}

static void report_failure(struct lockstep_hart *h, const char *kind, const char *expected,
                           const char *got)
{
	const struct lockstep_access *a = &h->access;
	const char *name = hs_ctr_csr_name(HS_CTR_1_0, a->csr);

	if (h->failures++ >= LOCKSTEP_SHOWN)
		return;
	fprintf(lockstep_report, "not equal: %s at 0x%" PRIx64 ", mode %s, %s 0x%03x%s%s", kind,
	        h->prev->pc, mode_name(h->mode), a->clears ? "sctrclr" : "csr", a->csr,
	        name == NULL ? "" : " ", name == NULL ? "" : name);
	if (lockstep_window(a->csr))
		fprintf(lockstep_report, " (selectors 0x%" PRIx64 ", 0x%" PRIx64 ")", h->siselect,
		        h->vsiselect);
	fprintf(lockstep_report, ": expected %s, got %s\n", expected, got);
}

/* Count a difference: allowed by @rules, or a failure when there are none. */
static void count_difference(struct lockstep_hart *h, uint32_t rules, const char *kind,
                             const char *expected, const char *got)
{
	if (rules == 0 || lockstep_strict) {
		report_failure(h, kind, expected, got);
		return;
	}
	h->differences++;
	for (unsigned i = 0; i < LOCKSTEP_DEVIATIONS; i++)
		if (rules >> i & 1u)
			h->by_rule[i]++;
}

static void compare_value(struct lockstep_hart *h)
{
	const struct lockstep_access *a = &h->access;
	const uint64_t got = sys_read_x(&h->registers, a->rd);
	const bool as_qemu = a->answer[LOCKSTEP_QEMU] == HS_CTR_OK &&
	                     got == a->before[LOCKSTEP_QEMU];
	const uint32_t rules = !as_qemu ? 0 : is_stateen(a) ? a->rule : lockstep_differences(h);
	char expected[32], found[32];

	h->reads++;
	if (a->answer[LOCKSTEP_TEXT] == HS_CTR_OK && got == a->before[LOCKSTEP_TEXT])
		return;
	snprintf(expected, sizeof(expected), "0x%" PRIx64, a->before[LOCKSTEP_TEXT]);
	snprintf(found, sizeof(found), "0x%" PRIx64, got);
	count_difference(h, rules, "value", expected, found);
}

static const char *answer_text(enum hs_ctr_answer answer)
{
	switch (answer) {
	case HS_CTR_OK: return "success";
	case HS_CTR_ILLEGAL: return "an illegal instruction";
	case HS_CTR_VIRTUAL: return "a virtual instruction";
	default: return "nothing of CTR";
	}
}

/* Did the access succeed or fail as the model says?  */
static void compare_answer(struct lockstep_hart *h, const struct sys_trap *trap)
{
	const struct lockstep_access *a = &h->access;
	enum hs_ctr_answer got = HS_CTR_OK;

	if (trap != NULL)
		got = trap->cause == CAUSE_ILLEGAL ? HS_CTR_ILLEGAL :
		      trap->cause == CAUSE_VIRTUAL ? HS_CTR_VIRTUAL : HS_CTR_NOT_MINE;
	h->answers++;
	if (got != a->answer[LOCKSTEP_TEXT])
		count_difference(h, got == a->answer[LOCKSTEP_QEMU] ? a->rule : 0, "answer",
		       answer_text(a->answer[LOCKSTEP_TEXT]), answer_text(got));
}

static uint64_t new_value(const struct lockstep_access *a, uint64_t before)
{
	switch (a->operation) {
	case LOCKSTEP_WRITE: return a->operand;
	case LOCKSTEP_SET: return before | a->operand;
	default: return before & ~a->operand;
	}
}

/* The bit CTR of a value that was written to its half of mstateen0. */
static uint64_t stateen_bit(uint64_t value)
{
	return (sys_xlen == 32 ? value << 32 : value) & STATEEN_CTR;
}

static void write_models(struct lockstep_hart *h)
{
	const struct lockstep_access *a = &h->access;
	const struct hs_ctr_env qemu = qemu_environment(a);

	if (a->answer[LOCKSTEP_TEXT] == HS_CTR_OK)
		hs_ctr_write(&h->model[LOCKSTEP_TEXT], &a->env, a->csr,
		             new_value(a, a->before[LOCKSTEP_TEXT]));
	if (a->answer[LOCKSTEP_QEMU] == HS_CTR_OK)
		hs_ctr_write(&h->model[LOCKSTEP_QEMU], &qemu, a->csr,
		             new_value(a, a->before[LOCKSTEP_QEMU]));
}

/* Selectors do not belong to CTR: what the guest reads of them is right. */
static void follow_selector(struct lockstep_hart *h, uint64_t *to)
{
	const struct lockstep_access *a = &h->access;

	if (a->reads && a->rd != 0)
		*to = sys_read_x(&h->registers, a->rd);
	if (a->writes)
		*to = new_value(a, *to);
}

void lockstep_access_ends(struct lockstep_hart *h, const struct sys_trap *trap)
{
	struct lockstep_access *a = &h->access;
	uint64_t *const to = a->clears ? NULL : find_selector(h, a);

	if (!a->pending)
		return;
	a->pending = false;
	if (a->answer[LOCKSTEP_TEXT] != HS_CTR_NOT_MINE)
		compare_answer(h, trap);
	if (to != NULL && trap == NULL)
		follow_selector(h, to);
	if (to != NULL || trap != NULL || a->answer[LOCKSTEP_TEXT] == HS_CTR_NOT_MINE)
		return;
	if (a->clears) {
		hs_ctr_clear(&h->model[LOCKSTEP_TEXT], &a->env);
		hs_ctr_clear(&h->model[LOCKSTEP_QEMU], &a->env);
		return;
	}
	if (a->reads && a->rd != 0 && a->answer[LOCKSTEP_TEXT] == HS_CTR_OK)
		compare_value(h);
	if (a->writes && is_stateen(a))
		h->mstateen0 = stateen_bit(new_value(a, a->before[LOCKSTEP_TEXT]));
	else if (a->writes)
		write_models(h);
}
