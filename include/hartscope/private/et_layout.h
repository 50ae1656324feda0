/* Private state of E-Trace readers, writers and encoders.  It stands here because the caller owns
 * the memory; no member may be relied upon. */
#ifndef HARTSCOPE_PRIVATE_ET_LAYOUT_H
#define HARTSCOPE_PRIVATE_ET_LAYOUT_H

#include <stdint.h>

#include <hartscope/et_packet.h>

/* What the parameters imply for packets: widths of fields, forms by format and subformat. */
struct hs_et_layout {
	uint64_t extend; /* all ones: past its end a payload's last bit repeats; 0: zeros */
	uint8_t width[HS_ETF_COUNT]; /* 0 where it depends on the packet */
	uint8_t form[4][4];          /* by format and subformat */
	uint8_t map[32];             /* bits of branch_map, by branches */
	uint8_t f0s;                 /* bits of the subformat of format 0 */
	uint8_t implied;             /* the subformat where they are 0 */
	uint8_t spare;               /* bits of the last byte that are not the payload's */
	uint8_t begin;               /* bits before srcID, or before the payload */
	uint8_t least;               /* encapsulation: bytes that are never dropped, after those
	                                that length does not count */
};

#endif
