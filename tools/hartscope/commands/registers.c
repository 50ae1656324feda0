/* hartscope registers: the writes that set a device up for a trace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/encode.h>

#include "common/new_file.h"
#include "common/tool.h"

struct registers_options {
	struct options shared;
	const char *sink;   /* NULL: sram */
	const char *system; /* file; NULL: none */
	struct hs_qualifier_config filter;
};

/* clang-format off */
static const struct option_row sink_rows[] = {
	{ "--sink", 0, "SINK",
	  "where the trace goes: sram, smem:START-LIMIT, pins4, atb:ID or none",
	  AS_TEXT(struct registers_options, sink),
	  .words = "sram smem: pins1 pins2 pins4 pins8 pins16 atb: none" },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "registers",
	.form = "[--protocol NAME] [--set NAME=VALUE]... [--filter TERMS]... [--sink SINK] [TRACE]\n"
		"       hartscope registers --system FILE",
	.text = "Prints the writes to trace control registers that make a device send a trace with these\n"
		"parameters, in the order of the Trace Control Interface: reset and activate, settings,\n"
		"enable; the sink first, the encoder last.  With TRACE the parameters are those of TRACE.json.\n"
		"What is printed is a dump, too, for --registers of other commands.\n\n"
		"SINK is sram (by\n"
		"default), smem:START-LIMIT with the addresses of the buffer's first and last word, pins1 to\n"
		"pins16, atb:ID or none; '+funnel' after it: through a funnel.\n\n"
		"With --system the writes are those of the components of a file, which encode --system takes,\n"
		"too, as it takes what is printed here.",
	.example = "  hartscope registers --set trTeInstMode=htm --set trTeInstSyncMode=messages\n"
		   "  hartscope registers --filter iaddr=0x80000000-0x80000fff \\\n"
		   "      --sink smem:0x90000000-0x9000fffc",
	.often = "--output --protocol --set --filter --sink --system --json",
	.options = OPTIONS(ROWS(options_output), ROWS(options_protocol),
	                   ROWS_AT(options_filter, struct registers_options, filter),
	                   ROWS(options_config), ROWS(sink_rows),
	                   ROWS_AT(options_system, struct registers_options, system),
	                   ROWS(options_json), ROWS(options_force), ROWS(options_quiet),
	                   ROWS(options_terminal), ROWS(options_reading)),
	.min_args = 0,
	.max_args = 1,
};

struct job {
	struct hs_trace_params *params;
	const struct hs_protocol *protocol;
	struct hs_tc_regs regs;
	uint32_t components;
	struct hs_trace_system *system; /* --system */
	struct hs_error error;
};

/* ---- sinks ---------------------------------------------------------------------- */

static void set_field(struct hs_tc_regs *r, unsigned component, unsigned field, uint32_t value)
{
	const struct hs_tc_field_row *f = hs_tc_field_at(field);
	const uint32_t mask = UINT32_MAX >> (31 - f->msb + f->lsb) << f->lsb;
	struct hs_tc_place p;

	hs_tc_at(component, hs_tc_reg_at(f->reg)->offset, &p);
	r->word[p.word] = (r->word[p.word] & ~mask) | (value << f->lsb & mask);
	r->known[p.word / 32] |= (uint32_t)1 << p.word % 32;
}

/* The registers of an address are Low, with bits 31:2, and High. */
static void set_address(struct hs_tc_regs *r, unsigned low, unsigned high, uint64_t address)
{
	set_field(r, HS_TC_RAM, low, (uint32_t)address >> 2);
	set_field(r, HS_TC_RAM, high, (uint32_t)(address >> 32));
}

/* The write pointer begins at the start; the limit of an SRAM is its own. */
static void set_sram(struct job *j)
{
	j->components |= 1u << HS_TC_RAM;
	set_field(&j->regs, HS_TC_RAM, HS_TCF_RAM_MODE, 0);
	set_address(&j->regs, HS_TCF_RAM_WP_LOW_BITS, HS_TCF_RAM_WP_HIGH_BITS, 0);
}

/* "START-LIMIT" */
static bool set_smem(struct job *j, const char *text)
{
	char *end;

	errno = 0;
	const uint64_t start = strtoull(text, &end, 0);

	if (*text < '0' || *text > '9' || *end != '-' || end[1] < '0' || end[1] > '9')
		return false;
	const uint64_t limit = strtoull(end + 1, &end, 0);

	if (*end || errno || limit < start || (start | limit) % 4)
		return false;
	j->components |= 1u << HS_TC_RAM;
	set_field(&j->regs, HS_TC_RAM, HS_TCF_RAM_MODE, 1);
	set_address(&j->regs, HS_TCF_RAM_START_LOW_BITS, HS_TCF_RAM_START_HIGH_BITS, start);
	set_address(&j->regs, HS_TCF_RAM_LIMIT_LOW_BITS, HS_TCF_RAM_LIMIT_HIGH_BITS, limit);
	set_address(&j->regs, HS_TCF_RAM_WP_LOW_BITS, HS_TCF_RAM_WP_HIGH_BITS, start);
	return true;
}

/* trPibMode 8 to 12: 1, 2, 4, 8, 16 pins. */
static bool set_pins(struct job *j, const char *name)
{
	struct hs_pin_config pins;
	uint32_t mode = 8;

	if (hs_transport_pins(name, &pins) != HS_OK || pins.format != HS_PIN_BYTES)
		return false;
	while (1u << (mode - 8) < pins.width)
		mode++;
	j->components |= 1u << HS_TC_PIB;
	set_field(&j->regs, HS_TC_PIB, HS_TCF_PIB_MODE, mode);
	return true;
}

/* IDs 0 and from 0x70 on are reserved (TCI 10). */
static bool set_atb(struct job *j, const char *text)
{
	char *end;
	const unsigned long id = strtoul(text, &end, 0);

	if (*text < '0' || *text > '9' || *end || id == 0 || id >= 0x70)
		return false;
	j->components |= 1u << HS_TC_ATB;
	set_field(&j->regs, HS_TC_ATB, HS_TCF_ATB_ID, (uint32_t)id);
	return true;
}

static bool set_sink(struct job *j, char *text)
{
	char *funnel = strstr(text, "+funnel");

	if (funnel && !funnel[7]) {
		*funnel = '\0';
		j->components |= 1u << HS_TC_FUNNEL;
	}
	if (strcmp(text, "sram") == 0)
		set_sram(j);
	else if (strncmp(text, "smem:", 5) == 0)
		return set_smem(j, text + 5);
	else if (strncmp(text, "atb:", 4) == 0)
		return set_atb(j, text + 4);
	else if (strcmp(text, "none") != 0)
		return set_pins(j, text);
	return true;
}

/* ---- registers -------------------------------------------------------------------- */

static enum hs_status take_filters(struct job *j, const struct hs_qualifier_config *filter)
{
	const enum hs_status s = hs_tc_set_filters(&j->regs, filter);

	return s == HS_OK ? s
	                  : hs_error_set(&j->error, HS_E_CONFIG,
	                                 "registers cannot filter like this: no time, hart or trace "
	                                 "that begins off, 32 bits of user, causes to 63");
}

static enum hs_status take_sink(struct job *j, const char *sink)
{
	char *text = strdup(sink ? sink : "sram");
	const bool good = text && set_sink(j, text);

	free(text);
	return good ? HS_OK
	            : hs_error_set(
			      &j->error, HS_E_CONFIG,
			      "--sink needs sram, smem:START-LIMIT, pins1 to pins16, atb:ID or "
			      "none, not '%.60s'",
			      sink);
}

/* What is not set up decides nothing. */
static void forget_others(struct job *j)
{
	struct hs_tc_place p;

	for (unsigned w = 0; hs_tc_next(w, &p); w = p.word + 1u)
		if (!(j->components >> p.component & 1u)) {
			j->regs.word[p.word] = 0;
			j->regs.known[p.word / 32] &= ~((uint32_t)1 << p.word % 32);
		}
}

static enum hs_status configure(struct job *j, const struct registers_options *own)
{
	const struct options *o = &own->shared;
	enum hs_status s = HS_OK;

	if (o->arg_count && !o->capture.transport)
		s = refuse_file(o->args[0], &j->error);
	if (s == HS_OK)
		s = read_params(o, o->arg_count ? o->args[0] : NULL, &j->params, &j->error);
	if (s != HS_OK)
		return s;
	j->protocol = hs_trace_params_protocol(j->params);
	j->components = 1u << HS_TC_ENCODER;
	if (!o->arg_count)
		hs_trace_params_set_default_sync(j->params);
	s = hs_protocol_put_registers(j->protocol, hs_trace_params_config(j->params), &j->regs);
	if (s != HS_OK)
		return hs_error_set(&j->error, HS_E_CONFIG,
		                    "registers cannot have these parameters of %s: see "
		                    "trTeInstSyncMode, trTeInstSyncMax, trTeSrcBits and version",
		                    j->protocol->name);
	s = take_filters(j, &own->filter);
	if (s == HS_OK)
		s = take_sink(j, own->sink);
	forget_others(j);
	return s;
}

/* ---- output ------------------------------------------------------------------------- */

static void describe(const struct hs_tc_step *w, char *text, size_t size)
{
	*text = '\0';
	if (w->place.offset == 0 && w->value == 0)
		snprintf(text, size, "reset");
	else if (w->place.offset == 0 && w->value == 1)
		snprintf(text, size, "activate");
	else if (w->place.offset == 0 && w->wait == 2)
		snprintf(text, size, "enable");
	else if (w->place.offset == 0 && w->wait)
		snprintf(text, size, "start");
	if (w->wait)
		snprintf(text + strlen(text), size - strlen(text), "; wait until & 0x%x reads 0x%x",
		         w->wait, w->value & w->wait);
}

static void print_write(FILE *out, const struct hs_tc_step *w)
{
	char name[64], text[80];

	describe(w, text, sizeof(text));
	fprintf(out, "%s = 0x%08x%s%s\n", hs_tc_name(&w->place, name, sizeof(name)), w->value,
	        *text ? "  # " : "", text);
}

static void report_write(struct report *r, const struct hs_tc_step *w)
{
	char name[64], text[80];

	describe(w, text, sizeof(text));
	report_row(r);
	report_text(r, "component", "", hs_tc_component_name(w->place.component));
	report_text(r, "name", "", hs_tc_name(&w->place, name, sizeof(name)));
	report_u32(r, "offset", "", w->place.offset);
	report_u32(r, "value", "", w->value);
	report_u32(r, "wait", "", w->wait);
	report_text(r, "text", "", text);
	report_row_end(r);
}

/* Parameters that the encoder must have by itself, since no register says them. */
static enum hs_status find_others(const struct job *j, struct hs_trace_params **others)
{
	struct hs_tc_regs regs = j->regs;
	enum hs_status s = hs_trace_params_new(j->protocol->name, others, NULL);

	if (s == HS_OK)
		s = hs_trace_params_set_registers(*others, &regs, NULL);
	return s;
}

/* To @r, or as a comment to @out. */
static void list_other(const struct hs_param *param, uint64_t v, FILE *out, struct report *r)
{
	char value[80];

	hs_protocol_value_text(param, v, value, sizeof(value));
	if (!r) {
		fprintf(out, "# no register says: %s = %s\n", param->name, value);
		return;
	}
	report_row(r);
	report_text(r, "name", "", param->name);
	report_text(r, "value", "", value);
	report_row_end(r);
}

static void list_others(const struct job *j, FILE *out, struct report *r)
{
	const struct hs_protocol *p = j->protocol;
	struct hs_trace_params *others = NULL;

	const enum hs_status s = find_others(j, &others);

	if (s == HS_E_MEMORY) {
		struct damage none = { 0 };
		struct hs_error e;

		hs_error_set(&e, s, "out of memory");
		damage_add(&none, &e, HS_REASON_NONE); /* so nothing is written */
	}
	if (s == HS_OK)
		for (unsigned i = 0; i < p->param_count; i++) {
			const uint64_t v =
				hs_protocol_get(p, hs_trace_params_config(j->params), i);

			if (v != hs_protocol_get(p, hs_trace_params_config(others), i))
				list_other(&p->params[i], v, out, r);
		}
	hs_trace_params_free(others);
}

static void print_text(const struct job *j, struct hs_tc_setup *setup, FILE *out)
{
	unsigned component = HS_TC_COMPONENTS;
	struct hs_tc_step w;

	fprintf(out, "# %s\n", j->protocol->text);
	list_others(j, out, NULL);
	while (hs_tc_setup_next(setup, &w)) {
		if (w.place.component != component)
			fprintf(out, "[%s]\n", hs_tc_component_name(w.place.component));
		component = w.place.component;
		print_write(out, &w);
	}
}

static void print_json(const struct job *j, struct hs_tc_setup *setup, FILE *out)
{
	struct report r;
	struct hs_tc_step w;

	report_begin(&r, out, true);
	report_text(&r, "protocol", "protocol", j->protocol->name);
	report_list(&r, "not_in_registers", "");
	list_others(j, out, &r);
	report_list_end(&r);
	report_list(&r, "writes", "");
	while (hs_tc_setup_next(setup, &w))
		report_write(&r, &w);
	report_list_end(&r);
	report_end(&r);
}

/* A component of a system, and where its trace goes. */
static void print_component(const struct hs_trace_component *c, FILE *out)
{
	fprintf(out, "[%s 0x%llx]\n", hs_tc_component_name(c->kind), (unsigned long long)c->base);
	if (c->has_hart)
		fprintf(out, "hart = %llu\n", (unsigned long long)c->hart);
	for (unsigned n = 0; n < c->links; n++)
		fprintf(out, "toInput%u = 0x%llx\n", c->link[n].input,
		        (unsigned long long)c->link[n].base);
}

static void report_component(struct report *r, const struct hs_trace_component *c,
                             struct hs_tc_setup *setup)
{
	struct hs_tc_step w;

	report_row(r);
	report_text(r, "component", "", hs_tc_component_name(c->kind));
	report_hex(r, "base", "", c->base);
	report_list(r, "writes", "");
	while (hs_tc_setup_next(setup, &w))
		report_write(r, &w);
	report_list_end(r);
	report_row_end(r);
}

/* The component whose registers are written in this turn.  False: there is none. */
static bool find_turn(const struct hs_trace_system *s, unsigned turn, struct hs_trace_component *c)
{
	unsigned i = 0;

	while (hs_trace_system_get(s, i++, c))
		if (c->turn == turn)
			return true;
	return false;
}

static void print_system(const struct hs_trace_system *s, FILE *out, bool json)
{
	struct hs_trace_component c;
	struct report r;
	struct hs_tc_step w;

	if (json) {
		report_begin(&r, out, true);
		report_list(&r, "components", "");
	}
	for (unsigned turn = 0; find_turn(s, turn, &c); turn++) {
		struct hs_tc_setup setup;

		hs_tc_setup_init(&setup, c.registers, 1u << c.kind, true);
		if (json) {
			report_component(&r, &c, &setup);
			continue;
		}
		print_component(&c, out);
		while (hs_tc_setup_next(&setup, &w))
			print_write(out, &w);
	}
	if (json) {
		report_list_end(&r);
		report_end(&r);
	}
}

static int print_all(struct job *j, const struct registers_options *own)
{
	const struct options *o = &own->shared;
	struct new_file file;
	struct hs_tc_setup setup;
	FILE *out;

	if (!new_file_open(&file, o->output ? o->output : "-"))
		return EXIT_USAGE;
	out = new_file_stream(&file);
	if (!out)
		return EXIT_USAGE;
	hs_tc_setup_init(&setup, &j->regs, j->components, true);
	if (own->system)
		print_system(j->system, out, o->json);
	else if (o->json)
		print_json(j, &setup, out);
	else
		print_text(j, &setup, out);
	return new_file_end(&file, out) ? EXIT_GOOD : EXIT_USAGE;
}

int cmd_registers(int argc, char **argv)
{
	struct job j = { 0 };
	struct registers_options own = { .filter.size = sizeof(own.filter) };
	struct options *o = &own.shared;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	const enum hs_status s = own.system ? hs_trace_system_new(own.system, &j.system, &j.error)
	                                    : configure(&j, &own);

	status = s == HS_OK ? print_all(&j, &own) : fail(&j.error);
	hs_trace_params_free(j.params);
	hs_trace_system_free(j.system);
	return status;
}
