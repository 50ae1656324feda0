/* Any bytes are a trace, over any program: the decoder ends, says the same however the bytes are
 * cut, and never gives a block that breaks its own rules.
 *
 * Input: SRC width, piece size, code length in half-words, code, trace.
 */
#include <hartscope/ntrace.h>

#include "edit.h"
#include "fuzz.h"
#include "stream.h"

#define SOURCES 4
#define CAPACITY 32 /* small: the table starts afresh often */
#define BLOCKS (HS_NT_DECODE_ROOM + 1)
#define BLOCKS_LIMIT 200000 /* HIST repeated by ResourceFull may stand for far more */

static enum hs_status feed(void *d, struct hs_span *in, struct hs_blocks *out)
{
	return hs_nt_decoder_next(d, in, out->at, out->cap, &out->n);
}

static enum hs_status end(void *d, struct hs_blocks *out)
{
	return hs_nt_decoder_end(d, out->at, out->cap, &out->n);
}

static struct outcome decode(const struct hs_image *image, unsigned src_bits, const uint8_t *trace,
                             size_t n, size_t piece)
{
	const struct hs_nt_config config = { .size = sizeof(config),
		                             .src_bits = (uint8_t)src_bits };
	struct hs_nt_source sources[SOURCES];
	struct hs_bb_table table;
	struct hs_nt_decoder d;
	struct hs_block blocks[BLOCKS];
	struct stream s = { &d, feed, end, { blocks, BLOCKS, 0 }, BLOCKS_LIMIT, .decoder = true };
	void *memory = malloc(hs_bb_memory(CAPACITY));

	fuzz_must(memory && hs_bb_init(&table, image, memory, CAPACITY) == HS_OK);
	fuzz_must(hs_nt_decoder_init(&d, &config, &table, sources, SOURCES) == HS_OK);
	const struct outcome o = stream_run(&s, trace, n, piece);

	free(memory);
	return o;
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
	const size_t n = size - at;
	const struct outcome whole = decode(&image, data[0] % 13, trace, n, n + 1);
	const struct outcome pieces = decode(&image, data[0] % 13, trace, n, 1 + data[1] % 7);

	if (whole.blocks < BLOCKS_LIMIT)
		fuzz_must(whole.hash == pieces.hash && whole.blocks == pieces.blocks);
	return 0;
}

bool fuzz_mutate(struct fuzz_edit *e)
{
	const size_t at = trace_at(e->data, e->size), other = trace_at(e->other, e->other_size);

	if (at == 0)
		return false;

	const struct hs_nt_config config = { .size = sizeof(config), .src_bits = e->data[0] % 13 };
	const struct fuzz_format messages = fuzz_nt_messages(&config);

	return fuzz_mutate_records(e, &messages, at, other ? other : e->other_size);
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	/* c.nop, beq a0,a1,+8, c.nop, c.j -2, c.nop, c.jr ra, ecall (ISA manual). */
	static const uint8_t code[] = { 0x01, 0x00, 0x63, 0x04, 0xb5, 0x00, 0x01, 0x00, 0xfd, 0xbf,
		                        0x01, 0x00, 0x82, 0x80, 0x73, 0x00, 0x00, 0x00 };
	/* TCODE in bits 7:2 of a first byte; a field ends with MSEO 01, a message with 11 (NT
	 * 3.1). */
	static const struct {
		uint8_t n, bytes[24];
	} traces[] = {
		/* ProgTraceSync at 0x1000, DirectBranch I-CNT 3, IndirectBranch,
		 * ProgTraceCorrelation. */
		{ 17,
		  { 0x24, 0x15, 0x00, 0x80, 0x03, 0x0c, 0x0f, 0x10, 0x0d, 0x07, 0x84, 0x00, 0x0b,
		    0x0c, 0x03, 0x84, 0x07 } },
		/* ProgTraceSync, ResourceFull HIST with repeat, IndirectBranchHist, Error,
		 * Ownership. */
		{ 22, { 0x24, 0x15, 0x00, 0x80, 0x03, 0x6c, 0x08, 0x1d, 0x0f, 0x70, 0x08,
		        0x0d, 0x09, 0x0f, 0x20, 0x03, 0x03, 0x08, 0x33, 0x78, 0x07, 0xff } },
	};

	if (i >= 3 * sizeof(traces) / sizeof(traces[0]) || size < 3 + sizeof(code) + 24)
		return 0;
	data[0] = (uint8_t)(i / 2 * 3);
	data[1] = (uint8_t)i;
	data[2] = sizeof(code) / 2 - 1;
	memcpy(data + 3, code, sizeof(code));
	memcpy(data + 3 + sizeof(code), traces[i % 2].bytes, traces[i % 2].n);
	return 3 + sizeof(code) + traces[i % 2].n;
}
