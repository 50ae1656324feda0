/* RVVI-TEXT: elements of a keyword and values, several in a line. */
#include <string.h>

#include "inputs/log_private.h"

/* What the values of an element are: d decimal, x hexadecimal, s a name, * a decimal number and as
 * many values, P so many pairs of them. */
static const struct {
	const char *keyword, *values;
	uint8_t field; /* of its first value; F_COUNT: none */
} elements[] = {
	{ "VERSION", "dd", F_FLAGS }, { "VENDOR", "sdd", F_COUNT }, { "PARAMS", "P", F_COUNT },
	{ "HART", "d", F_HART },      { "ISSUE", "d", F_COUNT },    { "ORDER", "d", F_COUNT },
	{ "RET", "xx", F_PC },        { "TRAP", "xx", F_PC },       { "X", "dx", F_COUNT },
	{ "F", "dx", F_COUNT },       { "V", "xx", F_COUNT },       { "C", "xx", F_EPC },
	{ "MODE", "x", F_MODE },      { "VIRT", "d", F_VIRT },      { "DM", "x", F_COUNT },
	{ "MEM", "sdxxP", F_COUNT },  { "NET", "sx", F_COUNT },     { "META", "*", F_COUNT },
	{ "CYCLE", "d", F_CYCLE },    { "TIME", "d", F_TIME },
};

enum { ELEMENTS = sizeof(elements) / sizeof(*elements), MEPC = 0x341, MCAUSE = 0x342, MTVAL };

struct word {
	const char *p;
	size_t n;
};

/* The next word; comments, in ' ', are none.  False: the line ends. */
static bool next_word(struct base_text *t, struct word *w)
{
	for (;;) {
		while (t->p < t->end && (*t->p == ' ' || *t->p == '\t' || *t->p == '\\'))
			t->p++;
		if (!base_text_skip(t, "'"))
			break;
		base_text_skip_to(t, '\'');
		base_text_skip(t, "'");
	}
	w->p = t->p;
	if (base_text_skip(t, "\"")) {
		base_text_skip_to(t, '"');
		base_text_skip(t, "\"");
	} else {
		while (t->p < t->end && *t->p != ' ' && *t->p != '\t' && *t->p != '\'')
			t->p++;
	}
	w->n = (size_t)(t->p - w->p);
	return w->n != 0;
}

static unsigned find_element(const struct word *w)
{
	unsigned i = 0;

	while (i < ELEMENTS && (strlen(elements[i].keyword) != w->n ||
	                        memcmp(elements[i].keyword, w->p, w->n) != 0))
		i++;
	return i;
}

static bool is_word(const struct word *w, const char *text)
{
	return strlen(text) == w->n && memcmp(w->p, text, w->n) == 0;
}

static bool number_of(const struct word *w, unsigned base, uint64_t *v)
{
	struct base_text t = base_text_of(w->p, w->n);

	if (base_text_skip(&t, "0x") || base_text_skip(&t, "0X"))
		base = 16;
	*v = base_text_number(&t, base, NULL);
	return base_text_at_end(&t);
}

/* A line as it is read. */
struct reading {
	struct base_text text;
	struct word word;     /* the last one */
	const char *expected; /* after a failure */
};

static bool need_word(struct reading *r, const char *expected)
{
	const char *at = r->text.p;

	if (next_word(&r->text, &r->word))
		return true;
	r->word = (struct word){ at, 0 };
	r->expected = expected;
	return false;
}

static bool take_number(struct reading *r, unsigned base, uint64_t *v)
{
	static const char decimal[] = "a decimal number", hex[] = "a hexadecimal number";
	const char *expected = base == 10 ? decimal : hex;

	if (!need_word(r, expected))
		return false;
	r->expected = expected;
	return number_of(&r->word, base, v);
}

/* PARAMS and META: a count, and so many values, or pairs of them. */
static bool take_list(struct reading *r, unsigned each, uint8_t *xlen)
{
	bool is_xlen = false;
	uint64_t n, v;

	if (!take_number(r, 10, &n))
		return false;
	for (uint64_t i = 0; i < n * each; i++) {
		if (!need_word(r, "another value"))
			return false;
		if (is_xlen && number_of(&r->word, 10, &v) && (v == 32 || v == 64))
			*xlen = (uint8_t)v;
		is_xlen = each == 2 && (is_word(&r->word, "XLEN") || is_word(&r->word, "\"XLEN\""));
	}
	return true;
}

/* The values of an element. */
static bool take_values(struct reading *r, const char *kinds, uint64_t v[2], uint8_t *xlen)
{
	unsigned n = 0;

	for (; *kinds; kinds++, n++) {
		uint64_t *to = &v[n < 2 ? n : 1];

		if (*kinds == 'P' || *kinds == '*')
			return take_list(r, *kinds == 'P' ? 2 : 1, xlen);
		if (*kinds == 's' ? need_word(r, "a name")
		                  : take_number(r, *kinds == 'd' ? 10 : 16, to))
			continue;
		if (*kinds != 'x' || n != 1 || r->word.n <= 16)
			return false;
		*to = 0; /* a register of more than 64 bits */
	}
	return true;
}

/* ---- events ------------------------------------------------------------------------------- */

/* An interrupt shows in the mcause that its handler's first instruction has. */
static void take_interrupt(struct hs_exec_log *l, struct log_hart *h, const struct log_insn *i)
{
	const struct log_fields *f = &l->rvvi.event;
	const unsigned top = l->isa.xlen == 32 ? 31 : 63;
	const bool set = log_has(f, F_CAUSE_HEX) && (f->v[F_CAUSE_HEX] >> top & 1) != 0;
	struct log_trap t = { .interrupt = true,
		              .no_epc = true,
		              .cause = (uint32_t)(f->v[F_CAUSE_HEX] & INT32_MAX) };

	if (!set || !h->have_last || log_explains(l, &h->last, i->pc))
		return;
	if (log_has(f, F_NEXT)) {
		t.no_epc = false;
		t.epc = f->v[F_NEXT] & ~UINT64_C(1);
	}
	log_trap(l, h, &t);
}

/* An interrupt has no opcode of its own, and a fetch that failed none that is known: 0. */
static void take_trap(struct hs_exec_log *l, struct log_hart *h, const struct log_insn *i)
{
	const struct log_fields *f = &l->rvvi.event;
	const uint64_t cause = log_has(f, F_CAUSE_HEX) ? f->v[F_CAUSE_HEX] : 0;
	const bool interrupt = cause > INT32_MAX;
	const struct log_trap t = { .epc = i->pc,
		                    .interrupt = interrupt,
		                    .caller = *i,
		                    .tval = log_has(f, F_TVAL) ? f->v[F_TVAL] : 0,
		                    .cause = (uint32_t)(cause & INT32_MAX),
		                    .no_cause = !log_has(f, F_CAUSE_HEX),
		                    .have_caller = !interrupt && f->v[F_CODE] != 0 };

	log_trap(l, h, &t);
}

static enum hs_status finish_event(struct hs_exec_log *l, struct hs_error *e)
{
	struct log_rvvi *r = &l->rvvi;
	struct log_hart *h = log_hart_of(l, r->hart);
	struct log_insn i;

	if (!r->have)
		return HS_OK;
	r->have = false;
	if (!h)
		return l->no_memory ? HS_E_MEMORY : log_refuse_hart(l, e);
	const enum hs_status s = log_insn_of(l, h, &r->event, &i, e);

	if (s != HS_OK)
		return s;
	if (r->after) {
		i.priv = r->priv;
		r->priv = log_priv(&r->event);
	}
	i.timed = r->cycle || r->time;
	i.time = r->timed_by_cycles ? r->cycle : r->time;
	if (!r->trap) {
		take_interrupt(l, h, &i);
		log_retire(l, h, &i);
		return HS_OK;
	}
	take_trap(l, h, &i);
	return HS_OK;
}

static void set(struct log_fields *f, enum log_field field, uint64_t v)
{
	f->v[field] = v;
	f->seen |= UINT64_C(1) << field;
}

/* epc, cause and tval of M, S and VS. */
static void take_csr(struct log_fields *f, const uint64_t v[2])
{
	const uint64_t csr = v[0] - (v[0] & 0x300) + 0x300;

	if (v[0] >> 8 == 0 || v[0] >> 8 > 3)
		return;
	if (csr == MEPC)
		set(f, F_NEXT, v[1]);
	else if (csr == MCAUSE)
		set(f, F_CAUSE_HEX, v[1]);
	else if (csr == MTVAL)
		set(f, F_TVAL, v[1]);
}

static enum hs_status take_element(struct hs_exec_log *l, unsigned number, const uint64_t v[2],
                                   struct hs_error *e)
{
	struct log_rvvi *r = &l->rvvi;
	enum hs_status s = HS_OK;

	switch (elements[number].field) {
	case F_HART:
		s = finish_event(l, e);
		r->hart = v[0];
		return s;
	case F_PC:
		s = finish_event(l, e);
		r->have = true;
		r->trap = elements[number].keyword[0] == 'T';
		set(&r->event, F_PC, v[0]);
		set(&r->event, F_CODE, v[1]);
		return s;
	case F_FLAGS: /* 0.5, as Sail writes it: MODE and VIRT are those after the event */
		r->after = v[0] > 0 || v[1] >= 5;
		r->priv = HS_PRIV_UNKNOWN;
		return s;
	case F_EPC:
		take_csr(&r->event, v);
		return s;
	case F_MODE:
		set(&r->event, F_PRIV, v[0] & 3);
		return s;
	case F_VIRT:
		set(&r->event, F_VIRT, v[0]);
		return s;
	case F_CYCLE:
		r->cycle += v[0];
		r->timed_by_cycles = true;
		return s;
	case F_TIME:
		r->time += v[0];
		return s;
	default:
		return s;
	}
}

/* ---- lines -------------------------------------------------------------------------------- */

static bool next_element(struct reading *r, unsigned *number, uint64_t v[2], uint8_t *xlen)
{
	if (!next_word(&r->text, &r->word))
		return false;
	r->expected = "an element of RVVI-TEXT";
	*number = find_element(&r->word);
	if (*number == ELEMENTS || !take_values(r, elements[*number].values, v, xlen))
		return false;
	r->expected = NULL;
	return true;
}

enum hs_status log_rvvi_line(struct hs_exec_log *l, struct hs_error *e)
{
	struct reading r = { .text = l->line };
	const bool more = l->line.p < l->line.end && l->line.end[-1] == '\\';
	enum hs_status s = HS_OK;
	uint64_t v[2] = { 0 };
	unsigned number;
	uint8_t xlen;

	while (s == HS_OK && next_element(&r, &number, v, &xlen)) {
		const bool event = elements[number].field == F_PC;

		if (event) {
			s = finish_event(l, e);
			l->rvvi.event.seen &= UINT64_C(1) << F_PRIV | UINT64_C(1) << F_VIRT;
		}
		if (s == HS_OK)
			s = take_element(l, number, v, e);
	}
	if (r.expected && s == HS_OK) {
		const struct log_refusal why = { .at = r.word.p, .expected = r.expected };

		l->rvvi.have = false;
		s = log_refuse(l, &why, HS_E_FORMAT, e);
	}
	if (s == HS_OK && !more)
		s = finish_event(l, e);
	return s;
}

enum log_match log_rvvi_match(const struct base_text *line, uint8_t *xlen)
{
	struct reading r = { .text = *line };
	enum log_match m = LOG_NO;
	uint64_t v[2];
	unsigned number;

	while (next_element(&r, &number, v, xlen))
		m = LOG_YES;
	return r.expected ? LOG_NO : m;
}
