/* What the files of a tally share. */
#ifndef HS_PROFILE_TALLY_H
#define HS_PROFILE_TALLY_H

#include <hartscope/compare.h>

#include "support/hash.h"

enum {
	TALLY_CONTEXT = 1,      /* it has a context */
	TALLY_FROM_CONTEXT = 2, /* so does the block before */
	TALLY_FROM = 4,         /* a transfer from the block before */
	TALLY_CHANGE = 8,       /* HS_KIND_CONTEXT: another context than before */
};

/* What is counted: a block in its context, with the transfer that led to it; or an event. */
struct tally_key {
	uint64_t address; /* of a block; the value of HS_KIND_CONTEXT */
	uint64_t shape;   /* the second word of the item, what matters of it */
	uint64_t from;    /* address of the last instruction of the block before */
	uint64_t context, from_context;
	uint32_t hart;
	uint8_t flags, from_itype;
	uint16_t zero;
};

struct tally_entry {
	struct tally_key key;
	uint64_t count;
	uint64_t next; /* of a tally that counts: number of the entry that came after it */
};

/* A hart that is counted. */
struct tally_lane {
	uint64_t context, from_context, from;
	uint8_t flags, from_itype;
};

struct hs_tally {
	const struct hs_program_set *programs;
	struct support_hash entries; /* of struct tally_entry, in the order in which they came */
	struct support_hash harts;   /* of struct hs_tally_hart */
	struct tally_lane *lanes;    /* by the number of the hart's item */
	uint32_t hart;               /* the current one */
	uint32_t last;               /* entry */
};

/* Count @key so often.  HS_OK, HS_E_MEMORY. */
enum hs_status tally_count(struct hs_tally *t, const struct tally_key *key, uint64_t times);
/* The item of a hart, a new one the first time; NULL: no memory. */
struct hs_tally_hart *tally_hart(struct hs_tally *t, uint32_t number);
/* The item of a key. */
struct hs_block tally_item(const struct tally_key *key);

/** How many items of a kind (enum hs_kind) there were. */
uint64_t hs_tally_count(const struct hs_tally *tally, unsigned kind);

#endif
