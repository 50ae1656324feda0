/* Who is in a context. */
#include <stdlib.h>

#include "core/search.h"
#include "guest/private.h"

/* The program of a space, of which most ran; NULL: none is known. */
static const struct guest_object *program_of(const struct hs_guest *g, const struct guest_space *s)
{
	const struct guest_object *best = NULL;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < s->mapping_count; i++) {
		const struct guest_mapping *m = &g->mappings[s->first_mapping + i];
		const struct guest_object *o = &g->objects.items[m->object];

		if (o->program && m->bytes >= bytes) {
			best = o;
			bytes = m->bytes;
		}
	}
	return best;
}

/* By context and moment; what has no moment is from the start on. */
static int by_context(const void *a, const void *b)
{
	const struct guest_task *x = a, *y = b;

	if (x->task.context != y->task.context)
		return x->task.context < y->task.context ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static bool is_up_to(const struct guest_task *t, uint64_t context, uint64_t moment)
{
	return t->task.context < context || (t->task.context == context && t->from <= moment);
}

/* The last task of a context that began up to a moment; NULL: none. */
static struct guest_task *find_task(const struct hs_guest *g, uint64_t context, uint64_t moment)
{
	const size_t low =
		base_count_leading(g->task_count, i, is_up_to(&g->tasks[i], context, moment));

	return low && g->tasks[low - 1].task.context == context ? &g->tasks[low - 1] : NULL;
}

static void add_task(struct hs_guest *g, const struct hs_guest_task *t, uint64_t from)
{
	g->tasks[g->task_count] = (struct guest_task){ *t, from, g->task_count };
	g->task_count++;
}

/* Processes that were linked, sorted. */
static void add_processes(struct hs_guest *g)
{
	for (size_t i = 0; i < g->processes.count; i++) {
		const struct guest_process *p = &g->processes.items[i];

		if (p->has_context)
			add_task(g, &(struct hs_guest_task){ .context = p->context, .pid = p->pid,
			                                     .name = p->name },
			         p->has_moment ? p->from : 0);
	}
	if (g->task_count)
		qsort(g->tasks, g->task_count, sizeof(*g->tasks), by_context);
}

/* What a space adds to the processes: the program that it executes. */
static void add_space(struct hs_guest *g, const struct guest_space *s, size_t sorted)
{
	const struct guest_object *o = program_of(g, s);
	const char *path = o ? o->path : NULL, *name = s->name ? s->name : NULL;
	bool known = false;

	if (!name && path)
		name = guest_base_of(path);
	for (size_t i = 0; i < sorted; i++) {
		struct hs_guest_task *t = &g->tasks[i].task;

		if (t->context != s->context)
			continue;
		known = true;
		t->program = path;
		t->name = t->name ? t->name : name;
	}
	const uint32_t pid = s->is_thread ? g->processes.items[s->process - 1].pid : 0;

	if (!known && name)
		add_task(g,
		         &(struct hs_guest_task){
				 .context = s->context, .pid = pid, .name = name, .program = path },
		         0);
}

enum hs_status guest_settle_tasks(struct hs_guest *g)
{
	const uint32_t n = g->evidence.spaces.count;

	g->tasks = calloc(g->processes.count + n + 1, sizeof(*g->tasks));
	if (!g->tasks)
		return HS_E_MEMORY;
	add_processes(g);
	const size_t sorted = g->task_count;

	for (uint32_t i = 0; i < n; i++)
		if (guest_space(&g->evidence, i)->has_context)
			add_space(g, guest_space(&g->evidence, i), sorted);
	if (g->task_count)
		qsort(g->tasks, g->task_count, sizeof(*g->tasks), by_context);
	return HS_OK;
}

const struct hs_guest_task *hs_guest_find_task(struct hs_guest *g, const struct hs_guest_at *at)
{
	const struct guest_task *t =
		at->has_context ? find_task(g, at->context, at->has_moment ? at->moment
		                                                           : UINT64_MAX) : NULL;

	return t ? &t->task : NULL;
}
