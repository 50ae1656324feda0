/* Traces that are made of a recording by hand, and read again. */
#include <hartscope/encode.h>
#include <hartscope/recording.h>

#include "cases.h"
#include "recording_files.h"

#define B(a, n, t) { .iaddr = (a), .iretire = (n), .ilast = 1, .itype = HS_ITYPE_##t }
#define HART(n) { .arg = (n), .kind = HS_KIND_HART }
#define ROOM 4096

/* c.nop from 0x100 on, with a ret at 0x106. */
static uint8_t code[0x80];
static struct hs_section section = { .start = 0x100, .bytes = code, .size = sizeof(code) };
static const struct hs_image image = { .isa = { .xlen = 64 }, .sections = &section, .count = 1 };

/* Two harts: one returns three times to where it began, one goes on. */
static const struct hs_block items[] = {
	HART(0), B(0x100, 4, RETURN), B(0x100, 4, RETURN), B(0x100, 4, RETURN), B(0x108, 2, NONE),
	HART(1), B(0x110, 5, NONE), B(0x100, 4, RETURN), B(0x120, 3, NONE),
};

/* What takes a trace. */
struct taker {
	uint8_t bytes[ROOM];
	size_t n;
	bool refuses;
	unsigned faults, opened;
};

static bool take_bytes(void *taker, const void *bytes, size_t n)
{
	struct taker *t = taker;

	if (t->refuses)
		return false;
	assert_true(n <= ROOM - t->n);
	memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
	return true;
}

static enum hs_status opened(void *taker, struct hs_source *source, struct hs_error *error)
{
	(void)source;
	(void)error;
	((struct taker *)taker)->opened++;
	return HS_OK;
}

static void count_fault(void *taker, const struct hs_encode_fault *fault)
{
	(void)fault;
	((struct taker *)taker)->faults++;
}

static void make_recording(char room[64])
{
	const struct hs_rec_writer_options wo = { .size = sizeof(wo), .source = "a test",
		                                  .xlen = 64, .image = &image };
	struct hs_rec_writer *w;

	for (unsigned i = 0; i < sizeof(code); i += 2)
		code[i] = 1;
	memcpy(code + 6, (const uint8_t[]){ 0x82, 0x80 }, 2);
	test_manifest(test_directory(room), "flow", 1);
	assert_int_equal(hs_rec_create(room, &wo, &w, NULL), HS_OK);
	assert_int_equal(hs_rec_write(w, items, COUNT_OF(items), NULL), HS_OK);
	assert_int_equal(hs_rec_finish(w, true, "done", NULL), HS_OK);
}

/* Trace a recording as @o has it, without files.  Any status may be the result. */
static enum hs_status trace(const char *path, struct hs_encode_options *o, struct taker *t)
{
	const struct hs_source_options so = { .size = sizeof(so), .path = path, .versions = true };
	struct hs_encode *e;
	struct hs_error error;
	enum hs_status s;

	o->to = t;
	o->write = take_bytes;
	o->opened = opened;
	o->fault = count_fault;
	s = hs_encode_new(o, &e, &error);
	if (s != HS_OK)
		return s;
	s = hs_encode_open(e, &so, &error);
	if (s == HS_OK)
		s = hs_encode_run(e, &error);
	if (s == HS_OK)
		s = hs_encode_end(e, NULL, &error);
	else if (t->refuses)
		assert_int_equal(hs_encode_end(e, NULL, &error), HS_E_SYSTEM);
	hs_encode_free(e);
	return s;
}

/* The instructions of a trace, decoded with the code of its recording. */
static uint64_t decode(const struct taker *t, const struct hs_trace_params *params,
                       const char *path)
{
	const struct hs_code_file image_file = { .kind = HS_CODE_IMAGE, .path = path };
	const struct hs_source_options so = {
		.size = sizeof(so), .path = "trace", .trace = { t->bytes, t->n }, .params = params,
		.code = &image_file, .code_count = 1
	};
	struct hs_block out[64];
	struct hs_source *source;
	enum hs_status s = HS_OK;
	uint64_t sum = 0;
	size_t n;

	assert_int_equal(hs_source_open(&so, &source, NULL), HS_OK);
	while (s != HS_END) {
		s = hs_source_next(source, out, 64, &n, NULL);
		assert_true(s == HS_OK || s == HS_END);
		for (size_t i = 0; i < n; i++)
			sum += out[i].kind == HS_KIND_BLOCK ? out[i].iretire : 0;
	}
	hs_source_close(source);
	return sum;
}

/* ---- rows ------------------------------------------------------------------------- */

static const struct row {
	const char *name, *protocol, *transport;
	struct hs_setting set;
	bool sampled;
} rows[] = {
	{ "N-Trace", "ntrace", NULL, { "trTeInstMode", "3" }, false },
	{ "N-Trace with histories", "ntrace", NULL, { "trTeInstMode", "htm" }, false },
	{ "E-Trace", "etrace", NULL, { "trTeSrcBits", "1" }, false },
	{ "N-Trace as samples of four pins", "ntrace", "pins4", { "trTeInstMode", "3" }, true },
};

/* What was executed comes out again, and threads change no byte. */
TEST_ROWS(a_trace_is_read_again, rows, row)
{
	const struct hs_trace_params_options params = {
		.size = sizeof(params), .protocol = row->protocol, .settings = &row->set,
		.setting_count = row->protocol[0] == 'n'
	};
	static struct taker taker[2];
	static struct hs_encode_result r;
	char room[64];

	make_recording(room);
	memset(taker, 0, sizeof(taker));
	for (uint32_t i = 0; i < 2; i++) {
		struct hs_encode_options o = { .size = sizeof(o), .params = &params,
			                       .threads = i + 1, .transport = row->transport };
		struct hs_encode *e;
		struct hs_error error;
		const struct hs_source_options so = { .size = sizeof(so), .path = room };

		o.to = &taker[i];
		o.write = take_bytes;
		o.opened = opened;
		o.fault = count_fault;
		assert_int_equal(hs_encode_new(&o, &e, &error), HS_OK);
		assert_int_equal(hs_encode_open(e, &so, &error), HS_OK);
		assert_int_equal(hs_encode_run(e, &error), HS_OK);
		hs_encode_get_result(e, &r);
		assert_int_equal(r.harts, 2);
		assert_int_equal(r.blocks, 7);
		assert_int_equal(r.sampled, row->sampled);
		assert_string_equal(r.recording, room);
		if (!row->sampled) {
			assert_int_equal(r.bytes, taker[i].n);
			assert_int_equal(decode(&taker[i], r.params, room), 26);
		}
		assert_int_equal(taker[i].opened, 1);
		assert_int_equal(taker[i].faults, 0);
		hs_encode_free(e);
	}
	assert_int_equal(taker[0].n, taker[1].n);
	assert_memory_equal(taker[0].bytes, taker[1].bytes, taker[0].n);
	test_directory_remove(room);
}

/* ---- refused ---------------------------------------------------------------------- */

TEST(refuses_what_does_not_go_together)
{
	static const struct hs_trace_params_options nt = { .size = sizeof(nt),
		                                           .protocol = "ntrace" };
	static const struct hs_setting draft[] = { { "version", "0.026" }, { "dialect", "pulp" } };
	static const struct hs_trace_params_options et = { .size = sizeof(et), .protocol = "etrace",
		                                           .settings = draft,
		                                           .setting_count = 2 };
	static const struct hs_trace_params_options none = { .size = sizeof(none),
		                                             .protocol = "gtrace" };
	static const struct hs_queue_config queue = { sizeof(queue), 64, 4, 1 };
	static const struct hs_encode_perf perf;
	struct hs_encode_options cases[] = {
		{ .size = sizeof(cases[0]), .params = &none },
		{ .size = sizeof(cases[0]), .params = &nt, .transport = "pigeon" },
		{ .size = sizeof(cases[0]), .params = &nt, .transport = "pins4", .perf = &perf },
		{ .size = sizeof(cases[0]), .params = &et, .queue = &queue },
	};
	static struct taker taker;
	char room[64];

	make_recording(room);
	for (unsigned i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(trace(room, &cases[i], &taker), HS_E_CONFIG);
	assert_int_equal(taker.n, 0);
	test_directory_remove(room);
}

TEST(stops_where_nothing_takes_the_bytes)
{
	static const struct hs_trace_params_options nt = { .size = sizeof(nt),
		                                           .protocol = "ntrace" };
	static struct taker taker = { .refuses = true };
	char room[64];

	make_recording(room);
	for (uint32_t threads = 1; threads <= 2; threads++) {
		struct hs_encode_options o = { .size = sizeof(o), .params = &nt,
			                       .threads = threads };

		assert_int_equal(trace(room, &o, &taker), HS_E_SYSTEM);
	}
	test_directory_remove(room);
}

/* ---- other parameters --------------------------------------------------------------- */

/* The bytes of a variant are those of its trace. */
TEST(counts_the_bytes_of_variants)
{
	const struct hs_trace_params_options params = { .size = sizeof(params),
		                                        .protocol = "ntrace" };
	struct hs_source_options so = { .size = sizeof(so) };
	struct hs_encode_variants *v;
	struct hs_encode_variant first;
	struct hs_source *source;
	struct hs_error error;
	char room[64];
	unsigned count = 0;

	make_recording(room);
	so.path = room;
	assert_int_equal(hs_source_open(&so, &source, &error), HS_OK);
	assert_int_equal(hs_encode_variants_new(source, &params, 2, &v, &error), HS_OK);
	assert_int_equal(hs_encode_variants_add(v, items, COUNT_OF(items), &error),
	                 HS_OK);
	assert_int_equal(hs_encode_variants_add(v, NULL, 0, &error), HS_OK);
	for (struct hs_encode_variant got; hs_encode_variants_get(v, count, &got); count++) {
		assert_string_equal(got.protocol, "ntrace");
		assert_true(got.bytes > 0);
		assert_int_equal(got.refused, 0);
	}
	assert_true(count > 1);
	assert_true(hs_encode_variants_get(v, 0, &first) && first.plain);
	hs_encode_variants_free(v);
	hs_source_close(source);
	test_directory_remove(room);
}

TEST(measures_the_bytes_of_a_trace)
{
	const struct hs_trace_params_options params = { .size = sizeof(params),
		                                        .protocol = "ntrace" };
	const struct hs_encode_rate_options ro = { .size = sizeof(ro), .params = &params };
	struct hs_source_options so = { .size = sizeof(so) };
	struct hs_encode_rate rate;
	struct hs_source *source;
	struct hs_error error;
	uint64_t sum = 0;
	char room[64];

	make_recording(room);
	so.path = room;
	assert_int_equal(hs_source_open(&so, &source, &error), HS_OK);
	assert_int_equal(hs_encode_measure(source, &ro, &rate, &error), HS_OK);
	assert_int_equal(rate.harts, 2);
	assert_int_equal(rate.ports, HS_ENCODE_PORTS - 1);
	for (unsigned i = 0; i < HS_ENCODE_SPANS; i++)
		sum += rate.spans[i];
	assert_int_equal(sum, rate.bytes);
	assert_true(rate.bytes > 0 && rate.cycles > 0 && rate.peaks[0] >= rate.peaks[4]);
	hs_source_close(source);
	test_directory_remove(room);
}

/* ---- after an error ------------------------------------------------------------------- */

/* Nobody has to ask why; and what was made is asked after an error, too. */
TEST(after_an_error_that_nobody_asks_for)
{
	static const struct hs_setting reads[] = { { "layout.block_end", "1" },
		                                   { "trTeSrcBits", "1" } };
	static const struct hs_trace_params_options po = {
		.size = sizeof(po), .protocol = "etrace", .settings = reads, .setting_count = 2
	};
	static const struct hs_trace_params_options none = { .size = sizeof(none),
		                                             .protocol = "none" };
	static struct taker t;
	struct hs_encode_options o = {
		.size = sizeof(o), .params = &po, .write = take_bytes, .to = &t
	};
	struct hs_source_options so = { .size = sizeof(so), .path = "none" };
	struct hs_encode_result result;
	struct hs_encode *e;
	char room[64];

	make_recording(room);
	assert_int_equal(hs_encode_new(&o, &e, NULL), HS_OK);
	assert_int_equal(hs_encode_open(e, &so, NULL), HS_E_SYSTEM);
	hs_encode_get_result(e, &result);
	hs_encode_free(e);
	so.path = room;
	assert_int_equal(hs_encode_new(&o, &e, NULL), HS_OK);
	assert_int_equal(hs_encode_open(e, &so, NULL), HS_E_UNSUPPORTED);
	hs_encode_get_result(e, &result);
	assert_int_equal(result.bytes, 0);
	assert_int_equal(result.type_count, 0);
	hs_encode_free(e);
	o.params = &none;
	assert_int_equal(hs_encode_new(&o, &e, NULL), HS_E_CONFIG);
	test_directory_remove(room);
}
