/* Which instructions access data, and how. */
#ifndef PLUGIN_ACCESS_H
#define PLUGIN_ACCESS_H

#include <hartscope/block.h>

#include "plugin.h"

/* What an instruction can access, and with which type. */
enum plugin_access {
	PLUGIN_NO_ACCESS,
	PLUGIN_MEMORY,      /* loads and stores; QEMU says which */
	PLUGIN_RESERVE,     /* lr: loads */
	PLUGIN_CONDITIONAL, /* sc: stores, unless it fails */
	PLUGIN_ATOMIC,
	PLUGIN_COMPARE, /* amocas: stores, unless it fails */
	PLUGIN_CSR
};

struct plugin_access_kind {
	uint8_t what; /* enum plugin_access */
	uint8_t type; /* enum hs_access_type of an atomic or a CSR access; of memory that of a load,
	                 and the next one is that of a store */
};

/* cm.push, cm.pop, cm.popret, cm.popretz; without Zcmp they are c.fsdsp. */
static inline bool plugin_is_push_or_pop(uint32_t insn, size_t size)
{
	return size == 2 && (insn & 0xf903u) == 0xb802 && (insn & 0xffu) >= 0x40;
}

/* Loads and stores of vectors have a width that scalars lack. */
static inline bool plugin_is_vector(uint32_t insn)
{
	const unsigned width = insn >> 12 & 7u;

	return (insn & 0x5fu) == 0x07 && (width == 0 || width > 4);
}

/* Instructions of 16 bits access memory in quadrants 0 and 2 (C; Zcb; Zcmp). */
static inline bool plugin_short_access(uint32_t insn)
{
	const unsigned row = insn >> 13 & 7u;

	return row != 0 && (insn & 1u) == 0 && !(row == 4 && (insn & 3u) == 2);
}

static inline struct plugin_access_kind plugin_atomic_kind(unsigned funct5)
{
	static const uint8_t types[8] = { HS_ACCESS_ADD, HS_ACCESS_XOR, HS_ACCESS_OR, HS_ACCESS_AND,
		HS_ACCESS_MIN, HS_ACCESS_MAX, HS_ACCESS_MIN, HS_ACCESS_MAX };

	if (funct5 == 2)
		return (struct plugin_access_kind){ PLUGIN_RESERVE, 0 };
	if (funct5 == 3)
		return (struct plugin_access_kind){ PLUGIN_CONDITIONAL, HS_ACCESS_STORE };
	if (funct5 == 1)
		return (struct plugin_access_kind){ PLUGIN_ATOMIC, HS_ACCESS_SWAP };
	if (funct5 == 5)
		return (struct plugin_access_kind){ PLUGIN_COMPARE, HS_ACCESS_SWAP };
	if (funct5 % 4 != 0)
		return (struct plugin_access_kind){ PLUGIN_MEMORY, 0 };
	return (struct plugin_access_kind){ PLUGIN_ATOMIC, types[funct5 / 4] };
}

/* Does an amocas compare and store pairs of registers? */
static inline bool plugin_compares_pairs(uint32_t insn, unsigned xlen)
{
	return insn >> 27 == 5 && (insn >> 12 & 7u) == 3 && xlen == 32;
}

static inline struct plugin_access_kind plugin_access_kind(uint32_t insn, size_t size)
{
	static const uint32_t memory =
		1u << 0x00 | 1u << 0x01 | 1u << 0x03 | 1u << 0x08 | 1u << 0x09;
	const unsigned opcode = insn >> 2 & 0x1fu, funct3 = insn >> 12 & 7u;
	struct plugin_access_kind kind = { PLUGIN_NO_ACCESS, 0 };

	if (size == 2)
		kind.what = plugin_short_access(insn) ? PLUGIN_MEMORY : PLUGIN_NO_ACCESS;
	else if (opcode == 0x0b) /* AMO */
		kind = plugin_atomic_kind(insn >> 27);
	else if (opcode == 0x1c && (funct3 & 3u)) /* SYSTEM: csrrw, csrrs, csrrc */
		kind = (struct plugin_access_kind){ PLUGIN_CSR,
			(uint8_t)(HS_ACCESS_CSR_RW + (funct3 & 3u) - 1) };
	else if (opcode == 0x1c && funct3 == 4) /* hlv, hsv */
		kind.what = PLUGIN_MEMORY;
	else if (memory >> opcode & 1u) /* LOAD, LOAD-FP, MISC-MEM, STORE, STORE-FP */
		kind = (struct plugin_access_kind){ PLUGIN_MEMORY, plugin_is_vector(insn)
			                                                   ? HS_ACCESS_MULTI_LOAD
			                                                   : HS_ACCESS_LOAD };
	return kind;
}

#endif
