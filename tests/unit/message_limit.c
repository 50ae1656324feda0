/* Counts in a few bytes that mean many blocks: the limit of a message. */
#include "cases.h"

#include "etrace/et_config.h"
#include "etrace/et_reader.h"
#include "ntrace/nt_message.h"
#include "ntrace/nt_reader.h"
#include "unit/decoders.h"

/* 0x1000 beq a0,a1,0x1000 (ISA manual): each turn is a block. */
static const uint8_t code[] = { 0x63, 0x00, 0xb5, 0x00 };
static const struct hs_section section = { 0x1000, sizeof code, code };
static const struct hs_image image = { .sections = &section, .count = 1, .isa = { .xlen = 64 } };

#define ROOM HS_ET_DECODE_ROOM
#define BLOCKS 100000u

struct bench {
	struct hs_block out[ROOM];
	uint64_t blocks, gaps;
};

static void count(struct bench *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		b->blocks += b->out[i].kind == HS_KIND_BLOCK;
		b->gaps += b->out[i].kind == HS_KIND_GAP;
	}
}

/* ProgTraceSync SYNC 5, I-CNT 0, F-ADDR 0x800 (NT 7.5), then ResourceFull RCODE 2: 31 branches
 * taken, 5000 times (NT 7.8). */
static enum hs_status ntrace(struct bench *b, uint64_t limit)
{
	const struct hs_nt_config c = { .size = sizeof c, .inst_mode = HS_NT_HTM };
	const struct hs_nt_msg sync = { .tcode = HS_NT_PROG_TRACE_SYNC, .field = {
		[HS_NTF_SYNC] = 5, [HS_NTF_FADDR] = 0x800 } };
	const struct hs_nt_msg full = { .tcode = HS_NT_RESOURCE_FULL, .field = {
		[HS_NTF_RCODE] = 2, [HS_NTF_RDATA] = 0xffffffff, [HS_NTF_HREPEAT] = 5000 } };
	uint8_t bytes[2 * HS_NT_MSG_MAX];
	size_t size = hs_nt_write(&sync, 0, bytes);
	struct hs_nt_decoder *d = nt_decoder(&c, &image);
	enum hs_status status;
	size_t n;

	size += hs_nt_write(&full, 0, bytes + size);
	const struct hs_decoder_options o = { .size = sizeof o, .message_blocks = limit };

	assert_int_equal(hs_nt_decoder_set(d, &o), HS_OK);

	struct hs_span in = { bytes, size };

	do {
		status = hs_nt_decoder_next(d, &in, b->out, ROOM, &n);
		count(b, n);
	} while (status == HS_FULL);
	if (status != HS_MORE)
		assert_int_equal(hs_nt_decoder_diag(d)->reason, HS_REASON_BLOCKS_LIMIT);
	return status;
}

/* Format 3 at the branch, which is taken; 31 more, in format 1 without an address; then format 0
 * subformat 0, branch_count + 31 = 150000 branches as they are predicted: taken. */
static enum hs_status etrace(struct bench *b, uint64_t limit)
{
	const struct hs_et_config c = { .size = sizeof c, .dialect = HS_ET_DIALECT_NONE,
		                        .version = HS_ET_2_0, .f0s_width = 1,
		                        .options = HS_ET_BRANCH_PREDICTION, .bpred_size = 4 };
	const struct hs_et_packet start = { .form = HS_ET_FORM_START, .field = {
		[HS_ETF_FORMAT] = 3, [HS_ETF_ADDRESS] = 0x800 } };
	const struct hs_et_packet taken = { .form = HS_ET_FORM_BRANCH, .field = {
		[HS_ETF_FORMAT] = 1 } };
	const struct hs_et_packet many = { .form = HS_ET_FORM_BRANCH_COUNT, .field = {
		[HS_ETF_BRANCH_COUNT] = 150000 - 31 } };
	uint8_t bytes[4 * HS_ET_PACKET_MAX];
	struct hs_et_decoder *d = et_decoder(&c, &image);
	enum hs_status status;
	size_t n, size = hs_et_write(&c, &start, bytes);

	size += hs_et_write(&c, &taken, bytes + size);
	size += hs_et_write(&c, &many, bytes + size);
	const struct hs_decoder_options o = { .size = sizeof o, .message_blocks = limit };

	assert_int_equal(hs_et_decoder_set(d, &o), HS_OK);

	struct hs_span in = { bytes, size };

	do {
		status = hs_et_decoder_next(d, &in, b->out, ROOM, &n);
		count(b, n);
	} while (status == HS_FULL);
	if (status != HS_MORE)
		assert_int_equal(hs_et_decoder_diag(d)->reason, HS_REASON_BLOCKS_LIMIT);
	return status;
}

static void limited(void **state)
{
	enum hs_status (*const decode)(struct bench *, uint64_t) = *state == NULL ? ntrace : etrace;
	static struct bench b;

	memset(&b, 0, sizeof b);
	assert_int_equal(decode(&b, 0), HS_MORE);
	assert_in_range(b.blocks, 149000, 160000);
	assert_int_equal(b.gaps, 0);
	memset(&b, 0, sizeof b);
	assert_int_equal(decode(&b, BLOCKS), HS_E_FLOW);
	/* format 0 says how many branches there are: it is refused before the first of them */
	if (decode == etrace)
		assert_int_equal(b.blocks, 1 + 31);
	else
		assert_in_range(b.blocks, BLOCKS - ROOM, BLOCKS + 2 * ROOM);
	assert_int_equal(b.gaps, 1);
}

TESTS
{
	static const bool is_etrace = true;

	test_add("N-Trace", limited, NULL);
	test_add("E-Trace", limited, &is_etrace);
}
