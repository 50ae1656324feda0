/* What QEMU takes an encoding for that two extensions have. */
#ifndef PLUGIN_DISAS_H
#define PLUGIN_DISAS_H

#include <stdlib.h>

#include "access.h"
#include "api.h"

/* Is it a push or pop of a hart with Zcmp?  Its disassembly says so, from the version of QEMU on
 * that has Zcmp. */
static inline bool plugin_pushes_or_pops(struct qemu_plugin_insn *insn, uint32_t bits, size_t size)
{
	char *text;
	bool is;

	if (!plugin_is_push_or_pop(bits, size))
		return false;
	text = qemu_plugin_insn_disas(insn);
	is = text != NULL && strstr(text, "cm.p") != NULL;
	free(text); /* GLib's memory is that of malloc() */
	return is;
}

/* plugin_access_kind(), with that. */
static inline struct plugin_access_kind plugin_access_of(struct qemu_plugin_insn *insn,
                                                         uint32_t bits, size_t size)
{
	struct plugin_access_kind kind = plugin_access_kind(bits, size);

	if (plugin_pushes_or_pops(insn, bits, size))
		kind.type = HS_ACCESS_MULTI_LOAD;
	return kind;
}

#endif
