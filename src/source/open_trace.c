/* Sources: a trace that is opened: its bytes, its parameters and its code. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/program.h"
#include "recording/recording.h"
#include "source/private.h"

#define THREAD_BYTES_MIN 8192u

static enum hs_status open_file(struct source_trace *t, const char *path, bool standard,
                                struct hs_error *error)
{
	struct stat st;

	t->in.fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (t->in.fd < 0 || fstat(t->in.fd, &st) < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return hs_error_set(error, HS_E_FORMAT, "%s: a directory, but not a recording",
		                    path);
	t->in.total = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	return HS_OK;
}

static enum hs_status open_bytes(struct source_trace *t, const struct hs_source_options *o,
                                 struct hs_error *error)
{
	const bool standard = !o->trace.p && strcmp(o->path, "-") == 0;

	t->in.name = strdup(standard ? "standard input" : o->path);
	t->in.buffer = malloc(SOURCE_PIECE);
	if (!t->in.name || !t->in.buffer)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", o->path);
	if (!o->trace.p)
		return open_file(t, o->path, standard, error);
	t->in.memory = o->trace;
	t->in.total = o->trace.n;
	return HS_OK;
}

static enum hs_status find_params(struct source_trace *t, const struct hs_source_options *o,
                                  struct hs_error *error)
{
	const struct hs_trace_params_options po = { .size = sizeof(po),
		                                    .trace = o->trace.p || strcmp(o->path, "-") == 0
		                                                     ? NULL
		                                                     : o->path };
	enum hs_status status;

	if (!o->params)
		status = hs_trace_params_open(&po, &t->params, error);
	else if (hs_trace_params_copy(o->params, &t->params) == HS_OK)
		status = HS_OK;
	else
		status = hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (status != HS_OK)
		return status;
	t->protocol = hs_trace_params_protocol(t->params);
	t->config = hs_trace_params_config(t->params);
	return HS_OK;
}

static enum hs_status open_captures(struct source_trace *t, const struct hs_source_options *o,
                                    struct hs_error *error)
{
	const enum hs_status status =
		source_open_capture(t, o->capture, t->in.fd, &o->trace, 0, error);

	return status == HS_OK ? source_parts_open(t, o, error) : status;
}

/* Was TRACE.json written here?  Then what it names is the user's choice. */
static bool is_own(const struct hs_source *s)
{
	char *path = NULL;
	const bool own = asprintf(&path, "%s.json", s->trace.in.name) >= 0 && hs_is_own(path);

	free(path);
	return own;
}

static enum hs_status add_processes(struct hs_source *s, const struct hs_source_options *o,
                                    const struct hs_trace_info *info, bool recorded,
                                    struct hs_error *error)
{
	struct hs_rec *rec = NULL;

	/* what is wrong with the recording is only an error if its code is needed: find_code() */
	const struct source_files named = { .files = info->processes,
		                            .count = info->process_count,
		                            .is_own = is_own(s) };

	if (recorded && (named.is_own || hs_program_allows(s->code.program, info->recording)) &&
	    hs_rec_has_processes(info->recording))
		(void)hs_rec_open(info->recording, &rec, NULL);
	const enum hs_status status = source_add_processes(&s->code, o, &named, rec, error);

	hs_rec_close(rec);
	return status;
}

/* The files that a perf.data says were mapped: with several processes, each has a program of its
 * own, whose context is its number. */
static enum hs_status add_maps(struct hs_source *s, const struct hs_source_options *o,
                               struct hs_error *error)
{
	struct source_maps m;
	enum hs_status status = source_read_maps(s, o->sysroot, &m, error);

	for (size_t i = 0; m.one && i < m.count && status == HS_OK; i++)
		status = hs_program_add_elf(s->code.program, m.files[i].path, m.files[i].bias,
		                            error);
	const struct source_files named = { m.files, m.one ? 0 : m.count, true, m.threads,
		                            m.one ? 0 : m.thread_count };

	if (status == HS_OK)
		status = source_add_processes(&s->code, o, &named, NULL, error);
	source_free_maps(&m);
	return status;
}

/* May the recording that TRACE.json names be read? */
static bool may_read(struct hs_source *s, const struct hs_trace_info *info)
{
	return is_own(s) || hs_program_allows(s->code.program, info->recording);
}

/* The recording that TRACE.json names, which is @there, or why there is none. */
static enum hs_status add_recording(struct hs_source *s, const struct hs_trace_info *info,
                                    bool there, struct hs_error *error)
{
	if (there && !may_read(s, info))
		return hs_error_set(
			error, HS_E_CONFIG,
			"%s: its recording %s is elsewhere, and %s.json was not written here: give "
			"--image, or --allow-paths",
			s->trace.in.name, info->recording, s->trace.in.name);
	if (there)
		return source_add_image(&s->code, s->code.program, info->recording, error);
	if (s->trace.in.perf && hs_program_image(s->code.program)->count)
		return HS_OK;
	if (info->recording)
		return hs_error_set(
			error, HS_E_CONFIG,
			"%s: its recording %s does not exist; give the program with --elf FILE",
			s->trace.in.name, info->recording);
	return hs_error_set(
		error, HS_E_CONFIG,
		"%s: a trace means nothing without its program; give it with --elf FILE",
		s->trace.in.name);
}

/* No record of perf names the kernel's file: what the caller gave is its code if all of it is in
 * the upper half of the addresses. */
static bool is_kernel(const struct hs_image *image)
{
	for (size_t i = 0; i < image->count; i++)
		if (!(image->sections[i].start >> 63))
			return false;
	return image->count != 0;
}

/* A perf.data to which code was given that belongs to no context. */
static enum hs_status find_kernel(struct hs_source *s, const struct hs_source_options *o,
                                  struct hs_error *error)
{
	const enum hs_status status = source_add_code(&s->code, o, NULL, error);

	if (status != HS_OK || !is_kernel(hs_program_image(s->code.program)))
		return status == HS_OK ? source_add_processes(&s->code, o, NULL, NULL, error)
		                       : status;
	return add_maps(s, o, error);
}

static bool has_contexts(const struct hs_source_options *o)
{
	for (size_t i = 0; i < o->code_count; i++)
		if (o->code[i].has_context)
			return true;
	return false;
}

/* The program: what the caller gave, and what the recording has that TRACE.json names. */
static enum hs_status find_code(struct hs_source *s, const struct hs_source_options *o,
                                const struct hs_trace_info *info, struct hs_error *error)
{
	const bool recorded =
		info->recording && hs_file_what(info->recording, NULL) == HS_FILE_RECORDING;
	const bool maps = s->trace.in.perf && !o->code_count && !info->process_count && !recorded;
	enum hs_status status;

	if (is_own(s))
		hs_program_trust_sources(s->code.program);
	if (s->trace.in.perf && source_has_code(o) && !source_has_moments(o) && !has_contexts(o) &&
	    !info->process_count && !info->recording)
		return find_kernel(s, o, error);
	if (source_has_moments(o)) /* code is one for all contexts */
		status = source_add_moments(&s->code, o, error);
	else
		status = maps ? add_maps(s, o, error) : add_processes(s, o, info, recorded, error);
	if (status != HS_OK)
		return status;
	if (source_has_code(o))
		return info->recording && !source_has_moments(o) && (!recorded || may_read(s, info))
		               ? source_add_recorded(&s->code, o, info->recording, error)
		               : source_add_code(&s->code, o, NULL, error);
	if (!s->code.set.count)
		return add_recording(s, info, recorded, error);
	s->code.set.first = s->code.set.programs[0]; /* the first process begins */
	return HS_OK;
}

/* Code that the protocol's dialect has before each program, unless a file has it. */
static enum hs_status add_boot(struct hs_source *s, struct hs_error *error)
{
	const struct source_trace *t = &s->trace;
	const struct hs_image *boot = source_traits(t).boot;
	size_t n;

	if (!boot || hs_img_bytes(hs_program_image(s->code.program), boot->sections[0].start, &n))
		return HS_OK;
	return hs_program_add_image(s->code.program, boot, error);
}

static enum hs_status read_changes(struct source_trace *t, const char *path, struct hs_error *error)
{
	char *stem;
	enum hs_status status = hs_trace_params_find_code(t->params, path, &stem, error);

	if (status == HS_OK && stem)
		status = hs_code_changes_read_beside(stem, &t->code.changes, error);
	free(stem);
	return status;
}

/* Which records they were nobody knows. */
static void note_lost(struct hs_source *s)
{
	const struct source_trace *t = &s->trace;
	const uint64_t lost = t->in.perf ? hs_perf_get_info(t->in.perf->file)->lost : 0;
	if (!lost)
		return;
	(void)hs_program_add_note(
		s->code.program,
		"%s: the kernel had no room for %llu records: files that were mapped, threads, "
		"and losses of the trace may be missing (perf record -m PAGES makes room)",
		t->in.name, (unsigned long long)lost);
}

/* A driver's habit, not a loss. */
static void note_repeats(struct hs_source *s)
{
	const struct source_trace *t = &s->trace;
	struct hs_perf_lane l;
	uint64_t n = 0;

	for (size_t i = 0; t->in.perf && hs_perf_get_lane(t->in.perf->file, i, &l); i++)
		n += l.repeated;
	if (n)
		(void)hs_program_add_note(
			s->code.program,
			"%s: %llu bytes that repeat those before them are left out: the kernel "
			"stored the memory of the sink from its start at each stop",
			t->in.name, (unsigned long long)n);
}

/* TEXT_POKE says what TRACE.code does, also where that is @missing (HS_E_CUT). */
static enum hs_status read_pokes(struct source_trace *t, enum hs_status missing,
                                 struct hs_error *error)
{
	const enum hs_status status = source_read_pokes(t->in.perf, &t->code.changes);

	if (status == HS_E_UNSUPPORTED)
		return hs_error_set(error, status,
		                    "%s: its code changes more than 1,048,576 times (TEXT_POKE): "
		                    "record a shorter part",
		                    t->in.name);
	if (status != HS_OK)
		return hs_error_set(error, status, "%s: out of memory", t->in.name);
	return t->code.changes ? HS_OK : missing;
}

enum hs_status source_open_trace(struct hs_source *s, const struct hs_source_options *o,
                                 struct hs_error *error)
{
	struct source_trace *t = &s->trace;
	struct hs_trace_info info;

	s->ops = &source_trace_ops;
	s->kind = SOURCE_TRACE;
	t->in.fd = -1;
	t->code.versions = o->versions;
	t->pool.threads = o->threads;
	s->thread_bytes = o->thread_bytes ? o->thread_bytes : SOURCE_THREAD_BYTES;
	s->thread_bytes = s->thread_bytes < THREAD_BYTES_MIN ? THREAD_BYTES_MIN : s->thread_bytes;
	t->vendor.custom = o->custom;
	t->vendor.custom_count = o->custom_count;
	enum hs_status status = open_bytes(t, o, error);

	if (status == HS_OK)
		status = find_params(t, o, error);
	if (status != HS_OK)
		return status;
	hs_trace_params_get_info(t->params, &info);
	status = source_is_perf(o) ? source_open_perf(t, o, error) : open_captures(t, o, error);
	if (status == HS_OK)
		status = source_discover(t, error);
	if (status != HS_OK || o->no_code)
		return status;
	if (!o->trace.p && strcmp(o->path, "-") != 0 && !source_has_moments(o))
		status = read_changes(t, o->path, error);
	if (t->in.perf && !t->code.changes && (status == HS_OK || status == HS_E_CUT))
		status = read_pokes(t, status, error);
	if (status == HS_OK)
		status = find_code(s, o, &info, error);
	note_lost(s);
	note_repeats(s);
	if (status == HS_OK)
		status = add_boot(s, error);
	if ((t->code.changes || s->code.later_count) && t->code.versions)
		source_set_versions(&s->code, source_changed_code, t);
	if (status == HS_OK)
		status = source_new_decoder(s, error);
	return status == HS_OK ? source_find_wrap(s, error) : status;
}
