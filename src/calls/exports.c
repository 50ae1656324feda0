/* Exports (exports.h): the table of formats, and the object. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "calls/exports_private.h"
#include "calls/scan.h"
#include "calls/stacks.h"

static const struct hs_export_format names[] = {
#define HS_EXPORT(id, name, where, text) { name, text, where != 0, where == 2 },
#include "calls/export_formats.def"
#undef HS_EXPORT
};

#define FORMATS (sizeof(names) / sizeof(*names))

enum format_id {
#define HS_EXPORT(id, name, where, text) FORMAT_##id,
#include "calls/export_formats.def"
#undef HS_EXPORT
};

static const struct exports_format *const formats[FORMATS] = {
	[FORMAT_CALLGRIND] = &exports_callgrind, [FORMAT_FOLDED] = &exports_folded,
	[FORMAT_CHROME] = &exports_chrome,       [FORMAT_SPEEDSCOPE] = &exports_speedscope,
	[FORMAT_PERFETTO] = &exports_perfetto,   [FORMAT_SQLITE] = &exports_sqlite,
	[FORMAT_PPROF] = &exports_pprof,         [FORMAT_BBV] = &exports_bbv,
	[FORMAT_AUTOFDO] = &exports_autofdo,     [FORMAT_CTF] = &exports_ctf,
	[FORMAT_FIREFOX] = &exports_firefox,     [FORMAT_AUTO_PROFILE] = &exports_auto_profile,
};

const struct hs_export_format *hs_export_format_at(size_t index)
{
	return index < FORMATS ? &names[index] : NULL;
}

static const struct exports_format *find_format(const char *name)
{
	for (size_t i = 0; name && i < FORMATS; i++)
		if (strcmp(names[i].name, name) == 0)
			return formats[i];
	return NULL;
}

static bool needs_path(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].needs_path;
	return false;
}

static enum hs_status refuse_format(const char *name, struct hs_error *error)
{
	char text[256] = "";

	for (size_t i = 0, n = 0; i < FORMATS && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %s", names[i].name);
	return hs_error_set(error, HS_E_ARG, "no format '%s'; there are:%s", name ? name : "",
	                    text);
}

/* ---- the object ----------------------------------------------------------------------- */

static enum hs_status start(struct hs_export *x)
{
	const struct hs_stacks_options so = { .size = sizeof(so),
		                              .program = x->o.program,
		                              .programs = x->o.programs,
		                              .guest = x->o.guest };
	enum hs_status s = support_out_open(&x->out, x->o.write, x->o.context);

	program_select_start(&x->select, x->o.program, x->o.programs);
	if (s == HS_OK)
		s = program_select_hart(&x->select, 0);
	if (s == HS_OK)
		s = hs_stacks_new(&so, &x->stacks);
	if (s == HS_OK && x->format->text)
		s = exports_texts_start(x);
	if (s == HS_OK && x->format->begin)
		s = x->format->begin(x);
	return s == HS_OK ? x->out.status : s;
}

enum hs_status hs_export_new(const struct hs_export_options *options, struct hs_export **out,
                             struct hs_error *error)
{
	struct hs_export_options o;

	if (base_take_config(&o, sizeof(o), options) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "options that this library does not know");
	if (!o.program || !o.write)
		return hs_error_set(error, HS_E_CONFIG, "an export needs a program");
	if (!find_format(o.format))
		return refuse_format(o.format, error);
	if (needs_path(o.format) && !o.path)
		return hs_error_set(error, HS_E_CONFIG, "%s is a file: it needs a path", o.format);
	struct hs_export *x = calloc(1, sizeof(*x));

	if (!x)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	x->format = find_format(o.format);
	x->o = o;
	x->functions.item_size = sizeof(struct exports_function);
	const enum hs_status s = start(x);

	if (s != HS_OK) {
		const int why = s == HS_E_SYSTEM ? errno : 0;

		hs_export_free(x);
		return hs_error_set(error, s, "%s: %s",
		                    why && needs_path(o.format) ? o.path : o.format,
		                    why                     ? strerror(why)
		                    : s == HS_E_UNSUPPORTED ? "its library is not installed"
		                                            : hs_status_text(s));
	}
	*out = x;
	return HS_OK;
}

void hs_export_free(struct hs_export *x)
{
	if (!x)
		return;
	exports_texts_free(x);
	if (x->format->free && (x->own || x->tree))
		x->format->free(x);
	exports_free_tracks(x);
	hs_stacks_free(x->stacks);
	program_counts_free(&x->counts);
	exports_free_functions(x);
	free(x->counted);
	free(x->times);
	free(x->moments);
	program_select_end(&x->select);
	support_out_free(&x->out);
	free(x);
}

enum hs_status hs_export_add(struct hs_export *x, const struct hs_block *blocks, size_t n)
{
	enum hs_status s = HS_OK;

	if (x->format->items)
		s = x->format->items(x, blocks, n);
	else
		for (size_t i = 0; i < n && s == HS_OK; i++)
			s = exports_add_item(x, &blocks[i]);
	return s == HS_OK ? x->out.status : s;
}

enum hs_status hs_export_end(struct hs_export *x, struct hs_export_report *report)
{
	enum hs_status s = x->format->moment ? exports_moments_end(x) : HS_OK;

	if (s == HS_OK && !x->format->items)
		s = exports_close_all(x);
	x->report.forgotten = hs_stacks_count_forgotten(x->stacks);
	if (s == HS_OK)
		s = exports_texts_drain(x);
	if (s == HS_OK)
		s = x->format->end(x);
	if (s == HS_OK)
		s = support_out_flush(&x->out);
	*report = x->report;
	return s;
}
