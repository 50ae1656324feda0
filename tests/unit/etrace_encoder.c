/* What the E-Trace encoder sends for blocks and events, by packets; blocks that it refuses. */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "etrace/et_reader.h"
#include "etrace/etrace.h"
#include "little.h"

#define C(...) { .size = sizeof(struct hs_et_config), __VA_ARGS__ }
#define B(a, n, last, type) { { (a) }, { (n) }, (last), (type), HS_PRIV_M, 0, 0, HS_KIND_BLOCK }
#define IN_U(a, n, last, type) { { (a) }, { (n) }, (last), (type), HS_PRIV_U, 0, 0, HS_KIND_BLOCK }
#define EVENT(kind, type, v, a) { { (v) }, { (a) }, 0, (type), HS_PRIV_UNKNOWN, 0, 0, (kind) }
#define STOP EVENT(HS_KIND_STOP, 0, 0, 0)
#define LOST EVENT(HS_KIND_GAP, 0, 0, HS_E_LOST)
#define RESET EVENT(HS_KIND_SYNC, 1, 0, 0)
#define REQUEST EVENT(HS_KIND_SYNC, 0, 0, 0)
#define NOTIFY EVENT(HS_KIND_SYNC, 6, 0, 0)
#define TRAP(type) EVENT(HS_KIND_TRAP, type, 0x77, 5)
#define CONTEXT(v, how) EVENT(HS_KIND_CONTEXT, how, v, 2)
#define TIME(v) EVENT(HS_KIND_TIME, 0, v, 0)
#define END { .kind = UINT8_MAX }

/* The second instruction of a pair (ET sijump), and a block without a privilege. */
#define PAIRS .sijump = 1, .options = HS_ET_SIJUMP
#define HALF(a) { { (a) }, { 2 }, 2, 14, HS_PRIV_M, 1, 0, HS_KIND_BLOCK }
#define UNTOLD(a) { { (a) }, { 2 }, 2, 0, HS_PRIV_UNKNOWN, 0, 0, HS_KIND_BLOCK }

/* A taken branch at @a, and a jump to 0x10. */
#define TO_10(a) B(a, 2, 2, 5), B(0x500, 2, 2, 14), B(0x10, 4, 2, 0)
#define DRAFT C(.version = HS_ET_0_026, .iaddress_width = 32)
#define FAST C(.version = HS_ET_FAST, .fast = HS_ET_FAST_TARGETS)

/* A packet as a letter: S start, T trap, C context, B branches, A address, F
 * branches and a full address, P a target of a fast
 * profile; of a support packet its qual_status: N no change, E ended, R ended and reported anyway,
 * L lost; small with ienable 0. */
static char letter_of(const struct hs_et_packet *p)
{
	static const char forms[HS_ET_FORMS] = {
		[HS_ET_FORM_START] = 'S', [HS_ET_FORM_TRAP] = 'T',   [HS_ET_FORM_CONTEXT] = 'C',
		[HS_ET_FORM_FULL] = 'F',  [HS_ET_FORM_BRANCH] = 'B', [HS_ET_FORM_ADDRESS] = 'A',
		[HS_ET_FORM_TARGET] = 'P',
	};
	const char *status = p->field[HS_ETF_IENABLE] ? "NELR" : "nelr";

	return p->form == HS_ET_FORM_SUPPORT ? status[p->field[HS_ETF_QUAL_STATUS] & 3]
	                                     : forms[p->form];
}

/* With the support packets of the start and the end (ET Format 3 subformat 3), and where the trace
 * ends the address of its last instruction (ET Algorithm, figure). */
static const struct row {
	const char *name;
	struct hs_et_config c;
	struct hs_block items[10];
	const char *packets;
} rows[] = {
	{ "nothing", C(), { END }, "" },
	{ "a block", C(), { B(0x100, 4, 2, 0), END }, "NSAe" },
	{ "an instruction", C(), { B(0x100, 2, 2, 0), END }, "NSe" },
	{ "a stop before anything", C(), { STOP, END }, "" },
	{ "a stop, and one more", C(), { B(0x100, 2, 2, 0), STOP, STOP, END }, "NSEn" },
	{ "a stop between blocks", C(),
	  { B(0x100, 2, 2, 0), STOP, B(0x104, 2, 2, 0), END }, "NSESe" },
	{ "a reset between blocks", C(),
	  { B(0x100, 2, 2, 0), RESET, B(0x104, 2, 2, 0), END }, "NSESe" },
	{ "consecutive blocks", C(), { B(0x100, 2, 2, 0), B(0x104, 2, 2, 0), END }, "NSAe" },
	/* ET Multiple retirement: nothing leads from one to the other */
	{ "blocks are missing", C(), { B(0x100, 2, 2, 0), B(0x200, 2, 2, 0), END }, "NSESe" },
	{ "blocks are missing after a branch", C(),
	  { B(0x100, 2, 2, 4), B(0x200, 2, 2, 0), END }, "NSESe" },
	{ "blocks are missing after a branch in the middle", C(),
	  { B(0x100, 2, 2, 5), B(0x200, 4, 2, 0), B(0x208, 4, 2, 4), B(0x300, 2, 2, 0), END },
	  "NSBESe" },
	{ "a taken branch leads anywhere", C(),
	  { B(0x100, 2, 2, 5), B(0x200, 2, 2, 0), END }, "NSAe" },
	{ "a jump leads anywhere", C(), { B(0x100, 2, 2, 14), B(0x200, 4, 2, 0), END }, "NSAAe" },
	/* "would have been issued anyway" (ET Format 3 subformat 3 qual_status) */
	{ "the trace ends at a jump's target", C(),
	  { B(0x100, 2, 2, 14), B(0x200, 2, 2, 0), END }, "NSAr" },
	{ "the trace stops at a jump's target", C(),
	  { B(0x100, 2, 2, 14), B(0x200, 2, 2, 0), STOP, END }, "NSARn" },
	/* "a privilege change" synchronises (ET Algorithm); without a trap blocks are missing */
	{ "another mode without a trap", C(),
	  { B(0x100, 2, 2, 0), IN_U(0x104, 2, 2, 0), END }, "NSESe" },
	{ "another mode by a return from a trap", C(),
	  { B(0x100, 2, 2, 3), IN_U(0x104, 2, 2, 0), END }, "NSSe" },
	{ "a trap and its handler", C(),
	  { B(0x100, 2, 2, 1), TRAP(0), B(0x200, 2, 2, 0), END }, "NSTe" },
	{ "a trap without a block, and its handler", C(),
	  { B(0x100, 2, 2, 0), TRAP(1), B(0x200, 2, 2, 0), END }, "NSTe" },
	/* an instruction is decided when the next one is known: a loss takes it along */
	{ "packets were lost", C(),
	  { B(0x100, 2, 2, 0), B(0x104, 2, 2, 0), LOST, B(0x108, 2, 2, 0), END }, "NSLSe" },
	{ "packets were lost, and the trace stops", C(),
	  { B(0x100, 2, 2, 0), B(0x104, 2, 2, 0), LOST, END }, "NSl" },
	{ "packets were lost before anything", C(), { LOST, END }, "" },
	{ "packets were lost after a stop", C(),
	  { B(0x100, 2, 2, 0), STOP, LOST, B(0x104, 2, 2, 0), END }, "NSELSe" },
	/* 0.026: "10: Reserved" (PT Table 6.4); twice that the encoder is disabled
	 * (design/et-draft) */
	{ "0.026: packets were lost", DRAFT,
	  { B(0x100, 2, 2, 0), B(0x104, 2, 2, 0), LOST, B(0x108, 2, 2, 0), END }, "NSnnNSr" },
	{ "0.026: packets were lost, and the trace stops", DRAFT,
	  { B(0x100, 2, 2, 0), B(0x104, 2, 2, 0), LOST, STOP, B(0x108, 2, 2, 0), END }, "NSnnNSr" },
	{ "0.026: packets were lost, and the trace ends", DRAFT,
	  { B(0x100, 2, 2, 0), B(0x104, 2, 2, 0), LOST, END }, "NSnn" },
	{ "0.026: packets were lost after a stop", DRAFT,
	  { B(0x100, 2, 2, 0), STOP, LOST, B(0x104, 2, 2, 0), END }, "NSRnnNSr" },
	{ "0.026: packets were lost before a trap", DRAFT,
	  { B(0x100, 2, 2, 0), B(0x104, 2, 2, 0), LOST, TRAP(1), B(0x200, 2, 2, 0), END },
	  "NSnnNTr" },
	/* ET Resynchronisation: the packet for what came before goes first */
	{ "a synchronisation is requested", C(),
	  { B(0x100, 2, 2, 0), REQUEST, B(0x104, 2, 2, 0), END }, "NSSe" },
	{ "one was requested before the trace stopped", C(),
	  { B(0x100, 2, 2, 0), REQUEST, STOP, B(0x104, 4, 2, 0), END }, "NSESAe" },
	{ "a notification is requested", C(.strict = 1),
	  { B(0x100, 2, 2, 0), NOTIFY, B(0x104, 4, 2, 0), B(0x10c, 2, 2, 0), END }, "NSAAe" },
	{ "a notification was requested before the trace stopped", C(.strict = 1),
	  { B(0x100, 2, 2, 0), NOTIFY, STOP, B(0x104, 4, 2, 0), END }, "NSESAe" },
	/* ET Table context-type: 1 imprecise, 2 precise */
	{ "a context that is reported by a packet of its own", C(.context = 1),
	  { B(0x100, 2, 2, 0), CONTEXT(7, 1), B(0x104, 2, 2, 0), END }, "NSACe" },
	{ "a context that is reported precisely", C(.context = 1),
	  { B(0x100, 2, 2, 0), CONTEXT(7, 2), B(0x104, 2, 2, 0), END }, "NSSe" },
	{ "an imprecise context while one is inferred", C(.context = 1, .sijump = 1,
	  .options = HS_ET_SIJUMP),
	  { B(0x100, 2, 2, 0), CONTEXT(7, 1),
	    { { 0x104 }, { 4 }, 2, 14, HS_PRIV_M, 1, 0, HS_KIND_BLOCK }, B(0x200, 4, 2, 0), END },
	  "NSCAe" },
	{ "a context that is reported by a packet of its own, and a notification",
	  C(.context = 1, .strict = 1),
	  { B(0x100, 2, 2, 0), CONTEXT(7, 1), NOTIFY, B(0x104, 2, 2, 0), B(0x108, 2, 2, 0), END },
	  "NSACAe" },
	/* a pair in two blocks; where it is parted its target synchronises, too
	 * (design/et-encoder) */
	{ "a synchronisation between the halves of a pair", C(PAIRS),
	  { B(0x100, 4, 2, 0), REQUEST, HALF(0x108), B(0x300, 4, 2, 0), END }, "NSSSAe" },
	{ "a notification between the halves of a pair", C(.strict = 1, PAIRS),
	  { B(0x100, 4, 2, 0), NOTIFY, HALF(0x108), B(0x300, 4, 2, 0), END }, "NSAAe" },
	{ "a privilege that is not reported", C(),
	  { B(0x100, 2, 2, 3), IN_U(0x104, 2, 2, 0), UNTOLD(0x108), END }, "NSSAe" },
	{ "a privilege that is not reported after a stop", C(),
	  { IN_U(0x100, 2, 2, 0), STOP, UNTOLD(0x104), IN_U(0x108, 2, 2, 0), END }, "NSESAe" },
	/* ET sijump: a jump to the second instruction of a pair: the first one did not retire */
	{ "the second half of a pair", C(PAIRS),
	  { B(0x100, 2, 2, 5), HALF(0x204), B(0x300, 4, 2, 0), END }, "NSAAe" },
	/* fast profiles (design/et-draft): packets for calls, returns, traps; a support packet only
	 * at the end, always 3 */
	{ "fast: a call", FAST, { B(0x100, 2, 2, 9), B(0x200, 2, 2, 0), END }, "SPr" },
	{ "fast: blocks are missing", FAST, { B(0x100, 2, 2, 0), B(0x200, 2, 2, 0), END },
	  "SRSr" },
	{ "fast: a stop, and one more", FAST, { B(0x100, 2, 2, 0), STOP, STOP, END }, "SR" },
	{ "fast: packets were lost", FAST,
	  { B(0x100, 2, 2, 0), LOST, B(0x104, 2, 2, 0), END }, "SLSr" },
	{ "fast: packets were lost, and the trace ends", FAST, { B(0x100, 2, 2, 0), LOST, END },
	  "Sl" },
	{ "fast: a synchronisation is requested", FAST,
	  { B(0x100, 2, 2, 0), REQUEST, B(0x104, 2, 2, 0), B(0x108, 2, 2, 0), END }, "SSr" },
	/* PT 5: the address that has more equal top bits.  Full 0x10 / 2: 27 of 31; from 0x30 the
	 * difference has 27, from 0x20 28, from 0x1000 20 */
	{ "0.026: full and difference are as long", C(.version = HS_ET_0_026, .iaddress_width = 32),
	  { B(0x30, 1, 1, 0), TO_10(0x32), END }, "NSFAe" },
	{ "0.026: the same, where differences are preferred",
	  C(.version = HS_ET_0_026, .iaddress_width = 32, .diff_on_tie = 1),
	  { B(0x30, 1, 1, 0), TO_10(0x32), END }, "NSBAe" },
	{ "0.026: the difference is shorter", C(.version = HS_ET_0_026, .iaddress_width = 32),
	  { B(0x20, 1, 1, 0), TO_10(0x22), END }, "NSBAe" },
	{ "0.026: the full address is shorter", C(.version = HS_ET_0_026, .iaddress_width = 32),
	  { B(0x1000, 1, 1, 0), TO_10(0x1002), END }, "NSFAe" },
	{ "0.026: full addresses only",
	  C(.version = HS_ET_0_026, .iaddress_width = 32, .options = HS_ET_FULL_ADDRESS),
	  { B(0x20, 1, 1, 0), TO_10(0x22), END }, "NSFAe" },
	/* one context packet after an address: a jump led there and retired (design/et-draft) */
	{ "0.026, marks: a jump leads to the last instruction",
	  C(.version = HS_ET_0_026, .iaddress_width = 32, .context_mark = 1),
	  { B(0x100, 2, 2, 14), B(0x200, 2, 2, 0), END }, "NSACr" },
	{ "0.026, marks: more comes after the target",
	  C(.version = HS_ET_0_026, .iaddress_width = 32, .context_mark = 1),
	  { B(0x100, 2, 2, 14), B(0x200, 4, 2, 0), END }, "NSAAe" },
	{ "contexts are not in the trace", C(),
	  { B(0x100, 2, 2, 0), CONTEXT(7, 2), B(0x104, 2, 2, 0), END }, "NSAe" },
};

TEST_ROWS(packets, rows, row)
{
	static struct hs_et_encoder e;
	uint8_t bytes[16 * HS_ET_ENCODE_ROOM];
	char got[64] = "";
	size_t used, len, end, n = 0;
	struct hs_et_reader r;
	struct hs_et_packet p;

	while (row->items[n].kind != UINT8_MAX)
		n++;
	assert_int_equal(hs_et_encoder_init(&e, &row->c, NULL, 0), HS_OK);
	assert_int_equal(hs_et_encode(&e, row->items, n, &used, bytes, sizeof bytes, &len), HS_OK);
	assert_int_equal(hs_et_encode_end(&e, bytes + len, sizeof bytes - len, &end), HS_OK);
	struct hs_span in = { bytes, len + end };

	assert_int_equal(hs_et_reader_init(&r, &row->c), HS_OK);
	for (n = 0; hs_et_read(&r, &in, &p) == HS_OK; n++)
		got[n] = letter_of(&p);
	assert_string_equal(got, row->packets);
	assert_int_equal(hs_et_encode_end(&e, bytes, sizeof bytes, &end), HS_OK);
	assert_int_equal(end, 0); /* it has ended */
}

/* The first packet's privilege by that of blocks (ET Table priv: 0 U, 1 S, 3 M, 4 debug, 5 VU, 6
 * VS). */
TEST(privilege_is_that_of_blocks)
{
	static const struct { uint8_t priv, machine, want; } list[] = {
		{ HS_PRIV_U, 3, 0 }, { HS_PRIV_S, 3, 1 }, { HS_PRIV_M, 3, 3 }, { HS_PRIV_D, 3, 4 },
		{ HS_PRIV_VU, 3, 5 }, { HS_PRIV_VS, 3, 6 }, { HS_PRIV_UNKNOWN, 3, 0 },
		{ HS_PRIV_M, 7, 7 }, { HS_PRIV_S, 7, 1 },
	};
	uint8_t bytes[4 * HS_ET_ENCODE_ROOM];
	static struct hs_et_encoder e;
	struct hs_et_reader r;
	struct hs_et_packet p;
	size_t used, len;

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		const struct hs_et_config c =
			C(.layout = { .given = 1u << HS_ET_LAYOUT_MACHINE,
			              .machine = list[i].machine });
		const struct hs_block b = { .iaddr = 0x100, .iretire = 4, .ilast = 2,
			                    .priv = list[i].priv };

		assert_int_equal(hs_et_encoder_init(&e, &c, NULL, 0), HS_OK);
		assert_int_equal(hs_et_encode(&e, &b, 1, &used, bytes, sizeof bytes, &len), HS_OK);
		struct hs_span in = { bytes, len };

		assert_int_equal(hs_et_reader_init(&r, &c), HS_OK);
		assert_int_equal(hs_et_read(&r, &in, &p), HS_OK); /* support */
		assert_int_equal(hs_et_read(&r, &in, &p), HS_OK);
		assert_int_equal(p.field[HS_ETF_PRIVILEGE], list[i].want);
	}
}

/* EE Synchronization: after each 2^(6 + async_freq) bytes of packets, at the end of one, null bytes
 * and 0x80. */
TEST(sequences_after_so_many_bytes)
{
	static const struct hs_block jump = B(0x100, 4, 2, 14);
	uint8_t bytes[4 * HS_ET_ENCODE_ROOM];
	static struct hs_et_encoder e;
	size_t used, len, sent = 0, found = 0;

	for (uint8_t freq = 0; freq < 3; freq++) {
		const struct hs_et_config c = C(.async_freq = freq);

		assert_int_equal(hs_et_encoder_init(&e, &c, NULL, 0), HS_OK);
		for (unsigned n = sent = found = 0; n < 1000; n++) {
			assert_int_equal(hs_et_encode(&e, &jump, 1, &used, bytes, sizeof bytes,
			                              &len), HS_OK);
			for (size_t at = 0; at < len;) {
				if (bytes[at]) { /* a packet */
					sent += 1 + (bytes[at] & 31u);
					at += 1 + (bytes[at] & 31u);
					continue;
				}
				for (size_t k = 0; k < 31; k++)
					assert_int_equal(bytes[at + k], 0);
				assert_int_equal(bytes[at + 31], 0x80);
				assert_in_range(sent, 64u << freq, (64u << freq) + 31);
				at += 32;
				sent = 0;
				found++;
			}
			assert_true(freq == 0 || sent < 64u << freq);
		}
		assert_int_equal(found != 0, freq != 0);
	}
}

/* A loop of two branches, one never taken, one always: each has a state of its own in a predictor
 * of 4 half-words, or of 2 words, so that soon all are predicted and counted (ET Branch prediction
 * mode, Format 0 packets). */
TEST(predicted_loop)
{
	/* 100 beq 108, 104 beq 100 */
	static const uint32_t code[] = { LITTLE32(0x00000463), LITTLE32(0xfe000ee3) };
	static const struct hs_section section = { 0x100, sizeof code, (const uint8_t *)code };
	static const struct hs_image image = { .sections = &section, .count = 1,
		                               .isa = { .xlen = 64 } };
	static const struct hs_et_config configs[] = {
		C(.bpred_size = 2, .options = HS_ET_BRANCH_PREDICTION),
		C(.bpred_size = 1, .iaddress_unit = 4, .options = HS_ET_BRANCH_PREDICTION),
	};
	static struct hs_block in[200], out[240];
	static struct hs_et_encoder e;
	static struct hs_et_source source;
	uint64_t tables[2][1], memory[4096];
	uint8_t bytes[8 * HS_ET_ENCODE_ROOM];
	struct hs_bb_table table;
	struct hs_et_decoder d;
	size_t used, len, end, n, more;

	for (size_t i = 0; i < 200; i++)
		in[i] = (struct hs_block)B(i % 2 ? 0x104 : 0x100, 2, 2, i % 2 ? 5 : 4);
	for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
		const struct hs_et_config *c = &configs[i];

		assert_int_equal(hs_et_encoder_init(&e, c, tables[0], sizeof *tables), HS_OK);
		assert_int_equal(hs_et_encode(&e, in, 200, &used, bytes, sizeof bytes, &len),
		                 HS_OK);
		assert_int_equal(hs_et_encode_end(&e, bytes + len, sizeof bytes - len, &end),
		                 HS_OK);
		assert_int_equal(hs_et_encoder_stats(&e)->packets[HS_ET_FORM_BRANCH_COUNT], 1);
		struct hs_span trace = { bytes, len + end };

		assert_int_equal(hs_bb_init(&table, &image, memory, 64), HS_OK);
		assert_int_equal(hs_et_decoder_init(&d, c, &table, &source, 1, tables[1],
		                                    sizeof *tables), HS_OK);
		assert_int_equal(hs_et_decoder_next(&d, &trace, out, 220, &n), HS_MORE);
		assert_int_equal(hs_et_decoder_end(&d, out + n, 20, &more), HS_OK);
		assert_true(n + more >= 201);
		for (size_t k = 0; k < 200; k++) /* after SYNC */
			assert_true(hs_block_equal(&in[k], &out[k + 1]));
	}
}

/* After good blocks, the last of which plain.c had, and as the first one. */
TEST(wrong_blocks_are_refused)
{
	static const struct { struct hs_et_config c; struct hs_block bad; } list[] = {
		{ C(), B(0x109, 2, 2, 0) },
		{ C(.iaddress_unit = 1), B(0x109, 2, 2, 0) },
		{ C(.iaddress_unit = 4), B(0x10a, 2, 2, 0) },
		{ C(.iaddress_unit = 4), B(0x108, 3, 2, 0) }, /* its last instruction at 0x10a */
		{ C(.iaddress_unit = 4), B(0x108, 2, 1, 0) },
		{ C(), B(0x108, 2, 2, HS_ITYPE_RESERVED) },
		{ C(), B(0x108, 2, 2, 16) },
		{ C(), B(0x108, 0, 0, 0) },
		{ C(), B(0x108, 2, 0, 0) },
		{ C(), B(0x108, 2, 3, 0) },
		{ C(), B(0x108, 2, 3, HS_ITYPE_EXCEPTION) },
		{ C(.iaddress_width = 9), B(0x200, 2, 2, 0) },
		{ C(.iaddress_width = 9), B(0x1fe, 4, 2, 0) }, /* its last instruction at 0x202 */
	};
	static const struct hs_block good[] = { B(0x100, 2, 2, 5), B(0x100, 2, 2, 5),
		                                B(0x100, 2, 2, 5) };
	uint8_t bytes[8 * HS_ET_ENCODE_ROOM];
	static struct hs_et_encoder e;
	size_t used, len;

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		const struct hs_block in[] = { good[0], good[1], good[2], list[i].bad };

		for (size_t from = 0; from < 4; from++) {
			assert_int_equal(hs_et_encoder_init(&e, &list[i].c, NULL, 0), HS_OK);
			if (hs_et_encode(&e, in + from, 4 - from, &used, bytes, sizeof bytes,
			                 &len) != HS_E_BLOCK || used != 3 - from)
				fail_msg("row %zu after %zu blocks: %zu taken", i, 3 - from, used);
		}
	}
}
