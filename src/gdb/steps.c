/* Steps of a debugger that steps by breakpoints (design/debuggers).
 *
 * For GNU/Linux on RISC-V, GDB works out where an instruction leads, sets a breakpoint there and
 * continues.  It does so from registers, which a flow does not have: each is 0 for it, so that the
 * breakpoint is on the wrong side of a branch, or where a return does not lead.  What it sends for
 * that is nothing else: it reads the instruction in its pieces of 2 bytes, more than once, then
 * sets one breakpoint where it may lead, and continues.  This is a step. */
#include "gdb/private.h"

#define LOOKS 2u /* that GDB reads the instruction, at least */

void gdb_steps_read(struct hs_gdb_server *g, uint64_t addr, uint64_t n)
{
	g->steps.looks += n == 2 && addr == gdb_current(g)->pc;
}

void gdb_steps_plant(struct hs_gdb_server *g, bool insert, uint64_t addr)
{
	g->steps.is_planted = insert && g->steps.looks >= LOOKS;
	g->steps.planted = addr;
	g->steps.looks = 0;
}

void gdb_steps_forget(struct hs_gdb_server *g)
{
	g->steps = (struct gdb_steps){ .looks = 0 };
}

/* May the instruction at @pc lead to @addr for a debugger to which all registers are 0? */
static bool may_lead(const struct hs_insn *i, uint64_t pc, uint64_t addr)
{
	const uint64_t zero_based = (uint64_t)(int64_t)i->offset & ~UINT64_C(1);

	switch (i->kind) {
	case HS_INSN_JUMP:
	case HS_INSN_CALL:
		return addr == i->target;
	case HS_INSN_JUMP_IND:
	case HS_INSN_CALL_IND:
	case HS_INSN_SWAP:
	case HS_INSN_RETURN:
		return addr == zero_based;
	case HS_INSN_BRANCH:
		return addr == i->target || addr == pc + 2u * i->hwords;
	default:
		return addr == pc + 2u * i->hwords;
	}
}

bool gdb_steps_one(struct hs_gdb_server *g, const struct gdb_player *p)
{
	struct hs_insn insn;

	return g->steps.is_planted &&
	       hs_img_insn(program_select_image(&p->select), p->pc, &insn) == HS_OK &&
	       may_lead(&insn, p->pc, g->steps.planted);
}
