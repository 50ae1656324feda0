/* The names that are nearest to a word: fewest letters to change. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support/nearest.h"

#define LETTERS 64u /* of a name that are compared */

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Letters to insert, to remove or to change. */
static unsigned changes(const char *a, const char *b)
{
	const unsigned n = (unsigned)strnlen(b, LETTERS);
	unsigned row[LETTERS + 1];

	for (unsigned i = 0; i <= n; i++)
		row[i] = i;
	for (unsigned k = 0; k < LETTERS && a[k]; k++) {
		unsigned corner = row[0]++;

		for (unsigned i = 1; i <= n; i++) {
			const bool same = tolower((unsigned char)a[k]) ==
			                  tolower((unsigned char)b[i - 1]);
			const unsigned best = least(corner + !same, least(row[i], row[i - 1]) + 1);

			corner = row[i];
			row[i] = best;
		}
	}
	return row[n];
}

/* A part of a name is near to it. */
static unsigned distance(const char *wanted, const char *name)
{
	return *wanted && strstr(name, wanted) ? 1 : 1 + changes(wanted, name);
}

void support_nearest_add(struct support_nearest *n, const char *wanted, const char *name)
{
	unsigned far = distance(wanted, name);

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
