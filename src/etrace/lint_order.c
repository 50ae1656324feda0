/* Lint: packets in the order of their source. */
#include "etrace/lint.h"

#include "core/mem.h"
#include "etrace/et_standard.h"

struct hs_et_lint_source *et_lint_source(struct hs_et_lint *l)
{
	const struct hs_et_resolved *c = &l->reader.config;
	struct hs_et_lint_source *s = l->sources;

	if (c->src_bits && c->src_id && l->packet.src != c->src_id)
		et_lint_value(l, HS_ET_FIND_SRC_UNEXPECTED, l->packet.src);
	while (s < l->sources + l->count && s->src != l->packet.src)
		s++;
	if (s < l->sources + l->count)
		return s;
	if (l->count == l->capacity) {
		et_lint_value(l, HS_ET_FIND_SRC_MEMORY, l->packet.src);
		return NULL;
	}
	l->count++;
	memset(s, 0, sizeof *s);
	s->src = l->packet.src;
	s->options = l->options;
	s->state = l->damaged ? ET_LINT_UNKNOWN : ET_LINT_NEW;
	return s;
}

/* ---- frames ----------------------------------------------------------------------- */

/* Is @now before @then?  Counters of @bits wrap. */
static bool goes_back(uint64_t then, uint64_t now, unsigned bits)
{
	return (now - then) & et_ones(bits) & (uint64_t)1 << (bits - 1);
}

/* Where payloads have a longer time, that of a frame goes on only (ET Timestamping). */
static bool is_partial(const struct hs_et_lint *l)
{
	return l->reader.config.time_width > 8u * l->reader.config.tstamp_bytes;
}

static void check_tstamp(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	const unsigned bytes = l->reader.config.tstamp_bytes;
	const bool has = l->buffer[0] & 0x80;

	if (has && !bytes)
		et_lint_packet(l, HS_ET_FIND_EXTEND);
	if (!bytes)
		return;
	if (!has) {
		et_lint_packet(l, HS_ET_FIND_TSTAMP_ABSENT);
		return;
	}
	if (s->stamped && !is_partial(l) && goes_back(s->tstamp, l->packet.tstamp, 8 * bytes))
		et_lint_value(l, HS_ET_FIND_TSTAMP_BACK, l->packet.tstamp);
	s->stamped = true;
	s->tstamp = l->packet.tstamp;
}

void et_lint_frame(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	const uint8_t flow = l->buffer[0] >> 5 & 3u;

	s->offset = l->packet.offset;
	if (!et_encapsulated(l->reader.config.wire.frame))
		return;
	check_tstamp(l, s);
	if (s->seen && s->flow != flow)
		et_lint_value(l, HS_ET_FIND_FLOW_VARIES, flow);
	s->seen = true;
	s->flow = flow;
}

/* ---- support packets ---------------------------------------------------------------- */

/* The fields of a support packet as one number. */
static uint64_t support_word(const struct hs_et_lint *l)
{
	return et_lint_get(l, HS_ETF_IENABLE) | et_lint_get(l, HS_ETF_ENCODER_MODE) << 1 |
	       et_lint_get(l, HS_ETF_DENABLE) << 4 | et_lint_get(l, HS_ETF_IOPTIONS) << 8 |
	       et_lint_get(l, HS_ETF_DOPTIONS) << 32 |
	       (uint64_t)hs_et_standard_said(&l->packet) << 32;
}

static void check_end(struct hs_et_lint *l, struct hs_et_lint_source *s, bool ntr)
{
	if (s->state == ET_LINT_NEW || s->state == ET_LINT_OFF)
		et_lint_field(l, HS_ET_FIND_ENDED_OFF, HS_ETF_QUAL_STATUS);
	else if (s->state == ET_LINT_ON && !s->addressed)
		et_lint_field(l, HS_ET_FIND_ENDED_NO_ADDRESS, HS_ETF_QUAL_STATUS);
	else if (s->state == ET_LINT_ON && ntr && s->updiscon)
		et_lint_field(l, HS_ET_FIND_ENDED_NTR, HS_ETF_QUAL_STATUS);
	s->state = ET_LINT_OFF;
}

static void check_changes(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	const uint64_t word = support_word(l), options = ~(uint64_t)0x11; /* not ienable, denable */
	const bool known = s->supported && s->state != ET_LINT_UNKNOWN;

	if (known && word == s->support && et_lint_get(l, HS_ETF_QUAL_STATUS) == HS_ET_NO_CHANGE &&
	    !et_lint_get(l, HS_ETF_DLOSS))
		et_lint_packet(l, HS_ET_FIND_SUPPORT_SAME);
	if (known && s->state == ET_LINT_ON && (word & options) != (s->support & options))
		et_lint_field(l, HS_ET_FIND_OPTIONS_CHANGE,
		              et_is_standard(&l->reader.config) ? HS_ETF_SIJUMP : HS_ETF_IOPTIONS);
	s->support = word;
	s->supported = true;
}

static void take_loss(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	if (s->state == ET_LINT_LOST)
		et_lint_field(l, HS_ET_FIND_LOST_OFF, HS_ETF_QUAL_STATUS);
	s->state = ET_LINT_LOST;
}

/* The encoder is disabled, and qual_status does not say that tracing ended.  0.026: said twice, it
 * reports a loss (design/et-draft), so that only the next packet shows what the first one is. */
static void take_disabled(struct hs_et_lint *l, struct hs_et_lint_source *s, bool again)
{
	if (!et_lint_draft(l)) {
		if (s->state == ET_LINT_ON)
			et_lint_field(l, HS_ET_FIND_IENABLE_0, HS_ETF_IENABLE);
	} else if (again) {
		take_loss(l, s);
	} else {
		s->paused = true;
		s->paused_at = l->packet.offset;
	}
}

static void end_pause(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	if (s->paused && s->state == ET_LINT_ON)
		et_lint_byte(l, HS_ET_FIND_IENABLE_0, s->paused_at, 0);
	s->paused = false;
}

static void take_support(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	const uint64_t qual = et_lint_get(l, HS_ETF_QUAL_STATUS);
	const bool disabled = !et_lint_get(l, HS_ETF_IENABLE);
	const bool again = s->paused && disabled && qual == HS_ET_NO_CHANGE;

	check_changes(l, s);
	s->disabled = disabled;
	if (again)
		s->paused = false;
	end_pause(l, s);
	switch (qual) {
	case HS_ET_NO_CHANGE:
		if (disabled)
			take_disabled(l, s, again);
		break;
	case HS_ET_TRACE_LOST:
		take_loss(l, s);
		break;
	default:
		check_end(l, s, qual == HS_ET_ENDED_NTR);
		break;
	}
}

/* ---- all packets -------------------------------------------------------------------- */

static bool is_sync(const struct hs_et_lint *l)
{
	return l->packet.form == HS_ET_FORM_START || l->packet.form == HS_ET_FORM_TRAP;
}

/* A packet of program flow or of a context, where none may be. */
static void check_state(struct hs_et_lint *l, const struct hs_et_lint_source *s)
{
	const bool context = l->packet.form == HS_ET_FORM_CONTEXT;

	switch (s->state) {
	case ET_LINT_NEW:
		et_lint_packet(l, context ? HS_ET_FIND_CONTEXT_OFF : HS_ET_FIND_FIRST_NOT_SYNC);
		break;
	case ET_LINT_OFF:
		et_lint_packet(l, context ? HS_ET_FIND_CONTEXT_OFF : HS_ET_FIND_FLOW_OFF);
		break;
	case ET_LINT_LOST:
		et_lint_packet(l, HS_ET_FIND_LOST_NO_SYNC);
		break;
	default:
		break;
	}
}

/* What the packet before asked for. */
static void check_owed(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	const bool format_3 = is_sync(l) || l->packet.form == HS_ET_FORM_SUPPORT ||
	                      l->packet.form == HS_ET_FORM_CONTEXT;

	if (s->expected == ET_LINT_EXPECTS_FORMAT_3 && !format_3)
		et_lint_packet(l, HS_ET_FIND_UPDISCON_NO_SYNC);
	if (s->expected == ET_LINT_EXPECTS_SYNC && !format_3)
		et_lint_packet(l, HS_ET_FIND_TRAP_NO_SYNC);
	if (!(s->expected == ET_LINT_EXPECTS_SYNC && l->packet.form == HS_ET_FORM_CONTEXT))
		s->expected = ET_LINT_EXPECTS_NOTHING;
}

static void check_interval(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	const struct hs_et_resolved *c = &l->reader.config;
	const uint64_t most = (uint64_t)2 << (c->sync_max + 4);

	s->packets++;
	if (c->sync_mode == HS_ET_SYNC_PACKETS && s->state == ET_LINT_ON && s->packets == most + 1)
		et_lint_value(l, HS_ET_FIND_SYNC_INTERVAL, s->packets);
}

static void take_sync(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	if (!s->supported && s->state == ET_LINT_NEW && !l->reader.config.wire.arrivals)
		et_lint_packet(l, HS_ET_FIND_SUPPORT_MISSING);
	s->supported = true; /* said once */
	s->state = ET_LINT_ON;
	s->packets = 0;
	s->addressed = true;
	if (l->packet.form == HS_ET_FORM_TRAP && !et_lint_draft(l) &&
	    !et_lint_get(l, HS_ETF_THADDR))
		s->expected = ET_LINT_EXPECTS_SYNC;
}

static void take_flow(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	check_state(l, s);
	check_interval(l, s);
	s->addressed = et_lint_has(l, HS_ETF_ADDRESS) || l->packet.form == HS_ET_FORM_INDEX;
	if (et_lint_get(l, HS_ETF_UPDISCON))
		s->expected = ET_LINT_EXPECTS_FORMAT_3;
}

void et_lint_order(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	const bool disabled = s->disabled && s->state != ET_LINT_UNKNOWN;

	check_owed(l, s);
	if (disabled && l->packet.form != HS_ET_FORM_SUPPORT &&
	    l->packet.form != HS_ET_FORM_DISCOVERY)
		et_lint_packet(l, HS_ET_FIND_DISABLED);
	et_lint_context(l, s);
	if (l->packet.form != HS_ET_FORM_SUPPORT)
		end_pause(l, s);
	switch (l->packet.form) {
	case HS_ET_FORM_SUPPORT:
		take_support(l, s);
		break;
	case HS_ET_FORM_START:
	case HS_ET_FORM_TRAP:
		take_sync(l, s);
		break;
	case HS_ET_FORM_CONTEXT:
		check_state(l, s);
		break;
	case HS_ET_FORM_DISCOVERY:
		break;
	default:
		take_flow(l, s);
		break;
	}
	s->updiscon = et_lint_get(l, HS_ETF_UPDISCON);
}

void et_lint_order_end(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	end_pause(l, s);
	if (s->state == ET_LINT_ON && !l->reader.config.wire.arrivals &&
	    (l->reader.config.wire.support || !et_lint_draft(l)))
		et_lint_byte(l, HS_ET_FIND_NOT_STOPPED, s->offset, s->src);
}
