/* Exports of control transfer records: the table of formats, and the records of one. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "ctr_host/export_private.h"

/* Filters of traps, of returns from them, and of not-taken branches: code stays straight. */
#define HARMLESS \
	(HS_CTR_FILTER(HS_CTR_EXCEPTION) | HS_CTR_FILTER(HS_CTR_INTERRUPT) | \
	 HS_CTR_FILTER(HS_CTR_TRET) | HS_CTR_FILTER(HS_CTR_NOT_TAKEN))

static const struct export_format *const formats[] = {
	&export_brstack,   &export_perf_data, &export_bolt, &export_profgen,
	&export_callchain, &export_folded,    &export_json,
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

const char *hs_ctr_export_formats(void)
{
	return "brstack perf-data bolt profgen callchain folded json";
}

static const struct export_format *find_format(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

bool hs_ctr_export_needs_ras(const char *format)
{
	const struct export_format *f = find_format(format);

	return f && f->ras;
}

/* ---- samples --------------------------------------------------------------------------- */

/* Keep the records of taken transfers, the youngest first. */
static void collect_branches(struct hs_ctr_export *x, const struct hs_ctr *c)
{
	x->count = 0;
	for (unsigned i = 0; i < hs_ctr_depth(c); i++) {
		const struct hs_ctr_entry e = hs_ctr_get_entry(c, i);
		const struct hs_ctr_record r = hs_ctr_decode_entry(&e);

		if (!r.valid)
			continue;
		if (r.type == HS_CTR_NOT_TAKEN) {
			x->report.not_taken++;
			continue;
		}
		x->branches[x->count++] = (struct export_branch){
			.from = r.source,
			.to = r.target,
			.type = r.type,
			.misp = r.misp,
			.no_from = r.no_source,
			.no_to = r.no_target,
			.cycles = r.ccv ? r.cycles : 0,
		};
	}
}

enum hs_status hs_ctr_export_sample(struct hs_ctr_export *x, const struct hs_ctr_sample *s)
{
	if (x->format->one && s->program != x->program) {
		x->report.other++;
		return HS_OK;
	}
	collect_branches(x, s->ctr);
	x->report.samples++;
	const enum hs_status status = x->format->sample(x, s);

	return status != HS_OK ? status : x->out.status;
}

enum hs_status hs_ctr_export_end(struct hs_ctr_export *x, struct hs_ctr_export_report *report)
{
	enum hs_status s = x->format->end ? x->format->end(x) : HS_OK;

	if (s == HS_OK)
		s = support_out_flush(&x->out);
	*report = x->report;
	return s;
}

/* ---- the object ----------------------------------------------------------------------- */

/* Does a filter leave a taken transfer out? */
static bool leaves_out_taken(const struct hs_ctr *c)
{
	return (c->mctl | c->vsctl) & HS_CTR_FILTERS & ~HARMLESS;
}

static enum hs_status check_settings(const struct export_format *f, const struct hs_ctr *c,
                                     struct hs_error *error)
{
	if (f->ras && !export_is_ras(c))
		return hs_error_set(error, HS_E_CONFIG, "%s needs RASEMU=1", f->name);
	if (f->straight && export_is_ras(c))
		return hs_error_set(error, HS_E_CONFIG,
		                    "%s needs RASEMU=0: call chains are not branches", f->name);
	if (f->straight && leaves_out_taken(c))
		return hs_error_set(error, HS_E_CONFIG,
		                    "%s needs every taken branch, jump, call and return: without "
		                    "filters of them",
		                    f->name);
	return HS_OK;
}

enum hs_status hs_ctr_export_new(struct hs_program *program, const struct hs_ctr *start,
                                 hs_write_fn write, void *context,
                                 const struct hs_ctr_export_options *options,
                                 struct hs_ctr_export **out, struct hs_error *error)
{
	struct hs_ctr_export_options o;
	const struct export_format *f;
	struct hs_ctr_export *x;
	enum hs_status s;

	if (base_take_config(&o, sizeof(o), options) != HS_OK || o.reserved)
		return hs_error_set(error, HS_E_CONFIG, "options that this library does not know");
	f = find_format(o.format ? o.format : "json");
	if (!f)
		return hs_error_set(error, HS_E_ARG, "no format '%s'; there are: %s", o.format,
		                    hs_ctr_export_formats());
	s = check_settings(f, start, error);
	if (s != HS_OK)
		return s;
	x = calloc(1, sizeof(*x));
	if (!x || support_out_open(&x->out, write, context) != HS_OK) {
		free(x);
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	}
	x->format = f;
	x->program = program;
	x->program_path = o.program_path;
	x->guest = o.guest;
	x->period = o.period ? o.period : 1;
	x->start = *start;
	s = f->begin ? f->begin(x) : HS_OK;
	if (s != HS_OK) {
		hs_ctr_export_free(x);
		return hs_error_set(error, s, "%s cannot begin: %s", f->name, hs_status_text(s));
	}
	*out = x;
	return HS_OK;
}

void hs_ctr_export_free(struct hs_ctr_export *x)
{
	if (!x)
		return;
	if (x->format && x->format->free)
		x->format->free(x);
	export_free_processes(x);
	support_out_free(&x->out);
	free(x);
}
