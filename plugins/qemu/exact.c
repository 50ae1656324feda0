/* Exact faults: how much of a run retired before one of its instructions faulted.
 *
 * hs_wire_vcpu.progress is 1 + the half-words before the next instruction of the run that can
 * fault, or 0 when none is left.  It is set when a run starts, and again after each instruction
 * that can fault.  When the next run starts, it says where the last one ended.  An instruction that
 * QEMU cannot execute ends its translation, so that in the middle of a run only memory accesses and
 * the system opcode can fault.
 */
#include <string.h>

#include "vcpu.h"

static bool compressed_can_fault(uint16_t insn)
{
	const unsigned funct3 = insn >> 13, quadrant = insn & 3u;

	if (quadrant == 0)
		return funct3 != 0;
	return quadrant == 2 && funct3 != 0 && funct3 != 4;
}

/* Opcodes (bits 6:2) of which no instruction that QEMU translates can fault. */
static bool opcode_can_fault(uint32_t insn)
{
	switch (insn >> 2 & 0x1fu) {
	case 0x04: case 0x05: case 0x06: case 0x0c: case 0x0d: case 0x0e: /* OP, LUI, AUIPC */
	case 0x10: case 0x11: case 0x12: case 0x13: case 0x14: case 0x15: /* OP-FP, OP-V */
	case 0x18: case 0x19: case 0x1b: /* BRANCH, JALR, JAL */
		return false;
	default:
		return true;
	}
}

static bool is_jump(uint32_t insn, size_t size)
{
	const unsigned funct3 = insn >> 13 & 7u;

	if (size != 2) /* a branch or jump; or ecall, which retires */
		return ((insn & 0x63u) == 0x63u && (insn >> 2 & 0x1fu) != 0x1c) || insn == 0x73u;
	if ((insn & 3u) == 1)
		return funct3 == 5 || funct3 == 6 || funct3 == 7 || funct3 == 1;
	return (insn & 3u) == 2 && funct3 == 4 && (insn & 0x7cu) == 0 && (insn & 0xf80u) != 0;
}

static uint32_t first_word(const struct qemu_plugin_insn *insn)
{
	const size_t n = qemu_plugin_insn_size(insn);
	uint32_t v = 0;

	plugin_insn_bytes(insn, &v, n < 4 ? n : 4);
	return v;
}

static bool can_fault(const struct qemu_plugin_insn *insn, bool last)
{
	const size_t size = qemu_plugin_insn_size(insn);
	const uint32_t bytes = first_word(insn);

	if (size == 2 ? compressed_can_fault((uint16_t)bytes) : opcode_can_fault(bytes))
		return bytes != 0x73u;
	return last && !is_jump(bytes, size);
}

/* Put the probes into a run, and store the progress with which it starts. */
void plugin_exact_instrument(struct qemu_plugin_tb *tb, struct plugin_run *run)
{
	const size_t n = qemu_plugin_tb_n_insns(tb);
	uint32_t next = 0, at = 0;

	for (size_t i = n; i-- > 0;) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		at = (uint32_t)((qemu_plugin_insn_vaddr(insn) - run->start) / 2);
		if (i + 1 == n)
			run->last = at;
		if (!can_fault(insn, i + 1 == n))
			continue;
		if (i + 1 == n)
			plugin_inline_accessed(insn);
		else
			plugin_inline_progress(qemu_plugin_tb_get_insn(tb, i + 1), next);
		next = at + 1;
	}
	run->progress = next;
}

/* A run starts: write how far the one before came.  A last instruction that makes no memory
 * access (of a CSR) has retired when the program continues after it. */
void plugin_exact_enter(struct hs_wire_hart *h, const struct plugin_run *run)
{
	struct hs_wire_vcpu *const line = plugin_line(h->vcpu);
	const uint32_t left = (uint32_t)line->progress;

	if (left != 0 && !(left == h->still.last + 1 && h->still.end == run->start)) {
		plugin_ring_settle(h);
		plugin_push(h, HS_REC_WORD(HS_REC_ESCAPE_PARTIAL, left - 1));
	}
	line->progress = run->progress;
	h->still.last = run->last;
	h->still.end = run->end;
}
