/* Any bytes are a trace of TACIT, over any program: the decoder and the lint end, say the same
 * however the bytes are cut, and never give a block that breaks its own rules.
 *
 * Input: options, piece size, code length in half-words, code, trace.
 */
#include "fuzz.h"
#include "stream.h"
#include "tacit/tacit.h"

#define CAPACITY 32 /* small: the table starts afresh often */
#define BLOCKS (TACIT_DECODE_ROOM + 1)
#define BLOCKS_LIMIT 200000 /* a count of predicted branches may stand for far more */

static enum hs_status feed(void *d, struct hs_span *in, struct hs_blocks *out)
{
	return tacit_decode(d, in, out->at, out->cap, &out->n);
}

static enum hs_status end(void *d, struct hs_blocks *out)
{
	return tacit_decode_end(d, out->at, out->cap, &out->n);
}

static struct tacit_config config_of(uint8_t o)
{
	return (struct tacit_config){ .address_bits = o & 1 ? 40 : 0,
		                      .config_form = (o >> 1) % 3,
		                      .fresh = o >> 3 & 1,
		                      .skip_jumps = o >> 4 & 1 };
}

static struct outcome decode(const struct hs_image *image, uint8_t options, const uint8_t *trace,
                             size_t n, size_t piece)
{
	const struct tacit_config config = config_of(options);
	struct tacit_source source;
	struct tacit_decoder d;
	struct hs_bb_table table;
	struct hs_block blocks[BLOCKS];
	struct stream s = { &d, feed, end, { blocks, BLOCKS, 0 }, BLOCKS_LIMIT, .decoder = true };
	void *memory = malloc(hs_bb_memory(CAPACITY));

	memset(&source, 0xa5, sizeof(source));
	fuzz_must(memory && hs_bb_init(&table, image, memory, CAPACITY) == HS_OK);
	fuzz_must(tacit_decoder_init(&d, &config, &table, &source) == HS_OK);
	const struct outcome o = stream_run(&s, trace, n, piece);

	free(memory);
	return o;
}

static uint64_t lint(uint8_t options, const uint8_t *trace, size_t n, size_t piece)
{
	const struct tacit_config config = config_of(options);
	struct tacit_lint_source source;
	struct tacit_lint l;
	struct hs_finding f;
	uint64_t hash = 0xcbf29ce484222325u, found = 0;

	fuzz_must(tacit_lint_init(&l, &config, &source) == HS_OK);
	for (size_t at = 0; at < n; at += piece) {
		struct hs_span in = { trace + at, n - at < piece ? n - at : piece };

		while (tacit_lint_next(&l, &in, &f) == HS_OK) {
			fuzz_must(tacit_finding_get_kind(f.id) && f.offset < n);
			hash = (hash ^ f.offset ^ (uint64_t)f.id << 56) * 0x100000001b3u;
			found++;
		}
		fuzz_must(in.n == 0);
	}
	while (tacit_lint_end(&l, &f) == HS_OK)
		found++;
	fuzz_must(l.offset == n && found <= HS_LINT_QUEUE * (n + 1));
	return hash;
}

/* Where the trace begins; 0: there is none. */
static size_t trace_at(const uint8_t *data, size_t size)
{
	const size_t at = size < 4 ? 0 : 3 + 2 * (data[2] + (size_t)1);

	return at <= size ? at : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t at = trace_at(data, size);

	if (at == 0)
		return 0;

	const struct hs_section section = { 0x1000, at - 3, data + 3 };
	const struct hs_image image = { .sections = &section, .count = 1, .isa = { .xlen = 64 } };
	const uint8_t *trace = data + at;
	const size_t n = size - at, piece = 1 + data[1] % 7;
	const struct outcome whole = decode(&image, data[0], trace, n, n + 1);
	const struct outcome pieces = decode(&image, data[0], trace, n, piece);

	if (whole.blocks < BLOCKS_LIMIT)
		fuzz_must(whole.hash == pieces.hash && whole.blocks == pieces.blocks);
	fuzz_must(lint(data[0], trace, n, n + 1) == lint(data[0], trace, n, piece));
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	/* c.nop, beq a0,a1,+8, c.nop, c.j -2, c.nop, c.jr ra, ecall, mret (ISA manual). */
	static const uint8_t code[] = { 0x01, 0x00, 0x63, 0x04, 0xb5, 0x00, 0x01,
		                        0x00, 0xfd, 0xbf, 0x01, 0x00, 0x82, 0x80,
		                        0x73, 0x00, 0x00, 0x00, 0x73, 0x00, 0x20, 0x30 };
	static const struct {
		uint8_t n, bytes[48];
	} traces[] = {
		/* start at 0x1000, not taken, jump, uninferable jump to 0x1000, taken, end */
		{ 24, { 0x36, 0x80, 0x80, 0x40, 0x00, 0x90, 0x81, 0x05, 0x07, 0x0a, 0x86, 0x83,
		        0x04, 0x76, 0x80, 0x80, 0x40, 0x06, 0x90, 0x90, 0x12, 0x34, 0x56, 0x80 } },
		/* start, predicted: 2 hits, a miss, periodic; pause and resume */
		{ 38,
		  { 0x36, 0x98, 0x80, 0x42, 0x00, 0x90, 0x81, 0x08, 0x05, 0x56,
		    0x98, 0x80, 0x42, 0x00, 0x90, 0x90, 0x96, 0x98, 0x80, 0x80,
		    0x01, 0x90, 0x91, 0xb6, 0x98, 0x80, 0x83, 0x00, 0x90, 0x95,
		    0x02, 0xc1, 0x06, 0xff, 0x0e, 0x01, 0x81, 0x00 } },
		/* start at the ecall, exception to mret, return to 0x1000 in U */
		{ 24, { 0x36, 0x80, 0x80, 0x40, 0x07, 0x90, 0x81, 0x32, 0x98, 0x07, 0x90, 0x8e,
		        0x85, 0x92, 0x83, 0x85, 0x09, 0x90, 0x89, 0x83, 0x00, 0x01, 0x06, 0x80 } },
	};

	if (i >= 6 * sizeof(traces) / sizeof(traces[0]) || size < 3 + sizeof(code) + 48)
		return 0;
	data[0] = (uint8_t)(i / 3 * 5);
	data[1] = (uint8_t)i;
	data[2] = sizeof(code) / 2 - 1;
	memcpy(data + 3, code, sizeof(code));
	memcpy(data + 3 + sizeof(code), traces[i % 3].bytes, traces[i % 3].n);
	return 3 + sizeof(code) + traces[i % 3].n;
}
