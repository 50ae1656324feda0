/* What the firmware reads of a device tree, and the reservation that it adds (firmware/fdt.c,
 * reserve.c). */
#include "cases.h"

#include "../../firmware/fdt.h"

#define HEAD 10 /* words of the header, after which the reserve map has 4 */
#define STRUCTURE (HEAD + 4)
#define END 9
#define WORDS_MAX 200

#define FOUR(a, b, c, d) (uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d)
#define ROOT BEGIN_NODE, 0
#define CPU_1 BEGIN_NODE, FOUR('c', 'p', 'u', '@'), FOUR('1', 0, 0, 0)
#define MEMORY BEGIN_NODE, FOUR('m', 'e', 'm', 'o'), FOUR('r', 'y', '@', '8'), 0, \
	PROPERTY, 16, 0, 0, 0x80000000, 0, 0x8000000, END_NODE
#define SVADE PROPERTY, 8, 4, FOUR('r', 'v', '_', 's'), FOUR('v', 'a', 'd', 'e')
#define RESERVED BEGIN_NODE, FOUR('r', 'e', 's', 'e'), FOUR('r', 'v', 'e', 'd'), \
	FOUR('-', 'm', 'e', 'm'), FOUR('o', 'r', 'y', 0)
#define OTHER BEGIN_NODE, FOUR('o', 0, 0, 0), END_NODE

/* "reg" is string 0 and "riscv,isa" string 4 of 14 bytes; those that the firmware adds follow. */
static const char strings[16] = "reg\0riscv,isa";
#define STRINGS_BYTES 14
#define CELLS PROPERTY, 4, 14, 2, PROPERTY, 4, 14 + 15, 2, PROPERTY, 0, 14 + 27
#define FIRMWARE BEGIN_NODE, FOUR('f', 'i', 'r', 'm'), FOUR('w', 'a', 'r', 'e'), \
	FOUR('@', '8', '0', '0'), FOUR('0', '0', '0', '0'), FOUR('0', 0, 0, 0), \
	PROPERTY, 16, 14 + 34, 0, 0x80000000, 0, 0x80000, PROPERTY, 0, 14 + 38, NOP, END_NODE

struct row {
	const char *name;
	uint32_t in[60], out[80];
	bool svade, no_room, strings_first;
};

static struct row rows[] = {
	{ "a tree without reservations",
	  { ROOT, CPU_1, END_NODE, MEMORY, END_NODE, END },
	  { ROOT, CPU_1, END_NODE, MEMORY, RESERVED, CELLS, NOP, FIRMWARE, END_NODE, END_NODE,
	    END }, false, false, false },
	{ "a reservation next to another one",
	  { ROOT, CPU_1, END_NODE, MEMORY, RESERVED, OTHER, END_NODE, OTHER, END_NODE, END },
	  { ROOT, CPU_1, END_NODE, MEMORY, RESERVED, OTHER, FIRMWARE, END_NODE, OTHER, END_NODE,
	    END }, false, false, false },
	{ "reserved-memory below another node is none",
	  { ROOT, CPU_1, RESERVED, END_NODE, END_NODE, MEMORY, END_NODE, END },
	  { ROOT, CPU_1, RESERVED, END_NODE, END_NODE, MEMORY, RESERVED, CELLS, NOP, FIRMWARE,
	    END_NODE, END_NODE, END }, false, false, false },
	{ "Svade", { ROOT, CPU_1, SVADE, END_NODE, MEMORY, END_NODE, END },
	  { ROOT, CPU_1, SVADE, END_NODE, MEMORY, RESERVED, CELLS, NOP, FIRMWARE, END_NODE,
	    END_NODE, END }, true, false, false },
	{ "no room after the tree", { ROOT, CPU_1, END_NODE, MEMORY, END_NODE, END }, { 0 },
	  false, true, false },
	{ "strings before the structure", { ROOT, CPU_1, END_NODE, MEMORY, END_NODE, END }, { 0 },
	  false, false, true },
};

static uint64_t room;

bool supervisor_may_access(uint64_t address, uint64_t length)
{
	(void)address;
	return length <= room;
}

/* Words to and including END. */
static uint32_t length_of(const uint32_t *words)
{
	uint32_t n = 0;

	while (words[n++] != END)
		;
	return n;
}

static void put_words(uint8_t *at, const uint32_t *words, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		put_big_endian(at + 4 * i, words[i]);
}

static void make_tree(uint8_t *tree, const struct row *r)
{
	const uint32_t n = length_of(r->in);
	const uint32_t structure = 4 * STRUCTURE + (r->strings_first ? sizeof(strings) : 0),
		names = r->strings_first ? 4 * STRUCTURE : structure + 4 * n,
		total = structure + 4 * n + (r->strings_first ? 0 : STRINGS_BYTES);
	const uint32_t head[STRUCTURE] = { 0xd00dfeed, total, structure, names, 4 * HEAD, 17, 16, 0,
	                                   STRINGS_BYTES, 4 * n };

	put_words(tree, head, STRUCTURE);
	put_words(tree + structure, r->in, n);
	memcpy(tree + names, strings, STRINGS_BYTES);
}

/* The tree has the words of the row, the strings after them, and a header that says so. */
static void expect_tree(const uint8_t *tree, const struct row *r)
{
	static const char added[48] = "#address-cells\0#size-cells\0ranges\0reg\0no-map";
	const uint32_t n = length_of(r->out), names = 4 * (STRUCTURE + n);

	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(big_endian(tree + 4 * (STRUCTURE + i)), r->out[i]);
	assert_int_equal(big_endian(tree + STRUCT_SIZE), 4 * n);
	assert_int_equal(big_endian(tree + STRUCT_AT), 4 * STRUCTURE);
	assert_int_equal(big_endian(tree + RESERVE_MAP_AT), 4 * HEAD);
	assert_int_equal(big_endian(tree + STRINGS_AT), names);
	assert_int_equal(big_endian(tree + STRINGS_SIZE), STRINGS_BYTES + sizeof(added));
	assert_int_equal(big_endian(tree + TOTAL_SIZE), names + STRINGS_BYTES + sizeof(added));
	assert_memory_equal(tree + names, strings, STRINGS_BYTES);
	assert_memory_equal(tree + names + STRINGS_BYTES, added, sizeof(added));
}

TEST_ROWS(reserve, rows, r)
{
	uint32_t memory[WORDS_MAX] = { 0 };
	uint8_t *tree = (uint8_t *)memory;
	struct machine m = { 0 };

	make_tree(tree, r);
	room = r->no_room ? big_endian(tree + TOTAL_SIZE) + 1023 : sizeof(memory) + 1024;
	assert_true(fdt_read(tree, &m));
	assert_int_equal(m.harts, 2);
	assert_int_equal(m.ram_end, 0x88000000);
	assert_int_equal(m.svade, r->svade);
	assert_int_equal(fdt_reserve(tree, &m), r->out[0] != 0);
	if (r->out[0])
		expect_tree(tree, r);
}

/* However short the structure is: an answer, and nothing outside is touched. */
TEST(cut_structures)
{
	uint32_t memory[WORDS_MAX];
	struct machine m;

	for (uint32_t n = 0; n < length_of(rows[1].in); n++) {
		memset(memory, 0, sizeof(memory));
		make_tree((uint8_t *)memory, &rows[1]);
		put_big_endian((uint8_t *)memory + STRUCT_SIZE, 4 * n);
		memset(&m, 0, sizeof(m));
		if (fdt_read(memory, &m))
			assert_true(m.root_end == NULL || n + 1 >= length_of(rows[1].in));
	}
}
