/* Private state of E-Trace encoders and decoders.  It stands here because the caller owns the
 * memory; no member may be relied upon. */
#ifndef HARTSCOPE_PRIVATE_ET_TABLES_H
#define HARTSCOPE_PRIVATE_ET_TABLES_H

#include <stdbool.h>
#include <stdint.h>

/* Tables of one hart whose size the parameters say.  They are in memory that the caller gives
 * apart; NULL where the size is 0. */
struct hs_et_tables {
	uint64_t *cache;   /* jump target cache: address + 1, 0 for none */
	uint64_t *returns; /* return addresses of calls; the oldest is forgotten first */
	uint8_t *states;   /* branch predictor */
	uint32_t mask;     /* entries of returns, less 1 */
	uint32_t top;      /* returns[(top - 1) & mask] is the latest */
	uint32_t count;    /* how many returns holds */
	bool cached;       /* the cache may hold a target */
};

#endif
