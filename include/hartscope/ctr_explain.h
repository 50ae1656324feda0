/* A dump of CTR's registers and entries in words, with everything that a hart would not hold.
 *
 * A dump is text: pairs NAME = VALUE, one or more on a line.  A name is that of a CSR of either
 * version (mctrcontrol, sctrstatus, sctrdepth, ...), ctrsource[N], ctrtarget[N] or ctrdata[N] (N: 0
 * is the youngest), xlen, or version (0.1.4 or 1.0).  A value is decimal, or hexadecimal with 0x.
 * Blanks, '=', ':' and ',' separate; '#' begins a comment.
 *
 * Threads: any number of calls may run at once.
 */
#ifndef HARTSCOPE_CTR_EXPLAIN_H
#define HARTSCOPE_CTR_EXPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/ctr.h>
#include <hartscope/error.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

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
