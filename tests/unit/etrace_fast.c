/* Fast profiles and cycle counts: bytes worked out by hand from the layout of design/et-draft, both
 * ways. */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "etrace/etrace.h"

/* Addresses have 31 bits (iaddress_width_p 32, iaddress_lsb_p 1), privilege 3; payloads stand at
 * their full length one after the other, the sign extended to whole bytes. */
static struct hs_et_config configure(unsigned fast, unsigned cycles)
{
	struct hs_et_config c = { .size = sizeof c, .version = HS_ET_FAST };

	c.dialect = HS_ET_DIALECT_NONE;
	c.iaddress_width = 32;
	c.context_width = 8;
	c.fast = (uint8_t)fast;
	c.cycles = (uint8_t)cycles;
	return c;
}

#define B(a, n, l, t) { .iaddr = (a), .iretire = (n), .ilast = (l), .itype = (t) }
#define E(k, t, v, a) { .value = (v), .arg = (a), .itype = (t), .kind = HS_KIND_##k }

/* A call at 0x1004 to 0x2000, which returns to 0x1008. */
#define CALL B(0x1000, 4, 2, HS_ITYPE_CALL_INF)
#define RETURN B(0x2000, 1, 1, HS_ITYPE_RETURN)
#define AFTER B(0x1008, 1, 1, HS_ITYPE_NONE)

/* format 3, subformat 0, reason 0, privilege 0 are bits 0 to 9, then address 0x800: 41 bits. */
#define START 0x03, 0x00, 0x20, 0, 0, 0
/* The same with time 0x100 before the address: 105 bits. */
#define START_TIME 0x03, 0x00, 0x04, 0, 0, 0, 0, 0, 0, 0x00, 0x20, 0, 0, 0
/* format 3, subformat 3, ienable 0, qual_status 3: 7 bits, the last of them 1. */
#define END 0xef
#define STARTED E(SYNC, 5, 0x1000, 0), E(TARGET, 0, 0x1000, 0)
#define ENDED E(STOP, 4, 0, 0)

static const struct row {
	const char *name;
	unsigned fast, cycles, context, dialect;
	struct hs_block in[8], out[12]; /* to the first with nothing in it */
	uint8_t n, bytes[64];
} rows[] = {
	/* reason 4 at bit 2, then 0x1000/2 at bit 5: 36 bits; reason 6, then -0xff8/2 =
	 * 0x7ffff804 */
	{ "targets of a call and a return", HS_ET_FAST_TARGETS, 0, 0, HS_ET_DIALECT_NONE,
	  { CALL, RETURN, AFTER },
	  { STARTED, E(TARGET, 9, 0x2000, 0), E(TARGET, 13, 0x1008, 0), ENDED },
	  17, { START, 0x10, 0x00, 0x01, 0, 0, 0x98, 0x00, 0xff, 0xff, 0xff, END } },
	/* source_size 0 at bit 5, source (0x1004 - 0x1000)/2 at bit 8, (0x2000 - 0x1004)/2 at bit
	 * 16 */
	{ "sources, too", HS_ET_FAST_SOURCES, 0, 0, HS_ET_DIALECT_NONE, { CALL, RETURN, AFTER },
	  { STARTED, E(SOURCE, 0, 0x1004, 0), E(TARGET, 9, 0x2000, 0), E(SOURCE, 0, 0x2000, 0),
	    E(TARGET, 13, 0x1008, 0), ENDED },
	  19, { START, 0x10, 0x02, 0xfe, 0x07, 0, 0, 0x18, 0x00, 0x04, 0xf8, 0xff, 0xff, END } },
	/* source_size 2 at bit 5, as 0x10000/2 and its sign need 17 bits; (0x2000 - 0x11000)/2 */
	{ "a source that needs three bytes", HS_ET_FAST_SOURCES, 0, 0, HS_ET_DIALECT_NONE,
	  { B(0x1000, 1, 1, HS_ITYPE_TAKEN), B(0x11000, 2, 2, HS_ITYPE_CALL_INF),
	    B(0x2000, 1, 1, HS_ITYPE_NONE) },
	  { STARTED, E(SOURCE, 0, 0x11000, 0), E(TARGET, 9, 0x2000, 0), ENDED },
	  15, { START, 0x50, 0x00, 0x80, 0x00, 0x00, 0x88, 0xff, 0xff, END } },
	/* source_size 3, 0x81000000/2 of 31 bits and its sign; (0x2000 - 0x81001000)/2 */
	{ "a source that needs four bytes", HS_ET_FAST_SOURCES, 0, 0, HS_ET_DIALECT_NONE,
	  { B(0x1000, 1, 1, HS_ITYPE_TAKEN), B(0x81001000, 2, 2, HS_ITYPE_CALL_INF),
	    B(0x2000, 1, 1, HS_ITYPE_NONE) },
	  { STARTED, E(SOURCE, 0, 0x81001000, 0), E(TARGET, 9, 0x2000, 0), ENDED },
	  16, { START, 0x70, 0x00, 0x00, 0x80, 0xc0, 0x00, 0x08, 0x80, 0x3f, END } },
	/* the instruction at 0x2000 did not retire: it is the source; reason 1, then (0x3000 -
	 * 0x2000)/2 */
	{ "an exception where the call leads", HS_ET_FAST_SOURCES, 0, 0, HS_ET_DIALECT_NONE,
	  { CALL, B(0x2000, 0, 0, HS_ITYPE_EXCEPTION), E(TRAP, 0, 0, 2),
	    B(0x3000, 1, 1, HS_ITYPE_NONE) },
	  { STARTED, E(SOURCE, 0, 0x1004, 0), E(TARGET, 9, 0x2000, 0), E(SOURCE, 0, 0x2000, 0),
	    E(TARGET, 1, 0x3000, 0), ENDED },
	  19, { START, 0x10, 0x02, 0xfe, 0x07, 0, 0, 0x04, 0x00, 0x00, 0x08, 0, 0, END } },
	/* reason 3 (xret), 5 (uninferable call), 7 (swap), 2 (interrupt), each 0x10 further: 8 at
	 * bit 5 is 0x100 */
	{ "other reasons", HS_ET_FAST_TARGETS, 0, 0, HS_ET_DIALECT_NONE,
	  { B(0x1000, 1, 1, HS_ITYPE_XRET), B(0x1010, 1, 1, HS_ITYPE_CALL_UNINF),
	    B(0x1020, 1, 1, HS_ITYPE_SWAP),
	    B(0x1030, 1, 1, HS_ITYPE_INTERRUPT), B(0x1040, 1, 1, HS_ITYPE_NONE) },
	  { STARTED, E(TARGET, 3, 0x1010, 0), E(TARGET, 8, 0x1020, 0), E(TARGET, 12, 0x1030, 0),
	    E(TARGET, 2, 0x1040, 0), ENDED },
	  27, { START, 0x0c, 0x01, 0, 0, 0, 0x14, 0x01, 0, 0, 0, 0x1c, 0x01, 0, 0, 0, 0x08, 0x01, 0,
	        0, 0, END } },
	{ "branches, jumps and tail calls are not told", HS_ET_FAST_SOURCES, 0, 0,
	  HS_ET_DIALECT_NONE,
	  { B(0x1000, 1, 1, HS_ITYPE_TAKEN), B(0x1100, 1, 1, HS_ITYPE_TAIL_INF),
	    B(0x1200, 1, 1, HS_ITYPE_TAIL_UNINF),
	    B(0x1300, 1, 1, HS_ITYPE_JUMP_UNINF), B(0x1400, 1, 1, HS_ITYPE_JUMP_INF),
	    B(0x1500, 1, 1, 0) },
	  { STARTED, ENDED }, 7, { START, END } },
	/* cycle_size 1 at bit 5, 5 at bit 8, the address at bit 16; then cycle_size 0, the address
	 * at bit 8 */
	{ "cycles from packet to packet", HS_ET_FAST_TARGETS, HS_ET_CYCLES_PACKETS, 0,
	  HS_ET_DIALECT_NONE,
	  { E(TIME, 0, 0x100, 0), CALL, E(TIME, 0, 0x105, 0), RETURN, AFTER },
	  { E(SYNC, 5, 0x1000, 0), E(TIME, 0, 0x100, 0), E(TARGET, 0, 0x1000, 0),
	    E(TIME, 0, 0x105, 0),
	    E(TARGET, 9, 0x2000, 0), E(TARGET, 13, 0x1008, 0), ENDED },
	  26, { START_TIME, 0x30, 0x05, 0x00, 0x08, 0, 0, 0x18, 0x04, 0xf8, 0xff, 0xff, END } },
	/* format 1, cycle_size 3 at bit 2, 0x10103 at bit 5, 8/2 at bit 29: 60 bits */
	{ "cycles from retirement to retirement", HS_ET_FAST_OFF, HS_ET_CYCLES_RETIREMENTS, 0,
	  HS_ET_DIALECT_NONE,
	  { E(TIME, 0, 0x100, 0), B(0x1000, 4, 2, HS_ITYPE_NOT_TAKEN), E(TIME, 0, 0x10203, 0),
	    AFTER },
	  { E(SYNC, 5, 0x1000, 0), E(TIME, 0, 0x100, 0), E(TIME, 0, 0x10203, 0),
	    E(CYCLES, 0, 0x1008, 0x10103), ENDED },
	  23, { START_TIME, 0x6d, 0x20, 0x20, 0x80, 0, 0, 0, 0, END } },
	{ "a retirement without a time", HS_ET_FAST_OFF, HS_ET_CYCLES_RETIREMENTS, 0,
	  HS_ET_DIALECT_NONE,
	  { E(TIME, 0, 0x100, 0), B(0x1000, 4, 2, HS_ITYPE_NOT_TAKEN), E(TIME, 0, 0x10203, 0),
	    AFTER, B(0x100a, 1, 1, HS_ITYPE_NONE) },
	  { E(SYNC, 5, 0x1000, 0), E(TIME, 0, 0x100, 0), E(TIME, 0, 0x10203, 0),
	    E(CYCLES, 0, 0x1008, 0x10103), ENDED },
	  23, { START_TIME, 0x6d, 0x20, 0x20, 0x80, 0, 0, 0, 0, END } },
	/* reason 4 at bit 4, source_size 1 at bit 10, (0x1004 - 0x2000)/2 = 0xf802 at bit 13,
	 * 0x1000 at bit 29 */
	{ "a call with a synchronising packet", HS_ET_FAST_SOURCES, 0, 0, HS_ET_DIALECT_NONE,
	  { CALL, E(SYNC, 6, 0, 0), RETURN },
	  { STARTED, E(SYNC, 2, 0x2000, 0), E(SOURCE, 0, 0x1004, 0), E(TARGET, 9, 0x2000, 0),
	    ENDED },
	  15, { START, 0x43, 0x44, 0x00, 0x1f, 0x00, 0x02, 0, 0, END } },
	/* context of 8 bits at bit 10, the address at bit 18; subformat 2, privilege at bit 4,
	 * context at bit 7 */
	{ "a context within the flow", HS_ET_FAST_TARGETS, 0, 1, HS_ET_DIALECT_NONE,
	  { B(0x1000, 4, 2, HS_ITYPE_NOT_TAKEN), E(CONTEXT, 0, 7, 2), AFTER },
	  { STARTED, E(CONTEXT, 0, 7, 2), ENDED }, 10,
	  { 0x03, 0x00, 0x00, 0x20, 0, 0, 0, 0x8b, 0x03, END } },
	{ "a context with a target", HS_ET_FAST_TARGETS, 0, 1, HS_ET_DIALECT_NONE,
	  { CALL, E(CONTEXT, 0, 7, 2), RETURN },
	  { STARTED, E(SYNC, 2, 0x2000, 0), E(CONTEXT, 0, 7, 2), E(TARGET, 9, 0x2000, 0), ENDED },
	  15, { 0x03, 0x00, 0x00, 0x20, 0, 0, 0, 0x43, 0x1c, 0x00, 0x40, 0, 0, 0, END } },
	/* ienable 1, qual_status 2: 0x5f of 7 bits; what the call led to is lost */
	{ "packets are lost", HS_ET_FAST_TARGETS, 0, 0, HS_ET_DIALECT_NONE,
	  { CALL, E(GAP, 0, 0, HS_E_LOST), B(0x1000, 1, 1, HS_ITYPE_NONE) },
	  { STARTED, E(GAP, 0, 6, HS_E_LOST), STARTED, ENDED }, 14, { START, 0xdf, START, END } },
	/* the same as the first row with type 2 before the payload: 03 00 20, 10 00 01 and ef;
	 * other bytes repeat their sign; then 6 bits of padding */
	{ "standard encapsulation", HS_ET_FAST_TARGETS, 0, 0, HS_ET_DIALECT_STANDARD,
	  { CALL, RETURN },
	  { STARTED, E(TARGET, 9, 0x2000, 0), ENDED },
	  13,
	  { 4, 0x0e, 0x00, 0x80, 0x00, 4, 0x42, 0x00, 0x04, 0x00, 2, 0xbe, 0xff } },
};

static struct hs_et_config row_config(const struct row *r)
{
	struct hs_et_config c = configure(r->fast, r->cycles);

	c.context = r->context;
	c.dialect = (uint8_t)r->dialect;
	assert_int_equal(hs_et_config_check(&c), HS_OK);
	return c;
}

static bool empty(const struct hs_block *b)
{
	return b->kind == HS_KIND_BLOCK && b->iretire == 0 && b->itype == 0;
}

TEST_ROWS(to_bytes, rows, r)
{
	const struct hs_et_config c = row_config(r);
	struct hs_et_encoder *e = calloc(1, sizeof *e);
	uint8_t out[3 * HS_ET_ENCODE_ROOM];
	size_t n = 0, used, len, end;

	while (!empty(&r->in[n]))
		n++;
	assert_non_null(e);
	assert_int_equal(hs_et_encoder_init(e, &c, NULL, 0), HS_OK);
	assert_int_equal(hs_et_encode(e, r->in, n, &used, out, 2 * HS_ET_ENCODE_ROOM, &len), HS_OK);
	assert_int_equal(hs_et_encode_end(e, out + len, HS_ET_ENCODE_ROOM, &end), HS_OK);
	assert_int_equal(len + end, r->n);
	assert_memory_equal(out, r->bytes, r->n);
	uint64_t bytes = 0;
	for (unsigned i = 0; i < HS_ET_FORMS; i++)
		bytes += hs_et_encoder_stats(e)->bytes[i];
	assert_int_equal(bytes, r->n);
	free(e);
}

static uint64_t skipped; /* packets, by the last decode() */

/* Decode @bytes in pieces; the last status that is no request for more. */
static enum hs_status decode(const struct hs_et_config *c, const uint8_t *bytes, size_t n,
                             size_t piece,
                             struct hs_block *out, size_t *count)
{
	static uint64_t memory[4096];
	static struct hs_et_source source;
	static const struct hs_image nothing = { .isa = { .xlen = 32 } };
	struct hs_bb_table table;
	struct hs_et_decoder d;
	enum hs_status s, worst = HS_OK;
	size_t got;

	*count = 0;
	assert_int_equal(hs_bb_init(&table, &nothing, memory, 16), HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, c, &table, &source, 1, NULL, 0), HS_OK);
	for (size_t at = 0; at < n; at += piece) {
		struct hs_span in = { bytes + at, n - at < piece ? n - at : piece };

		do {
			s = hs_et_decoder_next(&d, &in, out + *count, HS_ET_DECODE_ROOM, &got);
			*count += got;
			worst = s != HS_MORE && s != HS_FULL ? s : worst;
		} while (s != HS_MORE);
	}
	assert_int_equal(hs_et_decoder_end(&d, out + *count, HS_ET_DECODE_ROOM, &got), HS_OK);
	*count += got;
	skipped = hs_et_decoder_stats(&d)->skipped;
	return worst;
}

TEST_ROWS(to_events, rows, r)
{
	const struct hs_et_config c = row_config(r);
	struct hs_block out[64];
	size_t n;

	for (size_t piece = 1; piece <= r->n; piece++) {
		const enum hs_status s = decode(&c, r->bytes, r->n, piece, out, &n);
		enum hs_status want = HS_OK;

		for (size_t i = 0; i < n; i++) {
			assert_false(empty(&r->out[i]));
			want = out[i].kind == HS_KIND_GAP ? (enum hs_status)out[i].arg : want;
			assert_int_equal(out[i].kind, r->out[i].kind);
			assert_int_equal(out[i].itype, r->out[i].itype);
			assert_int_equal(out[i].value, r->out[i].value);
			assert_int_equal(out[i].arg, r->out[i].arg);
		}
		assert_true(empty(&r->out[n]));
		assert_int_equal(s, want);
	}
}

/* ---- what is wrong ----------------------------------------------------------------- */

static const struct fault {
	const char *name;
	unsigned fast, cycles;
	enum hs_status want;
	uint8_t n, bytes[32];
} faults[] = {
	{ "format 2 is reserved", HS_ET_FAST_TARGETS, 0, HS_E_FIELD, 7, { START, 0x02 } },
	{ "subformat 1 is reserved", HS_ET_FAST_TARGETS, 0, HS_E_FIELD, 7, { START, 0x07 } },
	{ "a target for no reason", HS_ET_FAST_TARGETS, 0, HS_E_FIELD, 11,
	  { START, 0x00, 0x00, 0x01, 0, 0 } },
	{ "a target where none are told", HS_ET_FAST_OFF, HS_ET_CYCLES_RETIREMENTS, HS_E_FIELD, 19,
	  { START_TIME, 0x10, 0x01, 0, 0, 0 } },
	{ "cycles where none are told", HS_ET_FAST_TARGETS, 0, HS_E_FIELD, 11,
	  { START, 0x01, 0, 0, 0, 0 } },
	{ "cycles of retirements where those of packets are told", HS_ET_FAST_TARGETS,
	  HS_ET_CYCLES_PACKETS, HS_E_FIELD,
	  19, { START_TIME, 0x01, 0, 0, 0, 0 } },
	/* source_size 4: 40 bits for an address of 31 */
	{ "a source that is longer than an address", HS_ET_FAST_SOURCES, 0, HS_E_FIELD, 16,
	  { START, 0x90, 0, 0, 0, 0, 0, 0, 0, 0, 0 } },
	/* reason 4 */
	{ "a synchronising packet with a reason where none are told", HS_ET_FAST_OFF,
	  HS_ET_CYCLES_RETIREMENTS,
	  HS_E_FIELD, 28, { START_TIME, 0x43, 0x00, 0x04, 0, 0, 0, 0, 0, 0, 0x00, 0x20, 0, 0, 0 } },
	{ "bits that are no sign", HS_ET_FAST_TARGETS, 0, HS_E_FIELD, 11,
	  { START, 0x10, 0x00, 0x01, 0, 0x10 } },
	{ "packets were lost", HS_ET_FAST_TARGETS, 0, HS_E_LOST, 7, { START, 0xdf } },
	{ "a target before synchronisation is passed over", HS_ET_FAST_TARGETS, 0, HS_OK, 5,
	  { 0x10, 0x00, 0x01, 0, 0 } },
};

TEST_ROWS(first_fault, faults, f)
{
	const struct hs_et_config c = configure(f->fast, f->cycles);
	struct hs_block out[64];
	size_t n;

	assert_string_equal(hs_status_name(decode(&c, f->bytes, f->n, 1, out, &n)),
	                    hs_status_name(f->want));
	if (f->want == HS_OK) {
		assert_int_equal(n, 0);
		assert_int_equal(skipped, 1);
	} else {
		assert_int_equal(out[n - 1].kind, HS_KIND_GAP);
		assert_int_equal(out[n - 1].arg, f->want);
	}
}

TEST(configurations_are_checked)
{
	struct hs_et_config c;

	for (unsigned fast = 0; fast <= 3; fast++)
		for (unsigned cycles = 0; cycles <= 3; cycles++) {
			const bool good = fast <= 2 && cycles <= 2 &&
				(fast || cycles == HS_ET_CYCLES_RETIREMENTS);

			c = configure(fast, cycles);
			assert_int_equal(hs_et_config_check(&c), good ? HS_OK : HS_E_CONFIG);
			c.version = HS_ET_2_0; /* which has neither */
			assert_int_equal(hs_et_config_check(&c), fast || cycles ? HS_E_CONFIG
			                 : HS_OK);
		}
	c = configure(HS_ET_FAST_TARGETS, 0);
	c.itype_width = 3;
	assert_int_equal(hs_et_config_check(&c), HS_E_CONFIG);
	c = configure(HS_ET_FAST_TARGETS, 0);
	c.options = HS_ET_FULL_ADDRESS;
	assert_int_equal(hs_et_config_check(&c), HS_E_CONFIG);
	/* 7 + 3 + 64 + 64 + (3 + 64) + 63 bits are more than 31 bytes */
	c = configure(HS_ET_FAST_SOURCES, HS_ET_CYCLES_PACKETS);
	c.iaddress_width = 64;
	assert_int_equal(hs_et_config_check(&c), HS_OK);
	c.context = 1;
	c.context_width = 64;
	assert_int_equal(hs_et_config_check(&c), HS_E_CONFIG);
}
