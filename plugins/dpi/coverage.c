/* Which points of coverage.def rows and messages reach. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "private.h"

typedef unsigned long long ull;

/* A point: of rows, or of messages and their fields. */
struct point {
	const char *protocol; /* NULL: of rows */
	const char *name, *clause;
	const char *message, *field; /* NULL: of any message; the message is all */
	uint64_t low, high;
};

static const struct point points[] = {
#define ROW(name, clause, condition) { NULL, name, clause, NULL, NULL, 0, 0 },
#define CYCLE(name, clause, condition) { NULL, name, clause, NULL, NULL, 0, 0 },
#define FIELD(protocol, message, field, low, high, clause) \
	{ protocol, NULL, clause, message, field, low, high },
#include "coverage.def"
#undef ROW
#undef CYCLE
#undef FIELD
#define HS_NT_MSG(id, name, tcode, fields, clause) \
	{ "ntrace", name, "NT " clause, name, NULL, 0, 0 },
#include <hartscope/tables/nt_messages.def>
#undef HS_NT_MSG
#define HS_ET_PACKET(id, name, format, subformat, fields, clause) \
	{ "etrace", name, clause, name, NULL, 0, 0 },
#include <hartscope/tables/et_packets.def>
#undef HS_ET_PACKET
};

#define POINTS (sizeof(points) / sizeof(*points))

struct coverage {
	uint64_t hits[POINTS];
	unsigned before; /* itype of the group before */
	char text[160];
};

int hs_dpi_cover(void *model)
{
	struct model *m = model;

	if (!m->coverage)
		m->coverage = calloc(1, sizeof(*m->coverage));
	return m->coverage ? HS_OK : HS_E_MEMORY;
}

/* Can the model reach it? */
static bool is_of(const struct model *m, const struct point *p)
{
	return !p->protocol || (m->protocol && strcmp(m->protocol->name, p->protocol) == 0);
}

/* ---- rows ---- */

static void cover_group(struct coverage *v, const struct hs_port_slot *s, unsigned slot,
                        uint64_t most)
{
	const bool struck = hs_itype_is_trap((unsigned)s->itype) && !s->iretire;
	const unsigned before = v->before;
	uint64_t *hits = v->hits;

#define ROW(name, clause, condition) *hits++ += (condition) ? 1 : 0;
#define CYCLE(name, clause, condition)
#define FIELD(protocol, message, field, low, high, clause)
#include "coverage.def"
#undef ROW
#undef CYCLE
	v->before = (unsigned)s->itype;
}

void coverage_row(struct model *m, const struct model *port)
{
	const struct hs_port_cycle *c = &port->cycle;
	const struct hs_port_config *g = &port->port.config;
	struct coverage *v = m->coverage;
	uint64_t *hits = v->hits;

	for (unsigned i = 0; i < g->slots; i++)
		if (c->slot[i].iretire || c->slot[i].itype)
			cover_group(v, &c->slot[i], i, (UINT64_C(1) << g->iretire_width) - 1);
#define ROW(name, clause, condition) hits++;
#define CYCLE(name, clause, condition) *hits++ += (condition) ? 1 : 0;
#include "coverage.def"
#undef ROW
#undef CYCLE
#undef FIELD
}

/* ---- messages ---- */

static bool has_field(const struct hs_message *m, const struct point *p)
{
	for (unsigned i = 0; i < m->count; i++)
		if (strcmp(m->field[i].name, p->field) == 0)
			return m->field[i].value >= p->low && m->field[i].value <= p->high;
	return false;
}

void coverage_messages(struct model *m)
{
	while (hs_dpi_message(m))
		for (size_t i = 0; i < POINTS; i++) {
			const struct point *p = &points[i];

			if (p->protocol && is_of(m, p) &&
			    (!p->message || strcmp(p->message, m->message.name) == 0))
				m->coverage->hits[i] += !p->field || has_field(&m->message, p);
		}
}

/* ---- results ---- */

/* The point number @index of those that the model can reach; POINTS: there are no more. */
static size_t find_point(const struct model *m, int index)
{
	size_t i = 0;

	for (; i < POINTS; i++)
		if (is_of(m, &points[i]) && index-- == 0)
			break;
	return i;
}

static void name_point(const struct point *p, char *text, size_t size)
{
	const char *message = p->message ? p->message : "", *space = p->message ? " " : "";

	if (p->name)
		snprintf(text, size, "%s", p->name);
	else if (p->low == p->high)
		snprintf(text, size, "%s%s%s=%llu", message, space, p->field, (ull)p->low);
	else if (p->high == UINT64_MAX)
		snprintf(text, size, "%s%s%s=%llu or more", message, space, p->field, (ull)p->low);
	else
		snprintf(text, size, "%s%s%s=%llu to %llu", message, space, p->field, (ull)p->low,
		         (ull)p->high);
}

int hs_dpi_cover_points(void *model)
{
	int n = 0;

	for (size_t i = 0; i < POINTS; i++)
		n += is_of(model, &points[i]);
	return n;
}

uint64_t hs_dpi_cover_hits(void *model, int index)
{
	const struct model *m = model;
	const size_t i = find_point(m, index);

	return m->coverage && i < POINTS ? m->coverage->hits[i] : 0;
}

const char *hs_dpi_cover_name(void *model, int index)
{
	struct model *m = model;
	const size_t i = find_point(m, index);
	char name[100];

	if (!m->coverage || i == POINTS)
		return "";
	name_point(&points[i], name, sizeof(name));
	snprintf(m->coverage->text, sizeof(m->coverage->text), "%s (%s)", name, points[i].clause);
	return m->coverage->text;
}

/* Add what a file says of points that the model can reach. */
static void add_file(struct model *m, FILE *f)
{
	char line[256];

	while (fgets(line, sizeof(line), f)) {
		char *name = strchr(line, '\t');

		if (!name)
			continue;
		name[strcspn(name, "\n")] = 0;
		for (int i = 0; i < hs_dpi_cover_points(m); i++)
			if (strcmp(hs_dpi_cover_name(m, i), name + 1) == 0)
				m->coverage->hits[find_point(m, i)] += strtoull(line, NULL, 10);
	}
}

static bool write_points(struct model *m, const char *path)
{
	FILE *f = fopen(path, "w");
	bool good;

	for (int i = 0; f && i < hs_dpi_cover_points(m); i++)
		fprintf(f, "%llu\t%s\n", (ull)hs_dpi_cover_hits(m, i), hs_dpi_cover_name(m, i));
	good = f && !ferror(f);
	return f && fclose(f) == 0 && good;
}

/* What earlier runs counted stays until the new file is whole. */
static bool replace_points(struct model *m, const char *path)
{
	const size_t room = strlen(path) + 32;
	char *next = malloc(room);
	bool good = false;

	if (next) {
		snprintf(next, room, "%s.%ld.new", path, (long)getpid());
		good = write_points(m, next) && rename(next, path) == 0;
		if (!good)
			remove(next);
	}
	free(next);
	return good;
}

int hs_dpi_cover_merge(void *model, const char *path)
{
	struct model *m = model;
	FILE *f = m->coverage ? fopen(path, "r") : NULL;

	if (!m->coverage)
		return HS_E_ARG;
	if (!f && errno != ENOENT) /* what is there is not lost */
		return HS_E_SYSTEM;
	if (f) {
		add_file(m, f);
		fclose(f);
	}
	return replace_points(m, path) ? HS_OK : HS_E_SYSTEM;
}
