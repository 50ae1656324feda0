/* CTR's entries in words, and what no hart would have recorded. */
#include <stdio.h>

#include "ctr_explain/private.h"

typedef unsigned long long ull;

#define CCV SINK_BIT(15)

static bool is_trap(unsigned type)
{
	return type == HS_CTR_EXCEPTION || type == HS_CTR_INTERRUPT;
}

static void cycles_text(uint64_t data, char *text, size_t size)
{
	if (data & CCV)
		snprintf(text, size, "%u cycles", hs_ctr_cc_decode(data >> 16 & 0xffff));
	else
		snprintf(text, size, "cycles not known");
}

/* An address that is 0 belongs to a mode that was not recorded ("Privilege Mode Transitions"). */
static void address_text(uint64_t addr, char *text, size_t size)
{
	if (addr)
		snprintf(text, size, "0x%llx", (ull)addr);
	else
		snprintf(text, size, "a mode that was not recorded");
}

static void words(const struct explain_dump *d, const char *subject, const uint64_t *e)
{
	const unsigned type = e[SINK_DATA] & 15;
	char source[40], target[40], cycles[40], name[40];

	if (!(e[SINK_SOURCE] & 1)) {
		explain_say(d, HS_CTR_WORDS, subject, e[SINK_DATA], "not valid (V=0)");
		return;
	}
	address_text(e[SINK_SOURCE] & ~UINT64_C(1), source, sizeof(source));
	address_text(e[SINK_TARGET] & ~UINT64_C(1), target, sizeof(target));
	cycles_text(e[SINK_DATA], cycles, sizeof(cycles));
	if (type == 0 || type == 6 || type == 7)
		snprintf(name, sizeof(name), "transfer of type %u", type);
	else
		snprintf(name, sizeof(name), "%s", hs_ctr_type_name(type));
	explain_say(d, HS_CTR_WORDS, subject, e[SINK_DATA], "%s from %s to %s%s, %s", name, source, target,
	         e[SINK_TARGET] & 1 ? ", mispredicted" : "", cycles);
}

static void check_addresses(const struct explain_dump *d, const char *subject, const uint64_t *e)
{
	const uint64_t source = e[SINK_SOURCE] & ~UINT64_C(1), target = e[SINK_TARGET] & ~UINT64_C(1);
	const unsigned type = e[SINK_DATA] & 15;
	const uint64_t v = e[SINK_DATA];

	if (d->xlen == 32 && (source | target) > UINT32_MAX)
		explain_say(d, HS_CTR_MISUSE, subject, v, "an address has more than 32 bits");
	if (!source && type && !is_trap(type))
		explain_say(d, HS_CTR_MISUSE, subject, v, "source 0: only traps come from a mode that is not recorded");
	if (!target && type && !is_trap(type) && type != HS_CTR_TRET && type != 6)
		explain_say(d, HS_CTR_MISUSE, subject, v,
		         "target 0: only external traps and trap returns lead to a mode that is not recorded");
	if (!source && !target)
		explain_say(d, HS_CTR_MISUSE, subject, v, "neither address is known: no record is made then");
	if (type == HS_CTR_NOT_TAKEN && target != source + 2 && target != source + 4)
		explain_say(d, HS_CTR_MISUSE, subject, v, "a not-taken branch leads to the next instruction");
	if ((e[SINK_TARGET] & 1) && (is_trap(type) || type == HS_CTR_TRET))
		explain_say(d, HS_CTR_NOTE, subject, v, "MISP with a %s", hs_ctr_type_name(type));
}

static void check_data(const struct explain_dump *d, const char *subject, uint64_t v)
{
	const uint64_t undefined = v & (explain_is_draft(d) ? ~UINT64_C(0xffff700f) & ~CCV : ~UINT64_C(0xffff800f));
	const unsigned type = v & 15;

	if (undefined)
		explain_say(d, HS_CTR_MISUSE, subject, v, "ctrdata: bits 0x%llx are not defined and read 0", (ull)undefined);
	if (type == 6)
		explain_say(d, explain_is_draft(d) ? HS_CTR_NOTE : HS_CTR_MISUSE, subject, v,
		         "type 6 is reserved (an external trap in the draft 0.1)");
	if (type == 7)
		explain_say(d, HS_CTR_MISUSE, subject, v, "type 7 is reserved");
	if (type == 0)
		explain_say(d, HS_CTR_NOTE, subject, v, "type 0 is reserved, or the hart has no TYPE");
	if (!(v & CCV) && (v >> 16 & 0xffff))
		explain_say(d, HS_CTR_NOTE, subject, v, "CC is 0x%x but CCV=0: the count is not valid",
		         (unsigned)(v >> 16 & 0xffff));
	if ((v & CCV) && (v >> 16 & 0xffff) == 0xffff)
		explain_say(d, HS_CTR_NOTE, subject, v, "CC is at its largest: there may have been more cycles");
}

/* Records may be older than the control register's value. */
static void check_control(const struct explain_dump *d, const char *subject, uint64_t v)
{
	const unsigned type = v & 15;
	const uint64_t filter = SINK_BIT(32 + type);
	const bool ras = d->control & SINK_BIT(explain_is_draft(d) ? 10 : 7);
	const bool ras_type = type == HS_CTR_CALL || type == HS_CTR_CALL_IND || type == HS_CTR_SWAP;

	if (!d->have_control || !type || type == 6 || type == 7)
		return;
	if (ras && !ras_type)
		explain_say(d, HS_CTR_NOTE, subject, v, "%s: RASEMU=1 does not record it, so it is older",
		         hs_ctr_type_name(type));
	else if (!ras && type == HS_CTR_NOT_TAKEN && !(d->control & filter))
		explain_say(d, HS_CTR_NOTE, subject, v, "NTBREN=0 does not record it, so it is older");
	else if (!ras && type != HS_CTR_NOT_TAKEN && (d->control & filter))
		explain_say(d, HS_CTR_NOTE, subject, v, "%s: filtered now, so it is older or of another mode",
		         hs_ctr_type_name(type));
}

static void check(const struct explain_dump *d, unsigned i, const char *subject)
{
	const uint64_t *e = d->entry[i];

	if (d->depth && i >= d->depth && (e[SINK_SOURCE] | e[SINK_TARGET] | e[SINK_DATA])) {
		explain_say(d, HS_CTR_MISUSE, subject, e[SINK_DATA], "beyond the depth of %u: it reads 0", d->depth);
		return;
	}
	if (d->entry_have[i] & 1u << SINK_DATA)
		check_data(d, subject, e[SINK_DATA]);
	if (!(e[SINK_SOURCE] & 1))
		return;
	if (d->entry_have[i] == 7)
		check_addresses(d, subject, e);
	else
		explain_say(d, HS_CTR_NOTE, subject, e[SINK_DATA],
		         "not all of ctrsource, ctrtarget and ctrdata are in the dump");
	if (d->entry_have[i] & 1u << SINK_DATA)
		check_control(d, subject, e[SINK_DATA]);
}

void explain_entries(struct explain_dump *d)
{
	char subject[16];

	for (unsigned i = 0; i < HS_CTR_ENTRIES; i++) {
		if (!d->entry_have[i])
			continue;
		snprintf(subject, sizeof(subject), "entry %u", i);
		words(d, subject, d->entry[i]);
		check(d, i, subject);
	}
}
