/* Import of waves: the signals of a core's trace port in a value change dump. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/import.h"
#include "inputs/wave.h"

/* ---- kinds of files --------------------------------------------------------------------- */

bool waves_is_vcd(const struct hs_span *first)
{
	static const char *const words[] = { "$date",  "$version", "$timescale",
		                             "$scope", "$var",     "$comment" };
	size_t at = 0;

	while (at < first->n && strchr(" \t\r\n", first->p[at]) && first->p[at])
		at++;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (first->n - at > strlen(words[i]) &&
		    memcmp(first->p + at, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

/* ---- columns -------------------------------------------------------------------------------- */

#define NAME 40

struct columns {
	struct hs_wave_column column[HS_WAVE_COLUMNS];
	char name[HS_WAVE_COLUMNS][NAME];
	size_t n;
};

static void add_column(struct columns *c, const char *name, unsigned slot, uint8_t base)
{
	if (c->n == HS_WAVE_COLUMNS)
		return;
	if (slot < HS_PORT_SLOTS)
		snprintf(c->name[c->n], NAME, "%s_%u", name, slot);
	else
		snprintf(c->name[c->n], NAME, "%s", name);
	c->column[c->n] = (struct hs_wave_column){ .name = c->name[c->n], .base = base };
	c->n++;
}

/* All that the importers know: signals of the ingress port, and of RVFI. */
static void add_all(struct columns *c)
{
	static const char *const rvfi[] = {
		"rvfi_valid", "rvfi_order", "rvfi_insn",     "rvfi_trap",     "rvfi_intr",
		"rvfi_mode",  "rvfi_ixl",   "rvfi_pc_rdata", "rvfi_pc_wdata",
	};

	for (unsigned i = 0; i < HS_PORT_SIGNALS; i++) {
		const struct hs_port_signal *s = hs_port_get_signal(i);

		add_column(c, s->name, HS_PORT_SLOTS, s->base);
		for (unsigned slot = 0; !s->in_cycle && slot < HS_PORT_SLOTS; slot++)
			add_column(c, s->name, slot, s->base);
	}
	for (size_t i = 0; i < sizeof(rvfi) / sizeof(*rvfi); i++)
		add_column(c, rvfi[i], HS_PORT_SLOTS, 0);
}

/* --signal NAME=PATH. */
static bool set_signal(struct columns *c, const char *text)
{
	const char *equals = strchr(text, '=');

	for (size_t i = 0; equals && i < c->n; i++) {
		struct hs_wave_column *column = &c->column[i];

		if (strlen(column->name) != (size_t)(equals - text) ||
		    memcmp(column->name, text, strlen(column->name)) != 0)
			continue;
		column->signal = equals + 1;
		column->needed = true;
		return true;
	}
	return false;
}

/* ---- an import ----------------------------------------------------------------------------- */

struct waves {
	struct hs_wave *wave;
	struct importing inner; /* when open */
	bool ended;             /* inner, well or not */
	bool cycles;            /* of the importer */
	bool open, failed;      /* failed: the dump cannot be read any further */
	struct import_setup setup;
	struct columns columns;
	char text[2 * HS_WAVE_ROOM];
	size_t at, n;
};

/* The columns of the importers, and where the options say that signals are. */
static enum hs_status choose_columns(struct columns *c, const struct import_setup *setup,
                                     struct hs_error *e)
{
	add_all(c);
	for (size_t i = 0; i < setup->signal_count; i++)
		if (!set_signal(c, setup->signals[i]))
			return hs_error_set(e, HS_E_CONFIG,
			                    "--signal %s: it is NAME=PATH, with a NAME of "
			                    "docs/port-signals.md or of RVFI",
			                    setup->signals[i]);
	return HS_OK;
}

enum hs_status waves_open(struct waves **waves, const struct importer *importer,
                          const struct import_setup *setup, struct hs_error *e)
{
	struct waves *w = calloc(1, sizeof(*w));

	if (!w)
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	w->setup = *setup;
	w->cycles = importer->cycles;
	enum hs_status s = choose_columns(&w->columns, setup, e);
	const struct hs_wave_options o = {
		.size = sizeof(o),
		.clock = setup->clock,
		.columns = w->columns.column,
		.column_count = w->columns.n,
	};

	if (s == HS_OK)
		s = hs_wave_new(&o, &w->wave, e);
	if (s == HS_OK)
		*waves = w;
	else
		free(w);
	return s;
}

void waves_close(struct waves *w)
{
	if (!w)
		return;
	if (w->open)
		importing_close(&w->inner);
	hs_wave_free(w->wave);
	free(w);
}

struct hs_exec_log *waves_log(const struct waves *w)
{
	return w->open ? importing_log(&w->inner) : NULL;
}

struct hs_seen_code *waves_code(const struct waves *w)
{
	return w->open ? importing_code(&w->inner) : NULL;
}

static bool has_either(const struct waves *w, const char *name, const char *other)
{
	return hs_wave_has(w->wave, name) || hs_wave_has(w->wave, other);
}

/* The declarations show what the rows are. */
static enum hs_status open_inner(struct waves *w, struct hs_error *e)
{
	const bool rvfi =
		hs_wave_has(w->wave, "rvfi_pc_rdata") && hs_wave_has(w->wave, "rvfi_insn");
	const bool port =
		has_either(w, "iretire", "iretire_0") && has_either(w, "iaddr", "iaddr_0") &&
		(has_either(w, "instr", "instr_0") ||
	         (has_either(w, "itype", "itype_0") && has_either(w, "ilastsize", "ilastsize_0")));
	enum hs_status s;

	if (w->open)
		return HS_OK;
	if (!rvfi && !port)
		return hs_error_set(e, HS_E_CONFIG,
		                    "no port in the dump: it takes iretire, iaddr and instr, or "
		                    "iretire, iaddr, itype and ilastsize, or rvfi_pc_rdata and "
		                    "rvfi_insn; --signal NAME=PATH gives their places");
	importer_find(rvfi ? "rvfi" : w->cycles ? "port-cycles" : "port", &w->inner.importer);
	s = importing_open(&w->inner, &w->setup, e);
	w->open = s == HS_OK;
	return s;
}

/* Pass the rows on.  HS_OK: there are none left. */
static enum hs_status feed_rows(struct waves *w, struct hs_blocks *out, struct hs_error *e)
{
	struct hs_span rows = { (const uint8_t *)w->text + w->at, w->n - w->at };
	struct hs_error own = { 0 };
	enum hs_status s = HS_OK;

	if (w->at == w->n)
		return HS_OK;
	s = open_inner(w, e);
	if (s != HS_OK)
		return s;
	s = importing_feed(&w->inner, &rows, out, &own);
	w->at = w->n - rows.n;
	if (s == HS_MORE || s == HS_FULL)
		return s == HS_MORE ? HS_OK : HS_FULL;
	return hs_error_set(e, s, "rows of the signals: %.400s", own.text);
}

enum hs_status waves_feed(struct waves *w, struct hs_span *in, struct hs_blocks *out,
                          struct hs_error *e)
{
	enum hs_status s = feed_rows(w, out, e);

	if (w->failed)
		in->n = 0;
	while (s == HS_OK && in->n) {
		w->at = w->n = 0;
		s = hs_wave_feed(w->wave, in, w->text, sizeof(w->text), &w->n, e);
		if (s != HS_MORE && s != HS_FULL) {
			w->failed = true;
			in->n = 0;
			return s;
		}
		s = feed_rows(w, out, e);
	}
	return s == HS_OK ? HS_MORE : s;
}

enum hs_status waves_end(struct waves *w, struct hs_blocks *out, struct hs_error *e)
{
	enum hs_status s = feed_rows(w, out, e);

	if (s != HS_OK)
		return s;
	w->at = w->n = 0;
	if (!w->failed) {
		s = hs_wave_end(w->wave, w->text, sizeof(w->text), &w->n, e);
		w->failed = s != HS_END;
		if (w->failed)
			return s;
	}
	s = feed_rows(w, out, e);
	if (s != HS_OK || !w->open || w->at != w->n || w->ended)
		return s;
	s = importing_end(&w->inner, out, e);
	w->ended = s != HS_FULL;
	return s;
}
