/* Spike's log as retired blocks, without memory: lines by the patterns of lines.def. */
#include "ingress/lines.h"
#include "ingress/log_lines.h"

#include "core/mem.h"

/* What a call has: the rows of Spike's lines, which are compiled anew, and what a line had. */
struct reading {
	struct hs_spike *spike;
	struct log_patterns patterns;
	struct log_fields fields;
};

enum hs_status hs_spike_init(struct hs_spike *s, const struct hs_isa *isa)
{
	if (isa->xlen != 0 && isa->xlen != 32 && isa->xlen != 64)
		return HS_E_CONFIG;
	memset(s, 0, sizeof *s);
	s->isa = *isa;
	return HS_OK;
}

static struct hs_spike_hart *find_hart(struct hs_spike *s, uint64_t id)
{
	for (uint32_t i = 0; i < s->harts; i++)
		if (s->hart[i].id == id)
			return &s->hart[i];
	if (s->harts == HS_SPIKE_HARTS || id > UINT32_MAX)
		return NULL;
	struct hs_spike_hart *h = &s->hart[s->harts++];
	h->id = (uint32_t)id;
	hs_builder_init(&h->builder, s->isa.xlen);
	return h;
}

/* Pass on what a hart's builder gave, after an event that says which hart it is. */
static void report_blocks(struct hs_spike *s, const struct hs_spike_hart *h,
                          const struct hs_blocks *from, struct hs_blocks *out)
{
	if (from->n == 0)
		return;
	if (!s->reported || s->current != h->id) {
		out->at[out->n++] = (struct hs_block){ .arg = h->id, .kind = HS_KIND_HART };
		s->reported = true;
		s->current = h->id;
	}
	memcpy(out->at + out->n, from->at, from->n * sizeof *from->at);
	out->n += from->n;
}

static void retire(struct hs_spike *s, struct hs_spike_hart *h, const struct hs_retired *r,
                   struct hs_blocks *out)
{
	struct hs_block at[HS_BUILDER_ROOM];
	struct hs_blocks made = { at, HS_BUILDER_ROOM, 0 };

	hs_builder_insn(&h->builder, r, &made);
	report_blocks(s, h, &made, out);
}

/* No exception of the instruction that was held came. */
static void retire_held(struct hs_spike *s, struct hs_spike_hart *h, struct hs_blocks *out)
{
	if (h->have_held)
		retire(s, h, &h->held, out);
	h->have_held = false;
}

/* An ecall or ebreak that traps does not commit in Spike; the port counts it (NT Table 2). */
static void retire_caller(struct hs_spike *s, struct hs_spike_hart *h, struct hs_blocks *out)
{
	const struct hs_trap *t = &h->trap;
	struct hs_retired r = { .iaddr = t->epc,
		                .known = true,
		                .priv = h->builder.priv,
		                .insn = { .hwords = 2, .kind = HS_INSN_ECALL } };
	const bool call = t->cause >= 8 && t->cause <= 11;
	const bool ebreak = t->cause == 3 && h->have_shown && h->shown_pc == t->epc &&
	                    h->shown.kind == HS_INSN_EBREAK;

	if (ebreak)
		r.insn = h->shown;
	if (!t->interrupt && (call || ebreak))
		retire(s, h, &r, out);
}

static void take_trap(struct hs_spike *s, struct hs_spike_hart *h, struct hs_blocks *out)
{
	struct hs_block at[HS_BUILDER_ROOM];
	struct hs_blocks made = { at, HS_BUILDER_ROOM, 0 };

	if (!h->have_trap)
		return;
	h->have_trap = false;
	retire_caller(s, h, out);
	hs_builder_trap(&h->builder, &h->trap, &made);
	report_blocks(s, h, &made, out);
}

/* Old versions print RV32's addresses with their sign extended.  False: too wide, or odd. */
static bool take_address(const struct hs_spike *s, uint64_t v, uint64_t *addr)
{
	const bool wide = s->isa.xlen == 32 && v > UINT32_MAX;

	*addr = s->isa.xlen == 32 ? v & UINT32_MAX : v;
	return !wide || v >> 31 == UINT64_C(0x1ffffffff);
}

/* "0x... (0x...)": an address and the code there. */
static enum hs_status take_insn(const struct hs_spike *s, const struct log_fields *f, uint64_t *pc,
                                struct hs_insn *insn)
{
	const size_t n = f->code_digits / 2 < 8 ? f->code_digits / 2 : 8;
	uint8_t bytes[8];

	if (!take_address(s, f->v[F_PC], pc) || (*pc & 1) != 0)
		return HS_E_FORMAT;
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(f->v[F_CODE] >> (8 * i));
	return hs_isa_decode(&s->isa, *pc, bytes, n, insn) == HS_OK ? HS_OK : HS_E_FORMAT;
}

static enum hs_status take_shown(struct hs_spike *s, struct hs_spike_hart *h,
                                 const struct log_fields *f, struct hs_blocks *out)
{
	struct hs_insn insn;
	uint64_t pc;
	const enum hs_status status = take_insn(s, f, &pc, &insn);

	if (status != HS_OK)
		return status;
	take_trap(s, h, out);
	retire_held(s, h, out);
	h->shown_pc = pc;
	h->shown = insn;
	h->have_shown = true;
	s->shown++;
	return HS_OK;
}

static enum hs_status take_commit(struct hs_spike *s, struct hs_spike_hart *h,
                                  const struct log_fields *f, struct hs_blocks *out)
{
	struct hs_insn insn;
	uint64_t pc;
	const enum hs_status status = take_insn(s, f, &pc, &insn);

	if (status != HS_OK)
		return status;
	take_trap(s, h, out);
	retire_held(s, h, out);
	s->commits++;
	h->held = (struct hs_retired){
		.iaddr = pc, .insn = insn, .known = true, .priv = (uint8_t)f->v[F_PRIV]
	};
	h->have_held = true;
	if (!log_may_fault(f))
		retire_held(s, h, out);
	return HS_OK;
}

static enum hs_status take_exception(struct hs_spike *s, struct hs_spike_hart *h,
                                     const struct log_fields *f, struct hs_blocks *out)
{
	const enum log_field cause = log_has(f, F_INTERRUPT) ? F_INTERRUPT
	                             : log_has(f, F_CAUSE)   ? F_CAUSE
	                                                     : F_CAUSE_NAME;
	struct hs_trap trap = { .cause = (uint32_t)f->v[cause],
		                .priv = HS_PRIV_UNKNOWN,
		                .interrupt = cause == F_INTERRUPT };

	if (!take_address(s, f->v[F_EPC], &trap.epc) || (trap.epc & 1) != 0)
		return HS_E_FORMAT;
	take_trap(s, h, out);
	h->have_held &= trap.interrupt || h->held.iaddr != trap.epc;
	retire_held(s, h, out);
	h->trap = trap;
	h->have_trap = true;
	return HS_OK;
}

static enum hs_status take_tval(const struct hs_spike *s, struct hs_spike_hart *h,
                                const struct log_fields *f)
{
	uint64_t tval;

	if (!take_address(s, f->v[F_TVAL], &tval))
		return HS_E_FORMAT;
	if (h->have_trap)
		h->trap.tval = tval;
	return HS_OK;
}

static enum hs_status take_line(void *state, struct hs_blocks *out)
{
	struct reading *r = state;
	struct hs_spike *s = r->spike;
	const struct base_text t = import_text(&s->lines);
	const struct log_fields *f = &r->fields;
	struct log_refusal why;
	enum log_action action;
	const enum log_match m = import_patterns_match(&r->patterns, &t, &action, &r->fields, &why);

	if (m != LOG_YES) /* the program's own output; or damaged */
		return m == LOG_NO ? HS_OK : HS_E_FORMAT;
	struct hs_spike_hart *h = find_hart(s, log_has(f, F_HART) ? f->v[F_HART] : 0);

	if (!h)
		return HS_E_UNSUPPORTED;
	h->builder.offset = s->lines.offset;
	switch (action) {
	case LOG_RETIRED:
		return take_commit(s, h, f, out);
	case LOG_SHOWN:
		return take_shown(s, h, f, out);
	case LOG_TRAP:
		return take_exception(s, h, f, out);
	case LOG_TVAL:
		return take_tval(s, h, f);
	default: /* of lines that were only shown */
		return HS_OK;
	}
}

static void begin_reading(struct reading *r, struct hs_spike *s)
{
	r->spike = s;
	import_patterns_init(&r->patterns, LOG_SPIKE);
}

enum hs_status hs_spike_feed(struct hs_spike *s, struct hs_span *in, struct hs_blocks *out)
{
	struct reading r;
	const struct import_importer i = { &s->lines, &r, take_line, HS_IMPORT_ROOM };

	begin_reading(&r, s);
	return import_feed(&i, in, out);
}

static enum hs_status flush_hart(struct hs_spike *s, struct hs_spike_hart *h, struct hs_blocks *out)
{
	struct hs_block at[HS_BUILDER_ROOM];
	struct hs_blocks made = { at, HS_BUILDER_ROOM, 0 };

	if (out->cap - out->n < HS_IMPORT_ROOM)
		return HS_FULL;
	take_trap(s, h, out);
	retire_held(s, h, out);
	hs_builder_flush(&h->builder, &made);
	report_blocks(s, h, &made, out);
	return HS_OK;
}

enum hs_status hs_spike_flush(struct hs_spike *s, struct hs_blocks *out)
{
	struct reading r;
	const struct import_importer importer = { &s->lines, &r, take_line, HS_IMPORT_ROOM };

	begin_reading(&r, s);
	enum hs_status status = import_flush(&importer, out);

	for (uint32_t i = 0; i < s->harts && status == HS_OK; i++)
		status = flush_hart(s, &s->hart[i], out);
	return status == HS_OK && s->shown != 0 && s->commits == 0 ? HS_E_FORMAT : status;
}
