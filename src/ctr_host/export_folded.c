/* Export as folded stacks: root;...;leaf, and the number of samples with that stack. */
#include <stdlib.h>
#include <string.h>

#include "ctr_host/export_private.h"
#include "support/folded_name.h"
#include "support/hash.h"

struct stack {
	char *text;
	uint64_t count;
};

struct folded {
	struct support_hash stacks; /* of struct stack */
	char *line;
	size_t n, room;
};

static bool same_stack(const void *item, const void *key)
{
	return strcmp(((const struct stack *)item)->text, key) == 0;
}

static enum hs_status count_stack(struct support_hash *stacks, const char *text)
{
	const uint32_t hash = support_hash_text(text);
	struct stack *s = support_hash_find(stacks, hash, same_stack, text);

	if (!s) {
		char *copy = strdup(text);

		s = copy ? support_hash_add(stacks, hash) : NULL;
		if (!s) {
			free(copy);
			return HS_E_MEMORY;
		}
		s->text = copy;
	}
	s->count++;
	return HS_OK;
}

/* Room for @n more bytes. */
static bool have_room(struct folded *f, size_t n)
{
	if (f->room - f->n >= n)
		return true;
	char *more = realloc(f->line, 2 * f->room + n);

	if (!more)
		return false;
	f->line = more;
	f->room = 2 * f->room + n;
	return true;
}

static enum hs_status folded(struct hs_ctr_export *x, const struct hs_ctr_sample *s)
{
	struct folded *f = x->own;

	f->n = 0;
	for (size_t i = x->count + 1; i-- > 0;) {
		const char *name = export_place(x, s, i ? x->branches[i - 1].from : s->pc).label;

		name = name ? name : "[unknown]";
		if (!have_room(f, 4 * strlen(name) + 2)) /* \xNN for a byte */
			return HS_E_MEMORY;
		f->n += support_folded_name(f->line + f->n, f->room - f->n - 1, name);
		if (i)
			f->line[f->n++] = ';';
	}
	f->line[f->n] = '\0';
	x->report.branches += x->count;
	return count_stack(&f->stacks, f->line);
}

static enum hs_status folded_begin(struct hs_ctr_export *x)
{
	struct folded *f = calloc(1, sizeof(*f));

	x->own = f;
	if (!f)
		return HS_E_MEMORY;
	f->stacks.item_size = sizeof(struct stack);
	return HS_OK;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct stack *)a)->text, ((const struct stack *)b)->text);
}

/* Nothing is looked up after this: the table becomes a sorted array. */
static enum hs_status folded_end(struct hs_ctr_export *x)
{
	struct support_hash *stacks = &((struct folded *)x->own)->stacks;

	if (stacks->count)
		qsort(stacks->items, stacks->count, sizeof(struct stack), by_text);
	for (uint32_t i = 0; i < stacks->count; i++) {
		const struct stack *s = support_hash_item(stacks, i);

		support_out_text(&x->out, s->text);
		export_print(x, " %llu\n", (ull)s->count);
	}
	return x->out.status;
}

static void folded_free(struct hs_ctr_export *x)
{
	struct folded *f = x->own;

	if (!f)
		return;
	for (uint32_t i = 0; i < f->stacks.count; i++)
		free(((struct stack *)support_hash_item(&f->stacks, i))->text);
	support_hash_free(&f->stacks);
	free(f->line);
	free(f);
}

const struct export_format export_folded = {
	.name = "folded",
	.ras = true,
	.begin = folded_begin,
	.sample = folded,
	.end = folded_end,
	.free = folded_free,
};
