/* Traps and trap returns, from the registers that they use.
 *
 * QEMU does not report traps to plugins.  They follow from the address that is executed next and
 * from the trap registers: a trap's epc is where the hart was, and its status the mode it was in.
 * When these do not fit, another trap came in between, before an instruction of the handler
 * executed; its registers say where it came from in the same way.
 */
#include "system.h"

#define BIT(value, n) ((value) >> (n) & 1u)
#define NMIE 3u

/* MPV of a machine: mstatus bit 39, or mstatush bit 7. */
static bool read_mpv(const struct sys_registers *r, uint64_t mstatus)
{
	return sys_xlen == 64 ? BIT(mstatus, 39) : BIT(sys_read(r, SYS_MSTATUSH), 7);
}

static void set_cause(struct sys_trap *t, uint64_t cause)
{
	const uint64_t top = UINT64_C(1) << (sys_xlen - 1);

	t->interrupt = cause & top;
	t->nmi = false;
	t->cause = cause & ~top;
}

static void enter_machine(const struct sys_registers *r, struct sys_trap *t)
{
	const uint64_t mstatus = sys_read(r, SYS_MSTATUS);

	t->to = HS_PRIV_M;
	t->from = sys_mode(mstatus >> 11 & 3u, read_mpv(r, mstatus));
	t->epc = sys_read(r, SYS_MEPC);
	t->value = sys_read(r, SYS_MTVAL);
	set_cause(t, sys_read(r, SYS_MCAUSE));
}

/* An RNMI has registers of its own.  Its causes are the machine's choice: none is an LCOFI. */
static void enter_nmi(const struct sys_registers *r, struct sys_trap *t)
{
	const uint64_t mnstatus = sys_read(r, SYS_MNSTATUS);

	t->to = HS_PRIV_M;
	t->from = sys_mode(mnstatus >> 11 & 3u, BIT(mnstatus, 7));
	t->epc = sys_read(r, SYS_MNEPC);
	t->value = 0;
	t->cause = 0;
	t->interrupt = t->nmi = true;
}

/* HS: SPV has the old V. */
static void enter_supervisor(const struct sys_registers *r, struct sys_trap *t)
{
	t->to = HS_PRIV_S;
	t->from = sys_mode(BIT(sys_read(r, SYS_MSTATUS), 8), BIT(sys_read(r, SYS_HSTATUS), 7));
	t->epc = sys_read(r, SYS_SEPC);
	t->value = sys_read(r, SYS_STVAL);
	set_cause(t, sys_read(r, SYS_SCAUSE));
}

/* VS: while V is 1 its registers have the supervisor's names, and the others the guest's. */
static void enter_guest(const struct sys_registers *r, bool inside, struct sys_trap *t)
{
	t->to = HS_PRIV_VS;
	t->from = sys_mode(BIT(sys_read(r, inside ? SYS_MSTATUS : SYS_VSSTATUS), 8), true);
	t->epc = sys_read(r, inside ? SYS_SEPC : SYS_VSEPC);
	t->value = sys_read(r, inside ? SYS_STVAL : SYS_VSTVAL);
	set_cause(t, sys_read(r, inside ? SYS_SCAUSE : SYS_VSCAUSE));
}

/* The latest trap to @mode; false when no trap leads to it. */
static bool read_trap(const struct sys_registers *r, unsigned mode, bool inside, struct sys_trap *t)
{
	switch (mode) {
	case HS_PRIV_M: enter_machine(r, t); return true;
	case HS_PRIV_S: enter_supervisor(r, t); return true;
	case HS_PRIV_VS: enter_guest(r, inside, t); return true;
	default: return false;
	}
}

/* The trap that led to the current mode.  An RNMI clears NMIE, and nothing else does. */
static bool read_last_trap(const struct sys_registers *r, const struct sys_place *place,
                           struct sys_trap *t)
{
	if (!place->nmie || sys_nmie(r))
		return read_trap(r, (unsigned)sys_read(r, SYS_PRIV), true, t);
	enter_nmi(r, t);
	return true;
}

/* A mode with XLEN 32 has its pc sign-extended in epc. */
static void narrow_epc(const struct sys_place *place, struct sys_trap *t)
{
	if (place->narrow && sys_is_user(t->from))
		t->epc &= UINT32_MAX;
}

/* Does this trap begin where the hart was? */
static bool fits(const struct sys_trap *t, const struct sys_place *p)
{
	if (t->epc >= p->start && t->epc < p->end && t->from == p->mode)
		return true;
	return (p->any || t->epc == p->next) && t->from == p->after;
}

unsigned sys_traps(const struct sys_registers *r, const struct sys_place *place, uint64_t pc,
                   struct sys_trap traps[SYS_TRAPS])
{
	struct sys_trap found[SYS_TRAPS];
	unsigned n = 0;

	found[0].handler = pc;
	if (!read_last_trap(r, place, &found[0]))
		return 0;
	narrow_epc(place, &found[0]);
	while (!fits(&found[n], place)) { /* then its epc is a handler, none of which executed */
		if (n + 1 == SYS_TRAPS || found[n].from == found[n].to ||
		    !read_trap(r, found[n].from, false, &found[n + 1]))
			return 0;
		found[n + 1].handler = found[n].epc;
		n++;
		narrow_epc(place, &found[n]);
	}
	for (unsigned i = 0; i <= n; i++)
		traps[i] = found[n - i];
	return n + 1;
}

bool sys_nmie(const struct sys_registers *r)
{
	return BIT(sys_read(r, SYS_MNSTATUS), NMIE);
}

uint64_t sys_return(const struct sys_registers *r, uint32_t bits, unsigned mode, uint8_t *to)
{
	const uint64_t mstatus = sys_read(r, SYS_MSTATUS);

	if (bits == SYS_MNRET) {
		const uint64_t mnstatus = sys_read(r, SYS_MNSTATUS);

		*to = sys_mode(mnstatus >> 11 & 3u, BIT(mnstatus, 7));
		return sys_read(r, SYS_MNEPC);
	}
	if (bits == SYS_MRET) {
		*to = sys_mode(mstatus >> 11 & 3u, read_mpv(r, mstatus));
		return sys_read(r, SYS_MEPC);
	}
	/* From M and from HS, V is hstatus.SPV; a guest's sret stays in it. */
	*to = sys_mode(BIT(mstatus, 8), sys_virtual(mode) || BIT(sys_read(r, SYS_HSTATUS), 7));
	return sys_read(r, SYS_SEPC);
}
