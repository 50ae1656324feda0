/* Which hart and which program a flow is in: a hart event changes the hart, a context selects the
 * program of the current hart (NT 7.1). */
#ifndef HS_PROGRAM_SELECT_H
#define HS_PROGRAM_SELECT_H

#include <hartscope/block.h>
#include <hartscope/program.h>

#include "program/program.h"
#include "support/hash.h"

#define PROGRAM_SCONTEXT 2u /* FORMAT of PROCESS (NT Table 12): it selects a program */

/* Where a hart is. */
struct program_at {
	uint64_t context; /* of its last HS_KIND_CONTEXT that has one */
	uint64_t moment;  /* of its last HS_KIND_TIME */
	bool has_context, has_moment;
};

struct program_select {
	const struct hs_program_set *set; /* NULL: one program */
	struct hs_program *first;         /* of a hart before its first context */
	struct hs_program *program;       /* of the current hart */
	uint32_t hart;                    /* number of the current hart */
	struct program_at at;             /* of the current hart */
	/* of the current hart, in the order in which harts appear */
	uint32_t index;
	struct support_hash harts;        /* of struct program_hart, by that index */
	/* of first and of the set's programs, in that order; NULL: no code has changed */
	struct hs_code_view **views;
	size_t view_count;
	struct hs_code_view *view;        /* of the current program; NULL: as views */
};

/* @program is used where there is no @set.  No hart is selected yet. */
void program_select_start(struct program_select *s, struct hs_program *program,
                          const struct hs_program_set *set);
void program_select_end(struct program_select *s);

/* Change to a hart, which is new where it was not seen before.  HS_OK or HS_E_MEMORY. */
enum hs_status program_select_hart(struct program_select *s, uint32_t hart);

/* Go where another one is, which began alike and has no views: all harts that @to has seen have
 * come in the same order there.  HS_OK or HS_E_MEMORY. */
enum hs_status program_select_copy(struct program_select *to, const struct program_select *from);

/* Follow an event; a hart is selected.  HS_OK or HS_E_MEMORY. */
enum hs_status program_select_event(struct program_select *s, const struct hs_block *b);

/* Follow a HS_KIND_TIME. */
static inline void program_select_time(struct program_select *s, const struct hs_block *b)
{
	s->at.moment = b->value;
	s->at.has_moment = true;
}

/* The code of the current hart at this moment; valid until the next event. */
static inline const struct hs_image *program_select_image(const struct program_select *s)
{
	return s->view ? hs_code_view_image(s->view) : hs_program_image(s->program);
}

/* Its number (code_view.h).  HS_OK or HS_E_MEMORY. */
static inline enum hs_status program_select_number(const struct program_select *s, uint64_t addr,
                                                   uint64_t bytes, uint64_t *number)
{
	*number = 0;
	return s->view ? hs_code_view_get_number(s->view, addr, bytes, number) : HS_OK;
}

#endif
