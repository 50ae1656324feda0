/* The firmware's memory in the device tree: /reserved-memory/firmware@80000000 with no-map, so that
 * a supervisor does not map what PMP denies to it. */
#include "fdt.h"

#define FOUR(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (d))
#define WORDS(table) (sizeof(table) / sizeof((table)[0]))

void *memmove(void *to, const void *from, size_t n);
void *memcpy(void *restrict to, const void *restrict from, size_t n);

/* What the strings block gets, in multiples of 8 bytes, and where each is in it. */
static const char names[48] = "#address-cells\0#size-cells\0ranges\0reg\0no-map";
enum { ADDRESS_CELLS = 0, SIZE_CELLS = 15, RANGES = 27, REG = 34, NO_MAP = 38 };

/* Make room of @n bytes at @at; blocks from there on move. */
static void insert_room(uint8_t *fdt, uint8_t *at, uint32_t n)
{
	static const uint8_t blocks[] = { STRUCT_AT, STRINGS_AT, RESERVE_MAP_AT };
	const uint32_t total = big_endian(fdt + TOTAL_SIZE), offset = (uint32_t)(at - fdt);

	memmove(at + n, at, total - offset);
	put_big_endian(fdt + TOTAL_SIZE, total + n);
	for (unsigned i = 0; i < sizeof(blocks); i++) {
		const uint32_t block = big_endian(fdt + blocks[i]);

		if (block >= offset)
			put_big_endian(fdt + blocks[i], block + n);
	}
}

/* Add the names.  Returns the first one's offset in the strings block. */
static uint32_t add_names(uint8_t *fdt)
{
	const uint32_t size = big_endian(fdt + STRINGS_SIZE);
	uint8_t *end = fdt + big_endian(fdt + STRINGS_AT) + size;

	insert_room(fdt, end, sizeof(names));
	memcpy(end, names, sizeof(names));
	put_big_endian(fdt + STRINGS_SIZE, size + sizeof(names));
	return size;
}

static void add_words(uint8_t *fdt, uint8_t *at, const uint32_t *words, uint32_t n)
{
	insert_room(fdt, at, 4 * n);
	for (uint32_t i = 0; i < n; i++)
		put_big_endian(at + 4 * i, words[i]);
	put_big_endian(fdt + STRUCT_SIZE, big_endian(fdt + STRUCT_SIZE) + 4 * n);
}

/* The tree grows where it is: what loads it leaves room after it, as other firmware expects, too.
 * The strings come after the structure, so that they are added first. */
bool fdt_reserve(uint8_t *fdt, const struct machine *m)
{
	uint8_t *at = m->reserved_end ? m->reserved_end : m->root_end;

	if (!at || big_endian(fdt + STRINGS_AT) < (uint32_t)(at - fdt) ||
	    !supervisor_may_access((reg)fdt, big_endian(fdt + TOTAL_SIZE) + 1024))
		return false;
	const uint32_t name = add_names(fdt);
	const uint32_t parent[] = {
		BEGIN_NODE, FOUR('r', 'e', 's', 'e'), FOUR('r', 'v', 'e', 'd'),
		FOUR('-', 'm', 'e', 'm'), FOUR('o', 'r', 'y', 0),
		PROPERTY, 4, name + ADDRESS_CELLS, 2,
		PROPERTY, 4, name + SIZE_CELLS, 2,
		PROPERTY, 0, name + RANGES,
		NOP, END_NODE,
	};
	const uint32_t child[] = {
		BEGIN_NODE, FOUR('f', 'i', 'r', 'm'), FOUR('w', 'a', 'r', 'e'),
		FOUR('@', '8', '0', '0'), FOUR('0', '0', '0', '0'), FOUR('0', 0, 0, 0),
		PROPERTY, 16, name + REG, 0, FW_START, 0, FW_SIZE,
		PROPERTY, 0, name + NO_MAP,
		NOP, END_NODE,
	};

	if (!m->reserved_end) {
		add_words(fdt, at, parent, WORDS(parent));
		at += 4 * (WORDS(parent) - 1);
	}
	add_words(fdt, at, child, WORDS(child));
	return true;
}
