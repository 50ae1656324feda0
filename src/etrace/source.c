/* Packets of one source to blocks (ET Decoder). */
#include "etrace/careful.h"
#include "etrace/place.h"

#include "etrace/et_decoder.h"
#include "etrace/memory.h"
#include "etrace/et_standard.h"

void et_source_init(struct hs_et_decoder *d, struct hs_et_source *s)
{
	if (et_is_standard(&d->config))
		et_standard_take(&d->config, d->given);
	et_init_tables(d, s);
	s->path.tables = &s->tables;
	s->track.state = TRACK_OFF;
	s->options = d->given;
	et_trust_begin(s);
	s->priv = HS_PRIV_UNKNOWN;
}

/* map_ahead: the last map, and the instruction that its packet named, + 1; 0: another packet came
 * since. */
static void note_map(const struct hs_et_decoder *d, struct hs_et_source *s)
{
	const bool mapped =
		d->packet.form == HS_ET_FORM_BRANCH && hs_et_has(&d->packet, HS_ETF_ADDRESS);

	s->path.called = mapped ? et_full_address(d, HS_ETF_ADDRESS) + 1 : 0;
}

static enum hs_status dispatch(struct hs_et_decoder *d, struct hs_et_source *s,
                               struct flow_out *out)
{
	if (d->config.wire.arrivals && d->packet.form <= HS_ET_FORM_ADDRESS)
		return et_arrive_flow(d, s, out);
	switch (d->packet.form) {
	case HS_ET_FORM_START:
		if (s->unfit) /* since its support packet, which was a fault */
			break;
		return d->config.wire.arrivals ? et_arrive_start(d, s, out)
		                               : et_follow_start(d, s, out);
	case HS_ET_FORM_TRAP:
		if (s->unfit)
			break;
		return et_follow_trap(d, s, out);
	case HS_ET_FORM_SUPPORT:
		return et_follow_support(d, s, out);
	case HS_ET_FORM_DISCOVERY: /* says nothing of the flow */
		return HS_OK;
	case HS_ET_FORM_CONTEXT:
		if (et_is_draft(d))
			return et_draft_context(d, s, out);
		if (s->track.state == TRACK_SYNCED || s->track.state == TRACK_TRAPPED)
			et_apply_context(d, s, out);
		return HS_OK;
	default:
		break;
	}
	if (s->track.state == TRACK_SYNCED || s->track.state == TRACK_TRAPPED)
		return et_follow_flow(d, s, out);
	d->stats.skipped++;
	et_trust_skip(s, d->packet.offset);
	return HS_OK;
}

enum hs_status et_source_run(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	if (d->config.version == HS_ET_FAST)
		return et_fast_run(d, s, out);
	s->disabled = s->disabled && d->packet.form == HS_ET_FORM_SUPPORT;
	if (s->track.state == TRACK_SYNCED) /* another source may have filled the table */
		path_refresh(&s->track.walk, s->track.table, &s->path);
	if (s->phase == ET_FRESH) /* a loop that packets report is no circle */
		s->path.jumps.without_branch = 0;
	const bool unseen = s->track.state == TRACK_UNSEEN && !et_resume_again(d, s, out);
	const enum hs_status status = unseen ? et_pass_unseen(d, s, out) : dispatch(d, s, out);

	if (status != HS_FULL && d->config.wire.map_ahead)
		note_map(d, s);
	if (status == HS_OK)
		s->phase = ET_FRESH;
	return status;
}

void et_source_sync(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	const unsigned form = d->packet.form;
	uint64_t addr = et_full_address(d, HS_ETF_ADDRESS);

	if (d->config.version == HS_ET_FAST)
		return;
	if (form != HS_ET_FORM_START && form != HS_ET_FORM_TRAP)
		return;
	if (form == HS_ET_FORM_TRAP && (et_gives_trap_only(d) || !et_handler_of(d, &addr)))
		return;
	et_start(d, s, out, addr); /* without code there the source stays lost */
}

/* The same branches known and not followed, the same calls? */
static bool same_path(const struct hs_path *a, const struct hs_path *b)
{
	return a->bits == b->bits && (!a->bits || a->hist == b->hist) &&
	       a->predicted == b->predicted && a->failed == b->failed &&
	       a->calls_unseen == b->calls_unseen && a->states_unseen == b->states_unseen;
}

bool hs_et_source_same(const struct hs_et_decoder *d, const struct hs_et_source *a,
                       const struct hs_et_source *b)
{
	(void)d;
	return stream_same_track(&a->track, &b->track) && same_path(&a->path, &b->path) &&
	       a->tables.count == b->tables.count && a->tables.top == b->tables.top &&
	       a->phase == ET_FRESH && b->phase == ET_FRESH && a->address == b->address &&
	       a->context == b->context && a->priv == b->priv && a->mode == b->mode &&
	       a->options == b->options && a->unfit == b->unfit && a->restarts == b->restarts &&
	       a->changed == b->changed && a->inferred == b->inferred &&
	       a->contexted == b->contexted && a->landed == b->landed && a->own == b->own;
}
