/* Findings that need a program: the programs of NT 8.4.1 and 8.4.4, one thing wrong in each
 * stream. */
#include "cases.h"

#include "ntrace/nt_lint.h"
#include "unit/ntrace_rows.h"

struct flow_row {
	const char *kind;
	const struct hs_image *program;
	struct hs_nt_config config;
	uint64_t offset;
	uint8_t bad_n, bad[24], good_n, good[24];
};

#define HTM .inst_mode = HS_NT_HTM
#define V1 .dialect = HS_NT_DIALECT_V1_0
#define SYNC_20A 0x24, 0x15, 0x14, 0x13
/* auipc t1, 0; jr 32(t1): the pair of NT 9.1, and where it leads. */
static const uint8_t pair_300[] = { 0x17, 0x03, 0x00, 0x00, 0x67, 0x00, 0x03, 0x02 };
static const uint8_t pair_320[] = { 0x13, 0x05, 0x05, 0x00 };
static const struct hs_section pair_sections[] = {
	{ 0x300, sizeof pair_300, pair_300 }, { 0x320, sizeof pair_320, pair_320 }
};
static const struct hs_image pair = { pair_sections, 2, { .xlen = 64 }, 0 };

static const struct flow_row flow_rows[] = {
	{ "flow-icnt-in-instruction", &two_branches, { .inst_mode = HS_NT_BTM }, 4,
	  7, { SYNC_100, 0x84, 0x00, 0x13 }, 7, { SYNC_100, 0x84, 0x00, 0x17 } },
	{ "flow-icnt-not-at-branch", &two_branches, { .inst_mode = HS_NT_BTM }, 4,
	  9, { SYNC_100, 0x0c, 0x07, 0x84, 0x00, 0x07 }, 9,
	  { SYNC_100, 0x0c, 0x0f, 0x84, 0x00, 0x07 } },
	/* DirectBranchSync, SYNC 2, I-CNT 1 (at 0x102) and 3 (at 0x200) */
	{ "flow-sync-not-at-branch", &two_branches, { .inst_mode = HS_NT_BTM }, 4,
	  11, { SYNC_100, 0x2c, 0x49, 0x04, 0x0b, 0x84, 0x00, 0x07 + 4 },
	  11, { SYNC_100, 0x2c, 0xc9, 0x00, 0x13, 0x84, 0x00, 0x07 } },
	{ "flow-icnt-over-hist", &two_branches, { HTM }, 4,
	  8, { SYNC_100, 0x84, 0x40, 0x1d, 0x0b }, 8, { SYNC_100, 0x84, 0x40, 0x1d, 0x13 } },
	{ "flow-hist-over-icnt", &two_branches, { HTM }, 4,
	  8, { SYNC_100, 0x84, 0x40, 0x0d, 0x1f }, 8, { SYNC_100, 0x84, 0x40, 0x0d, 0x0f } },
	{ "flow-icnt-less-than-hist", &two_branches, { HTM }, 6,
	  10, { SYNC_100, 0x6c, 0xc7, 0x84, 0x40, 0x09, 0x07 },
	  10, { SYNC_100, 0x6c, 0xc7, 0x84, 0x40, 0x11, 0x07 } },
	{ "flow-jump-not-taken", &counter, { HTM, .all_jumps = 1 }, 4,
	  8, { 0x24, 0x15, 0x24, 0x13, 0x84, 0x40, 0x09, 0x0b },
	  8, { 0x24, 0x15, 0x24, 0x13, 0x84, 0x40, 0x09, 0x0f } },
	{ "flow-hist-without-branch", &counter, { HTM }, 4,
	  6, { 0x24, 0x15, 0x2c, 0x13, 0x6c, 0xc7 }, 8,
	  { 0x24, 0x15, 0x2c, 0x13, 0x84, 0x40, 0x11, 0x07 } },
	{ "flow-hist-past-jump", &counter, { HTM }, 4,
	  8, { SYNC_200, 0x84, 0x40, 0x15, 0x0f }, 8, { SYNC_200, 0x84, 0x40, 0x0d, 0x07 } },
	{ "flow-icnt-past-jump", &counter, { HTM }, 4,
	  8, { SYNC_200, 0x84, 0x40, 0x15, 0x07 }, 8, { SYNC_200, 0x84, 0x40, 0x0d, 0x07 } },
	{ "flow-target-not-given", &counter, { HTM }, 4,
	  8, { SYNC_200, 0x24, 0xc1, 0x00, 0x0b }, 9, { SYNC_200, 0x30, 0x00, 0x0d, 0x00, 0x0b } },
	{ "flow-icnt-not-at-jump", &counter, { HTM }, 4,
	  8, { SYNC_200, 0x10, 0x11, 0x00, 0x1b }, 8, { SYNC_200, 0x10, 0x31, 0x00, 0x1b } },
	{ "flow-faddr-elsewhere", &two_branches, { .inst_mode = HS_NT_BTM }, 4,
	  8, { SYNC_100, 0x24, 0x41, 0x00, 0x13 }, 8, { SYNC_100, 0x24, 0x41, 0x04, 0x0b } },
	{ "flow-no-code", &two_branches, { .inst_mode = HS_NT_BTM }, 4,
	  7, { 0x24, 0x15, 0x24, 0x13, 0x84, 0x00, 0x07 }, 7, { SYNC_200, 0x84, 0x00, 0x07 } },
	/* An exception whose handler is at 0x1100: not in the program */
	{ "flow-target-without-code", &two_branches, { .inst_mode = HS_NT_BTM }, 4,
	  8, { SYNC_100, 0x10, 0x19, 0x00, 0x83 }, 8, { SYNC_100, 0x10, 0x19, 0x00, 0x1b } },
	/* it jumps to 0x1102 and 0x1100, which are not followed: one finding */
	{ "flow-target-without-code", &two_branches, { .inst_mode = HS_NT_BTM }, 4,
	  14, { SYNC_100, 0x10, 0x19, 0x00, 0x83, 0x10, 0x11, 0x07, 0x10, 0x11, 0x07 },
	  8, { SYNC_100, 0x10, 0x19, 0x00, 0x1b } },
	/* ecall at 206, counted, to 20a: 206 XOR 20a = 0c */
	{ "flow-btype-0-at-trap", &counter, { HTM }, 4,
	  7, { 0x24, 0x15, 0x0c, 0x13, 0x10, 0x21, 0x1b }, 7,
	  { 0x24, 0x15, 0x0c, 0x13, 0x10, 0x29, 0x1b } },
	{ "flow-ecall-counted", &counter, { HTM, V1 }, 4,
	  7, { 0x24, 0x15, 0x0c, 0x13, 0x10, 0x29, 0x1b }, 7,
	  { 0x24, 0x15, 0x0c, 0x13, 0x10, 0x09, 0x1b } },
	{ "flow-pair-reported", &pair, { HTM, .sequential_jump = 1 }, 5,
	  8, { 0x24, 0x15, 0x00, 0x1b, 0xff, 0x10, 0x41, 0x43 },
	  9, { 0x24, 0x15, 0x00, 0x1b, 0xff, 0x84, 0x40, 0x19, 0x07 } },
	/* sret at 20e to 206, and an exception at once to 20a */
	{ "flow-trap-after-xret", &counter, { HTM, V1 }, 7,
	  10, { SYNC_20A, 0x10, 0x41, 0x13, 0x10, 0x09, 0x1b },
	  11, { SYNC_20A, 0x10, 0x41, 0x13, 0x84, 0x40, 0x01, 0x07 } },
	/* the same, but the trace was off in between */
	{ "flow-trap-after-xret", &counter, { HTM, V1 }, 7,
	  10, { SYNC_20A, 0x10, 0x41, 0x13, 0x10, 0x09, 0x1b },
	  18, { SYNC_20A, 0x10, 0x41, 0x13, 0x84, 0x50, 0x01, 0x07, 0x24, 0x15, 0x0c, 0x13,
	        0x10, 0x09, 0x1b } },
	/* to 20a, and ResourceFull says that two half-words retired there before the trap */
	{ "flow-trap-after-xret", &counter, { HTM, V1 }, 7,
	  10, { SYNC_20A, 0x10, 0x41, 0x13, 0x10, 0x09, 0x1b },
	  12, { SYNC_20A, 0x10, 0x41, 0x03, 0x6c, 0x83, 0x10, 0x09, 0x1b } },
};

/* How often the kind is found, at @offset; others worse than a note fail the row. */
static unsigned find_finding(const struct flow_row *row, const uint8_t *bytes, size_t n,
                             uint64_t *offset)
{
	struct hs_nt_config config = row->config;
	struct hs_nt_lint_source source;
	struct hs_nt_source walked;
	struct hs_nt_decoder d;
	struct hs_bb_table table;
	struct hs_finding x;
	struct hs_nt_lint l;
	struct hs_span in = { bytes, n };
	uint64_t memory[4096];
	unsigned found = 0;

	config.size = sizeof config;
	assert_int_equal(hs_bb_init(&table, row->program, memory, 64), HS_OK);
	assert_int_equal(hs_nt_decoder_init(&d, &config, &table, &walked, 1), HS_OK);
	assert_int_equal(hs_nt_lint_init(&l, &config, &source, 1), HS_OK);
	hs_nt_lint_program(&l, &d);
	while (hs_nt_lint_next(&l, &in, &x) == HS_OK) {
		const struct hs_finding_kind *k = hs_nt_finding_get_kind(x.id);

		if (strcmp(k->name, row->kind) == 0) {
			found++;
			*offset = x.offset;
			assert_true(x.has_message);
			if (x.id == HS_NT_FIND_FLOW_TARGET)
				assert_int_equal(x.pc, 0x1100);
		} else if (k->severity != HS_SEVERITY_NOTE && bytes == row->bad) {
			print_error("also %s at %llu\n", k->name, (unsigned long long)x.offset);
		} else if (k->severity != HS_SEVERITY_NOTE) {
			fail_msg("repaired, but %s at %llu", k->name, (unsigned long long)x.offset);
		}
	}
	return found;
}

static void seeded(void **state)
{
	const struct flow_row *row = *state;
	uint64_t offset = 0;

	assert_int_equal(find_finding(row, row->bad, row->bad_n, &offset), 1);
	assert_int_equal(offset, row->offset);
	assert_int_equal(find_finding(row, row->good, row->good_n, &offset), 0);
}

/* After bytes that are no message the flow is not known: the same message is no fault. */
TEST(damage_ends_the_walk)
{
	static const struct flow_row row = {
		"flow-icnt-in-instruction", &two_branches, { .inst_mode = HS_NT_BTM }, 4,
		9, { SYNC_100, 0x02, 0x03, 0x84, 0x00, 0x13 }, 7, { SYNC_100, 0x84, 0x00, 0x13 }
	};
	uint64_t offset;

	assert_int_equal(find_finding(&row, row.bad, row.bad_n, &offset), 0);
}

/* Streams and all that is found in them, worse than a note. */
#define SRC_1 0x04
static const struct whole_row {
	const char *name;
	const struct hs_image *of_7; /* the program of scontext 7 */
	struct hs_nt_config config;
	const char *kinds[3];
	uint8_t n, bytes[40];
} wholes[] = {
	/* HIST 0 is found without a program, and nothing more is made of it */
	{ "a history without a stop bit", NULL, { HTM }, { "hist-without-stop-bit" },
	  8, { SYNC_100, 0x84, 0x40, 0x0d, 0x03 } },
	/* I-CNT 1 leads to 102, F-ADDR is 1100: that no code is there is not found, too */
	{ "a fault, and no code after it", NULL, { .inst_mode = HS_NT_BTM },
	  { "flow-faddr-elsewhere" }, 8, { SYNC_100, 0x24, 0x41, 0x00, 0x8b } },
	/* the linter has one source, the decoder two: the second one's message has no order */
	{ "a source too many", NULL, { .inst_mode = HS_NT_BTM, .src_bits = 6 },
	  { "src-over-memory", "src-over-memory" }, /* at both of its messages */
	  20, { 0x24, 0x00, 0x15, 0x00, 0x0b, 0x24, SRC_1, 0x15, 0x00, 0x0b, 0x0c, SRC_1, 0x0f,
	        0x0c, 0x00, 0x0f, 0x84, 0x00, 0x00, 0x07 } },
	/* Ownership says after the address whose it is */
	{ "an address of the next context", &counter, { .inst_mode = HS_NT_BTM, .context = 1 },
	  { NULL },
	  14, { 0x24, 0x15, 0x14, 0x13, 0x08, 0x88, 0x0f, 0x84, 0x00, 0x0b } },
};

static unsigned count_finding(const struct whole_row *row, const struct hs_finding *x)
{
	const struct hs_finding_kind *k = hs_nt_finding_get_kind(x->id);

	assert_non_null(k);
	if (k->severity == HS_SEVERITY_NOTE)
		return 0;
	for (unsigned i = 0; i < 3 && row->kinds[i]; i++)
		if (strcmp(k->name, row->kinds[i]) == 0)
			return 1;
	fail_msg("%s at %llu", k->name, (unsigned long long)x->offset);
	return 0;
}

TEST_ROWS(whole, wholes, row)
{
	static const uint64_t seven = 7;
	struct hs_nt_config config = row->config;
	struct hs_nt_lint_source source;
	struct hs_nt_source walked[2];
	struct hs_bb_table table, of_7;
	struct hs_bb_table *const tables[] = { &of_7 };
	struct hs_span in = { row->bytes, row->n };
	uint64_t memory[2][2048];
	struct hs_finding x;
	struct hs_nt_decoder d;
	struct hs_nt_lint l;
	unsigned found = 0, wanted = 0;

	config.size = sizeof config;
	assert_int_equal(hs_bb_init(&table, &two_branches, memory[0], 64), HS_OK);
	assert_int_equal(hs_nt_decoder_init(&d, &config, &table, walked, 2), HS_OK);
	const struct hs_decoder_options programs = {
		.size = sizeof programs, .count = 1, .tables = tables, .contexts = &seven
	};

	if (row->of_7) {
		assert_int_equal(hs_bb_init(&of_7, row->of_7, memory[1], 64), HS_OK);
		hs_nt_decoder_set(&d, &programs);
	}
	assert_int_equal(hs_nt_lint_init(&l, &config, &source, 1), HS_OK);
	hs_nt_lint_program(&l, &d);
	while (hs_nt_lint_next(&l, &in, &x) == HS_OK)
		found += count_finding(row, &x);
	while (wanted < 3 && row->kinds[wanted])
		wanted++;
	assert_int_equal(found, wanted);
}

#define ROWS (sizeof flow_rows / sizeof *flow_rows)

TEST(every_kind_has_a_row)
{
	for (unsigned id = 0; id < HS_NT_FIND_COUNT; id++) {
		const char *name = hs_nt_finding_get_kind(id)->name;
		bool shown = strncmp(name, "flow-", 5) != 0 || id == HS_NT_FIND_FLOW_OTHER ||
		             id == HS_NT_FIND_FLOW_OFF; /* no program needed for that one */

		for (size_t i = 0; i < ROWS; i++)
			shown = shown || strcmp(flow_rows[i].kind, name) == 0;
		if (!shown)
			fail_msg("no row shows %s", name);
	}
}

TESTS
{
	for (size_t i = 0; i < ROWS; i++)
		test_add(flow_rows[i].kind, seeded, &flow_rows[i]);
}
