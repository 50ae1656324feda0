/* Any files may be called a recording.  The input is three of them, each after its length in two
 * bytes: the manifest, the log, the words of a hart.  A first byte says which of the last two are
 * compressed here (bits 0 and 1), so that mutations reach what is inside, and whether code that
 * changes is followed (bit 2).  What a stream says is the same where stretches are remembered. */
#include <hartscope/recording.h>

#include "../recording_files.h"
#include "edit.h"
#include "outcome.h"
#include "recording/recall.h"
#include "recording/recording.h"

#define BLOCKS 97 /* odd on purpose: batches end anywhere */

/* The next file of the input. */
static const uint8_t *take_file(const uint8_t **data, size_t *size, size_t *n)
{
	const uint8_t *file;

	*n = 0;
	if (*size < 2)
		return *data;
	*n = (*data)[0] | (size_t)(*data)[1] << 8;
	*n = *n < *size - 2 ? *n : *size - 2;
	file = *data + 2;
	*data = file + *n;
	*size -= 2 + *n;
	return file;
}

/* A version says which code is there. */
static void take_versions(const struct hs_rec *rec, const struct hs_block *blocks, size_t n)
{
	struct hs_section code;

	for (size_t i = 0; i < n; i++)
		if (blocks[i].kind == HS_KIND_VERSION)
			fuzz_must(hs_rec_code(rec, blocks[i].arg, &code) == HS_OK && code.size > 0);
}

/* What a stream says, as a number; @recall: with stretches that are remembered from the start. */
static uint64_t read_stream(struct hs_rec *rec, uint32_t index, bool follow, bool recall)
{
	struct outcome o = OUTCOME_START;
	struct hs_block blocks[BLOCKS];
	struct hs_rec_stream *s;
	struct hs_error error;
	enum hs_status status;
	size_t n;

	if (hs_rec_stream_open(rec, index, &s, &error) != HS_OK)
		return 0;
	if (follow)
		fuzz_must(hs_rec_stream_follow_versions(s) == HS_OK);
	if (recall)
		rec_recall_start(s, 3, 40);
	do {
		status = hs_rec_stream_next(s, blocks, BLOCKS, &n, &error);
		take_versions(rec, blocks, n);
		fuzz_must(n <= BLOCKS && (status != HS_OK || n > 0));
		outcome_take(&o, status, blocks, n, false);
	} while (status == HS_OK);
	fuzz_must(hs_rec_stream_next(s, blocks, BLOCKS, &n, &error) == status && n == 0);
	hs_rec_stream_close(s);
	return o.hash;
}

/* A copy of its exact size, or a zstd frame of it.  The caller frees the bytes. */
static struct hs_span own_file(const uint8_t *bytes, size_t n, bool packed)
{
	const size_t room = packed ? ZSTD_compressBound(n) : n;
	uint8_t *copy = malloc(room + !room);

	fuzz_must(copy != NULL);
	if (packed)
		return (struct hs_span){ copy, ZSTD_compress(copy, room, bytes, n, 1) };
	memcpy(copy, bytes, n);
	return (struct hs_span){ copy, n };
}

static void read_recording(const struct hs_rec_file *files, bool follow)
{
	struct hs_error error;
	struct hs_rec *rec;

	if (hs_rec_open_memory(files, 3, &rec, &error) != HS_OK)
		return;
	fuzz_must(hs_img_check(hs_rec_image(rec)) == HS_OK);
	for (uint32_t i = 0; i < hs_rec_get_info(rec)->harts; i++)
		fuzz_must(read_stream(rec, i, follow, false) == read_stream(rec, i, follow, true));
	hs_rec_close(rec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "manifest.json", "runs.zst", "hart-0.zst" };
	const uint8_t how = size > 0 ? data[0] : 0;
	struct hs_rec_file files[3];

	if (size-- == 0)
		return 0;
	data++;
	for (unsigned i = 0; i < 3; i++) {
		size_t n;
		const uint8_t *file = take_file(&data, &size, &n);

		files[i] = (struct hs_rec_file){ names[i],
			                         own_file(file, n, i > 0 && (how >> (i - 1) & 1)) };
	}
	read_recording(files, how & 4u);
	for (unsigned i = 0; i < 3; i++)
		free((void *)(uintptr_t)files[i].bytes.p);
	return 0;
}

bool fuzz_mutate(struct fuzz_edit *e)
{
	return fuzz_mutate_files(e);
}

/* ---- valid inputs ---------------------------------------------------------------- */

struct input {
	uint8_t *data;
	size_t size, n;
};

static void add_file(struct input *in, const void *bytes, size_t n)
{
	if (in->n + 2 + n > in->size)
		abort();
	in->data[in->n++] = (uint8_t)n;
	in->data[in->n++] = (uint8_t)(n >> 8);
	memcpy(in->data + in->n, bytes, n);
	in->n += n;
}

static void add_manifest(struct input *in, const char *kind, bool complete)
{
	char text[200];

	add_file(
		in, text,
		(size_t)snprintf(
			text, sizeof(text),
			"{\"format\":\"hartscope-recording\","
			"\"version\":1,\"kind\":\"%s\",\"complete\":%s,\"children\":[{\"directory\":\"child-1\"}]}",
			kind, complete ? "true" : "false"));
}

/* c.nop; c.beqz a0 / c.nop; ret / ecall / c.nop; c.ebreak / a path / a signal that came back. */
static void runs(struct test_log *log)
{
	const struct hs_rec_log_map map = { 0x1000, 0x1000, 0 };
	const struct hs_rec_log_resume resume = { 0, 0, 0x1004 };
	const struct hs_rec_log_moved moved[] = { { 0x1000, 0x8000 }, { 0x1000, 0x1000 } };

	test_log_start(log, 64);
	test_log_run(log, 0x1000, "\x01\x00\x09\xc5", 4);
	test_log_run(log, 0x1004, "\x01\x00\x82\x80", 4);
	test_log_run(log, 0x100c, "\x73\x00\x00\x00", 4);
	test_log_run(log, 0x1010, "\x01\x00", 2);
	test_log_run(log, 0x1012, "\x01\x00\x02\x90", 4);
	test_log_add(log, HS_REC_LOG_MAP, &map, sizeof(map), "/bin/x", 6);
	test_log_add(log, HS_REC_LOG_RESUME, &resume, sizeof(resume), NULL, 0);
	test_log_run(log, 0x1010, "\x09\x05", 2);
	test_log_add(log, HS_REC_LOG_MOVED, &moved[0], sizeof(*moved), NULL, 0);
	test_log_add(log, HS_REC_LOG_MOVED, &moved[1], sizeof(*moved), NULL, 0);
}

/* Two blocks as a flow has them, code that no run has, and its next version. */
static void blocks(struct test_log *log)
{
	const uint32_t words[2][4] = { { 0x1000, 0, 2, 1 | 5 << 8 | 7 << 16 },
		                       { 0x1010, 0, 1, 1 | 13 << 8 | 7 << 16 } };
	const uint64_t at = 0x1000;

	test_log_start(log, 32);
	test_log_add(log, HS_REC_LOG_CODE, &at, sizeof(at), "\x01\x00\x01\x00", 4);
	test_log_add(log, HS_REC_LOG_BLOCK, words[0], 16, NULL, 0);
	test_log_add(log, HS_REC_LOG_BLOCK, words[1], 16, NULL, 0);
	test_log_add(log, HS_REC_LOG_VERSION, &at, sizeof(at), "\x09\x05\x01\x00", 4);
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static const uint32_t words[] = {
		0,
		1,
		2,
		0,
		HS_REC_WORD(HS_REC_ESCAPE_EVENT, 0),
		14,
		0,
		HS_NOTE_SIGNAL,
		HS_KIND_NOTE << 24,
		3,
		HS_REC_WORD(HS_REC_ESCAPE_PARTIAL, 0),
		4,
		3,
		4,
		HS_REC_WORD(HS_REC_ESCAPE_RESUME, 0),
		1,
		0,
		HS_REC_WORD(HS_REC_ESCAPE_TRAP, HS_ITYPE_EXCEPTION),
		0x1010,
		0,
		4,
		0,
		5,
		0,
		3,
		HS_REC_WORD(HS_REC_ESCAPE_CUT, 1),
		3,
		HS_REC_WORD(HS_REC_ESCAPE_STAND, 0),
		0x1010,
		0,
		5, 3, HS_REC_WORD(HS_REC_ESCAPE_MOVED, 0), 0, 0, 1, 5, 3,
		HS_REC_WORD(HS_REC_ESCAPE_MOVED, 0), 1, 5, 2,
	};
	static const uint32_t flow[] = {
		0, 1, 0, HS_REC_WORD(HS_REC_ESCAPE_EVENT, 0), 14, 0, HS_E_ICNT, HS_KIND_GAP << 24,
		1, HS_REC_WORD(HS_REC_ESCAPE_EVENT, 0), 0x1000, 0, 0,
		HS_KIND_VERSION << 24 | 7 << 16, 0,
	};
	static const uint32_t packed[] = {
		3, 3, 0xe0000004, HS_REC_WORD(HS_REC_ESCAPE_MOVED, 0), 0, 0xe0000002, 0, 1, 0, 3,
		0, 0xe0000006, HS_REC_WORD(HS_REC_ESCAPE_CUT, 1), 3, 0xe8000000, 2,
		HS_REC_WORD(HS_REC_ESCAPE_ANEW, 1), 9, 0, HS_REC_WORD(HS_REC_ESCAPE_EVENT, 0),
		5, 0, 2, HS_KIND_CONTEXT << 24, 3, 3, 0xe0000004,
	};
	struct input in = { data, size, 1 };
	struct test_log log;

	if (i > 8)
		return 0;
	data[0] = i < 4 ? 7 : 3;
	add_manifest(&in, i & 1 ? "flow" : "recording", (i & 2) == 0);
	if (i & 1)
		blocks(&log);
	else
		runs(&log);
	add_file(&in, log.bytes, log.size);
	if (i == 8)
		add_file(&in, packed, sizeof(packed));
	else if (i & 1)
		add_file(&in, flow, sizeof(flow));
	else
		add_file(&in, words, sizeof(words));
	return in.n;
}
