/* Options of an E-Trace encoder that change while it traces, and its queue when that has no room.
 *
 * Bytes are by hand, in the reference flow's framing: a byte of length and type 2 (or 3, data
 * trace), then the payload (ET Packets). */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "etrace/et_reader.h"
#include "etrace/etrace.h"
#include "etrace/etrace_data.h"

#define CONFIG(...) \
	{ .size = sizeof(struct hs_et_config), .dialect = HS_ET_DIALECT_REFERENCE, \
	  .iaddress_width = 32, .privilege_width = 2, __VA_ARGS__ }
#define BLOCK(from, to, type) \
	{ .iaddr = (from), .iretire = ((to) - (from)) / 2, .ilast = 2, .itype = HS_ITYPE_##type, \
	  .priv = HS_PRIV_M }

/* ---- options ----------------------------------------------------------------------- */

#define IN_ORDER { .given = 1u << HS_ET_LAYOUT_IOPTIONS, .ioptions_width = 2, \
	           .ioptions = { HS_ET_FULL_ADDRESS, HS_ET_SIJUMP } }

static const struct change {
	const char *name;
	struct hs_et_config config;
	unsigned options;
	enum hs_status want;
} changes[] = {
	{ "full addresses", CONFIG(0), HS_ET_FULL_ADDRESS, HS_OK },
	{ "the same options", CONFIG(0), 0, HS_OK },
	{ "a predictor without a table", CONFIG(0), HS_ET_BRANCH_PREDICTION, HS_E_CONFIG },
	{ "an option that there is none of", CONFIG(0), 64, HS_E_CONFIG },
	{ "more than a byte", CONFIG(0), 0x100, HS_E_CONFIG },
	{ "the reference flow has no bit for it", CONFIG(.sijump = 1), HS_ET_SIJUMP,
	  HS_E_UNSUPPORTED },
	{ "a layout that has one", CONFIG(.sijump = 1, .layout = IN_ORDER), HS_ET_SIJUMP, HS_OK },
	{ "an option that no bit reports stays", CONFIG(.sijump = 1, .options = HS_ET_SIJUMP),
	  HS_ET_SIJUMP | HS_ET_FULL_ADDRESS, HS_OK },
	{ "0.026 has no values of encoder_mode", CONFIG(.version = HS_ET_0_026), HS_ET_FULL_ADDRESS,
	  HS_E_UNSUPPORTED },
	{ "fast profiles have none",
	  CONFIG(.version = HS_ET_FAST, .fast = HS_ET_FAST_TARGETS), HS_ET_FULL_ADDRESS,
	  HS_E_CONFIG },
};

TEST_ROWS(change, changes, row)
{
	struct hs_et_encoder e;

	assert_int_equal(hs_et_encoder_init(&e, &row->config, NULL, 0), HS_OK);
	assert_int_equal(hs_et_encoder_set_options(&e, row->options), row->want);
}

/* ---- a queue ----------------------------------------------------------------------- */

static const struct hs_block blocks[] = {
	BLOCK(0x1e00, 0x1e0c, JUMP_UNINF), BLOCK(0x1c00, 0x1c10, JUMP_UNINF),
	BLOCK(0x1e00, 0x1e0c, JUMP_UNINF), BLOCK(0x1c00, 0x1c10, JUMP_UNINF),
};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

/* Support, start at 0x1e00: format 3, 0, branch 1, privilege 3, 31 bits of 0xf00. */
#define SUPPORT 0x41, 0x1f
#define START_1E00 0x43, 0x73, 0x80, 0x07
/* Format 2: -0x100 and 0x100 in 31 bits, notify as the top bit of it, updiscon as notify. */
#define TO_1C00 0x42, 0x02, 0xfc
#define TO_1E00 0x42, 0x02, 0x04
/* Format 2: the last instruction, 0x1c0c, 6 units after 0x1c00; ended_rep. */
#define AT_1C0C 0x41, 0x1a
#define ENDED 0x41, 0x4f
/* trace_lost: format 3, 3, ienable 1, qual_status 2; then ioptions, whose bits are 0. */
#define LOST 0x42, 0x9f, 0x00
#define START_1C00 0x43, 0x73, 0x00, 0x07

/* Room in the queue for each block; what each call returns, and the bytes in all. */
static const struct row {
	const char *name;
	uint8_t stall;
	uint16_t room[BLOCKS];
	enum hs_status want[BLOCKS];
	uint8_t n, bytes[40];
} rows[] = {
	{ "room for all", 0, { 99, 99, 99, 99 }, { HS_OK, HS_OK, HS_OK, HS_OK }, 19,
	  { SUPPORT, START_1E00, TO_1C00, TO_1E00, TO_1C00, AT_1C0C, ENDED } },
	{ "just enough", 0, { 6, 3, 3, 3 }, { HS_OK, HS_OK, HS_OK, HS_OK }, 19,
	  { SUPPORT, START_1E00, TO_1C00, TO_1E00, TO_1C00, AT_1C0C, ENDED } },
	/* the second block comes with the target of the first; the third one starts again */
	{ "a byte too few", 0, { 6, 2, 7, 3 }, { HS_OK, HS_E_LOST, HS_OK, HS_OK }, 20,
	  { SUPPORT, START_1E00, LOST, START_1E00, TO_1C00, AT_1C0C, ENDED } },
	{ "room for a support packet, and none for the next", 0, { 6, 0, 6, 7 },
	  { HS_OK, HS_E_LOST, HS_E_LOST, HS_OK }, 17,
	  { SUPPORT, START_1E00, LOST, START_1C00, AT_1C0C, ENDED } },
	{ "nothing after a loss", 0, { 6, 0, 0, 0 }, { HS_OK, HS_E_LOST, HS_E_LOST, HS_E_LOST }, 9,
	  { SUPPORT, START_1E00, 0x42, 0x8f, 0x00 } },
	{ "no packet got out", 0, { 5, 6, 6, 6 }, { HS_E_LOST, HS_E_LOST, HS_E_LOST, HS_E_LOST }, 3,
	  { 0x42, 0x8f, 0x00 } },
	{ "stalled", 1, { 1, 1, 1, 1 }, { HS_FULL, HS_FULL, HS_FULL, HS_FULL }, 19,
	  { SUPPORT, START_1E00, TO_1C00, TO_1E00, TO_1C00, AT_1C0C, ENDED } },
};

TEST_ROWS(queue, rows, row)
{
	const struct hs_et_config c = CONFIG(.stall = row->stall, .plain_loops = 1);
	struct hs_et_encoder e;
	uint8_t out[HS_ET_ENCODE_ROOM + 64];
	size_t n = 0, len;

	assert_int_equal(hs_et_encoder_init(&e, &c, NULL, 0), HS_OK);
	for (unsigned i = 0; i < BLOCKS; i++) {
		enum hs_status s =
			hs_et_encode_port(&e, &blocks[i], out + n, row->room[i], &len);

		assert_true(len <= row->room[i]);
		assert_int_equal(s, row->want[i]);
		for (n += len; s == HS_FULL; n += len)
			s = hs_et_encode_port(&e, &blocks[i], out + n, 1, &len);
		assert_true(s == HS_OK || s == HS_E_LOST);
	}
	assert_int_equal(hs_et_encode_end(&e, out + n, HS_ET_ENCODE_ROOM, &len), HS_OK);
	assert_int_equal(n + len, row->n);
	assert_memory_equal(out, row->bytes, row->n);
	/* what was written is what got out */
	const struct hs_et_counts *counts = hs_et_encoder_stats(&e);
	uint64_t bytes = 0;

	for (unsigned i = 0; i < HS_ET_FORMS; i++)
		bytes += counts->bytes[i];
	assert_int_equal(bytes, row->n);
}

/* What waits for room is lost, too, when the caller says so: START_1E00 of the first block.  The
 * trace starts again with the second one. */
TEST_NAMED(waiting_is_lost, "what waits is lost")
{
	static const uint8_t want[] = { SUPPORT, LOST, START_1C00 };
	const struct hs_et_config c = CONFIG(.stall = 1, .plain_loops = 1);
	struct hs_et_encoder e;
	uint8_t out[64];
	size_t n, len;

	assert_int_equal(hs_et_encoder_init(&e, &c, NULL, 0), HS_OK);
	assert_int_equal(hs_et_encode_port(&e, &blocks[0], out, 2, &n), HS_FULL);
	assert_int_equal(n, 2);
	hs_et_encoder_lost(&e);
	assert_int_equal(hs_et_encode_port(&e, &blocks[1], out + n, 60, &len), HS_OK);
	assert_int_equal(n + len, sizeof want);
	assert_memory_equal(out, want, sizeof want);
}

/* ---- data trace ---------------------------------------------------------------------- */

static const struct hs_access load = { .type = HS_ACCESS_LOAD, .size = 3, .address = 0x2000,
	                               .data = 0x1122,
	                               .known = HS_ACCESS_HAS_ADDRESS | HS_ACCESS_HAS_DATA };

/* Give an access; of its events the last one has the packets. */
static enum hs_status put_load(struct hs_et_encoder *e, uint8_t *out, size_t cap, size_t *len)
{
	struct hs_block items[HS_ACCESS_ITEMS];
	const size_t n = hs_access_put(&load, items);
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < n && s == HS_OK; i++)
		s = hs_et_encode_port(e, &items[i], out, cap, len);
	return s;
}

static void start_data(struct hs_et_encoder *e, struct hs_et_data_coder *coder)
{
	const struct hs_et_config c = CONFIG(.data_trace = 1, .doptions_width = 2);
	const struct hs_et_data_config data = { .size = sizeof data };

	assert_int_equal(hs_et_encoder_init(e, &c, NULL, 0), HS_OK);
	assert_int_equal(hs_et_encoder_set_doptions(e, HS_ET_DATA_NO_VALUE), HS_E_CONFIG);
	assert_int_equal(hs_et_data_init(coder, &data), HS_OK);
	assert_int_equal(hs_et_encoder_set_data(e, coder), HS_OK);
}

/* A lost access: instruction trace goes on without a packet, and the next access comes after a
 * support packet with dloss, in full (ET Format 3 subformat 3).  Payload: format 3, 3, ienable 1,
 * mode 0, qual_status 0, ioptions of 5 bits, denable 1, dloss 1, doptions. */
TEST_NAMED(data_lost, "an access is lost")
{
	static const uint8_t want[] = { 0x42, 0x1f, 0x60 };
	struct hs_et_data_coder coder;
	struct hs_et_encoder e;
	uint8_t out[64];
	size_t len;

	start_data(&e, &coder);
	assert_int_equal(hs_et_encode_port(&e, &blocks[0], out, 64, &len), HS_OK);
	assert_int_equal(put_load(&e, out, 64, &len), HS_OK);
	assert_true(len > 0);
	assert_int_equal(put_load(&e, out, 1, &len), HS_E_LOST);
	assert_int_equal(len, 0);
	assert_int_equal(hs_et_encode_port(&e, &blocks[1], out, 64, &len), HS_OK);
	assert_int_equal(len, 3); /* the target, no support packet */
	assert_int_equal(put_load(&e, out, 64, &len), HS_OK);
	assert_memory_equal(out, want, sizeof want);
	assert_int_equal(out[3] & 0x60, 0x60); /* of type 3 */
}

/* Options of data trace change: the next access comes after a support packet that says so. */
TEST_NAMED(data_options, "options of data trace change")
{
	struct hs_et_data_coder coder;
	struct hs_et_encoder e;
	uint8_t out[64];
	size_t len;

	start_data(&e, &coder);
	assert_int_equal(hs_et_encode_port(&e, &blocks[0], out, 64, &len), HS_OK);
	assert_int_equal(hs_et_encoder_set_doptions(&e, 3), HS_E_CONFIG); /* nothing is left */
	assert_int_equal(hs_et_encoder_set_doptions(&e, 8), HS_E_CONFIG);
	assert_int_equal(hs_et_encoder_set_doptions(&e, HS_ET_DATA_FULL_ADDRESS), HS_E_UNSUPPORTED);
	assert_int_equal(hs_et_encoder_set_doptions(&e, HS_ET_DATA_NO_VALUE), HS_OK);
	assert_int_equal(put_load(&e, out, 64, &len), HS_OK);
	/* denable 1, dloss 0, doptions 1: bits 13, 14, 15 of the payload */
	assert_int_equal(out[0], 0x43);
	assert_int_equal(out[1], 0x1f);
	assert_int_equal(out[2], 0xa0);
	assert_int_equal(out[3], 0x00);
	const size_t first = len;

	assert_int_equal(put_load(&e, out, 64, &len), HS_OK);
	assert_true(len < first); /* no support packet any more */
	assert_int_equal(out[0] & 0x60, 0x60);
}

/* Full addresses by an option: an access to where the one before was has its address again. */
TEST_NAMED(full_addresses, "full addresses of data")
{
	const struct hs_et_config c =
		CONFIG(.data_trace = 1, .doptions_width = 1,
	               .layout = { .given = 1u << HS_ET_LAYOUT_DOPTIONS,
	                           .doptions = { HS_ET_DATA_FULL_ADDRESS } });
	const struct hs_et_data_config data = { .size = sizeof data };
	static const unsigned options[] = { 0, HS_ET_DATA_FULL_ADDRESS, 0 };
	struct hs_et_data_coder coder;
	struct hs_et_encoder e;
	uint8_t out[64];
	size_t len, lengths[3];

	assert_int_equal(hs_et_encoder_init(&e, &c, NULL, 0), HS_OK);
	assert_int_equal(hs_et_encode_port(&e, &blocks[0], out, 64, &len), HS_OK);
	assert_int_equal(hs_et_data_init(&coder, &data), HS_OK);
	assert_int_equal(hs_et_encoder_set_data(&e, &coder), HS_OK);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(hs_et_encoder_set_doptions(&e, options[i]), HS_OK);
		assert_int_equal(put_load(&e, out, 64, &len), HS_OK);
		assert_int_equal(put_load(&e, out, 64, &lengths[i]), HS_OK);
	}
	assert_true(lengths[0] < lengths[1]);
	assert_int_equal(lengths[2], lengths[0]);
}

/* Data trace that begins and ends while the encoder traces: denable is bit 13 of the payload. */
TEST_NAMED(data_on_and_off, "data trace goes on and off")
{
	const struct hs_et_config c = CONFIG(.data_trace = 1, .doptions_width = 2);
	const struct hs_et_data_config data = { .size = sizeof data };
	static const uint8_t on[] = { 0x42, 0x1f, 0x20 }, off[] = { 0x41, 0x1f };
	struct hs_et_data_coder coder;
	struct hs_et_encoder e;
	uint8_t out[64];
	size_t len;

	assert_int_equal(hs_et_encoder_init(&e, &c, NULL, 0), HS_OK);
	assert_int_equal(hs_et_encode_port(&e, &blocks[0], out, 64, &len), HS_OK);
	assert_int_equal(hs_et_data_init(&coder, &data), HS_OK);
	assert_int_equal(hs_et_encoder_set_data(&e, &coder), HS_OK);
	assert_int_equal(put_load(&e, out, 64, &len), HS_OK);
	assert_memory_equal(out, on, sizeof on);
	assert_int_equal(hs_et_encoder_set_data(&e, NULL), HS_OK);
	assert_int_equal(hs_et_encode_port(&e, &blocks[1], out, 64, &len), HS_OK);
	assert_int_equal(len, sizeof off + 3); /* and the target */
	assert_memory_equal(out, off, sizeof off);
	assert_int_equal(put_load(&e, out, 64, &len), HS_OK);
	assert_int_equal(len, 0);
	assert_int_equal(hs_et_encode_port(&e, &blocks[2], out, 64, &len), HS_OK);
	assert_int_equal(len, 3);
}

/* The last support packet of a fast profile reports what was lost before it. */
TEST_NAMED(fast_profile, "fast profile, lost at the end")
{
	const struct hs_et_config c = { .size = sizeof c, .version = HS_ET_FAST,
		                        .dialect = HS_ET_DIALECT_REFERENCE,
		                        .fast = HS_ET_FAST_TARGETS };
	const struct hs_block call = BLOCK(0x1e00, 0x1e0c, CALL_INF);
	struct hs_et_reader r;
	struct hs_et_encoder e;
	struct hs_et_packet p;
	uint8_t out[HS_ET_ENCODE_ROOM];
	size_t len;

	assert_int_equal(hs_et_encoder_init(&e, &c, NULL, 0), HS_OK);
	assert_int_equal(hs_et_encode_port(&e, &call, out, 64, &len), HS_OK);
	assert_int_equal(hs_et_encode_port(&e, &blocks[1], out, 0, &len), HS_E_LOST);
	assert_int_equal(hs_et_encode_end(&e, out, sizeof out, &len), HS_OK);
	struct hs_span in = { out, len };

	assert_int_equal(hs_et_reader_init(&r, &c), HS_OK);
	assert_int_equal(hs_et_read(&r, &in, &p), HS_OK);
	assert_int_equal(p.form, HS_ET_FORM_SUPPORT);
	assert_int_equal(p.field[HS_ETF_QUAL_STATUS], HS_ET_TRACE_LOST);
	assert_int_equal(in.n, 0);
}
