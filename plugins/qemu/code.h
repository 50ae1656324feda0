/* The code of a translation.  Include it after one of the two headers of QEMU's plugin
 * interface: they declare the same functions but for qemu_plugin_insn_data(), which
 * plugin_insn_bytes() hides. */
#ifndef PLUGIN_CODE_H
#define PLUGIN_CODE_H

#include "plugin.h"

/* Copy the bytes of all instructions of @tb to @code.  Returns how many bytes. */
static inline uint32_t plugin_copy_code(const struct qemu_plugin_tb *tb,
                                        uint8_t code[PLUGIN_RUN_BYTES])
{
	const size_t n = qemu_plugin_tb_n_insns(tb);
	uint32_t bytes = 0;

	for (size_t i = 0; i < n; i++) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const size_t size = qemu_plugin_insn_size(insn);

		if (bytes + size > PLUGIN_RUN_BYTES)
			break;
		plugin_insn_bytes(insn, code + bytes, size);
		bytes += (uint32_t)size;
	}
	return bytes;
}

#endif
