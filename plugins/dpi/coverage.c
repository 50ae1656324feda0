/* Which points of coverage rows and the model's messages reach: those of points.h, so that the
 * counts add up with those of `hartscope stat --coverage`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <hartscope/encode.h>

#include "private.h"

struct coverage {
	struct hs_points *points;
	size_t own; /* sets of the model: a file may have others */
	char text[200];
};

/* The sets of the model: the port's, and of the messages of its encoder. */
static enum hs_status begin(struct model *m, struct hs_points *points)
{
	const enum hs_status s = hs_points_begin_port(points, &m->port.config);

	if (s != HS_OK || !m->protocol)
		return s;
	return hs_points_begin(points, m->protocol, hs_trace_params_config(m->set.params));
}

int hs_dpi_cover(void *model)
{
	struct model *m = model;

	if (m->coverage)
		return HS_OK;
	struct coverage *v = calloc(1, sizeof(*v));

	if (!v || hs_points_new(&v->points) != HS_OK) {
		free(v);
		return HS_E_MEMORY;
	}
	m->coverage = v;
	const enum hs_status s = begin(m, v->points);

	v->own = hs_points_sets(v->points);
	if (s != HS_OK)
		coverage_free(m);
	return s;
}

void coverage_free(struct model *m)
{
	if (m->coverage)
		hs_points_free(m->coverage->points);
	free(m->coverage);
	m->coverage = NULL;
}

void coverage_row(struct model *m, const struct model *port)
{
	hs_points_add_cycle(m->coverage->points, &port->cycle);
}

enum hs_status coverage_messages(struct model *m)
{
	enum hs_status s = HS_OK;

	while (s == HS_OK && hs_dpi_message(m))
		s = hs_points_add(m->coverage->points, &m->message);
	return s;
}

/* ---- results ---- */

/* The point number @index of the model's sets.  False: there are no more. */
static bool get_point(const struct model *m, int index, struct hs_point *out)
{
	size_t i = index < 0 ? SIZE_MAX : (size_t)index;
	struct hs_points_set set;

	for (size_t k = 0; m->coverage && k < m->coverage->own; k++) {
		hs_points_get_set(m->coverage->points, k, &set);
		if (i < set.count)
			return hs_points_get(m->coverage->points, k, i, out);
		i -= set.count;
	}
	return false;
}

int hs_dpi_cover_points(void *model)
{
	const struct model *m = model;
	struct hs_points_set set;
	size_t n = 0;

	for (size_t k = 0; m->coverage && k < m->coverage->own; k++) {
		hs_points_get_set(m->coverage->points, k, &set);
		n += set.count;
	}
	return (int)n;
}

uint64_t hs_dpi_cover_hits(void *model, int index)
{
	struct hs_point p;

	return get_point(model, index, &p) ? p.hits : 0;
}

const char *hs_dpi_cover_name(void *model, int index)
{
	struct model *m = model;
	struct hs_point p;

	if (!get_point(m, index, &p))
		return "";
	snprintf(m->coverage->text, sizeof(m->coverage->text), "%s (%s)", p.name, p.clause);
	return m->coverage->text;
}

/* The first run: there is no file, or one without a byte. */
static bool is_new(const char *path)
{
	struct stat st;

	return stat(path, &st) != 0 ? errno == ENOENT : S_ISREG(st.st_mode) && st.st_size == 0;
}

int hs_dpi_cover_merge(void *model, const char *path)
{
	struct model *m = model;
	struct hs_error e = { 0 };

	if (!m->coverage)
		return HS_E_ARG;
	enum hs_status s = HS_OK;

	if (!is_new(path))
		s = hs_points_read(m->coverage->points, path, &e);
	if (s == HS_OK)
		s = hs_points_write(m->coverage->points, path, &e);
	return s == HS_OK ? HS_OK : dpi_fail(&e); /* what is there is not lost */
}
