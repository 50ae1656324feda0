/* Decoding with several versions of the code: small programs whose traces are known by hand. */
#include "cases.h"


#include "core/image.h"
#include "little.h"
#include "trace/trace.h"

#define TURNS 40
#define ROOM 512

/* 0x100: c.nop; the site at 0x102; 0x106: beq x0, x0, 0x100.  0x180, 0x200: what it may jump to. */
static const uint8_t loop[] = { 0x01, 0x00, 0x13, 0x00, 0x00, 0x00, 0xe3, 0x0d, 0x00, 0xfe };
static const uint8_t to_200[] = { 0x6f, 0x00, 0xe0, 0x0f }; /* j 0x200 */
static const uint8_t to_180[] = { 0x6f, 0x00, 0xe0, 0x07 }; /* j 0x180 */
static const uint8_t plain[] = { 0x13, 0x01, 0x01, 0xff };  /* addi sp, sp, -16 */
static const uint8_t back_180[] = { 0xe3, 0x00, 0x00, 0xf8 }; /* beq x0, x0, 0x100 */
static const uint8_t back_200[] = { 0x01, 0x00, 0xe3, 0x0f, 0x00, 0xee }; /* c.nop; the same */

/* ProgTraceSync SYNC=5 I-CNT=0 F-ADDR=0x80 (NT 7.5), then DirectBranch (NT 7.2) again and again. */
static const uint8_t sync_100[] = { 0x24, 0x15, 0x00, 0x0b };
#define TURN_OF(icnt) { 0x0c, (icnt) << 2 | 3 }

/* IndirectBranch B-TYPE=0 (NT 7.3), U-ADDR=0x180: from 0x100 to 0x200, or back. */
#define TO_OTHER(icnt) 0x10, (icnt) << 4 | 1, 0x00, 0x1b

static const struct row {
	const char *name;
	const uint8_t *later; /* bytes of the site in the second image */
	uint8_t turn[2][2];   /* messages: TURNS of the first, then TURNS of the second */
	size_t jumps;         /* blocks that end with the jump of the site */
	size_t gaps;
	uint64_t plain, changes;
	bool disputes;
} rows[] = {
	{ "a jump comes", to_200, { TURN_OF(5), TURN_OF(6) }, TURNS, 0, 0, 1, false },
	{ "nothing changes", to_200, { TURN_OF(5), TURN_OF(5) }, 0, 0, 0, 0, false },
	{ "it had changed before", to_200, { TURN_OF(6), TURN_OF(6) }, 2 * TURNS, 0, 0, 1, false },
	{ "both fit", to_180, { TURN_OF(5), TURN_OF(5) }, 0, 1, 0, 0, true },
	{ "no say in the flow", plain, { TURN_OF(5), TURN_OF(5) }, 0, 0, 1, 0, false },
	{ "no version fits", to_180, { TURN_OF(5), TURN_OF(4) }, 0, 1, 0, 0, true },
};

struct found {
	struct hs_block items[ROOM];
	size_t n;
	unsigned errors;
	struct hs_code_search_report report;
	struct hs_code_search_change change;
	uint8_t code[4]; /* of it */
};

static void decode_some(struct hs_code_search *s, struct hs_span *in, struct found *f)
{
	enum hs_status status;

	do {
		size_t n;

		status = in ? hs_code_search_decode(s, in, f->items + f->n, ROOM - f->n, &n)
		            : hs_code_search_end(s, f->items + f->n, ROOM - f->n, &n);
		f->n += n;
		f->errors += hs_status_get_class(status) >= HS_CLASS_CALLER;
	} while (status != HS_MORE && status != HS_OK);
}

/* The trace in pieces of @piece bytes, with two images. */
static void decode_bytes(const struct hs_image *images, const uint8_t *trace, size_t length,
                         size_t piece, struct found *f)
{
	const struct hs_protocol *p = hs_protocol_find("ntrace");
	void *config = calloc(1, p->config_size);
	const struct hs_code_search_options o = { .size = sizeof o, .count = 2, .protocol = p,
		                                  .config = config, .images = images };
	struct hs_code_search *s;

	hs_protocol_defaults(p, config);
	memset(f, 0, sizeof *f);
	assert_int_equal(hs_code_search_new(&o, &s), HS_OK);
	for (size_t at = 0; at < length; at += piece) {
		struct hs_span in = { trace + at, length - at < piece ? length - at : piece };

		decode_some(s, &in, f);
	}
	decode_some(s, NULL, f);
	hs_code_search_get_report(s, &f->report);
	if (f->report.changes) {
		assert_true(hs_code_search_get_change(s, 0, &f->change));
		assert_int_equal(f->change.code.size, sizeof f->code);
		memcpy(f->code, f->change.code.bytes, sizeof f->code);
	}
	assert_false(hs_code_search_get_change(s, f->report.changes, &f->change));
	hs_code_search_free(s);
	free(config);
}

static void decode_images(const struct hs_image *images, const struct row *r, size_t piece,
                          struct found *f)
{
	uint8_t trace[sizeof sync_100 + 4 * TURNS];

	memcpy(trace, sync_100, sizeof sync_100);
	for (size_t i = 0; i < 2 * TURNS; i++)
		memcpy(trace + sizeof sync_100 + 2 * i, r->turn[i / TURNS], 2);
	decode_bytes(images, trace, sizeof trace, piece, f);
}

static void decode(const struct row *r, size_t piece, struct found *f)
{
	uint8_t later[sizeof loop];
	struct hs_section v[2][3] = {
		{ { 0x100, sizeof loop, loop }, { 0x180, 4, back_180 }, { 0x200, 6, back_200 } },
		{ { 0x100, sizeof loop, later } },
	};
	const struct hs_image images[2] = { { .sections = v[0], .count = 3 },
		                            { .sections = v[1], .count = 1 } };

	memcpy(later, loop, sizeof loop);
	memcpy(later + 2, r->later, 4);
	decode_images(images, r, piece, f);
}

TEST_ROWS(versions, rows, r)
{
	for (size_t piece = 1; piece < 200; piece += 11) {
		struct found f;
		size_t gaps = 0, jumps = 0;

		decode(r, piece, &f);
		for (size_t i = 0; i < f.n; i++) {
			gaps += f.items[i].kind == HS_KIND_GAP;
			jumps += f.items[i].kind == HS_KIND_BLOCK &&
			         f.items[i].itype == HS_ITYPE_JUMP_INF;
		}
		assert_int_equal(jumps, r->jumps);
		assert_int_equal(f.report.sites, 1);
		assert_int_equal(f.report.plain, r->plain);
		assert_int_equal(f.report.changes, r->changes);
		assert_true(r->gaps ? gaps != 0 : gaps == 0);
		assert_int_equal(f.errors != 0, r->gaps != 0);
		assert_int_equal(f.report.disputes != 0, r->disputes);
		if (r->changes) {
			assert_int_equal(f.change.code.start, 0x102);
			assert_int_equal(f.change.version, 1);
			assert_memory_equal(f.code, r->later, 4);
		}
	}
}

/* Without a contradiction there is no block between the first one in dispute and the end. */
TEST(dispute_leaves_nothing)
{
	struct found f;

	decode(&rows[3], 100, &f);
	for (size_t i = 0; i < f.n; i++)
		assert_true(f.items[i].kind != HS_KIND_BLOCK);
}

/* ---- code that was patched and then freed ----------------------------------------- */

#define LABELS 8 /* entries of its table */
#define TABLE 0x140u

static void put_distance(uint8_t *at, uint32_t from, uint32_t to)
{
	const uint32_t v = LITTLE32(to - from);

	memcpy(at, &v, sizeof v);
}

/* The loop, with a table of jump labels after it: the site may become "j 0x200". */
static void make_patched(uint8_t memory[0x200])
{
	memset(memory, 0, 0x200);
	memcpy(memory, loop, sizeof loop);
	memcpy(memory + 0x100, back_200, sizeof back_200);
	for (uint32_t i = 0, at = TABLE; i < LABELS; i++, at += 16) {
		put_distance(memory + at, at, 0x002);
		put_distance(memory + at + 4, at + 4, 0x100);
	}
}

/* 0x100: the loop, as a trace of TURNS turns with the nop and as many with the jump. */
TEST(patched_and_freed)
{
	static uint8_t before[0x200], after[0x200];
	const struct hs_section v[2] = { { 0x100, sizeof before, before },
		                         { 0x100, sizeof after, after } };
	const struct hs_image images[2] = { { .sections = &v[0], .count = 1 },
		                            { .sections = &v[1], .count = 1 } };
	const struct row turns = { .turn = { TURN_OF(5), TURN_OF(6) } };
	struct found f;
	size_t gaps = 0, jumps = 0;

	make_patched(before);
	memset(after, 0xcc, sizeof after); /* memory that Linux frees */
	decode_images(images, &turns, 50, &f);
	for (size_t i = 0; i < f.n; i++) {
		gaps += f.items[i].kind == HS_KIND_GAP;
		jumps += f.items[i].kind == HS_KIND_BLOCK && f.items[i].itype == HS_ITYPE_JUMP_INF;
	}
	assert_int_equal(jumps, TURNS);
	assert_int_equal(gaps, 0);
	assert_int_equal(f.report.sites, 1); /* what fills freed memory is no version */
	assert_int_equal(f.report.changes, 1);
	assert_int_equal(f.change.version, HS_CODE_PATCHED);
	assert_int_equal(f.change.code.start, 0x102);
	assert_memory_equal(f.code, to_200, 4);
}

/* ---- a version that nothing names -------------------------------------------------- */

/* 0x100: addi, c.jr ra, which a trace gives half-words for that are not there; it leads to 0x200
 * and back.  Each message has an address, at which decoding resumes. */
TEST(resumes_at_address)
{
	static const uint8_t first[] = { 0x13, 0x01, 0x01, 0xff, 0x82, 0x80 };
	static const uint8_t second[] = { 0x01, 0x00, 0x82, 0x80 };
	static const uint8_t other[] = { 0x6f, 0x00, 0x00, 0x10 };
	const struct hs_section v[3] = { { 0x100, sizeof first, first },
		                         { 0x200, sizeof second, second },
		                         { 0x300, sizeof other, other } };
	const struct hs_section w = { 0x300, sizeof second, second };
	const struct hs_image images[2] = { { .sections = v, .count = 3 },
		                            { .sections = &w, .count = 1 } };
	/* ProgTraceSync F-ADDR=0x80; IndirectBranch (NT 7.3) B-TYPE=0: I-CNT=4 U-ADDR=0x180 (one
	 * half-word too many); I-CNT=2 U-ADDR=0x180; I-CNT=3 U-ADDR=0x180; I-CNT=2 U-ADDR=0x180. */
	static const uint8_t trace[] = { 0x24, 0x15, 0x00, 0x0b, TO_OTHER(4), TO_OTHER(2),
		                         TO_OTHER(3), TO_OTHER(2) };
	const struct hs_block want[] = { { .iaddr = 0x200, .iretire = 2 },
		                         { .iaddr = 0x100, .iretire = 3 },
		                         { .iaddr = 0x200, .iretire = 2 } };
	struct found f;
	size_t n = 0, gaps = 0;

	decode_bytes(images, trace, sizeof trace, 100, &f);
	for (size_t i = 0; i < f.n; i++) {
		gaps += f.items[i].kind == HS_KIND_GAP;
		if (f.items[i].kind == HS_KIND_UNSEEN)
			assert_int_equal(f.items[i].arg, 4);
		if (f.items[i].kind != HS_KIND_BLOCK)
			continue;
		assert_true(n < 3);
		assert_int_equal(f.items[i].iaddr, want[n].iaddr);
		assert_int_equal(f.items[i].iretire, want[n++].iretire);
	}
	assert_int_equal(n, 3);
	assert_int_equal(gaps, 1);
	assert_int_equal(f.report.unsolved, 1);
}

/* ---- entries that are built again ------------------------------------------------- */

TEST(entries_change_in_place)
{
	static uint8_t code[sizeof loop];
	static uint64_t memory[4096];
	const struct hs_section v[] = { { 0x100, sizeof code, code }, { 0x200, 6, back_200 } };
	const struct hs_image image = { .sections = v, .count = 2 };
	struct hs_bb_table t;

	memcpy(code, loop, sizeof code);
	assert_true(hs_bb_memory(64) <= sizeof memory);
	assert_int_equal(hs_bb_init(&t, &image, memory, 64), HS_OK);
	const uint32_t start = hs_bb_at(&t, 0x100), middle = hs_bb_at(&t, 0x106);

	assert_int_equal(t.bbs[start].hwords, 5);
	assert_int_equal(hs_bb_edge(&t, middle, 1), start);
	memcpy(code + 2, to_200, 4);
	hs_bb_change(&t, 0x102, 4);
	assert_int_equal(hs_bb_at(&t, 0x100), start);
	assert_int_equal(t.bbs[start].hwords, 3);
	assert_int_equal(t.bbs[start].kind, HS_INSN_JUMP);
	assert_int_equal(t.bbs[hs_bb_edge(&t, start, 1)].start, 0x200);
	assert_int_equal(t.bbs[middle].edge[1], start);
	memcpy(code + 2, loop + 2, 4);
	hs_bb_change(&t, 0x102, 4);
	assert_int_equal(t.bbs[start].hwords, 5);
	assert_int_equal(t.bbs[start].kind, HS_INSN_BRANCH);
}
