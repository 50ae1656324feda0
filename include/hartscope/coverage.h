/* Coverage: how often each function, source line and branch direction was executed.
 *
 * Takes blocks in any order, or how often each came: as counts of runs (memo.h), or as a tally of
 * parts (tally.h).  What is counted belongs to a program's own code: blocks of code that changed
 * while it ran are left out.
 *
 * A line's count is that of gcov: how often control came to the line from elsewhere, and how often
 * it went round within the line.  Lines are those that the line table has instructions of, so that
 * the brace at the end of a function is one, and a label is not.  Functions are cut into basic
 * blocks at targets of jumps, after jumps and after calls (design/coverage).  Where the compiler
 * marks the beginning of each statement, as GCC does when it optimises, lines are those on which
 * statements begin, and count there (design/coverage).
 *
 * Threads: an object belongs to one thread at a time, and so do the programs that it was given.
 */
#ifndef HARTSCOPE_COVERAGE_H
#define HARTSCOPE_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/program.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A source file. */
struct hs_coverage_file {
	const char *path;
	size_t first_line, line_count;     /**< of lines */
	size_t lines_executed;
	size_t branch_count, branches_both; /**< conditional branches; those seen both ways */
	size_t function_count, functions_executed;
};

/** A line that has instructions or statements. */
struct hs_coverage_line {
	size_t file;     /**< index of files */
	int line;
	uint64_t count;  /**< how often it was executed */
	size_t function; /**< index of functions: one that has it */
	bool partial;    /**< one of its basic blocks was never executed */
};

/** A conditional branch. */
struct hs_coverage_branch {
	uint64_t address;
	uint64_t taken, not_taken;
	size_t file, function; /**< indices */
	int line; /**< the greatest of its basic block, as gcov has it; with marks of statements
	               its instruction's */
};

/** A function that has source lines. */
struct hs_coverage_function {
	const char *name;   /**< as people write it */
	const char *symbol; /**< as its file has it */
	uint64_t start, size;
	size_t file;        /**< index of files */
	int line, last_line; /**< where it begins, and the last line of that file that it has */
	uint64_t entries;   /**< how often it was entered at its start */
	size_t instructions, instructions_executed; /**< different ones */
	size_t blocks, blocks_executed;             /**< basic blocks */
	size_t branches, branches_both;             /**< conditional branches; seen both ways */
};

/** What was executed.  Each list is sorted: by file and line, branches then by address. */
struct hs_coverage_result {
	const struct hs_coverage_file *files;
	size_t file_count;
	const struct hs_coverage_line *lines;
	size_t line_count;
	const struct hs_coverage_branch *branches;
	size_t branch_count;
	const struct hs_coverage_function *functions;
	size_t function_count;
	size_t unlined, unlined_executed; /**< functions without source lines */
	uint64_t unmapped; /**< blocks whose code is not known: they count for nothing */
	/** Blocks of code that is in no file of the program, or not as it is there: it was made or
	 * changed at run time; likewise. */
	uint64_t foreign;
};

/** Names of the formats of hs_coverage_export(), with blanks: "lcov gcov-json cobertura". */
HS_API const char *hs_coverage_formats(void);

/**
 * Write a result for other tools: lcov (a tracefile, which genhtml and lcov read; branches by
 * direction, the not taken one first), gcov-json (as gcov --json-format, not compressed) or
 * cobertura (XML of coverage-04.dtd; conditions of a line are directions of its branches).
 * @param format  One of hs_coverage_formats().
 * @retval HS_OK
 * @retval HS_E_ARG     No such format.
 * @retval HS_E_SYSTEM  @write returned false.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_coverage_export(const struct hs_coverage_result *result,
                                         const char *format, hs_write_fn write, void *context);

#ifdef __cplusplus
}
#endif
#endif
