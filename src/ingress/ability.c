/* Which accesses an instruction can make, by its encoding. */
#include <hartscope/block.h>

#include "core/access.h"

/* What an instruction can access. */
enum access_class {
	CLASS_NONE,
	CLASS_LOAD,
	CLASS_STORE,
	CLASS_CONDITIONAL,
	CLASS_COMPARE,
	CLASS_ATOMIC,
	CLASS_CSR
};

struct ability {
	uint8_t class;
	uint8_t type;  /* enum hs_access_type of an atomic or a CSR access */
	int8_t size;   /* of a load or store; -1: not looked at */
	uint16_t csr;
};

static struct ability ability(enum access_class class, int size)
{
	return (struct ability){ .class = (uint8_t)class, .size = (int8_t)size };
}

static struct ability of_short(const uint8_t *bytes)
{
	const unsigned quadrant = bytes[0] & 3u, row = bytes[1] >> 5;

	if (quadrant == 1 || row == 0)
		return ability(CLASS_NONE, -1);
	if (row == 4) /* Zcb: c.lbu, c.lhu, c.lh, c.sb, c.sh */
		return ability(quadrant == 2 ? CLASS_NONE : bytes[1] & 8 ? CLASS_STORE : CLASS_LOAD,
		               -1);
	return ability(row < 4 ? CLASS_LOAD : CLASS_STORE, row % 4 == 2 ? 2 : -1);
}

/* ADD, SWAP and so on by funct5. */
static struct ability of_amo(unsigned funct5, int size)
{
	static const uint8_t types[8] = { HS_ACCESS_ADD, HS_ACCESS_XOR, HS_ACCESS_OR, HS_ACCESS_AND,
		HS_ACCESS_MIN, HS_ACCESS_MAX, HS_ACCESS_MIN, HS_ACCESS_MAX };
	struct ability a = ability(funct5 == 2   ? CLASS_LOAD
	                           : funct5 == 3 ? CLASS_CONDITIONAL
	                           : funct5 == 5 ? CLASS_COMPARE
	                                         : CLASS_ATOMIC,
	                           size);

	a.type = funct5 == 1 ? HS_ACCESS_SWAP : types[funct5 >> 2];
	return a;
}

static struct ability of_system(const uint8_t *bytes, unsigned funct3)
{
	struct ability a = ability(funct3 & 3 ? CLASS_CSR : CLASS_NONE, -1);

	a.type = (uint8_t)(HS_ACCESS_CSR_RW + (funct3 & 3) - 1);
	a.csr = (uint16_t)(bytes[2] >> 4 | bytes[3] << 4);
	return a;
}

static struct ability ability_of(const uint8_t *bytes, unsigned hwords)
{
	const unsigned funct3 = bytes[1] >> 4 & 7u;

	if (hwords == 1)
		return of_short(bytes);
	switch (bytes[0] & 0x7fu) {
	case 0x03:
		return ability(CLASS_LOAD, funct3 & 3);
	case 0x23:
		return ability(CLASS_STORE, funct3 & 3);
	case 0x07: /* vectors, too */
		return ability(CLASS_LOAD, -1);
	case 0x27:
		return ability(CLASS_STORE, -1);
	case 0x2f:
		return of_amo(bytes[3] >> 3, funct3 & 3);
	case 0x73:
		return of_system(bytes, funct3);
	default:
		return ability(CLASS_NONE, -1);
	}
}

/* A push, or a pop of any kind (Zcmp).  Without it the encodings are those of c.fsdsp, which has no
 * access of these types. */
static bool is_push(const uint8_t *bytes)
{
	return (bytes[0] & 3u) == 2 && bytes[1] == 0xb8 && bytes[0] >> 4 >= 4;
}

static bool is_pop(const uint8_t *bytes)
{
	return (bytes[0] & 3u) == 2 && bytes[0] >> 4 >= 4 &&
	       (bytes[1] == 0xba || bytes[1] == 0xbc || bytes[1] == 0xbe);
}

/* One of several (RHTI Multi-memory-access Instructions). */
static bool can_make_multi(const uint8_t *bytes, unsigned hwords, unsigned type)
{
	const bool loads = type == HS_ACCESS_MULTI_LOAD;

	if (hwords == 1)
		return loads ? is_pop(bytes) : is_push(bytes);
	return hs_access_insn_makes_many(bytes, hwords) && !(bytes[0] & 0x20) == loads;
}

static bool can_make(struct ability can, const struct hs_access *a)
{
	if (can.size >= 0 && a->size != can.size)
		return false;
	switch ((enum access_class)can.class) {
	case CLASS_LOAD:
		return a->type == HS_ACCESS_LOAD;
	case CLASS_STORE:
		return a->type == HS_ACCESS_STORE;
	case CLASS_CONDITIONAL:
		return a->type == HS_ACCESS_STORE || a->type == HS_ACCESS_SC_FAILED;
	case CLASS_COMPARE: /* Zacas */
		return a->type == HS_ACCESS_SWAP || a->type == HS_ACCESS_CAS_FAILED;
	case CLASS_ATOMIC:
		return a->type == can.type;
	case CLASS_CSR:
		return a->type == can.type &&
		       (!(a->known & HS_ACCESS_HAS_ADDRESS) || a->address == can.csr);
	default:
		return false;
	}
}

bool hs_access_insn_makes_any(const uint8_t *bytes, unsigned hwords)
{
	return ability_of(bytes, hwords).class != CLASS_NONE;
}

bool hs_access_insn_makes_many(const uint8_t *bytes, unsigned hwords)
{
	const unsigned width = bytes[1] >> 4 & 7u; /* 1 to 4 are scalars of 16 to 128 bits */

	return hwords == 2 && (bytes[0] & 0x5fu) == 0x07 && (width == 0 || width > 4);
}

unsigned hs_access_insn_count(const uint8_t *bytes, unsigned hwords)
{
	const unsigned rlist = bytes[0] >> 4;

	if (hwords != 1 || !(is_push(bytes) || is_pop(bytes)))
		return 0;
	return rlist == 15 ? 13 : rlist - 3; /* ra, s0 to s11 */
}

bool hs_access_insn_makes(const uint8_t *bytes, unsigned hwords, const struct hs_access *a)
{
	if (a->type == HS_ACCESS_MULTI_LOAD || a->type == HS_ACCESS_MULTI_STORE)
		return can_make_multi(bytes, hwords, a->type);
	return can_make(ability_of(bytes, hwords), a);
}
