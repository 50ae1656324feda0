/* Rows of the ingress port next to the blocks that a trace of them leads to. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_PORT_ROWS_H
#define HS_TOOLS_HARTSCOPE_COMMON_PORT_ROWS_H

#include <hartscope/import.h>

#include "common/tool.h"

/* What one slot of a row retires: addresses from @iaddr to @end, which are the same for a trap with
 * which nothing retires. */
struct port_group {
	uint64_t cycle; /* of the file: its first row is 0 */
	uint64_t line;  /* of the file, from 1 */
	uint64_t iaddr, end;
	unsigned slot;
};

/* The groups of a block, the first and the last. */
struct port_span {
	struct port_group first, last;
	bool any;
};

struct port_rows {
	const char *path;
	FILE *in;
	char *line; /* of getline() */
	size_t room;
	struct hs_port_text text;
	uint64_t lines;
	unsigned slot;           /* of text.row, to look at next */
	struct port_group ahead; /* the next group; nothing: @ended */
	bool ended, lost;        /* lost: the next block may be further on */
	struct hs_block at[HS_PORT_ROOM];
};

/* Open a file of rows as `export --format port-csv` writes it.  HS_E_SYSTEM; HS_E_FORMAT and what
 * else hs_port_text_feed() finds: it cannot be read as one. */
enum hs_status port_rows_open(struct port_rows *r, const char *path, unsigned xlen,
                              struct hs_error *e);
void port_rows_close(struct port_rows *r);

/* Take an item of the trace, in their order.  Of a block *out has its groups.
 * HS_E_DIFFERS: the rows are others than those that were traced. */
enum hs_status port_rows_take(struct port_rows *r, const struct hs_block *b, struct port_span *out,
                              struct hs_error *e);

#endif
