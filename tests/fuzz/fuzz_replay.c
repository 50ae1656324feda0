/* Any blocks and events go through CTR's replay, and any samples of it into every format; any text
 * is a dump of CTR.  What the harts hold stays what the model could have made, and JSON stays
 * whole. Input: format, settings (5), length of the dump (2), the dump, then blocks of 16 bytes. */
#include "ctr_host/ctr_host.h"
#include "fuzz.h"
#include "program/program.h"

#define HEAD 8
#define CODE 0x1000
#define WORDS 24 /* of the code, again and again */

static const char *const formats[] = { "brstack",   "perf-data", "bolt", "profgen",
	                               "callchain", "folded",    "json" };

struct written {
	uint64_t bytes;
	int depth; /* of brackets, where the format is JSON: no string has any here */
};

static bool count(void *context, const void *bytes, size_t n)
{
	struct written *w = context;
	const char *p = bytes;

	w->bytes += n;
	for (size_t i = 0; i < n; i++)
		w->depth += (p[i] == '{' || p[i] == '[') - (p[i] == '}' || p[i] == ']');
	return w->bytes < 64u << 20;
}

/* Code that branches, calls, returns, traps and swaps, wherever it is entered. */
static struct hs_program *new_program(void)
{
	static const uint16_t words[] = { 0x0001, 0x9002, 0x0073, 0x0000, 0x0073, 0x3020,
		                          0x0463, 0x0000, 0xf06f, 0xff1f, 0x9502, 0x8082,
		                          0x82e7, 0x0000, 0x00ef, 0x0040, 0x1073, 0x14e5,
		                          0xd073, 0x14e1, 0x0073, 0x1040, 0x1073, 0x1505 };
	static uint8_t code[512];
	static const struct hs_section section = { CODE, sizeof(code), code };
	static const struct hs_image image = { &section, 1, { .xlen = 64 }, 0 };
	struct hs_program *p;

	for (unsigned i = 0; i < sizeof(code) / 2; i++) {
		code[2 * i] = (uint8_t)words[i % WORDS];
		code[2 * i + 1] = (uint8_t)(words[i % WORDS] >> 8);
	}
	fuzz_must(hs_program_new(&p) == HS_OK);
	fuzz_must(hs_program_add_image(p, &image, NULL) == HS_OK);
	return p;
}

static void settings_of(struct hs_ctr_settings *s, const uint8_t *d, bool ras)
{
	*s = (struct hs_ctr_settings){ .size = sizeof(*s) };
	s->version = d[1] & 1 ? HS_CTR_1_0 : HS_CTR_0_1_4;
	s->depth = (uint16_t)(16u << (d[1] >> 1 & 7) % 5);
	s->cycles = d[1] >> 4 & 3;
	s->misp = d[5] >> 2 & 3;
	s->contexts = d[7] % 3;
	s->cc_bits = 13 + (d[1] >> 6);
	s->disabled = (~d[2] & 3) | (~d[2] & 4) << 1 | (~d[5] & 3) << 4;
	s->control = (d[2] & 0xf8) | (uint64_t)d[3] << 32 | (uint64_t)d[4] << 40;
	s->vs_control = (d[5] & 0xf8) | (uint64_t)d[3] << 32 | (uint64_t)d[4] << 40;
	if (ras)
		s->control |= 0x80;
}

static void sample(struct hs_ctr_export *x, const struct hs_ctr_replay_hart *h)
{
	struct hs_ctr within;
	const struct hs_ctr_sample s = { .ctr = hs_ctr_replay_within(h, h->retired % 8, &within),
		                         .program = h->program,
		                         .hart = h->hart,
		                         .context = h->context,
		                         .has_context = h->has_context,
		                         .priv = h->block.priv,
		                         .instructions = h->retired,
		                         .pc = h->block.iaddr };
	const enum hs_status status = hs_ctr_export_sample(x, &s);

	fuzz_must(status == HS_OK || status == HS_E_SYSTEM);
	fuzz_must(hs_ctr_check(s.ctr) == HS_OK);
}

static void replay(const struct hs_ctr_settings *s, struct hs_program *p, const char *format,
                   const uint8_t *d, size_t n)
{
	struct written w = { 0 };
	const struct hs_ctr_export_options o = { .size = sizeof(o), .format = format };
	struct hs_ctr_export_report report;
	struct hs_ctr_export *x = NULL;
	struct hs_ctr_replay *r;
	struct hs_ctr start;

	if (hs_ctr_settings_make(s, 64, &start, NULL) != HS_OK ||
	    hs_ctr_replay_new(s, p, NULL, &r, NULL) != HS_OK)
		return;
	if (hs_ctr_export_new(p, &start, count, &w, &o, &x, NULL) != HS_OK)
		x = NULL;
	for (; n >= sizeof(struct hs_block);
	     d += sizeof(struct hs_block), n -= sizeof(struct hs_block)) {
		struct hs_block b;

		memcpy(&b, d, sizeof(b));
		fuzz_must(hs_ctr_replay_add(r, &b) == HS_OK);
		fuzz_must(hs_ctr_check(&hs_ctr_replay_now(r)->ctr) == HS_OK);
		if (x)
			sample(x, hs_ctr_replay_now(r));
	}
	hs_ctr_replay_end(r);
	if (x && hs_ctr_export_end(x, &report) == HS_OK && strcmp(format, "json") == 0)
		fuzz_must(w.depth == 0);
	hs_ctr_export_free(x);
	hs_ctr_replay_free(r);
}

static void say(void *context, const struct hs_ctr_remark *remark)
{
	fuzz_must(remark->kind <= HS_CTR_REMARK_MISUSE && *remark->subject && *remark->text);
	++*(unsigned *)context;
}

static void explain(const char *text, size_t n, unsigned flags)
{
	unsigned said = 0;
	const struct hs_ctr_explain_options o = { .size = sizeof(o),
		                                  .version = (uint16_t)(flags % 3),
		                                  .xlen = (uint16_t)(flags / 3 % 3 * 32) };
	enum hs_ctr_version version = HS_CTR_ANY;
	struct hs_span span = { (const uint8_t *)text, n };

	if (hs_ctr_explain(&span, &o, say, &said, &version, NULL) == HS_OK)
		fuzz_must(said > 0 && (version == HS_CTR_0_1_4 || version == HS_CTR_1_0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hs_ctr_settings s;

	if (size < HEAD)
		return 0;
	const char *format = formats[data[0] % 7];
	size_t dump = data[6] | (size_t)data[7] << 8;
	struct hs_program *p = new_program();

	dump = dump < size - HEAD ? dump : size - HEAD;
	explain((const char *)data + HEAD, dump, data[0]);
	settings_of(&s, data, hs_ctr_export_needs_ras(format));
	replay(&s, p, format, data + HEAD + dump, size - HEAD - dump);
	hs_program_free(p);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static const char text[] =
		"mctrctl = 0x207 sctrdepth = 1\nsctrstatus: 0x80000003\nctrsource[0]=0x1001, "
		"ctrtarget[0]=0x1008 ctrdata[0]=0x10008009 # c\nversion 1.0 xlen = 64\n";
	static const struct hs_block flow[] = {
		{ .iaddr = 0x100c, .iretire = 2, .ilast = 2, .itype = 5 },
		{ .iaddr = 0x1014, .iretire = 1, .ilast = 1, .itype = 8 },
		{ .iaddr = 0x1000, .iretire = 1, .ilast = 1, .itype = 1 },
		{ .value = 0, .arg = 3, .kind = HS_KIND_TRAP },
		{ .iaddr = 0x1008, .iretire = 2, .ilast = 2, .itype = 3, .priv = 3 },
		{ .value = 100, .kind = HS_KIND_TIME },
		{ .iaddr = 0x1016, .iretire = 1, .ilast = 1, .itype = 13 },
		{ .value = 70000, .kind = HS_KIND_TIME },
		{ .iaddr = 0x101c, .iretire = 2, .ilast = 2, .itype = 9 },
		{ .arg = 1, .kind = HS_KIND_HART },
		{ .iaddr = 0x1018, .iretire = 2, .ilast = 2, .itype = 12, .priv = 5 },
		{ .kind = HS_KIND_GAP },
		{ .iaddr = 0x1020, .iretire = 1, .ilast = 1, .priv = 1 },
	};
	const uint8_t head[HEAD] = {
		(uint8_t)i, (uint8_t)(i * 37), 7, 0, 0, 3, sizeof(text) - 1, 0
	};

	if (i >= 21 || size < HEAD + sizeof(text) + sizeof(flow))
		return 0;
	memcpy(data, head, HEAD);
	memcpy(data + HEAD, text, sizeof(text) - 1);
	memcpy(data + HEAD + sizeof(text) - 1, flow, sizeof(flow));
	return HEAD + sizeof(text) - 1 + sizeof(flow);
}
