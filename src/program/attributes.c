/* Programs: the instruction set by ELF attributes (RISC-V ELF psABI, "Attributes"). */
#include <gelf.h>
#include <string.h>

#include "program/private.h"

#define SHT_RISCV_ATTRIBUTES_ 0x70000003u
#define TAG_FILE 1
#define TAG_ARCH 5

struct cursor {
	const uint8_t *p, *end;
};

static uint64_t read_uleb(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; c->p < c->end; shift += 7) {
		const uint8_t b = *c->p++;

		if (shift < 63)
			v |= (uint64_t)(b & 0x7fu) << shift;
		if (!(b & 0x80u))
			break;
	}
	return v;
}

static uint32_t read_word(struct cursor *c)
{
	uint32_t v = 0;

	if (c->end - c->p < 4) {
		c->p = c->end;
		return 0;
	}
	for (unsigned i = 0; i < 4; i++)
		v |= (uint32_t)*c->p++ << (8 * i);
	return v;
}

/* A string and its terminator; NULL, and the cursor at the end, where it has none. */
static const char *read_string(struct cursor *c)
{
	const char *s = (const char *)c->p;
	const uint8_t *nul = memchr(c->p, 0, (size_t)(c->end - c->p));

	c->p = nul ? nul + 1 : c->end;
	return nul ? s : NULL;
}

/* Odd tags are strings, even tags are numbers. */
static const char *arch_of(struct cursor c)
{
	while (c.p < c.end) {
		const uint64_t tag = read_uleb(&c);

		if (tag % 2 == 0) {
			read_uleb(&c);
			continue;
		}
		const char *s = read_string(&c);

		if (tag == TAG_ARCH)
			return s;
	}
	return NULL;
}

/* 'A', then per vendor: length, name, and sub-sections of tag, length, attributes. */
static const char *find_arch(const uint8_t *bytes, size_t size)
{
	struct cursor c = { bytes, bytes + size };

	if (size < 1 || *c.p++ != 'A')
		return NULL;
	const uint32_t vendor_size = read_word(&c);
	const char *vendor = read_string(&c);

	if (vendor_size < 4 || !vendor || strcmp(vendor, "riscv") != 0)
		return NULL;
	while (c.p < c.end) {
		const uint8_t *start = c.p;
		const uint64_t tag = read_uleb(&c);
		const uint32_t length = read_word(&c);

		if (length < 5 || length > (size_t)(c.end - start))
			return NULL;
		if (tag == TAG_FILE)
			return arch_of((struct cursor){ c.p, start + length });
		c.p = start + length;
	}
	return NULL;
}

void program_read_attributes(struct hs_program *p, Elf *elf)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		const Elf_Data *d;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RISCV_ATTRIBUTES_)
			continue;
		d = elf_rawdata(scn, NULL);
		const char *arch = d && d->d_buf ? find_arch(d->d_buf, d->d_size) : NULL;

		if (arch && (strstr(arch, "_zcmp") || strstr(arch, "_zcmt")))
			p->image.isa.zcmp_zcmt = true;
		if (arch && strstr(arch, "_xpulp"))
			p->image.isa.pulp = true;
	}
}
