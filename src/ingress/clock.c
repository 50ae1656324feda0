/* Cycles of flows that have none, by kinds of instructions. */
#include <hartscope/ingress.h>

#include "core/config.h"
#include "core/mem.h"
#include "ingress/ingress.h"

static const struct {
	const char *name, *what;
} kinds[] = {
#define HS_CLOCK_KIND(id, name, what) { name, what },
#include <hartscope/tables/ingress.def>
#undef HS_CLOCK_KIND
};

const char *hs_clock_kind_name(unsigned kind)
{
	return kind < HS_CLOCK_KINDS ? kinds[kind].name : "?";
}

const char *hs_clock_kind_text(unsigned kind)
{
	return kind < HS_CLOCK_KINDS ? kinds[kind].what : "?";
}

enum hs_status hs_clock_init(struct hs_clock *c, const struct hs_clock_config *config,
                             const struct hs_image *image)
{
	struct hs_clock_config own = { .size = sizeof own };

	if (config && base_take_config(&own, sizeof own, config) != HS_OK)
		return HS_E_CONFIG;
	memset(c, 0, sizeof *c);
	c->image = image;
	for (unsigned k = 0; k < HS_CLOCK_KINDS; k++) {
		const uint16_t standard = own.cycles[HS_CLOCK_INSTRUCTION];

		c->cycles[k] = own.cycles[k] || k == HS_CLOCK_TRAP ? own.cycles[k]
		               : standard                          ? standard
		                                                   : 1;
	}
	return HS_OK;
}

/* ---- kinds of instructions --------------------------------------------------------- */

/* Quadrants 0 and 2 of C have loads and stores; c.mul is in Zcb. */
static enum hs_clock_kind kind_of_short(uint32_t insn)
{
	const unsigned row = insn >> 13 & 7u, quadrant = insn & 3u;

	if (quadrant == 1)
		return (insn & 0xfc63u) == 0x9c41u ? HS_CLOCK_MULTIPLY : HS_CLOCK_INSTRUCTION;
	if (row == 0 || (row == 4 && quadrant == 2))
		return HS_CLOCK_INSTRUCTION;
	if (row == 4)
		return insn >> 11 & 1u ? HS_CLOCK_STORE : HS_CLOCK_LOAD;
	return row < 4 ? HS_CLOCK_LOAD : HS_CLOCK_STORE;
}

static enum hs_clock_kind kind_of_amo(unsigned funct5)
{
	return funct5 == 2 ? HS_CLOCK_LOAD : funct5 == 3 ? HS_CLOCK_STORE : HS_CLOCK_ATOMIC;
}

static enum hs_clock_kind kind_of_op(uint32_t insn)
{
	if (insn >> 25 != 1)
		return HS_CLOCK_INSTRUCTION;
	return insn >> 14 & 1u ? HS_CLOCK_DIVIDE : HS_CLOCK_MULTIPLY;
}

/* Of an instruction of 32 bits that does not jump. */
static enum hs_clock_kind kind_of_word(uint32_t insn)
{
	switch (insn >> 2 & 0x1fu) {
	case 0x00: case 0x01:
		return HS_CLOCK_LOAD;
	case 0x08: case 0x09:
		return HS_CLOCK_STORE;
	case 0x0b:
		return kind_of_amo(insn >> 27);
	case 0x0c: case 0x0e:
		return kind_of_op(insn);
	case 0x10: case 0x11: case 0x12: case 0x13: case 0x14:
		return HS_CLOCK_FLOAT;
	case 0x15:
		return HS_CLOCK_VECTOR;
	case 0x1c:
		return insn >> 12 & 3u ? HS_CLOCK_CSR : HS_CLOCK_INSTRUCTION;
	default:
		return HS_CLOCK_INSTRUCTION;
	}
}

static enum hs_clock_kind kind_of_bytes(const struct hs_image *image, uint64_t at, unsigned hwords)
{
	const unsigned bytes = hwords < 2 ? 2 : 4;
	uint32_t insn = 0;
	size_t n = 0;
	const uint8_t *p = NULL;

	for (unsigned i = 0; i < bytes; i++, p++, n--) {
		if (!n)
			p = hs_img_bytes(image, at + i, &n);
		if (!n)
			break;
		insn |= (uint32_t)*p << 8 * i;
	}
	if (hwords == 1)
		return kind_of_short(insn);
	return hwords == 2 ? kind_of_word(insn) : HS_CLOCK_INSTRUCTION;
}

static enum hs_clock_kind kind_of(const struct hs_image *image, uint64_t at,
                                  const struct hs_insn *insn, bool taken)
{
	switch ((enum hs_insn_kind)insn->kind) {
	case HS_INSN_BRANCH:
		return taken ? HS_CLOCK_TAKEN : HS_CLOCK_BRANCH;
	case HS_INSN_JUMP:
	case HS_INSN_CALL:
		return HS_CLOCK_JUMP;
	case HS_INSN_RETURN:
	case HS_INSN_XRET:
		return HS_CLOCK_RETURN;
	case HS_INSN_JUMP_IND:
	case HS_INSN_CALL_IND:
	case HS_INSN_SWAP:
	case HS_INSN_TABLE_JUMP:
	case HS_INSN_TABLE_CALL:
		return HS_CLOCK_INDIRECT;
	default:
		return kind_of_bytes(image, at, insn->hwords);
	}
}

/* ---- blocks -------------------------------------------------------------------------- */

static uint32_t count_cycles(const struct hs_clock *c, const struct hs_block *b)
{
	const uint64_t end = hs_block_end(b);
	struct hs_insn insn;
	uint32_t sum = 0;

	for (uint64_t at = b->iaddr; at < end; at += 2u * insn.hwords) {
		const bool known = hs_img_insn(c->image, at, &insn) == HS_OK;

		if (!known)
			insn = (struct hs_insn){ .hwords = 2 };
		sum += c->cycles[known ? kind_of(c->image, at, &insn, b->itype == HS_ITYPE_TAKEN)
		                       : HS_CLOCK_INSTRUCTION];
	}
	return sum;
}

static uint32_t cycles_of(struct hs_clock *c, const struct hs_block *b)
{
	const uint32_t key = b->iretire << 1 | (b->itype == HS_ITYPE_TAKEN);
	const uint64_t mixed = (b->iaddr ^ (uint64_t)key << 32) * UINT64_C(0x9e3779b97f4a7c15);
	const size_t slot = mixed >> 32 & (HS_CLOCK_CACHE - 1);
	struct hs_clock_entry *e = &c->cache[slot];

	if (b->iretire >> 31)
		return count_cycles(c, b);
	if (e->iaddr != b->iaddr || e->key != key || !key)
		*e = (struct hs_clock_entry){ b->iaddr, key, count_cycles(c, b) };
	return e->cycles;
}

static size_t put_block(struct hs_clock *c, const struct hs_block *b, struct hs_block *out)
{
	size_t n = 0;

	if (!c->has_time) {
		c->time += cycles_of(c, b);
		out[n++] = (struct hs_block){ .kind = HS_KIND_TIME, .value = c->time,
			                      .itype = HS_CLOCK_TIME };
		c->time += hs_itype_is_trap(b->itype) ? c->cycles[HS_CLOCK_TRAP] : 0;
	}
	out[n++] = *b;
	return n;
}

static void take_event(struct hs_clock *c, const struct hs_block *e)
{
	if (e->kind == HS_KIND_CODE)
		memset(c->cache, 0, sizeof c->cache);
	if (e->kind != HS_KIND_TIME)
		return;
	c->has_time = true;
	c->time = e->value;
}

enum hs_status hs_clock_run(struct hs_clock *c, const struct hs_block *in, size_t n, size_t *used,
                            struct hs_block *out, size_t cap, size_t *count)
{
	*count = 0;
	for (*used = 0; *used < n; ++*used) {
		const struct hs_block *b = &in[*used];

		if (cap - *count < 2)
			return HS_FULL;
		if (b->kind == HS_KIND_BLOCK) {
			*count += put_block(c, b, out + *count);
			continue;
		}
		take_event(c, b);
		out[(*count)++] = *b;
	}
	return HS_OK;
}
