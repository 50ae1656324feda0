/* Code that changes CTR: SCTRCLR, and writes of its CSRs and of the selectors of entries. */
#include <string.h>

#include "core/access.h"
#include "ctr_host/replay_private.h"

#define OPCODE_SYSTEM 0x73u
#define IMMEDIATE 4u /* of funct3 */

enum operation { READ_WRITE = 1, READ_SET = 2, READ_CLEAR = 3 }; /* low bits of funct3 */

static unsigned csr_of(uint32_t bits)
{
	return bits >> 20;
}

static unsigned funct3_of(uint32_t bits)
{
	return bits >> 12 & 7;
}

/* rs1, or the immediate. */
static unsigned field_of(uint32_t bits)
{
	return bits >> 15 & 31;
}

static bool is_selector(unsigned csr)
{
	return csr == HS_CTR_SISELECT || csr == HS_CTR_VSISELECT || csr == HS_CTR_MISELECT;
}

/* *iselect and *ireg* of Smcsrind and Sscsrind; their numbers differ in the last three bits. */
static bool is_of_ctr(enum hs_ctr_version version, unsigned csr)
{
	return is_selector(csr & ~7u) || hs_ctr_csr_name(version, csr);
}

static bool is_csr_access(uint32_t bits)
{
	return (bits & 0x7f) == OPCODE_SYSTEM && funct3_of(bits) & 3;
}

bool replay_changes(enum hs_ctr_version version, uint32_t bits)
{
	return bits == HS_CTR_SCTRCLR || (is_csr_access(bits) && is_of_ctr(version, csr_of(bits)));
}

/* ---- values -------------------------------------------------------------------------- */

void replay_access(const struct hs_ctr_replay *r, struct replay_track *t, const struct hs_block *b)
{
	const enum hs_ctr_version version = (enum hs_ctr_version)r->start.config.version;
	struct replay_accesses *a = &t->accesses;
	const struct hs_access *made = &a->reader.access;

	if (!hs_access_take(&a->reader, b))
		return;
	t->has_accesses = true;
	if (!hs_access_is_csr(made->type) || !(made->known & HS_ACCESS_HAS_ADDRESS) ||
	    !is_of_ctr(version, (unsigned)made->address))
		return;
	if (a->n == REPLAY_ACCESSES) /* no instruction took the oldest */
		memmove(a->v, a->v + 1, --a->n * sizeof(a->v[0]));
	a->v[a->n++] = *made;
}

/* The first access to @csr; those before it had no instruction. */
static bool take_access(struct replay_accesses *a, unsigned csr, struct hs_access *taken)
{
	for (unsigned i = 0; i < a->n; i++) {
		if (a->v[i].address != csr)
			continue;
		*taken = a->v[i];
		a->n -= i + 1;
		memmove(a->v, a->v + i + 1, a->n * sizeof(a->v[0]));
		return true;
	}
	return false;
}

/* What a CSR instruction writes with, if the flow says it. */
static bool find_operand(struct replay_track *t, uint32_t bits, uint64_t *operand)
{
	struct hs_access access = { 0 };

	*operand = field_of(bits);
	if (take_access(&t->accesses, csr_of(bits), &access) && !(funct3_of(bits) & IMMEDIATE))
		*operand = access.operand;
	return funct3_of(bits) & IMMEDIATE || field_of(bits) == 0 ||
	       access.known & HS_ACCESS_HAS_OPERAND;
}

/* ---- registers ------------------------------------------------------------------------- */

static uint64_t *selector_of(struct replay_track *t, unsigned csr)
{
	if (csr == HS_CTR_MISELECT)
		return &t->env.miselect;
	return csr == HS_CTR_VSISELECT || t->env.priv != HS_PRIV_M ? &t->env.vsiselect
	                                                           : &t->env.siselect;
}

static uint64_t result_of(unsigned operation, uint64_t old, uint64_t operand)
{
	switch (operation) {
	case READ_SET:
		return old | operand;
	case READ_CLEAR:
		return old & ~operand;
	default:
		return operand;
	}
}

static void write_csr(struct replay_track *t, unsigned csr, unsigned operation, uint64_t operand)
{
	struct hs_ctr *c = &t->hart.ctr;
	uint64_t old = 0;

	if (is_selector(csr)) {
		uint64_t *selector = selector_of(t, csr);

		*selector = result_of(operation, *selector, operand);
	} else if (hs_ctr_read(c, &t->env, csr, &old) == HS_CTR_OK) {
		hs_ctr_write(c, &t->env, csr, result_of(operation, old, operand));
	}
}

/* Set and clear with x0 or 0 only read.  A flow without data accesses does not say what most writes
 * write: then all of them are left out, as half of them would leave a state that never was. */
static void access_csr(struct replay_track *t, uint32_t bits)
{
	const unsigned operation = funct3_of(bits) & 3, csr = csr_of(bits);
	uint64_t operand;
	const bool known = find_operand(t, bits, &operand);

	if (operation != READ_WRITE && field_of(bits) == 0)
		return;
	if (known && t->has_accesses)
		write_csr(t, csr, operation, operand);
	else
		t->hart.unknown_writes++;
	if (!known && t->has_accesses && is_selector(csr))
		*selector_of(t, csr) = UINT64_MAX; /* of no entry */
}

/* ---- instructions ---------------------------------------------------------------------- */

/* It retired, so that its mode may execute it; in a guest, CSRs are those of the guest. */
static void execute(struct replay_track *t, uint32_t bits)
{
	const bool guest = t->mode == HS_PRIV_VS || t->mode == HS_PRIV_VU;

	t->env.priv = guest ? HS_PRIV_VS : HS_PRIV_M;
	if (bits == HS_CTR_SCTRCLR)
		hs_ctr_clear(&t->hart.ctr, &t->env);
	else if (is_csr_access(bits) &&
	         is_of_ctr((enum hs_ctr_version)t->hart.ctr.config.version, csr_of(bits)))
		access_csr(t, bits);
}

void replay_run(struct replay_track *t, uint64_t n, unsigned cycles)
{
	const struct hs_image *image = t->hart.image;
	uint64_t at = t->block.iaddr;
	struct hs_insn insn;

	for (; n && hs_img_insn(image, at, &insn) == HS_OK; n--) {
		hs_ctr_tick(&t->hart.ctr, t->mode, cycles);
		if (insn.kind == HS_INSN_LINEAR && insn.hwords == 2)
			execute(t, replay_bits(image, at));
		at += 2u * insn.hwords;
	}
}
