/* Points of coverage of the ingress port. */
#include <string.h>

#include "encode/points_private.h"

bool points_port(struct points *p)
{
#define PORT_GROUP(name, clause, condition) points_put(p, "row", POINT_ROW, clause, "row.%s", name);
#define PORT_CYCLE(name, clause, condition) points_put(p, "row", POINT_ROW, clause, "row.%s", name);
#include "encode/port_points.def"
#undef PORT_GROUP
#undef PORT_CYCLE
	return !p->failed;
}

/* One that is in use.  The points are in the order of the table. */
static void add_group(struct points *p, const struct hs_port_slot *s, unsigned slot)
{
	const bool struck = hs_itype_is_trap((unsigned)s->itype) && !s->iretire;
	const uint64_t most = (UINT64_C(1) << p->port.iretire_width) - 1;
	const unsigned before = p->before;
	struct point *q = p->list;

#define PORT_GROUP(name, clause, condition) (q++)->hits += (condition) ? 1 : 0;
#define PORT_CYCLE(name, clause, condition) q++;
#include "encode/port_points.def"
#undef PORT_GROUP
#undef PORT_CYCLE
	p->before = (unsigned)s->itype;
}

void points_add_cycle(struct points *p, const struct hs_port_cycle *c)
{
	struct point *q = p->list;

	for (unsigned i = 0; i < p->port.slots && !c->trcstate; i++)
		if (c->slot[i].iretire || c->slot[i].itype)
			add_group(p, &c->slot[i], i);
#define PORT_GROUP(name, clause, condition) q++;
#define PORT_CYCLE(name, clause, condition) (q++)->hits += (condition) ? 1 : 0;
#include "encode/port_points.def"
#undef PORT_GROUP
#undef PORT_CYCLE
	p->messages++;
}
