/* Importers: each row whole, split at every byte, and with an output that is always nearly
 * full.  The rows are in ingress_rows.h. */
#include "cases.h"

#include "ingress/import.h"
#include "inputs/exec_log.h"
#include "ingress_rows.h"

/* Rows as CSV, or the log of Spike. */
struct importer {
	struct hs_exec_log *log; /* NULL: rows */
	struct hs_error error;   /* of the log */
	struct hs_csv rows;
};

static const struct hs_section section = { 0x100, sizeof csv_code, csv_code };
static const struct hs_image image = { &section, 1, { .xlen = 64 }, 0 };

static struct importer *start(const struct import_row *r, bool csv)
{
	struct importer *im = calloc(1, sizeof *im);
	const struct hs_exec_log_options o = { .size = sizeof o,
		                               .xlen = r->xlen,
		                               .format = hs_log_find_format("spike") };

	if (csv)
		assert_int_equal(hs_csv_init(&im->rows, r->image ? &image : NULL, r->xlen), HS_OK);
	else
		assert_int_equal(hs_exec_log_new(&o, &im->log, &im->error), HS_OK);
	return im;
}

static void stop(struct importer *im)
{
	hs_exec_log_free(im->log);
	free(im);
}

static enum hs_status feed(struct importer *im, struct hs_span *in, struct hs_blocks *out)
{
	return im->log ? hs_exec_log_feed(im->log, in, out, &im->error)
	               : hs_csv_feed(&im->rows, in, out);
}

static enum hs_status flush(struct importer *im, struct hs_blocks *out)
{
	return im->log ? hs_exec_log_end(im->log, out, &im->error) : hs_csv_flush(&im->rows, out);
}

/* The line of the error. */
static uint64_t line_of(const struct importer *im)
{
	return im->log ? strtoull(im->error.text + strlen("line "), NULL, 10)
	               : im->rows.lines.number;
}

/* Where the blocks of a run gather, out of an array of exactly @cap entries. */
struct run {
	const struct import_row *row;
	struct hs_block all[4 * ROW_BLOCKS];
	size_t n;
	struct hs_blocks out;
	enum hs_status status;
};

static void collect(struct run *r)
{
	assert_true(r->n + r->out.n <= COUNT_OF(r->all));
	memcpy(r->all + r->n, r->out.at, r->out.n * sizeof *r->out.at);
	r->n += r->out.n;
	r->out.n = 0;
}

static void piece(struct run *r, struct importer *im, const char *text, size_t n)
{
	uint8_t *copy = malloc(n + 1); /* so that a sanitizer sees what is kept or read too far */
	enum hs_status s = HS_OK;

	struct hs_span in = { copy, n };

	memcpy(copy, text, n);
	while (r->status == HS_OK && s != HS_MORE) {
		s = feed(im, &in, &r->out);
		collect(r);
		if (s != HS_MORE && s != HS_FULL)
			r->status = s;
		else
			assert_true(s == HS_FULL || in.n == 0);
	}
	free(copy);
}

static void compare(const struct run *r, const struct importer *im)
{
	const struct import_row *row = r->row;
	struct hs_block_checker check = { 0 };

	assert_int_equal(r->status, row->status);
	if (row->status != HS_OK)
		assert_int_equal(line_of(im), row->line);
	for (size_t i = 0; i < r->n; i++) {
		assert_int_equal(r->all[i].kind, row->want[i].kind);
		assert_int_equal(r->all[i].value, row->want[i].value);
		assert_int_equal(r->all[i].arg, row->want[i].arg);
		assert_int_equal(r->all[i].ilast, row->want[i].ilast);
		assert_int_equal(r->all[i].itype, row->want[i].itype);
		/* A trap has the privilege of its block (block.h). */
		assert_int_equal(r->all[i].priv,
		                 row->want[i - (row->want[i].kind == HS_KIND_TRAP)].priv);
		assert_int_equal(r->all[i].sijump, row->want[i].sijump);
		assert_int_equal(hs_block_check(&check, &r->all[i]), HS_OK);
	}
	assert_int_equal(row->want[r->n].kind, 0xff);
}

/* Give [0, cut) and [cut, n) with room for @cap blocks at a time. */
static void import(const struct import_row *row, bool csv, size_t cut, size_t cap)
{
	const size_t n = strlen(row->text);
	struct importer *im = start(row, csv);
	struct run r = { .row = row };

	r.out.at = malloc(cap * sizeof *r.out.at);
	r.out.cap = cap;
	piece(&r, im, row->text, cut);
	piece(&r, im, row->text + cut, n - cut);
	while (r.status == HS_OK) {
		const enum hs_status s = flush(im, &r.out);

		collect(&r);
		r.status = s == HS_FULL ? HS_OK : s;
		if (s == HS_OK)
			break;
	}
	compare(&r, im);
	free(r.out.at);
	stop(im);
}

static void every_split(const struct import_row *row, bool csv)
{
	for (size_t cut = 0; cut <= strlen(row->text); cut++)
		import(row, csv, cut, 4 * HS_IMPORT_ROOM);
	import(row, csv, 0, HS_IMPORT_ROOM);
	import(row, csv, 0, HS_IMPORT_ROOM + 1);
}

static void spike_row(void **state)
{
	every_split(*state, false);
}

static void csv_row(void **state)
{
	every_split(*state, true);
}

TEST(limits_of_lines)
{
	struct importer *im = start(&csv_rows[0], true);
	struct hs_block at[HS_IMPORT_ROOM];
	struct hs_blocks small = { at, HS_IMPORT_ROOM - 1, 0 }, out = { at, HS_IMPORT_ROOM, 0 };
	char line[2000];
	struct hs_span in = { (const uint8_t *)"x\n", 2 };

	assert_int_equal(feed(im, &in, &small), HS_E_SPACE);
	assert_int_equal(in.n, 2);
	assert_int_equal(flush(im, &small), HS_E_SPACE);
	assert_int_equal(hs_csv_init(&im->rows, NULL, 16), HS_E_CONFIG);
	assert_int_equal(hs_csv_init(&im->rows, NULL, 64), HS_OK);
	memset(line, 'a', sizeof line);
	line[sizeof line - 1] = '\n';
	in = (struct hs_span){ (const uint8_t *)line, sizeof line };
	assert_int_equal(feed(im, &in, &out), HS_E_FORMAT);
	assert_int_equal(in.n, 0);
	stop(im);
}

/* A commit may carry any number of registers after what we read. */
TEST(long_commit)
{
	struct importer *im = start(&spike_rows[0], false);
	struct hs_block at[HS_IMPORT_ROOM];
	struct hs_blocks out = { at, HS_IMPORT_ROOM, 0 };
	static const char head[] = "core   0: 3 0x0000000080000000 (0x8082) v8 0x";
	char line[4000];
	struct hs_span in = { (const uint8_t *)line, sizeof line };

	memset(line, '0', sizeof line);
	memcpy(line, head, sizeof head - 1);
	line[sizeof line - 1] = '\n';
	assert_int_equal(feed(im, &in, &out), HS_MORE);
	assert_int_equal(flush(im, &out), HS_OK);
	assert_int_equal(out.n, 2);
	assert_int_equal(at[1].itype, HS_ITYPE_RETURN);
	stop(im);
}

TEST_TABLE(spike_row, spike_rows)
TEST_TABLE(csv_row, csv_rows)
