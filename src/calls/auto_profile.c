/* Profiles for gcc's -fauto-profile: version 2 of the format, which gcc 12 to 15 read.
 *
 * Words are little-endian.  After three words come the names, and the functions, each with the
 * counts of its places and with the functions that were inlined in it.  gcc drops what follows a
 * dot in a name, so that copies of a function, such as sort.constprop.0, are one here. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/status.h>

#include "calls/line_format.h"
#include "core/search.h"

#define MAGIC 0x67636461u /* gcda */
#define VERSION 2u
#define TAG_NAMES 0xaa000000u
#define TAG_FUNCTIONS 0xac000000u
#define TAG_MODULES 0xae000000u
#define INDIRECT_CALL 7u /* what a count of a target is about */

/* The bytes of what is written. */
enum {
	WORD = 4,
	COUNTER = 8,
	PLACE_SIZE = WORD + WORD + COUNTER,
	TARGET_SIZE = WORD + COUNTER + COUNTER,
	FUNCTION_SIZE = 3 * WORD
};

/* A name without what follows a dot; its number in the file is its item's and 1. */
struct name {
	char *text;
};

struct merged {
	struct support_hash names;   /* of struct name */
	struct support_hash records; /* of struct line_record */
	struct line_record **all;    /* sorted */
};

/* ---- copies of a function are one ---------------------------------------------------------- */

static uint32_t plain_number(uint32_t discriminator)
{
	return discriminator & 0xffff;
}

static uint32_t one_copy(uint32_t discriminator)
{
	(void)discriminator;
	return 1;
}

static enum hs_status begin(struct hs_export *x)
{
	static const struct line_places places = { plain_number, one_copy };

	return exports_lines_begin(x, &places);
}

static bool same_name(const void *item, const void *key)
{
	return strcmp(((const struct name *)item)->text, key) == 0;
}

/* The name that a function has for gcc; NULL: no memory. */
static const char *name_of(struct support_hash *names, const char *full)
{
	char *text = strndup(full, strcspn(full, "."));
	const uint32_t hash = text ? support_hash_text(text) : 0;
	struct name *n = text ? support_hash_find(names, hash, same_name, text) : NULL;

	if (!text || n) {
		free(text);
		return n ? n->text : NULL;
	}
	n = support_hash_add(names, hash);
	if (!n) {
		free(text);
		return NULL;
	}
	return n->text = text;
}

static uint32_t number_of(const struct support_hash *names, const char *text)
{
	const struct name *n = support_hash_find(names, support_hash_text(text), same_name, text);

	return 1 + (uint32_t)(n - (const struct name *)names->items);
}

/* Nobody calls these parts of a function by its name. */
static bool is_part(const char *name)
{
	return strstr(name, ".part.") || strstr(name, ".cold");
}

/* @numbers: of the records so far, in the merged ones. */
static bool merge_one(struct merged *m, const struct line_record *r, uint32_t *numbers)
{
	struct line_record key = *r;

	key.in = r->in == LINE_TOP ? LINE_TOP : numbers[r->in];
	key.name = r->name ? name_of(&m->names, r->name) : NULL;
	key.count = key.indirect = 0;
	struct line_record *to =
		!r->name == !key.name ? exports_lines_find(&m->records, &key) : NULL;

	if (!to)
		return false;
	numbers[r->number] = to->number;
	to->indirect += r->indirect;
	if (r->kind != LINE_FUNCTION || !is_part(r->name))
		to->count += r->count;
	return true;
}

static bool merge(struct merged *m, const struct support_hash *records)
{
	uint32_t *numbers = calloc((size_t)records->count + 1, sizeof(*numbers));
	bool good = numbers;

	for (uint32_t i = 0; good && i < records->count; i++)
		good = merge_one(m, support_hash_item(records, i), numbers);
	free(numbers);
	m->all = good ? exports_lines_sort(&m->records) : NULL;
	return m->all;
}

static void free_merged(struct merged *m)
{
	for (uint32_t i = 0; i < m->names.count; i++)
		free(((struct name *)support_hash_item(&m->names, i))->text);
	support_hash_free(&m->names);
	support_hash_free(&m->records);
	free(m->all);
}

/* ---- the file ------------------------------------------------------------------------------ */

static void put_bytes(struct hs_export *x, uint64_t v, unsigned n)
{
	uint8_t bytes[COUNTER];

	for (unsigned i = 0; i < n; i++)
		bytes[i] = (uint8_t)(v >> 8 * i);
	support_out_put(&x->out, bytes, n);
}

static void put_word(struct hs_export *x, uint32_t v)
{
	put_bytes(x, v, WORD);
}

static void put_text(struct hs_export *x, const char *text)
{
	const size_t n = strlen(text) + 1;

	put_word(x, (uint32_t)n);
	support_out_put(&x->out, text, n);
}

static void put_names(struct hs_export *x, const struct support_hash *names)
{
	size_t n = WORD + WORD + 1;

	for (uint32_t i = 0; i < names->count; i++)
		n += WORD + strlen(((struct name *)support_hash_item(names, i))->text) + 1;
	put_word(x, TAG_NAMES);
	put_word(x, (uint32_t)n);
	put_word(x, 1 + names->count);
	put_text(x, ""); /* gcc takes no name of number 0 */
	for (uint32_t i = 0; i < names->count; i++)
		put_text(x, ((struct name *)support_hash_item(names, i))->text);
}

static uint32_t place_of(const struct line_record *r)
{
	return r->offset << 16 | r->discriminator;
}

/* The calls through a register at a place, whose record is @at. */
static size_t count_targets(const struct merged *m, size_t at)
{
	size_t n = 0;

	for (size_t i = at + 1;
	     i < m->records.count && m->all[i]->kind == LINE_CALL &&
	     m->all[i]->in == m->all[at]->in && place_of(m->all[i]) == place_of(m->all[at]);
	     i++)
		n += m->all[i]->indirect != 0;
	return n;
}

static void put_place(struct hs_export *x, const struct merged *m, size_t at)
{
	size_t targets = count_targets(m, at);

	put_word(x, place_of(m->all[at]));
	put_word(x, (uint32_t)targets);
	put_bytes(x, m->all[at]->count, COUNTER);
	for (size_t i = at + 1; targets; i++) {
		if (!m->all[i]->indirect)
			continue;
		put_word(x, INDIRECT_CALL);
		put_bytes(x, number_of(&m->names, m->all[i]->name), COUNTER);
		put_bytes(x, m->all[i]->indirect, COUNTER);
		targets--;
	}
}

static uint32_t count_kind(const struct merged *m, size_t first, enum line_kind kind)
{
	uint32_t n = 0;

	for (size_t i = first; i < m->records.count && m->all[i]->in == m->all[first]->in; i++)
		n += m->all[i]->kind == kind;
	return n;
}

static void put_function(struct hs_export *x, const struct merged *m, const struct line_record *f)
{
	const size_t n = m->records.count;
	const size_t first = base_count_leading(n, k, m->all[k]->in < f->number);
	const bool any = first < n && m->all[first]->in == f->number;

	put_word(x, number_of(&m->names, f->name));
	put_word(x, any ? count_kind(m, first, LINE_BODY) : 0);
	put_word(x, any ? count_kind(m, first, LINE_FUNCTION) : 0);
	for (size_t i = first; i < n && m->all[i]->in == f->number; i++)
		if (m->all[i]->kind == LINE_BODY)
			put_place(x, m, i);
	for (size_t i = first; i < n && m->all[i]->in == f->number; i++) {
		if (m->all[i]->kind != LINE_FUNCTION)
			continue;
		put_word(x, place_of(m->all[i]));
		put_function(x, m, m->all[i]);
	}
}

static size_t size_of(const struct line_record *r)
{
	if (r->kind == LINE_FUNCTION)
		return FUNCTION_SIZE + (size_t)(r->in == LINE_TOP ? COUNTER : WORD);
	if (r->kind == LINE_BODY)
		return PLACE_SIZE;
	return r->indirect ? TARGET_SIZE : 0;
}

static void put_functions(struct hs_export *x, const struct merged *m)
{
	size_t size = WORD;
	uint32_t functions = 0;

	for (size_t i = 0; i < m->records.count; i++) {
		size += size_of(m->all[i]);
		functions += m->all[i]->in == LINE_TOP;
	}
	put_word(x, TAG_FUNCTIONS);
	put_word(x, (uint32_t)size);
	put_word(x, functions);
	for (size_t i = 0; i < m->records.count; i++) {
		if (m->all[i]->in != LINE_TOP)
			continue;
		put_bytes(x, m->all[i]->count, COUNTER);
		put_function(x, m, m->all[i]);
	}
}

static void put_file(struct hs_export *x, const struct merged *m)
{
	put_word(x, MAGIC);
	put_word(x, VERSION);
	put_word(x, 0);
	put_names(x, &m->names);
	put_functions(x, m);
	put_word(x, TAG_MODULES); /* there are none */
	put_word(x, WORD);
	put_word(x, 0);
}

static enum hs_status end(struct hs_export *x)
{
	const struct support_hash *records = exports_lines_end(x);
	struct merged m = { .names.item_size = sizeof(struct name),
		            .records.item_size = sizeof(struct line_record) };
	const bool good = records && merge(&m, records);

	if (good && !m.records.count) /* no line is known of what ran: that is nothing to export */
		x->report.instructions = 0;
	else if (good)
		put_file(x, &m);
	free_merged(&m);
	return good ? x->out.status : HS_E_MEMORY;
}

const struct exports_format exports_auto_profile = {
	.begin = begin, .item = exports_lines_item, .end = end, .free = exports_lines_free
};
