/* Two messages field by field (protocol.h). */
#include "cases.h"

#include <hartscope/protocol.h>

#define ICNT(v) { "I-CNT", "6.2", v, false, { 0 } }
#define UADDR(v) { "U-ADDR", "8.1", v, true, { 0 } }
#define FORMAT(v) { "format", "ET Packets", v, false, { 0 } }
#define MSG(n, c, count, ...) { .name = n, .clause = c, count, .field = { __VA_ARGS__ } }

static const struct row {
	const char *name;
	struct hs_message a, b;
	unsigned pairs, differ;
	const char *text; /* of the difference */
} rows[] = {
	{ "a value", MSG("X", "NT 7.3", 2, ICNT(1), UADDR(2)), MSG("X", "NT 7.3", 2, ICNT(1), UADDR(18)),
	  2, 1, "NT 8.1: U-ADDR of X is 0x2, B has 0x12" },
	{ "in another order", MSG("X", "NT 7.3", 2, UADDR(2), ICNT(1)),
	  MSG("X", "NT 7.3", 2, ICNT(3), UADDR(2)), 2, 1, "NT 6.2: I-CNT of X is 1, B has 3" },
	{ "only in the first", MSG("X", "NT 7.3", 2, ICNT(1), UADDR(2)), MSG("X", "NT 7.3", 1, ICNT(1)), 2,
	  1, "NT 8.1: X has U-ADDR, which B does not send" },
	{ "only in the second", MSG("X", "NT 7.3", 1, ICNT(1)), MSG("X", "NT 7.3", 2, ICNT(1), UADDR(2)),
	  2, 1, "NT 8.1: U-ADDR of X is not there, B has 0x2" },
	{ "a clause with its text", MSG("X", "ET Packets", 1, FORMAT(1)),
	  MSG("X", "ET Packets", 1, FORMAT(2)), 1, 1, "ET Packets: format of X is 1, B has 2" },
	{ "another message", MSG("X", "NT 7.3", 1, ICNT(1)), MSG("Y", "NT 7.2", 1, UADDR(1)), 2, 2,
	  "NT 7.2: B sends Y, A X" },
	{ "no field differs", MSG("X", "NT 7.3", 1, ICNT(1)), MSG("X", "NT 7.3", 1, ICNT(1)), 1, 0,
	  "NT 7.3: X has the same fields in other bytes" },
	{ "another source", { .name = "X", .clause = "NT 7.3", .has_source = true, .source = 4 },
	  { .name = "X", .clause = "NT 7.3", .has_source = true, .source = 9 }, 0, 0,
	  "NT 7.3: source of X is 4, B has 9" },
	{ "a source only in the first",
	  { .name = "X", .clause = "NT 7.3", .has_source = true, .source = 4 },
	  { .name = "X", .clause = "NT 7.3" }, 0, 0, "NT 7.3: X has source, which B does not send" },
	{ "a source only in the second", { .name = "X", .clause = "NT 7.3" },
	  { .name = "X", .clause = "NT 7.3", .has_source = true }, 0, 0,
	  "NT 7.3: source of X is not there, B has 0" },
};

TEST_ROWS(compared, rows, r)
{
	static const char *const names[2] = { "A", "B" };
	struct hs_field_pair pairs[HS_FIELD_PAIRS];
	unsigned differ = 0;
	char text[200];

	assert_int_equal(hs_message_compare(&r->a, &r->b, pairs), r->pairs);
	for (unsigned i = 0; i < r->pairs; i++)
		differ += !pairs[i].same;
	assert_int_equal(differ, r->differ);
	hs_message_difference(&r->a, &r->b, names, text, sizeof(text));
	assert_string_equal(text, r->text);
	hs_message_difference(&r->a, &r->b, names, text, 10); /* cut, not overrun */
	assert_memory_equal(text, r->text, 9);
	assert_int_equal(text[9], 0);
}

TEST(sources_are_compared_by_themselves)
{
	const struct hs_message none = { .name = "X" }, four = { .has_source = true, .source = 4 };
	const struct hs_message nine = { .has_source = true, .source = 9 };
	struct hs_message_field room[2];
	struct hs_field_pair pair;

	assert_false(hs_message_compare_source(&none, &none, room, &pair));
	assert_true(hs_message_compare_source(&four, &four, room, &pair));
	assert_true(pair.same);
	assert_string_equal(pair.a->name, "source");
	assert_true(hs_message_compare_source(&four, &nine, room, &pair));
	assert_false(pair.same);
	assert_int_equal(pair.a->value, 4);
	assert_int_equal(pair.b->value, 9);
	assert_true(hs_message_compare_source(&none, &nine, room, &pair));
	assert_false(pair.same);
	assert_null(pair.a);
}

TEST(in_a_line)
{
	char text[60];

	hs_message_text(&rows[0].b, text, sizeof(text));
	assert_string_equal(text, "X I-CNT=1 U-ADDR=0x12");
	hs_message_text(&rows[0].b, text, 8);
	assert_string_equal(text, "X I-CNT");
}
