/* Worked packets of E-Trace: tests/vectors/etrace, where the head of packets.txt gives their
 * form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/etrace.h>
#include <hartscope/protocol.h>

#include "trace/etrace.h"
#include "referee/etrace_parameters.h"

#define CASES 192
#define RUNS 96
#define PACKETS 64
#define CODE 0x2000
#define CUTS (8 * RUNS)
#define OPTIONS HS_KIND_NOTE /* of a run: options change to its arg */

struct field {
	char name[24];
	unsigned bits;
	uint64_t value;
};

struct packet {
	struct field field[32];
	unsigned count, framing; /* fields; those of them that are the framing's */
	uint8_t bytes[HS_ET_PACKET_MAX];
	size_t length;
};

struct vector {
	char name[64], settings[1024];
	struct hs_block run[RUNS];
	struct packet packet[PACKETS];
	unsigned runs, packets;
	char only; /* 'e', 'd': the runs are only encoded, only decoded */
};

static struct vector vectors[CASES];
static unsigned vector_count;
static char defaults[512];
static uint8_t code[CODE];
/* Cases that the second decoder agrees with, and by enum hs_et_option. */
static unsigned witnessed, witnessed_with[8];

/* The code is seen twice. */
static struct hs_section sections[] = { { 0, CODE, code }, { 0x80000000, CODE, code } };
static struct hs_image image = { .sections = sections, .count = 2 };

/* ---- the file ---------------------------------------------------------------------- */

static void bad(const char *line)
{
	fprintf(stderr, "tests/vectors/etrace: %s\n", line);
	exit(1);
}

static void add_code(char *words)
{
	char *word = strtok(words, " \n");
	uint64_t at = strtoull(word, NULL, 16);

	for (word = strtok(NULL, " \n"); word && *word != '#'; word = strtok(NULL, " \n")) {
		const unsigned long v = strtoul(word, NULL, 16);

		for (size_t i = 0; i < strlen(word) / 2; i++, at++)
			code[at] = (uint8_t)(v >> 8 * i);
	}
}

static uint8_t itype_of(const char *word)
{
	static const struct {
		const char *word;
		uint8_t itype;
	} row[] = {
		{ "none", HS_ITYPE_NONE }, { "exception", HS_ITYPE_EXCEPTION },
			{ "interrupt", HS_ITYPE_INTERRUPT },
		{ "xret", HS_ITYPE_XRET }, { "not-taken", HS_ITYPE_NOT_TAKEN },
			{ "taken", HS_ITYPE_TAKEN },
		{ "call-uninf", HS_ITYPE_CALL_UNINF }, { "call-inf", HS_ITYPE_CALL_INF },
		{ "return", HS_ITYPE_RETURN }, { "jump-uninf", HS_ITYPE_JUMP_UNINF },
		{ "jump-inf", HS_ITYPE_JUMP_INF },
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (strcmp(row[i].word, word) == 0)
			return row[i].itype;
	bad(word);
	return 0;
}

/* Half-words of the last instruction of the run, which begins at @from. */
static uint8_t last_of(uint64_t from, uint64_t to)
{
	uint8_t hwords = 0;

	for (uint64_t at = from; at < to; at += 2u * hwords)
		hwords = (code[at % CODE] & 3) == 3 ? 2 : 1;
	return hwords;
}

static void add_run(struct vector *v, const char *words)
{
	unsigned long long from, to;
	char itype[16], more[16] = "";

	if (sscanf(words, "%llx %llx %15s %15s", &from, &to, itype, more) < 3)
		bad(words);
	v->run[v->runs++] = (struct hs_block){
		.iaddr = from, .iretire = (uint32_t)(to - from) / 2, .ilast = last_of(from, to),
			.itype = itype_of(itype),
		.priv = *more >= '0' && *more <= '7' ? (*more & 7u)
			: HS_PRIV_M, .sijump = strcmp(more, "sijump") == 0,
	};
}

static void add_event(struct vector *v, unsigned kind, const char *words)
{
	unsigned long long a = 0, b = 0;
	char lone[16] = "none";

	sscanf(words, "%llx %llx %15s", &a, &b, lone);
	if (kind == HS_KIND_GAP)
		b = HS_E_LOST;
	v->run[v->runs++] = kind == OPTIONS
	                            ? (struct hs_block){ .arg = (uint32_t)a, .kind = (uint8_t)kind }
	                    : kind == HS_KIND_GAP
	                            ? (struct hs_block){ .arg = (uint32_t)b, .kind = (uint8_t)kind }
	                    : kind == HS_KIND_TRAP
	                            ? (struct hs_block){ .value = b, .arg = (uint32_t)a,
	                                                 .itype = itype_of(lone),
	                                                 .kind = (uint8_t)kind }
	                    : kind == HS_KIND_SYNC
	                            ? (struct hs_block){ .itype = 6, .kind = (uint8_t)kind }
	                            : (struct hs_block){ .value = a, .itype = (uint8_t)b,
	                                                 .kind = (uint8_t)kind };
}

static bool of_the_framing(const char *field)
{
	static const char *const names[] = { "type", "extend", "prefix", "srcID", "timestamp" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(field, names[i]) == 0)
			return true;
	return false;
}

static void add_packet(struct vector *v, char *words, bool framed)
{
	struct packet *p = &v->packet[v->packets++];
	bool bytes = false;

	for (char *word = strtok(words, " \n"); word; word = strtok(NULL, " \n")) {
		struct field *f = &p->field[p->count];
		unsigned long long value;

		if (strcmp(word, "=") == 0) {
			bytes = true;
		} else if (bytes) {
			p->bytes[p->length++] = (uint8_t)strtoul(word, NULL, 16);
		} else {
			char *colon = strchr(word, ':'), *equals = strchr(word, '=');

			if (!colon || !equals)
				bad(word);
			*colon = '\0';
			value = strtoull(equals + 1, NULL, 0);
			snprintf(f->name, sizeof f->name, "%s", word);
			f->bits = (unsigned)strtoul(colon + 1, NULL, 10);
			f->value = value;
			p->count++;
			if (framed && of_the_framing(word))
				p->framing = p->count;
		}
	}
}

static void begin_case(const char *name)
{
	struct vector *v = &vectors[vector_count++];

	if (vector_count > CASES)
		bad("too many cases");
	snprintf(v->name, sizeof v->name, "%.60s", name);
	snprintf(v->settings, sizeof v->settings, "%.500s", defaults);
}

/* A line that describes what runs. */
static bool add_flow(struct vector *v, const char *word, const char *rest)
{
	static const struct {
		const char *word;
		unsigned kind;
	} events[] = { { "trap", HS_KIND_TRAP }, { "context", HS_KIND_CONTEXT },
	               { "time", HS_KIND_TIME },
		       { "stop", HS_KIND_STOP }, { "lost", HS_KIND_GAP },
		       { "notify", HS_KIND_SYNC }, { "options", OPTIONS } };

	if (v->runs == RUNS)
		bad("too many runs");
	if (strcmp(word, "run") == 0) {
		add_run(v, rest);
		return true;
	}
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (strcmp(word, events[i].word) == 0) {
			add_event(v, events[i].kind, rest);
			return true;
		}
	return false;
}

static void add_line(char *line)
{
	struct vector *v = &vectors[vector_count ? vector_count - 1 : 0];
	char *rest = line + strcspn(line, " \n");

	if (*rest)
		*rest++ = '\0';
	rest[strcspn(rest, "\n")] = '\0';
	if (strcmp(line, "code") == 0)
		add_code(rest);
	else if (strcmp(line, "default") == 0)
		strcat(strcat(defaults, " "), rest);
	else if (strcmp(line, "case") == 0)
		begin_case(rest);
	else if (strcmp(line, "set") == 0)
		strncat(strcat(v->settings, " "), rest, 500);
	else if (strcmp(line, "only") == 0)
		v->only = *rest;
	else if (add_flow(v, line, rest))
		return;
	else if (strcmp(line, "packet") == 0 || strcmp(line, "framed") == 0)
		add_packet(v, rest, *line == 'f');
	else if (strcmp(line, "clause") != 0 && strcmp(line, "why") != 0)
		bad(line);
}

static void read_file(const char *path)
{
	static char line[2048];
	FILE *f = fopen(path, "r");

	if (!f)
		bad(path);
	*defaults = '\0';
	while (fgets(line, sizeof line, f))
		if (*line != '#' && *line != '\n')
			add_line(line);
	fclose(f);
}

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
	if (strcmp(name, "irdepth") == 0 && !meaning(p, i - 1))
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
	assert_int_equal(present, __builtin_popcount(got->present));
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

static void *configure(const struct hs_protocol *etrace, const struct vector *v)
{
	void *config = calloc(1, etrace->config_size);
	struct hs_error why = { 0 };
	char words[1024];

	etrace->config_init(config);
	snprintf(words, sizeof words, "%s", v->settings);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
		char *equals = strchr(word, '=');

		*equals = '\0';
		if (hs_protocol_set(etrace, config, word, equals + 1, &why) != HS_OK)
			fail_msg("%s", why.text);
		if (strcmp(word, "dialect") == 0 && strcmp(equals + 1, "draft") == 0)
			hs_protocol_set(etrace, config, "type-prefix", "1", &why);
	}
	assert_int_equal(etrace->config_check(config), HS_OK);
	return config;
}

static size_t expected_bytes(const struct vector *v, uint8_t *out)
{
	size_t n = 0;

	for (unsigned i = 0; i < v->packets; i++) {
		memcpy(out + n, v->packet[i].bytes, v->packet[i].length);
		n += v->packet[i].length;
	}
	return n;
}

/* The same runs, a block for each instruction. */
static unsigned cut_runs(const struct vector *v, struct hs_block *out)
{
	unsigned n = 0;

	for (unsigned i = 0; i < v->runs; i++) {
		struct hs_block rest = v->run[i];

		while (rest.kind == HS_KIND_BLOCK && rest.iretire > rest.ilast) {
			const uint8_t hwords = (code[rest.iaddr % CODE] & 3) == 3 ? 2 : 1;

			assert_true(n < CUTS);
			out[n++] = (struct hs_block){ .iaddr = rest.iaddr, .iretire = hwords,
			                              .ilast = hwords, .priv = rest.priv };
			rest.iaddr += 2u * hwords;
			rest.iretire -= hwords;
		}
		assert_true(n < CUTS);
		out[n++] = rest;
	}
	return n;
}

static void check_encoder(const struct hs_protocol *etrace, const void *config,
                          const struct vector *v, const struct hs_block *run, unsigned runs)
{
	uint8_t want[PACKETS * HS_ET_PACKET_MAX],
		got[PACKETS * HS_ET_PACKET_MAX + 2 * HS_ET_ENCODE_ROOM];
	struct etrace_encoder *encoder = calloc(1, etrace->encoder_size(config));
	size_t used, n = 0, end;

	assert_int_equal(etrace->encoder_init(encoder, config), HS_OK);
	for (unsigned i = 0; i < runs; i++, n += end) {
		end = 0;
		if (run[i].kind == OPTIONS)
			assert_int_equal(hs_et_encoder_set_options(&encoder->et, run[i].arg),
			                 HS_OK);
		else
			assert_int_equal(etrace->encode(encoder, &run[i], 1, &used, got + n,
			                                sizeof got - n, &end), HS_OK);
	}
	assert_int_equal(etrace->encode_end(encoder, got + n, sizeof got - n, &end), HS_OK);
	assert_int_equal(n + end, expected_bytes(v, want));
	assert_memory_equal(got, want, n + end);
	free(encoder);
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
			           v->run[k].kind != HS_KIND_SYNC) {
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

static void check_decoder(const struct hs_protocol *etrace, const void *config,
                          const struct vector *v)
{
	uint8_t bytes[PACKETS * HS_ET_PACKET_MAX];
	struct hs_span in = { bytes, expected_bytes(v, bytes) };
	struct hs_block got[4 * RUNS];
	size_t n, end;
	void *decoder;

	assert_int_equal(etrace->decoder_new(&decoder, config, &image, NULL), HS_OK);
	assert_int_equal(etrace->decode(decoder, &in, got, 3 * RUNS, &n), HS_MORE);
	assert_int_equal(etrace->decode_end(decoder, got + n, RUNS, &end), HS_OK);
	check_blocks(v, got, n + end);
	etrace->decoder_free(decoder);
}

/* Blocks that are cut elsewhere have the same packets (PT 5, ET Algorithm: "must be the same as if
 * retiring one instruction at a time"). */
static void check_cut(void **state)
{
	const struct vector *v = *state;
	const struct hs_protocol *etrace = hs_protocol_find("etrace");
	void *config = configure(etrace, v);
	struct hs_block run[CUTS];

	if (v->runs && v->only != 'd')
		check_encoder(etrace, config, v, run, cut_runs(v, run));
	free(config);
}

static void check_vector(void **state)
{
	const struct vector *v = *state;
	const struct hs_protocol *etrace = hs_protocol_find("etrace");
	void *config = configure(etrace, v);
	struct hs_et_config c = protocol_et_plain(config);
	struct hs_et_reader reader;

	assert_int_equal(hs_et_reader_init(&reader, &c), HS_OK);
	for (unsigned i = 0; i < v->packets; i++)
		check_packet(&reader, &c, &v->packet[i]);
	if (v->runs && v->only != 'd')
		check_encoder(etrace, config, v, v->run, v->runs);
	if (v->runs && v->only != 'e')
		check_decoder(etrace, config, v);
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
	       c->version <= HS_ET_1_1 && !c->iret_ext && strstr(v->settings, "layout.") == NULL &&
	       strstr(v->settings, "si-jump") == NULL;
}

/* A decoder that shares no line with ours makes of the packets what ran (tests/referee). */
static void check_referee(void **state)
{
	const struct vector *v = *state;
	const struct hs_protocol *etrace = hs_protocol_find("etrace");
	static struct referee referee;
	static struct heard heard;
	struct hs_block run[CUTS];
	void *config = configure(etrace, v);
	struct hs_et_config c = protocol_et_plain(config);
	const bool of_the_text = is_of_the_text(v, &c);
	const struct referee_parameters p = referee_parameters_of(&c, 64);
	const unsigned n = cut_runs(v, run);
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

static void enough_witnessed(void **state)
{
	(void)state;
	printf("# %u cases agree with the second decoder: implicit return %u, implicit exception "
	       "%u, prediction %u, cache %u\n", witnessed, witnessed_with[1], witnessed_with[2],
	       witnessed_with[3], witnessed_with[4]);
	assert_true(witnessed > 60 && witnessed_with[1] > 10 && witnessed_with[2] >= 3 &&
	            witnessed_with[3] >= 5 && witnessed_with[4] >= 3);
}

/* A branch that makes the count 0xffffffff is reported with its address (ET Format 0 packets):
 * after so many others that they are put into the encoder here. */
static void largest_count(void **state)
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

	(void)state;
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

int main(void)
{
	static struct CMUnitTest tests[3 * CASES + 2];
	static char names[2 * CASES][80];
	unsigned n = 0;

	read_file(HARTSCOPE_SOURCE "/tests/vectors/etrace/packets.txt");
	read_file(HARTSCOPE_SOURCE "/tests/vectors/etrace/rules.txt");
	for (unsigned i = 0; i < vector_count; i++) {
		struct vector *v = &vectors[i];

		snprintf(names[i], sizeof names[i], "%.60s, by instructions", v->name);
		snprintf(names[CASES + i], sizeof names[i], "%.60s, referee", v->name);
		tests[n++] = (struct CMUnitTest){ v->name, check_vector, NULL, NULL, v };
		tests[n++] = (struct CMUnitTest){ names[i], check_cut, NULL, NULL, v };
		tests[n++] = (struct CMUnitTest){ names[CASES + i], check_referee, NULL, NULL, v };
	}
	tests[n++] = (struct CMUnitTest){ "the largest count, reached", largest_count, NULL, NULL,
	                                  NULL };
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(enough_witnessed);
	return _cmocka_run_group_tests("etrace_vectors", tests, n, NULL, NULL);
}
