/* Programs: is a file's code what ran?  The bytes that ran are those of images; a file that has
 * others, or another build-id, names nothing (design/code-files). */
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "program/line_at.h"
#include "program/private.h"
#include "program/program.h"

#define PATCHED_SHARE 8u /* of code that may change where it runs one byte in so many may differ */

/* What a comparison found. */
struct comparison {
	uint64_t bytes, other; /* compared, different */
	uint64_t first;        /* address of the first that is different */
	bool may_change;       /* all that is different is of a writable segment, or a kernel's */
};

/* ---- code of files --------------------------------------------------------------- */

enum hs_status program_read_extents(struct hs_program *p, struct program_file *f)
{
	size_t count = 0;

	if (elf_getphdrnum(f->elf, &count) != 0 || !count)
		return HS_OK;
	f->code = calloc(count, sizeof(*f->code));
	if (!f->code)
		return HS_E_MEMORY;
	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(f->elf, (int)i, &ph))
			break;
		const uint64_t start = program_wrap(p, ph.p_vaddr + f->bias);

		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) || !ph.p_filesz ||
		    start > UINT64_MAX - ph.p_filesz)
			continue;
		f->kernel |= ph.p_vaddr >> 63;
		f->code[f->code_count++] = (struct program_extent){ .start = start,
			                                            .size = ph.p_filesz,
			                                            .offset = ph.p_offset,
			                                            .writable = ph.p_flags & PF_W };
	}
	return HS_OK;
}

static const uint8_t *bytes_of(const struct program_file *f, struct program_extent *e)
{
	if (!e->bytes && e->offset <= INT64_MAX) {
		Elf_Data *d = elf_getdata_rawchunk(f->elf, (int64_t)e->offset, e->size, ELF_T_BYTE);

		e->bytes = d && d->d_size == e->size ? d->d_buf : NULL;
	}
	return e->bytes;
}

static struct program_extent *extent_at(const struct program_file *f, uint64_t addr)
{
	for (size_t i = 0; i < f->code_count; i++)
		if (addr - f->code[i].start < f->code[i].size)
			return &f->code[i];
	return NULL;
}

const struct program_file *program_file_at(const struct hs_program *p, uint64_t addr)
{
	for (const struct program_file *f = p->open; f; f = f->next)
		if (extent_at(f, addr))
			return f->refused ? NULL : f;
	return NULL;
}

/* ---- comparing ------------------------------------------------------------------- */

/* Compare what a section of an image and an extent have in common. */
static void compare_section(const struct program_file *f, struct program_extent *e,
                            const struct hs_section *s, struct comparison *c)
{
	const uint64_t from = s->start > e->start ? s->start : e->start;
	const uint64_t s_last = s->start + (s->size - 1), e_last = e->start + (e->size - 1);
	const uint64_t last = s_last < e_last ? s_last : e_last;

	if (from > last || !bytes_of(f, e))
		return;
	const uint8_t *ran = s->bytes + (from - s->start), *own = e->bytes + (from - e->start);
	const uint64_t n = last - from + 1;

	c->bytes += n;
	if (memcmp(ran, own, n) == 0)
		return;
	c->may_change &= e->writable || f->kernel;
	for (uint64_t i = 0; i < n; i++) {
		if (ran[i] == own[i])
			continue;
		if (!c->other++)
			c->first = from + i;
	}
}

static struct comparison compare(const struct hs_program *p, const struct program_file *f)
{
	struct comparison c = { .may_change = true };

	for (size_t k = 0; k < f->code_count; k++)
		for (size_t i = 0; i < p->overlay.n; i++)
			compare_section(f, &f->code[k], &p->overlay.v[i], &c);
	return c;
}

static enum hs_status refuse_by_id(struct hs_program *p, struct program_file *f,
                                   const struct hs_span *ran)
{
	char own[2 * SUPPORT_ID_MAX + 1], other[2 * SUPPORT_ID_MAX + 1];

	f->refused = true;
	support_id_text(f->id, f->id_size, own);
	support_id_text(ran->p, ran->n, other);
	return program_add_note(
		p,
		"%s: was built again after it was recorded: its build-id is %s, what "
		"ran has %s; it names nothing",
		f->path, own, other);
}

/* More than half of what ran is not the file's, though it is the same build. */
static enum hs_status note_same_build(struct hs_program *p, const struct program_file *f,
                                      const struct comparison *c)
{
	return program_add_note(p,
	                        "%s: has the build-id of what ran, and %" PRIu64 " of the %" PRIu64
	                        " bytes that ran are others, the first is at 0x%" PRIx64
	                        " (it was mapped elsewhere, or written over): it names nothing; "
	                        "--elf FILE+OFFSET says where it was",
	                        f->path, c->other, c->bytes, c->first);
}

static enum hs_status judge(struct hs_program *p, struct program_file *f,
                            const struct comparison *c)
{
	f->patched = c->other != 0;
	if (f->same_build)
		f->refused = c->other > c->bytes / 2;
	else
		f->refused = c->other && (!c->may_change || c->other > c->bytes / PATCHED_SHARE);
	if (!f->refused)
		return HS_OK;
	if (f->same_build)
		return note_same_build(p, f, c);
	return program_add_note(
		p,
		"%s: is not the file that ran (built again?): %" PRIu64 " of the %" PRIu64
		" bytes that ran are others, the first is at 0x%" PRIx64 "; it names nothing",
		f->path, c->other, c->bytes, c->first);
}

enum hs_status program_compare_file(struct hs_program *p, struct program_file *f,
                                    const struct hs_span *build_id)
{
	const bool known = build_id->n && build_id->n <= SUPPORT_ID_MAX && f->id_size;

	if (known && (build_id->n != f->id_size || memcmp(build_id->p, f->id, f->id_size) != 0))
		return refuse_by_id(p, f, build_id);
	f->same_build |= known;
	const struct comparison c = compare(p, f);

	return judge(p, f, &c);
}

enum hs_status program_compare_files(struct hs_program *p)
{
	enum hs_status s = HS_OK;

	for (struct program_file *f = p->open; f && s == HS_OK; f = f->next)
		if (f->elf && !f->refused && !f->debug_of)
			s = program_compare_file(p, f, &(struct hs_span){ NULL, 0 });
	p->symbols.sorted = p->lines_sorted = false;
	return s;
}

const uint8_t *program_file_code(struct hs_program *p, uint64_t addr, uint64_t *n)
{
	const struct program_file *f = program_file_at(p, addr);
	struct program_extent *e = f ? extent_at(f, addr) : NULL;

	if (!e || !bytes_of(f, e))
		return NULL;
	*n = e->size - (addr - e->start);
	return e->bytes + (addr - e->start);
}

/* ---- single instructions ----------------------------------------------------------- */

static bool is_same(const uint8_t *own, const uint8_t *ran, uint64_t n)
{
	const uint64_t size = (ran[0] & 3u) == 3u ? 4 : 2; /* longer ones differ in the first */

	return memcmp(own, ran, size < n ? size : n) == 0;
}

bool hs_program_is_as_in_file(struct hs_program *p, uint64_t addr, const struct hs_span *code)
{
	const struct program_file *f = program_file_at(p, addr);
	size_t n = code && code->p ? code->n : 0;
	const uint8_t *ran = n ? code->p : NULL;

	if (!f || f->kernel || (!ran && !f->patched))
		return true;
	if (!ran)
		ran = hs_img_bytes(&p->image, addr, &n);
	struct program_extent *e = extent_at(f, addr);
	const uint64_t left = e->size - (addr - e->start);

	if (!ran || !n || !bytes_of(f, e))
		return true;
	return is_same(e->bytes + (addr - e->start), ran, n < left ? n : left);
}
