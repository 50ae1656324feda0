/* Random blocks and events of a program with names, and scans of pieces of them (call_tree.h). */
#ifndef TESTS_UNIT_CALL_ITEMS_H
#define TESTS_UNIT_CALL_ITEMS_H

#include "calls/scan.h"

#include "program/program.h"
#include "stack_names.h"

#define ITEMS 4000

/* Blocks of two functions, of code without a name and of no code, with any ends; few events. */
static struct hs_block random_item(uint32_t *seed)
{
	static const uint64_t at[] = { MAIN, MAIN + 4, MAIN + 8, F, F + 4, F + 8, F + 0x80, 0x66 };
	static const uint8_t ends[] = { HS_ITYPE_NONE, HS_ITYPE_NONE, HS_ITYPE_NOT_TAKEN,
		                        HS_ITYPE_TAKEN, HS_ITYPE_CALL_INF, HS_ITYPE_RETURN,
		                        HS_ITYPE_INTERRUPT, HS_ITYPE_JUMP_INF };
	static const struct hs_block events[] = {
		{ .kind = HS_KIND_TIME, .value = 5 },
		{ .kind = HS_KIND_TIME, .value = 9, .itype = HS_CLOCK_TIME },
		{ .kind = HS_KIND_GAP },
		{ .kind = HS_KIND_HART, .arg = 1 },
		{ .kind = HS_KIND_HART },
		{ .kind = HS_KIND_SYNC, .itype = 5 },
		{ .kind = HS_KIND_TRAP, .itype = HS_ITYPE_EXCEPTION },
		{ .kind = HS_KIND_CONTEXT, .value = 7, .itype = 2 },
	};

	*seed = *seed * 1664525u + 1013904223u;
	const uint32_t r = *seed >> 8;

	if (r % 32 == 0)
		return events[r / 32 % 8];
	return (struct hs_block){ .iaddr = at[r / 32 % 8],
		                  .iretire = 1 + r / 256 % 4,
		                  .ilast = 1,
		                  .itype = ends[r / 1024 % 8] };
}

static inline void call_items_make(struct hs_block items[ITEMS])
{
	uint32_t seed = 11;

	for (size_t i = 0; i < ITEMS; i++)
		items[i] = random_item(&seed);
}

/* The program, whose code is all c.nop. */
static inline struct hs_program *call_items_program(void)
{
	static uint8_t nops[TASKS + 0x100 - MAIN];
	const struct hs_section code = { MAIN, sizeof(nops), nops };
	const struct hs_image image = { &code, 1, { .xlen = 64 }, 0 };
	struct hs_program *p = stack_names_program();
	struct hs_error error;

	for (size_t i = 0; i < sizeof(nops); i += 2)
		nops[i] = 1;
	assert_int_equal(hs_program_add_image(p, &image, &error), HS_OK);
	return p;
}

struct call_items_taker {
	void (*items)(void *to, const struct hs_block *items, size_t n);
	void (*scan)(void *to, struct hs_call_scanner *k, const struct hs_call_scan *scan);
	void (*end)(void *to, struct hs_call_scanner *k); /* NULL is allowed */
};

/* The items by two scanners in turn, in pieces of up to @most, of which some are no scans. */
static inline void call_items_scan(struct hs_program *p, const struct hs_block *items,
                                   uint32_t most, const struct call_items_taker *taker, void *to)
{
	struct hs_call_scanner *k[2];
	struct hs_call_scan *scan = NULL;
	uint32_t seed = most;

	assert_int_equal(hs_call_scanner_new(p, &k[0]), HS_OK);
	assert_int_equal(hs_call_scanner_new(p, &k[1]), HS_OK);
	for (size_t i = 0, n; i < ITEMS; i += n) {
		seed = seed * 1664525u + 1013904223u;
		n = 1 + (seed >> 8) % most;
		n = n < ITEMS - i ? n : ITEMS - i;
		if (seed >> 28 == 0) {
			taker->items(to, items + i, n);
			continue;
		}
		struct hs_call_scanner *by = k[seed >> 27 & 1];

		assert_int_equal(hs_call_scan_add(by, &scan, items + i, n / 2), HS_OK);
		assert_int_equal(hs_call_scan_add(by, &scan, items + i + n / 2, n - n / 2), HS_OK);
		taker->scan(to, by, scan);
		hs_call_scan_clear(scan);
	}
	for (unsigned i = 0; i < 2; i++) {
		if (taker->end)
			taker->end(to, k[i]);
		hs_call_scanner_free(k[i]);
	}
	hs_call_scan_free(scan);
}

#endif
