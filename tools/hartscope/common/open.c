/* Sources as the options of a command ask for them. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/found.h"
#include "common/overwrite.h"

/* ---- reading ------------------------------------------------------------------ */

enum hs_status read_params(const struct options *o, const char *trace,
                           struct hs_trace_params **params, struct hs_error *e)
{
	struct hs_trace_params_options po = o->params;

	po.trace = trace && strcmp(trace, "-") != 0 ? trace : NULL;
	return hs_trace_params_open(&po, params, e);
}

void note_discovery(const struct hs_source *source)
{
	const char *note = hs_source_known(source)->note;

	if (note)
		complain("%s", note);
}

/* Notes of a program, from one on.  Returns how many it has. */
static size_t note_program(const struct hs_program *p, size_t from)
{
	const char *note;

	for (; (note = hs_program_note(p, from)); from++)
		complain("%s", note);
	return from;
}

/* How many notes of the first program of the source that was opened last were printed. */
static size_t noted;

/* Notes of a source's guest, likewise. */
static size_t note_files(struct hs_source *source, size_t from)
{
	const struct hs_guest *guest = hs_source_known(source)->guest;
	const char *note;

	for (; guest && (note = hs_guest_note(guest, from)); from++)
		complain("%s", note);
	return from;
}

static size_t guest_noted;

void note_hidden_sources(struct hs_source *source)
{
	noted = note_program(hs_source_known(source)->program, noted);
	guest_noted = note_files(source, guest_noted);
}

void note_guest(struct hs_source *source)
{
	const struct hs_program_set *set = hs_source_known(source)->programs;

	noted = note_program(hs_source_known(source)->program, 0);
	for (size_t i = 0; set && i < set->count; i++) {
		bool seen = set->programs[i] == hs_source_known(source)->program;

		for (size_t k = 0; k < i && !seen; k++)
			seen = set->programs[k] == set->programs[i];
		if (!seen)
			note_program(set->programs[i], 0);
	}
	guest_noted = note_files(source, 0);
}

/* Is a checksum taken while a source is read?  A command that reads only a part compares sizes. */
static atomic_bool summing;

static void is_another(const struct hs_error *e)
{
	complain("%s", e->text);
	note_incomplete(e->text);
}

/* True: no other pass over the trace is needed. */
static bool verify_reading(const struct options *o, struct hs_source *source)
{
	struct hs_error e = { 0 };
	const enum hs_status s =
		o && o->reads_all ? hs_source_verify(source, &e) : HS_E_UNSUPPORTED;

	summing = summing || s == HS_MORE;
	if (s == HS_E_CUT)
		is_another(&e);
	return s != HS_E_UNSUPPORTED;
}

void verify_end(struct hs_source *source)
{
	struct hs_error e = { 0 };

	if (summing && hs_source_verify(source, &e) == HS_E_CUT)
		is_another(&e);
}

/* What is merged was not read: its checksum is taken after the errors of the parts. */
static struct {
	const struct hs_trace_params *params; /* NULL: nothing is merged */
	const char *path;
} merged;

void verify_merged(void)
{
	struct hs_error e = { 0 };

	if (merged.params && hs_trace_params_verify(merged.params, merged.path, &e) != HS_OK)
		is_another(&e);
	merged.params = NULL;
}

void verify_source(const struct options *o, struct hs_source *source, const char *path)
{
	const bool merges = o && o->job.parts && !o->job.part;
	/* a buffer as it was read, or a part: what is merged is verified once */
	const bool piece = o && (o->capture.wrap || o->params.registers || o->job.part);
	const struct hs_trace_params *params = hs_source_known(source)->params;
	const struct hs_rec_info *info = hs_source_known(source)->info;
	struct hs_error e = { 0 };

	if (info && !info->complete) {
		hs_error_set(&e, HS_E_CUT, "%s is incomplete: %s", path,
		             info->end ? info->end : "cut");
		note_incomplete(e.text);
	}
	if (!params || piece || strcmp(path, "-") == 0)
		return;
	if (merges && !merged.params) {
		merged.params = params;
		merged.path = path;
		return;
	}
	if (verify_reading(o, source))
		return;
	if (hs_trace_params_verify(params, path, &e) != HS_OK)
		is_another(&e);
}

enum hs_status open_found(const struct options *o, struct hs_source_options so, const char *path,
                          const struct found *found, struct hs_source **source, struct hs_error *e)
{
	struct hs_capture_options capture = o->capture;
	struct hs_code_file code[CODE_MAX];
	struct parts parts = { .count = 0 };
	const char *words[PARTS_MAX];
	enum hs_status s;

	so.path = path;
	if (so.code_count)
		memcpy(code, so.code, so.code_count * sizeof(*code));
	found_move(found, &capture, code, so.code_count);
	so.code = code;
	so.capture = &capture;
	so.params = found->params;
	for (size_t i = 0; i < found->part_count; i++)
		words[i] = found->part[i];
	s = found->part_count ? parts_take(words, found->part_count, true, &parts, e)
	                      : parts_open(o, &parts, e);
	so.parts = parts.list;
	so.part_count = parts.count;
	if (s == HS_OK)
		s = hs_source_open(&so, source, e);
	parts_close(&parts);
	return s;
}

/* As open_source(), without notes; @so: without what is in files. */
static enum hs_status open_quietly(const struct options *o, struct hs_source_options so,
                                   const char *path, struct hs_source **source, struct hs_error *e)
{
	struct found found = { .params = NULL };
	enum hs_status s = HS_OK;

	if (!is_recording(path))
		s = open_params(o, path, &found, e);
	if (s == HS_OK)
		s = open_found(o, so, path, &found, source, e);
	hs_trace_params_free(found.params);
	return s;
}

/* A recording that cannot be opened: who says what is left of it? */
static enum hs_status point_to_fsck(const char *path, enum hs_status s, struct hs_error *e)
{
	const struct hs_error was = *e;

	if (!is_recording(path) || (s != HS_E_FORMAT && s != HS_E_CUT))
		return s;
	return hs_error_set(e, s, "%s; 'hartscope fsck' says what of it can be read", was.text);
}

/* Open all of @path. */
static enum hs_status open_whole(const struct options *o, const char *path,
                                 struct hs_source **source, struct hs_error *e)
{
	const enum hs_status s = open_quietly(o, o->source, path, source, e);

	return s == HS_OK ? s : point_to_fsck(path, s, e);
}

/* Read the range of the options, or close it. */
static enum hs_status take_range(const struct options *o, const char *path,
                                 struct hs_source *source, struct hs_error *e)
{
	const enum hs_status s = range_set(o, path, source, e);

	if (s != HS_OK)
		hs_source_close(source);
	return s;
}

enum hs_status open_for_a_look(const struct options *o, const char *path, struct hs_source **source,
                               struct hs_error *e)
{
	const enum hs_status s = open_whole(o, path, source, e);

	return s == HS_OK ? take_range(o, path, *source, e) : s;
}

enum hs_status open_source(const struct options *o, const char *path, struct hs_source **source,
                           struct hs_error *e)
{
	const enum hs_status s = open_whole(o, path, source, e);

	if (s != HS_OK)
		return s;
	note_discovery(*source);
	note_guest(*source);
	verify_source(o, *source, path);
	return take_range(o, path, *source, e);
}

struct hs_source_options recording_options(const struct options *o, const char *path)
{
	return (struct hs_source_options){
		.size = sizeof(struct hs_source_options),
		.path = path,
		.names = o->source.names,
		.versions = true,
		.hart = o->source.hart,
		.one_hart = o->source.one_hart,
		.select = o->source.select,
		.guest = o->source.guest,
		.guest_count = o->source.guest_count,
		.guest_clock = o->source.guest_clock,
		.name_options = o->source.name_options,
		.threads = o->source.threads,
	};
}

bool is_one_stream(const struct hs_source *source, const char *path)
{
	const struct hs_source_facts *known = hs_source_known(source);
	const struct hs_capture_report *c = known->capture;
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && !known->part && c &&
	       strcmp(c->transport, "raw") == 0 && !c->wrapped;
}

struct hs_source *open_argument(const struct options *o, int *status)
{
	struct hs_source *source;
	struct hs_error e = { 0 };

	if (open_source(o, o->args[0], &source, &e) == HS_OK)
		return source;
	*status = fail(&e);
	return NULL;
}

int with_source(struct options *o, source_job job, void *to)
{
	struct damage damage = { 0 };
	struct hs_source *source;
	int status = EXIT_USAGE;

	o->source.names = o->source.versions = o->reads_all = true;
	source = open_argument(o, &status);
	if (!source)
		return status;
	status = job(to, source, o, &damage);
	note_hidden_sources(source);
	const int damaged = damage_exit(&damage);

	hs_source_close(source);
	return damaged ? damaged : status;
}
