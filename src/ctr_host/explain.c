/* A dump of CTR in words: its version and XLEN, then its registers and entries. */
#include <string.h>

#include "core/config.h"
#include "ctr_host/explain_private.h"

/* Does the name of this register decide the version?  Not if both have one of that name. */
static bool decides_version(unsigned row)
{
	for (unsigned k = 0; k < EXPLAIN_CSRS; k++)
		if (explain_csrs[k].version != explain_csrs[row].version &&
		    strcmp(explain_csrs[k].name, explain_csrs[row].name) == 0)
			return false;
	return true;
}

static unsigned count_names(const struct explain_dump *d, enum hs_ctr_version version)
{
	unsigned n = 0;

	for (unsigned i = 0; i < EXPLAIN_CSRS; i++)
		n += d->have[i] && explain_csrs[i].version == version && decides_version(i);
	return n;
}

static void choose_version(struct explain_dump *d)
{
	if (d->version == HS_CTR_ANY)
		d->version = count_names(d, HS_CTR_0_1_4) > count_names(d, HS_CTR_1_0)
		                     ? HS_CTR_0_1_4
		                     : HS_CTR_1_0;
	for (unsigned i = 0; i < EXPLAIN_CSRS; i++) {
		const enum hs_ctr_version other = (enum hs_ctr_version)explain_csrs[i].version;

		if (d->have[i] && other != d->version && decides_version(i))
			explain_remark(d, HS_CTR_REMARK_MISUSE, explain_csrs[i].name, d->value[i],
			               "a register of %s, which %s does not have",
			               hs_ctr_version_name(other), hs_ctr_version_name(d->version));
	}
}

static bool is_half(unsigned reg)
{
	return reg == SCONTROL_H || reg == VSCONTROL_H || reg == MCONTROL_H;
}

static bool is_control(unsigned reg)
{
	return reg == MCONTROL || reg == SCONTROL || reg == VSCONTROL;
}

/* Upper halves exist only on RV32, and only control registers have 64 bits. */
static void check_widths(struct explain_dump *d)
{
	for (unsigned i = 0; i < EXPLAIN_CSRS; i++) {
		if (!d->have[i] || !is_half(explain_csrs[i].reg))
			continue;
		if (!d->xlen)
			d->xlen = 32;
		if (d->xlen == 64)
			explain_remark(d, HS_CTR_REMARK_MISUSE, explain_csrs[i].name, d->value[i],
			               "a register of RV32 only");
	}
	if (!d->xlen)
		d->xlen = 64;
	for (unsigned i = 0; i < EXPLAIN_CSRS; i++)
		if (d->have[i] && explain_csrs[i].version == d->version &&
		    d->value[i] > UINT32_MAX && (d->xlen == 32 || !is_control(explain_csrs[i].reg)))
			explain_remark(d, HS_CTR_REMARK_MISUSE, explain_csrs[i].name, d->value[i],
			               "has 32 bits");
}

static bool is_empty(const struct explain_dump *d)
{
	for (unsigned i = 0; i < EXPLAIN_CSRS; i++)
		if (d->have[i])
			return false;
	for (unsigned i = 0; i < HS_CTR_ENTRIES; i++)
		if (d->entry_have[i])
			return false;
	return true;
}

static enum hs_status take_options(struct hs_ctr_explain_options *own,
                                   const struct hs_ctr_explain_options *given,
                                   struct hs_error *error)
{
	if (base_take_config(own, sizeof(*own), given) != HS_OK || own->version > HS_CTR_0_1_4 ||
	    (own->xlen != 0 && own->xlen != 32 && own->xlen != 64))
		return hs_error_set(error, HS_E_CONFIG, "options that this library does not know");
	return HS_OK;
}

enum hs_status hs_ctr_explain(struct hs_span *text, const struct hs_ctr_explain_options *options,
                              hs_ctr_remark_fn report, void *context, enum hs_ctr_version *version,
                              struct hs_error *error)
{
	struct explain_dump d = { .report = report, .context = context };
	struct hs_ctr_explain_options o;
	enum hs_status s = take_options(&o, options, error);

	if (s != HS_OK)
		return s;
	d.version = (enum hs_ctr_version)o.version;
	d.xlen = o.xlen;
	s = explain_dump_read(&d, text, error);
	if (s != HS_OK)
		return s;
	if (is_empty(&d))
		return hs_error_set(error, HS_E_FORMAT, "no register or entry of CTR is in it");
	choose_version(&d);
	if (version)
		*version = d.version;
	check_widths(&d);
	explain_depth_register(&d);
	explain_controls(&d);
	explain_statuses(&d);
	explain_entries(&d);
	return HS_OK;
}
