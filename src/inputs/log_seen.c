/* Code that is learned from an execution: from opcodes in logs, and from those of an ingress
 * port. */
#include <stdlib.h>

#include "inputs/log_compress.h"
#include "inputs/log_private.h"

enum { OWNER = 1 }; /* a port is of one hart */

enum hs_status hs_seen_code_new(const struct hs_image *program, struct hs_seen_code **code)
{
	struct hs_seen_code *c = malloc(sizeof(*c));

	if (!c)
		return HS_E_MEMORY;
	log_code_init(c, program);
	*code = c;
	return HS_OK;
}

void hs_seen_code_free(struct hs_seen_code *c)
{
	if (c)
		log_code_free(c);
	free(c);
}

void hs_seen_code_get_stats(const struct hs_seen_code *c, struct hs_seen_code_stats *out)
{
	*out = c->stats;
}

/* The port has the 32-bit form of a 16-bit instruction: find a 16-bit one with this form.  Several
 * may have it, so code that is known already stays.  False: it stays, or no 16-bit one has this
 * form. */
static bool find_compressed(struct hs_seen_code *c, const struct hs_port_opcode *o, uint64_t *instr)
{
	const struct hs_isa isa = { .xlen = 32 };
	uint8_t bytes[HS_INSN_MAX];
	struct hs_insn known;

	*instr = log_compress((uint32_t)o->instr);
	return *instr && !log_code_get(c, OWNER, &isa, o->iaddr, bytes, &known);
}

bool hs_seen_code_port(void *code, const struct hs_port_opcode *o, uint32_t *version)
{
	struct hs_seen_code *c = code;
	uint64_t instr = o->instr;
	uint8_t bytes[8];

	if (o->hwords > sizeof(bytes) / 2 || (o->compressed && !find_compressed(c, o, &instr)))
		return false;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(instr >> 8 * i);
	return log_code_see(c, OWNER, o->iaddr, bytes, 2u * o->hwords, version) == LOG_CHANGED;
}

/* ---- of a log ------------------------------------------------------------------------- */

struct hs_seen_code *hs_exec_log_seen(struct hs_exec_log *l)
{
	return &l->code;
}

bool hs_exec_log_next_code(struct hs_exec_log *l, struct hs_section *code)
{
	return hs_seen_code_next(&l->code, code);
}

enum hs_status hs_exec_log_code(void *log, uint32_t number, struct hs_section *code)
{
	struct hs_exec_log *l = log;

	return hs_seen_code_version(&l->code, number, code);
}
