/* Recordings made to cost much: small files that become large, lists without end. */
#include "cases.h"

#include <time.h>

#include <zstd.h>

#include <hartscope/recording.h>

#include "recording/order.h"
#include "recording/recording.h"

#define FRAME (1u << 20)
static const char manifest[] =
	"{\"format\": \"hartscope-recording\", \"version\": 1, \"complete\": true}";

/* A log in the making, as bytes and as frames. */
struct made {
	uint8_t *raw, *packed;
	size_t n, size;
};

static void add(struct made *m, uint32_t type, const void *a, size_t na, const void *b, size_t nb)
{
	const struct hs_rec_log_head head = { type, (uint32_t)(na + nb) };
	uint8_t *to = m->raw + m->n;

	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), a, na);
	if (nb > 0)
		memcpy(to + sizeof(head) + na, b, nb);
	m->n += sizeof(head) + (na + nb + 7) / 8 * 8;
}

static struct made begin(size_t room)
{
	const struct hs_rec_log_start start = { .magic = HS_REC_LOG_MAGIC, .xlen = 64 };
	const size_t packed = ZSTD_compressBound(room) + room / FRAME * 64;
	struct made m = { calloc(1, room), malloc(packed), 0, 0 };

	assert_non_null(m.raw);
	assert_non_null(m.packed);
	add(&m, HS_REC_LOG_START, &start, sizeof(start), NULL, 0);
	return m;
}

static enum hs_status open_log(struct made *m, struct hs_rec **rec, struct hs_error *e)
{
	struct hs_rec_file files[2] = { { "manifest.json", { (const uint8_t *)manifest,
	                                                     sizeof(manifest) - 1 } } };

	rec_order_records(m->raw, m->n);
	for (size_t at = 0; at < m->n; at += FRAME) {
		const size_t n = m->n - at < FRAME ? m->n - at : FRAME;

		m->size += ZSTD_compress(m->packed + m->size, ZSTD_compressBound(n), m->raw + at,
		                         n, 1);
	}
	files[1] = (struct hs_rec_file){ "runs.zst", { m->packed, m->size } };
	return hs_rec_open_memory(files, 2, rec, e);
}

/* Records of a type that no version has, 100 MB of them in some KB. */
TEST(log_that_grows)
{
	static const uint8_t zeros[4096];
	struct made m = begin(108u << 20);
	struct hs_error e = { 0 };
	struct hs_rec *rec;

	while (m.n < 100u << 20)
		add(&m, 77, "", 0, zeros, sizeof(zeros));
	assert_int_equal(open_log(&m, &rec, &e), HS_E_FORMAT);
	assert_true(m.size < 100000);
	free(m.raw);
	free(m.packed);
}

/* Each map once, in time that grows with their number. */
TEST(many_maps)
{
	enum { MAPS = 200000 };
	struct made m = begin(MAPS * 64u);
	const clock_t start = clock();
	struct hs_error e = { 0 };
	struct hs_rec *rec;

	for (uint64_t i = 0; i < MAPS; i++) {
		const struct hs_rec_log_map map = { 0x1000 * (i / 2), 0x1000, 0 };

		add(&m, HS_REC_LOG_MAP, &map, sizeof(map), "file", 4);
	}
	assert_int_equal(open_log(&m, &rec, &e), HS_OK);
	assert_int_equal(hs_rec_get_info(rec)->map_count, MAPS / 2);
	assert_int_equal(hs_rec_get_info(rec)->maps[MAPS / 2 - 1].start, 0x1000 * (MAPS / 2 - 1));
	assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
	hs_rec_close(rec);
	free(m.raw);
	free(m.packed);
}
