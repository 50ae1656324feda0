/* What a decoder that has to be sure trusts (design/resync). */
#ifndef HS_ETRACE_CAREFUL_H
#define HS_ETRACE_CAREFUL_H

#include "etrace/source.h"

/* States of hs_et_trust.  After damage bytes may be taken for packets that are none, and may even
 * fit the program for a while.  A source that is in doubt writes nothing, until its flow leads
 * from one synchronising packet to the address of another one. */
enum et_doubt {
	ET_SURE,
	ET_LOST,     /* no synchronising packet since */
	ET_FOLLOWED, /* one came, and the flow from there is not contradicted */
	ET_CHANGED   /* nothing is wrong, but the last packet changed the options */
};

/* hs_et_trust.rival: none. */
#define ET_NO_RIVAL UINT32_MAX

/* May nothing be written of the source? */
static inline bool et_is_doubted(const struct hs_et_source *s)
{
	return s->trust.doubt != ET_SURE && s->trust.doubt != ET_CHANGED;
}

/* ---- packets ---------------------------------------------------------------------- */

/* Why the current packet is taken for damage, as it contradicts what is known of the stream;
 * HS_REASON_NONE: it is not. */
enum hs_reason et_find_damage(struct hs_et_decoder *d);
/* The current packet has options; they are taken.  False: others were good before it, so that the
 * flow has to agree with these first. */
bool et_read_options(struct hs_et_decoder *d, struct hs_et_source *s);
/* May a flow that leaves the known code be damage? */
bool et_doubts_unknown(const struct hs_et_decoder *d, const struct hs_et_source *s);

/* ---- transitions ------------------------------------------------------------------ */

/* A packet named the source for the first time. */
void et_trust_begin(struct hs_et_source *s);
/* The packet at @offset was skipped, as the source was not synchronised. */
void et_trust_skip(struct hs_et_source *s, uint64_t offset);
/* A synchronising packet came. */
void et_trust_meet(struct hs_et_source *s);
/* The flow led to a synchronising packet's address; @leapt: by a jump whose target nothing else
 * reports. */
void et_trust_arrive(struct hs_et_source *s, bool leapt);
/* The current packet could not be read. */
void et_trust_damage(struct hs_et_decoder *d);
/* The current packet was followed with @status, and wrote from @from on, while the source was not
 * trusted; @followed: its flow was known before.  What is not to be written is taken back. */
void et_trust_packet(struct hs_et_decoder *d, struct hs_et_source *s, bool followed,
                     enum hs_status status, struct hs_block *from, struct flow_out *out);
/* There is a fault; @current: by a packet of this source.  True: the options that were tried, or
 * that it was synchronised with, are contradicted. */
bool et_trust_fault(const struct hs_et_decoder *d, struct hs_et_source *s, bool current);
/* Its gap is written: it lost synchronisation. */
void et_trust_lose(const struct hs_et_decoder *d, struct hs_et_source *s);
/* A flow from a synchronising packet on fails: the options before may be the good ones. */
void et_swap_options(struct hs_et_decoder *d, struct hs_et_source *s);
/* After a gap it was synchronised, if the packet at fault could.  False: not to be written yet. */
bool et_trust_resume(struct hs_et_source *s);
/* The stream is over.  What to report of it, once each, and the offset that it is about: what was
 * decoded last was not written, since nothing confirmed it; or nothing could be decoded, among
 * other sources that could.  HS_REASON_NONE: neither. */
enum hs_reason et_trust_end(const struct hs_et_decoder *d, struct hs_et_source *s,
                            uint64_t *offset);

#endif
