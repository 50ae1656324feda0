/* Any text is a dump of registers, and any sequence of accesses a driver: the parser ends, keeps
 * its fields within their bits, reads back what it prints; the model never stores outside its
 * memory. Input: flags, number of accesses, accesses (component, offset, value: 7 bytes), text. */
#include <hartscope/control.h>

#include "device/device.h"
#include "ingress/ingress.h"
#include "fuzz.h"

#define ACCESS 7

static bool store(void *user, uint64_t address, uint32_t word)
{
	(void)user;
	return address % 64 != 0 || word != 0;
}

static void drive(unsigned flags, const uint8_t *p, size_t n)
{
	static const struct hs_tc_ops ops = { store };
	static uint8_t sram[4096];
	static const struct hs_block block = {
		.iaddr = 0x1000, .iretire = 3, .ilast = 2, .itype = 6
	};
	const struct hs_tc_memory memory = { sram, sizeof(sram), &ops, NULL };
	static struct hs_tc_device d;
	size_t used;

	fuzz_must(hs_tc_device_init(&d, hs_tc_profile_at(flags % 4), &memory, flags & 8) == HS_OK);
	for (; n >= ACCESS; p += ACCESS, n -= ACCESS) {
		const uint32_t value = p[3] | p[4] << 8 | p[5] << 16 | (uint32_t)p[6] << 24;
		const uint32_t offset = p[1] | (p[2] & 0xfu) << 8;

		if (p[0] & 0x40)
			hs_tc_device_resume(&d);
		hs_tc_device_write(&d, p[0] & 7, offset, value);
		hs_tc_device_read(&d, p[0] & 7, offset);
		if (p[0] & 0x80)
			hs_tc_device_halt(&d);
		fuzz_must(hs_tc_device_run(&d, &block, 1, &used) != HS_E_CONFIG && used <= 1);
	}
}

/* What is printed says the same when it is read; zeros, the same each time, are left out. */
static void print_and_read(const struct hs_tc_regs *r)
{
	static struct hs_tc_dump again;
	char line[HS_TC_LINE_MAX];
	struct hs_tc_place p;

	memset(&again, 0, sizeof(again));
	for (unsigned w = 0; hs_tc_next(w, &p); w = p.word + 1u) {
		again.component = p.component;
		if (r->word[p.word] == 0)
			continue;
		const size_t n = hs_tc_print(r, &p, line, sizeof(line));

		fuzz_must(n > 0 && n < sizeof(line));
		struct hs_span in = { (const uint8_t *)line, n };

		fuzz_must(hs_tc_dump_line(&again, &in) == HS_OK && in.n == 0);
	}
	fuzz_must(memcmp(again.regs.word, r->word, sizeof(r->word)) == 0);
}

/* Filters that can be read can be used, and written again. */
static void filter(const struct hs_tc_regs *r)
{
	static const struct hs_block block = {
		.iaddr = 0x1000, .iretire = 3, .ilast = 2, .itype = 6
	};
	struct hs_qualifier_config c = { .size = sizeof(c) };
	static struct hs_tc_regs again;
	static struct hs_qualifier q;
	struct hs_block out[HS_QUALIFIER_ROOM];
	size_t used, n;

	if (hs_tc_filters(r, &c) != HS_OK)
		return;
	fuzz_must(hs_qualifier_init(&q, &c, NULL) == HS_OK);
	fuzz_must(hs_qualify(&q, &block, 1, &used, out, HS_QUALIFIER_ROOM, &n) == HS_OK);
	memset(&again, 0, sizeof(again));
	fuzz_must(hs_tc_set_filters(&again, &c) == HS_OK);
}

#define PARTS (1u << HS_TC_ENCODER | 1u << HS_TC_FUNNEL | 1u << HS_TC_PIB | 1u << HS_TC_ATB)

/* Powered up; from the second time for @flags on without the work. */
static void power_up(struct hs_tc *tc, uint8_t flags)
{
	const struct hs_tc_memory memory = { NULL, 0, NULL, NULL };
	struct hs_tc_profile profile = *hs_tc_profile_at(flags & 1);
	static struct hs_tc ready[256];

	profile.components = PARTS;
	if (!ready[flags].profile.components)
		fuzz_must(hs_tc_init(&ready[flags], &profile, &memory, flags) == HS_OK);
	*tc = ready[flags];
}

/* The writes of any registers end, and leave the device enabled. */
static void set_up(const struct hs_tc_regs *r, uint8_t flags)
{
	static struct hs_tc_setup s;
	static struct hs_tc tc;
	struct hs_tc_step w;
	unsigned steps = 0;

	power_up(&tc, flags);
	fuzz_must(hs_tc_setup_init(&s, r, PARTS, flags & 2) == HS_OK);
	for (; hs_tc_setup_next(&s, &w); steps++) {
		unsigned reads = 0;

		fuzz_must(steps < HS_TC_WORDS + 30);
		hs_tc_write(&tc, w.place.component, w.place.offset, w.value);
		while (((hs_tc_read(&tc, w.place.component, w.place.offset) ^ w.value) & w.wait) &&
		       reads < 4)
			reads++;
		fuzz_must(reads < 4);
	}
	fuzz_must(hs_tc_read(&tc, HS_TC_ENCODER, 0) & 2);
}

static void parse(const uint8_t *p, size_t n)
{
	static struct hs_tc_dump d;
	struct hs_nt_config c = { .size = sizeof(c) };

	memset(&d, 0, sizeof(d));
	for (struct hs_span in = { p, n }; in.n;) {
		const uint8_t *end = memchr(in.p, '\n', in.n), *next = end ? end + 1 : p + n;
		const struct hs_tc_regs before = d.regs;

		if (hs_tc_dump_line(&d, &in) != HS_OK)
			fuzz_must(memcmp(&before, &d.regs, sizeof(before)) == 0);
		fuzz_must(d.component < HS_TC_COMPONENTS);
		fuzz_must(in.p == next && in.p + in.n == p + n);
	}
	for (unsigned f = 0; f < HS_TCF_COUNT; f++)
		fuzz_must(hs_tc_get(&d.regs, HS_TC_ENCODER, f) <=
		          UINT32_MAX >> (31 - hs_tc_field_at(f)->msb + hs_tc_field_at(f)->lsb));
	if (hs_tc_nt_config(&d.regs, &c) == HS_OK)
		fuzz_must(hs_nt_config_check(&c) == HS_OK);
	filter(&d.regs);
	set_up(&d.regs, n ? p[0] : 0);
	print_and_read(&d.regs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	const size_t accesses =
		(size_t)data[1] * ACCESS < size - 2 ? (size_t)data[1] * ACCESS : size - 2;

	drive(data[0], data + 2, accesses);
	parse(data + 2 + accesses, size - 2 - accesses);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static const uint8_t accesses[][ACCESS] = {
		{ 2, 0, 0, 1, 0, 0, 0 },       { 2, 0, 0, 1, 0, 0, 0 },
		{ 2, 0x18, 0, 0xfc, 0, 0, 0 }, { 2, 0x20, 0, 0, 0, 0, 0 },
		{ 2, 0, 0, 3, 0, 0, 0 },       { 1, 0, 0, 1, 0, 0, 0 },
		{ 1, 0, 0, 3, 0, 0, 0 },       { 0, 0, 0, 1, 0, 0, 0 },
		{ 0, 8, 0, 0xcc, 1, 5, 0x40 }, { 0, 0, 0, 0x63, 2, 1, 0 },
		{ 0x40, 0, 0, 0x67, 2, 1, 0 }, { 0, 0, 0, 0x67, 2, 1, 0 },
		{ 0x80, 0, 0, 0x65, 2, 1, 0 }, { 2, 0x40, 0, 0, 0, 0, 0 },
	};
	static const char text[] =
		"# dump\n[ram 0x10003000]\n0x10003020: 0x101\n[encoder]\ntrTeControl = 0x01000063\n"
		"trTeSrcBits: 4\ntrTeFilter12Control=0x3\n8 = 1073807360\n[funnel]\ntrTsControl = 0x23\n";

	if (i > 2 || size < 2 + sizeof(accesses) + sizeof(text))
		return 0;
	data[0] = (uint8_t)i;
	data[1] = sizeof(accesses) / ACCESS;
	memcpy(data + 2, accesses, sizeof(accesses));
	memcpy(data + 2 + sizeof(accesses), text, sizeof(text) - 1);
	return 2 + sizeof(accesses) + sizeof(text) - 1;
}
