/* Export as folded stacks: root;...;leaf, and the number of samples with that stack. */
#include <stdlib.h>
#include <string.h>

#include "ctr_export/private.h"
#include "support/folded_name.h"
#include "support/hash.h"

struct stack {
	char *text;
	uint64_t count;
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

static enum hs_status folded(struct hs_ctr_export *x, const struct hs_ctr_sample *s)
{
	char line[16384];
	size_t n = 0;

	for (size_t i = x->count + 1; i-- > 0;) {
		const char *name = export_place(x, s, i ? x->branches[i - 1].from : s->pc).label;

		n += support_folded_name(line + n, sizeof(line) - n - 1, name ? name : "[unknown]");
		if (i && n + 2 < sizeof(line))
			line[n++] = ';';
	}
	line[n] = '\0';
	x->report.branches += x->count;
	return count_stack(x->own, line);
}

static enum hs_status folded_begin(struct hs_ctr_export *x)
{
	struct support_hash *stacks = calloc(1, sizeof(*stacks));

	x->own = stacks;
	if (!stacks)
		return HS_E_MEMORY;
	stacks->item_size = sizeof(struct stack);
	return HS_OK;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct stack *)a)->text, ((const struct stack *)b)->text);
}

/* Nothing is looked up after this: the table becomes a sorted array. */
static enum hs_status folded_end(struct hs_ctr_export *x)
{
	struct support_hash *stacks = x->own;

	if (stacks->count)
		qsort(stacks->items, stacks->count, sizeof(struct stack), by_text);
	for (uint32_t i = 0; i < stacks->count; i++) {
		const struct stack *s = support_hash_item(stacks, i);

		export_print(x, "%s %llu\n", s->text, (ull)s->count);
	}
	return x->out.status;
}

static void folded_free(struct hs_ctr_export *x)
{
	struct support_hash *stacks = x->own;

	if (!stacks)
		return;
	for (uint32_t i = 0; i < stacks->count; i++)
		free(((struct stack *)support_hash_item(stacks, i))->text);
	support_hash_free(stacks);
	free(stacks);
}

const struct export_format export_folded = {
	.name = "folded",
	.ras = true,
	.begin = folded_begin,
	.sample = folded,
	.end = folded_end,
	.free = folded_free,
};
