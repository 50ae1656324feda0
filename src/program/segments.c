/* Programs: the segments of ELF files. */
#include <gelf.h>
#include <stdlib.h>

#include "program/private.h"
#include "program/program.h"

#define PAGE UINT64_C(0xfff) /* what is mapped begins and ends with a page */

/* The bytes of a segment as a section; HS_E_FORMAT: they are not all there. */
static enum hs_status load_segment(const struct program_file *f, const GElf_Phdr *ph,
                                   struct hs_section *section)
{
	/* not the whole file: debugging information is most of it */
	Elf_Data *raw =
		elf_getdata_rawchunk(f->elf, (int64_t)ph->p_offset, ph->p_filesz, ELF_T_BYTE);
	uint64_t start = ph->p_vaddr + f->bias;

	if (gelf_getclass(f->elf) == ELFCLASS32)
		start = (uint32_t)start;
	if (!raw || raw->d_size != ph->p_filesz || start > UINT64_MAX - ph->p_filesz)
		return HS_E_FORMAT;
	*section = (struct hs_section){ start, ph->p_filesz, raw->d_buf };
	return HS_OK;
}

/* PT_LOAD segments as sections: the bytes that are in the file. */
enum hs_status program_load_segments(const struct program_file *f, struct hs_section **out,
                                     size_t *n, struct hs_error *error)
{
	size_t count = 0;

	if (elf_getphdrnum(f->elf, &count) != 0)
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
		if (load_segment(f, &ph, &(*out)[(*n)++]) != HS_OK)
			return hs_error_set(error, HS_E_FORMAT,
			                    "%s: segment %zu is not inside the file (cut short?)",
			                    f->path, i);
	}
	return *n ? HS_OK
	          : hs_error_set(error, HS_E_FORMAT,
	                         "%s: nothing to load (an object file? link it first)", f->path);
}

/* ---- what is where -------------------------------------------------------------- */

bool hs_program_get_file(const struct hs_program *p, size_t index, struct hs_program_file *file)
{
	const struct program_file *f = p->open;
	size_t count = 0;
	GElf_Phdr ph = { 0 };

	while (f && (!f->elf || !program_is_trusted(f) || f->debug_of || index--))
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
static bool code_segment(const struct hs_program *p, const struct program_file *f, size_t *index,
                         struct hs_program_segment *out)
{
	size_t count = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(f->elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(f->elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X) || (*index)--)
			continue;
		*out = (struct hs_program_segment){ f->path, program_wrap(p, ph.p_vaddr + f->bias),
			                            ph.p_filesz, ph.p_offset, f->bias };
		return true;
	}
	return false;
}

bool hs_program_get_segment(const struct hs_program *p, size_t index,
                            struct hs_program_segment *segment)
{
	for (const struct program_file *f = p->open; f; f = f->next)
		if (f->elf && program_is_trusted(f) && !f->debug_of &&
		    code_segment(p, f, &index, segment))
			return true;
	return false;
}

/* ---- mapped files ---------------------------------------------------------------- */

/* What a mapping has of a segment.  Of two segments the one of which more is true is meant. */
struct fit {
	uint64_t bias;
	bool certain; /* where it is linked to, or all of it and nothing else */
	bool executable;
	uint64_t misfit; /* bytes between where its pages begin and end and the mapping does */
};

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* False: no byte of the segment's pages is in the mapping.  Pages of a file that the end of one
 * segment and the begin of the next share are mapped twice, at two addresses (lld, mold). */
static bool fit_segment(const GElf_Phdr *ph, const struct hs_program_mapping *m, struct fit *fit)
{
	const uint64_t first = ph->p_offset & ~PAGE;
	const uint64_t length = m->length ? m->length : 1;

	if (ph->p_type != PT_LOAD || ph->p_filesz > UINT64_MAX - PAGE - ph->p_offset ||
	    length > UINT64_MAX - m->offset)
		return false;
	const uint64_t end = (ph->p_offset + ph->p_filesz + PAGE) & ~PAGE;

	if (first >= m->offset + length || ph->p_offset + ph->p_filesz <= m->offset)
		return false;
	fit->bias = m->start - m->offset - (ph->p_vaddr - ph->p_offset);
	fit->certain = m->offset == ph->p_offset && m->length == ph->p_filesz;
	fit->executable = ph->p_flags & PF_X;
	fit->misfit =
		distance(first, m->offset) + (m->length ? distance(end, m->offset + m->length) : 0);
	return true;
}

static bool is_better(const struct fit *a, const struct fit *b)
{
	if (a->certain != b->certain)
		return a->certain;
	if (a->executable != b->executable)
		return a->executable;
	return a->misfit < b->misfit;
}

bool program_find_bias(Elf *elf, const struct hs_program_mapping *m, uint64_t *bias)
{
	struct fit best = { 0 };
	bool found = false;
	size_t count = 0;
	GElf_Ehdr eh;

	if (elf_getphdrnum(elf, &count) != 0 || !gelf_getehdr(elf, &eh))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct fit fit;
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph) || !fit_segment(&ph, m, &fit))
			continue;
		fit.certain |= eh.e_type == ET_EXEC && fit.bias == 0;
		if (!found || is_better(&fit, &best))
			best = fit;
		found = true;
	}
	*bias = best.bias;
	return found;
}
