/* Messages as the encoder sends them.
 *
 * Two things wait because they may repeat: a full HIST (NT 9.3) and equal branch messages
 * (NT 7.11).  Any other message sends them first, so that the order is kept.
 */
#include "ntrace/emit.h"
#include "ntrace/tables.h"

#include "core/mem.h"

static void set_field(struct hs_nt_msg *m, enum hs_nt_field f, uint64_t v)
{
	m->field[f] = v;
	m->present |= (uint32_t)1 << f;
}

void nt_emit_count(struct hs_nt_encoder *e, uint64_t units)
{
	e->count += units;
	if (e->interval && e->count >= e->interval)
		e->sync_due = true;
}

/* The bits that the counter of TSTAMP has. */
static uint64_t time_mask(const struct hs_nt_encoder *e)
{
	return UINT64_MAX >> (64 - e->config.tstamp_bits);
}

/* TSTAMP: absolute in synchronising messages, else the time since the last message (NT 8.7), or
 * what is different of it (design/nt-vendor). */
static void set_time_field(struct hs_nt_encoder *e, struct hs_nt_msg *m)
{
	if (!e->config.timestamps)
		return;
	const uint64_t since = e->dialect->tstamp_xor ? e->time ^ e->time_sent
	                                              : e->time - e->time_sent;

	const bool full = hs_nt_has(m, HS_NTF_SYNC) || m->tcode == HS_NT_IN_CIRCUIT_TRACE_SYNC;

	set_field(m, HS_NTF_TSTAMP, (full ? e->time : since) & time_mask(e));
	e->time_sent = e->time;
}

/* F-ADDR, or U-ADDR (NT 8.1). */
static enum hs_nt_field address_field(const struct hs_nt_msg *m)
{
	return hs_nt_has(m, HS_NTF_FADDR) ? HS_NTF_FADDR : HS_NTF_UADDR;
}

/* Of equal top bits only the lowest is sent, as the top bit of the last MDO; a value that a decoder
 * would then extend wrongly gets one more MDO (NT 8.2). */
static void cut_to_mdo(const struct hs_nt_encoder *e, struct hs_nt_msg *m)
{
	const unsigned width = e->config.xlen == 32 ? 31 : 63;
	const uint64_t v = m->field[address_field(m)], all = ((uint64_t)1 << width) - 1;
	unsigned n = 6;

	for (; n < width; n += 6) {
		const uint64_t above = v >> (n - 1); /* the top bit sent, and those not sent */

		if (above == 0 || above == all >> (n - 1))
			break;
	}
	m->addr_bits = (uint8_t)n; /* and no others are written */
}

/* Of equal top bits only the lowest is sent where they are 1 (design/nt-vendor). */
static uint64_t cut_to_field(const struct hs_nt_encoder *e, uint64_t v)
{
	return (v & e->sign) == e->sign ? v & ~(e->sign << 1) : v;
}

static void cut_address(const struct hs_nt_encoder *e, struct hs_nt_msg *m)
{
	m->addr_bits = 0;
	if (!hs_nt_has(m, address_field(m)))
		return;
	if (e->config.address_bits)
		m->field[address_field(m)] = cut_to_field(e, m->field[address_field(m)]);
	else if (e->config.extend_addr)
		cut_to_mdo(e, m);
}

static void send_message(struct hs_nt_encoder *e, struct nt_output *out, struct hs_nt_msg *m)
{
	m->src = e->config.src_id;
	set_time_field(e, m);
	cut_address(e, m);
	const size_t n = nt_write(e->dialect->more, m, e->config.src_bits, out->p);

	out->p += n;
	e->written.messages[m->tcode]++;
	e->written.bytes[m->tcode] += n;
	if (e->config.sync_mode == HS_NT_SYNC_MESSAGES)
		nt_emit_count(e, 1);
	else if (e->config.sync_mode == HS_NT_SYNC_BYTES)
		nt_emit_count(e, n);
}

/* A message without fields.  Values of fields that are not set are undefined. */
static void begin_message(struct hs_nt_msg *m, unsigned tcode)
{
	m->tcode = (uint8_t)tcode;
	m->present = 0;
}

/* A message of an event in the past; another may have been sent since (Ownership does not wait). */
static void send_message_of(struct hs_nt_encoder *e, struct nt_output *out, struct hs_nt_msg *m,
                            uint64_t time)
{
	const uint64_t now = e->time;

	e->time = time > e->time_sent ? time : e->time_sent;
	send_message(e, out, m);
	e->time = now;
}

/* ---- what may repeat ------------------------------------------------------------ */

static void send_repeats(struct hs_nt_encoder *e, struct nt_output *out)
{
	struct hs_nt_msg m;

	begin_message(&m, HS_NT_REPEAT_BRANCH);
	set_field(&m, HS_NTF_BCNT, e->repeats);
	e->repeats = 0;
	send_message_of(e, out, &m, e->count_time);
}

static void send_history(struct hs_nt_encoder *e, struct nt_output *out, uint32_t hist,
                         uint32_t times, uint64_t time)
{
	struct hs_nt_msg m;

	begin_message(&m, HS_NT_RESOURCE_FULL);
	set_field(&m, HS_NTF_RCODE, times > 1 ? 2 : 1);
	set_field(&m, HS_NTF_RDATA, hist);
	set_field(&m, HS_NTF_HREPEAT, times); /* written with RCODE 2 only */
	send_message_of(e, out, &m, time);
}

/* RCODE 8, 9: how many branches in a row were not taken, taken (design/nt-vendor). */
static void send_branch_count(struct hs_nt_encoder *e, struct nt_output *out)
{
	struct hs_nt_msg m;

	begin_message(&m, HS_NT_RESOURCE_FULL);
	set_field(&m, HS_NTF_RCODE, e->held & 1 ? 9 : 8);
	set_field(&m, HS_NTF_RDATA, e->held_times);
	send_message_of(e, out, &m, e->count_time);
}

static void send_held(struct hs_nt_encoder *e, struct nt_output *out)
{
	if (e->dialect->counts_8_9)
		send_branch_count(e, out);
	else
		send_history(e, out, e->held, e->held_times, e->count_time);
	e->held = 0;
}

/* Mostly nothing waits: the tests are all that this costs. */
static inline void flush_repeats(struct hs_nt_encoder *e, struct nt_output *out)
{
	e->last_tcode = 0;
	if (e->repeats)
		send_repeats(e, out);
}

static inline void flush_held(struct hs_nt_encoder *e, struct nt_output *out)
{
	flush_repeats(e, out);
	if (e->held)
		send_held(e, out);
}

/* HIST is full: branches that all went the same way are counted from here on, others are sent. */
static void count_same_branches(struct hs_nt_encoder *e, struct nt_output *out)
{
	const uint32_t bits = e->hist & (((uint32_t)1 << e->hist_n) - 1);

	if (bits != 0 && bits != ((uint32_t)1 << e->hist_n) - 1) {
		send_history(e, out, e->hist, 1, e->time);
	} else {
		e->held = bits ? 3 : 2;
		e->held_times = e->hist_n;
		e->count_time = e->time;
	}
	e->hist = 1;
	e->hist_n = 0;
}

/* Count one more branch of those, if it is one. */
static bool count_branch(struct hs_nt_encoder *e, bool taken)
{
	if (!e->held || !e->dialect->counts_8_9 || e->hist_n || (e->held & 1) != taken ||
	    e->held_times == UINT32_MAX)
		return false;
	e->held_times++;
	e->count_time = e->time;
	return true;
}

static void hold_history(struct hs_nt_encoder *e)
{
	e->held = e->hist;
	e->held_n = e->hist_n;
	e->held_times = 1;
	e->count_time = e->time;
	e->hist = 1;
	e->hist_n = 0;
}

/* @n bits of the held history and HIST in a row, from the bit @from on; the oldest is bit 0 of the
 * row and the top bit of the result. */
static uint64_t history_bits(const struct hs_nt_encoder *e, unsigned from, unsigned n)
{
	const uint64_t all = (uint64_t)e->held << e->hist_n |
	                     (e->hist & (((uint32_t)1 << e->hist_n) - 1));

	return all >> (e->held_n + e->hist_n - from - n) & (((uint64_t)1 << n) - 1);
}

/* Two full histories differ, but their bits begin with a shorter history, twice: count that one
 * from here on.  Lengths with many divisors find most loops. */
static bool find_shorter_repeat(struct hs_nt_encoder *e)
{
	const unsigned total = 2u * e->config.hist_bits; /* more than two of each that is tried */

	for (unsigned i = 0; i < sizeof e->dialect->repeat_lengths; i++) {
		const unsigned n = e->dialect->repeat_lengths[i];

		if (n == 0 || n >= e->config.hist_bits)
			continue;
		if (history_bits(e, 0, n) != history_bits(e, n, n))
			continue;
		const uint32_t pattern = (uint32_t)history_bits(e, 0, n);
		const uint32_t rest = (uint32_t)history_bits(e, 2 * n, total - 2 * n);
		e->held = (uint32_t)1 << n | pattern;
		e->held_n = (uint8_t)n;
		e->held_times = 2;
		e->hist_n = (uint8_t)(total - 2 * n);
		e->hist = (uint32_t)1 << e->hist_n | rest;
		return true;
	}
	return false;
}

/* HIST begins with the history that is being counted. */
static bool begins_with_held(const struct hs_nt_encoder *e)
{
	return e->held && e->hist >> (e->hist_n - e->held_n) == e->held;
}

/* Count that history once more; branches after it stay in HIST. */
static void count_held(struct hs_nt_encoder *e)
{
	e->hist_n -= e->held_n;
	e->hist = (uint32_t)1 << e->hist_n | (e->hist & (((uint32_t)1 << e->hist_n) - 1));
	e->held_times++;
	e->count_time = e->time;
}

/* HIST holds as many branches as it can, or as many as the history that is being counted. */
static void count_or_send_history(struct hs_nt_encoder *e, struct nt_output *out)
{
	const bool full = e->hist_n == e->config.hist_bits;

	flush_repeats(e, out);
	if (!e->config.repeated_history) {
		send_history(e, out, e->hist, 1, e->time);
		e->hist = 1;
		e->hist_n = 0;
	} else if (e->dialect->counts_8_9) {
		count_same_branches(e, out);
	} else if (begins_with_held(e) && e->held_times < e->repeat_limit) {
		count_held(e);
	} else if (!e->held) {
		hold_history(e);
	} else if (!full || e->held_times > 1 || !find_shorter_repeat(e)) {
		flush_held(e, out);
		if (full)
			hold_history(e);
	}
}

/* A shorter history is being counted, and HIST is as long now. */
static bool may_repeat(const struct hs_nt_encoder *e)
{
	return e->held && e->hist_n == e->held_n && !e->dialect->hist_at_once;
}

/* Before a bit is added to HIST.  True: its branch is counted instead.  Out of line, so that most
 * branches do not pay for it. */
static __attribute__((noinline)) bool count_or_make_room(struct hs_nt_encoder *e,
                                                         struct nt_output *out, bool taken)
{
	if (e->hist_n == e->config.hist_bits || (may_repeat(e) && !e->dialect->counts_8_9))
		count_or_send_history(e, out); /* NT 8.3.1: sent before the next bit is added */
	if (count_branch(e, taken))
		return true;
	if (e->dialect->counts_8_9)
		flush_held(e, out);
	return false;
}

void nt_emit_history(struct hs_nt_encoder *e, struct nt_output *out, bool taken)
{
	const bool full = e->hist_n == e->config.hist_bits;

	if (__builtin_expect(full || e->held || e->dialect->counts_8_9, 0) &&
	    count_or_make_room(e, out, taken))
		return;
	e->hist = e->hist << 1 | taken;
	e->hist_n++;
	if (e->dialect->hist_at_once && e->hist_n == e->config.hist_bits)
		count_or_send_history(e, out);
}

static const uint8_t compared[4] = { HS_NTF_BTYPE, HS_NTF_ICNT, HS_NTF_UADDR, HS_NTF_HIST };

/* Equal to the message before, and safe to repeat: its differential address is 0, so that a decoder
 * that applies the XOR again and one that keeps the target agree (NT 7.11). */
static bool repeats(const struct hs_nt_encoder *e, const struct hs_nt_msg *m)
{
	if (e->last_tcode != m->tcode || e->repeats == e->repeat_limit || e->held)
		return false;
	if (hs_nt_has(m, HS_NTF_UADDR) && m->field[HS_NTF_UADDR])
		return false;
	for (unsigned i = 0; i < 4; i++)
		if ((m->present >> compared[i] & 1) && m->field[compared[i]] != e->last[i])
			return false;
	return true;
}

static void send_or_count_branch(struct hs_nt_encoder *e, struct nt_output *out,
                                 struct hs_nt_msg *m)
{
	if (e->config.repeat_branch && repeats(e, m)) {
		e->repeats++;
		e->count_time = e->time;
		return;
	}
	flush_held(e, out);
	if (e->config.repeat_branch) {
		e->last_tcode = m->tcode;
		for (unsigned i = 0; i < 4; i++)
			e->last[i] = m->present >> compared[i] & 1 ? m->field[compared[i]] : 0;
	}
	send_message(e, out, m);
}

/* ---- messages ------------------------------------------------------------------ */

/* The counter restarts with each I-CNT that is sent (NT 8.4.3). */
static void set_icnt_field(struct hs_nt_encoder *e, struct hs_nt_msg *m)
{
	set_field(m, HS_NTF_ICNT, e->icnt);
	e->icnt = 0;
	e->new_calls = 0;
}

static void set_hist_field(struct hs_nt_encoder *e, struct hs_nt_msg *m)
{
	set_field(m, HS_NTF_HIST, e->hist);
	e->hist = 1;
	e->hist_n = 0;
}

void nt_emit_direct(struct hs_nt_encoder *e, struct nt_output *out)
{
	struct hs_nt_msg m;

	begin_message(&m, HS_NT_DIRECT_BRANCH);
	set_icnt_field(e, &m);
	send_or_count_branch(e, out, &m);
}

void nt_emit_indirect(struct hs_nt_encoder *e, struct nt_output *out, uint64_t addr)
{
	const bool hist = nt_emit_htm(e) && (e->hist_n || e->config.hist_always);
	struct hs_nt_msg m;

	begin_message(&m, hist ? HS_NT_INDIRECT_BRANCH_HIST : HS_NT_INDIRECT_BRANCH);
	set_field(&m, HS_NTF_BTYPE, e->btype);
	set_icnt_field(e, &m);
	set_field(&m, HS_NTF_UADDR, (addr ^ e->ref) >> 1);
	e->ref = addr;
	if (hist)
		set_hist_field(e, &m);
	send_or_count_branch(e, out, &m);
}

void nt_emit_ownership(struct hs_nt_encoder *e, struct nt_output *out, unsigned format)
{
	const uint64_t context = format >= 2 ? e->context[format - 2] : 0;
	/* design/nt-dialects */
	const unsigned mode = e->priv == HS_PRIV_UNKNOWN ? HS_PRIV_U : e->priv;
	struct hs_nt_msg m;

	flush_repeats(e, out);
	begin_message(&m, HS_NT_OWNERSHIP);
	set_field(&m, HS_NTF_PROCESS, context << 5 | (uint64_t)mode << 2 | format);
	send_message(e, out, &m);
}

void nt_emit_pending_ownership(struct hs_nt_encoder *e, struct nt_output *out)
{
	const unsigned ownership_pending = e->ownership_pending;

	e->ownership_pending = 0;
	if (ownership_pending & 8)
		nt_emit_ownership(e, out, 3);
	if (ownership_pending & 0xc) /* hcontext is followed by scontext (NT 7.1) */
		nt_emit_ownership(e, out, 2);
	if (ownership_pending == 1) /* the others carry the privilege, too */
		nt_emit_ownership(e, out, 0);
}

/* hcontext where there is one, then scontext, whose FORMAT a synchronisation has (NT Table 12). */
static void emit_ownership_after_sync(struct hs_nt_encoder *e, struct nt_output *out)
{
	e->ownership_pending = 0;
	if (!e->config.context)
		return;
	if (e->contexts & 8)
		nt_emit_ownership(e, out, 3);
	nt_emit_ownership(e, out, 2);
}

void nt_emit_sync(struct hs_nt_encoder *e, struct nt_output *out, unsigned tcode, unsigned sync,
                  uint64_t addr)
{
	struct hs_nt_msg m;

	flush_held(e, out);
	begin_message(&m, tcode);
	set_field(&m, HS_NTF_SYNC, sync);
	if (tcode == HS_NT_INDIRECT_BRANCH_SYNC || tcode == HS_NT_INDIRECT_BRANCH_HIST_SYNC)
		set_field(&m, HS_NTF_BTYPE, e->btype);
	set_icnt_field(e, &m);
	set_field(&m, HS_NTF_FADDR, addr >> 1);
	e->ref = addr;
	e->ref_known = true;
	if (tcode == HS_NT_INDIRECT_BRANCH_HIST_SYNC)
		set_hist_field(e, &m);
	send_message(e, out, &m);
	e->count = 0; /* the interval restarts (trTeInstSyncMax) */
	e->sync_due = false;
	e->returns.count = 0; /* NT 9.2 */
	emit_ownership_after_sync(e, out);
}

void nt_emit_icnt(struct hs_nt_encoder *e, struct nt_output *out)
{
	struct hs_nt_msg m;

	flush_held(e, out);
	begin_message(&m, HS_NT_RESOURCE_FULL);
	set_field(&m, HS_NTF_RCODE, 0);
	set_field(&m, HS_NTF_RDATA, e->icnt);
	e->icnt = 0;
	e->new_calls = 0;
	send_message(e, out, &m);
}

void nt_emit_error(struct hs_nt_encoder *e, struct nt_output *out)
{
	struct hs_nt_msg m;

	begin_message(&m, HS_NT_ERROR);
	set_field(&m, HS_NTF_ETYPE, 0);
	set_field(&m, HS_NTF_ECODE, e->config.context ? 0x0c : 0x04); /* program trace, Ownership */
	send_message_of(e, out, &m, e->lost_time);
}

void nt_emit_correlation(struct hs_nt_encoder *e, struct nt_output *out, unsigned evcode)
{
	/* NT 7.12: in HTM CDF is 1, even if HIST is empty. */
	const bool hist = nt_emit_htm(e) && !(e->dialect->cdf_by_hist && e->hist_n == 0);
	struct hs_nt_msg m;

	flush_held(e, out);
	begin_message(&m, HS_NT_PROG_TRACE_CORRELATION);
	set_field(&m, HS_NTF_EVCODE, evcode);
	set_field(&m, HS_NTF_CDF, hist);
	set_icnt_field(e, &m);
	if (hist)
		set_hist_field(e, &m);
	send_message(e, out, &m);
}

/* ---- messages beyond the text (design/nt-vendor) ------------------------------------------ */

/* They do not wait for what is owed: that comes later, and is no older. */
static void send_at_once(struct hs_nt_encoder *e, struct nt_output *out, struct hs_nt_msg *m)
{
	send_message(e, out, m);
	if (e->event_time < e->time_sent)
		e->event_time = e->time_sent;
}

void nt_emit_acquisition(struct hs_nt_encoder *e, struct nt_output *out, unsigned tag,
                         uint64_t data)
{
	struct hs_nt_msg m;

	flush_repeats(e, out);
	begin_message(&m, HS_NT_DATA_ACQUISITION);
	set_field(&m, HS_NTF_IDTAG, tag);
	set_field(&m, HS_NTF_DQDATA, data);
	send_at_once(e, out, &m);
}

void nt_emit_circuit(struct hs_nt_encoder *e, struct nt_output *out, unsigned source,
                     uint64_t first, const uint64_t *second)
{
	const enum nt_circuit what = nt_circuit_of(source, second != NULL);
	const bool full = what != NT_CIRCUIT_DATA && !e->ref_known;
	struct hs_nt_msg m;

	flush_repeats(e, out);
	begin_message(&m, full ? HS_NT_IN_CIRCUIT_TRACE_SYNC : HS_NT_IN_CIRCUIT_TRACE);
	set_field(&m, HS_NTF_CKSRC, source);
	set_field(&m, HS_NTF_CKDF, second != NULL);
	set_field(&m, HS_NTF_CKDATA, first);
	set_field(&m, HS_NTF_CKDATA1, second ? *second : 0); /* written with CKDF 1 only */
	if (what != NT_CIRCUIT_DATA) {
		m.field[HS_NTF_CKDATA] = cut_to_field(e, (full ? first : first ^ e->ref) >> 1);
		e->ref = first;
		e->ref_known = true;
	}
	if (what == NT_CIRCUIT_BOTH) {
		m.field[HS_NTF_CKDATA1] = cut_to_field(e, (*second ^ e->ref) >> 1);
		e->ref = *second;
	}
	send_at_once(e, out, &m);
}

void nt_emit_sample(struct hs_nt_encoder *e, struct nt_output *out, uint64_t addr)
{
	struct hs_nt_msg m;

	flush_repeats(e, out);
	begin_message(&m, HS_NT_PROG_TRACE_SYNC);
	set_field(&m, HS_NTF_SYNC, SYNC_SAMPLE);
	set_field(&m, HS_NTF_ICNT, 0);
	set_field(&m, HS_NTF_FADDR, addr >> 1);
	e->ref = addr;
	e->ref_known = true;
	send_at_once(e, out, &m);
}
