/* What a message ends: the block, with the address that follows (NT 7, 8.1, 8.5).
 *
 * The walk used up the evidence, or stopped where the message has to explain it.  Example,
 * continued from source_begin.c: with I-CNT 5 the walk stands at the ret of 0x1010, an uninferable
 * jump that retired, and no evidence is left.  B-TYPE 0 says that it is a jump which ends the
 * message:
 *
 *     block             0x1010, 1 half-word, itype return
 *     U-ADDR 0xb        (0x1000 >> 1 ^ 0xb) << 1 = 0x1016: the walk starts there
 *
 * Invariant: s->ref is the address that was reported last, in bytes.  The next U-ADDR, shifted left
 * by 1, is XORed into it (NT 8.1).
 */
#include "ntrace/source.h"

/* Is the last instruction a return whose target the trace leaves out, while some calls are not
 * known? */
static bool is_return_unseen(const struct hs_nt_source *s)
{
	const unsigned kind = flow_last_kind(&s->track.walk, s->track.table);

	return s->calls_unseen && (s->track.walk.rules & FLOW_RETURNS) &&
	       (kind == HS_INSN_RETURN || kind == HS_INSN_SWAP);
}

/* Why a walk could not use up its evidence. */
static enum hs_reason walk_reason(const struct hs_nt_source *s)
{
	switch ((enum flow_stop)s->stop) {
	case FLOW_NOCODE:
		return HS_REASON_NO_CODE;
	case FLOW_SPLIT:
		return HS_REASON_ICNT_IN_INSN;
	case FLOW_NOT_BRANCH:
		/* no block is open: a jump ended it */
		return flow_open(&s->track.walk) ? HS_REASON_ICNT_NOT_BRANCH
		                                 : HS_REASON_ICNT_AT_JUMP;
	case FLOW_NO_BIT:
		return HS_REASON_HIST_TOO_SHORT;
	case FLOW_SPARE_BITS:
		return HS_REASON_HIST_TOO_LONG;
	case FLOW_BAD_BIT:
		return HS_REASON_HIST_JUMP;
	case FLOW_LOOP:
		return HS_REASON_HIST_LOOP;
	case FLOW_UNINFERABLE:
		if (is_return_unseen(s))
			return HS_REASON_RETURN_UNSEEN;
		if (s->evidence.bits)
			return HS_REASON_HIST_PAST_JUMP;
		return s->evidence.left ? HS_REASON_ICNT_PAST_JUMP : HS_REASON_NO_TARGET;
	default:
		return HS_REASON_INTERNAL;
	}
}

static enum hs_status walk_fault(struct hs_nt_decoder *d, const struct hs_nt_source *s)
{
	return nt_source_fault(d, s, walk_reason(s));
}

/* Standing at an uninferable jump with all evidence used? */
static bool at_jump(const struct hs_nt_source *s)
{
	return s->stop == FLOW_UNINFERABLE && s->evidence.left == 0 && s->evidence.bits == 0;
}

static bool is_environment(unsigned kind)
{
	return kind == HS_INSN_ECALL || kind == HS_INSN_EBREAK;
}

/* Is the next instruction an ecall or ebreak?  Some encoders do not count these as retired. */
static bool is_before_environment(const struct hs_nt_source *s)
{
	struct hs_insn insn;

	return hs_img_insn(s->track.table->image, flow_pc(&s->track.walk), &insn) == HS_OK &&
	       is_environment(insn.kind);
}

/* Did the custom instruction before the message jump?  Yes, if the message has no SYNC, since
 * nothing else asked for it, or a SYNC with an address that is not the next one (NT 10.1).  A
 * restart proves nothing. */
static bool changed_pc(const struct hs_nt_decoder *d, const struct hs_nt_source *s)
{
	if (!HAS(&d->msg, SYNC))
		return true;
	return !nt_is_restart((unsigned)GET(&d->msg, SYNC)) &&
	       nt_full_address(d, s) != flow_pc(&s->track.walk);
}

/* If the walk stands at a jump whose target the program gives, go there. */
static void pass_inferable(struct hs_nt_source *s, struct flow_out *out)
{
	if (at_jump(s) && flow_infer(&s->track.walk, s->track.table, out))
		s->stop = FLOW_DONE;
}

/* Close the block that an IndirectBranch of any form ends (NT 7.3, B-TYPE in NT 6.2).  *linear:
 * no jump or trap asked for the message, and the flow goes on at the next instruction. */
static enum hs_status close_indirect(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                     struct flow_out *out, bool *linear)
{
	const unsigned btype = (unsigned)GET(&d->msg, BTYPE);
	const unsigned kind = flow_last_kind(&s->track.walk, s->track.table);

	*linear = false;
	if (btype == 0 && at_jump(s)) {
		flow_close_jump(&s->track.walk, s->track.table, out);
		return HS_OK;
	}
	pass_inferable(s, out);
	if (s->stop != FLOW_DONE)
		return walk_fault(d, s);
	if (btype) {
		flow_close(&s->track.walk, s->track.table,
		           btype == 3 ? HS_ITYPE_INTERRUPT : HS_ITYPE_EXCEPTION, out);
		return HS_OK;
	}
	if (is_environment(kind)) {
		flow_close(&s->track.walk, s->track.table, HS_ITYPE_EXCEPTION, out);
		return HS_OK;
	}
	if (d->dialect->btype_zero && is_before_environment(s) && changed_pc(d, s)) {
		flow_close(&s->track.walk, s->track.table, HS_ITYPE_EXCEPTION, out);
		return HS_OK;
	}
	if (kind == HS_INSN_CUSTOM && changed_pc(d, s)) {
		flow_close(&s->track.walk, s->track.table, HS_ITYPE_JUMP_UNINF, out);
		return HS_OK;
	}
	*linear = HAS(&d->msg, SYNC); /* a synchronisation that no jump asked for */
	return *linear ? HS_OK : nt_source_fault(d, s, HS_REASON_ICNT_NOT_JUMP);
}

static void close_open(struct hs_nt_source *s, struct flow_out *out)
{
	const bool ecall = is_environment(flow_last_kind(&s->track.walk, s->track.table));

	if (flow_open(&s->track.walk))
		flow_close(&s->track.walk, s->track.table,
		           ecall ? HS_ITYPE_EXCEPTION : HS_ITYPE_NONE, out);
}

/* Go to the address at the end of the message.  @linear: as close_indirect() has it. */
static enum hs_status follow_address(struct hs_nt_decoder *d, struct hs_nt_source *s, bool linear,
                                   struct flow_out *out)
{
	const struct hs_nt_msg *m = &d->msg;

	if (HAS(m, UADDR)) {
		s->ref ^= nt_address_bits(d, s, HS_NTF_UADDR);
		stream_anchor(&d->stream, &s->track);
		flow_start(&s->track.walk, s->track.table, s->ref);
		return HS_OK;
	}
	const bool restart = nt_is_restart((unsigned)GET(m, SYNC));

	s->ref = nt_full_address(d, s);
	s->last_tcode = 0;
	flow_forget(&s->track.walk);
	s->calls_unseen = false;
	if (linear && restart) /* such as a reset: the flow ends, and begins elsewhere */
		close_open(s, out);
	else if (linear && flow_pc(&s->track.walk) != s->ref)
		return nt_source_fault(d, s, HS_REASON_FADDR_ELSEWHERE);
	nt_put_sync(d, s->ref, out);
	stream_synced(&s->track, m->offset);
	stream_anchor(&d->stream, &s->track);
	if (!linear || restart)
		flow_start(&s->track.walk, s->track.table, s->ref);
	return HS_OK;
}

static enum hs_status end_indirect(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                   struct flow_out *out)
{
	bool linear;
	const enum hs_status status = close_indirect(d, s, out, &linear);

	return status == HS_OK ? follow_address(d, s, linear, out) : status;
}

static enum hs_status end_correlation(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                      struct flow_out *out)
{
	if (at_jump(s))
		flow_close_jump(&s->track.walk, s->track.table, out);
	else if (s->stop != FLOW_DONE)
		return walk_fault(d, s);
	close_open(s, out);
	nt_put_event(out, HS_KIND_STOP, 0, (unsigned)GET(&d->msg, EVCODE));
	s->track.state = TRACK_OFF;
	return HS_OK;
}

/* ProgTraceSync while synchronised: trace restarts (NT 7.5), or a mark on the way. */
static enum hs_status end_sync(struct hs_nt_decoder *d, struct hs_nt_source *s,
                               struct flow_out *out)
{
	if (!nt_is_restart((unsigned)GET(&d->msg, SYNC))) {
		pass_inferable(s, out);
		if (s->stop != FLOW_DONE)
			return walk_fault(d, s);
		return follow_address(d, s, true, out);
	}
	if (at_jump(s))
		flow_close_jump(&s->track.walk, s->track.table, out);
	else if (s->stop != FLOW_DONE)
		return walk_fault(d, s);
	close_open(s, out);
	nt_source_sync(d, s, out);
	return HS_OK;
}

static enum hs_status end_direct_sync(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                      struct flow_out *out)
{
	pass_inferable(s, out);
	if (s->stop != FLOW_DONE && s->stop != FLOW_NOT_BRANCH)
		return walk_fault(d, s);
	return follow_address(d, s, true, out);
}

/* I-CNT of ResourceFull may end at a jump: the next message says whether its target is reported. */
static enum hs_status end_plain(struct hs_nt_decoder *d, struct hs_nt_source *s)
{
	if (s->evidence.mode == FLOW_HISTORY)
		s->icnt_used += FLOW_FAR - s->evidence.left;
	if (d->msg.tcode == HS_NT_RESOURCE_FULL && at_jump(s))
		return HS_OK;
	return s->stop == FLOW_DONE ? HS_OK : walk_fault(d, s);
}

enum hs_status nt_end(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	switch (d->msg.tcode) {
	case HS_NT_INDIRECT_BRANCH:
	case HS_NT_INDIRECT_BRANCH_SYNC:
	case HS_NT_INDIRECT_BRANCH_HIST:
	case HS_NT_INDIRECT_BRANCH_HIST_SYNC:
		return end_indirect(d, s, out);
	case HS_NT_PROG_TRACE_CORRELATION:
		return end_correlation(d, s, out);
	case HS_NT_PROG_TRACE_SYNC:
		return end_sync(d, s, out);
	case HS_NT_DIRECT_BRANCH_SYNC:
		return end_direct_sync(d, s, out);
	default:
		return end_plain(d, s);
	}
}
