/* Address spaces of a whole system (system.h).
 *
 * The pc is read once for each run in each address space, and where the run before leads elsewhere.
 * A space ends with a write of satp, vsatp or hgatp, and with a fence; that of the supervisor only
 * when translation is switched on or off, because its code keeps its addresses.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system_hart.h"

static struct space *spaces[SYS_VCPUS];

void system_space_vcpu(unsigned vcpu)
{
	struct space *s = calloc(1, sizeof(*s));

	if (s == NULL)
		_exit(126); /* as QEMU does when it has no memory for a translation */
	s->of_user = 1;
	s->of_supervisor = s->last = 2;
	spaces[vcpu % SYS_VCPUS] = s;
	system_hart(vcpu)->space = s;
}

bool system_space_insn(uint32_t insn)
{
	const unsigned csr = insn >> 20, funct7 = insn >> 25;

	if ((insn & 0x7fu) != 0x73u)
		return false;
	if ((insn >> 12 & 7u) != 0) /* Zicsr */
		return csr == 0x180 || csr == 0x280 || csr == 0x680;
	return funct7 == 0x09 || funct7 == 0x0b ||  /* sfence.vma, sinval.vma */
	       funct7 == 0x11 || funct7 == 0x31 ||  /* hfence.vvma, hfence.gvma */
	       funct7 == 0x13 || funct7 == 0x33;    /* hinval.vvma, hinval.gvma */
}

/* MODE of satp, 0: addresses are physical. */
static unsigned mode_of(uint64_t satp)
{
	return (unsigned)(sys_xlen == 64 ? satp >> 60 : satp >> 31);
}

/* A number that no place has: all places are forgotten when there is none. */
static uint32_t next_space(struct space *s)
{
	if (++s->last == 0) {
		memset(s->places, 0, sizeof(s->places));
		s->of_supervisor = 2;
		s->last = 3;
	}
	return s->last;
}

void system_space_changed(unsigned vcpu, const struct sys_registers *r)
{
	struct recorded_hart *h = system_hart(vcpu);
	struct space *s = spaces[vcpu % SYS_VCPUS];
	const uint64_t satp = sys_read(r, SYS_SATP);

	s->guests = sys_read(r, SYS_HGATP) != 0 || sys_read(r, SYS_VSATP) != 0;
	s->of_user = next_space(s);
	if (mode_of(satp) != mode_of(s->satp) || s->guests) {
		s->of_supervisor = next_space(s);
		if (h->relies)
			pack_doubt(h->ring);
		h->relies = false;
	}
	s->satp = satp;
}

/* Does the run before lead to @addr, or to anywhere? */
static bool may_lead(const struct recorded_hart *h, uint64_t addr)
{
	const struct plugin_run *last = h->last;
	const uint64_t at = addr - h->moved;

	if (last == NULL)
		return false;
	switch (last->kind) {
	case HS_INSN_LINEAR:
		return at == last->end;
	case HS_INSN_BRANCH:
		return at == last->end || at == last->leads;
	case HS_INSN_JUMP:
	case HS_INSN_CALL:
		return at == last->leads;
	default:
		return true;
	}
}

uint64_t system_space_moved(unsigned vcpu, const struct sys_registers *r,
                            const struct plugin_run *run)
{
	struct space *s = spaces[vcpu % SYS_VCPUS];
	const bool user = (run->mode & 3u) == HS_PRIV_U;
	const uint32_t space = user ? s->of_user : s->of_supervisor;
	struct system_place *p = &s->places[run->id % PLACES];

	if (p->run == run->id && p->space == space &&
	    may_lead(system_hart(vcpu), run->start + p->moved))
		return p->moved;
	p->moved = sys_read(r, SYS_PC) - run->start;
	p->run = run->id;
	p->space = space;
	return p->moved;
}
