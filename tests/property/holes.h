/* Code that is missing: the case that the files of this test share. */
#ifndef TESTS_HOLES_H
#define TESTS_HOLES_H

#include <hartscope/etrace.h>
#include <hartscope/ntrace.h>

#include "property/randprog.h"

#define BLOCKS 1200
#define PIECES 40
#define ITEMS (4 * BLOCKS)
#define HOLES 5
#define TRACE (BLOCKS * 128)

struct range {
	uint64_t start, end;
};

struct holes_case {
	struct program program;
	struct hs_image image; /* of the program, less its holes */
	struct hs_section sections[2 + HOLES];
	struct range holes[HOLES];
	unsigned hole_count;

	bool etrace;
	struct {
		struct hs_nt_config nt;
		struct hs_et_config et;
	} config;
	struct {
		struct hs_nt_encoder nt;
		struct hs_et_encoder et;
	} encoder;
	struct {
		struct hs_nt_decoder nt;
		struct hs_et_decoder et;
		struct hs_nt_source nt_source;
		struct hs_et_source et_source;
	} decoder;
	struct hs_bb_table table;
	uint64_t *memory;             /* of the table */
	uint64_t encoder_tables[512]; /* E-Trace's */
	uint64_t decoder_tables[512];
	bool returns, pairs; /* the trace leaves out targets of returns, of sequential jumps */

	struct hs_block blocks[BLOCKS], pieces[BLOCKS * PIECES];
	size_t n, piece_count;
	uint8_t trace[TRACE];
	size_t length;

	struct hs_block whole[ITEMS], holed[ITEMS];
	size_t whole_at[ITEMS], holed_at[ITEMS]; /* bytes given when the item came */
	size_t whole_n, holed_n;
	bool seen[ITEMS];
};

extern struct holes_case *t;

/* A random program and walk, encoded with random options into t->trace; holes in the program. */
void holes_make(struct rng *r);

/* Each run of items between two gaps of t->holed is in t->whole, where the gaps say: mark it there
 * (t->seen).  Counts gaps in *gaps. */
void holes_compare(uint64_t *gaps);

/* For messages: what is around item @i of the whole decode, and item @h of the other. */
void holes_show(size_t i, size_t h);

/* Does the trace surely report where @b led? */
bool holes_leads_to_address(const struct hs_block *b);
bool holes_is_return(const struct hs_block *b);

#endif
