/* Listings: executed instructions as text, for people and for programs. */
#ifndef HARTSCOPE_LISTING_H
#define HARTSCOPE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/error.h>
#include <hartscope/program.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_listing;

enum hs_listing_format {
	HS_LISTING_TEXT, /**< a line an instruction; a header where function or source line change */
	HS_LISTING_PC,   /**< one PC a line, hexadecimal, lower case, no prefix; no events */
	HS_LISTING_JSON  /**< an array of objects, one a line */
};

/** Takes text; false ends the listing (a closed pipe, a full disk). */
typedef bool (*hs_listing_write)(void *context, const char *text, size_t n);

struct hs_listing_options {
	enum hs_listing_format format;
	struct hs_program *program; /**< kept */
	const struct hs_program_set *programs; /**< the programs of contexts, or NULL; kept */
	struct hs_disasm *disasm;   /**< may be NULL: instructions are then their bytes */
	bool colour;
	uint64_t skip;              /**< instructions left out at the start */
	uint64_t limit;             /**< instructions listed; 0: all */
	const char *function;       /**< only this function; NULL: all */
	hs_listing_write write;
	void *context;
};

/** @retval HS_OK @retval HS_E_MEMORY */
HS_API enum hs_status hs_listing_new(const struct hs_listing_options *options,
                                     struct hs_listing **listing);
HS_API void hs_listing_free(struct hs_listing *listing); /**< NULL is allowed */

/**
 * List blocks and events.
 * @retval HS_OK
 * @retval HS_END       The limit is reached; nothing more will be listed.
 * @retval HS_E_SYSTEM  The write function said no.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_listing_add(struct hs_listing *listing, const struct hs_block *blocks,
                                     size_t n);

/** Write what is left. Results as hs_listing_add(). */
HS_API enum hs_status hs_listing_end(struct hs_listing *listing);

/** Blocks whose code was not known, wholly or at their end, so far. */
HS_API uint64_t hs_listing_unmapped(const struct hs_listing *listing);

#ifdef __cplusplus
}
#endif
#endif
