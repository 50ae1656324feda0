/* Instructions by address, with how often each ran and which way its branches went. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_INSNS_H
#define HS_TOOLS_HARTSCOPE_COMMON_INSNS_H

#include <hartscope/isa.h>

#include "common/tool.h"

/* An instruction that ran. */
struct insn_row {
	uint64_t addr;
	struct hs_program *program;
	uint64_t count, taken, not_taken;  /* the last two: of a branch */
	uint64_t target;                   /* with has_target */
	const char *label, *symbol, *file; /* of the function (struct hs_guest_place) */
	uint64_t start;
	const char *source;  /* NULL: no line information */
	const char *inlined; /* the innermost function that was inlined there; NULL: none was */
	int line;
	uint8_t hwords, kind; /* enum hs_insn_kind */
	bool has_target, own_file;
	uint8_t bytes[HS_INSN_MAX];
};

/* All of them; zero is empty. */
struct insn_table {
	struct insn_row *rows;
	size_t count, room;
	uint32_t *slots; /* 1 + numbers of rows, by address */
	size_t slot_count;
	struct hs_guest *guest;
	struct hs_guest_place place; /* of the last row */
	const char *function;        /* only its instructions; NULL: all */
	struct guess guess;          /* which of those that ran it may be */
	const char *tried;           /* of them, the last one */
	bool failed;                 /* no memory */
};

/* Add a distinct block: struct hs_profile_options.each, with the table. */
void insns_add(void *table, const struct hs_profile_block *b);
/* By address; afterwards nothing may be added. */
void insns_sort(struct insn_table *t);
void insns_free(struct insn_table *t);

#endif
