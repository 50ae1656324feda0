/* Any bytes are what a debugger sends: they are answered in whole packets with their sums, and the
 * target goes on.  An input that begins with '$' is sent as it is; of others each line is a
 * packet. */
#include <hartscope/ntrace.h>
#include <hartscope/source.h>
#include <hartscope/views.h>

#include "fuzz.h"
#include "small_program.h"

#define ROUNDS 40u

static uint8_t trace[4096], elf[SMALL_ELF_MAX];
static size_t trace_size, elf_size;

/* The program's loop, some times. */
static void make_trace(void)
{
	static const struct hs_block loop[] = {
		{ .iaddr = SMALL_MAIN, .iretire = 5, .ilast = 2, .itype = HS_ITYPE_CALL_INF },
		{ .iaddr = SMALL_LEAF, .iretire = 2, .ilast = 1, .itype = HS_ITYPE_RETURN },
		{ .iaddr = SMALL_MAIN + 10, .iretire = 2, .ilast = 2, .itype = HS_ITYPE_TAKEN },
	};
	const struct hs_nt_config config = { .size = sizeof(config) };
	static struct hs_nt_encoder e;
	size_t used, n;

	fuzz_must(hs_nt_encoder_init(&e, &config) == HS_OK);
	for (unsigned i = 0; i < ROUNDS; i++) {
		fuzz_must(hs_nt_encode(&e, loop, 3, &used, trace + trace_size,
		                       sizeof(trace) - trace_size, &n) == HS_OK &&
		          used == 3);
		trace_size += n;
	}
	fuzz_must(hs_nt_encode_end(&e, trace + trace_size, sizeof(trace) - trace_size, &n) ==
	          HS_OK);
	trace_size += n;
	elf_size = small_elf(elf);
}

static struct hs_source *open_flow(void)
{
	const struct hs_code_file code = { .kind = HS_CODE_ELF,
		                           .path = "small",
		                           .bytes = { elf, elf_size } };
	const struct hs_source_options o = { .size = sizeof(o),
		                             .path = "trace",
		                             .trace = { trace, trace_size },
		                             .code = &code,
		                             .code_count = 1,
		                             .names = true };
	struct hs_source *s;

	fuzz_must(hs_source_open(&o, &s, NULL) == HS_OK);
	return s;
}

/* What was answered. */
struct answers {
	enum { OUTSIDE, INSIDE, SUM1, SUM2 } state;
	unsigned sum, given, count;
	uint8_t first;
};

static unsigned value_of(uint8_t digit)
{
	return digit <= '9' ? digit - (unsigned)'0' : digit - 'a' + 10u;
}

static bool take_answer(void *context, const void *bytes, size_t n)
{
	struct answers *a = context;
	const uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++) {
		if (a->state == OUTSIDE) {
			fuzz_must(p[i] == '+' || p[i] == '-' || p[i] == '$');
			a->state = p[i] == '$' ? INSIDE : OUTSIDE;
			a->sum = a->first = 0;
		} else if (a->state == INSIDE) {
			a->first = a->first ? a->first : p[i];
			fuzz_must(p[i] != '$');
			a->state = p[i] == '#' ? SUM1 : INSIDE;
			a->sum += p[i] == '#' ? 0 : p[i];
		} else if (a->state == SUM1) {
			a->given = 16 * value_of(p[i]);
			a->state = SUM2;
		} else {
			fuzz_must(a->given + value_of(p[i]) == (a->sum & 255));
			a->state = OUTSIDE;
			a->count++;
		}
	}
	return true;
}

static enum hs_status send(struct hs_gdb_server *g, const uint8_t *body, size_t n)
{
	unsigned sum = 0;
	char end[8];

	for (size_t i = 0; i < n; i++)
		sum += body[i];
	snprintf(end, sizeof(end), "#%02x", sum & 255);
	enum hs_status s = hs_gdb_server_take(g, (const uint8_t *)"$", 1);

	if (s == HS_OK)
		s = hs_gdb_server_take(g, body, n);
	return s == HS_OK ? hs_gdb_server_take(g, (const uint8_t *)end, 3) : s;
}

static enum hs_status send_lines(struct hs_gdb_server *g, const uint8_t *data, size_t size)
{
	enum hs_status s = HS_OK;

	while (size && s == HS_OK) {
		const uint8_t *end = memchr(data, '\n', size);
		const size_t n = end ? (size_t)(end - data) : size;

		s = send(g, data, n);
		data += n + (end != NULL);
		size -= n + (end != NULL);
	}
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answers answers = { .state = OUTSIDE };
	struct hs_gdb_server *g;

	if (!trace_size)
		make_trace();
	struct hs_source *source = open_flow();
	const struct hs_gdb_server_options o = { .size = sizeof(o),
		                                 .source = source,
		                                 .write = take_answer,
		                                 .context = &answers };

	fuzz_must(hs_gdb_server_new(&o, &g, NULL) == HS_OK);
	const enum hs_status s = size && *data == '$' ? hs_gdb_server_take(g, data, size)
	                                              : send_lines(g, data, size);

	fuzz_must(s == HS_OK || s == HS_END);
	fuzz_must(answers.state == OUTSIDE);
	if (s == HS_OK) { /* the end of a packet that was cut, then one that is whole */
		fuzz_must(hs_gdb_server_take(g, (const uint8_t *)"#00", 3) != HS_E_SYSTEM);
		const unsigned count = answers.count;
		const enum hs_status last = send(g, (const uint8_t *)"?", 1);

		fuzz_must(last == HS_END || (answers.count == count + 1 && answers.first == 'T'));
	}
	hs_gdb_server_free(g);
	hs_source_close(source);
	return 0;
}

static const char *const texts[] = {
	"qSupported:swbreak+\nQStartNoAckMode\nHg0\nqXfer:features:read:target.xml:0,ffb\n?\n"
	"qfThreadInfo\nqsThreadInfo\nqC\nqAttached\nqOffsets\ng\np20\nm10000,14",
	"Z0,10010,2\nvCont?\nvCont;c:1\nbc\nbs\nc\nz0,10010,2\nvCont;c\nbs\nbc",
	"vCont;r10000,10010:1\ns\nbs\nHc-1\nT1\nqThreadExtraInfo,1",
	"qRcmd,676f746f20656e64\nqRcmd,737461636b\nqRcmd,626f6f6b6d61726b2061\n"
	"qRcmd,676f746f2061\nqRcmd,706f736974696f6e\nqRcmd,626f6f6b6d61726b73",
	"$QStartNoAckMode#b0+$g#67\x03$m10000,4#8e$k#6b",
	"$vCont;s:1#b9$bs#d5$}\x03#7d",
};

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	if (i >= sizeof(texts) / sizeof(*texts) || strlen(texts[i]) > size)
		return 0;
	memcpy(data, texts[i], strlen(texts[i]));
	return strlen(texts[i]);
}

size_t fuzz_word(unsigned i, uint8_t *data)
{
	static const char *const words[] = { "vCont;",      "qXfer:features:read:target.xml:",
		                             "Z0,10010,2",  "z0,", "qRcmd,", "bc", "bs", "Hg", "Hc",
		                             "676f746f20",  "m10000,", "qThreadExtraInfo,",
		                             ":1", "ffffffffffffffff", "QStartNoAckMode" };

	if (i >= sizeof(words) / sizeof(*words))
		return FUZZ_NO_WORDS;
	memcpy(data, words[i], strlen(words[i]));
	return strlen(words[i]);
}
