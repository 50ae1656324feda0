/* Recordings made by hand: a log and words as bytes, put into a directory in the way that
 * docs/recording-format.md says. */
#ifndef HS_TESTS_RECORDING_FILES_H
#define HS_TESTS_RECORDING_FILES_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include <hartscope/recording.h>

#include "recording/order.h"

/* A log under construction. */
struct test_log {
	_Alignas(8) uint8_t bytes[32768];
	size_t size;
};

static inline void test_log_add(struct test_log *log, uint32_t type, const void *a, size_t na,
                                const void *b, size_t nb)
{
	const struct hs_rec_log_head head = { type, (uint32_t)(na + nb) };
	uint8_t *to = log->bytes + log->size;

	memset(to, 0, sizeof(head) + na + nb + 8);
	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), a, na);
	if (nb > 0)
		memcpy(to + sizeof(head) + na, b, nb);
	log->size += sizeof(head) + (na + nb + 7) / 8 * 8;
}

static inline void test_log_start(struct test_log *log, uint32_t xlen)
{
	const struct hs_rec_log_start start = { .magic = HS_REC_LOG_MAGIC, .xlen = xlen };

	log->size = 0;
	test_log_add(log, HS_REC_LOG_START, &start, sizeof(start), NULL, 0);
}

/* After test_log_start(): runs may be wide.  @flags: of which harts. */
static inline void test_log_wide(struct test_log *log, uint32_t flags)
{
	struct hs_rec_log_start *start = (void *)(log->bytes + sizeof(struct hs_rec_log_head));

	start->flags |= flags & (HS_REC_LOG_WIDE | HS_REC_LOG_WIDE_ALL);
}

static inline void test_log_run(struct test_log *log, uint64_t at, const void *code, uint32_t bytes)
{
	const struct hs_rec_log_run run = { at, bytes / 4 + 1, bytes };

	test_log_add(log, HS_REC_LOG_RUN, &run, sizeof(run), code, bytes);
}

static inline void test_file(const char *dir, const char *name, const void *bytes, size_t n)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (f == NULL || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
		abort();
}

/* One zstd frame: of a log, or of words. */
static inline void test_frame(const char *dir, const char *name, const void *bytes, size_t n)
{
	uint8_t *copy = malloc(n + 1);
	const size_t room = ZSTD_compressBound(n);
	void *packed = malloc(room);

	if (packed == NULL || copy == NULL)
		abort();
	memcpy(copy, bytes, n);
	if (strcmp(name, "runs.zst") == 0)
		rec_order_records(copy, n);
	else
		rec_order_words((void *)copy, n / 4);
	const size_t size = ZSTD_compress(packed, room, copy, n, 1);

	if (ZSTD_isError(size))
		abort();
	free(copy);
	test_file(dir, name, packed, size);
	free(packed);
}

static inline void test_manifest(const char *dir, const char *kind, int complete)
{
	char text[256];
	const int n = snprintf(text, sizeof(text),
	                       "{\"format\": \"hartscope-recording\", \"version\": 1, \"kind\": \"%s\","
	                       " \"xlen\": 64, \"complete\": %s, \"end\": \"exit 0\"}",
	                       kind, complete ? "true" : "false");

	test_file(dir, "manifest.json", text, (size_t)n);
}

/* A directory of its own in the temporary folder. */
static inline char *test_directory(char room[64])
{
	const char *tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	snprintf(room, 64, "%s/hartscope-test-XXXXXX", tmp);
	if (mkdtemp(room) == NULL)
		abort();
	return room;
}

static inline void test_directory_remove(const char *dir)
{
	static const char *const names[] = { "manifest.json", "runs.zst", "hart-0.zst",
	                                     "hart-1.zst",
	                                     "hart-7.zst" };
	char path[512];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

/* A recording of blocks that ran, in a directory of its own. */
static inline enum hs_status test_record(char *path, const struct hs_image *image,
                                         const struct hs_block *blocks, size_t n)
{
	const struct hs_rec_writer_options o = { .size = sizeof(o),
		                                 .source = "a test",
		                                 .xlen = image->isa.xlen,
		                                 .image = image };
	struct hs_rec_writer *w;
	enum hs_status s;

	test_manifest(test_directory(path), "flow", 1);
	s = hs_rec_create(path, &o, &w, NULL);
	if (s != HS_OK)
		return s;
	s = hs_rec_write(w, blocks, n, NULL);
	return s == HS_OK ? hs_rec_finish(w, true, "done", NULL) : s;
}

#endif
