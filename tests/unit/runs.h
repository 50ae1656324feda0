/* Items as a flow on disk, opened as a source: runs to compare. */
#ifndef HS_TESTS_RUNS_H
#define HS_TESTS_RUNS_H

#include <hartscope/recording.h>
#include <hartscope/source.h>

#include "recording_files.h"

static uint8_t code[0x80];
static struct hs_section section = { .start = 0x100, .bytes = code, .size = sizeof(code) };
static const struct hs_image image = { .isa = { .xlen = 64 }, .sections = &section, .count = 1 };

static struct hs_source *open_run(const struct hs_block *items, unsigned n, char room[64])
{
	const struct hs_rec_writer_options wo = {
		.size = sizeof(wo), .source = "a test", .xlen = 64, .image = &image
	};
	const struct hs_source_options so = { .size = sizeof(so), .path = test_directory(room) };
	struct hs_rec_writer *w;
	struct hs_source *s;

	test_manifest(room, "flow", 1);
	assert_int_equal(hs_rec_create(room, &wo, &w, NULL), HS_OK);
	assert_int_equal(hs_rec_write(w, items, n, NULL), HS_OK);
	assert_int_equal(hs_rec_finish(w, true, "done", NULL), HS_OK);
	assert_int_equal(hs_source_open(&so, &s, NULL), HS_OK);
	return s;
}

#endif
