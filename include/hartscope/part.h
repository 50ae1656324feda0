/* Work of several processes: the counts of a shard of a trace as a sum (a tally), and a shard's
 * results as a file (docs/part-files.md).
 *
 *   hs_tally_new(programs, &tally);
 *   hs_tally_add(tally, items, n);
 *   part.kind = HS_PART_TALLY;
 *   hs_part_write(&part, bytes);
 */
#ifndef HARTSCOPE_PART_H
#define HARTSCOPE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/counts.h>
#include <hartscope/error.h>
#include <hartscope/protocol.h>
#include <hartscope/reason.h>
#include <hartscope/source.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tallies ------------------------------------------------------------------------
 *
 * Tallies: how often each block came after which, and each event.  What a profile and calls need of
 * a flow, as sums: those of the parts of a trace, added in their order, are that of the trace.
 *
 * Threads: a tally belongs to one thread at a time.
 */

struct hs_tally;

/** How far a hart's items go. */
struct hs_tally_hart {
	uint32_t number;
	uint64_t items; /**< blocks and gaps */
	uint64_t traps; /**< HS_KIND_TRAP after the last of them */
};

/**
 * Start a tally.
 * @param programs  The programs of contexts, or NULL; kept.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_tally_new(const struct hs_program_set *programs, struct hs_tally **tally);
HS_API void hs_tally_free(struct hs_tally *tally); /**< NULL is allowed */

/** What was before the first item, as hs_source_slice_lead() gives it; not counted.
 * Results as hs_tally_add(). */
HS_API enum hs_status hs_tally_lead(struct hs_tally *tally, const struct hs_block *items, size_t n);

/**
 * Count items.
 * @retval HS_OK
 * @retval HS_E_MEMORY       Only free it now.
 * @retval HS_E_UNSUPPORTED  Items of a fast profile, or a context that has no program where others
 *                           have: what they mean depends on more than what came before.
 */
HS_API enum hs_status hs_tally_add(struct hs_tally *tally, const struct hs_block *items, size_t n);

/** The harts, in the order in which they came; valid until the next call with @tally. */
HS_API const struct hs_tally_hart *hs_tally_harts(const struct hs_tally *tally, size_t *count);

/** A tally as bytes (docs/part-files.md).
 * @param out  NULL: they are only counted.
 * @return     How many. */
HS_API size_t hs_tally_write(const struct hs_tally *tally, uint8_t *out);

/**
 * Add the tally of the next part.
 * @param bytes  As hs_tally_write() wrote them; from anywhere.
 * @retval HS_OK
 * @retval HS_E_FORMAT  They are not a tally; nothing was added.
 * @retval HS_E_MEMORY  Only free it now.
 */
HS_API enum hs_status hs_tally_merge(struct hs_tally *tally, const struct hs_span *bytes);

/**
 * Give all that was counted to new counts, which need no order.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_tally_apply(const struct hs_tally *tally, struct hs_counts *counts);

/* ---- parts --------------------------------------------------------------------------
 *
 * What one of several processes made of its slice of a trace, as a file (docs/part-files.md).
 *
 * Threads: calls on different parts may run at the same time.
 */

/** What a part holds. */
enum hs_part_kind {
	HS_PART_TALLY = 1, /**< a tally (part.h) */
	HS_PART_FLOW = 2,  /**< a tally; the flow is next to the file */
	HS_PART_CHECK = 3  /**< how far a comparison came */
};

#define HS_PART_ERRORS 10u  /**< errors that a part has in words */
#define HS_PART_REASONS 64u /**< enum hs_reason */
#define HS_PART_TYPES 128u  /**< types of messages, at most */

/** An error of a slice. */
struct hs_part_error {
	struct hs_error error;
	enum hs_reason reason;
};

#define HS_PART_NAME 64u /**< bytes of the name of a type, with its NUL */

/** Messages of one type, as struct hs_message_count. */
struct hs_part_type {
	char name[HS_PART_NAME];
	uint64_t messages, bytes;
	uint32_t number;
};

/** How a comparison of a hart ended (HS_PART_CHECK). */
struct hs_part_hart {
	uint32_t number;
	bool differs;  /**< then @items are the first that differ, and the rest was not read */
	bool ended[2]; /**< the subject, the reference: it has no more items */
	uint64_t blocks, traps, ecalls; /**< equal ones */
	uint64_t instructions;          /**< of all harts: those of equal blocks, and */
	uint64_t unmapped;              /**< such blocks whose code is not known */
	uint64_t before_count;          /**< equal items */
	struct hs_block before[4];      /**< the last of them, the last one last */
	struct hs_block items[2];
};

#define HS_PART_HART 152u /**< bytes of a hart in a payload */

/** A part. */
struct hs_part {
	uint32_t kind;        /**< enum hs_part_kind */
	uint64_t fingerprint; /**< hs_source_fingerprint() of the trace */
	struct hs_source_slice slice;
	uint64_t errors;                            /**< of its items */
	uint64_t by_reason[HS_PART_REASONS];        /**< of them, by enum hs_reason */
	struct hs_part_error first[HS_PART_ERRORS]; /**< the first ones */
	struct hs_part_type types[HS_PART_TYPES];   /**< of messages */
	uint32_t type_count;
	struct hs_span payload; /**< what @kind says; not the part's */
};

/** Count an error. */
HS_API void hs_part_add_error(struct hs_part *part, const struct hs_error *error,
                              enum hs_reason reason);

/** Set the types of messages, at most HS_PART_TYPES. */
HS_API void hs_part_set_counts(struct hs_part *part, const struct hs_message_count *counts,
                               uint32_t n);
/** The types of messages; the names are the part's.
 * @return  How many were written to @out, which has room for HS_PART_TYPES. */
HS_API uint32_t hs_part_get_counts(const struct hs_part *part, struct hs_message_count *out);

/** A part as bytes.
 * @param out  NULL: they are only counted.
 * @return     How many. */
HS_API size_t hs_part_write(const struct hs_part *part, uint8_t *out);

/**
 * Read a part.
 * @param file  A whole file, from anywhere; kept: the payload is in it.
 * @retval HS_OK
 * @retval HS_E_FORMAT  Not a part, damaged, or not whole.
 */
HS_API enum hs_status hs_part_read(const struct hs_span *file, struct hs_part *part);

/** Add what is not in the payload of the part that continues @sum: errors, messages, the slice.
 * @retval HS_OK
 * @retval HS_E_ARG  It does not continue it: another trace or kind, or not the next slice. */
HS_API enum hs_status hs_part_join(struct hs_part *sum, const struct hs_part *next);

/** Harts of a comparison as the payload of a part, HS_PART_HART bytes each. */
HS_API void hs_part_put_hart(const struct hs_part_hart *hart, uint8_t *out);
/** Hart @index of a payload.
 * @retval HS_OK
 * @retval HS_END       There are no more.
 * @retval HS_E_FORMAT  The payload is none of harts. */
HS_API enum hs_status hs_part_get_hart(const struct hs_span *payload, size_t index,
                                       struct hs_part_hart *hart);

#ifdef __cplusplus
}
#endif
#endif
