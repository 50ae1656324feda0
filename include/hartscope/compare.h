/* Two runs compared: are they the same, where do they part, and what ran another number of times?
 *
 * hs_check() and hs_check_messages() are for two flows that should be equal, such as a trace and
 * the recording that it was made from.  hs_diff is for two runs of one program that need not be.
 * There code is the same in both where it has the same address, or is at the same offset of a
 * function of the same name: so a program may have been linked elsewhere.
 *
 * Threads: what is here belongs to one thread at a time, and so do the sources that it was given.
 */
#ifndef HARTSCOPE_COMPARE_H
#define HARTSCOPE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/counts.h>
#include <hartscope/program.h>
#include <hartscope/protocol.h>
#include <hartscope/source.h>
#include <hartscope/status.h>
#include <hartscope/views.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- are two flows equal? ---------------------------------------------------------------- */

#define HS_CHECK_BEFORE 4u /**< equal items that are kept, the last ones */

/** How far a hart was compared.  Of two things the first is of the first source. */
struct hs_check_hart {
	uint32_t number;        /**< as the source that is read hart by hart has it */
	uint64_t blocks, traps; /**< equal blocks, and of them those that end in a trap */
	/** Of them: only one side counts an ecall or ebreak that traps (texts differ about it). */
	uint64_t ecalls;
	uint64_t gaps;         /**< with hs_check_options.gaps: gaps that were passed, */
	uint64_t equal_hwords; /**< half-words that are equal, and */
	uint64_t hwords;       /**< half-words of the side without gaps */
	uint64_t items;        /**< equal blocks, traps and gaps, of which @before are the last */
	struct hs_block before[HS_CHECK_BEFORE]; /**< the last one last */
	bool differs;                            /**< then the rest of it was not read, and */
	bool ended[2];                           /**< by side: it has no more items; else */
	struct hs_block next[2];                 /**< by side: the first one that differs */
};

/** What of a hart was compared before: it is left out. */
struct hs_check_skip {
	uint32_t hart;
	uint64_t items; /**< blocks and gaps, and then */
	uint64_t traps; /**< HS_KIND_TRAP */
};

/** How hs_check() compares.  Zero, but for size, is good. */
struct hs_check_options {
	uint32_t size;    /**< sizeof(struct hs_check_options) */
	uint32_t threads; /**< that work, the caller's among them, as of the sources; 0 is 1 */
	/** One of the two is a recording or flow, the other one may begin later, and lack what its
	 * gaps and stops stand for: what is between is looked for.  Traps are not compared then. */
	bool gaps;
	/** With a slice of a trace (hs_source_begin_slice()): what the other one has of the slices
	 * before; an entry for each hart. */
	const struct hs_check_skip *skip;
	size_t skip_count;
	void *to; /**< for each of the following, which may be NULL */
	/** What of a source could not be read, as hs_source_next() says; on any thread, no two
	 * calls at a time.  Reading continues. */
	void (*error)(void *to, const struct hs_source *source, const struct hs_error *error);
	/** So many items of @source, which is read once, so far.  False: stop. */
	bool (*step)(void *to, const struct hs_source *source, uint64_t items);
	/** Each hart in turn, at the end. */
	void (*hart)(void *to, const struct hs_check_hart *hart);
};

/** What hs_check() found.  Of two things the first is of the first source. */
struct hs_check_result {
	bool equal;                     /**< neither @differs nor @missing */
	bool whole;                     /**< all of the source that is read once was compared */
	unsigned reference;             /**< 0 or 1: the source that is read hart by hart */
	uint64_t blocks, traps, ecalls; /**< of all harts, as struct hs_check_hart has them */
	uint64_t gaps, equal_hwords, hwords;
	uint64_t instructions; /**< of equal blocks; without */
	uint64_t unmapped;     /**< equal blocks whose code is not known */
	bool missing;          /**< only one of them has a hart: */
	uint32_t missing_hart; /**< its number, and */
	unsigned missing_in;   /**< 0 or 1: who does not have it */
	bool compared; /**< false: with @missing, which showed before anything was compared */
	bool differs;
	struct hs_check_hart difference; /**< with @differs: the first hart that does */
};

/**
 * Compare two sources hart by hart and block by block: address, length, last instruction and end of
 * each block, traps and gaps.  Events that one side does not carry are left out, such as the traps
 * of a trace.  Two that have one hart each are compared whatever its number is.
 *
 * One of the two, a recording or flow if one of them is, is read hart by hart
 * (hs_source_open_hart()), the other one once.  Of two traces the first one is read once more, for
 * its harts.  Comparing ends at the first difference of the first hart.
 *
 * @param a, b     At their starts; neither of them twice.  Rewind them before they are read again.
 * @param options  NULL: as a zeroed one.
 * @param[out] result  Written with HS_OK.
 * @retval HS_OK        Both were read, as far as it takes.
 * @retval HS_E_CONFIG  Members of @options that this library lacks; gaps, and both are traces.
 * @retval HS_E_MEMORY
 * Any other status as hs_source_open_hart() and hs_source_get_harts().
 */
HS_API enum hs_status hs_check(struct hs_source *a, struct hs_source *b,
                               const struct hs_check_options *options,
                               struct hs_check_result *result, struct hs_error *error);

/* ---- are two traces equal, message by message? -------------------------------------------- */

#define HS_CHECK_MESSAGES 5u  /**< equal messages that are kept, the last ones */
#define HS_CHECK_MESSAGE 512u /**< bytes of their text, with its NUL */

/** One of two traces after hs_check_messages(). */
struct hs_check_side {
	enum hs_status status; /**< HS_OK: @message; else why there is none, such as HS_END */
	struct hs_message message;
	struct hs_error error;
};

/** What hs_check_messages() found. */
struct hs_messages_result {
	bool equal;
	uint64_t messages, bytes; /**< equal messages, and their bytes in the first trace */
	uint64_t errors;          /**< places that neither of them can read */
	/** The last equal messages, the last one last: HS_CHECK_MESSAGES, or @messages. */
	struct {
		uint64_t offset; /**< in the first trace */
		char text[HS_CHECK_MESSAGE];
	} before[HS_CHECK_MESSAGES];
	/* with a difference: */
	struct hs_check_side side[2]; /**< what both have there, until they are read or closed */
	char difference[1024];        /**< in one line, with its clause; the sides are A and B */
	struct hs_field_pair pairs[HS_FIELD_PAIRS + 1]; /**< fields of both, the source last */
	struct hs_message_field sources[2];             /**< that the last pair may point to */
	unsigned pair_count;
};

/**
 * Compare the messages of two traces of one protocol, for which no program is needed.
 * @param error   What neither can read, at the same place; reading continues.  NULL: nobody asks.
 * @param result  Its pointers are into it and into what the sources have.
 * @retval HS_OK        @result says whether they are equal.
 * @retval HS_E_CONFIG  They are not traces of one protocol.
 * @retval HS_E_SYSTEM, HS_E_MEMORY  One of them cannot be read.
 */
HS_API enum hs_status hs_check_messages(struct hs_source *a, struct hs_source *b,
                                        void (*error)(void *to, const struct hs_error *error),
                                        void *to, struct hs_messages_result *result,
                                        struct hs_error *why);

/* ---- where two runs part ----------------------------------------------------------------- */

struct hs_diff;

/** Where an instruction is. */
struct hs_diff_place {
	uint64_t addr;
	struct hs_guest_place name; /**< label NULL: it has none */
	struct hs_place source;     /**< file NULL: no line is known */
};

/** How one of the runs goes on after what both have. */
struct hs_diff_end {
	bool ended;    /**< its flow ends there */
	bool began;    /**< it executed something before; else its flow begins there */
	uint8_t itype; /**< how its last block ended (enum hs_itype); with @began and not @ended */
	bool has_next;
	struct hs_diff_place next; /**< with @has_next: what it executes next */
};

/** Where a hart of two runs parts.  Strings and frames live until the next call with the
 * hs_diff. */
struct hs_diff_parting {
	uint64_t blocks;       /**< that both have */
	uint64_t instructions; /**< of them; without those whose code is not known */
	bool has_last;
	struct hs_diff_place last; /**< with @has_last: the last instruction of both */
	struct hs_diff_end end[2];
	const struct hs_stack_frame *frames; /**< open there in the first run, outermost first */
	size_t depth;
};

/** Blocks of each run among which they are looked for together again. */
#define HS_DIFF_BLOCKS (1u << 20)

/** Where two runs that parted come together again.  Strings live as those of the program. */
struct hs_diff_together {
	bool found;      /**< false: not in so many blocks; both have been read to their ends */
	uint64_t own[2]; /**< instructions of each from where they parted to there, or to its end */
	struct hs_diff_place place; /**< with @found: what both execute next, as in the first run */
};

/** A place where a hart of two runs parts. */
struct hs_diff_found {
	uint32_t hart;  /**< its number in the first run, or in the one that has it */
	uint64_t place; /**< of this hart, from 0 */
	struct hs_diff_parting parting;
	struct hs_diff_together together;
};

/**
 * Compare two runs hart by hart; two that have one hart each whatever its number is.
 * @param a, b  Kept; what they have is read from the start, harts as hs_source_open_hart() does.
 *              All of a trace is read for its harts.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 * Any other status as hs_source_get_harts() and hs_source_rewind().
 */
HS_API enum hs_status hs_diff_new(struct hs_source *a, struct hs_source *b, struct hs_diff **diff,
                                  struct hs_error *error);
HS_API void hs_diff_free(struct hs_diff *diff); /**< NULL is allowed; before its sources */

/**
 * The next place where a hart parts, and where it is together again after it; harts in the order of
 * the first run, then those that only the second one has.  Damage is passed over: the blocks on
 * both sides of a gap are compared as if they followed each other.  What both have is counted from
 * the start of the hart.
 *
 * They are together again where both are at the same code, in a function that was open where they
 * parted: the next four blocks are the same, or all to the ends of both.  Of several such places it
 * is that which is the nearest for the run which has more to it.  HS_DIFF_BLOCKS of each are looked
 * at, with up to 100 bytes of memory for each.
 * @retval HS_OK
 * @retval HS_END       There are no more.
 * @retval HS_E_SYSTEM  A file of a run cannot be read.
 * @retval HS_E_MEMORY
 * Any other status as hs_source_open_hart().  After an error only free it.
 */
HS_API enum hs_status hs_diff_next(struct hs_diff *diff, struct hs_diff_found *found,
                                   struct hs_error *error);

/* ---- what ran another number of times ------------------------------------------------------ */

/** A function or a branch, say, with two counts of it in each run. */
struct hs_diff_row {
	const char *label;    /**< function; NULL: it has no name */
	const char *file;     /**< path, of which the last part counts; NULL: the program's own */
	uint64_t offset;      /**< in the function; without one an address */
	uint64_t count[2][2]; /**< by run: calls and instructions, say, or taken and not taken */
	const void *of[2];    /**< by run: the caller's; NULL: that run does not have it */
	uint64_t difference;  /**< set by hs_diff_join(): of both counts together */
};

/**
 * Join rows of two runs, each with one of @of, by their place; keep those whose counts differ, the
 * largest difference first, equal ones by place.
 * @return  How many there are, at the start of @rows.
 */
HS_API size_t hs_diff_join(struct hs_diff_row *rows, size_t n);

/* ---- shares of one run --------------------------------------------------------------
 *
 * Work of several processes: the counts of a shard of a trace as a sum (a tally), and a shard's
 * results as a file (docs/part-files.md).
 *
 *   hs_tally_new(programs, &tally);
 *   hs_tally_add(tally, items, n);
 *   part.kind = HS_PART_TALLY;
 *   hs_part_write(&part, bytes);
 */

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
	HS_PART_TALLY = 1, /**< a tally */
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
