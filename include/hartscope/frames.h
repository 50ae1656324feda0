/* CoreSight frames: the bytes of several sources in one stream (ADR-0124).
 *
 * A frame has 16 bytes.  The last one has a bit for each of the eight bytes at even places: an even
 * byte whose bit 0 is 1 is the ID of the source of the next bytes, with its bit 1 after the next
 * one; any other even byte is data whose bit 0 is that bit.  Between frames full synchronisations
 * (ff ff ff 7f) show where frames begin, and half-word synchronisations (ff 7f) fill time.
 *
 * Nothing here allocates, blocks, or keeps a pointer into the input.  A reader or writer is plain
 * data in the caller's memory and belongs to one thread at a time; different ones share nothing.
 */
#ifndef HARTSCOPE_FRAMES_H
#define HARTSCOPE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/span.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** IDs: 1 to 0x6f are sources. */
#define HS_FRAME_NULL 0x00    /**< data without a meaning */
#define HS_FRAME_SOURCE_MAX 0x6f
#define HS_FRAME_TRIGGER 0x7d /**< a trigger happened */
#define HS_FRAME_IDS 128

/** Makes frames of bytes. */
struct hs_frame_writer {
	/* Private: */
	uint8_t bytes[16];
	uint8_t at, id, held, byte, every, named;
	uint32_t count;
};

/** Room for the output of one call of hs_frame_put() or hs_frame_flush(). */
#define HS_FRAME_ROOM 40

/**
 * Start.
 * @param every  A full synchronisation before the first frame, and after each so many; 0: none, for
 *               readers that are @aligned.
 */
HS_API void hs_frame_writer_init(struct hs_frame_writer *w, unsigned every);

/**
 * Add a byte of a source.
 * @param id   1 to HS_FRAME_SOURCE_MAX, or HS_FRAME_TRIGGER.
 * @param out  Room for HS_FRAME_ROOM bytes.
 * @return  Bytes written: 0 until a frame is full.
 */
HS_API size_t hs_frame_put(struct hs_frame_writer *w, uint8_t id, uint8_t byte, uint8_t *out);

/** Fill up the frame that was begun with bytes of HS_FRAME_NULL. @return  Bytes written. */
HS_API size_t hs_frame_flush(struct hs_frame_writer *w, uint8_t *out);

#ifdef __cplusplus
}
#endif
#endif
