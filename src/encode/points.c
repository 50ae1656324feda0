/* Counts of several sets of points (points.h). */
#include <stdlib.h>
#include <string.h>

#include "encode/points_private.h"

enum hs_status hs_points_new(struct hs_points **out)
{
	struct hs_points *p = calloc(1, sizeof(*p));

	if (!p)
		return HS_E_MEMORY;
	*out = p;
	return HS_OK;
}

void points_truncate(struct hs_points *p, size_t n)
{
	while (p->n > n)
		points_close(&p->sets[--p->n]);
}

void hs_points_free(struct hs_points *p)
{
	if (p)
		points_truncate(p, 0);
	free(p);
}

struct points *points_find_set(struct hs_points *p, const char *name, enum hs_status *why)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->sets[i].set, name) == 0)
			return &p->sets[i];
	*why = p->n < POINT_SETS ? points_open(&p->sets[p->n], name) : HS_E_FIELD;
	return *why == HS_OK ? &p->sets[p->n++] : NULL;
}

/* ---- what is counted -------------------------------------------------------------- */

enum hs_status hs_points_begin(struct hs_points *p, const struct hs_protocol *protocol,
                               const void *config)
{
	enum hs_status s = HS_OK;
	struct points *set = points_find_set(p, points_set(protocol, config), &s);

	if (!set)
		return s;
	points_begin(set, protocol, config);
	p->trace = set;
	return HS_OK;
}

enum hs_status hs_points_add(struct hs_points *p, const struct hs_message *m)
{
	if (!p->trace)
		return HS_E_ARG;
	return points_add(p->trace, m) ? HS_OK : HS_E_MEMORY;
}

enum hs_status hs_points_begin_port(struct hs_points *p, const struct hs_port_config *config)
{
	enum hs_status s = HS_OK;
	struct points *set = points_find_set(p, "port", &s);

	if (!set)
		return s;
	set->port = *config;
	set->before = HS_ITYPE_NONE;
	set->traces++;
	p->port = set;
	return HS_OK;
}

enum hs_status hs_points_add_cycle(struct hs_points *p, const struct hs_port_cycle *c)
{
	if (!p->port)
		return HS_E_ARG;
	points_add_cycle(p->port, c);
	return HS_OK;
}

/* ---- what there is ---------------------------------------------------------------- */

size_t hs_points_sets(const struct hs_points *p)
{
	return p->n;
}

bool hs_points_get_set(const struct hs_points *p, size_t set, struct hs_points_set *out)
{
	if (set >= p->n)
		return false;
	const struct points *s = &p->sets[set];

	*out = (struct hs_points_set){ s->set, s->traces, s->messages, s->n, points_hit(s) };
	return true;
}

bool hs_points_get(const struct hs_points *p, size_t set, size_t i, struct hs_point *out)
{
	if (set >= p->n || i >= p->sets[set].n)
		return false;
	const struct point *list = p->sets[set].list, *q = &list[i];
	bool begins = true;

	for (size_t k = 0; k < i && begins; k++)
		begins = strcmp(list[k].group, q->group) != 0;
	*out = (struct hs_point){ q->group, q->name, q->clause, q->text, q->hits, begins };
	return true;
}
