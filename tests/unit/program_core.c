/* A kernel's memory as an ELF core: which of its segments are read (design/code-versions). */
#include "cases.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <hartscope/program.h>

#include "little.h"
#include "program/program.h"

#define SMALL UINT64_C(0x10000)
#define LARGE UINT64_C(0xffffffc000000000)
#define LARGE_SIZE ((uint64_t)64 << 30) /* bytes of a file that is nearly all hole */
#define KERNEL (LARGE + 0x40000000)

struct file {
	Elf64_Ehdr head;
	Elf64_Phdr segments[3];
	uint8_t small[0x3000];
};

static const uint8_t code[] = { 0x13, 0x05, 0x15, 0x00, 0x82, 0x80 };

/* A note; a small segment, whose second page is zero; all memory, with code at KERNEL. */
static void make(struct file *f)
{
	memset(f, 0, sizeof *f);
	memcpy(f->head.e_ident, ELFMAG, SELFMAG);
	f->head.e_ident[EI_CLASS] = ELFCLASS64;
	f->head.e_ident[EI_DATA] = ELFDATA2LSB;
	f->head.e_ident[EI_VERSION] = f->head.e_version = EV_CURRENT;
	f->head.e_type = ET_CORE;
	f->head.e_machine = EM_RISCV;
	f->head.e_phoff = offsetof(struct file, segments);
	f->head.e_ehsize = sizeof f->head;
	f->head.e_phentsize = sizeof *f->segments;
	f->head.e_phnum = 3;
	f->segments[0] = (Elf64_Phdr){ .p_type = PT_NOTE };
	f->segments[1] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = SMALL,
		                       .p_offset = offsetof(struct file, small),
		                       .p_filesz = sizeof f->small, .p_memsz = sizeof f->small };
	f->segments[2] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = LARGE, .p_offset = 0x10000,
		                       .p_filesz = LARGE_SIZE, .p_memsz = LARGE_SIZE };
	memcpy(f->small, code, sizeof code);
	f->small[0x2000] = 1;
	little_elf(f);
}

static void write_file(const struct file *f, size_t n, char path[32])
{
	strcpy(path, "/tmp/program_core.XXXXXX");
	const int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, f, n), n);
	assert_int_equal(ftruncate(fd, 0x10000 + (off_t)LARGE_SIZE), 0);
	assert_int_equal(pwrite(fd, code, sizeof code, 0x10000 + (off_t)(KERNEL - LARGE)),
	                 sizeof code);
	close(fd);
}

static enum hs_status add(const struct file *f, size_t n, const struct hs_image *wanted,
                          struct hs_program **p)
{
	struct hs_error error;
	char path[32];

	write_file(f, n, path);
	assert_int_equal(hs_program_new(p), HS_OK);
	const enum hs_status s = hs_program_add_core(*p, path, wanted, &error);

	unlink(path);
	return s;
}

TEST(reads_what_is_wanted)
{
	static const uint8_t before[0x1800];
	const struct hs_section kernel = { KERNEL - 0x800, sizeof before, before };
	const struct hs_image wanted = { .sections = &kernel, .count = 1 };
	struct hs_program *p;
	struct file f;
	size_t n;

	make(&f);
	assert_int_equal(add(&f, sizeof f, &wanted, &p), HS_OK);
	const struct hs_image *image = hs_program_image(p);

	assert_memory_equal(hs_img_bytes(image, SMALL, &n), code, sizeof code);
	assert_int_equal(n, 0x1000);
	assert_null(hs_img_bytes(image, SMALL + 0x1000, &n)); /* zeros */
	assert_non_null(hs_img_bytes(image, SMALL + 0x2000, &n));
	assert_memory_equal(hs_img_bytes(image, KERNEL, &n), code, sizeof code);
	assert_null(hs_img_bytes(image, KERNEL - 1, &n)); /* zeros, too */
	assert_null(hs_img_bytes(image, KERNEL + 0x1000, &n)); /* not wanted */
	hs_program_free(p);
}

TEST(reads_small_segments)
{
	struct hs_program *p;
	struct file f;
	size_t n;

	make(&f);
	assert_int_equal(add(&f, sizeof f, NULL, &p), HS_OK);
	assert_non_null(hs_img_bytes(hs_program_image(p), SMALL, &n));
	assert_null(hs_img_bytes(hs_program_image(p), KERNEL, &n));
	hs_program_free(p);
}

TEST(wrong_cores_are_refused)
{
	struct hs_program *p;
	struct file f;

	make(&f);
	f.head.e_type = LITTLE16(ET_EXEC);
	assert_int_equal(add(&f, sizeof f, NULL, &p), HS_E_FORMAT);
	hs_program_free(p);
	make(&f);
	f.head.e_machine = LITTLE16(EM_X86_64);
	assert_int_equal(add(&f, sizeof f, NULL, &p), HS_E_UNSUPPORTED);
	hs_program_free(p);
	make(&f);
	/* goes past the end of the address space */
	f.segments[1].p_vaddr = LITTLE64(UINT64_MAX - 1);
	assert_int_equal(add(&f, sizeof f, NULL, &p), HS_E_FORMAT);
	hs_program_free(p);
	make(&f);
	f.head.e_phnum = LITTLE16(1); /* nothing to load */
	assert_int_equal(add(&f, sizeof f, NULL, &p), HS_E_FORMAT);
	hs_program_free(p);
	assert_int_equal(add(&f, 20, NULL, &p), HS_E_FORMAT);
	hs_program_free(p);
}
