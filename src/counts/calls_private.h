/* What the files of calls share. */
#ifndef HS_PROFILE_CALLS_PRIVATE_H
#define HS_PROFILE_CALLS_PRIVATE_H

#include <hartscope/calls.h>

#include "program/select.h"
#include "support/hash.h"

enum transfer_kind { TRANSFER_OTHER, TRANSFER_CALL, TRANSFER_RETURN, TRANSFER_TRAP };

/* An address in a program; or a function, as its name and start, NULL and 0 without a symbol. */
struct calls_point {
	const void *of;
	uint64_t addr;
	uint64_t context; /* with a guest and @has_context: of user mode */
	bool has_context;
	uint8_t priv;     /* with a guest */
	bool own_file;    /* of a function: its file is the program's own */
	const char *file; /* of a function */
};

/* How often the flow went from one point to another.  Only calls have a from. */
struct calls_transfer {
	struct calls_point from, to;
	uint64_t count;
	uint64_t inferred;
	uint8_t kind; /* enum transfer_kind */
};

/* What the next block or target of a hart follows. */
struct calls_hart {
	uint8_t itype;             /* of the last block */
	bool has_source;           /* a fast profile reported the source of the next target */
	struct calls_point source; /* the last instruction of the last block, or that source */
	struct calls_point target; /* the last target of a fast profile */
};

struct hs_calls {
	struct program_select select;
	struct hs_guest *guest;   /* or NULL */
	struct calls_hart *harts; /* by select.index */
	size_t hart_count;
	struct support_hash transfers, links; /* struct calls_transfer: by address, by function */
	struct hs_calls_function *functions;
	struct hs_calls_edge *edges;
};

/* calls.c: count a block that came so often, each time after the one before it.  Results as
 * hs_calls_add(). */
enum hs_status hs_calls_add_times(struct hs_calls *calls, const struct hs_block *block,
                                  uint64_t times);

/* calls.c: add to the transfer of the same points and kind.  HS_OK or HS_E_MEMORY. */
enum hs_status profile_calls_add(struct support_hash *t, const struct calls_transfer *transfer);

/* calls_result.c: move all transfers to the links of their functions.  HS_OK or HS_E_MEMORY. */
enum hs_status profile_calls_link(struct hs_calls *c);

#endif
