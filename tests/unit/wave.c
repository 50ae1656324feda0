/* Waves: signals of a value change dump as rows, at the edges of a clock. */
#include "cases.h"

#include "inputs/wave.h"

#define HEAD "$date now $end\n$timescale 1 ns $end\n"
#define PORT HEAD "$scope module tb $end $var wire 1 ! clk $end\n" \
	"$scope module core $end $var wire 1 \" valid $end $var wire 8 # addr [7:0] $end\n" \
	"$var wire 4 $ both[3:0] $end $upscope $end\n" \
	"$scope module other $end $var wire 8 % addr [7:0] $end $upscope $end $upscope $end\n" \
	"$enddefinitions $end\n"

/* As Icarus Verilog 11 and Verilator 5.006 write \clk!, \bus[3] and the elements of \bus[4] inside
 * of \sub.x: the first has a backslash, but not in scopes, and the second has none. */
#define ICARUS HEAD "$scope module t $end\n$scope module sub.x $end\n$var reg 1 \" \\clk! $end\n" \
	"$var reg 8 # \\bus[3] [7:0] $end\n$var reg 4 $ \\bus[4][1] [3:0] $end\n" \
	"$var reg 8 % asc [0:7] $end\n$upscope $end\n$upscope $end\n$enddefinitions $end\n"
#define VERILATOR HEAD " $scope module TOP $end\n  $scope module t $end\n" \
	"   $scope module sub.x $end\n    $var wire  1 \" clk! $end\n" \
	"    $var wire  8 # bus[3] [7:0] $end\n    $var wire  4 $ bus[4][1] [3:0] $end\n" \
	"    $var wire  8 % asc [0:7] $end\n   $upscope $end\n  $upscope $end\n $upscope $end\n" \
	"$enddefinitions $end\n"
/* A dump whose scopes have the backslash, too, as IEEE 1364 writes identifiers. */
#define ESCAPED HEAD "$scope module \\sub.x $end $var reg 1 \" \\clk! $end " \
	"$var reg 8 # \\bus[3] [7:0] $end $var reg 4 $ \\bus[4][1] [3:0] $end " \
	"$var reg 8 % asc [0:7] $end $upscope $end $enddefinitions $end\n"
#define EDGE "#0 0\" b101 # b1001 $ b10000001 %\n#1 1\" b0 #\n#2"
#define ESCAPED_ROW(name, dump, clock, scope) \
	{ name, dump EDGE, clock, \
	  { { "a", scope "bus[3]", 10, true }, { "b", scope "bus[4][1]", 10, true }, \
	    { "c", scope "bus[3][2]", 10, true }, { "d", scope "bus[4][1][1]", 10, true } }, \
	  "a,b,c,d\n5,9,1,0\n", HS_END }

static const struct row {
	const char *name, *dump, *clock;
	struct hs_wave_column columns[4];
	const char *rows;
	enum hs_status end;
} rows[] = {
	{ "values before the edge", PORT "#0 0! 0\" b0 #\n#5 1! 1\" b11 #\n#10 0!\n#15 1! b100 #\n"
	  "#20 0! 0\"\n#25 1!\n#30 0!", NULL,
	  { { "valid", NULL, 10, true }, { "addr", NULL, 16, true } },
	  "valid,addr\n0,0\n1,3\n0,4\n", HS_END },
	{ "by path, a bit, 0x", PORT "#0 0! b1011 $ b10000 % b1 #\n#5 1!\n#10 0!", "tb.clk",
	  { { "a", "other.addr", 0, true }, { "b", "core.both[2]", 10, true },
	    { "c", "both[1]", 10, true } }, "a,b,c\n0x10,0,1\n", HS_END },
	{ "the last time", PORT "#0 0! 1\"\n#5 1!", NULL, { { "valid", NULL, 10, true } },
	  "valid\n1\n", HS_END },
	{ "unknown bits, a wide vector", HEAD "$var reg 72 ! w $end $var wire 1 c clk $end\n"
	  "$enddefinitions $end #0 0c b1xz1 ! #1 1c #2 0c "
	  "b111111110000000000000000000000000000000000000000000000000000000000000101 ! #3 1c #4",
	  NULL, { { "w", NULL, 16, true } }, "w\nx\n5\n", HS_END },
	{ "comments, reals, strings", PORT "$comment #7 1! $end $dumpvars 0! 1\" $end "
	  "#0 r1.5 ! sfoo ! #5 1! #6", NULL,
	  { { "valid", NULL, 10, true } }, "valid\n1\n", HS_END },
	{ "a signal that may be missing", PORT "#0 0!\n#5 1!", NULL,
	  { { "valid", NULL, 10, true }, { "x", NULL, 10, false } }, "valid\nx\n", HS_END },
	{ "bits that are x, a digit each", HEAD
	  "$var wire 32 ! i [31:0] $end $var wire 1 c clk $end "
	  "$var wire 4 d n [3:0] $end $enddefinitions $end #0 0c bx0000001000010011 ! bz1 d #1 1c "
	  "#2 0c bz ! b101 d #3 1c #4 0c b0x1 ! bx d #5 1c #6", NULL,
	  { { "i", NULL, 0, true }, { "n", NULL, 10, true }, { "b", "i[16]", 10, true } },
	  "i,n,b\n0xxxxx0213,x,x\n0xxxxxxxxx,5,x\n0xx,x,0\n", HS_END },
	ESCAPED_ROW("escaped names of Icarus", ICARUS, "clk!", ""),
	ESCAPED_ROW("by their paths", ICARUS, "t.sub.x.clk!", "t.sub.x."),
	ESCAPED_ROW("escaped names of Verilator", VERILATOR, "clk!", "x."),
	ESCAPED_ROW("escaped names and scopes", ESCAPED, "sub.x.clk!", "sub.x."),
	ESCAPED_ROW("asked for as in the source", ICARUS, "\\sub.x.\\clk!", "\\sub.x.\\"),
	ESCAPED_ROW("the same of Verilator", VERILATOR, "\\clk!", "\\"),
	{ "numbers that rise: the first bit is on the left", ICARUS
	  "#0 0\" b10000011 %\n#1 1\"\n#2", "clk!",
	  { { "a", "asc", 16, true }, { "b", "asc[0]", 10, true }, { "c", "asc[1]", 10, true },
	    { "d", "asc[6]", 10, true } }, "a,b,c,d\n83,1,0,1\n", HS_END },
	{ "a vector without a range, a scalar with an index", HEAD "$var wire 1 ! clk $end "
	  "$var wire 4 a v $end $var wire 8 b m[2] $end $enddefinitions $end "
	  "#0 0! b100 a b11 b #1 1! #2", NULL,
	  { { "a", "v[2]", 10, true }, { "b", "clk[0]", 10, true }, { "c", "m[2]", 10, true },
	    { "d", "m[2][7]", 10, true } }, "a,b,c,d\n1,0,3,0\n", HS_END },
	{ "a string, which has no size", HEAD "$var string 0 s text $end $var wire 1 ! clk $end "
	  "$enddefinitions $end #0 0! sabc s #1 1! #2", NULL, { { "clk", NULL, 10, true } },
	  "clk\n0\n", HS_END },
	{ "no such signal", PORT "#0", NULL, { { "x", NULL, 10, true } }, "", HS_E_CONFIG },
	{ "no such clock", PORT "#0", "tick", { { "valid", NULL, 10, true } }, "", HS_E_CONFIG },
	{ "no such bit", PORT "#0", NULL, { { "x", "both[4]", 10, true } }, "", HS_E_CONFIG },
	{ "no dump", "hello", NULL, { { "x", NULL, 10, true } }, "", HS_E_FORMAT },
	{ "not a change", PORT "#0 0!\nq!\n#5", NULL, { { "valid", NULL, 10, true } }, "valid\n",
	  HS_E_FORMAT },
	{ "ends in its declarations", HEAD, NULL, { { "x", NULL, 10, true } }, "", HS_E_FORMAT },
	{ "a variable without a size", HEAD "$var wire x ! clk $end", NULL,
	  { { "x", NULL, 10, true } }, "", HS_E_FORMAT },
};

static struct hs_wave *open_row(const struct row *row)
{
	struct hs_wave_options o = { .size = sizeof(o), .clock = row->clock,
		                     .columns = row->columns };
	struct hs_wave *w = NULL;
	struct hs_error e;

	while (o.column_count < 4 && row->columns[o.column_count].name)
		o.column_count++;
	assert_int_equal(hs_wave_new(&o, &w, &e), HS_OK);
	return w;
}

/* All of the dump, @piece bytes at a time. */
static enum hs_status read_dump(struct hs_wave *w, const char *dump, size_t piece, char *text)
{
	static char out[HS_WAVE_ROOM + 100];
	const size_t size = strlen(dump);
	enum hs_status s = HS_MORE;
	struct hs_error e;
	size_t n, used = 0;

	for (size_t at = 0; at < size && (s == HS_MORE || s == HS_FULL); at += piece) {
		struct hs_span in = { (const uint8_t *)dump + at,
			              size - at < piece ? size - at : piece };

		do {
			s = hs_wave_feed(w, &in, out, sizeof(out), &n, &e);
			memcpy(text + used, out, n);
			used += n;
		} while (s == HS_FULL);
	}
	const enum hs_status end = hs_wave_end(w, out, sizeof(out), &n, &e);

	memcpy(text + used, out, n);
	text[used + n] = '\0';
	return end;
}

TEST_ROWS(check_row, rows, row)
{
	static char text[4096];

	for (size_t piece = 1; piece < 40; piece += 13) {
		struct hs_wave *w = open_row(row);

		assert_int_equal(read_dump(w, row->dump, piece, text), row->end);
		assert_string_equal(text, row->rows);
		hs_wave_free(w);
	}
}

TEST(options_are_checked)
{
	static const struct hs_wave_column good = { "valid", NULL, 10, true };
	static const struct hs_wave_column empty = { .name = "" };
	struct hs_wave_options o = { .size = sizeof(o) };
	struct hs_wave *w = NULL;
	struct hs_error e;
	char out[10];
	size_t n;

	assert_int_equal(hs_wave_new(&o, &w, &e), HS_E_CONFIG);
	o.columns = &empty;
	o.column_count = 1;
	assert_int_equal(hs_wave_new(&o, &w, &e), HS_E_CONFIG);
	o.columns = &good;
	o.clock = "";
	assert_int_equal(hs_wave_new(&o, &w, &e), HS_E_CONFIG);
	o.clock = NULL;
	assert_int_equal(hs_wave_new(&o, &w, &e), HS_OK);
	struct hs_span in = { (const uint8_t *)"x", 1 };

	assert_int_equal(hs_wave_feed(w, &in, out, sizeof(out), &n, &e), HS_E_SPACE);
	assert_int_equal(hs_wave_end(w, out, sizeof(out), &n, &e), HS_E_SPACE);
	assert_false(hs_wave_has(w, "valid"));
	hs_wave_free(w);
	hs_wave_free(NULL);
}
