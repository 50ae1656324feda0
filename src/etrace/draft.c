/* What packets of the draft 0.026 leave to the next packet (PT 5, PT 6; design/et-draft).
 *
 * An address does not say whether the flow reached it in order or by a jump, nor whether its
 * instruction retired or raised an exception.  The next packet decides: one of formats 0 to 2 comes
 * only after a jump's target; else the address is where the flow first reaches it, and an ambiguity
 * is marked.  With context_mark, one context packet right after it says that the instruction
 * retired and was a jump's target; two say that a jump led there and the instruction raised an
 * exception.
 */
#include "etrace/place.h"
#include "core/image.h"

static void note_ambiguity(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	struct hs_block *b = stream_put_event(out, HS_KIND_NOTE);

	b->arg = HS_NOTE_AMBIGUOUS;
	b->value = s->address;
	d->stats.ambiguous++;
}

void et_draft_settle(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	if (et_is_draft(d) && !d->config.context_mark && s->inferred) {
		if (path_meets_again(&s->track.walk, s->track.table, s->address))
			note_ambiguity(d, s, out);
		flow_refresh(&s->track.walk, s->track.table);
	}
	s->inferred = false;
}

bool et_draft_may_go_on(const struct hs_et_decoder *d, const struct hs_et_source *s)
{
	return !et_is_draft(d) || d->config.context_mark ||
	       path_meets_again(&s->track.walk, s->track.table, s->address);
}

/* May the instruction that the last packet named not have retired? */
static bool may_be_unretired(const struct hs_et_source *s)
{
	return s->landed == ET_LANDED_TARGET_TRAPPED || s->landed == ET_LANDED_JUMP ||
	       s->landed == ET_LANDED_START || s->landed == ET_LANDED_TRAP;
}

/* The instruction that the walk stands after did not retire. */
static void undo_landing(struct hs_et_source *s)
{
	s->path.bits = 0;
	s->path.predicted = 0;
	s->path.failed = 0;
	s->track.walk.pc = s->address;
	s->track.walk.cur = HS_BB_NOCODE;
	s->track.walk.acc = 0;
	s->track.walk.off = 0;
}

bool et_draft_unretired(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	if (!et_is_draft(d) || !may_be_unretired(s))
		return false;
	if (d->config.context_mark)
		undo_landing(s);
	else
		note_ambiguity(d, s, out);
	s->landed = ET_LANDED_NOT;
	return d->config.context_mark;
}

void et_draft_lose(const struct hs_et_decoder *d, struct hs_et_source *s)
{
	if (et_is_draft(d) && may_be_unretired(s))
		undo_landing(s);
	s->landed = ET_LANDED_NOT;
}

void et_draft_close(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	if (!et_is_draft(d) || s->track.state != TRACK_SYNCED)
		return;
	if (s->landed == (d->config.context_mark ? ET_LANDED_TRAP : ET_LANDED_JUMP))
		undo_landing(s);
	else
		et_draft_settle(d, s, out);
}

/* Is the last instruction a direct jump to another place? */
static bool leads_elsewhere(const struct hs_et_source *s, uint64_t addr)
{
	const unsigned kind = flow_last_kind(&s->track.walk, s->track.table);
	uint64_t next;

	return (kind == HS_INSN_JUMP || kind == HS_INSN_CALL) &&
	       hs_bb_target(s->track.table, s->track.walk.cur, &next) == HS_OK && next != addr;
}

/* Programs fill their table of handlers when they start: the image may have other jumps there
 * (trdb). */
bool et_draft_vector(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	const uint64_t addr = et_times_lsb(&d->config, d->packet.field[HS_ETF_ADDRESS]);

	if (!et_is_draft(d) || !d->config.vector_sync || s->landed != ET_LANDED_TRAP ||
	    !leads_elsewhere(s, addr))
		return false;
	flow_close(&s->track.walk, s->track.table, HS_ITYPE_JUMP_UNINF, out);
	return true;
}

/* What a context packet makes of what the packet before it named (design/et-draft). */
static const struct after_context {
	uint8_t landed;
	bool jumped; /* it says that a jump led from there to the same address */
} after_context[] = {
	[ET_LANDED_NOT] = { ET_LANDED_NOT, false },
	[ET_LANDED_BRANCH] = { ET_LANDED_BRANCH_MARKED, false },
	[ET_LANDED_BRANCH_MARKED] = { ET_LANDED_TARGET_TRAPPED, true },
	[ET_LANDED_TARGET_RETIRED] = { ET_LANDED_TARGET_TRAPPED, false },
	[ET_LANDED_TARGET_TRAPPED] = { ET_LANDED_NOT, false },
	[ET_LANDED_JUMP] = { ET_LANDED_TARGET_RETIRED, false },
	[ET_LANDED_START] = { ET_LANDED_NOT, false },
	[ET_LANDED_TRAP] = { ET_LANDED_NOT, false },
};

enum hs_status et_draft_context(struct hs_et_decoder *d, struct hs_et_source *s,
                                struct flow_out *out)
{
	const struct after_context *after = &after_context[s->landed];

	if (s->track.state != TRACK_SYNCED && s->track.state != TRACK_TRAPPED)
		return HS_OK;
	if ((s->inferred || after->jumped) && d->config.context_mark) {
		s->phase = ET_AGAIN;
		const enum hs_status status = et_walk_again(d, s, out);

		if (status != HS_OK)
			return status;
	}
	s->landed = after->jumped ? after->landed : after_context[s->landed].landed;
	if (s->landed == ET_LANDED_BRANCH_MARKED) /* the mode may be that after the jump */
		return HS_OK;
	et_apply_context(d, s, out);
	return HS_OK;
}
