/* What the files that make good values share: the run that they are of, and where it is. */
#ifndef HS_TESTS_API_MADE_WORLD_H
#define HS_TESTS_API_MADE_WORLD_H

#include <hartscope/block.h>
#include <hartscope/image.h>

#include "small_program.h"

#define MADE_ROOM   4096u /* bytes of the trace */
#define MADE_BLOCKS 12u

extern const struct hs_block made_blocks[MADE_BLOCKS];
extern const struct hs_image made_image;

extern struct made_world {
	char folder[64];
	char elf[128], rec[128], perf[128], rows[128], log[128];
	uint8_t elf_bytes[SMALL_ELF_MAX];
	size_t elf_size;
	uint8_t trace[MADE_ROOM], damaged[MADE_ROOM];
	size_t n; /* bytes of both */
} made_world;

/* What makes good values must not fail: nothing that follows would be tested. */
#define MUST(call) made_must((call), #call)
void made_must(bool good, const char *what);

/* A copy, for a case. */
#define COPY(value) made_copy(&(value), sizeof(value))
void *made_copy(const void *from, size_t n);

bool made_take_none(void *to, const void *bytes, size_t n);

/* A name for what a call writes, of each thread another one. */
char *made_new_path(void);

#endif
