/* hs_check_messages(): two traces message by message. */
#include <stdio.h>
#include <string.h>

#include <hartscope/compare.h>

#include "source/source.h"

static void read_side(struct hs_source *source, struct hs_check_side *s)
{
	s->message = (struct hs_message){ 0 };
	s->status = hs_source_message(source, &s->message, &s->error);
}

static bool same_bits(const uint8_t *a, const uint8_t *b, size_t n)
{
	return a == b || (a && b && memcmp(a, b, n) == 0);
}

/* The fields of both, and their sources. */
static unsigned pair_fields(const struct hs_message *a, const struct hs_message *b,
                            struct hs_field_pair *pairs, struct hs_message_field sources[2])
{
	const unsigned n = hs_message_compare(a, b, pairs);

	return n + hs_message_compare_source(a, b, sources, &pairs[n]);
}

static bool same_fields(const struct hs_message *a, const struct hs_message *b)
{
	struct hs_field_pair pairs[HS_FIELD_PAIRS + 1];
	struct hs_message_field sources[2];

	for (unsigned i = pair_fields(a, b, pairs, sources); i; i--)
		if (!pairs[i - 1].same)
			return false;
	return true;
}

/* Bytes are compared where both are known; those of a message that is very long are not. */
static bool same_message(const struct hs_message *a, const struct hs_message *b)
{
	if (a->length != b->length || strcmp(a->name, b->name) != 0 || !same_fields(a, b))
		return false;
	if (a->bytes && b->bytes)
		return memcmp(a->bytes, b->bytes, a->length) == 0;
	return a->payload_bits == b->payload_bits &&
	       same_bits(a->payload, b->payload, (a->payload_bits + 7) / 8);
}

static bool is_same(const struct hs_messages_result *r)
{
	const struct hs_check_side *a = &r->side[0], *b = &r->side[1];

	return a->status == b->status &&
	       (a->status != HS_OK || same_message(&a->message, &b->message));
}

static bool is_end(const struct hs_check_side *s)
{
	return s->status == HS_END || s->status == HS_E_SYSTEM;
}

static void count_equal(struct hs_messages_result *r, const struct hs_message *m)
{
	memmove(r->before, r->before + 1, sizeof(r->before) - sizeof(*r->before));
	r->before[HS_CHECK_MESSAGES - 1].offset = m->offset;
	hs_message_text(m, r->before[HS_CHECK_MESSAGES - 1].text, HS_CHECK_MESSAGE);
	r->messages++;
	r->bytes += m->length;
}

/* What is not the same at the first difference. */
static void describe(struct hs_messages_result *r)
{
	static const char *const names[2] = { "A", "B" };
	static const struct hs_message none;
	const struct hs_check_side *a = &r->side[0], *b = &r->side[1];
	const unsigned ended = a->status == HS_END ? 0 : b->status == HS_END ? 1 : 2;
	const unsigned bad = a->status != HS_OK ? 0 : 1;
	char *text = r->difference;
	const size_t size = sizeof(r->difference);

	if (a->status == HS_OK && b->status == HS_OK)
		hs_message_difference(&a->message, &b->message, names, text, size);
	else if (ended < 2 && r->side[!ended].status == HS_OK)
		snprintf(text, size, "%s: %s sends %s, and %s ends", r->side[!ended].message.clause,
		         names[!ended], r->side[!ended].message.name, names[ended]);
	else
		snprintf(text, size, "%s cannot be read: %s", names[ended == bad ? !bad : bad],
		         r->side[ended == bad ? !bad : bad].error.text);
	r->pair_count = pair_fields(a->status == HS_OK ? &a->message : &none,
	                            b->status == HS_OK ? &b->message : &none, r->pairs, r->sources);
}

/* What the system could not read is no difference. */
static enum hs_status find_unread(const struct hs_messages_result *r, struct hs_error *why)
{
	for (unsigned i = 0; i < 2; i++) {
		const enum hs_status s = r->side[i].status;

		if (s != HS_E_SYSTEM && s != HS_E_MEMORY)
			continue;
		if (why)
			*why = r->side[i].error;
		return s;
	}
	return HS_OK;
}

enum hs_status hs_check_messages(struct hs_source *a, struct hs_source *b,
                                 void (*error)(void *to, const struct hs_error *error), void *to,
                                 struct hs_messages_result *r, struct hs_error *why)
{
	const struct hs_protocol *p = hs_source_protocol(a);

	if (!p || p != hs_source_protocol(b))
		return hs_error_set(why, HS_E_CONFIG, "they are not traces of one protocol");
	*r = (struct hs_messages_result){ .equal = true };
	for (;;) {
		read_side(a, &r->side[0]);
		read_side(b, &r->side[1]);
		r->equal = is_same(r);
		if (!r->equal || is_end(&r->side[0]))
			break;
		if (r->side[0].status == HS_OK) {
			count_equal(r, &r->side[0].message);
		} else {
			r->errors++;
			if (error)
				error(to, &r->side[0].error);
		}
	}
	if (!r->equal)
		describe(r);
	return find_unread(r, why);
}
