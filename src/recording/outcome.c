/* The outcome of runs: everything but the common case, in which a run follows the one before as
 * that one's last instruction says (stream.h). */
#include <string.h>

#include <hartscope/image.h>

#include "core/access.h"
#include "recording/live.h"

/* The block of @p and of the half-words joined to it. */
static struct hs_block joined_block(const struct hs_rec_stream *s, const struct rec_run *p)
{
	struct hs_block b = p->block;

	b.iaddr -= 2u * (uint64_t)s->open.joined;
	b.iretire += s->open.joined;
	if (b.ilast == 0 && s->open.joined > 0)
		b.ilast = s->open.joined_ilast;
	if (s->open.pair)
		b.sijump = 1;
	return b;
}

static void queue_block(struct hs_rec_stream *s, const struct hs_block *b)
{
	s->queue.items[s->queue.n++] = *b;
}

static void queue_events(struct hs_rec_stream *s)
{
	memcpy(s->queue.items + s->queue.n, s->queue.events,
	       s->queue.event_count * sizeof(*s->queue.events));
	s->queue.n += s->queue.event_count;
	s->queue.event_count = 0;
}

/* The open block has been queued. */
static void close_block(struct hs_rec_stream *s)
{
	s->open.prev = NULL;
	s->open.joined = 0;
	s->open.pair = false;
}

/* The first @hwords half-words of the run @r belong to the block of the run that follows. */
static void join(struct hs_rec_stream *s, const struct rec_run *r, uint32_t hwords, uint8_t ilast)
{
	s->open.joined += hwords;
	s->open.joined_ilast = ilast;
	s->open.joined_run = r;
	s->open.joined_part = hwords;
}

/* Does the last instruction that was joined give the target of @jump? */
static bool is_pair(const struct hs_rec_stream *s, const struct rec_run *jump)
{
	const struct hs_isa isa = rec_log_isa(&s->rec->log);
	const struct hs_rec_log_run *first, *second;
	struct hs_insn a, b;
	uint64_t target;

	if (s->open.joined == 0 || !rec_run_is_lone_jump(jump))
		return false;
	first = rec_log_run(&s->rec->log, rec_stream_number(s, s->open.joined_run));
	second = rec_log_run(&s->rec->log, rec_stream_number(s, jump));
	const uint32_t at = 2 * (s->open.joined_part - s->open.joined_ilast);

	return hs_isa_decode(&isa, first->start + at, (const uint8_t *)(first + 1) + at,
	                     first->bytes - at, &a) == HS_OK &&
	       hs_isa_decode(&isa, second->start, (const uint8_t *)(second + 1), second->bytes,
	                     &b) == HS_OK &&
	       hs_isa_sequential(&a, &b, isa.xlen, &target);
}

/* rec_log_prefix() of a run. */
static uint32_t prefix(const struct hs_rec_stream *s, const struct rec_run *r, uint32_t hwords,
                       uint8_t *ilast)
{
	return rec_log_prefix(rec_log_run(&s->rec->log, rec_stream_number(s, r)), hwords, ilast);
}

/* Queue the open block, which ends after the first @hwords half-words of @prev. */
static void queue_prefix(struct hs_rec_stream *s, uint32_t hwords, enum hs_itype itype)
{
	struct hs_block b = joined_block(s, s->open.prev);
	uint8_t ilast;

	prefix(s, s->open.prev, hwords, &ilast);
	b.iretire = s->open.joined + hwords;
	b.ilast = hwords > 0 ? ilast : s->open.joined > 0 ? s->open.joined_ilast : 0;
	b.itype = (uint8_t)itype;
	b.sijump = 0;
	if (b.iretire > 0 || itype != HS_ITYPE_NONE)
		queue_block(s, &b);
	close_block(s);
}

/* The address that the current signal interrupted; false when its handler never returned. */
static bool find_interrupted(struct hs_rec_stream *s, uint64_t *to)
{
	while (s->signals.at < s->signals.resumes &&
	       s->signals.resume[s->signals.at].signal + 1u < s->signals.count)
		s->signals.at++;
	if (s->signals.at == s->signals.resumes ||
	    s->signals.resume[s->signals.at].signal + 1u != s->signals.count)
		return false;
	*to = s->signals.resume[s->signals.at].to;
	return true;
}

/* Queue the open block, all of which retired and which led to @to, and then @trap, which came
 * there. */
static void queue_and_trap(struct hs_rec_stream *s, uint64_t to, const struct hs_block *trap)
{
	const struct rec_run *p = s->open.prev;
	struct hs_block b = joined_block(s, p);

	b.itype += !rec_run_falls_to(p, to) && rec_run_is_branch(p);
	queue_block(s, &b);
	queue_block(s, trap);
	close_block(s);
}

/* An interrupt came at @to, where the open block had led. */
static void queue_interrupted(struct hs_rec_stream *s, uint64_t to)
{
	const struct hs_block trap = { .iaddr = to,
		                       .itype = HS_ITYPE_INTERRUPT,
		                       .priv = s->open.prev->block.priv };

	queue_and_trap(s, to, &trap);
}

/* @prev cannot lead to the run that follows, so an interrupt came in between.  A branch whose
 * outcome is not known counts as not retired. */
static void queue_before_interrupt(struct hs_rec_stream *s)
{
	const struct rec_run *p = s->open.prev;
	uint64_t to = rec_run_target(p);

	if (p->block.itype == HS_ITYPE_NONE)
		queue_prefix(s, p->block.iretire, HS_ITYPE_INTERRUPT);
	else if (!rec_run_is_branch(p) || rec_run_falls_to(p, to))
		queue_interrupted(s, to);
	else if (find_interrupted(s, &to) && (rec_run_falls_to(p, to) || to == rec_run_target(p)))
		queue_interrupted(s, to);
	else
		queue_prefix(s, p->block.iretire - p->block.ilast, HS_ITYPE_INTERRUPT);
}

static bool can_lead_to(const struct rec_run *p, uint64_t addr)
{
	return rec_run_is_open(p) || rec_run_falls_to(p, addr) || addr == rec_run_target(p);
}

static bool may_lead_anywhere(const struct rec_run *p)
{
	return hs_itype_uninferable(p->block.itype) && p->block.itype > HS_ITYPE_XRET;
}

/* How the block of @prev ended, now that the next run starts at @addr. */
static void queue_outcome(struct hs_rec_stream *s, uint64_t addr)
{
	const struct rec_run *p = s->open.prev;
	uint64_t to;

	if (!can_lead_to(p, addr)) {
		queue_before_interrupt(s);
	} else if (p->block.itype == HS_ITYPE_NONE) {
		join(s, p, p->block.iretire, p->block.ilast);
	} else if (s->signals.begins && may_lead_anywhere(p) && find_interrupted(s, &to)) {
		queue_interrupted(s, to);
	} else {
		struct hs_block b = joined_block(s, p);

		b.itype += !rec_run_falls_to(p, addr) && rec_run_is_branch(p);
		queue_block(s, &b);
		close_block(s);
	}
}

#define PATIENCE ((size_t)64 << 20) /* bytes of words that wait for a handler's return */

bool rec_stream_waits(const struct hs_rec_stream *s, const struct rec_run *next)
{
	const struct rec_run *p = s->open.prev;
	const bool depends = p != NULL && (can_lead_to(p, next->block.iaddr)
	                                           ? s->signals.begins && may_lead_anywhere(p)
	                                           : rec_run_is_branch(p) != 0);

	if (s->rec->live == NULL || !depends || s->signals.count == 0 || s->feed.ended ||
	    s->feed.count - s->feed.at > PATIENCE)
		return false;
	for (uint32_t i = s->signals.at; i < s->signals.resumes; i++)
		if (s->signals.resume[i].signal + 1u >= s->signals.count)
			return s->signals.resume[i].signal + 1u > s->signals.count;
	return true;
}

void rec_stream_follow(struct hs_rec_stream *s, const struct rec_run *next)
{
	if (s->open.prev != NULL)
		queue_outcome(s, next->block.iaddr);
	s->signals.begins = false;
	queue_events(s);
	s->open.prev = next;
	s->open.pair = is_pair(s, next);
}

void rec_stream_finish(struct hs_rec_stream *s)
{
	const struct rec_run *p = s->open.prev;

	if (p == NULL) {
		queue_events(s);
		return;
	}
	if (rec_run_is_sure(p)) {
		struct hs_block b = joined_block(s, p);

		queue_block(s, &b);
		close_block(s);
	} else {
		queue_prefix(s, p->block.iretire - p->block.ilast, HS_ITYPE_NONE);
	}
	queue_events(s);
}

static enum hs_status read_event(struct hs_rec_stream *s, const uint32_t *escape)
{
	struct hs_block_checker check = { 0 };
	struct hs_block e;

	hs_rec_block_unpack(escape + 1, &e);
	if (hs_block_check(&check, &e) != HS_OK || e.kind == HS_KIND_HART) /* it is of one */
		return HS_E_FORMAT;
	if (s->rec->is_flow) {
		if (e.kind == HS_KIND_VERSION && e.arg >= s->rec->log.code_count)
			return HS_E_FORMAT;
		if (e.kind != HS_KIND_VERSION || s->changes.wanted)
			queue_block(s, &e);
		return HS_OK;
	}
	if (s->queue.event_count == STREAM_EVENTS || e.kind == HS_KIND_BLOCK ||
	    e.kind == HS_KIND_VERSION) /* which the reader makes itself */
		return HS_E_FORMAT;
	if (s->anew.repeated > 0) {
		s->anew.repeated--;
		return HS_OK;
	}
	if (e.kind == HS_KIND_STOP)
		rec_stream_finish(s);
	s->queue.events[s->queue.event_count++] = e;
	if (e.kind == HS_KIND_NOTE && e.arg == HS_NOTE_SIGNAL) {
		s->signals.begins = true;
		s->signals.count++;
	}
	return HS_OK;
}

static enum hs_status read_partial(struct hs_rec_stream *s, const uint32_t *escape)
{
	const uint32_t hwords = HS_REC_ESCAPE_ARG(*escape);
	uint8_t ilast;

	if (s->open.prev == NULL || prefix(s, s->open.prev, hwords, &ilast) == UINT32_MAX)
		return HS_E_FORMAT;
	queue_prefix(s, hwords, HS_ITYPE_EXCEPTION);
	return HS_OK;
}

/* A trap of a whole system.  It is a block of its own where none is open, and where the run before
 * led to it with a control transfer; otherwise it ends that run's block. */
static enum hs_status read_trap(struct hs_rec_stream *s, const uint32_t *escape)
{
	const uint32_t arg = HS_REC_ESCAPE_ARG(*escape), *const w = escape + 1;
	const struct hs_block trap = { .iaddr = w[0] | (uint64_t)w[1] << 32, .itype = arg & 15u,
	                               .priv = arg >> 4 & 7u };
	const struct hs_block event = { .value = w[2] | (uint64_t)w[3] << 32, .arg = w[4],
	                                .kind = HS_KIND_TRAP, .priv = trap.priv };
	const struct rec_run *p = s->open.prev;
	uint8_t ilast;

	if ((trap.iaddr & 1u) ||
	    (trap.itype != HS_ITYPE_EXCEPTION && trap.itype != HS_ITYPE_INTERRUPT))
		return HS_E_FORMAT;
	if (p == NULL && s->open.joined > 0)
		return HS_E_FORMAT;
	if (p == NULL)
		queue_block(s, &trap);
	else if (w[5] == HS_REC_TRAP_ALL && p->block.itype != HS_ITYPE_NONE)
		queue_and_trap(s, trap.iaddr, &trap);
	else if (w[5] == HS_REC_TRAP_ALL)
		queue_prefix(s, p->block.iretire, trap.itype);
	else if (prefix(s, p, w[5], &ilast) != UINT32_MAX)
		queue_prefix(s, w[5], trap.itype);
	else
		return HS_E_FORMAT;
	queue_block(s, &event);
	queue_events(s);
	return HS_OK;
}

/* The emulator left a run in its middle, and continued there with another one. */
static enum hs_status read_cut(struct hs_rec_stream *s, const uint32_t *escape)
{
	const uint32_t hwords = HS_REC_ESCAPE_ARG(*escape);
	uint8_t ilast;

	if (s->open.prev == NULL || hwords == 0 ||
	    prefix(s, s->open.prev, hwords, &ilast) == UINT32_MAX)
		return HS_E_FORMAT;
	join(s, s->open.prev, hwords, ilast);
	s->open.prev = NULL;
	return HS_OK;
}

/* The hart stands still before an instruction, and does not continue from there. */
static enum hs_status read_stand(struct hs_rec_stream *s, const uint32_t *escape)
{
	const uint32_t hwords = HS_REC_ESCAPE_ARG(*escape);
	const uint64_t pc = escape[1] | (uint64_t)escape[2] << 32;
	const struct rec_run *p = s->open.prev;
	uint8_t ilast;

	if (pc & 1u)
		return HS_E_FORMAT;
	if (p == NULL)
		return s->open.joined > 0 ? HS_E_FORMAT : HS_OK;
	if (hwords == HS_REC_STAND_ALL) {
		if (p->block.itype == HS_ITYPE_NONE || !can_lead_to(p, pc))
			rec_stream_finish(s);
		else
			queue_outcome(s, pc);
	} else if (prefix(s, p, hwords, &ilast) != UINT32_MAX) {
		queue_prefix(s, hwords, HS_ITYPE_NONE);
	} else {
		return HS_E_FORMAT;
	}
	queue_events(s);
	return HS_OK;
}

/* A data access: before the open block, to which it belongs. */
static enum hs_status read_access(struct hs_rec_stream *s, const uint32_t *escape)
{
	struct hs_access a;

	hs_rec_access_unpack(escape, &a);
	if (hs_access_check(&a) != HS_OK)
		return HS_E_FORMAT;
	s->queue.n += hs_access_put(&a, s->queue.items + s->queue.n);
	return HS_OK;
}

/* A stream may begin here; where it does, its beginning was not kept, and the events that follow
 * say what the words before did. */
static enum hs_status read_anew(struct hs_rec_stream *s, const uint32_t *escape)
{
	const uint64_t before = escape[1] | (uint64_t)escape[2] << 32;
	const json_t *skipped = s->rec->listed == NULL
	                                ? NULL
	                                : json_object_get(s->rec->listed[s->index], "skipped");
	const struct hs_block note = { .value = skipped == NULL
		                                        ? before
		                                        : (uint64_t)json_integer_value(skipped),
		                       .arg = HS_NOTE_NOT_KEPT,
		                       .kind = HS_KIND_NOTE };

	rec_stream_moves_reset(s);
	if (s->anew.begun)
		s->anew.repeated = HS_REC_ESCAPE_ARG(*escape);
	else
		s->queue.events[s->queue.event_count++] = note;
	return HS_OK;
}

/* A handler returned.  Where to is in the log, as where it led there decides what ended before. */
static enum hs_status read_resume(struct hs_rec_stream *s, const uint32_t *escape)
{
	(void)s;
	(void)escape;
	return HS_OK;
}

/* A page of code is elsewhere. */
static enum hs_status read_moved(struct hs_rec_stream *s, const uint32_t *escape)
{
	const struct rec_moves *moves = &s->rec->moves;
	const uint32_t move = escape[1];

	if (move >= moves->count && (rec_live_update(s->rec) != HS_OK || move >= moves->count))
		return s->rec->info.complete ? HS_E_FORMAT : HS_E_CUT;
	return rec_stream_move(s, move);
}

enum hs_status rec_stream_escape(struct hs_rec_stream *s)
{
	static const struct {
		enum hs_status (*read)(struct hs_rec_stream *s, const uint32_t *escape);
		bool flows;
	} escapes[] = {
#define REC_ESCAPE(NAME, number, words, flows, name, ...) [number] = { read_##name, flows },
#include "recording/words.def"
	};
	const uint32_t *escape = s->words + s->at;
	const uint32_t kind = HS_REC_ESCAPE_KIND(*escape);
	const size_t n = 1 + hs_rec_words_after(*escape);

	if (kind >= sizeof(escapes) / sizeof(escapes[0]))
		return HS_E_FORMAT;
	if (s->count - s->at < n)
		return HS_MORE;
	if (s->rec->is_flow && !escapes[kind].flows)
		return HS_E_FORMAT;
	const enum hs_status status = escapes[kind].read(s, escape);

	s->at += n;
	s->anew.begun = true;
	return status;
}
