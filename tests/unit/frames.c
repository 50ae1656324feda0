/* CoreSight frames, by hand.  An ID byte is ID * 2 + 1; the last byte of a frame has bit 0 of each
 * even data byte, or 1 where the ID before it holds only after the next byte. */
#include "transport/transport.h"
#include "cases.h"

#include <hartscope/transport.h>

#include "transport/frames.h"

#define SYNC "\xff\xff\xff\x7f"
#define HALF "\xff\x7f"
/* ID 1, then data a1 b2 c3 d4 e5 f6 07 18 29 3a 4b 5c 6d 7e: bit 0 of b2 d4 f6 18 3a 5c 7e is 0. */
#define PLAIN "\x03\xa1\xb2\xc3\xd4\xe5\xf6\x07\x18\x29\x3a\x4b\x5c\x6d\x7e"
#define PLAIN_DATA "1a1 1b2 1c3 1d4 1e5 1f6 107 118 129 13a 14b 15c 16d 17e "

static const struct row {
	const char *name;
	bool aligned;
	const char *in;
	size_t n;
	const char *want; /* ID and byte of each; ? no ID yet; ! an error */
} rows[] = {
#define ROW(name, aligned, in, want) { name, aligned, in, sizeof(in) - 1, want }
	ROW("a frame", true, PLAIN "\0", PLAIN_DATA),
	ROW("odd data at even places", true, PLAIN "\xfe",
	    "1a1 1b3 1c3 1d5 1e5 1f7 107 119 129 13b 14b 15d 16d 17f "),
	ROW("an ID that holds at once, and one after the next byte", true,
	    "\x03\xa1\x05\xb2\x07\xc3\x0e\xd4\0\0\0\0\0\0\0\x04",
	    "1a1 2b2 2c3 30e 3d4 300 300 300 300 300 300 300 "),
	ROW("no ID before it", true, "\x0e\xa1\x03\xb2\x01\0\0\0\0\0\0\0\0\0\0\0", "?0e ?a1 1b2 "),
	ROW("an ID at the end is of the next frame", true,
	    "\x03\xa1\x01\0\0\0\0\0\0\0\0\0\0\0\x05\0" "\x0e\xa1\x01\0\0\0\0\0\0\0\0\0\0\0\0\0",
	    "1a1 20e 2a1 "),
	ROW("null data is none", true, "\x01\xa1\0\0\0\0\0\0\0\0\0\0\0\0\0\0", ""),
	ROW("a trigger", true, "\xfb\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0", "7d00 "),
	ROW("a reserved ID", true, "\xe1\xa1\0\0\0\0\0\0\0\0\0\0\0\0\0\0" PLAIN "\0",
	    "!" PLAIN_DATA),
	ROW("a synchronisation before it", false, SYNC PLAIN "\0", PLAIN_DATA),
	ROW("what is before the first one", false, "\x01\x02\x03" SYNC PLAIN "\0", PLAIN_DATA),
	ROW("one more byte of ff", false, "\xff" SYNC PLAIN "\0", PLAIN_DATA),
	ROW("no synchronisation", false, PLAIN "\0", ""),
	ROW("half-word synchronisations", false, SYNC HALF "\x03\xa1" HALF HALF
	    "\xb2\xc3\xd4\xe5\xf6\x07\x18\x29\x3a\x4b\x5c\x6d" HALF "\x7e\0" HALF, PLAIN_DATA),
	ROW("a synchronisation within a frame", false, SYNC "\x03\xa1\xb2\xc3" SYNC PLAIN "\0",
	    "!" PLAIN_DATA),
	ROW("a reserved ID, up to a synchronisation", false, SYNC
	    "\xe1\xa1\0\0\0\0\0\0\0\0\0\0\0\0\0\0" PLAIN "\0" SYNC PLAIN "\0", "!" PLAIN_DATA),
#undef ROW
};

static void put_hex(char *got, size_t *n, unsigned v, unsigned digits)
{
	while (digits--)
		got[(*n)++] = "0123456789abcdef"[v >> 4 * digits & 15];
}

static void read_pieces(const struct row *row, size_t piece)
{
	struct hs_frame_reader r;
	struct hs_frame f;
	char got[512];
	size_t n = 0;

	hs_frame_reader_init(&r, row->aligned);
	for (size_t at = 0; at < row->n; at += piece) {
		const size_t given = row->n - at < piece ? row->n - at : piece;
		struct hs_span in = { (const uint8_t *)row->in + at, given };
		enum hs_status s = hs_frame_read(&r, &in, &f);

		for (; s != HS_MORE; s = hs_frame_read(&r, &in, &f)) {
			if (s == HS_E_FRAMING)
				got[n++] = '!';
			for (unsigned i = 0; s == HS_OK && i < f.n; i++) {
				if (f.id[i] == 0xff)
					got[n++] = '?';
				else
					put_hex(got, &n, f.id[i], f.id[i] < 16 ? 1 : 2);
				put_hex(got, &n, f.byte[i], 2);
				got[n++] = ' ';
			}
		}
	}
	got[n] = '\0';
	assert_string_equal(got, row->want);
	assert_int_equal(r.offset, row->n);
}

TEST_ROWS(reads, rows, row)
{
	for (size_t piece = 1; piece <= row->n; piece++)
		read_pieces(row, piece);
}

/* a1 of 1; b2, c3 of 2; d5 of 2; e6 of 1. */
TEST(bytes_of_several_sources_are_written)
{
	static const uint8_t ids[] = { 1, 2, 2, 2, 1 }, data[] = { 0xa1, 0xb2, 0xc3, 0xd5, 0xe6 };
	struct hs_frame_writer w;
	uint8_t out[2 * HS_FRAME_ROOM];
	size_t n = 0;

	hs_frame_writer_init(&w, 64);
	for (unsigned i = 0; i < 5; i++)
		n += hs_frame_put(&w, ids[i], data[i], out + n);
	n += hs_frame_flush(&w, out + n);
	/* 1 a1, 2 b2; c3 at an even place with its bit, d5; e6 and what fills the frame */
	assert_int_equal(n, 20);
	assert_memory_equal(out, SYNC "\x03\xa1\x05\xb2\xc2\xd5\x03\xe6\x01\0\0\0\0\0\0\x04", 20);
}
