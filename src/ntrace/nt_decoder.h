/* What moves a decoder of N-Trace between cuts of a stream. */
#ifndef HS_NTRACE_NT_DECODER_H
#define HS_NTRACE_NT_DECODER_H

#include <stdint.h>

#include <hartscope/ntrace.h>

/**
 * Part of the stream is missing before the next byte: a message that was cut is dropped, and every
 * source loses synchronisation.  If one was synchronised, the next call of hs_nt_decoder_next()
 * writes the gaps and returns HS_E_LOST (HS_REASON_INPUT_LOST).
 */
void hs_nt_decoder_lose(struct hs_nt_decoder *d);

/** Do two states of a source stand alike, so that the same messages lead both the same way?  No is
 * always safe to say. @a and @b: of one decoder, with the guide. */
bool hs_nt_source_same(const struct hs_nt_decoder *d, const struct hs_nt_source *a,
                       const struct hs_nt_source *b);

/** Counters so far; owned by the decoder. */
const struct hs_nt_stats *hs_nt_decoder_stats(const struct hs_nt_decoder *d);

#endif
