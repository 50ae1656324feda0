/* Programs: where exceptions land, by the tables of C++ and of languages with its runtime
 * (.gcc_except_table; LSB 5.0 gives the unwind information that leads there). */
#include <gelf.h>
#include <stdlib.h>

#include "core/search.h"
#include "program/encoded.h"
#include "program/private.h"
#include "support/grow.h"

/* A function with a table. */
struct landings {
	uint64_t start, size; /* as it was loaded */
	uint64_t data;        /* address of its table, as the file has it */
	const struct program_file *file;
};

enum hs_status program_add_landings(struct hs_program *p, const struct program_file *f,
                                    uint64_t start, uint64_t size, uint64_t data)
{
	if (!support_grow(&p->landings.items, &p->landings.cap, p->landings.count + 1,
	                  sizeof(*p->landings.items)))
		return HS_E_MEMORY;
	p->landings.items[p->landings.count++] = (struct landings){
		.start = program_wrap(p, start + f->bias), .size = size, .data = data, .file = f
	};
	p->landings.sorted = false;
	return HS_OK;
}

/* ---- a table ---------------------------------------------------------------------------- */

/* The bytes at @addr of a file, to the end of their section. */
static bool find_bytes(const struct program_file *f, uint64_t addr, struct encoded *e)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr sh;
		Elf_Data *d;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS ||
		    addr - sh.sh_addr >= sh.sh_size)
			continue;
		d = elf_getdata(scn, NULL);
		if (!d || !d->d_buf || addr - sh.sh_addr >= d->d_size)
			return false;
		e->at = (const uint8_t *)d->d_buf + (addr - sh.sh_addr);
		e->end = (const uint8_t *)d->d_buf + d->d_size;
		e->address = gelf_getclass(f->elf) == ELFCLASS32 ? 4 : 8;
		return true;
	}
	return false;
}

static bool take_byte(struct encoded *e, unsigned *byte)
{
	if (e->at == e->end)
		return false;
	*byte = *e->at++;
	return true;
}

/* Move to the first call site.  @encoding is that of its values; @base, what landing pads are
 * relative to, is the function's start unless the table says otherwise. */
static bool open_table(struct encoded *e, unsigned *encoding, uint64_t *base)
{
	unsigned how;
	uint64_t n;

	if (!take_byte(e, &how))
		return false;
	if (how != PE_OMIT && ((how & PE_BASE) || !program_take_encoded(e, how, base)))
		return false;
	if (!take_byte(e, &how) || (how != PE_OMIT && !program_take_encoded(e, PE_ULEB128, &n)) ||
	    !take_byte(e, encoding) || !program_take_encoded(e, PE_ULEB128, &n))
		return false;
	if (n < (size_t)(e->end - e->at))
		e->end = e->at + n;
	return true;
}

/* The landing pad for the call at @at, bytes from the function's start. */
static bool find_pad(struct encoded *e, uint64_t at, uint64_t function, uint64_t *landing)
{
	uint64_t base = function, start, size, pad, action;
	unsigned encoding;

	if (!open_table(e, &encoding, &base))
		return false;
	while (e->at < e->end) {
		if (!program_take_encoded(e, encoding, &start) ||
		    !program_take_encoded(e, encoding, &size) ||
		    !program_take_encoded(e, encoding, &pad) ||
		    !program_take_encoded(e, PE_ULEB128, &action))
			return false;
		if (at - start < size) {
			*landing = base + pad;
			return pad != 0;
		}
	}
	return false;
}

/* ---- functions -------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct landings *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static const struct landings *find_landings(struct hs_program *p, uint64_t addr)
{
	if (!p->landings.sorted && p->landings.count)
		qsort(p->landings.items, p->landings.count, sizeof(*p->landings.items), by_start);
	p->landings.sorted = true;
	const size_t lo =
		base_count_leading(p->landings.count, i, p->landings.items[i].start <= addr);

	return lo && addr - p->landings.items[lo - 1].start < p->landings.items[lo - 1].size
	               ? &p->landings.items[lo - 1]
	               : NULL;
}

bool hs_program_find_landing(struct hs_program *p, uint64_t resume, uint64_t *landing)
{
	const struct landings *l = find_landings(p, resume - 1);
	struct encoded e;
	uint64_t pad;

	if (!l || !find_bytes(l->file, l->data, &e) ||
	    !find_pad(&e, resume - 1 - l->start, program_wrap(p, l->start - l->file->bias), &pad))
		return false;
	*landing = program_wrap(p, pad + l->file->bias);
	return true;
}
