/* What translated code does by itself to the line of its vcpu (struct hs_wire_vcpu).
 *
 * From version 2 on QEMU computes the address for each vcpu: it is in memory of QEMU's own, a
 * scoreboard, which the recorder cannot read when the emulator was killed.  An entry is named by a
 * scoreboard and an offset, so the offset leads from there to plugin_lines.  QEMU moves a
 * scoreboard only when it drops all translations, so that it is looked for at each translation
 * (design/rec-qemu).  In version 1 all vcpus have one address: that of vcpu 0. */
#ifndef PLUGIN_VCPU_H
#define PLUGIN_VCPU_H

#include "api.h"
#include "plugin.h"

/* Do threads of one program have lines of their own in translated code? */
#define PLUGIN_LINES (PLUGIN_API >= 2)

#if PLUGIN_LINES

extern struct qemu_plugin_scoreboard *plugin_board;

static inline void plugin_board_open(void)
{
	plugin_board = qemu_plugin_scoreboard_new(sizeof(struct hs_wire_vcpu));
}

static inline qemu_plugin_u64 plugin_entry(size_t offset)
{
	const uintptr_t board = (uintptr_t)qemu_plugin_scoreboard_find(plugin_board, 0);

	return (qemu_plugin_u64){ plugin_board, (uintptr_t)plugin_lines + offset - board };
}

static inline void plugin_inline_add(struct qemu_plugin_tb *tb, uint64_t number)
{
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
		tb, QEMU_PLUGIN_INLINE_ADD_U64, plugin_entry(offsetof(struct hs_wire_vcpu, sum)),
		number);
}

/* Before @insn executes: store the progress. */
static inline void plugin_inline_progress(struct qemu_plugin_insn *insn, uint64_t progress)
{
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
		insn, QEMU_PLUGIN_INLINE_STORE_U64,
		plugin_entry(offsetof(struct hs_wire_vcpu, progress)), progress);
}

/* After an access of @insn. */
static inline void plugin_inline_accessed(struct qemu_plugin_insn *insn)
{
	qemu_plugin_register_vcpu_mem_inline_per_vcpu(
		insn, QEMU_PLUGIN_MEM_RW, QEMU_PLUGIN_INLINE_STORE_U64,
		plugin_entry(offsetof(struct hs_wire_vcpu, progress)), 0);
}

#else

static inline void plugin_board_open(void)
{
}

static inline void plugin_inline_add(struct qemu_plugin_tb *tb, uint64_t number)
{
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
	                                         &plugin_lines[0].sum, number);
}

static inline void plugin_on_progress(unsigned vcpu, void *udata)
{
	plugin_line(vcpu)->progress = (uint64_t)(uintptr_t)udata;
}

static inline void plugin_on_accessed(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                                      void *udata)
{
	(void)info, (void)vaddr, (void)udata;
	plugin_line(vcpu)->progress = 0;
}

static inline void plugin_inline_progress(struct qemu_plugin_insn *insn, uint64_t progress)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, plugin_on_progress, QEMU_PLUGIN_CB_NO_REGS,
	                                       (void *)(uintptr_t)progress);
}

static inline void plugin_inline_accessed(struct qemu_plugin_insn *insn)
{
	qemu_plugin_register_vcpu_mem_cb(insn, plugin_on_accessed, QEMU_PLUGIN_CB_NO_REGS,
	                                 QEMU_PLUGIN_MEM_RW, NULL);
}

#endif
#endif
