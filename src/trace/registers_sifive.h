/* Dumps of SiFive's registers of version 0. */
#ifndef HS_TRACE_REGISTERS_SIFIVE_H
#define HS_TRACE_REGISTERS_SIFIVE_H

#include <hartscope/trace_params.h>

enum { SIFIVE_ENCODER = 1, SIFIVE_FUNNEL = 2 };

/* A section of a dump. */
struct sifive_registers {
	uint8_t unit; /* 0: none */
	uint64_t base;
	uint32_t word[32];
	uint32_t known; /* bit i: word[i] was read */
};

/* Does a line begin a section, "[encoder0 0x100000]" or "[funnel0 0x18000]"?  *s begins, then. */
bool sifive_section(struct sifive_registers *s, const char *line, size_t length);

/* A line inside a section; as hs_tc_dump_line(). */
enum hs_status sifive_line(struct sifive_registers *s, const char *line, size_t length);

/* The section, if there is one, ends: its registers go to *r.  False: its version is not 0. */
bool sifive_end(struct sifive_registers *s, struct hs_registers *r);

#endif
