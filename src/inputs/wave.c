/* A value change dump to rows of values at the edges of a clock. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "inputs/vcd_reader.h"
#include "inputs/wave.h"

#define COLUMN 40 /* a row of names fits HS_WAVE_ROOM */

/* Bits, and those of them that are x or z, or were not dumped yet: 0 in @bits. */
struct value {
	uint64_t bits, unknown;
};

struct signal {
	struct vcd_name want;
	bool found;
	char id[VCD_ID + 1];
	uint32_t shift;     /* bits of the variable below the one that is read */
	bool one;           /* one bit of it */
	uint32_t size;      /* bits of the variable */
	struct value value; /* at the end of the time before */
	struct value next;  /* now */
};

struct column {
	char name[COLUMN];
	struct signal signal;
	uint8_t base;
	bool needed;
};

struct hs_wave {
	struct column column[HS_WAVE_COLUMNS];
	size_t columns;
	struct signal clock[3];
	size_t clocks;
	struct signal *ticking; /* the one of them that is used */

	struct vcd_reader reader;
	bool started; /* a time is over: there are values from before */
	char row[HS_WAVE_ROOM];
	size_t row_n;
	enum hs_status failed;
	struct hs_error why;
};

/* ---- options --------------------------------------------------------------------------- */

static bool set_signal(struct signal *s, const char *text)
{
	return vcd_set_name(&s->want, text, strlen(text));
}

static bool set_column(struct column *c, const struct hs_wave_column *from)
{
	if (!from->name || !*from->name || strlen(from->name) >= COLUMN)
		return false;
	snprintf(c->name, COLUMN, "%s", from->name);
	c->base = from->base;
	c->needed = from->needed;
	return set_signal(&c->signal, from->signal ? from->signal : from->name);
}

static bool set_up(struct hs_wave *w, const struct hs_wave_options *o)
{
	static const char *const clocks[] = { "clk", "clk_i", "clock" };
	bool ok = o->column_count != 0 && o->column_count <= HS_WAVE_COLUMNS;

	w->clocks = o->clock ? 1 : 3;
	for (size_t i = 0; i < w->clocks; i++)
		ok &= set_signal(&w->clock[i], o->clock ? o->clock : clocks[i]);
	for (; ok && w->columns < o->column_count; w->columns++)
		ok = set_column(&w->column[w->columns], &o->columns[w->columns]);
	return ok;
}

enum hs_status hs_wave_new(const struct hs_wave_options *options, struct hs_wave **wave,
                           struct hs_error *error)
{
	struct hs_wave_options o = { .size = sizeof(o) };
	struct hs_wave *w = NULL;

	if (base_take_config(&o, sizeof(o), options) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "struct hs_wave_options: wrong size");
	w = calloc(1, sizeof(*w));
	if (!w)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (!set_up(w, &o)) {
		free(w);
		return hs_error_set(error, HS_E_CONFIG,
		                    "no signals, too many, or a name that is empty or too long");
	}
	*wave = w;
	return HS_OK;
}

void hs_wave_free(struct hs_wave *w)
{
	free(w);
}

bool hs_wave_has(const struct hs_wave *w, const char *column)
{
	for (size_t i = 0; i < w->columns; i++)
		if (strcmp(w->column[i].name, column) == 0)
			return w->reader.declared && w->column[i].signal.found;
	return false;
}

/* ---- declarations ------------------------------------------------------------------------ */

static bool refuse(struct hs_wave *w, enum hs_status s, const char *what)
{
	w->failed = s;
	hs_error_set(&w->why, s, "offset 0x%" PRIx64 ": %s", w->reader.word_at, what);
	return false;
}

static uint64_t low_bits(uint32_t n)
{
	return n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
}

/* A signal is a whole variable or a bit of one; bits that are variables make none. */
static void bind(const struct vcd_reader *r, struct signal *s)
{
	int32_t bit;
	const enum vcd_fit fit = vcd_fit(r, &s->want, &bit);

	if (s->found || fit == VCD_OTHER || fit == VCD_PART)
		return;
	s->found = true;
	s->one = fit == VCD_BIT;
	s->shift = s->one ? (uint32_t)bit : 0;
	s->size = r->var.size;
	s->value.unknown = s->next.unknown = s->one ? 1 : low_bits(s->size);
	memcpy(s->id, r->var.id, sizeof(s->id));
}

static void bind_signals(struct hs_wave *w)
{
	for (size_t i = 0; i < w->columns; i++)
		bind(&w->reader, &w->column[i].signal);
	for (size_t i = 0; i < w->clocks; i++)
		bind(&w->reader, &w->clock[i]);
}

static void add_names(struct hs_wave *w)
{
	bool first = true;

	for (size_t i = 0; i < w->columns; i++) {
		if (!w->column[i].signal.found)
			continue;
		w->row_n += (size_t)snprintf(w->row + w->row_n, sizeof(w->row) - w->row_n, "%s%s",
		                             first ? "" : ",", w->column[i].name);
		first = false;
	}
	w->row[w->row_n++] = '\n';
}

static bool end_declarations(struct hs_wave *w)
{
	char text[VCD_NAME + 64];
	size_t used = 0;

	for (size_t i = 0; i < w->clocks && !w->ticking; i++)
		if (w->clock[i].found)
			w->ticking = &w->clock[i];
	if (!w->ticking)
		return refuse(w, HS_E_CONFIG, "no such clock is declared (clk, clk_i, clock)");
	for (size_t i = 0; i < w->columns; i++) {
		const struct column *c = &w->column[i];

		if (c->needed && !c->signal.found) {
			snprintf(text, sizeof(text), "no signal %s is declared",
			         c->signal.want.text);
			return refuse(w, HS_E_CONFIG, text);
		}
		used += c->signal.found;
	}
	if (!used)
		return refuse(w, HS_E_CONFIG, "none of the signals is declared");
	add_names(w);
	return true;
}

/* ---- values ------------------------------------------------------------------------------- */

static void change_signal(struct signal *s, const char *id, const struct value *v)
{
	if (!s->found || strcmp(s->id, id) != 0)
		return;
	s->next = (struct value){ v->bits, v->unknown & low_bits(s->size) };
	if (s->one && s->shift < 64)
		s->next = (struct value){ v->bits >> s->shift & 1u, v->unknown >> s->shift & 1u };
	else if (s->one)
		s->next = (struct value){ 0, 1 };
}

static void change_value(struct hs_wave *w, const char *id, const struct value *v)
{
	change_signal(w->ticking, id, v);
	for (size_t i = 0; i < w->columns; i++)
		change_signal(&w->column[i].signal, id, v);
}

/* A number of which digits are x, as the importers of rows take it. */
static void add_unknown(struct hs_wave *w, const struct column *c)
{
	const struct value v = c->signal.value;
	unsigned shift = 60;

	if (c->base == 10) {
		w->row[w->row_n++] = 'x';
		return;
	}
	while (shift && (v.bits | v.unknown) >> shift == 0)
		shift -= 4;
	for (int at = (int)shift; at >= 0; at -= 4)
		w->row[w->row_n++] =
			v.unknown >> at & 15 ? 'x' : "0123456789abcdef"[v.bits >> at & 15];
}

static void add_value(struct hs_wave *w, const struct column *c)
{
	const size_t room = sizeof(w->row) - w->row_n;

	if (c->base == 0)
		w->row_n += (size_t)snprintf(w->row + w->row_n, room, "0x");
	if (c->signal.value.unknown)
		add_unknown(w, c);
	else
		w->row_n += (size_t)snprintf(w->row + w->row_n, sizeof(w->row) - w->row_n,
		                             c->base == 10 ? "%" PRIu64 : "%" PRIx64,
		                             c->signal.value.bits);
}

static void add_row(struct hs_wave *w)
{
	bool first = true;

	for (size_t i = 0; i < w->columns; i++) {
		const struct column *c = &w->column[i];

		if (!c->signal.found)
			continue;
		if (!first)
			w->row[w->row_n++] = ',';
		add_value(w, c);
		first = false;
	}
	w->row[w->row_n++] = '\n';
}

/* All changes of a time were read: what was there before is the row, if the clock rose. */
static void end_time(struct hs_wave *w)
{
	if (!w->ticking->value.bits && w->ticking->next.bits && w->started)
		add_row(w);
	w->started = true;
	w->ticking->value = w->ticking->next;
	for (size_t i = 0; i < w->columns; i++)
		w->column[i].signal.value = w->column[i].signal.next;
}

/* Binary digits, the last 64 of them.  One that is x or z stands for those above it, too. */
static struct value binary(const char *p, size_t n)
{
	struct value v = { 0, n && *p != '0' && *p != '1' ? UINT64_MAX : 0 };

	for (; n; p++, n--) {
		v.bits = v.bits << 1 | (*p == '1');
		v.unknown = v.unknown << 1 | (*p != '0' && *p != '1');
	}
	return v;
}

static bool handle(struct hs_wave *w, enum vcd_event event)
{
	const struct vcd_body *b = &w->reader.body;
	struct value value;

	switch (event) {
	case VCD_VARIABLE:
		bind_signals(w);
		return true;
	case VCD_DECLARED:
		return end_declarations(w);
	case VCD_TIME:
		end_time(w);
		return true;
	case VCD_CHANGED:
		value = binary(b->value, b->n);
		change_value(w, b->id, &value);
		return true;
	case VCD_BAD:
		return refuse(w, HS_E_FORMAT, w->reader.why);
	default:
		return true;
	}
}

/* ---- text ------------------------------------------------------------------------------------ */

static void give_row(struct hs_wave *w, char *out, size_t *n)
{
	memcpy(out + *n, w->row, w->row_n);
	*n += w->row_n;
	w->row_n = 0;
}

static enum hs_status fail(const struct hs_wave *w, struct hs_error *e)
{
	return hs_error_set(e, w->failed, "%s", w->why.text);
}

enum hs_status hs_wave_feed(struct hs_wave *w, struct hs_span *in, char *out, size_t cap, size_t *n,
                            struct hs_error *error)
{
	*n = 0;
	if (cap < HS_WAVE_ROOM)
		return HS_E_SPACE;
	while (w->failed == HS_OK && in->n) {
		if (cap - *n < HS_WAVE_ROOM)
			return HS_FULL;
		if (handle(w, vcd_read(&w->reader, in)))
			give_row(w, out, n);
	}
	return w->failed == HS_OK ? HS_MORE : fail(w, error);
}

enum hs_status hs_wave_end(struct hs_wave *w, char *out, size_t cap, size_t *n,
                           struct hs_error *error)
{
	*n = 0;
	if (cap < HS_WAVE_ROOM)
		return HS_E_SPACE;
	if (w->failed == HS_OK && handle(w, vcd_end(&w->reader)) && !w->reader.declared)
		refuse(w, HS_E_FORMAT, "the dump ends in its declarations");
	if (w->failed != HS_OK)
		return fail(w, error);
	end_time(w);
	give_row(w, out, n);
	w->started = false;
	return HS_END;
}
