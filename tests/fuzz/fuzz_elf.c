/* Any file may be called an ELF: loading it, and asking for names, lines and code, ends well. */
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <hartscope/program.h>

#include "fuzz.h"
#include "program/program.h"

static void ask(struct hs_program *p, uint64_t address)
{
	struct hs_program_function function;
	struct hs_place place;
	struct hs_insn insn;
	uint64_t landing;

	hs_program_find_place(p, address, &place);
	hs_program_find_function(p, address, &function);
	hs_img_insn(hs_program_image(p), address, &insn);
	hs_program_find_landing(p, address, &landing);
}

static void ask_everywhere(struct hs_program *p)
{
	const struct hs_image *image = hs_program_image(p);

	fuzz_must(image && hs_img_check(image) == HS_OK);
	for (size_t i = 0; i < image->count && i < 16; i++) {
		ask(p, image->sections[i].start);
		ask(p, image->sections[i].start + image->sections[i].size - 1);
		ask(p, image->sections[i].start + image->sections[i].size / 2);
	}
	ask(p, hs_program_entry(p));
	ask(p, 0);
	ask(p, UINT64_MAX);
}

static enum hs_status add_file(struct hs_program *p, const uint8_t *data, size_t size,
                               uint64_t bias, struct hs_error *error)
{
	char path[64];
	const int fd = memfd_create("fuzz", 0);

	fuzz_must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const enum hs_status s = hs_program_add_elf(p, path, bias, error);

	close(fd);
	return s;
}

/* The same bytes as a core, of which one part is wanted. */
static enum hs_status add_core(struct hs_program *p, const uint8_t *data, size_t size,
                               struct hs_error *error)
{
	static const uint8_t bytes[4096];
	const struct hs_section section = { 0x10000, sizeof(bytes), bytes };
	const struct hs_image wanted = { .sections = &section, .count = 1 };
	const uint8_t type = ET_CORE;
	char path[64];
	const int fd = memfd_create("fuzz", 0);

	fuzz_must(fd >= 0 && write(fd, data, size) == (ssize_t)size &&
	          pwrite(fd, &type, 1, offsetof(Elf64_Ehdr, e_type)) == 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const enum hs_status s = hs_program_add_core(p, path, &wanted, error);

	close(fd);
	return s;
}

static enum hs_status add(struct hs_program *p, const uint8_t *data, size_t size, uint64_t bias,
                          struct hs_error *error)
{
	const struct hs_span bytes = { data, size };

	switch (size >> 1 & 3) {
	case 1: return add_file(p, data, size, bias, error);
	case 3: return add_core(p, data, size, error);
	default: return hs_program_add_elf_memory(p, &bytes, "fuzz", bias, error);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hs_program *p = NULL;
	struct hs_error error;
	const uint64_t bias = size & 1 ? 0x10000 : 0;

	fuzz_must(hs_program_new(&p) == HS_OK);
	const enum hs_status s = add(p, data, size, bias, &error);

	/* E_CONFIG: its own segments overlap. */
	fuzz_must(s == HS_OK || s == HS_E_CONFIG || hs_status_get_class(s) == HS_CLASS_DATA ||
	          hs_status_get_class(s) == HS_CLASS_UNSUPPORTED || s == HS_E_MEMORY ||
	          s == HS_E_SYSTEM);
	ask_everywhere(p);
	hs_program_free(p);
	return 0;
}

/* A program of one segment, without sections; files from the cross compiler have the rest. */
size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static const uint8_t code[] = { 0x01, 0x00, 0x82, 0x80 }; /* c.nop, c.jr ra */
	const Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_RISCV,
		.e_version = EV_CURRENT,
		.e_entry = 0x10000,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_flags = EF_RISCV_RVC,
	};
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = sizeof(header) + sizeof(segment),
		.p_vaddr = 0x10000,
		.p_paddr = 0x10000,
		.p_filesz = sizeof(code),
		.p_memsz = sizeof(code),
		.p_align = 2,
	};

	if (i > 0 || size < sizeof(header) + sizeof(segment) + sizeof(code))
		return 0;
	memcpy(data, &header, sizeof(header));
	memcpy(data + sizeof(header), &segment, sizeof(segment));
	memcpy(data + sizeof(header) + sizeof(segment), code, sizeof(code));
	return sizeof(header) + sizeof(segment) + sizeof(code);
}
