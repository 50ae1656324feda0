/* Cycles of the ingress port as text: a table under the names of signals, or NAME=VALUE lines. */
#include "ingress/ingress.h"
#include "ingress/lines.h"

#include "core/mem.h"

#define NO_COLUMN UINT16_MAX

enum hs_status hs_port_text_init(struct hs_port_text *t, const struct hs_image *image,
                                 unsigned xlen)
{
	if (image)
		xlen = image->isa.xlen;
	if (xlen != 0 && xlen != 32 && xlen != 64)
		return HS_E_CONFIG;
	memset(t, 0, sizeof *t);
	if (image)
		t->isa = image->isa;
	t->isa.xlen = (uint8_t)xlen;
	t->image = image && image->count ? image : NULL;
	return HS_OK;
}

/* ---- the first line -------------------------------------------------------------------- */

static bool is_at_end(const struct base_text *t, char c)
{
	return t->p == t->end || *t->p == c;
}

/* The slot: of "_N" after a name, or 0 for nothing; HS_PORT_SLOTS if it is something else. */
static unsigned take_slot(struct base_text *t, char end)
{
	unsigned slot = 0;

	if (is_at_end(t, end))
		return 0;
	if (!base_text_skip(t, "_") || t->p == t->end || *t->p < '0' ||
	    *t->p >= '0' + HS_PORT_SLOTS)
		return HS_PORT_SLOTS;
	slot = (unsigned)(*t->p++ - '0');
	return is_at_end(t, end) ? slot : HS_PORT_SLOTS;
}

/* A name of the text: signal * HS_PORT_SLOTS + slot, or NO_COLUMN.  Moves past it. */
static uint16_t take_name(struct base_text *t, char end)
{
	uint16_t column = NO_COLUMN;

	for (unsigned i = 0; i < HS_PORT_SIGNALS && column == NO_COLUMN; i++) {
		struct base_text ahead = *t;
		const bool same = base_text_skip(&ahead, hs_port_get_signal(i)->name);
		const unsigned slot = same ? take_slot(&ahead, end) : HS_PORT_SLOTS;

		if (slot < HS_PORT_SLOTS && (slot == 0 || !hs_port_get_signal(i)->in_cycle)) {
			column = (uint16_t)(i * HS_PORT_SLOTS + slot);
			*t = ahead;
		}
	}
	while (!is_at_end(t, end))
		t->p++;
	return column;
}

static bool has_column(const struct hs_port_text *t, unsigned signal)
{
	for (unsigned i = 0; i < t->columns; i++)
		if (t->column[i] == signal * HS_PORT_SLOTS)
			return true;
	return false;
}

static enum hs_status start_port(struct hs_port_text *t, const struct hs_port_config *c)
{
	struct hs_port_config own = *c;

	own.cycle_time = t->cycle_time && !own.time_width;
	t->started = true;
	if (hs_port_init(&t->port, &own, t->image) != HS_OK)
		return HS_E_FORMAT;
	hs_port_set_code(&t->port, t->code, t->code_of);
	return HS_OK;
}

/* Signals that the table does not have are not 0. */
static void note_missing(struct hs_port_text *t)
{
	const bool cause = !has_column(t, HS_PORT_SIGNAL_cause);
	const bool priv = !has_column(t, HS_PORT_SIGNAL_priv);

	for (unsigned i = 0; i < HS_PORT_SLOTS; i++) {
		t->missing.slot[i].cause = cause ? UINT64_MAX : 0;
		t->missing.slot[i].priv = priv ? UINT64_MAX : 0;
	}
	t->is_partial = t->has_unknown = cause || priv;
}

/* The data interface that the columns belong to.  A table does not say how wide its signals are:
 * all bits of addresses are taken, data has 64 bits, and with data_high 128. */
static void find_data(struct hs_port_text *t, struct hs_port_config *c)
{
	if (!has_column(t, HS_PORT_SIGNAL_dretire))
		return;
	c->accesses = HS_PORT_SLOTS;
	c->split = has_column(t, HS_PORT_SIGNAL_lresp);
	c->daddress_width = 64;
	c->dsize_width = 3;
	c->data_width = !c->split && has_column(t, HS_PORT_SIGNAL_data_high) ? 128 : 64;
	for (unsigned i = 0; i < t->columns; i++) /* nor how many bits these are */
		if (t->column[i] / HS_PORT_SLOTS == HS_PORT_SIGNAL_iaddr_lsbs)
			t->column[i] = NO_COLUMN;
}

/* Start the port that a table's columns belong to.  What only its rows show begins as in those of
 * the E-Trace reference flow: an instruction each, an itype of 3 bits (adapt_port()). */
static enum hs_status start_table(struct hs_port_text *t)
{
	const bool block = has_column(t, HS_PORT_SIGNAL_itype);

	if (!has_column(t, HS_PORT_SIGNAL_iretire) || !has_column(t, HS_PORT_SIGNAL_iaddr) ||
	    !has_column(t, block ? HS_PORT_SIGNAL_ilastsize : HS_PORT_SIGNAL_instr))
		return HS_E_FORMAT;
	const bool compressed = has_column(t, HS_PORT_SIGNAL_compressed);
	struct hs_port_config c = {
		.size = sizeof c,
		.form = block ? HS_PORT_BLOCK : HS_PORT_INSN,
		.isa = t->isa,
		.slots = HS_PORT_SLOTS,
		.retires = 1,
		.itype_width = 3,
		.ilastsize_width = 2,
		.insn_width = compressed ? 32 : 64,
		.compressed = compressed,
		.retract_width = has_column(t, HS_PORT_SIGNAL_fvalid) ? 6 : 0,
		.ctype_width = has_column(t, HS_PORT_SIGNAL_ctype) ? 2 : 0,
		.context_width = !has_column(t, HS_PORT_SIGNAL_context) ? 0
		                 : block                                ? 64
		                                                        : 32,
		.time_width = has_column(t, HS_PORT_SIGNAL_time) ? 64 : 0,
		.sijump = 1,
		.user_width = 256,
		.impdef_width = 64,
		.sideband = 1,
		.triggers = 1,
		.interrupt_iaddr = 1,
		.trcstate = block && has_column(t, HS_PORT_SIGNAL_trcstate),
	};

	if (block)
		find_data(t, &c);

	note_missing(t);
	return start_port(t, &c);
}

/* The first itype above 7, and the first iretire above 1, show that the port is wider. */
static void adapt_port(struct hs_port_text *t, const struct hs_port_cycle *c)
{
	for (unsigned i = 0; i < HS_PORT_SLOTS; i++) {
		if (c->slot[i].itype > HS_ITYPE_RESERVED)
			t->port.config.itype_width = 4;
		if (c->slot[i].iretire > 1)
			t->port.config.retires = 4;
	}
}

/* PULP's trace debugger: RV32 with the branches of Xpulp, machine mode is 7, 5 bits of cause. */
static enum hs_status start_pairs(struct hs_port_text *t)
{
	struct hs_port_config c = {
		.size = sizeof c,
		.form = HS_PORT_INSN,
		.isa = t->isa,
		.compressed = 1,
		.machine_is_7 = 1,
	};

	c.isa.xlen = 32;
	c.isa.pulp = true;
	t->pairs = true;
	return start_port(t, &c);
}

static enum hs_status take_header(struct hs_port_text *t)
{
	struct base_text text = import_text(&t->lines);

	do {
		if (t->columns == HS_PORT_COLUMNS)
			return HS_E_FORMAT;
		const uint16_t column = take_name(&text, ',');

		for (unsigned i = 0; i < t->columns; i++)
			if (column != NO_COLUMN && t->column[i] == column)
				return HS_E_FORMAT;
		t->column[t->columns++] = column;
	} while (base_text_skip(&text, ","));
	return start_table(t);
}

/* ---- rows ------------------------------------------------------------------------------ */

/* A value, whose digits may be x or z. */
static void set_signal(struct hs_port_text *t, unsigned signal, unsigned slot,
                       struct base_text *text)
{
	const unsigned base = hs_port_get_signal(signal)->base;
	uint64_t unknown;

	hs_port_set(&t->row, signal, slot, base_text_number_x(text, base, &unknown));
	hs_port_set(&t->unknown, signal, slot, unknown);
	t->has_unknown |= unknown != 0;
}

static enum hs_status take_row(struct hs_port_text *t)
{
	struct base_text text = import_text(&t->lines);

	for (unsigned i = 0; i < t->columns; i++) {
		const unsigned signal = t->column[i] / HS_PORT_SLOTS;

		if (i)
			base_text_expect(&text, ",");
		if (t->column[i] == NO_COLUMN)
			base_text_skip_to(&text, ',');
		else
			set_signal(t, signal, t->column[i] % HS_PORT_SLOTS, &text);
	}
	return text.ok && text.p == text.end ? HS_OK : HS_E_FORMAT;
}

/* Names of PULP's trace debugger for signals of PT Table 3.1. */
static const struct {
	const char *name;
	uint8_t signal;
} pulp[] = {
	{ "valid", HS_PORT_SIGNAL_iretire },
	{ "exception", HS_PORT_SIGNAL_iexception },
	{ "interrupt", HS_PORT_SIGNAL_interrupt },
	{ "cause", HS_PORT_SIGNAL_cause },
	{ "tval", HS_PORT_SIGNAL_tval },
	{ "priv", HS_PORT_SIGNAL_priv },
	{ "compressed", HS_PORT_SIGNAL_compressed },
	{ "addr", HS_PORT_SIGNAL_iaddr },
	{ "instr", HS_PORT_SIGNAL_instr },
};

enum { PULP = sizeof pulp / sizeof *pulp };

/* All numbers are hexadecimal. */
static void set_pair(struct hs_port_text *t, unsigned signal, struct base_text *text)
{
	uint64_t unknown;

	hs_port_set(&t->row, signal, 0, base_text_number_x(text, 16, &unknown));
	hs_port_set(&t->unknown, signal, 0, unknown);
	t->has_unknown |= unknown != 0;
}

/* valid says that the word means something: with an exception its instruction did not retire. */
static enum hs_status take_pairs(struct hs_port_text *t)
{
	struct base_text text = import_text(&t->lines);
	unsigned seen = 0;

	for (base_text_skip_blanks(&text); text.ok && text.p < text.end;
	     base_text_skip_blanks(&text)) {
		unsigned i = 0;

		for (; i < PULP; i++) {
			struct base_text ahead = text;

			if (base_text_skip(&ahead, pulp[i].name) && base_text_skip(&ahead, "=")) {
				text = ahead;
				break;
			}
		}
		if (i == PULP || (seen >> i & 1u))
			return HS_E_FORMAT;
		seen |= 1u << i;
		set_pair(t, pulp[i].signal, &text);
	}
	if (!text.ok || seen != (1u << PULP) - 1)
		return HS_E_FORMAT;
	struct hs_port_slot *s = &t->row.slot[0], *u = &t->unknown.slot[0];

	s->iexception &= s->iretire;
	s->iretire &= ~s->iexception;
	u->iexception = s->iretire || u->iretire ? u->iexception : 0;
	return HS_OK;
}

static enum hs_status take_cycle(struct hs_port_text *t, struct hs_blocks *out)
{
	struct hs_port_cycle *c = &t->row;
	enum hs_status s;

	memset(c, 0, sizeof *c);
	if (t->has_unknown)
		memcpy(&t->unknown, &t->missing, sizeof t->unknown);
	t->has_unknown = t->is_partial;
	s = t->pairs ? take_pairs(t) : take_row(t);
	if (s != HS_OK)
		return s;
	t->rows++;
	adapt_port(t, c);
	s = hs_port_clock_unknown(&t->port, c, t->has_unknown ? &t->unknown : NULL, out);
	return s == HS_FULL ? HS_E_BLOCK : s; /* a table cannot wait: its core fetched too far */
}

static enum hs_status take_line(void *state, struct hs_blocks *out)
{
	struct hs_port_text *t = state;
	struct base_text text = import_text(&t->lines);
	enum hs_status s = HS_OK;

	if (t->lines.cut)
		return HS_E_FORMAT;
	if (t->lines.n == 0)
		return HS_OK;
	if (!t->started && (base_text_skip(&text, "valid="))) {
		s = start_pairs(t);
	} else if (!t->started) {
		s = take_header(t);
		t->columns = s == HS_OK ? t->columns : 0;
		t->started = s == HS_OK;
		return s;
	}
	return s == HS_OK ? take_cycle(t, out) : s;
}

enum hs_status hs_port_text_feed(struct hs_port_text *t, struct hs_span *in, struct hs_blocks *out)
{
	const struct import_importer i = { &t->lines, t, take_line, HS_PORT_ROOM };

	return import_feed(&i, in, out);
}

enum hs_status hs_port_text_flush(struct hs_port_text *t, struct hs_blocks *out)
{
	const struct import_importer i = { &t->lines, t, take_line, HS_PORT_ROOM };
	const enum hs_status s = import_flush(&i, out);

	if (s != HS_OK)
		return s;
	return t->started ? hs_port_flush(&t->port, out) : HS_E_FORMAT;
}
