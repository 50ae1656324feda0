/* What the files of a listing share. */
#ifndef HS_LISTING_PRIVATE_H
#define HS_LISTING_PRIVATE_H

#include <hartscope/listing.h>

#include "program/select.h"
#include "support/hash.h"

/* Everything that is said of one address; made once, because a trace executes the same
 * instructions again and again. */
struct listed_insn {
	uint64_t addr;
	const struct hs_program *program;
	struct hs_place place;
	uint64_t function_start;
	uint8_t hwords;
	uint8_t kind;
	uint8_t bytes[HS_INSN_MAX];
	char text[96];   /* disassembly */
	char target[96]; /* "10652 <main+0x18>", or "" */
	uint64_t target_addr;
};

#define OUT_SIZE ((size_t)1 << 18)
#define LINE_MAX_ 8192 /* most bytes that one line of a listing takes */

/* A block whose PCs are formatted already. */
struct pc_text {
	uint64_t iaddr;
	const struct hs_program *program;
	uint32_t iretire;
	uint32_t offset, length; /* in the arena */
	uint32_t instructions;
};

struct hs_listing {
	struct hs_listing_options o; /* program: the one of what comes now */
	struct program_select select;
	char *out; /* OUT_SIZE bytes */
	size_t out_n;
	uint64_t seen;   /* instructions so far, skipped ones too */
	uint8_t itype;   /* of the block before */
	uint64_t listed;
	uint64_t unmapped;
	bool first_item; /* JSON: no comma yet */
	/* text: what the last header said */
	const char *function, *file;
	uint64_t function_start;
	int line;
	unsigned width; /* of an address */
	struct support_hash insns; /* of struct listed_insn */
	/* pc */
	struct pc_text *pcs;
	char *arena;
	size_t arena_n;
};

/* A way to print; what is NULL prints nothing. */
struct listing_format {
	enum hs_status (*block)(struct hs_listing *l, const struct hs_block *b); /* NULL: listing_block() */
	/* @last: the block, when @i is the last of it */
	void (*insn)(struct hs_listing *l, const struct listed_insn *i, const struct hs_block *last);
	void (*missing)(struct hs_listing *l, uint64_t addr); /* no code is known there */
	void (*event)(struct hs_listing *l, const struct hs_block *b);
	void (*end)(struct hs_listing *l);
};

extern const struct listing_format listing_text, listing_pc, listing_json;

/* listing.c */
enum hs_status listing_flush(struct hs_listing *l);
enum hs_status listing_room(struct hs_listing *l, size_t n);
void listing_print(struct hs_listing *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
char *listing_hex(char *to, uint64_t v);
enum hs_status listing_block(struct hs_listing *l, const struct hs_block *b);
/* listing_cache.c */
enum hs_status listing_insn(struct hs_listing *l, uint64_t addr, const struct listed_insn **out);

#endif
