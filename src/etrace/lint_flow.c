/* Lint: packets that contradict the program.  A decoder follows them; what it refuses is a finding,
 * and so is some of what it tolerates. */
#include "etrace/lint.h"

#include "core/mem.h"
#include "etrace/et_decoder.h"
#include "etrace/source.h"

#define ITEMS 32

/* The finding for each reason of the decoder.  Other reasons are found without a program. */
#define NONE HS_ET_FIND_COUNT
static const struct {
	uint8_t reason;
	uint16_t id;
} findings[] = {
	{ HS_REASON_NO_CODE, HS_ET_FIND_FLOW_NO_CODE },
	{ HS_REASON_NO_CODE_AT_SYNC, HS_ET_FIND_FLOW_SYNC_NO_CODE },
	{ HS_REASON_BRANCH_UNREPORTED, HS_ET_FIND_FLOW_NO_BIT },
	{ HS_REASON_BRANCHES_LEFT, HS_ET_FIND_FLOW_SPARE_BITS },
	{ HS_REASON_JUMP_BEFORE_BRANCH, HS_ET_FIND_FLOW_UNINFERABLE },
	{ HS_REASON_JUMPS_LOOP, HS_ET_FIND_FLOW_LOOP },
	{ HS_REASON_NO_HANDLER, HS_ET_FIND_FLOW_NO_HANDLER },
	{ HS_REASON_CACHE_EMPTY, HS_ET_FIND_FLOW_CACHE },
};

static unsigned finding_of(const struct hs_et_diag *diag)
{
	for (size_t i = 0; i < sizeof findings / sizeof *findings; i++)
		if (findings[i].reason == diag->reason)
			return findings[i].id;
	return NONE;
}

static void look_at_items(struct hs_et_lint *l, const struct hs_block *items, size_t count,
                          struct hs_block *last)
{
	for (size_t i = 0; i < count; i++) {
		if (items[i].kind == HS_KIND_BLOCK)
			memcpy(last, &items[i], sizeof *last);
		if (items[i].kind == HS_KIND_NOTE && items[i].arg == HS_NOTE_AMBIGUOUS)
			et_lint_pc(l, HS_ET_FIND_FLOW_AMBIGUOUS, items[i].value);
	}
}

static const struct hs_et_source *find_followed(const struct hs_et_lint *l)
{
	const size_t i = stream_find(&l->decoder->stream, l->packet.src);

	return i < l->decoder->stream.count ? &l->decoder->sources[i] : NULL;
}

/* In a context without a program no code is known, and nothing is wrong (design/contexts). */
static bool is_foreign(const struct hs_et_lint *l)
{
	const struct hs_et_source *s = find_followed(l);

	return s && !stream_has_program(&l->decoder->stream, &s->track);
}

static void report_fault(struct hs_et_lint *l)
{
	const struct hs_et_diag *diag = hs_et_decoder_diag(l->decoder);
	const unsigned id = finding_of(diag);
	const bool no_code = id == HS_ET_FIND_FLOW_NO_CODE || id == HS_ET_FIND_FLOW_SYNC_NO_CODE;

	if (id != NONE && !(no_code && is_foreign(l)))
		et_lint_pc(l, id, diag->pc);
}

/* Give the first @n held bytes to the decoder.  @last: the last block that it wrote.  True: no
 * fault. */
static bool feed(struct hs_et_lint *l, size_t n, bool report, struct hs_block *last)
{
	struct hs_block items[ITEMS];
	struct hs_span in = { l->buffer, n };
	enum hs_status s;
	bool good = true;
	size_t count;

	do {
		s = hs_et_decoder_next(l->decoder, &in, items, ITEMS, &count);
		if (report)
			look_at_items(l, items, count, last);
		if (s == HS_MORE || s == HS_FULL)
			continue;
		if (report && good)
			report_fault(l);
		good = false;
	} while (s != HS_MORE);
	return good;
}

void et_lint_flow_lost(struct hs_et_lint *l)
{
	struct hs_block last;

	hs_et_decoder_lose(l->decoder);
	feed(l, 0, false, &last); /* writes the gaps */
}

static unsigned kind_at(const struct hs_image *image, uint64_t addr)
{
	struct hs_insn insn;

	return hs_img_insn(image, addr, &insn) == HS_OK ? insn.kind : HS_INSN_LINEAR;
}

/* The field branch of a synchronising packet has to be 1 where the address is no branch (ET Format
 * 3 branch). */
static void check_branch(struct hs_et_lint *l, const struct hs_et_source *s)
{
	const bool start = l->packet.form == HS_ET_FORM_START;
	const bool handler = l->packet.form == HS_ET_FORM_TRAP && et_lint_get(l, HS_ETF_THADDR);

	if ((start || handler) && !et_lint_get(l, HS_ETF_BRANCH) &&
	    kind_at(s->track.table->image, s->address) != HS_INSN_BRANCH)
		et_lint_pc(l, HS_ET_FIND_FLOW_SYNC_BRANCH, s->address);
}

/* Where ecause is that of an ecall, was it an ecall that trapped?  It is the last instruction of
 * the block, or the one after it, which did not retire.  @image: of the context before the packet,
 * which may say another one. */
static void check_ecall(struct hs_et_lint *l, const struct hs_image *image,
                        const struct hs_block *b)
{
	const uint64_t cause = et_lint_get(l, HS_ETF_ECAUSE);
	const uint64_t end = b->iaddr + 2 * (uint64_t)b->iretire;

	if (l->packet.form != HS_ET_FORM_TRAP || et_lint_get(l, HS_ETF_INTERRUPT) || cause < 8 ||
	    cause > 11 || l->reader.config.ecause_width < 6 || b->itype != HS_ITYPE_EXCEPTION)
		return;
	if (kind_at(image, end) != HS_INSN_ECALL &&
	    !(b->iretire && kind_at(image, end - 2 * (uint64_t)b->ilast) == HS_INSN_ECALL))
		et_lint_pc(l, HS_ET_FIND_FLOW_ECALL, end);
}

void et_lint_flow(struct hs_et_lint *l)
{
	const struct hs_et_source *before = find_followed(l);
	/* Of a trap without an instruction before it the address may be undefined (ET Format 3
	 * thaddr). */
	const bool placed = before && before->track.state == TRACK_SYNCED;
	const struct hs_image *image = placed ? before->track.table->image : NULL;
	struct hs_block last = { .kind = HS_KIND_GAP };
	const bool good = feed(l, l->held, true, &last);
	const struct hs_et_source *s = find_followed(l);

	if (!good || !s)
		return;
	if (placed && last.kind == HS_KIND_BLOCK)
		check_ecall(l, image, &last);
	if (s->track.state != TRACK_SYNCED) /* unmapped */
		return;
	if (l->reader.config.wire.arrivals)
		return;
	check_branch(l, s);
	if (et_lint_get(l, HS_ETF_NOTIFY) && s->landed == ET_LANDED_JUMP)
		et_lint_pc(l, HS_ET_FIND_FLOW_NOTIFY, s->address);
}
