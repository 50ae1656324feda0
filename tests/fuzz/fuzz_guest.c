/* Any bytes are a file of a guest: they are read or refused with a message, compared with code that
 * ran, and asked about; what is answered keeps its rules. */
#include <hartscope/program.h>

#include "guest_elf.h"
#include "guest_ko.h"

#include "fuzz.h"
#include "guest/guest.h"

#define CODE 256u
#define KINDS 4u
#define PAGE 4096u

static uint8_t code[CODE];

static const char places[] = "/sys/module/input/sections/.text:0xffffffff80000000\n";

static void observe(struct hs_guest *g)
{
	const struct hs_section sections[] = { { 0x10400, CODE, code },
		                               { 0xffffffff80000000, CODE, code } };
	const struct hs_image image = { .isa.xlen = 64, .sections = sections, .count = 2 };
	const struct hs_guest_code where = { .image = &image };

	for (unsigned at = 0; at < CODE; at += 16) {
		const struct hs_block items[] = {
			{ .kind = HS_KIND_CONTEXT, .value = 0x81234 + at / 128 },
			{ .iaddr = 0x10400 + at, .iretire = 8, .ilast = 1,
			  .itype = HS_ITYPE_CALL_INF, .priv = HS_PRIV_U },
			{ .iaddr = 0xffffffff80000000 + at, .iretire = 8, .ilast = 1,
			  .itype = HS_ITYPE_CALL_INF, .priv = HS_PRIV_S },
		};

		fuzz_must(hs_guest_observe(g, &where, items, 3) == HS_OK);
	}
}

static void ask(struct hs_guest *g)
{
	static const uint64_t addresses[] = { 0, 0x10400, 0x10410, 0x104ff, 0x400, UINT64_MAX,
		                              0xffffffff80000000, 0xffffffff80000017 };
	static const uint8_t privs[] = { HS_PRIV_U, HS_PRIV_S, HS_PRIV_M, HS_PRIV_UNKNOWN };

	for (unsigned i = 0; i < 32; i++) {
		const uint64_t addr = addresses[i / 4];
		const struct hs_guest_at at = { .context = 0x81234 + i / 8 % 2, .has_context = true,
			                        .priv = privs[i % 4], .moment = i,
			                        .has_moment = i % 3 == 0 };
		struct hs_guest_place p;
		struct hs_guest_line line;
		const struct hs_guest_task *task = hs_guest_find_task(g, &at);

		fuzz_must(!task || task->context == at.context);
		fuzz_must(hs_guest_find_place(g, &at, addr, &p) == (p.label != NULL));
		fuzz_must(!p.label || (p.offset < p.size && addr - p.start == p.offset));
		fuzz_must(!p.function || p.function == p.label);
		fuzz_must(hs_guest_find_line(g, &at, addr, &line) == (line.file != NULL));
	}
	for (size_t i = 0; hs_guest_note(g, i); i++)
		fuzz_must(*hs_guest_note(g, i) != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hs_guest_file file = { .path = "input" };
	struct hs_error error = { 0 };
	struct hs_guest *g;

	if (size < 2)
		return 0;
	guest_elf_code(code, CODE, 1);
	file.kind = (enum hs_guest_kind)(data[0] % KINDS);
	file.bytes = (struct hs_span){ data + 1, size - 1 };
	fuzz_must(hs_guest_new(&g) == HS_OK);
	if (hs_guest_add(g, &file, &error) != HS_OK)
		fuzz_must(*error.text != '\0');
	if (file.kind == HS_GUEST_CODE) { /* where a module of this name has its code */
		file.kind = HS_GUEST_MODULES;
		file.bytes = (struct hs_span){ (const uint8_t *)places, sizeof(places) - 1 };
		fuzz_must(hs_guest_add(g, &file, &error) == HS_OK);
	}
	observe(g);
	fuzz_must(hs_guest_settle(g, &error) == HS_OK);
	ask(g);
	hs_guest_free(g);
	return 0;
}

static const char *const texts[] = {
	"\0ffffffff80000000 T _start\nffffffff80000040 t other\t[module]\nffffffff80000080 D end\n",
	"\1virtio_blk 36864 0 - Live 0xffffffff80000000\next4 1 1 jbd2, Live 0x10 (OE)\n",
	"\1sys/module/input/sections/.text:0xffffffff80000000\na 4096 0 - Live 0x10\n",
	"\2sh 7 [000] 1.5: PERF_RECORD_COMM exec: sh:7/7\n"
	"sh 7 [000] 1.5: PERF_RECORD_MMAP2 7/7: [0x10000(0x1000) @ 0 fe:00 2 0]: r-xp /bin/a\n"
	"sh 7 [000] 1.5: PERF_RECORD_FORK(8:8):(7:7)\nsh 8 [000] 1.6: PERF_RECORD_EXIT(8:8):(7:7)\n",
	"\2{\"format\":\"hartscope-processes\",\"version\":1}\n"
	"{\"context\":\"0x81234\",\"pid\":12,\"name\":\"sh\",\"moment\":3,\"maps\":["
	"{\"address\":65536,\"size\":4096,\"offset\":0,\"file\":\"/bin/a\"}]}\n"
	"{\"pid\":12,\"exit\":true}\n",
};

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	const size_t count = sizeof(texts) / sizeof(*texts);

	if (i < count) {
		const size_t n = 1 + strlen(texts[i] + 1);

		memcpy(data, texts[i], n);
		return n;
	}
	if (i > count + 2 || size < 1 + PAGE + GUEST_ELF_MAX)
		return 0;
	guest_elf_code(code, CODE, 1);
	data[0] = 3;
	const struct guest_elf elf = { ET_DYN, 0x400, code, CODE };

	if (i == count)
		return 1 + guest_elf_make(&elf, data + 1);
	if (i == count + 2)
		return 1 + guest_ko_make(&(struct guest_ko){ .code = code, .size = CODE, .type = 19,
		                                             .at = 0x20, .patched = 0x40 },
		                         data + 1);
	memset(data + 1, 0, PAGE); /* a kernel with its vdso */
	memcpy(data + 1 + 0x38, "RSC\x05", 4);
	return 1 + PAGE + guest_elf_make(&elf, data + 1 + PAGE);
}
