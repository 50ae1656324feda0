/* Any bytes are a perf.data: it is opened, or refused with a message; its records and buffers lie
 * within the input, and reading ends. */
#include <hartscope/capture.h>

#include "fuzz.h"
#include "inputs/perf_data.h"
#include "perf_file.h"

static unsigned sum_of(const uint8_t *p, size_t n)
{
	unsigned sum = 0;

	while (n--) /* all of them can be read */
		sum += *p++;
	return sum;
}

static void read_records(struct hs_perf *p)
{
	struct hs_perf_event e;
	struct hs_error error = { 0 };
	uint64_t count = 0;
	unsigned sum = 0;

	while (hs_perf_next(p, &e, &error) == HS_OK) {
		count++;
		sum += sum_of(e.bytes.p, e.bytes.n) + sum_of(e.poke.p, e.poke.n);
		sum += (unsigned)strlen(e.text);
	}
	fuzz_must(count <= hs_perf_get_info(p)->records);
	fuzz_must((*error.text != '\0') == (hs_perf_get_info(p)->damage.status != HS_OK));
	fuzz_must(count != 0 || sum == 0);
}

static void read_lane(struct hs_perf *p, size_t i, size_t size)
{
	struct hs_perf_lane lane;
	struct hs_perf_gap gap;
	uint8_t out[256];
	uint64_t bytes = 0, gaps = 0;
	enum hs_status s;
	size_t n;

	fuzz_must(hs_perf_get_lane(p, i, &lane));
	for (;;) {
		s = hs_perf_read(p, i, out, sizeof(out), &n, &gap, NULL);
		bytes += n;
		gaps += s == HS_E_LOST;
		if (s != HS_OK && s != HS_E_LOST)
			break;
	}
	fuzz_must(s == HS_END && bytes == lane.bytes && gaps == lane.gaps && bytes <= size);
	const uint64_t end = hs_perf_offset_of(p, i, bytes);
	const uint64_t last = hs_perf_offset_of(p, i, bytes - 1);

	fuzz_must(lane.source || end == last + 1); /* of bytes in frames the frame is known */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct hs_span bytes = { data, size };
	struct hs_error error = { 0 };
	struct hs_perf_lane lane;
	struct hs_perf *p;

	if (hs_perf_open_memory(&bytes, "input", &p, &error) != HS_OK) {
		fuzz_must(*error.text != '\0');
		return 0;
	}
	read_records(p);
	for (size_t i = 0; hs_perf_get_lane(p, i, &lane); i++)
		read_lane(p, i, size);
	hs_perf_close(p);
	return 0;
}

static void put_records(struct perf_file *f)
{
	static const uint64_t priv[] = { UINT64_C(9) << 32 | 1, 0, 5, 1, 1, 0, 4, 6 };
	const struct perf_who who = { 2, 700 };

	perf_put_info(f, 7, priv, 8);
	perf_begin(f, 3, 0);
	perf_put(f, 5, 8);
	perf_put_text(f, "sh");
	perf_end_at(f, 5, 1, 0);
	perf_begin(f, 20, 1);
	perf_put(f, 0x1000, 8);
	perf_put(f, 4, 2);
	perf_put(f, 4, 2);
	perf_put_text(f, "abcdefg");
	perf_end_at(f, 5, 1, 0);
	perf_put_aux(f, who, 0, 8, 0, 10);
	perf_put_auxtrace(f, 2, UINT32_MAX, 0, "abcdefghijklmnop", 16);
	perf_put_aux(f, who, 8, 7, HS_PERF_AUX_TRUNCATED, 20);
	perf_put_auxtrace(f, 2, UINT32_MAX, 8, "ijklmnopqrs", 11);
	perf_put_auxtrace(f, 3, UINT32_MAX, 0x40, "ijklmnopqrs", 11);
}

/* A block of CoreSight frames, and another one. */
static void put_frames(struct perf_file *f)
{
	static const uint8_t block[32] = {
		0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
		0xff, 0xff, 0xff, 0x7f, 0x21, 0x24, 0x14, 0x00, 0x35, 0x82, 0x70, 0x80,
		0x15, 0x21, 0x1b, 0x02, 0x01, 0x00, 0x00, 0x05
	};
	const struct perf_who who = { 2, 700 };

	perf_put_aux(f, who, 0, 32, HS_PERF_AUX_TRUNCATED, 10);
	perf_put_auxtrace(f, 2, UINT32_MAX, 0, block, 32);
	perf_put_aux(f, who, 32, 24, 0, 20);
	perf_put_auxtrace(f, 2, UINT32_MAX, 32, block, 24);
	perf_put_auxtrace(f, 2, UINT32_MAX, 56, block + 24, 8);
}

/* Each record begins with the one before. */
static void put_repeats(struct perf_file *f)
{
	static const char text[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123456789";
	const struct perf_who who = { 2, 700 };

	perf_put_aux(f, who, 0, 40, 0, 10);
	perf_put_auxtrace(f, 2, UINT32_MAX, 0, text, 40);
	perf_put_aux(f, who, 40, 56, 0, 20);
	perf_put_auxtrace(f, 2, UINT32_MAX, 40, text, 56);
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static void (*const put[])(struct perf_file *) = { put_records, put_records, put_frames,
		                                           put_repeats };
	static struct perf_file f;

	if (i >= sizeof(put) / sizeof(*put) || size < sizeof(f.bytes))
		return 0;
	if (i != 1)
		perf_file_start(&f);
	else
		perf_pipe_start(&f);
	put[i](&f);
	if (i != 1)
		perf_file_end(&f);
	memcpy(data, f.bytes, f.n);
	return f.n;
}
