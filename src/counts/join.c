/* Two runs: rows of both by place, and those whose counts differ. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/compare.h>

static const char *text_of(const char *text)
{
	return text ? text : "";
}

/* Files by their names: two runs may have had other folders. */
static const char *base_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : text_of(path);
}

static int by_place(const void *a, const void *b)
{
	const struct hs_diff_row *x = a, *y = b;
	const int label = strcmp(text_of(x->label), text_of(y->label));
	const int file = label ? label : strcmp(base_of(x->file), base_of(y->file));

	return file ? file : (x->offset > y->offset) - (x->offset < y->offset);
}

static int by_difference(const void *a, const void *b)
{
	const struct hs_diff_row *x = a, *y = b;

	if (x->difference != y->difference)
		return x->difference > y->difference ? -1 : 1;
	return by_place(a, b);
}

/* Join rows of one run each that are next to each other.  @return  How many there are. */
static size_t join_places(struct hs_diff_row *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct hs_diff_row *last = kept ? &v[kept - 1] : NULL;
		const unsigned run = v[i].of[0] ? 0 : 1;

		if (last && by_place(last, &v[i]) == 0 && !last->of[run]) {
			last->of[run] = v[i].of[run];
			memcpy(last->count[run], v[i].count[run], sizeof(last->count[run]));
		} else {
			v[kept++] = v[i];
		}
	}
	return kept;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

size_t hs_diff_join(struct hs_diff_row *v, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(v, n, sizeof(*v), by_place);
	n = join_places(v, n);
	for (size_t i = 0; i < n; i++) {
		v[i].difference = apart(v[i].count[0][0], v[i].count[1][0]) +
		                  apart(v[i].count[0][1], v[i].count[1][1]);
		if (v[i].difference)
			v[kept++] = v[i];
	}
	if (kept)
		qsort(v, kept, sizeof(*v), by_difference);
	return kept;
}
