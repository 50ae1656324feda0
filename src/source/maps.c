/* Sources: the files that a perf.data says were mapped, and its processes for the guest. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/capture.h>

#include "guest/guest.h"
#include "inputs/inputs.h"
#include "program/program.h"
#include "source/private.h"

#define PROT_EXEC 4u
#define MAPS_MAX ((size_t)1 << 16)
#define THREADS_MAX ((size_t)1 << 12)

/* ---- mappings --------------------------------------------------------------------------- */

/* Does a record map code of a process? */
static bool maps_code(const struct hs_perf_event *e)
{
	if ((e->misc & HS_PERF_MISC_MODE) != HS_PERF_MISC_USER || e->text[0] != '/')
		return false;
	return e->type == HS_PERF_MMAP2  ? (e->protection & PROT_EXEC) != 0
	       : e->type == HS_PERF_MMAP ? !(e->misc & HS_PERF_MISC_DATA)
	                                 : false;
}

enum hs_status source_find_bias(const struct hs_program_mapping *m, uint64_t *bias,
                                struct hs_error *error)
{
	struct hs_program_segment g = { 0 };
	struct hs_program *p;

	if (hs_program_new(&p) != HS_OK)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	enum hs_status status = hs_program_add_mapped(p, m, error);

	if (status == HS_OK && !hs_program_get_segment(p, 0, &g))
		status = hs_error_set(error, HS_E_FORMAT,
		                      "%s: no code is at offset 0x%llx, which was mapped", m->path,
		                      (unsigned long long)m->offset);
	*bias = g.bias;
	hs_program_free(p);
	return status;
}

static enum hs_status find_bias(const char *path, const struct hs_perf_event *e, uint64_t *bias,
                                struct hs_error *error)
{
	const struct hs_program_mapping m = { .size = sizeof(m),
		                              .path = path,
		                              .start = e->address,
		                              .offset = e->offset,
		                              .length = e->length };

	return source_find_bias(&m, bias, error);
}

/* Is the file another build than the one that was mapped? */
static bool is_other_build(const struct hs_perf_event *e, const char *path)
{
	struct hs_perf_build_id id;

	return (e->misc & HS_PERF_MISC_BUILD_ID) && e->bytes.n &&
	       hs_perf_find_build_id(path, &id) &&
	       (id.size != e->bytes.n || memcmp(id.id, e->bytes.p, id.size) != 0);
}

static bool has_map(const struct source_maps *m, const struct hs_rec_process *f)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->files[i].context == f->context && m->files[i].bias == f->bias &&
		    strcmp(m->files[i].path, f->path) == 0)
			return true;
	return false;
}

/* Keep a file, whose path is then the list's. */
static enum hs_status keep_map(struct source_maps *m, const struct hs_rec_process *f)
{
	struct hs_rec_process *more;

	m->full |= m->count == MAPS_MAX;
	if (m->full || has_map(m, f)) {
		free((char *)(uintptr_t)f->path);
		return HS_OK;
	}
	more = realloc(m->files, (m->count + 1) * sizeof(*more));
	if (!more) {
		free((char *)(uintptr_t)f->path);
		return HS_E_MEMORY;
	}
	m->files = more;
	more[m->count++] = *f;
	return HS_OK;
}

static void note_missing(struct hs_program *p, const char *path)
{
	(void)hs_program_add_note(
		p,
		"%s, which perf.data says was mapped, is not there: its code is not known "
		"(--sysroot DIR, or --elf FILE)",
		path);
}

static enum hs_status add_map(struct hs_source *s, struct source_maps *m,
                              const struct hs_perf_event *e, const char *sysroot,
                              struct hs_error *error)
{
	struct hs_rec_process f = { .context = e->pid };
	char *path;

	if (asprintf(&path, "%s%s", sysroot ? sysroot : "", e->text) < 0)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	const bool there = access(path, R_OK) == 0;

	if (!there)
		note_missing(s->code.program, path);
	if (!there || !hs_program_allows(s->code.program, path)) {
		free(path);
		return HS_OK;
	}
	enum hs_status status = is_other_build(e, path)
	                                ? hs_error_set(error, HS_E_CONFIG,
	                                               "%s: its build-id is not that of the file "
	                                               "that was mapped",
	                                               path)
	                                : find_bias(path, e, &f.bias, error);

	f.path = path;
	if (status == HS_OK)
		return keep_map(m, &f);
	free(path);
	return status;
}

/* A child has the files of its parent. */
static enum hs_status copy_maps(struct source_maps *m, uint32_t from, uint32_t to)
{
	const size_t count = m->count;
	enum hs_status status = HS_OK;

	for (size_t i = 0; i < count && status == HS_OK; i++) {
		struct hs_rec_process f = m->files[i];

		if (f.context != from)
			continue;
		f.context = to;
		f.path = strdup(f.path);
		status = f.path ? keep_map(m, &f) : HS_E_MEMORY;
	}
	return status;
}

/* exec: another program takes the place of what was mapped. */
static void drop_maps(struct source_maps *m, uint32_t pid)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->count; i++)
		if (m->files[i].context == pid)
			free((char *)(uintptr_t)m->files[i].path);
		else
			m->files[kept++] = m->files[i];
	m->count = kept;
}

/* A record about a thread that is not the first one of its process.  The last process that had the
 * number counts. */
static enum hs_status take_thread(struct source_maps *m, const struct hs_perf_event *e)
{
	const struct source_thread t = { e->tid, e->pid };
	struct source_thread *more;

	if ((e->type != HS_PERF_FORK && e->type != HS_PERF_COMM) || e->pid == e->tid)
		return HS_OK;
	for (size_t i = 0; i < m->thread_count; i++)
		if (m->threads[i].tid == t.tid) {
			m->threads[i] = t;
			return HS_OK;
		}
	m->full |= m->thread_count == THREADS_MAX;
	if (m->thread_count == THREADS_MAX)
		return HS_OK;
	more = realloc(m->threads, (m->thread_count + 1) * sizeof(*more));
	if (!more)
		return HS_E_MEMORY;
	m->threads = more;
	more[m->thread_count++] = t;
	return HS_OK;
}

void source_free_maps(struct source_maps *m)
{
	free(m->threads);
	for (size_t i = 0; i < m->count; i++)
		free((char *)(uintptr_t)m->files[i].path);
	free(m->files);
}

enum hs_status source_read_maps(struct hs_source *s, const char *sysroot, struct source_maps *m,
                                struct hs_error *error)
{
	enum hs_status status = HS_OK;
	struct hs_perf_event e;

	*m = (struct source_maps){ .one = true };
	while (status == HS_OK && hs_perf_next(s->trace.in.perf->file, &e, NULL) == HS_OK) {
		if (e.type == HS_PERF_COMM && (e.misc & HS_PERF_MISC_EXEC))
			drop_maps(m, e.pid);
		else if (e.type == HS_PERF_FORK && e.pid != e.parent_pid)
			status = copy_maps(m, e.parent_pid, e.pid);
		else if (maps_code(&e))
			status = add_map(s, m, &e, sysroot, error);
		if (status == HS_OK)
			status = take_thread(m, &e);
	}
	hs_perf_rewind(s->trace.in.perf->file);
	if (m->full)
		(void)hs_program_add_note(
			s->code.program, "perf.data maps more than 65,536 files or names more than "
					 "4,096 threads: the code of those after them is not "
					 "known (record fewer processes)");
	for (size_t i = 1; i < m->count; i++)
		m->one &= m->files[i].context == m->files[0].context;
	return status;
}

/* ---- processes ---------------------------------------------------------------------------- */

/* A thread comes to a CPU: which one, the record says of the one that leaves; or it was there when
 * the trace began. */
static bool take_switch(const struct hs_perf_event *e, struct hs_guest_record *r)
{
	const bool out = e->misc & HS_PERF_MISC_OUT;

	r->event = HS_GUEST_SWITCH;
	if (e->type == HS_PERF_ITRACE_START)
		r->has_time = false;
	else if (e->type == HS_PERF_SWITCH && out)
		r->pid = r->tid = 0;
	else if (!out) {
		r->pid = e->sample.pid;
		r->tid = e->sample.tid;
	}
	return r->has_hart && (r->has_time || e->type == HS_PERF_ITRACE_START);
}

static bool take_process(const struct hs_perf_event *e, struct hs_guest_record *r)
{
	*r = (struct hs_guest_record){
		.size = sizeof(*r), .pid = e->pid, .tid = e->tid, .parent = e->parent_pid,
		.parent_tid = e->parent_tid, .has_time = e->sample.has & HS_PERF_HAS_TIME,
		.time = e->sample.time, .has_hart = e->sample.has & HS_PERF_HAS_CPU,
		.hart = e->sample.cpu };
	switch (e->type) {
	case HS_PERF_SWITCH:
	case HS_PERF_SWITCH_CPU_WIDE:
	case HS_PERF_ITRACE_START: return take_switch(e, r);
	case HS_PERF_COMM:
		r->event = e->misc & HS_PERF_MISC_EXEC ? HS_GUEST_EXEC : HS_GUEST_NAME;
		r->name = e->text;
		return true;
	case HS_PERF_FORK: r->event = HS_GUEST_FORK; return true;
	case HS_PERF_EXIT: r->event = HS_GUEST_EXIT; return true;
	default: break;
	}
	r->event = HS_GUEST_MAP;
	r->start = e->address;
	r->length = e->length;
	r->offset = e->offset;
	r->file = e->text;
	return maps_code(e);
}

/* A buffer of a thread is that thread, from its first byte on. */
static enum hs_status add_threads(struct source_perf *p, struct hs_guest *g)
{
	enum hs_status status = HS_OK;
	struct hs_perf_lane l;

	for (size_t i = 0; status == HS_OK && hs_perf_get_lane(p->file, i, &l); i++)
		if (l.cpu == HS_PERF_NONE)
			status = hs_guest_add_record(g, &(struct hs_guest_record){
				.size = sizeof(struct hs_guest_record), .event = HS_GUEST_SWITCH,
				.hart = (uint32_t)i, .has_hart = true, .tid = l.tid });
	return status;
}

static bool has_threads(const struct source_perf *p)
{
	struct hs_perf_lane l;

	return hs_perf_get_lane(p->file, 0, &l) && l.cpu == HS_PERF_NONE;
}

/* Records of a CPU mean nothing for the harts of a file with buffers of threads. */
static bool is_wanted(const struct hs_guest_record *r, bool threads)
{
	return !threads || r->event != HS_GUEST_SWITCH;
}

enum hs_status source_add_perf_processes(struct source_perf *p, struct hs_guest *g)
{
	const bool threads = has_threads(p);
	enum hs_status status = HS_OK;
	struct hs_guest_record r;
	struct hs_perf_event e;

	while (status == HS_OK && hs_perf_next(p->file, &e, NULL) == HS_OK)
		if (e.type == HS_PERF_TIME_CONV) {
			hs_guest_set_clock(g, &(struct hs_guest_clock){
				e.time_zero, (uint32_t)e.time_multiplier,
				(uint32_t)e.time_shift }); /* an impossible one says nothing */
		} else if (e.pid != HS_PERF_NONE && take_process(&e, &r) &&
		           is_wanted(&r, threads)) {
			r.has_hart &= !threads;
			status = hs_guest_add_record(g, &r);
			status = status == HS_E_ARG ? HS_OK : status; /* an impossible mapping */
		}
	hs_perf_rewind(p->file);
	return status == HS_OK && threads ? add_threads(p, g) : status;
}
