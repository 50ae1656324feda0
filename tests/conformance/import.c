/* Imports rows, or a log of Spike, from standard input and prints what ran, for comparison with the
 * lists of PCs that came with the text.
 *
 *   import csv|csv-image|spike pc|blocks ELF
 *
 * Below every program of the E-Trace reference flow there is a boot ROM of five words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/program.h>

#include "ingress/import.h"
#include "inputs/exec_log.h"
#include "program/program.h"

static const uint8_t boot[20] = {
	0x97, 0x02, 0x00, 0x00, 0x93, 0x85, 0x02, 0x02, 0x73, 0x25,
	0x40, 0xf1, 0x83, 0xb2, 0x82, 0x01, 0x67, 0x80, 0x02, 0x00,
};

static struct hs_csv csv;
static struct hs_exec_log *spike;
static struct hs_error error;
static const struct hs_image *image;
static struct hs_block_checker check;
static bool from_spike, pcs;

static void fail(const char *what, uint64_t line)
{
	fprintf(stderr, "import: %s at line %" PRIu64 "\n", what, line);
	exit(1);
}

static void print_pcs(const struct hs_block *b)
{
	uint64_t pc = b->iaddr;

	while (pc < hs_block_end(b)) {
		struct hs_insn insn;

		if (hs_img_insn(image, pc, &insn) != HS_OK)
			fail("no code", csv.lines.number);
		printf("%" PRIx64 "\n", pc);
		pc += 2u * insn.hwords;
	}
	if (pc != hs_block_end(b))
		fail("a block ends inside an instruction", csv.lines.number);
}

static void print(const struct hs_blocks *out)
{
	for (size_t i = 0; i < out->n; i++) {
		const struct hs_block *b = &out->at[i];

		if (hs_block_check(&check, b) != HS_OK || b->kind == HS_KIND_GAP)
			fail(hs_kind_name(b->kind), csv.lines.number);
		if (b->kind != HS_KIND_BLOCK)
			continue;
		if (pcs)
			print_pcs(b);
		else
			printf("%" PRIx64 " %u %u %s %u %u\n", b->iaddr, b->iretire, b->ilast,
			       hs_itype_name(b->itype), b->priv, b->sijump);
	}
}

static void take_text(const uint8_t *text, size_t n)
{
	struct hs_block at[100];
	struct hs_span in = { text, n };
	enum hs_status s = HS_FULL;

	while (s == HS_FULL) {
		struct hs_blocks out = { at, 100, 0 };

		s = from_spike ? hs_exec_log_feed(spike, &in, &out, &error)
		               : hs_csv_feed(&csv, &in, &out);
		print(&out);
	}
	if (s != HS_MORE)
		fail(from_spike ? error.text : hs_status_name(s), csv.lines.number);
}

static void finish(void)
{
	struct hs_block at[100];
	struct hs_blocks out = { at, 100, 0 };

	if ((from_spike ? hs_exec_log_end(spike, &out, &error) : hs_csv_flush(&csv, &out)) != HS_OK)
		fail("end", csv.lines.number);
	print(&out);
}

int main(int argc, char **argv)
{
	const struct hs_section rom = { 0x1000, sizeof boot, boot };
	const struct hs_image rom_image = { &rom, 1, { .xlen = 64 }, 0 };
	const struct hs_exec_log_options log = { .size = sizeof log,
		                                 .xlen = 64,
		                                 .format = hs_log_find_format("spike") };
	struct hs_program *program;
	uint8_t text[4093];
	size_t n;

	if (argc != 4 || hs_program_new(&program) != HS_OK)
		return 2;
	if (hs_program_add_elf(program, argv[3], 0, &error) != HS_OK ||
	    hs_program_add_image(program, &rom_image, &error) != HS_OK) {
		fprintf(stderr, "import: %s\n", error.text);
		return 2;
	}
	image = hs_program_image(program);
	from_spike = strcmp(argv[1], "spike") == 0;
	pcs = strcmp(argv[2], "pc") == 0;
	if (hs_exec_log_new(&log, &spike, &error) != HS_OK ||
	    hs_csv_init(&csv, strcmp(argv[1], "csv-image") == 0 ? image : NULL, 64) != HS_OK)
		return 2;
	do {
		n = fread(text, 1, sizeof text, stdin);
		take_text(text, n);
	} while (n > 0);
	finish();
	hs_exec_log_free(spike);
	hs_program_free(program);
	return 0;
}
