/* From blocks to CTR: what the control transfer records of each hart hold at a point of a flow, or
 * samples of them on the way, in the formats of other tools.
 *
 *   struct hs_ctr_run_options o = { .size = sizeof(o), .program = program };
 *   struct hs_ctr_run_result result;
 *
 *   hs_ctr_run_new(&o, &run, &error);
 *   while (hs_source_next(source, items, N, &n, &error) != HS_END)
 *           hs_ctr_run_add(run, items, n);
 *   hs_ctr_run_end(run, &result);        the records of result.harts[0] are in its ctr
 *   hs_ctr_run_free(run);
 *
 * SCTRCLR in the code takes effect where it retires.  So do writes of CTR's CSRs, in a flow with
 * data accesses (block.h): of a recording with data, of data trace, or of a stream that the caller
 * makes.  Without accesses, all writes are left out.  A fast profile (HS_KIND_TARGET with
 * HS_KIND_SOURCE) has calls, returns, swaps, trap returns, and the exceptions of ecall and ebreak
 * (design/ctr).
 *
 * A user-mode recording has no supervisor.  A trap from U or VU that leads to U or VU again was
 * handled by a mode that is not in the flow, and that mode counts as not enabled (design/ctr).
 *
 * A sample is the whole array at one moment, as a profiler reads it at an interrupt.  What a format
 * cannot express is left out or cut (design/ctr): not-taken branches are only in JSON, counts of
 * cycles end at 65535 except in JSON, and an address that the hart did not record is 0.
 *
 * perf-data and callchain have a process for each context and program; its pid and name are those
 * that the guest has for it (guest.h), else the pid is the context where Linux could give that
 * number.  In perf-data, samples of S, VS and M are of the kernel, and the file that has their code
 * is mapped there, as a module, so that perf finds its names (design/contexts).
 *
 * Threads: calls for different runs may be made at once if their programs differ too; a run is used
 * by one thread at a time.
 */
#ifndef HARTSCOPE_CTR_RUN_H
#define HARTSCOPE_CTR_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/ctr.h>
#include <hartscope/error.h>
#include <hartscope/guest.h>
#include <hartscope/program.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What counts as a cycle. */
enum hs_ctr_cycles {
	HS_CTR_CYCLES_OFF = 0,          /**< not known: CCV=0 */
	HS_CTR_CYCLES_INSTRUCTIONS = 1, /**< each instruction takes one */
	HS_CTR_CYCLES_TIME = 2,         /**< timestamps of the flow are cycles */
	HS_CTR_CYCLES_COUNTS = 3        /**< those that the flow counts (HS_KIND_CYCLES) */
};

/** Which transfers count as mispredicted (ctrtarget.MISP). */
enum hs_ctr_misp {
	HS_CTR_MISP_UNKNOWN = 0, /**< the harts have no MISP */
	HS_CTR_MISP_BIMODAL = 1, /**< by a predictor for each hart (ctr.h), with its
	                              default sizes */
	HS_CTR_MISP_GSHARE = 2,
	HS_CTR_MISP_CALLER = 3 /**< by hs_ctr_run_options.missed */
};

/** What the supervisor does with the records when the context changes (HS_KIND_CONTEXT). */
enum hs_ctr_contexts {
	HS_CTR_CONTEXTS_KEEP = 0,  /**< nothing: they are those of the hart */
	HS_CTR_CONTEXTS_CLEAR = 1, /**< it clears them */
	HS_CTR_CONTEXTS_SWAP = 2   /**< it saves them, and restores those of the new context */
};

/** How software set CTR up before the first instruction.  Zero is the default of each member: 1.0
 * with 32 entries, every mode enabled, no filter, no cycles. */
struct hs_ctr_settings {
	uint32_t size;        /**< sizeof(struct hs_ctr_settings) */
	uint16_t version;     /**< enum hs_ctr_version */
	uint16_t depth;       /**< entries in use: 16, 32, 64, 128 or 256; 0: 32.  Harts have
	                           every depth */
	uint16_t options;     /**< enum hs_ctr_option */
	uint16_t disabled;    /**< modes that are not enabled; bit: enum hs_priv */
	uint16_t cc_bits;     /**< width of CC, 12..16; 0: 16 */
	uint8_t cycles;       /**< enum hs_ctr_cycles */
	uint8_t unknown_priv; /**< mode of blocks where neither they nor a context event say which:
	                           enum hs_priv; 0: U */
	uint64_t control;     /**< fields where mctrctl of 1.0 has them, without M, S and U; ETEN is
	                           bit 38 */
	uint64_t vs_control;  /**< the same of vsctrctl; STE is that of VS */
	uint8_t misp;         /**< enum hs_ctr_misp */
	uint8_t contexts;     /**< enum hs_ctr_contexts */
};

/**
 * Set one by name: version (0.1.4, 1.0), depth (16..256), mode (U, S, M), cycles (off,
 * instructions, time, counts), cce (exponent bits of CC, 0..4), predictor (off, bimodal, gshare),
 * contexts (keep, clear, swap); fields of the control register of either version, which are set in
 * both registers except for M, S, U, MTE and STE; VS, VU and VSTE; type6, v-as-1.0, freeze-as-1.0,
 * ras-no-cc (design/ctr).  Fields and the last four take 0 or 1.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No such name, or not a value of it: @error lists them.  Or @s->size.
 */
HS_API enum hs_status hs_ctr_settings_set(struct hs_ctr_settings *s, const char *name,
                                          const char *value, struct hs_error *error);

/** Was @t, a transfer within a mode of hart @hart, mispredicted? */
typedef bool (*hs_ctr_missed_fn)(void *context, uint32_t hart, const struct hs_ctr_transfer *t);

/* ---- a run ------------------------------------------------------------------------------ */

/** Where a hart is looked at. */
enum hs_ctr_point {
	HS_CTR_AT_END = 0,  /**< at the end of the flow */
	HS_CTR_AT_INSN = 1, /**< after @at instructions of the hart */
	HS_CTR_AT_PC = 2    /**< before the instruction at @at executes for the @times-th time */
};

/** What is replayed, and what is wanted.  Zero is the default of every member but size and
 * program. */
struct hs_ctr_run_options {
	uint32_t size;                          /**< sizeof(struct hs_ctr_run_options) */
	uint32_t hart;                          /**< with @one_hart */
	struct hs_program *program;             /**< code of the blocks, which has the XLEN; kept */
	const struct hs_program_set *programs;  /**< those of contexts, or NULL; kept */
	const struct hs_ctr_settings *settings; /**< copied; NULL: all zero */
	bool one_hart;   /**< the flow is of this hart, and does not name it */
	bool first_hart; /**< nothing is wanted after the first hart is at its point */
	uint8_t point;   /**< enum hs_ctr_point; with @format samples are wanted instead */
	uint64_t at, times;
	/** Asked once for each transfer within a mode, in their order, recorded or not, where
	 * settings->misp is HS_CTR_MISP_CALLER.  NULL: nothing is mispredicted. */
	hs_ctr_missed_fn missed;
	void *missed_of; /**< its first argument */
	/** Samples: json, perf-data, callchain, brstack, bolt or profgen; NULL: none.  Formats of
	 * call chains set RASEMU. */
	const char *format;
	uint64_t period;            /**< instructions between samples, with @format at least 1 */
	struct hs_program *sampled; /**< of a format of one program: which it is; NULL: @program */
	const char *program_path;   /**< its file, kept; NULL: that of its entry */
	struct hs_guest *guest;     /**< names of functions and processes, or NULL; kept */
	hs_write_fn write;          /**< receives the file in pieces, also at the end */
	void *context;              /**< for @write */
};

/** A hart at its point, or, while that is not reached, as it was first. */
struct hs_ctr_run_hart {
	uint32_t hart; /**< as in HS_KIND_HART */
	bool reached;
	bool has_context;
	uint64_t context;           /**< of the last HS_KIND_CONTEXT, if @has_context */
	struct hs_program *program; /**< of its context */
	uint64_t pc;                /**< of the next instruction; 0 at the end of the flow */
	uint64_t retired;           /**< instructions */
	uint64_t transfers;         /**< given to the model, traps and returns included */
	uint64_t lost;              /**< not given to it: their target is not in the flow */
	uint64_t unknown_writes;    /**< of CTR's CSRs, left out: the flow lacks their values */
	struct hs_ctr ctr;
};

/** What was written, and what was left out. */
struct hs_ctr_export_report {
	uint64_t samples, branches; /**< written */
	uint64_t not_taken;         /**< records of not-taken branches left out */
	uint64_t cut;               /**< counts of cycles above 65535 */
	/**< bolt, profgen: ranges that are not straight code, left out */
	uint64_t broken;
	uint64_t foreign; /**< bolt, profgen: records from or to outside the program */
	uint64_t other;   /**< brstack, bolt, profgen: samples of other programs */
};

/** What a run led to. */
struct hs_ctr_run_result {
	struct hs_ctr start;                 /**< a hart before the first instruction */
	const struct hs_ctr_run_hart *harts; /**< in the order in which they appeared; valid until
	                                          hs_ctr_run_free() */
	size_t count;
	uint64_t unmapped;       /**< blocks of all harts whose code is not known: their type is by
	                              itype, their instructions are not counted */
	uint64_t unknown_writes; /**< of all harts, of CTR's CSRs: left out, the flow lacks their
	                              values */
	struct hs_ctr_export_report samples;
};

struct hs_ctr_run;

/**
 * Start a run.
 * @retval HS_OK
 * @retval HS_E_ARG     No such format; @error lists them.
 * @retval HS_E_CONFIG  Of the settings: the version has no such field or option, or RV32 no way to
 *                      set it; a member is out of its range.  bolt, profgen: a filter leaves a
 *                      taken transfer out, so that the code between two records is not straight;
 *                      RASEMU is on.  No program; members that this library lacks.
 * @retval HS_E_SYSTEM  No temporary file (perf-data); @write returned false.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_ctr_run_new(const struct hs_ctr_run_options *options,
                                     struct hs_ctr_run **run, struct hs_error *error);
HS_API void hs_ctr_run_free(struct hs_ctr_run *run); /**< NULL is allowed */

/**
 * Replay blocks and events, in order.
 * @retval HS_OK
 * @retval HS_END            What comes does not matter any more (@first_hart).
 * @retval HS_E_MEMORY       Also: more than 65536 contexts of a hart whose records are swapped, or
 *                           more different branches in samples than 2^24.
 * @retval HS_E_UNSUPPORTED  More than 4096 harts.
 * @retval HS_E_SYSTEM       The write function returned false.
 * An error stays.
 */
HS_API enum hs_status hs_ctr_run_add(struct hs_ctr_run *run, const struct hs_block *items,
                                     size_t n);

/** The flow ends: each hart's last transfer is made if its target is known, and the rest of the
 * samples is written.  Once.  @retval HS_OK, else as hs_ctr_run_add(); *result is written in any
 * case. */
HS_API enum hs_status hs_ctr_run_end(struct hs_ctr_run *run, struct hs_ctr_run_result *result);

/* ---- dumps ------------------------------------------------------------------------------ */

/* A dump of CTR's registers and entries is text: pairs NAME = VALUE, one or more on a line.  A name
 * is that of a CSR of either version (mctrcontrol, sctrstatus, sctrdepth, ...), ctrsource[N],
 * ctrtarget[N] or ctrdata[N] (N: 0 is the youngest), xlen, or version (0.1.4 or 1.0).  A value is
 * decimal, or hexadecimal with 0x.  Blanks, '=', ':' and ',' separate; '#' begins a comment. */

enum hs_ctr_remark_kind {
	HS_CTR_REMARK_WORDS = 0, /**< what a value means */
	HS_CTR_REMARK_NOTE = 1,  /**< legal, but worth a look */
	HS_CTR_REMARK_MISUSE = 2 /**< no hart of this version holds it */
};

struct hs_ctr_remark {
	enum hs_ctr_remark_kind kind;
	const char *subject; /**< a register, or "entry 3"; valid during the call, as @text */
	uint64_t value;      /**< of the register; of an entry: ctrdata */
	const char *text;
};

/** Takes a remark. */
typedef void (*hs_ctr_remark_fn)(void *context, const struct hs_ctr_remark *remark);

/** How to read a dump.  Zero is the default of each member. */
struct hs_ctr_explain_options {
	uint32_t size;    /**< sizeof(struct hs_ctr_explain_options) */
	uint16_t version; /**< enum hs_ctr_version; HS_CTR_ANY: as the dump says, else by the names
	                       in it, else 1.0 */
	uint16_t xlen;    /**< 32 or 64; 0: as the dump says, or 64 */
};

/**
 * Explain a dump: each register and entry in words, then notes and misuse.
 * @param[in,out] text     All of the dump; moved past the lines that were read.
 * @param[out]    version  The version that it was read as; may be NULL.
 * @retval HS_OK        Also with misuse.
 * @retval HS_E_CONFIG  @o: its size, a version or xlen that does not exist, or non-zero bytes of a
 *                      later version of the library.
 * @retval HS_E_FORMAT  Not pairs of names and values, an index above 255, or no register or entry
 *                      of CTR; @error names the line.
 */
HS_API enum hs_status hs_ctr_explain(struct hs_span *text, const struct hs_ctr_explain_options *o,
                                     hs_ctr_remark_fn report, void *context,
                                     enum hs_ctr_version *version, struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
