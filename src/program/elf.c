/* Programs: ELF32 and ELF64 files through libelf, on disk or in memory. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/private.h"
#include "support/file.h"

#ifndef EM_RISCV
#define EM_RISCV 243
#endif

void program_close_file(struct program_file *f)
{
	if (!f)
		return;
	if (f->dwarf)
		dwarf_end(f->dwarf);
	if (f->shared) {
		dwarf_end(f->shared);
		close(f->shared_fd);
	}
	elf_end(f->ahead);
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	program_free_texts(f->texts);
	free(f->code);
	free(f->compile_dirs);
	free(f->bytes);
	free(f->path);
	free(f);
}

/* ---- opening -------------------------------------------------------------------- */

/* A kernel as a loader of RISC-V takes it has magic2 (Linux, "Boot image header in RISC-V
 * Linux"). */
static const char *not_elf(const struct program_file *f)
{
	char head[64];

	if (f->fd >= 0 && pread(f->fd, head, sizeof(head), 0) == sizeof(head) &&
	    memcmp(head + 56, "RSC\x05", 4) == 0)
		return "a boot image of Linux, which has no symbols; its vmlinux has "
		       "(Debian's linux-image-...-dbg), or /proc/kallsyms";
	return "not an ELF file; a raw binary is given with --bin FILE@ADDRESS";
}

static enum hs_status check_kind(const struct hs_program *p, const struct program_file *f,
                                 struct hs_error *error)
{
	GElf_Ehdr eh;

	if (!f->elf)
		return hs_error_set(error, HS_E_FORMAT, "%s: %s", f->path, elf_errmsg(-1));
	if (elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &eh))
		return hs_error_set(error, HS_E_FORMAT, "%s: %s", f->path, not_elf(f));
	if (eh.e_machine != EM_RISCV || eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return hs_error_set(error, HS_E_UNSUPPORTED,
		                    "%s: not a little-endian RISC-V program (ELF machine %u)",
		                    f->path, (unsigned)eh.e_machine);
	const unsigned xlen = eh.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;

	if (p->have_xlen && p->image.isa.xlen != xlen)
		return hs_error_set(error, HS_E_UNSUPPORTED,
		                    "%s: RV%u, but what was loaded before is RV%u", f->path, xlen,
		                    (unsigned)p->image.isa.xlen);
	return HS_OK;
}

static enum hs_status open_path(struct program_file *f, struct hs_error *error)
{
	f->fd = support_open_file(AT_FDCWD, f->path);
	if (f->fd < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", f->path,
		                    support_open_failure(errno));
	/* Not mapped: where the file shrinks meanwhile, reading fails and no signal comes. */
	f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
	return HS_OK;
}

static enum hs_status open_and_check(const struct hs_program *p, const struct program_input *in,
                                     struct program_file *f, struct hs_error *error)
{
	enum hs_status s = HS_OK;

	elf_version(EV_CURRENT);
	if (!in->bytes)
		s = open_path(f, error);
	else if (in->bytes->n) /* read only, though the type does not say so */
		f->elf = elf_memory((char *)(uintptr_t)in->bytes->p, in->bytes->n);
	else
		s = hs_error_set(error, HS_E_FORMAT, "%s: empty", f->path);
	return s == HS_OK ? check_kind(p, f, error) : s;
}

enum hs_status program_open_elf(const struct hs_program *p, const struct program_input *in,
                                struct program_file **file, struct hs_error *error)
{
	struct program_file *f = calloc(1, sizeof(*f));

	if (f)
		*f = (struct program_file){ .fd = -1, .bias = in->bias, .path = strdup(in->name) };
	if (!f || !f->path) {
		free(f);
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", in->name);
	}
	const enum hs_status s = open_and_check(p, in, f, error);

	if (s == HS_OK)
		*file = f;
	else
		program_close_file(f);
	return s;
}

/* The program owns the file from here on. */
static enum hs_status keep_file(struct hs_program *p, const struct program_input *in,
                                struct program_file *f, struct hs_error *error)
{
	GElf_Ehdr eh;

	f->debug_of = in->debug_of;
	f->of_old_build = in->debug_of && in->debug_of->refused;
	f->id_size = (uint8_t)support_elf_build_id(f->elf, f->id);

	if (gelf_getehdr(f->elf, &eh) && !p->have_elf) {
		p->have_elf = p->have_xlen = true;
		p->image.isa.xlen = eh.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;
		p->entry = eh.e_entry ? program_wrap(p, eh.e_entry + f->bias) : 0;
	}
	program_read_attributes(p, f->elf);
	f->next = p->open;
	p->open = f;
	enum hs_status s = program_read_symbols(p, f);

	if (s == HS_OK)
		s = program_read_frames(p, f);
	if (s == HS_OK && !f->debug_of)
		s = program_read_extents(p, f);
	if (s == HS_OK && !f->debug_of)
		s = program_compare_file(p, f, &in->build_id);
	return s == HS_OK ? s : hs_error_set(error, s, "%s: out of memory", f->path);
}

/* ---- adding --------------------------------------------------------------------- */

enum hs_status program_add_elf(struct hs_program *p, const struct program_input *in,
                               struct program_file **file, struct hs_error *error)
{
	struct program_file *f = NULL;
	struct hs_section *v = NULL;
	size_t n = 0;
	enum hs_status s = program_open_elf(p, in, &f, error);

	if (s != HS_OK)
		return s;
	s = program_load_segments(f, &v, &n, error);
	if (s == HS_OK)
		s = program_add_sections(p, v, n, in->name, error);
	free(v);
	if (s == HS_OK) {
		*file = f;
		return keep_file(p, in, f, error);
	}
	program_close_file(f);
	return s;
}

/* Is the file open there already, by another path? */
static bool is_same_file(const struct program_file *a, const struct program_file *b)
{
	struct stat x, y;

	return a->fd >= 0 && b->fd >= 0 && fstat(a->fd, &x) == 0 && fstat(b->fd, &y) == 0 &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

enum hs_status program_add_names(struct hs_program *p, const struct program_input *in,
                                 struct program_file **file, struct hs_error *error)
{
	struct program_file *f;

	*file = NULL;
	for (f = p->open; f; f = f->next)
		if (f->path && f->bias == in->bias && strcmp(f->path, in->name) == 0)
			return HS_OK;
	const enum hs_status s = program_open_elf(p, in, &f, error);

	if (s != HS_OK)
		return s;
	for (const struct program_file *o = p->open; o; o = o->next) {
		if (o->bias == in->bias && o->debug_of == in->debug_of && is_same_file(o, f)) {
			program_close_file(f);
			return HS_OK;
		}
	}
	*file = f;
	return keep_file(p, in, f, error);
}
