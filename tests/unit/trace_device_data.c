/* Data trace of a device: registers, filters and packets of accesses (TCI 6, trTeDataControl,
 * trTeDataFilters; ET Data Trace Encoder Output Packets). */
#include "device/device.h"
#include "cases.h"

#include "core/access.h"
#include "etrace/etrace_data.h"
#include "unit/device_board.h"
#include "unit/decoders.h"

enum { DATA_CONTROL = 0x10, DATA_FILTERS = 0x1c, DATA_TRACING = 2, NO_VALUE = 0x10000,
       NO_ADDR = 0x20000, ROUNDS = 20 };

#define BOTH (HS_ACCESS_HAS_ADDRESS | HS_ACCESS_HAS_DATA)

/* Two accesses of each round: a store of 8 bytes to 9000, a load of 4 from 9100 and on. */
static struct hs_access access_of(unsigned round, bool store)
{
	return (struct hs_access){
		.type = store ? HS_ACCESS_STORE : HS_ACCESS_LOAD, .size = store ? 3 : 2,
		.address = store ? 0x9000 : 0x9100 + 4 * round, .data = 0x11 * round + store,
		.known = BOTH };
}

static const struct hs_et_config et = { .size = sizeof(et), .doptions_width = 2 };

static void data_up(uint32_t control)
{
	fresh();
	ram_up(&ram, sram);
	hs_dev_node_set_packets(&ram, true);
	assert_int_equal(hs_dev_encoder_init(&hart[0], hs_tc_profile_find("etrace-data"), &et,
	                                     &image, false), HS_OK);
	hart_wr(0, CONTROL, ACTIVE);
	while (!(hart_rd(0, CONTROL) & ACTIVE))
		continue;
	assert_int_equal(hs_dev_add(&sys, &hart[0]), HS_OK);
	hart_wr(0, DATA_CONTROL, control);
	assert_int_equal(hs_dev_encoder_connect(&hart[0], &ram, 0), HS_OK);
}

/* The accesses of a round stand before the first block of it. */
static void run_rounds(void)
{
	for (unsigned k = 0; k < ROUNDS; k++) {
		const struct flow f = rounds(k, 1);
		struct hs_block items[6];
		size_t n = 0, used;

		for (unsigned store = 0; store < 2; store++) {
			const struct hs_access a = access_of(k, store);

			n += hs_access_put(&a, items + n);
		}
		assert_int_equal(hs_dev_run(&sys, &hart[0], items, n, &used), HS_OK);
		assert_int_equal(hs_dev_run(&sys, &hart[0], f.at, f.n, &used), HS_OK);
	}
}

static struct {
	struct hs_access access[2 * ROUNDS];
	unsigned accesses, blocks;
} found;

static void collect_accesses(const struct hs_block *b, size_t n, struct hs_access_reader *reader)
{
	for (size_t i = 0; i < n; i++) {
		found.blocks += b[i].kind == HS_KIND_BLOCK;
		if (!hs_access_take(reader, &b[i]))
			continue;
		assert_true(found.accesses < 2 * ROUNDS);
		found.access[found.accesses++] = reader->access;
	}
}

/* What the sink holds, by what the registers say. */
static void decode_data(void)
{
	struct hs_span in = stored(&ram, sram);
	struct hs_et_config c = et;
	struct hs_et_data_config data = { .size = sizeof data };
	static struct hs_et_data_coder coder;
	struct hs_access_reader reader = { 0 };
	struct hs_block out[64];
	enum hs_status s;
	size_t n;

	memset(&found, 0, sizeof found);
	assert_int_equal(hs_dev_et_config(&hart[0].device.tc.regs, &c), HS_OK);
	assert_int_equal(hs_dev_et_data_config(&hart[0].device.tc.regs, &data), HS_OK);
	const struct hs_decoder_options o = { .size = sizeof o, .data = &coder, .data_count = 1 };
	struct hs_et_decoder *decoder = et_decoder(&c, &image);

	assert_int_equal(hs_et_data_init(&coder, &data), HS_OK);
	assert_int_equal(hs_et_decoder_set(decoder, &o), HS_OK);
	do {
		s = hs_et_decoder_next(decoder, &in, out, 64, &n);
		collect_accesses(out, n, &reader);
	} while (s == HS_FULL || s == HS_OK);
	assert_int_equal(s, HS_MORE);
	do {
		s = hs_et_decoder_end(decoder, out, 64, &n);
		collect_accesses(out, n, &reader);
	} while (s == HS_FULL);
	assert_int_equal(s, HS_OK);
}

static void trace(uint32_t control, bool instructions)
{
	hart_wr(0, CONTROL, ACTIVE);
	hart_wr(0, CONTROL, ACTIVE | ENABLE);
	hart_wr(0, DATA_CONTROL, control | DATA_TRACING);
	if (instructions)
		hart_wr(0, CONTROL, ACTIVE | ENABLE | TRACING);
	run_rounds();
	hart_stops(0);
	decode_data();
}

static void assert_access(unsigned i, unsigned round, bool store, uint8_t known)
{
	const struct hs_access want = access_of(round, store);

	assert_int_equal(found.access[i].type, want.type);
	assert_int_equal(found.access[i].size, want.size);
	assert_int_equal(found.access[i].known, known);
	assert_int_equal(found.access[i].address, known & HS_ACCESS_HAS_ADDRESS ? want.address : 0);
	assert_int_equal(found.access[i].data, known & HS_ACCESS_HAS_DATA ? want.data : 0);
}

/* All accesses, in order; without values, without addresses; instruction trace on and off. */
TEST(all_accesses_in_order)
{
	static const struct { uint32_t control; uint8_t known; } row[] = {
		{ 0, BOTH }, { 2u << 18, BOTH }, { 3u << 18, BOTH },
		{ NO_VALUE, HS_ACCESS_HAS_ADDRESS }, { NO_ADDR, HS_ACCESS_HAS_DATA },
		{ 1u << 18, BOTH }, /* not legal: it becomes 0 */
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (unsigned instructions = 0; instructions < 2; instructions++) {
			data_up(row[i].control);
			trace(row[i].control, instructions);
			assert_int_equal(found.accesses, 2 * ROUNDS);
			for (unsigned k = 0; k < 2 * ROUNDS; k++)
				assert_access(k, k / 2, k % 2, row[i].known);
			assert_int_equal(found.blocks,
			                 instructions ? rounds(0, ROUNDS).n : 0);
		}
}

/* trTeDataTracing switches data trace only, and a support packet says so (denable). */
TEST(on_and_off)
{
	data_up(0);
	hart_wr(0, CONTROL, ACTIVE);
	hart_wr(0, CONTROL, ACTIVE | ENABLE);
	hart_wr(0, CONTROL, ACTIVE | ENABLE | TRACING);
	run_rounds();
	hart_wr(0, DATA_CONTROL, DATA_TRACING);
	run_rounds();
	hart_wr(0, DATA_CONTROL, 0);
	run_rounds();
	hart_stops(0);
	decode_data();
	assert_int_equal(found.accesses, 2 * ROUNDS);
	assert_int_equal(found.blocks, 3 * rounds(0, ROUNDS).n);
}

/* trTeDataFilters: accesses that a filter lets through; instructions are traced all the same. */
TEST(a_filter_lets_accesses_through)
{
	static const struct { uint32_t filter, comp, data; bool store; const char *text; } row[] = {
		/* trTeFilterMatchDtype: stores; trTeFilterMatchDsize: 4 bytes */
		{ 1 | 1u << 24, 0, 1u << HS_ACCESS_STORE, true, "dtype" },
		{ 1 | 1u << 25, 0, 1u << (16 + 2), false, "dsize" },
		/* trTeFilterMatchComp1 with comparator 0: daddr == 9000, daddr >= 9100 */
		{ 0x11, 0x3, 0, true, "daddr ==" },
		{ 0x11, 0x53, 0, false, "daddr >=" },
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		data_up(0);
		hart_wr(0, 0x600, row[i].comp);
		hart_wr(0, 0x610, row[i].store ? 0x9000 : 0x9100);
		hart_wr(0, 0x614, 0);
		hart_wr(0, 0x418 + 2 * 0x20, row[i].data);
		hart_wr(0, 0x400 + 2 * 0x20, row[i].filter);
		hart_wr(0, DATA_FILTERS, 1u << 2);
		trace(0, true);
		if (found.accesses != ROUNDS)
			fail_msg("%s: %u", row[i].text, found.accesses);
		for (unsigned k = 0; k < ROUNDS; k++)
			assert_access(k, k, row[i].store, BOTH);
		assert_int_equal(found.blocks, rounds(0, ROUNDS).n);
	}
}

/* Registers that no encoder of data trace has. */
TEST(what_registers_cannot_say)
{
	struct hs_et_data_config c = { .size = sizeof c };
	struct hs_tc_regs r = { 0 };

	assert_int_equal(hs_dev_et_data_config(&r, &c), HS_E_UNSUPPORTED);
	r.word[DATA_CONTROL / 4] = 1 | 1u << 18; /* XOR */
	assert_int_equal(hs_dev_et_data_config(&r, &c), HS_E_UNSUPPORTED);
	r.word[DATA_CONTROL / 4] = 1 | NO_VALUE | NO_ADDR;
	assert_int_equal(hs_dev_et_data_config(&r, &c), HS_E_CONFIG);
	c.size = 3;
	assert_int_equal(hs_dev_et_data_config(&r, &c), HS_E_CONFIG);
	data_up(NO_VALUE | NO_ADDR);
	hart_traces(0, 0);
	hart_wr(0, DATA_CONTROL, DATA_TRACING);
	run_rounds();
	hart_stops(0);
	assert_int_equal(stored(&ram, sram).n, 0); /* neither: nothing is traced */
}
