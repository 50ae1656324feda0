/* Exports of control transfer records: the table of formats, and what they share. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctr_export/private.h"

#define TEXT_ROOM 65536u
#define RAS_0_1_4 (UINT64_C(1) << 10)
#define RAS_1_0 (UINT64_C(1) << 7)
#define TAKEN UINT64_C(0xff20) /* types that go elsewhere in a mode: 5, 8..15 */

static const struct export_format *const formats[] = {
	&export_brstack, &export_perf_data, &export_bolt, &export_profgen, &export_callchain,
	&export_folded, &export_json,
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

const char *hs_ctr_export_formats(void)
{
	return "brstack perf-data bolt profgen callchain folded json";
}

static const struct export_format *find(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

bool hs_ctr_export_needs_ras(const char *format)
{
	const struct export_format *f = find(format);

	return f && f->ras;
}

bool export_is_ras(const struct hs_ctr *c)
{
	return c->mctl & (c->config.version == HS_CTR_1_0 ? RAS_1_0 : RAS_0_1_4);
}

void export_comm(const struct hs_ctr_export *x, char comm[16])
{
	const char *path = x->o.program_path ? x->o.program_path : "program";
	const char *slash = strrchr(path, '/');

	snprintf(comm, 16, "%.15s", slash ? slash + 1 : path);
}

/* ---- output ------------------------------------------------------------------------ */

static enum hs_status flush(struct hs_ctr_export *x)
{
	if (x->used && x->status == HS_OK && !x->o.write(x->o.context, x->text, x->used))
		x->status = HS_E_SYSTEM;
	x->used = 0;
	return x->status;
}

enum hs_status export_write(struct hs_ctr_export *x, const void *bytes, size_t n)
{
	if (flush(x) == HS_OK && !x->o.write(x->o.context, bytes, n))
		x->status = HS_E_SYSTEM;
	return x->status;
}

void export_print(struct hs_ctr_export *x, const char *format, ...)
{
	va_list args;
	int n;

	for (int again = 0; again < 2; again++) {
		va_start(args, format);
		n = vsnprintf(x->text + x->used, x->size - x->used, format, args);
		va_end(args);
		if (n >= 0 && (size_t)n < x->size - x->used) {
			x->used += (size_t)n;
			return;
		}
		flush(x);
	}
	x->used = x->size - 1; /* a name longer than the room is cut */
}

/* ---- samples --------------------------------------------------------------------------- */

/* The records that left straight code, the youngest first. */
static void collect(struct hs_ctr_export *x, const struct hs_ctr *c)
{
	x->count = 0;
	for (unsigned i = 0; i < hs_ctr_depth(c); i++) {
		const struct hs_ctr_entry e = hs_ctr_entry(c, i);
		struct export_branch *b = &x->branches[x->count];

		if (!(e.source & 1))
			continue;
		if ((e.data & 15) == HS_CTR_NOT_TAKEN) {
			x->report.not_taken++;
			continue;
		}
		*b = (struct export_branch){ .from = e.source & ~UINT64_C(1), .to = e.target & ~UINT64_C(1),
			                   .type = e.data & 15, .misp = e.target & 1 };
		if (e.data >> 15 & 1)
			b->cycles = hs_ctr_cc_decode(e.data >> 16 & 0xffff);
		x->count++;
	}
}

enum hs_status hs_ctr_export_sample(struct hs_ctr_export *x, const struct hs_ctr_sample *s)
{
	collect(x, s->ctr);
	x->report.samples++;
	const enum hs_status status = x->format->sample(x, s);

	return status != HS_OK ? status : x->status;
}

enum hs_status hs_ctr_export_end(struct hs_ctr_export *x, struct hs_ctr_export_report *report)
{
	enum hs_status s = x->format->end ? x->format->end(x) : HS_OK;

	if (s == HS_OK)
		s = flush(x);
	*report = x->report;
	return s;
}

/* ---- the object ----------------------------------------------------------------------- */

/* Does a filter keep a taken transfer out?  Traps and their returns come back to where they left. */
static bool filtered(const struct hs_ctr *c)
{
	return ((c->mctl | c->vsctl) >> 32) & TAKEN;
}

static enum hs_status check(const struct export_format *f, const struct hs_ctr *c, struct hs_error *error)
{
	if (f->ras && !export_is_ras(c))
		return hs_error_set(error, HS_E_CONFIG, "%s needs RASEMU=1", f->name);
	if (f->straight && export_is_ras(c))
		return hs_error_set(error, HS_E_CONFIG, "%s needs RASEMU=0: call chains are not branches", f->name);
	if (f->straight && filtered(c))
		return hs_error_set(error, HS_E_CONFIG,
		                    "%s needs every taken branch, jump, call and return: without filters of them",
		                    f->name);
	return HS_OK;
}

enum hs_status hs_ctr_export_new(const struct hs_ctr_export_options *options, struct hs_ctr_export **out,
                                 struct hs_error *error)
{
	const struct export_format *f = find(options->format);
	struct hs_ctr_export *x;
	enum hs_status s;

	if (!f)
		return hs_error_set(error, HS_E_ARG, "no format '%s'; there are: %s", options->format,
		                    hs_ctr_export_formats());
	s = check(f, options->ctr, error);
	if (s != HS_OK)
		return s;
	x = calloc(1, sizeof(*x));
	if (x)
		x->text = malloc(TEXT_ROOM);
	if (!x || !x->text) {
		hs_ctr_export_free(x);
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	}
	x->size = TEXT_ROOM;
	x->format = f;
	x->o = *options;
	x->start = *options->ctr;
	x->o.ctr = &x->start;
	s = f->begin ? f->begin(x) : HS_OK;
	if (s != HS_OK) {
		hs_ctr_export_free(x);
		return hs_error_set(error, s, "%s cannot begin: %s", options->format, hs_status_text(s));
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
	free(x->text);
	free(x);
}
