/* Listings of the small program (tests/small_program.h), written by hand; the disassembler, where
 * there is one; and every event in words. */
#include "cases.h"

#include <hartscope/block.h>
#include <hartscope/ingress.h>
#include <hartscope/views.h>

#include "small_loaded.h"

#define BLOCK(a, n, t) { .iaddr = (a), .iretire = (n), .itype = HS_ITYPE_##t }
#define EVENT(k, t, v, a) { .value = (v), .arg = (a), .itype = (t), .kind = HS_KIND_##k }

/* main up to its call, leaf, the branch back, the end of main. */
#define CALL BLOCK(0x10000, 5, CALL_INF)
#define LEAF BLOCK(0x10010, 2, RETURN)
#define BRANCH(t) BLOCK(0x1000a, 2, t)
#define LAST BLOCK(0x1000e, 1, INTERRUPT)

#define PAD12 "            "
#define PAD15 PAD12 "   "

/* Lines as text; of a block's last instruction with what followed it. */
#define T_MAIN(offset) "main+0x" #offset "  a.c:3\n"
#define T_LEAF "leaf+0x0  a.c:8\n"
#define T_10000 "  0x10000  0001      .insn 0x0001\n"
#define T_10002 "  0x10002  00000013  .insn 0x00000013\n"
#define T_10006 "  0x10006  00a000ef  .insn 0x00a000ef" PAD12 "  # -> 0x10010 <leaf>\n"
#define T_1000A(how) "  0x1000a  fe050be3  .insn 0xfe050be3" PAD12 how "\n"
#define T_1000E "  0x1000e  8082      .insn 0x8082" PAD15 " "
#define T_10010 "  0x10010  4501      .insn 0x4501\n"
#define T_10012 "  0x10012  8082      .insn 0x8082\n"

#define J_PLACE(f, o, l) \
	"\"function\":\"" f "\",\"offset\":" #o \
	",\"library\":\"small\",\"file\":\"/src/a.c\",\"line\":" #l
#define J_INSN(hart, pc, n, text, place) \
	"{\"hart\":" #hart ",\"pc\":\"0x" #pc "\",\"size\":" #n ",\"text\":\".insn 0x" #text "\"," place

static const struct row {
	const char *name;
	struct hs_listing_options o; /* the rest is filled in */
	struct hs_block in[5];
	unsigned n;
	const char *text;
	enum hs_status end; /* of the last hs_listing_add() */
	unsigned unmapped;
} rows[] = {
	{ "nothing as text", { .format = HS_LISTING_TEXT }, { { .value = 0 } }, 0, "", HS_OK, 0 },
	{ "nothing as JSON", { .format = HS_LISTING_JSON }, { { .value = 0 } }, 0, "[]\n", HS_OK,
	  0 },
	{ "nothing as JSON lines", { .format = HS_LISTING_LINES }, { { .value = 0 } }, 0, "",
	  HS_OK, 0 },
	{ "a call", { .format = HS_LISTING_TEXT }, { CALL, LEAF }, 2,
	  T_MAIN(0) T_10000 T_10002 T_10006 T_LEAF T_10010 T_10012, HS_OK, 0 },
	{ "branches: a header only where the function changes", { .format = HS_LISTING_TEXT },
	  { BRANCH(TAKEN), BRANCH(NOT_TAKEN), BRANCH(NONE) }, 3,
	  T_MAIN(a) T_1000A("  # taken -> 0x10000 <main>") T_1000A("  # not taken")
	  T_1000A("  # 0x10000 <main>"), HS_OK, 0 },
	{ "an interrupt and its cause", { .format = HS_LISTING_TEXT },
	  { LAST, EVENT(TRAP, 0, 0, 7) }, 2,
	  T_MAIN(e) T_1000E "  # interrupt\n"
	  "; trap: cause 7 (machine timer interrupt), value 0x0, epc 0x10010, U -> ?\n", HS_OK, 0 },
	{ "no code", { .format = HS_LISTING_TEXT },
	  { BLOCK(0x20000, 1, NONE), BLOCK(0x10012, 2, NONE) },
	  2, "; no code is known at 0x20000\n" "leaf+0x2  a.c:8\n" T_10012
	  "; no code is known at 0x10014\n", HS_OK, 2 },
	{ "skip", { .format = HS_LISTING_TEXT, .skip = 2 }, { EVENT(HART, 0, 0, 0), CALL, LEAF }, 3,
	  T_MAIN(6) T_10006 T_LEAF T_10010 T_10012, HS_OK, 0 },
	{ "skip: whole blocks, and the context where it begins",
	  { .format = HS_LISTING_TEXT, .skip = 6 },
	  { EVENT(CONTEXT, 0, 7, 2), CALL, LEAF, LEAF }, 4,
	  "; context 0x7, privilege 0\nleaf+0x2  a.c:8\n" T_10012, HS_OK, 0 },
	{ "limit", { .format = HS_LISTING_TEXT, .limit = 2 }, { CALL, LEAF }, 2,
	  T_MAIN(0) T_10000 T_10002, HS_END, 0 },
	{ "one function, without events", { .format = HS_LISTING_TEXT, .function = "leaf" },
	  { EVENT(HART, 0, 0, 1), CALL, LEAF, CALL }, 4, T_LEAF T_10010 T_10012, HS_OK, 0 },
	{ "colour", { .format = HS_LISTING_TEXT, .colour = true }, { BLOCK(0x10010, 1, NONE) }, 1,
	  "\033[1mleaf+0x0\033[0m  \033[2ma.c:8\033[0m\n"
	  "  0x10010  \033[2m4501    \033[0m  .insn 0x4501\n", HS_OK, 0 },
	{ "PCs, the second time copied", { .format = HS_LISTING_PC },
	  { CALL, EVENT(HART, 0, 0, 1), CALL, LEAF }, 4,
	  "10000\n10002\n10006\n" "10000\n10002\n10006\n" "10010\n10012\n", HS_OK, 0 },
	{ "PCs, a limit", { .format = HS_LISTING_PC, .skip = 1, .limit = 3 }, { CALL, LEAF }, 2,
	  "10002\n10006\n10010\n", HS_END, 0 },
	{ "PCs, no code at the end", { .format = HS_LISTING_PC }, { BLOCK(0x10012, 2, NONE) }, 1,
	  "10012\n", HS_OK, 1 },
	{ "JSON", { .format = HS_LISTING_JSON }, { EVENT(HART, 0, 0, 3), CALL }, 2,
	  "[\n{\"event\":\"hart\",\"text\":\"hart 3\",\"value\":\"0x0\",\"arg\":3,\"code\":0},\n"
	  J_INSN(3, 10000, 2, 0001, J_PLACE("main", 0, 3)) "},\n"
	  J_INSN(3, 10002, 4, 00000013, J_PLACE("main", 2, 3)) "},\n"
	  J_INSN(3, 10006, 4, 00a000ef, J_PLACE("main", 6, 3))
	  ",\"target\":\"0x10010\",\"end\":\"inferable call\"}\n]\n", HS_OK, 0 },
};

struct text {
	char s[4096];
	size_t n, writes, most; /* most: writes that work */
};

static bool collect(void *context, const void *bytes, size_t n)
{
	struct text *t = context;

	if (t->writes++ == t->most)
		return false;
	assert_true(t->n + n < sizeof(t->s));
	memcpy(t->s + t->n, bytes, n);
	t->n += n;
	return true;
}

static void list(const struct row *r, size_t at_once)
{
	struct hs_program *program = small_program();
	struct hs_listing_options o = r->o;
	struct text out = { .most = SIZE_MAX };
	enum hs_status s = HS_OK;
	struct hs_listing *l;

	o.size = sizeof(o);
	o.program = program;
	o.write = collect;
	o.context = &out;
	assert_int_equal(hs_listing_new(&o, &l), HS_OK);
	for (size_t i = 0; i < r->n && s == HS_OK; i += at_once)
		s = hs_listing_add(l, r->in + i, r->n - i < at_once ? r->n - i : at_once);
	assert_int_equal(s, r->end);
	assert_int_equal(hs_listing_end(l), HS_OK);
	assert_string_equal(out.s, r->text);
	assert_int_equal(hs_listing_unmapped(l), r->unmapped);
	hs_listing_free(l);
	hs_program_free(program);
}

static void listed(void **state)
{
	list(*state, 1);
	list(*state, 5);
}

/* ---- what is refused ---------------------------------------------------------------- */

TEST(wrong_options_are_refused)
{
	static const struct hs_block in[] = { CALL };
	struct hs_program *program = small_program();
	struct text out = { .most = 0 };
	const struct hs_listing_options good = { .size = sizeof(good), .program = program,
		                                 .write = collect, .context = &out };
	struct hs_listing_options bad[4] = { good, good, good, good };
	struct hs_listing *l;

	bad[0].size = 3;
	bad[1].program = NULL;
	bad[2].write = NULL;
	bad[3].format = (enum hs_listing_format)4;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(hs_listing_new(&bad[i], &l), HS_E_CONFIG);
	assert_int_equal(hs_listing_new(&good, &l), HS_OK);
	assert_int_equal(hs_listing_add(l, in, 1), HS_OK);
	assert_int_equal(hs_listing_end(l), HS_E_SYSTEM);
	hs_listing_free(l);
	hs_listing_free(NULL);
	hs_program_free(program);
}

/* ---- disassembly -------------------------------------------------------------------- */

/* Mnemonics are the same in every version of LLVM; how operands are written is not. */
TEST(mnemonics_are_shown)
{
	static const char *const mnemonics[] =
		{ "nop", "nop", "jal ", "beqz a0, ", "ret", "li a0, ",
		                                 "ret" };
	const struct hs_isa isa = { .xlen = 64 };
	struct hs_disasm *d;
	size_t at = 0;

	if (hs_disasm_new(&isa, &d, NULL) != HS_OK)
		skip();
	for (size_t i = 0; i < sizeof(mnemonics) / sizeof(*mnemonics); i++) {
		const size_t left = sizeof(small_code) - at;
		char text[64];

		const size_t n = hs_disasm_text(d, SMALL_MAIN + at, small_code + at, left, text,
		                                sizeof(text));

		assert_memory_equal(text, mnemonics[i], strlen(mnemonics[i]));
		assert_int_equal(n, (small_code[at] & 3) == 3 ? 4 : 2);
		assert_int_equal(hs_disasm_text(d, 0, small_code + at, n - 1, text, sizeof(text)),
		                 0);
		at += n;
	}
	assert_int_equal(at, sizeof(small_code));
	hs_disasm_free(d);
}

/* ---- events ------------------------------------------------------------------------- */

static const struct event_row {
	struct hs_block event;
	const char *text;
} event_rows[] = {
	{ EVENT(TRAP, HS_ITYPE_EXCEPTION, 0x42, 13),
	  "trap: cause 13 (load page fault), value 0x42" },
	{ EVENT(TRAP, HS_ITYPE_INTERRUPT, 0, 5),
	  "trap: cause 5 (supervisor timer interrupt), value 0x0" },
	{ EVENT(TRAP, HS_ITYPE_EXCEPTION, 0, 14), "trap: cause 14, value 0x0" },
	{ EVENT(TRAP, HS_ITYPE_INTERRUPT, 0, 4), "trap: cause 4, value 0x0" },
	{ EVENT(TRAP, HS_ITYPE_EXCEPTION, 0, 1000), "trap: cause 1000, value 0x0" },
	{ EVENT(HART, 0, 0, 4095), "hart 4095" },
	{ EVENT(SYNC, 1, 0x80000000, 0), "sync 1 (exit from reset) at 0x80000000" },
	{ EVENT(SYNC, 8, 0, 0), "sync 8 (reserved reason) at 0x0" },
	{ EVENT(GAP, 0, 0x1f, HS_E_TRUNCATED), NULL },
	{ EVENT(STOP, 4, 0, 0), "trace stops: trace disabled (EVCODE 4)" },
	{ EVENT(STOP, 15, 0, 0), "trace stops: reserved reason (EVCODE 15)" },
	{ { .value = 0x99, .arg = 2, .priv = HS_PRIV_S, .kind = HS_KIND_CONTEXT },
	  "context 0x99, privilege 1" },
	{ EVENT(TIME, 0, 1234567, 0), "time 1234567" },
	{ EVENT(CODE, 0, 0x1000, 64), "code changed at 0x1000, 64 bytes" },
	{ EVENT(VERSION, 0, 0x1000, 7), "other code at 0x1000" },
	{ EVENT(NOTE, 0, 11, HS_NOTE_SIGNAL), "signal 11: handler starts" },
	{ EVENT(NOTE, 0, 0, HS_NOTE_SIGNAL), "signal handler starts" },
	{ EVENT(NOTE, 0, 2, HS_NOTE_FORK), "fork: child recording 2" },
	{ EVENT(NOTE, 0, 64, HS_NOTE_CALL), "system call 64" },
	{ EVENT(NOTE, 1, 12, HS_NOTE_REGISTER), "its a1: 0xc" },
	{ EVENT(NOTE, 0, 12, HS_NOTE_RESULT), "system call: 0xc" },
	{ EVENT(NOTE, 0, (uint64_t)-38, HS_NOTE_RESULT), "system call: error 38" },
	{ EVENT(NOTE, 0, 0, HS_NOTE_EXEC), "exec: another program takes over" },
	{ EVENT(NOTE, 0, 0, HS_NOTE_PARTIAL), "the block before may not have run to its end" },
	{ EVENT(NOTE, 0, 0x1000, HS_NOTE_AMBIGUOUS),
	  "ambiguous since address 0x1000: the trace fits another flow, too" },
	{ EVENT(NOTE, 0, HS_TRIGGER_ON, HS_NOTE_TRIGGER), "trigger: trace on" },
	{ EVENT(NOTE, 0, HS_TRIGGER_OFF, HS_NOTE_TRIGGER), "trigger: trace off" },
	{ EVENT(NOTE, 0, HS_TRIGGER_NOTIFY, HS_NOTE_TRIGGER), "trigger: single" },
	{ EVENT(NOTE, 1, 0xabc, HS_NOTE_USER), "user signals 127:64: 0xabc" },
	{ EVENT(NOTE, 0, 5, 999), "note 999: 0x5" },
	{ EVENT(SOURCE, 0, 0x1000, 0), "from 0x1000" },
	{ EVENT(TARGET, 0, 0x1000, 0), "start to 0x1000" },
	{ EVENT(TARGET, HS_ITYPE_RETURN, 0x1000, 0), "return to 0x1000" },
	{ EVENT(CYCLES, 0, 0x1000, 17), "17 cycles before 0x1000" },
	{ EVENT(CYCLES, 0, 0x1000, UINT32_MAX), "at least 4294967295 cycles before 0x1000" },
	{ EVENT(DATA, HS_ACCESS_STORE, 0x1000, 0), "data: store at 0x1000" },
	{ EVENT(VALUE, 0, 0x12, 0), "data: value 0x12" },
	{ EVENT(VALUE, 1, 0x12, 0), "data: operand 0x12" },
	{ EVENT(UNSEEN, HS_UNSEEN_HALFWORDS, 0x1000, 17),
	  "17 half-words more retired unseen, from 0x1000" },
	{ EVENT(UNSEEN, HS_UNSEEN_BRANCHES, 0x1000, UINT32_MAX),
	  "at least 4294967295 branches more retired unseen, from 0x1000" },
	{ { .kind = 200 }, "event 200" },
};

TEST(in_words)
{
	bool seen[HS_KIND_VERSION + 1] = { [HS_KIND_BLOCK] = true };

	for (size_t i = 0; i < sizeof(event_rows) / sizeof(*event_rows); i++) {
		const struct event_row *r = &event_rows[i];
		char text[256], want[256];

		snprintf(want, sizeof(want), "gap: instructions are missing here (offset 0x1f: %s)",
		         hs_status_text(HS_E_TRUNCATED));
		hs_event_text(&r->event, text, sizeof(text));
		assert_string_equal(text, r->text ? r->text : want);
		hs_event_text(&r->event, text, 5);
		assert_int_equal(strlen(text), 4);
		if (r->event.kind <= HS_KIND_VERSION)
			seen[r->event.kind] = true;
	}
	for (unsigned kind = 0; kind <= HS_KIND_VERSION; kind++)
		assert_true(seen[kind]);
}

TEST_TABLE(listed, rows)
