/* Parameters that a discovery packet brings. */
#ifndef HS_PARAMS_PARAMS_H
#define HS_PARAMS_PARAMS_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/trace_params.h>

/* ---- reading ------------------------------------------------------------------ */

/**
 * Take parameters from what an E-Trace encoder says of itself: of a ratified version the
 * HS_ET_ATTRIBUTE_WORDS words of its discovery registers, of the draft 0.026 the
 * HS_ET_DISCOVERY_WORDS words of its discovery record.
 * @retval HS_OK
 * @retval HS_E_CONFIG  Another number of words, or values that contradict each other.
 * @retval HS_E_UNSUPPORTED  The protocol has no discovery, or as hs_et_attributes_config(),
 *                           hs_et_discovery_config().
 */
enum hs_status hs_trace_params_set_discovery(struct hs_trace_params *params, const uint32_t *words,
                                             size_t count, struct hs_error *error);

/**
 * The same of a message in the trace itself.  What a setting or a file gave stays.
 * @param[out] note  Written when @words are none that the encoder could send, or say otherwise
 *                   than what was given: one line with both values.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
enum hs_status hs_trace_params_add_discovery(struct hs_trace_params *params, const uint32_t *words,
                                             size_t count, struct hs_error *note);

/* ---- checking ----------------------------------------------------------------- */

/**
 * hs_trace_params_verify() for a caller that reads the trace anyway (hs_source_verify() does).
 * @param trace  For messages.
 * @param bytes  Size of the file.
 * @param xxh64  XXH64 of all its bytes, with seed 0; NULL: not known yet.
 * @retval HS_OK        @params know nothing of the trace, or it is the one.
 * @retval HS_MORE      It has as many bytes; @xxh64 is needed.
 * @retval HS_E_CUT     It has another size or checksum: it is cut, damaged or another trace.
 */
enum hs_status hs_trace_params_compare(const struct hs_trace_params *params, const char *trace,
                                       uint64_t bytes, const uint64_t *xxh64,
                                       struct hs_error *error);

#endif
