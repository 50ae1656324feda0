/* The code that a log shows: pages of bytes, as they were first, and as each hart has them now. */
#include <stdlib.h>
#include <string.h>

#include "inputs/log_private.h"
#include "support/grow.h"

void log_code_init(struct hs_seen_code *c, const struct hs_image *program)
{
	*c = (struct hs_seen_code){ .program = program };
	c->pages.item_size = sizeof(struct log_page_slot);
	c->versions.item_size = sizeof(struct log_version);
}

void log_code_free(struct hs_seen_code *c)
{
	const struct log_page_slot *slots = c->pages.items;

	for (uint32_t i = 0; i < c->pages.count; i++)
		free(slots[i].page);
	support_hash_free(&c->pages);
	support_hash_free(&c->versions);
	free(c->fresh);
}

/* ---- pages -------------------------------------------------------------------------------- */

static bool is_known(const struct log_page *p, unsigned at)
{
	return p->known[at / 8] >> at % 8 & 1;
}

static void set_byte(struct log_page *p, unsigned at, uint8_t byte)
{
	p->bytes[at] = byte;
	p->known[at / 8] |= (uint8_t)(1u << at % 8);
}

static bool same_page(const void *item, const void *key)
{
	const struct log_page_slot *a = item, *b = key;

	return a->start == b->start && a->owner == b->owner;
}

static struct log_page *find_page(const struct hs_seen_code *c, uint64_t start, uint64_t owner)
{
	const struct log_page_slot key = { start, owner, NULL };
	const struct log_page_slot *slot =
		support_hash_find(&c->pages, support_hash_of(start, owner), same_page, &key);

	return slot ? slot->page : NULL;
}

/* A page of the program. */
static void copy_program(const struct hs_seen_code *c, struct log_page *page)
{
	const struct hs_image *image = c->program;

	for (size_t i = 0; image && i < image->count; i++) {
		const struct hs_section *s = &image->sections[i];
		const uint64_t from = s->start > page->start ? s->start : page->start;

		for (uint64_t a = from; a - page->start < LOG_PAGE && a - s->start < s->size; a++)
			set_byte(page, (unsigned)(a - page->start), s->bytes[a - s->start]);
	}
}

/* A page of @owner that is not there yet: a copy of the first one. */
static struct log_page *add_page(struct hs_seen_code *c, uint64_t start, uint64_t owner)
{
	const struct log_page *first = owner ? find_page(c, start, 0) : NULL;
	struct log_page *page = c->pages.count < LOG_PAGES ? calloc(1, sizeof(*page)) : NULL;
	struct log_page_slot *slot =
		page ? support_hash_add(&c->pages, support_hash_of(start, owner)) : NULL;

	if (!slot) {
		free(page);
		return NULL;
	}
	page->start = start;
	if (first)
		*page = *first;
	else
		copy_program(c, page);
	*slot = (struct log_page_slot){ start, owner, page };
	c->cached = NULL;
	return page;
}

static struct log_page *first_page(struct hs_seen_code *c, uint64_t start)
{
	struct log_page *page = find_page(c, start, 0);

	return page ? page : add_page(c, start, 0);
}

/* The page as a hart has it. */
static struct log_page *page_of(struct hs_seen_code *c, uint64_t owner, uint64_t addr)
{
	const uint64_t start = addr & ~(uint64_t)(LOG_PAGE - 1);
	struct log_page *page = c->cached;

	if (page && page->start == start && c->cached_owner == owner)
		return page;
	page = find_page(c, start, owner);
	if (!page)
		page = first_page(c, start);
	c->cached = page;
	c->cached_owner = owner;
	return page;
}

/* ---- what was seen first ------------------------------------------------------------------ */

static bool add_fresh(struct hs_seen_code *c, uint64_t addr)
{
	struct log_piece *last =
		c->fresh_count > c->fresh_next ? &c->fresh[c->fresh_count - 1] : NULL;

	if (last && last->start + last->size == addr && addr % LOG_PAGE) {
		last->size++;
		return true;
	}
	if (!support_grow(&c->fresh, &c->fresh_room, c->fresh_count + 1, sizeof(*c->fresh)))
		return false;
	c->fresh[c->fresh_count++] = (struct log_piece){ addr, 1 };
	return true;
}

bool hs_seen_code_next(struct hs_seen_code *c, struct hs_section *code)
{
	if (c->fresh_next == c->fresh_count) {
		c->fresh_next = c->fresh_count = 0;
		return false;
	}
	const struct log_piece *p = &c->fresh[c->fresh_next++];
	const struct log_page *page = find_page(c, p->start & ~(uint64_t)(LOG_PAGE - 1), 0);

	*code = (struct hs_section){ p->start, p->size, page->bytes + p->start % LOG_PAGE };
	return true;
}

/* ---- versions ----------------------------------------------------------------------------- */

static bool same_version(const void *item, const void *key)
{
	return memcmp(item, key, sizeof(struct log_version)) == 0;
}

static bool number_version(struct hs_seen_code *c, uint64_t pc, const uint8_t *bytes, size_t n,
                           uint32_t *number)
{
	struct log_version key = { .pc = pc, .n = n }, *v;
	uint64_t word;

	memcpy(key.bytes, bytes, n);
	memcpy(&word, key.bytes, sizeof(word));
	const uint32_t hash = support_hash_of(pc, word);

	v = support_hash_find(&c->versions, hash, same_version, &key);
	if (!v && c->versions.count < LOG_VERSIONS)
		v = support_hash_add(&c->versions, hash);
	if (!v)
		return false;
	*v = key;
	*number = (uint32_t)(v - (struct log_version *)c->versions.items);
	return true;
}

enum hs_status hs_seen_code_version(void *code, uint32_t number, struct hs_section *section)
{
	const struct hs_seen_code *c = code;

	if (number >= c->versions.count)
		return HS_E_ARG;
	const struct log_version *v = support_hash_item(&c->versions, number);

	*section = (struct hs_section){ v->pc, v->n, v->bytes };
	return HS_OK;
}

/* ---- bytes -------------------------------------------------------------------------------- */

/* A byte that nobody has seen before: it is part of the first code. */
static bool learn(struct hs_seen_code *c, struct log_page *page, uint64_t addr, uint8_t byte)
{
	struct log_page *first = first_page(c, page->start);
	const unsigned at = (unsigned)(addr % LOG_PAGE);

	if (!first)
		return false;
	const bool fresh = !is_known(first, at);

	set_byte(page, at, byte);
	if (fresh)
		set_byte(first, at, byte);
	return !fresh || add_fresh(c, addr);
}

enum check { SAME, DIFFERS, NO_PAGE };

static enum check check_byte(struct hs_seen_code *c, uint64_t owner, uint64_t addr, uint8_t byte)
{
	struct log_page *page = page_of(c, owner, addr);
	const unsigned at = (unsigned)(addr % LOG_PAGE);

	if (!page)
		return NO_PAGE;
	if (is_known(page, at))
		return page->bytes[at] == byte ? SAME : DIFFERS;
	return learn(c, page, addr, byte) ? SAME : NO_PAGE;
}

/* From now on a hart has @byte there. */
static bool change_byte(struct hs_seen_code *c, uint64_t owner, uint64_t addr, uint8_t byte)
{
	const uint64_t start = addr & ~(uint64_t)(LOG_PAGE - 1);
	struct log_page *page = find_page(c, start, owner);

	if (!page)
		page = add_page(c, start, owner);
	if (!page)
		return false;
	c->cached = NULL;
	set_byte(page, (unsigned)(addr % LOG_PAGE), byte);
	return true;
}

static enum log_seen see(struct hs_seen_code *c, uint64_t owner, uint64_t pc, const uint8_t *bytes,
                         size_t n, uint32_t *number)
{
	enum check worst = SAME;

	for (size_t i = 0; i < n; i++) {
		const enum check k = check_byte(c, owner, pc + i, bytes[i]);

		worst = k > worst ? k : worst;
	}
	if (worst == SAME)
		return LOG_SAME;
	for (size_t i = 0; i < n && worst == DIFFERS; i++)
		if (!change_byte(c, owner, pc + i, bytes[i]))
			worst = NO_PAGE;
	if (worst == NO_PAGE || !number_version(c, pc, bytes, n, number))
		return LOG_NO_MEMORY;
	return LOG_CHANGED;
}

enum log_seen log_code_see(struct hs_seen_code *c, uint64_t owner, uint64_t pc,
                           const uint8_t *bytes, size_t n, uint32_t *number)
{
	const enum log_seen seen = see(c, owner, pc, bytes, n, number);

	c->stats.changes += seen == LOG_CHANGED;
	c->stats.incomplete |= seen == LOG_NO_MEMORY;
	return seen;
}

bool log_code_get(struct hs_seen_code *c, uint64_t owner, const struct hs_isa *isa, uint64_t pc,
                  uint8_t bytes[HS_INSN_MAX], struct hs_insn *insn)
{
	size_t n = 0;

	memset(bytes, 0, HS_INSN_MAX);
	for (; n < HS_INSN_MAX; n++) {
		const struct log_page *page = page_of(c, owner, pc + n);
		const unsigned at = (unsigned)((pc + n) % LOG_PAGE);

		if (!page || !is_known(page, at))
			break;
		bytes[n] = page->bytes[at];
	}
	return n >= 2 && hs_isa_decode(isa, pc, bytes, n, insn) == HS_OK;
}
