/* Every kind of finding: one seeded violation each, found by name at its packet and bit, and
 * nothing else; repaired, the stream is clean. */
#include "cases.h"

#include "unit/et_lint_rows.h"

#define SOURCES 2
#define BYTES 1024

/* The program (ISA manual): 1000 c.nop; 1002 c.beqz a0, 1008; 1004 c.jr a1; 1006 c.j 1006;
 * 1008 ecall; 100c c.nop; 100e c.jr a1 */
static const uint8_t code[] = { 0x01, 0x00, 0x19, 0xc1, 0x82, 0x85, 0x01, 0xa0,
	                        0x73, 0x00, 0x00, 0x00, 0x01, 0x00, 0x82, 0x85 };
static struct hs_image image;
static struct hs_section section;

/* ---- streams from fields --------------------------------------------------------- */

struct stream {
	uint8_t bytes[BYTES];
	size_t n;
	size_t start[128]; /* of each packet, or run of bytes */
	size_t packets;
};

/* The packet that is being written: bits, one a byte. */
struct packet {
	uint8_t bit[400];
	unsigned n, header, tstamp; /* tstamp: its bytes */
	unsigned payload; /* where it begins */
};

static void begin_packet(struct stream *s)
{
	assert_true(s->packets < sizeof s->start / sizeof *s->start);
	s->start[s->packets++] = s->n;
}

/* Pad with the last bit, drop bytes that only repeat it (ET Packets), and frame. */
static void end_packet(struct stream *s, struct packet *p, bool whole)
{
	const uint8_t sign = p->bit[p->n - 1];
	unsigned needed = p->n;

	while ((p->n - p->payload) % 8)
		p->bit[p->n++] = sign;
	while (needed > p->payload + 1 && p->bit[needed - 2] == sign)
		needed--;
	while ((needed - p->payload) % 8)
		needed++;
	while (p->n % 8) /* padding */
		p->bit[p->n++] = 0;
	const unsigned bytes = whole ? p->n / 8 : (needed + 7) / 8;

	begin_packet(s);
	/* The timestamp is not in the length. */
	s->bytes[s->n++] = (uint8_t)(p->header | (bytes - (p->header & 0x80 ? p->tstamp : 0)));
	for (unsigned i = 0; i < bytes; i++) {
		uint8_t byte = 0;

		for (unsigned j = 0; j < 8; j++)
			byte |= (uint8_t)(p->bit[8 * i + j] << j);
		s->bytes[s->n++] = byte;
	}
	assert_true(s->n < BYTES - 64);
}

static void put_bytes(struct stream *s, const char *hex, size_t digits)
{
	begin_packet(s);
	for (size_t i = 0; i + 1 < digits; i += 2) {
		const char pair[3] = { hex[i], hex[i + 1], 0 };

		s->bytes[s->n++] = (uint8_t)strtoul(pair, NULL, 16);
	}
}

static void put_field(struct packet *p, const char *word)
{
	char *end;
	const unsigned width = (unsigned)strtoul(word, &end, 10);

	assert_int_equal(*end, ':');
	const uint64_t value = strtoull(end + 1, NULL, 0);

	for (unsigned i = 0; i < width; i++)
		p->bit[p->n++] = value >> i & 1;
}

/* The bytes of a row's text. */
static void write_stream(struct stream *s, const char *text, const struct hs_et_config *c)
{
	struct packet p = { .header = c->dialect == HS_ET_DIALECT_REFERENCE ? 0x40 : 0,
		            .tstamp = c->tstamp_bytes };
	const unsigned header = p.header;

	memset(s, 0, sizeof *s);
	for (const char *word = text; *word; word += strcspn(word, " "), word += *word == ' ') {
		const size_t length = strcspn(word, " ");

		if (*word == 'x') {
			put_bytes(s, word + 1, length - 1);
		} else if (*word == 'h') {
			p.header |= (unsigned)strtoul(word + 1, NULL, 16);
		} else if (*word == ';' || *word == '!') {
			end_packet(s, &p, *word == '!');
			p.n = p.payload = 0;
			p.header = header;
		} else if (*word == '|') {
			p.payload = p.n;
		} else {
			put_field(&p, word);
		}
	}
	assert_int_equal(p.n, 0);
}

/* ---- findings ------------------------------------------------------------------- */

struct found {
	struct hs_finding x[96];
	size_t n;
};

static void note(struct found *f, const struct hs_finding *x)
{
	assert_true(f->n < sizeof f->x / sizeof *f->x);
	assert_non_null(hs_et_finding_get_kind(x->id));
	f->x[f->n++] = *x;
}

/* Memory of a lint with its program. */
static struct {
	struct hs_et_lint lint;
	struct hs_et_lint_source sources[SOURCES];
	struct hs_et_decoder decoder;
	struct hs_et_source followed[SOURCES];
	struct hs_bb_table table;
	uint64_t blocks[16384], tables[128];
} m;

static void begin(const struct lint_row *row)
{
	struct hs_et_config config = row->config;

	config.size = sizeof config;
	assert_int_equal(hs_et_lint_init(&m.lint, &config, m.sources, SOURCES), HS_OK);
	if (strncmp(row->kind, "flow-", 5) != 0)
		return;
	assert_true(hs_bb_memory(64) <= sizeof m.blocks);
	assert_int_equal(hs_bb_init(&m.table, &image, m.blocks, 64), HS_OK);
	assert_int_equal(hs_et_decoder_init(&m.decoder, &config, &m.table, m.followed, SOURCES,
	                                    m.tables, sizeof m.tables),
	                 HS_OK);
	hs_et_lint_program(&m.lint, &m.decoder);
}

/* Lint the first @n bytes.  Each piece is an allocation of its exact size. */
static void lint(const struct lint_row *row, const struct stream *s, size_t n, size_t piece,
                 bool end, struct found *f)
{
	struct hs_finding x;

	f->n = 0;
	begin(row);
	for (size_t at = 0; at < n; at += piece) {
		const size_t length = n - at < piece ? n - at : piece;
		uint8_t *copy = malloc(length);
		struct hs_span in = { copy, length };

		memcpy(copy, s->bytes + at, length);
		while (hs_et_lint_next(&m.lint, &in, &x) == HS_OK)
			note(f, &x);
		assert_int_equal(in.n, 0);
		free(copy);
	}
	while (end && hs_et_lint_end(&m.lint, &x) == HS_OK)
		note(f, &x);
	assert_int_equal(m.lint.dropped, 0);
}

/* Findings that count in a row: its kind, and all that is worse than a note. */
static size_t count(const struct lint_row *row, const struct found *f, size_t *where)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct hs_finding_kind *k = hs_et_finding_get_kind(f->x[i].id);
		const bool it = strcmp(k->name, row->kind) == 0;

		if (!it && k->severity == HS_SEVERITY_NOTE)
			continue;
		if (!it)
			print_error("also found %s at %llu\n", k->name,
			            (unsigned long long)f->x[i].offset);
		*where = i;
		n++;
	}
	return n;
}

static void seeded(void **state)
{
	const struct lint_row *row = *state;
	static struct stream bad, good;
	static struct found f;
	size_t where = 0;

	write_stream(&bad, row->bad, &row->config);
	write_stream(&good, row->good, &row->config);
	for (size_t piece = 1; piece <= bad.n; piece++) {
		lint(row, &bad, bad.n, piece, true, &f);
		assert_int_equal(count(row, &f, &where), 1);
		assert_string_equal(hs_et_finding_get_kind(f.x[where].id)->name, row->kind);
		assert_int_equal(f.x[where].offset, bad.start[row->packet]);
		assert_int_equal(f.x[where].bit, row->bit);
	}
	lint(row, &good, good.n, good.n, true, &f);
	assert_int_equal(count(row, &f, &where), 0);
}

/* What is found in the first bytes of a stream is found in the whole of it. */
TEST(what_a_prefix_shows_the_whole_shows)
{
	static struct found whole, part;
	static struct stream s;

	for (size_t i = 0; i < LINT_ROWS; i++) {
		const struct lint_row *row = &lint_rows[i];

		write_stream(&s, row->bad, &row->config);
		lint(row, &s, s.n, s.n, false, &whole);
		for (size_t n = 0; n < s.n; n++) {
			lint(row, &s, n, s.n, false, &part);
			assert_true(part.n <= whole.n);
			for (size_t j = 0; j < part.n; j++) {
				assert_int_equal(part.x[j].id, whole.x[j].id);
				assert_int_equal(part.x[j].offset, whole.x[j].offset);
				assert_int_equal(part.x[j].bit, whole.x[j].bit);
			}
		}
	}
}

TEST(every_kind_has_a_row)
{
	unsigned missing = 0;

	assert_null(hs_et_finding_get_kind(HS_ET_FIND_COUNT));
	assert_true(HS_ET_FIND_COUNT >= 60);
	for (unsigned id = 0; id < HS_ET_FIND_COUNT; id++) {
		const struct hs_finding_kind *k = hs_et_finding_get_kind(id);
		bool shown = false;

		assert_non_null(k->name);
		for (size_t i = 0; i < LINT_ROWS; i++)
			shown = shown || strcmp(lint_rows[i].kind, k->name) == 0;
		if (!shown)
			print_error("no row shows %s\n", k->name);
		missing += !shown;
		for (unsigned other = 0; other < id; other++)
			assert_string_not_equal(hs_et_finding_get_kind(other)->name, k->name);
		assert_true(memcmp(k->clause, "ET ", 3) == 0 || memcmp(k->clause, "PT ", 3) == 0 ||
		            memcmp(k->clause, "EE ", 3) == 0);
	}
	assert_int_equal(missing, 0);
}

TEST(configurations_are_checked)
{
	struct hs_et_config config = { .size = sizeof config };

	assert_int_equal(hs_et_lint_init(&m.lint, &config, m.sources, 0), HS_E_ARG);
	config.src_bits = 99;
	assert_int_equal(hs_et_lint_init(&m.lint, &config, m.sources, 1), HS_E_CONFIG);
	config.src_bits = 0;
	config.version = HS_ET_FAST;
	config.fast = HS_ET_FAST_TARGETS;
	assert_int_equal(hs_et_lint_init(&m.lint, &config, m.sources, 1), HS_E_UNSUPPORTED);
}

/* 1.1 has the rules of 2.0. */
TEST(both_ratified)
{
	for (unsigned id = 0; id < HS_ET_FIND_COUNT; id++) {
		const unsigned versions = hs_et_finding_get_kind(id)->texts;

		assert_int_equal(versions >> HS_ET_2_0 & 1, versions >> HS_ET_1_1 & 1);
		assert_true(versions);
	}
}

TESTS
{
	char name[64];

	section = (struct hs_section){ .start = 0x1000, .size = sizeof code, .bytes = code };
	image = (struct hs_image){ .sections = &section, .count = 1, .isa = { .xlen = 64 } };
	for (size_t i = 0; i < LINT_ROWS; i++) {
		snprintf(name, sizeof name, "%zu %s", i, lint_rows[i].kind);
		test_add(name, seeded, &lint_rows[i]);
	}
}
