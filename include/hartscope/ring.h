/* Circular buffers: where the bytes of a trace begin and end, and how that is known.
 *
 * Threads: no function here keeps or shares anything.
 */
#ifndef HARTSCOPE_RING_H
#define HARTSCOPE_RING_H

#include <stdbool.h>
#include <stdint.h>

/** What shows a seam, as bits. */
enum hs_ring_evidence {
	HS_RING_FRAMING = 1, /**< messages do not continue there */
	HS_RING_STOP = 2,    /**< the trace ended there, and goes on without a beginning */
	HS_RING_TIME = 4,    /**< times go back there */
	HS_RING_INDEX = 8,   /**< the indexes of packets go back there */
	HS_RING_PROGRAM = 16 /**< messages contradict the program there */
};

/** A write pointer that is not known. */
#define HS_RING_UNKNOWN UINT64_MAX

/** What was found in a circular buffer: the oldest whole message and the end of the newest. */
struct hs_ring {
	uint64_t begin; /**< read from here to the end of the buffer, then from 0 to @end; where
	                     begin is below end, from begin to end */
	uint64_t end;
	bool found;   /**< false: read it in the order of its addresses; begin is 0, end the size */
	bool certain; /**< found by what only the order of messages can show; else only
	                   something that damaged bytes would show, too */
	uint8_t evidence; /**< bits of enum hs_ring_evidence */
	uint32_t places;  /**< how many places look like a seam; found may be false because of it */
};

#endif
