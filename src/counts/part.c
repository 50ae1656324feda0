/* Parts (compare.h) as files. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/compare.h>

#include "support/words.h"
#include "trace/trace.h"

static const uint8_t magic[8] = { 'H', 'S', 'P', 'A', 'R', 'T', '0', '1' };

#define HEAD 88u /* bytes before the errors by reason */
#define SUM 8u   /* at the end */
#define NAME HS_PART_NAME
#define TYPE (NAME + 24u)
#define ERROR 528u /* status, reason, text */
#define LEAST (HEAD + 8u * HS_PART_REASONS + SUM)

/* FNV-1a. */
static uint64_t sum_of(const uint8_t *p, size_t n)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ p[i]) * UINT64_C(0x100000001b3);
	return sum;
}

void hs_part_add_error(struct hs_part *p, const struct hs_error *error, enum hs_reason reason)
{
	if (p->errors < HS_PART_ERRORS)
		p->first[p->errors] = (struct hs_part_error){ *error, reason };
	p->errors++;
	p->by_reason[(unsigned)reason < HS_PART_REASONS ? reason : HS_REASON_NONE]++;
}

static uint64_t shown(uint64_t errors)
{
	return errors < HS_PART_ERRORS ? errors : HS_PART_ERRORS;
}

static size_t size_of(const struct hs_part *p)
{
	return LEAST + (size_t)shown(p->errors) * ERROR + p->type_count * TYPE + p->payload.n;
}

/* ---- writing ---------------------------------------------------------------------- */

static void put_head(const struct hs_part *p, uint8_t *to)
{
	const uint64_t words[] = { p->kind,       p->fingerprint, p->slice.number, p->slice.count,
		                   p->slice.next, p->slice.empty, p->slice.begin,  p->slice.end,
		                   p->errors,     p->type_count };

	memcpy(to, magic, sizeof(magic));
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		support_put64(to + 8 + 8 * i, words[i]);
}

static void put_error(const struct hs_part_error *e, uint8_t *to)
{
	memset(to, 0, ERROR);
	support_put64(to, e->error.status);
	support_put64(to + 8, e->reason);
	memcpy(to + 16, e->error.text, strnlen(e->error.text, sizeof(e->error.text) - 1));
}

static void put_type(const struct hs_part_type *t, uint8_t *to)
{
	memcpy(to, t->name, NAME);
	support_put64(to + NAME, t->messages);
	support_put64(to + NAME + 8, t->bytes);
	support_put64(to + NAME + 16, t->number);
}

size_t hs_part_write(const struct hs_part *p, uint8_t *out)
{
	if (!out)
		return size_of(p);
	uint8_t *to = out + HEAD;

	put_head(p, out);
	for (unsigned i = 0; i < HS_PART_REASONS; i++, to += 8)
		support_put64(to, p->by_reason[i]);
	for (uint64_t i = 0; i < shown(p->errors); i++, to += ERROR)
		put_error(&p->first[i], to);
	for (uint32_t i = 0; i < p->type_count; i++, to += TYPE)
		put_type(&p->types[i], to);
	if (p->payload.n)
		memcpy(to, p->payload.p, p->payload.n);
	to += p->payload.n;
	support_put64(to, sum_of(out, (size_t)(to - out)));
	return size_of(p);
}

/* ---- reading ---------------------------------------------------------------------- */

static bool has_words(const uint8_t *p, unsigned from, unsigned to, uint64_t most)
{
	for (unsigned i = from; i < to; i += 8)
		if (support_get64(p + i) > most)
			return false;
	return true;
}

/* The words of the head; false where they cannot be. */
static bool get_head(const uint8_t *p, struct hs_part *part)
{
	struct hs_source_slice *s = &part->slice;

	if (!has_words(p, 8, 16, HS_PART_CHECK) || !has_words(p, 24, 48, UINT32_MAX) ||
	    !has_words(p, 48, 56, 1) || !has_words(p, 80, 88, HS_PART_TYPES))
		return false;
	part->kind = (uint32_t)support_get64(p + 8);
	part->fingerprint = support_get64(p + 16);
	s->number = (uint32_t)support_get64(p + 24);
	s->count = (uint32_t)support_get64(p + 32);
	s->next = (uint32_t)support_get64(p + 40);
	s->empty = support_get64(p + 48);
	s->begin = support_get64(p + 56);
	s->end = support_get64(p + 64);
	part->errors = support_get64(p + 72);
	part->type_count = (uint32_t)support_get64(p + 80);
	return part->kind && s->number && s->number <= s->count && s->next <= s->count &&
	       (!s->next || s->next > s->number) && s->begin <= s->end;
}

static bool get_error(const uint8_t *p, struct hs_part_error *e)
{
	if (!has_words(p, 0, 16, HS_PART_REASONS * 16u) || p[ERROR - 1])
		return false;
	e->error.status = (enum hs_status)support_get64(p);
	e->reason = (enum hs_reason)support_get64(p + 8);
	memcpy(e->error.text, p + 16, sizeof(e->error.text));
	return true;
}

static bool get_type(const uint8_t *p, struct hs_part_type *t)
{
	if (p[NAME - 1] || !has_words(p, NAME + 16, NAME + 24, UINT32_MAX))
		return false;
	memcpy(t->name, p, NAME);
	t->messages = support_get64(p + NAME);
	t->bytes = support_get64(p + NAME + 8);
	t->number = (uint32_t)support_get64(p + NAME + 16);
	return true;
}

static bool get_lists(const struct hs_span *file, struct hs_part *p)
{
	const uint8_t *at = file->p + HEAD;
	bool good = size_of(p) <= file->n;

	if (!good)
		return false;
	for (unsigned i = 0; i < HS_PART_REASONS; i++, at += 8)
		p->by_reason[i] = support_get64(at);
	for (uint64_t i = 0; i < shown(p->errors) && good; i++, at += ERROR)
		good = get_error(at, &p->first[i]);
	for (uint32_t i = 0; i < p->type_count && good; i++, at += TYPE)
		good = get_type(at, &p->types[i]);
	p->payload = (struct hs_span){ at, (size_t)(file->p + file->n - SUM - at) };
	return good;
}

enum hs_status hs_part_read(const struct hs_span *file, struct hs_part *part)
{
	memset(part, 0, sizeof(*part));
	if (file->n < LEAST || memcmp(file->p, magic, sizeof(magic)) != 0 ||
	    support_get64(file->p + file->n - SUM) != sum_of(file->p, file->n - SUM))
		return HS_E_FORMAT;
	return get_head(file->p, part) && get_lists(file, part) ? HS_OK : HS_E_FORMAT;
}

/* ---- messages --------------------------------------------------------------------- */

void hs_part_set_counts(struct hs_part *p, const struct hs_message_count *counts, uint32_t n)
{
	p->type_count = n < HS_PART_TYPES ? n : HS_PART_TYPES;
	for (uint32_t i = 0; i < p->type_count; i++) {
		struct hs_part_type *t = &p->types[i];

		*t = (struct hs_part_type){ .messages = counts[i].messages,
			                    .bytes = counts[i].bytes,
			                    .number = counts[i].number };
		memcpy(t->name, counts[i].name, strnlen(counts[i].name, NAME - 1));
	}
}

uint32_t hs_part_get_counts(const struct hs_part *p, struct hs_message_count *out)
{
	for (uint32_t i = 0; i < p->type_count; i++)
		out[i] = (struct hs_message_count){ p->types[i].name, p->types[i].messages,
			                            p->types[i].bytes, p->types[i].number };
	return p->type_count;
}

/* ---- joining ---------------------------------------------------------------------- */

static void join_counts(struct hs_part *sum, const struct hs_part *next)
{
	struct hs_message_count all[HS_PART_TYPES], more[HS_PART_TYPES];
	struct hs_part names = *sum;
	const uint32_t n = hs_part_get_counts(&names, all);

	hs_part_set_counts(
		sum, all,
		hs_message_counts_add(all, n, HS_PART_TYPES, more, hs_part_get_counts(next, more)));
}

enum hs_status hs_part_join(struct hs_part *sum, const struct hs_part *next)
{
	if (sum->kind != next->kind || sum->fingerprint != next->fingerprint ||
	    sum->slice.count != next->slice.count || sum->slice.next != next->slice.number ||
	    sum->slice.end != next->slice.begin || next->slice.empty)
		return HS_E_ARG;
	for (uint64_t i = 0; i < shown(next->errors) && sum->errors + i < HS_PART_ERRORS; i++)
		sum->first[sum->errors + i] = next->first[i];
	sum->errors += next->errors;
	for (unsigned i = 0; i < HS_PART_REASONS; i++)
		sum->by_reason[i] += next->by_reason[i];
	join_counts(sum, next);
	sum->slice.next = next->slice.next;
	sum->slice.end = next->slice.end;
	return HS_OK;
}
