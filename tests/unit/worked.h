/* Worked packets and messages: reads the files of tests/vectors, whose heads give their form, and
 * gives our encoders their runs. */
#ifndef TESTS_WORKED_H
#define TESTS_WORKED_H

#include "trace/trace.h"
#include "cases.h"

#include <hartscope/etrace.h>
#include <hartscope/protocol.h>

#define CASES 192
#define RUNS 96
#define PACKETS 64
#define CODE 0x2000
#define CUTS (8 * RUNS)
#define BYTES (PACKETS * HS_ET_PACKET_MAX)
#define OPTIONS HS_KIND_NOTE /* of a run: options change to its arg */

struct field {
	char name[24];
	unsigned bits; /* of E-Trace */
	uint64_t value;
};

struct packet {
	struct field field[32];
	unsigned count, framing; /* fields; those of them that are the framing's */
	uint8_t bytes[HS_ET_PACKET_MAX];
	size_t length;
};

struct vector {
	char name[80], settings[1024];
	struct hs_block run[RUNS]; /* and events, as the file has them */
	struct packet packet[PACKETS];
	unsigned runs, packets;
	char only; /* 'e', 'd': the runs are only encoded, only decoded */
};

static struct vector vectors[CASES];
static unsigned vector_count;
static const struct hs_protocol *protocol; /* of the file */
static char defaults[512];
static uint8_t code[CODE];

/* The code is seen more than once. */
static struct hs_section sections[] = { { 0, CODE, code },
	                                { 0x80000000, CODE, code },
	                                { 0xffffffff80000000, CODE, code } };
static struct hs_image image = { .sections = sections, .count = 3 };

/* ---- the file ---------------------------------------------------------------------- */

static void bad(const char *line)
{
	fprintf(stderr, "tests/vectors: %s\n", line);
	exit(1);
}

static unsigned hwords_at(uint64_t at)
{
	return (code[at % CODE] & 3) == 3 ? 2 : 1;
}

static void add_code(char *words)
{
	char *word = strtok(words, " ");
	uint64_t at = strtoull(word, NULL, 16);

	for (word = strtok(NULL, " "); word && *word != '#'; word = strtok(NULL, " ")) {
		const unsigned long v = strtoul(word, NULL, 16);

		for (size_t i = 0; i < strlen(word) / 2; i++, at++)
			code[at] = (uint8_t)(v >> 8 * i);
	}
}

static uint8_t itype_of(const char *word)
{
	static const struct { const char *word; uint8_t itype; } row[] = {
		{ "none", HS_ITYPE_NONE },           { "exception", HS_ITYPE_EXCEPTION },
		{ "interrupt", HS_ITYPE_INTERRUPT }, { "xret", HS_ITYPE_XRET },
		{ "not-taken", HS_ITYPE_NOT_TAKEN }, { "taken", HS_ITYPE_TAKEN },
		{ "call-uninf", HS_ITYPE_CALL_UNINF }, { "call-inf", HS_ITYPE_CALL_INF },
		{ "return", HS_ITYPE_RETURN },       { "jump-uninf", HS_ITYPE_JUMP_UNINF },
		{ "jump-inf", HS_ITYPE_JUMP_INF },
	};

	for (size_t i = 0; i < COUNT_OF(row); i++)
		if (strcmp(row[i].word, word) == 0)
			return row[i].itype;
	bad(word);
	return 0;
}

/* A block, as often as its line says. */
static void add_run(struct vector *v, const char *words)
{
	unsigned long long from, to;
	char itype[16], more[16] = "";
	unsigned last = 0, n = 1;

	if (sscanf(words, "%llx %llx %15s %15s", &from, &to, itype, more) < 3)
		bad(words);
	sscanf(strrchr(words, ' '), " x%u", &n);
	if (v->runs + n > RUNS)
		bad(words);
	for (uint64_t at = from; at < to; at += 2u * last)
		last = hwords_at(at);
	for (; n; n--)
		v->run[v->runs++] = (struct hs_block){
			.iaddr = from, .iretire = (uint32_t)(to - from) / 2, .ilast = (uint8_t)last,
			.itype = itype_of(itype), .sijump = strcmp(more, "sijump") == 0,
			.priv = *more >= '0' && *more <= '7' ? (*more & 7u) : HS_PRIV_M,
		};
}

/* What a context's second and third number are differs: its type; its format and privilege. */
static struct hs_block event_of(unsigned kind, const char *words)
{
	const bool etrace = strcmp(protocol->name, "etrace") == 0;
	unsigned long long a = 0, b = 0, c = HS_PRIV_UNKNOWN;
	char lone[16] = "none";

	sscanf(words, "%llx %llx %llx", &a, &b, &c);
	switch (kind) {
	case HS_KIND_TRAP:
		sscanf(words, "%*x %*x %15s", lone);
		return (struct hs_block){ .value = b, .arg = (uint32_t)a, .itype = itype_of(lone),
			                  .kind = HS_KIND_TRAP };
	case HS_KIND_CONTEXT:
		if (!etrace)
			return (struct hs_block){ .value = a, .arg = (uint32_t)b, .priv = c & 7,
				                  .kind = HS_KIND_CONTEXT };
		return (struct hs_block){ .value = a, .itype = (uint8_t)b,
			                  .kind = HS_KIND_CONTEXT };
	case HS_KIND_TIME:
		return (struct hs_block){ .value = a, .itype = (uint8_t)b, .kind = HS_KIND_TIME };
	case HS_KIND_GAP: return (struct hs_block){ .arg = HS_E_LOST, .kind = HS_KIND_GAP };
	case OPTIONS: return (struct hs_block){ .arg = (uint32_t)a, .kind = OPTIONS };
	default: /* a synchronisation, a stop */
		return (struct hs_block){ .itype = (uint8_t)a, .kind = (uint8_t)kind };
	}
}

static bool of_the_framing(const char *field)
{
	static const char *const names[] = { "type", "extend", "prefix", "srcID", "timestamp" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (strcmp(field, names[i]) == 0)
			return true;
	return false;
}

/* FIELD:BITS=VALUE, or of N-Trace FIELD=VALUE. */
static void add_field(struct packet *p, char *word, bool framed)
{
	struct field *f = &p->field[p->count];
	char *equals = strchr(word, '='), *colon = strchr(word, ':');

	if (!equals) /* the name of a message */
		return;
	*(colon ? colon : equals) = '\0';
	snprintf(f->name, sizeof f->name, "%s", word);
	f->bits = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
	f->value = strtoull(equals + 1, NULL, 0);
	p->count++;
	if (framed && of_the_framing(word))
		p->framing = p->count;
}

/* A packet, as often as its line says. */
static void add_packet(struct vector *v, char *words, bool framed)
{
	struct packet *p = &v->packet[v->packets++];
	char *bytes = strstr(words, " = ");
	unsigned n = 1;

	if (!bytes)
		bad(words);
	*bytes = '\0';
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		add_field(p, word, framed);
	for (char *word = strtok(bytes + 3, " "); word; word = strtok(NULL, " "))
		if (sscanf(word, "x%u", &n) != 1)
			p->bytes[p->length++] = (uint8_t)strtoul(word, NULL, 16);
	if (v->packets + n > PACKETS)
		bad(words);
	for (; n > 1; n--)
		v->packet[v->packets++] = *p;
}

static void begin_case(const char *name)
{
	struct vector *v = &vectors[vector_count++];

	if (vector_count > CASES)
		bad("too many cases");
	snprintf(v->name, sizeof v->name, "%.79s", name);
	snprintf(v->settings, sizeof v->settings, "%.500s", defaults);
}

/* A line that describes what runs. */
static bool add_flow(struct vector *v, const char *word, const char *rest)
{
	static const struct { const char *word; uint8_t kind; } events[] = {
		{ "trap", HS_KIND_TRAP }, { "context", HS_KIND_CONTEXT }, { "time", HS_KIND_TIME },
		{ "stop", HS_KIND_STOP }, { "lost", HS_KIND_GAP },        { "sync", HS_KIND_SYNC },
		{ "options", OPTIONS },
	};

	if (strcmp(word, "notify") == 0)
		return add_flow(v, "sync", "6");
	if (strcmp(word, "run") == 0) {
		add_run(v, rest);
		return true;
	}
	if (strcmp(word, "wait") == 0) {
		add_flow(v, "stop", "");
		v->run[v->runs - 1] = (struct hs_block){ .itype = 1, .arg = HS_STOP_WAIT,
			                                 .kind = HS_KIND_STOP };
		return true;
	}
	for (size_t i = 0; i < COUNT_OF(events); i++)
		if (strcmp(word, events[i].word) == 0) {
			if (v->runs == RUNS)
				bad("too many runs");
			v->run[v->runs++] = event_of(events[i].kind, rest);
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
	else if (strcmp(line, "packet") == 0 || strcmp(line, "framed") == 0 ||
	         strcmp(line, "message") == 0)
		add_packet(v, rest, *line == 'f');
	else if (strcmp(line, "clause") != 0 && strcmp(line, "why") != 0)
		bad(line);
}

/* A file of tests/vectors/PROTOCOL. */
static void read_file(const char *of, const char *name)
{
	static char line[2048];
	char path[256];

	snprintf(path, sizeof path, HARTSCOPE_SOURCE "/tests/vectors/%s/%s", of, name);
	FILE *f = fopen(path, "r");

	if (!f)
		bad(path);
	protocol = hs_protocol_find(of);
	*defaults = '\0';
	while (fgets(line, sizeof line, f))
		if (*line != '#' && *line != '\n')
			add_line(line);
	fclose(f);
}

/* ---- a case ------------------------------------------------------------------------- */

static void *configure(const struct vector *v)
{
	void *config = calloc(1, protocol->config_size);
	struct hs_error why = { 0 };
	char words[1024];

	hs_protocol_defaults(protocol, config);
	snprintf(words, sizeof words, "%s", v->settings);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
		char *equals = strchr(word, '=');

		*equals = '\0';
		if (hs_protocol_set(protocol, config, word, equals + 1, &why) != HS_OK)
			fail_msg("%s", why.text);
		if (strcmp(word, "dialect") == 0 && strcmp(equals + 1, "draft") == 0)
			hs_protocol_set(protocol, config, "type-prefix", "1", &why);
	}
	assert_int_equal(hs_protocol_check(protocol, config, NULL), HS_OK);
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

/* The same runs, a block for each instruction; the last one has the block's end.  @pairs: a jump
 * may stay with what gives its target (NT 9.1). */
static unsigned cut_runs(const struct vector *v, struct hs_block *out, bool pairs)
{
	unsigned n = 0;

	for (unsigned i = 0; i < v->runs; i++) {
		struct hs_block rest = v->run[i];

		while (rest.kind == HS_KIND_BLOCK && rest.iretire > rest.ilast &&
		       !(pairs && rest.sijump)) {
			const unsigned hwords = hwords_at(rest.iaddr);

			assert_true(n < CUTS);
			out[n++] = (struct hs_block){ .iaddr = rest.iaddr, .iretire = hwords,
			                              .ilast = (uint8_t)hwords,
			                              .priv = rest.priv };
			rest.iaddr += 2u * hwords;
			rest.iretire -= hwords;
		}
		assert_true(n < CUTS);
		out[n++] = rest;
	}
	return n;
}

/* The bytes of @runs are those of the case.  @set_options: changes an encoder's. */
static void check_encoder(const void *config, const struct vector *v, const struct hs_block *run,
                          unsigned runs,
                          void (*set_options)(struct hs_encoder *encoder, uint32_t options))
{
	static uint8_t want[BYTES], got[BYTES + 2 * HS_ET_ENCODE_ROOM];
	struct hs_encoder *encoder;
	size_t used, n = 0, end;

	assert_int_equal(hs_encoder_new(&encoder, protocol, config), HS_OK);
	for (unsigned i = 0; i < runs; i++, n += end) {
		end = 0;
		if (run[i].kind == OPTIONS)
			set_options(encoder, run[i].arg);
		else
			assert_int_equal(hs_encoder_put(encoder, &run[i], 1, &used, got + n,
			                                sizeof got - n, &end),
			                 HS_OK);
	}
	assert_int_equal(hs_encoder_end(encoder, got + n, sizeof got - n, &end), HS_OK);
	assert_int_equal(n + end, expected_bytes(v, want));
	assert_memory_equal(got, want, n + end);
	hs_encoder_free(encoder);
}

#endif
