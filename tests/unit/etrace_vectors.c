/* Worked packets of E-Trace: tests/vectors/etrace, where the head of packets.txt gives their
 * form. */
#include "cases.h"

#include "trace/etrace.h"
#include "referee/etrace_parameters.h"
#include "unit/worked.h"

/* Cases that the second decoder agrees with, and by enum hs_et_option. */
static unsigned witnessed, witnessed_with[8];

/* ---- one packet --------------------------------------------------------------------- */

/* Do the fields, one after the other from the first bit, give the bytes?  What is cut off, or
 * filled in, repeats the last bit (ET Packets). */
static void check_bytes(const struct packet *p, unsigned offset)
{
	unsigned at = 8 * offset, last = 0;

	for (unsigned i = 0; i < p->count; i++)
		for (unsigned b = 0; b < p->field[i].bits; b++, at++) {
			last = p->field[i].value >> b & 1;
			if (at < 8 * p->length)
				assert_int_equal(p->bytes[at / 8] >> (at % 8) & 1, last);
			else
				assert_int_equal(p->bytes[p->length - 1] >> 7, last);
		}
	for (; at < 8 * p->length; at++)
		assert_int_equal(p->bytes[at / 8] >> (at % 8) & 1, last);
}

static int64_t column(const struct hs_et_packet *p, const char *name)
{
	for (unsigned f = 0; f < HS_ETF_COUNT; f++)
		if (hs_et_has(p, (enum hs_et_field)f) && strcmp(hs_et_field_name(f), name) == 0)
			return (int64_t)f;
	return -1;
}

/* The bits that mean something by being different from the one before (ET Format 2 updiscon) mean
 * that difference. */
static uint64_t meaning(const struct packet *p, unsigned i)
{
	const char *name = p->field[i].name;
	const struct field *before = i ? &p->field[i - 1] : NULL;
	const bool differs = strcmp(name, "notify") == 0 || strcmp(name, "updiscon") == 0 ||
		strcmp(name, "irreport") == 0;

	if (differs)
		return p->field[i].value ^ (before->value >> (before->bits - 1) & 1);
	if ((strcmp(name, "irdepth") == 0 || strcmp(name, "irets") == 0) && !meaning(p, i - 1))
		return 0;
	return p->field[i].value;
}

static void check_fields(const struct packet *p, const struct hs_et_packet *got)
{
	unsigned present = 0;

	for (unsigned i = p->framing; i < p->count; i++) {
		const int64_t f = column(got, p->field[i].name);

		if (f < 0)
			fail_msg("%s was not read", p->field[i].name);
		if (got->field[f] != meaning(p, i))
			fail_msg("%s: %llx", p->field[i].name, (unsigned long long)got->field[f]);
		present++;
	}
	assert_int_equal(present, __builtin_popcountll(got->present));
	assert_int_equal(got->length, p->length);
}

static void check_packet(struct hs_et_reader *r, struct hs_et_config *c, const struct packet *p)
{
	struct hs_span in = { p->bytes, p->length };
	uint8_t again[HS_ET_PACKET_MAX];
	struct hs_et_packet got;

	check_bytes(p, p->framing ? 0 : 1);
	assert_int_equal(hs_et_read(r, &in, &got), HS_OK);
	assert_int_equal(in.n, 0);
	check_fields(p, &got);
	c->options = (uint8_t)hs_et_reader_options(r);
	assert_int_equal(hs_et_write(c, &got, again), p->length);
	assert_memory_equal(again, p->bytes, p->length);
	if (got.form == HS_ET_FORM_SUPPORT)
		hs_et_reader_follow(r, &got);
}

/* ---- one case ----------------------------------------------------------------------- */

static void set_options(struct hs_encoder *encoder, uint32_t options)
{
	struct etrace_encoder *e = (struct etrace_encoder *)encoder;

	assert_int_equal(hs_et_encoder_set_options(&e->et, options), HS_OK);
}

/* Runs that were cut for the encoder are whole again. */
static bool joins(const struct hs_block *a, const struct hs_block *b)
{
	return a->kind == HS_KIND_BLOCK && b->kind == HS_KIND_BLOCK && a->itype == HS_ITYPE_NONE &&
	       hs_block_end(a) == b->iaddr;
}

static void check_blocks(const struct vector *v, const struct hs_block *got, size_t n)
{
	size_t at = 0;

	for (unsigned i = 0; i < v->runs; i++) {
		struct hs_block want = v->run[i];

		if (want.kind != HS_KIND_BLOCK && want.kind != HS_KIND_TRAP)
			continue;
		for (unsigned k = i + 1; k < v->runs && want.kind == HS_KIND_BLOCK; k++)
			if (v->run[k].kind == HS_KIND_BLOCK && joins(&want, &v->run[k])) {
				want.iretire += v->run[k].iretire;
				want.ilast = v->run[k].ilast;
				want.itype = v->run[k].itype;
				want.sijump = v->run[k].sijump;
				i = k;
			} else if (v->run[k].kind != HS_KIND_CONTEXT &&
			           v->run[k].kind != HS_KIND_TIME && v->run[k].kind != OPTIONS &&
			           v->run[k].kind != HS_KIND_SYNC && !hs_event_waits(&v->run[k])) {
				break;
			}
		while (at < n && got[at].kind != HS_KIND_BLOCK && got[at].kind != HS_KIND_TRAP)
			assert_int_not_equal(got[at++].kind, HS_KIND_GAP);
		assert_true(at < n);
		want.priv = got[at].kind == HS_KIND_TRAP ? got[at].priv & 7u : want.priv & 7u;
		if (!hs_block_equal(&want, &got[at]))
			fail_msg("run %u: %llx+%u itype %u kind %u", i,
			         (unsigned long long)got[at].iaddr, got[at].iretire,
			         got[at].itype, got[at].kind);
		at++;
	}
	for (; at < n; at++)
		assert_true(got[at].kind == HS_KIND_STOP);
}

static void check_decoder(const void *config, const struct vector *v)
{
	uint8_t bytes[BYTES];
	struct hs_span in = { bytes, expected_bytes(v, bytes) };
	struct hs_block got[4 * RUNS];
	size_t n, end;
	struct hs_decoder *decoder;

	assert_int_equal(hs_decoder_new(&decoder, protocol, config, &image, NULL), HS_OK);
	assert_int_equal(hs_decode(decoder, &in, got, 3 * RUNS, &n), HS_MORE);
	assert_int_equal(hs_decode_end(decoder, got + n, RUNS, &end), HS_OK);
	check_blocks(v, got, n + end);
	hs_decoder_free(decoder);
}

/* Blocks that are cut elsewhere have the same packets (PT 5, ET Algorithm: "must be the same as if
 * retiring one instruction at a time"). */
static void check_cut(void **state)
{
	const struct vector *v = *state;
	void *config = configure(v);
	struct hs_block run[CUTS];

	if (v->runs && v->only != 'd')
		check_encoder(config, v, run, cut_runs(v, run, false), set_options);
	free(config);
}

static void check_vector(void **state)
{
	const struct vector *v = *state;
	void *config = configure(v);
	struct hs_et_config c = protocol_et_plain(config);
	struct hs_et_reader reader;

	assert_int_equal(hs_et_reader_init(&reader, &c), HS_OK);
	for (unsigned i = 0; i < v->packets; i++)
		check_packet(&reader, &c, &v->packet[i]);
	if (v->runs && v->only != 'd')
		check_encoder(config, v, v->run, v->runs, set_options);
	if (v->runs && v->only != 'e')
		check_decoder(config, v);
	free(config);
}

/* ---- the second decoder -------------------------------------------------------------- */

struct heard {
	uint64_t pc[CUTS];
	unsigned n;
};

static bool fetch(const void *program, uint64_t addr, uint16_t *half)
{
	size_t n = 0;
	const uint8_t *p = hs_img_bytes(program, addr, &n);

	if (n < 2)
		return false;
	*half = (uint16_t)(p[0] | p[1] << 8);
	return true;
}

static void hear(void *to, enum referee_item item, uint64_t value, unsigned cause, bool interrupt)
{
	struct heard *h = to;

	(void)cause;
	(void)interrupt;
	if (item != REFEREE_PC)
		return;
	assert_true(h->n < CUTS);
	h->pc[h->n++] = value;
}

/* Does the case use what the pseudo-code of the text decodes, in a framing of one header byte? */
static bool is_of_the_text(const struct vector *v, struct hs_et_config *c)
{
	assert_int_equal(hs_et_config_resolve(c), HS_OK);
	return v->runs && v->only != 'e' && c->dialect == HS_ET_DIALECT_REFERENCE &&
	       (c->version <= HS_ET_1_1 || c->version == HS_ET_2_1) &&
	       strstr(v->settings, "layout.") == NULL &&
	       strstr(v->settings, "si-jump") == NULL;
}

/* A decoder that shares no line with ours makes of the packets what ran (tests/referee). */
static void check_referee(void **state)
{
	const struct vector *v = *state;
	static struct referee referee;
	static struct heard heard;
	struct hs_block run[CUTS];
	void *config = configure(v);
	struct hs_et_config c = protocol_et_plain(config);
	const bool of_the_text = is_of_the_text(v, &c);
	const struct referee_parameters p = referee_parameters_of(&c, 64);
	const unsigned n = cut_runs(v, run, false);
	unsigned at = 0;

	free(config);
	if (!of_the_text)
		return;
	referee_start(&referee, &p);
	heard.n = 0;
	referee.fetch = fetch;
	referee.program = &image;
	referee.report = hear;
	referee.to = &heard;
	for (unsigned i = 0; i < v->packets; i++)
		if (!referee_packet(&referee, v->packet[i].bytes + 1, v->packet[i].length - 1, 0))
			fail_msg("packet %u: %s", i, referee.error);
	for (unsigned i = 0; i < n; i++) {
		if (run[i].kind != HS_KIND_BLOCK || !run[i].iretire)
			continue;
		if (at == heard.n || heard.pc[at] != run[i].iaddr)
			fail_msg("instruction %u of %u: %llx, not %llx", at, heard.n,
			         (unsigned long long)(at < heard.n ? heard.pc[at] : 0),
			         (unsigned long long)run[i].iaddr);
		at++;
	}
	assert_int_equal(at, heard.n);
	witnessed++;
	for (unsigned i = 0; i < 8; i++)
		witnessed_with[i] += c.options >> i & 1u;
}

TESTS
{
	char name[100];

	read_file("etrace", "packets.txt");
	read_file("etrace", "rules.txt");
	image.count = 2;
	for (struct vector *v = vectors; v < vectors + vector_count; v++) {
		test_add(v->name, check_vector, v);
		snprintf(name, sizeof name, "%.60s, by instructions", v->name);
		test_add(name, check_cut, v);
		snprintf(name, sizeof name, "%.60s, referee", v->name);
		test_add(name, check_referee, v);
	}
}

/* After all cases. */
TEST(enough_witnessed)
{
	printf("# %u cases agree with the second decoder: implicit return %u, implicit exception "
	       "%u, prediction %u, cache %u\n", witnessed, witnessed_with[1], witnessed_with[2],
	       witnessed_with[3], witnessed_with[4]);
	assert_true(witnessed > 60 && witnessed_with[1] > 10 && witnessed_with[2] >= 3 &&
	            witnessed_with[3] >= 5 && witnessed_with[4] >= 3);
}

/* A branch that makes the count 0xffffffff is reported with its address (ET Format 0 packets):
 * after so many others that they are put into the encoder here. */
TEST_NAMED(largest_count, "the largest count, reached")
{
	/* format 0, branch_count 0xffffffff, branch_fmt 2, address 0, the rest 0 */
	static const uint8_t want[] = { 0x45, 0xfc, 0xff, 0xff, 0xff, 0x0b };
	const struct hs_block loop = { .iaddr = 0x1e20, .iretire = 2, .ilast = 2,
	                               .itype = HS_ITYPE_TAKEN, .priv = HS_PRIV_M };
	uint8_t out[HS_ET_ENCODE_ROOM];
	struct hs_et_encoder *e = calloc(1, sizeof *e);
	uint64_t tables[1];
	struct hs_et_config c;
	size_t used, n = 0;

	c = (struct hs_et_config){ .size = sizeof c, .version = HS_ET_2_0 };
	c.dialect = HS_ET_DIALECT_REFERENCE;
	c.iaddress_width = 32;
	c.options = HS_ET_BRANCH_PREDICTION;
	c.bpred_size = 3;
	assert_int_equal(hs_et_encoder_init(e, &c, tables, sizeof tables), HS_OK);
	for (unsigned i = 0; i < 4; i++) {
		if (i == 3) { /* one more is on its way */
			assert_int_equal(e->correct, 1);
			e->correct = (uint64_t)UINT32_MAX + 30;
		}
		assert_int_equal(hs_et_encode(e, &loop, 1, &used, out, sizeof out, &n), HS_OK);
	}
	assert_int_equal(n, sizeof want);
	assert_memory_equal(out, want, n);
	assert_int_equal(e->correct, 0);
	free(e);
}
