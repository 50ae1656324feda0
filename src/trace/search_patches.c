/* Tables of a Linux kernel: jump labels and alternatives.
 *
 * Both are arrays of 16 bytes an entry, with addresses as distances from the field that has them
 * (arch/riscv/include/asm/jump_label.h, alternative.h).  Memory does not say where the arrays are:
 * they are found by what each entry must be.
 */
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "trace/search_patches.h"

#define ENTRY 16u
#define RUN 8u         /* entries in a row that are no accident */
#define NEAR (1 << 20) /* how far a jump leads */
#define FAR (1 << 26)  /* a kernel's size, at most */

#define NOP 0x13u
#define IS_JUMP(insn) (((insn)&0xfffu) == 0x6fu) /* jal x0 */
#define IS_JAL(insn) (((insn)&0x7fu) == 0x6fu)
#define IS_AUIPC(insn) (((insn)&0x7fu) == 0x17u)
#define IS_JALR(insn) (((insn)&0x707fu) == 0x67u)

/* A place in a section, as a distance from its first byte. */
typedef int64_t place;

static uint32_t word_at(const uint8_t *b)
{
	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void put_word(uint8_t *b, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		b[i] = (uint8_t)(v >> 8 * i);
}

static place far_place(const struct hs_section *s, place at)
{
	return at + (int32_t)word_at(s->bytes + at);
}

static bool is_inside(const struct hs_section *s, place at, uint32_t size)
{
	return at >= 0 && (uint64_t)at + size <= s->size;
}

/* ---- instructions ---------------------------------------------------------------- */

static int32_t jal_offset(uint32_t insn)
{
	const uint32_t v = (insn >> 31) << 20 | (insn >> 12 & 0xff) << 12 | (insn >> 20 & 1) << 11 |
	                   (insn >> 21 & 0x3ff) << 1;

	return (int32_t)(v ^ 1u << 20) - (1 << 20);
}

static uint32_t make_jal(uint32_t insn, int64_t offset)
{
	const uint32_t v = (uint32_t)offset;

	return (insn & 0xfffu) | (v >> 20 & 1) << 31 | (v >> 1 & 0x3ff) << 21 |
	       (v >> 11 & 1) << 20 | (v >> 12 & 0xff) << 12;
}

/* Code that was written for address @from is put to @to: what it says of addresses outside of it
 * stays true. */
static void move_code(uint8_t *b, uint32_t size, int64_t by)
{
	for (uint32_t i = 0; i + 4 <= size; i += 4) {
		const uint32_t insn = word_at(b + i);
		const uint32_t next = i + 8 <= size ? word_at(b + i + 4) : 0;

		if (IS_JAL(insn)) {
			const int64_t to = (int64_t)i + jal_offset(insn);

			if (to < 0 || to >= (int64_t)size)
				put_word(b + i, make_jal(insn, jal_offset(insn) + by));
		} else if (IS_AUIPC(insn) && IS_JALR(next) &&
		           (insn >> 7 & 31) == (next >> 15 & 31)) {
			const int64_t offset =
				(int32_t)(insn & 0xfffff000u) + ((int32_t)next >> 20) + by;
			const uint32_t high = (uint32_t)(offset + 0x800) & 0xfffff000u;

			put_word(b + i, (insn & 0xfffu) | high);
			put_word(b + i + 4, (next & 0xfffffu) | (uint32_t)offset << 20);
			i += 4;
		}
	}
}

/* ---- entries --------------------------------------------------------------------- */

/* A jump label: { code, target, key }; there is a nop, or the jump to the target. */
static bool read_label(const struct hs_section *s, place at, struct patch *out)
{
	const place code = far_place(s, at), target = far_place(s, at + 4);
	const place offset = target - code;

	if (((code | target) & 1) || !is_inside(s, code, 4) || !is_inside(s, target, 2) ||
	    !offset || offset >= NEAR || offset < -NEAR)
		return false;
	const uint32_t insn = word_at(s->bytes + code);
	const bool jumps = IS_JUMP(insn) && jal_offset(insn) == offset;

	if (!jumps && insn != NOP)
		return false;
	out->start = s->start + (uint64_t)code;
	out->size = 4;
	put_word(out->bytes, jumps ? NOP : make_jal(0x6f, offset));
	return true;
}

/* An alternative: { old code, new code, vendor (16 bits), size (16 bits), which }. */
static bool read_alternative(const struct hs_section *s, place at, struct patch *out)
{
	const place code = far_place(s, at), other = far_place(s, at + 4);
	const uint32_t size = word_at(s->bytes + at + 8) >> 16;

	if (((code | other) & 1) || !size || size & 1 || size > PATCH_MAX ||
	    !is_inside(s, code, size) || !is_inside(s, other, size) || code == other ||
	    other - code >= FAR || code - other >= FAR)
		return false;
	out->start = s->start + (uint64_t)code;
	out->size = size;
	memcpy(out->bytes, s->bytes + other, size);
	move_code(out->bytes, size, other - code);
	return true;
}

/* ---- tables ---------------------------------------------------------------------- */

typedef bool read_entry(const struct hs_section *s, place at, struct patch *out);

static enum hs_status add(struct patches *p, const struct patch *patch)
{
	if (p->n == p->room) {
		const size_t room = p->room ? 2 * p->room : 256;
		struct patch *more = reallocarray(p->v, room, sizeof(*more));

		if (!more)
			return HS_E_MEMORY;
		p->v = more;
		p->room = room;
	}
	p->v[p->n++] = *patch;
	return HS_OK;
}

/* The entries in a row from @at on: their number. */
static size_t count_run(const struct hs_section *s, place at, read_entry *read)
{
	struct patch patch;
	size_t n = 0;

	while (is_inside(s, at, ENTRY) && read(s, at, &patch)) {
		at += ENTRY;
		n++;
	}
	return n;
}

static enum hs_status find_tables(struct patches *p, const struct hs_section *s, read_entry *read)
{
	enum hs_status status = HS_OK;

	for (place at = (place)(-s->start & 3); is_inside(s, at, ENTRY) && status == HS_OK;) {
		const size_t n = count_run(s, at, read);

		for (size_t i = 0; n >= RUN && i < n && status == HS_OK; i++) {
			struct patch patch = { 0, 0, { 0 } };

			read(s, at + (place)(i * ENTRY), &patch);
			status = add(p, &patch);
		}
		at += n >= RUN ? (place)(n * ENTRY) : 4;
	}
	return status;
}

static int by_start(const void *a, const void *b)
{
	const struct patch *x = a, *y = b;

	return x->start != y->start ? (x->start > y->start) - (x->start < y->start)
	                            : (x->size > y->size) - (x->size < y->size);
}

enum hs_status patches_find(struct patches *p, const struct hs_image *image)
{
	enum hs_status status = HS_OK;

	memset(p, 0, sizeof(*p));
	for (size_t i = 0; i < image->count && status == HS_OK; i++) {
		status = find_tables(p, &image->sections[i], read_label);
		if (status == HS_OK)
			status = find_tables(p, &image->sections[i], read_alternative);
	}
	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), by_start);
	return status;
}

void patches_free(struct patches *p)
{
	free(p->v);
}

size_t patches_after(const struct patches *p, uint64_t addr)
{
	return base_count_leading(p->n, i, p->v[i].start < addr);
}
