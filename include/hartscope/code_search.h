/* Decoding with several versions of the code: which one ran, and since when?
 *
 * A capture from hardware does not say when code changed.  Given images of the code in the order of
 * time (at boot, after boot, ...), a decoder with evidence takes at each place that differs between
 * them, a site, the version that the trace fits.  A site goes from one version to a later one, on
 * each source for itself.  Where a trace fits more than one version, and they lead different ways,
 * the flow in dispute is left out, with a gap in its place (HS_REASON_VERSIONS).  ADR-0100.
 *
 * Code that the last image does not keep may have been patched before it went.  A Linux kernel has
 * tables of the places that it patches, and with what (jump labels, alternatives): they are looked
 * for in the first image, and count as versions there.  Where no version fits, decoding resumes at
 * the next address of the trace.  ADR-0111.
 *
 * Calls are those of a protocol's decoder.  One belongs to one thread at a time.
 */
#ifndef HARTSCOPE_CODE_SEARCH_H
#define HARTSCOPE_CODE_SEARCH_H

#include <hartscope/protocol.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_code_search;

/** What to decode. */
struct hs_code_search_options {
	uint32_t size; /**< sizeof(struct hs_code_search_options) */
	uint32_t count; /**< images, at least 1, at most 64 */
	const struct hs_protocol *protocol;
	const void *config; /**< of the protocol */
	/** The code in the order of time.  What a later image lacks is as before it; what only a
	 * later one has is there from the start.  The first says which instructions there are. */
	const struct hs_image *images;
	/** Also HS_KIND_VERSION, where a source finds a later version: arg is the number of the
	 * change. */
	bool versions;
};

/** Start.  What @options point to is copied, but for the configuration, which is kept.
 * @retval HS_OK
 * @retval HS_E_CONFIG  As the protocol's decoder_new; no images, or too many; @options has unknown
 *                      bytes that are not zero.
 * @retval HS_E_MEMORY */
HS_API enum hs_status hs_code_search_new(const struct hs_code_search_options *options,
                                      struct hs_code_search **search);
HS_API void hs_code_search_free(struct hs_code_search *e); /**< NULL is allowed */

/** As the protocol's decode; blocks come some thousand bytes of trace later.
 * @param cap  At least 64. */
HS_API enum hs_status hs_code_search_decode(struct hs_code_search *e, struct hs_span *in,
                                         struct hs_block *out, size_t cap, size_t *count);
/** As the protocol's decode_end. */
HS_API enum hs_status hs_code_search_end(struct hs_code_search *e, struct hs_block *out, size_t cap,
                                      size_t *count);
/** Part of the input is missing here. */
HS_API void hs_code_search_lose(struct hs_code_search *e);
/** Describe the last error, as the protocol's decoder_diag. */
HS_API enum hs_reason hs_code_search_diag(const struct hs_code_search *e, struct hs_error *error);

/** Messages by type, as the protocol's decoder_counts. */
HS_API unsigned hs_code_search_counts(const struct hs_code_search *e, struct hs_message_count *out,
                                   unsigned cap);

/** As hs_code_search_change.version: no image has the code, but the first one lists it
 * (ADR-0111). */
#define HS_CODE_PATCHED UINT32_MAX

/** A source took a later version of a site. */
struct hs_code_search_change {
	uint32_t source;
	uint32_t version; /**< image that first has it, 0 is the first one; HS_CODE_PATCHED */
	/** As it is from then on; its bytes live as long as the search. */
	struct hs_section code;
	uint64_t offset;  /**< bytes of trace that were decoded by then, or nearly */
	uint64_t blocks;  /**< how many blocks the source had retired */
};

/** A site of which the trace did not always say which version ran. */
struct hs_code_search_doubt {
	struct hs_section code; /**< in the first image; its bytes live as long as the search */
	uint64_t disputes;      /**< how often more than one version fitted */
};

/** What was found so far. */
struct hs_code_search_report {
	uint64_t sites;     /**< places that differ between images */
	uint64_t plain;     /**< of them, where all versions lead the same way: not decided */
	uint64_t changes;   /**< sources that took a later version of a site */
	uint64_t disputes;  /**< places in the trace where more than one version fits */
	uint64_t unsolved;  /**< where no version does */
	uint64_t tries;     /**< pieces of trace that were decoded to compare versions */
};
HS_API void hs_code_search_get_report(const struct hs_code_search *e,
                                      struct hs_code_search_report *out);

/** Change number @i, in the order of the trace.  One of more than 64 KiB has several numbers, one
 * for each part.  False: there are no more. */
HS_API bool hs_code_search_get_change(const struct hs_code_search *e, uint64_t i,
                                   struct hs_code_search_change *out);

/** Number @i of the sites in doubt, in the order of addresses.  False: there are no more. */
HS_API bool hs_code_search_get_doubt(const struct hs_code_search *e, uint64_t i,
                                     struct hs_code_search_doubt *out);

#ifdef __cplusplus
}
#endif
#endif
