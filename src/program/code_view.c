/* Views of code that changes.
 *
 * Addresses are divided into lines.  A line that was changed has contents, each with a number, and
 * each hart knows which of them it has; the others are as the program has them. */
#include <stdlib.h>
#include <string.h>

#include "program/private.h"
#include "program/program.h"
#include "support/grow.h"
#include "support/hash.h"
#include "support/sections.h"

#define LINE 64u
#define MARKS (1u << 16) /* bits, by the hash of a line */

/* What a line had at some moment, on any hart. */
struct content {
	uint64_t line, number;
	uint8_t bytes[LINE];
};

/* The content that a line of a hart has. */
struct current {
	uint64_t line, number;
};

/* Numbers of consecutive lines as one number. */
struct pair {
	uint64_t a, b, number;
};

struct view_hart {
	uint32_t hart;
	struct hs_image image; /* sections NULL: that of the program */
	struct hs_section *sections;
	size_t section_room;
	uint8_t **owned; /* bytes of sections */
	size_t owned_count, owned_room;
	struct support_hash lines; /* of struct current: those that were changed */
	uint64_t marks[MARKS / 64]; /* where a bit is 0, no such line was changed */
};

struct hs_code_view {
	struct hs_program *program;
	struct view_hart **harts, *now;
	size_t hart_count;
	struct support_hash contents, pairs;
};

/* ---- harts --------------------------------------------------------------------- */

enum hs_status hs_code_view_select_hart(struct hs_code_view *v, uint32_t hart)
{
	for (size_t i = 0; i < v->hart_count; i++)
		if (v->harts[i]->hart == hart) {
			v->now = v->harts[i];
			return HS_OK;
		}
	struct view_hart *h = calloc(1, sizeof(*h));
	struct view_hart **more = realloc(v->harts, (v->hart_count + 1) * sizeof(*more));

	if (more)
		v->harts = more;
	if (!h || !more) {
		free(h);
		return HS_E_MEMORY;
	}
	h->hart = hart;
	h->lines.item_size = sizeof(struct current);
	more[v->hart_count++] = v->now = h;
	return HS_OK;
}

enum hs_status hs_code_view_new(struct hs_program *program, struct hs_code_view **view)
{
	struct hs_code_view *v = calloc(1, sizeof(*v));

	if (!v)
		return HS_E_MEMORY;
	v->program = program;
	v->contents.item_size = sizeof(struct content);
	v->pairs.item_size = sizeof(struct pair);
	if (hs_code_view_select_hart(v, 0) != HS_OK) {
		hs_code_view_free(v);
		return HS_E_MEMORY;
	}
	*view = v;
	return HS_OK;
}

static void free_hart(struct view_hart *h)
{
	for (size_t i = 0; i < h->owned_count; i++)
		free(h->owned[i]);
	free(h->owned);
	free(h->sections);
	support_hash_free(&h->lines);
	free(h);
}

void hs_code_view_free(struct hs_code_view *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->hart_count; i++)
		free_hart(v->harts[i]);
	free(v->harts);
	support_hash_free(&v->contents);
	support_hash_free(&v->pairs);
	free(v);
}

const struct hs_image *hs_code_view_image(const struct hs_code_view *v)
{
	return v->now->sections ? &v->now->image : hs_program_image(v->program);
}

/* ---- an image of its own --------------------------------------------------------- */

/* Let memory live as long as the hart; NULL stays NULL. */
static uint8_t *own(struct view_hart *h, uint8_t *bytes)
{
	if (!bytes ||
	    !support_grow(&h->owned, &h->owned_room, h->owned_count + 1, sizeof(*h->owned))) {
		free(bytes);
		return NULL;
	}
	return h->owned[h->owned_count++] = bytes;
}

static uint8_t *own_bytes(struct view_hart *h, size_t n)
{
	return own(h, calloc(1, n + 1));
}

/* The hart's own copy of the program's code. */
static enum hs_status copy_image(struct view_hart *h, const struct hs_image *from)
{
	struct support_code copy;

	if (!support_copy_code(from, NULL, 0, &copy))
		return HS_E_MEMORY;
	if (!own(h, copy.bytes)) {
		free(copy.sections);
		return HS_E_MEMORY;
	}
	h->image = *from;
	h->image.sections = h->sections = copy.sections;
	h->image.count = h->section_room = copy.count;
	return HS_OK;
}

/* The first section that begins at @addr or later; their number where none does. */
static size_t first_from(const struct view_hart *h, uint64_t addr)
{
	size_t low = 0, high = h->image.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (h->sections[middle].start < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Add a section where there is none. */
static enum hs_status add_section(struct view_hart *h, uint64_t start, uint64_t size)
{
	const size_t n = h->image.count, at = first_from(h, start);

	if (!support_grow(&h->sections, &h->section_room, n + 1, sizeof(*h->sections)))
		return HS_E_MEMORY;
	h->image.sections = h->sections;
	struct hs_section *const more = h->sections;
	const uint8_t *bytes = own_bytes(h, size);

	if (!bytes)
		return HS_E_MEMORY;
	memmove(&more[at + 1], &more[at], (n - at) * sizeof(*more));
	more[at] = (struct hs_section){ start, size, bytes };
	h->image.count++;
	return HS_OK;
}

/* Where the next section begins, at most @end. */
static uint64_t next_start(const struct view_hart *h, uint64_t addr, uint64_t end)
{
	const size_t i = first_from(h, addr);

	return i < h->image.count && h->sections[i].start < end ? h->sections[i].start : end;
}

/* Make the hart's image have every byte of @code. */
static enum hs_status make_room(struct view_hart *h, const struct hs_section *code)
{
	const uint64_t end = code->start + code->size;
	enum hs_status status = HS_OK;

	for (uint64_t at = code->start; at < end && status == HS_OK;) {
		size_t n;

		if (hs_img_bytes(&h->image, at, &n)) {
			at += n;
			continue;
		}
		const uint64_t to = next_start(h, at, end);

		status = add_section(h, at, to - at);
		at = to;
	}
	return status;
}

/* Write @n bytes at @addr, all of which are in the image. */
static void write_bytes(struct view_hart *h, uint64_t addr, const uint8_t *from, size_t n)
{
	while (n) {
		size_t left;
		uint8_t *to = (uint8_t *)(uintptr_t)hs_img_bytes(&h->image, addr, &left);

		left = left < n ? left : n;
		memcpy(to, from, left);
		addr += left;
		from += left;
		n -= left;
	}
}

/* ---- numbers ------------------------------------------------------------------- */

static bool same_content(const void *item, const void *key)
{
	const struct content *a = item, *b = key;

	return a->line == b->line && memcmp(a->bytes, b->bytes, LINE) == 0;
}

static bool same_current(const void *item, const void *key)
{
	return ((const struct current *)item)->line == *(const uint64_t *)key;
}

static bool same_pair(const void *item, const void *key)
{
	const struct pair *a = item, *b = key;

	return a->a == b->a && a->b == b->b;
}

static void read_line(const struct view_hart *h, struct content *c)
{
	for (unsigned i = 0; i < LINE; i++) {
		size_t n;
		const uint8_t *p = hs_img_bytes(&h->image, c->line * LINE + i, &n);

		c->bytes[i] = p ? *p : 0;
	}
}

static uint32_t hash_content(const struct content *c)
{
	uint64_t words[LINE / 8], mix = c->line;

	memcpy(words, c->bytes, sizeof(words));
	for (unsigned i = 0; i < LINE / 8; i++)
		mix = (mix ^ words[i]) * 0x9e3779b97f4a7c15ull + (mix >> 29);
	return support_hash_of(mix, c->line);
}

/* The number of a line's bytes; the first ones of all have 0. */
static enum hs_status number_content(struct hs_code_view *v, struct content *c, bool first)
{
	const uint32_t hash = hash_content(c);
	struct content *known = support_hash_find(&v->contents, hash, same_content, c);

	if (!known) {
		c->number = first ? 0 : v->contents.count + UINT64_C(1);
		known = support_hash_add(&v->contents, hash);
		if (known)
			*known = *c;
	}
	if (!known)
		return HS_E_MEMORY;
	c->number = known->number;
	return HS_OK;
}

static uint32_t hash_line(uint64_t line)
{
	return support_hash_of(line, 0);
}

/* The entry of a line that changes, a new one the first time. */
static enum hs_status enter_line(struct hs_code_view *v, uint64_t line)
{
	struct view_hart *h = v->now;
	const uint32_t hash = hash_line(line);
	struct content before = { .line = line };

	if (support_hash_find(&h->lines, hash, same_current, &line))
		return HS_OK;
	read_line(h, &before);
	if (number_content(v, &before, true) != HS_OK)
		return HS_E_MEMORY;
	struct current *c = support_hash_add(&h->lines, hash);

	if (!c)
		return HS_E_MEMORY;
	*c = (struct current){ line, before.number };
	h->marks[hash % MARKS / 64] |= UINT64_C(1) << hash % 64;
	return HS_OK;
}

static enum hs_status renumber_line(struct hs_code_view *v, uint64_t line)
{
	struct content now = { .line = line };

	read_line(v->now, &now);
	if (number_content(v, &now, false) != HS_OK)
		return HS_E_MEMORY;
	struct current *c =
		support_hash_find(&v->now->lines, hash_line(line), same_current, &line);

	c->number = now.number;
	return HS_OK;
}

enum hs_status hs_code_view_change(struct hs_code_view *v, uint32_t number)
{
	const struct hs_program *p = v->program;
	struct view_hart *h = v->now;
	struct hs_section code;

	if (!p->versions || p->versions(p->versions_of, number, &code) != HS_OK || !code.size)
		return HS_E_ARG;
	const uint64_t first = code.start / LINE, last = (code.start + code.size - 1) / LINE;
	enum hs_status s = h->sections ? HS_OK : copy_image(h, hs_program_image(v->program));

	for (uint64_t line = first; line <= last && s == HS_OK; line++)
		s = enter_line(v, line);
	if (s == HS_OK)
		s = make_room(h, &code);
	if (s == HS_OK)
		write_bytes(h, code.start, code.bytes, code.size);
	for (uint64_t line = first; line <= last && s == HS_OK; line++)
		s = renumber_line(v, line);
	return s;
}

static uint64_t number_of_line(const struct view_hart *h, uint64_t line)
{
	const uint32_t hash = hash_line(line);

	if (!(h->marks[hash % MARKS / 64] >> hash % 64 & 1))
		return 0;
	const struct current *c = support_hash_find(&h->lines, hash, same_current, &line);

	return c ? c->number : 0;
}

/* Two numbers of one range as one; 0 stays 0. */
static enum hs_status join_numbers(struct hs_code_view *v, uint64_t *number, uint64_t next)
{
	const struct pair key = { *number, next, v->pairs.count + UINT64_C(1) };
	const uint32_t hash = support_hash_of(key.a, key.b);
	struct pair *known = NULL;

	if (!key.a && !key.b)
		return HS_OK;
	known = support_hash_find(&v->pairs, hash, same_pair, &key);
	if (!known) {
		known = support_hash_add(&v->pairs, hash);
		if (!known)
			return HS_E_MEMORY;
		*known = key;
	}
	*number = known->number;
	return HS_OK;
}

enum hs_status hs_code_view_get_number(struct hs_code_view *v, uint64_t addr, uint64_t bytes,
                                       uint64_t *number)
{
	const uint64_t first = addr / LINE, last = bytes ? (addr + (bytes - 1)) / LINE : first;
	enum hs_status s = HS_OK;

	*number = 0;
	if (!v->now->sections)
		return HS_OK;
	*number = number_of_line(v->now, first);
	for (uint64_t line = first + 1; line <= last && s == HS_OK; line++)
		s = join_numbers(v, number, number_of_line(v->now, line));
	return s;
}
