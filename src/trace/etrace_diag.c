/* What E-Trace's decoder found wrong, in words. */
#include <stdio.h>

#include "etrace/etrace.h"
#include "trace/etrace.h"
#include "trace/memory.h"

/* Run-time options, and the parameters without which there are none.  enum hs_et_option is in this
 * order. */
static const struct {
	const char *name, *needs;
} run_time_options[] = {
	{ "si-jump", "sijump_p" },
	{ "implicit-return", "return_stack_size_p or call_counter_size_p" },
	{ "implicit-except", NULL },
	{ "branch-prediction", "bpred_size_p" },
	{ "jump-target-cache", "cache_size_p" },
	{ "full-address", NULL },
};

#define OPTIONS (sizeof(run_time_options) / sizeof(*run_time_options))

/* Options that the parameters name and that a support packet lacks, while no packet synchronised
 * yet: enum hs_et_option. */
static unsigned options_missing(const struct et_decoder *d, const struct hs_et_diag *g)
{
	struct hs_et_reader r;

	if (g->reason != HS_REASON_OTHER_OPTIONS || g->packet.form != HS_ET_FORM_SUPPORT ||
	    hs_et_decoder_stats(&d->et)->packets[HS_ET_FORM_START] ||
	    hs_et_reader_init(&r, &d->config) != HS_OK)
		return 0;
	const unsigned named = hs_et_reader_options(&r);

	hs_et_reader_follow(&r, &g->packet);
	return named & ~hs_et_reader_options(&r) & ((1u << OPTIONS) - 1);
}

/* What to do where the parameters name options that the trace starts without. */
static void write_missing(unsigned options, char *text, size_t size)
{
	size_t n;

	text[0] = 0;
	if (!options)
		return;
	n = (size_t)snprintf(text, size,
	                     "; the trace starts without options that the parameters name:");
	for (size_t i = 0; i < OPTIONS && n < size; i++)
		if (options >> i & 1)
			n += (size_t)snprintf(text + n, size - n, " --set %s=false",
			                      run_time_options[i].name);
	if (n < size)
		snprintf(text + n, size - n, ", or --set after-damage=soon");
}

/* The first error is about the options that the trace starts with, if it is in its first bytes.
 * (Further on it may be of another decoder, which has a part of the trace only.) */
#define OPTIONS_NEAR 4096u

/* What the options need that the trace starts with, where the parameters cannot have them. */
static void write_refused(const struct hs_et_config *given, unsigned options, char *text,
                          size_t size)
{
	struct hs_et_config c = *given;
	size_t n = 0;

	text[0] = 0;
	for (size_t i = 0; i < OPTIONS && n < size; i++) {
		c.options = (uint8_t)(options & 1u << i);
		if (c.options && hs_et_config_check(&c) != HS_OK)
			n += (size_t)snprintf(text + n, size - n,
			                      "; the trace has %s, which needs %s",
			                      run_time_options[i].name, run_time_options[i].needs);
	}
	if (options && n == 0) /* each by itself is good (ET Format 0 subformat) */
		snprintf(text, size,
		         "; the trace has branch-prediction and jump-target-cache, "
		         "which need f0s_width_p");
}

/* What tables of the sizes that a support packet of 2.1 says need. */
static void write_tables(const struct et_decoder *d, const struct hs_et_diag *g, char *text,
                         size_t size)
{
	struct hs_et_config c = d->config;

	hs_et_standard_config(&c, hs_et_standard_said(&g->packet));
	snprintf(
		text, size,
		"; its tables need %zu bytes, and a source has %zu: set the largest "
		"call_counter_size_p, return_stack_size_p, bpred_size_p, cache_size_p of the trace",
		hs_et_source_memory(&c), d->et.stride);
}

void protocol_et_diag(const struct hs_decoder *decoder, enum hs_status s, struct hs_fault *fault)
{
	const struct et_decoder *d = (const void *)decoder;
	const struct hs_et_diag *g = hs_et_decoder_diag(&d->et);
	struct hs_message m;
	char fields[512], options[320];

	protocol_et_describe(&d->config, &g->packet, &m);
	protocol_message_text(&m, fields, sizeof(fields));
	if (d->et.refused && g->packet.offset < OPTIONS_NEAR &&
	    hs_et_decoder_stats(&d->et)->errors == 1)
		write_refused(&d->config, d->et.refused, options, sizeof(options));
	else if (g->reason == HS_REASON_TABLES)
		write_tables(d, g, options, sizeof(options));
	else
		write_missing(options_missing(d, g), options, sizeof(options));
	hs_error_set(&fault->error, s, "offset 0x%llx bit %u: %s (%s): %s%s, pc 0x%llx%s",
	             (unsigned long long)g->packet.offset, g->packet.bits,
	             g->text ? g->text : hs_status_text(s),
	             g->clause ? g->clause : hs_status_name(s), m.name, fields,
	             (unsigned long long)g->pc, options);
	fault->reason = g->reason;
	fault->pc = g->pc;
}
