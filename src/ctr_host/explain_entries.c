/* CTR's entries in words, and what no hart would have recorded. */
#include <stdio.h>

#include "ctr_host/explain_private.h"

#define ALL ((1u << EXPLAIN_PARTS) - 1)

/* Values of ctrdata.TYPE without a name. */
enum { TYPE_NONE = 0, TYPE_EXTERNAL_0_1 = 6, TYPE_RESERVED = 7 };

/* An entry of the dump. */
struct entry {
	char subject[16];
	unsigned index, have;    /* have: bit: EXPLAIN_SOURCE, ... */
	struct hs_ctr_entry raw; /* 0 for what the dump lacks */
	struct hs_ctr_record record;
};

static bool is_trap(unsigned type)
{
	return type == HS_CTR_EXCEPTION || type == HS_CTR_INTERRUPT;
}

static bool has_name(unsigned type)
{
	return type != TYPE_NONE && type != TYPE_EXTERNAL_0_1 && type != TYPE_RESERVED;
}

static void print_cycles(const struct hs_ctr_record *r, char *text, size_t size)
{
	if (r->ccv)
		snprintf(text, size, "%u cycles", r->cycles);
	else
		snprintf(text, size, "cycles not known");
}

static void print_address(uint64_t addr, bool none, char *text, size_t size)
{
	if (!none)
		snprintf(text, size, "0x%llx", (ull)addr);
	else
		snprintf(text, size, "a mode that was not recorded");
}

static void explain_entry(const struct explain_dump *d, const struct entry *e)
{
	const struct hs_ctr_record *r = &e->record;
	char source[40], target[40], cycles[40], name[40];

	if (!r->valid) {
		explain_remark(d, HS_CTR_REMARK_WORDS, e->subject, e->raw.data, "not valid (V=0)");
		return;
	}
	print_address(r->source, r->no_source, source, sizeof(source));
	print_address(r->target, r->no_target, target, sizeof(target));
	print_cycles(r, cycles, sizeof(cycles));
	if (has_name(r->type))
		snprintf(name, sizeof(name), "%s", hs_ctr_type_name(r->type));
	else
		snprintf(name, sizeof(name), "transfer of type %u", r->type);
	explain_remark(d, HS_CTR_REMARK_WORDS, e->subject, e->raw.data, "%s from %s to %s%s, %s",
	               name, source, target, r->misp ? ", mispredicted" : "", cycles);
}

static void note(const struct explain_dump *d, const struct entry *e, const char *text)
{
	explain_remark(d, HS_CTR_REMARK_NOTE, e->subject, e->raw.data, "%s", text);
}

static void misuse(const struct explain_dump *d, const struct entry *e, const char *text)
{
	explain_remark(d, HS_CTR_REMARK_MISUSE, e->subject, e->raw.data, "%s", text);
}

static void check_addresses(const struct explain_dump *d, const struct entry *e)
{
	const struct hs_ctr_record *r = &e->record;

	if (d->xlen == 32 && (r->source | r->target) > UINT32_MAX)
		misuse(d, e, "an address has more than 32 bits");
	if (r->no_source && r->no_target && r->type)
		note(d, e,
		     "both addresses are 0: no record is made of two modes that are not "
		     "enabled");
	if (r->type == HS_CTR_NOT_TAKEN && r->target != r->source + 2 && r->target != r->source + 4)
		misuse(d, e, "a not-taken branch leads to the next instruction");
	if (r->misp && is_trap(r->type))
		explain_remark(d, HS_CTR_REMARK_NOTE, e->subject, e->raw.data, "MISP with a %s",
		               hs_ctr_type_name(r->type));
}

/* Bits of ctrdata that a hart of the version may hold; in 0.1.4 some are custom. */
static uint64_t data_bits(const struct explain_dump *d)
{
	const uint64_t custom_0_1_4 = UINT64_C(0x7000);

	return HS_CTR_BITS(ANY, DATA, TYPE) | HS_CTR_BITS(ANY, DATA, CCV) |
	       HS_CTR_BITS(ANY, DATA, CC) | (explain_is_draft(d) ? custom_0_1_4 : 0);
}

static void check_data(const struct explain_dump *d, const struct entry *e)
{
	const uint64_t wrong = e->raw.data & ~data_bits(d);
	const uint64_t cc = HS_CTR_GET(ANY, DATA, CC, e->raw.data);
	const struct hs_ctr_record *r = &e->record;

	if (wrong)
		explain_remark(d, HS_CTR_REMARK_MISUSE, e->subject, e->raw.data,
		               "ctrdata: bits 0x%llx are not defined and read 0", (ull)wrong);
	if (r->type == TYPE_EXTERNAL_0_1)
		explain_remark(d, explain_is_draft(d) ? HS_CTR_REMARK_NOTE : HS_CTR_REMARK_MISUSE,
		               e->subject, e->raw.data,
		               "type 6 is reserved (an external trap in the draft 0.1)");
	if (r->type == TYPE_RESERVED)
		misuse(d, e, "type 7 is reserved");
	if (r->type == TYPE_NONE)
		note(d, e, "type 0 is reserved, or the hart has no TYPE");
	if (!r->ccv && cc)
		explain_remark(d, HS_CTR_REMARK_NOTE, e->subject, e->raw.data,
		               "CC is 0x%x but CCV=0: the count is not valid", (unsigned)cc);
	if (r->ccv && cc == HS_CTR_GET(ANY, DATA, CC, UINT64_MAX))
		note(d, e, "CC is at its largest: there may have been more cycles");
}

/* Records may be older than the control register's value. */
static void check_control(const struct explain_dump *d, const struct entry *e)
{
	const unsigned type = e->record.type;
	const uint64_t filter = d->control & HS_CTR_FILTER(type);
	const bool ras = d->control & explain_control_bits(d->version, "RASEMU");
	const bool pushed = type == HS_CTR_CALL || type == HS_CTR_CALL_IND || type == HS_CTR_SWAP;

	if (!d->have_control || !has_name(type))
		return;
	if (ras && !pushed)
		explain_remark(d, HS_CTR_REMARK_NOTE, e->subject, e->raw.data,
		               "%s: RASEMU=1 does not record it, so it is older",
		               hs_ctr_type_name(type));
	else if (!ras && type == HS_CTR_NOT_TAKEN && !filter)
		note(d, e, "NTBREN=0 does not record it, so it is older");
	else if (!ras && type != HS_CTR_NOT_TAKEN && filter)
		explain_remark(d, HS_CTR_REMARK_NOTE, e->subject, e->raw.data,
		               "%s: filtered now, so it is older or of another mode",
		               hs_ctr_type_name(type));
}

static void check_entry(const struct explain_dump *d, const struct entry *e)
{
	const bool data = e->have & 1u << EXPLAIN_DATA;

	if (d->depth && e->index >= d->depth && (e->raw.source | e->raw.target | e->raw.data)) {
		explain_remark(d, HS_CTR_REMARK_MISUSE, e->subject, e->raw.data,
		               "beyond the depth of %u: it reads 0", d->depth);
		return;
	}
	if (data)
		check_data(d, e);
	if (!e->record.valid)
		return;
	if (e->have == ALL)
		check_addresses(d, e);
	else
		note(d, e, "not all of ctrsource, ctrtarget and ctrdata are in the dump");
	if (data)
		check_control(d, e);
}

void explain_entries(struct explain_dump *d)
{
	for (unsigned i = 0; i < HS_CTR_ENTRIES; i++) {
		const uint64_t *value = d->entry[i];
		struct entry e = { .index = i, .have = d->entry_have[i] };

		if (!e.have)
			continue;
		snprintf(e.subject, sizeof(e.subject), "entry %u", i);
		e.raw = (struct hs_ctr_entry){ .source = value[EXPLAIN_SOURCE],
			                       .target = value[EXPLAIN_TARGET],
			                       .data = value[EXPLAIN_DATA] };
		e.record = hs_ctr_decode_entry(&e.raw);
		explain_entry(d, &e);
		check_entry(d, &e);
	}
}
