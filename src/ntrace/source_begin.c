/* What a message says: evidence to be walked, or an event (NT 7, 8.3, 8.4).
 *
 * The first of three phases of a message (source.h); flow_walk() is the second, source_end.c the
 * third.  Example: the source stands at 0x1000, and IndirectBranchHist has I-CNT 5 and HIST 3:
 *
 *     HIST 3 = 1 1      the upper bit is the stop bit; one branch, taken
 *     evidence          FLOW_COUNT, 5 half-words left, 1 bit of history
 *
 * Invariants: an I-CNT that filled up (ResourceFull) waits in icnt_full until a message has the
 * rest, and half-words that a full HIST led through are in icnt_used, so that the next I-CNT,
 * which counts them again, is reduced by them.
 */
#include "ntrace/source.h"

#include "core/mem.h"

/* SYNC of the first message after some were lost: what it counts is not all (NT Table 25). */
#define SYNC_OVERRUN 7

static unsigned log2_of(uint64_t v)
{
	unsigned n = 0;

	for (unsigned step = 16; step; step >>= 1)
		if (v >> step >> n)
			n += step;
	return n;
}

/* The first branch is the bit below the stop bit, the last one is bit 0 (NT 8.3). */
static bool set_history(struct hs_evidence *e, uint64_t hist)
{
	if (hist == 0)
		return false;
	e->bits = (uint8_t)log2_of(hist);
	e->hist = hist << (63 - e->bits) << 1;
	return true;
}

static bool set_count(struct hs_nt_source *s, uint64_t icnt)
{
	const uint64_t total = s->icnt_full + icnt;

	if (total < s->icnt_used)
		return false;
	s->evidence.left = total - s->icnt_used;
	s->icnt_full = 0;
	s->icnt_used = 0;
	return true;
}

static void learn_mode(struct hs_nt_source *s, const struct hs_nt_msg *m)
{
	if (HAS(m, HIST) || (m->tcode == HS_NT_RESOURCE_FULL && GET(m, RCODE) != 0))
		s->mode = HS_NT_HTM;
	else if (m->tcode == HS_NT_DIRECT_BRANCH || m->tcode == HS_NT_DIRECT_BRANCH_SYNC)
		s->mode = HS_NT_BTM;
}

enum hs_status nt_begin_count(struct hs_nt_decoder *d, struct hs_nt_source *s)
{
	const struct hs_nt_msg *m = &d->msg;
	struct hs_evidence *e = &s->evidence;

	e->mode = s->mode == HS_NT_HTM ? FLOW_COUNT : FLOW_LINEAR;
	if (m->tcode == HS_NT_DIRECT_BRANCH || m->tcode == HS_NT_DIRECT_BRANCH_SYNC)
		e->mode = FLOW_TO_BRANCH;
	if (HAS(m, HIST) && !set_history(e, GET(m, HIST)))
		return nt_source_fault(d, s, HS_REASON_HIST_NO_STOP);
	if (!set_count(s, GET(m, ICNT)))
		return nt_source_fault(d, s, HS_REASON_ICNT_BELOW_HIST);
	return HS_OK;
}

/* ResourceFull (NT 7.8).  I-CNT waits for the branches that belong to it; in BTM there are
 * none, so that it can be checked at once. */
enum hs_status nt_begin_full(struct hs_nt_decoder *d, struct hs_nt_source *s)
{
	const struct hs_nt_msg *m = &d->msg;
	const uint64_t rcode = GET(m, RCODE);

	if (rcode == 0 && s->mode == HS_NT_BTM) {
		s->evidence.mode = FLOW_LINEAR;
		set_count(s, GET(m, RDATA));
	} else if (rcode == 0) {
		s->icnt_full += GET(m, RDATA);
	} else if (rcode == 2 && !stream_may_lead(&d->stream, &s->track, GET(m, HREPEAT))) {
		return nt_source_fault(d, s, HS_REASON_BLOCKS_LIMIT);
	} else if (rcode <= 2) {
		s->evidence.mode = FLOW_HISTORY;
		s->evidence.left = FLOW_FAR;
		s->repeat = rcode == 2 && GET(m, HREPEAT) ? GET(m, HREPEAT) - 1 : 0;
		if (!set_history(&s->evidence, GET(m, RDATA)))
			return nt_source_fault(d, s, HS_REASON_HIST_NO_STOP);
		if (rcode == 2 && GET(m, HREPEAT) == 0)
			s->evidence.bits = 0; /* in place of no message (NT 9.3) */
	} else if (d->dialect->counts_8_9 && (rcode == 8 || rcode == 9) && GET(m, RDATA)) {
		if (!stream_may_lead(&d->stream, &s->track, GET(m, RDATA)))
			return nt_source_fault(d, s, HS_REASON_BLOCKS_LIMIT);
		s->evidence.mode = FLOW_HISTORY;
		s->evidence.left = FLOW_FAR;
		s->repeat = GET(m, RDATA) - 1;
		set_history(&s->evidence, rcode == 9 ? 3 : 2);
	}
	return HS_OK;
}

static const uint8_t repeated[4] = { HS_NTF_BTYPE, HS_NTF_ICNT, HS_NTF_UADDR, HS_NTF_HIST };

/* "Identical" messages replay the XOR, "the same target address" does not: with another U-ADDR than
 * 0 the trace fits two flows (design/nt-decoder). */
static void put_ambiguous(const struct hs_nt_source *s, struct flow_out *out)
{
	nt_put_event(out, HS_KIND_NOTE, s->ref, 0);
	out->p[-1].arg = HS_NOTE_AMBIGUOUS;
}

/* RepeatBranch (NT 7.11): put the last branch message in its place. */
static enum hs_status begin_repeat(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                   struct flow_out *out)
{
	struct hs_nt_msg *m = &d->msg;
	const uint64_t times = GET(m, BCNT);

	if (s->last_tcode == 0)
		return nt_source_fault(d, s, HS_REASON_NO_REPEAT);
	if (times == 0)
		return HS_OK;
	if (!stream_may_lead(&d->stream, &s->track, times))
		return nt_source_fault(d, s, HS_REASON_BLOCKS_LIMIT);
	const uint32_t stamp = (uint32_t)1 << HS_NTF_TSTAMP; /* its own */

	m->tcode = s->last_tcode;
	m->present = (s->last_present & ~stamp) | (m->present & stamp);
	for (unsigned i = 0; i < 4; i++)
		m->field[repeated[i]] = s->last[i];
	if (d->dialect->repeat_keeps)
		m->field[HS_NTF_UADDR] = 0;
	else if (HAS(m, UADDR) && GET(m, UADDR))
		put_ambiguous(s, out);
	s->repeat = times - 1;
	return nt_begin_count(d, s);
}

void nt_remember(struct hs_nt_source *s, const struct hs_nt_msg *m)
{
	s->last_tcode = m->tcode;
	s->last_present = m->present;
	for (unsigned i = 0; i < 4; i++)
		s->last[i] = m->field[repeated[i]];
}

/* A context of FORMAT 2 names the program (NT Table 12). */
static void select_program(struct hs_nt_decoder *d, struct hs_nt_source *s, uint64_t process)
{
	struct hs_bb_table *to =
		(process & 3) == 2 ? stream_program(&d->stream, process >> 5) : NULL;

	if (!to || to == s->track.table)
		return;
	if (s->track.state == TRACK_SYNCED) {
		flow_refresh(&s->track.walk, s->track.table);
		flow_switch(&s->track.walk, s->track.table, to);
	}
	s->track.table = to;
}

/* V and PRV of an Ownership message, as blocks have them (NT 7.1); 2, 6 and 7 are reserved. */
static void set_priv(struct hs_nt_source *s, uint64_t process)
{
	const unsigned priv = process >> 2 & 7;

	flow_set_priv(&s->track.walk, (priv & 3) == 2 ? HS_PRIV_UNKNOWN : priv);
}

static void put_context(struct flow_out *out, uint64_t process)
{
	nt_put_event(out, HS_KIND_CONTEXT, process >> 5, 0);
	out->p[-1].arg = process & 3;
	out->p[-1].priv = (process >> 2) & 7;
}

/* A message of a flow that is not followed, between messages with addresses of their own. */
static void pass_reference(const struct hs_nt_decoder *d, struct hs_nt_source *s)
{
	if (HAS(&d->msg, UADDR))
		s->ref ^= nt_address_bits(d, s, HS_NTF_UADDR);
	else if (d->msg.tcode == HS_NT_REPEAT_BRANCH) /* of what is not known */
		s->ref_known = false;
}

enum hs_status nt_begin(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out,
                        bool *walk)
{
	const struct hs_nt_msg *m = &d->msg;
	enum hs_status status;

	*walk = false;
	memset(&s->evidence, 0, sizeof s->evidence);
	if (m->tcode == HS_NT_OWNERSHIP) {
		put_context(out, GET(m, PROCESS));
		set_priv(s, GET(m, PROCESS));
		select_program(d, s, GET(m, PROCESS));
		nt_source_resume(d, s, out);
		return HS_OK;
	}
	if (!m->known)
		return HS_OK;
	if (nt_begin_more(d, s, out, &status))
		return status;
	if (m->tcode == HS_NT_ERROR)
		return stream_is_followed(&s->track) ? nt_source_fault(d, s, HS_REASON_LOST)
		                                     : HS_OK;
	learn_mode(s, m);
	if (!stream_is_followed(&s->track)) {
		if (m->tcode ==
		    HS_NT_PROG_TRACE_CORRELATION) { /* NT 8.6: trace is off, and stays so */
			nt_put_event(out, HS_KIND_STOP, 0, (unsigned)GET(m, EVCODE));
			s->track.state = TRACK_OFF;
		} else if (!nt_source_sync(d, s, out)) {
			d->stats.skipped++;
			pass_reference(d, s);
		}
		return HS_OK;
	}
	if (HAS(m, SYNC) && GET(m, SYNC) == SYNC_OVERRUN)
		return nt_source_fault(d, s, HS_REASON_OVERRUN);
	*walk = true;
	switch (m->tcode) {
	case HS_NT_RESOURCE_FULL:
		return nt_begin_full(d, s);
	case HS_NT_REPEAT_BRANCH:
		return begin_repeat(d, s, out);
	case HS_NT_DIRECT_BRANCH:
	case HS_NT_INDIRECT_BRANCH:
	case HS_NT_INDIRECT_BRANCH_HIST:
		nt_remember(s, m);
		return nt_begin_count(d, s);
	default:
		return nt_begin_count(d, s);
	}
}
