/* One stack: frames that open and close; and the stacks that wait. */
#include <stdlib.h>
#include <string.h>

#include "calls/stacks_private.h"
#include "support/grow.h"

#define FRAMES_MAX ((uint32_t)1 << 22) /* of a stack; then the outer half is forgotten */
#define WAITING_MAX 4096u              /* stacks that wait; then that which waits longest ends */
#define CREDIT_MAX ((uint32_t)1 << 30)

/* ---- frames ------------------------------------------------------------------------- */

/* Returns how many. */
static uint32_t forget_outer(struct stack *t)
{
	const uint32_t gone = t->depth / 2;
	uint32_t marks = 0;

	t->depth -= gone;
	memmove(t->frames, t->frames + gone, t->depth * sizeof(*t->frames));
	for (uint32_t i = 0; i < t->mark_count; i++)
		if (t->marks[i].frame >= gone)
			t->marks[marks++] =
				(struct stacks_mark){ t->marks[i].addr, t->marks[i].frame - gone };
	t->mark_count = marks;
	t->assumed -= gone < t->assumed ? gone : t->assumed;
	return gone;
}

enum hs_status stacks_open(struct hs_stacks *s, const struct stacks_function *f, uint8_t how,
                           const uint64_t *resume)
{
	struct stack *t = stacks_hart(s)->stack;

	if (t->depth == FRAMES_MAX)
		s->forgotten += forget_outer(t);
	if (!support_grow(&t->frames, &t->room, t->depth + (size_t)1, sizeof(*t->frames)))
		return HS_E_MEMORY;
	t->frames[t->depth++] = (struct hs_stack_frame){ .name = f->name,
		                                         .start = f->start,
		                                         .size = f->size,
		                                         .file = f->file,
		                                         .own_file = f->own_file,
		                                         .how = how,
		                                         .resume = resume ? *resume : 0,
		                                         .has_resume = resume != NULL,
		                                         .role = (uint8_t)f->role,
		                                         .mode = HS_PRIV_UNKNOWN };
	t->credit += t->credit < CREDIT_MAX;
	return HS_OK;
}

void stacks_close(struct stack *t, uint32_t n)
{
	t->depth -= n;
	while (t->mark_count && t->marks[t->mark_count - 1].frame >= t->depth)
		t->mark_count--;
	if (t->assumed >= t->depth)
		t->assumed = t->depth ? t->depth - 1 : 0;
	if (t->depth < t->doubt.low)
		t->doubt.low = t->depth;
	if (t->depth <= t->doubt.first)
		t->doubt.count = 0;
}

enum hs_status stacks_mark(struct stack *t, uint64_t addr)
{
	const uint32_t frame = t->depth - 1;

	for (uint32_t i = t->mark_count; i-- > 0 && t->marks[i].frame == frame;)
		if (t->marks[i].addr == addr)
			return HS_OK;
	if (!support_grow(&t->marks, &t->mark_room, t->mark_count + (size_t)1, sizeof(*t->marks)))
		return HS_E_MEMORY;
	t->marks[t->mark_count++] = (struct stacks_mark){ addr, frame };
	return HS_OK;
}

/* ---- stacks ------------------------------------------------------------------------- */

void stacks_free_stack(struct stack *t)
{
	if (!t)
		return;
	free(t->frames);
	free(t->marks);
	free(t->doubt.saved);
	free(t);
}

static void drop_oldest(struct hs_stacks *s)
{
	size_t oldest = 0;

	for (size_t i = 1; i < s->waiting_count; i++)
		if (s->waiting[i]->waits_since < s->waiting[oldest]->waits_since)
			oldest = i;
	s->forgotten += s->waiting[oldest]->depth;
	stacks_free_stack(s->waiting[oldest]);
	s->waiting[oldest] = s->waiting[--s->waiting_count];
}

/* The hart's stack waits from now on. */
static enum hs_status park(struct hs_stacks *s)
{
	struct stacks_hart *h = stacks_hart(s);

	if (!h->stack)
		return HS_OK;
	if (s->waiting_count == WAITING_MAX)
		drop_oldest(s);
	if (!support_grow(&s->waiting, &s->waiting_room, s->waiting_count + 1, sizeof(*s->waiting)))
		return HS_E_MEMORY;
	const unsigned role = stacks_top(h->stack)->role;

	h->stack->waits_since = ++s->clock;
	h->stack->breaks = s->breaks;
	h->stack->in_switch = role == ROLE_AWAY || stacks_leaves(role);
	s->waiting[s->waiting_count++] = h->stack;
	h->stack = NULL;
	return HS_OK;
}

enum hs_status stacks_begin(struct hs_stacks *s, const struct stacks_function *f, uint8_t how,
                            bool keep)
{
	struct stacks_hart *h = stacks_hart(s);

	if (keep && park(s) != HS_OK)
		return HS_E_MEMORY;
	if (!h->stack)
		h->stack = calloc(1, sizeof(*h->stack));
	if (!h->stack)
		return HS_E_MEMORY;
	h->stack->depth = h->stack->mark_count = h->stack->doubt.count = 0;
	h->stack->assumed = 0;
	h->stack->has_context = false;
	return stacks_open(s, f, how, NULL);
}

enum hs_status stacks_switch(struct hs_stacks *s, size_t waiting, bool keep)
{
	struct stack *next = s->waiting[waiting];

	s->waiting[waiting] = s->waiting[--s->waiting_count];
	if (keep && park(s) != HS_OK) {
		stacks_free_stack(next);
		return HS_E_MEMORY;
	}
	stacks_free_stack(stacks_hart(s)->stack); /* NULL if it waits */
	next->waits_since = 0;
	stacks_hart(s)->stack = next;
	return HS_OK;
}
