/* Random trace systems: what the parts of the test share. */
#ifndef TESTS_SYSTEMS_H
#define TESTS_SYSTEMS_H

#include "cases.h"

#include <hartscope/control.h>

#include "property/randprog.h"

enum { HARTS = 4, FUNNELS = 2, SINKS = 8, BLOCKS = 400, BYTES = 1 << 21, SAMPLES = 1 << 21 };
enum { ENABLE = 2, EMPTY = 8, TRACING = 4, OVERFLOW = 0x1000, STALL = 0x2000 };
enum { DATA_CONTROL = 0x10, DATA_TRACING = 2, DATA_OVERFLOW = 8, DATA_STALL = 0x10 };
enum { RUN = 32 }; /* null bytes in a packet with 8 bits of srcID, at most 31 + 1 */

struct bytes {
	uint8_t at[BYTES];
	size_t n;
};

/* Where an output leads: to a funnel's input, or to a sink. */
struct edge {
	bool sink;
	unsigned to, input;
};

struct systems {
	struct program program;
	bool etrace; /* the protocol of the funnels */
	unsigned harts, funnels, sinks;
	struct hs_dev dev;
	struct {
		struct hs_dev_encoder encoder;
		struct hs_block flow[BLOCKS];
		size_t n, at;
		struct edge out[2];
		unsigned outs;
		uint32_t control, features;
		struct bytes want; /* what the encoder sends by itself */
		struct hs_nt_encoder nt;
		struct hs_et_encoder et;
		uint64_t tables[HS_DEV_TABLES];
		struct hs_et_data_coder coder;
		bool data; /* with data trace */
		bool etrace, stuck, paused, dropped;
	} hart[HARTS];
	struct {
		struct hs_dev_node node;
		struct edge out[2];
		unsigned outs, inputs;
		uint32_t off; /* trFunnelDisInput */
	} funnel[FUNNELS];
	struct {
		struct hs_dev_node node;
		uint8_t kind, mode;
		uint8_t sram[4096];
		struct bytes held, of[HARTS]; /* all of it, and by source: whole messages */
		uint8_t sample[SAMPLES];
		size_t samples;
		bool etrace, wrapped, stopped;
	} sink[SINKS];
};
extern struct systems *t;

/* systems_sinks.c: what sink @s holds, read from the formats' rules alone, and by source. */
void systems_read_sink(unsigned s);
void systems_split(unsigned s);

#endif
