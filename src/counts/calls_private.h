/* What the files of calls share. */
#ifndef HS_PROFILE_CALLS_PRIVATE_H
#define HS_PROFILE_CALLS_PRIVATE_H

#include <hartscope/counts.h>

#include "program/select.h"
#include "support/hash.h"

enum transfer_kind { TRANSFER_OTHER, TRANSFER_CALL, TRANSFER_RETURN, TRANSFER_TRAP, TRANSFER_JUMP };

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

/* How often the flow went from one point to another.  Only calls and jumps have a from. */
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
	const uint8_t *kinds; /* enum transfer_kind, by itype: what is counted */
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

/* calls.c: count jumps whose target is not in the code instead of calls; before the first block. */
void profile_calls_set_jumps(struct hs_calls *c);
/* calls_result.c: all of these by jump, the most frequent target first; freed by the caller.  NULL:
 * no memory. */
struct hs_counts_jump *profile_calls_list_jumps(const struct hs_calls *c, size_t *count);

/* calls_result.c: move all transfers to the links of their functions.  HS_OK or HS_E_MEMORY. */
enum hs_status profile_calls_link(struct hs_calls *c);

/**
 * Start counting.
 * @param program   Names; kept.
 * @param programs  The programs of contexts, or NULL; kept.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
enum hs_status hs_calls_new(struct hs_program *program, const struct hs_program_set *programs,
                            struct hs_calls **calls);
/** Name functions by a guest, too, which is kept; before the first block.  NULL: no guest. */
void hs_calls_set_guest(struct hs_calls *calls, struct hs_guest *guest);
void hs_calls_free(struct hs_calls *calls); /**< NULL is allowed */

/** Count blocks and events. @retval HS_OK @retval HS_E_MEMORY  Only free it now. */
enum hs_status hs_calls_add(struct hs_calls *calls, const struct hs_block *blocks, size_t n);

/** Count the calls in blocks that came several times, and from the last of them to the next block,
 * as hs_memo_count() gives them.  Results as hs_calls_add(). */
enum hs_status hs_calls_add_path(struct hs_calls *calls, const struct hs_path_count *path);

/**
 * What was counted so far.
 * @param[out] result  Its arrays are valid until the next call with @calls.
 * @retval HS_OK
 * @retval HS_E_MEMORY  Only free it now.
 */
enum hs_status hs_calls_get_result(struct hs_calls *calls, struct hs_calls_result *result);

#endif
