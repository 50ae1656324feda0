/* What files have at addresses: source lines, without the functions that were inlined there, and
 * code. */
#ifndef HS_PROGRAM_LINE_AT_H
#define HS_PROGRAM_LINE_AT_H

#include <hartscope/program.h>

struct program_line {
	const char *file; /* lives as long as the program */
	int line;
};

/* False: nothing is known, or the code there is not the file's. */
bool program_line_at(struct hs_program *p, uint64_t addr, struct program_line *line);

/* The line where the function that begins at an address is declared, in the file that the address
 * has; 0: not known. */
int program_declared_line(struct hs_program *p, uint64_t addr);

/* The code of the file that names @addr, as the file has it, from there on.  NULL: it has none. */
const uint8_t *program_file_code(struct hs_program *p, uint64_t addr, uint64_t *n);

#endif
