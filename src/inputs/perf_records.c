/* perf.data: a record, by its row of perf.def. */
#include <stddef.h>
#include <string.h>

#include "inputs/perf_private.h"

#define HEADER 8u /* of a record: type, misc, size */

#define F(name, bytes) \
	{ offsetof(struct hs_perf_event, name), sizeof(((struct hs_perf_event *)0)->name), bytes },
#define Z(bytes) { 0, 0, bytes },
#define HS_PERF_RECORD(id, number, name, fields, tail) \
	static const struct perf_field fields_##id[] = { fields{ 0, 0, 0 } };
#include <hartscope/tables/perf.def>

static const struct perf_row rows[] = {
#define HS_PERF_RECORD(id, number, name, fields, tail) { number, name, fields_##id, PERF_##tail },
#include <hartscope/tables/perf.def>
};

const struct perf_row *perf_find_row(uint32_t type)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].number == type)
			return &rows[i];
	return NULL;
}

uint64_t perf_get_member(const struct hs_perf_event *e, const struct perf_field *f)
{
	const uint8_t *from = (const uint8_t *)e + f->offset;
	uint64_t value = 0;
	uint32_t word;

	if (f->member == sizeof(value)) {
		memcpy(&value, from, sizeof(value));
	} else if (f->member == sizeof(word)) {
		memcpy(&word, from, sizeof(word));
		value = word;
	}
	return value;
}

static void put_member(struct hs_perf_event *e, const struct perf_field *f, uint64_t value)
{
	uint8_t *to = (uint8_t *)e + f->offset;
	const uint32_t word = (uint32_t)value;

	if (f->member == sizeof(value))
		memcpy(to, &value, sizeof(value));
	else if (f->member == sizeof(word))
		memcpy(to, &word, sizeof(word));
}

/* ---- the trailer ----------------------------------------------------------------- */

/* Its words in their order. */
static const uint32_t words[] = { HS_PERF_HAS_TID,       HS_PERF_HAS_TIME, HS_PERF_HAS_ID,
	                          HS_PERF_HAS_STREAM_ID, HS_PERF_HAS_CPU,  HS_PERF_HAS_IDENTIFIER };
#define WORDS (sizeof(words) / sizeof(*words))

static void take_word(struct hs_perf_sample *s, uint32_t word, const uint8_t *b)
{
	switch (word) {
	case HS_PERF_HAS_TID:
		s->pid = (uint32_t)perf_number(b, 4);
		s->tid = (uint32_t)perf_number(b + 4, 4);
		break;
	case HS_PERF_HAS_TIME:
		s->time = perf_number(b, 8);
		break;
	case HS_PERF_HAS_CPU:
		s->cpu = (uint32_t)perf_number(b, 4);
		break;
	case HS_PERF_HAS_ID:
	case HS_PERF_HAS_IDENTIFIER:
		s->id = perf_number(b, 8);
		break;
	default:
		break;
	}
	s->has |= word;
}

static size_t fixed_size(const struct perf_row *row)
{
	size_t n = 0;

	for (const struct perf_field *f = row->fields; f->wire; f++)
		n += f->wire;
	return n;
}

/* Take the trailer off the end of @body.  Records that perf itself wrote may have none. */
static void take_trailer(struct hs_perf *p, const struct perf_row *row, struct hs_span *body,
                         struct hs_perf_sample *s)
{
	const struct perf_attr *a =
		perf_attr_of(p, body->n >= 8 ? perf_number(body->p + body->n - 8, 8) : 0);
	size_t size = 0;

	if (!a || !(a->flags & PERF_SAMPLE_ID_ALL))
		return;
	for (size_t i = 0; i < WORDS; i++)
		size += a->sample_type & words[i] ? 8 : 0;
	if (body->n < size || body->n - size < fixed_size(row))
		return;
	body->n -= size;
	for (size_t i = 0, at = body->n; i < WORDS; i++)
		if (a->sample_type & words[i]) {
			take_word(s, words[i], body->p + at);
			at += 8;
		}
}

/* ---- the body -------------------------------------------------------------------- */

#define BUILD_ID 32u /* bytes into MMAP2: a size, three bytes, and an id of at most 20 */

/* MMAP2 may have a build-id where device and inode were. */
static void take_build_id(struct hs_perf_event *e, const struct hs_span *body)
{
	const uint8_t size = body->p[BUILD_ID];

	e->major = e->minor = 0;
	e->inode = e->generation = 0;
	e->bytes = (struct hs_span){ body->p + BUILD_ID + 4, size > 20 ? 20 : size };
}

/* False: the record is shorter than its fields. */
static bool take_body(struct hs_perf *p, const struct perf_row *row, const struct hs_span *body,
                      struct hs_perf_event *e)
{
	struct hs_span rest = *body;

	for (const struct perf_field *f = row->fields; f->wire; f++) {
		if (rest.n < f->wire)
			return false;
		if (f->member)
			put_member(e, f, perf_number(rest.p, f->wire));
		rest.p += f->wire;
		rest.n -= f->wire;
	}
	if (row->tail == PERF_TEXT) {
		memcpy(p->text, rest.p, rest.n);
		p->text[rest.n] = '\0';
	} else if (row->tail == PERF_POKE) {
		if (rest.n < (size_t)e->old_size + e->new_size)
			return false;
		e->bytes = (struct hs_span){ rest.p, e->old_size };
		e->poke = (struct hs_span){ rest.p + e->old_size, e->new_size };
	} else if (row->tail == PERF_BYTES) {
		e->bytes = rest;
	}
	if (row->number == HS_PERF_MMAP2 && (e->misc & HS_PERF_MISC_BUILD_ID))
		take_build_id(e, body);
	return true;
}

/* ---- the next record -------------------------------------------------------------- */

static enum hs_status damaged(struct hs_perf *p, enum hs_status status, const char *what,
                              struct hs_error *error)
{
	return hs_error_set(error, status, "%s: offset 0x%llx: %s", p->name, (ull)p->next, what);
}

/* Bytes that follow the record outside of it. */
static uint64_t payload_of(const struct hs_perf_event *e)
{
	if (e->type == HS_PERF_AUXTRACE)
		return e->length;
	return e->type == HS_PERF_TRACING_DATA ? (e->length + 7) & ~UINT64_C(7) : 0;
}

static enum hs_status read_body(struct hs_perf *p, struct hs_perf_event *e, size_t size,
                                struct hs_error *error)
{
	const struct perf_row *row = perf_find_row(e->type);
	const uint8_t *b = perf_bytes(p, p->next, size);

	if (!b)
		return damaged(p, HS_E_TRUNCATED, "the record cannot be read", error);
	if (!row)
		return HS_OK;
	struct hs_span body = { b + HEADER, size - HEADER };

	e->name = row->name;
	if (e->type < HS_PERF_USER && e->type != HS_PERF_SAMPLE)
		take_trailer(p, row, &body, &e->sample);
	return take_body(p, row, &body, e)
	               ? HS_OK
	               : damaged(p, HS_E_FORMAT, "a record shorter than its fields", error);
}

enum hs_status perf_read_record(struct hs_perf *p, struct hs_perf_event *e, struct hs_error *error)
{
	const uint64_t left = p->end - p->next;
	const uint8_t *b = left < HEADER ? NULL : perf_bytes(p, p->next, HEADER);

	if (!left && !p->cut)
		return HS_END;
	if (!b)
		return damaged(p, HS_E_TRUNCATED, "the file ends inside its records", error);
	const size_t size = (size_t)perf_number(b + 6, 2);

	memset(e, 0, sizeof(*e));
	p->text[0] = '\0';
	e->text = (const char *)p->text;
	e->type = (uint32_t)perf_number(b, 4);
	e->misc = (uint16_t)perf_number(b + 4, 2);
	e->at = p->next;
	if (size < HEADER)
		return damaged(p, HS_E_FORMAT, "a record of less than 8 bytes", error);
	if (size > left)
		return damaged(p, HS_E_TRUNCATED, "the file ends inside a record", error);
	const enum hs_status status = read_body(p, e, size, error);

	if (status != HS_OK)
		return status;
	if (payload_of(e) > left - size)
		return damaged(p, HS_E_TRUNCATED, "the file ends inside the bytes of a record",
		               error);
	p->next += size + payload_of(e);
	return HS_OK;
}
