/* Any text is a set-up of filters, or none; what was set lets blocks through without losing room.
 * Input: flags, text. */
#include <hartscope/ingress.h>
#include <hartscope/port.h>

#include "ingress/ingress.h"
#include "fuzz.h"

/* 100 c.add, 102 beq 200, 106 c.add, 108 add */
static const uint8_t code[] = { 0x2e, 0x95, 0x63, 0x0f, 0xb5, 0x0e,
	                        0x2e, 0x95, 0x33, 0x05, 0xb5, 0x00 };

#define B(a, n, last, type) { { (a) }, { (n) }, (last), (type), HS_PRIV_U, 0, 0, HS_KIND_BLOCK }
#define E(kind, v, a) { { (v) }, { (a) }, 0, 0, HS_PRIV_UNKNOWN, 0, 0, (kind) }
static const struct hs_block blocks[] = {
	B(0x100, 3, 2, 4),
	B(0x106, 3, 2, 1),
	E(HS_KIND_TRAP, 5, 2),
	E(HS_KIND_CONTEXT, 7, 2),
	B(0x200, 1, 1, 2),
	E(HS_KIND_TRAP, 0, 7),
	E(HS_KIND_NOTE, 4, HS_NOTE_TRIGGER),
	B(0x106, 3, 2, 3),
	E(HS_KIND_NOTE, 1, HS_NOTE_USER),
	E(HS_KIND_NOTE, 3, HS_NOTE_TRIGGER),
	B(0x100, 3, 2, 5),
	E(HS_KIND_NOTE, 2, HS_NOTE_TRIGGER),
	B(0x106, 3, 2, 0),
};

static void filter(const struct hs_qualifier_config *c)
{
	const struct hs_section section = { 0x100, sizeof(code), code };
	const struct hs_image image = { .sections = &section, .count = 1, .isa = { .xlen = 64 } };
	const size_t all = sizeof(blocks) / sizeof(*blocks);
	struct hs_block out[HS_QUALIFIER_ROOM];
	struct hs_qualifier q;
	size_t at = 0, used, n;

	fuzz_must(hs_qualifier_init(&q, c, &image) == HS_OK);
	for (unsigned calls = 0; at < all; calls++, at += used) {
		const enum hs_status s =
			hs_qualify(&q, blocks + at, all - at, &used, out, HS_QUALIFIER_ROOM, &n);

		fuzz_must((s == HS_OK || s == HS_FULL) && n <= HS_QUALIFIER_ROOM &&
		          used <= all - at && calls < 64);
		fuzz_must(s == HS_FULL || at + used == all);
		for (size_t i = 0; i < n; i++)
			fuzz_must(out[i].kind != HS_KIND_BLOCK || (out[i].iretire && out[i].ilast &&
			                                           out[i].ilast <= out[i].iretire));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct hs_filter_support support = { sizeof(support), 4, 8, 1, 0, 1, 1, 3, 4, 70,
		                                   1 };
	struct hs_qualifier_config c = { .size = sizeof(c) };
	enum hs_status s;
	unsigned line;

	if (size < 1)
		return 0;
	if (data[0] & 1) {
		char text[256];
		const size_t n = size - 1 < sizeof(text) - 1 ? size - 1 : sizeof(text) - 1;

		memcpy(text, data + 1, n);
		text[n] = 0;
		s = hs_qualifier_parse(&c, text);
		fuzz_must(s == HS_OK || s == HS_E_FORMAT || s == HS_E_SPACE);
	} else {
		struct hs_span in = { data + 1, size - 1 };

		s = hs_qualifier_read(&c, &in, &line);
		fuzz_must(in.p + in.n == data + size && (s != HS_OK || in.n == 0));
		fuzz_must((s == HS_OK || s == HS_E_FORMAT || s == HS_E_ARG) && line <= size);
	}
	s = hs_qualifier_supported(&c, &support);
	fuzz_must(s == HS_OK || s == HS_E_UNSUPPORTED);
	filter(&c); /* also what was set before the line at fault */
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static const char *const texts[] = {
		"comparator.0.input = iaddr\ncomparator.0.function = gte\ncomparator.0.value = 0x102\ncomparator.0.second.function = lt\n"
		"comparator.0.second.value = 0x108\ncomparator.0.mode = both\nfilter.0.comparators = 0,1\nfilter.0.enable = 1\n",
		"iaddr=0x100-0x106+priv=U,VS+ecause=2,5+interrupt+user=5/0xff",
		"; none\n[filters]\ntrace = off\nfilter_ecause = 2\nfilter.1.user = 1 # one\nfilter.1.user_mask = 0xf\nfilter.1.enable = 1\n"
		"comparator.7.mode = latch\ncomparator.7.notify = 1\ncomparator.7.value = 0x108\nfilter.2.interrupt = 1\nfilter.2.enable = 1\n",
		"latch=0x100-0x200+tval>=5+context!=1",
	};

	if (i > 3 || size < 1 + strlen(texts[i]))
		return 0;
	data[0] = (uint8_t)(i & 1);
	memcpy(data + 1, texts[i], strlen(texts[i]));
	return 1 + strlen(texts[i]);
}
