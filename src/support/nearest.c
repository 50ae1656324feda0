/* The names that are nearest to a word: fewest letters to change. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <hartscope/status.h>

#include "support/nearest.h"

#define LETTERS 64u /* of a name that are compared */

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Letters to insert, to remove or to change, or neighbours to swap. */
static unsigned changes(const char *a, const char *b)
{
	const unsigned n = (unsigned)strnlen(b, LETTERS);
	unsigned rows[3][LETTERS + 1]; /* of the last three letters of @a, in turn */
	unsigned k = 0;

	for (unsigned i = 0; i <= n; i++)
		rows[0][i] = i;
	for (; k < LETTERS && a[k]; k++) {
		const unsigned *before = rows[(k + 2) % 3], *last = rows[k % 3];
		unsigned *row = rows[(k + 1) % 3];

		row[0] = k + 1;
		for (unsigned i = 1; i <= n; i++) {
			row[i] = least(last[i - 1] + !same(a[k], b[i - 1]),
			               least(row[i - 1], last[i]) + 1);
			if (k && i > 1 && same(a[k], b[i - 2]) && same(a[k - 1], b[i - 1]))
				row[i] = least(row[i], before[i - 2] + 1);
		}
	}
	return rows[k % 3][n];
}

/* The same of names of functions without their parameters, which count as one change. */
static unsigned changes_bare(const char *a, const char *b)
{
	char names[2][LETTERS + 1];

	snprintf(names[0], sizeof(names[0]), "%.*s", (int)strcspn(a, "("), a);
	snprintf(names[1], sizeof(names[1]), "%.*s", (int)strcspn(b, "("), b);
	return changes(names[0], names[1]) + 1;
}

/* A part of a name is near to it. */
unsigned hs_text_distance(const char *wanted, const char *name)
{
	if (strcmp(wanted, name) == 0)
		return 0;
	if (*wanted && strstr(name, wanted))
		return 1;
	const unsigned all = changes(wanted, name), bare = changes_bare(wanted, name);

	return 1 + (bare < all ? bare : all);
}

void support_nearest_add(struct support_nearest *n, const char *wanted, const char *name)
{
	unsigned far = hs_text_distance(wanted, name);

	for (unsigned i = 0; i < NEAREST; i++)
		if (n->names[i] && strcmp(n->names[i], name) == 0)
			return;
	for (unsigned i = 0; i < NEAREST; i++) {
		const char *other = n->names[i];
		const unsigned other_far = n->far[i];

		if (other && (other_far < far || (other_far == far && strcmp(other, name) < 0)))
			continue;
		n->names[i] = name;
		n->far[i] = far;
		if (!other)
			return;
		name = other;
		far = other_far;
	}
}

void support_nearest_text(const struct support_nearest *n, char *text, size_t size)
{
	for (unsigned i = 0; i < NEAREST && n->names[i]; i++) {
		const size_t used = strlen(text);

		snprintf(text + used, size - used, "%s%.200s",
		         i ? ", " : "; the nearest names are ", n->names[i]);
	}
}
