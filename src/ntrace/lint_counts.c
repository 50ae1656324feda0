/* Lint: contexts, timestamps and counters of one source over several messages. */
#include "ntrace/lint.h"

#define HAS(m, f) hs_nt_has(m, HS_NTF_##f)
#define GET(m, f) ((m)->field[HS_NTF_##f])

enum { PRIVILEGE = 0, SCONTEXT = 2, HCONTEXT = 3 };

/* In hs_nt_lint_source.formats: hcontext was just given, scontext must follow. */
#define SCONTEXT_DUE 0x80u

static void note_format(struct hs_nt_lint *l, struct hs_nt_lint_source *s, unsigned format)
{
	if (s->at_sync && s->formats == 0 && format == PRIVILEGE)
		nt_lint_field(l, HS_NT_FIND_OWNERSHIP_FORMAT, HS_NTF_PROCESS);
	if (s->at_sync && s->formats == 0 && format == SCONTEXT && s->hcontext)
		nt_lint_field(l, HS_NT_FIND_HCONTEXT_MISSING, HS_NTF_PROCESS);
	s->formats |= (uint8_t)(1u << format);
	if (format != HCONTEXT)
		return;
	s->hcontext = true;
	/* NT 1.0 7.1: not only after synchronisation */
	if (s->at_sync || l->dialect->sync_resets_all)
		s->formats |= SCONTEXT_DUE;
}

void nt_lint_ownership(struct hs_nt_lint *l, struct hs_nt_lint_source *s)
{
	const struct hs_nt_msg *m = &l->msg;
	const bool ownership = m->tcode == HS_NT_OWNERSHIP;
	const unsigned format = GET(m, PROCESS) & 3;

	if (!l->config.context)
		return;
	if (s->state == NT_LINT_LOST || m->tcode == HS_NT_ERROR) {
		s->at_sync = false; /* it may be among what was lost */
		s->formats = 0;
	}
	if ((s->formats & SCONTEXT_DUE) && !(ownership && format == SCONTEXT))
		nt_lint_put(l, s->formats & 1u << SCONTEXT ? HS_NT_FIND_CONTEXT_ORDER
		                                           : HS_NT_FIND_SCONTEXT_MISSING);
	s->formats &= (uint8_t)~SCONTEXT_DUE;
	if (ownership) {
		note_format(l, s, format);
		return;
	}
	if (s->at_sync && s->formats == 0)
		nt_lint_put(l, HS_NT_FIND_OWNERSHIP_MISSING);
	s->at_sync = nt_lint_sync(m);
	s->formats = 0;
}

/* TSTAMP is of a counter that may turn over. */
static bool is_narrow(const struct hs_nt_lint *l)
{
	return l->config.tstamp_bits && l->config.tstamp_bits < 64;
}

/* TSTAMP: absolute with SYNC, else since the last one (NT 8.7). */
void nt_lint_time(struct hs_nt_lint *l, struct hs_nt_lint_source *s)
{
	const struct hs_nt_msg *m = &l->msg;
	const uint64_t stamp = GET(m, TSTAMP);

	if (!HAS(m, TSTAMP) || l->dialect->tstamp_xor)
		return;
	if (!nt_lint_sync(m)) {
		if (s->timed && s->time + stamp < stamp)
			nt_lint_field(l, HS_NT_FIND_TSTAMP_OVERFLOW, HS_NTF_TSTAMP);
		s->time += stamp;
		return;
	}
	if (s->timed && stamp < s->time && !is_narrow(l))
		nt_lint_field(l, HS_NT_FIND_TSTAMP_BACK, HS_NTF_TSTAMP);
	s->time = stamp;
	s->timed = true;
}

/* HIST and I-CNT travel apart; each branch has at least one half-word (NT 8.4.2). */
static void check_balance(struct hs_nt_lint *l, struct hs_nt_lint_source *s)
{
	const struct hs_nt_msg *m = &l->msg;

	if (m->tcode == HS_NT_RESOURCE_FULL) {
		const uint64_t rcode = GET(m, RCODE);
		const uint64_t times = rcode == 2 ? GET(m, HREPEAT) & 0xffffffff : 1;

		if (rcode == 0)
			s->icnt += GET(m, RDATA);
		else if (rcode <= 2)
			s->branches += nt_lint_branches(GET(m, RDATA)) * times;
		return;
	}
	if (m->tcode == HS_NT_ERROR) { /* what belongs to it may be among what was lost */
		s->branches = 0;
		s->icnt = 0;
	}
	if (!HAS(m, ICNT))
		return;
	if (HAS(m, HIST))
		s->branches += nt_lint_branches(GET(m, HIST));
	if (s->branches > s->icnt + GET(m, ICNT) && s->mode != HS_NT_BTM)
		nt_lint_field(l, HS_NT_FIND_HIST_OVER_ICNT, HS_NTF_ICNT);
	s->branches = 0;
	s->icnt = 0;
}

/* Periodic synchronisation may wait for a message that can carry it, not for twice its interval
 * (NT 8.5; NT 1.0 8.5 allows the delay).  One branch may come after that: when the trace stops
 * right after it, there is no address to send. */
static void check_interval(struct hs_nt_lint *l, struct hs_nt_lint_source *s)
{
	const struct hs_nt_msg *m = &l->msg;
	const uint64_t interval = (uint64_t)1 << (l->config.sync_max + 4);
	const bool branch = m->tcode == HS_NT_DIRECT_BRANCH || m->tcode == HS_NT_INDIRECT_BRANCH ||
	                    m->tcode == HS_NT_INDIRECT_BRANCH_HIST;
	const bool due = s->count >= 2 * interval;

	if (nt_lint_sync(m)) {
		s->count = 0;
		s->overdue = 0;
		return;
	}
	if (l->config.sync_mode == HS_NT_SYNC_MESSAGES)
		s->count++;
	else if (l->config.sync_mode == HS_NT_SYNC_BYTES)
		s->count += m->length;
	else if (l->config.sync_mode == HS_NT_SYNC_HALFWORDS && HAS(m, ICNT))
		s->count += GET(m, ICNT);
	if (!due || !branch || ++s->overdue < 2)
		return;
	nt_lint_put(l, HS_NT_FIND_SYNC_INTERVAL);
	s->count = 0;
	s->overdue = 0;
}

void nt_lint_counts(struct hs_nt_lint *l, struct hs_nt_lint_source *s, bool sure)
{
	if (!sure) /* messages were lost, and what they counted */
		s->branches = s->icnt = 0;
	check_balance(l, s);
	if (l->config.sync_mode && s->state == NT_LINT_ON)
		check_interval(l, s);
}
