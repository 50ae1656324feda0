/* Two messages field by field: what differs, in which words and by which clause. */
#include <stdio.h>
#include <string.h>

#include "trace/codec.h"

typedef unsigned long long ull;

void hs_message_text(const struct hs_message *m, char *text, size_t size)
{
	size_t n = (size_t)snprintf(text, size, "%s", m->name);

	for (unsigned i = 0; i < m->count && n < size; i++)
		n += (size_t)snprintf(text + n, size - n,
		                      m->field[i].address ? " %s=0x%llx" : " %s=%llu",
		                      m->field[i].name, (ull)m->field[i].value);
}

void hs_message_clause(const struct hs_message *m, const char *clause, char *text, size_t size)
{
	const bool bare = clause[0] >= '0' && clause[0] <= '9';
	const int n = bare ? (int)strcspn(m->clause, " ") : 0;

	snprintf(text, size, "%.*s%s%s", n, m->clause, bare ? " " : "", clause);
}

static const struct hs_message_field *find_field(const struct hs_message *m, const char *name)
{
	for (unsigned i = 0; i < m->count; i++)
		if (strcmp(m->field[i].name, name) == 0)
			return &m->field[i];
	return NULL;
}

unsigned hs_message_compare(const struct hs_message *a, const struct hs_message *b,
                            struct hs_field_pair *out)
{
	unsigned n = 0;

	for (unsigned i = 0; i < a->count; i++) {
		const struct hs_message_field *x = &a->field[i], *y = find_field(b, x->name);

		out[n++] = (struct hs_field_pair){ x, y, y && x->value == y->value };
	}
	for (unsigned i = 0; i < b->count; i++)
		if (!find_field(a, b->field[i].name))
			out[n++] = (struct hs_field_pair){ NULL, &b->field[i], false };
	return n;
}

bool hs_message_compare_source(const struct hs_message *a, const struct hs_message *b,
                               struct hs_message_field room[2], struct hs_field_pair *out)
{
	const struct hs_message *const sides[2] = { a, b };

	if (!a->has_source && !b->has_source)
		return false;
	for (unsigned i = 0; i < 2; i++)
		room[i] = (struct hs_message_field){ .name = "source",
			                             .clause = sides[i]->clause,
			                             .value = sides[i]->source };
	out->a = a->has_source ? &room[0] : NULL;
	out->b = b->has_source ? &room[1] : NULL;
	out->same = out->a && out->b && a->source == b->source;
	return true;
}

/* "NT 8.1: U-ADDR of IndirectBranch is 0x6, the model has 0x83b4" */
static void pair_text(const struct hs_message *m, const struct hs_field_pair *p, const char *other,
                      char *text, size_t size)
{
	const struct hs_message_field *f = p->a ? p->a : p->b;
	const char *format = f->address ? "0x%llx" : "%llu";
	char value[2][24] = { "not there" }, clause[80];

	for (unsigned i = 0; i < 2; i++) {
		const struct hs_message_field *side = i ? p->b : p->a;

		if (side)
			snprintf(value[i], sizeof(value[i]), format, (ull)side->value);
	}
	hs_message_clause(m, f->clause, clause, sizeof(clause));
	if (!p->b)
		snprintf(text, size, "%s: %s has %s, which %s does not send", clause, m->name,
		         f->name, other);
	else
		snprintf(text, size, "%s: %s of %s is %s, %s has %s", clause, f->name, m->name,
		         value[0], other, value[1]);
}

void hs_message_difference(const struct hs_message *a, const struct hs_message *b,
                           const char *const names[2], char *text, size_t size)
{
	struct hs_field_pair pairs[HS_FIELD_PAIRS + 1];
	struct hs_message_field sources[2];
	unsigned n = hs_message_compare(a, b, pairs);

	n += hs_message_compare_source(a, b, sources, &pairs[n]);
	if (strcmp(a->name, b->name) != 0) {
		snprintf(text, size, "%s: %s sends %s, %s %s", b->clause, names[1], b->name,
		         names[0], a->name);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		if (!pairs[i].same) {
			pair_text(b, &pairs[i], names[1], text, size);
			return;
		}
	snprintf(text, size, "%s: %s has the same fields in other bytes", b->clause, b->name);
}
