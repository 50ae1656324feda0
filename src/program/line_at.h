/* What files have at addresses: source lines, without the functions that were inlined there, and
 * code. */
#ifndef HS_PROGRAM_LINE_AT_H
#define HS_PROGRAM_LINE_AT_H

#include <hartscope/program.h>

struct program_line {
	const char *file; /* lives as long as the program */
	int line, column;
	bool begins; /* a statement begins with it (DWARF's is_stmt) */
};

/* False: nothing is known, or the code there is not the file's. */
bool program_line_at(struct hs_program *p, uint64_t addr, struct program_line *line);

/* The rows of the line table that have an address, of which program_line_at() takes the last: the
 * first one's number.  There need not be any. */
size_t program_rows_at(struct hs_program *p, uint64_t addr);
/* Row number @row, of program_rows_at() and on.  False: it has another address. */
bool program_row(const struct hs_program *p, size_t row, uint64_t addr, struct program_line *line);

/* The calls whose functions were inlined at an address, the outermost first.  NULL: none. */
const struct hs_program_inlined *program_inlined_at(struct hs_program *p, uint64_t addr, size_t *n);

/* Where an address is in one of the functions around it. */
struct program_spot {
	const char *function; /* as its file has it; NULL of the outermost one, or without a name */
	int declared;         /* the line it is declared on; 0 likewise */
	int line;
	unsigned discriminator; /* of several places on the line; 0: it is the only one */
};

/* The functions around an address that were inlined, in the one that was not, which comes first.
 * @return  How many; 0: nothing is known, or they are more than @room. */
size_t program_spots_at(struct hs_program *p, uint64_t addr, struct program_spot *out, size_t room);

/* Where the function that begins at an address is declared.  False: not known. */
bool program_declared_at(struct hs_program *p, uint64_t addr, struct program_line *line);

/* The code of the file that names @addr, as the file has it, from there on.  NULL: it has none. */
const uint8_t *program_file_code(struct hs_program *p, uint64_t addr, uint64_t *n);

#endif
