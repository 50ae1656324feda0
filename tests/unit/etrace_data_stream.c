/* Packets of data trace in a stream: framed as the encapsulation says (EE type), decoded as events
 * before the block of their instruction, listed next to it, counted. */
#include "cases.h"

#include <hartscope/etrace.h>
#include <hartscope/views.h>
#include "counts/counts.h"
#include <hartscope/program.h>

#include "core/access.h"
#include "etrace/etrace.h"
#include "etrace/etrace_data.h"
#include "etrace/et_reader.h"
#include "etrace/et_standard.h"
#include "program/program.h"

/* ld a0, 0(a1); sd a0, 8(a1); c.lw a2, 0(a1); amoadd.w a3, a4, (a1); j .-14 */
static const uint8_t code[] = { 0x03, 0xb5, 0x05, 0x00, 0x23, 0xb4, 0xa5, 0x00, 0x90, 0x41,
	                        0xaf, 0xa6, 0xe5, 0x00, 0x6f, 0xf0, 0x3f, 0xff };
static const struct hs_section section = { 0x1000, sizeof code, code };
static const struct hs_image image = { .sections = &section, .count = 1 };

#define BOTH (HS_ACCESS_HAS_ADDRESS | HS_ACCESS_HAS_DATA)

static const struct hs_access round_of[] = {
	{ .type = HS_ACCESS_LOAD, .size = 3, .address = 0x2000, .data = 0x1122, .known = BOTH },
	{ .type = HS_ACCESS_STORE, .size = 3, .address = 0x2008, .data = 0x1122, .known = BOTH },
	{ .type = HS_ACCESS_LOAD, .size = 2, .address = 0x2000, .data = 0x1122, .known = BOTH },
	{ .type = HS_ACCESS_ADD, .size = 2, .address = 0x2000, .data = 0x1122, .operand = 1,
	  .known = BOTH | HS_ACCESS_HAS_OPERAND },
};

enum { ACCESSES = sizeof round_of / sizeof *round_of, ROUNDS = 20 };

static struct {
	struct hs_block in[ROUNDS * (3 * ACCESSES + 1)], out[ROUNDS * 64];
	size_t in_n, out_n;
	uint8_t trace[ROUNDS * 256];
	size_t length;
	uint64_t memory[1 << 14];
	struct hs_et_counts written;
	struct hs_et_stats read;
} t;

static void make_rounds(void)
{
	t.in_n = 0;
	for (unsigned r = 0; r < ROUNDS; r++) {
		for (unsigned i = 0; i < ACCESSES; i++)
			t.in_n += hs_access_put(&round_of[i], &t.in[t.in_n]);
		t.in[t.in_n++] = (struct hs_block){ .iaddr = 0x1000, .iretire = sizeof code / 2,
			.ilast = 2, .itype = HS_ITYPE_TAIL_INF, .priv = HS_PRIV_U };
	}
}

static void encode(const struct hs_et_config *config, const struct hs_et_data_config *data)
{
	static struct hs_et_encoder e;
	static struct hs_et_data_coder coder;
	size_t used, n;

	assert_int_equal(hs_et_encoder_init(&e, config, NULL, 0), HS_OK);
	if (data) {
		assert_int_equal(hs_et_data_init(&coder, data), HS_OK);
		assert_int_equal(hs_et_encoder_set_data(&e, &coder), HS_OK);
	}
	assert_int_equal(hs_et_encode(&e, t.in, t.in_n, &used, t.trace, sizeof t.trace, &t.length),
	                 HS_OK);
	assert_int_equal(used, t.in_n);
	assert_int_equal(hs_et_encode_end(&e, t.trace + t.length, sizeof t.trace - t.length, &n),
	                 HS_OK);
	t.length += n;
	t.written = *hs_et_encoder_stats(&e);
}

/* @piece: bytes given at once. */
static void decode(const struct hs_et_config *config, const struct hs_et_data_config *data,
                   size_t piece)
{
	static struct hs_et_source sources[16];
	static struct hs_et_data_coder coders[16];
	static struct hs_et_decoder d;
	struct hs_bb_table table;
	size_t n;

	t.out_n = 0;
	assert_true(hs_bb_memory(64) <= sizeof t.memory);
	assert_int_equal(hs_bb_init(&table, &image, t.memory, 64), HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, config, &table, sources, 16, NULL, 0), HS_OK);
	for (unsigned i = 0; data && i < 16; i++)
		assert_int_equal(hs_et_data_init(&coders[i], data), HS_OK);
	struct hs_decoder_options o = { .size = sizeof o, .data = coders, .data_count = 15 };

	if (data) {
		assert_int_equal(hs_et_decoder_set(&d, &o), HS_E_ARG);
		o.data_count = 16;
		assert_int_equal(hs_et_decoder_set(&d, &o), HS_OK);
	}
	for (size_t at = 0; at < t.length; at += piece) {
		struct hs_span in = { t.trace + at, t.length - at < piece ? t.length - at : piece };

		assert_int_equal(hs_et_decoder_next(&d, &in, t.out + t.out_n,
		                                    sizeof t.out / sizeof *t.out - t.out_n, &n),
		                 HS_MORE);
		t.out_n += n;
	}
	assert_int_equal(hs_et_decoder_end(&d, t.out + t.out_n,
	                                   sizeof t.out / sizeof *t.out - t.out_n, &n), HS_OK);
	t.out_n += n;
	t.read = *hs_et_decoder_stats(&d);
}

#define C(...) { .size = sizeof(struct hs_et_config), .data_trace = 1, __VA_ARGS__ }
#define D(...) { .size = sizeof(struct hs_et_data_config), __VA_ARGS__ }

#define DOPTIONS \
	{ .given = 1u << HS_ET_LAYOUT_DOPTIONS, \
	  .doptions = { 0, HS_ET_DATA_NO_ADDRESS, HS_ET_DATA_FULL_ADDRESS, HS_ET_DATA_NO_VALUE } }

static const struct row {
	const char *name;
	struct hs_et_config config;
	struct hs_et_data_config data;
	unsigned packets; /* of data trace for a round */
	uint8_t lacks; /* enum hs_access_known that does not arrive */
	bool follows; /* the decoder knows the options only from support packets */
} rows[] = {
	{ "standard encapsulation", C(.doptions_width = 2), D(0), 4, 0, false },
	{ "srcID of 4 bits and a timestamp", C(.src_bits = 4, .src_id = 9, .tstamp_bytes = 2), D(0),
	  4, 0, false },
	{ "one header byte", C(.dialect = HS_ET_DIALECT_REFERENCE), D(0), 4, 0, false },
	{ "addresses only", C(.doptions_width = 2), D(.no_data = 1), 4,
	  HS_ACCESS_HAS_DATA | HS_ACCESS_HAS_OPERAND, false },
	{ "data only", C(0), D(.no_address = 1), 4, HS_ACCESS_HAS_ADDRESS, false },
	{ "split", C(0), D(.split = 1, .lrid_width = 2), 7, 0, false },
	{ "addresses only, from doptions", C(.doptions_width = 2), D(.no_data = 1), 4,
	  HS_ACCESS_HAS_DATA | HS_ACCESS_HAS_OPERAND, true },
	{ "data only, from doptions", C(.doptions_width = 2), D(.no_address = 1), 4,
	  HS_ACCESS_HAS_ADDRESS, true },
	{ "2.1: addresses only, by nodata", C(.version = HS_ET_2_1), D(.no_data = 1), 4,
	  HS_ACCESS_HAS_DATA | HS_ACCESS_HAS_OPERAND, true },
	{ "2.1: data only, by noaddr", C(.version = HS_ET_2_1), D(.no_address = 1), 4,
	  HS_ACCESS_HAS_ADDRESS, true },
	{ "2.1: other packets, by mmacas_ext", C(.version = HS_ET_2_1), D(.mmacas_ext = 1), 4, 0,
	  true },
	{ "doptions in another order", C(.doptions_width = 4, .layout = DOPTIONS),
	  D(.no_address = 1), 4, HS_ACCESS_HAS_ADDRESS, true },
};

/* Accesses of a round in order, each before the block of its instruction. */
static void check_items(const struct row *r)
{
	struct hs_access_reader reader = { 0 };
	unsigned accesses = 0, blocks = 0, packets = 0;

	for (size_t i = 0; i < t.out_n; i++) {
		blocks += t.out[i].kind == HS_KIND_BLOCK;
		if (!hs_access_take(&reader, &t.out[i]))
			continue;
		packets++;
		const struct hs_access *a = &reader.access, *want = &round_of[accesses % ACCESSES];

		assert_int_equal(a->type, want->type);
		if (a->known & HS_ACCESS_HAS_ADDRESS)
			assert_int_equal(a->address, want->address);
		if (a->known & HS_ACCESS_HAS_DATA)
			assert_int_equal(a->data, want->data);
		if (!a->phase)
			assert_int_equal(a->known, want->known & ~r->lacks);
		if (a->phase != HS_ACCESS_REQUEST)
			accesses++;
		assert_true(blocks <= accesses / ACCESSES);
	}
	assert_int_equal(accesses, ROUNDS * ACCESSES);
	assert_int_equal(packets, ROUNDS * r->packets);
	assert_int_equal(blocks, ROUNDS);
}

static uint64_t sum(const uint64_t *v, unsigned n)
{
	return n ? *v + sum(v + 1, n - 1) : 0;
}

/* Both sides count the same packets, and every byte is one of a packet. */
static void check_counts(const struct row *r)
{
	const struct hs_et_counts *w = &t.written;

	assert_memory_equal(w->packets, t.read.packets, sizeof w->packets);
	assert_memory_equal(w->bytes, t.read.bytes, sizeof w->bytes);
	assert_memory_equal(&w->data, &t.read.data, sizeof w->data);
	assert_int_equal(sum(w->bytes, HS_ET_FORMS), t.length);
	assert_int_equal(w->packets[HS_ET_FORM_OTHER], ROUNDS * r->packets);
	assert_int_equal(sum(w->data.packets, HS_ET_DATA_FORMS), ROUNDS * r->packets);
	assert_int_equal(sum(w->data.bytes, HS_ET_DATA_FORMS), w->bytes[HS_ET_FORM_OTHER]);
	/* data trace begins before the first instruction, with a support packet; then comes that of
	 * the instruction, and one at the end */
	assert_int_equal(w->packets[HS_ET_FORM_START], 1);
}

TEST_ROWS(there_and_back, rows, r)
{
	const struct hs_et_data_config plain = D(0), *there = r->follows ? &plain : &r->data;

	make_rounds();
	encode(&r->config, &r->data);
	decode(&r->config, there, sizeof t.trace);
	check_items(r);
	check_counts(r);
	decode(&r->config, there, 1);
	check_items(r);
	check_counts(r);
	/* A decoder that knows nothing of data trace has the same blocks. */
	decode(&r->config, NULL, 7);
	unsigned blocks = 0;
	for (size_t i = 0; i < t.out_n; i++) {
		assert_true(t.out[i].kind != HS_KIND_DATA);
		blocks += t.out[i].kind == HS_KIND_BLOCK;
	}
	assert_int_equal(blocks, ROUNDS);
}

/* Options of data trace that a support packet of 2.1 has, one by one; a reader keeps mmacas_ext. */
static const struct said {
	const char *name;
	struct hs_et_data_config data;
	enum hs_et_field field;
} said[] = {
	{ "nothing", D(0), HS_ETF_COUNT },
	{ "nodata", D(.no_data = 1), HS_ETF_NODATA },
	{ "noaddr", D(.no_address = 1), HS_ETF_NOADDR },
	{ "full_daddress", D(.full_address = 1), HS_ETF_FULL_DADDRESS },
	{ "full_data", D(.full_data = 1), HS_ETF_FULL_DATA },
	{ "mmacas_ext", D(.mmacas_ext = 1), HS_ETF_MMACAS_EXT },
};

TEST_ROWS(options_of_a_support_packet, said, row)
{
	static const enum hs_et_field fields[] = { HS_ETF_NODATA, HS_ETF_NOADDR,
		HS_ETF_FULL_DADDRESS, HS_ETF_FULL_DATA, HS_ETF_MMACAS_EXT };
	const struct hs_et_config config = C(.version = HS_ET_2_1);
	struct hs_et_reader r;
	struct hs_et_packet p;

	make_rounds();
	encode(&config, &row->data);
	struct hs_span in = { t.trace, t.length };

	assert_int_equal(hs_et_reader_init(&r, &config), HS_OK);
	assert_int_equal(hs_et_read(&r, &in, &p), HS_OK);
	assert_int_equal(p.form, HS_ET_FORM_SUPPORT);
	for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
		assert_int_equal(p.field[fields[i]], fields[i] == row->field);
	hs_et_reader_follow(&r, &p);
	assert_int_equal(hs_et_reader_options(&r) >> ET_AT_MMACAS_EXT & 1u,
	                 row->field == HS_ETF_MMACAS_EXT);
}

/* Without a coder the events change no byte. */
TEST(costs_nothing)
{
	const struct hs_et_config config = { .size = sizeof config };
	static uint8_t with[sizeof t.trace];
	size_t n = 0;

	make_rounds();
	encode(&config, NULL);
	const size_t length = t.length;

	memcpy(with, t.trace, length);
	for (size_t i = 0; i < t.in_n; i++)
		if (t.in[i].kind == HS_KIND_BLOCK)
			t.in[n++] = t.in[i];
	t.in_n = n;
	encode(&config, NULL);
	assert_int_equal(t.length, length);
	assert_memory_equal(t.trace, with, length);
}

/* The first access, after the support packet: header, type 3 in bits 1:0, payload 3=0 2=3 2=0 3=1
 * 16=0x1122 64=0x400 of the load at 0x2000 (ET Packet format for Unified load or store, with
 * address and data): 98 88 44 00 10, then 6 bits of padding. */
TEST(an_access_is_framed)
{
	const struct hs_et_config config = C(0);
	const struct hs_et_data_config data = D(0);
	static const uint8_t bytes[] = { 0x06, 0x63, 0x22, 0x12, 0x01, 0x40, 0x00 };

	make_rounds();
	encode(&config, &data);
	const size_t support = 1u + (t.trace[0] & 31u);

	assert_memory_equal(t.trace + support, bytes, sizeof bytes);
}

/* The same packet in 14 bytes, where it has 12 at its full length (ET Packets): a fault, and what
 * comes after it is read. */
TEST(too_long)
{
	static const uint8_t bytes[] = { 0x0f, 0x63, 0x22, 0x12, 0x01, 0x40, 0x00, 0x2a,
		                         0x2a, 0x2a, 0x2a, 0x2a, 0x2a, 0x2a, 0x2a, 0x2a,
		                         0x06, 0x63, 0x22, 0x12, 0x01, 0x40, 0x00 };
	const struct hs_et_config config = C(0);
	const struct hs_et_data_config data = D(0);
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_et_data_coder coder;
	struct hs_et_source source;
	struct hs_bb_table table;
	struct hs_et_decoder d;
	struct hs_span in = { bytes, sizeof bytes };
	size_t n;

	assert_int_equal(hs_et_data_init(&coder, &data), HS_OK);
	assert_int_equal(hs_bb_init(&table, &image, t.memory, 64), HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, &config, &table, &source, 1, NULL, 0), HS_OK);
	const struct hs_decoder_options o = { .size = sizeof o, .data = &coder, .data_count = 1 };

	assert_int_equal(hs_et_decoder_set(&d, &o), HS_OK);
	assert_int_equal(hs_et_decoder_next(&d, &in, out, HS_ET_DECODE_ROOM, &n), HS_E_FIELD);
	assert_int_equal(n, 0);
	assert_int_equal(hs_et_decoder_diag(&d)->packet.offset, 0);
	assert_int_equal(hs_et_decoder_diag(&d)->pc, 0);
	assert_int_equal(hs_et_decoder_next(&d, &in, out, HS_ET_DECODE_ROOM, &n), HS_MORE);
	assert_int_equal(hs_et_decoder_stats(&d)->errors, 1);
	assert_true(n > 0 && out[0].kind == HS_KIND_DATA);
}

TEST(framing_without_types)
{
	const struct hs_et_config config = C(.dialect = HS_ET_DIALECT_ATB);
	static struct hs_et_encoder e;
	struct hs_et_data_coder coder;

	assert_int_equal(hs_et_encoder_init(&e, &config, NULL, 0), HS_OK);
	assert_int_equal(hs_et_encoder_set_data(&e, &coder), HS_E_CONFIG);
}

TEST(in_words)
{
	static const char *const words[] = { "load 0x2000 = 0x1122", "store 0x2008 = 0x1122",
		"load 0x2000 = 0x1122", "atomic add 0x2000 = 0x1122, operand 0x1" };
	char text[64];

	for (unsigned i = 0; i < ACCESSES; i++) {
		hs_access_text(&round_of[i], text, sizeof text);
		assert_string_equal(text, words[i]);
		hs_access_text(&round_of[i], text, 5);
		assert_int_equal(strlen(text), 4);
	}
}

/* ---- shown and counted ------------------------------------------------------------- */

struct listed {
	char s[4096];
	size_t n;
};

static bool collect(void *context, const void *bytes, size_t n)
{
	struct listed *l = context;

	assert_true(l->n + n < sizeof l->s);
	memcpy(l->s + l->n, bytes, n);
	l->n += n;
	return true;
}

static struct hs_program *program(void)
{
	struct hs_program *p;

	assert_int_equal(hs_program_new(&p), HS_OK);
	assert_int_equal(hs_program_add_image(p, &image, NULL), HS_OK);
	return p;
}

/* One round, whose accesses come first, and then one more that no instruction made. */
TEST(next_to_instructions)
{
	static const char *const lines[] = {
		"# load 0x2000 = 0x1122\n", "# store 0x2008 = 0x1122\n",
		"# load 0x2000 = 0x1122\n", "# atomic add 0x2000 = 0x1122, operand 0x1\n",
		"; data: store 0x2008 = 0x1122\n",
	};
	struct hs_program *p = program();
	struct listed out = { .n = 0 };
	const struct hs_listing_options o = { .size = sizeof o, .program = p, .write = collect,
		                              .context = &out };
	struct hs_block stray[HS_ACCESS_ITEMS];
	struct hs_listing *l;
	const char *at = out.s;

	make_rounds();
	assert_int_equal(hs_listing_new(&o, &l), HS_OK);
	assert_int_equal(hs_listing_add(l, t.in, t.in_n / ROUNDS), HS_OK);
	assert_int_equal(hs_listing_add(l, stray, hs_access_put(&round_of[1], stray)), HS_OK);
	assert_int_equal(hs_listing_end(l), HS_OK);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		at = strstr(at, lines[i]);
		assert_non_null(at);
		at += strlen(lines[i]);
	}
	assert_int_equal(*at, 0);
	hs_listing_free(l);
	hs_program_free(p);
}

TEST(accesses_are_counted)
{
	struct hs_program *p = program();
	struct hs_profile_result r;
	struct hs_profile *profile;

	make_rounds();
	assert_int_equal(hs_profile_new(p, NULL, &profile), HS_OK);
	assert_int_equal(hs_profile_add(profile, t.in, t.in_n), HS_OK);
	assert_int_equal(hs_profile_get_result(profile, &r), HS_OK);
	assert_int_equal(r.data.loads, 2 * ROUNDS);
	assert_int_equal(r.data.stores, ROUNDS);
	assert_int_equal(r.data.atomics, ROUNDS);
	assert_int_equal(r.data.csrs, 0);
	assert_int_equal(r.data.loaded, (8 + 4 + 4) * ROUNDS);
	assert_int_equal(r.data.stored, (8 + 4) * ROUNDS);
	hs_profile_free(profile);
	hs_program_free(p);
}
