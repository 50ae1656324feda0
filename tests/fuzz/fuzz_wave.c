/* Any text is a value change dump: the reader ends, and its rows are the same however the text is
 * cut.  Input: piece size, text. */

#include "fuzz.h"
#include "inputs/wave.h"

#define ROOM (HS_WAVE_ROOM + 50)

static const struct hs_wave_column columns[] = {
	{ "iaddr_0", "iaddr", 16, false }, { "b", "bus[1]", 10, false }, { "c", "a.c", 0, false },
};

static uint64_t hash(uint64_t h, const void *p, size_t n)
{
	const uint8_t *b = p;

	while (n-- > 0)
		h = (h ^ *b++) * 0x100000001b3u;
	return h;
}

static uint64_t run(const uint8_t *p, size_t size, size_t piece)
{
	const struct hs_wave_options o = { .size = sizeof(o), .columns = columns,
		                           .column_count = 3 };
	static char out[ROOM];
	struct hs_error e;
	struct hs_wave *w;
	enum hs_status s = HS_MORE;
	uint64_t h = 0xcbf29ce484222325u;
	size_t n;

	fuzz_must(hs_wave_new(&o, &w, &e) == HS_OK);
	for (size_t at = 0; at < size && s == HS_MORE; at += piece) {
		struct hs_span in = { p + at, size - at < piece ? size - at : piece };

		do {
			s = hs_wave_feed(w, &in, out, ROOM, &n, &e);
			fuzz_must(n <= ROOM);
			h = hash(h, out, n);
		} while (s == HS_FULL);
		fuzz_must(s == HS_MORE || s == HS_E_FORMAT || s == HS_E_CONFIG);
	}
	s = hs_wave_end(w, out, ROOM, &n, &e);
	fuzz_must(s == HS_END || s == HS_E_FORMAT || s == HS_E_CONFIG);
	h = hash(hash(h, out, n), &s, sizeof(s));
	hs_wave_free(w);
	return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	fuzz_must(run(data + 1, size - 1, size) == run(data + 1, size - 1, 1 + data[0] % 31));
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static const char *const dumps[] = {
		"$date x $end $scope module a $end $var wire 1 ! clk $end\n"
		"$var wire 8 \" iaddr [7:0] $end\n$var reg 3 # bus[2:0] $end\n"
		"$var wire 1 $ c $end $upscope $end\n$enddefinitions $end\n"
		"#0 $dumpvars 0! b1 \" b110 # x$ $end #5 1! b1010 \" #10 0! 1$ #15 1!\n",
		"$timescale 1ns $end $scope module t $end $scope module a $end\n"
		"$var wire 1 c clk_i $end $var wire 1 d bus [1] $end $upscope $end\n"
		"$enddefinitions $end #1 1c 1d r1.2 c #2 0c $comment x $end #3 1c",
	};

	if (i > 1 || size < 1 + strlen(dumps[i]))
		return 0;
	data[0] = (uint8_t)(7 * i);
	memcpy(data + 1, dumps[i], strlen(dumps[i]));
	return 1 + strlen(dumps[i]);
}
