/* What moves a decoder of N-Trace between cuts of a stream. */
#ifndef HS_NTRACE_NT_DECODER_H
#define HS_NTRACE_NT_DECODER_H

#include <stdint.h>

#include <hartscope/nt_decoder.h>

/** Code changes while it is traced: @guide, which is kept, says when, and has the tables of all
 * sources.  After hs_nt_decoder_init(), in place of hs_nt_decoder_programs(). */
void hs_nt_decoder_set_guide(struct hs_nt_decoder *d, const struct hs_code_guide *guide);

/** The guide is asked again after @blocks more of source @src, also after a loss; HS_GUIDE_NEVER:
 * it is not.  Nothing happens if no message named the source yet. */
void hs_nt_decoder_expect(struct hs_nt_decoder *d, uint32_t src, uint64_t blocks);

/** Do two states of a source stand alike, so that the same messages lead both the same way?  No is
 * always safe to say. @a and @b: of one decoder, with the guide. */
bool hs_nt_source_same(const struct hs_nt_decoder *d, const struct hs_nt_source *a,
                       const struct hs_nt_source *b);

#endif
