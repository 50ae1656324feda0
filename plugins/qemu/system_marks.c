/* Where the recording of a whole system begins and ends (marks.h).
 *
 * A mark may be in the middle of what QEMU translates in one piece: the recording then begins with
 * the rest of that piece as a run of its own, and ends after a part of one.  QEMU's translations
 * know the low bits of their addresses only (system_space.c), and the pc is known where one starts.
 */
#include <stdlib.h>

#include "system_hart.h"

#include "code.h"
#include "marks.h"

#define PAGE_BITS 12u
#define A7 17u

static uint64_t starts[SYS_VCPUS]; /* pc of each hart's last piece with a mark */

static uint32_t bits_of(const struct qemu_plugin_insn *insn)
{
	const size_t n = qemu_plugin_insn_size(insn);
	uint32_t bits = 0;

	plugin_insn_bytes(insn, &bits, n < 4 ? n : 4);
	return bits;
}

static enum plugin_mark mark_of(const struct qemu_plugin_insn *insn)
{
	return plugin_mark_of(qemu_plugin_insn_vaddr(insn), PAGE_BITS, bits_of(insn),
	                      qemu_plugin_insn_size(insn));
}

/* Is it the mark, as far as a translation does not show it?  @insn: where it is translated. */
static bool is_mark(const struct sys_registers *r, enum plugin_mark mark, uint64_t pc)
{
	if (mark == MARK_ADDRESS)
		return pc == plugin_mark_value();
	return mark == MARK_INSN || sys_read_x(r, A7) == plugin_mark_value();
}

/* ---- before it begins ---------------------------------------------------------------- */

/* The rest of a piece, from an instruction that may be the mark. */
struct rest {
	struct plugin_run *run;
	uint64_t offset; /* in the piece */
	enum plugin_mark mark;
};

static void on_piece(unsigned vcpu, void *udata)
{
	(void)udata;
	starts[vcpu % SYS_VCPUS] = sys_read(&system_hart(vcpu)->registers, SYS_PC);
}

static void on_begin(unsigned vcpu, void *udata)
{
	const struct rest *rest = udata;
	const struct sys_registers *r = &system_hart(vcpu)->registers;
	const uint64_t pc = starts[vcpu % SYS_VCPUS] + rest->offset;

	if (!is_mark(r, rest->mark, pc) || !plugin_mark_hit(MARKS_BEFORE))
		return;
	system_record_begin(vcpu, rest->run, pc - rest->run->start);
	system_marks_reset();
}

void system_marks_translate(struct qemu_plugin_tb *tb)
{
	const uint64_t start = qemu_plugin_tb_vaddr(tb);
	const size_t n = qemu_plugin_tb_n_insns(tb);
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const enum plugin_mark mark = mark_of(insn);
		struct rest *rest;

		if (mark == MARK_NONE)
			continue;
		rest = plugin_memory(calloc(1, sizeof(*rest))); /* translated code points to it */
		*rest = (struct rest){ system_record_rest(tb, i),
			               qemu_plugin_insn_vaddr(insn) - start, mark };
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_begin, QEMU_PLUGIN_CB_R_REGS, rest);
		any = true;
	}
	if (any)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_piece, QEMU_PLUGIN_CB_R_REGS, NULL);
}

/* ---- until it ends -------------------------------------------------------------------- */

#define PACK(offset, mark) ((void *)(uintptr_t)((offset) << 2 | (mark)))

static void on_watched(unsigned vcpu, void *udata)
{
	const uint64_t offset = (uintptr_t)udata >> 2;
	struct recorded_hart *s = system_hart(vcpu);

	system_hart_catch_up(s);
	if (s->last == NULL ||
	    !is_mark(&s->registers, (uintptr_t)udata & 3u, system_last(s).start + offset) ||
	    !plugin_mark_hit(MARKS_ON))
		return;
	system_record_end(vcpu, offset);
	system_marks_reset();
}

void system_marks_watch(struct qemu_plugin_tb *tb)
{
	const uint64_t start = qemu_plugin_tb_vaddr(tb);
	const size_t n = plugin_marks_next() ? qemu_plugin_tb_n_insns(tb) : 0;

	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const enum plugin_mark mark = mark_of(insn);

		if (mark != MARK_NONE)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, on_watched, QEMU_PLUGIN_CB_R_REGS,
				PACK(qemu_plugin_insn_vaddr(insn) - start, mark));
	}
}
