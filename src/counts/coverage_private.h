/* What the files of a coverage share. */
#ifndef HS_COVERAGE_PRIVATE_H
#define HS_COVERAGE_PRIVATE_H

#include <hartscope/counts.h>

#include "counts/blocks.h"

struct hs_coverage;

/* ---- counts (counts.c) ----------------------------------------------------------------- */

/* How often the code of a program was executed. */
struct coverage_step { /* from @addr on, up to the next step */
	uint64_t addr, count;
};
struct coverage_end { /* the branch that ends at @addr */
	uint64_t addr, taken, not_taken;
};
struct coverage_counts {
	struct coverage_step *steps;
	struct coverage_end *ends;
	size_t step_count, end_count;
};

/* A block, and how often it came. */
struct coverage_block {
	uint64_t iaddr;
	uint64_t shape; /* of struct hs_block, its second word */
	struct hs_program *program;
	uint64_t count;
	uint32_t foreign;  /* 1: it is not the program's own code */
	uint16_t outside;  /* 1: no file of the program has its address */
	uint16_t unmapped; /* 1: its code is not known */
};

/* The counts of one program, from @n blocks of all.  False: no memory. */
bool coverage_counts_make(const struct coverage_block *blocks, size_t n,
                          const struct hs_program *program, struct coverage_counts *c);
void coverage_counts_free(struct coverage_counts *c);
/* How many steps begin at an address or before it. */
size_t coverage_steps_before(const struct coverage_counts *c, uint64_t addr);
/* How often the code at an address was executed; *step: coverage_steps_before() of one that is not
 * after it, which becomes that of this one. */
uint64_t coverage_count_at(const struct coverage_counts *c, uint64_t addr, size_t *step);
/* NULL: it was not executed. */
const struct coverage_end *coverage_end_at(const struct coverage_counts *c, uint64_t addr);

/* ---- a function as basic blocks (function.c) ------------------------------------------- */

#define COVERAGE_NONE UINT32_MAX

/* A basic block.  Its instructions are those of @first to @first + @n - 1. */
struct coverage_node {
	uint32_t first, n;
	uint64_t count;
	uint64_t entered; /* of them, from no arc that is known */
	uint32_t arcs;    /* index of its first arc */
	uint32_t arc_count;
	uint32_t mark;  /* of the line whose blocks are looked at; 0: none */
	uint32_t tried; /* of its arcs, while circles are looked for */
	uint8_t visit;  /* enum coverage_visit */
	bool lent;      /* of that line by what it calls only, which was inlined */
};

/* From a basic block to another of the same function. */
struct coverage_arc {
	uint32_t from, to;
	uint64_t count;
	uint64_t left; /* while circles are counted */
};

struct coverage_insn {
	uint64_t addr, target, count;
	uint64_t landing; /* of a call: where its exceptions land; 0: nowhere */
	uint8_t hwords, kind;
	bool leads; /* a basic block begins with it */
	bool lands; /* exceptions land here */
	uint32_t file;
	int line; /* 0: none */
};

/* The address after an instruction. */
static inline uint64_t coverage_insn_end(const struct coverage_insn *i)
{
	return i->addr + 2u * i->hwords;
}

/* A statement begins before an instruction. */
struct coverage_mark {
	uint32_t insn, file;
	int line, column;
};

/* An instruction of a function that was inlined where a line calls it. */
struct coverage_call {
	uint32_t insn, file;
	int line;
};

/* A function. */
struct coverage_graph {
	struct coverage_insn *insns;
	struct coverage_node *nodes;
	struct coverage_arc *arcs; /* by from */
	uint32_t insn_count, node_count, arc_count;
	uint32_t file; /* where it is declared; else that of its first instruction */
	int line;      /* 0: not known */
	/* Where its statements begin, by instruction, if the compiler says that: then its lines are
	 * counted by these.  NULL: it does not. */
	struct coverage_mark *marks;
	uint32_t mark_count, mark_room;
	struct coverage_call *calls; /* by instruction; of a function without marks */
	uint32_t call_count, call_room;
};

/* The instructions of a function of @program, whose code is in @image, with their counts.  False:
 * no memory. */
bool coverage_graph_read(struct hs_program *program, const struct hs_image *image,
                         const struct hs_program_function *f, const struct coverage_counts *counts,
                         struct coverage_graph *g);
/* Their basic blocks and arcs, of which there is one at least.  Uses no program.  False: no
 * memory. */
bool coverage_graph_link(struct coverage_graph *g, const struct coverage_counts *counts);
void coverage_graph_free(struct coverage_graph *g);

/* ---- lines of instructions (places.c) --------------------------------------------------- */

/* Find the lines of a function's instructions, and its marks.  False: no memory. */
bool coverage_find_lines(struct hs_coverage *c, struct hs_program *program,
                         struct coverage_graph *g);

/* ---- circles (cycles.c) ---------------------------------------------------------------- */

/* How often control went round within @n nodes, which have one mark, and through one that is not
 * lent.  @stack has room for as many. */
uint64_t coverage_circles(struct coverage_graph *g, const uint32_t *nodes, size_t n,
                          uint32_t *stack);

/* ---- the result (result.c, lines.c) ---------------------------------------------------- */

struct coverage_file {
	struct hs_coverage_file file;
	uint64_t number; /* in the order in which they were found */
};

struct coverage_function {
	struct hs_coverage_function function;
	uint64_t number;
};

/* A function whose instructions and lines are known. */
struct coverage_found {
	struct hs_program_function function;
	struct coverage_graph graph;
	const struct coverage_counts *counts;
};

/* ---- the object ------------------------------------------------------------------------ */

struct hs_coverage {
	const struct hs_program_set *programs;
	struct hs_program *program;
	uint32_t threads; /* for the result */
	struct coverage_block *blocks;
	size_t block_count, block_room;
	/* the result, with numbers of files and functions in the order in which they were found */
	struct support_hash files;     /* of struct coverage_file */
	struct support_hash functions; /* of struct coverage_function */
	struct support_hash lines;     /* of struct hs_coverage_line */
	struct support_hash branches;  /* of struct hs_coverage_branch */
	const char *last_path;         /* the file that was looked for last */
	uint32_t last_file;
	struct hs_coverage_result result;
};

/* coverage.c: add all blocks that there are now.  HS_OK or HS_E_MEMORY. */
enum hs_status coverage_take(struct hs_coverage *c, const struct counts_blocks *blocks);
/* result.c */
enum hs_status coverage_make_result(struct hs_coverage *c);
void coverage_free_result(struct hs_coverage *c);
/* The number of a file; COVERAGE_NONE: no memory. */
uint32_t coverage_file_number(struct hs_coverage *c, const char *path);
/* The same of a file that has one; COVERAGE_NONE: it has none. */
uint32_t coverage_find_file(const struct hs_coverage *c, const char *path);

/* Add a function with its branches and lines, and free its graph: to c->functions, c->branches and
 * c->lines, of the rest of @c it uses nothing.  False: no memory. */
bool coverage_work_out(struct hs_coverage *c, struct coverage_found *f);

/* relay.c: functions for another thread to work out, in their order (design/scans). */
struct coverage_relay;
/* NULL: no memory, or no thread. */
struct coverage_relay *coverage_relay_new(struct hs_coverage *c);
/* Give it a function, which is its own from then on.  False: this one or one before had no
 * memory. */
bool coverage_relay_put(struct coverage_relay *r, struct coverage_found *f);
/* Wait until all are worked out, and free it.  False: one had no memory. */
bool coverage_relay_end(struct coverage_relay *r);

/* lines.c: add the lines of a function, which has number @function.  False: no memory. */
bool coverage_add_lines(struct hs_coverage *c, struct coverage_graph *g, size_t function);
/* Add a line, or its count to what there is of it. */
bool coverage_add_line(struct hs_coverage *c, const struct hs_coverage_line *line);
/* statements.c: the same of a function that has marks. */
bool coverage_add_statements(struct hs_coverage *c, struct coverage_graph *g, size_t function);

/**
 * Start.
 * @param program   Code, names and lines; kept.
 * @param programs  The programs of contexts, or NULL; kept.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
enum hs_status hs_coverage_new(struct hs_program *program, const struct hs_program_set *programs,
                               struct hs_coverage **coverage);
void hs_coverage_free(struct hs_coverage *coverage); /**< NULL is allowed */

/** How many threads hs_coverage_get_result() may use with the caller's; at first 1.  With 2 and
 * more it starts another one, which it ends.  The result is the same. */
void hs_coverage_set_threads(struct hs_coverage *coverage, uint32_t threads);

/**
 * What was counted so far, and all that was not executed.
 * @param[out] result  Valid until the next call with @coverage.
 * @retval HS_OK
 * @retval HS_E_MEMORY  Only free it now.
 */
enum hs_status hs_coverage_get_result(struct hs_coverage *coverage,
                                      struct hs_coverage_result *result);

#endif
