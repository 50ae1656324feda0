/* What moves a decoder of E-Trace between cuts of a stream. */
#ifndef HS_ETRACE_ET_DECODER_H
#define HS_ETRACE_ET_DECODER_H

#include <stdint.h>

#include <hartscope/etrace.h>

/**
 * Part of the stream is missing before the next byte: a packet that was cut is dropped, and every
 * source loses synchronisation.  If one was synchronised, the next call of hs_et_decoder_next()
 * writes the gaps and returns HS_E_LOST (HS_REASON_INPUT_LOST).
 */
void hs_et_decoder_lose(struct hs_et_decoder *d);

/** Do two states of a source stand alike, so that the same messages lead both the same way?  No is
 * always safe to say. @a and @b: of one decoder, with the guide.  What is in the memory of
 * hs_et_source_memory() is not compared. */
bool hs_et_source_same(const struct hs_et_decoder *d, const struct hs_et_source *a,
                       const struct hs_et_source *b);

/** Counters so far; owned by the decoder. */
const struct hs_et_stats *hs_et_decoder_stats(const struct hs_et_decoder *d);

#endif
