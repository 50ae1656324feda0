/* Private state of a qualifier.  It stands here because the caller owns the memory; no member may
 * be relied upon. */
#ifndef HARTSCOPE_PRIVATE_QUALIFIER_H
#define HARTSCOPE_PRIVATE_QUALIFIER_H

#include <hartscope/block.h>
#include <hartscope/image.h>
#include <hartscope/qualifier_config.h>

#define HS_QUALIFIER_WAITING 192 /* items of accesses that wait */

struct hs_qualifier {
	struct hs_qualifier_config config;
	const struct hs_image *image;
	uint64_t context, tval, time, user[4];
	uint64_t address_mask, context_mask; /* bits of these inputs */
	uint32_t hart;
	struct hs_block held;       /* a trap of which no block is traced, for a traced handler */
	uint32_t depth[HS_FILTERS]; /* traps inside the one that a filter follows; 0: none is
	                               followed */
	uint32_t follows;           /* bit: the filter holds from a trap to the return from it */
	uint32_t latches;           /* bit: comparator in mode 3 is set */
	uint32_t unlatch;           /* bit: it is to be cleared after this instruction */
	uint32_t done;              /* half-words of the current block that are done */
	uint8_t filters;            /* 1 when a filter is enabled */
	uint8_t priv;
	bool on;      /* the trigger unit lets trace through */
	bool tracing; /* the last instruction was traced */
	bool notify;  /* a watchpoint matched */
	bool trap;    /* the last trap was an interrupt */
	bool synced;  /* HS_KIND_SYNC came since the last instruction */
	bool holding; /* held waits for the next block */
	bool data;    /* there is a filter of data */
	bool decided; /* waiting has what is let through */
	bool has_daddr, no_iaddr; /* what is known of the access that is looked at */
	uint64_t daddr, iaddr;    /* its address, and that of its instruction */
	uint16_t waiting_n; /* items of waiting */
	uint16_t waiting_at; /* those before were put out */
	uint32_t of_data;   /* bit: comparator looks at daddr */
	struct hs_block waiting[HS_QUALIFIER_WAITING]; /* accesses before their block */
};

#endif
