/* Where images of the same code differ. */
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "trace/search_sites.h"
#include "support/sections.h"

/* Equal bytes between two differences that keep them one site: shorter than an instruction. */
#define BETWEEN 4u
/* A difference of more bytes is an area.  In it more bytes may be equal by chance. */
#define PATCH 64u
#define BETWEEN_IN_AREA 512u
/* Memory is used again in pages. */
#define PAGE 4096u
#define PATCHES_OF_SITE 8u
#define FILL 64u /* bytes of one value that are no code */

/* ---- images with the same sections ---------------------------------------------- */

static void copy_into(const struct hs_image *to, const struct hs_image *from)
{
	size_t n;

	for (size_t i = 0; i < from->count; i++)
		memcpy((uint8_t *)(uintptr_t)hs_img_bytes(to, from->sections[i].start, &n),
		       from->sections[i].bytes, from->sections[i].size);
}

/* The sections of all images, joined. */
static enum hs_status join_all(struct sites *s, const struct hs_image *images, size_t count,
                               struct hs_section **joined, size_t *joined_count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += images[i].count;
	*joined = calloc(n + 1, sizeof(**joined));
	if (!*joined)
		return HS_E_MEMORY;
	n = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < images[i].count; k++)
			(*joined)[n++] = images[i].sections[k];
	s->size = support_join_sections(*joined, &n);
	*joined_count = n;
	return HS_OK;
}

static void lay_out(struct sites *s, const struct hs_section *joined, size_t count)
{
	for (size_t i = 0; i < s->image_count; i++) {
		struct hs_section *to = s->sections + i * count;
		uint8_t *bytes = s->memory + i * s->size;

		for (size_t k = 0; k < count; k++) {
			to[k] = (struct hs_section){ joined[k].start, joined[k].size, bytes };
			bytes += joined[k].size;
		}
		s->images[i].sections = to;
		s->images[i].count = count;
	}
}

/* Fill the images: what a later one lacks is as before it, what only a later one has was there. */
static void fill_images(struct sites *s, const struct hs_image *images)
{
	for (size_t i = s->image_count; i-- > 0;)
		copy_into(&s->images[0], &images[i]);
	for (size_t i = 1; i < s->image_count; i++) {
		memcpy(s->memory + i * s->size, s->memory + (i - 1) * s->size, s->size);
		copy_into(&s->images[i], &images[i]);
	}
}

static enum hs_status make_images(struct sites *s, const struct hs_image *images, size_t count)
{
	struct hs_section *joined;
	size_t n;
	const enum hs_status status = join_all(s, images, count, &joined, &n);

	if (status != HS_OK)
		return status;
	s->image_count = count;
	s->sections = calloc(count * n + 1, sizeof(*s->sections));
	s->memory = calloc(1, count * s->size + 1);
	for (size_t i = 0; i < count; i++) {
		s->images[i] = images[0];
		s->images[i].count = 0;
	}
	if (s->sections && s->memory) {
		lay_out(s, joined, n);
		fill_images(s, images);
	}
	free(joined);
	return s->sections && s->memory ? HS_OK : HS_E_MEMORY;
}

/* ---- instructions of a site ------------------------------------------------------ */

/* Where plain instructions of an image from @at on end, at @end or after it; 0: one of them can
 * change the PC, or names a jump's target. */
static uint64_t end_of_plain(const struct hs_image *image, uint64_t at, uint64_t end)
{
	struct hs_insn insn;

	while (at < end) {
		if (hs_img_insn(image, at, &insn) != HS_OK || insn.kind != HS_INSN_LINEAR ||
		    insn.constant)
			return 0;
		at += 2u * insn.hwords;
	}
	return at;
}

/* Do all versions lead from @at through plain instructions to the same end? */
static bool leads_on(const struct sites *s, uint64_t at, uint64_t end)
{
	const uint64_t first = end_of_plain(&s->images[0], at, end);

	for (size_t i = 1; i < s->image_count; i++)
		if (end_of_plain(&s->images[i], at, end) != first)
			return false;
	return first != 0;
}

/* Where the instructions of a site begin is not known: the one that is cut by its start, if there
 * is one, must lead on as well. */
static bool decides(const struct sites *s, const struct site *site)
{
	const uint64_t end = site->start + site->size;
	struct hs_insn before;

	if (!leads_on(s, site->start, end))
		return true;
	return hs_img_insn(&s->images[0], site->start - 2, &before) == HS_OK && before.hwords > 1 &&
	       !leads_on(s, site->start - 2, end);
}

/* The end of the first instruction of a site, where the rest may change at another moment: in all
 * versions it ends there, and no pair of instructions is cut (auipc and a jump). */
static uint64_t first_part(const struct sites *s, uint64_t start, uint64_t end)
{
	struct hs_insn first, insn;

	if (hs_img_insn(&s->images[0], start, &first) != HS_OK)
		return end;
	const uint64_t next = start + 2u * first.hwords;

	for (size_t i = 0; i < s->image_count; i++)
		if (hs_img_insn(&s->images[i], start, &insn) != HS_OK || insn.constant ||
		    insn.hwords != first.hwords)
			return end;
	return next < end ? next : end;
}

/* ---- finding them ---------------------------------------------------------------- */

static enum hs_status grow(void **array, size_t *room, size_t need, size_t item)
{
	size_t more = *room ? *room : 64;

	if (need <= *room)
		return HS_OK;
	while (more < need)
		more *= 2;
	void *bigger = reallocarray(*array, more, item);

	if (!bigger)
		return HS_E_MEMORY;
	*array = bigger;
	*room = more;
	return HS_OK;
}

static bool is_new(const struct sites *s, const struct site *site, const uint8_t *bytes)
{
	for (unsigned i = 0; i < site->count; i++)
		if (memcmp(site_version(s, site, i)->bytes, bytes, site->size) == 0)
			return false;
	return true;
}

static void add_version(struct sites *s, struct site *site, const uint8_t *bytes, uint32_t image)
{
	s->versions[s->version_count++] = (struct version){ bytes, image };
	site->count++;
}

/* Versions of patches, which come between the first image and the later ones. */
static void add_patched(struct sites *s, struct site *site)
{
	const struct patches *p = &s->patches;

	for (size_t i = patches_after(p, site->start);
	     i < p->n && p->v[i].start == site->start && site->count < PATCHES_OF_SITE; i++)
		if (p->v[i].size == site->size && is_new(s, site, p->v[i].bytes))
			add_version(s, site, p->v[i].bytes, HS_CODE_PATCHED);
}

/* Is memory filled with one value around [@at, @at + @size) of an image?  That is no code. */
static bool is_filled(const uint8_t *memory, size_t total, size_t at, uint32_t size)
{
	const size_t from = at < FILL / 2 ? 0 : at - FILL / 2, wanted = from + FILL + size;
	const size_t end = wanted < total ? wanted : total;

	return end - from >= FILL && memcmp(memory + from, memory + from + 1, end - from - 1) == 0;
}

/* What is to be a site: the bytes of all images, from @at on in the memory of each. */
struct span_of {
	uint64_t start;
	size_t at;
	uint32_t size;
	bool area, patched;
};

static enum hs_status add_site(struct sites *s, const struct span_of *of)
{
	struct site site = { .start = of->start,
		             .size = of->size,
		             .area = of->area,
		             .first = (uint32_t)s->version_count };

	if (grow((void **)&s->items, &s->room, s->count + 1, sizeof(*s->items)) != HS_OK ||
	    grow((void **)&s->versions, &s->version_room,
	         s->version_count + s->image_count + PATCHES_OF_SITE,
	         sizeof(*s->versions)) != HS_OK)
		return HS_E_MEMORY;
	for (uint32_t i = 0; i < s->image_count; i++) {
		const uint8_t *bytes = s->memory + i * s->size + of->at;

		const bool other = !site.count || memcmp(s->versions[s->version_count - 1].bytes,
		                                         bytes, of->size) != 0;

		if (other && !(i && (of->area || of->patched) &&
		               is_filled(s->memory + i * s->size, s->size, of->at, of->size)))
			add_version(s, &site, bytes, i);
		if (i == 0 && of->patched)
			add_patched(s, &site);
	}
	if (site.count < 2)
		return HS_OK;
	site.decides = site.area || of->patched || decides(s, &site);
	s->items[s->count++] = site;
	return HS_OK;
}

/* ---- code that is not kept, and may have been patched ----------------------------- */

/* Does the patch lead another way than what is there? */
static bool leads_elsewhere(const struct sites *s, const struct patch *p)
{
	const struct hs_section bytes = { p->start, p->size, p->bytes };
	struct hs_image image = s->images[0];
	const uint64_t end = p->start + p->size, at = end_of_plain(&s->images[0], p->start, end);

	image.sections = &bytes;
	image.count = 1;
	return at == 0 || end_of_plain(&image, p->start, end) != at;
}

/* The next patch of [@at, @end) that is to be a site of its own; NULL: none. */
static const struct patch *next_patch(const struct sites *s, uint64_t at, uint64_t end)
{
	const struct patches *p = &s->patches;

	for (size_t i = patches_after(p, at); i < p->n && p->v[i].start < end; i++)
		if (p->v[i].size <= end - p->v[i].start && leads_elsewhere(s, &p->v[i]))
			return &p->v[i];
	return NULL;
}

/* An area from @at to @end, page by page, for each may change at a moment of its own. */
static enum hs_status add_area(struct sites *s, const struct hs_section *section, uint64_t at,
                               uint64_t end)
{
	const size_t base = (size_t)(section->bytes - s->memory);
	enum hs_status status = HS_OK;

	while (at < end && status == HS_OK) {
		const uint64_t page = (at | (PAGE - 1)) + 1, stop = page && page < end ? page : end;
		const struct patch *p = next_patch(s, at, end);
		const bool here = p && p->start == at;
		const uint64_t next = here ? at + p->size : p && p->start < stop ? p->start : stop;
		const struct span_of of = { at, base + (size_t)(at - section->start),
			                    (uint32_t)(next - at), !here, here };

		status = add_site(s, &of);
		at = next;
	}
	return status;
}

/* Patches of code that is the same in all images that have it, of which the last one has not. */
static enum hs_status add_unkept(struct sites *s, const struct hs_section *section, size_t from,
                                 size_t size)
{
	const uint64_t end = section->start + from + size;
	uint64_t at = section->start + from;
	enum hs_status status = HS_OK;
	const struct patch *p;
	size_t n;

	for (p = next_patch(s, at, end); p && status == HS_OK; p = next_patch(s, at, end)) {
		const struct span_of of = { p->start,
			                    (size_t)(section->bytes - s->memory) +
			                            (size_t)(p->start - section->start),
			                    p->size, false, true };

		if (!hs_img_bytes(s->last, p->start, &n))
			status = add_site(s, &of);
		at = p->start + p->size;
	}
	return status;
}

/* ---- differences ------------------------------------------------------------------ */

/* Bytes from @at on that are equal in all images, at most @n. */
static size_t equal_bytes(const struct sites *s, size_t at, size_t n)
{
	size_t i = 0;

	for (size_t k = 1; k < s->image_count; k++) {
		const uint8_t *a = s->memory + at, *b = a + k * s->size;

		for (i = 0; i + 256 <= n && memcmp(a + i, b + i, 256) == 0;)
			i += 256;
		while (i < n && a[i] == b[i])
			i++;
		n = i;
	}
	return n;
}

/* Bytes from @at on up to the next equal ones, at most @n. */
static size_t different_bytes(const struct sites *s, size_t at, size_t n)
{
	size_t end = 0, i = 0;

	while (i < n && i - end <= (end > PATCH ? BETWEEN_IN_AREA : BETWEEN)) {
		if (equal_bytes(s, at + i, 1) == 0)
			end = i + 1;
		i++;
	}
	return end;
}

/* The sites of a difference, in half-words. */
static enum hs_status add_difference(struct sites *s, const struct hs_section *section, size_t from,
                                     size_t size)
{
	const size_t base = (size_t)(section->bytes - s->memory);
	uint64_t at = (section->start + from) & ~(uint64_t)1;
	const uint64_t last = section->start + section->size;
	uint64_t end = (section->start + from + size + 1) & ~(uint64_t)1;
	enum hs_status status = HS_OK;

	if (at < section->start)
		at = section->start;
	if (end > last)
		end = last;
	if (end - at > PATCH)
		return add_area(s, section, at, end);
	while (at < end && status == HS_OK) {
		const uint64_t next = first_part(s, at, end);
		const struct span_of of = { at, base + (size_t)(at - section->start),
			                    (uint32_t)(next - at), false, false };

		status = add_site(s, &of);
		at = next;
	}
	return status;
}

static enum hs_status find_in(struct sites *s, const struct hs_section *section)
{
	const size_t base = (size_t)(section->bytes - s->memory);
	enum hs_status status = HS_OK;

	for (size_t i = 0; status == HS_OK && i < section->size;) {
		const size_t same = equal_bytes(s, base + i, section->size - i);

		status = add_unkept(s, section, i, same);
		i += same;
		const size_t n = different_bytes(s, base + i, section->size - i);

		if (n && status == HS_OK)
			status = add_difference(s, section, i, n);
		i += n;
	}
	return status;
}

/* ---- where they are -------------------------------------------------------------- */

#define NEAR_BITS 20u
#define NEAR_BYTES 32u

static size_t near_bit(uint64_t addr)
{
	return (size_t)((addr / NEAR_BYTES * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - NEAR_BITS));
}

static enum hs_status mark_near(struct sites *s)
{
	s->near = calloc((size_t)1 << (NEAR_BITS - 6), sizeof(*s->near));
	if (!s->near)
		return HS_E_MEMORY;
	for (size_t i = 0; i < s->count; i++) {
		const struct site *site = &s->items[i];

		for (uint64_t a = site->start / NEAR_BYTES;
		     site->decides && !site->area &&
		     a <= (site->start + site->size - 1) / NEAR_BYTES;
		     a++) {
			const size_t bit = near_bit(a * NEAR_BYTES);

			s->near[bit / 64] |= (uint64_t)1 << bit % 64;
		}
	}
	return HS_OK;
}

bool sites_may_touch(const struct sites *s, uint64_t start, uint64_t end)
{
	for (uint64_t a = start / NEAR_BYTES; a <= (end - 1) / NEAR_BYTES; a++) {
		const size_t bit = near_bit(a * NEAR_BYTES);

		if (s->near[bit / 64] >> bit % 64 & 1)
			return true;
	}
	return false;
}

size_t sites_after(const struct sites *s, uint64_t addr)
{
	return base_count_leading(s->count, i, s->items[i].start + (s->items[i].size - 1) < addr);
}

enum hs_status sites_init(struct sites *s, const struct hs_image *images, size_t count)
{
	enum hs_status status;

	memset(s, 0, sizeof(*s));
	status = make_images(s, images, count);
	if (status == HS_OK)
		status = patches_find(&s->patches, &s->images[0]);
	s->last = &images[count - 1];
	for (size_t i = 0; i < s->images[0].count && status == HS_OK; i++)
		status = find_in(s, &s->images[0].sections[i]);
	return status == HS_OK ? mark_near(s) : status;
}

void sites_free(struct sites *s)
{
	free(s->sections);
	free(s->memory);
	free(s->items);
	free(s->versions);
	patches_free(&s->patches);
	free(s->near);
}
