/* Call stacks, by hand: the functions that are open after each block, outermost first. */
#include "cases.h"

#include <hartscope/views.h>

#include "stack_names.h"
#include "calls/stacks.h"

/* ---- rows --------------------------------------------------------------------------------- */

/* A block of @n half-words that ends with @t; then the stack. */
#define B(a, n, t, text) \
	{ { .iaddr = (a), .iretire = (n), .itype = HS_ITYPE_##t, .ilast = 1, \
	    .priv = HS_PRIV_U }, text }
#define S(a, n, t, text) \
	{ { .iaddr = (a), .iretire = (n), .itype = HS_ITYPE_##t, .ilast = 1, \
	    .priv = HS_PRIV_S }, text }
#define EVENT(k, ...) { { .kind = HS_KIND_##k, __VA_ARGS__ }, NULL }
#define SIGNAL EVENT(NOTE, .arg = HS_NOTE_SIGNAL)
#define CONTEXT(v) EVENT(CONTEXT, .value = (v), .arg = 2)
#define MOST 20

static const struct row {
	const char *name;
	struct {
		struct hs_block block;
		const char *stack; /* NULL: an event */
	} steps[MOST];
} rows[] = {
	{ "calls and returns",
	  { B(MAIN, 2, CALL_INF, "main"), B(F, 2, CALL_UNINF, "main f"), B(G, 1, TAKEN, "main f g"),
	    B(G + 8, 1, RETURN, "main f g"), B(F + 4, 1, RETURN, "main f"),
	    B(MAIN + 4, 1, NONE, "main") } },
	{ "a function that calls itself",
	  { B(F, 2, CALL_INF, "f"), B(F, 2, CALL_INF, "f f"), B(F, 1, RETURN, "f f f"),
	    B(F + 4, 1, RETURN, "f f"), B(F + 4, 1, NONE, "f") } },
	{ "a tail call, and one to a part that is elsewhere",
	  { B(MAIN, 2, CALL_INF, "main"), B(F, 2, JUMP_INF, "main f"),
	    B(COLD, 2, JUMP_INF, "main f"),
	    B(F + 8, 2, TAIL_UNINF, "main f"), B(G, 1, RETURN, "main g"),
	    B(MAIN + 4, 1, NONE, "main") } },
	{ "the flow begins inside: callers are found",
	  { B(G + 8, 2, RETURN, "g"), B(F + 20, 2, RETURN, "f"), B(MAIN + 6, 1, CALL_INF, "main"),
	    B(F, 1, RETURN, "main f"), B(MAIN + 8, 1, NONE, "main") } },
	{ "after a gap nothing is known",
	  { B(MAIN, 2, CALL_INF, "main"), B(F, 2, CALL_INF, "main f"), EVENT(GAP, .value = 0),
	    B(G, 1, RETURN, "g"), B(F + 4, 1, NONE, "f") } },
	{ "longjmp() to a frame whose setjmp() returned",
	  { B(MAIN, 2, CALL_INF, "main"), B(SET, 1, RETURN, "main setjmp"),
	    B(MAIN + 4, 2, CALL_INF, "main"), B(F, 2, CALL_INF, "main f"),
	    B(F, 2, CALL_INF, "main f f"), B(LONG, 2, RETURN, "main f f longjmp"),
	    B(MAIN + 4, 2, CALL_INF, "main"), B(F, 1, RETURN, "main f"),
	    B(MAIN + 8, 1, NONE, "main") } },
	{ "longjmp() to the inner of two frames",
	  { B(MAIN, 2, CALL_INF, "main"), B(F, 2, CALL_INF, "main f"),
	    B(SET, 1, RETURN, "main f setjmp"),
	    B(F + 4, 2, CALL_INF, "main f"), B(F, 2, CALL_INF, "main f f"),
	    B(SET, 1, RETURN, "main f f setjmp"), B(F + 4, 2, CALL_INF, "main f f"),
	    B(LONG, 2, RETURN, "main f f longjmp"), B(F + 4, 2, JUMP_INF, "main f f"),
	    B(F + 20, 1, RETURN, "main f f"), B(F + 8, 1, NONE, "main f") } },
	{ "a return over several frames",
	  { B(MAIN, 2, CALL_INF, "main"), B(F, 2, CALL_INF, "main f"), B(G, 2, RETURN, "main f g"),
	    B(MAIN + 4, 1, NONE, "main") } },
	{ "a system call whose kernel is not in the flow",
	  { B(MAIN, 2, CALL_INF, "main"), B(F, 2, EXCEPTION, "main f"),
	    B(F + 4, 1, RETURN, "main f"),
	    B(MAIN + 4, 1, NONE, "main") } },
	{ "a signal, and the way back",
	  { B(MAIN, 2, INTERRUPT, "main"), SIGNAL, B(HANDLER, 2, CALL_INF, "main handler"),
	    B(G, 1, RETURN, "main handler g"), B(HANDLER + 4, 1, RETURN, "main handler"),
	    B(UNKNOWN, 2, EXCEPTION, "main ?"), B(MAIN + 4, 1, NONE, "main") } },
	{ "longjmp() out of a signal",
	  { B(MAIN, 2, CALL_INF, "main"), B(SET, 1, RETURN, "main setjmp"),
	    B(MAIN + 4, 2, EXCEPTION, "main"), SIGNAL, B(HANDLER, 2, CALL_INF, "main handler"),
	    B(LONG, 2, RETURN, "main handler longjmp"), B(MAIN + 4, 1, NONE, "main") } },
	{ "a trap into a kernel and back",
	  { B(MAIN, 2, CALL_INF, "main"), B(F, 2, EXCEPTION, "main f"),
	    EVENT(TRAP, .arg = 8), S(KERNEL, 2, CALL_INF, "main f kernel"),
	    S(G, 2, INTERRUPT, "main f kernel g"), S(KERNEL, 1, XRET, "main f kernel g kernel"),
	    S(G + 4, 1, RETURN, "main f kernel g"), S(KERNEL + 4, 1, XRET, "main f kernel"),
	    B(F + 4, 1, RETURN, "main f"), B(MAIN + 4, 1, NONE, "main") } },
	{ "a kernel leads to a handler, and back to where the trap struck",
	  { B(MAIN, 2, INTERRUPT, "main"), S(KERNEL, 2, XRET, "main kernel"),
	    B(HANDLER, 1, RETURN, "main handler"), B(UNKNOWN, 2, EXCEPTION, "main ?"),
	    S(KERNEL, 2, XRET, "main ? kernel"), B(MAIN + 4, 1, NONE, "main") } },
	{ "coroutines",
	  { B(MAIN, 2, CALL_INF, "main"), B(SWAP, 2, TAIL_UNINF, "main swapcontext"),
	    B(START, 2, CALL_UNINF, "__start_context"), B(F, 2, CALL_INF, "__start_context f"),
	    B(SWAP, 2, TAIL_UNINF, "__start_context f swapcontext"),
	    B(MAIN + 4, 2, CALL_INF, "main"),
	    B(SWAP, 2, TAIL_UNINF, "main swapcontext"), B(F + 4, 2, RETURN, "__start_context f"),
	    B(START + 4, 1, NONE, "__start_context") } },
	{ "two wait at one address: a return shows which one it was",
	  { B(MAIN, 2, CALL_INF, "main"), B(SWAP, 2, TAIL_UNINF, "main swapcontext"),
	    B(START, 2, CALL_INF, "__start_context"), B(F, 2, CALL_INF, "__start_context f"),
	    B(G, 2, CALL_INF, "__start_context f g"),
	    B(SWAP, 2, TAIL_UNINF, "__start_context f g swapcontext"),
	    B(START, 4, CALL_INF, "__start_context"),
	    B(OTHER, 2, CALL_INF, "__start_context other"),
	    B(G, 2, CALL_INF, "__start_context other g"),
	    B(SWAP, 2, TAIL_UNINF, "__start_context other g swapcontext"),
	    B(MAIN + 4, 2, CALL_INF, "main"), B(SWAP, 2, TAIL_UNINF, "main swapcontext"),
	    B(G + 4, 1, RETURN, "__start_context f g"),
	    B(OTHER + 4, 1, RETURN, "__start_context other"),
	    B(START + 8, 4, CALL_INF, "__start_context"),
	    B(SWAP, 2, TAIL_UNINF, "__start_context swapcontext"),
	    B(G + 4, 1, RETURN, "__start_context f g"), B(F + 4, 1, NONE, "__start_context f") } },
	{ "one that waits, and one of which the flow has nothing",
	  { B(MAIN + 4, 2, CALL_INF, "main"), B(SWAP, 2, TAIL_UNINF, "main swapcontext"),
	    B(START, 2, CALL_INF, "__start_context"), B(F, 2, CALL_INF, "__start_context f"),
	    B(SWAP, 2, TAIL_UNINF, "__start_context f swapcontext"),
	    B(MAIN + 8, 2, CALL_INF, "main"),
	    B(SWAP, 2, TAIL_UNINF, "main swapcontext"), B(F + 4, 2, RETURN, "__start_context f"),
	    B(OTHER + 4, 1, RETURN, "other"), B(G + 4, 2, CALL_INF, "g"),
	    B(SWAP, 2, TAIL_UNINF, "g swapcontext"), B(F + 4, 2, RETURN, "__start_context f"),
	    B(START + 4, 1, NONE, "__start_context") } },
	{ "goroutines: one begins, and one that waits goes on",
	  { B(MAIN, 2, CALL_INF, "main"), B(MCALL, 2, CALL_INF, "main runtime.mcall"),
	    B(OTHER, 1, RETURN, "main runtime.mcall other"),
	    B(MCALL + 4, 2, CALL_UNINF, "main runtime.mcall"), B(KERNEL, 2, CALL_INF, "kernel"),
	    B(GOGO, 2, TAIL_UNINF, "kernel runtime.gogo.abi0"), B(F, 2, CALL_INF, "f"),
	    B(MCALL, 2, CALL_UNINF, "f runtime.mcall"), B(KERNEL, 2, CALL_INF, "kernel"),
	    B(GOGO, 2, RETURN, "kernel runtime.gogo.abi0"), B(MAIN + 4, 2, CALL_INF, "main"),
	    B(MCALL, 2, CALL_UNINF, "main runtime.mcall"), B(KERNEL, 2, CALL_INF, "kernel"),
	    B(GOGO, 2, RETURN, "kernel runtime.gogo.abi0"), B(F + 4, 1, NONE, "f") } },
	{ "a goroutine's stack grows: its function begins anew",
	  { B(MAIN, 2, CALL_INF, "main"), B(F, 2, CALL_INF, "main f"),
	    B(G, 2, CALL_INF, "main f g"), B(NEWSTACK, 2, CALL_INF, "runtime.newstack"),
	    B(GOGO, 2, JUMP_INF, "runtime.newstack runtime.gogo.abi0"),
	    B(OTHER, 2, RETURN, "runtime.newstack other"), B(F + 4, 2, JUMP_INF, "main f"),
	    B(F, 2, RETURN, "main f"), B(MAIN + 4, 1, NONE, "main") } },
	{ "tasks of a kernel, by their context",
	  { CONTEXT(1), B(MAIN, 2, INTERRUPT, "main"), S(KERNEL, 2, CALL_INF, "main kernel"),
	    CONTEXT(2),
	    S(TASKS, 2, RETURN, "main kernel __switch_to"), S(OTHER, 2, XRET, "other"),
	    B(F, 2, INTERRUPT, "f"), S(KERNEL, 2, CALL_INF, "f kernel"), CONTEXT(1),
	    S(TASKS, 2, RETURN, "f kernel __switch_to"), S(KERNEL + 4, 2, XRET, "main kernel"),
	    B(MAIN + 4, 1, NONE, "main") } },
	{ "harts have stacks of their own",
	  { B(MAIN, 2, CALL_INF, "main"), EVENT(HART, .arg = 7), B(G, 2, CALL_INF, "g"),
	    EVENT(HART, .arg = 0), B(F, 2, RETURN, "main f"), EVENT(HART, .arg = 7),
	    B(F, 2, RETURN, "g f"), B(G + 4, 1, NONE, "g") } },
	{ "code without a symbol has one frame",
	  { B(MAIN, 2, CALL_INF, "main"), B(UNKNOWN, 2, JUMP_INF, "main ?"),
	    B(UNKNOWN + 64, 2, TAIL_UNINF, "main ?"), B(UNKNOWN + 8, 2, CALL_INF, "main ?"),
	    B(UNKNOWN, 2, RETURN, "main ? ?"), B(UNKNOWN + 12, 1, RETURN, "main ?"),
	    B(MAIN + 4, 1, NONE, "main") } },
};

static void write_stack(struct hs_stacks *s, char *text, size_t size)
{
	size_t n, at = 0;
	const struct hs_stack_frame *f = hs_stacks_frames(s, &n);

	text[0] = '\0';
	for (size_t i = 0; i < n && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%s", i ? " " : "",
		                       f[i].name ? f[i].name : "?");
}

static void check_row(struct hs_program *p, const struct row *r)
{
	const struct hs_stacks_options o = { .size = sizeof(o), .program = p };
	struct hs_stack_step step;
	struct hs_stacks *s;
	char text[256];
	size_t before = 0, n;

	assert_int_equal(hs_stacks_new(&o, &s), HS_OK);
	for (size_t i = 0; i < MOST && (r->steps[i].stack || r->steps[i].block.kind); i++) {
		const char *want = r->steps[i].stack;

		hs_stacks_frames(s, &before);
		assert_int_equal(hs_stacks_follow(s, &r->steps[i].block, &step), HS_OK);
		write_stack(s, text, sizeof(text));
		hs_stacks_frames(s, &n);
		if (want && strcmp(text, want) != 0)
			fail_msg("%s: step %zu: \"%s\", not \"%s\"", r->name, i, text, want);
		if (want && step.move != HS_STACK_SWITCH && step.move != HS_STACK_START &&
		    n != before - step.closed + step.opened)
			fail_msg("%s: step %zu: %u closed, %u opened", r->name, i, step.closed,
			         step.opened);
	}
	hs_stacks_free(s);
}

TEST(stacks_by_hand)
{
	struct hs_program *p = stack_names_program();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(p, &rows[i]);
	hs_program_free(p);
}

/* Frames keep what their owner puts into them; the moves say what happened. */
TEST(tags_and_moves)
{
	static const struct {
		struct hs_block block;
		enum hs_stack_move move;
		uint64_t tag; /* of the innermost frame, before it is set to 1, 2 and so on */
	} steps[] = {
		{ { .iaddr = MAIN, .iretire = 2, .itype = HS_ITYPE_CALL_INF }, HS_STACK_START, 0 },
		{ { .iaddr = F, .iretire = 2, .itype = HS_ITYPE_TAIL_INF }, HS_STACK_CALL, 0 },
		{ { .iaddr = G, .iretire = 2, .itype = HS_ITYPE_CALL_INF }, HS_STACK_TAIL, 2 },
		{ { .iaddr = F, .iretire = 2, .itype = HS_ITYPE_RETURN }, HS_STACK_CALL, 0 },
		{ { .iaddr = G + 4, .iretire = 2, .itype = HS_ITYPE_EXCEPTION },
		  HS_STACK_RETURN, 3 },
		{ { .iaddr = KERNEL, .iretire = 2, .itype = HS_ITYPE_XRET, .priv = HS_PRIV_S },
		  HS_STACK_TRAP, 0 },
		{ { .iaddr = G + 8, .iretire = 2, .itype = HS_ITYPE_RETURN }, HS_STACK_BACK, 5 },
		{ { .iaddr = MAIN + 4, .iretire = 2, .itype = HS_ITYPE_NONE }, HS_STACK_RETURN, 1 },
		{ { .iaddr = MAIN + 8, .iretire = 2, .itype = HS_ITYPE_NONE }, HS_STACK_SAME, 8 },
	};
	struct hs_program *p = stack_names_program();
	const struct hs_stacks_options o = { .size = sizeof(o), .program = p };
	struct hs_stack_step step;
	struct hs_stacks *s;
	size_t n;

	assert_non_null(p);
	assert_int_equal(hs_stacks_new(&o, &s), HS_OK);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		assert_int_equal(hs_stacks_follow(s, &steps[i].block, &step), HS_OK);
		struct hs_stack_frame *f = hs_stacks_frames(s, &n);

		if (step.move != steps[i].move || f[n - 1].tag != steps[i].tag)
			fail_msg("step %zu: move %u, tag %u", i, step.move,
			         (unsigned)f[n - 1].tag);
		f[n - 1].tag = i + 1;
	}
	hs_stacks_free(s);
	hs_program_free(p);
}

/* A flow that only calls does not take all memory, and ends where it should. */
TEST(many_frames)
{
	struct hs_program *p = stack_names_program();
	const struct hs_stacks_options o = { .size = sizeof(o), .program = p };
	const struct hs_block call = { .iaddr = F, .iretire = 2, .itype = HS_ITYPE_CALL_INF };
	const struct hs_block back = { .iaddr = F + 4, .iretire = 1, .itype = HS_ITYPE_RETURN };
	struct hs_stack_step step;
	struct hs_stacks *s;
	size_t n;

	assert_int_equal(hs_stacks_new(&o, &s), HS_OK);
	for (unsigned i = 0; i < 5000000; i++)
		assert_int_equal(hs_stacks_follow(s, &call, &step), HS_OK);
	hs_stacks_frames(s, &n);
	assert_in_range(n, 2000000, 1 << 22);
	assert_int_equal(n + hs_stacks_count_forgotten(s), 5000000);
	const size_t depth = n;
	const struct hs_block last = { .iaddr = F, .iretire = 1, .itype = HS_ITYPE_RETURN };

	assert_int_equal(hs_stacks_follow(s, &last, &step), HS_OK);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(hs_stacks_follow(s, &back, &step), HS_OK);
	hs_stacks_frames(s, &n);
	assert_int_equal(n, depth + 1 - 1000);
	hs_stacks_free(s);
	hs_program_free(p);
}

/* A flow that has not the beginning knows after a switch only what control reached since; one that
 * has is sure of all. */
TEST(sure_frames)
{
	static const struct {
		struct hs_block block;
		size_t part; /* innermost frames that are sure, of a flow without its beginning */
	} steps[] = {
		{ { .iaddr = MAIN, .iretire = 2, .itype = HS_ITYPE_CALL_INF }, 1 },
		{ { .iaddr = SWAP, .iretire = 2, .itype = HS_ITYPE_TAIL_UNINF }, 2 },
		{ { .iaddr = START, .iretire = 2, .itype = HS_ITYPE_CALL_UNINF }, 1 },
		{ { .iaddr = F, .iretire = 2, .itype = HS_ITYPE_CALL_INF }, 2 },
		{ { .iaddr = SWAP, .iretire = 2, .itype = HS_ITYPE_TAIL_UNINF }, 3 },
		{ { .iaddr = MAIN + 4, .iretire = 2, .itype = HS_ITYPE_CALL_INF }, 1 },
		{ { .iaddr = SWAP, .iretire = 2, .itype = HS_ITYPE_TAIL_UNINF }, 2 },
		{ { .iaddr = F + 4, .iretire = 2, .itype = HS_ITYPE_CALL_INF }, 1 },
		{ { .iaddr = G, .iretire = 2, .itype = HS_ITYPE_RETURN }, 2 },
		{ { .iaddr = F + 8, .iretire = 2, .itype = HS_ITYPE_RETURN }, 1 },
		{ { .iaddr = START + 4, .iretire = 2, .itype = HS_ITYPE_NONE }, 1 },
	};
	static const struct hs_block entry = { .iaddr = UNKNOWN, .iretire = 2,
		                               .itype = HS_ITYPE_CALL_UNINF, .priv = HS_PRIV_M };
	struct hs_program *p = stack_names_program();
	const struct hs_stacks_options o = { .size = sizeof(o), .program = p };
	struct hs_stack_step step;
	size_t n;

	for (unsigned whole = 0; whole < 2; whole++) {
		struct hs_stacks *s;

		assert_int_equal(hs_stacks_new(&o, &s), HS_OK);
		assert_int_equal(hs_stacks_count_sure(s), 0);
		if (whole)
			assert_int_equal(hs_stacks_follow(s, &entry, &step), HS_OK);
		for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
			assert_int_equal(hs_stacks_follow(s, &steps[i].block, &step), HS_OK);
			hs_stacks_frames(s, &n);
			const size_t want = whole ? n : steps[i].part;

			if (hs_stacks_count_sure(s) != want ||
			    hs_stacks_are_sure(s) != (want == n))
				fail_msg("step %zu: %zu sure of %zu, not %zu", i,
				         hs_stacks_count_sure(s), n, want);
		}
		hs_stacks_free(s);
	}
	hs_program_free(p);
}

TEST(wrong_options_are_refused)
{
	struct hs_stacks_options o = { .size = sizeof(o) };
	struct hs_stacks *s;

	assert_int_equal(hs_stacks_new(&o, &s), HS_E_CONFIG);
	hs_stacks_free(NULL);
}
