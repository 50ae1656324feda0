/* Recordings of version 1 (tests/data/recording-1): they open, and have the blocks of a listing
 * that other tools made. */
#include "cases.h"

#include <hartscope/image.h>
#include <hartscope/recording.h>

#include "recording/recording.h"

#define DATA HARTSCOPE_SOURCE "/tests/data/recording-1/"
#define BLOCKS 43
#define INSTRUCTIONS 101

static const struct row {
	const char *name, *kind, *program, *end;
	struct hs_block events[2]; /* in their order */
	size_t event_count;
	uint64_t entry;    /* a flow does not know it */
	uint64_t map_size; /* pages in a recording; in a flow, up to the end of the code */
} rows[] = {
	/* The handler of SIGUSR1 (10) starts. */
	{ "recording", "recording", "prog/hello", "exit 3",
	  { { .value = 10, .arg = HS_NOTE_SIGNAL, .kind = HS_KIND_NOTE } }, 1, 0x100e8, 4096 },
	/* The trace starts (SYNC 5, NT Table 25) and stops (EVCODE 0, NT Table 23). */
	{ "flow", "flow", "/prog/hello", "end of the trace",
	  { { .value = 0x100e8, .itype = 5, .priv = HS_PRIV_UNKNOWN, .kind = HS_KIND_SYNC },
	    { .priv = HS_PRIV_UNKNOWN, .kind = HS_KIND_STOP } }, 2, 0, 0x162 },
};

static size_t read_listing(struct hs_block blocks[BLOCKS])
{
	FILE *f = fopen(DATA "blocks.txt", "r");
	char line[256];
	size_t n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		unsigned long long address;
		unsigned hwords, last, itype;

		if (sscanf(line, "%llx %u %u %u", &address, &hwords, &last, &itype) != 4)
			continue;
		assert_true(n < BLOCKS);
		blocks[n++] = (struct hs_block){ .iaddr = address, .iretire = hwords,
			                         .ilast = (uint8_t)last, .itype = (uint8_t)itype };
	}
	fclose(f);
	return n;
}

/* How many instructions a block has, by the code in the recording. */
static unsigned count_instructions(const struct hs_image *image, const struct hs_block *b)
{
	struct hs_insn insn;
	unsigned n = 0;

	for (uint64_t pc = b->iaddr; pc < hs_block_end(b); pc += 2u * insn.hwords, n++)
		assert_int_equal(hs_img_insn(image, pc, &insn), HS_OK);
	return n;
}

static void check_info(const struct row *r, const struct hs_rec *rec)
{
	const struct hs_rec_info *info = hs_rec_get_info(rec);

	assert_string_equal(info->kind, r->kind);
	assert_string_equal(info->program, r->program);
	assert_string_equal(info->end, r->end);
	assert_true(info->complete);
	assert_false(info->code_changed);
	assert_int_equal(info->xlen, 64);
	assert_int_equal(info->harts, 1);
	assert_int_equal(info->child_count, 0);
	assert_int_equal(info->process_count, 0);
	assert_int_equal(info->entry, r->entry);
	assert_int_equal(info->map_count, 1);
	assert_int_equal(info->maps[0].start, 0x10000);
	assert_int_equal(info->maps[0].size, r->map_size);
	assert_string_equal(info->maps[0].path, "/prog/hello");
}

TEST_ROWS(opens, rows, r)
{
	struct hs_block want[BLOCKS], got[2 * BLOCKS];
	const size_t count = read_listing(want);
	unsigned instructions = 0;
	size_t n, blocks = 0, events = 0;
	struct hs_rec_stream *s;
	struct hs_error error;
	struct hs_rec *rec;
	char path[512];

	snprintf(path, sizeof(path), DATA "%s", r->name);
	if (hs_rec_open(path, &rec, &error) != HS_OK)
		fail_msg("%s", error.text);
	check_info(r, rec);
	assert_false(hs_rec_has_processes(path));
	assert_int_equal(hs_rec_stream_open(rec, 0, &s, &error), HS_OK);
	assert_int_equal(hs_rec_stream_next(s, got, 2 * BLOCKS, &n, &error), HS_OK);
	for (size_t i = 0; i < n; i++) {
		if (got[i].kind != HS_KIND_BLOCK) {
			assert_true(events < r->event_count);
			assert_true(hs_block_equal(&got[i], &r->events[events++]));
			continue;
		}
		assert_true(blocks < count);
		assert_int_equal(got[i].iaddr, want[blocks].iaddr);
		assert_int_equal(got[i].iretire, want[blocks].iretire);
		assert_int_equal(got[i].ilast, want[blocks].ilast);
		assert_int_equal(got[i].itype, want[blocks].itype);
		instructions += count_instructions(hs_rec_image(rec), &got[i]);
		blocks++;
	}
	assert_int_equal(blocks, BLOCKS);
	assert_int_equal(instructions, INSTRUCTIONS);
	assert_int_equal(events, r->event_count);
	assert_int_equal(hs_rec_stream_next(s, got, 2 * BLOCKS, &n, &error), HS_END);
	hs_rec_stream_close(s);
	hs_rec_close(rec);
}
