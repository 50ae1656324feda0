/* Which program a flow is in: contexts select it, for each hart alone. */
#ifndef HS_PROGRAM_SELECT_H
#define HS_PROGRAM_SELECT_H

#include <hartscope/block.h>
#include <hartscope/program.h>

/* A hart, and the program that it runs. */
struct program_hart {
	uint32_t hart;
	struct hs_program *program;
};

struct program_select {
	const struct hs_program_set *set; /* NULL: one program */
	struct hs_program *program;       /* of what comes now */
	struct program_hart *harts;
	size_t count, at;                 /* at: the hart of what comes now */
};

/* @first: the program when there is no @set. */
enum hs_status program_select_start(struct program_select *s, struct hs_program *first,
                                 const struct hs_program_set *set);
void program_select_end(struct program_select *s);

/* Take an event; HS_E_MEMORY alone fails. */
enum hs_status program_select_event(struct program_select *s, const struct hs_block *b);

#endif
