/* Lint: messages by the program.  A decoder follows them; what it refuses is a finding, and so is
 * some of what it tolerates. */
#include "ntrace/lint.h"

#include "core/mem.h"
#include "ntrace/nt_decoder.h"
#include "ntrace/source.h"

#define ITEMS 16

/* What each reason of the decoder is a finding of.  NONE: found without a program. */
#define NONE HS_NT_FIND_COUNT
static const struct {
	uint8_t reason;
	uint16_t id;
} findings[] = {
	{ HS_REASON_NO_CODE, HS_NT_FIND_FLOW_NO_CODE },
	{ HS_REASON_ICNT_IN_INSN, HS_NT_FIND_FLOW_SPLIT },
	{ HS_REASON_ICNT_NOT_BRANCH, HS_NT_FIND_FLOW_NOT_BRANCH },
	{ HS_REASON_ICNT_AT_JUMP, HS_NT_FIND_FLOW_NOT_BRANCH },
	{ HS_REASON_HIST_TOO_SHORT, HS_NT_FIND_FLOW_NO_BIT },
	{ HS_REASON_HIST_TOO_LONG, HS_NT_FIND_FLOW_SPARE_BITS },
	{ HS_REASON_ICNT_BELOW_HIST, HS_NT_FIND_FLOW_LESS },
	{ HS_REASON_HIST_JUMP, HS_NT_FIND_FLOW_BAD_BIT },
	{ HS_REASON_HIST_LOOP, HS_NT_FIND_FLOW_LOOP },
	{ HS_REASON_HIST_PAST_JUMP, HS_NT_FIND_FLOW_HIST_PAST },
	{ HS_REASON_ICNT_PAST_JUMP, HS_NT_FIND_FLOW_ICNT_PAST },
	{ HS_REASON_NO_TARGET, HS_NT_FIND_FLOW_NO_TARGET },
	{ HS_REASON_ICNT_NOT_JUMP, HS_NT_FIND_FLOW_NOT_JUMP },
	{ HS_REASON_FADDR_ELSEWHERE, HS_NT_FIND_FLOW_ELSEWHERE },
	{ HS_REASON_HIST_NO_STOP, NONE },
	{ HS_REASON_NO_REPEAT, NONE },
};

static unsigned finding_of(const struct hs_nt_diag *diag)
{
	for (size_t i = 0; i < sizeof findings / sizeof *findings; i++)
		if (findings[i].reason == diag->reason)
			return findings[i].id;
	if (diag->status == HS_E_ICNT || diag->status == HS_E_HIST || diag->status == HS_E_FLOW)
		return HS_NT_FIND_FLOW_OTHER;
	return NONE; /* bytes, fields, lost messages, memory */
}

/* Blocks that a message ended. */
struct ended {
	struct hs_block last;
	unsigned count;
};

/* The decoder's source that the message names; NULL: there was none before. */
static const struct hs_nt_source *find_followed(const struct hs_nt_lint *l)
{
	const size_t i = stream_find(&l->decoder->stream, l->msg.src);

	return i < l->decoder->stream.count ? &l->decoder->sources[i] : NULL;
}

/* In a context without a program no code is known, and nothing is wrong (design/contexts). */
static bool is_foreign(const struct hs_nt_lint *l, const struct hs_nt_source *s)
{
	return s && !stream_has_program(&l->decoder->stream, &s->track);
}

static void report_fault(struct hs_nt_lint *l)
{
	const struct hs_nt_diag *diag = hs_nt_decoder_diag(l->decoder);
	const unsigned id = finding_of(diag);

	if (id != NONE && !(id == HS_NT_FIND_FLOW_NO_CODE && is_foreign(l, find_followed(l))))
		nt_lint_pc(l, id, diag->pc);
}

/* Give bytes to the decoder.  True: it followed. */
static bool feed(struct hs_nt_lint *l, const uint8_t *p, size_t n, bool report,
                 struct ended *ended)
{
	struct hs_block items[ITEMS];
	struct hs_span in = { p, n };
	enum hs_status s;
	bool good = true;
	size_t count;

	do {
		s = hs_nt_decoder_next(l->decoder, &in, items, ITEMS, &count);
		for (size_t i = 0; i < count; i++)
			if (items[i].kind == HS_KIND_BLOCK) {
				memcpy(&ended->last, &items[i], sizeof ended->last);
				ended->count++;
			}
		if (s == HS_MORE || s == HS_FULL)
			continue;
		good = false;
		if (report)
			report_fault(l);
	} while (s != HS_MORE);
	return good;
}

void nt_lint_flow_lost(struct hs_nt_lint *l)
{
	struct ended ended;

	ended.count = 0;
	hs_nt_decoder_lose(l->decoder);
	feed(l, l->buffer, 0, false, &ended); /* writes the gaps */
}

static struct hs_nt_lint_source *find_ordered(struct hs_nt_lint *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->sources[i].src == l->msg.src)
			return &l->sources[i];
	return NULL;
}

/* Did the block end with an ecall or ebreak that counts as retired? */
static bool counts_ecall(const struct hs_nt_source *s, const struct hs_block *b)
{
	const uint64_t at = b->iaddr + 2 * (uint64_t)b->iretire - 2 * (uint64_t)b->ilast;
	struct hs_insn insn;

	return b->iretire && hs_img_insn(s->track.table->image, at, &insn) == HS_OK &&
	       (insn.kind == HS_INSN_ECALL || insn.kind == HS_INSN_EBREAK);
}

/* What the decoder tolerates at the end of a block. */
static void check_block(struct hs_nt_lint *l, const struct hs_nt_source *s,
                        const struct hs_block *b)
{
	const struct hs_nt_msg *m = &l->msg;
	const bool jump = HAS(m, BTYPE) && GET(m, BTYPE) == 0;

	if (b->itype == HS_ITYPE_EXCEPTION && counts_ecall(s, b)) {
		nt_lint_pc(l, HS_NT_FIND_FLOW_ECALL, b->iaddr);
		if (jump)
			nt_lint_pc(l, HS_NT_FIND_FLOW_TRAP_0, b->iaddr);
	}
	if (jump && b->sijump && l->config.sequential_jump && hs_itype_uninferable(b->itype))
		nt_lint_pc(l, HS_NT_FIND_FLOW_PAIR, b->iaddr);
}

/* Whose program a synchronising address is in, the Ownership message after it says (NT 7.1). */
static void check_address(struct hs_nt_lint *l, const struct hs_nt_source *s)
{
	struct hs_insn insn;

	if (is_foreign(l, s) || (l->decoder->stream.table_count && nt_lint_sync(&l->msg)))
		return;
	if ((HAS(&l->msg, UADDR) || HAS(&l->msg, FADDR)) &&
	    hs_img_insn(s->track.table->image, s->ref, &insn) != HS_OK)
		nt_lint_pc(l, HS_NT_FIND_FLOW_TARGET, s->ref);
}

/* Did the message's half-words end with a branch that is taken? */
static bool at_branch(const struct hs_nt_lint *l, const struct hs_nt_source *s,
                      const struct hs_block *last)
{
	return last->kind == HS_KIND_BLOCK && !flow_open(&s->track.walk) &&
	       (last->itype == HS_ITYPE_TAKEN || l->config.all_jumps);
}

static bool breaks_flow(const struct hs_nt_msg *m)
{
	return m->tcode == HS_NT_PROG_TRACE_CORRELATION ||
	       (HAS(m, SYNC) && nt_is_restart((unsigned)GET(m, SYNC)));
}

void nt_lint_flow(struct hs_nt_lint *l)
{
	const struct hs_nt_source *before = find_followed(l);
	const bool synced = before && before->track.state == TRACK_SYNCED;
	const struct hs_nt_msg *m = &l->msg;
	struct ended ended = { .last = { .kind = HS_KIND_GAP } };
	const struct hs_block *last = &ended.last;
	const bool good = feed(l, l->buffer, l->held, true, &ended);
	const struct hs_nt_source *s = find_followed(l);
	struct hs_nt_lint_source *order = find_ordered(l);

	if (!good || !s || !order)
		return;
	if (s->track.state == TRACK_SYNCED) /* else where it leads is not followed */
		check_address(l, s);
	if (m->tcode == HS_NT_DIRECT_BRANCH_SYNC && synced && !at_branch(l, s, last))
		nt_lint_pc(l, HS_NT_FIND_FLOW_SYNC_BRANCH, flow_pc(&s->track.walk));
	if (HAS(m, BTYPE) && GET(m, BTYPE) && ended.count == 1 && last->iretire == 0 &&
	    !nt_lint_sync(m) && order->itype == HS_ITYPE_XRET)
		nt_lint_pc(l, HS_NT_FIND_FLOW_TRAP_XRET, s->ref);
	if (last->kind == HS_KIND_BLOCK) {
		order->itype = last->itype;
		check_block(l, s, last);
	}
	if (breaks_flow(m)) /* what comes next does not follow the last block */
		order->itype = HS_ITYPE_NONE;
}
