/* Code that changes where no message is: a guide says after how many blocks (image.h).
 * Bytes by hand: MDO in bits 7:2, MSEO in bits 1:0 (NT 3). */
#include "cases.h"

#include <hartscope/image.h>

#include "ntrace/nt_decoder.h"
#include "unit/ntrace_rows.h"

/* What is at 200 at first, and after the change: the block before it ends with a branch to it. */
static const uint8_t old_200[] = {
	0x33, 0x05, 0xb5, 0x00, /* 200 add */
	0x33, 0x05, 0xb5, 0x00, /* 204 add */
	0x02, 0x90,             /* 208 c.ebreak */
};
static const uint8_t new_200[] = {
	0x2e, 0x95, 0x2e, 0x95, /* 200 202 c.add */
	0x33, 0x05, 0xb5, 0x00, /* 204 add */
	0x2e, 0x95,             /* 208 c.add */
	0x02, 0x90,             /* 20a c.ebreak */
};
static const struct hs_section old_sections[] = {
	{ 0x100, sizeof two_branches_100, two_branches_100 }, { 0x200, sizeof old_200, old_200 },
};
static const struct hs_section new_sections[] = {
	{ 0x100, sizeof two_branches_100, two_branches_100 }, { 0x200, sizeof new_200, new_200 },
};

/* IndirectBranchHistSync SYNC=2 B-TYPE=0 HIST=taken: a synchronisation that no jump asked for. */
#define MARK(icnt, low) 0x74, 0x08, (icnt) << 2 | 1, (low) << 2, 0x11, 0x0f
/* ProgTraceCorrelation EVCODE=0 CDF=1 HIST=none */
#define OFF(icnt) 0x84, 0x40, (icnt) << 2 | 1, 0x07

static const struct guide_row {
	const char *name;
	uint64_t moments[2]; /* blocks before the change, and until the one back */
	struct hs_block items[5];
	uint8_t n, bytes[20];
} guide_rows[] = {
	{ "a count ends in the block after a change, where the old code has no end",
	  { 1, HS_GUIDE_NEVER },
	  { S100, B(0x100, 3, 2, 5), B(0x200, 4, 2, 0), STOP(0) },
	  14, { SYNC_100, MARK(4, 1), OFF(3) } },
	{ "where both have one", { 1, HS_GUIDE_NEVER },
	  { S100, B(0x100, 3, 2, 5), B(0x200, 4, 2, 0), STOP(0) },
	  14, { SYNC_100, MARK(5, 2), OFF(2) } },
	{ "at the change", { 1, HS_GUIDE_NEVER },
	  { S100, B(0x100, 3, 2, 5), B(0x200, 5, 1, 0), STOP(0) },
	  14, { SYNC_100, MARK(3, 0), OFF(5) } },
	{ "no change yet", { 2, HS_GUIDE_NEVER },
	  { S100, B(0x100, 3, 2, 5), B(0x200, 4, 2, 0), STOP(0) },
	  14, { SYNC_100, MARK(5, 2), OFF(2) } },
};

static struct guided {
	const struct guide_row *row;
	struct hs_image image;
	struct hs_bb_table table;
	uint64_t memory[1024];
	unsigned changes;
} guided;

static uint64_t begin(void *to, uint32_t src, struct hs_bb_table **table)
{
	struct guided *g = to;

	assert_int_equal(src, 0);
	*table = &g->table;
	return g->row->moments[0];
}

static uint64_t reach(void *to, uint32_t src)
{
	struct guided *g = to;

	assert_int_equal(src, 0);
	g->image.sections = new_sections;
	hs_bb_forget(&g->table);
	return g->row->moments[++g->changes];
}

static void place(void *to, uint32_t src, uint64_t offset)
{
	(void)to;
	fail_msg("source %u was lost before byte %llu", src, (unsigned long long)offset);
}

static void decodes(void **state)
{
	struct guided *g = &guided;
	const struct hs_code_guide guide = { g, begin, reach, place, false };
	const struct hs_nt_config c = { .size = sizeof c };
	struct hs_block out[64];
	struct hs_nt_source source;
	struct hs_nt_decoder d;
	size_t n, more;

	g->row = *state;
	g->image = (struct hs_image){ old_sections, 2, { .xlen = 64 }, 0 };
	g->changes = 0;
	struct hs_span in = { g->row->bytes, g->row->n };

	assert_int_equal(hs_bb_init(&g->table, &g->image, g->memory, 64), HS_OK);
	assert_int_equal(hs_nt_decoder_init(&d, &c, &g->table, &source, 1), HS_OK);
	const struct hs_decoder_options o = { .size = sizeof o, .guide = &guide };

	assert_int_equal(hs_nt_decoder_set(&d, &o), HS_OK);
	assert_int_equal(hs_nt_decoder_next(&d, &in, out, 64, &n), HS_MORE);
	assert_int_equal(hs_nt_decoder_end(&d, out + n, 64 - n, &more), HS_OK);
	assert_int_equal(n + more, 4);
	for (size_t i = 0; i < 4; i++)
		if (!hs_block_equal(&g->row->items[i], &out[i]))
			fail_msg("item %zu: %s %llx+%u itype %u", i, hs_kind_name(out[i].kind),
			         (unsigned long long)out[i].value, out[i].arg, out[i].itype);
}

TEST_TABLE(decodes, guide_rows)
