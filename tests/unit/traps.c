/* Traps: by cause, modes and handler, and the instructions inside of them, counted by hand. */
#include "cases.h"

#include "counts/traps.h"

#include "call_items.h"
#include "program/program.h"

#define U HS_PRIV_U
#define S HS_PRIV_S
#define M HS_PRIV_M
/* @n instructions of two bytes each, at @a in mode @p; how the block ends. */
#define B(a, n, t, p) { .iaddr = (a), .iretire = (n), .itype = HS_ITYPE_##t, .priv = (p) }
#define TRAP(c) { .arg = (c), .kind = HS_KIND_TRAP }
#define LONE(t, c) { .arg = (c), .itype = HS_ITYPE_##t, .kind = HS_KIND_TRAP }
#define CONTEXT(v) { .value = (v), .arg = 2, .kind = HS_KIND_CONTEXT, .priv = S }
#define HART(n) { .arg = (n), .kind = HS_KIND_HART }
#define GAP { .kind = HS_KIND_GAP }
#define MAX 14

static const struct row {
	const char *name;
	struct hs_block in[MAX];
	unsigned n;
	uint64_t lone_returns;
	struct {
		uint64_t instructions, count, returned, target;
		uint32_t cause;
		uint8_t from, to;
		bool interrupt, has_cause;
	} want[3];
	unsigned kinds;
} rows[] = {
	{ "a call and its return",
	  { B(0x100, 3, EXCEPTION, U), TRAP(8), B(0x200, 5, XRET, S), B(0x106, 2, NONE, U) }, 4, 0,
	  { { 5, 1, 1, 0x200, 8, U, S, false, true } }, 1 },
	{ "an interrupt without a cause",
	  { B(0x100, 3, INTERRUPT, U), B(0x200, 5, XRET, S), B(0x106, 2, NONE, U) }, 3, 0,
	  { { 5, 1, 1, 0x200, 0, U, S, true, false } }, 1 },
	{ "a trap inside a trap",
	  { B(0x100, 3, EXCEPTION, U), TRAP(8), B(0x200, 5, EXCEPTION, S), TRAP(9),
	    B(0x300, 7, XRET, M), B(0x20a, 2, XRET, S), B(0x106, 2, NONE, U) }, 7, 0,
	  { { 5 + 2, 1, 1, 0x200, 8, U, S, false, true },
	    { 7, 1, 1, 0x300, 9, S, M, false, true } }, 2 },
	{ "another process in between",
	  { CONTEXT(1), B(0x100, 3, EXCEPTION, U), TRAP(8), B(0x200, 5, JUMP_INF, S), CONTEXT(2),
	    B(0x240, 1, XRET, S), B(0x100, 2, INTERRUPT, U), TRAP(5), B(0x200, 4, JUMP_INF, S),
	    CONTEXT(1), B(0x240, 1, XRET, S), B(0x106, 9, NONE, U) }, 12, 1,
	  { { 5 + 1, 1, 1, 0x200, 8, U, S, false, true }, { 4, 1, 0, 0x200, 5, U, S, true, true } },
	  2 },
	{ "threads of one process: a return to where none struck ends the last one",
	  { B(0x100, 1, EXCEPTION, U), TRAP(8), B(0x200, 5, JUMP_INF, S), B(0x500, 1, XRET, S),
	    B(0x180, 1, INTERRUPT, U), TRAP(5), B(0x200, 4, XRET, S), B(0x102, 1, INTERRUPT, U),
	    TRAP(5), B(0x200, 4, XRET, S), B(0x182, 1, NONE, U) }, 11, 0,
	  { { 4 + 4, 2, 2, 0x200, 5, U, S, true, true },
	    { 5 + 1, 1, 1, 0x200, 8, U, S, false, true } }, 2 },
	{ "a return to where an earlier one struck",
	  { B(0x100, 1, EXCEPTION, U), TRAP(8), B(0x200, 5, NONE, S), GAP,
	    B(0x180, 1, INTERRUPT, U), TRAP(5), B(0x200, 4, XRET, S), B(0x102, 1, NONE, U) }, 8, 0,
	  { { 5, 1, 1, 0x200, 8, U, S, false, true },
	    { 4, 1, 0, 0x200, 5, U, S, true, true } }, 2 },
	{ "a return to another address",
	  { B(0x100, 3, EXCEPTION, U), TRAP(8), B(0x200, 5, XRET, S), B(0x900, 2, NONE, U),
	    B(0x904, 8, NONE, U) }, 5, 0,
	  { { 5, 1, 1, 0x200, 8, U, S, false, true } }, 1 },
	{ "a return without a trap", { B(0x200, 5, XRET, S), B(0x900, 2, NONE, U) }, 2, 1,
	  { { 0 } }, 0 },
	{ "a signal: no handler of another mode",
	  { B(0x100, 3, EXCEPTION, U), TRAP(12), B(0x200, 5, NONE, U), B(0x20a, 5, NONE, U) }, 4, 0,
	  { { 0, 1, 0, 0x200, 12, U, U, false, true } }, 1 },
	{ "harts have traps of their own",
	  { HART(0), CONTEXT(1), B(0x100, 3, EXCEPTION, U), TRAP(8), B(0x200, 5, NONE, S), HART(1),
	    CONTEXT(2), B(0x100, 3, NONE, U), B(0x300, 4, NONE, S), HART(0), B(0x20a, 1, XRET, S),
	    B(0x106, 1, NONE, U) }, 12, 0,
	  { { 5 + 1, 1, 1, 0x200, 8, U, S, false, true } }, 1 },
	{ "after a gap nothing is inside",
	  { B(0x100, 3, EXCEPTION, U), TRAP(8), B(0x200, 5, NONE, S), GAP, B(0x240, 1, NONE, S) },
	  5, 0, { { 5, 1, 0, 0x200, 8, U, S, false, true } }, 1 },
	{ "a trap that struck nobody knows where",
	  { B(0x100, 3, NONE, U), LONE(INTERRUPT, 7), B(0x300, 5, XRET, M), B(0x104, 1, NONE, U) },
	  4, 0, { { 5, 1, 1, 0x300, 7, U, M, true, true } }, 1 },
	{ "the same trap again, and from another mode",
	  { B(0x100, 1, EXCEPTION, U), TRAP(8), B(0x200, 1, XRET, S), B(0x102, 1, EXCEPTION, U),
	    TRAP(8), B(0x200, 1, EXCEPTION, S), TRAP(8), B(0x200, 3, XRET, S),
	    B(0x202, 1, XRET, S), B(0x104, 1, NONE, U) }, 10, 0,
	  { { 3, 2, 2, 0x200, 8, U, S, false, true },
	    { 3, 1, 1, 0x200, 8, S, S, false, true } }, 2 },
};

static struct hs_program *program_of_nops(void)
{
	static uint8_t nops[0x1000];
	static const struct hs_section section = { 0, sizeof(nops), nops };
	static const struct hs_image image = { &section, 1, { .xlen = 64 }, 0 };
	struct hs_program *p;

	for (size_t i = 0; i < sizeof(nops); i += 2)
		nops[i] = 1;
	assert_int_equal(hs_program_new(&p), HS_OK);
	assert_int_equal(hs_program_add_image(p, &image, NULL), HS_OK);
	return p;
}

TEST_ROWS(counted, rows, r)
{
	struct hs_program *program = program_of_nops();
	const struct hs_traps_options o = { .size = sizeof(o), .program = program };
	struct hs_traps_result got;
	struct hs_traps *t;

	assert_int_equal(hs_traps_new(&o, &t), HS_OK);
	for (unsigned i = 0; i < r->n; i++)
		assert_int_equal(hs_traps_add(t, &r->in[i], 1), HS_OK);
	assert_int_equal(hs_traps_get_result(t, &got), HS_OK);
	assert_int_equal(got.lone_returns, r->lone_returns);
	assert_int_equal(got.count, r->kinds);
	for (unsigned i = 0; i < r->kinds; i++) {
		const struct hs_trap_kind *k = &got.kinds[i];

		assert_int_equal(k->instructions, r->want[i].instructions);
		assert_int_equal(k->count, r->want[i].count);
		assert_int_equal(k->returned, r->want[i].returned);
		assert_int_equal(k->target, r->want[i].target);
		assert_int_equal(k->cause, r->want[i].cause);
		assert_int_equal(k->has_cause, r->want[i].has_cause);
		assert_int_equal(k->interrupt, r->want[i].interrupt);
		assert_int_equal(k->from, r->want[i].from);
		assert_int_equal(k->to, r->want[i].to);
		assert_null(k->handler);
	}
	hs_traps_free(t);
	hs_program_free(program);
}

/* ---- system calls --------------------------------------------------------------------- */

#define NOTE(n, v, i) { .value = (v), .arg = HS_NOTE_##n, .itype = (i), .kind = HS_KIND_NOTE }

static struct hs_trap_taken taken[3];
static unsigned taken_count;

static void keep_trap(void *to, const struct hs_trap_taken *t)
{
	(void)to;
	if (taken_count < 3)
		taken[taken_count++] = *t;
}

static void follow(struct hs_program *program, const struct hs_block *items, size_t n)
{
	const struct hs_traps_options o = { .size = sizeof(o),
		                            .program = program,
		                            .each = keep_trap };
	struct hs_traps_result got;
	struct hs_traps *t;

	taken_count = 0;
	assert_int_equal(hs_traps_new(&o, &t), HS_OK);
	assert_int_equal(hs_traps_add(t, items, n), HS_OK);
	assert_int_equal(hs_traps_get_result(t, &got), HS_OK);
	hs_traps_free(t);
}

/* What a recorder noted; the last call does not return. */
TEST(calls_with_values)
{
	static const struct hs_block items[] = {
		B(0x100, 3, EXCEPTION, U), NOTE(CALL, 64, 0), NOTE(REGISTER, 1, 0),
		NOTE(REGISTER, 0x500, 1), NOTE(RESULT, (uint64_t)-9, 0),
		B(0x106, 2, EXCEPTION, U), NOTE(CALL, 94, 0), NOTE(REGISTER, 3, 0),
	};
	struct hs_program *program = program_of_nops();

	follow(program, items, sizeof(items) / sizeof(*items));
	assert_int_equal(taken_count, 2);
	assert_true(taken[0].call.system_call && taken[0].call.has_number);
	assert_int_equal(taken[0].call.number, 64);
	assert_string_equal(taken[0].call.name, "write");
	assert_string_equal(taken[0].call.arguments, "dxn");
	assert_true(taken[0].values.known && taken[0].values.has_result);
	assert_int_equal(taken[0].values.argument[1], 0x500);
	assert_int_equal(taken[0].values.result, -9);
	assert_int_equal(taken[1].call.number, 94);
	assert_int_equal(taken[1].values.argument[0], 3);
	assert_false(taken[1].values.has_result);
	hs_program_free(program);
}

/* Of a guest: the number that the code before its ecall puts into a7. */
TEST(calls_of_a_guest)
{
	static const uint8_t code[] = { 0x93, 0x08, 0x00, 0x04, /* li a7, 64 */
		                        0x73, 0x00, 0x00, 0x00 }; /* ecall */
	static const struct hs_section section = { 0x100, sizeof(code), code };
	static const struct hs_image image = { &section, 1, { .xlen = 64 }, 0 };
	static const struct hs_block items[] = {
		{ .iaddr = 0x100, .iretire = 4, .ilast = 2, .itype = HS_ITYPE_EXCEPTION, .priv = U },
		TRAP(8), B(0x200, 5, XRET, S), B(0x108, 2, NONE, U),
	};
	struct hs_program *program;

	assert_int_equal(hs_program_new(&program), HS_OK);
	assert_int_equal(hs_program_add_image(program, &image, NULL), HS_OK);
	follow(program, items, sizeof(items) / sizeof(*items));
	assert_int_equal(taken_count, 1);
	assert_true(taken[0].returned && taken[0].call.has_number && !taken[0].call.system_call);
	assert_int_equal(taken[0].call.number, 64);
	assert_false(taken[0].values.known);
	hs_program_free(program);
}

/* Of a trace of a program, without what a recorder noted: with modes, and without them. */
TEST(calls_and_signals_of_a_trace)
{
	static const uint8_t code[] = { 0x93, 0x08, 0x00, 0x04, /* li a7, 64 */
		                        0x73, 0x00, 0x00, 0x00, /* ecall */
		                        0x01, 0x00, 0x01, 0x00, 0x01, 0x00, 0x01, 0x00 };
	static const struct hs_section section = { 0x100, sizeof(code), code };
	static const struct hs_image image = { &section, 1, { .xlen = 64 }, 0 };
	static const uint8_t modes[] = { U, HS_PRIV_UNKNOWN };
	struct hs_program *program;

	assert_int_equal(hs_program_new(&program), HS_OK);
	assert_int_equal(hs_program_add_image(program, &image, NULL), HS_OK);
	for (unsigned i = 0; i < sizeof(modes); i++) {
		const struct hs_block items[] = {
			{ .iaddr = 0x100, .iretire = 4, .ilast = 2, .itype = HS_ITYPE_EXCEPTION,
			  .priv = modes[i] },
			B(0x108, 1, INTERRUPT, modes[i]), /* to 0x10c */
			B(0x10c, 1, EXCEPTION, modes[i]), /* to where it struck: to no handler */
			B(0x10e, 1, NONE, modes[i]),
		};

		follow(program, items, sizeof(items) / sizeof(*items));
		assert_int_equal(taken_count, 3);
		assert_true(taken[0].call.system_call && !taken[0].call.signal);
		assert_int_equal(taken[0].call.number, 64);
		assert_true(taken[1].call.signal && !taken[1].call.system_call);
		assert_int_equal(taken[1].call.signal_number, 0);
		assert_int_equal(taken[1].target, 0x10c);
		assert_false(taken[2].call.signal || taken[2].call.system_call);
		/* Without a system call it may be a machine's interrupt. */
		follow(program, items + 1, 2);
		assert_true(taken[0].call.signal == (modes[i] == U));
	}
	hs_program_free(program);
}

/* More traps that do not return than are kept: the oldest are forgotten. */
TEST(never_returning)
{
	static const struct hs_block trap[] = { B(0x100, 1, EXCEPTION, S), TRAP(3) };
	static const struct hs_block back[] = { B(0x200, 1, XRET, S), B(0x102, 1, XRET, S) };
	struct hs_program *program = program_of_nops();
	const struct hs_traps_options o = { .size = sizeof(o), .program = program };
	struct hs_traps_result got;
	struct hs_traps *t;

	assert_int_equal(hs_traps_new(&o, &t), HS_OK);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(hs_traps_add(t, trap, 2), HS_OK);
	for (unsigned i = 0; i < 500; i++)
		assert_int_equal(hs_traps_add(t, back, 2), HS_OK);
	assert_int_equal(hs_traps_get_result(t, &got), HS_OK);
	assert_int_equal(got.count, 2); /* the last one led to 0x200 */
	assert_int_equal(got.kinds[0].returned + got.kinds[1].returned, 256);
	assert_int_equal(got.lone_returns, 999 - 256);
	assert_int_equal(got.forgotten, 1000 - 256);
	hs_traps_free(t);
	hs_program_free(program);
}

TEST(wrong_options_are_refused)
{
	const struct hs_traps_options o = { .size = sizeof(o) };
	struct hs_traps *t;

	assert_int_equal(hs_traps_new(&o, &t), HS_E_CONFIG);
}

/* ---- scans --------------------------------------------------------------------------- */

/* Modes that change at traps and returns, and now and then without one. */
static void give_modes(struct hs_block items[ITEMS])
{
	static const uint8_t modes[] = { U, S, M, HS_PRIV_UNKNOWN };
	uint32_t seed = 3;
	uint8_t mode = U;

	for (size_t i = 0; i < ITEMS; i++) {
		seed = seed * 1664525u + 1013904223u;
		const uint32_t r = seed >> 8;

		if (items[i].kind != HS_KIND_BLOCK)
			continue;
		items[i].priv = mode;
		if (r % 16 == 0)
			items[i].itype = HS_ITYPE_XRET;
		if (r % 16 < 2 || items[i].itype == HS_ITYPE_INTERRUPT || r % 64 == 5)
			mode = modes[r / 64 % 4];
	}
}

static void mix(uint64_t *hash, uint64_t word)
{
	*hash = (*hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	*hash ^= *hash >> 29;
}

static void mix_trap(void *to, const struct hs_trap_taken *t)
{
	mix(to, t->number);
	mix(to, t->at);
	mix(to, t->length);
	mix(to, t->epc);
	mix(to, t->target ^ t->time << 32);
	mix(to, (uint64_t)t->from << 8 | t->to << 4 | t->returned);
}

static void add_items(void *to, const struct hs_block *items, size_t n)
{
	assert_int_equal(hs_traps_add(to, items, n), HS_OK);
}

static void add_scan(void *to, struct hs_call_scanner *k, const struct hs_call_scan *scan)
{
	assert_int_equal(hs_traps_add_scan(to, k, scan), HS_OK);
}

/* What other threads scanned is followed as if it had been added item by item.  @scanned: the
 * scanners' program, which may be another one, without code. */
static void compare_scans(struct hs_program *p, struct hs_program *scanned, uint32_t most,
                          bool each)
{
	static const struct call_items_taker taker = { add_items, add_scan, NULL };
	static struct hs_block items[ITEMS];
	uint64_t hash[2] = { 0 };
	struct hs_traps_result got[2];
	struct hs_traps *t[2];

	call_items_make(items);
	give_modes(items);
	for (unsigned i = 0; i < 2; i++) {
		const struct hs_traps_options o = { .size = sizeof(o),
			                            .program = p,
			                            .each = each ? mix_trap : NULL,
			                            .each_to = &hash[i] };

		assert_int_equal(hs_traps_new(&o, &t[i]), HS_OK);
	}
	add_items(t[0], items, ITEMS);
	call_items_scan(scanned, items, most, &taker, t[1]);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(hs_traps_get_result(t[i], &got[i]), HS_OK);
	assert_true(got[0].count > 20 && (hash[0] != 0) == each);
	assert_int_equal(got[0].count, got[1].count);
	assert_int_equal(got[0].lone_returns, got[1].lone_returns);
	assert_memory_equal(got[0].kinds, got[1].kinds, got[0].count * sizeof(*got[0].kinds));
	assert_int_equal(hash[0], hash[1]);
	hs_traps_free(t[0]);
	hs_traps_free(t[1]);
}

TEST(scans_are_items)
{
	struct hs_program *p = call_items_program(), *none = stack_names_program();

	for (uint32_t most = 1; most < ITEMS; most *= 3)
		for (unsigned k = 0; k < 4; k++)
			compare_scans(p, k & 1 ? none : p, most, k & 2);
	hs_program_free(none);
	hs_program_free(p);
}
