/* Worked messages of N-Trace: tests/vectors/ntrace/messages.txt, whose head gives their form.  Our
 * encoder is given each case an instruction at a time, our decoder its bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/protocol.h>

#define CASES 64
#define ITEMS 64
#define BYTES 256
#define CODE 0x2000

struct vector {
	char name[80], settings[512];
	struct hs_block item[ITEMS]; /* as the source has them */
	unsigned items;
	uint8_t bytes[BYTES + 512];
	size_t length;
	char only; /* 'e': not decoded */
};

static struct vector vectors[CASES];
static unsigned vector_count;
static uint8_t code[CODE];
static struct hs_section sections[] = { { 0, CODE, code },
	                                { 0x80000000, CODE, code },
	                                { 0xffffffff80000000, CODE, code } };
static struct hs_image image = { .sections = sections, .count = 3 };

/* ---- the file ---------------------------------------------------------------------- */

static unsigned hwords_at(uint64_t at)
{
	return (code[at % CODE] & 3) == 3 ? 2 : 1;
}

static uint8_t itype_of(const char *word)
{
	static const struct {
		const char *word;
		uint8_t itype;
	} row[] = {
		{ "none", HS_ITYPE_NONE }, { "exception", HS_ITYPE_EXCEPTION },
		{ "interrupt", HS_ITYPE_INTERRUPT }, { "not-taken", HS_ITYPE_NOT_TAKEN },
		{ "taken", HS_ITYPE_TAKEN }, { "call-inf", HS_ITYPE_CALL_INF },
		{ "return", HS_ITYPE_RETURN }, { "jump-uninf", HS_ITYPE_JUMP_UNINF },
		{ "jump-inf", HS_ITYPE_JUMP_INF },
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (strcmp(row[i].word, word) == 0)
			return row[i].itype;
	fail_msg("itype %s", word);
	return 0;
}

static void add_code(const char *words)
{
	char *end;
	uint64_t at = strtoull(words, &end, 16);

	while (*end == ' ' && end[1] != '#') {
		const char *word = end + 1;
		const unsigned long v = strtoul(word, &end, 16);

		for (long i = 0; i < (end - word) / 2; i++, at++)
			code[at] = (uint8_t)(v >> 8 * i);
	}
}

static struct hs_block run_of(const char *words)
{
	unsigned long long from, to;
	char itype[16], more[16] = "";
	unsigned last = 0;

	sscanf(words, "%llx %llx %15s %15s", &from, &to, itype, more);
	for (uint64_t at = from; at < to; at += 2u * last)
		last = hwords_at(at);
	return (struct hs_block){
		.iaddr = from, .iretire = (uint32_t)(to - from) / 2, .ilast = (uint8_t)last,
		.itype = itype_of(itype), .sijump = strcmp(more, "sijump") == 0,
		.priv = *more >= '0' && *more <= '7' ? (*more & 7u) : HS_PRIV_M,
	};
}

/* An event: its first number is the value, a code, or a cause. */
static struct hs_block event_of(const char *word, const char *words)
{
	unsigned long long a = 0, b = 0, c = HS_PRIV_UNKNOWN;

	sscanf(words, "%llx %llx %llx", &a, &b, &c);
	switch (*word) {
	case 't':
		if (word[1] == 'i')
			return (struct hs_block){ .value = a, .kind = HS_KIND_TIME };
		return (struct hs_block){ .value = b, .arg = (uint32_t)a, .kind = HS_KIND_TRAP };
	case 'c':
		return (struct hs_block){ .value = a, .arg = (uint32_t)b, .priv = c & 7,
			                  .kind = HS_KIND_CONTEXT };
	case 'l':
		return (struct hs_block){ .arg = HS_E_LOST, .kind = HS_KIND_GAP };
	default:
		return (struct hs_block){ .itype = (uint8_t)a,
			                  .kind = word[1] == 't' ? HS_KIND_STOP : HS_KIND_SYNC };
	}
}

static void add_bytes(struct vector *v, const char *words)
{
	const char *at = strstr(words, " = ");
	char *end = NULL;

	assert_non_null(at);
	for (at += 3; *at; at = end) {
		const unsigned long byte = strtoul(at, &end, 16);

		if (end == at)
			break;
		v->bytes[v->length++] = (uint8_t)byte;
	}
}

static void add_line(char *line, char *defaults)
{
	struct vector *v = vector_count ? &vectors[vector_count - 1] : vectors;
	char *rest = line + strcspn(line, " \n");

	if (*rest)
		*rest++ = '\0';
	rest[strcspn(rest, "\n")] = '\0';
	if (strcmp(line, "code") == 0) {
		add_code(rest);
	} else if (strcmp(line, "default") == 0) {
		snprintf(defaults, 128, "%s", rest);
	} else if (strcmp(line, "case") == 0) {
		v = &vectors[vector_count++];
		snprintf(v->name, sizeof v->name, "%s", rest);
		snprintf(v->settings, sizeof v->settings, "%s", defaults);
	} else if (strcmp(line, "set") == 0) {
		strncat(strncat(v->settings, " ", 2), rest, 300);
	} else if (strcmp(line, "only") == 0) {
		v->only = *rest;
	} else if (strcmp(line, "message") == 0) {
		add_bytes(v, rest);
	} else if (strcmp(line, "run") == 0) {
		v->item[v->items++] = run_of(rest);
	} else if (strcmp(line, "clause") != 0 && strcmp(line, "why") != 0) {
		v->item[v->items++] = event_of(line, rest);
	}
}

static void read_file(const char *path)
{
	static char line[1024], defaults[128];
	FILE *f = fopen(path, "r");

	if (!f)
		exit(1);
	while (fgets(line, sizeof line, f))
		if (*line != '#' && *line != '\n')
			add_line(line, defaults);
	fclose(f);
}

/* ---- a case -------------------------------------------------------------------------- */

static void *configure(const struct hs_protocol *ntrace, const struct vector *v)
{
	void *config = calloc(1, ntrace->config_size);
	struct hs_error why = { 0 };
	char words[512];

	ntrace->config_init(config);
	snprintf(words, sizeof words, "%s", v->settings);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
		char *equals = strchr(word, '=');

		*equals = '\0';
		if (hs_protocol_set(ntrace, config, word, equals + 1, &why) != HS_OK)
			fail_msg("%s", why.text);
	}
	assert_int_equal(ntrace->config_check(config), HS_OK);
	return config;
}

struct encoding {
	const struct hs_protocol *ntrace;
	void *encoder;
	uint8_t bytes[BYTES + 512];
	size_t n;
};

static void encode(struct encoding *e, const struct hs_block *b)
{
	size_t used, n = 0;

	assert_int_equal(e->ntrace->encode(e->encoder, b, 1, &used, e->bytes + e->n,
	                                   sizeof e->bytes - e->n, &n),
	                 HS_OK);
	e->n += n;
}

/* An instruction after the other; the last one has the block's end.  A jump stays with what gives
 * its target (NT 9.1). */
static void encode_cut(struct encoding *e, struct hs_block rest)
{
	while (!rest.sijump && rest.kind == HS_KIND_BLOCK && rest.iretire > rest.ilast) {
		const unsigned n = hwords_at(rest.iaddr);
		const struct hs_block one = { .iaddr = rest.iaddr, .iretire = n,
			                      .ilast = (uint8_t)n, .priv = rest.priv };

		encode(e, &one);
		rest.iaddr += 2u * n;
		rest.iretire -= n;
	}
	encode(e, &rest);
}

static void check_encoder(void **state)
{
	const struct vector *v = *state;
	struct encoding e = { .ntrace = hs_protocol_find("ntrace") };
	void *config = configure(e.ntrace, v);
	size_t n = 0;

	e.encoder = calloc(1, e.ntrace->encoder_size(config));
	assert_int_equal(e.ntrace->encoder_init(e.encoder, config), HS_OK);
	for (unsigned i = 0; i < v->items; i++)
		encode_cut(&e, v->item[i]);
	assert_int_equal(e.ntrace->encode_end(e.encoder, e.bytes + e.n, sizeof e.bytes - e.n, &n),
	                 HS_OK);
	e.n += n;
	free(e.encoder);
	free(config);
	assert_int_equal(e.n, v->length);
	assert_memory_equal(e.bytes, v->bytes, e.n);
}

/* The next instruction of items, from *@i on, in *@left; false: there are no more. */
static bool next_pc(const struct hs_block *item, unsigned items, unsigned *i,
                    struct hs_block *left, uint64_t *pc)
{
	while (!left->iretire) {
		if (*i == items)
			return false;
		*left = item[(*i)++];
		if (left->kind != HS_KIND_BLOCK)
			left->iretire = 0;
	}
	*pc = left->iaddr;
	left->iretire -= hwords_at(left->iaddr);
	left->iaddr += 2u * hwords_at(*pc);
	return true;
}

static void check_decoder(void **state)
{
	const struct vector *v = *state;
	const struct hs_protocol *ntrace = hs_protocol_find("ntrace");
	void *config = configure(ntrace, v), *decoder;
	struct hs_span in = { v->bytes, v->length };
	struct hs_block got[2 * ITEMS], left = { 0 }, ours = { 0 };
	unsigned i = 0, k = 0;
	uint64_t want = 0, pc = 0;
	size_t n = 0, end;

	assert_int_equal(ntrace->decoder_new(&decoder, config, &image, NULL), HS_OK);
	for (enum hs_status s = HS_OK; s != HS_MORE; n += end) {
		s = ntrace->decode(decoder, &in, got + n, ITEMS - n, &end);
		assert_true(s == HS_MORE || s == HS_E_LOST);
	}
	assert_int_equal(ntrace->decode_end(decoder, got + n, ITEMS, &end), HS_OK);
	n += end;
	while (next_pc(v->item, v->items, &i, &left, &want)) {
		assert_true(next_pc(got, (unsigned)n, &k, &ours, &pc));
		assert_int_equal(pc, want);
	}
	assert_false(next_pc(got, (unsigned)n, &k, &ours, &pc));
	ntrace->decoder_free(decoder);
	free(config);
}

int main(void)
{
	static struct CMUnitTest tests[2 * CASES];
	static char names[CASES][100];
	unsigned n = 0;

	read_file(HARTSCOPE_SOURCE "/tests/vectors/ntrace/messages.txt");
	for (unsigned i = 0; i < vector_count; i++) {
		struct vector *v = &vectors[i];

		snprintf(names[i], sizeof names[i], "%.79s, decoded", v->name);
		tests[n++] = (struct CMUnitTest){ v->name, check_encoder, NULL, NULL, v };
		if (v->only != 'e')
			tests[n++] = (struct CMUnitTest){ names[i], check_decoder, NULL, NULL, v };
	}
	return _cmocka_run_group_tests("ntrace_vectors", tests, n, NULL, NULL);
}
