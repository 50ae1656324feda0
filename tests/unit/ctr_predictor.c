/* Branch predictors: lists of transfers, and which of them a two-bit counter, a history, a table of
 * last targets or a stack of calls has to miss, worked out by hand (ctr.h). */
#include "cases.h"

#include <hartscope/ctr.h>

/* A letter of a row's flow is a transfer, upper case: mispredicted.
 * t n  branch at @branch taken, not taken
 * u o  the same of the branch at @other
 * c    call at 0x100;  d: at 0x200, both to 0x1000;  i: indirect call at 0x300 to 0x1000
 * r    return to after the call at 0x100, which has 4 bytes;  s: after 0x200, which has 2
 * q    return to after the call at 0x300
 * x    return elsewhere;  w: swap at 0x400 to after 0x100;  y: return to after it
 * j    indirect jump at 0x500 to 0x1000, k: to 0x2000;  m: at 0x900 to 0x1000
 * g    indirect jump at 0 to 0
 * p l  direct jumps;  e: exception;  v: return from a trap;  z: reserved type 7 */
static const struct transfer {
	char letter;
	uint8_t type;
	uint64_t source, target;
} transfers[] = {
	{ 'c', HS_CTR_CALL, 0x100, 0x1000 },      { 'd', HS_CTR_CALL, 0x200, 0x1000 },
	{ 'i', HS_CTR_CALL_IND, 0x300, 0x1000 },  { 'r', HS_CTR_RETURN, 0x1010, 0x104 },
	{ 's', HS_CTR_RETURN, 0x1010, 0x202 },    { 'q', HS_CTR_RETURN, 0x1010, 0x304 },
	{ 'x', HS_CTR_RETURN, 0x1010, 0x106 },    { 'w', HS_CTR_SWAP, 0x400, 0x104 },
	{ 'y', HS_CTR_RETURN, 0x1010, 0x402 },    { 'j', HS_CTR_JUMP_IND, 0x500, 0x1000 },
	{ 'k', HS_CTR_OTHER_IND, 0x500, 0x2000 }, { 'm', HS_CTR_JUMP_IND, 0x900, 0x1000 },
	{ 'p', HS_CTR_JUMP, 0x600, 0x1000 },      { 'g', HS_CTR_JUMP_IND, 0, 0 },
	{ 'e', HS_CTR_EXCEPTION, 0x600, 0x1000 }, { 'v', HS_CTR_TRET, 0x600, 0x1000 },
	{ 'z', 7, 0x600, 0x1000 },                { 'l', HS_CTR_OTHER, 0x600, 0x1000 },
};

static const struct row {
	const char *name;
	struct hs_ctr_predictor_config k;
	uint64_t branch, other;
	const char *flow;
} rows[] = {
	/* counters: 1 at first, 2 and 3 predict taken */
	{ "a counter has four states", { 0 }, 0x10, 0x20, "TttNNnTTt" },
	{ "not taken from the start", { 0 }, 0x10, 0x20, "nnnnTTt" },
	{ "it does not go above 3", { 0 }, 0x10, 0x20, "TtttttNNn" },
	{ "a loop that ends now and then", { 0 }, 0x10, 0x20, "TtNttNt" },
	{ "each branch has its counter", { 0 }, 0x10, 0x20, "TtoooUUtu" },
	{ "of 2^12 by default: 0x2010 shares it", { 0 }, 0x10, 0x2010, "Ttuuu" },
	{ "but 0x1010 does not", { 0 }, 0x10, 0x1010, "TtUu" },
	{ "of 2: 0x12 is the other", { .counter_bits = 1 }, 0x10, 0x12, "TtUut" },
	{ "of 2: 0x14 shares it", { .counter_bits = 1 }, 0x10, 0x14, "Ttuut" },
	{ "of 2^14: 0x4010 does not", { .counter_bits = 14 }, 0x10, 0x4010, "TtUu" },
	{ "of 2^14: 0x8010 does", { .counter_bits = 14 }, 0x10, 0x8010, "Ttuu" },
	{ "bimodal does not learn what alternates", { 0 }, 0x10, 0x20, "TNTNTNTN" },
	{ "gshare learns it", { .direction = HS_CTR_GSHARE, .history_bits = 1 }, 0x10, 0x20,
	  "Tntntntn" },
	/* histories 0, 1, 3, 7, 7, ... */
	{ "gshare: each history has a counter",
	  { .direction = HS_CTR_GSHARE, .counter_bits = 4, .history_bits = 3 }, 0x10, 0x20,
	  "TTTTtt" },
	{ "gshare: as much history as counters have bits",
	  { .direction = HS_CTR_GSHARE, .counter_bits = 4 }, 0x10, 0x20, "TTTTTtt" },
	{ "gshare: 12 of each by default", { .direction = HS_CTR_GSHARE }, 0x10, 0x20,
	  "TTTTTTTTTTTTTtt" },
	/* 8 with history 0 is 9 with history 1 */
	{ "gshare: exclusive or", { .direction = HS_CTR_GSHARE, .history_bits = 1 }, 0x10,
	  0x12, "Tuu" },
	{ "a call and its return", { 0 }, 0, 0, "crdscdsr" },
	{ "an empty stack", { 0 }, 0, 0, "RcrR" },
	{ "one call returns once", { .calls = 1 }, 0, 0, "crR" },
	{ "another target", { 0 }, 0, 0, "cXR" },
	{ "the stack keeps 2", { .calls = 2 }, 0, 0, "cdIqsRcr" },
	{ "the stack keeps 1", { .calls = 1 }, 0, 0, "cdsRcr" },
	{ "the stack keeps 16 by default", { 0 }, 0, 0, "dcccccccccccccccrrrrrrrrrrrrrrrsS" },
	{ "not 17", { 0 }, 0, 0, "dccccccccccccccccrrrrrrrrrrrrrrrrS" },
	{ "a swap pops and pushes", { 0 }, 0, 0, "cwyYWy" },
	{ "an indirect call: its target, and the return", { 0 }, 0, 0, "Iqiq" },
	{ "the last target", { 0 }, 0, 0, "JjjKkJj" },
	{ "no target is known at first, not even 0", { 0 }, 0, 0, "Gg" },
	{ "2^9 targets: 0x900 takes the place of 0x500", { 0 }, 0, 0, "JjMmJ" },
	{ "2^10: it does not", { .target_bits = 10 }, 0, 0, "JMjm" },
	{ "what is in the code is not mispredicted", { 0 }, 0, 0, "pplevz" },
	{ "nor does it change anything", { 0 }, 0, 0, "cplevzr" },
};

static struct hs_ctr_transfer transfer_of(const struct row *r, char letter)
{
	struct hs_ctr_transfer t = { 0 };

	if (letter == 't' || letter == 'n' || letter == 'u' || letter == 'o') {
		t.type = letter == 't' || letter == 'u' ? HS_CTR_TAKEN : HS_CTR_NOT_TAKEN;
		t.source = letter == 't' || letter == 'n' ? r->branch : r->other;
		return t;
	}
	for (size_t i = 0; i < sizeof(transfers) / sizeof(transfers[0]); i++)
		if (transfers[i].letter == letter)
			return (struct hs_ctr_transfer){ .type = transfers[i].type,
				                         .source = transfers[i].source,
				                         .target = transfers[i].target };
	fail_msg("letter %c", letter);
	return t;
}

TEST_ROWS(run_row, rows, r)
{
	struct hs_ctr_predictor_config k = r->k;
	struct hs_ctr_predictor p;

	k.size = sizeof(k);
	assert_int_equal(hs_ctr_predictor_init(&p, &k), HS_OK);
	for (const char *at = r->flow; *at; at++) {
		const bool upper = *at >= 'A' && *at <= 'Z';
		const struct hs_ctr_transfer t = transfer_of(r, upper ? *at - 'A' + 'a' : *at);

		print_message("# %s: transfer %d, %c\n", r->name, (int)(at - r->flow), *at);
		assert_int_equal(hs_ctr_predictor_missed(&p, &t), upper);
	}
}

TEST(configurations_are_checked)
{
	static const struct hs_ctr_predictor_config bad[] = {
		{ .direction = 2 }, { .counter_bits = 15 }, { .history_bits = 13 },
		{ .counter_bits = 4, .history_bits = 5 }, { .target_bits = 11 }, { .calls = 65 },
	};
	struct {
		struct hs_ctr_predictor_config k;
		uint8_t later[8];
	} v = { .k = { .counter_bits = 14, .history_bits = 14, .target_bits = 10, .calls = 64,
	               .direction = HS_CTR_GSHARE } };
	struct hs_ctr_predictor p = { .top = 77 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct hs_ctr_predictor_config k = bad[i];

		k.size = sizeof(k);
		assert_int_equal(hs_ctr_predictor_init(&p, &k), HS_E_CONFIG);
		assert_int_equal(p.top, 77);
	}
	assert_int_equal(hs_ctr_predictor_init(&p, &v.k), HS_E_CONFIG); /* size 0 */
	v.k.size = sizeof(v);
	assert_int_equal(hs_ctr_predictor_init(&p, &v.k), HS_OK);
	v.later[0] = 1;
	assert_int_equal(hs_ctr_predictor_init(&p, &v.k), HS_E_CONFIG);
}
