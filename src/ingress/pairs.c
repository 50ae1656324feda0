/* Pairs (source, target) of transfers, with the program between them.
 *
 * A pair has phases: is the way to its source known, then that way, then the transfer itself.  Each
 * may find the output full, and goes on there later. */
#include "ingress/lines.h"

#include "core/mem.h"

enum form { FORM_NONE, FORM_PLAIN, FORM_NEORV32, FORM_PERF, FORM_CTR };
enum phase { PHASE_FIND, PHASE_WALK, PHASE_TRANSFER };

/* Instructions between two transfers, at most: a loop of direct jumps never ends. */
enum { WAY_MAX = 1 << 20 };

/* CTR: types of transfers, and where the bits begin that leave types out. */
enum {
	CTR_EXCEPTION = 1,
	CTR_INTERRUPT = 2,
	CTR_TAKEN = 5,
	CTR_CALL = 9,
	CTR_JUMP = 11,
	CTR_OTHER = 15,
	CTR_FILTERS = 32,
	CTR_VALID = 1
};

enum hs_status hs_pairs_init(struct hs_pairs *p, const struct hs_image *image)
{
	if (image->count == 0)
		return HS_E_CONFIG;
	memset(p, 0, sizeof *p);
	p->image = image;
	hs_builder_init(&p->builder, image->isa.xlen);
	return HS_OK;
}

/* ---- between two transfers ------------------------------------------------------------ */

static bool is_filtered(const struct hs_pairs *p, unsigned type)
{
	return p->form == FORM_CTR && (p->filters >> (CTR_FILTERS + type) & 1);
}

static bool is_direct(const struct hs_insn *insn)
{
	return insn->kind == HS_INSN_JUMP || insn->kind == HS_INSN_CALL;
}

/* A system call: where only one mode is recorded, it has no pair, and returns after itself. */
static bool is_call_back(const struct hs_pairs *p, const struct hs_insn *insn)
{
	return insn->kind == HS_INSN_ECALL && p->form != FORM_NEORV32;
}

/* Where the instruction at @at leads without a pair of its own.  False: nobody knows. */
static bool lead_on(const struct hs_pairs *p, uint64_t at, const struct hs_insn *insn,
                    uint64_t *next)
{
	const unsigned type = insn->kind == HS_INSN_CALL   ? CTR_CALL
	                      : insn->kind != HS_INSN_JUMP ? CTR_TAKEN
	                      : insn->nolink               ? CTR_JUMP
	                                                   : CTR_OTHER;

	const uint64_t after = at + 2u * insn->hwords;

	*next = is_direct(insn) ? insn->target : after;
	if (is_direct(insn))
		return *next == after || is_filtered(p, type);
	return insn->kind == HS_INSN_LINEAR || is_call_back(p, insn) ||
	       (insn->kind == HS_INSN_BRANCH && !is_filtered(p, type));
}

/* A circle, in which every line of a log might go round, comes to @mark again. */
static bool leads_to(const struct hs_pairs *p, uint64_t at, uint64_t source)
{
	uint64_t mark = at;
	struct hs_insn insn;

	for (unsigned n = 1; n < WAY_MAX && at != source; n++) {
		if (hs_img_insn(p->image, at, &insn) != HS_OK || !lead_on(p, at, &insn, &at) ||
		    at == mark)
			return false;
		mark = n & (n - 1) ? mark : at;
	}
	return at == source;
}

static enum hs_status put_insn(struct hs_pairs *p, uint64_t at, const struct hs_insn *insn,
                               struct hs_blocks *out)
{
	const struct hs_retired r = {
		.iaddr = at, .insn = *insn, .known = true, .priv = HS_PRIV_UNKNOWN
	};

	return hs_builder_insn(&p->builder, &r, out);
}

/* What was before is not known. */
static enum hs_status put_gap(struct hs_pairs *p, struct hs_blocks *out)
{
	const struct hs_block gap = { .value = p->lines.offset,
		                      .arg = HS_E_BLOCK,
		                      .kind = HS_KIND_GAP };
	const enum hs_status s = hs_builder_flush(&p->builder, out);

	if (s == HS_OK)
		out->at[out->n++] = gap;
	return s;
}

static enum hs_status walk(struct hs_pairs *p, uint64_t source, struct hs_blocks *out)
{
	enum hs_status s = HS_OK;
	struct hs_insn insn;

	while (s == HS_OK && p->at != source) {
		uint64_t next;

		hs_img_insn(p->image, p->at, &insn);
		lead_on(p, p->at, &insn, &next);
		s = put_insn(p, p->at, &insn, out);
		if (s == HS_OK)
			p->at = next;
	}
	return s;
}

/* ---- transfers ------------------------------------------------------------------------ */

/* Does the program go from there to the target without a trap? */
static bool is_jump(const struct hs_pair *t, const struct hs_insn *insn)
{
	switch (insn->kind) {
	case HS_INSN_LINEAR:
	case HS_INSN_ECALL:
	case HS_INSN_EBREAK:
		return false;
	case HS_INSN_BRANCH:
		return t->target == insn->target || t->target == t->source + 2u * insn->hwords;
	default:
		return !is_direct(insn) || t->target == insn->target;
	}
}

/* The instruction at the source, or the trap that struck there.  Room is for both. */
static enum hs_status put_transfer(struct hs_pairs *p, const struct hs_pair *t,
                                   struct hs_blocks *out)
{
	struct hs_insn insn;

	if (out->cap - out->n < HS_IMPORT_ROOM)
		return HS_FULL;
	p->at = t->target;
	p->known = hs_img_insn(p->image, p->at, &insn) == HS_OK;
	if (hs_img_insn(p->image, t->source, &insn) != HS_OK)
		return HS_OK;
	const bool calls = insn.kind == HS_INSN_ECALL || insn.kind == HS_INSN_EBREAK;
	const bool trap = t->trap || !is_jump(t, &insn);
	const struct hs_trap struck = { .epc = t->source,
		                        .interrupt = t->trap ? t->interrupt : !calls,
		                        .no_cause = true,
		                        .priv = HS_PRIV_UNKNOWN };
	enum hs_status s = HS_OK;

	if (!trap || (calls && !struck.interrupt))
		s = put_insn(p, t->source, &insn, out);
	if (s == HS_OK && trap)
		s = hs_builder_trap(&p->builder, &struck, out);
	return s;
}

/* Is the way to the next source known?  The first pair, and one after a gap, begin at theirs. */
static enum hs_status find_way(struct hs_pairs *p, uint64_t source, struct hs_blocks *out)
{
	const bool begins = !p->builder.have && !p->known;

	if (p->known && leads_to(p, p->at, source))
		return HS_OK;
	p->at = source;
	return begins ? HS_OK : put_gap(p, out);
}

static enum hs_status pass_on(struct hs_pairs *p, struct hs_blocks *out)
{
	enum hs_status s = HS_OK;

	while (s == HS_OK && p->next < p->n) {
		const struct hs_pair *t = &p->queue[p->next];

		if (out->cap - out->n < HS_IMPORT_ROOM)
			return HS_FULL;
		s = p->phase == PHASE_FIND   ? find_way(p, t->source, out)
		    : p->phase == PHASE_WALK ? walk(p, t->source, out)
		                             : put_transfer(p, t, out);
		if (s == HS_OK)
			p->next += p->phase == PHASE_TRANSFER;
		if (s == HS_OK)
			p->phase = p->phase == PHASE_TRANSFER ? PHASE_FIND : p->phase + 1;
	}
	return s;
}

/* ---- lines ---------------------------------------------------------------------------- */

static bool find_word(struct base_text t, const char *word, struct base_text *after)
{
	for (; t.p < t.end; t.p++) {
		*after = t;
		if (base_text_skip(after, word))
			return true;
	}
	return false;
}

static bool take_hex(struct base_text *t, uint64_t *value)
{
	base_text_skip_blanks(t);
	if (!base_text_skip(t, "0x"))
		base_text_skip(t, "0X");
	*value = base_text_number(t, 16, NULL);
	return t->ok;
}

static bool add(struct hs_pairs *p, uint64_t source, uint64_t target, bool trap)
{
	const struct hs_pair t = { .source = source & ~(uint64_t)1,
		                   .target = target & ~(uint64_t)1,
		                   .trap = trap };

	if (p->n == HS_PAIRS_MAX)
		return false;
	p->queue[p->n++] = t;
	return true;
}

/* NEORV32's: the flags of the script, whatever bit of which word they were. */
static bool take_neorv32(struct hs_pairs *p, struct base_text t)
{
	struct base_text source, target, mark;
	uint64_t from, to;

	if (!find_word(t, "SRC:", &source) || !find_word(t, "DST:", &target) ||
	    !take_hex(&source, &from) || !take_hex(&target, &to))
		return false;
	if (find_word(t, "<TRACE_START>", &mark))
		p->known = false;
	return add(p, from, to, find_word(t, "<TRAP_ENTRY>", &mark));
}

/* perf's: words FROM/TO/..., the youngest first; each line is a sample of its own. */
static bool take_perf(struct hs_pairs *p, struct base_text t)
{
	uint64_t from, to;

	while (t.p < t.end) {
		struct base_text word = t;

		base_text_skip_to(&t, ' ');
		base_text_skip_blanks(&t);
		if (base_text_peek(&word, '0') && take_hex(&word, &from) &&
		    base_text_skip(&word, "/") && base_text_peek(&word, '0') &&
		    take_hex(&word, &to) && base_text_skip(&word, "/") && !add(p, from, to, false))
			return false;
	}
	for (uint32_t i = 0; i < p->n / 2; i++) {
		const struct hs_pair swap = p->queue[i];

		p->queue[i] = p->queue[p->n - 1 - i];
		p->queue[p->n - 1 - i] = swap;
	}
	return p->n != 0;
}

static bool take_plain(struct hs_pairs *p, struct base_text t)
{
	uint64_t from, to;

	if (!take_hex(&t, &from))
		return false;
	base_text_skip_blanks(&t);
	if (!base_text_skip(&t, "->"))
		base_text_skip(&t, ",");
	if (!take_hex(&t, &to) || !(t.p == t.end || *t.p == ',' || *t.p == ' ' || *t.p == '\t'))
		return false;
	return add(p, from, to, false);
}

/* ---- CTR ------------------------------------------------------------------------------ */

/* "ctrsource[3] = 0x1": *value; -1 is the number of a register that has none. */
static bool take_entry(struct base_text t, const char *name, unsigned *i, uint64_t *value)
{
	struct base_text at;

	if (!find_word(t, name, &at))
		return false;
	*i = 0;
	if (base_text_skip(&at, "[")) {
		*i = (unsigned)base_text_number(&at, 10, NULL);
		base_text_expect(&at, "]");
	}
	base_text_skip_blanks(&at);
	if (!base_text_skip(&at, "="))
		base_text_expect(&at, ":");
	base_text_skip_blanks(&at);
	*value = base_text_number_0x(&at);
	return at.ok && *i < HS_PAIRS_MAX;
}

/* The entries stay until the dump is over. */
static bool take_ctr(struct hs_pairs *p, struct base_text t)
{
	static const char *const controls[] = { "mctrctl", "sctrctl", "vsctrctl" };
	bool found = false;
	uint64_t v;
	unsigned i;

	for (unsigned k = 0; k < 3; k++)
		if (take_entry(t, controls[k], &i, &v)) {
			p->filters |= v;
			found = true;
		}
	if (take_entry(t, "ctrsource", &i, &v)) {
		p->queue[i].source = v;
		found = true;
	}
	if (take_entry(t, "ctrtarget", &i, &v)) {
		p->queue[i].target = v & ~(uint64_t)1;
		found = true;
	}
	if (take_entry(t, "ctrdata", &i, &v)) {
		p->data[i] = v;
		found = true;
	}
	return found;
}

/* The dump is over: its valid entries in the order of time. */
static void order_entries(struct hs_pairs *p)
{
	struct hs_pair all[HS_PAIRS_MAX];

	if (p->form != FORM_CTR || p->n)
		return;
	memcpy(all, p->queue, sizeof all);
	for (unsigned i = HS_PAIRS_MAX; i-- > 0;) {
		const unsigned type = p->data[i] & 15;

		if (!(all[i].source & CTR_VALID))
			continue;
		add(p, all[i].source, all[i].target,
		    type == CTR_EXCEPTION || type == CTR_INTERRUPT);
		p->queue[p->n - 1].interrupt = type == CTR_INTERRUPT;
	}
}

/* ---- the importer --------------------------------------------------------------------- */

static const struct {
	bool (*take)(struct hs_pairs *p, struct base_text t);
	uint8_t form;
} forms[] = { { take_neorv32, FORM_NEORV32 },
	      { take_ctr, FORM_CTR },
	      { take_perf, FORM_PERF },
	      { take_plain, FORM_PLAIN } };

/* Also a rule, as the script of NEORV32 draws it, and what perf says of its mappings. */
static bool is_comment(struct base_text t)
{
	return t.p == t.end || *t.p == '#' || *t.p == '-' || base_text_skip(&t, "PERF_RECORD_");
}

static enum hs_status take_line(void *state, struct hs_blocks *out)
{
	struct hs_pairs *p = state;
	struct base_text t = import_text(&p->lines);
	const bool others = p->form > FORM_PLAIN;

	base_text_skip_blanks(&t);
	if (p->form != FORM_CTR)
		p->n = p->next = 0;
	if (!p->lines.cut && is_comment(t))
		return HS_OK;
	for (unsigned i = 0; i < 4; i++) {
		if (p->form != FORM_NONE && p->form != forms[i].form)
			continue;
		if (p->lines.cut || !forms[i].take(p, t))
			continue;
		p->form = forms[i].form;
		if (p->form == FORM_CTR)
			return HS_OK;
		p->known &= p->form != FORM_PERF;
		return pass_on(p, out);
	}
	p->n = p->form == FORM_CTR ? p->n : 0;
	return others && !p->lines.cut ? HS_OK : HS_E_FORMAT;
}

static const struct import_importer *importer_of(struct hs_pairs *p, struct import_importer *i)
{
	*i = (struct import_importer){ &p->lines, p, take_line, HS_IMPORT_ROOM };
	return i;
}

enum hs_status hs_pairs_feed(struct hs_pairs *p, struct hs_span *in, struct hs_blocks *out)
{
	struct import_importer i;
	const enum hs_status s = out->cap < HS_IMPORT_ROOM ? HS_E_SPACE : pass_on(p, out);

	return s == HS_OK ? import_feed(importer_of(p, &i), in, out) : s;
}

enum hs_status hs_pairs_flush(struct hs_pairs *p, struct hs_blocks *out)
{
	struct import_importer i;
	enum hs_status s = out->cap < HS_IMPORT_ROOM ? HS_E_SPACE : pass_on(p, out);

	if (s == HS_OK)
		s = import_flush(importer_of(p, &i), out);
	if (s != HS_OK)
		return s;
	order_entries(p);
	s = pass_on(p, out);
	return s == HS_OK ? hs_builder_flush(&p->builder, out) : s;
}
