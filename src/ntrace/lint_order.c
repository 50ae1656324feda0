/* Lint: messages of one source in their order (NT 7, 8.5, 8.6). */
#include "ntrace/lint.h"

#include "core/mem.h"

#define HAS(m, f) hs_nt_has(m, HS_NTF_##f)
#define GET(m, f) ((m)->field[HS_NTF_##f])

/* SYNC codes (NT Table 25) and EVCODE (NT Table 23) with rules of their own. */
enum { SYNC_DEBUG_EXIT = 3, SYNC_COUNTER = 4, SYNC_ENABLE = 5, SYNC_OVERRUN = 7 };
enum { EVCODE_DEBUG = 0, EVCODE_DISABLED = 4 };

static struct hs_nt_lint_source *source_of(struct hs_nt_lint *l, unsigned src)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->sources[i].src == src)
			return &l->sources[i];
	if (l->count == l->capacity || l->count == UINT16_MAX)
		return NULL;
	struct hs_nt_lint_source *s = &l->sources[l->count++];

	memset(s, 0, sizeof *s);
	s->src = (uint16_t)src;
	s->mode = l->config.inst_mode;
	return s;
}

/* ---- state ---------------------------------------------------------------------- */

/* SYNC of a message while the trace is on. */
static void sync_while_on(struct hs_nt_lint *l, unsigned sync)
{
	if (sync == SYNC_DEBUG_EXIT)
		nt_lint_field(l, HS_NT_FIND_SYNC_3_ON, HS_NTF_SYNC);
	else if (sync == SYNC_ENABLE)
		nt_lint_field(l, HS_NT_FIND_SYNC_5_ON, HS_NTF_SYNC);
	else if (sync == SYNC_OVERRUN)
		nt_lint_field(l, HS_NT_FIND_SYNC_7_ALONE, HS_NTF_SYNC);
}

/* SYNC of a message that starts the trace again (NT 8.5, Table 26). */
static void sync_while_off(struct hs_nt_lint *l, const struct hs_nt_lint_source *s, unsigned sync)
{
	if (sync == 0 || sync == 2 || sync == SYNC_COUNTER || sync == 6)
		nt_lint_field(l, HS_NT_FIND_RESTART_REASON, HS_NTF_SYNC);
	else if (sync == SYNC_DEBUG_EXIT && s->evcode != EVCODE_DEBUG)
		nt_lint_field(l, HS_NT_FIND_SYNC_3_NOT_DEBUG, HS_NTF_SYNC);
	else if (sync == SYNC_ENABLE && s->evcode == EVCODE_DEBUG)
		nt_lint_field(l, HS_NT_FIND_SYNC_5_DEBUG, HS_NTF_SYNC);
	else if (sync == SYNC_OVERRUN)
		nt_lint_field(l, HS_NT_FIND_SYNC_7_ALONE, HS_NTF_SYNC);
}

static void at_sync(struct hs_nt_lint *l, struct hs_nt_lint_source *s)
{
	const struct hs_nt_msg *m = &l->msg;
	const unsigned sync = (unsigned)GET(m, SYNC);
	const bool start = m->tcode == HS_NT_PROG_TRACE_SYNC;

	if (s->state == NT_LINT_ON)
		sync_while_on(l, sync);
	else if (s->state == NT_LINT_OFF)
		sync_while_off(l, s, sync);
	else if (s->state == NT_LINT_ERROR && sync != SYNC_OVERRUN)
		nt_lint_field(l, HS_NT_FIND_ERROR_SYNC_CODE, HS_NTF_SYNC);
	if (s->state != NT_LINT_ON && s->state != NT_LINT_LOST) {
		if (!start)
			nt_lint_put(l, HS_NT_FIND_START_TCODE);
		else if (GET(m, ICNT))
			nt_lint_field(l, HS_NT_FIND_START_ICNT, HS_NTF_ICNT);
	}
	if (sync == SYNC_COUNTER && s->mode == HS_NT_HTM)
		nt_lint_field(l, HS_NT_FIND_SYNC_4_HTM, HS_NTF_SYNC);
	s->state = NT_LINT_ON;
	s->evcode = 0; /* of use where the trace is off */
}

/* Is it forbidden to say so again?  A hart that halts, resumes with its trace disabled and halts
 * again reports each halt (NT Table 26); of the resumption the ratified text reports nothing (NT 1.0
 * Table 25), rc7 EVCODE 4.  Low-power mode is taken for the same. */
static bool is_repeated(const struct hs_nt_lint *l, const struct hs_nt_lint_source *s,
                        unsigned evcode)
{
	return s->evcode == evcode && (evcode == EVCODE_DISABLED || !l->dialect->quiet_resume);
}

/* Did the hart execute something since the last message? */
static bool counts_something(const struct hs_nt_msg *m)
{
	return GET(m, ICNT) || (HAS(m, HIST) && GET(m, HIST) > 1);
}

/* "Trace starts disabled", or the hart is halted then (NT Table 26). */
static bool may_be_first(const struct hs_nt_msg *m, unsigned evcode)
{
	return evcode == EVCODE_DISABLED || (evcode == EVCODE_DEBUG && !counts_something(m));
}

static void at_correlation(struct hs_nt_lint *l, struct hs_nt_lint_source *s)
{
	const struct hs_nt_msg *m = &l->msg;
	const unsigned evcode = (unsigned)GET(m, EVCODE);

	if (s->state == NT_LINT_OFF && is_repeated(l, s, evcode))
		nt_lint_field(l, HS_NT_FIND_CORRELATION_TWICE, HS_NTF_EVCODE);
	else if (s->state == NT_LINT_OFF && counts_something(m))
		nt_lint_put(l, HS_NT_FIND_CORRELATION_COUNT);
	else if (s->state == NT_LINT_NEW && !may_be_first(m, evcode))
		nt_lint_put(l, HS_NT_FIND_FIRST_NOT_SYNC);
	else if (s->state == NT_LINT_ERROR)
		nt_lint_put(l, HS_NT_FIND_ERROR_NOT_SYNC);
	s->evcode = (uint8_t)evcode;
	s->state = NT_LINT_OFF;
}

/* Ownership, branches, ResourceFull. */
static void at_other(struct hs_nt_lint *l, struct hs_nt_lint_source *s)
{
	if (s->state == NT_LINT_NEW)
		nt_lint_put(l, HS_NT_FIND_FIRST_NOT_SYNC);
	else if (s->state == NT_LINT_ERROR)
		nt_lint_put(l, HS_NT_FIND_ERROR_NOT_SYNC);
	else if (s->state == NT_LINT_OFF)
		nt_lint_put(l, l->msg.tcode == HS_NT_OWNERSHIP ? HS_NT_FIND_OWNERSHIP_OFF
		                                              : HS_NT_FIND_FLOW_OFF);
	if (s->state != NT_LINT_OFF && s->state != NT_LINT_ON)
		s->state = NT_LINT_LOST;
}

static void at_error(struct hs_nt_lint *l, struct hs_nt_lint_source *s)
{
	if (s->state == NT_LINT_ERROR)
		nt_lint_put(l, HS_NT_FIND_ERROR_NOT_SYNC);
	s->state = NT_LINT_ERROR;
}

static void check_state(struct hs_nt_lint *l, struct hs_nt_lint_source *s)
{
	if (nt_lint_sync(&l->msg))
		at_sync(l, s);
	else if (l->msg.tcode == HS_NT_PROG_TRACE_CORRELATION)
		at_correlation(l, s);
	else if (l->msg.tcode == HS_NT_ERROR)
		at_error(l, s);
	else
		at_other(l, s);
}

/* ---- modes ---------------------------------------------------------------------- */

/* The mode that a message belongs to; 0: both. */
static unsigned mode_of(const struct hs_nt_msg *m)
{
	switch (m->tcode) {
	case HS_NT_DIRECT_BRANCH:
	case HS_NT_DIRECT_BRANCH_SYNC:
		return HS_NT_BTM;
	case HS_NT_INDIRECT_BRANCH_HIST:
	case HS_NT_INDIRECT_BRANCH_HIST_SYNC:
		return HS_NT_HTM;
	case HS_NT_RESOURCE_FULL:
		return GET(m, RCODE) == 1 || GET(m, RCODE) == 2 ? HS_NT_HTM : 0;
	case HS_NT_PROG_TRACE_CORRELATION:
		return GET(m, CDF) == 1 ? HS_NT_HTM : 0;
	default:
		return 0;
	}
}

static void check_mode(struct hs_nt_lint *l, struct hs_nt_lint_source *s)
{
	const struct hs_nt_msg *m = &l->msg;
	const unsigned mode = mode_of(m);

	if (s->mode == 0)
		s->mode = (uint8_t)mode;
	if (m->tcode == HS_NT_PROG_TRACE_CORRELATION) {
		if (s->mode == HS_NT_BTM && GET(m, CDF) == 1)
			nt_lint_field(l, HS_NT_FIND_CDF_BTM, HS_NTF_CDF);
		else if (s->mode == HS_NT_HTM && GET(m, CDF) == 0)
			nt_lint_field(l, HS_NT_FIND_CDF_HTM, HS_NTF_CDF);
	} else if (mode && mode != s->mode) {
		nt_lint_put(l, mode == HS_NT_BTM ? HS_NT_FIND_BTM_IN_HTM : HS_NT_FIND_HTM_IN_BTM);
	} else if (s->mode == HS_NT_HTM && m->tcode == HS_NT_INDIRECT_BRANCH) {
		nt_lint_put(l, HS_NT_FIND_INDIRECT_IN_HTM);
	} else if (s->mode == HS_NT_HTM && m->tcode == HS_NT_REPEAT_BRANCH) {
		nt_lint_put(l, HS_NT_FIND_REPEAT_IN_HTM);
	}
	if (!HAS(m, BTYPE) || GET(m, BTYPE) == 0)
		return;
	s->btypes |= (uint8_t)(1u << GET(m, BTYPE));
	if ((s->btypes & 2) && (s->btypes & 12))
		nt_lint_field(l, HS_NT_FIND_BTYPE_MIXED, HS_NTF_BTYPE);
}

/* ---- repeats -------------------------------------------------------------------- */

static bool is_branch(unsigned tcode)
{
	return tcode == HS_NT_DIRECT_BRANCH || tcode == HS_NT_INDIRECT_BRANCH ||
	       tcode == HS_NT_INDIRECT_BRANCH_HIST;
}

/* RepeatBranch (NT 7.11). */
static void check_repeat(struct hs_nt_lint *l, const struct hs_nt_lint_source *s)
{
	if (s->branch == 0)
		nt_lint_put(l, HS_NT_FIND_REPEAT_NOTHING);
	else if (!is_branch(s->branch))
		nt_lint_put(l, HS_NT_FIND_REPEAT_SYNC);
	else if (s->before != s->branch && s->before != HS_NT_REPEAT_BRANCH)
		nt_lint_put(l, HS_NT_FIND_REPEAT_APART);
	else if (s->branch != HS_NT_DIRECT_BRANCH && s->uaddr)
		nt_lint_put(l, HS_NT_FIND_REPEAT_ADDRESS);
}

/* Equal histories in a row are counted, up to the counter's end (NT 9.3). */
static void check_history(struct hs_nt_lint *l, struct hs_nt_lint_source *s)
{
	const struct hs_nt_msg *m = &l->msg;
	const unsigned bits = l->config.hrepeat_bits ? l->config.hrepeat_bits : 18;
	const bool full =
		m->tcode == HS_NT_RESOURCE_FULL && GET(m, RCODE) >= 1 && GET(m, RCODE) <= 2;

	if (full && l->config.repeated_history && s->hist == GET(m, RDATA) &&
	    s->hist_times < ((uint64_t)1 << bits) - 1)
		nt_lint_put(l, HS_NT_FIND_HIST_NOT_COUNTED);
	s->hist = full ? GET(m, RDATA) : 0;
	s->hist_times = full && GET(m, RCODE) == 2 ? GET(m, HREPEAT) : 1;
}

static void remember(const struct hs_nt_msg *m, struct hs_nt_lint_source *s)
{
	if (is_branch(m->tcode) || m->tcode == HS_NT_DIRECT_BRANCH_SYNC ||
	    m->tcode == HS_NT_INDIRECT_BRANCH_SYNC || m->tcode == HS_NT_INDIRECT_BRANCH_HIST_SYNC) {
		s->branch = m->tcode;
		s->uaddr = GET(m, UADDR); /* 0 where there is none */
	} else if (nt_lint_sync(m) || m->tcode == HS_NT_PROG_TRACE_CORRELATION ||
	           m->tcode == HS_NT_ERROR) {
		s->branch = 0;
		s->uaddr = 0;
	}
	s->before = m->tcode;
	s->offset = m->offset;
}

void nt_lint_order(struct hs_nt_lint *l)
{
	const struct hs_nt_msg *m = &l->msg;

	if (l->config.src_bits && l->config.src_id && m->src != l->config.src_id)
		nt_lint_put(l, HS_NT_FIND_SRC_UNEXPECTED);
	if (!m->known) /* no part of the program flow (NT 6.1) */
		return;
	struct hs_nt_lint_source *s = source_of(l, m->src);
	if (!s) {
		nt_lint_put(l, HS_NT_FIND_SRC_MEMORY);
		return;
	}
	const bool sure = s->state != NT_LINT_LOST && s->state != NT_LINT_NEW;

	check_mode(l, s);
	nt_lint_ownership(l, s);
	check_state(l, s);
	if (m->tcode == HS_NT_REPEAT_BRANCH && s->state == NT_LINT_ON)
		check_repeat(l, s);
	check_history(l, s);
	if (sure || s->state == NT_LINT_ON)
		nt_lint_counts(l, s, sure);
	nt_lint_time(l, s);
	remember(m, s);
}

void nt_lint_order_end(struct hs_nt_lint *l, struct hs_nt_lint_source *s)
{
	l->msg.offset = s->offset;
	l->msg.src = s->src;
	l->msg.tcode = s->before;
	l->msg.known = true;
	l->msg.present = 0;
	if (s->state == NT_LINT_ON)
		nt_lint_put(l, HS_NT_FIND_NOT_STOPPED);
}
