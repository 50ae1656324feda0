/* Replay of blocks through CTR.  A row is a flow over one small program, settings, and the records
 * that the text asks for, worked out by hand. */
#include "cases.h"

#include <hartscope/block.h>

#include "ctr_host/ctr_host.h"

#include "program/program.h"

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
	0x73, 0xd0, 0xe0, 0x14, /* 102e csrrwi x0, sctrctl, 1 */
	0x6f, 0xf0, 0xff, 0xfc, /* 1032 jal x0, 1000 */
	0x73, 0x10, 0xe5, 0x14, /* 1036 csrrw x0, sctrctl, a0 */
	0x73, 0x20, 0xe5, 0x14, /* 103a csrrs x0, sctrctl, a0 */
	0x73, 0x30, 0xe5, 0x14, /* 103e csrrc x0, sctrctl, a0 */
	0x73, 0x25, 0xe0, 0x14, /* 1042 csrrs a0, sctrctl, x0 */
	0x6f, 0xf0, 0xbf, 0xfb, /* 1046 jal x0, 1000 */
	0x73, 0x10, 0x05, 0x15, /* 104a csrrw x0, siselect, a0 */
	0x73, 0x50, 0x10, 0x15, /* 104e csrrwi x0, sireg, 0 */
	0x73, 0x50, 0xf0, 0x15, /* 1052 csrrwi x0, sctrdepth, 0 */
	0x6f, 0xf0, 0xbf, 0xfa, /* 1056 jal x0, 1000 */
};

enum {
	U_MODE = HS_PRIV_U, S_MODE = HS_PRIV_S, M_MODE = HS_PRIV_M, VS_MODE = HS_PRIV_VS,
	ANY_MODE = HS_PRIV_UNKNOWN
};

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
#define PROCESS(n) { .value = (n), .arg = 2, .priv = U_MODE, .kind = HS_KIND_CONTEXT }
#define EVENT(k, v, a) { .value = (v), .arg = (a), .kind = HS_KIND_##k }
#define CLOCK(v) { .value = (v), .itype = HS_CLOCK_TIME, .kind = HS_KIND_TIME }
/* A target of a fast profile, after the address of the last instruction before it. */
#define SOURCE(v) EVENT(SOURCE, v, 0)
#define TARGET(type, v, mode) \
	{ .value = (v), .itype = (type), .priv = (mode), .kind = HS_KIND_TARGET }
/* A data access: the items of hs_access_put(). */
#define ACCESS 255
#define CSR(type, csr, op) \
	{ .value = (op), .arg = (csr), .itype = HS_ACCESS_CSR_##type, .kind = ACCESS }

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
	/* 1.0 sctrctl: U 1, S 2; it does not show M */
	{ "csrrwi of sctrctl: S is off from there on", { 0 },
	  { BLOCK(0x101c, 2, 2, CALL, S_MODE), CSR(RW, 0x14e, 1),
	    BLOCK(0x102e, 4, 2, OTHER, S_MODE), BLOCK(0x1010, 2, 2, OTHER, S_MODE),
	    BLOCK(0x101c, 2, 2, CALL, U_MODE), BLOCK(0x1010, 2, 2, OTHER, M_MODE) }, 6,
	  { { 0x1010, 0x1000, JUMP, NO_CCV }, { 0x101c, 0x1010, CALL, NO_CCV },
	    { 0x101c, 0x102e, CALL, NO_CCV } }, 6, 0 },
	{ "by its code, where the flow has other accesses", { 0 },
	  { BLOCK(0x101c, 2, 2, CALL, S_MODE), CSR(RW, 0x300, 0),
	    BLOCK(0x102e, 4, 2, OTHER, S_MODE), BLOCK(0x1010, 2, 2, OTHER, S_MODE) }, 4,
	  { { 0x101c, 0x102e, CALL, NO_CCV } }, 4, 0 },
	{ "without accesses no write has an effect", { 0 },
	  { BLOCK(0x101c, 2, 2, CALL, S_MODE), BLOCK(0x102e, 4, 2, OTHER, S_MODE),
	    BLOCK(0x1010, 2, 2, OTHER, S_MODE) }, 3,
	  { { 0x1010, 0x1000, JUMP, NO_CCV }, { 0x1032, 0x1010, JUMP, NO_CCV },
	    { 0x101c, 0x102e, CALL, NO_CCV } }, 4, 0 },
	{ "a write makes the next count invalid, and restarts it (CYC-05)",
	  { "cycles", "instructions" },
	  { CSR(RW, 0x14e, 1), BLOCK(0x101c, 2, 2, CALL, U_MODE),
	    BLOCK(0x102e, 4, 2, OTHER, U_MODE), BLOCK(0x1010, 2, 2, OTHER, U_MODE),
	    BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 5,
	  { { 0x1010, 0x1000, JUMP, 1 }, { 0x1032, 0x1010, JUMP, NO_CCV },
	    { 0x101c, 0x102e, CALL, NO_CCV } }, 5, 0 },
	{ "of a guest: vsctrctl", { 0 },
	  { CSR(RW, 0x14e, 1), BLOCK(0x101c, 2, 2, CALL, VS_MODE),
	    BLOCK(0x102e, 4, 2, OTHER, VS_MODE), BLOCK(0x1010, 2, 2, OTHER, S_MODE),
	    BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 5,
	  { { 0x1010, 0x1000, JUMP, NO_CCV }, { 0x101c, 0x102e, CALL, NO_CCV } }, 5, 0 },
	{ "in a mode that is not known", { "mode", "U", "M", "0" },
	  { CSR(RW, 0x14e, 1), BLOCK(0x102e, 4, 2, OTHER, ANY_MODE),
	    BLOCK(0x1010, 2, 2, OTHER, S_MODE), BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 4,
	  { { 0x1032, 0x1010, JUMP, NO_CCV } }, 4, 0 },
	{ "0.1.4 has no sctrctl", { "version", "0.1.4" },
	  { CSR(RW, 0x14e, 1), BLOCK(0x102e, 4, 2, OTHER, S_MODE),
	    BLOCK(0x1000, 1, 1, NONE, S_MODE) }, 3,
	  { { 0x1032, 0x1000, JUMP, NO_CCV } }, 3, 0 },
	{ "write, set and clear by the accesses of the flow", { 0 },
	  { CSR(RW, 0x14e, 0), CSR(RS, 0x14e, 3), CSR(RC, 0x14e, 1), CSR(RS, 0x14e, 0),
	    BLOCK(0x1036, 10, 2, OTHER, U_MODE), BLOCK(0x1010, 2, 2, OTHER, S_MODE),
	    BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 7,
	  { { 0x1010, 0x1000, JUMP, NO_CCV } }, 7, 0 },
	{ "accesses come at any distance before their instruction", { 0 },
	  { CSR(RW, 0x14e, 1), CSR(RW, 0x300, 0), CSR(RS, 0x14e, 0),
	    BLOCK(0x101c, 2, 2, CALL, S_MODE), CSR(RC, 0x14e, 0), CSR(RS, 0x14e, 0),
	    BLOCK(0x1036, 10, 2, OTHER, S_MODE), BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 8,
	  { { 0x101c, 0x1036, CALL, NO_CCV } }, 7, 0 },
	{ "a gap loses them", { 0 },
	  { CSR(RW, 0x14e, 0), EVENT(GAP, 0, 0), BLOCK(0x1036, 10, 2, OTHER, S_MODE),
	    BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 4,
	  { { 0x1046, 0x1000, JUMP, NO_CCV } }, 6, 0 },
	{ "an entry by siselect and sireg", { 0 },
	  { BLOCK(0x101c, 2, 2, CALL, S_MODE), CSR(RW, 0x150, 0x200),
	    BLOCK(0x104a, 8, 2, OTHER, S_MODE), BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 4,
	  { { 0x1056, 0x1000, JUMP, NO_CCV } }, 6, 0 },
	{ "another entry", { 0 },
	  { BLOCK(0x101c, 2, 2, CALL, S_MODE), CSR(RW, 0x150, 0x201),
	    BLOCK(0x104a, 8, 2, OTHER, S_MODE), BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 4,
	  { { 0x1056, 0x1000, JUMP, NO_CCV }, { 0x101c, 0x104a, CALL, NO_CCV } }, 6, 0 },
	/* design/contexts: what leads to another context is a record of the one before */
	{ "contexts share the records of a hart", { 0 },
	  { PROCESS(1), BLOCK(0x101c, 2, 2, CALL, U_MODE), PROCESS(2),
	    BLOCK(0x1010, 2, 2, OTHER, U_MODE), BLOCK(0x100c, 2, 2, TAKEN, U_MODE), PROCESS(1),
	    BLOCK(0x1014, 1, 1, CALL_IND, U_MODE), BLOCK(0x1020, 1, 1, NONE, U_MODE) }, 8,
	  { { 0x1014, 0x1020, CALL_IND, NO_CCV }, { 0x100c, 0x1014, TAKEN, NO_CCV },
	    { 0x1010, 0x100c, JUMP, NO_CCV }, { 0x101c, 0x1010, CALL, NO_CCV } }, 5, 0 },
	{ "contexts=clear", { "contexts", "clear" },
	  { PROCESS(1), BLOCK(0x101c, 2, 2, CALL, U_MODE), PROCESS(2),
	    BLOCK(0x1010, 2, 2, OTHER, U_MODE), BLOCK(0x100c, 2, 2, TAKEN, U_MODE), PROCESS(1),
	    BLOCK(0x1014, 1, 1, CALL_IND, U_MODE), BLOCK(0x1020, 1, 1, NONE, U_MODE) }, 8,
	  { { 0x1014, 0x1020, CALL_IND, NO_CCV } }, 5, 0 },
	{ "contexts=swap: the next count is not known",
	  { "contexts", "swap", "cycles", "instructions" },
	  { PROCESS(1), BLOCK(0x101c, 2, 2, CALL, U_MODE), PROCESS(2),
	    BLOCK(0x1010, 2, 2, OTHER, U_MODE), BLOCK(0x100c, 2, 2, TAKEN, U_MODE), PROCESS(1),
	    BLOCK(0x1014, 1, 1, CALL_IND, U_MODE), BLOCK(0x1020, 1, 1, NONE, U_MODE) }, 8,
	  { { 0x1014, 0x1020, CALL_IND, NO_CCV }, { 0x101c, 0x1010, CALL, NO_CCV } }, 5, 0 },
	{ "contexts=swap: records before the first context, and the same context again",
	  { "contexts", "swap" },
	  { BLOCK(0x101c, 2, 2, CALL, U_MODE), PROCESS(0), BLOCK(0x1010, 2, 2, OTHER, U_MODE),
	    PROCESS(0), BLOCK(0x100c, 2, 2, TAKEN, U_MODE), PROCESS(5), PROCESS(0),
	    BLOCK(0x1014, 1, 1, CALL_IND, U_MODE), BLOCK(0x1020, 1, 1, NONE, U_MODE) }, 9,
	  { { 0x1014, 0x1020, CALL_IND, NO_CCV }, { 0x100c, 0x1014, TAKEN, NO_CCV },
	    { 0x1010, 0x100c, JUMP, NO_CCV } }, 5, 0 },
	{ "contexts=swap in a fast profile", { "contexts", "swap" },
	  { PROCESS(1), TARGET(NONE, 0x1000, U_MODE), SOURCE(0x101c),
	    TARGET(CALL, 0x1020, U_MODE), SOURCE(0x1004), PROCESS(2),
	    TARGET(EXCEPTION, 0x1008, M_MODE), SOURCE(0x1008), TARGET(XRET, 0x1000, U_MODE),
	    SOURCE(0x1004), PROCESS(1), TARGET(EXCEPTION, 0x1008, M_MODE) }, 12,
	  { { 0x1004, 0x1008, EXCEPTION, NO_CCV }, { 0x101c, 0x1020, CALL, NO_CCV } }, 0, 0 },
	/* design/ctr */
	{ "a fast profile", { 0 },
	  { TARGET(NONE, 0x1000, U_MODE), SOURCE(0x101c), TARGET(CALL, 0x1020, U_MODE),
	    SOURCE(0x1016), TARGET(RETURN, 0x1020, U_MODE), SOURCE(0x1004),
	    TARGET(EXCEPTION, 0x1008, M_MODE), SOURCE(0x1008), TARGET(XRET, 0x1010, U_MODE) }, 9,
	  { { 0x1008, 0x1010, XRET, NO_CCV }, { 0x1004, 0x1008, EXCEPTION, NO_CCV },
	    { 0x1016, 0x1020, RETURN, NO_CCV }, { 0x101c, 0x1020, CALL, NO_CCV } }, 0, 0 },
	{ "a fast profile with counts of cycles", { "cycles", "counts" },
	  { TARGET(NONE, 0x1000, U_MODE), EVENT(CYCLES, 0x1000, 5), SOURCE(0x101c),
	    TARGET(CALL, 0x1020, U_MODE), EVENT(CYCLES, 0x1020, 1), EVENT(CYCLES, 0x1022, 2),
	    SOURCE(0x1016), TARGET(RETURN, 0x1020, U_MODE), EVENT(CYCLES, 0x1020, 9) }, 9,
	  { { 0x1016, 0x1020, RETURN, 3 }, { 0x101c, 0x1020, CALL, NO_CCV } }, 0, 0 },
	{ "counts of cycles are not asked for", { "cycles", "time" },
	  { SOURCE(0x101c), TARGET(CALL, 0x1020, U_MODE), EVENT(CYCLES, 0x1020, 1),
	    SOURCE(0x1016), TARGET(RETURN, 0x1020, U_MODE) }, 5,
	  { { 0x1016, 0x1020, RETURN, 0 }, { 0x101c, 0x1020, CALL, NO_CCV } }, 0, 0 },
	{ "its times are those of the blocks at targets", { "cycles", "time" },
	  { SOURCE(0x101c), EVENT(TIME, 7, 0), TARGET(CALL, 0x1020, U_MODE), SOURCE(0x1016),
	    EVENT(TIME, 11, 0), TARGET(RETURN, 0x1020, U_MODE), SOURCE(0x1016),
	    EVENT(TIME, 40, 0), TARGET(RETURN, 0x1022, U_MODE) }, 9,
	  { { 0x1016, 0x1022, RETURN, 4 }, { 0x1016, 0x1020, RETURN, 0 },
	    { 0x101c, 0x1020, CALL, NO_CCV } }, 0, 0 },
	{ "a fast profile: without a source, or an interrupt, nothing is recorded", { 0 },
	  { TARGET(NONE, 0x1000, U_MODE), TARGET(CALL, 0x1020, U_MODE), SOURCE(0x1020),
	    TARGET(INTERRUPT, 0x1008, M_MODE), SOURCE(0x1008), TARGET(XRET, 0x1022, U_MODE),
	    SOURCE(0x1022), TARGET(EXCEPTION, 0x1008, M_MODE), SOURCE(0x1008), EVENT(GAP, 0, 0),
	    TARGET(XRET, 0x1022, U_MODE) }, 11,
	  { { 0x1008, 0x1022, XRET, NO_CCV } }, 0, 4 },
	{ "a fast profile: an ebreak freezes", { "BPFRZ", "1" },
	  { SOURCE(0x1002), TARGET(EXCEPTION, 0x1008, M_MODE), SOURCE(0x1008),
	    TARGET(XRET, 0x1004, U_MODE) }, 4,
	  { { 0 } }, 0, 0 },
	{ "a fast profile is predicted, too", { "predictor", "bimodal" },
	  { SOURCE(0x1014), TARGET(CALL_IND, 0x1020, U_MODE), SOURCE(0x1016),
	    TARGET(RETURN, 0x1016, U_MODE) }, 4,
	  { { 0x1016, 0x1016, RETURN, NO_CCV }, { 0x1014, 0x1021, CALL_IND, NO_CCV } }, 0, 0 },
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
	{ "a clock says when the next block ends", { "cycles", "time" },
	  { CLOCK(3), BLOCK(0x100c, 2, 2, TAKEN, U_MODE), CLOCK(10),
	    BLOCK(0x1014, 1, 1, CALL_IND, U_MODE), CLOCK(12), BLOCK(0x1010, 2, 2, OTHER, U_MODE),
	    BLOCK(0x1000, 1, 1, NONE, U_MODE) }, 7,
	  { { 0x1010, 0x1000, JUMP, 2 }, { 0x1014, 0x1010, CALL_IND, 7 },
	    { 0x100c, 0x1014, TAKEN, NO_CCV } }, 4, 0 },
	{ "a gap forgets it", { "cycles", "time" },
	  { CLOCK(3), BLOCK(0x100c, 2, 2, TAKEN, U_MODE), CLOCK(10), EVENT(GAP, 0, 0),
	    BLOCK(0x100c, 2, 2, TAKEN, U_MODE), BLOCK(0x100c, 2, 2, TAKEN, U_MODE), CLOCK(50),
	    BLOCK(0x1014, 1, 1, NONE, U_MODE) }, 8,
	  { { 0x100c, 0x1014, TAKEN, 0 }, { 0x100c, 0x100c, TAKEN, NO_CCV },
	    { 0x100c, 0x1014, TAKEN, NO_CCV } }, 4, 1 },
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

static void add_item(struct hs_ctr_replay *replay, const struct hs_block *b)
{
	const struct hs_access access = {
		.address = b->arg, .operand = b->value, .type = b->itype, .size = 3,
		.known = HS_ACCESS_HAS_ADDRESS | HS_ACCESS_HAS_OPERAND,
	};
	struct hs_block items[HS_ACCESS_ITEMS] = { *b };
	const unsigned n = b->kind == ACCESS ? hs_access_put(&access, items) : 1;

	for (unsigned i = 0; i < n; i++)
		assert_int_equal(hs_ctr_replay_add(replay, &items[i]), HS_OK);
}

TEST_ROWS(replay_row, rows, r)
{
	struct hs_program *p = new_program();
	struct hs_ctr_settings s = { .size = sizeof(s) };
	struct hs_ctr_replay *replay;

	for (unsigned i = 0; i < 8 && r->settings[i]; i += 2)
		assert_int_equal(hs_ctr_settings_set(&s, r->settings[i], r->settings[i + 1], NULL),
		                 HS_OK);
	assert_int_equal(hs_ctr_replay_new(&s, p, NULL, &replay, NULL), HS_OK);
	for (unsigned i = 0; i < r->n; i++)
		add_item(replay, &r->flow[i]);
	hs_ctr_replay_end(replay);
	const struct hs_ctr_replay_hart *h = hs_ctr_replay_at(replay, 0);

	compare(&h->ctr, r->records);
	assert_int_equal(h->retired, r->retired);
	assert_int_equal(h->lost, r->lost);
	assert_int_equal(hs_ctr_check(&h->ctr), HS_OK);
	hs_ctr_replay_free(replay);
	hs_program_free(p);
}

/* Three registers that no access gives; the one of siselect then selects no entry; depth 16. */
TEST(csr_writes)
{
	static const struct hs_block flow[] = {
		CSR(RW, 0x300, 0), BLOCK(0x101c, 2, 2, CALL, S_MODE),
		BLOCK(0x1036, 10, 2, OTHER, S_MODE), BLOCK(0x104a, 8, 2, OTHER, S_MODE),
	};
	static const struct record want[] = { { 0x1046, 0x104a, JUMP, NO_CCV },
		                              { 0x101c, 0x1036, CALL, NO_CCV }, { 0 } };
	struct hs_ctr_settings s = { .size = sizeof(s) };
	struct hs_program *p = new_program();
	const struct hs_ctr_replay_hart *h;
	struct hs_ctr_replay *replay;
	struct hs_ctr within;

	assert_int_equal(hs_ctr_replay_new(&s, p, NULL, &replay, NULL), HS_OK);
	for (unsigned i = 0; i < 4; i++)
		add_item(replay, &flow[i]);
	h = hs_ctr_replay_now(replay);
	assert_int_equal(h->unknown_writes, 3);
	compare(&h->ctr, want);
	assert_int_equal(hs_ctr_depth(&h->ctr), 32);
	assert_ptr_equal(hs_ctr_replay_within(h, 0, &within), &h->ctr);
	assert_ptr_equal(hs_ctr_replay_within(h, 3, &within), &within);
	assert_int_equal(hs_ctr_depth(&within), 16);
	compare(&within, want);
	assert_int_equal(hs_ctr_depth(hs_ctr_replay_within(h, 2, &within)), 32);
	hs_ctr_replay_end(replay);
	assert_int_equal(h->unknown_writes, 4);
	assert_int_equal(hs_ctr_depth(&h->ctr), 16);
	hs_ctr_replay_free(replay);
	hs_program_free(p);
}

/* A context selects the program of what comes; the ebreak before it is one of its own program. */
TEST(a_context_selects_the_program)
{
	static const uint8_t nops[] = { 1, 0, 1, 0, 1, 0 };
	static const struct hs_section section = { 0x1000, sizeof(nops), nops };
	static const struct hs_image image = { &section, 1, { .xlen = 64 }, 0 };
	static const struct hs_block flow[] = {
		{ .kind = HS_KIND_CONTEXT, .value = 7, .arg = 2, .priv = U_MODE },
		BLOCK(0x1000, 1, 1, EXCEPTION, U_MODE),
		{ .kind = HS_KIND_CONTEXT, .value = 9, .arg = 2, .priv = M_MODE },
		BLOCK(0x1000, 1, 1, NONE, M_MODE),
	};
	static const uint64_t numbers[] = { 7, 9 };
	struct hs_program *programs[2] = { new_program(), NULL };
	struct hs_ctr_settings s = { .size = sizeof(s) };
	const struct hs_ctr_replay_hart *h;
	struct hs_ctr_replay *replay;

	assert_int_equal(hs_program_new(&programs[1]), HS_OK);
	assert_int_equal(hs_program_add_image(programs[1], &image, NULL), HS_OK);
	const struct hs_program_set set = { programs[1], programs, numbers, 2, false };

	assert_int_equal(hs_ctr_settings_set(&s, "BPFRZ", "1", NULL), HS_OK);
	assert_int_equal(hs_ctr_replay_new(&s, programs[1], &set, &replay, NULL), HS_OK);
	for (unsigned i = 0; i < 4; i++) {
		add_item(replay, &flow[i]);
		h = hs_ctr_replay_now(replay);
		assert_true(h->has_context);
		assert_int_equal(h->context, i < 2 ? 7 : 9);
		assert_ptr_equal(h->program, programs[i < 2 ? 0 : 1]);
	}
	assert_true(h->ctr.frozen);
	hs_ctr_replay_free(replay);
	hs_program_free(programs[0]);
	hs_program_free(programs[1]);
}

/* Every second transfer of hart 3 was mispredicted; others never. */
static bool every_second(void *context, uint32_t hart, const struct hs_ctr_transfer *t)
{
	unsigned *asked = context;

	assert_true(t->source >= 0x1000 && t->source < 0x1030);
	return hart == 3 && ++*asked % 2;
}

TEST(own_predictor)
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
TEST(harts_have_their_own_records)
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
TEST(moments_inside_a_block)
{
	static const struct hs_block flow[] = { BLOCK(0x1000, 1, 1, NONE, U_MODE),
	                                        BLOCK(0x1010, 4, 2, NONE, U_MODE) };
	struct hs_program *p = new_program();
	struct hs_ctr_settings s = { .size = sizeof(s) };
	struct hs_ctr_replay *replay;
	uint64_t pc = 0;

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
