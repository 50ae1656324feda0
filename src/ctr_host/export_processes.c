/* The processes of an export: the program before any context, and those of contexts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctr_host/export_private.h"
#include "guest/guest.h"
#include "program/program.h"

#define PID_MAX 4194304u /* of Linux on 64 bits (PID_MAX_LIMIT) */
#define PROCESSES_MAX 1048576u

/* The file of a program, or the one that begins where it does, or the only one. */
const char *export_file(const struct hs_ctr_export *x, struct hs_program *program)
{
	const uint64_t entry = hs_program_entry(program);
	const char *main = program == x->program ? x->program_path : NULL;
	const char *path = NULL, *at_entry = NULL;
	struct hs_program_segment g;

	for (size_t i = 0; hs_program_get_segment(program, i, &g); i++) {
		if (main && strcmp(g.path, main) == 0)
			return g.path;
		if (entry >= g.start && entry - g.start < g.size)
			at_entry = g.path;
		path = g.path;
	}
	return at_entry ? at_entry : path;
}

/* Who the guest says is in the context; NULL: nobody knows. */
static const struct hs_guest_task *task_of(const struct hs_ctr_export *x,
                                           const struct export_process *p)
{
	const struct hs_guest_at at = { .context = p->context,
		                        .has_context = p->has_context,
		                        .priv = HS_PRIV_UNKNOWN };

	return x->guest && p->has_context ? hs_guest_find_task(x->guest, &at) : NULL;
}

/* The guest's name for it, or the file name without its folder, cut to 15 characters. */
static void name_process(const struct hs_ctr_export *x, struct export_process *p)
{
	const struct hs_guest_task *task = task_of(x, p);
	const char *path = p->program == x->program ? x->program_path : NULL, *slash;

	if (task && task->name)
		path = task->name;
	if (!path)
		path = export_file(x, p->program);
	if (!path)
		path = "program";
	slash = strrchr(path, '/');
	snprintf(p->comm, sizeof(p->comm), "%.15s", slash ? slash + 1 : path);
}

static bool has_pid(const struct hs_ctr_export *x, uint64_t pid)
{
	for (size_t i = 0; i < x->process_count; i++)
		if (x->processes[i]->pid == pid)
			return true;
	return false;
}

/* The guest's pid; else the context where Linux could give it; without one, 1. */
static uint32_t choose_pid(const struct hs_ctr_export *x, const struct export_process *p)
{
	const struct hs_guest_task *task = task_of(x, p);
	const uint64_t wanted = task && task->pid ? task->pid : p->has_context ? p->context : 1;

	if (wanted >= 1 && wanted <= PID_MAX && !has_pid(x, wanted))
		return (uint32_t)wanted;
	return PID_MAX + 1 + (uint32_t)x->process_count;
}

static struct export_process *add_process(struct hs_ctr_export *x)
{
	struct export_process **more;

	if (x->process_count == PROCESSES_MAX)
		return NULL;
	more = realloc(x->processes, (x->process_count + 1) * sizeof(struct export_process *));
	if (!more)
		return NULL;
	x->processes = more;
	return x->processes[x->process_count] = calloc(1, sizeof(struct export_process));
}

static bool is_process(const struct export_process *p, const struct hs_ctr_sample *s)
{
	return p->program == s->program && p->has_context == s->has_context &&
	       (!p->has_context || p->context == s->context);
}

const struct export_process *export_process(struct hs_ctr_export *x, const struct hs_ctr_sample *s)
{
	struct export_process *p;

	if (x->current && is_process(x->current, s))
		return x->current;
	for (size_t i = 0; i < x->process_count; i++)
		if (is_process(x->processes[i], s))
			return x->current = x->processes[i];
	p = add_process(x);
	if (!p)
		return NULL;
	p->program = s->program;
	p->has_context = s->has_context;
	p->context = s->context;
	p->pid = choose_pid(x, p);
	name_process(x, p);
	x->process_count++;
	return x->current = p;
}

void export_free_processes(struct hs_ctr_export *x)
{
	for (size_t i = 0; i < x->process_count; i++)
		free(x->processes[i]);
	free(x->processes);
}
