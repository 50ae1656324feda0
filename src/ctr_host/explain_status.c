/* Status and depth registers in words. */
#include "ctr_host/explain_private.h"

#define CUSTOM_0_1_4 UINT64_C(0xf0000000) /* of the status register; 1.0 has no custom bits there */
#define FROZEN_0_1_4 (HS_CTR_BITS(0_1_4, STATUS, FROZEN) | HS_CTR_BITS(0_1_4, STATUS, WRAP))

static bool is_set(const struct explain_dump *d, uint64_t status, const char *name)
{
	return status & explain_status_bits(d->version, name);
}

void explain_depth_register(struct explain_dump *d)
{
	for (unsigned i = 0; i < EXPLAIN_CSRS; i++) {
		const uint64_t v = d->value[i], code = HS_CTR_GET(1_0, DEPTH, DEPTH, v);
		const uint64_t wrong = v & ~HS_CTR_BITS(1_0, DEPTH, DEPTH);
		const char *name = explain_csrs[i].name;

		if (!d->have[i] || explain_csrs[i].reg != DEPTH || explain_is_draft(d))
			continue;
		d->depth = explain_depth_of(d->version, code);
		if (d->depth)
			explain_remark(d, HS_CTR_REMARK_WORDS, name, v, "%u entries", d->depth);
		else
			explain_remark(d, HS_CTR_REMARK_MISUSE, name, v,
			               "DEPTH %u is reserved (0 to 4 are depths)", (unsigned)code);
		if (wrong)
			explain_remark(d, HS_CTR_REMARK_MISUSE, name, v,
			               "bits 0x%llx are not defined and read 0", (ull)wrong);
	}
}

static void check_status(const struct explain_dump *d, const char *name, uint64_t v)
{
	const uint64_t frozen = explain_status_bits(d->version, "FROZEN");
	const uint64_t defined = frozen | explain_status_bits(d->version, "WRAP") |
	                         explain_status_bits(d->version, "WRPTR");
	const uint64_t wrong = v & ~(defined | (explain_is_draft(d) ? CUSTOM_0_1_4 : 0));
	const uint64_t modes = explain_control_bits(d->version, "M") |
	                       explain_control_bits(d->version, "S") |
	                       explain_control_bits(d->version, "U");
	const unsigned wrptr = (unsigned)(v & explain_status_bits(d->version, "WRPTR"));

	if (wrong)
		explain_remark(d, HS_CTR_REMARK_MISUSE, name, v,
		               "bits 0x%llx are not defined and read 0%s", (ull)wrong,
		               !explain_is_draft(d) && (wrong & FROZEN_0_1_4)
		                       ? "; FROZEN and WRAP of 0.1.4 would be there"
		                       : "");
	if (explain_is_draft(d) && (v & HS_CTR_BITS(1_0, STATUS, FROZEN)))
		explain_remark(d, HS_CTR_REMARK_NOTE, name, v,
		               "bit 31 is custom in 0.1.4; it is FROZEN in 1.0");
	if (d->depth && wrptr >= d->depth)
		explain_remark(d, HS_CTR_REMARK_MISUSE, name, v,
		               "WRPTR %u is out of range: there are %u entries", wrptr, d->depth);
	if (v & frozen)
		explain_remark(d, HS_CTR_REMARK_NOTE, name, v,
		               "FROZEN: nothing is recorded until software clears it");
	else if (d->have_control && !(d->control & modes))
		explain_remark(d, HS_CTR_REMARK_NOTE, name, v,
		               "nothing is recorded: no mode is enabled");
}

void explain_statuses(struct explain_dump *d)
{
	const char *before = NULL;
	uint64_t first = 0;

	for (unsigned i = 0; i < EXPLAIN_CSRS; i++) {
		const uint64_t v = d->value[i];
		const char *name = explain_csrs[i].name;

		if (!d->have[i] || explain_csrs[i].reg != STATUS ||
		    explain_csrs[i].version != d->version)
			continue;
		explain_remark(d, HS_CTR_REMARK_WORDS, name, v,
		               "the next record goes to place %u%s%s",
		               (unsigned)(v & explain_status_bits(d->version, "WRPTR")),
		               is_set(d, v, "WRAP") ? "; it has wrapped" : "",
		               is_set(d, v, "FROZEN") ? "; frozen" : "");
		check_status(d, name, v);
		if (before && v != first)
			explain_remark(d, HS_CTR_REMARK_MISUSE, name, v,
			               "the same register as %s, but not equal to it", before);
		before = name;
		first = v;
	}
}
