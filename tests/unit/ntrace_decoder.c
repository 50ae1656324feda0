/* Bytes to blocks: every row whole, cut at every byte, and split at every pair of bytes. */
#include "cases.h"

#include "ntrace/nt_reader.h"
#include "unit/ntrace_rows.h"
#include "unit/decoders.h"

#define CAP HS_NT_DECODE_ROOM

struct result {
	struct hs_block items[32];
	size_t n;
	unsigned errors;
	enum hs_status end;
};

static void collect(struct result *r, const struct hs_block *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_true(r->n < 32);
		r->items[r->n++] = out[i];
	}
}

/* Give bytes [0,i) [i,j) [j,n), each an allocation of its exact size. */
static void decode(const struct row *row, size_t i, size_t j, size_t n, bool end, struct result *r)
{
	const struct hs_nt_config config = { .size = sizeof config };
	const size_t cut[] = { 0, i, j, n };
	struct hs_block out[CAP];
	size_t got;
	enum hs_status s;

	memset(r, 0, sizeof *r);
	struct hs_nt_decoder *d = nt_decoder(&config, row->program);

	for (size_t k = 0; k < 3; k++) {
		const size_t len = cut[k + 1] - cut[k];
		uint8_t *piece = malloc(len + !len);

		memcpy(piece, row->bytes + cut[k], len);
		struct hs_span in = { piece, len };
		do {
			s = hs_nt_decoder_next(d, &in, out, CAP, &got);
			collect(r, out, got);
			if (hs_status_get_class(s) == HS_CLASS_DATA) {
				const struct hs_nt_diag *diag = hs_nt_decoder_diag(d);

				assert_int_equal(diag->status, s);
				assert_non_null(diag->clause);
				assert_true(strlen(diag->text) > 5);
				r->errors++;
			}
		} while (s != HS_MORE);
		assert_int_equal(in.n, 0);
		free(piece);
	}
	if (!end)
		return;
	do {
		s = hs_nt_decoder_end(d, out, CAP, &got);
		collect(r, out, got);
	} while (s == HS_FULL);
	r->end = s;
}

static void assert_same(const struct hs_block *want, const struct hs_block *got, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (hs_block_equal(&want[i], &got[i]))
			continue;
		fail_msg("item %zu: want %s %llx+%u last %u itype %u priv %u sijump %u, "
		         "got %s %llx+%u last %u itype %u priv %u sijump %u", i,
		         hs_kind_name(want[i].kind), (unsigned long long)want[i].value, want[i].arg,
		         want[i].ilast, want[i].itype, want[i].priv, want[i].sijump,
		         hs_kind_name(got[i].kind), (unsigned long long)got[i].value, got[i].arg,
		         got[i].ilast, got[i].itype, got[i].priv, got[i].sijump);
	}
}

TEST_ROWS(whole, rows, row)
{
	struct result r;

	decode(row, 0, 0, row->n, true, &r);
	assert_same(row->items, r.items, r.n < row_items(row) ? r.n : row_items(row));
	assert_int_equal(r.n, row_items(row));
	assert_int_equal(r.errors, row->errors);
	assert_int_equal(r.end, HS_OK);
}

/* How a stream is cut never changes what it says; what is missing only ends it. */
TEST_ROWS(every_cut_and_split, rows, row)
{
	struct result all, r;

	decode(row, 0, 0, row->n, false, &all);
	for (size_t n = 0; n <= row->n; n++)
		for (size_t j = 0; j <= n; j++)
			for (size_t i = 0; i <= j; i++) {
				decode(row, i, j, n, false, &r);
				assert_true(r.n <= all.n);
				assert_same(all.items, r.items, r.n);
				if (n == row->n)
					assert_int_equal(r.n, all.n);
			}
	for (size_t n = 0; n < row->n; n++) {
		decode(row, 0, 0, n, true, &r);
		assert_true(r.end == HS_OK || r.end == HS_E_TRUNCATED);
	}
}

TEST(long_message)
{
	struct row row = { "", &two_branches, 0, { SYNC(0, 0) }, 0, 30, { SYNC_100 } };
	struct result r;
	struct hs_nt_reader reader;
	struct hs_nt_msg m;
	static const uint8_t zeros[1000];
	struct hs_span in = { zeros, sizeof zeros };

	decode(&row, 0, 0, 30, true, &r);
	assert_int_equal(r.end, HS_E_TRUNCATED);
	hs_nt_reader_init(&reader, 0);
	assert_int_equal(hs_nt_read(&reader, &in, &m), HS_E_LONG);
	assert_int_equal(m.offset, 0);
	assert_int_equal(hs_nt_read(&reader, &in, &m), HS_MORE); /* one error, not one a byte */
	assert_int_equal(in.n, 0);
	assert_int_equal(hs_nt_reader_end(&reader), HS_E_TRUNCATED);
}

TEST(too_many_sources)
{
	/* SRC 1 and 2 of 3 bits, memory for one: ProgTraceSync SRC=1, SRC=2 */
	static const uint8_t bytes[] = { 0x24, 0xa4, 0x00, 0x01, 0x07, 0x24, 0xa8, 0x00, 0x01,
	                                 0x07 };
	const struct hs_nt_config config = { .size = sizeof config, .src_bits = 3 };
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_block out[CAP];
	size_t n;
	struct hs_nt_decoder *d = nt_decoder(&config, &loop);

	assert_int_equal(hs_nt_decoder_next(d, &in, out, CAP - 1, &n), HS_E_SPACE);
	assert_int_equal(in.n, sizeof bytes);
	assert_int_equal(hs_nt_decoder_next(d, &in, out, CAP, &n), HS_E_SOURCES);
	assert_int_equal(n, 2);
	assert_int_equal(out[0].kind, HS_KIND_HART);
	assert_int_equal(out[0].arg, 1);
	assert_int_equal(hs_nt_decoder_next(d, &in, out, CAP, &n), HS_MORE);
}

/* ProgTraceSync, perhaps a vendor's message, then a run of DirectBranch messages of two half-words
 * in an allocation of its own; the last one has one, which ends inside the branch. */
static void run_of_branches(bool vendor, size_t run)
{
	static const uint8_t start[] = { SYNC_100, 0xe0, 0x07 };
	const size_t first = vendor ? 6 : 4, n = 2 * run + 2;
	const struct hs_nt_config config = { .size = sizeof config, .inst_mode = HS_NT_BTM };
	uint8_t *const bytes = malloc(n);
	struct hs_span in = { start, first };
	struct hs_block out[CAP];
	size_t given, blocks = 0;
	enum hs_status s;

	for (size_t i = 0; i < n; i += 2) {
		bytes[i] = 0x0c;
		bytes[i + 1] = i / 2 < run ? 0x0b : 0x07;
	}
	struct hs_nt_decoder *d = nt_decoder(&config, &loop);

	assert_int_equal(hs_nt_decoder_next(d, &in, out, CAP, &given), HS_MORE);
	in = (struct hs_span){ bytes, n };
	do {
		s = hs_nt_decoder_next(d, &in, out, CAP, &given);
		for (size_t i = 0; i < given; i++)
			blocks += out[i].kind == HS_KIND_BLOCK && out[i].itype == HS_ITYPE_TAKEN;
	} while (s == HS_FULL);
	assert_int_equal(s, HS_E_ICNT);
	assert_int_equal(blocks, run);
	const struct hs_nt_msg *m = &hs_nt_decoder_diag(d)->msg;

	assert_int_equal(m->offset, first + 2 * run);
	assert_int_equal(m->length, 2);
	assert_int_equal(m->tcode, HS_NT_DIRECT_BRANCH);
	assert_true(m->known);
	assert_int_equal(m->src, 0);
	assert_int_equal(m->addr_bits, 0);
	assert_int_equal(m->present, (uint32_t)1 << HS_NTF_ICNT);
	assert_int_equal(m->field[HS_NTF_ICNT], 1);
	free(bytes);
}

TEST(runs_of_branches)
{
	for (size_t run = 0; run < 200; run++) {
		run_of_branches(false, run);
		run_of_branches(true, run);
	}
}
