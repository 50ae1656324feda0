/* The parts of a trace together (job_part.h). */
#include <stdlib.h>
#include <string.h>

#include "common/job_part.h"

/* ---- payloads --------------------------------------------------------------------- */

void job_put_word(uint8_t *to, uint64_t v)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(v >> 8 * i);
}

static uint64_t word_at(const uint8_t *p)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 8; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

/* The first two words are sums, the others a list. */
static enum hs_status add_words(struct job_sum *s, const struct hs_span *payload)
{
	const size_t n = payload->n / 8;

	if (payload->n % 8 || n < 2)
		return HS_E_FORMAT;
	const size_t first = s->word_count ? 2 : 0;
	uint64_t *more = reallocarray(s->words, s->word_count + n, sizeof(*more));

	if (!more)
		return HS_E_MEMORY;
	s->words = more;
	for (size_t i = 0; i < first; i++)
		s->words[i] += word_at(payload->p + 8 * i);
	for (size_t i = first; i < n; i++)
		s->words[s->word_count++] = word_at(payload->p + 8 * i);
	return HS_OK;
}

/* The last items of both, of which @next has the later ones. */
static void join_before(struct hs_part_hart *h, const struct hs_part_hart *next)
{
	const unsigned room = sizeof(h->before) / sizeof(*h->before);
	const unsigned n = next->before_count < room ? (unsigned)next->before_count : room;

	memmove(h->before, h->before + n, (room - n) * sizeof(*h->before));
	memcpy(h->before + room - n, next->before + room - n, n * sizeof(*h->before));
	h->before_count += next->before_count;
}

static enum hs_status add_hart(struct job_sum *s, const struct hs_part_hart *next)
{
	size_t i = 0;

	while (i < s->hart_count && s->harts[i].number != next->number)
		i++;
	if (i == s->hart_count) {
		struct hs_part_hart *more = reallocarray(s->harts, i + 1, sizeof(*more));

		if (!more)
			return HS_E_MEMORY;
		s->harts = more;
		s->harts[s->hart_count++] = *next;
		return HS_OK;
	}
	struct hs_part_hart *h = &s->harts[i];

	if (h->differs)
		return HS_OK;
	h->blocks += next->blocks;
	h->traps += next->traps;
	h->ecalls += next->ecalls;
	h->instructions += next->instructions;
	h->unmapped += next->unmapped;
	h->differs = next->differs;
	memcpy(h->ended, next->ended, sizeof(h->ended));
	memcpy(h->items, next->items, sizeof(h->items));
	join_before(h, next);
	return HS_OK;
}

/* After a difference of the first hart nothing is compared any more. */
static enum hs_status add_harts(struct job_sum *s, const struct hs_span *payload)
{
	enum hs_status status = HS_OK;
	struct hs_part_hart h;

	if (s->hart_count && s->harts[0].differs)
		return HS_OK;
	for (size_t i = 0; status == HS_OK; i++) {
		status = hs_part_get_hart(payload, i, &h);
		if (status == HS_OK)
			status = add_hart(s, &h);
	}
	return status == HS_END ? HS_OK : status;
}

static enum hs_status add_payload(struct job_sum *s, const struct hs_part *part)
{
	if (part->kind == HS_PART_FLOW)
		return add_words(s, &part->payload);
	if (part->kind == HS_PART_CHECK)
		return add_harts(s, &part->payload);
	if (!s->tally && hs_tally_new(NULL, &s->tally) != HS_OK)
		return HS_E_MEMORY;
	return hs_tally_merge(s->tally, &part->payload);
}

/* ---- the sum ---------------------------------------------------------------------- */

bool job_sum_add(struct job_sum *sum, const struct hs_part *part)
{
	enum hs_status status = HS_OK;

	if (sum->any)
		status = hs_part_join(&sum->part, part);
	else
		sum->part = *part;
	sum->any = true;
	sum->part.payload = (struct hs_span){ NULL, 0 };
	if (status == HS_OK)
		status = add_payload(sum, part);
	if (status != HS_OK)
		complain("part %u of %u: %s", part->slice.number, part->slice.count,
		         status == HS_E_ARG ? "does not continue the one before"
		                            : hs_status_text(status));
	return status == HS_OK;
}

static size_t payload_size(const struct job_sum *s)
{
	return s->tally ? hs_tally_write(s->tally, NULL)
	                : 8 * s->word_count + HS_PART_HART * s->hart_count;
}

static void write_payload(const struct job_sum *s, uint8_t *to)
{
	if (s->tally)
		hs_tally_write(s->tally, to);
	for (size_t i = 0; i < s->word_count; i++, to += 8)
		job_put_word(to, s->words[i]);
	for (size_t i = 0; i < s->hart_count; i++, to += HS_PART_HART)
		hs_part_put_hart(&s->harts[i], to);
}

struct hs_span job_sum_file(const struct job_sum *sum)
{
	struct hs_part *whole = malloc(sizeof(*whole));
	uint8_t *payload = malloc(payload_size(sum)), *bytes = NULL;
	size_t n = 0;

	if (whole && payload) {
		*whole = sum->part;
		write_payload(sum, payload);
		whole->payload = (struct hs_span){ payload, payload_size(sum) };
		n = hs_part_write(whole, NULL);
		bytes = malloc(n);
	}
	if (bytes)
		hs_part_write(whole, bytes);
	free(payload);
	free(whole);
	return (struct hs_span){ bytes, bytes ? n : 0 };
}

void job_sum_free(struct job_sum *sum)
{
	hs_tally_free(sum->tally);
	free(sum->words);
	free(sum->harts);
}

void job_sum_damage(const struct job_sum *sum, struct damage *damage)
{
	const struct hs_part *p = &sum->part;

	for (unsigned i = 0; i < p->errors && i < HS_PART_ERRORS; i++)
		damage_add(damage, &p->first[i].error, p->first[i].reason);
	damage->count = p->errors;
	memcpy(damage->by_reason, p->by_reason, sizeof(damage->by_reason));
}
