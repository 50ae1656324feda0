/* Replays of flows, samples of harts, and dumps explained, for the files of this room and tests. */
#ifndef HS_CTR_HOST_CTR_HOST_H
#define HS_CTR_HOST_CTR_HOST_H

#include <hartscope/ctr.h>

/**
 * Make a hart's CTR as software left it.
 * @param xlen  32 or 64.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The version has no such field or option, or RV32 no way to set it; a member
 *                      is out of its range; @s->size.
 */
enum hs_status hs_ctr_settings_make(const struct hs_ctr_settings *s, unsigned xlen,
                                    struct hs_ctr *ctr, struct hs_error *error);

struct hs_ctr_replay;

/** A hart after its last block arrived: what it is about to execute, and what it holds before. */
struct hs_ctr_replay_hart {
	uint32_t hart;                /**< as in HS_KIND_HART */
	struct hs_program *program;   /**< of its context */
	const struct hs_image *image; /**< the code of @block */
	struct hs_block block; /**< the last block, with the mode that it counts as; iretire 0
	                                 before the first */
	uint64_t retired;      /**< instructions before that block */
	uint64_t instructions; /**< of that block */
	uint64_t transfers;    /**< given to the model, traps and returns included */
	uint64_t lost;         /**< not given to it: their target is not in the flow */
	/**< blocks whose code is not known: type by itype, not counted */
	uint64_t unmapped;
	uint64_t unknown_writes; /**< of CTR's CSRs, left out: the flow lacks their values */
	uint64_t context;        /**< of the last HS_KIND_CONTEXT, if @has_context */
	bool has_context;
	struct hs_ctr ctr;
};

/**
 * @param s         Copied.
 * @param program   Code of the blocks; kept.
 * @param programs  The programs of contexts, or NULL; kept.
 * @retval HS_OK
 * @retval HS_E_CONFIG  As hs_ctr_settings_make().
 * @retval HS_E_MEMORY
 */
enum hs_status hs_ctr_replay_new(const struct hs_ctr_settings *s, struct hs_program *program,
                                 const struct hs_program_set *programs,
                                 struct hs_ctr_replay **replay, struct hs_error *error);
void hs_ctr_replay_free(struct hs_ctr_replay *r); /**< NULL is allowed */

/** Use a predictor of the caller, for settings with HS_CTR_MISP_CALLER.  It is asked once for each
 * transfer within a mode, in their order, recorded or not.  NULL: nothing is mispredicted. */
void hs_ctr_replay_set_predictor(struct hs_ctr_replay *r, hs_ctr_missed_fn missed, void *context);

/** Replay a block or event.
 * @retval HS_OK
 * @retval HS_E_MEMORY       Also: more than 65536 contexts of a hart whose records are swapped.
 * @retval HS_E_UNSUPPORTED  More than 4096 harts. */
enum hs_status hs_ctr_replay_add(struct hs_ctr_replay *r, const struct hs_block *b);

/** The flow ends: each hart's last transfer is made if its target is known. */
void hs_ctr_replay_end(struct hs_ctr_replay *r);

/** The hart of the last block or event; NULL before the first.  Valid until the next
 * hs_ctr_replay_add(). */
const struct hs_ctr_replay_hart *hs_ctr_replay_now(const struct hs_ctr_replay *r);

/** The harts in the order in which they appeared; NULL past the last. */
const struct hs_ctr_replay_hart *hs_ctr_replay_at(const struct hs_ctr_replay *r, size_t index);

/**
 * A hart's CTR when @n instructions of its last block retired, if the block changes CTR before its
 * end (SCTRCLR, CSR writes).
 * @param h     As hs_ctr_replay_now() or hs_ctr_replay_at() gave it, not a copy.
 * @param room  Written only if it differs from h->ctr.
 * @return  &h->ctr or @room.
 */
const struct hs_ctr *hs_ctr_replay_within(const struct hs_ctr_replay_hart *h, uint64_t n,
                                          struct hs_ctr *room);

/** Move @pc, the address of an instruction of a hart's last block, @n instructions forward.
 * @retval HS_OK
 * @retval HS_E_ARG     That is not in the block.
 * @retval HS_E_NOCODE  Its code is not known. */
enum hs_status hs_ctr_replay_step(const struct hs_ctr_replay_hart *h, uint64_t *pc, uint64_t n);

/* ---- samples ------------------------------------------------------------------------------ */

struct hs_ctr_export;

/** How to export.  Zero is the default of each member. */
struct hs_ctr_export_options {
	uint32_t size;            /**< sizeof(struct hs_ctr_export_options) */
	uint32_t reserved;        /**< 0 */
	uint64_t period;          /**< instructions between samples; 0: 1 */
	const char *format;       /**< one of hs_ctr_export_formats(); NULL: "json" */
	const char *program_path; /**< file of the main program, kept; NULL: that of its entry */
	struct hs_guest *guest;   /**< names of functions and processes, or NULL; kept */
};

/** A hart at one moment. */
struct hs_ctr_sample {
	const struct hs_ctr *ctr;
	struct hs_program *program; /**< of its context */
	uint64_t instructions;      /**< retired by this hart */
	uint64_t pc;                /**< of the next instruction */
	uint64_t context;           /**< of the process, with @has_context */
	uint32_t hart;
	uint8_t priv;     /**< mode, enum hs_priv */
	bool has_context; /**< else it ran before any context was known */
};

/** Names of the formats, separated by blanks. */
const char *hs_ctr_export_formats(void);

/** Does this format need samples with RASEMU=1? */
bool hs_ctr_export_needs_ras(const char *format);

/**
 * Begin an export.
 * @param program  Names and code of the main program; kept.
 * @param start    A hart before the first instruction: its settings; copied.
 * @param write    Receives the file in pieces, also during later calls.
 * @param context  For @write.
 * @retval HS_OK
 * @retval HS_E_ARG     No such format; @error lists them.
 * @retval HS_E_CONFIG  @options: its size, or non-zero bytes of a later version of the library.
 *                      bolt, profgen: a filter leaves a taken transfer out, so that the code
 *                      between two records is not straight; RASEMU is on, or, for a call
 *                      chain, off.
 * @retval HS_E_SYSTEM  No temporary file (perf-data); @write returned false.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_ctr_export_new(struct hs_program *program, const struct hs_ctr *start,
                                 hs_write_fn write, void *context,
                                 const struct hs_ctr_export_options *options,
                                 struct hs_ctr_export **x, struct hs_error *error);
void hs_ctr_export_free(struct hs_ctr_export *x); /**< NULL is allowed */

/** Add a sample.
 * @retval HS_OK
 * @retval HS_E_MEMORY  Also: more different branches than 2^24.
 * @retval HS_E_SYSTEM  The write function returned false. */
enum hs_status hs_ctr_export_sample(struct hs_ctr_export *x, const struct hs_ctr_sample *s);

/** Write the rest of the file.  Results as hs_ctr_export_sample(). */
enum hs_status hs_ctr_export_end(struct hs_ctr_export *x, struct hs_ctr_export_report *report);

#endif
