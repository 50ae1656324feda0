/* Captures: bytes, circular buffers, pins and dumps, from a file and from memory.
 *
 * DirectBranch I-CNT 3 is 0c 0f (NT 7.2); with 8 pins a sample is a byte, and alignment needs idle,
 * ff, before the first message (NT 3.4).  With 4 pins the low half of a byte is first (NT 3.3).
 */
#include "cases.h"

#include <sys/mman.h>
#include <unistd.h>

#include <hartscope/capture.h>

#include "inputs/capture.h"

#define DUMP "$scope module m $end\n$var wire 1 ! trc_clk $end\n$var wire 8 \" trc_data $end\n" \
	"$upscope $end\n$enddefinitions $end\n#0 0! b11111111 \"\n#1 1!\n#2 0! b1100 \"\n" \
	"#3 1! b1111 \"\n#4 0! b11111111 \"\n"
#define OTHER_NAMES "$var wire 1 ! c $end\n$var wire 8 \" d $end\n$enddefinitions $end\n" \
	"#0 0!\n#1 1!\n"

#define RAM(start, limit, wp, wrapped, stopped) \
	&(const struct hs_capture_ram){ (start), (limit), (wp), (wrapped), (stopped) }

static const struct row {
	const char *name;
	struct hs_capture_options o; /* the size is filled in */
	const char *in;
	size_t n;        /* bytes of @in */
	const char *out; /* what hs_capture_read() gives, as bytes */
	size_t out_n;
	enum hs_status open, end; /* end: an error of hs_capture_read(), or HS_END */
	uint64_t partial;
} rows[] = {
	{ "plain bytes", { .transport = "raw" }, "\x0c\x0f\xff", 3, "\x0c\x0f\xff", 3, HS_OK,
	  HS_END,
	  0 },
	{ "no transport is plain bytes", { 0 }, "\x0c\x0f", 2, "\x0c\x0f", 2, HS_OK, HS_END, 0 },
	{ "nothing", { 0 }, "", 0, "", 0, HS_OK, HS_END, 0 },
	/* 0b at the write pointer is the end of an overwritten message: idle takes its place. */
	{ "a circular buffer", { .wrap = "2" }, "\x0c\x0f\x0b\x24\x15\x00\x0b", 7,
	  "\xff\x24\x15\x00\x0b\x0c\x0f", 7, HS_OK, HS_END, 1 },
	/* The stream 24 15 00 0b, 0c 0f, 24 15 00 0b, 0c 0f, 84 00 07 in 12 bytes. */
	{ "its seam is looked for", { .wrap = "find" },
	  "\x84\x00\x07\x0b\x0c\x0f\x24\x15\x00\x0b\x0c\x0f",
	  12, "\x0c\x0f\x24\x15\x00\x0b\x0c\x0f\x84\x00\x07", 11, HS_OK, HS_END, 0 },
	/* EE Synchronization, N = 3 for the row: 00 00 00 and 80 after them are null packets; the
	 * 42 after a run that is too short may be part of a packet. */
	{ "packets with headers", { .wrap = "4", .null_run = 3 },
	  "\x80\x42\x1f\x00\x00\x00\x42\x00\x00\x00", 10,
	  "\x00\x00\x00\x00\x00\x00\x00\x42\x1f\x00", 10, HS_OK, HS_END, 7 },
	{ "the run is at the write pointer", { .wrap = "2", .null_run = 2 },
	  "\x42\x1f\x20\x80\x41\x03", 6, "\x00\x00\x41\x03\x42\x1f", 6, HS_OK, HS_END, 2 },
	{ "no run that is long enough", { .wrap = "0", .null_run = 3 }, "\x42\x00\x00\x42", 4,
	  "\x00\x00\x00\x00", 4, HS_OK, HS_E_FORMAT, 4 },
	{ "packets do not show a seam", { .wrap = "find", .null_run = 3 }, "\x42\x1f", 2, "", 0,
	  HS_E_CONFIG, HS_OK, 0 },
	{ "a write pointer at the end", { .wrap = "0x2" }, "\x0c\x0f", 2, "\xff\xff", 2, HS_OK,
	  HS_END,
	  2 },
	{ "a write pointer past the end", { .wrap = "3" }, "\x0c\x0f", 2, "", 0, HS_E_CONFIG, HS_OK,
	  0 },
	{ "a write pointer that is no number", { .wrap = "2x" }, "\x0c\x0f", 2, "", 0, HS_E_CONFIG,
	  HS_OK, 0 },
	/* A buffer of 8 bytes at 0x100: its last word is at 0x104 (TCI 7). */
	{ "a RAM sink that wrapped", { .ram = RAM(0x100, 0x104, 0x104, true, false) },
	  "\x0c\x0f\x0c\x0f\x0b\x24\x15\x03", 8, "\xff\x24\x15\x03\x0c\x0f\x0c\x0f", 8, HS_OK,
	  HS_END, 1 },
	{ "a RAM sink that did not wrap", { .ram = RAM(0x100, 0x104, 0x104, false, false) },
	  "\x24\x15\x00\x0b\x55\x55\x55\x55", 8, "\x24\x15\x00\x0b", 4, HS_OK, HS_END, 0 },
	{ "a RAM sink that stored nothing", { .ram = RAM(0x100, 0x104, 0x100, false, false) },
	  "\x55\x55\x55\x55\x55\x55\x55\x55", 8, "", 0, HS_OK, HS_END, 0 },
	{ "a RAM sink that is full and wraps", { .ram = RAM(0x100, 0x104, 0x100, true, false) },
	  "\x0b\x24\x15\x00\x0b\x0c\x0f\xff", 8, "\xff\x24\x15\x00\x0b\x0c\x0f\xff", 8, HS_OK,
	  HS_END, 1 },
	{ "a RAM sink that stopped where it wraps", { .ram = RAM(0x100, 0x104, 0x100, true, true) },
	  "\x24\x15\x00\x0b\x0c\x0f\x0c\x0f", 8, "\x24\x15\x00\x0b\x0c\x0f\x0c\x0f", 8, HS_OK,
	  HS_END, 0 },
	{ "only what a RAM sink stored", { .ram = RAM(0x100, 0x1fc, 0x104, false, false) },
	  "\x24\x15\x00\x0b", 4, "\x24\x15\x00\x0b", 4, HS_OK, HS_END, 0 },
	{ "all of an SRAM that was trimmed", { .ram = RAM(0, 0x4, 0x4, true, false) },
	  "\x0c\x0f\x0c\x0f\x0b\x24\x15\x03\x55\x55\x55\x55", 12,
	  "\xff\x24\x15\x03\x0c\x0f\x0c\x0f", 8, HS_OK, HS_END, 1 },
	{ "packets of a RAM sink that wrapped", { .null_run = 2,
	  .ram = RAM(0x100, 0x104, 0x104, true, false) },
	  "\x41\x03\x41\x04\x42\x1f\x20\x80", 8, "\x00\x00\x00\x00\x41\x03\x41\x04", 8, HS_OK,
	  HS_END, 4 },
	{ "a file that is not the RAM sink's", { .ram = RAM(0x100, 0x104, 0x104, true, false) },
	  "\x0c\x0f", 2, "", 0, HS_E_CONFIG, HS_OK, 0 },
	{ "a write pointer past the limit", { .ram = RAM(0x100, 0x104, 0x108, true, false) },
	  "\x0c\x0f\x0c\x0f\x0b\x24\x15\x03", 8, "", 0, HS_E_CONFIG, HS_OK, 0 },
	{ "a write pointer below the start", { .ram = RAM(0x100, 0x104, 0xfc, true, false) },
	  "\x0c\x0f\x0c\x0f\x0b\x24\x15\x03", 8, "", 0, HS_E_CONFIG, HS_OK, 0 },
	{ "wrap wins over the RAM sink", { .wrap = "2",
	  .ram = RAM(0x100, 0x104, 0x104, true, false) }, "\x0c\x0f\x0b\x24\x15\x00\x0b", 7,
	  "\xff\x24\x15\x00\x0b\x0c\x0f", 7, HS_OK, HS_END, 1 },
	{ "no circular buffer", { .wrap = "no", .ram = RAM(0x100, 0x104, 0x104, true, false) },
	  "\x0c\x0f", 2, "\x0c\x0f", 2, HS_OK, HS_END, 0 },
	/* ID 1, then 0c 0f of DirectBranch; 24 15 00 0b of ID 2 (frames.c) */
	{ "a source of frames", { .transport = "tpiu-frames", .source_id = 1 },
	  "\x03\x0c\x05\x0f\x24\x15\0\x0b\x01\0\0\0\0\0\0\x02", 16, "\x0c\x0f", 2, HS_OK,
	  HS_END, 0 },
	{ "frames without a synchronisation", { .transport = "tpiu", .source_id = 1 },
	  "\x03\x0c\x0e\x01\0\0\0\0\0\0\0\0\0\0\0\x02", 16, "", 0, HS_OK, HS_END, 0 },
	{ "no such ID", { .transport = "tpiu", .source_id = 0x70 }, "", 0, "", 0, HS_E_CONFIG,
	  HS_OK, 0 },
	{ "frames that begin later", { .transport = "tpiu", .source_id = 1 },
	  "\x0b\xff\xff\xff\x7f\x03\x0b\x0c\x0f\x01\0\0\0\0\0\0\0\0\0\0\0", 21,
	  "\xff\x0c\x0f", 3, HS_OK, HS_END, 1 },
	{ "pins cannot wrap", { .transport = "pins4", .wrap = "0" }, "", 0, "", 0, HS_E_CONFIG,
	  HS_OK, 0 },
	{ "no such transport", { .transport = "pins3" }, "", 0, "", 0, HS_E_CONFIG, HS_OK, 0 },
	{ "8 pins", { .transport = "pins8" }, "\xff\x0c\x0f\xff", 4, "\x0c\x0f", 2, HS_OK, HS_END,
	  0 },
	{ "4 pins, a byte a sample", { .transport = "pins4" }, "\xf\xf\xf\xc\0\xf\0", 7, "\x0c\x0f",
	  2,
	  HS_OK, HS_END, 0 },
	{ "4 pins, packed", { .transport = "pins4-packed" }, "\xff\xff\x0c\x0f", 4, "\x0c\x0f", 2,
	  HS_OK,
	  HS_END, 0 },
	{ "pins without idle", { .transport = "pins4" }, "\0\0\0\0\0\0\0", 7, "", 0, HS_OK,
	  HS_E_FRAMING, 0 },
	/* 05 has MSEO 01 after the end of a message (NT 3.1). */
	{ "alignment is lost", { .transport = "pins8" }, "\xff\x0c\x0f\x05\xff\x0c\x0f", 7,
	  "\x0c\x0f\x02\xff\x0c\x0f", 6, HS_OK, HS_E_FRAMING, 0 },
	{ "a dump, the usual names", { .transport = "vcd" }, DUMP, sizeof(DUMP) - 1, "\x0c\x0f", 2,
	  HS_OK, HS_END, 0 },
	{ "a dump, other names", { .transport = "vcd", .vcd_clock = "trc_clk",
	                           .vcd_data = "m.trc_data" },
	  DUMP, sizeof(DUMP) - 1, "\x0c\x0f", 2, HS_OK, HS_END, 0 },
	{ "a dump without the signal", { .transport = "vcd" }, OTHER_NAMES, sizeof(OTHER_NAMES) - 1,
	  "",
	  0, HS_OK, HS_E_CONFIG, 0 },
	{ "no dump", { .transport = "vcd" }, "hello", 5, "", 0, HS_OK, HS_E_FORMAT, 0 },
	{ "a signal without a name", { .transport = "vcd", .vcd_data = "" }, "", 0, "", 0,
	  HS_E_CONFIG,
	  HS_OK, 0 },
};

/* Read to the end, which may have one error in it, or one for an end. */
static void read_all(struct hs_capture *c, const struct row *r)
{
	uint8_t out[4096], all[64];
	enum hs_status s = HS_OK, error = HS_END;
	size_t n, total = 0;

	for (unsigned calls = 0; s != HS_END; calls++) {
		s = hs_capture_read(c, out, sizeof(out), &n, NULL);
		assert_true(total + n <= sizeof(all) && calls < 100);
		memcpy(all + total, out, n);
		total += n;
		if (s != HS_OK && s != HS_END)
			error = s;
	}
	assert_int_equal(error, r->end);
	assert_int_equal(total, r->out_n);
	assert_memory_equal(all, r->out, r->out_n);
}

static void check(struct hs_capture *c, const struct row *r)
{
	struct hs_capture_report report;
	uint8_t out[4095];
	size_t n;

	assert_int_equal(hs_capture_read(c, out, sizeof(out), &n, NULL), HS_E_SPACE);
	read_all(c, r);
	assert_int_equal(hs_capture_rewind(c, NULL), HS_OK);
	read_all(c, r);
	hs_capture_get_report(c, &report);
	assert_string_equal(report.transport, r->o.transport ? r->o.transport : "raw");
	assert_int_equal(report.framed, strncmp(report.transport, "tpiu", 4) == 0);
	assert_int_equal(report.pins, strcmp(report.transport, "raw") != 0 && !report.framed);
	assert_int_equal(report.aligned, report.pins && r->out_n != 0);
	assert_int_equal(report.wrapped, r->o.wrap ? strcmp(r->o.wrap, "no") != 0
	                                           : r->o.ram && r->n >= r->o.ram->limit -
	                                                         r->o.ram->start + 4);
	assert_int_equal(report.partial, r->partial);
	hs_capture_close(c);
}

TEST_ROWS(captured, rows, r)
{
	const struct hs_span bytes = { (const uint8_t *)r->in, r->n };
	struct hs_capture_options o = r->o;
	struct hs_error e = { 0 };
	struct hs_capture *c;
	const int fd = memfd_create("capture", 0);

	o.size = sizeof(o);
	assert_int_equal(write(fd, r->in, r->n), r->n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(hs_capture_open(fd, "it", &o, &c, &e), r->open);
	assert_int_equal(e.text[0] != '\0', r->open != HS_OK);
	if (r->open == HS_OK)
		check(c, r);
	assert_int_equal(hs_capture_open_memory(&bytes, "it", &o, &c, &e), r->open);
	if (r->open == HS_OK)
		check(c, r);
	close(fd);
}

/* A pipe is read once, and has no write pointer. */
TEST(a_pipe_is_read_once)
{
	const struct hs_capture_options wrap = { .size = sizeof(wrap), .wrap = "0" };
	const struct row *r = &rows[0];
	struct hs_capture *c;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], r->in, r->n), r->n);
	close(ends[1]);
	assert_int_equal(hs_capture_open(ends[0], "it", &wrap, &c, NULL), HS_E_CONFIG);
	assert_int_equal(hs_capture_open(ends[0], "it", NULL, &c, NULL), HS_OK);
	read_all(c, r);
	assert_int_equal(hs_capture_rewind(c, NULL), HS_E_SYSTEM);
	hs_capture_close(c);
	hs_capture_close(NULL);
	close(ends[0]);
}

TEST(options_are_checked)
{
	const struct hs_span bytes = { (const uint8_t *)"\x0c\x0f", 2 };
	struct {
		struct hs_capture_options o;
		uint64_t newer;
	} given = { { .transport = "nothing" }, 0 };
	struct hs_capture *c;

	given.o.size = 3;
	assert_int_equal(hs_capture_open_memory(&bytes, "it", &given.o, &c, NULL), HS_E_CONFIG);
	given.o.size = 4; /* an older caller, whose struct has no transport */
	assert_int_equal(hs_capture_open_memory(&bytes, "it", &given.o, &c, NULL), HS_OK);
	hs_capture_close(c);
	given.o.size = sizeof(given);
	given.o.transport = NULL;
	assert_int_equal(hs_capture_open_memory(&bytes, "it", &given.o, &c, NULL), HS_OK);
	hs_capture_close(c);
	given.newer = 1;
	assert_int_equal(hs_capture_open_memory(&bytes, "it", &given.o, &c, NULL), HS_E_CONFIG);
}

/* Every name of the list is a transport, and those of pins have a port. */
TEST(every_name_is_a_transport)
{
	char list[256], *rest = list;
	unsigned count = 0;

	strcpy(list, hs_transport_names());
	for (const char *name; (name = strsep(&rest, " ")); count++) {
		const struct hs_capture_options o = { .size = sizeof(o), .transport = name };
		const struct hs_span nothing = { 0 };
		struct hs_pin_config pins;
		struct hs_capture *c;

		assert_int_equal(hs_capture_open_memory(&nothing, "it", &o, &c, NULL), HS_OK);
		hs_capture_close(c);
		assert_int_equal(hs_transport_pins(name, &pins),
		                 strncmp(name, "pins", 4) == 0 ? HS_OK : HS_E_ARG);
	}
	assert_int_equal(count, 18);
	assert_int_equal(hs_transport_pins("pins3", &(struct hs_pin_config){ 0 }), HS_E_ARG);
}
