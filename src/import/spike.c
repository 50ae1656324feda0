/* Spike's log as retired blocks.  The forms of its lines:
 *
 *   core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0      shown, may trap
 *   core   0: 3 0x0000000080000000 (0x00000297) x5  0x...          committed
 *   core   0: exception trap_load_page_fault, epc 0x...
 *   core   0:           tval 0x...
 *   core   0: exception interrupt #7, epc 0x...
 *   core   0: >>>>  main                                            a symbol
 *
 * Old versions print a commit without "core   0: ", and every code with 8 digits. */
#include "import/lines.h"

#include "base/mem.h"

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

static void retire(struct hs_spike *s, struct hs_spike_hart *h, uint64_t pc,
                   const struct hs_insn *insn, unsigned priv, struct hs_blocks *out)
{
	const struct hs_retired r = { .iaddr = pc, .insn = *insn, .known = true,
		                      .priv = (uint8_t)priv };
	struct hs_block at[HS_BUILDER_ROOM];
	struct hs_blocks made = { at, HS_BUILDER_ROOM, 0 };

	hs_builder_insn(&h->builder, &r, &made);
	report_blocks(s, h, &made, out);
}

/* An ecall or ebreak that traps does not commit in Spike; the port counts it (NT Table 2). */
static void retire_caller(struct hs_spike *s, struct hs_spike_hart *h, struct hs_blocks *out)
{
	static const struct hs_insn ecall = { .hwords = 2, .kind = HS_INSN_ECALL };
	const struct hs_trap *t = &h->trap;
	const struct hs_insn *shown = &h->shown;

	if (t->interrupt)
		return;
	if (t->cause >= 8 && t->cause <= 11)
		retire(s, h, t->epc, &ecall, h->builder.priv, out);
	else if (t->cause == 3 && h->have_shown && h->shown_pc == t->epc &&
	         shown->kind == HS_INSN_EBREAK)
		retire(s, h, t->epc, shown, h->builder.priv, out);
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

/* Without "0x".  Old versions print RV32's addresses with their sign extended. */
static uint64_t take_address(const struct hs_spike *s, struct base_text *t)
{
	const uint64_t v = base_text_number(t, 16, NULL);

	if (s->isa.xlen != 32 || v <= UINT32_MAX)
		return v;
	if (v >> 31 != UINT64_C(0x1ffffffff))
		t->ok = false;
	return v & UINT32_MAX;
}

/* "0x... (0x...)": an address and the code there. */
static enum hs_status take_insn(const struct hs_spike *s, struct base_text *t, uint64_t *pc,
                                struct hs_insn *insn)
{
	uint8_t bytes[8];
	unsigned digits;

	base_text_expect(t, "0x");
	*pc = take_address(s, t);
	base_text_expect(t, " (0x");
	const uint64_t code = base_text_number(t, 16, &digits);
	base_text_expect(t, ")");
	if (!t->ok || (*pc & 1) != 0)
		return HS_E_FORMAT;
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(code >> (8 * i));
	const size_t n = digits / 2 < 8 ? digits / 2 : 8;
	return hs_isa_decode(&s->isa, *pc, bytes, n, insn) == HS_OK ? HS_OK : HS_E_FORMAT;
}

static enum hs_status take_shown(struct hs_spike *s, struct hs_spike_hart *h, struct base_text *t,
                                 struct hs_blocks *out)
{
	struct hs_insn insn;
	uint64_t pc;
	const enum hs_status status = take_insn(s, t, &pc, &insn);

	if (status != HS_OK)
		return status;
	take_trap(s, h, out);
	h->shown_pc = pc;
	h->shown = insn;
	h->have_shown = true;
	s->shown++;
	return HS_OK;
}

static enum hs_status take_commit(struct hs_spike *s, struct hs_spike_hart *h, struct base_text *t,
                                  unsigned priv, struct hs_blocks *out)
{
	struct hs_insn insn;
	uint64_t pc;
	const enum hs_status status = take_insn(s, t, &pc, &insn);

	if (status != HS_OK)
		return status;
	take_trap(s, h, out);
	s->commits++;
	retire(s, h, pc, &insn, priv, out);
	return HS_OK;
}

static bool trap_code(struct base_text *t, struct hs_trap *trap)
{
	static const struct {
		uint32_t code;
		const char *name;
	} names[] = {
#define HS_SPIKE_TRAP(code, name) { code, name "," },
#include "import/spike_traps.def"
#undef HS_SPIKE_TRAP
	};

	trap->interrupt = base_text_skip(t, "interrupt #");
	if (trap->interrupt || base_text_skip(t, "trap #")) {
		const uint64_t code = base_text_number(t, 10, NULL);

		trap->cause = (uint32_t)code;
		base_text_expect(t, ",");
		return t->ok && code <= UINT32_MAX;
	}
	base_text_expect(t, "trap_");
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (base_text_skip(t, names[i].name)) {
			trap->cause = names[i].code;
			return true;
		}
	return false;
}

static enum hs_status take_exception(struct hs_spike *s, struct hs_spike_hart *h,
                                     struct base_text *t, struct hs_blocks *out)
{
	struct hs_trap trap = { .priv = HS_PRIV_UNKNOWN };

	if (!trap_code(t, &trap))
		return HS_E_FORMAT;
	base_text_expect(t, " epc 0x");
	trap.epc = take_address(s, t);
	if (!t->ok || (trap.epc & 1) != 0)
		return HS_E_FORMAT;
	take_trap(s, h, out);
	h->trap = trap;
	h->have_trap = true;
	return HS_OK;
}

static enum hs_status take_tval(const struct hs_spike *s, struct hs_spike_hart *h,
                                struct base_text *t)
{
	const uint64_t tval = take_address(s, t);

	if (!t->ok)
		return HS_E_FORMAT;
	if (h->have_trap)
		h->trap.tval = tval;
	return HS_OK;
}

/* "3 " before a commit's address: the privilege. */
static bool take_priv(struct base_text *t, unsigned *priv)
{
	static const char *const modes[] = { "0 0x", "1 0x", "3 0x" };

	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
		if (base_text_skip(t, modes[i])) {
			t->p -= 2;
			*priv = (unsigned)(modes[i][0] - '0');
			return true;
		}
	return false;
}

static enum hs_status take_line(void *state, struct hs_blocks *out)
{
	struct hs_spike *s = state;
	struct base_text t = import_text(&s->lines);
	const bool named = base_text_skip(&t, "core");
	uint64_t id = 0;
	unsigned priv;

	if (named) {
		base_text_skip_blanks(&t);
		id = base_text_number(&t, 10, NULL);
		base_text_expect(&t, ":");
		base_text_skip_blanks(&t);
	}
	const bool commit = take_priv(&t, &priv);
	if (!t.ok || (!named && !commit))
		return HS_OK; /* the program's own output */
	struct hs_spike_hart *h = find_hart(s, id);
	if (!h)
		return HS_E_UNSUPPORTED;
	h->builder.offset = s->lines.offset;
	if (commit)
		return take_commit(s, h, &t, priv, out);
	if (base_text_peek(&t, '0'))
		return take_shown(s, h, &t, out);
	if (base_text_skip(&t, "exception "))
		return take_exception(s, h, &t, out);
	if (base_text_skip(&t, "tval 0x"))
		return take_tval(s, h, &t);
	return HS_OK;
}

enum hs_status hs_spike_feed(struct hs_spike *s, struct hs_span *in, struct hs_blocks *out)
{
	const struct import_importer i = { &s->lines, s, take_line, HS_IMPORT_ROOM };

	return import_feed(&i, in, out);
}

static enum hs_status flush_hart(struct hs_spike *s, struct hs_spike_hart *h, struct hs_blocks *out)
{
	struct hs_block at[HS_BUILDER_ROOM];
	struct hs_blocks made = { at, HS_BUILDER_ROOM, 0 };

	if (out->cap - out->n < HS_IMPORT_ROOM)
		return HS_FULL;
	take_trap(s, h, out);
	hs_builder_flush(&h->builder, &made);
	report_blocks(s, h, &made, out);
	return HS_OK;
}

enum hs_status hs_spike_flush(struct hs_spike *s, struct hs_blocks *out)
{
	const struct import_importer importer = { &s->lines, s, take_line, HS_IMPORT_ROOM };
	enum hs_status status = import_flush(&importer, out);

	for (uint32_t i = 0; i < s->harts && status == HS_OK; i++)
		status = flush_hart(s, &s->hart[i], out);
	return status == HS_OK && s->shown != 0 && s->commits == 0 ? HS_E_FORMAT : status;
}
