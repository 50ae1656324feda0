/* What hs_source_options.select gives out: rows of items, by mode and process. */
#include "cases.h"

#include <hartscope/source.h>

#include "recording_files.h"

#define BLOCK(a, t, p) { .iaddr = (a), .iretire = 1, .ilast = 1, .itype = (t), .priv = (p) }
#define B(a, p) BLOCK(a, HS_ITYPE_JUMP_INF, p)
#define BT(a, p) BLOCK(a, HS_ITYPE_EXCEPTION, p)
#define CONTEXT(v, p) { .value = (v), .arg = 2, .kind = HS_KIND_CONTEXT, .priv = (p) }
#define MODE(p) { .kind = HS_KIND_CONTEXT, .priv = (p) } /* FORMAT 0, NT Table 12 */
#define OTHER(a) { .value = (a), .kind = HS_KIND_CODE }
#define TRAP(c) { .arg = (c), .kind = HS_KIND_TRAP }
#define SYNC(a) { .value = (a), .kind = HS_KIND_SYNC }
#define HART(n) { .arg = (n), .kind = HS_KIND_HART }
#define GAP { .kind = HS_KIND_GAP, .arg = HS_E_FIELD }
#define LEFT_OUT(n) { .value = (n), .arg = HS_NOTE_LEFT_OUT, .kind = HS_KIND_NOTE }
#define U HS_PRIV_U
#define S HS_PRIV_S
#define NO HS_PRIV_UNKNOWN
#define MAX 10

static const struct row {
	const char *name;
	uint8_t modes;
	const char *processes[2];
	struct hs_block in[MAX];
	unsigned n;
	struct hs_block out[MAX];
	unsigned kept;
	const char *thread;
	enum hs_status end; /* HS_OK: the plain end */
} rows[] = {
	{ "everything", 0, { 0 }, { B(0x100, U), BT(0x102, U), TRAP(8), B(0x200, S) }, 4,
	  { B(0x100, U), BT(0x102, U), TRAP(8), B(0x200, S) }, 4, NULL, HS_OK },
	{ "a mode, and what is left out", 1u << U, { 0 },
	  { B(0x100, U), BT(0x102, U), TRAP(8), B(0x200, S), B(0x202, S), B(0x104, U) }, 6,
	  { B(0x100, U), BT(0x102, U), TRAP(8), LEFT_OUT(2), B(0x104, U) }, 5, NULL, HS_OK },
	{ "a trap of a block that is left out", 1u << S, { 0 },
	  { BT(0x102, U), TRAP(8), B(0x200, S) }, 3, { LEFT_OUT(1), B(0x200, S) }, 2, NULL, HS_OK },
	{ "two modes", 1u << U | 1u << S, { 0 }, { B(0x100, U), B(0x300, HS_PRIV_M), B(0x200, S) },
	  3, { B(0x100, U), LEFT_OUT(1), B(0x200, S) }, 3, NULL, HS_OK },
	{ "a mode that only the context says", 1u << S, { 0 },
	  { CONTEXT(5, U), B(0x100, NO), CONTEXT(5, S), B(0x200, NO) }, 4,
	  { LEFT_OUT(1), CONTEXT(5, S), B(0x200, NO) }, 3, NULL, HS_OK },
	{ "no mode is known", 1u << S, { 0 }, { B(0x100, NO) }, 1, { { .value = 0 } }, 0, NULL,
	  HS_E_NOTHING },
	{ "a context", 0, { "0x81" },
	  { B(0x100, U), CONTEXT(0x81, U), B(0x102, U), CONTEXT(0x92, S), B(0x104, S),
	    CONTEXT(0x81, S), B(0x106, S) }, 7,
	  { LEFT_OUT(1), CONTEXT(0x81, U), B(0x102, U), LEFT_OUT(1), CONTEXT(0x81, S),
	    B(0x106, S) }, 6, NULL, HS_OK },
	{ "one of two contexts, in decimal", 0, { "129", "7" },
	  { CONTEXT(7, U), B(0x100, U), CONTEXT(8, U), B(0x102, U), CONTEXT(129, U), B(0x104, U) },
	  6, { CONTEXT(7, U), B(0x100, U), LEFT_OUT(1), CONTEXT(129, U), B(0x104, U) }, 5, NULL,
	  HS_OK },
	{ "a mode is no context", 0, { "7" },
	  { CONTEXT(7, U), B(0x100, U), MODE(S), B(0x200, NO) }, 4,
	  { CONTEXT(7, U), B(0x100, U), MODE(S), B(0x200, NO) }, 4, NULL, HS_OK },
	{ "code that changes for others", 1u << U, { 0 }, { OTHER(5), B(0x200, S), B(0x100, U) }, 3,
	  { LEFT_OUT(1), B(0x100, U) }, 2, NULL, HS_OK },
	{ "a name that nobody has", 0, { "sh" }, { CONTEXT(7, U), B(0x100, U) }, 2,
	  { { .value = 0 } }, 0, NULL, HS_E_NOTHING },
	{ "one of two names that nobody has", 0, { "7", "sh" }, { CONTEXT(7, U), B(0x100, U) }, 2,
	  { CONTEXT(7, U), B(0x100, U) }, 2, NULL, HS_E_NOTHING },
	{ "a thread is a hart where who runs is not known", 0, { 0 },
	  { HART(1), B(0x100, U), HART(2), B(0x102, U), HART(1), B(0x104, U) }, 6,
	  { HART(1), HART(2), B(0x102, U) }, 3, "2", HS_OK },
	{ "but not in a context", 0, { 0 }, { HART(1), CONTEXT(7, U), B(0x100, U) }, 3,
	  { { .value = 0 } }, 0, "1", HS_E_NOTHING },
	{ "each hart has its context", 0, { "7" },
	  { HART(1), CONTEXT(7, U), B(0x100, U), HART(2), B(0x102, U), HART(1), B(0x104, U) }, 7,
	  { HART(1), CONTEXT(7, U), B(0x100, U), B(0x104, U), HART(2) }, 5, NULL, HS_OK },
	{ "gaps are of nobody", 1u << U, { 0 }, { B(0x200, S), GAP, B(0x202, S), SYNC(0x204),
	  B(0x204, S), SYNC(0x100), B(0x100, U) }, 7,
	  { GAP, LEFT_OUT(3), SYNC(0x100), B(0x100, U) }, 4, NULL, HS_OK },
};

static bool same(const struct hs_block *a, const struct hs_block *b)
{
	return a->value == b->value && a->arg == b->arg && a->kind == b->kind &&
	       a->itype == b->itype;
}

static void read_row(struct hs_source *s, const struct row *r, size_t cap)
{
	struct hs_block got[100];
	size_t n, seen = 0;
	enum hs_status status;

	for (status = HS_OK; status == HS_OK;) {
		status = hs_source_next(s, got, cap, &n, NULL);
		for (size_t i = 0; status == HS_OK && i < n; i++, seen++)
			if (seen == r->kept || !same(&got[i], &r->out[seen]))
				fail_msg("cap %zu, item %zu: %s 0x%llx", cap, seen,
				         hs_kind_name(got[i].kind),
				         (unsigned long long)got[i].value);
	}
	assert_int_equal(seen, r->kept);
	assert_int_equal(status, r->end == HS_OK ? HS_END : r->end);
	assert_int_equal(hs_source_next(s, got, cap, &n, NULL), HS_END);
}

/* Of a flow on disk, read in pieces of each size, and again from its start. */
TEST_ROWS(selected, rows, r)
{
	const size_t processes = (r->processes[0] != NULL) + (r->processes[1] != NULL);
	const struct hs_selection select = { .modes = r->modes,
		                             .processes = r->processes,
		                             .process_count = processes,
		                             .threads = &r->thread,
		                             .thread_count = r->thread != NULL };
	struct hs_source_options so = { .size = sizeof(so), .select = &select };
	struct hs_rec_writer *w;
	struct hs_source *s;
	char room[64];

	so.path = test_directory(room);
	test_manifest(room, "flow", 1);
	assert_int_equal(hs_rec_create(room, NULL, &w, NULL), HS_OK);
	assert_int_equal(hs_rec_write(w, r->in, r->n, NULL), HS_OK);
	assert_int_equal(hs_rec_finish(w, true, "done", NULL), HS_OK);
	assert_int_equal(hs_source_open(&so, &s, NULL), HS_OK);
	for (size_t cap = 1; cap <= 100; cap += cap < 8 ? 1 : 92) {
		read_row(s, r, cap);
		assert_int_equal(hs_source_rewind(s, NULL), HS_OK);
	}
	hs_source_close(s);
	test_directory_remove(room);
}

/* More items than are looked at together. */
TEST(more_items_than_are_looked_at_together)
{
	enum { BLOCKS = 20000 };
	static struct hs_block in[BLOCKS];
	const struct hs_selection select = { .modes = 1u << U };
	struct hs_source_options so = { .size = sizeof(so), .select = &select };
	struct hs_block got[1000];
	struct hs_rec_writer *w;
	struct hs_source *s;
	uint64_t blocks = 0, left_out = 0;
	char room[64];
	size_t n;

	for (unsigned i = 0; i < BLOCKS; i++)
		in[i] = (struct hs_block)B(0x100 + 2 * (i % 64), i / 5000 % 2 ? U : S);
	so.path = test_directory(room);
	test_manifest(room, "flow", 1);
	assert_int_equal(hs_rec_create(room, NULL, &w, NULL), HS_OK);
	assert_int_equal(hs_rec_write(w, in, BLOCKS, NULL), HS_OK);
	assert_int_equal(hs_rec_finish(w, true, "done", NULL), HS_OK);
	assert_int_equal(hs_source_open(&so, &s, NULL), HS_OK);
	while (hs_source_next(s, got, 1000, &n, NULL) == HS_OK)
		for (size_t i = 0; i < n; i++) {
			blocks += got[i].kind == HS_KIND_BLOCK;
			left_out += got[i].kind == HS_KIND_NOTE ? got[i].value : 0;
		}
	assert_int_equal(blocks, BLOCKS / 2);
	assert_int_equal(left_out, BLOCKS / 2);
	hs_source_close(s);
	test_directory_remove(room);
}
