/* Files of a kernel's modules (.ko).  A module is a relocatable file: the kernel puts each section
 * somewhere, fills in what relocations ask for, and patches what its tables list.  The bits that it
 * may change are left out where code is compared; all others have to be equal. */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "guest/private.h"
#include "support/grow.h"
#include "support/elf_order.h"

#define SECTIONS_MAX 4096u
#define ALTERNATIVE_MAX 4096u /* bytes of code that one alternative replaces */

/* Bits of instructions that a relocation fills in (RISC-V ELF psABI, Relocations). */
#define U_TYPE UINT64_C(0xfffff000)
#define I_TYPE UINT64_C(0xfff00000)
#define S_TYPE UINT64_C(0xfe000f80)
#define CALL (U_TYPE | I_TYPE << 32)
#define CB_TYPE UINT64_C(0x1c7c)
#define CJ_TYPE UINT64_C(0x1ffc)

struct field {
	uint32_t type;
	uint64_t bits;
};

static const struct field fields[] = {
	{ 1, UINT32_MAX }, { 2, UINT64_MAX },       /* R_RISCV_32, 64 */
	{ 16, S_TYPE }, { 17, U_TYPE },             /* BRANCH, JAL */
	{ 18, CALL }, { 19, CALL },                 /* CALL, CALL_PLT */
	{ 20, U_TYPE }, { 23, U_TYPE },             /* GOT_HI20, PCREL_HI20 */
	{ 24, I_TYPE }, { 25, S_TYPE },             /* PCREL_LO12_I, PCREL_LO12_S */
	{ 26, U_TYPE }, { 27, I_TYPE }, { 28, S_TYPE }, /* HI20, LO12_I, LO12_S */
	{ 33, UINT8_MAX }, { 34, UINT16_MAX }, { 35, UINT32_MAX }, { 36, UINT64_MAX }, /* ADD */
	{ 37, UINT8_MAX }, { 38, UINT16_MAX }, { 39, UINT32_MAX }, { 40, UINT64_MAX }, /* SUB */
	{ 44, CB_TYPE }, { 45, CJ_TYPE },           /* RVC_BRANCH, RVC_JUMP */
	{ 52, 0x3f }, { 53, 0x3f },                 /* SUB6, SET6 */
	{ 54, UINT8_MAX }, { 55, UINT16_MAX }, { 56, UINT32_MAX }, /* SET */
	{ 57, UINT32_MAX },                         /* 32_PCREL */
};

/* Tables of places that the kernel patches: where in an entry the place is, and what it is. */
struct patch_table {
	const char *section;
	uint32_t type;  /* of the relocation that names the place: R_RISCV_ADD32 or 64 */
	uint32_t entry; /* bytes; the place comes first in it */
	uint32_t bytes; /* that are patched; 0: the entry says how many */
};

#define ALTERNATIVE_BYTES 10u /* where an entry of .alternative has them, 16 bits */

static const struct patch_table patch_tables[] = {
	{ "__jump_table", 35, 16, 4 },              /* struct jump_entry */
	{ ".alternative", 35, 16, 0 },              /* struct alt_entry */
	{ "__patchable_function_entries", 2, 8, 8 },
};

/* A file whose sections are read. */
struct module_file {
	struct guest_object *o;
	Elf *elf;
	size_t names; /* number of the section with their names */
	uint8_t **masks; /* by section */
	size_t section_count;
};

static const char *section_name(const struct module_file *m, Elf_Scn *scn, GElf_Shdr *sh)
{
	return scn && gelf_getshdr(scn, sh) ? elf_strptr(m->elf, m->names, sh->sh_name) : NULL;
}

static bool is_code(const GElf_Shdr *sh)
{
	return sh->sh_type == SHT_PROGBITS && (sh->sh_flags & SHF_EXECINSTR) &&
	       (sh->sh_flags & SHF_ALLOC) && sh->sh_size;
}

/* ---- what may change ------------------------------------------------------------------------- */

static void cover(const struct module_file *m, size_t section, uint64_t at, uint64_t bits,
                  unsigned bytes)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section < m->section_count ? elf_getscn(m->elf, section) : NULL;

	if (!scn || !m->masks[section] || !gelf_getshdr(scn, &sh))
		return;
	for (unsigned i = 0; i < bytes && at < sh.sh_size; i++, at++)
		m->masks[section][at] |= i < 8 ? (uint8_t)(bits >> 8 * i) : 0xff;
}

static uint64_t bits_of(uint32_t type)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (fields[i].type == type)
			return fields[i].bits;
	return 0; /* it marks a place and changes nothing */
}

static const struct patch_table *patch_table_of(const char *section)
{
	for (size_t i = 0; section && i < sizeof(patch_tables) / sizeof(*patch_tables); i++)
		if (strcmp(patch_tables[i].section, section) == 0)
			return &patch_tables[i];
	return NULL;
}

/* Bytes that an entry of a table says are patched. */
static unsigned patched_bytes(const struct patch_table *t, const Elf_Data *d, uint64_t entry)
{
	if (t->bytes)
		return t->bytes;
	if (!d || entry + ALTERNATIVE_BYTES + 2 > d->d_size)
		return 0;
	const uint8_t *at = (const uint8_t *)d->d_buf + entry + ALTERNATIVE_BYTES;
	const unsigned n = at[0] | (unsigned)at[1] << 8;

	return n < ALTERNATIVE_MAX ? n : ALTERNATIVE_MAX;
}

/* One relocation of a section. */
static void take_relocation(const struct module_file *m, size_t section,
                            const struct patch_table *table, const GElf_Rela *r,
                            const GElf_Sym *symbol)
{
	const uint32_t type = (uint32_t)GELF_R_TYPE(r->r_info);

	cover(m, section, r->r_offset, bits_of(type), 8);
	if (!table || type != table->type || r->r_offset % table->entry)
		return;
	Elf_Scn *scn = elf_getscn(m->elf, section);

	cover(m, symbol->st_shndx, symbol->st_value + (uint64_t)r->r_addend, UINT64_MAX,
	      patched_bytes(table, scn ? elf_getdata(scn, NULL) : NULL, r->r_offset));
}

/* The relocations of one section: @relocations has them. */
static void read_relocations(const struct module_file *m, Elf_Scn *relocations)
{
	GElf_Shdr sh, to, table;
	Elf_Data *d = elf_getdata(relocations, NULL);

	if (!d || !gelf_getshdr(relocations, &sh) || !sh.sh_entsize)
		return;
	Elf_Scn *symbols = elf_getscn(m->elf, sh.sh_link);
	Elf_Data *names = symbols && gelf_getshdr(symbols, &table) ? elf_getdata(symbols, NULL)
	                                                           : NULL;
	const struct patch_table *patches =
		patch_table_of(section_name(m, elf_getscn(m->elf, sh.sh_info), &to));
	const size_t n = d->d_size / sh.sh_entsize;

	for (size_t i = 0; names && i < n && i <= INT32_MAX; i++) {
		GElf_Rela r;
		GElf_Sym symbol;

		if (gelf_getrela(d, (int)i, &r) && GELF_R_SYM(r.r_info) <= INT32_MAX &&
		    gelf_getsym(names, (int)GELF_R_SYM(r.r_info), &symbol))
			take_relocation(m, sh.sh_info, patches, &r, &symbol);
	}
}

static enum hs_status make_masks(struct module_file *m)
{
	uint8_t *next = calloc(1, m->o->size + 1); /* sections with code do not overlap much */
	uint8_t *const end = next ? next + m->o->size : NULL;
	GElf_Shdr sh;

	m->o->masks = next;
	m->masks = calloc(m->section_count + 1, sizeof(*m->masks));
	if (!next || !m->masks)
		return HS_E_MEMORY;
	for (size_t i = 1; i < m->section_count; i++) {
		Elf_Scn *scn = elf_getscn(m->elf, i);

		if (!scn || !gelf_getshdr(scn, &sh) || !is_code(&sh) ||
		    sh.sh_size > (size_t)(end - next))
			continue;
		m->masks[i] = next;
		next += sh.sh_size;
	}
	for (size_t i = 1; i < m->section_count; i++) {
		Elf_Scn *scn = elf_getscn(m->elf, i);

		if (scn && gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA)
			read_relocations(m, scn);
	}
	return HS_OK;
}

/* ---- sections -------------------------------------------------------------------------------- */

static enum hs_status add_section(struct hs_guest *g, const struct module_file *m, size_t number)
{
	struct guest_object *o = m->o;
	GElf_Shdr sh;
	const char *name = section_name(m, elf_getscn(m->elf, number), &sh);

	if (!m->masks[number] || !name || sh.sh_offset > o->size ||
	    sh.sh_size > o->size - sh.sh_offset)
		return HS_OK;
	if (!support_grow(&o->segments, &o->segment_room, o->segment_count + 1,
	                  sizeof(*o->segments)))
		return HS_E_MEMORY;
	o->segments[o->segment_count++] =
		(struct guest_segment){ .size = sh.sh_size,
		                        .offset = sh.sh_offset,
		                        .bytes = o->bytes + sh.sh_offset,
		                        .masks = m->masks[number],
		                        .number = (uint32_t)number,
		                        .name = guest_keep(g, "%s", name) };
	return o->segments[o->segment_count - 1].name ? HS_OK : HS_E_MEMORY;
}

static bool is_module(const struct module_file *m)
{
	GElf_Ehdr eh;
	GElf_Shdr sh;

	if (!gelf_getehdr(m->elf, &eh) || eh.e_type != ET_REL || eh.e_machine != EM_RISCV ||
	    eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return false;
	for (size_t i = 1; i < m->section_count; i++) {
		const char *name = section_name(m, elf_getscn(m->elf, i), &sh);

		if (name && strcmp(name, ".gnu.linkonce.this_module") == 0)
			return true;
	}
	return false;
}

/* The name that the kernel gives a module: its file's, without ".ko", with _ for -. */
static const char *module_of(struct hs_guest *g, const char *path)
{
	char *name = guest_keep(g, "%s", guest_base_of(path));

	if (!name)
		return NULL;
	name[strcspn(name, ".")] = '\0';
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
	return name;
}

enum hs_status guest_read_module(struct hs_guest *g, struct guest_object *o)
{
	elf_version(EV_CURRENT);
	struct module_file m = { .o = o,
		                 .elf = elf_memory((char *)(uintptr_t)o->bytes, o->size) };
	enum hs_status status = HS_E_FORMAT;

	if (m.elf && elf_kind(m.elf) == ELF_K_ELF &&
	    elf_getshdrnum(m.elf, &m.section_count) == 0 && m.section_count <= SECTIONS_MAX &&
	    elf_getshdrstrndx(m.elf, &m.names) == 0 && is_module(&m)) {
		o->module = module_of(g, o->path);
		status = o->module ? make_masks(&m) : HS_E_MEMORY;
		for (size_t i = 1; i < m.section_count && status == HS_OK; i++)
			status = add_section(g, &m, i);
	}
	free(m.masks);
	elf_end(m.elf);
	if (status == HS_OK && !o->segment_count)
		status = HS_E_FORMAT;
	return status;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The section that a symbol is in, if it was placed; NULL: none. */
static const struct guest_segment *placed(const struct guest_object *o, uint32_t number)
{
	for (size_t i = 0; i < o->segment_count; i++)
		if (o->segments[i].number == number && o->segments[i].placed)
			return &o->segments[i];
	return NULL;
}

static void move_symbols(const struct guest_object *o, uint8_t *to, const Elf64_Shdr *sh)
{
	for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= sh->sh_size; at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;

		memcpy(&symbol, to + sh->sh_offset + at, sizeof(symbol));
		support_elf64_to_host(&symbol, ELF_T_SYM, sizeof(symbol));
		const struct guest_segment *s = placed(o, symbol.st_shndx);

		if (s)
			symbol.st_value += s->start;
		else
			symbol.st_shndx = SHN_UNDEF;
		support_elf64_to_file(&symbol, ELF_T_SYM, sizeof(symbol));
		memcpy(to + sh->sh_offset + at, &symbol, sizeof(symbol));
	}
}

/* Sections and symbols at the addresses where the kernel has them, in a copy of the file. */
static void move_file(const struct guest_object *o, uint8_t *to)
{
	Elf64_Ehdr h;

	memcpy(&h, to, sizeof(h));
	support_elf64_to_host(&h, ELF_T_EHDR, sizeof(h));
	for (size_t i = 0; i < h.e_shnum && h.e_shentsize == sizeof(Elf64_Shdr); i++) {
		const uint64_t at = h.e_shoff + i * sizeof(Elf64_Shdr);
		const struct guest_segment *s = placed(o, (uint32_t)i);
		Elf64_Shdr sh;

		if (at > o->size || o->size - at < sizeof(sh))
			return;
		memcpy(&sh, to + at, sizeof(sh));
		support_elf64_to_host(&sh, ELF_T_SHDR, sizeof(sh));
		if (s)
			sh.sh_addr = s->start;
		Elf64_Shdr moved = sh;

		support_elf64_to_file(&moved, ELF_T_SHDR, sizeof(moved));
		memcpy(to + at, &moved, sizeof(moved));
		if (sh.sh_type == SHT_SYMTAB && sh.sh_offset <= o->size &&
		    sh.sh_size <= o->size - sh.sh_offset)
			move_symbols(o, to, &sh);
	}
}

/* True: the names of a module are those of its copy, at the addresses of the guest. */
bool guest_move_module(struct guest_object *o)
{
	if (o->size < sizeof(Elf64_Ehdr) || o->bytes[EI_CLASS] != ELFCLASS64)
		return false;
	o->moved = malloc(o->size);
	if (!o->moved)
		return false;
	memcpy(o->moved, o->bytes, o->size);
	move_file(o, o->moved);
	return true;
}
