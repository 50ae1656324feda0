/* Captures: files that hold the bytes of a trace, or the pins over which they came.
 *
 * Samples of pins and value change dumps are turned into bytes by transport.h and vcd.h; a
 * circular buffer is put in order.  Plain bytes pass through.
 *
 * Threads: a capture belongs to one thread at a time; different captures share nothing.
 */
#ifndef HARTSCOPE_CAPTURE_H
#define HARTSCOPE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/error.h>
#include <hartscope/file_kind.h>
#include <hartscope/ring.h>
#include <hartscope/status.h>
#include <hartscope/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a RAM sink's registers say of the file that holds its memory (TCI 7). */
struct hs_capture_ram {
	uint64_t start, limit; /**< addresses of the buffer's first and last word */
	uint64_t wp;           /**< where the next word would go */
	bool wrapped;          /**< trRamWrap */
	bool stopped;          /**< the sink stops where it wraps (trRamStopOnWrap) */
};

/** How to read a capture. */
struct hs_capture_options {
	uint32_t size;         /**< sizeof(struct hs_capture_options) */
	const char *transport; /**< a name of hs_transport_names(); NULL: raw */
	const char *vcd_clock; /**< vcd: as in struct hs_vcd_options */
	const char *vcd_data;  /**< vcd: as in struct hs_vcd_options */
	const char *wrap;      /**< raw: the file is a circular buffer that wrapped.  The offset of
	                            its oldest byte (the write pointer), or "find"; "no": it is not;
	                            NULL: as @ram says */
	unsigned src_bits;     /**< width of SRC in bits, for "find" */
	uint32_t null_run;     /**< 0: messages end by MSEO (NT 3.1).  Else packets have headers,
	                            and after a run of so many null bytes the next byte that is
	                            none begins a packet (EE Synchronization); "find" is
	                            refused without @find_ring */
	const struct hs_capture_ram *ram; /**< raw, without @wrap: which part of the file is trace.
	                            The file is the buffer from start to limit, or all of an SRAM
	                            (start 0), or only what was stored.  NULL: all of the file */
	uint8_t source_id;         /**< frames: whose bytes are read, 1 to HS_FRAME_SOURCE_MAX; 0:
	                                none: only the report says what is there */
	uint32_t period;           /**< uart, manchester: samples a bit, in 1/256; 0: found */
	/** raw: the seam of a circular buffer; @wp is the write pointer, HS_RING_UNKNOWN: it is
	 * found.  It gets @find_of; NULL: messages end by MSEO, or only @null_run says where
	 * packets begin */
	enum hs_status (*find_ring)(const void *find_of, const struct hs_span *buffer, uint64_t wp,
	                            struct hs_ring *ring);
	const void *find_of;
	const struct hs_pin_config *headers; /**< pins, vcd: its headers, src_bytes and tstamp_bytes
	                            say what packets look like; NULL: messages end by MSEO */
};

/** Names of transports, separated by spaces: "raw pins1 ... vcd". */
HS_STATIC const char *hs_transport_names(void);

/** Are the bytes in CoreSight frames (transport.h)? */
HS_API bool hs_transport_frames(const char *name);

/** The port of a transport with pins. @retval HS_OK @retval HS_E_ARG  No such name, raw or vcd. */
HS_API enum hs_status hs_transport_pins(const char *name, struct hs_pin_config *config);

/** What was seen so far. */
struct hs_capture_report {
	const char *transport;     /**< its name */
	bool pins;                 /**< it has samples: the next five members describe them */
	bool aligned;              /**< alignment was found */
	unsigned width;            /**< pins; 0 before a dump's declarations are read */
	struct hs_pin_event first; /**< where alignment was found first */
	struct hs_pin_stats stats;
	uint64_t unknown;          /**< vcd: samples with an x or z */
	bool wrapped;              /**< it is a circular buffer: the next two members describe it */
	struct hs_ring ring;       /**< where its contents begin and end */
	/**< bytes of the first message, whose beginning is overwritten */
	uint64_t partial;
	bool serial;               /**< it is one pin: the next three members describe it */
	uint32_t period;           /**< samples a bit, in 1/256; 0: not found */
	uint64_t serial_samples, serial_losses; /**< taken; times that no bit could be there */
	bool framed;               /**< it has frames: the next six members describe them */
	uint64_t frames, frame_skipped; /**< frames read; bytes that belong to none */
	uint64_t frame_losses;     /**< times that no frame could be where one was due */
	uint64_t triggers;         /**< bytes of HS_FRAME_TRIGGER */
	uint64_t ids[2];           /**< bit n: the ID n had data */
	uint8_t source_id;         /**< as in the options */
	/** raw: what it may be if it is no trace; NULL: not known */
	const struct hs_file_kind *kind;
};

struct hs_capture;

/**
 * Open a capture in a file.
 * @param fd       Open for reading; kept, and not closed.  For a circular buffer, a regular file.
 * @param path     For messages; kept.
 * @param options  Its strings are kept; NULL: as a zeroed one.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No such transport; options that do not go together; a write pointer that is
 *                      not a number or is past the end; a RAM sink's buffer that is not this file;
 *                      members that this library lacks.
 * @retval HS_E_FORMAT  It begins with the mark of another kind of file (file_kind.h); of a pipe
 *                      hs_capture_read() says so.  Nothing says where a packet begins after the
 *                      write pointer of a circular buffer.
 * @retval HS_E_SYSTEM  It cannot be read.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_capture_open(int fd, const char *path,
                                      const struct hs_capture_options *options,
                                      struct hs_capture **capture, struct hs_error *error);

HS_API void hs_capture_close(struct hs_capture *capture); /**< NULL is allowed */

/**
 * Read the next bytes of the trace.
 *
 * @param[out] n  Bytes written to @out; also with errors.
 *
 * @retval HS_OK           *n may be 0: call again.
 * @retval HS_END          No more.
 * @retval HS_E_SPACE      cap is below 4096; nothing was done.
 * @retval HS_E_FRAMING    Pins: alignment was lost at a sample, or never found.  Call again.
 * @retval HS_E_LOST       Frames, uart, manchester: some bytes are missing; those after it are
 *                         aligned.  Call again.
 * @retval HS_E_FORMAT     A pipe that is another kind of file (file_kind.h); vcd: not a value
 *                         change dump; a circular buffer without a run of null_run null bytes.
 * @retval HS_E_CONFIG     vcd: it has no such signal, or a number of them that no port has.
 * @retval HS_E_SYSTEM     It cannot be read.
 */
HS_API enum hs_status hs_capture_read(struct hs_capture *capture, uint8_t *out, size_t cap,
                                      size_t *n, struct hs_error *error);

/** What was seen so far. */
HS_API void hs_capture_get_report(const struct hs_capture *capture, struct hs_capture_report *out);

#ifdef __cplusplus
}
#endif
#endif
