/* The log of a recording, in memory: checked once, then trusted. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/image.h>

#include "recording/log.h"
#include "recording/order.h"
#include "support/grow.h"

static uint32_t first_half(const uint8_t *code)
{
	return code[0] | (uint32_t)code[1] << 8;
}

bool rec_log_run_ok(const struct hs_rec_log_head *head)
{
	const struct hs_rec_log_run *run = (const void *)(head + 1);

	return head->size > sizeof(*run) && run->bytes == head->size - sizeof(*run) &&
	       run->bytes % 2 == 0 && run->start % 2 == 0 && run->start + run->bytes > run->start;
}

static bool moved_ok(const struct hs_rec_log_head *head)
{
	const struct hs_rec_log_moved *m = (const void *)(head + 1);

	return head->size == sizeof(*m) && m->page % HS_REC_PAGE == 0 && m->to % HS_REC_PAGE == 0;
}

static bool start_ok(const struct hs_rec_log_head *head)
{
	const struct hs_rec_log_start *s = (const void *)(head + 1);

	return head->size == sizeof(*s) && s->magic == HS_REC_LOG_MAGIC &&
	       (s->xlen == 32 || s->xlen == 64);
}

static bool resume_ok(const struct hs_rec_log_head *head)
{
	const struct hs_rec_log_resume *r = (const void *)(head + 1);

	return head->size == sizeof(*r) && r->to % 2 == 0;
}

static bool record_ok(const struct hs_rec_log_head *head, bool first)
{
	const uint8_t *p = (const uint8_t *)(head + 1);

	if (first != (head->type == HS_REC_LOG_START))
		return false;
	switch (head->type) {
	case HS_REC_LOG_START:
		return start_ok(head);
	case HS_REC_LOG_RUN:
		return rec_log_run_ok(head);
	case HS_REC_LOG_BLOCK:
	case HS_REC_LOG_CHANGED:
		return head->size == 16;
	case HS_REC_LOG_MAP:
		return head->size >= sizeof(struct hs_rec_log_map) &&
		       memchr(p + sizeof(struct hs_rec_log_map), 0,
		              head->size - sizeof(struct hs_rec_log_map)) == NULL;
	case HS_REC_LOG_CODE:
	case HS_REC_LOG_VERSION:
		return head->size > 8 &&
		       *(const uint64_t *)(const void *)p + (head->size - 8) >
		       *(const uint64_t *)(const void *)p;
	case HS_REC_LOG_MOVED:
		return moved_ok(head);
	case HS_REC_LOG_RESUME:
		return resume_ok(head);
	default:
		return false;
	}
}

/* Keep where a record is. */
static enum hs_status add_place(uint32_t **places, uint32_t *count, size_t *room, size_t at)
{
	if (!support_grow(places, room, *count + (size_t)1, sizeof(**places)))
		return HS_E_MEMORY;
	(*places)[(*count)++] = (uint32_t)(at / 8);
	return HS_OK;
}

static enum hs_status add_record(struct rec_log *log, uint32_t type, size_t at)
{
	if (type == HS_REC_LOG_RUN || type == HS_REC_LOG_BLOCK)
		return add_place(&log->runs, &log->run_count, &log->run_capacity, at);
	if (type == HS_REC_LOG_VERSION)
		return add_place(&log->codes, &log->code_count, &log->code_capacity, at);
	if (type == HS_REC_LOG_MOVED)
		return add_place(&log->moves, &log->move_count, &log->move_capacity, at);
	return HS_OK;
}

/* The head of the next record, in this host's order. */
static struct hs_rec_log_head next_head(const struct rec_log *log)
{
	struct hs_rec_log_head head;

	memcpy(&head, log->raw + log->parsed, sizeof(head));
	if (REC_SWAPS && log->from_file) {
		head.type = __builtin_bswap32(head.type);
		head.size = __builtin_bswap32(head.size);
	}
	return head;
}

/* A record that is complete, in this host's order. */
static const struct hs_rec_log_head *take_record(struct rec_log *log, struct hs_rec_log_head head)
{
	struct hs_rec_log_head *record = (void *)(log->raw + log->parsed);

	if (REC_SWAPS && log->from_file) {
		*record = head;
		rec_swap_payload(&head, record + 1);
	}
	return record;
}

/* Check the records that are complete by now. */
static enum hs_status parse_records(struct rec_log *log)
{
	while (log->size - log->parsed >= sizeof(struct hs_rec_log_head)) {
		const struct hs_rec_log_head next = next_head(log);
		const size_t whole = sizeof(next) + ((size_t)next.size + 7) / 8 * 8;

		if (next.size > HS_REC_LOG_MAX)
			return HS_E_FORMAT;
		if (log->size - log->parsed < whole)
			break;
		const struct hs_rec_log_head *head = take_record(log, next);

		if (!record_ok(head, !log->started))
			return HS_E_FORMAT;
		if (head->type == HS_REC_LOG_START)
			memcpy(&log->start, head + 1, sizeof(log->start));
		log->started = true;
		log->blocks += head->type == HS_REC_LOG_BLOCK;
		if (add_record(log, head->type, log->parsed) != HS_OK)
			return HS_E_MEMORY;
		log->parsed += whole;
	}
	return HS_OK;
}

enum hs_status rec_log_append(struct rec_log *log, const void *bytes, size_t n)
{
	if (n > (log->limit ? log->limit : REC_LOG_LIMIT) - log->size)
		return HS_E_FORMAT;
	if (!support_grow(&log->raw, &log->capacity, log->size + n, 1))
		return HS_E_MEMORY;
	memcpy(log->raw + log->size, bytes, n);
	log->size += n;
	return parse_records(log);
}

void rec_log_free(struct rec_log *log)
{
	free(log->raw);
	free(log->runs);
	free(log->codes);
	free(log->moves);
	*log = (struct rec_log){ 0 };
}

void rec_log_drop(struct rec_log *log)
{
	if (log->parsed == 0)
		return;
	memmove(log->raw, log->raw + log->parsed, log->size - log->parsed);
	log->size -= log->parsed;
	log->parsed = 0;
	log->run_count = log->blocks = log->code_count = log->move_count = 0;
}

bool rec_log_next(const struct rec_log *log, size_t *at, const struct hs_rec_log_head **head)
{
	if (*at >= log->parsed)
		return false;
	*head = (const void *)(log->raw + *at);
	*at += sizeof(**head) + ((size_t)(*head)->size + 7) / 8 * 8;
	return true;
}

const struct hs_rec_log_head *rec_log_record(const struct rec_log *log, uint32_t run)
{
	return (const void *)(log->raw + 8 * (size_t)log->runs[run]);
}

const struct hs_rec_log_run *rec_log_run(const struct rec_log *log, uint32_t run)
{
	const struct hs_rec_log_head *head;

	if (run >= log->run_count)
		return NULL;
	head = rec_log_record(log, run);
	return head->type == HS_REC_LOG_RUN ? (const void *)(head + 1) : NULL;
}

const struct hs_rec_log_moved *rec_log_moved(const struct rec_log *log, uint32_t number)
{
	return (const void *)(log->raw + 8 * (size_t)log->moves[number] +
	                      sizeof(struct hs_rec_log_head));
}

bool rec_log_code(const struct rec_log *log, uint32_t number, struct hs_section *code)
{
	if (number >= log->code_count)
		return false;
	const struct hs_rec_log_head *head =
		(const void *)(log->raw + 8 * (size_t)log->codes[number]);
	const uint64_t *start = (const void *)(head + 1);

	*code = (struct hs_section){ *start, head->size - 8, (const uint8_t *)(start + 1) };
	return true;
}

uint32_t rec_log_prefix(const struct hs_rec_log_run *r, uint32_t hwords, uint8_t *ilast)
{
	const uint8_t *code = (const uint8_t *)(r + 1);
	uint32_t at = 0, n = 0;

	*ilast = 0;
	while (r != NULL && at < hwords && 2 * at < r->bytes) {
		*ilast = (uint8_t)hs_isa_hwords((uint16_t)first_half(code + 2 * at));
		at += *ilast;
		n++;
	}
	return at == hwords ? n : UINT32_MAX;
}

struct hs_isa rec_log_isa(const struct rec_log *log)
{
	return (struct hs_isa){ .xlen = (uint8_t)log->start.xlen,
	                        .zcmp_zcmt = (log->start.flags & 1u) != 0,
	                        .pulp = (log->start.flags & 2u) != 0 };
}
