/* The library in one page: decode a file of N-Trace bytes over a program, and count what ran.
 *
 *   decode PROGRAM.elf TRACE
 *
 * The decoder itself (ntrace.h) allocates nothing and needs no operating system; only reading the
 * ELF does (program.h).  It is in the static library: pkg-config hartscope-static.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <hartscope/ntrace.h>
#include <hartscope/program.h>

#define BLOCKS 4096
#define ENTRIES 65536 /* basic blocks that are remembered; more start the table afresh */
#define SOURCES 8     /* harts in one stream */

static struct hs_block blocks[BLOCKS];
static uint64_t block_count, halfwords, gaps;

static void count_blocks(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (blocks[i].kind == HS_KIND_BLOCK) {
			block_count++;
			halfwords += blocks[i].iretire;
		} else if (blocks[i].kind == HS_KIND_GAP) {
			gaps++;
		}
	}
}

/* Errors are part of the stream: say where, resume after the gap. */
static void decode(struct hs_nt_decoder *d, struct hs_span in)
{
	enum hs_status s;
	size_t n;

	do {
		s = hs_nt_decoder_next(d, &in, blocks, BLOCKS, &n);
		count_blocks(n);
		if (s != HS_FULL && s != HS_MORE)
			fprintf(stderr, "byte %" PRIu64 ": %s\n", hs_nt_decoder_diag(d)->msg.offset,
			        hs_status_text(s));
	} while (s != HS_MORE);
}

static int decode_file(const struct hs_image *image, FILE *trace)
{
	const struct hs_nt_config config = { .size = sizeof(config) };
	void *memory = malloc(hs_bb_memory(ENTRIES));
	struct hs_nt_source sources[SOURCES];
	struct hs_bb_table table;
	struct hs_nt_decoder d;
	uint8_t piece[65536];
	enum hs_status s;
	size_t n;

	if (!memory || hs_bb_init(&table, image, memory, ENTRIES) != HS_OK ||
	    hs_nt_decoder_init(&d, &config, &table, sources, SOURCES) != HS_OK)
		return 1;
	do {
		n = fread(piece, 1, sizeof(piece), trace);
		decode(&d, (struct hs_span){ piece, n });
	} while (n > 0);
	do {
		s = hs_nt_decoder_end(&d, blocks, BLOCKS, &n);
		count_blocks(n);
	} while (s == HS_FULL);
	free(memory);
	printf("%" PRIu64 " blocks, %" PRIu64 " bytes of code executed, %" PRIu64 " gaps\n",
	       block_count, 2 * halfwords, gaps);
	return s == HS_OK && gaps == 0 ? 0 : 3;
}

int main(int argc, char **argv)
{
	struct hs_program *program;
	struct hs_error error;
	int result = 1;

	if (argc != 3) {
		fprintf(stderr, "usage: decode PROGRAM.elf TRACE\n");
		return 2;
	}
	FILE *trace = fopen(argv[2], "rb");

	if (!trace) {
		perror(argv[2]);
		return 1;
	}
	if (hs_program_new(&program) != HS_OK)
		return 1;
	if (hs_program_add_elf(program, argv[1], 0, &error) == HS_OK)
		result = decode_file(hs_program_image(program), trace);
	else
		fprintf(stderr, "%s\n", error.text);
	hs_program_free(program);
	fclose(trace);
	return result;
}
