/* Count calls by function: an N-Trace capture and the ELF that ran, both in memory.  C, and C++.
 *
 *   count_calls PROGRAM.elf TRACE
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <hartscope/counts.h>
#include <hartscope/protocol.h>
#include <hartscope/trace_params.h>

enum { BLOCKS = 4096 };

static struct hs_span read_file(const char *path)
{
	struct hs_span s = { NULL, 0 };
	FILE *file = fopen(path, "rb");

	if (file && fseek(file, 0, SEEK_END) == 0) {
		const size_t size = (size_t)ftell(file);
		uint8_t *bytes = (uint8_t *)malloc(size);

		rewind(file);
		s.p = bytes;
		s.n = bytes ? fread(bytes, 1, size, file) : 0;
	}
	return s;
}

/* Every block of the capture is counted.  A gap is a part of it: decoding resumes after one. */
static enum hs_status decode(struct hs_span in, struct hs_decoder *decoder,
                             struct hs_counts *counts)
{
	static struct hs_block blocks[BLOCKS];
	enum hs_status s = HS_OK;
	size_t n;

	while (s == HS_OK || s == HS_FULL || hs_status_get_class(s) == HS_CLASS_DATA) {
		s = hs_decode(decoder, &in, blocks, BLOCKS, &n);
		hs_counts_add(counts, blocks, n);
	}
	while (s == HS_MORE || s == HS_FULL || s == HS_E_TRUNCATED) {
		s = hs_decode_end(decoder, blocks, BLOCKS, &n);
		hs_counts_add(counts, blocks, n);
	}
	return s;
}

int main(int argc, char **argv)
{
	struct hs_program *program = NULL;
	static struct hs_counts_options options;
	struct hs_counts *counts = NULL;
	struct hs_calls_result result;
	struct hs_trace_params *params; /* hs_trace_params_set() sets one */
	struct hs_decoder *decoder;
	struct hs_error error;
	struct hs_span elf;

	if (argc != 3 || hs_program_new(&program) != HS_OK)
		return 2;
	options.size = sizeof(options);
	options.what = HS_COUNTS_CALLS;
	options.program = program;
	if (hs_counts_new(&options, &counts) != HS_OK)
		return 1;
	elf = read_file(argv[1]);
	if (hs_program_add_elf_memory(program, &elf, argv[1], 0, &error) ||
	    hs_trace_params_new("ntrace", &params, &error) ||
	    hs_decoder_new(&decoder, hs_trace_params_protocol(params),
	                   hs_trace_params_config(params), hs_program_image(program), NULL) ||
	    decode(read_file(argv[2]), decoder, counts) || hs_counts_get_calls(counts, &result))
		return 1;
	for (size_t i = 0; i < result.function_count; i++)
		printf("%8" PRIu64 " %s\n", result.functions[i].calls,
		       result.functions[i].name ? result.functions[i].name : "?");
	return 0;
}
