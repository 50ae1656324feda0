/* CTR's registers in words: fields by ctr_fields.def, and what no hart of the version holds. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ctr_explain/private.h"

#define FILTERS UINT64_C(0xff3e00000000)
#define DEPTH_0_1_4 UINT64_C(0xf0000)

enum kind { K_CONTROL, K_STATUS, K_DEPTH };

static const struct field {
	uint8_t version, kind, lsb, bits;
	const char *name;
} fields[] = {
#define HS_CTR_FIELD(version, reg, name, lsb, bits) { HS_CTR_##version, K_##reg, lsb, bits, #name },
#include <hartscope/tables/ctr_fields.def>
#undef HS_CTR_FIELD
};
#define FIELDS (sizeof(fields) / sizeof(*fields))

void explain_say(const struct explain_dump *d, enum hs_ctr_remark_kind kind, const char *subject, uint64_t value,
              const char *format, ...)
{
	struct hs_ctr_remark remark = { .kind = kind, .subject = subject, .value = value };
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	remark.text = text;
	d->o.say(d->o.context, &remark);
}

/* A list in words that grows. */
struct words {
	char text[768];
	size_t n;
};

static void add(struct words *w, const char *between, const char *text)
{
	const int n = snprintf(w->text + w->n, sizeof(w->text) - w->n, "%s%s", w->n ? between : "", text);

	if (n > 0 && (size_t)n < sizeof(w->text) - w->n)
		w->n += (size_t)n;
}

/* Bits of a field of a version, 0 where it has none. */
static uint64_t bits_of(int version, enum kind kind, const char *name)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (fields[i].version == version && fields[i].kind == kind && strcmp(fields[i].name, name) == 0)
			return (SINK_BIT(fields[i].bits) - 1) << fields[i].lsb;
	return 0;
}

static bool has(const struct explain_dump *d, uint64_t control, const char *name)
{
	return control & bits_of(d->version, K_CONTROL, name);
}

/* ---- control registers -------------------------------------------------------------------- */

static void modes(const struct explain_dump *d, uint64_t control, bool v, bool all, struct words *w)
{
	struct words list = { .n = 0 };

	if (all && has(d, control, "M"))
		add(&list, ", ", "M");
	if (has(d, control, "S"))
		add(&list, ", ", v ? "VS" : "S");
	if (has(d, control, "U"))
		add(&list, ", ", v ? "VU" : "U");
	add(w, "; ", list.n ? "records " : "no mode is recorded");
	if (list.n)
		add(w, "", list.text);
}

static void filters(uint64_t control, struct words *w)
{
	struct words list = { .n = 0 };

	for (unsigned type = 1; type < 16; type++)
		if (type != HS_CTR_NOT_TAKEN && (FILTERS & SINK_BIT(32 + type)) && (control & SINK_BIT(32 + type)))
			add(&list, ", ", hs_ctr_type_name(type));
	if (list.n) {
		add(w, "; ", "leaves out: ");
		add(w, "", list.text);
	}
	if (control & SINK_BIT(32 + HS_CTR_NOT_TAKEN))
		add(w, "; ", "records not-taken branches too");
}

static void switches(const struct explain_dump *d, uint64_t control, bool v, struct words *w)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{ "RASEMU", "emulates a return stack (calls push, returns pop)" },
		{ "MTE", "external traps into M" }, { "STE", "external traps into S" }, { "ETEN", "external traps on" },
		{ "BPFRZ", "breakpoints freeze" }, { "LCOFIFRZ", "counter overflows freeze" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (has(d, control, rows[i].name))
			add(w, "; ", v && i == 2 ? "external traps into VS" : rows[i].text);
}

static int depth_of(const struct explain_dump *d, uint64_t code)
{
	static const uint8_t draft[16] = { 16, 32, 0, 64, [7] = 128 };

	if (!explain_is_draft(d))
		return code < 5 ? 16 << code : 0;
	return code == 15 ? 256 : code < 15 ? draft[code] : 0;
}

/* Bits that the version defines in a control register. */
static uint64_t defined(int version)
{
	uint64_t bits = FILTERS;

	for (size_t i = 0; i < FIELDS; i++)
		if (fields[i].version == version && fields[i].kind == K_CONTROL)
			bits |= (SINK_BIT(fields[i].bits) - 1) << fields[i].lsb;
	return bits | UINT64_C(0xf) << 60; /* custom */
}

static void undefined(const struct explain_dump *d, const char *name, uint64_t control)
{
	const uint64_t wrong = control & ~defined(d->version);
	const int other = explain_is_draft(d) ? HS_CTR_1_0 : HS_CTR_0_1_4;
	struct words foreign = { .n = 0 };

	if (!wrong)
		return;
	for (size_t i = 0; i < FIELDS; i++)
		if (fields[i].version == other && fields[i].kind == K_CONTROL &&
		    (wrong & (SINK_BIT(fields[i].bits) - 1) << fields[i].lsb))
			add(&foreign, ", ", fields[i].name);
	explain_say(d, HS_CTR_MISUSE, name, control, "bits 0x%llx are not defined and read 0%s%s%s%s",
	         (unsigned long long)wrong, foreign.n ? "; " : "", foreign.text,
	         foreign.n ? other == HS_CTR_1_0 ? " of 1.0" : " of 0.1.4" : "", foreign.n ? " would be there" : "");
}

/* Views and registers of a guest do not show what is machine mode's. */
static void hidden(const struct explain_dump *d, const char *name, uint64_t control)
{
	const uint64_t m = bits_of(d->version, K_CONTROL, "M") | bits_of(d->version, K_CONTROL, "MTE");

	if (control & m)
		explain_say(d, HS_CTR_MISUSE, name, control, "bits 0x%llx (M, MTE) read 0 outside of the machine's register",
		         (unsigned long long)(control & m));
}

static void effects(const struct explain_dump *d, const char *name, uint64_t control, bool all)
{
	const bool external = has(d, control, "MTE") || has(d, control, "STE");

	if (explain_is_draft(d) && external && !has(d, control, "ETEN"))
		explain_say(d, HS_CTR_NOTE, name, control, "MTE and STE do nothing without ETEN");
	if (explain_is_draft(d) && has(d, control, "CLR"))
		explain_say(d, HS_CTR_MISUSE, name, control, "CLR reads 0");
	if (!explain_is_draft(d) && all && has(d, control, "MTE") && !has(d, control, "STE"))
		explain_say(d, HS_CTR_NOTE, name, control,
		         "MTE without STE: external traps from U into M need both");
	if (has(d, control, "RASEMU") && (control & FILTERS))
		explain_say(d, HS_CTR_NOTE, name, control, "filters have no effect while RASEMU=1");
	if (has(d, control, "RASEMU") && external)
		explain_say(d, HS_CTR_NOTE, name, control, "external traps are not recorded while RASEMU=1");
}

static void control_words(struct explain_dump *d, const struct explain_csr *csr, uint64_t control)
{
	const bool v = csr->reg == VSCONTROL, all = csr->reg == MCONTROL;
	struct words w = { .n = 0 };
	char depth[24];

	modes(d, control, v, all, &w);
	if (explain_is_draft(d) && depth_of(d, (control & DEPTH_0_1_4) >> 16)) {
		snprintf(depth, sizeof(depth), "%d entries", depth_of(d, (control & DEPTH_0_1_4) >> 16));
		add(&w, "; ", depth);
	}
	filters(control, &w);
	switches(d, control, v, &w);
	explain_say(d, HS_CTR_WORDS, csr->name, control, "%s", w.text);
	undefined(d, csr->name, control);
	if (!all)
		hidden(d, csr->name, control);
	effects(d, csr->name, control, all);
	if (explain_is_draft(d)) {
		const uint64_t code = (control & DEPTH_0_1_4) >> 16;

		if (!depth_of(d, code))
			explain_say(d, HS_CTR_MISUSE, csr->name, control, "DEPTH 0x%x is no depth (0, 1, 3, 7, 15)",
			         (unsigned)code);
		else if (d->depth && d->depth != (unsigned)depth_of(d, code))
			explain_say(d, HS_CTR_MISUSE, csr->name, control, "DEPTH is %d here and %u in another register",
			         depth_of(d, code), d->depth);
		d->depth = d->depth ? d->depth : (unsigned)depth_of(d, code);
	}
}

/* The value of a control register with its upper half, where there is one. */
static uint64_t whole(const struct explain_dump *d, unsigned i)
{
	const bool half = i + 1 < SINK_CSRS && explain_csrs[i + 1].reg == explain_csrs[i].reg + 1 &&
	                  explain_csrs[i + 1].version == explain_csrs[i].version;

	return half && d->have[i + 1] ? (d->value[i] & UINT32_MAX) | d->value[i + 1] << 32 : d->value[i];
}

static bool is_control(unsigned reg)
{
	return reg == MCONTROL || reg == SCONTROL || reg == VSCONTROL;
}

static void controls(struct explain_dump *d)
{
	static const uint8_t order[] = { MCONTROL, SCONTROL, VSCONTROL };
	uint64_t machine = 0;
	bool have_machine = false;

	for (unsigned k = 0; k < 3; k++) {
		for (unsigned i = 0; i < SINK_CSRS; i++) {
			const uint64_t value = whole(d, i), m = bits_of(d->version, K_CONTROL, "M") |
			                                        bits_of(d->version, K_CONTROL, "MTE");

			if (!d->have[i] || explain_csrs[i].version != d->version || explain_csrs[i].reg != order[k])
				continue;
			control_words(d, &explain_csrs[i], value);
			if (!d->have_control)
				d->control = value;
			d->have_control = true;
			if (order[k] == SCONTROL && have_machine && (machine & ~m) != (value & ~m))
				explain_say(d, HS_CTR_MISUSE, explain_csrs[i].name, value,
				         "a view of the machine's register, but not equal to it");
			if (order[k] == MCONTROL) {
				machine = value;
				have_machine = true;
			}
		}
	}
}

/* ---- status and depth -------------------------------------------------------------------------- */

static void depth_register(struct explain_dump *d)
{
	for (unsigned i = 0; i < SINK_CSRS; i++) {
		const uint64_t v = d->value[i];

		if (!d->have[i] || explain_csrs[i].reg != DEPTH || explain_is_draft(d))
			continue;
		if (!depth_of(d, v & 7))
			explain_say(d, HS_CTR_MISUSE, explain_csrs[i].name, v, "DEPTH %u is reserved (0 to 4 are depths)",
			         (unsigned)(v & 7));
		else
			explain_say(d, HS_CTR_WORDS, explain_csrs[i].name, v, "%d entries", depth_of(d, v & 7));
		if (v & ~UINT64_C(7))
			explain_say(d, HS_CTR_MISUSE, explain_csrs[i].name, v, "bits 0x%llx are not defined and read 0",
			         (unsigned long long)(v & ~UINT64_C(7)));
		d->depth = (unsigned)depth_of(d, v & 7);
	}
}

static void status_bits(const struct explain_dump *d, const char *name, uint64_t v)
{
	const uint64_t frozen = bits_of(d->version, K_STATUS, "FROZEN"), wrap = bits_of(d->version, K_STATUS, "WRAP");
	const uint64_t custom = explain_is_draft(d) ? UINT64_C(0xf0000000) : 0;
	const uint64_t wrong = v & ~(frozen | wrap | 0xff | custom);
	const unsigned wrptr = v & 0xff;

	if (wrong)
		explain_say(d, HS_CTR_MISUSE, name, v, "bits 0x%llx are not defined and read 0%s", (unsigned long long)wrong,
		         !explain_is_draft(d) && (wrong & 0xc000) ? "; FROZEN and WRAP of 0.1.4 would be there" : "");
	if (explain_is_draft(d) && (v & UINT64_C(0x80000000)))
		explain_say(d, HS_CTR_NOTE, name, v, "bit 31 is custom in 0.1.4; it is FROZEN in 1.0");
	if (d->depth && wrptr >= d->depth)
		explain_say(d, HS_CTR_MISUSE, name, v, "WRPTR %u is out of range: there are %u entries", wrptr, d->depth);
	if ((v & frozen))
		explain_say(d, HS_CTR_NOTE, name, v, "FROZEN: nothing is recorded until software clears it");
	else if (d->have_control && !(d->control & 7))
		explain_say(d, HS_CTR_NOTE, name, v, "nothing is recorded: no mode is enabled");
}

static void statuses(struct explain_dump *d)
{
	const char *before = NULL;
	uint64_t first = 0;

	for (unsigned i = 0; i < SINK_CSRS; i++) {
		const uint64_t v = d->value[i];

		if (!d->have[i] || explain_csrs[i].reg != STATUS || explain_csrs[i].version != d->version)
			continue;
		explain_say(d, HS_CTR_WORDS, explain_csrs[i].name, v, "the next record goes to place %u%s%s",
		         (unsigned)(v & 0xff),
		         v & bits_of(d->version, K_STATUS, "WRAP") ? "; it has wrapped" : "",
		         v & bits_of(d->version, K_STATUS, "FROZEN") ? "; frozen" : "");
		status_bits(d, explain_csrs[i].name, v);
		if (before && v != first)
			explain_say(d, HS_CTR_MISUSE, explain_csrs[i].name, v, "the same register as %s, but not equal to it",
			         before);
		before = explain_csrs[i].name;
		first = v;
	}
}

/* ---- the dump ------------------------------------------------------------------------------------- */

/* A name that both versions have says nothing. */
static bool tells(unsigned i)
{
	for (unsigned k = 0; k < SINK_CSRS; k++)
		if (explain_csrs[k].version != explain_csrs[i].version && strcmp(explain_csrs[k].name, explain_csrs[i].name) == 0)
			return false;
	return true;
}

static void choose_version(struct explain_dump *d)
{
	unsigned votes[2] = { 0, 0 };

	for (unsigned i = 0; i < SINK_CSRS; i++)
		votes[explain_csrs[i].version] += d->have[i] && tells(i);
	if (d->version < 0)
		d->version = votes[HS_CTR_0_1_4] > votes[HS_CTR_1_0] ? HS_CTR_0_1_4 : HS_CTR_1_0;
	for (unsigned i = 0; i < SINK_CSRS; i++)
		if (d->have[i] && tells(i) && explain_csrs[i].version != d->version)
			explain_say(d, HS_CTR_MISUSE, explain_csrs[i].name, d->value[i],
			         "a register of %s, which %s does not have",
			         explain_is_draft(d) ? "1.0" : "0.1.4", explain_is_draft(d) ? "0.1.4" : "1.0");
}

static void halves(struct explain_dump *d)
{
	for (unsigned i = 0; i < SINK_CSRS; i++) {
		const unsigned reg = explain_csrs[i].reg;

		if (!d->have[i])
			continue;
		if (reg == SCONTROL_H || reg == VSCONTROL_H || reg == MCONTROL_H)
			d->xlen = d->xlen ? d->xlen : 32;
		else
			continue;
		if (d->xlen == 64)
			explain_say(d, HS_CTR_MISUSE, explain_csrs[i].name, d->value[i], "a register of RV32 alone");
	}
	d->xlen = d->xlen ? d->xlen : 64;
	for (unsigned i = 0; i < SINK_CSRS; i++)
		if (d->have[i] && explain_csrs[i].version == d->version && d->value[i] > UINT32_MAX &&
		    (d->xlen == 32 || !is_control(explain_csrs[i].reg)))
			explain_say(d, HS_CTR_MISUSE, explain_csrs[i].name, d->value[i], "has 32 bits");
}

static bool any(const struct explain_dump *d)
{
	for (unsigned i = 0; i < SINK_CSRS; i++)
		if (d->have[i])
			return true;
	for (unsigned i = 0; i < HS_CTR_ENTRIES; i++)
		if (d->entry_have[i])
			return true;
	return false;
}

enum hs_status hs_ctr_explain(const char *text, size_t n, const struct hs_ctr_explain_options *o, int *version,
                              struct hs_error *error)
{
	struct explain_dump d = { .o = *o, .version = o->version, .xlen = o->xlen };
	const enum hs_status s = explain_dump_read(&d, text, n, error);

	if (s != HS_OK)
		return s;
	if (!any(&d))
		return hs_error_set(error, HS_E_FORMAT, "no register or entry of CTR is in it");
	choose_version(&d);
	if (version)
		*version = d.version;
	halves(&d);
	depth_register(&d);
	controls(&d);
	statuses(&d);
	explain_entries(&d);
	return HS_OK;
}
