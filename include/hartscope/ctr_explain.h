/* A dump of CTR's registers and entries in words, with what a hart would not hold.
 *
 * A dump is text: pairs NAME = VALUE, one or more a line.  A name is that of a CSR of either version
 * (mctrcontrol, sctrstatus, sctrdepth, ...), ctrsource[N], ctrtarget[N] or ctrdata[N] (N: 0 the
 * youngest), xlen, or version (0.1.4 or 1.0).  A value is decimal, or hexadecimal with 0x.  Blanks,
 * '=', ':' and ',' separate; '#' begins a comment.
 */
#ifndef HARTSCOPE_CTR_EXPLAIN_H
#define HARTSCOPE_CTR_EXPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hs_ctr_remark_kind {
	HS_CTR_WORDS = 0,  /**< what a value says */
	HS_CTR_NOTE = 1,   /**< legal, but worth a look */
	HS_CTR_MISUSE = 2  /**< no hart of this version holds it */
};

struct hs_ctr_remark {
	enum hs_ctr_remark_kind kind;
	const char *subject; /**< a register, "entry 3", or "dump"; valid during the call, as @text */
	uint64_t value;      /**< of the register; of an entry: ctrdata */
	const char *text;
};

typedef void (*hs_ctr_remark_fn)(void *context, const struct hs_ctr_remark *remark);

/** How to read a dump. */
struct hs_ctr_explain_options {
	int version;   /**< enum hs_ctr_version, or -1: by the names in the dump, 1.0 if they do not tell */
	unsigned xlen; /**< 32 or 64; 0: as the dump says, 64 if it does not */
	hs_ctr_remark_fn say;
	void *context;
};

/**
 * Explain a dump: each register and entry in words, then notes and misuse.
 * @param[out] version  The version that it was read as, enum hs_ctr_version; may be NULL.
 * @retval HS_OK        Also with misuse.
 * @retval HS_E_FORMAT  Not pairs of names and values, an index above 255, or nothing that CTR
 *                      knows; @error names the line.
 */
HS_API enum hs_status hs_ctr_explain(const char *text, size_t n, const struct hs_ctr_explain_options *o,
                                     int *version, struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
