/* Listings: executed instructions and events as text, for people and for programs.
 *
 * Threads: a listing belongs to one thread at a time, and so do the programs and the disassembler
 * that it was given, unless hs_listing_options.threads says more.
 */
#ifndef HARTSCOPE_LISTING_H
#define HARTSCOPE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/guest.h>
#include <hartscope/program.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_listing;

enum hs_listing_format {
	HS_LISTING_TEXT = 0, /**< a line per instruction; a header where function or source line
	                          change */
	HS_LISTING_PC = 1,   /**< a PC per line: hexadecimal, lower case, no prefix; no events */
	HS_LISTING_JSON = 2, /**< an array of objects, one per line */
	HS_LISTING_LINES = 3 /**< the objects without the array: JSON lines */
};

/** What to list, and how.  Only program and write are required. */
struct hs_listing_options {
	uint32_t size;              /**< sizeof(struct hs_listing_options) */
	enum hs_listing_format format;
	struct hs_program *program; /**< kept */
	const struct hs_program_set *programs; /**< the programs of contexts, or NULL; kept */
	struct hs_disasm *disasm;   /**< NULL: instructions are shown as their bytes; kept */
	bool colour;                /**< text: with the escape sequences of a terminal */
	uint64_t skip;              /**< instructions left out at the start */
	uint64_t limit;             /**< instructions listed; 0: all */
	const char *function;
		/**< only instructions of this function, and no events; NULL: all;
	                                 kept */
	hs_write_fn write;
	void *context;              /**< for write */
	bool time;                  /**< text: a column for the times of a clock (ingress.h), which
	                                 are next to the last instruction of each block.  Other
	                                 times are events */
	uint64_t clock_hz;          /**< ticks in a second; 0: times are in ticks */
	struct hs_guest *guest;     /**< names of functions and processes, or NULL; kept */
	uint64_t before;            /**< instructions before the first one that will be given, of
	                                 which skip counts those */
	uint32_t threads;           /**< that may make text, the caller's among them; 0 and 1: only
	                                 that one.  What is written is the same.  More help where
	                                 all instructions are listed and neither a guest is given
	                                 nor code changes.  While a listing has them, the programs
	                                 and the disassembler are theirs up to hs_listing_end() or
	                                 hs_listing_free() (design/pool) */
	bool any_thread;            /**< write may be called by each of those threads, one at a time
	                                 and in order, which is faster; else it is called by the
	                                 caller's.  With others it may also be called while
	                                 hs_listing_free() waits for them (design/listing) */
	/** Only instructions that wrote to one of so many bytes from an address on, and no events,
	 * where data accesses are among the items; 0 bytes: all. */
	uint64_t written, written_size;
	bool numbers; /**< with written_size: say of each which instruction it is, counted from 0 */
	/** Gets each data access whose instruction is known, with the name of its function and the
	 * path of the file that has it, each NULL where it is not known, in place of any text. */
	void (*accessed)(void *to, const char *function, const char *file,
	                 const struct hs_access *access);
	void *accessed_to;
};

/**
 * Start a listing.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No program, no write function or no such format; members that this library
 *                      lacks.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_listing_new(const struct hs_listing_options *options,
                                     struct hs_listing **listing);
HS_API void hs_listing_free(struct hs_listing *listing); /**< NULL is allowed */

/**
 * List blocks and events.  What a HS_KIND_PATH without blocks ends is not used after the call.
 * @retval HS_OK
 * @retval HS_END       The limit is reached; nothing more will be listed.
 * @retval HS_E_SYSTEM  The write function returned false.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_listing_add(struct hs_listing *listing, const struct hs_block *blocks,
                                     size_t n);

/** Write what is left, and the end of a JSON array.  Results as hs_listing_add(). */
HS_API enum hs_status hs_listing_end(struct hs_listing *listing);

/** Instructions so far, with those that were left out and those before the first one; with
 * function, only those of it. */
HS_STATIC uint64_t hs_listing_count(const struct hs_listing *listing);

/** Blocks so far whose code is not known, wholly or at their end. */
HS_API uint64_t hs_listing_unmapped(const struct hs_listing *listing);

/**
 * An event in words: one line without a newline, cut at @size with a terminator.
 * A trap's block says which kind of trap it is: give the event that block's itype.
 */
HS_API void hs_event_text(const struct hs_block *event, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
