/* A second decoder of TACIT, written from docs/tacit.md alone: it reads a number at a time and
 * steps an instruction at a time.  It shares no line with src/. */
#ifndef TESTS_REFEREE_TACIT_REFEREE_H
#define TESTS_REFEREE_TACIT_REFEREE_H

#include <stddef.h>

#include "referee/instructions.h"

enum tacit_item {
	TACIT_ITEM_PC,    /* an instruction retired; value: its address */
	TACIT_ITEM_TRAP,  /* value: 1 exception, 2 interrupt, 4 return */
	TACIT_ITEM_PRIV,  /* value: the mode that a trap or the start led to */
	TACIT_ITEM_CTX,   /* value: the context that was reported */
	TACIT_ITEM_TIME,  /* value: when what a message was about retired */
	TACIT_ITEM_STOP   /* the trace ended */
};

struct tacit_referee {
	instr_fetch *fetch;
	const void *program;
	unsigned xlen, address_bits;
	bool skips; /* direct jumps are left out while branches are predicted */
	bool fresh; /* the predictor begins anew with a synchronisation */
	void (*report)(void *to, enum tacit_item item, uint64_t value);
	void *to;
	const char *error; /* why reading stopped */
	/* its own: */
	const uint8_t *p, *end;
	uint64_t pc, time, last;
	bool on, predicts, begun;
	unsigned entries;
	unsigned char counters[4096];
};

/* Read all of a trace.  False: error says what is wrong, at p. */
bool tacit_referee_run(struct tacit_referee *r, const uint8_t *bytes, size_t n);

#endif
