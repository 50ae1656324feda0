/* Packed streams for tests (HS_REC_WORD_OUTCOMES): a packer of their own, and reading them. */
#ifndef HS_TESTS_RECORDING_PACKER_H
#define HS_TESTS_RECORDING_PACKER_H

#include "recording/recall.h"
#include "recording/recording.h"
#include "recording_rows.h"

#define OUT(bits) (0xe0000000u | (bits)) /* after a leading one */
#define BLOCKS 4096u
#define LONGEST 3072u
#define RUNS 400u
#define NARROW 0u
#define WIDELY HS_REC_LOG_WIDE

/* The runs of @program come first; so many they are. */
#define FILLED ((uint32_t)(sizeof(program) / sizeof(*program)))

/* Of the runs after those: has it no jump, so that the next one has to follow?  Any may follow the
 * others. */
static inline bool is_part(uint32_t run)
{
	return run % 5 == 4;
}

static inline void write_streams(const char *dir, unsigned flags, bool complete,
                                 const uint32_t *words, size_t n)
{
	static const uint8_t nops[] = { 0x01, 0x00, 0x01, 0x00 };
	struct test_log log;

	test_log_start(&log, 64);
	test_log_wide(&log, flags);
	for (uint32_t i = 0; i < FILLED; i++)
		test_log_run(&log, program[i].at, program[i].code, program[i].bytes);
	for (uint32_t i = FILLED; i < RUNS; i++)
		test_log_run(&log, 0x3000 + 4 * i, is_part(i) ? nops : program[1].code, 4);
	log_moves(&log);
	test_manifest(dir, "recording", complete);
	test_frame(dir, "runs.zst", log.bytes, log.size);
	test_frame(dir, "hart-0.zst", words, 4 * n);
	test_frame(dir, "hart-1.zst", words, 4 * n);
}

/* How a stream is read: so many blocks at a time; @log not 0: stretches are remembered from the
 * start, 2 to its power of them, of @room blocks. */
struct reading {
	size_t cap;
	uint32_t log, room, hart;
};

/* All blocks; how many there are. */
static inline size_t read_so(const char *dir, const struct reading *r, struct hs_block *blocks,
                             enum hs_status *end)
{
	struct hs_rec_stream *s;
	struct hs_error error;
	struct hs_rec *rec;
	size_t got, n = 0;

	assert_int_equal(hs_rec_open(dir, &rec, &error), HS_OK);
	assert_int_equal(hs_rec_stream_open(rec, r->hart, &s, &error), HS_OK);
	if (r->log != 0)
		rec_recall_start(s, r->log, r->room);
	do {
		assert_true(n + r->cap <= BLOCKS);
		*end = hs_rec_stream_next(s, blocks + n, r->cap, &got, &error);
		n += got;
	} while (*end == HS_OK);
	hs_rec_stream_close(s);
	hs_rec_close(rec);
	return n;
}

static inline size_t read_blocks(const char *dir, size_t cap, struct hs_block *blocks,
                                 enum hs_status *end)
{
	return read_so(dir, &(struct reading){ .cap = cap }, blocks, end);
}

static inline void compare(const char *name, const struct hs_block *a, size_t na,
                    const struct hs_block *b, size_t nb)
{
	for (size_t i = 0; i < na && i < nb; i++)
		if (memcmp(&a[i], &b[i], sizeof(*a)) != 0)
			fail_msg("%s: block %zu is another one", name, i);
	if (na != nb)
		fail_msg("%s: %zu blocks, not %zu", name, na, nb);
}

/* A packer as docs/recording-format.md says it. */
struct packer {
	struct {
		uint32_t n, runs[256];
		bool wide;
	} successors[RUNS];
	uint32_t last, outcomes, n, words[8 * LONGEST];
	bool wide;
};

static inline void pack_flush(struct packer *p)
{
	if (p->outcomes != 1)
		p->words[p->n++] = OUT(p->outcomes);
	p->outcomes = 1;
}

static inline void pack_bits(struct packer *p, uint32_t code, unsigned bits, uint32_t longest)
{
	while (bits-- > 0) {
		p->outcomes = 2 * p->outcomes + (code >> bits & 1u);
		if (p->outcomes >> longest != 0)
			pack_flush(p);
	}
}

/* The run was not foreseen after @last. */
static inline void pack_learn(struct packer *p, uint32_t last, uint32_t run)
{
	uint32_t *const runs = p->successors[last].runs, *const n = &p->successors[last].n;

	p->successors[last].wide |= p->wide && *n == 2;
	if (p->successors[last].wide) {
		if (*n < 256)
			runs[(*n)++] = run;
		return;
	}
	runs[1] = runs[0];
	runs[0] = run;
	*n += *n < 2;
}

static inline void pack_word(struct packer *p, uint32_t run, uint32_t longest)
{
	const uint32_t last = p->last;

	p->last = run;
	for (uint32_t i = 0; last != UINT32_MAX && i < p->successors[last].n; i++)
		if (p->successors[last].runs[i] == run) {
			pack_bits(p, i,
			          !p->successors[last].wide    ? 1 :
			          p->successors[last].n <= 16 ? 4 :
			                                        8,
			          longest);
			return;
		}
	if (last != UINT32_MAX)
		pack_learn(p, last, run);
	pack_flush(p);
	p->words[p->n++] = run;
}

static inline uint32_t next_random(uint64_t *x)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*x >> 33);
}

#endif
