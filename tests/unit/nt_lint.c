/* Every kind of finding: one seeded violation each, found by name at its place, and nothing else;
 * repaired, the stream is clean. */
#include "cases.h"

#include "ntrace/nt_lint.h"
#include "unit/nt_lint_lists.h"
#include "unit/nt_lint_rows.h"

#define SOURCES 2

struct found {
	unsigned ids[64];
	uint64_t offsets[64];
	size_t n;
};

/* Findings of bytes that are in no message. */
static bool is_of_bytes(const char *kind)
{
	return (strncmp(kind, "mseo-", 5) == 0 && strcmp(kind, "mseo-01-in-fixed-field") != 0) ||
	       strcmp(kind, "idle-not-all-ones") == 0 || strcmp(kind, "message-without-end") == 0 ||
	       strcmp(kind, "stream-ends-in-message") == 0;
}

static void note(const struct hs_nt_lint *l, struct found *f, const struct hs_finding *x)
{
	const struct hs_finding_kind *kind = hs_nt_finding_get_kind(x->id);

	assert_true(f->n < 64);
	assert_non_null(kind);
	assert_int_equal(x->has_message, !is_of_bytes(kind->name));
	if (x->field != HS_NTF_COUNT && hs_nt_has(&l->msg, x->field))
		assert_int_equal(x->value, l->msg.field[x->field]);
	else
		assert_int_equal(x->value, 0);
	assert_int_equal(x->pc, 0);
	if (x->has_message)
		assert_int_equal(l->msg.offset, x->offset);
	f->ids[f->n] = x->id;
	f->offsets[f->n++] = x->offset;
}

static void collect_next(struct hs_nt_lint *l, struct hs_span *in, struct found *f)
{
	struct hs_finding x;

	for (;;) {
		memset(&x, 0xee, sizeof x);
		if ((in ? hs_nt_lint_next(l, in, &x) : hs_nt_lint_end(l, &x)) != HS_OK)
			return;
		note(l, f, &x);
	}
}

/* Each piece is an allocation of its exact size, and so are the sources. */
static void lint(const struct lint_row *row, const struct lint_bytes *b, size_t piece,
                 struct found *f)
{
	struct hs_nt_lint_source *sources = malloc(SOURCES * sizeof *sources);
	struct hs_nt_config config = row->config;
	struct hs_nt_lint l;

	f->n = 0;
	config.size = sizeof config;
	assert_int_equal(hs_nt_lint_init(&l, &config, sources, SOURCES), HS_OK);
	for (size_t at = 0; at < b->n; at += piece) {
		const size_t n = b->n - at < piece ? b->n - at : piece;
		uint8_t *copy = malloc(n);
		struct hs_span in = { copy, n };

		memcpy(copy, b->p + at, n);
		collect_next(&l, &in, f);
		assert_int_equal(in.n, 0);
		free(copy);
	}
	collect_next(&l, NULL, f);
	assert_int_equal(l.dropped, 0);
	free(sources);
}

/* Findings that count in a row: its kind, and all that is worse than a note. */
static size_t count(const struct lint_row *row, const struct found *f, size_t *where)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct hs_finding_kind *k = hs_nt_finding_get_kind(f->ids[i]);
		const bool it = strcmp(k->name, row->kind) == 0;

		if (!it && k->severity == HS_SEVERITY_NOTE)
			continue;
		if (!it)
			print_error("also found %s at %llu\n", k->name,
			            (unsigned long long)f->offsets[i]);
		*where = i;
		n++;
	}
	return n;
}

static void seeded(void **state)
{
	const struct lint_row *row = *state;
	struct found f;
	size_t where = 0;

	for (size_t piece = 1; piece <= row->bad.n; piece++) {
		lint(row, &row->bad, piece, &f);
		assert_int_equal(count(row, &f, &where), 1);
		assert_string_equal(hs_nt_finding_get_kind(f.ids[where])->name, row->kind);
		assert_int_equal(f.offsets[where], row->offset);
	}
	lint(row, &row->good, row->good.n, &f);
	assert_int_equal(count(row, &f, &where), 0);
}

static void listed(void **state)
{
	const struct lint_list *list = *state;
	const struct lint_row row = { .config = list->config };
	char text[1024];
	struct found f;

	for (size_t piece = 1; piece <= list->bytes.n; piece++) {
		int n = 0;

		lint(&row, &list->bytes, piece, &f);
		text[0] = 0;
		for (size_t i = 0; i < f.n; i++)
			n += snprintf(text + n, sizeof text - (size_t)n, "%s%s@%u", n ? " " : "",
			              hs_nt_finding_get_kind(f.ids[i])->name,
			              (unsigned)f.offsets[i]);
		assert_string_equal(text, list->found);
	}
}

/* The finding at the end names the last message of its source. */
TEST(end_of_a_source)
{
	static const uint8_t bytes[] = { PTS_OF(1, 5), M(3), E(1 | 3 << 2), PTS_OF(2, 5), M(56),
		                         E(1) };
	struct hs_nt_config config = { .size = sizeof config, .src_bits = 2 };
	struct hs_nt_lint_source sources[SOURCES];
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_finding x;
	struct hs_nt_lint l;

	assert_int_equal(hs_nt_lint_init(&l, &config, sources, SOURCES), HS_OK);
	assert_int_equal(hs_nt_lint_next(&l, &in, &x), HS_OK);
	assert_int_equal(x.id, HS_NT_FIND_TCODE_VENDOR);
	assert_int_equal(hs_nt_lint_next(&l, &in, &x), HS_MORE);
	assert_int_equal(l.messages, 4);
	assert_int_equal(hs_nt_lint_end(&l, &x), HS_OK);
	assert_int_equal(x.offset, 5);
	assert_int_equal(l.msg.present, 0);
	assert_int_equal(l.msg.src, 1);
	assert_int_equal(l.msg.tcode, HS_NT_DIRECT_BRANCH);
	assert_true(l.msg.known);
	assert_int_equal(hs_nt_lint_end(&l, &x), HS_OK);
	assert_int_equal(x.offset, 7);
	assert_int_equal(l.msg.src, 2);
	assert_int_equal(l.msg.tcode, HS_NT_PROG_TRACE_SYNC);
	assert_int_equal(hs_nt_lint_end(&l, &x), HS_END);
}

/* F-ADDR left off is 0 (design/nt-dialects), and there. */
TEST(missing_address)
{
	static const uint8_t bytes[] = { M(9), E(5) };
	struct hs_nt_config config = { .size = sizeof config };
	struct hs_nt_lint_source source;
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_finding x;
	struct hs_nt_lint l;

	assert_int_equal(hs_nt_lint_init(&l, &config, &source, 1), HS_OK);
	assert_int_equal(hs_nt_lint_next(&l, &in, &x), HS_OK);
	assert_int_equal(x.id, HS_NT_FIND_ADDRESS_MISSING);
	assert_true(hs_nt_has(&l.msg, HS_NTF_FADDR));
	assert_int_equal(l.msg.field[HS_NTF_FADDR], 0);
	assert_int_equal(l.msg.addr_bits, 0);
}

/* Findings are handed out before the next message: none is dropped, however many there are. */
TEST(many_findings)
{
	static uint8_t bytes[4 + 2 * 40] = { PTS(5) };
	const struct lint_bytes all = { sizeof bytes, bytes };
	static const struct lint_row row = { .kind = "" };
	struct found f;

	for (size_t i = 4; i < sizeof bytes; i += 2) {
		bytes[i] = M(3); /* DirectBranch with I-CNT 0 */
		bytes[i + 1] = E(0);
	}
	lint(&row, &all, sizeof bytes, &f);
	assert_int_equal(f.n, 41); /* and the end */
}

TEST(every_kind_has_a_row)
{
	assert_null(hs_nt_finding_get_kind(HS_NT_FIND_COUNT));
	for (unsigned id = 0; id < HS_NT_FIND_COUNT; id++) {
		const struct hs_finding_kind *k = hs_nt_finding_get_kind(id);
		bool shown = strncmp(k->name, "flow-", 5) == 0; /* tests/unit/nt_lint_flow.c */

		for (size_t i = 0; i < LINT_ROWS; i++)
			shown = shown || strcmp(lint_rows[i].kind, k->name) == 0;
		if (!shown)
			fail_msg("no row shows %s", k->name);
		for (unsigned other = 0; other < id; other++)
			assert_string_not_equal(hs_nt_finding_get_kind(other)->name, k->name);
		assert_memory_equal(k->clause, "NT ", 3);
	}
}

TEST(configurations_are_checked)
{
	struct hs_nt_config config = { .size = sizeof config };
	struct hs_nt_lint_source source;
	struct hs_nt_lint l;

	assert_int_equal(hs_nt_lint_init(&l, &config, &source, 0), HS_E_ARG);
	config.src_bits = 13;
	assert_int_equal(hs_nt_lint_init(&l, &config, &source, 1), HS_E_CONFIG);
}

/* A row of one text is no finding in the other. */
TEST(only_in_its_dialect)
{
	for (size_t i = 0; i < LINT_ROWS; i++) {
		struct lint_row row = lint_rows[i];
		const struct hs_finding_kind *k;
		unsigned id = 0;
		struct found f;

		while (strcmp(hs_nt_finding_get_kind(id)->name, row.kind) != 0)
			id++;
		k = hs_nt_finding_get_kind(id);
		for (row.config.dialect = 0; row.config.dialect < HS_NT_DIALECT_COUNT;
		     row.config.dialect++) {
			if (k->texts >> row.config.dialect & 1)
				continue;
			lint(&row, &row.bad, row.bad.n, &f);
			for (size_t j = 0; j < f.n; j++)
				assert_int_not_equal(f.ids[j], id);
		}
	}
}

TESTS
{
	char name[64];

	for (size_t i = 0; i < LINT_ROWS; i++) {
		snprintf(name, sizeof name, "%zu %s", i, lint_rows[i].kind);
		test_add(name, seeded, &lint_rows[i]);
	}
	for (size_t i = 0; i < LINT_LISTS; i++)
		test_add(lint_lists[i].what, listed, &lint_lists[i]);
}
