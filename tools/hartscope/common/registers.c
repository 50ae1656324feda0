/* --registers: a dump of registers, explained. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/trace_params.h>

#include "common/tool.h"

/* Registers that a decode takes its parameters from (NT Table 7). */
static const uint16_t decoding[] = {
	HS_TCR_TE_CONTROL, HS_TCR_TE_IMPL, HS_TCR_TE_INST_FEATURES, HS_TCR_TE_INST_FILTERS,
	HS_TCR_TS_CONTROL,
};

static bool known(const struct hs_tc_regs *r, const struct hs_tc_place *p)
{
	return r->known[p->word / 32] >> p->word % 32 & 1u;
}

static bool decides(const struct hs_tc_place *p)
{
	for (size_t i = 0; i < sizeof(decoding) / sizeof(*decoding); i++)
		if (p->reg == decoding[i] && p->component == HS_TC_ENCODER)
			return true;
	return false;
}

/* Versions that are not silently accepted (TCI 5); opening the trace refuses those that cannot be
 * read. */
static void note_versions(const struct hs_registers *r)
{
	char text[200];

	for (unsigned c = 0; c < HS_TC_COMPONENTS; c++)
		if (hs_registers_version_text(r, c, text, sizeof(text)) >
		    HS_TC_VERSION_GOOD)
			complain("warning: %s", text);
}

/* The encoders of a stream. */
static void note_sources(const struct hs_registers *r)
{
	fprintf(stderr, "hartscope: %u encoders, with trTeSrcID", r->encoders);
	for (uint32_t i = 0; i < r->encoders && i < HS_REGISTERS_ENCODERS; i++)
		fprintf(stderr, " %u", r->sources[i]);
	fputc('\n', stderr);
}

/* Where a RAM sink's trace is. */
static void note_ram(const struct hs_registers *r)
{
	struct hs_registers_ram ram;

	if (!hs_registers_get_ram(r, &ram))
		return;
	complain("RAM sink: 0x%llx to 0x%llx, write pointer 0x%llx, %s",
	         (unsigned long long)ram.start, (unsigned long long)ram.limit + 3,
	         (unsigned long long)ram.wp, ram.wrapped ? "wrapped" : "not wrapped");
	if (ram.at_work)
		complain("warning: the RAM sink was at work when its registers were read: the "
		         "buffer may have changed since");
}

void registers_note(const char *path)
{
	struct hs_registers r;
	struct hs_tc_place p;
	char line[HS_TC_LINE_MAX];
	unsigned used = 0;

	if (strcmp(path, "-") == 0 || hs_registers_read(path, &r, NULL) != HS_OK)
		return; /* opening the trace says why */
	for (unsigned w = 0; hs_tc_next(w, &p); w = p.word + 1u) {
		if (!known(&r.dump.regs, &p) || !decides(&p))
			continue;
		hs_tc_print(&r.dump.regs, &p, line, sizeof(line));
		fprintf(stderr, "%s%s", used++ ? ", " : "hartscope: parameters from ", line);
	}
	if (used)
		fputc('\n', stderr);
	else
		complain("%s: no register of a trace encoder: it decides nothing", path);
	if (r.encoders > 1)
		note_sources(&r);
	note_versions(&r);
	note_ram(&r);
	if (r.unknown)
		complain(
			"%s:%u: not a register of the trace control interface; %u such lines skipped",
			path, r.first_unknown, r.unknown);
}

/* A column of a row: of a width for people, as it is for programs. */
static void column(struct report *r, const char *key, int width, const char *value)
{
	char padded[128];

	snprintf(padded, sizeof(padded), "%-*s", r->json ? 0 : width, value);
	report_text(r, key, "", padded);
}

static void value_column(struct report *r, uint32_t value, bool hex)
{
	char text[16];

	snprintf(text, sizeof(text), hex ? "0x%08x" : "%u", value);
	if (r->json)
		report_value(r, "value", value);
	else
		column(r, "value", 10, text);
}

static void show_field(struct report *r, const struct hs_tc_regs *regs, const struct hs_tc_place *p,
                       unsigned field)
{
	const struct hs_tc_field_row *f = hs_tc_field_at(field);
	const uint32_t v = regs->word[p->word] >> f->lsb & UINT32_MAX >> (31 - f->msb + f->lsb);
	char bits[16], word[48], name[64];
	size_t n = 0;
	const char *w = hs_tc_value_word(field, v, &n);

	snprintf(bits, sizeof(bits), f->msb == f->lsb ? "%u" : "%u:%u", f->msb, f->lsb);
	snprintf(word, sizeof(word), "%.*s", w ? (int)n : 0, w ? w : "");
	report_row(r);
	if (r->json)
		report_text(r, "register", "", hs_tc_name(p, name, sizeof(name)));
	column(r, "bits", 5, bits);
	column(r, "field", 30, f->name);
	value_column(r, v, f->msb - f->lsb >= 8);
	column(r, "word", 12, word);
	report_text(r, "text", "", f->text);
	report_row_end(r);
}

static void show_register(struct report *r, const struct hs_tc_place *p)
{
	const struct hs_tc_reg_row *row = hs_tc_reg_at(p->reg);
	char name[64];

	report_text(r, "name", "", hs_tc_name(p, name, sizeof(name)));
	report_text(r, "component", "", hs_tc_component_name(p->component));
	report_hex(r, "offset", "", p->offset);
	report_text(r, "text", "", row->text);
	report_text(r, "clause", "", row->clause);
}

/* For people a register stands before its fields; programs get two lists. */
static void show_all(struct report *r, const struct hs_tc_regs *regs)
{
	struct hs_tc_place p;

	for (unsigned w = 0; hs_tc_next(w, &p); w = p.word + 1u) {
		if (!known(regs, &p))
			continue;
		char title[160], name[64];

		snprintf(title, sizeof(title), "%s = 0x%08x  %s (%s)",
		         hs_tc_name(&p, name, sizeof(name)), regs->word[p.word],
		         hs_tc_reg_at(p.reg)->text, hs_tc_reg_at(p.reg)->clause);
		if (!r->json)
			report_list(r, "", title);
		for (unsigned f = 0; f < HS_TCF_COUNT; f++)
			if (hs_tc_field_at(f)->reg == p.reg)
				show_field(r, regs, &p, f);
	}
}

static void list_registers(struct report *r, const struct hs_tc_regs *regs)
{
	struct hs_tc_place p;

	report_list(r, "registers", "");
	for (unsigned w = 0; hs_tc_next(w, &p); w = p.word + 1u) {
		if (!known(regs, &p))
			continue;
		report_row(r);
		show_register(r, &p);
		value_column(r, regs->word[p.word], true);
		report_row_end(r);
	}
	report_list_end(r);
}

/* Would a protocol take its parameters from these registers? */
static enum hs_status try_protocol(const char *name, const struct hs_tc_regs *regs)
{
	const struct hs_protocol *p = hs_protocol_find(name);
	void *config = calloc(1, p->config_size);

	if (!config)
		return HS_E_MEMORY;
	hs_protocol_defaults(p, config);
	const enum hs_status s = hs_protocol_take_registers(p, config, regs);

	free(config);
	return s;
}

/* Could a decode be configured with this? */
static void show_verdict(struct report *r, const struct hs_tc_regs *regs)
{
	const bool etrace = hs_tc_known(regs, HS_TC_ENCODER, HS_TCF_TE_FORMAT) &&
	                    hs_tc_get(regs, HS_TC_ENCODER, HS_TCF_TE_FORMAT) == 0;
	const enum hs_status s = try_protocol(etrace ? "etrace" : "ntrace", regs);

	report_text(r, "protocol", "protocol",
	            s == HS_E_CONFIG ? "trTeSrcBits is not legal"
	            : s != HS_OK     ? "neither N-Trace 1 nor E-Trace 2"
	            : etrace         ? "E-Trace"
	                             : "N-Trace");
}

/* Components whose version was read, and the buffer of a RAM sink. */
static void show_components(struct report *r, const struct hs_registers *found)
{
	struct hs_registers_ram ram;
	char text[200];

	for (unsigned c = 0; c < HS_TC_COMPONENTS; c++)
		if (hs_registers_version_text(found, c, text, sizeof(text)) !=
		    HS_TC_VERSION_NOT_READ)
			report_text(r, hs_tc_component_name(c), hs_tc_component_name(c), text);
	if (!hs_registers_get_ram(found, &ram))
		return;
	report_hex(r, "ram_start", "buffer starts at", ram.start);
	report_hex(r, "ram_limit", "its last word is at", ram.limit);
	report_hex(r, "ram_wp", "the next word goes to", ram.wp);
	report_bool(r, "ram_wrapped", "it wrapped", ram.wrapped);
}

int registers_show(const char *path, bool json)
{
	struct hs_registers found;
	struct hs_error e = { 0 };
	struct report r;

	if (hs_registers_read(path, &found, &e) != HS_OK)
		return fail(&e);
	report_begin(&r, stdout, json);
	report_text(&r, "kind", "kind", "registers");
	report_u32(&r, "count", "registers", found.count);
	report_u32(&r, "unknown", "unknown lines", found.unknown);
	show_verdict(&r, &found.dump.regs);
	report_u32(&r, "encoders", "encoders", found.encoders);
	show_components(&r, &found);
	if (json) {
		list_registers(&r, &found.dump.regs);
		report_list(&r, "fields", "");
	}
	show_all(&r, &found.dump.regs);
	if (json)
		report_list_end(&r);
	report_end(&r);
	return EXIT_GOOD;
}
