/* The context of a hart: events as the two kinds of Ownership have them (NT Table 12), of its
 * address space and of its virtual machine.
 *
 * While V is 1, satp is the guest's own: QEMU swaps the registers, so that satp always is that of
 * the current mode.  The virtual machine is 0 while V is 0.
 */
#include <stdlib.h>
#include <string.h>

#include "system_hart.h"

#define SCONTEXT 2u /* FORMAT of PROCESS, NT Table 12 */
#define HCONTEXT 3u

/* Fields of satp and hgatp, for XLEN 32 and 64 (privileged manual). */
struct field {
	uint8_t from, bits;
};
static const struct field ppn[] = { { 0, 22 }, { 0, 44 } }, asid[] = { { 22, 9 }, { 44, 16 } },
                          vmid[] = { { 22, 7 }, { 44, 14 } };

static uint64_t take_field(uint64_t value, const struct field fields[2])
{
	const struct field f = fields[sys_xlen == 64];

	return value >> f.from & ((UINT64_C(1) << f.bits) - 1);
}

static uint64_t read_root(const struct sys_registers *r, bool virtual)
{
	(void)virtual;
	return take_field(sys_read(r, SYS_SATP), ppn);
}

static uint64_t read_asid(const struct sys_registers *r, bool virtual)
{
	(void)virtual;
	return take_field(sys_read(r, SYS_SATP), asid);
}

static uint64_t read_vmid(const struct sys_registers *r, bool virtual)
{
	return virtual ? take_field(sys_read(r, SYS_HGATP), vmid) : 0;
}

static uint64_t read_mcontext(const struct sys_registers *r, bool virtual)
{
	(void)virtual;
	return sys_read(r, SYS_MCONTEXT);
}

static uint64_t read_scontext(const struct sys_registers *r, bool virtual)
{
	(void)virtual;
	return sys_read(r, SYS_SCONTEXT);
}

static uint64_t read_hcontext(const struct sys_registers *r, bool virtual)
{
	(void)virtual;
	return sys_read(r, SYS_HCONTEXT);
}

/* What a context is taken from; @needs: registers that the machine must have. */
static const struct source {
	const char *name;
	uint64_t (*scontext)(const struct sys_registers *r, bool virtual);
	uint64_t (*hcontext)(const struct sys_registers *r, bool virtual);
	enum sys_reg needs[2];
} sources[] = {
	{ "satp", read_root, read_vmid, { SYS_PC, SYS_PC } },
	{ "asid", read_asid, read_vmid, { SYS_PC, SYS_PC } },
	{ "mcontext", read_root, read_mcontext, { SYS_MCONTEXT, SYS_PC } },
	{ "scontext", read_scontext, read_hcontext, { SYS_SCONTEXT, SYS_HCONTEXT } },
	{ "none", NULL, NULL, { SYS_PC, SYS_PC } },
};
static const struct source *source = sources;

bool system_context_argument(const char *name)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (strcmp(name, sources[i].name) == 0) {
			source = &sources[i];
			return true;
		}
	return false;
}

void system_context_check(const struct sys_registers *r)
{
	for (unsigned i = 0; i < 2; i++)
		if (!sys_has(r, source->needs[i])) {
			fprintf(stderr, "hartscope: this machine has no register for contexts of "
			        "%s\n", source->name);
			exit(1);
		}
}

bool system_context_insn(uint32_t insn)
{
	const unsigned csr = insn >> 20;

	return (insn & 0x7fu) == 0x73u && (insn >> 12 & 7u) != 0 &&
	       (csr == 0x5a8 || csr == 0x6a8 || csr == 0x7a8);
}

static void push_context(struct hs_wire_hart *h, unsigned format, uint64_t value, unsigned mode)
{
	const struct hs_block event = { .value = value, .arg = format, .priv = mode & 7u,
		                        .kind = HS_KIND_CONTEXT };

	plugin_ring_block(h, &event);
}

/* hcontext first, and scontext after it (NT 7.1). */
void system_context_look(struct recorded_hart *s, struct hs_wire_hart *h, unsigned mode)
{
	const bool virtual = sys_virtual(mode);
	uint64_t scontext, hcontext;

	if (source->scontext == NULL)
		return;
	scontext = source->scontext(&s->registers, virtual);
	hcontext = source->hcontext(&s->registers, virtual);
	if (hcontext != s->hcontext)
		push_context(h, HCONTEXT, hcontext, mode);
	if (hcontext != s->hcontext || scontext != s->scontext)
		push_context(h, SCONTEXT, scontext, mode);
	s->scontext = scontext;
	s->hcontext = hcontext;
}

unsigned system_context_known(const struct recorded_hart *s)
{
	return (s->hcontext != 0) + (s->scontext != 0);
}

void system_context_repeat(const struct recorded_hart *s, struct hs_wire_hart *h)
{
	if (s->hcontext != 0)
		push_context(h, HCONTEXT, s->hcontext, s->mode);
	if (s->scontext != 0)
		push_context(h, SCONTEXT, s->scontext, s->mode);
}
