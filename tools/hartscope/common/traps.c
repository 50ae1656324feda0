/* Traps in reports. */
#include <stdio.h>

#include "common/tool.h"

/* "system call 64 (write)", "signal 10", or both. */
static void call_text(const struct hs_trap_call *c, char *text, size_t size)
{
	size_t n = 0;

	*text = '\0';
	if (c->system_call && c->has_number)
		n = (size_t)snprintf(text, size, c->name ? "system call %u (%s)" : "system call %u",
		                     c->number, c->name);
	else if (c->system_call)
		n = (size_t)snprintf(text, size, "system call");
	if (c->signal && n < size)
		snprintf(text + n, size - n, c->signal_number ? "%ssignal %u" : "%ssignal",
		         n ? ", " : "", c->signal_number);
}

void trap_name(const struct hs_trap_kind *k, char *text, size_t size)
{
	const char *cause = k->has_cause ? hs_trap_cause_name(k->interrupt, k->cause) : NULL;

	if (k->call.system_call || k->call.signal)
		call_text(&k->call, text, size);
	else if (cause)
		snprintf(text, size, "%s", cause);
	else
		snprintf(text, size, k->has_cause ? "%s %u" : "%s",
		         k->interrupt ? "interrupt" : "exception", k->cause);
}

const char *trap_handler(const struct hs_trap_kind *k)
{
	if (k->call.system_call && !k->call.signal)
		return "(kernel)";
	if (k->call.ended)
		return "(the program ended)";
	return k->handler ? k->handler : "(no symbol)";
}

static void report_call(struct report *r, const struct hs_trap_call *c)
{
	if (c->has_number)
		report_u32(r, "systemCall", "", c->number);
	if (c->signal)
		report_u32(r, "signal", "", c->signal_number);
}

void trap_kind_report(struct report *r, const struct hs_trap_kind *k)
{
	char modes[32], text[96];

	const bool unseen = k->call.system_call || k->call.signal; /* the kernel's mode */

	snprintf(modes, sizeof(modes), unseen ? "%s" : "%s -> %s", mode_name(k->from),
	         mode_name(k->to));
	if (r->json) {
		report_text(r, "from", "", mode_name(k->from));
		if (!unseen)
			report_text(r, "to", "", mode_name(k->to));
		report_bool(r, "interrupt", "", k->interrupt);
		if (k->has_cause)
			report_u32(r, "cause", "", k->cause);
		report_hex(r, "target", "", k->target);
		report_call(r, &k->call);
	} else {
		report_text(r, NULL, "", modes);
	}
	trap_name(k, text, sizeof(text));
	report_text(r, "name", "", text);
	report_text(r, "handler", "", trap_handler(k));
	report_library(r, k->file, k->own_file);
}

/* What the kernel did in a system call is not in the flow. */
static void report_inside(struct report *r, const struct hs_trap_kind *k, const char *key,
                          uint64_t value)
{
	if ((k->call.system_call || k->call.ended) && !r->json)
		report_text(r, NULL, "", "              -");
	else
		report_u64(r, key, "", value);
}

void traps_report(struct report *r, const struct hs_traps_result *t, uint64_t top)
{
	report_list(r, "traps_by_cause",
	            "traps: instructions inside, traps, returns from them, modes, cause, handler");
	for (size_t i = 0; i < t->count && i < top; i++) {
		report_row(r);
		report_inside(r, &t->kinds[i], "instructions", t->kinds[i].instructions);
		report_u64(r, "traps", "", t->kinds[i].count);
		report_inside(r, &t->kinds[i], "returned", t->kinds[i].returned);
		trap_kind_report(r, &t->kinds[i]);
		report_row_end(r);
	}
	report_list_end(r);
	if (t->lone_returns)
		report_u64(r, "returns_without_trap", "returns without trap", t->lone_returns);
	if (t->forgotten)
		complain("%llu traps are counted as not returned: of a context 256 are kept that "
		         "did not return yet; a part of the flow (--from, --to) has fewer",
		         (unsigned long long)t->forgotten);
}

uint32_t died_of(const struct hs_rec_info *info)
{
	unsigned signal = 0;

	return info && info->end && sscanf(info->end, "signal %u", &signal) == 1 ? signal : 0;
}

/* Of faults: SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV. */
uint32_t end_signal(const struct hs_source *source)
{
	const uint32_t signal = died_of(hs_source_known(source)->info);

	return signal == 4 || signal == 5 || signal == 7 || signal == 8 || signal == 11 ? signal
	                                                                                : 0;
}
