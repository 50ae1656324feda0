/* What moves a decoder of E-Trace between cuts of a stream. */
#ifndef HS_ETRACE_ET_DECODER_H
#define HS_ETRACE_ET_DECODER_H

#include <stdint.h>

#include <hartscope/et_decoder.h>

/** Code changes while it is traced: @guide, which is kept, says when, and has the tables of all
 * sources.  After hs_et_decoder_init(), in place of hs_et_decoder_programs(). */
void hs_et_decoder_set_guide(struct hs_et_decoder *d, const struct hs_code_guide *guide);

/** The guide is asked again after @blocks more of source @src, also after a loss; HS_GUIDE_NEVER:
 * it is not.  Nothing happens if no message named the source yet. */
void hs_et_decoder_expect(struct hs_et_decoder *d, uint32_t src, uint64_t blocks);

/** Do two states of a source stand alike, so that the same messages lead both the same way?  No is
 * always safe to say. @a and @b: of one decoder, with the guide.  What is in the memory of
 * hs_et_source_memory() is not compared. */
bool hs_et_source_same(const struct hs_et_decoder *d, const struct hs_et_source *a,
                       const struct hs_et_source *b);

#endif
