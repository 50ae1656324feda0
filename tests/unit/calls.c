/* Counting calls: blocks, and the events of fast profiles, as rows. */
#include "cases.h"

#include "counts/calls_private.h"

#define B(a, n, l, t) { .iaddr = (a), .iretire = (n), .ilast = (l), .itype = (t) }
#define E(k, t, v, a) { .value = (v), .arg = (a), .itype = (t), .kind = HS_KIND_##k }

static const struct row {
	const char *name;
	struct hs_block in[8]; /* to the first with nothing in it */
	uint64_t calls, returns, traps, inferred;
} rows[] = {
	{ "nothing", { { .value = 0 } }, 0, 0, 0, 0 },
	{ "a call and its return", { B(0x1000, 2, 2, HS_ITYPE_CALL_INF),
	                             B(0x2000, 1, 1, HS_ITYPE_RETURN), B(0x1004, 1, 1, 0) },
	  1, 1, 0, 0 },
	{ "the last one leads nowhere", { B(0x1000, 2, 2, HS_ITYPE_CALL_INF) }, 0, 0, 0, 0 },
	{ "each itype that counts", { B(0x1000, 1, 1, HS_ITYPE_CALL_UNINF),
	                              B(0x1100, 1, 1, HS_ITYPE_SWAP),
	  B(0x1200, 1, 1, HS_ITYPE_EXCEPTION), B(0x1300, 1, 1, HS_ITYPE_XRET),
	  B(0x1400, 1, 1, HS_ITYPE_INTERRUPT),
	  B(0x1500, 1, 1, 0) }, 2, 1, 2, 0 },
	{ "each that does not", { B(0x1000, 1, 1, HS_ITYPE_TAKEN),
	                          B(0x1100, 1, 1, HS_ITYPE_TAIL_INF),
	  B(0x1200, 1, 1, HS_ITYPE_TAIL_UNINF), B(0x1300, 1, 1, HS_ITYPE_JUMP_INF),
	  B(0x1400, 1, 1, HS_ITYPE_JUMP_UNINF),
	  B(0x1500, 1, 1, HS_ITYPE_UNINFERABLE), B(0x1600, 1, 1, 0) }, 0, 0, 0, 0 },
	{ "a gap after a call", { B(0x1000, 1, 1, HS_ITYPE_CALL_INF), E(GAP, 0, 0, HS_E_FIELD),
	                           B(0x2000, 1, 1, 0) }, 0, 0, 0, 0 },
	{ "a stop after a call", { B(0x1000, 1, 1, HS_ITYPE_CALL_INF), E(STOP, 4, 0, 0),
	                            B(0x2000, 1, 1, 0) }, 0, 0, 0, 0 },
	{ "a reset after a call", { B(0x1000, 1, 1, HS_ITYPE_CALL_INF), E(SYNC, 1, 0, 0),
	                             B(0x2000, 1, 1, 0) }, 0, 0, 0, 0 },
	{ "a periodic synchronisation after a call",
	  { B(0x1000, 1, 1, HS_ITYPE_CALL_INF), E(SYNC, 2, 0, 0),
	  B(0x2000, 1, 1, 0) }, 1, 0, 0, 0 },
	{ "another hart between a call and its target",
	  { B(0x1000, 1, 1, HS_ITYPE_CALL_INF), E(HART, 0, 0, 1),
	  B(0x2000, 1, 1, HS_ITYPE_RETURN), E(HART, 0, 0, 0), B(0x3000, 1, 1, 0) }, 1, 0, 0, 0 },
	{ "a target with its source", { E(TARGET, 0, 0x1000, 0), E(SOURCE, 0, 0x1004, 0),
	                                E(TARGET, 9, 0x2000, 0),
	  E(SOURCE, 0, 0x2000, 0), E(TARGET, 13, 0x1008, 0) }, 1, 1, 0, 0 },
	{ "targets alone", { E(TARGET, 0, 0x1000, 0), E(TARGET, 9, 0x2000, 0),
	                     E(TARGET, 13, 0x1008, 0),
	  E(TARGET, 1, 0x3000, 0), E(TARGET, 8, 0x2000, 0) }, 2, 1, 1, 2 },
	{ "a source whose target was lost", { E(SOURCE, 0, 0x1004, 0), E(GAP, 0, 0, HS_E_FIELD),
	                                      E(TARGET, 0, 0x1000, 0),
	  E(TARGET, 9, 0x2000, 0) }, 1, 0, 0, 1 },
};

static bool empty(const struct hs_block *b)
{
	return b->kind == HS_KIND_BLOCK && b->iretire == 0 && b->itype == 0;
}

TEST_ROWS(counts, rows, row)
{
	struct hs_calls_result r;
	struct hs_program *program;
	struct hs_calls *c;
	uint64_t calls = 0, inferred = 0;
	size_t n = 0;

	while (!empty(&row->in[n]))
		n++;
	assert_int_equal(hs_program_new(&program), HS_OK);
	assert_int_equal(hs_calls_new(program, NULL, &c), HS_OK);
	assert_int_equal(hs_calls_add(c, row->in, n), HS_OK);
	for (int again = 0; again < 2; again++) { /* a result changes nothing */
		assert_int_equal(hs_calls_get_result(c, &r), HS_OK);
		assert_int_equal(r.calls, row->calls);
		assert_int_equal(r.returns, row->returns);
		assert_int_equal(r.traps, row->traps);
	}
	for (size_t i = 0; i < r.edge_count; i++) {
		calls += r.edges[i].calls;
		inferred += r.edges[i].inferred;
		assert_true(r.edges[i].caller < r.function_count &&
		            r.edges[i].callee < r.function_count);
	}
	assert_int_equal(calls, row->calls);
	assert_int_equal(inferred, row->inferred);
	/* no symbols: one function, which has no name */
	assert_int_equal(r.function_count, row->calls + row->returns + row->traps > 0);
	if (r.function_count)
		assert_null(r.functions[0].name);
	hs_calls_free(c);
	hs_program_free(program);
}
