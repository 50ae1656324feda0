/* Programs: memory of a kernel as an ELF core has it (/proc/kcore, a vmcore): segments by virtual
 * address, of which only what is wanted is read (design/code-versions). */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/private.h"
#include "support/grow.h"

#define PAGE 4096u
#define WHOLE ((uint64_t)64 << 20) /* bytes of a segment that is read without being asked for */
#define MOST ((uint64_t)1 << 30)   /* bytes that are read in all */

/* Part of a segment that is to be read. */
struct part {
	uint64_t start, size;
	uint64_t offset; /* in the file */
};

struct core {
	const char *path;
	int fd;
	Elf *elf;
	struct part *parts;
	size_t count, room;
	uint64_t size; /* of all */
	uint8_t *bytes;
	struct hs_section *sections;
	size_t section_count, section_room;
};

static enum hs_status no_memory(const struct core *c, struct hs_error *error)
{
	return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", c->path);
}

/* ---- what is read ---------------------------------------------------------------- */

static enum hs_status add_part(struct core *c, const GElf_Phdr *ph, uint64_t start, uint64_t end,
                               struct hs_error *error)
{
	if (!support_grow(&c->parts, &c->room, c->count + 1, sizeof(*c->parts)))
		return no_memory(c, error);
	c->parts[c->count++] =
		(struct part){ start, end - start, ph->p_offset + (start - ph->p_vaddr) };
	c->size += end - start;
	if (c->size > MOST)
		return hs_error_set(error, HS_E_UNSUPPORTED,
		                    "%s: more than 1 GiB of code; give the kernel's file first, "
		                    "and the core after --then", c->path);
	return HS_OK;
}

/* Of a large segment what @wanted has. */
static enum hs_status add_wanted(struct core *c, const GElf_Phdr *ph, const struct hs_image *wanted,
                                 struct hs_error *error)
{
	const uint64_t last = ph->p_vaddr + (ph->p_filesz - 1);
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < wanted->count && s == HS_OK; i++) {
		const struct hs_section *w = &wanted->sections[i];
		const uint64_t w_last = w->start + (w->size - 1);
		const uint64_t from = w->start > ph->p_vaddr ? w->start : ph->p_vaddr;
		const uint64_t to = w_last < last ? w_last : last;

		if (from <= to)
			s = add_part(c, ph, from, to + 1, error);
	}
	return s;
}

static enum hs_status plan(struct core *c, const struct hs_image *wanted, struct hs_error *error)
{
	enum hs_status s = HS_OK;
	size_t count = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(c->elf, &count) != 0)
		return hs_error_set(error, HS_E_FORMAT, "%s: %s", c->path, elf_errmsg(-1));
	for (size_t i = 0; i < count && s == HS_OK; i++) {
		if (!gelf_getphdr(c->elf, (int)i, &ph))
			return hs_error_set(error, HS_E_FORMAT, "%s: %s", c->path, elf_errmsg(-1));
		if (ph.p_type != PT_LOAD || ph.p_filesz == 0)
			continue;
		if (ph.p_vaddr > UINT64_MAX - ph.p_filesz || ph.p_offset > INT64_MAX - ph.p_filesz)
			return hs_error_set(error, HS_E_FORMAT, "%s: segment %zu has no place",
			                    c->path, i);
		s = ph.p_filesz <= WHOLE ? add_part(c, &ph, ph.p_vaddr, ph.p_vaddr + ph.p_filesz,
		                                    error)
		                         : add_wanted(c, &ph, wanted, error);
	}
	return s == HS_OK && !c->size
	               ? hs_error_set(error, HS_E_FORMAT, "%s: has nothing of the code that was "
	                              "given before it", c->path)
	               : s;
}

/* ---- reading --------------------------------------------------------------------- */

/* A page, or less.  Where a file ends early, or has no memory, it is zero.  False: all of it is. */
static bool read_page(const struct core *c, uint8_t *to, size_t n, uint64_t offset)
{
	size_t got = 0;

	while (got < n) {
		const ssize_t r = pread(c->fd, to + got, n - got, (off_t)(offset + got));

		if (r <= 0)
			break;
		got += (size_t)r;
	}
	if (!got)
		return false;
	memset(to + got, 0, n - got);
	return to[0] || memcmp(to, to + 1, n - 1) != 0;
}

static enum hs_status add_section(struct core *c, uint64_t start, uint64_t size,
                                  const uint8_t *bytes, struct hs_error *error)
{
	struct hs_section *last = c->section_count ? &c->sections[c->section_count - 1] : NULL;

	if (last && last->start + last->size == start && last->bytes + last->size == bytes) {
		last->size += size;
		return HS_OK;
	}
	if (!support_grow(&c->sections, &c->section_room, c->section_count + 1,
	                  sizeof(*c->sections)))
		return no_memory(c, error);
	c->sections[c->section_count++] = (struct hs_section){ start, size, bytes };
	return HS_OK;
}

/* Pages without a byte are no code. */
static enum hs_status read_parts(struct core *c, struct hs_error *error)
{
	enum hs_status s = HS_OK;

	c->bytes = malloc(c->size);
	if (!c->bytes)
		return no_memory(c, error);
	uint8_t *to = c->bytes;

	for (size_t i = 0; i < c->count; i++)
		for (uint64_t at = 0, n; at < c->parts[i].size && s == HS_OK; at += n, to += n) {
			const struct part *p = &c->parts[i];

			n = PAGE - ((p->start + at) & (PAGE - 1));
			if (n > p->size - at)
				n = p->size - at;
			if (read_page(c, to, (size_t)n, p->offset + at))
				s = add_section(c, p->start + at, n, to, error);
		}
	return s == HS_OK && !c->section_count
	               ? hs_error_set(error, HS_E_FORMAT, "%s: its segments are empty", c->path)
	               : s;
}

/* ---- the file -------------------------------------------------------------------- */

static enum hs_status open_core(struct core *c, struct hs_program *p, struct hs_error *error)
{
	GElf_Ehdr eh;

	elf_version(EV_CURRENT);
	c->fd = open(c->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (c->fd < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", c->path, strerror(errno));
	c->elf = elf_begin(c->fd, ELF_C_READ, NULL);
	if (!c->elf || elf_kind(c->elf) != ELF_K_ELF || !gelf_getehdr(c->elf, &eh) ||
	    eh.e_type != ET_CORE)
		return hs_error_set(error, HS_E_FORMAT, "%s: not an ELF core", c->path);
	if (eh.e_machine != EM_RISCV || eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return hs_error_set(error, HS_E_UNSUPPORTED,
		                    "%s: not of a little-endian RISC-V (ELF machine %u)", c->path,
		                    (unsigned)eh.e_machine);
	const unsigned xlen = eh.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;

	if (p->have_xlen && p->image.isa.xlen != xlen)
		return hs_error_set(error, HS_E_UNSUPPORTED,
		                    "%s: RV%u, but what was loaded before is RV%u", c->path, xlen,
		                    (unsigned)p->image.isa.xlen);
	p->have_xlen = true;
	p->image.isa.xlen = (uint8_t)xlen;
	return HS_OK;
}

/* The program owns the bytes from here on. */
static enum hs_status keep(struct core *c, struct hs_program *p, struct hs_error *error)
{
	struct program_file *f = calloc(1, sizeof(*f));
	enum hs_status s = f ? HS_OK : no_memory(c, error);

	if (s == HS_OK)
		s = program_add_sections(p, c->sections, c->section_count, c->path, error);
	if (s != HS_OK) {
		free(f);
		return s;
	}
	*f = (struct program_file){ .next = p->open, .fd = -1, .bytes = c->bytes };
	p->open = f;
	c->bytes = NULL;
	return HS_OK;
}

enum hs_status hs_program_add_core(struct hs_program *p, const char *path,
                                   const struct hs_image *wanted, struct hs_error *error)
{
	static const struct hs_image nothing;
	struct core c = { .path = path, .fd = -1 };
	enum hs_status s = open_core(&c, p, error);

	if (s == HS_OK)
		s = plan(&c, wanted ? wanted : &nothing, error);
	if (s == HS_OK)
		s = read_parts(&c, error);
	if (s == HS_OK)
		s = keep(&c, p, error);
	if (c.elf)
		elf_end(c.elf);
	if (c.fd >= 0)
		close(c.fd);
	free(c.parts);
	free(c.sections);
	free(c.bytes);
	return s;
}
