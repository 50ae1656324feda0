/* Replay of blocks through CTR.  A row is a flow over one small program, settings, and the records
 * that the text asks for, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/ctr_explain.h>
#include <hartscope/ctr_export.h>
#include <hartscope/ctr_replay.h>

/* RV64; encodings by the ISA manual, "RV32I Base Instruction Set" and "Compressed". */
static const uint8_t program[] = {
	0x01, 0x00,             /* 1000 c.nop */
	0x02, 0x90,             /* 1002 c.ebreak */
	0x73, 0x00, 0x00, 0x00, /* 1004 ecall */
	0x73, 0x00, 0x20, 0x30, /* 1008 mret */
	0x63, 0x04, 0x00, 0x00, /* 100c beq x0, x0, 1014 */
	0x6f, 0xf0, 0x1f, 0xff, /* 1010 jal x0, 1000 */
	0x02, 0x95,             /* 1014 c.jalr a0 */
	0x82, 0x80,             /* 1016 c.jr ra */
	0xe7, 0x82, 0x00, 0x00, /* 1018 jalr t0, 0(ra) */
	0xef, 0x00, 0x40, 0x00, /* 101c jal ra, 1020 */
	0x01, 0x00,             /* 1020 c.nop */
	0x01, 0x00,             /* 1022 c.nop */
	0x73, 0x00, 0x40, 0x10, /* 1024 sctrclr */
	0x01, 0x00,             /* 1028 c.nop */
	0x6f, 0xf0, 0x7f, 0xfd, /* 102a jal x0, 1000 */
};

enum { U_MODE = HS_PRIV_U, S_MODE = HS_PRIV_S, M_MODE = HS_PRIV_M, ANY_MODE = HS_PRIV_UNKNOWN };

/* itype of blocks (E-Trace 1.1, Table 2); from 4 on also ctrdata.TYPE, as are 1 to 3. */
enum {
	NONE = 0, EXCEPTION = 1, INTERRUPT = 2, XRET = 3, NOT_TAKEN = 4, TAKEN = 5, CALL_IND = 8,
	CALL = 9, JUMP = 11, SWAP = 12, RETURN = 13, OTHER = 15
};

/* A block: its address, half-words, half-words of its last instruction, itype and mode; a context
 * event with a mode; another event. */
#define BLOCK(at, hw, last, type, mode) \
	{ .iaddr = (at), .iretire = (hw), .ilast = (last), .itype = (type), .priv = (mode) }
#define CONTEXT(mode) { .kind = HS_KIND_CONTEXT, .priv = (mode) }
#define EVENT(k, v, a) { .value = (v), .arg = (a), .kind = HS_KIND_##k }

#define NO_CCV (-1) /* cycles of a record */

struct record {
	uint64_t source, target;
	uint8_t type;
	int cycles; /* or NO_CCV */
};

static const struct row {
	const char *name;
	const char *settings[8]; /* NAME, VALUE, ... */
	struct hs_block flow[12];
	unsigned n;
	struct record records[8]; /* the youngest first; to source 0 and target 0 */
	uint64_t retired, lost; /* lost: indirect jumps, and returns, that nothing follows */
} rows[] = {
	{ "a taken branch leads to the next block", { 0 },
	  { BLOCK(0x1000, 1, 1, EXCEPTION, U_MODE), BLOCK(0x100c, 2, 2, TAKEN, U_MODE),
	    BLOCK(0x1014, 1, 1, CALL_IND, U_MODE), BLOCK(0x1016, 1, 1, RETURN, U_MODE),
	    BLOCK(0x1016, 1, 1, NONE, U_MODE) }, 5,
	  { { 0x1016, 0x1016, RETURN, NO_CCV }, { 0x1014, 0x1016, CALL_IND, NO_CCV },
	    { 0x100c, 0x1014, TAKEN, NO_CCV } }, 5, 1 },
	{ "not taken: nothing without NTBREN", { 0 },
	  { BLOCK(0x100c, 2, 2, NOT_TAKEN, U_MODE), BLOCK(0x1010, 2, 2, OTHER, U_MODE),
	    BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 3,
	  { { 0x1010, 0x1000, JUMP, NO_CCV } }, 3, 0 },
	{ "not taken with NTBREN: to the next instruction", { "NTBREN", "1" },
	  { BLOCK(0x100c, 2, 2, NOT_TAKEN, U_MODE), BLOCK(0x1010, 2, 2, OTHER, U_MODE),
	    BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 3,
	  { { 0x1010, 0x1000, JUMP, NO_CCV }, { 0x100c, 0x1010, NOT_TAKEN, NO_CCV } }, 3, 0 },
	{ "the last direct jump needs no next block", { 0 },
	  { BLOCK(0x101c, 2, 2, CALL, U_MODE) }, 1,
	  { { 0x101c, 0x1020, CALL, NO_CCV } }, 1, 0 },
	{ "the last indirect jump does", { 0 },
	  { BLOCK(0x1014, 1, 1, CALL_IND, U_MODE) }, 1,
	  { { 0 } }, 1, 1 },
	{ "a swap is one", { 0 },
	  { BLOCK(0x1018, 2, 2, SWAP, U_MODE), BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 2,
	  { { 0x1018, 0x1000, SWAP, NO_CCV } }, 2, 0 },
	{ "SCTRCLR: what was recorded before is gone, and its cycles are not known", { 0 },
	  { BLOCK(0x101c, 2, 2, CALL, U_MODE), BLOCK(0x1022, 6, 2, OTHER, S_MODE),
	    BLOCK(0x1010, 2, 2, OTHER, S_MODE), BLOCK(0x1000, 1, 1, NONE, S_MODE) }, 4,
	  { { 0x1010, 0x1000, JUMP, NO_CCV }, { 0x102a, 0x1010, JUMP, NO_CCV } }, 7, 0 },
	{ "SCTRCLR: only what retires after it counts", { "cycles", "instructions" },
	  { BLOCK(0x101c, 2, 2, CALL, U_MODE), BLOCK(0x1022, 6, 2, OTHER, S_MODE),
	    BLOCK(0x1010, 2, 2, OTHER, S_MODE), BLOCK(0x1000, 1, 1, NONE, S_MODE) }, 4,
	  { { 0x1010, 0x1000, JUMP, 1 }, { 0x102a, 0x1010, JUMP, NO_CCV } }, 7, 0 },
	{ "0.1.4 has no SCTRCLR", { "version", "0.1.4" },
	  { BLOCK(0x101c, 2, 2, CALL, U_MODE), BLOCK(0x1022, 6, 2, OTHER, S_MODE),
	    BLOCK(0x1010, 2, 2, NONE, S_MODE) }, 3,
	  { { 0x1010, 0x1000, JUMP, NO_CCV }, { 0x102a, 0x1010, JUMP, NO_CCV },
	    { 0x101c, 0x1022, CALL, NO_CCV } }, 6, 0 },
	{ "a filter", { "INDCALLINH", "1" },
	  { BLOCK(0x1014, 1, 1, CALL_IND, U_MODE), BLOCK(0x1016, 1, 1, RETURN, U_MODE),
	    BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 3,
	  { { 0x1016, 0x1000, RETURN, NO_CCV } }, 3, 0 },
	{ "RASEMU: a return takes the call away", { "RASEMU", "1" },
	  { BLOCK(0x101c, 2, 2, CALL, U_MODE), BLOCK(0x1020, 1, 1, NONE, U_MODE),
	    BLOCK(0x1014, 1, 1, CALL_IND, U_MODE), BLOCK(0x1016, 1, 1, RETURN, U_MODE),
	    BLOCK(0x1020, 1, 1, NONE, U_MODE) }, 5,
	  { { 0x101c, 0x1020, CALL, NO_CCV } }, 5, 0 },
	{ "an exception that did not retire: from its own address (PMT-01)", { 0 },
	  { BLOCK(0x1000, 1, 1, EXCEPTION, U_MODE), EVENT(TRAP, 0, 2),
	    BLOCK(0x1008, 2, 2, XRET, M_MODE), BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 4,
	  { { 0x1008, 0x1000, XRET, NO_CCV }, { 0x1002, 0x1008, EXCEPTION, NO_CCV } }, 3, 0 },
	{ "an ecall that counts as retired: still from its own address", { 0 },
	  { BLOCK(0x1004, 2, 2, EXCEPTION, U_MODE), EVENT(TRAP, 0, 8),
	    BLOCK(0x1008, 2, 2, XRET, M_MODE), BLOCK(0x1020, 1, 1, NONE, U_MODE) }, 4,
	  { { 0x1008, 0x1020, XRET, NO_CCV }, { 0x1004, 0x1008, EXCEPTION, NO_CCV } }, 3, 0 },
	{ "an interrupt: from the next instruction", { 0 },
	  { BLOCK(0x1000, 1, 1, INTERRUPT, U_MODE), EVENT(TRAP, 0, 7),
	    BLOCK(0x1020, 1, 1, NONE, M_MODE) }, 3,
	  { { 0x1002, 0x1020, INTERRUPT, NO_CCV } }, 2, 0 },
	{ "an interrupt without an instruction", { 0 },
	  { BLOCK(0x100c, 2, 2, TAKEN, U_MODE), BLOCK(0x1014, 0, 0, INTERRUPT, U_MODE),
	    BLOCK(0x1020, 1, 1, NONE, M_MODE) }, 3,
	  { { 0x1014, 0x1020, INTERRUPT, NO_CCV }, { 0x100c, 0x1014, TAKEN, NO_CCV } }, 2, 0 },
	{ "from a mode that is off: source 0 (PMT-02)", { "U", "0" },
	  { BLOCK(0x1000, 1, 1, EXCEPTION, U_MODE), EVENT(TRAP, 0, 2),
	    BLOCK(0x1020, 1, 1, NONE, M_MODE) }, 3,
	  { { 0, 0x1020, EXCEPTION, NO_CCV } }, 2, 0 },
	{ "into a mode that is off: nothing (PMT-03), and back: nothing (PMT-07)", { "M", "0" },
	  { BLOCK(0x1000, 1, 1, EXCEPTION, U_MODE), EVENT(TRAP, 0, 2),
	    BLOCK(0x1008, 2, 2, XRET, M_MODE), BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 4,
	  { { 0 } }, 3, 0 },
	{ "a return into a mode that is off: target 0 (PMT-06)", { "U", "0" },
	  { BLOCK(0x1008, 2, 2, XRET, M_MODE), BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 2,
	  { { 0x1008, 0, XRET, NO_CCV } }, 2, 0 },
	{ "an external trap of 1.0: STE and MTE from U (EXT-01)",
	  { "M", "0", "STE", "1", "MTE", "1" },
	  { BLOCK(0x1000, 1, 1, EXCEPTION, U_MODE), EVENT(TRAP, 0, 2),
	    BLOCK(0x1020, 1, 1, NONE, M_MODE) }, 3,
	  { { 0x1002, 0, EXCEPTION, NO_CCV } }, 2, 0 },
	{ "of 0.1.4: ETEN and MTE", { "version", "0.1.4", "M", "0", "ETEN", "1", "MTE", "1" },
	  { BLOCK(0x1000, 1, 1, EXCEPTION, U_MODE), EVENT(TRAP, 0, 2),
	    BLOCK(0x1020, 1, 1, NONE, M_MODE) }, 3,
	  { { 0x1002, 0, EXCEPTION, NO_CCV } }, 2, 0 },
	{ "a system call of a user-mode recording: the supervisor counts as off", { 0 },
	  { BLOCK(0x1004, 2, 2, EXCEPTION, U_MODE), EVENT(TRAP, 0, 8),
	    BLOCK(0x100c, 2, 2, TAKEN, U_MODE), BLOCK(0x1014, 1, 1, NONE, U_MODE) }, 4,
	  { { 0x100c, 0x1014, TAKEN, NO_CCV } }, 3, 1 },
	{ "the same with external traps", { "STE", "1", "MTE", "1" },
	  { BLOCK(0x1004, 2, 2, EXCEPTION, U_MODE), EVENT(TRAP, 0, 8),
	    BLOCK(0x100c, 2, 2, TAKEN, U_MODE), BLOCK(0x1014, 1, 1, NONE, U_MODE) }, 4,
	  { { 0x100c, 0x1014, TAKEN, NO_CCV }, { 0x1004, 0, EXCEPTION, NO_CCV } }, 3, 1 },
	{ "a breakpoint freezes (FRZ-05): by its cause", { "BPFRZ", "1" },
	  { BLOCK(0x100c, 2, 2, TAKEN, U_MODE), BLOCK(0x1014, 0, 0, EXCEPTION, U_MODE),
	    EVENT(TRAP, 0, 3), BLOCK(0x1008, 2, 2, XRET, M_MODE),
	    BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 5,
	  { { 0x100c, 0x1014, TAKEN, NO_CCV } }, 3, 0 },
	{ "a breakpoint freezes: by its instruction", { "BPFRZ", "1" },
	  { BLOCK(0x1000, 1, 1, EXCEPTION, U_MODE), BLOCK(0x1008, 2, 2, XRET, M_MODE),
	    BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 3,
	  { { 0 } }, 3, 0 },
	{ "modes that the flow does not say are the setting's", { "mode", "M", "U", "0", "S", "0" },
	  { BLOCK(0x100c, 2, 2, TAKEN, ANY_MODE), BLOCK(0x1014, 1, 1, NONE, ANY_MODE) }, 2,
	  { { 0x100c, 0x1014, TAKEN, NO_CCV } }, 2, 1 },
	{ "or U's", { "U", "0" },
	  { BLOCK(0x100c, 2, 2, TAKEN, ANY_MODE), BLOCK(0x1014, 1, 1, NONE, ANY_MODE) }, 2,
	  { { 0 } }, 2, 1 },
	{ "a context event says the mode of what comes, not of the block before",
	  { "U", "0", "S", "0" },
	  { CONTEXT(M_MODE), BLOCK(0x100c, 2, 2, TAKEN, ANY_MODE), CONTEXT(U_MODE),
	    BLOCK(0x1014, 1, 1, CALL_IND, ANY_MODE), BLOCK(0x1000, 1, 1, NONE, ANY_MODE) }, 5,
	  { { 0x100c, 0x1014, TAKEN, NO_CCV } }, 3, 0 },
	{ "a trap between modes that context events say", { 0 },
	  { CONTEXT(S_MODE), BLOCK(0x1000, 1, 1, INTERRUPT, ANY_MODE), CONTEXT(M_MODE),
	    BLOCK(0x1008, 2, 2, XRET, ANY_MODE), CONTEXT(S_MODE),
	    BLOCK(0x1020, 1, 1, NONE, ANY_MODE) }, 6,
	  { { 0x1008, 0x1020, XRET, NO_CCV }, { 0x1002, 0x1008, INTERRUPT, NO_CCV } }, 3, 0 },
	{ "a gap loses the mode", { "U", "0" },
	  { CONTEXT(S_MODE), EVENT(GAP, 0, 0), BLOCK(0x100c, 2, 2, TAKEN, ANY_MODE),
	    BLOCK(0x101c, 2, 2, CALL, ANY_MODE) }, 4,
	  { { 0 } }, 2, 0 },
	{ "a gap: an indirect jump before it is lost, a direct one is not", { 0 },
	  { BLOCK(0x100c, 2, 2, TAKEN, U_MODE), EVENT(GAP, 0, 0),
	    BLOCK(0x1014, 1, 1, CALL_IND, U_MODE), EVENT(GAP, 0, 0),
	    BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 5,
	  { { 0x100c, 0x1014, TAKEN, NO_CCV } }, 3, 1 },
	{ "a block that may not have retired makes no record", { 0 },
	  { BLOCK(0x100c, 2, 2, TAKEN, U_MODE), EVENT(NOTE, 0, HS_NOTE_PARTIAL) }, 2,
	  { { 0 } }, 1, 1 },
	{ "itype 0 after a branch: the next address decides", { "NTBREN", "1" },
	  { BLOCK(0x100c, 2, 2, NONE, U_MODE), BLOCK(0x1014, 1, 1, NONE, U_MODE),
	    BLOCK(0x100c, 2, 2, NONE, U_MODE), BLOCK(0x1010, 2, 2, NONE, U_MODE) }, 4,
	  { { 0x1010, 0x1000, JUMP, NO_CCV }, { 0x100c, 0x1010, NOT_TAKEN, NO_CCV },
	    { 0x1014, 0x100c, CALL_IND, NO_CCV }, { 0x100c, 0x1014, TAKEN, NO_CCV } }, 4, 0 },
	{ "code that is not known: types are the block's", { 0 },
	  { BLOCK(0x5000, 3, 2, TAKEN, U_MODE), BLOCK(0x6000, 1, 1, RETURN, U_MODE),
	    BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 3,
	  { { 0x6000, 0x1000, RETURN, NO_CCV }, { 0x5002, 0x6000, TAKEN, NO_CCV } }, 1, 0 },
	/* MISP is bit 0 of the target.  Counters begin as weakly not taken, so that the first taken
	 * branch is mispredicted and the second one is not; a target that was not seen is, too. */
	{ "predictor: branch, indirect call, its return (ENT-04)", { "predictor", "bimodal" },
	  { BLOCK(0x100c, 2, 2, TAKEN, U_MODE), BLOCK(0x1014, 1, 1, CALL_IND, U_MODE),
	    BLOCK(0x1020, 1, 1, NONE, U_MODE), BLOCK(0x1022, 6, 2, OTHER, U_MODE),
	    BLOCK(0x100c, 2, 2, TAKEN, U_MODE), BLOCK(0x1014, 1, 1, CALL_IND, U_MODE),
	    BLOCK(0x1016, 1, 1, RETURN, U_MODE), BLOCK(0x1016, 1, 1, RETURN, U_MODE),
	    BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 9,
	  { { 0x1016, 0x1001, RETURN, NO_CCV }, { 0x1016, 0x1016, RETURN, NO_CCV },
	    { 0x1014, 0x1017, CALL_IND, NO_CCV }, { 0x100c, 0x1014, TAKEN, NO_CCV },
	    { 0x102a, 0x100c, JUMP, NO_CCV } }, 12, 0 },
	{ "predictor: a trap and its return are not predicted", { "predictor", "gshare" },
	  { BLOCK(0x1000, 1, 1, EXCEPTION, U_MODE), EVENT(TRAP, 0, 2),
	    BLOCK(0x1008, 2, 2, XRET, M_MODE), BLOCK(0x100c, 2, 2, TAKEN, U_MODE),
	    BLOCK(0x1014, 1, 1, NONE, U_MODE) }, 5,
	  { { 0x100c, 0x1015, TAKEN, NO_CCV }, { 0x1008, 0x100c, XRET, NO_CCV },
	    { 0x1002, 0x1008, EXCEPTION, NO_CCV } }, 4, 1 },
	/* cycles: the first record after a write of the control register has CCV=0 (CYC-05) */
	{ "an instruction is a cycle", { "cycles", "instructions" },
	  { BLOCK(0x101c, 2, 2, CALL, U_MODE), BLOCK(0x1020, 1, 1, NONE, U_MODE),
	    BLOCK(0x100c, 2, 2, TAKEN, U_MODE), BLOCK(0x1014, 1, 1, CALL_IND, U_MODE),
	    BLOCK(0x1016, 1, 1, NONE, U_MODE) }, 5,
	  { { 0x1014, 0x1016, CALL_IND, 1 }, { 0x100c, 0x1014, TAKEN, 2 },
	    { 0x101c, 0x1020, CALL, NO_CCV } }, 5, 1 },
	{ "time is cycles", { "cycles", "time" },
	  { EVENT(TIME, 1000, 0), BLOCK(0x100c, 2, 2, TAKEN, U_MODE),
	    BLOCK(0x101c, 2, 2, CALL, U_MODE), EVENT(TIME, 1300, 0),
	    BLOCK(0x1020, 1, 1, NONE, U_MODE) }, 5,
	  { { 0x101c, 0x1020, CALL, 300 }, { 0x100c, 0x101c, TAKEN, NO_CCV } }, 3, 0 },
	/* 70000 = 2^16 + 4464 */
	{ "more cycles than 16 bits: to the granule below (CYC-01)", { "cycles", "time" },
	  { EVENT(TIME, 0, 0), BLOCK(0x100c, 2, 2, TAKEN, U_MODE),
	    BLOCK(0x101c, 2, 2, CALL, U_MODE), EVENT(TIME, 70001, 0),
	    BLOCK(0x1020, 1, 1, NONE, U_MODE) }, 5,
	  { { 0x101c, 0x1020, CALL, 70000 }, { 0x100c, 0x101c, TAKEN, NO_CCV } }, 3, 0 },
	{ "a gap makes the next count invalid (CYC-06)", { "cycles", "instructions" },
	  { BLOCK(0x100c, 2, 2, TAKEN, U_MODE), BLOCK(0x100c, 2, 2, TAKEN, U_MODE),
	    EVENT(GAP, 0, 0), BLOCK(0x100c, 2, 2, TAKEN, U_MODE),
	    BLOCK(0x1014, 1, 1, NONE, U_MODE) }, 5,
	  { { 0x100c, 0x1014, TAKEN, NO_CCV }, { 0x100c, 0x1014, TAKEN, 1 },
	    { 0x100c, 0x100c, TAKEN, NO_CCV } }, 4, 1 },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static struct hs_program *new_program(void)
{
	static const struct hs_section section = { 0x1000, sizeof(program), program };
	static const struct hs_image image = { &section, 1, { .xlen = 64 }, 0 };
	struct hs_program *p;

	assert_int_equal(hs_program_new(&p), HS_OK);
	assert_int_equal(hs_program_add_image(p, &image, NULL), HS_OK);
	return p;
}

static void compare(const struct hs_ctr *c, const struct record *want)
{
	unsigned i = 0;

	for (; want->source || want->target; want++, i++) {
		const struct hs_ctr_entry e = hs_ctr_get_entry(c, i);

		assert_int_equal(e.source, want->source | 1);
		assert_int_equal(e.target, want->target);
		assert_int_equal(e.data & 15, want->type);
		if (want->cycles == NO_CCV)
			assert_int_equal(e.data & 0x8000, 0);
		else
			assert_int_equal(hs_ctr_cc_decode(e.data >> 16 & 0xffff), want->cycles);
	}
	assert_int_equal(hs_ctr_get_entry(c, i).source & 1, 0);
}

static void replay_row(void **state)
{
	const struct row *r = *state;
	struct hs_program *p = new_program();
	struct hs_ctr_settings s = { .size = sizeof(s) };
	struct hs_ctr_replay *replay;

	for (unsigned i = 0; i < 8 && r->settings[i]; i += 2)
		assert_int_equal(hs_ctr_settings_set(&s, r->settings[i], r->settings[i + 1], NULL),
		                 HS_OK);
	assert_int_equal(hs_ctr_replay_new(&s, p, NULL, &replay, NULL), HS_OK);
	for (unsigned i = 0; i < r->n; i++)
		assert_int_equal(hs_ctr_replay_add(replay, &r->flow[i]), HS_OK);
	hs_ctr_replay_end(replay);
	const struct hs_ctr_replay_hart *h = hs_ctr_replay_at(replay, 0);

	compare(&h->ctr, r->records);
	assert_int_equal(h->retired, r->retired);
	assert_int_equal(h->lost, r->lost);
	assert_int_equal(hs_ctr_check(&h->ctr), HS_OK);
	hs_ctr_replay_free(replay);
	hs_program_free(p);
}

/* Every second transfer of hart 3 was mispredicted; others never. */
static bool every_second(void *context, uint32_t hart, const struct hs_ctr_transfer *t)
{
	unsigned *asked = context;

	assert_true(t->source >= 0x1000 && t->source < 0x1030);
	return hart == 3 && ++*asked % 2;
}

static void own_predictor(void **state)
{
	static const struct hs_block flow[] = {
		EVENT(HART, 0, 3), BLOCK(0x101c, 2, 2, CALL, U_MODE),
		BLOCK(0x1022, 1, 1, NONE, U_MODE), EVENT(HART, 0, 1),
		BLOCK(0x101c, 2, 2, CALL, U_MODE), EVENT(HART, 0, 3),
		BLOCK(0x1010, 2, 2, OTHER, U_MODE), BLOCK(0x1010, 2, 2, OTHER, U_MODE),
	};
	static const struct record first[] = { { 0x1010, 0x1001, JUMP, NO_CCV },
		                               { 0x1010, 0x1010, JUMP, NO_CCV },
		                               { 0x101c, 0x1023, CALL, NO_CCV }, { 0 } };
	static const struct record second[] = { { 0x101c, 0x1020, CALL, NO_CCV }, { 0 } };
	struct hs_ctr_settings s = { .size = sizeof(s), .misp = HS_CTR_MISP_CALLER };
	struct hs_program *p = new_program();
	struct hs_ctr_replay *replay;
	unsigned asked = 0;

	(void)state;
	assert_int_equal(hs_ctr_replay_new(&s, p, NULL, &replay, NULL), HS_OK);
	hs_ctr_replay_set_predictor(replay, every_second, &asked);
	for (unsigned i = 0; i < sizeof(flow) / sizeof(flow[0]); i++)
		assert_int_equal(hs_ctr_replay_add(replay, &flow[i]), HS_OK);
	hs_ctr_replay_end(replay);
	assert_int_equal(asked, 3);
	compare(&hs_ctr_replay_at(replay, 0)->ctr, first);
	compare(&hs_ctr_replay_at(replay, 1)->ctr, second);
	hs_ctr_replay_free(replay);
	s.misp = 4;
	assert_int_equal(hs_ctr_replay_new(&s, p, NULL, &replay, NULL), HS_E_CONFIG);
	hs_program_free(p);
}

/* Two harts in turn: each has its own records, and its last block waits for its own next. */
static void harts(void **state)
{
	static const struct hs_block flow[] = {
		EVENT(HART, 0, 3), BLOCK(0x100c, 2, 2, TAKEN, U_MODE), EVENT(HART, 0, 1),
			BLOCK(0x1014, 1, 1, CALL_IND, U_MODE),
		EVENT(HART, 0, 3), BLOCK(0x1014, 1, 1, NONE, U_MODE), EVENT(HART, 0, 1),
			BLOCK(0x1020, 1, 1, NONE, U_MODE),
	};
	static const struct record first[] = { { 0x100c, 0x1014, TAKEN, NO_CCV }, { 0 } };
	static const struct record second[] = { { 0x1014, 0x1020, CALL_IND, NO_CCV }, { 0 } };
	struct hs_program *p = new_program();
	struct hs_ctr_settings s = { .size = sizeof(s) };
	struct hs_ctr_replay *replay;

	(void)state;
	assert_int_equal(hs_ctr_replay_new(&s, p, NULL, &replay, NULL), HS_OK);
	assert_null(hs_ctr_replay_now(replay));
	for (unsigned i = 0; i < sizeof(flow) / sizeof(flow[0]); i++)
		assert_int_equal(hs_ctr_replay_add(replay, &flow[i]), HS_OK);
	assert_int_equal(hs_ctr_replay_now(replay)->hart, 1);
	assert_int_equal(hs_ctr_replay_at(replay, 0)->hart, 3);
	compare(&hs_ctr_replay_at(replay, 0)->ctr, first);
	compare(&hs_ctr_replay_at(replay, 1)->ctr, second);
	assert_null(hs_ctr_replay_at(replay, 2));
	hs_ctr_replay_free(replay);
	hs_program_free(p);
}

/* After a block came: what the hart has retired, and where each instruction of the block is. */
static void moments(void **state)
{
	static const struct hs_block flow[] = { BLOCK(0x1000, 1, 1, NONE, U_MODE),
	                                        BLOCK(0x1010, 4, 2, NONE, U_MODE) };
	struct hs_program *p = new_program();
	struct hs_ctr_settings s = { .size = sizeof(s) };
	struct hs_ctr_replay *replay;
	uint64_t pc = 0;

	(void)state;
	assert_int_equal(hs_ctr_replay_new(&s, p, NULL, &replay, NULL), HS_OK);
	assert_int_equal(hs_ctr_replay_add(replay, &flow[0]), HS_OK);
	assert_int_equal(hs_ctr_replay_now(replay)->retired, 0);
	assert_int_equal(hs_ctr_replay_add(replay, &flow[1]), HS_OK);
	const struct hs_ctr_replay_hart *h = hs_ctr_replay_now(replay);

	assert_int_equal(h->retired, 1);
	assert_int_equal(h->instructions, 3); /* jal, c.jalr, c.jr: as far as the block says */
	pc = h->block.iaddr;
	assert_int_equal(hs_ctr_replay_step(h, &pc, 1), HS_OK);
	assert_int_equal(pc, 0x1014);
	assert_int_equal(hs_ctr_replay_step(h, &pc, 2), HS_E_ARG);
	assert_int_equal(hs_ctr_replay_step(h, &pc, 1), HS_OK);
	assert_int_equal(pc, 0x1016);
	assert_int_equal(hs_ctr_replay_step(h, &pc, 0), HS_OK);
	pc = 0x1000;
	assert_int_equal(hs_ctr_replay_step(h, &pc, 0), HS_E_ARG);
	hs_ctr_replay_free(replay);
	hs_program_free(p);
}

/* Names of both versions, and settings that a version or XLEN does not have. */
static void settings(void **state)
{
	static const struct {
		const char *name, *value;
		enum hs_status set, make64, make32;
	} v[] = {
		{ "depth", "256", HS_OK, HS_OK, HS_OK },
		{ "depth", "48", HS_E_CONFIG, HS_OK, HS_OK },
		{ "depth", "", HS_E_CONFIG, HS_OK, HS_OK },
		{ "version", "0.1.4", HS_OK, HS_OK, HS_OK },
		{ "version", "2.0", HS_E_CONFIG, HS_OK, HS_OK },
		{ "mode", "-", HS_E_CONFIG, HS_OK, HS_OK },
		{ "mode", "m", HS_OK, HS_OK, HS_OK },
		{ "RETINH", "1", HS_OK, HS_OK, HS_E_CONFIG }, /* 1.0 has no upper halves */
		{ "DIRLJMPINH", "1", HS_OK, HS_OK, HS_E_CONFIG },
		{ "DIROJMPINH", "2", HS_E_CONFIG, HS_OK, HS_OK },
		{ "RASEMU", "1", HS_OK, HS_OK, HS_OK },
		{ "ETEN", "1", HS_OK, HS_E_CONFIG, HS_E_CONFIG }, /* only in 0.1.4 */
		{ "type6", "1", HS_OK, HS_E_CONFIG, HS_E_CONFIG }, /* the same */
		{ "cce", "5", HS_E_CONFIG, HS_OK, HS_OK },
		{ "nothing", "1", HS_E_CONFIG, HS_OK, HS_OK },
	};
	struct hs_ctr_settings s = { .size = sizeof(s) };
	struct hs_ctr c;

	(void)state;
	for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		s = (struct hs_ctr_settings){ .size = sizeof(s) };
		assert_int_equal(hs_ctr_settings_set(&s, v[i].name, v[i].value, NULL), v[i].set);
		assert_int_equal(hs_ctr_settings_make(&s, 64, &c, NULL), v[i].make64);
		assert_int_equal(hs_ctr_settings_make(&s, 32, &c, NULL), v[i].make32);
	}
}

/* Each field reaches its bits: mctrctl and vsctrctl by the table of 1.0, mctrcontrol by that of
 * 0.1.4. */
static void fields(void **state)
{
	static const struct {
		const char *name;
		uint64_t ratified, vs_ratified, draft, vs_draft;
	} v[] = {
		{ "U", 1, 0, 4, 0 }, { "S", 2, 0, 2, 0 }, { "M", 4, 0, 1, 0 }, { "VU", 0, 1, 0, 4 },
			{ "VS", 0, 2, 0, 2 },
		{ "RASEMU", 0x80, 0x80, 0x400, 0x400 }, { "STE", 0x100, 0, 0x200, 0 },
			{ "VSTE", 0, 0x100, 0, 0x200 },
		{ "MTE", 0x200, 0, 0x100, 0 }, { "BPFRZ", 0x800, 0x800, 0x800, 0x800 },
		{ "LCOFIFRZ", 0x1000, 0x1000, 0x1000, 0x1000 },
		{ "TKBRINH", 1ull << 37, 1ull << 37, 1ull << 37, 1ull << 37 },
		{ "INDLJMPINH", 1ull << 46, 1ull << 46, 1ull << 46, 1ull << 46 },
	};
	struct hs_ctr_settings s = { .size = sizeof(s) };
	struct hs_ctr c;

	(void)state;
	for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		/* U S M VU VS */
		s = (struct hs_ctr_settings){ .size = sizeof(s), .disabled = 0x3b };
		assert_int_equal(hs_ctr_settings_set(&s, v[i].name, "1", NULL), HS_OK);
		assert_int_equal(hs_ctr_settings_make(&s, 64, &c, NULL), HS_OK);
		assert_int_equal(c.mctl, v[i].ratified);
		assert_int_equal(c.vsctl, v[i].vs_ratified);
		s.version = HS_CTR_0_1_4;
		assert_int_equal(hs_ctr_settings_make(&s, 64, &c, NULL), HS_OK);
		assert_int_equal(c.mctl, v[i].draft);
		assert_int_equal(c.vsctl, v[i].vs_draft);
	}
}

/* Settings of nothing but a size are the documented default; others than ours are refused. */
static void settings_size(void **state)
{
	struct {
		struct hs_ctr_settings s;
		uint8_t later[8];
	} v = { 0 };
	struct hs_ctr c;

	(void)state;
	v.s.size = sizeof(v.s.size);
	assert_int_equal(hs_ctr_settings_make(&v.s, 64, &c, NULL), HS_OK);
	assert_int_equal(c.config.version, HS_CTR_1_0);
	assert_int_equal(hs_ctr_depth(&c), 32);
	assert_int_equal(c.mctl, 7);  /* M, S, U */
	assert_int_equal(c.vsctl, 3); /* VS, VU */
	assert_int_equal(hs_ctr_settings_set(&v.s, "depth", "64", NULL), HS_OK);
	assert_int_equal(v.s.depth, 0); /* a caller without this member keeps its memory */
	v.s.size = sizeof(v);
	assert_int_equal(hs_ctr_settings_make(&v.s, 64, &c, NULL), HS_OK);
	assert_int_equal(hs_ctr_settings_set(&v.s, "depth", "64", NULL), HS_OK);
	assert_int_equal(v.s.depth, 64);
	v.later[7] = 1;
	assert_int_equal(hs_ctr_settings_make(&v.s, 64, &c, NULL), HS_E_CONFIG);
	assert_int_equal(hs_ctr_settings_set(&v.s, "depth", "16", NULL), HS_E_CONFIG);
	v.s.size = 0;
	assert_int_equal(hs_ctr_settings_make(&v.s, 64, &c, NULL), HS_E_CONFIG);
	v.s = (struct hs_ctr_settings){ .size = sizeof(v.s), .depth = 48 };
	assert_int_equal(hs_ctr_settings_make(&v.s, 64, &c, NULL), HS_E_CONFIG);
	/* U is not said there */
	v.s = (struct hs_ctr_settings){ .size = sizeof(v.s), .control = 1 };
	assert_int_equal(hs_ctr_settings_make(&v.s, 64, &c, NULL), HS_E_CONFIG);
}

static bool no_bytes(void *context, const void *bytes, size_t n)
{
	(void)context, (void)bytes, (void)n;
	return true;
}

static void export_options(void **state)
{
	struct {
		struct hs_ctr_export_options o;
		uint8_t later[8];
	} v = { 0 };
	const struct hs_ctr_settings s = { .size = sizeof(s) };
	struct hs_program *p = new_program();
	struct hs_ctr_export *x = NULL;
	struct hs_ctr c;

	(void)state;
	assert_int_equal(hs_ctr_settings_make(&s, 64, &c, NULL), HS_OK);
	assert_int_equal(hs_ctr_export_new(p, &c, no_bytes, NULL, &v.o, &x, NULL), HS_E_CONFIG);
	v.o.size = sizeof(v.o.size);
	assert_int_equal(hs_ctr_export_new(p, &c, no_bytes, NULL, &v.o, &x, NULL), HS_OK);
	hs_ctr_export_free(x);
	v.o.size = sizeof(v);
	assert_int_equal(hs_ctr_export_new(p, &c, no_bytes, NULL, &v.o, &x, NULL), HS_OK);
	hs_ctr_export_free(x);
	v.later[0] = 1;
	assert_int_equal(hs_ctr_export_new(p, &c, no_bytes, NULL, &v.o, &x, NULL), HS_E_CONFIG);
	hs_program_free(p);
}

static void count_remark(void *context, const struct hs_ctr_remark *remark)
{
	(void)remark;
	++*(unsigned *)context;
}

/* The span moves past the lines before the one at fault. */
static void explain_options(void **state)
{
	static const char dump[] = "sctrdepth = 1\nsctrstatus =\n";
	struct {
		struct hs_ctr_explain_options o;
		uint8_t later[8];
	} v = { .o.size = sizeof(v.o) };
	struct hs_span text = { (const uint8_t *)dump, sizeof(dump) - 1 };
	enum hs_ctr_version version = HS_CTR_ANY;
	unsigned n = 0;

	(void)state;
	assert_int_equal(hs_ctr_explain(&text, &v.o, count_remark, &n, &version, NULL),
	                 HS_E_FORMAT);
	assert_ptr_equal(text.p, dump + 14);
	text = (struct hs_span){ (const uint8_t *)dump, 14 };
	assert_int_equal(hs_ctr_explain(&text, &v.o, count_remark, &n, &version, NULL), HS_OK);
	assert_int_equal(text.n, 0);
	assert_int_equal(n, 1);
	assert_int_equal(version, HS_CTR_1_0);
	v.o.xlen = 48;
	assert_int_equal(hs_ctr_explain(&text, &v.o, count_remark, &n, NULL, NULL), HS_E_CONFIG);
	v.o = (struct hs_ctr_explain_options){ .size = sizeof(v.o), .version = 3 };
	assert_int_equal(hs_ctr_explain(&text, &v.o, count_remark, &n, NULL, NULL), HS_E_CONFIG);
	v.o = (struct hs_ctr_explain_options){ .size = sizeof(v) };
	v.later[3] = 1;
	assert_int_equal(hs_ctr_explain(&text, &v.o, count_remark, &n, NULL, NULL), HS_E_CONFIG);
}

int main(void)
{
	struct CMUnitTest tests[ROWS + 8];

	for (size_t i = 0; i < ROWS; i++)
		tests[i] = (struct CMUnitTest){ rows[i].name, replay_row, NULL, NULL,
			                        (void *)(uintptr_t)&rows[i] };
	tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(harts);
	tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(moments);
	tests[ROWS + 2] = (struct CMUnitTest)cmocka_unit_test(settings);
	tests[ROWS + 3] = (struct CMUnitTest)cmocka_unit_test(fields);
	tests[ROWS + 4] = (struct CMUnitTest)cmocka_unit_test(settings_size);
	tests[ROWS + 5] = (struct CMUnitTest)cmocka_unit_test(export_options);
	tests[ROWS + 6] = (struct CMUnitTest)cmocka_unit_test(explain_options);
	tests[ROWS + 7] = (struct CMUnitTest)cmocka_unit_test(own_predictor);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
