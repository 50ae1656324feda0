/* What GDB is to know of the target: registers, of which pc, zero and at ecall a7 have values. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

#include "gdb/private.h"
#include "program/ecall.h"

#define CPU_REGISTERS 33u /* x0 to x31, pc */
#define PC 32u
#define A7 17u
#define FLOATS 32u
#define FLOAT_CONTROLS 3u
#define FLOAT_BYTES 8u
#define REGISTERS (CPU_REGISTERS + FLOATS + FLOAT_CONTROLS)

static const char *const names[REGISTERS] = {
	"zero", "ra",  "sp",  "gp",   "tp",   "t0",     "t1",  "t2",   "fp",  "s1",  "a0",  "a1",
	"a2",   "a3",  "a4",  "a5",   "a6",   "a7",     "s2",  "s3",   "s4",  "s5",  "s6",  "s7",
	"s8",   "s9",  "s10", "s11",  "t3",   "t4",     "t5",  "t6",   "pc",  "ft0", "ft1", "ft2",
	"ft3",  "ft4", "ft5", "ft6",  "ft7",  "fs0",    "fs1", "fa0",  "fa1", "fa2", "fa3", "fa4",
	"fa5",  "fa6", "fa7", "fs2",  "fs3",  "fs4",    "fs5", "fs6",  "fs7", "fs8", "fs9", "fs10",
	"fs11", "ft8", "ft9", "ft10", "ft11", "fflags", "frm", "fcsr",
};

static unsigned bytes_of(const struct hs_gdb_server *g, unsigned number)
{
	if (number < CPU_REGISTERS)
		return g->xlen / 8;
	return number < CPU_REGISTERS + FLOATS ? FLOAT_BYTES : 4;
}

static const char *type_of(unsigned number)
{
	if (number == PC)
		return "code_ptr";
	return number >= CPU_REGISTERS && number < CPU_REGISTERS + FLOATS ? "ieee_double" : "int";
}

void gdb_reply_part(struct hs_gdb_server *g, const char *text, size_t size, const char *range)
{
	char *end;
	const unsigned long long from = strtoull(range, &end, 16);
	unsigned long long n = *end == ',' ? strtoull(end + 1, NULL, 16) : 0;

	gdb_reply_begin(g);
	if (from >= size) {
		gdb_reply_put(g, "l", 1);
	} else {
		n = n < size - from ? n : size - from;
		gdb_reply_put(g, from + n < size ? "m" : "l", 1);
		gdb_reply_put(g, text + from, (size_t)n);
	}
	gdb_reply_end(g);
}

void gdb_reply_features(struct hs_gdb_server *g, const char *range)
{
	char text[8192];
	size_t n = (size_t)snprintf(text, sizeof(text),
	                            "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM "
	                            "\"gdb-target.dtd\"><target version=\"1.0\">"
	                            "<architecture>riscv:rv%u</architecture>"
	                            "<osabi>none</osabi>"
	                            "<feature name=\"org.gnu.gdb.riscv.cpu\">",
	                            g->xlen);

	for (unsigned i = 0; i < REGISTERS; i++) {
		if (i == CPU_REGISTERS)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
			                      "</feature>"
			                      "<feature name=\"org.gnu.gdb.riscv.fpu\">");
		n += (size_t)snprintf(text + n, sizeof(text) - n,
		                      "<reg name=\"%s\" bitsize=\"%u\" type=\"%s\"/>", names[i],
		                      8 * bytes_of(g, i), type_of(i));
	}
	n += (size_t)snprintf(text + n, sizeof(text) - n, "</feature></target>");
	gdb_reply_part(g, text, n, range);
}

/* A character in the value of an attribute. */
static int put_character(FILE *to, unsigned char c)
{
	return c == '<' || c == '&' || c == '"' || c < ' ' ? fprintf(to, "&#%u;", c) : fputc(c, to);
}

void gdb_reply_libraries(struct hs_gdb_server *g, const char *range, bool svr4)
{
	const char *const list = svr4 ? "library-list-svr4" : "library-list";
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to) {
		g->out.status = HS_E_MEMORY;
		return;
	}
	fprintf(to, "<%s version=\"1.0\">", list);
	for (size_t i = 0; i < g->memory.library_count; i++) {
		const struct gdb_library *l = &g->memory.libraries[i];

		fputs("<library name=\"", to);
		for (const char *c = l->path; *c; c++)
			put_character(to, (unsigned char)*c);
		if (svr4)
			fprintf(to,
			        "\" lm=\"0x%llx\" lmid=\"0x0\" l_addr=\"0x%llx\" l_ld=\"0x%llx\"/>",
			        (ull)l->dynamic, (ull)l->bias, (ull)l->dynamic);
		else
			fprintf(to, "\"><segment address=\"0x%llx\"/></library>", (ull)l->start);
	}
	fprintf(to, "</%s>", list);
	if (fclose(to) == 0)
		gdb_reply_part(g, text, size, range);
	else
		g->out.status = HS_E_MEMORY;
	free(text);
}

/* The number of a system call, which is in a7, is known at ecall where the block has put a constant
 * there; GDB for GNU/Linux asks for it before it steps over one. */
static bool is_call_number(const struct gdb_player *p, uint64_t *value)
{
	const struct hs_image *image = program_select_image(&p->select);
	const struct gdb_run *run = &p->runs[p->run];
	const struct hs_block before = { .iaddr = run->iaddr,
		                         .iretire = (uint32_t)((p->pc - run->iaddr) / 2) };
	struct program_a7 a7 = { .is = PROGRAM_A7_KEPT };

	if (!program_ecall_at(image, p->pc))
		return false;
	program_follow_a7_block(&a7, image, &before);
	*value = a7.value;
	return a7.is == PROGRAM_A7_KNOWN;
}

static bool is_known(const struct gdb_player *p, unsigned number, uint64_t *value)
{
	*value = number == PC ? p->pc : 0;
	return number == PC || !number || (number == A7 && is_call_number(p, value));
}

static void put_register(struct hs_gdb_server *g, unsigned number)
{
	static const char unknown[] = "xxxxxxxxxxxxxxxx";
	uint8_t bytes[8];
	uint64_t value;
	const bool known = is_known(gdb_current(g), number, &value);

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	if (known)
		gdb_reply_hex(g, bytes, bytes_of(g, number));
	else
		gdb_reply_put(g, unknown, 2u * bytes_of(g, number));
}

void gdb_reply_registers(struct hs_gdb_server *g)
{
	gdb_reply_begin(g);
	for (unsigned i = 0; i < REGISTERS; i++)
		put_register(g, i);
	gdb_reply_end(g);
}

void gdb_reply_register(struct hs_gdb_server *g, uint64_t number)
{
	if (number >= REGISTERS) {
		gdb_reply(g, "E.no such register");
		return;
	}
	gdb_reply_begin(g);
	put_register(g, (unsigned)number);
	gdb_reply_end(g);
}
