/* Programs: functions without a symbol, by the range that unwind information gives them (System V
 * ABI, .eh_frame; LSB 5.0, "Exception Frames"), and entries of the linkage table (RISC-V ELF
 * psABI). */
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/encoded.h"
#include "program/private.h"

#define NAME_MAX_BYTES 128u

/* Unwind information of a file. */
struct frames {
	struct hs_program *p;
	struct program_file *file;
	Elf_Data *data;
	const unsigned char *ident;
	uint64_t addr; /* of the section */
	uint64_t cie_at;
	unsigned encoding; /* of the CIE at cie_at: of addresses, of language-specific data */
	unsigned data_encoding;
};

/* ---- names ------------------------------------------------------------------------------- */

static enum hs_status add_range(const struct frames *fr, uint64_t start, uint64_t size)
{
	char name[NAME_MAX_BYTES];
	struct symbol s = { .start = program_wrap(fr->p, start + fr->file->bias),
		            .size = size,
		            .rank = RANK_FRAME,
		            .file = fr->file };

	s.limit = s.start + size;
	snprintf(name, sizeof(name), "%.100s:0x%llx", program_base_of(fr->file->path),
	         (unsigned long long)program_wrap(fr->p, start));
	s.name = program_keep(&fr->file->texts, name);
	return s.name ? program_add_symbol(fr->p, &s) : HS_E_MEMORY;
}

/* ---- entries ----------------------------------------------------------------------------- */

static unsigned address_size(const struct frames *fr)
{
	return fr->ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
}

/* The encodings of addresses and of language-specific data, from the augmentation of a CIE. */
static bool read_encodings(struct frames *fr, const Dwarf_CIE *cie)
{
	struct encoded e = { cie->augmentation_data, cie->augmentation_data, address_size(fr) };
	const char *a = cie->augmentation;
	uint64_t unused;

	fr->encoding = PE_ABSPTR;
	fr->data_encoding = PE_OMIT;
	if (*a == '\0')
		return true;
	if (*a != 'z' || !e.at)
		return false;
	for (e.end += cie->augmentation_data_size, a++; *a; a++) {
		if (*a == 'S' || *a == 'B')
			continue;
		if (e.at == e.end)
			return false;
		const unsigned encoding = *e.at++;

		if (*a == 'R')
			fr->encoding = encoding;
		else if (*a == 'L')
			fr->data_encoding = encoding;
		else if (*a != 'P' || !program_take_encoded(&e, encoding, &unused))
			return false;
	}
	return true;
}

/* Set the encodings of @fr to those of the CIE at @offset; false: it cannot be used. */
static bool find_cie(struct frames *fr, Dwarf_Off offset)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (offset == fr->cie_at)
		return true;
	if (offset >= fr->data->d_size ||
	    dwarf_next_cfi(fr->ident, fr->data, true, offset, &next, &entry) != 0 ||
	    !dwarf_cfi_cie_p(&entry) || !read_encodings(fr, &entry.cie))
		return false;
	fr->cie_at = offset;
	return true;
}

/* A value at @e, which is in the section: an address, with its base. */
static bool take_address(const struct frames *fr, struct encoded *e, unsigned encoding,
                         uint64_t *addr)
{
	const unsigned base = encoding & PE_BASE;
	const uint64_t here = fr->addr + (uint64_t)(e->at - (const uint8_t *)fr->data->d_buf);

	if ((base && base != PE_PCREL) || !program_take_encoded(e, encoding, addr))
		return false;
	if (base == PE_PCREL && *addr)
		*addr += here;
	*addr = program_wrap(fr->p, *addr);
	return true;
}

/* Language-specific data (.gcc_except_table) of a function: where exceptions land. */
static enum hs_status take_data(struct frames *fr, struct encoded *e, uint64_t start, uint64_t size)
{
	uint64_t length, data;

	if (fr->data_encoding == PE_OMIT || !program_take_encoded(e, PE_ULEB128, &length) ||
	    !take_address(fr, e, fr->data_encoding, &data) || !data)
		return HS_OK;
	return program_add_landings(fr->p, fr->file, start, size, data);
}

static enum hs_status take_frame(struct frames *fr, const Dwarf_FDE *fde)
{
	struct encoded e = { fde->start, fde->end, address_size(fr) };
	uint64_t start, size;

	if (!find_cie(fr, fde->CIE_pointer) || !take_address(fr, &e, fr->encoding, &start) ||
	    !program_take_encoded(&e, fr->encoding & PE_VALUE & ~PE_SIGNED, &size) || !size ||
	    start > UINT64_MAX - size)
		return HS_OK;
	const enum hs_status s = take_data(fr, &e, start, size);

	return s == HS_OK ? add_range(fr, start, size) : s;
}

static enum hs_status read_frames(struct frames *fr)
{
	enum hs_status status = HS_OK;

	for (Dwarf_Off at = 0, next; status == HS_OK && at < fr->data->d_size; at = next) {
		Dwarf_CFI_Entry entry;

		next = at;
		const int result =
			dwarf_next_cfi(fr->ident, fr->data, true, at, &next, &entry);

		if (result > 0 || next <= at)
			break;
		if (result == 0 && !dwarf_cfi_cie_p(&entry))
			status = take_frame(fr, &entry.fde);
	}
	return status;
}

/* ---- the linkage table ------------------------------------------------------------------- */

#define PLT_HEADER 32u /* bytes (RISC-V ELF psABI, Procedure Linkage Table) */
#define PLT_ENTRY 16u

/* Name the entry of the table at @start after the symbol of its relocation. */
static enum hs_status add_stub(struct hs_program *p, struct program_file *f, Elf_Scn *symbols,
                               const GElf_Rela *rela, uint64_t start)
{
	char name[NAME_MAX_BYTES + 8];
	Elf_Data *d = symbols ? elf_getdata(symbols, NULL) : NULL;
	GElf_Shdr sh;
	GElf_Sym sym;

	if (!d || !gelf_getshdr(symbols, &sh) || GELF_R_SYM(rela->r_info) > INT32_MAX ||
	    !gelf_getsym(d, (int)GELF_R_SYM(rela->r_info), &sym))
		return HS_OK;
	const char *text = elf_strptr(f->elf, sh.sh_link, sym.st_name);

	if (!text || !*text)
		return HS_OK;
	snprintf(name, sizeof(name), "%.120s@plt", text);
	const struct symbol s = { .start = program_wrap(p, start + f->bias),
		                  .size = PLT_ENTRY,
		                  .rank = RANK_FRAME,
		                  .file = f,
		                  .name = program_keep(&f->texts, name) };

	return s.name ? program_add_symbol(p, &s) : HS_E_MEMORY;
}

/* The entries of .plt are in the order of the relocations that fill their slots. */
static enum hs_status read_stubs(struct hs_program *p, struct program_file *f, const GElf_Shdr *plt,
                                 Elf_Scn *relocations)
{
	Elf_Data *d = elf_getdata(relocations, NULL);
	enum hs_status status = HS_OK;
	GElf_Shdr sh;

	if (!d || !gelf_getshdr(relocations, &sh) || !sh.sh_entsize || plt->sh_size < PLT_HEADER)
		return HS_OK;
	const size_t n = d->d_size / sh.sh_entsize;

	if (n != (plt->sh_size - PLT_HEADER) / PLT_ENTRY) /* a table of another layout */
		return HS_OK;
	for (size_t i = 0; i < n && i <= INT32_MAX && status == HS_OK; i++) {
		GElf_Rela rela;

		if (gelf_getrela(d, (int)i, &rela))
			status = add_stub(p, f, elf_getscn(f->elf, sh.sh_link), &rela,
			                  plt->sh_addr + PLT_HEADER + PLT_ENTRY * i);
	}
	return status;
}

/* ---- files ------------------------------------------------------------------------------- */

static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *sh)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		const char *text =
			gelf_getshdr(scn, sh) ? elf_strptr(elf, names, sh->sh_name) : NULL;

		if (text && strcmp(text, name) == 0)
			return scn;
	}
	return NULL;
}

enum hs_status program_read_frames(struct hs_program *p, struct program_file *f)
{
	size_t ident_size;
	struct frames fr = { .p = p, .file = f, .cie_at = (uint64_t)-1,
		             .ident = (const unsigned char *)elf_getident(f->elf, &ident_size) };
	GElf_Shdr sh, plt, rela;
	Elf_Scn *scn = find_section(f->elf, ".eh_frame", &sh);
	Elf_Scn *relocations = find_section(f->elf, ".rela.plt", &rela);
	enum hs_status status = HS_OK;

	fr.data = scn && sh.sh_type == SHT_PROGBITS && sh.sh_addr ? elf_getdata(scn, NULL) : NULL;
	fr.addr = sh.sh_addr;
	if (fr.data && fr.data->d_buf && fr.ident)
		status = read_frames(&fr);
	if (status == HS_OK && relocations && rela.sh_type == SHT_RELA &&
	    find_section(f->elf, ".plt", &plt))
		status = read_stubs(p, f, &plt, relocations);
	return status;
}
