/* Filters of data accesses (TCI, trTeDataFilters): which of a block's accesses come out. */
#include "ingress/ingress.h"
#include "cases.h"

#include <hartscope/block.h>
#include <hartscope/ingress.h>

#include "core/access.h"

#define MOST 10

static const uint8_t code[] = {
	0x03, 0xa5, 0x05, 0x00, /* 1000 lw a0, 0(a1) */
	0x23, 0xa0, 0xa5, 0x00, /* 1004 sw a0, 0(a1) */
	0x05, 0x05,             /* 1008 c.addi a0, 1 */
	0x03, 0xb5, 0x05, 0x00, /* 100a ld a0, 0(a1) */
	0x2f, 0xa5, 0xc5, 0x00, /* 100e amoadd.w a0, a2, (a1) */
	0x07, 0x80, 0x05, 0x02, /* 1012 vle8.v v0, (a1) */
	0x88, 0x41,             /* 1016 c.lw a0, 0(a1) */
	0x82, 0x80,             /* 1018 ret */
};
static const struct hs_section section = { 0x1000, sizeof(code), code };
static const struct hs_image image = { .sections = &section, .count = 1, .isa = { .xlen = 64 } };
static const struct hs_block whole = { .iaddr = 0x1000, .iretire = 13, .ilast = 1,
	                               .itype = HS_ITYPE_RETURN, .priv = HS_PRIV_M };

/* What the block does, in order; the vector has three elements. */
static const struct { uint8_t type, size; uint16_t address; } made[] = {
	{ HS_ACCESS_LOAD, 2, 0x9000 }, { HS_ACCESS_STORE, 2, 0x9004 }, { HS_ACCESS_LOAD, 3, 0x9008 },
	{ HS_ACCESS_ADD, 2, 0x9010 }, { HS_ACCESS_LOAD, 0, 0x9020 }, { HS_ACCESS_LOAD, 0, 0x9021 },
	{ HS_ACCESS_LOAD, 0, 0x9022 }, { HS_ACCESS_LOAD, 2, 0x9030 },
};
#define ALL { 0x9000, 0x9004, 0x9008, 0x9010, 0x9020, 0x9021, 0x9022, 0x9030 }

static const struct row {
	const char *name, *filters[3];
	bool without_code;
	uint64_t want[MOST]; /* addresses of what comes out, up to 0 */
} rows[] = {
	{ "no filter", { NULL }, false, ALL },
	{ "a filter of instructions lets accesses through", { "iaddr=0x1000-0x1001" }, false, ALL },
	{ "data", { "data" }, false, ALL },
	{ "addresses", { "daddr=0x9004-0x9010" }, false, { 0x9004, 0x9008, 0x9010 } },
	{ "types", { "dtype=add,store" }, false, { 0x9004, 0x9010 } },
	{ "sizes", { "dsize=1,8" }, false, { 0x9008, 0x9020, 0x9021, 0x9022 } },
	{ "all conditions of a filter", { "dsize=4+dtype=load+daddr>0x9000" }, false, { 0x9030 } },
	{ "one of two filters", { "dsize=8", "dtype=add" }, false, { 0x9008, 0x9010 } },
	{ "privilege of the block", { "priv=M+data" }, false, ALL },
	{ "another privilege", { "priv=U,S+data" }, false, { 0 } },
	{ "addresses of instructions", { "iaddr=0x1004-0x100a+data" }, false, { 0x9004, 0x9008 } },
	{ "an instruction with three accesses", { "iaddr=0x1012-0x1012+data" }, false,
	  { 0x9020, 0x9021, 0x9022 } },
	{ "the one after it", { "iaddr=0x1016-0x1016+data" }, false, { 0x9030 } },
	{ "from an instruction to another", { "latch=0x1004-0x100e+data" }, false,
	  { 0x9004, 0x9008, 0x9010 } },
	{ "from an address to another: it is cleared after the access", {
	  "comparator.0.input = daddr", "comparator.0.value = 0x9004",
	  "comparator.0.second.input = daddr\ncomparator.0.second.value = 0x9020\n"
	  "comparator.0.mode = latch\nfilter.0.comparators = 0\nfilter.0.data = 1" }, false,
	  { 0x9004, 0x9008, 0x9010, 0x9020 } },
	{ "a filter of both", { "iaddr=0x1004-0x100a", "filter.0.data = 1" }, false,
	  { 0x9004, 0x9008 } },
	{ "without code the first address decides", { "iaddr=0x1000-0x1000+data" }, true, ALL },
	{ "without code, another address", { "iaddr=0x1004-0x100a+data" }, true, { 0 } },
};

static struct {
	struct hs_access at[300];
	size_t n, blocks;
	struct hs_access_reader reader;
} out;

static void qualify(struct hs_qualifier *q, const struct hs_block *in, size_t n)
{
	struct hs_block room[HS_QUALIFIER_ROOM];

	for (size_t at = 0, used, count; at < n; at += used) {
		hs_qualify(q, in + at, n - at, &used, room, HS_QUALIFIER_ROOM, &count);
		for (size_t i = 0; i < count; i++) {
			out.blocks += room[i].kind == HS_KIND_BLOCK;
			if (hs_access_take(&out.reader, &room[i]))
				out.at[out.n++] = out.reader.access;
		}
	}
}

static void set_up(struct hs_qualifier *q, const struct row *r)
{
	struct hs_qualifier_config c = { .size = sizeof(c) };

	for (unsigned i = 0; i < 3 && r->filters[i]; i++) {
		struct hs_span in = { (const uint8_t *)r->filters[i], strlen(r->filters[i]) };
		const bool lines = strstr(r->filters[i], " = ") != NULL;
		unsigned line;

		assert_int_equal(lines ? hs_qualifier_read(&c, &in, &line)
		                       : hs_qualifier_parse(&c, r->filters[i]), HS_OK);
	}
	assert_int_equal(hs_qualifier_init(q, &c, r->without_code ? NULL : &image), HS_OK);
	memset(&out, 0, sizeof(out));
}

TEST_ROWS(row, rows, r)
{
	struct hs_block in[3 * COUNT_OF(made) + 1];
	struct hs_qualifier q;
	size_t n = 0, want = 0;

	for (size_t i = 0; i < COUNT_OF(made); i++) {
		const struct hs_access a = { .address = made[i].address, .type = made[i].type,
			                     .size = made[i].size, .data = i, .operand = 7,
			                     .known = HS_ACCESS_HAS_ADDRESS | HS_ACCESS_HAS_DATA |
			                              HS_ACCESS_HAS_OPERAND };

		n += hs_access_put(&a, in + n);
	}
	in[n++] = whole;
	set_up(&q, r);
	for (unsigned pass = 0; pass < 2; pass++) /* nothing is left of the first one */
		qualify(&q, in, n);
	while (want < MOST && r->want[want])
		want++;
	assert_int_equal(out.n, 2 * want);
	for (size_t i = 0; i < out.n; i++) {
		assert_int_equal(out.at[i].address, r->want[i % want]);
		assert_int_equal(out.at[i].operand, 7);
	}
	assert_int_equal(out.blocks, 2);
}

/* More accesses than can wait: the first 190 are decided without their instruction.  Of the others
 * the vector makes all but one, which is left for the load after it. */
TEST(too_many)
{
	static const struct row types = { "", { "dtype=load" }, false, { 0 } },
	                        code_of = { "", { "iaddr=0x1012-0x1012+data" }, false, { 0 } };
	struct hs_block items[HS_ACCESS_ITEMS];
	struct hs_qualifier q;

	for (unsigned i = 0; i < 2; i++) {
		struct hs_access a = { .type = HS_ACCESS_LOAD, .known = HS_ACCESS_HAS_ADDRESS };

		set_up(&q, i ? &code_of : &types);
		for (a.address = 0; a.address < 250; a.address++)
			qualify(&q, items, hs_access_put(&a, items));
		qualify(&q, &whole, 1);
		assert_int_equal(out.n, i ? 59 : 250);
		for (size_t n = 0; n < out.n; n++)
			assert_int_equal(out.at[n].address, n + (i ? 190 : 0));
	}
}

/* Instructions have no data address, type or size. */
TEST(not_of_instructions)
{
	static const char *const texts[] = {
		"filter.0.enable = 1\nfilter.0.dtype = load",
		"filter.0.enable = 1\nfilter.0.dsize = 4",
		"filter.0.enable = 1\nfilter.0.comparators = 1\ncomparator.1.input = daddr",
		("filter.0.enable = 1\nfilter.0.comparators = 1\ncomparator.1.second.input = daddr\n"
		 "comparator.1.mode = both"),
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct hs_qualifier_config c = { .size = sizeof(c) };
		struct hs_span in = { (const uint8_t *)texts[i], strlen(texts[i]) };
		struct hs_qualifier q;
		unsigned line;

		assert_int_equal(hs_qualifier_read(&c, &in, &line), HS_OK);
		assert_int_equal(hs_qualifier_init(&q, &c, NULL), HS_E_CONFIG);
	}
}

/* cm.push {ra, s0-s2}, -64 (Zcmp, its example: rlist 7, spimm 3), whose stores come one by one,
 * then c.lw: a filter of its address has all four. */
TEST(a_push)
{
	static const uint8_t push[] = { 0x7e, 0xb8, 0x88, 0x41 };
	static const struct hs_section text = { 0x1000, sizeof(push), push };
	static const struct hs_image program = { .sections = &text, .count = 1,
		                                 .isa = { .xlen = 64, .zcmp_zcmt = true } };
	static const struct hs_block block = { .iaddr = 0x1000, .iretire = 2, .ilast = 1 };
	static const struct { const char *filter; unsigned want; } filters[] = {
		{ "iaddr=0x1000-0x1000+data", 4 }, { "iaddr=0x1002-0x1002+data", 1 },
		{ "dtype=mstore", 4 }, { "dtype=store", 0 }, { "dtype=mload,cas", 0 },
	};
	struct hs_access a = { .size = 3, .known = HS_ACCESS_HAS_ADDRESS };
	struct hs_block items[HS_ACCESS_ITEMS];
	struct hs_qualifier q;

	for (unsigned f = 0; f < COUNT_OF(filters); f++) {
		struct hs_qualifier_config c = { .size = sizeof(c) };

		assert_int_equal(hs_qualifier_parse(&c, filters[f].filter), HS_OK);
		assert_int_equal(hs_qualifier_init(&q, &c, &program), HS_OK);
		memset(&out, 0, sizeof(out));
		for (unsigned i = 0; i < 5; i++) {
			a.type = i < 4 ? HS_ACCESS_MULTI_STORE : HS_ACCESS_LOAD;
			a.size = i < 4 ? 3 : 2;
			a.address = 0x8000 - 8 * i;
			qualify(&q, items, hs_access_put(&a, items));
		}
		qualify(&q, &block, 1);
		assert_int_equal(out.n, filters[f].want);
	}
}

/* What an instruction can make (Zcmp, Zacas; RHTI Data access type): by its bytes. */
TEST(what_instructions_make)
{
	static const struct {
		uint8_t bytes[4], hwords, makes, not, count;
	} insns[] = {
		{ { 0x7e, 0xb8 }, 1, HS_ACCESS_MULTI_STORE, HS_ACCESS_MULTI_LOAD, 4 }, /* cm.push */
		{ { 0xfe, 0xb8 }, 1, HS_ACCESS_MULTI_STORE, HS_ACCESS_LOAD, 13 }, /* rlist 15 */
		{ { 0x7e, 0xb8 }, 1, HS_ACCESS_STORE, HS_ACCESS_LOAD, 4 }, /* or c.fsdsp */
		{ { 0x3e, 0xb8 }, 1, HS_ACCESS_STORE, HS_ACCESS_MULTI_STORE, 0 }, /* rlist 3 */
		{ { 0x42, 0xba }, 1, HS_ACCESS_MULTI_LOAD, HS_ACCESS_MULTI_STORE, 1 }, /* pop */
		{ { 0x52, 0xbc }, 1, HS_ACCESS_MULTI_LOAD, HS_ACCESS_LOAD, 2 }, /* cm.popretz */
		{ { 0x52, 0xbe }, 1, HS_ACCESS_MULTI_LOAD, HS_ACCESS_SWAP, 2 }, /* cm.popret */
		{ { 0x07, 0x80, 0x05, 0x02 }, 2, HS_ACCESS_MULTI_LOAD, HS_ACCESS_MULTI_STORE, 0 },
		{ { 0x27, 0x80, 0x05, 0x02 }, 2, HS_ACCESS_MULTI_STORE, HS_ACCESS_MULTI_LOAD, 0 },
		{ { 0x07, 0xb5, 0x05 }, 2, HS_ACCESS_LOAD, HS_ACCESS_MULTI_LOAD, 0 }, /* fld */
		{ { 0x2f, 0xa5, 0xc5, 0x28 }, 2, HS_ACCESS_SWAP, HS_ACCESS_ADD, 0 }, /* amocas.w */
		{ { 0x2f, 0xa5, 0xc5, 0x28 }, 2, HS_ACCESS_CAS_FAILED, HS_ACCESS_SC_FAILED, 0 },
		/* sc.w */
		{ { 0x2f, 0xa5, 0xc5, 0x18 }, 2, HS_ACCESS_SC_FAILED, HS_ACCESS_CAS_FAILED, 0 },
	};

	for (unsigned i = 0; i < COUNT_OF(insns); i++) {
		const uint8_t *bytes = insns[i].bytes;
		struct hs_access a = { .type = insns[i].makes };
		bool any = false;

		for (a.size = 0; a.size < 4; a.size++)
			any |= hs_access_insn_makes(bytes, insns[i].hwords, &a);
		assert_true(any && hs_access_insn_makes_any(bytes, insns[i].hwords));
		a.type = insns[i].not;
		for (a.size = 0; a.size < 4; a.size++)
			assert_false(hs_access_insn_makes(bytes, insns[i].hwords, &a));
		assert_int_equal(hs_access_insn_count(bytes, insns[i].hwords), insns[i].count);
	}
}
