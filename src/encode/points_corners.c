/* Points of coverage: corner cases that the texts name. */
#include <string.h>

#include "encode/points_private.h"

typedef bool corner_fn(const struct point_stream *stream, const struct point_past *past,
                       const struct hs_message *m);

struct corner {
	const char *name, *clause, *text;
	corner_fn *is;
};

#define CORNER(name) \
	static bool name(const struct point_stream *stream, const struct point_past *past, \
	                 const struct hs_message *m)
#define UNUSED (void)stream, (void)past, (void)m

static bool has(const struct hs_message *m, const char *field, uint64_t value)
{
	uint64_t v;

	return points_field(m, field, &v) && v == value;
}

static bool holds(const struct hs_message *m, const char *field)
{
	uint64_t v;

	return points_field(m, field, &v);
}

/* The message before it, of its source. */
static bool follows(const struct point_past *past, unsigned code)
{
	return past->count && past->last.code == code;
}

static void put_corners(struct points *p, const struct corner *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct point *q =
			points_put(p, "corner", POINT_CORNER, c[i].clause, "corner.%s", c[i].name);

		if (!q)
			return;
		q->text = c[i].text;
		q->corner = c[i].is;
	}
}

/* ---- both ------------------------------------------------------------------------- */

CORNER(idle_between)
{
	UNUSED;
	return stream->any && m->offset > stream->end;
}

CORNER(sources_alternate)
{
	UNUSED;
	return stream->any && m->has_source && m->source != stream->source;
}

/* ---- N-Trace ---------------------------------------------------------------------- */

static bool is_trap(const struct hs_message *m)
{
	uint64_t btype;

	return points_field(m, "B-TYPE", &btype) && btype != 0;
}

static bool is_jump(const struct hs_message *m)
{
	return has(m, "B-TYPE", 0);
}

static bool is_start(const struct point_past *past)
{
	return follows(past, HS_NT_PROG_TRACE_SYNC) && has(&past->last, "I-CNT", 0);
}

CORNER(error_then_sync)
{
	UNUSED;
	return follows(past, HS_NT_ERROR) && has(m, "SYNC", 7);
}

CORNER(both_full)
{
	UNUSED;
	return follows(past, HS_NT_RESOURCE_FULL) && m->code == HS_NT_RESOURCE_FULL &&
	       has(&past->last, "RCODE", 0) && !has(m, "RCODE", 0);
}

CORNER(full_then_full)
{
	UNUSED;
	return follows(past, HS_NT_RESOURCE_FULL) && m->code == HS_NT_RESOURCE_FULL &&
	       has(&past->last, "RCODE", 1) && has(m, "RCODE", 1);
}

CORNER(jumps_back_to_back)
{
	uint64_t icnt;

	UNUSED;
	return past->count && is_jump(&past->last) && is_jump(m) &&
	       points_field(m, "I-CNT", &icnt) && icnt <= 2;
}

CORNER(traps_back_to_back)
{
	UNUSED;
	return past->count && is_trap(&past->last) && is_trap(m) && has(m, "I-CNT", 0);
}

CORNER(exception_first)
{
	UNUSED;
	return is_start(past) && (has(m, "B-TYPE", 2) || has(m, "B-TYPE", 1)) && has(m, "I-CNT", 0);
}

CORNER(interrupt_first)
{
	UNUSED;
	return is_start(past) && (has(m, "B-TYPE", 3) || has(m, "B-TYPE", 1)) && has(m, "I-CNT", 0);
}

CORNER(starts_disabled)
{
	UNUSED;
	return !past->count && m->code == HS_NT_PROG_TRACE_CORRELATION && has(m, "EVCODE", 4);
}

CORNER(debug_while_off)
{
	UNUSED;
	return follows(past, HS_NT_PROG_TRACE_CORRELATION) &&
	       m->code == HS_NT_PROG_TRACE_CORRELATION && has(m, "EVCODE", 0) && has(m, "I-CNT", 0);
}

CORNER(enable_after_disable)
{
	UNUSED;
	return past->count && has(&past->last, "EVCODE", 4) && has(m, "SYNC", 5);
}

CORNER(resume_after_debug)
{
	UNUSED;
	return past->count && has(&past->last, "EVCODE", 0) && has(m, "SYNC", 3);
}

CORNER(power_up_after_down)
{
	UNUSED;
	return past->count && has(&past->last, "EVCODE", 1) && has(m, "SYNC", 9);
}

CORNER(stop_at_once)
{
	UNUSED;
	return is_start(past) && m->code == HS_NT_PROG_TRACE_CORRELATION && has(m, "I-CNT", 0);
}

CORNER(trap_after_xret)
{
	UNUSED;
	return past->count && holds(&past->last, "SYNC") && is_jump(&past->last) &&
	       holds(m, "SYNC") && is_trap(m);
}

CORNER(ownership_after_sync)
{
	UNUSED;
	return m->code == HS_NT_OWNERSHIP && past->count && holds(&past->last, "SYNC");
}

CORNER(both_contexts)
{
	uint64_t last = 0, now = 0;

	UNUSED;
	return m->code == HS_NT_OWNERSHIP && follows(past, HS_NT_OWNERSHIP) &&
	       points_field(&past->last, "PROCESS", &last) && points_field(m, "PROCESS", &now) &&
	       (last & 3) == 3 && (now & 3) == 2;
}

CORNER(repeat_then_branch)
{
	UNUSED;
	return follows(past, HS_NT_REPEAT_BRANCH) && m->code != HS_NT_REPEAT_BRANCH;
}

CORNER(empty_history)
{
	UNUSED;
	return m->code == HS_NT_INDIRECT_BRANCH && past->count &&
	       (past->last.code == HS_NT_INDIRECT_BRANCH_HIST ||
	        past->before == HS_NT_INDIRECT_BRANCH_HIST);
}

CORNER(time_absolute)
{
	UNUSED;
	return holds(m, "TSTAMP") && holds(m, "SYNC");
}

CORNER(time_relative)
{
	UNUSED;
	return holds(m, "TSTAMP") && !holds(m, "SYNC");
}

CORNER(time_same)
{
	UNUSED;
	return has(m, "TSTAMP", 0) && !holds(m, "SYNC");
}

static const struct corner ntrace[] = {
	{ "error-then-sync-7", "NT 7.4", "Error, then a synchronisation with SYNC 7",
	  error_then_sync },
	{ "icnt-and-hist-full", "NT 7.8", "both counters are full: two ResourceFull", both_full },
	{ "hist-full-twice", "NT 8.3.1", "two full histories, one after the other",
	  full_then_full },
	{ "jumps-back-to-back", "NT 8.6", "a jump or return right after another one",
	  jumps_back_to_back },
	{ "traps-back-to-back", "NT 8.6", "a trap before an instruction of the handler retired",
	  traps_back_to_back },
	{ "exception-first", "NT 8.6", "an exception at the first instruction traced",
	  exception_first },
	{ "interrupt-first", "NT 8.6", "a pending interrupt where the trace starts",
	  interrupt_first },
	{ "starts-disabled", "NT 8.6", "the trace begins with ProgTraceCorrelation, EVCODE 4",
	  starts_disabled },
	{ "debug-while-off", "NT 8.6", "debug mode while the trace is off", debug_while_off },
	{ "enable-after-disable", "NT 8.5", "EVCODE 4, then SYNC 5", enable_after_disable },
	{ "resume-after-debug", "NT 8.5", "EVCODE 0, then SYNC 3", resume_after_debug },
	{ "power-up-after-down", "NT 8.5", "EVCODE 1, then SYNC 9", power_up_after_down },
	{ "stop-at-once", "NT 7.12", "the trace stops before an instruction retired",
	  stop_at_once },
	{ "trap-after-xret", "NT 1.0 8.6", "a trap right after a trap return: two synchronisations",
	  trap_after_xret },
	{ "ownership-after-sync", "NT 7.1", "Ownership right after a synchronisation",
	  ownership_after_sync },
	{ "both-contexts", "NT 7.1", "Ownership of hcontext, then that of scontext",
	  both_contexts },
	{ "repeat-then-branch", "NT 7.11", "another message ends a run of equal branches",
	  repeat_then_branch },
	{ "branch-without-history", "NT 10",
	  "HTM: IndirectBranch, as the history is empty, near IndirectBranchHist", empty_history },
	{ "time-absolute", "NT 8.7", "an absolute TSTAMP", time_absolute },
	{ "time-relative", "NT 8.7", "a relative TSTAMP", time_relative },
	{ "time-same", "NT 8.7", "a relative TSTAMP of 0", time_same },
	{ "idle-between", "NT 3.1", "idle bytes between two messages", idle_between },
	{ "sources-alternate", "NT 3.2", "the next message is another source's",
	  sources_alternate },
};

void points_ntrace_corners(struct points *p)
{
	put_corners(p, ntrace, sizeof(ntrace) / sizeof(*ntrace));
}

/* ---- E-Trace ---------------------------------------------------------------------- */

CORNER(start_after_support)
{
	UNUSED;
	return follows(past, HS_ET_FORM_SUPPORT) && m->code == HS_ET_FORM_START;
}

CORNER(start_after_loss)
{
	UNUSED;
	return follows(past, HS_ET_FORM_SUPPORT) && has(&past->last, "qual_status", 2) &&
	       (m->code == HS_ET_FORM_START || m->code == HS_ET_FORM_TRAP);
}

CORNER(restart)
{
	UNUSED;
	return past->count > 1 && follows(past, HS_ET_FORM_SUPPORT) &&
	       !has(&past->last, "qual_status", 2) && m->code == HS_ET_FORM_START;
}

CORNER(options_change)
{
	UNUSED;
	return past->count && m->code == HS_ET_FORM_SUPPORT && has(m, "ienable", 1) &&
	       past->last.code != HS_ET_FORM_SUPPORT;
}

CORNER(traps_in_a_row)
{
	UNUSED;
	return follows(past, HS_ET_FORM_TRAP) && m->code == HS_ET_FORM_TRAP;
}

CORNER(trap_without_handler)
{
	UNUSED;
	return follows(past, HS_ET_FORM_TRAP) && has(&past->last, "thaddr", 0) &&
	       m->code == HS_ET_FORM_TRAP;
}

CORNER(trap_first)
{
	UNUSED;
	return follows(past, HS_ET_FORM_START) && m->code == HS_ET_FORM_TRAP;
}

CORNER(resynchronised)
{
	UNUSED;
	return past->count && past->last.code != HS_ET_FORM_SUPPORT && m->code == HS_ET_FORM_START;
}

CORNER(start_twice)
{
	UNUSED;
	return follows(past, HS_ET_FORM_START) && m->code == HS_ET_FORM_START;
}

CORNER(long_run)
{
	UNUSED;
	return follows(past, HS_ET_FORM_BRANCH) && m->code == HS_ET_FORM_BRANCH &&
	       has(&past->last, "branches", 0) && has(m, "branches", 0);
}

CORNER(context_then_address)
{
	UNUSED;
	return follows(past, HS_ET_FORM_CONTEXT) && m->code == HS_ET_FORM_ADDRESS;
}

CORNER(updiscon_then_sync)
{
	UNUSED;
	return past->count && has(&past->last, "updiscon", 1) &&
	       (m->code == HS_ET_FORM_START || m->code == HS_ET_FORM_TRAP);
}

CORNER(first_is_branch)
{
	UNUSED;
	return m->code == HS_ET_FORM_START && has(m, "branch", 0);
}

CORNER(prediction_fails)
{
	UNUSED;
	return m->code == HS_ET_FORM_BRANCH && follows(past, HS_ET_FORM_BRANCH_COUNT);
}

static const struct corner etrace[] = {
	{ "start-after-support", "ET Format 3 subformat 3", "support, then a synchronisation",
	  start_after_support },
	{ "start-after-loss", "ET Format 3 subformat 3",
	  "support with trace_lost, then a synchronisation", start_after_loss },
	{ "restart", "ET Format 3 subformat 3", "the trace stops and starts again", restart },
	{ "options-change", "ET Format 3 subformat 3", "support while the trace is on",
	  options_change },
	{ "traps-in-a-row", "ET Format 3 subformat 1", "a trap right after a trap",
	  traps_in_a_row },
	{ "trap-without-handler", "ET Format 3 thaddr",
	  "a trap before an instruction of the handler retired", trap_without_handler },
	{ "trap-first", "ET Format 3 subformat 1", "a trap right after a synchronisation",
	  trap_first },
	{ "resynchronised", "ET Format 3 subformat 0", "a synchronisation while the trace is on",
	  resynchronised },
	{ "start-twice", "ET Format 3 subformat 0", "a synchronisation right after another one",
	  start_twice },
	{ "branches-62", "ET Format 1 packets", "two full maps of 31 branches, one after the other",
	  long_run },
	{ "context-then-address", "ET Format 3 subformat 2", "a new context, then an address",
	  context_then_address },
	{ "updiscon-then-sync", "ET Format 2 updiscon",
	  "updiscon differs, and a synchronisation or trap is next", updiscon_then_sync },
	{ "start-at-taken-branch", "ET Format 3 subformat 0",
	  "the first instruction is a taken branch", first_is_branch },
	{ "predictions-then-map", "ET Format 0 packets",
	  "correct predictions, then branches as a map", prediction_fails },
	{ "null-between", "EE Null Encapsulation", "bytes without a packet between two packets",
	  idle_between },
	{ "sources-alternate", "EE srcID", "the next packet is another source's",
	  sources_alternate },
};

void points_etrace_corners(struct points *p)
{
	put_corners(p, etrace, sizeof(etrace) / sizeof(*etrace));
}
