/* Saved harts: their bytes by hand (ctr.h), what is refused, and other depths (design/ctr). */
#include "cases.h"

#include "ctr_saved.h"
#include "unit/ctr_run.h"

enum { HEADER = 36, ENTRY_BYTES = 24 };

static struct ctr_hart hart_with(bool ratified, unsigned xlen, uint8_t depths)
{
	struct ctr_hart h = { .ratified = ratified, .xlen = xlen,
		              .h_halves = !ratified && xlen == 32 };
	struct hs_ctr_config k = ctr_config(FULL, ratified, xlen);

	k.depths = depths;
	assert_int_equal(hs_ctr_init(&h.c, &k), HS_OK);
	h.env = (struct hs_ctr_env){ .mstateen0 = UINT64_MAX, .hstateen0 = UINT64_MAX };
	return h;
}

static void run_steps(struct ctr_hart *h, const struct step *steps, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ctr_step(h, &steps[i]);
}
#define RUN(h, ...) \
	run_steps(h, (const struct step[]){ __VA_ARGS__ }, \
	          sizeof((const struct step[]){ __VA_ARGS__ }) / sizeof(struct step))

static enum hs_status restore(struct hs_ctr *c, const uint8_t *bytes, size_t n, size_t *used)
{
	struct hs_span in = { bytes, n };
	const struct hs_ctr before = *c;
	const enum hs_status s = hs_ctr_restore(c, &in);

	*used = n - in.n;
	assert_ptr_equal(in.p, bytes + *used);
	if (s != HS_OK) {
		assert_int_equal(*used, 0);
		assert_memory_equal(c, &before, sizeof(before));
	}
	return s;
}

/* Two records: a call that was the first after a control write, and a mispredicted jump that
 * retired 7 cycles later. */
static struct ctr_hart two_records(void)
{
	struct ctr_hart h = hart_with(true, 64, 1);

	RUN(&h, WRITE(M_MODE, VSCTL, EN_S), WRITE(M_MODE, MCTL, EN_M),
	    TRANSFER(M_MODE, CALL, 0x1000, 0x2000), CYCLES(M_MODE, 7),
	    MISPREDICTED(M_MODE, JUMP, 0x1234567890, 0x3002), CYCLES(M_MODE, 0x105));
	return h;
}

TEST(bytes_by_hand)
{
	static const uint8_t want[HEADER + 2 * ENTRY_BYTES] = {
		'H', 'C', 'T', 'R', 1, 0, 16, 0, 1, 64, 0, 2, 4, 0, 0, 0,
		4, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0,
		0x01, 0x10, 0, 0, 0, 0, 0, 0, 0x00, 0x20, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0,
		0x91, 0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0x03, 0x30, 0, 0, 0, 0, 0, 0,
		11, 0x80, 7, 0, 0, 0, 0, 0,
	};
	const struct ctr_hart h = two_records();
	uint8_t out[HS_CTR_SAVED_MAX];
	const uint32_t crc = ctr_saved_crc((const uint8_t *)"123456789", 9);

	memset(out, 0xa5, sizeof(out));
	assert_int_equal(crc, 0xcbf43926);
	assert_int_equal(hs_ctr_save(&h.c, out), HEADER + 16 * ENTRY_BYTES + 4);
	assert_memory_equal(out, want, sizeof(want));
	for (size_t i = sizeof(want); i < HEADER + 16 * ENTRY_BYTES; i++)
		assert_int_equal(out[i], 0);
	for (size_t i = HEADER + 16 * ENTRY_BYTES + 4; i < sizeof(out); i++)
		assert_int_equal(out[i], 0xa5);
	uint8_t sealed[HS_CTR_SAVED_MAX];

	memcpy(sealed, out, sizeof(sealed));
	ctr_saved_seal(sealed, HEADER + 16 * ENTRY_BYTES);
	assert_memory_equal(out, sealed, HEADER + 16 * ENTRY_BYTES + 4);
}

/* Flags: WRAP 1, FROZEN 2, CCV 4. */
TEST(flags_by_hand)
{
	struct ctr_hart h = hart_with(false, 32, 3);
	uint8_t out[HS_CTR_SAVED_MAX];

	RUN(&h, WRITE(M_MODE, MCTL, EN_M | DEPTH_CODE(1)), WRITE(M_MODE, STATUS, WRAP | 17));
	assert_int_equal(hs_ctr_save(&h.c, out), HEADER + 32 * ENTRY_BYTES + 4);
	assert_memory_equal(out + 4, ((uint8_t[]){ 1, 0, 32, 0, 2, 32, 1, 17, 1 }), 9);
	RUN(&h, WRITE(M_MODE, STATUS, FROZEN));
	hs_ctr_save(&h.c, out);
	assert_int_equal(out[12], 2);
	RUN(&h, WRITE(M_MODE, STATUS, 0), JUMPS(M_MODE, 1));
	hs_ctr_save(&h.c, out);
	assert_int_equal(out[12], 4);
}

/* All of it comes back, entries above the depth too; what follows is the caller's. */
TEST(same_hart)
{
	for (unsigned i = 0; i < 4; i++) {
		struct ctr_hart h = hart_with(i & 2, i & 1 ? 32 : 64, 0x1f);
		struct ctr_hart to = hart_with(i & 2, i & 1 ? 32 : 64, 0x1f);
		const struct step depths[2][2] = {
			{ WRITE(M_MODE, MCTL, DEPTH_CODE(15)),
			  WRITE(M_MODE, MCTL, EN_M | DEPTH_CODE(1)) },
			{ CSR_WRITE(M_MODE, CSR_SCTRDEPTH, 4),
			  CSR_WRITE(M_MODE, CSR_SCTRDEPTH, 1) },
		};
		const struct step deep = depths[i / 2][0], shallow = depths[i / 2][1];
		uint8_t out[HS_CTR_SAVED_MAX + 1];
		size_t used;

		RUN(&h, deep, WRITE(M_MODE, VSCTL, EN_U | RASEMU),
		    WRITE(M_MODE, MCTL, EN_M | deep.a), JUMPS(M_MODE, 300), CYCLES(M_MODE, 99),
		    shallow, CYCLES(M_MODE, 9));
		assert_int_equal(hs_ctr_save(&h.c, out), HS_CTR_SAVED_MAX);
		assert_int_equal(restore(&to.c, out, sizeof(out), &used), HS_OK);
		assert_int_equal(used, HS_CTR_SAVED_MAX);
		assert_memory_equal(&to.c, &h.c, sizeof(h.c));
	}
}

TEST(damage_is_refused)
{
	const struct ctr_hart h = two_records();
	struct ctr_hart to = hart_with(true, 64, 1);
	uint8_t out[HS_CTR_SAVED_MAX];
	const size_t n = hs_ctr_save(&h.c, out);
	size_t used;

	for (size_t bit = 0; bit < 8 * n; bit++) {
		const bool format = bit / 8 == 4 || bit / 8 == 5;

		out[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(restore(&to.c, out, n, &used), format ? HS_E_UNSUPPORTED :
		                                                         HS_E_FORMAT);
		out[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t most = 0; most < n; most++)
		assert_int_equal(restore(&to.c, out, most, &used), HS_E_FORMAT);
	assert_int_equal(restore(&to.c, out, n, &used), HS_OK);
}

/* With the right checksum: bytes of the header that a hart cannot have, and what another hart does
 * not have. */
static const struct change {
	const char *name;
	uint8_t at, value;
	enum hs_status status;
} changes[] = {
	{ "another name", 3, 'S', HS_E_FORMAT },
	{ "17 entries", 6, 17, HS_E_FORMAT },
	{ "8 entries", 6, 8, HS_E_FORMAT },
	{ "no entry", 6, 0, HS_E_FORMAT },
	{ "512 entries", 7, 2, HS_E_FORMAT },
	{ "0.1.4", 8, 2, HS_E_CONFIG },
	{ "RV32", 9, 32, HS_E_CONFIG },
	{ "a depth of 32", 10, 1, HS_E_FORMAT },
	{ "depth code 5", 10, 5, HS_E_FORMAT },
	{ "depth code 255", 10, 255, HS_E_FORMAT },
	{ "WRPTR of the depth", 11, 16, HS_E_FORMAT },
	{ "another flag", 12, 12, HS_E_FORMAT },
	{ "zero 1", 13, 1, HS_E_FORMAT },
	{ "zero 2", 14, 128, HS_E_FORMAT },
	{ "zero 3", 15, 1, HS_E_FORMAT },
	{ "WRAP in 1.0", 12, 5, HS_E_FIELD },
	{ "a control bit that no version has", 16, 0x40, HS_E_FIELD },
	{ "M in vsctl", 24, 4, HS_E_FIELD },
	{ "more cycles than CC has", 35, 8, HS_E_FIELD },
	{ "bit 8 of ctrdata", HEADER + 17, 1, HS_E_FIELD },
	{ "nothing wrong", 10, 0, HS_OK },
	{ "FROZEN", 12, 6, HS_OK },
};

TEST_ROWS(changed, changes, row)
{
	const struct ctr_hart h = two_records();
	struct ctr_hart to = hart_with(true, 64, 1);
	uint8_t out[HS_CTR_SAVED_MAX];
	const size_t n = hs_ctr_save(&h.c, out);
	size_t used;

	out[row->at] = row->value;
	ctr_saved_seal(out, n - 4);
	assert_int_equal(restore(&to.c, out, n, &used), row->status);
	assert_int_equal(used, row->status == HS_OK ? n : 0);
}

/* 48 entries are no depth. */
TEST(no_depth)
{
	const size_t n = HEADER + 48 * ENTRY_BYTES;
	struct ctr_hart h = hart_with(true, 64, 7);
	uint8_t out[HS_CTR_SAVED_MAX];
	size_t used;

	hs_ctr_save(&h.c, out);
	out[6] = 48;
	ctr_saved_seal(out, n);
	assert_int_equal(restore(&h.c, out, n + 4, &used), HS_E_FORMAT);
}

/* Entries above the depth go as far as both harts have them. */
TEST(hidden_entries)
{
	struct ctr_hart h = hart_with(true, 64, 0x1f), small = hart_with(true, 64, 1);
	struct ctr_hart middle = hart_with(true, 64, 7), large = hart_with(true, 64, 0x1f);
	uint8_t out[HS_CTR_SAVED_MAX];
	size_t used;

	RUN(&h, CSR_WRITE(M_MODE, CSR_SCTRDEPTH, 4), WRITE(M_MODE, MCTL, EN_M),
	    JUMPS(M_MODE, 256), CSR_WRITE(M_MODE, CSR_SCTRDEPTH, 0));
	assert_int_equal(restore(&small.c, out, hs_ctr_save(&h.c, out), &used), HS_OK);
	assert_int_equal(restore(&middle.c, out, used, &used), HS_OK);
	memset(out, 0xa5, sizeof(out));
	assert_int_equal(restore(&large.c, out, hs_ctr_save(&middle.c, out), &used), HS_OK);
	for (unsigned i = 0; i < HS_CTR_ENTRIES; i++) {
		assert_int_equal(small.c.entries[i].source, i < 16 ? 0x1001 + 2 * i : 0);
		assert_int_equal(middle.c.entries[i].source, i < 64 ? 0x1001 + 2 * i : 0);
		assert_int_equal(large.c.entries[i].source, i < 64 ? 0x1001 + 2 * i : 0);
	}
}

/* A hart without MISP, with shorter CC or shorter addresses holds only what fits. */
TEST(lesser_hart)
{
	const struct ctr_hart h = two_records();
	struct hs_ctr_config k = h.c.config;
	uint8_t out[HS_CTR_SAVED_MAX];
	const size_t n = hs_ctr_save(&h.c, out);
	struct hs_ctr to;
	size_t used;

	k.without = HS_CTR_NO_MISP;
	assert_int_equal(hs_ctr_init(&to, &k), HS_OK);
	assert_int_equal(restore(&to, out, n, &used), HS_E_FIELD);
	k.without = 0, k.cc_bits = 12;
	assert_int_equal(hs_ctr_init(&to, &k), HS_OK);
	assert_int_equal(restore(&to, out, n, &used), HS_OK);
	k.cc_bits = 16, k.va_bits = 37, k.pa_bits = 36;
	assert_int_equal(hs_ctr_init(&to, &k), HS_OK);
	assert_int_equal(restore(&to, out, n, &used), HS_E_FIELD);
	k.va_bits = 38;
	assert_int_equal(hs_ctr_init(&to, &k), HS_OK);
	assert_int_equal(restore(&to, out, n, &used), HS_OK);
}

/* Jumps 0, 1, ... come from 0x1000, 0x1002, ... */
static const struct move {
	const char *name;
	bool ratified;
	uint8_t from, code, to; /* depths, DEPTH as written, depths of the other hart */
	unsigned jumps;
	unsigned depth, wrptr, oldest; /* afterwards; @oldest: jump of the oldest record */
	bool wrap;
} moves[] = {
	{ "0.1.4: 64 full to 32", false, 7, 3, 3, 69, 32, 5, 37, true },
	{ "0.1.4: 64 with 20 to 16: WRAP, as four were lost", false, 7, 3, 1, 20, 16, 4, 4, true },
	{ "0.1.4: 64 with 16 to 16: WRPTR passed the end", false, 7, 3, 1, 16, 16, 0, 0, true },
	{ "0.1.4: 64 with 15 to 16", false, 7, 3, 1, 15, 16, 15, 0, false },
	{ "0.1.4: 16 full to 64: WRAP stays", false, 1, 0, 4, 20, 64, 4, 4, true },
	{ "0.1.4: 16 with 3 to 256", false, 1, 0, 16, 3, 256, 3, 0, false },
	{ "1.0: 64 with 20 to 16", true, 7, 2, 1, 20, 16, 4, 4, false },
	{ "1.0: 128 to 64: the largest below", true, 0x1f, 3, 0x17, 200, 64, 8, 136, false },
	{ "1.0: 32 to 64: the smallest", true, 2, 1, 0xc, 33, 64, 1, 1, false },
	{ "1.0: 256 to 128", true, 0x1f, 4, 0x0f, 300, 128, 44, 172, false },
	{ "1.0: 16 to 16 of 256", true, 1, 0, 0x1f, 20, 16, 4, 4, false },
};

TEST_ROWS(moved, moves, m)
{
	static const uint8_t draft_codes[] = { 0, 1, 3, 7, 15 };

	for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
		struct ctr_hart h = hart_with(m->ratified, xlen, m->from);
		struct ctr_hart to = hart_with(m->ratified, xlen, m->to);
		const struct step depth = m->ratified ?
			(struct step)CSR_WRITE(M_MODE, CSR_SCTRDEPTH, m->code) :
			(struct step)WRITE(M_MODE, MCTL, 0);
		uint64_t code = m->ratified ? 0 : DEPTH_CODE(m->code);
		uint8_t out[HS_CTR_SAVED_MAX];
		size_t used;

		RUN(&h, depth, WRITE(M_MODE, MCTL, EN_M | code), JUMPS(M_MODE, m->jumps));
		assert_int_equal(restore(&to.c, out, hs_ctr_save(&h.c, out), &used), HS_OK);
		assert_int_equal(hs_ctr_depth(&to.c), m->depth);
		for (unsigned i = 0; i < 5; i++)
			if (16u << i == m->depth && !m->ratified)
				code = DEPTH_CODE(draft_codes[i]);
		RUN(&to, READS(M_MODE, STATUS, m->wrptr | (m->wrap ? WRAP : 0)),
		    READS(M_MODE, MCTL, EN_M | code));
		for (unsigned i = 0; i < m->depth; i++) {
			const uint64_t source = 0x1000 + 2 * (m->jumps - 1 - (uint64_t)i);
			const struct step want = i < m->jumps - m->oldest ?
				(struct step)ENTRY(i, source, source + 0x1000, JUMP) :
				(struct step)INVALID(i);

			ctr_step(&to, &want);
		}
		assert_int_equal(hs_ctr_check(&to.c), HS_OK);
	}
}
