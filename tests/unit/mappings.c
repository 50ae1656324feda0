/* Programs: files that are mapped: to which addresses (System V ABI, chapter 5; proc(5)), and what
 * is said of one whose bytes are not those that ran. */
#include "cases.h"

#include <elf.h>
#include <unistd.h>

#include <hartscope/program.h>

#include "little.h"
#include "program/program.h"

static void write_file(char path[64], const void *bytes, size_t n)
{
	strcpy(path, "/tmp/hartscope-unit-XXXXXX");
	const int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

/* ---- where a file is ----------------------------------------------------------------------- */

/* Files laid out as linkers do it, and mappings of them as Linux and QEMU make them: what a page of
 * a file has is at (p_vaddr + bias) - p_offset of the segment that was mapped. */
#define R_ PF_R
#define RX (PF_R | PF_X)
#define RW (PF_R | PF_W)

static const struct mapping_row {
	const char *name;
	unsigned type;
	struct {
		uint64_t vaddr, offset, filesz;
		uint32_t flags;
	} segments[4];
	uint64_t start, offset, length;
	enum hs_status status;
	uint64_t bias;
} mapping_rows[] = {
	{ "lld, PIE: the code's first page is also the end of what is read only", ET_DYN,
	  { { 0, 0, 0x5a4, R_ }, { 0x15a4, 0x5a4, 0x180, RX }, { 0x2728, 0x728, 0x1d8, RW } },
	  0x4000001000, 0, 0x1000, HS_OK, 0x4000000000 },
	{ "lld, PIE: more pages of each", ET_DYN,
	  { { 0, 0, 0x2a50, R_ }, { 0x3a50, 0x2a50, 0x5000, RX }, { 0x9a50, 0x7a50, 0x300, RW } },
	  0x4000003000, 0x2000, 0x6000, HS_OK, 0x4000000000 },
	{ "lld, PIE: its length is not known", ET_DYN,
	  { { 0, 0, 0x2a50, R_ }, { 0x3a50, 0x2a50, 0x5000, RX }, { 0x9a50, 0x7a50, 0x300, RW } },
	  0x4000003000, 0x2000, 0, HS_OK, 0x4000000000 },
	{ "lld, PIE: a flow has its first segment", ET_DYN,
	  { { 0, 0, 0x2a50, R_ }, { 0x3a50, 0x2a50, 0x5000, RX } },
	  0x70000, 0, 0x2a50, HS_OK, 0x70000 },
	{ "lld, -no-pie", ET_EXEC,
	  { { 0x10000, 0, 0x2a50, R_ }, { 0x13a50, 0x2a50, 0x500, RX } },
	  0x13000, 0x2000, 0x1000, HS_OK, 0 },
	{ "lld, -no-pie: code runs in what is read only", ET_EXEC,
	  { { 0x10000, 0, 0x2a50, R_ }, { 0x13a50, 0x2a50, 0x500, RX } },
	  0x10000, 0, 0x3000, HS_OK, 0 },
	{ "ld.bfd, PIE: one mapping of two segments", ET_DYN,
	  { { 0, 0, 0x5a4, R_ }, { 0x1000, 0x1000, 0x180, RX }, { 0x3de8, 0x2de8, 0x200, RW } },
	  0x4000000000, 0, 0x2000, HS_OK, 0x4000000000 },
	{ "ld.bfd, -z noseparate-code: code is in the first", ET_DYN,
	  { { 0, 0, 0x6d4, RX }, { 0x1de8, 0xde8, 0x220, RW } },
	  0x4000000000, 0, 0x1000, HS_OK, 0x4000000000 },
	{ "two segments of code in one page, the second one is mapped", ET_DYN,
	  { { 0, 0, 0x1800, RX }, { 0x12800, 0x1800, 0x2000, RX } },
	  0x512000, 0x1000, 0x3000, HS_OK, 0x500000 },
	{ "two segments of code in one page, the first one is mapped", ET_DYN,
	  { { 0, 0, 0x1800, RX }, { 0x12800, 0x1800, 0x2000, RX } },
	  0x500000, 0, 0x2000, HS_OK, 0x500000 },
	{ "code that was protected by parts: the end of it", ET_DYN,
	  { { 0, 0, 0x2a50, R_ }, { 0x3a50, 0x2a50, 0x5000, RX } },
	  0x4000006000, 0x5000, 0x3000, HS_OK, 0x4000000000 },
	{ "nothing of it", ET_DYN, { { 0, 0, 0x5a4, R_ }, { 0x15a4, 0x5a4, 0x180, RX } },
	  0x4000001000, 0x1000, 0x1000, HS_E_FORMAT, 0 },
	{ "a length past all addresses", ET_DYN, { { 0, 0, 0x5a4, R_ } },
	  0x4000001000, 0x1000, UINT64_MAX, HS_E_FORMAT, 0 },
	{ "a segment past all offsets", ET_DYN, { { 0, UINT64_MAX - 8, 64, RX } },
	  0x4000001000, UINT64_MAX - 0xfff, 0, HS_E_FORMAT, 0 },
};

/* A file of headers only: where its segments would be is what counts. */
static size_t make_layout(const struct mapping_row *r, Elf64_Ehdr *e)
{
	Elf64_Phdr *segments = (void *)(e + 1);
	unsigned n = 0;

	for (; n < 4 && r->segments[n].flags; n++)
		segments[n] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = r->segments[n].flags,
			                    .p_vaddr = r->segments[n].vaddr,
			                    .p_offset = r->segments[n].offset,
			                    .p_filesz = r->segments[n].filesz };
	*e = (Elf64_Ehdr){ .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
		           .e_type = (Elf64_Half)r->type, .e_machine = EM_RISCV, .e_version = 1,
		           .e_phoff = sizeof(*e), .e_ehsize = sizeof(*e),
		           .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = (Elf64_Half)n };
	little_elf((void *)e);
	return sizeof(*e) + n * sizeof(*segments);
}

TEST_ROWS(mappings, mapping_rows, r)
{
	_Alignas(8) uint8_t file[sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Phdr)];
	struct hs_program_segment segment;
	struct hs_program *p;
	char path[64];

	write_file(path, file, make_layout(r, (void *)file));
	const struct hs_program_mapping m = { .size = sizeof(m), .path = path, .start = r->start,
		                              .offset = r->offset, .length = r->length };

	assert_int_equal(hs_program_new(&p), HS_OK);
	assert_int_equal(hs_program_add_mapped(p, &m, NULL), r->status);
	if (r->status == HS_OK) {
		assert_true(hs_program_get_segment(p, 0, &segment));
		assert_int_equal(segment.bias, r->bias);
	}
	hs_program_free(p);
	unlink(path);
}

/* ---- the same build, and other bytes -------------------------------------------------------- */

#define ID 20u

/* Code of 256 bytes at 0x1000, and a build-id. */
struct built {
	Elf64_Ehdr head;
	Elf64_Phdr segments[2];
	Elf64_Nhdr note;
	char owner[4];
	uint8_t id[ID], code[256];
};

static void make_built(struct built *b)
{
	*b = (struct built){
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
		          .e_type = ET_DYN, .e_machine = EM_RISCV, .e_version = 1,
		          .e_phoff = offsetof(struct built, segments), .e_ehsize = sizeof(b->head),
		          .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2 },
		.segments = { { .p_type = PT_LOAD, .p_flags = RX, .p_vaddr = 0x1000,
		                .p_offset = offsetof(struct built, code), .p_filesz = 256 },
		              { .p_type = PT_NOTE, .p_align = 4,
		                .p_offset = offsetof(struct built, note),
		                .p_filesz = sizeof(Elf64_Nhdr) + 4 + ID } },
		.note = { 4, ID, NT_GNU_BUILD_ID },
		.owner = "GNU",
	};
	for (size_t i = 0; i < sizeof(b->code); i++)
		b->code[i] = (uint8_t)i;
	little_note(&b->note);
	little_elf(b);
}

static const struct same_row {
	const char *name;
	unsigned others; /* of 256 bytes that ran */
	bool noted;
} same_rows[] = {
	{ "the same build: all as it is in the file", 0, false },
	{ "the same build: it changed some of its code", 64, false },
	{ "the same build: half of it", 128, false },
	{ "the same build: more than half of it", 129, true },
	{ "the same build: all bytes are others", 256, true },
};

TEST_ROWS(same_build, same_rows, r)
{
	struct built b;
	uint8_t ran[256];
	struct hs_program *p;
	char path[64];

	make_built(&b);
	for (size_t i = 0; i < sizeof(ran); i++)
		ran[i] = (uint8_t)(i ^ (i < r->others ? 0x10 : 0));
	write_file(path, &b, sizeof(b));
	const struct hs_section section = { 0x1000, sizeof(ran), ran };
	const struct hs_image image = { .sections = &section, .count = 1, .isa.xlen = 64 };
	const struct hs_program_mapping m = { .size = sizeof(m), .path = path, .start = 0x1000,
		                              .offset = offsetof(struct built, code),
		                              .length = 256, .build_id = { b.id, ID } };

	assert_int_equal(hs_program_new(&p), HS_OK);
	assert_int_equal(hs_program_add_image(p, &image, NULL), HS_OK);
	assert_int_equal(hs_program_add_mapped(p, &m, NULL), HS_OK);
	assert_int_equal(hs_program_note(p, 0) != NULL, r->noted);
	if (r->noted)
		assert_non_null(strstr(hs_program_note(p, 0), "has the build-id of what ran, and"));
	hs_program_free(p);
	unlink(path);
}
