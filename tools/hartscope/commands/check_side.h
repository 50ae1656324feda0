/* One side of a comparison: a recording, a flow or a trace, hart by hart. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_CHECK_SIDE_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_CHECK_SIDE_H

#include <hartscope/profile.h>

#include "common/tool.h"

/* Items that are read at once. */
#define SIDE_BATCH 4096

struct side {
	const char *path;
	struct hs_rec *rec;         /* NULL: a trace */
	struct hs_program *program; /* of a recording or flow */
	struct hs_source *source;   /* the trace; of a recording, for the programs of contexts, or NULL */
	struct hs_rec_stream *stream;
	struct hs_profile *profile; /* what side_count() asked for */
	uint32_t *harts;            /* their numbers; of a trace: those of the other side */
	uint32_t hart_count;
	uint32_t hart;              /* whose items are asked for */
	uint32_t now;               /* of a trace: whose items come; UINT32_MAX: it does not say */
	bool read, again;           /* of a trace: it was begun; it was read before, and its damage told */
	bool strange;               /* of a trace: it has one more hart, stranger */
	uint32_t stranger;
	struct hs_block v[SIDE_BATCH];
	size_t i, n;
	bool over;
};

/* Open @path, a trace with the options of the command.  side_close() also after a failure. */
enum hs_status side_open(struct side *s, const struct options *o, const char *path, struct hs_error *e);
void side_close(struct side *s);

/* A trace, which tells of its harts on the way, is compared with this recording or flow, whose harts it should
 * have.  Where that has one hart alone, its number means nothing. */
void side_meet(struct side *trace, const struct side *known);

/* Count instructions of a recording or flow as it is read. */
enum hs_status side_count(struct side *s);

struct hs_program *side_program(const struct side *s);

/* From now on the items of @hart.  HS_E_DIFFERS: there is no such hart. */
enum hs_status side_start(struct side *s, uint32_t hart, struct hs_error *e);

/* The next item that is compared; NULL: no more. */
const struct hs_block *side_peek(struct side *s, struct damage *damage);

#endif
