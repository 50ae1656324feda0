/* Any text is a value change dump, whatever signals are asked for: the reader ends, and says the
 * same however the text is cut.  Input: which signals, piece size, text. */

#include "inputs/vcd.h"
#include "fuzz.h"
#include "outcome.h"

#define ROOM 3

static struct outcome parse(unsigned which, const uint8_t *p, size_t n, size_t piece)
{
	static const char *const data[] = { "d", "d[1],d[0]", "m.d", "e,d" };
	const struct hs_vcd_options options = { .size = sizeof(options),
		                                .clock = which & 4 ? "m.c" : "c",
		                                .data = data[which & 3],
		                                .width = which & 8 ? 2 : 0,
		                                .rising_only = which >> 4 & 1,
		                                .step = which >> 5 };
	struct outcome o = OUTCOME_START;
	struct hs_vcd_stats st;
	struct hs_error e;
	struct hs_vcd *v;
	uint8_t out[ROOM];
	size_t len, samples = 0;
	enum hs_status s = HS_MORE;

	fuzz_must(hs_vcd_new(&options, &v, &e) == HS_OK);
	for (size_t at = 0; at < n && (s == HS_MORE || s == HS_FULL);) {
		const size_t left = n - at < piece ? n - at : piece;
		struct hs_span in = { p + at, left };

		s = hs_vcd_feed(v, &in, out, ROOM, &len, &e);
		fuzz_must(in.n <= left && in.p + in.n == p + at + left);
		fuzz_must(len <= ROOM && (s != HS_FULL || len));
		outcome_note(&o, out, len);
		samples += len;
		at += left - in.n;
	}
	do {
		s = hs_vcd_end(v, out, ROOM, &len, &e);
		outcome_note(&o, out, len);
		samples += len;
	} while (s == HS_FULL);
	fuzz_must(s == HS_END || s == HS_E_FORMAT || s == HS_E_CONFIG);
	outcome_note(&o, &s, sizeof(s));
	hs_vcd_get_stats(v, &st);
	fuzz_must(samples == st.samples * (st.width == 16 ? 2 : 1) && st.unknown <= st.samples);
	hs_vcd_free(v);
	return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	const struct outcome whole = parse(data[0], data + 2, size - 2, size);
	const struct outcome pieces = parse(data[0], data + 2, size - 2, 1 + data[1] % 31);

	fuzz_must(whole.hash == pieces.hash);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static const char text[] =
		"$comment x $end $timescale 1 ns $end $scope module m $end $var wire 1 ! c $end\n"
		"$var wire 2 \" d [1:0] $end $var reg 1 # e $end $var real 64 r t $end $upscope $end\n"
		"$enddefinitions $end #0 $dumpvars 0! bx \" z# r0.5 r $end\n#5 1! b10 \"\n#7 0! b0 \" 1#\n#9 1!\n";

	if (i > 7 || size < 2 + sizeof(text))
		return 0;
	data[0] = (uint8_t)(i * 3);
	data[1] = (uint8_t)i;
	memcpy(data + 2, text, sizeof(text) - 1);
	return 2 + sizeof(text) - 1;
}
