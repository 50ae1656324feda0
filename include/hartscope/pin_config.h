/* Traces over pins: how a port and its samples look, and what a receiver reports of them.
 *
 * "TCI" is the RISC-V Trace Control Interface 1.0.  A sample is the state of TRC_DATA at one edge
 * of TRC_CLK.  These are plain data.
 */
#ifndef HARTSCOPE_PIN_CONFIG_H
#define HARTSCOPE_PIN_CONFIG_H

#include <stdint.h>

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How samples lie in bytes. */
enum hs_pin_format {
	/** One sample a byte, in its low bits; other bits are ignored.  Width 16: two bytes a
	 * sample, the low one first. */
	HS_PIN_BYTES = 0,
	/** Samples packed without gaps, the first one in the low bits.  Same as the other format
	 * for widths 8 and 16. */
	HS_PIN_PACKED = 1
};

/** A port and how its samples are stored; for sender and receiver alike. */
struct hs_pin_config {
	uint32_t size;      /**< sizeof(struct hs_pin_config) */
	uint8_t width;      /**< data pins: 1, 2, 4, 8 or 16; 0: 4, as the MIPI20 connector has */
	uint8_t format;     /**< enum hs_pin_format */
	uint8_t starts_idle; /**< receiver: the first sample is known to be idle or the first of a
	                          message; 0: the capture may begin anywhere */
	uint8_t headers;    /**< 0: messages end by MSEO (NT 3.1); 1: packets of the encapsulation,
	                         whose headers say how long they are (EE Synchronization) */
	uint8_t src_bytes;    /**< headers: whole bytes of srcID, 0 to 2 */
	uint8_t tstamp_bytes; /**< headers: bytes of the timestamp, 0 to 8 */
	uint8_t pad[2];
};

/** Something that happened to the alignment. */
enum hs_pin_event_kind {
	HS_PIN_ALIGNED,    /**< messages are reported from here on */
	HS_PIN_LOST,       /**< a sample that no message can have here */
	HS_PIN_CALIBRATION /**< a calibration pattern has ended (TCI, Calibration Mode): two periods
	                        of it, or more */
};

struct hs_pin_event {
	uint8_t kind;    /**< enum hs_pin_event_kind */
	uint8_t offset;  /**< aligned: bit of the sample where the message begins: 0, or 8 of 16 */
	uint8_t phase;   /**< aligned: sample modulo samples a byte; 0 for widths 8 and 16 */
	uint8_t pad[5];
	uint64_t sample; /**< aligned: the first one of the first message; lost: the one at fault;
	                      calibration: the first one after it */
	uint64_t count;  /**< lost, calibration: samples that were aligned, or in the pattern */
};

/** Counters of a receiver. */
struct hs_pin_stats {
	uint64_t samples;     /**< taken */
	uint64_t bytes;       /**< of messages, written */
	uint64_t idle_bits;   /**< between messages while aligned; a sample has width bits */
	/**< samples dropped in search of alignment, or of a message's start */
	uint64_t skipped;
	uint64_t calibration; /**< samples of calibration patterns */
	uint64_t alignments;  /**< times that alignment was found */
	uint64_t losses;      /**< times that it was lost */
};

#ifdef __cplusplus
}
#endif
#endif
