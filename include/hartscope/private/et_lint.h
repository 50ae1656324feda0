/* Private state of lint for E-Trace.  It stands here because the caller owns the memory; no member
 * may be relied upon. */
#ifndef HARTSCOPE_PRIVATE_ET_LINT_H
#define HARTSCOPE_PRIVATE_ET_LINT_H

#include <stdbool.h>
#include <stdint.h>

/** Findings that one packet can have at most; more are counted in hs_et_lint.dropped. */
#define HS_ET_LINT_QUEUE 24

/* What lint knows of one source (srcID). */
struct hs_et_lint_source {
	uint64_t tstamp;   /* of the encapsulation, when stamped */
	uint64_t time;     /* of the last packet with one, when timed */
	uint64_t context;  /* as reported last, when contexted */
	uint64_t address;  /* as reported last, in units; 0.026 */
	uint64_t packets;  /* since the last synchronisation packet */
	uint64_t offset;   /* of the last packet */
	uint64_t support;  /* the fields of the last support packet, when supported */
	uint16_t src;
	uint8_t state;     /* enum et_lint_state */
	uint8_t priv;      /* as reported last, when contexted */
	uint8_t flow;      /* of the last header, when seen */
	uint8_t options;   /* enum hs_et_option, as in force */
	uint8_t owed;      /* what the next packet must be: enum et_lint_owed */
	bool stamped, timed, contexted, supported, seen;
	bool disabled;     /* ienable of the last support packet is 0 */
	bool paused;       /* 0.026: the last packet says so, and nothing of why */
	uint64_t paused_at; /* its offset */
	bool addressed;    /* the last packet reports an address */
	bool updiscon;     /* the last packet has updiscon */
};

/* A finding that waits to be returned. */
struct hs_et_lint_entry {
	uint64_t offset, value, pc;
	uint16_t id, bit;
	uint8_t field;
	bool has_packet;
};

#endif
