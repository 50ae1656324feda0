/* What the files of hartscope vectors share: cases of the sources in tests/vectors. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_VECTORS_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/embedded.h"

#define VECTOR_CODE 0x2000u /* bytes of code of a protocol */
#define VECTOR_LINES 160u   /* of a case */

/* Files of tests/vectors. */
extern const struct embedded vector_files[];

/* The code of a protocol, which is seen at several addresses. */
struct vector_code {
	uint8_t bytes[VECTOR_CODE];
	bool is_code[VECTOR_CODE];
	const char *text[VECTOR_CODE]; /* the line that begins there; else NULL */
};

/* A case: its lines, which are in the text of its source. */
struct vector_case {
	const char *protocol;
	const char *name, *clause, *why;
	const char *line[VECTOR_LINES]; /* run, trap, packet, message, ... in their order */
	size_t lines;
	const char *settings[8]; /* of default and set, in their order */
	size_t setting_count;
	char only; /* 'e', 'd', or 0 */
};

/* Words of a line, which end in spaces. */
bool vector_is(const char *line, const char *word);

/* Open a file of a folder for writing; NULL after a complaint. */
FILE *vector_open(const char *folder, const char *name);
bool vector_close(FILE *f); /* false after a complaint */
/* The path of a folder in another one, which is made if need be.  The caller frees it; NULL after a
 * complaint. */
char *vector_folder(const char *parent, const char *name);
/* Write the folder of a case.  @path is that of its clause.  False, with a complaint: it cannot. */
bool vector_write(const char *path, const struct vector_case *c, const struct vector_code *code);
/* Write the program of a protocol as an ELF file. */
bool vector_write_program(const char *path, bool ntrace, const struct vector_code *code);
/* "NT 8.4.1" as the name of a folder: "nt-8.4.1". */
void vector_slug(const char *text, char *slug, size_t size);

#endif
