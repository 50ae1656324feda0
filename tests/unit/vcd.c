/* Value change dumps to samples: text written by hand, cut at every place. */
#include "cases.h"

#include "inputs/vcd.h"

#define HEAD "$date today $end\n$timescale 1ns $end\n$scope module top $end\n"
#define CLOCK "$var wire 1 ! clk $end\n"
#define BODY "$upscope $end\n$enddefinitions $end\n"
#define VECTOR4 HEAD CLOCK "$var wire 4 \" d [3:0] $end\n" BODY

static const struct row {
	const char *name, *clock, *data;
	unsigned width;
	bool rising_only;
	const char *text, *samples; /* samples: pairs of hexadecimal digits */
	/* of hs_vcd_feed() where it is an error, else of hs_vcd_end() */
	enum hs_status end;
	uint64_t unknown;
} rows[] = {
	{ "both edges", "clk", "d", 0, false,
	  VECTOR4 "#0 $dumpvars 0! b1111 \" $end\n#5 1! b1100 \"\n#10 0! b0 \"\n#15 1!", "0c0000",
	  HS_END, 0 },
	{ "rising edges", "clk", "d", 0, true,
	  VECTOR4 "#0 0! b1111 \"\n#5 1! b1100 \"\n#10 0! b0 \"\n#15 1! b1 \"", "0c01", HS_END, 0 },
	{ "data between the edges", "clk", "d", 0, false,
	  VECTOR4 "#0 0! b1111 \"\n#3 b1010 \"\n#5 1!\n#8 b101 \"\n#10 0!\n#12 b0 \"", "0a05",
	  HS_END, 0 },
	{ "data after the clock at one time", "clk", "d", 0, false,
	  VECTOR4 "#0 0! b1 \"\n#5 1!\nb10 \"\n", "02", HS_END, 0 },
	{ "a clock that comes back at one time is no edge", "clk", "d", 0, false,
	  VECTOR4 "#0 0! b1 \"\n#5 1! 0!\n#6 1!", "01", HS_END, 0 },
	{ "x and z are idle", "clk", "d", 0, false,
	  VECTOR4 "#0 x! bx \"\n#1 0!\n#2 1!\n#3 0! bz0 \"\n#4 1! b10x1 \"\n#5 0! b0 \"",
	  "0f0e0b00", HS_END, 3 },
	{ "no initial value: the first change is an edge", "clk", "d", 0, false,
	  VECTOR4 "#5 b1 \"\n#10 1!\n#15 b10 \"\n#20 0!", "0102", HS_END, 0 },
	{ "initial values before the first time", "clk", "d", 0, false,
	  VECTOR4 "$dumpvars 1! b1 \" $end\n#10 0! b10 \"", "02", HS_END, 0 },
	{ "digits that are left out", "clk", "d", 0, false,
	  VECTOR4 "#0 0!\n#1 1! b1 \"\n#2 0! b01 \"\n#3 1! bx1 \"", "01010f", HS_END, 1 },
	{ "a vector longer than pins", "clk", "d", 2, false,
	  HEAD CLOCK "$var reg 64 # d [63:0] $end\n" BODY
	  "#0 0!\n#1 1! b1111111111111111111111111111111111111111111111111111111111111101 #", "01",
	  HS_END, 0 },
	{ "16 pins", "clk", "d", 16, false,
	  HEAD CLOCK "$var reg 16 # d [15:0] $end\n" BODY "#0 0!\n#1 1! b1000000100000010 #\n#2 0!",
	  "02810281", HS_END, 0 },
	{ "numbers that rise", "clk", "d", 0, false,
	  HEAD CLOCK "$var wire 4 # d[0:3] $end\n" BODY "#0 0!\n#1 1! b0011 #", "0c", HS_END, 0 },
	{ "single bits", "clk", "d", 0, false,
	  HEAD CLOCK "$var wire 1 a d [1] $end\n$var wire 1 b d[0] $end\n"
	  BODY "#0 0! 0a 0b\n#1 1! 1a\n#2 0! 1b 0a", "0201", HS_END, 0 },
	{ "names in order", "clk", "p,q", 0, false,
	  HEAD CLOCK "$var wire 1 a q $end\n$var wire 1 b p $end\n"
	  BODY "#0 0! 0a 0b\n#1 1! 1a\n#2 0! 1b 0a", "0201", HS_END, 0 },
	{ "bits of a bus", "clk", "bus[4],bus[5]", 0, false,
	  HEAD CLOCK "$var wire 8 a bus [7:0] $end\n"
	  BODY "#0 0!\n#1 1! b00100000 a\n#2 0! b11011111 a", "0201", HS_END, 0 },
	{ "the end of a path", "b.clk", "top.b.d", 0, false,
	  HEAD CLOCK "$var wire 1 x d $end\n$scope module b $end\n$var wire 1 c clk $end\n$var wire 1 d d $end\n$upscope $end\n" BODY
	  "#0 0! 0c 0d 1x\n#1 1! 1c\n#2 0!\n#3 0c 1d", "0001", HS_END, 0 },
	{ "an escaped name, a real and a string", "clk", "d", 0, false,
	  HEAD "$var wire 1 ! \\clk $end\n$var wire 1 d d $end\n$var real 64 r t $end\n" BODY
	  "$comment 1! #7 $end #0 0! 0d r1.5 r\n#1 1! sABC s", "00", HS_END, 0 },
	{ "escaped names of elements and scopes", "\\s.x.clk!", "m[1]", 0, false,
	  HEAD "$scope module \\s.x $end $var reg 1 ! \\clk! $end "
	  "$var reg 4 a \\m[0] [3:0] $end $var reg 4 b \\m[1] [3:0] $end $upscope $end " BODY
	  "#0 0! b1 a b10 b #1 1!\n#2 0! b111 b", "0207", HS_END, 0 },
	{ "a bit of a vector as clock, bits whose numbers rise", "c[1]", "d[3],d[0]", 0, false,
	  HEAD "$var reg 2 ! c [0:1] $end $var reg 4 d d [0:3] $end " BODY
	  "#0 b10 ! b0001 d #1 b11 !\n#2 b01 !\n#3 b0 ! b1000 d", "0102", HS_END, 0 },
	{ "one signal, two names", "clk", "d", 0, false,
	  HEAD CLOCK "$var wire 1 ! d $end\n" BODY "#0 0!\n#1 1!\n#2 0!", "0100", HS_END, 0 },
	{ "no clock", "ck", "d", 0, false, VECTOR4 "#0 0!", "", HS_E_CONFIG, 0 },
	{ "no data", "clk", "e", 0, false, VECTOR4 "#0 0!", "", HS_E_CONFIG, 0 },
	{ "fewer pins than asked for", "clk", "d", 8, false, VECTOR4 "#0 0!", "", HS_E_CONFIG, 0 },
	{ "three pins", "clk", "d", 0, false, HEAD CLOCK "$var wire 3 # d [2:0] $end\n" BODY, "",
	  HS_E_CONFIG, 0 },
	{ "17 pins", "clk", "d", 0, false, HEAD CLOCK "$var wire 17 # d [16:0] $end\n" BODY, "",
	  HS_E_CONFIG, 0 },
	{ "rising numbers of a wide vector", "clk", "d", 1, false,
	  HEAD CLOCK "$var wire 40 # d [0:39] $end\n"
	  BODY "#0 0!\n#1 1! b1000000000000000000000000000000000000000 #", "01", HS_END, 0 },
	{ "not a dump", "clk", "d", 0, false, "\x24\x15", "", HS_E_FORMAT, 0 },
	{ "not a change", "clk", "d", 0, false, VECTOR4 "#0 0!\nhello", "", HS_E_FORMAT, 0 },
	{ "ends in the declarations", "clk", "d", 0, false, HEAD CLOCK, "", HS_E_FORMAT, 0 },
	{ "empty", "clk", "d", 0, false, "", "", HS_E_FORMAT, 0 },
};

struct seen {
	uint8_t samples[64];
	size_t n;
	enum hs_status end;
};

static void feed(struct hs_vcd *v, struct seen *seen, const char *p, size_t n)
{
	uint8_t *copy = malloc(n + 1);
	struct hs_error e;
	struct hs_span in = { copy, n };
	size_t len;
	enum hs_status s;

	memcpy(copy, p, n);
	do {
		s = hs_vcd_feed(v, &in, seen->samples + seen->n, 2, &len, &e);
		assert_ptr_equal(in.p + in.n, copy + n);
		seen->n += len;
		assert_true(seen->n + 2 <= sizeof(seen->samples));
	} while (s == HS_FULL);
	if (s != HS_MORE)
		seen->end = s;
	free(copy);
}

static void parse(const struct row *r, size_t cut)
{
	const struct hs_vcd_options o = { sizeof(o), r->clock, r->data, r->width,
		                          r->rising_only, 0 };
	const size_t n = strlen(r->text);
	struct seen seen = { .end = HS_OK };
	struct hs_vcd_stats st;
	struct hs_vcd *v;
	struct hs_error e;
	size_t len;

	assert_int_equal(hs_vcd_new(&o, &v, &e), HS_OK);
	feed(v, &seen, r->text, cut);
	feed(v, &seen, r->text + cut, n - cut);
	enum hs_status s;

	do {
		s = hs_vcd_end(v, seen.samples + seen.n, 2, &len, &e);
		seen.n += len;
	} while (s == HS_FULL);
	assert_int_equal(s, r->end);
	if (seen.end != HS_OK)
		assert_int_equal(seen.end, r->end);
	assert_int_equal(seen.n, strlen(r->samples) / 2);
	for (size_t i = 0; i < seen.n; i++) {
		const char digits[] = { r->samples[2 * i], r->samples[2 * i + 1], '\0' };

		assert_int_equal(seen.samples[i], strtoul(digits, NULL, 16));
	}
	hs_vcd_get_stats(v, &st);
	assert_int_equal(st.unknown, r->unknown);
	assert_int_equal(st.samples, st.width == 16 ? seen.n / 2 : seen.n);
	hs_vcd_free(v);
}

TEST_ROWS(every_cut, rows, r)
{
	for (size_t cut = 0; cut <= strlen(r->text); cut++)
		parse(r, cut);
}

TEST(options_are_checked)
{
	enum { SIZE = sizeof(struct hs_vcd_options) };
	static const struct {
		struct hs_vcd_options o;
		enum hs_status status;
	} bad[] = {
		{ { SIZE, "", "d", 0, false, 0 }, HS_E_ARG },
		{ { SIZE, "clk", "", 0, false, 0 }, HS_E_ARG },
		{ { SIZE, "clk", "a,,b", 0, false, 0 }, HS_E_ARG },
		{ { SIZE, "clk", "d", 3, false, 0 }, HS_E_ARG },
		{ { SIZE, "clk", "d", 32, false, 0 }, HS_E_ARG },
		{ { SIZE, "clk", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", 0, false, 0 }, HS_E_ARG },
		{ { 0, "clk", "d", 0, false, 0 }, HS_E_CONFIG },
		{ { 3, "clk", "d", 0, false, 0 }, HS_E_CONFIG },
	};
	struct hs_vcd *v;
	struct hs_error e;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(hs_vcd_new(&bad[i].o, &v, &e), bad[i].status);
	hs_vcd_free(NULL);
}

/* Zeroed options, none, and those of an older caller that has no members but the size. */
TEST(zeroed_and_older_options)
{
	static const char text[] =
		HEAD "$var wire 1 ! trc_clk $end\n$var wire 1 \" trc_data $end\n" BODY
		"#0 0! 0\"\n#1 1! 1\"\n#2 0! 0\"";
	const struct hs_vcd_options zero = { .size = sizeof(zero) },
		old = { .size = 4, .clock = "no" };
	const struct hs_vcd_options *const given[] = { &zero, NULL, &old };

	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++) {
		struct hs_span in = { (const uint8_t *)text, sizeof(text) - 1 };
		struct hs_error e;
		struct hs_vcd *v;
		uint8_t out[4];
		size_t n;

		assert_int_equal(hs_vcd_new(given[i], &v, &e), HS_OK);
		assert_int_equal(hs_vcd_feed(v, &in, out, 1, &n, &e), HS_E_SPACE);
		assert_int_equal(hs_vcd_feed(v, &in, out, sizeof(out), &n, &e), HS_MORE);
		assert_int_equal(n, 1);
		assert_int_equal(out[0], 1);
		assert_int_equal(hs_vcd_end(v, out, sizeof(out), &n, &e), HS_END);
		assert_int_equal(n, 1);
		assert_int_equal(out[0], 0);
		hs_vcd_free(v);
	}
}
