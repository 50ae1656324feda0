/* Programs: ELF32 and ELF64 files through libelf. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/private.h"

#ifndef EM_RISCV
#define EM_RISCV 243
#endif

void program_close_file(struct program_file *f)
{
	if (!f)
		return;
	if (f->dwarf)
		dwarf_end(f->dwarf);
	if (f->elf)
		elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	free(f->bytes);
	free(f->path);
	free(f);
}

/* Addresses of an RV32 program wrap at 2^32, also after a bias. */
uint64_t program_wrap(const struct hs_program *p, uint64_t addr)
{
	return p->image.isa.xlen == 32 ? (uint32_t)addr : addr;
}

static enum hs_status check_kind(const struct hs_program *p, Elf *elf, const char *path,
                                 struct hs_error *error)
{
	GElf_Ehdr eh;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh))
		return hs_error_set(error, HS_E_FORMAT,
		                    "%s: not an ELF file; a raw binary is given with --bin FILE@ADDRESS",
		                    path);
	if (eh.e_machine != EM_RISCV || eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return hs_error_set(error, HS_E_UNSUPPORTED,
		                    "%s: not a little-endian RISC-V program (ELF machine %u)", path,
		                    (unsigned)eh.e_machine);
	const unsigned xlen = eh.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;

	if (p->have_xlen && p->image.isa.xlen != xlen)
		return hs_error_set(error, HS_E_UNSUPPORTED,
		                    "%s: RV%u, but what was loaded before is RV%u", path, xlen,
		                    (unsigned)p->image.isa.xlen);
	return HS_OK;
}

/* Open, check, and keep the file with the program.  The same file twice is one. */
enum hs_status program_open_elf(struct hs_program *p, const char *path, uint64_t bias,
                                struct program_file **file, struct hs_error *error)
{
	struct program_file *f = calloc(1, sizeof(*f));
	struct stat st;

	if (!f)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", path);
	elf_version(EV_CURRENT);
	f->bias = bias;
	f->path = strdup(path);
	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (f->fd < 0 || !f->path || fstat(f->fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		const int why = f->fd < 0 ? errno : EINVAL;

		program_close_file(f);
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", path,
		                    why == EINVAL ? "not a regular file" : strerror(why));
	}
	f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
	const enum hs_status s =
		f->elf ? check_kind(p, f->elf, path, error)
		       : hs_error_set(error, HS_E_FORMAT, "%s: %s", path, elf_errmsg(-1));

	if (s != HS_OK) {
		program_close_file(f);
		return s;
	}
	*file = f;
	return HS_OK;
}

static void keep(struct hs_program *p, struct program_file *f)
{
	GElf_Ehdr eh;

	if (gelf_getehdr(f->elf, &eh) && !p->have_elf) {
		p->have_elf = p->have_xlen = true;
		p->image.isa.xlen = eh.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;
		p->entry = eh.e_entry ? program_wrap(p, eh.e_entry + f->bias) : 0;
	}
	program_read_attributes(p, f->elf);
	f->next = p->open;
	p->open = f;
}

/* PT_LOAD segments as sections: the bytes that are in the file. */
static enum hs_status segments(const struct program_file *f, struct hs_section **out, size_t *n,
                               struct hs_error *error)
{
	size_t count = 0, size = 0;
	const char *raw = elf_rawfile(f->elf, &size);
	const bool is32 = gelf_getclass(f->elf) == ELFCLASS32;

	if (!raw || elf_getphdrnum(f->elf, &count) != 0)
		return hs_error_set(error, HS_E_FORMAT, "%s: %s", f->path, elf_errmsg(-1));
	*out = calloc(count + 1, sizeof(**out));
	if (!*out)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", f->path);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(f->elf, (int)i, &ph))
			return hs_error_set(error, HS_E_FORMAT, "%s: %s", f->path, elf_errmsg(-1));
		if (ph.p_type != PT_LOAD || ph.p_filesz == 0)
			continue;
		const uint64_t start = is32 ? (uint32_t)(ph.p_vaddr + f->bias) : ph.p_vaddr + f->bias;

		if (ph.p_offset > size || ph.p_filesz > size - ph.p_offset ||
		    start > UINT64_MAX - ph.p_filesz)
			return hs_error_set(error, HS_E_FORMAT,
			                    "%s: segment %zu is not inside the file (cut short?)", f->path,
			                    i);
		(*out)[(*n)++] = (struct hs_section){ start, ph.p_filesz,
			                              (const uint8_t *)raw + ph.p_offset };
	}
	return *n ? HS_OK
	          : hs_error_set(error, HS_E_FORMAT,
	                         "%s: nothing to load (an object file? link it first)", f->path);
}

enum hs_status hs_program_add_elf(struct hs_program *p, const char *path, uint64_t bias,
                                  struct hs_error *error)
{
	struct program_file *f = NULL;
	struct hs_section *v = NULL;
	size_t n = 0;
	enum hs_status s = program_open_elf(p, path, bias, &f, error);

	if (s != HS_OK)
		return s;
	s = segments(f, &v, &n, error);
	if (s == HS_OK)
		s = program_add_sections(p, v, n, path, error);
	free(v);
	if (s != HS_OK) {
		program_close_file(f);
		return s;
	}
	keep(p, f);
	return program_read_symbols(p, f, error);
}

enum hs_status hs_program_add_symbols(struct hs_program *p, const char *path, uint64_t bias,
                                      struct hs_error *error)
{
	struct program_file *f = NULL;

	for (f = p->open; f; f = f->next)
		if (f->path && f->bias == bias && strcmp(f->path, path) == 0)
			return HS_OK;
	const enum hs_status s = program_open_elf(p, path, bias, &f, error);

	if (s != HS_OK)
		return s;
	keep(p, f);
	return program_read_symbols(p, f, error);
}

bool hs_program_file(const struct hs_program *p, size_t index, struct hs_program_file *file)
{
	const struct program_file *f = p->open;
	size_t count = 0;
	GElf_Phdr ph = { 0 };

	while (f && (!f->elf || index--))
		f = f->next;
	if (!f || elf_getphdrnum(f->elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count && ph.p_type != PT_LOAD; i++)
		if (!gelf_getphdr(f->elf, (int)i, &ph))
			return false;
	*file = (struct hs_program_file){ f->path, program_wrap(p, ph.p_vaddr + f->bias),
		                          ph.p_filesz, ph.p_offset };
	return ph.p_type == PT_LOAD;
}

/* The segment with code of one file; *index counts down over files. */
static bool segment_of(const struct hs_program *p, const struct program_file *f, size_t *index,
                       struct hs_program_segment *out)
{
	size_t count = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(f->elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(f->elf, (int)i, &ph) || ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) || (*index)--)
			continue;
		*out = (struct hs_program_segment){ f->path, program_wrap(p, ph.p_vaddr + f->bias), ph.p_filesz,
			                            ph.p_offset, f->bias };
		return true;
	}
	return false;
}

bool hs_program_segment(const struct hs_program *p, size_t index, struct hs_program_segment *out)
{
	for (const struct program_file *f = p->open; f; f = f->next)
		if (f->elf && segment_of(p, f, &index, out))
			return true;
	return false;
}

/* The bias that puts the segment at @offset of the file to @start; segments are mapped in
 * whole pages, so that both ends are compared without their low bits. */
static bool bias_of(Elf *elf, uint64_t start, uint64_t offset, uint64_t *bias)
{
	const uint64_t page = ~(uint64_t)0xfff;
	size_t count = 0;

	if (elf_getphdrnum(elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		if ((ph.p_offset & page) <= offset && offset < ph.p_offset + ph.p_filesz) {
			*bias = start - offset - (ph.p_vaddr - ph.p_offset);
			return true;
		}
	}
	return false;
}

enum hs_status hs_program_add_mapping(struct hs_program *p, const char *path, uint64_t start,
                                      uint64_t offset, struct hs_error *error)
{
	struct program_file *f = NULL;
	uint64_t bias = 0;
	const enum hs_status s = program_open_elf(p, path, 0, &f, error);

	if (s != HS_OK)
		return s;
	const bool found = bias_of(f->elf, start, offset, &bias);

	program_close_file(f);
	if (!found)
		return hs_error_set(error, HS_E_FORMAT, "%s: no segment at file offset 0x%llx", path,
		                    (unsigned long long)offset);
	return hs_program_add_symbols(p, path, bias, error);
}
