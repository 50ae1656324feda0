/* Private state of ctr.h.  It is here because callers own the memory; its members may change with
 * each version of the library. */
#ifndef HARTSCOPE_PRIVATE_CTR_H
#define HARTSCOPE_PRIVATE_CTR_H

#include <stdbool.h>
#include <stdint.h>

/** What follows from the other members of struct hs_ctr, computed when one of them changes, so that
 * recording a transfer needs few of them. */
struct hs_ctr_decisions {
	uint16_t records[8]; /**< by enum hs_priv: types that hs_ctr_retire() records; bit: type */
	uint32_t cycles_max; /**< largest number of cycles that CC can encode */
	uint32_t data;       /**< bits of ctrdata that records may set */
	uint8_t ras;         /**< modes under RAS emulation; bit: enum hs_priv */
	uint8_t counts;      /**< modes whose cycles count; bit: enum hs_priv */
	uint8_t last;        /**< depth - 1 */
	uint8_t cut;         /**< top bits of addresses that are not held; 0: all are held */
};

#endif
