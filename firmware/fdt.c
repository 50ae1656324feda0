/* The device tree: harts, and the end of memory.  The riscv,pmu node, which describes CSRs of
 * machine mode, is replaced by FDT_NOP. */
#include "fdt.h"

#define FDT_MAGIC 0xd00dfeedu
#define FDT_SIZE_MAX 0x200000u
#define DEPTH_MAX 16u

int memcmp(const void *a, const void *b, size_t n);

struct tree {
	uint8_t *at, *end;          /* structure block, not yet read */
	const char *strings;
	uint32_t strings_size;
};

static uint64_t big_endian_64(const uint8_t *p)
{
	return (uint64_t)big_endian(p) << 32 | big_endian(p + 4);
}

static void put_nop(uint8_t *from, const uint8_t *to)
{
	for (; from < to; from += 4) {
		from[0] = from[1] = from[2] = 0;
		from[3] = NOP;
	}
}

static bool open_tree(void *fdt, struct tree *t)
{
	uint8_t *p = fdt;

	if (!p || (uintptr_t)p % 4 || big_endian(p) != FDT_MAGIC ||
	    big_endian(p + 4) > FDT_SIZE_MAX)
		return false;
	const uint32_t size = big_endian(p + 4), start = big_endian(p + 8),
		strings = big_endian(p + 12);
	const uint32_t strings_size = big_endian(p + 32), length = big_endian(p + 36);

	if (start % 4 || start > size || length > size - start || strings > size ||
	    strings_size > size - strings)
		return false;
	t->at = p + start;
	t->end = p + start + length / 4 * 4;
	t->strings = (const char *)p + strings;
	t->strings_size = strings_size;
	return true;
}

static size_t bytes_left(const struct tree *t)
{
	return (size_t)(t->end - t->at);
}

static bool is_name(const struct tree *t, uint32_t offset, const char *name, size_t size)
{
	return offset < t->strings_size && size <= t->strings_size - offset &&
	       memcmp(t->strings + offset, name, size) == 0;
}

/* Is @text one of the strings of a property? */
static bool has_string(const uint8_t *value, size_t size, const char *text, size_t n)
{
	for (size_t i = 0; i + n <= size; i++)
		if ((i == 0 || value[i - 1] == 0) && memcmp(value + i, text, n) == 0)
			return true;
	return false;
}

/* The kind of a node, by its name: cpu@N is hart N; the reg of memory@... has cells of 64 bits. */
enum kind { OTHER, CPU, MEMORY, RESERVED };

static bool is_node(const char *name, size_t n, const char *wanted, size_t size)
{
	return n == size && memcmp(name, wanted, size) == 0;
}

static enum kind begin_node(struct tree *t, struct machine *m)
{
	const char *name = (const char *)t->at;
	size_t n = 0;

	while (n < bytes_left(t) && name[n])
		n++;
	t->at += bytes_left(t) < (n + 4) / 4 * 4 ? bytes_left(t) : (n + 4) / 4 * 4;
	if (n == 5 && memcmp(name, "cpu@", 4) == 0 && name[4] >= '0' && name[4] < '8') {
		m->harts |= 1u << (name[4] - '0');
		return CPU;
	}
	if (is_node(name, n, "reserved-memory", 15))
		return RESERVED;
	return n >= 7 && memcmp(name, "memory@", 7) == 0 ? MEMORY : OTHER;
}

/* Is @text somewhere in a property?  Extensions are strings, or words of one string. */
static bool has_text(const uint8_t *value, size_t size, const char *text, size_t n)
{
	for (size_t i = 0; i + n <= size; i++)
		if (memcmp(value + i, text, n) == 0)
			return true;
	return false;
}

/* Read a property.  False: the structure ends in it.  *pmu: it is the compatible of a PMU. */
static bool read_property(struct tree *t, enum kind kind, struct machine *m, bool *pmu)
{
	if (bytes_left(t) < 8)
		return false;
	const uint32_t size = big_endian(t->at), name = big_endian(t->at + 4);
	const uint8_t *value = t->at + 8;

	if (size > bytes_left(t) - 8 || (size + 3) / 4 * 4 > bytes_left(t) - 8)
		return false;
	if (kind == MEMORY && size >= 16 && is_name(t, name, "reg", 4))
		m->ram_end = big_endian_64(value) + big_endian_64(value + 8);
	if (kind == CPU && is_name(t, name, "riscv,isa", 9))
		m->svade |= has_text(value, size, "svade", 5);
	*pmu = is_name(t, name, "compatible", 11) && has_string(value, size, "riscv,pmu", 10);
	t->at += 8 + (size + 3) / 4 * 4;
	return true;
}

/* A node inside: how it began. */
struct level {
	uint8_t *start;
	enum kind kind;
	bool pmu;
};

/* The end of a node; those are remembered in which fdt_reserve() puts what it adds. */
static void end_node(const struct level *node, unsigned depth, struct tree *t, struct machine *m)
{
	if (node->pmu)
		put_nop(node->start, t->at);
	else if (depth == 1 && node->kind == RESERVED)
		m->reserved_end = t->at - 4;
	else if (depth == 0)
		m->root_end = t->at - 4;
}

bool fdt_read(void *fdt, struct machine *m)
{
	struct level node[DEPTH_MAX];
	unsigned depth = 0;
	struct tree t;
	bool pmu;

	if (!open_tree(fdt, &t))
		return false;
	while (bytes_left(&t) >= 4) {
		uint8_t *token = t.at;

		t.at += 4;
		switch (big_endian(token)) {
		case BEGIN_NODE:
			if (depth == DEPTH_MAX)
				return false;
			node[depth].start = token;
			node[depth].pmu = false;
			node[depth++].kind = begin_node(&t, m);
			break;
		case END_NODE:
			if (depth == 0)
				return false;
			depth--;
			end_node(&node[depth], depth, &t, m);
			break;
		case PROPERTY:
			if (depth == 0 || !read_property(&t, node[depth - 1].kind, m, &pmu))
				return false;
			node[depth - 1].pmu |= pmu;
			break;
		case NOP: break;
		default: return true;
		}
	}
	return true;
}
