/* The code that ran: in each space the distinct pieces of it, each a block's bytes at its address.
 *
 * A space is what has one map of addresses: the user mode of a context, and the modes above it,
 * whose code is the same in all contexts. */
#ifndef HS_GUEST_EVIDENCE_H
#define HS_GUEST_EVIDENCE_H

#include <hartscope/program.h>

#include "support/hash.h"

enum guest_class { CLASS_USER, CLASS_KERNEL, CLASS_GUEST_USER, CLASS_GUEST_KERNEL, CLASS_MACHINE };

struct guest_piece {
	uint64_t addr;
	const uint8_t *bytes;
	uint32_t size;
	uint32_t space;
	uint32_t mapping; /* 1 + its number; 0: none */
	uint32_t seen;    /* order of appearance */
	uint32_t next;    /* of the same key in the index; 1 + its number */
	bool called;      /* a call led here */
};

struct guest_space {
	uint64_t context; /* of a user's; 0 */
	uint32_t class;   /* enum guest_class */
	bool has_context;
	/* when settled: */
	uint32_t first, count;                   /* its pieces, by address */
	uint32_t first_mapping, mapping_count;   /* its mappings, by start */
	/* of the processes that may be in it: the name of all; 1 + the number of one, where all
	 * have the same files there */
	const char *name;
	uint32_t process;
	bool is_thread; /* the context is the number of a thread of that process */
	/* of a kernel: what its addresses are more than its symbols', and the same of physical
	 * addresses */
	uint64_t slide, low_slide;
	bool fits, low_fits;
};

struct guest_hart;

/* Recently seen blocks.  A slot is good as long as no code of its page changed. */
#define SEEN_SLOTS 32768u
#define SEEN_PAGES 4096u
struct guest_seen {
	uint64_t addr;
	uint32_t space, shape, age;
};

struct guest_evidence {
	struct support_hash spaces; /* of struct guest_space */
	struct support_hash pieces; /* of struct guest_piece; by space and address when settled */
	struct guest_chunk *chunks; /* memory of bytes */
	struct guest_hart *harts, *hart;
	struct guest_seen *seen;
	uint32_t *ages; /* changes of code by page */
	bool full;
};

enum guest_class guest_class_of(uint8_t priv, uint64_t addr);
/* The space of a class in a context; NULL: nothing ran there. */
struct guest_space *guest_find_space(const struct guest_evidence *e, enum guest_class class,
                                     const struct hs_guest_at *at);
/* Sort the pieces by space and address. */
void guest_sort_pieces(struct guest_evidence *e);
/* The first piece of a space that begins at @addr or after it; or its end. */
uint32_t guest_first_piece(const struct guest_evidence *e, const struct guest_space *s,
                           uint64_t addr);
void guest_free_evidence(struct guest_evidence *e);

static inline struct guest_piece *guest_piece(const struct guest_evidence *e, uint32_t i)
{
	return (struct guest_piece *)e->pieces.items + i;
}

static inline struct guest_space *guest_space(const struct guest_evidence *e, uint32_t i)
{
	return (struct guest_space *)e->spaces.items + i;
}

#endif
