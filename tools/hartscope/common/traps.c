/* Traps in reports. */
#include "common/tool.h"

void trap_kind_report(struct report *r, const struct hs_trap_kind *k)
{
	const char *cause = k->has_cause ? hs_trap_cause_name(k->interrupt, k->cause) : NULL;
	char modes[32], text[64];

	snprintf(modes, sizeof(modes), "%s -> %s", mode_name(k->from), mode_name(k->to));
	snprintf(text, sizeof(text), k->has_cause ? "%s %u" : "%s",
	         k->interrupt ? "interrupt" : "exception", k->cause);
	if (r->json) {
		report_text(r, "from", "", mode_name(k->from));
		report_text(r, "to", "", mode_name(k->to));
		report_bool(r, "interrupt", "", k->interrupt);
		if (k->has_cause)
			report_u32(r, "cause", "", k->cause);
		report_hex(r, "target", "", k->target);
	} else {
		report_text(r, NULL, "", modes);
	}
	report_text(r, "name", "", cause ? cause : text);
	report_text(r, "handler", "", k->handler ? k->handler : "(no symbol)");
	report_library(r, k->file, k->own_file);
}

void traps_report(struct report *r, const struct hs_traps_result *t, uint64_t top)
{
	report_list(r, "traps_by_cause",
	            "traps: instructions inside, traps, returns from them, modes, cause, handler");
	for (size_t i = 0; i < t->count && i < top; i++) {
		report_row(r);
		report_u64(r, "instructions", "", t->kinds[i].instructions);
		report_u64(r, "traps", "", t->kinds[i].count);
		report_u64(r, "returned", "", t->kinds[i].returned);
		trap_kind_report(r, &t->kinds[i]);
		report_row_end(r);
	}
	report_list_end(r);
	if (t->lone_returns)
		report_u64(r, "returns_without_trap", "returns without trap", t->lone_returns);
}
