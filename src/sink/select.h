/* Which program a flow is in: contexts select it, for each hart alone. */
#ifndef HARTSCOPE_SINK_SELECT_H
#define HARTSCOPE_SINK_SELECT_H

#include <hartscope/block.h>
#include <hartscope/program.h>

/* A hart, and the program that it runs. */
struct sink_hart {
	uint32_t hart;
	struct hs_program *program;
};

struct sink_select {
	const struct hs_program_set *set; /* NULL: one program */
	struct hs_program *program;       /* of what comes now */
	struct sink_hart *harts;
	size_t count, at;                 /* at: the hart of what comes now */
};

/* @first: the program when there is no @set. */
enum hs_status sink_select_start(struct sink_select *s, struct hs_program *first,
                                 const struct hs_program_set *set);
void sink_select_end(struct sink_select *s);

/* Take an event; HS_E_MEMORY alone fails. */
enum hs_status sink_select_event(struct sink_select *s, const struct hs_block *b);

#endif
