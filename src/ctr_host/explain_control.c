/* Control registers in words. */
#include <stdio.h>

#include "ctr_host/explain_private.h"

static bool has(const struct explain_dump *d, uint64_t control, const char *name)
{
	return control & explain_control_bits(d->version, name);
}

/* M and MTE, which only the machine's register has. */
static uint64_t machine_bits(const struct explain_dump *d)
{
	return explain_control_bits(d->version, "M") | explain_control_bits(d->version, "MTE");
}

static void add_modes(const struct explain_dump *d, const struct explain_csr *csr, uint64_t control,
                      struct explain_words *w)
{
	const bool v = csr->reg == VSCONTROL;
	struct explain_words list = { .n = 0 };

	if (csr->reg == MCONTROL && has(d, control, "M"))
		explain_add(&list, ", ", "M");
	if (has(d, control, "S"))
		explain_add(&list, ", ", v ? "VS" : "S");
	if (has(d, control, "U"))
		explain_add(&list, ", ", v ? "VU" : "U");
	explain_add(w, "; ", list.n ? "records " : "no mode is recorded");
	if (list.n)
		explain_add(w, "", list.text);
}

static void add_depth(const struct explain_dump *d, uint64_t control, struct explain_words *w)
{
	const uint64_t code = HS_CTR_GET(0_1_4, CONTROL, DEPTH, control);
	const unsigned entries = explain_depth_of(HS_CTR_0_1_4, code);
	char text[24];

	if (!explain_is_draft(d) || !entries)
		return;
	snprintf(text, sizeof(text), "%u entries", entries);
	explain_add(w, "; ", text);
}

static void add_filters(uint64_t control, struct explain_words *w)
{
	const uint64_t out = control & HS_CTR_FILTERS & ~HS_CTR_FILTER(HS_CTR_NOT_TAKEN);
	struct explain_words list = { .n = 0 };

	for (unsigned type = 1; type < 16; type++)
		if (out & HS_CTR_FILTER(type))
			explain_add(&list, ", ", hs_ctr_type_name(type));
	if (list.n) {
		explain_add(w, "; ", "leaves out: ");
		explain_add(w, "", list.text);
	}
	if (control & HS_CTR_FILTER(HS_CTR_NOT_TAKEN))
		explain_add(w, "; ", "records not-taken branches too");
}

static void add_switches(const struct explain_dump *d, const struct explain_csr *csr,
                         uint64_t control, struct explain_words *w)
{
	static const struct {
		const char *name, *text, *guest_text;
	} rows[] = {
		{ "RASEMU", "emulates a return stack (calls push, returns pop)", NULL },
		{ "MTE", "external traps into M", NULL },
		{ "STE", "external traps into S", "external traps into VS" },
		{ "ETEN", "external traps on", NULL },
		{ "BPFRZ", "breakpoints freeze", NULL },
		{ "LCOFIFRZ", "counter overflows freeze", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const bool guest = csr->reg == VSCONTROL && rows[i].guest_text;

		if (has(d, control, rows[i].name))
			explain_add(w, "; ", guest ? rows[i].guest_text : rows[i].text);
	}
}

static void check_undefined(const struct explain_dump *d, const char *name, uint64_t control)
{
	const uint64_t wrong = control & ~explain_control_defined(d->version);
	const enum hs_ctr_version other = explain_is_draft(d) ? HS_CTR_1_0 : HS_CTR_0_1_4;
	struct explain_words names = { .n = 0 };
	char hint[800] = "";

	if (!wrong)
		return;
	explain_control_names(other, wrong, &names);
	if (names.n)
		snprintf(hint, sizeof(hint), "; %s of %s would be there", names.text,
		         hs_ctr_version_name(other));
	explain_remark(d, HS_CTR_REMARK_MISUSE, name, control,
	               "bits 0x%llx are not defined and read 0%s", (ull)wrong, hint);
}

/* The supervisor's view and the guest's register lack the machine's bits. */
static void check_hidden(const struct explain_dump *d, const char *name, uint64_t control)
{
	const uint64_t wrong = control & machine_bits(d);

	if (wrong)
		explain_remark(d, HS_CTR_REMARK_MISUSE, name, control,
		               "bits 0x%llx (M, MTE) read 0 outside of the machine's register",
		               (ull)wrong);
}

/* Fields without effect. */
static void check_effects(const struct explain_dump *d, const struct explain_csr *csr,
                          uint64_t control)
{
	const bool draft = explain_is_draft(d), ras = has(d, control, "RASEMU");
	const bool mte = has(d, control, "MTE"), ste = has(d, control, "STE");
	const char *name = csr->name;

	if (draft && (mte || ste) && !has(d, control, "ETEN"))
		explain_remark(d, HS_CTR_REMARK_NOTE, name, control,
		               "MTE and STE do nothing without ETEN");
	if (draft && has(d, control, "CLR"))
		explain_remark(d, HS_CTR_REMARK_MISUSE, name, control, "CLR reads 0");
	if (!draft && csr->reg == MCONTROL && mte && !ste)
		explain_remark(d, HS_CTR_REMARK_NOTE, name, control,
		               "MTE without STE: external traps from U into M need both");
	if (ras && (control & HS_CTR_FILTERS))
		explain_remark(d, HS_CTR_REMARK_NOTE, name, control,
		               "filters have no effect while RASEMU=1");
	if (ras && (mte || ste))
		explain_remark(d, HS_CTR_REMARK_NOTE, name, control,
		               "external traps are not recorded while RASEMU=1");
}

/* DEPTH of 0.1.4, which each control register has. */
static void check_depth(struct explain_dump *d, const char *name, uint64_t control)
{
	const uint64_t code = HS_CTR_GET(0_1_4, CONTROL, DEPTH, control);
	const unsigned entries = explain_depth_of(HS_CTR_0_1_4, code);

	if (!explain_is_draft(d))
		return;
	if (!entries)
		explain_remark(d, HS_CTR_REMARK_MISUSE, name, control,
		               "DEPTH 0x%x is no depth (0, 1, 3, 7, 15)", (unsigned)code);
	else if (d->depth && d->depth != entries)
		explain_remark(d, HS_CTR_REMARK_MISUSE, name, control,
		               "DEPTH is %u here and %u in another register", entries, d->depth);
	if (!d->depth)
		d->depth = entries;
}

static void explain_control(struct explain_dump *d, const struct explain_csr *csr, uint64_t control)
{
	struct explain_words w = { .n = 0 };

	add_modes(d, csr, control, &w);
	add_depth(d, control, &w);
	add_filters(control, &w);
	add_switches(d, csr, control, &w);
	explain_remark(d, HS_CTR_REMARK_WORDS, csr->name, control, "%s", w.text);
	check_undefined(d, csr->name, control);
	if (csr->reg != MCONTROL)
		check_hidden(d, csr->name, control);
	check_effects(d, csr, control);
	check_depth(d, csr->name, control);
}

/* Row of the control register @reg of the dump's version, EXPLAIN_CSRS if the dump lacks it. */
static unsigned row_of(const struct explain_dump *d, enum explain_reg reg)
{
	unsigned i = 0;

	while (i < EXPLAIN_CSRS &&
	       (!d->have[i] || explain_csrs[i].version != d->version || explain_csrs[i].reg != reg))
		i++;
	return i;
}

/* The value of a control register, with its upper half if the dump has it. */
static uint64_t whole_value(const struct explain_dump *d, unsigned row)
{
	const unsigned half = row_of(d, (enum explain_reg)(explain_csrs[row].reg + 1));

	if (half == EXPLAIN_CSRS)
		return d->value[row];
	return (d->value[row] & UINT32_MAX) | d->value[half] << 32;
}

void explain_controls(struct explain_dump *d)
{
	static const uint8_t order[] = { MCONTROL, SCONTROL, VSCONTROL };
	const unsigned machine = row_of(d, MCONTROL), supervisor = row_of(d, SCONTROL);

	for (unsigned k = 0; k < sizeof(order); k++) {
		const unsigned row = row_of(d, (enum explain_reg)order[k]);

		if (row == EXPLAIN_CSRS)
			continue;
		const uint64_t value = whole_value(d, row);

		explain_control(d, &explain_csrs[row], value);
		if (!d->have_control)
			d->control = value;
		d->have_control = true;
		if (row == supervisor && machine != EXPLAIN_CSRS &&
		    ((whole_value(d, machine) ^ value) & ~machine_bits(d)))
			explain_remark(d, HS_CTR_REMARK_MISUSE, explain_csrs[row].name, value,
			               "a view of the machine's register, but not equal to it");
	}
}
