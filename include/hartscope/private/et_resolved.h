/* Private state of E-Trace encoders, readers and decoders.  It stands here because the caller
 * owns the memory; no member may be relied upon. */
#ifndef HARTSCOPE_PRIVATE_ET_RESOLVED_H
#define HARTSCOPE_PRIVATE_ET_RESOLVED_H

#include <stdint.h>

#include <hartscope/et_config.h>

/* What a struct hs_et_config means: effective values, none of which is 0 for a default. */
struct hs_et_resolved {
	uint8_t version, dialect;
	uint8_t iaddress_width;
	uint8_t iaddress_lsb;
	uint8_t privilege_width, ecause_width;
	uint8_t context_width; /* 0: packets carry no context */
	uint8_t time_width;    /* 0: packets carry no time */
	uint8_t notval;
	uint8_t f0s_width, bpred_size, cache_size, call_counter_size, return_stack_size;
	uint8_t sijump;
	uint8_t options;
	uint8_t sync_mode, sync_max;
	uint8_t src_bits;
	uint16_t src_id;
	uint8_t tstamp_bytes;
	uint8_t strict, plain_loops, context_precise, no_compress;
	uint8_t negated, type_prefix, context_mark, full_on_tie, vector_sync; /* 0.026 */
	uint8_t fast, cycles;
	uint8_t iret_ext;
	uint8_t data_trace, doptions_width;
	uint8_t itype_width;
	uint8_t async_freq, stall;
	uint8_t anchor_bytes, anchor_packets, flow;
	struct hs_et_layout_config wire; /* every member holds */
	uint64_t mtvec, stvec, vstvec;
	uint64_t type_widths; /* wire.type_bits is that of the last packet, or of the encoder */
	uint8_t type_usual;   /* of sources that are not in type_widths */
};

#endif
