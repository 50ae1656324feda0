/* Lint: messages by the program.  A decoder follows them; what it refuses is a finding, and so is
 * some of what it tolerates. */
#include "ntrace/lint.h"

#include "base/mem.h"
#include "ntrace/source.h"

#define ITEMS 16

/* The decoder's reasons, by the beginning of its sentence.  NONE: found without a program. */
#define NONE HS_NT_FIND_COUNT
static const struct reason {
	const char *why;
	uint16_t id;
} reasons[] = {
	{ "no code is known", HS_NT_FIND_FLOW_NO_CODE },
	{ "I-CNT ends inside an instruction", HS_NT_FIND_FLOW_SPLIT },
	{ "I-CNT does not end at a conditional branch", HS_NT_FIND_FLOW_NOT_BRANCH },
	{ "I-CNT passes a branch", HS_NT_FIND_FLOW_NO_BIT },
	{ "I-CNT ends before the branches", HS_NT_FIND_FLOW_SPARE_BITS },
	{ "I-CNT is less than HIST", HS_NT_FIND_FLOW_LESS },
	{ "HIST has a direct jump", HS_NT_FIND_FLOW_BAD_BIT },
	{ "HIST has a branch where the program loops", HS_NT_FIND_FLOW_LOOP },
	{ "HIST goes on past", HS_NT_FIND_FLOW_HIST_PAST },
	{ "I-CNT goes on past", HS_NT_FIND_FLOW_ICNT_PAST },
	{ "an indirect jump retired", HS_NT_FIND_FLOW_NO_TARGET },
	{ "I-CNT does not end at an indirect jump", HS_NT_FIND_FLOW_NOT_JUMP },
	{ "F-ADDR is not where", HS_NT_FIND_FLOW_ELSEWHERE },
	{ "HIST has no stop bit", NONE },
	{ "no branch message to repeat", NONE },
};

static bool begins(const char *text, const char *with)
{
	while (*with && *text == *with)
		text++, with++;
	return !*with;
}

static unsigned finding_of(const struct hs_nt_diag *diag)
{
	if (diag->status != HS_E_ICNT && diag->status != HS_E_HIST && diag->status != HS_E_FLOW &&
	    diag->status != HS_E_NOCODE)
		return NONE; /* bytes, fields, lost messages, memory */
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (begins(diag->why, reasons[i].why))
			return reasons[i].id;
	return HS_NT_FIND_FLOW_OTHER;
}

/* Give bytes to the decoder.  @last: the last block that it wrote.  True: it followed. */
static bool feed(struct hs_nt_lint *l, const uint8_t *p, size_t n, bool report, struct hs_block *last)
{
	struct hs_block items[ITEMS];
	struct hs_span in = { p, n };
	enum hs_status s;
	bool good = true;
	size_t count;

	do {
		s = hs_nt_decoder_next(l->decoder, &in, items, ITEMS, &count);
		for (size_t i = 0; i < count; i++)
			if (items[i].kind == HS_KIND_BLOCK)
				memcpy(last, &items[i], sizeof *last);
		if (s == HS_MORE || s == HS_FULL)
			continue;
		const struct hs_nt_diag *diag = hs_nt_decoder_diag(l->decoder);
		const unsigned id = finding_of(diag);

		good = false;
		if (report && id != NONE)
			nt_lint_pc(l, id, diag->pc);
	} while (s != HS_MORE);
	return good;
}

void nt_lint_flow_lost(struct hs_nt_lint *l)
{
	static const uint8_t damage[] = { 0x02, 0x03 }; /* MSEO 10: no message (NT 3.1) */
	struct hs_block last;

	feed(l, damage, sizeof damage, false, &last);
}

static const struct hs_nt_source *followed(const struct hs_nt_lint *l)
{
	const struct hs_stream *stream = &l->decoder->stream;

	for (size_t i = 0; i < stream->count; i++)
		if (stream_track(stream, i)->src == l->msg.src)
			return (const struct hs_nt_source *)stream_track(stream, i);
	return NULL;
}

static struct hs_nt_lint_source *ordered(struct hs_nt_lint *l)
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
static void check_block(struct hs_nt_lint *l, const struct hs_nt_source *s, const struct hs_block *b)
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

static void check_address(struct hs_nt_lint *l, const struct hs_nt_source *s)
{
	struct hs_insn insn;

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

void nt_lint_flow(struct hs_nt_lint *l)
{
	const struct hs_nt_source *before = followed(l);
	const bool synced = before && before->track.state == TRACK_SYNCED;
	const struct hs_nt_msg *m = &l->msg;
	struct hs_block last = { .kind = HS_KIND_GAP };
	const bool good = feed(l, l->buffer, l->held, true, &last);
	const struct hs_nt_source *s = followed(l);
	struct hs_nt_lint_source *order = ordered(l);

	if (!m->known || !good || !s || !order)
		return;
	check_address(l, s);
	if (m->tcode == HS_NT_DIRECT_BRANCH_SYNC && synced && !at_branch(l, s, &last))
		nt_lint_pc(l, HS_NT_FIND_FLOW_SYNC_BRANCH, flow_pc(&s->track.walk));
	if (HAS(m, BTYPE) && GET(m, BTYPE) && GET(m, ICNT) == 0 && !nt_lint_sync(m) &&
	    order->itype == HS_ITYPE_XRET)
		nt_lint_pc(l, HS_NT_FIND_FLOW_TRAP_XRET, s->ref);
	if (last.kind != HS_KIND_BLOCK)
		return;
	order->itype = last.itype;
	check_block(l, s, &last);
}
