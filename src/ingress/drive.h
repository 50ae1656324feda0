/* What the files of the driver share: blocks to cycles of the port. */
#ifndef HS_INGRESS_DRIVE_H
#define HS_INGRESS_DRIVE_H

#include "ingress/port.h"

/* The cycle that is being made. */
struct making {
	struct hs_port_driver *d;
	struct hs_port_cycle *cycle;
	const struct hs_block *in, *end;
	unsigned slot, used; /* the next slot; slots in use */
	unsigned accesses;   /* groups of data in use */
	bool full;           /* nothing more goes into this cycle */
};

/* ---- port_drive_data.c ---- */

/* Keep an access for the block of its instruction; a response goes into this cycle.  False: only
 * into the next one. */
bool port_keep_access(struct making *m);

/* How many of the accesses that wait, from number @first on, does the instruction at @iaddr of the
 * current block make? */
unsigned port_count_accesses(const struct making *m, uint64_t iaddr, unsigned hwords,
                             unsigned first);

/* Drive the first accesses that wait, of instructions of the current block from @iaddr to @end, in
 * the current slot. */
void port_drive_accesses(struct making *m, uint64_t iaddr, uint64_t end);

/* Drive accesses of the instruction at @iaddr before it retires, where all do not fit into one
 * cycle, or d->early is set, or it @traps.  True: nothing more goes into this cycle. */
bool port_drive_early(struct making *m, uint64_t iaddr, bool traps);

#endif
