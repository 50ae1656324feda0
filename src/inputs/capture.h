/* Reading a capture's bytes; formats and their names are in <hartscope/capture.h>. */
#ifndef HS_CAPTURE_CAPTURE_H
#define HS_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/capture.h>

/** Bytes that begin inside a message, such as those of a circular buffer. */
struct hs_capture_aligner {
	bool active;       /**< set by the caller where such bytes begin; false: a message began */
	uint32_t null_run; /**< as in struct hs_capture_options */
	uint32_t nulls;    /**< null bytes seen in a row; 0 at first */
	uint64_t partial;  /**< bytes that were made idle */
};

/** Make bytes idle up to where a message can begin; does nothing unless @a is active. */
void hs_capture_align(struct hs_capture_aligner *a, uint8_t *p, size_t n);

/**
 * Open a capture in memory.
 * @param bytes    The caller keeps them until hs_capture_close(); *bytes does not change.
 * @param name     For messages; kept.
 * @param options  As hs_capture_open().
 * @retval HS_OK
 * @retval HS_E_CONFIG  As hs_capture_open().
 * @retval HS_E_FORMAT  As hs_capture_open().
 * @retval HS_E_MEMORY
 */
enum hs_status hs_capture_open_memory(const struct hs_span *bytes, const char *name,
                                      const struct hs_capture_options *options,
                                      struct hs_capture **capture, struct hs_error *error);
/** Sets *ring, which is as it was found so far, for all bytes of a circular buffer. */
typedef enum hs_status (*hs_ring_fn)(void *of, const struct hs_span *buffer, struct hs_ring *ring);

/**
 * Look once more for the wrap point of a circular buffer, where it was looked for and not found:
 * with what opening it could not know.  Nothing happens with other captures.
 * @retval HS_OK  Also where @find found nothing.  Where it did, the capture is read from there.
 * @retval HS_E_SYSTEM, HS_E_MEMORY, or what @find returned
 */
enum hs_status hs_capture_find_again(struct hs_capture *c, hs_ring_fn find, void *of,
                                     struct hs_error *error);

/**
 * Read again from the start.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  The file cannot be rewound, such as a pipe.
 * @retval HS_E_MEMORY
 */
/** Read on at byte @offset of the file.
 * @retval HS_OK
 * @retval HS_E_UNSUPPORTED  Its bytes are not those of the trace one by one, or it is a pipe.
 * @retval HS_E_SYSTEM */
enum hs_status hs_capture_seek(struct hs_capture *capture, uint64_t offset, struct hs_error *error);

enum hs_status hs_capture_rewind(struct hs_capture *capture, struct hs_error *error);

#endif
