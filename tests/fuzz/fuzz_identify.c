/* Any bytes are a capture, with a small program and without one: the search ends, explains no more
 * than there is, and finds the same again. */
#include <hartscope/capture.h>
#include <hartscope/program.h>

#include "fuzz.h"

#define MOST 48       /* bytes: longer ones only take longer */
#define MOST_DUMP 512 /* of a value change dump */

/* A program of RV64: addi, beq to itself, jal back, at 0x10000 (ELF64, one segment). */
static const uint8_t program[] = {
	0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	2, 0, 0xf3, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, /* EXEC, RISC-V, entry */
	64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 64, 0, 56, 0, 1, 0, 64, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 5, 0, 0, 0, 120, 0, 0, 0, 0, 0, 0, 0, /* LOAD, R X, at 120 */
	0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0,
	16, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0,
	4, 0, 0, 0, 0, 0, 0, 0,
	0x93, 0x02, 0x10, 0x00, 0x63, 0x00, 0x00, 0x00, /* addi t0, zero, 1; beq zero, zero, . */
	0x6f, 0xf0, 0x9f, 0xff, 0x67, 0x80, 0x00, 0x00, /* jal zero, .-8; ret */
};

struct found {
	enum hs_identify_verdict verdict;
	struct hs_identified first;
};

static struct found identify(const uint8_t *p, size_t n, bool with_program)
{
	const struct hs_code_file code = { .kind = HS_CODE_ELF, .path = "program",
		                           .bytes = { program, sizeof(program) } };
	const struct hs_identify_options o = { .size = sizeof(o), .bytes = { p, n },
		                               .code = &code, .code_count = with_program };
	struct found found = { .verdict = HS_IDENTIFY_NONE };
	struct hs_identity *id;
	struct hs_error e;
	const enum hs_status s = hs_identify(&o, &id, &e);

	fuzz_must(s == HS_OK || s == HS_E_FORMAT);
	if (s != HS_OK)
		return found;
	const struct hs_identified *f = hs_identity_get(id, 0);

	found.verdict = hs_identity_verdict(id, NULL);
	fuzz_must((found.verdict != HS_IDENTIFY_NONE) == (f != NULL));
	if (f) {
		fuzz_must(f->explained <= f->bytes);
		fuzz_must(memchr(f->settings, 0, sizeof(f->settings)) != NULL);
		found.first = *f;
	}
	hs_identity_free(id);
	return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	const size_t most = data[1] == '$' ? MOST_DUMP : MOST;
	const size_t n = size - 1 < most ? size - 1 : most;
	const bool with_program = data[0] & 1;
	const struct found a = identify(data + 1, n, with_program);

	fuzz_must(with_program || a.verdict <= HS_IDENTIFY_FORM);
	if ((data[0] & 7) == 2 || (data[0] & 7) == 3) {
		const struct found b = identify(data + 1, n, with_program);

		fuzz_must(a.verdict == b.verdict && a.first.explained == b.first.explained);
		fuzz_must(strcmp(a.first.settings, b.first.settings) == 0);
	}
	return 0;
}

/* NT 7.5: ProgTraceSync, SYNC 5, I-CNT 0, F-ADDR 0x8000; NT 7.3: DirectBranch, I-CNT 2 */
static const uint8_t nt[] = { 0x24, 0x15, 0x00, 0x00, 0x00, 0x80, 0x03, 0x0c, 0x0b };
/* EE: header, type 2, ET format 3 subformat 0, address 0x10000 / 2; a branch */
static const uint8_t et[] = { 0x05, 0x0e, 0x00, 0x00, 0x00, 0x02, 0x02, 0x16, 0x00 };

/* How the bytes of a seed come. */
struct out {
	uint8_t *p;
	size_t n, room;
};

static void put_byte(struct out *o, unsigned byte)
{
	if (o->n < o->room)
		o->p[o->n++] = (uint8_t)byte;
}

static void put_text(struct out *o, const char *text)
{
	for (; *text; text++)
		put_byte(o, (uint8_t)*text);
}

static void put_nibbles(struct out *o, unsigned byte)
{
	put_byte(o, byte & 15);
	put_byte(o, byte >> 4);
}

/* A start bit, 8 bits and a stop bit, 4 samples of each. */
static void put_uart(struct out *o, unsigned byte)
{
	for (unsigned i = 0; i < 40; i++)
		put_byte(o, (byte << 1 | 0x200) >> i / 4 & 1);
}

/* An edge of the clock with 4 pins. */
static void put_change(struct out *o, unsigned nibble)
{
	static const char *const digits[] = { "0", "1" };

	put_text(o, o->n & 1 ? "#5 1!b" : "#6 0! b");
	for (unsigned i = 4; i-- > 0;)
		put_text(o, digits[nibble >> i & 1]);
	put_text(o, " \"\n");
}

static void put_changes(struct out *o, unsigned byte)
{
	put_change(o, byte & 15);
	put_change(o, byte >> 4);
}

static void put_trace(struct out *o, bool etrace, void (*to)(struct out *o, unsigned byte))
{
	for (unsigned i = 0; i < 5 * sizeof(nt); i++)
		to(o, etrace ? et[i % sizeof(et)] : nt[i % sizeof(nt)]);
}

/* A seed of each protocol for each kind of transport, and one that begins inside a message. */
size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	struct out o = { data, 0, size };
	const bool etrace = i & 1;

	if (i > 23)
		return 0;
	put_byte(&o, i / 2 % 2); /* with the program or without */
	switch (i / 4) {
	case 0:
		put_trace(&o, etrace, put_byte);
		break;
	case 1:
		for (unsigned k = 0; k < 16; k++)
			put_byte(&o, etrace ? 0 : 15);
		put_trace(&o, etrace, put_nibbles);
		break;
	case 2:
		put_trace(&o, etrace, put_uart);
		break;
	case 3:
		put_text(&o, "$var wire 1 ! trc_clk $end $var wire 4 \" trc_data $end\n"
			     "$enddefinitions $end\n");
		put_trace(&o, etrace, put_changes);
		break;
	case 4: /* two frames of CoreSight: source 1 */
		put_text(&o, "\xff\xff\xff\x7f\x03\x24\x14");
		put_trace(&o, etrace, put_byte);
		break;
	default:
		put_trace(&o, etrace, put_byte);
		memmove(data + 1, data + 4, o.n - 4);
		o.n -= 3;
	}
	return o.n;
}
