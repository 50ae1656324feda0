/* What is traced: filters over blocks, and the trace that comes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/qualifier.h>

#include "unit/ntrace_rows.h"

#define OFF STOP(4)
#define U(a, n, last, type) { { (a) }, { (n) }, (last), (type), HS_PRIV_U, 0, HS_KIND_BLOCK }
#define M(a, n, last, type) { { (a) }, { (n) }, (last), (type), HS_PRIV_M, 0, HS_KIND_BLOCK }
#define TRAP(cause) { { 0 }, { (cause) }, 0, 0, 0, 0, HS_KIND_TRAP }

/* counter: 100 c.add, 102 beq, 106 c.add, 108 10c 110 114 118 add, 11c c.ebreak; 200 c.add, 202 ret */
static const struct filter_row {
	const char *name, *filters[3];
	struct hs_block in[8], out[10];
} filter_rows[] = {
	{ "no filter", { NULL }, { B(0x100, 3, 2, 4), B(0x106, 11, 2, 0) },
	  { B(0x100, 3, 2, 4), B(0x106, 11, 2, 0) } },
	{ "range of whole blocks", { "iaddr=0x106-0x11b" }, { B(0x100, 3, 2, 4), B(0x106, 11, 2, 0) },
	  { B(0x106, 11, 2, 0) } },
	{ "range begins inside a block", { "iaddr=0x108-0x200" }, { B(0x106, 11, 2, 0) },
	  { B(0x108, 10, 2, 0) } },
	{ "range ends inside a block", { "iaddr=0x100-0x10d" }, { B(0x100, 3, 2, 4), B(0x106, 11, 2, 0) },
	  { B(0x100, 3, 2, 4), B(0x106, 5, 2, 0), OFF } },
	{ "off, and on again", { "iaddr=0x100-0x105" },
	  { B(0x100, 3, 2, 5), B(0x200, 3, 2, 13), B(0x100, 3, 2, 4) },
	  { B(0x100, 3, 2, 5), OFF, B(0x100, 3, 2, 4) } },
	{ "two filters are alternatives", { "iaddr=0x100-0x105", "iaddr=0x200-0x205" },
	  { B(0x100, 3, 2, 5), B(0x200, 3, 2, 13), B(0x106, 11, 2, 0) },
	  { B(0x100, 3, 2, 5), B(0x200, 3, 2, 13), OFF } },
	{ "joined terms must all hold", { "iaddr=0x100-0x105+priv=M" },
	  { U(0x100, 3, 2, 5), M(0x100, 3, 2, 5), M(0x200, 3, 2, 13) }, { M(0x100, 3, 2, 5), OFF } },
	{ "latch: from one address to another, both included", { "latch=0x10c-0x114" },
	  { B(0x100, 3, 2, 4), B(0x106, 11, 2, 0) }, { B(0x10c, 6, 2, 0), OFF } },
	{ "latch across blocks", { "latch=0x102-0x200" },
	  { B(0x100, 3, 2, 5), B(0x200, 3, 2, 13), B(0x106, 11, 2, 0) },
	  { B(0x102, 2, 2, 5), B(0x200, 1, 1, 0), OFF } },
	{ "privileges", { "priv=U,S" }, { M(0x100, 3, 2, 5), U(0x200, 3, 2, 13), M(0x106, 11, 2, 0) },
	  { U(0x200, 3, 2, 13), OFF } },
	{ "context", { "context=7" },
	  { B(0x100, 3, 2, 5), CONTEXT(7, 2, 7), B(0x200, 3, 2, 13), CONTEXT(8, 2, 7), B(0x106, 11, 2, 0) },
	  { CONTEXT(7, 2, 7), B(0x200, 3, 2, 13), CONTEXT(8, 2, 7), OFF } },
	{ "inside an exception of a cause", { "ecause=2" },
	  { B(0x100, 1, 1, 1), TRAP(2), B(0x200, 3, 2, 3), B(0x106, 11, 2, 0) },
	  { TRAP(2), B(0x200, 3, 2, 3), OFF } },
	{ "other causes do not match", { "ecause=2,5" },
	  { B(0x100, 1, 1, 1), TRAP(3), B(0x200, 3, 2, 3), B(0x106, 11, 2, 0) }, { TRAP(3) } },
	{ "nested traps end with the first", { "interrupt" },
	  { B(0x100, 1, 1, 2), TRAP(7), B(0x200, 1, 1, 1), TRAP(2), B(0x206, 2, 2, 3), B(0x202, 2, 2, 3),
	    B(0x106, 11, 2, 0) },
	  { TRAP(7), B(0x200, 1, 1, 1), TRAP(2), B(0x206, 2, 2, 3), B(0x202, 2, 2, 3), OFF } },
};

static size_t length(const struct hs_block *b, size_t cap)
{
	size_t n = 0;

	while (n < cap && (b[n].iaddr || b[n].iretire || b[n].kind))
		n++;
	return n;
}

static void start(struct hs_qualifier *q, const struct filter_row *row)
{
	struct hs_qualifier_config c = { .size = sizeof c };

	for (size_t i = 0; i < 3 && row->filters[i]; i++)
		assert_int_equal(hs_qualifier_parse(&c, row->filters[i]), HS_OK);
	assert_int_equal(hs_qualifier_init(q, &c, &counter), HS_OK);
}

static void filters(void **state)
{
	const struct filter_row *row = *state;
	struct hs_qualifier q;
	struct hs_block out[64];
	size_t used, n;

	start(&q, row);
	assert_int_equal(hs_qualify(&q, row->in, length(row->in, 8), &used, out, 64, &n), HS_OK);
	assert_int_equal(used, length(row->in, 8));
	for (size_t i = 0; i < n && i < length(row->out, 10); i++) {
		const struct hs_block *w = &row->out[i];

		if (w->kind != out[i].kind || w->value != out[i].value || w->arg != out[i].arg ||
		    w->itype != out[i].itype || w->ilast != out[i].ilast)
			fail_msg("entry %zu: %s %llx+%u last %u itype %u", i, hs_kind_name(out[i].kind),
			         (unsigned long long)out[i].value, out[i].arg, out[i].ilast, out[i].itype);
	}
	assert_int_equal(n, length(row->out, 10));
}

/* A comparator that changes at every instruction, with the least room: nothing is lost. */
static void least_room(void **state)
{
	struct hs_qualifier_config c = { .size = sizeof c };
	const struct hs_block b = B(0x106, 11, 2, 0);
	struct hs_qualifier q;
	struct hs_block out[HS_QUALIFIER_ROOM];
	unsigned pieces = 0, stops = 0;
	size_t used = 0, n;
	enum hs_status s;

	(void)state;
	c.filters[0] = (struct hs_filter){ .enable = true, .comps = 1 };
	c.comparators[0] = (struct hs_comparator){ .p_function = HS_COMP_EQ, .s_function = HS_COMP_SPECIAL,
		                                   .p_match = 0x8, .s_match = 0x4 }; /* bit 2 is 0 */
	c.comparators[0].p_match = 0;
	assert_int_equal(hs_qualifier_init(&q, &c, &counter), HS_OK);
	for (int rounds = 0; rounds < 20; rounds++) {
		do {
			s = hs_qualify(&q, &b, 1, &used, out, HS_QUALIFIER_ROOM, &n);
			for (size_t i = 0; i < n; i++) {
				pieces += out[i].kind == HS_KIND_BLOCK;
				stops += out[i].kind == HS_KIND_STOP;
			}
		} while (s == HS_FULL);
		assert_int_equal(s, HS_OK);
	}
	/* 106 off, 108 on, 10c off, 110 on, 114 off, 118 on */
	assert_int_equal(pieces, 20 * 3);
	assert_int_equal(stops, 20 * 3 - 1);
	assert_int_equal(hs_qualify(&q, &b, 1, &used, out, HS_QUALIFIER_ROOM - 1, &n), HS_E_SPACE);
}

static void triggers(void **state)
{
	const struct hs_qualifier_config c = { .size = sizeof c, .off = true };
	const struct hs_block a = B(0x100, 3, 2, 5), b = B(0x200, 3, 2, 13);
	struct hs_qualifier q;
	struct hs_block out[32];
	size_t used, n;

	(void)state;
	assert_int_equal(hs_qualifier_init(&q, &c, &counter), HS_OK);
	hs_qualify(&q, &a, 1, &used, out, 32, &n);
	assert_int_equal(n, 0);
	hs_qualifier_trigger(&q, HS_TRIGGER_ON);
	hs_qualifier_trigger(&q, HS_TRIGGER_NOTIFY);
	hs_qualify(&q, &b, 1, &used, out, 32, &n);
	assert_int_equal(n, 2);
	assert_int_equal(out[0].kind, HS_KIND_SYNC);
	assert_int_equal(out[0].itype, 6);
	hs_qualifier_trigger(&q, HS_TRIGGER_OFF);
	hs_qualify(&q, &a, 1, &used, out, 32, &n);
	assert_int_equal(n, 1);
	assert_int_equal(out[0].kind, HS_KIND_STOP);
	assert_int_equal(out[0].itype, 4);
}

/* A watchpoint: SYNC 6 at its address (NT Table 25; TCI trTeCompPNotify). */
static void watchpoint(void **state)
{
	struct hs_qualifier_config c = { .size = sizeof c };
	const struct hs_block a = B(0x100, 3, 2, 4), b = B(0x106, 11, 2, 0);
	struct hs_qualifier q;
	struct hs_block out[32];
	size_t used, n;

	(void)state;
	c.comparators[2] = (struct hs_comparator){ .p_match = 0x106, .p_notify = true };
	assert_int_equal(hs_qualifier_init(&q, &c, &counter), HS_OK);
	hs_qualify(&q, &a, 1, &used, out, 32, &n);
	assert_int_equal(n, 1);
	hs_qualify(&q, &b, 1, &used, out, 32, &n);
	assert_int_equal(n, 2);
	assert_int_equal(out[0].kind, HS_KIND_SYNC);
	assert_int_equal(out[0].value, 0x106);
}

/* Off and on through the encoder: ProgTraceCorrelation EVCODE 4, ProgTraceSync SYNC 5 (NT 7). */
static void in_a_trace(void **state)
{
	static const uint8_t want[] = { SYNC_100, 0x84, 0x50, 0x0d, 0x0f, SYNC_100, 0x84, 0x40, 0x0d, 0x0b };
	const struct filter_row *row = &filter_rows[4];
	const struct hs_nt_config c = { .size = sizeof c };
	struct hs_qualifier q;
	struct hs_nt_encoder e;
	struct hs_block out[32];
	uint8_t bytes[2048];
	size_t used, n, len, end;

	(void)state;
	start(&q, row);
	assert_int_equal(hs_qualify(&q, row->in, length(row->in, 8), &used, out, 32, &n), HS_OK);
	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	assert_int_equal(hs_nt_encode(&e, out, n, &used, bytes, sizeof bytes, &len), HS_OK);
	assert_int_equal(hs_nt_encode_end(&e, bytes + len, sizeof bytes - len, &end), HS_OK);
	assert_int_equal(len + end, sizeof want);
	assert_memory_equal(bytes, want, sizeof want);
}

static void texts(void **state)
{
	static const struct { const char *text; enum hs_status want; } list[] = {
		{ "iaddr=0x100-0x200", HS_OK }, { "iaddr=256-512", HS_OK }, { "priv=VS,VU", HS_OK },
		{ "iaddr=1-2+context=3+latch=4-5", HS_OK }, { "interrupt+priv=M", HS_OK },
		{ "", HS_E_FORMAT }, { "iaddr", HS_E_FORMAT }, { "iaddr=", HS_E_FORMAT }, { "iaddr=1", HS_E_FORMAT },
		{ "iaddr=1-", HS_E_FORMAT }, { "iaddr=1-2 ", HS_E_FORMAT }, { "iaddr=1-2+", HS_E_FORMAT },
		{ "priv=X", HS_E_FORMAT }, { "ecause=64", HS_E_FORMAT }, { "ecause=63", HS_OK },
		{ "iaddr=0x1ffffffffffffffff-2", HS_E_FORMAT }, { "iaddr=0x-2", HS_E_FORMAT },
		{ "context=1+context=2+context=3+context=4", HS_E_SPACE },
	};
	struct hs_qualifier_config c;

	(void)state;
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		memset(&c, 0, sizeof c);
		c.size = sizeof c;
		if (hs_qualifier_parse(&c, list[i].text) != list[i].want)
			fail_msg("'%s'", list[i].text);
	}
	memset(&c, 0, sizeof c);
	for (int i = 0; i < HS_COMPARATORS; i++)
		assert_int_equal(hs_qualifier_parse(&c, "context=1"), HS_OK);
	assert_int_equal(hs_qualifier_parse(&c, "context=1"), HS_E_SPACE);
	for (int i = HS_COMPARATORS; i < HS_FILTERS; i++)
		assert_int_equal(hs_qualifier_parse(&c, "priv=U"), HS_OK);
	assert_int_equal(hs_qualifier_parse(&c, "priv=U"), HS_E_SPACE);
}

int main(void)
{
	enum { ROWS = sizeof filter_rows / sizeof *filter_rows };
	struct CMUnitTest tests[ROWS + 5];
	size_t n = 0;

	for (size_t i = 0; i < ROWS; i++)
		tests[n++] = (struct CMUnitTest){ filter_rows[i].name, filters, NULL, NULL,
		                                  (void *)(uintptr_t)&filter_rows[i] };
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(least_room);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(triggers);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(watchpoint);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(in_a_trace);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(texts);
	return _cmocka_run_group_tests("qualifier", tests, n, NULL, NULL);
}
