/* Processes from records: what forks, executes, maps and ends. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "guest/private.h"
#include "support/grow.h"

void guest_free_processes(struct guest_processes *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->items[i].maps);
	free(p->items);
}

/* The process that has a pid now; NULL: none. */
static struct guest_process *find_process(struct guest_processes *all, uint32_t pid)
{
	for (size_t i = all->count; i > 0; i--)
		if (all->items[i - 1].pid == pid)
			return all->items[i - 1].ended ? NULL : &all->items[i - 1];
	return NULL;
}

static struct guest_process *add_process(struct guest_processes *all, uint32_t pid)
{
	if (!support_grow(&all->items, &all->room, all->count + 1, sizeof(*all->items)))
		return NULL;
	all->items[all->count] = (struct guest_process){ .pid = pid };
	return &all->items[all->count++];
}

/* The process of a record, a new one if there is none. */
static struct guest_process *process_of(struct guest_processes *all, uint32_t pid)
{
	struct guest_process *p = find_process(all, pid);

	return p ? p : add_process(all, pid);
}

/* Another program in a process: it has other maps and another context. */
static struct guest_process *start_again(struct guest_processes *all, uint32_t pid)
{
	struct guest_process *old = find_process(all, pid);
	const uint32_t parent = old ? old->parent : 0;

	if (old && !old->name && !old->map_count && !old->has_context)
		return old; /* nothing is known of what it was before */
	if (old)
		old->ended = true;
	struct guest_process *p = add_process(all, pid);

	if (p)
		p->parent = parent;
	return p;
}

static struct guest_process *copy_parent(struct guest_processes *all,
                                         const struct hs_guest_record *r)
{
	struct guest_process *p = find_process(all, r->pid);

	if (p)
		p->ended = true;
	p = add_process(all, r->pid);
	const struct guest_process *parent = find_process(all, r->parent);

	if (!p)
		return NULL;
	p->parent = r->parent;
	if (!parent || parent == p)
		return p;
	p->name = parent->name;
	p->maps = parent->map_count ? calloc(parent->map_count, sizeof(*p->maps)) : NULL;
	if (parent->map_count && !p->maps)
		return NULL;
	if (parent->map_count)
		memcpy(p->maps, parent->maps, parent->map_count * sizeof(*p->maps));
	p->map_count = p->map_room = parent->map_count;
	return p;
}

static struct guest_process *add_map(struct hs_guest *g, const struct hs_guest_record *r)
{
	struct guest_process *p = process_of(&g->processes, r->pid);

	if (!p || !support_grow(&p->maps, &p->map_room, p->map_count + 1, sizeof(*p->maps)))
		return NULL;
	p->maps[p->map_count] = (struct guest_map){ .start = r->start, .size = r->length,
		                                    .offset = r->offset,
		                                    .file = guest_keep(g, "%s", r->file) };
	return p->maps[p->map_count].file ? p->map_count++, p : NULL;
}

/* The process after an event; NULL without memory. */
static struct guest_process *take_event(struct hs_guest *g, const struct hs_guest_record *r)
{
	struct guest_process *p = NULL;

	switch (r->event) {
	case HS_GUEST_EXEC: p = start_again(&g->processes, r->pid); break;
	case HS_GUEST_FORK: p = copy_parent(&g->processes, r); break;
	case HS_GUEST_MAP: p = add_map(g, r); break;
	case HS_GUEST_NAME: p = process_of(&g->processes, r->pid); break;
	case HS_GUEST_SWITCH: return NULL; /* of threads only */
	case HS_GUEST_EXIT:
		p = process_of(&g->processes, r->pid);
		if (p)
			p->ended = true;
		break;
	}
	if (p && r->name && r->event <= HS_GUEST_NAME)
		p->name = guest_keep(g, "%s", r->name);
	return p && r->name && r->event <= HS_GUEST_NAME && !p->name ? NULL : p;
}

static bool is_good(const struct hs_guest_record *r)
{
	if (r->event == HS_GUEST_MAP)
		return r->file && r->length && r->start <= UINT64_MAX - (r->length - 1);
	return (unsigned)r->event <= HS_GUEST_SWITCH;
}

enum hs_status hs_guest_add_record(struct hs_guest *g, const struct hs_guest_record *record)
{
	struct hs_guest_record r;
	const enum hs_status status = base_take_config(&r, sizeof(r), record);

	if (status != HS_OK)
		return status;
	if (!is_good(&r))
		return HS_E_ARG;
	if (r.event != HS_GUEST_MAP && r.event != HS_GUEST_EXIT &&
	    guest_take_thread(g, &r) != HS_OK)
		return HS_E_MEMORY;
	/* threads share all that is kept of a process */
	if ((r.tid && r.tid != r.pid && r.event != HS_GUEST_MAP) || r.event == HS_GUEST_SWITCH ||
	    (r.event == HS_GUEST_FORK && r.pid == r.parent))
		return HS_OK;
	struct guest_process *p = take_event(g, &r);

	if (!p)
		return HS_E_MEMORY;
	if (r.has_context) {
		p->context = r.context;
		p->has_context = true;
	}
	if (r.has_time && (r.event == HS_GUEST_EXEC || r.event == HS_GUEST_FORK))
		p->since = r.time;
	if (r.has_moment && !p->has_moment) {
		p->from = r.moment;
		p->has_moment = true;
	}
	return HS_OK;
}
