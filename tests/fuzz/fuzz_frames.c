/* Any bytes are CoreSight frames: the reader ends, says the same however they are cut, and counts
 * every byte.  What is written is read again as the same.  Input: flags, piece size, frames. */
#include <hartscope/transport.h>

#include "transport/frames.h"
#include "transport/transport.h"
#include "fuzz.h"
#include "outcome.h"

static struct outcome read_all(bool aligned, const uint8_t *p, size_t n, size_t piece)
{
	struct outcome o = OUTCOME_START;
	struct hs_frame_reader r;
	struct hs_frame f;

	hs_frame_reader_init(&r, aligned);
	for (size_t at = 0; at < n;) {
		const size_t left = n - at < piece ? n - at : piece;
		struct hs_span in = { p + at, left };
		enum hs_status s = hs_frame_read(&r, &in, &f);

		fuzz_must(s == HS_OK || s == HS_MORE || s == HS_E_FRAMING);
		fuzz_must(s != HS_MORE || in.n == 0);
		fuzz_must(in.n < left);
		if (s != HS_MORE)
			outcome_note(&o, &s, sizeof s);
		if (s == HS_OK) {
			fuzz_must(f.n <= 15);
			outcome_note(&o, f.id, f.n);
			outcome_note(&o, f.byte, f.n);
		}
		at += left - in.n;
	}
	fuzz_must(r.offset == n && r.skipped <= n && 16 * r.frames <= n);
	return o;
}

static void write_again(const uint8_t *p, size_t n)
{
	struct hs_frame_writer w;
	struct hs_frame_reader r;
	struct hs_frame f;
	size_t at = 0;

	hs_frame_writer_init(&w, p[0] % 8);
	hs_frame_reader_init(&r, p[0] % 8 == 0);
	for (size_t i = 0; i <= n / 2; i++) {
		const uint8_t id = i < n / 2 ? (uint8_t)(1 + p[2 * i] % HS_FRAME_SOURCE_MAX) : 0;
		uint8_t out[HS_FRAME_ROOM];
		const size_t len = i < n / 2 ? hs_frame_put(&w, id, p[2 * i + 1], out)
		                             : hs_frame_flush(&w, out);
		struct hs_span in = { out, len };

		fuzz_must(len <= sizeof out);
		while (hs_frame_read(&r, &in, &f) == HS_OK)
			for (unsigned k = 0; k < f.n; k++, at++)
				fuzz_must(at < n / 2 && f.byte[k] == p[2 * at + 1] &&
				          f.id[k] == 1 + p[2 * at] % HS_FRAME_SOURCE_MAX);
	}
	fuzz_must(at == n / 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	const bool aligned = data[0] & 1;
	const struct outcome whole = read_all(aligned, data + 2, size - 2, size);
	const struct outcome cut = read_all(aligned, data + 2, size - 2, 1u + data[1]);

	fuzz_must(whole.hash == cut.hash);
	write_again(data + 2, size - 2);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *out, size_t cap)
{
	static const uint8_t first[] = { 0, 5, 0xff, 0xff, 0xff, 0x7f, 3, 0xa1, 5, 0xb2,
		                         0xc2, 0xd5, 3, 0xe6, 1, 0, 0, 0, 0, 0, 0, 4, 0xff, 0x7f };

	if (i > 1 || cap < sizeof first)
		return 0;
	for (size_t k = 0; k < sizeof first; k++)
		out[k] = first[k];
	out[0] = (uint8_t)i;
	return sizeof first;
}
