/* Frames of PINS_ATB and their like, out of bytes. */
#ifndef HS_TRANSPORT_FRAMES_H
#define HS_TRANSPORT_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/transport.h>

/** The data of one frame, byte by byte with its source; 0xff: not known, none was named yet. */
struct hs_frame {
	uint64_t offset; /**< of the frame's first byte */
	uint8_t n;       /**< bytes of data, 0 to 15 */
	uint8_t id[15];
	uint8_t byte[15];
};

/** Cuts a stream into frames. */
struct hs_frame_reader {
	uint64_t offset;  /**< of the next byte */
	uint64_t frames;  /**< read */
	uint64_t syncs;   /**< full and half-word synchronisations */
	uint64_t skipped; /**< bytes that belong to no frame */
	uint64_t losses;  /**< times that no frame could be there */
	/* Private: */
	uint8_t bytes[16];
	uint8_t held, id, aligned;
	bool hunting, synced, half;
};

/**
 * Start.
 * @param aligned  Frames without synchronisations, one after the other from the first byte on: the
 *                 memory of a trace buffer.  Else the reader waits for a full synchronisation.
 */
void hs_frame_reader_init(struct hs_frame_reader *r, bool aligned);

/**
 * The next frame.  How the input is cut changes nothing.
 * @param[in,out] in  Moved past the bytes taken.
 * @retval HS_OK         *out is a frame, which may have no data.
 * @retval HS_MORE       The input is used up.
 * @retval HS_E_FRAMING  No frame can be here: an ID that is reserved, or a synchronisation within a
 *                       frame.  Frames are missing; call again: the reader waits for the next full
 *                       synchronisation, or, @aligned, leaves out one frame.
 */
enum hs_status hs_frame_read(struct hs_frame_reader *r, struct hs_span *in, struct hs_frame *out);

#endif
