/* Text that importers read, next to the blocks it means. */
#ifndef HS_TESTS_INGRESS_ROWS_H
#define HS_TESTS_INGRESS_ROWS_H

#include <hartscope/ingress.h>

#define ROW_BLOCKS 10

struct import_row {
	const char *name;
	const char *text;
	struct hs_block want[ROW_BLOCKS]; /* ends where kind is END */
	enum hs_status status;            /* HS_OK, or the one error there is */
	uint64_t line;                    /* of the error */
	uint8_t xlen;
	bool image;                       /* CSV: with the image of ingress.c */
};

#define END { .kind = 0xff }
#define B(a, hw, last, type, p) \
	{ .iaddr = (a), .iretire = (hw), .ilast = (last), .itype = (type), .priv = (p) }
#define SI(a, hw, last, type, p) \
	{ .iaddr = (a), .iretire = (hw), .ilast = (last), .itype = (type), .priv = (p), \
		.sijump = 1 }
#define HART(i) { .arg = (i), .kind = HS_KIND_HART }
#define TRAP(cause, tval) { .value = (tval), .arg = (cause), .kind = HS_KIND_TRAP }
#define GAP(at) { .value = (at), .arg = HS_E_BLOCK, .kind = HS_KIND_GAP }
#define CONTEXT(v, p) { .value = (v), .arg = 2, .priv = (p), .kind = HS_KIND_CONTEXT }

/* One committed instruction of RV64 hart 0 in M-mode. */
#define C(pc, code) "core   0: 3 0x00000000" pc " (0x" code ")\n"

static const struct import_row spike_rows[] = {
	{ "boot: shown, committed, symbols",
	  "core   0: 0x0000000000001000 (0x00000297) auipc   t0, 0x0\n"
	  "core   0: 3 0x0000000000001000 (0x00000297) x5  0x0000000000001000\n"
	  "core   0: 0x0000000000001004 (0x02028593) addi    a1, t0, 32\n"
	  "core   0: 3 0x0000000000001004 (0x02028593) x11 0x0000000000001020\n"
	  "core   0: 0x0000000000001008 (0xf1402573) csrr    a0, mhartid\n"
	  "core   0: 3 0x0000000000001008 (0xf1402573) x10 0x0000000000000000\n"
	  "core   0: 0x000000000000100c (0x0182b283) ld      t0, 24(t0)\n"
	  "core   0: 3 0x000000000000100c (0x0182b283) x5  0x0000000080000000 mem 0x0000000000001018\n"
	  "core   0: 0x0000000000001010 (0x00028067) jr      t0\n"
	  "core   0: 3 0x0000000000001010 (0x00028067)\n"
	  "core   0: >>>>  _start\n"
	  "core   0: 0x0000000080000000 (0x00004081) c.li    ra, 0\n"
	  "core   0: 3 0x0000000080000000 (0x4081) x1  0x0000000000000000\n"
	  "core   0: 0x0000000080000002 (0x0000a001) c.j     pc + 0\n"
	  "core   0: 3 0x0000000080000002 (0xa001)\n",
	  { HART(0), B(0x1000, 10, 2, 13, 3), B(0x80000000, 2, 1, 15, 3), END },
	  HS_OK,
	  0,
	  64,
	  false },
	{ "branches: taken, then not, then the end, which says nothing of it",
	  C("80000000", "fe0508e3") C("7ffffff0", "0001") C("7ffffff2", "e119")
	          C("7ffffff4", "e119"),
	  { HART(0), B(0x80000000, 2, 2, 5, 3), B(0x7ffffff0, 2, 1, 4, 3), END },
	  HS_OK,
	  0,
	  64,
	  false },
	{ "load page fault with tval",
	  C("80000100",
	    "00000013") "core   0: 0x0000000080000104 (0x00052503) lw      a0, 0(a0)\n"
	                "core   0: exception trap_load_page_fault, epc 0x0000000080000104\n"
	                "core   0:           tval 0x0000000000000010\n" C("80000200", "0001"),
	  { HART(0), B(0x80000100, 2, 2, 1, 3), TRAP(13, 0x10), B(0x80000200, 1, 1, 0, 3), END },
	  HS_OK,
	  0,
	  64,
	  false },
	{ "a vector's element that faults after its commit, then one that does not",
	  C("80000100", "00000013") C(
		  "80000104",
		  "02056407") "core   0: exception trap_load_access_fault, epc 0x0000000080000104\n"
	                      "core   0:           tval 0x0000000000000006\n" C("80000200", "0001")
	                              C("80000202", "02056407"),
	  { HART(0), B(0x80000100, 2, 2, 1, 3), TRAP(5, 6), B(0x80000200, 3, 2, 0, 3), END },
	  HS_OK,
	  0,
	  64,
	  false },
	{ "a byte order mark, a prompt, a count",
	  "\xef\xbb\xbf" C("80000100", "00000013") "> " C("80000104",
	                                                  "0001") "core   0: Executed 5 times\n",
	  { HART(0), B(0x80000100, 3, 1, 0, 3), END },
	  HS_OK,
	  0,
	  64,
	  false },
	{ "a line in no form that is known",
	  C("80000100", "00000013") "core   0: is up\n",
	  { END },
	  HS_E_FORMAT,
	  2,
	  64,
	  false },
	{ "fault at a branch target: nothing retired",
	  C("80000100", "00050463") /* beqz a0, +8 */
	  "core   0: exception trap_instruction_page_fault, epc 0x0000000080000108\n"
	  "core   0:           tval 0x0000000080000108\n" C("80000200", "0001"),
	  { HART(0), B(0x80000100, 2, 2, 5, 3), B(0x80000108, 0, 0, 1, 3), TRAP(12, 0x80000108),
	    B(0x80000200, 1, 1, 0, 3), END },
	  HS_OK,
	  0,
	  64,
	  false },
	{ "two traps in a row",
	  C("80000100",
	    "00000013") "core   0: exception trap_illegal_instruction, epc 0x0000000080000104\n"
	                "core   0:           tval 0x0000000000000000\n"
	                "core   0: exception trap_instruction_access_fault, epc 0x0000000000000000\n"
	                "core   0:           tval 0x0000000000000000\n",
	  { HART(0), B(0x80000100, 2, 2, 1, 3), TRAP(2, 0), B(0, 0, 0, 1, 7), TRAP(1, 0), END },
	  HS_OK,
	  0,
	  64,
	  false },
	{ "interrupt",
	  C("80000100", "00000013") "core   0: exception interrupt #7, epc 0x0000000080000104\n" C(
		  "80000200", "30200073") C("80000104", "0001"),
	  { HART(0), B(0x80000100, 2, 2, 2, 3), TRAP(7, 0), B(0x80000200, 2, 2, 3, 3),
	    B(0x80000104, 1, 1, 0, 3), END },
	  HS_OK,
	  0,
	  64,
	  false },
	{ "ecall counts as retired, U to S",
	  "core   0: 0 0x0000000000010000 (0x4501) x10 0x0000000000000000\n"
	  "core   0: 0x0000000000010002 (0x00000073) ecall\n"
	  "core   0: exception trap_user_ecall, epc 0x0000000000010002\n"
	  "core   0: 1 0xffffffff80001000 (0x14011173) x2  0x0000000000000000 c320_sscratch 0x0\n"
	  "core   0: 1 0xffffffff80001004 (0x10200073) c256_sstatus 0x20\n"
	  "core   0: 0 0x0000000000010006 (0x0001)\n",
	  { HART(0), B(0x10000, 3, 2, 1, 0), TRAP(8, 0), B(0xffffffff80001000, 4, 2, 3, 1),
	    B(0x10006, 1, 1, 0, 0), END },
	  HS_OK,
	  0,
	  64,
	  false },
	{ "c.ebreak counts as retired, a breakpoint elsewhere does not",
	  C("80000000",
	    "0001") "core   0: 0x0000000080000002 (0x00009002) c.ebreak\n"
	            "core   0: exception trap_breakpoint, epc 0x0000000080000002\n"
	            "core   0:           tval 0x0000000080000002\n" C(
			    "80000200",
			    "0001") "core   0: 0x0000000080000202 (0x00000001) c.nop\n"
	                            "core   0: exception trap_breakpoint, epc 0x0000000080000202\n"
	                            "core   0:           tval 0x0000000080000202\n",
	  { HART(0), B(0x80000000, 2, 1, 1, 3), TRAP(3, 0x80000002), B(0x80000200, 1, 1, 1, 3),
	    TRAP(3, 0x80000202), END },
	  HS_OK,
	  0,
	  64,
	  false },
	{ "sequential jump: auipc, jalr",
	  C("80000000", "00001317") C("80000004", "000300e7") C("80001000", "8082"),
	  { HART(0), SI(0x80000000, 4, 2, 8, 3), B(0x80001000, 1, 1, 13, 3), END },
	  HS_OK,
	  0,
	  64,
	  false },
	{ "an address that nothing explains is a gap",
	  C("80000000", "0001") C("80000100", "0001"),
	  { HART(0), B(0x80000000, 1, 1, 0, 3), GAP(40), B(0x80000100, 1, 1, 0, 3), END },
	  HS_OK,
	  0,
	  64,
	  false },
	{ "a jump that went elsewhere is a gap",
	  C("80000000", "a001") C("80000100", "0001"),
	  { HART(0), B(0x80000000, 1, 1, 15, 3), GAP(40), B(0x80000100, 1, 1, 0, 3), END },
	  HS_OK,
	  0,
	  64,
	  false },
	{ "two harts, interleaved",
	  "core   0: 3 0x0000000080000000 (0x0001)\n"
	  "core   1: 3 0x0000000080000000 (0x0001)\n"
	  "core   0: 3 0x0000000080000002 (0x8082)\n"
	  "core   1: 3 0x0000000080000002 (0x8082)\n"
	  "core   0: 3 0x0000000080000010 (0x8082)\n"
	  "core   0: 3 0x0000000080000020 (0x0001)\n",
	  { HART(0), B(0x80000000, 2, 1, 13, 3), B(0x80000010, 1, 1, 13, 3),
	    B(0x80000020, 1, 1, 0, 3), HART(1), B(0x80000000, 2, 1, 13, 3), END },
	  HS_OK,
	  0,
	  64,
	  false },
	{ "an old version: no core, 8 digits, RV32 with its sign",
	  "3 0xffffffff80000000 (0x00002011) x 1 0x0000000080000002\n"
	  "3 0xffffffff80000004 (0x00008082)\n",
	  { HART(0), B(0x80000000, 1, 1, 9, 3), B(0x80000004, 1, 1, 13, 3), END },
	  HS_OK,
	  0,
	  32,
	  false },
	{ "RV32, a line end of two characters, and the program's output",
	  "core   0: 3 0x80000000 (0x00000013)\r\n"
	  "hello: core dumped, 3 0x\r\n"
	  "\r\n"
	  "core   0: 3 0x80000004 (0x8082)\r\n",
	  { HART(0), B(0x80000000, 3, 1, 13, 3), END },
	  HS_OK,
	  0,
	  32,
	  false },
	{ "no end of the last line",
	  "core   0: 3 0x80000000 (0x8082)",
	  { HART(0), B(0x80000000, 1, 1, 13, 3), END },
	  HS_OK,
	  0,
	  32,
	  false },
	{ "48-bit instruction",
	  "core   0: 3 0x80000000 (0x00000000001f)\n"
	  "core   0: 3 0x80000006 (0x8082)\n",
	  { HART(0), B(0x80000000, 4, 1, 13, 3), END },
	  HS_OK,
	  0,
	  32,
	  false },
	{ "code without its zeros",
	  "core   0: 3 0x80000000 (0x0013)\n",
	  { HART(0), B(0x80000000, 2, 2, 0, 3), END },
	  HS_OK,
	  0,
	  32,
	  false },
	{ "odd address",
	  "\ncore   0: 3 0x80000001 (0x8082)\n",
	  { END },
	  HS_E_FORMAT,
	  2,
	  32,
	  false },
	{ "address above XLEN",
	  "core   0: 3 0x100000000 (0x8082)\n",
	  { END },
	  HS_E_FORMAT,
	  1,
	  32,
	  false },
	{ "address above 64 bits",
	  "core   0: 3 0x10000000000000000 (0x8082)\n",
	  { END },
	  HS_E_FORMAT,
	  1,
	  64,
	  false },
	{ "commit cut off", "core   0: 3 0x80000000", { END }, HS_E_FORMAT, 1, 32, false },
	{ "unknown exception",
	  "core   0: exception trap_of_mine, epc 0x80000000\n",
	  { END },
	  HS_E_FORMAT,
	  1,
	  32,
	  false },
	{ "exception without epc",
	  "core   0: exception trap_breakpoint, 0x80000000\n",
	  { END },
	  HS_E_FORMAT,
	  1,
	  32,
	  false },
};

#define HEAD "itype_0,cause,tval,priv,iaddr_0,context,ctype,iretire_0,ilastsize_0\n"

/* The code of the rows with an image, at 0x100:
 *   100 c.nop  102 jal x1, 110  106 c.nop  108 c.jr x1  110 c.beqz x8, 108  112 lui x6, 1
 *   116 jalr x0, 0x106(x6) -- target 0x1106, outside  11a mret  11e ecall */
static const uint8_t csv_code[] = {
	0x01, 0x00, 0xef, 0x00, 0xe0, 0x00, 0x01, 0x00, 0x82, 0x80, 0x01, 0x00, 0x01, 0x00, 0x01,
		0x00,
	0x65, 0xdc, 0x37, 0x13, 0x00, 0x00, 0x67, 0x00, 0x63, 0x10, 0x73, 0x00, 0x20, 0x30, 0x73,
		0x00,
	0x00, 0x00,
};

static const struct import_row csv_rows[] = {
	{ "linear code and a taken branch, without an image",
	  HEAD "0,0,0,3,1000,0,0,1,1\n0,0,0,3,1004,0,0,1,0\n5,0,0,3,1006,0,0,1,1\n0,0,0,3,2000,0,0,1,0\n",
	  { B(0x1000, 5, 2, 5, 3), B(0x2000, 1, 1, 0, 3), END }, HS_OK, 0, 64, false },
	{ "a branch not taken, the outcome of the last one is told",
	  HEAD "4,0,0,3,1000,0,0,1,1\n5,0,0,3,1004,0,0,1,0\n",
	  { B(0x1000, 2, 2, 4, 3), B(0x1004, 1, 1, 5, 3), END }, HS_OK, 0, 64, false },
	{ "direct jump, 3-bit itype, without an image: seen by the next address",
	  HEAD "0,0,0,3,1000,0,0,1,1\n0,0,0,3,2000,0,0,1,0\n6,0,0,3,2002,0,0,1,0\n0,0,0,3,3000,0,0,1,0\n",
	  { B(0x1000, 2, 2, 15, 3), B(0x2000, 2, 1, 6, 3), B(0x3000, 1, 1, 0, 3), END },
	  HS_OK, 0, 64, false },
	{ "not taken, and yet elsewhere: a gap",
	  HEAD "4,0,0,3,1000,0,0,1,1\n0,0,0,3,2000,0,0,1,0\n",
	  { B(0x1000, 2, 2, 4, 3), GAP(89), B(0x2000, 1, 1, 0, 3), END }, HS_OK, 0, 64, false },
	{ "4-bit itype and sijump columns, other order, a column of others",
	  "iaddr_0,itype_0,colour,sijump_0,iretire_0,ilastsize_0\n1000,9,red,0,1,1\n2000,14,,1,1,0\n",
	  { B(0x1000, 2, 2, 9, 7), SI(0x2000, 1, 1, 14, 7), END }, HS_OK, 0, 64, false },
	{ "exception: the instruction did not retire",
	  HEAD "0,0,0,3,1000,0,0,1,1\n1,2,deadbeef,3,1004,0,0,0,1\n0,0,0,3,80,0,0,1,0\n",
	  { B(0x1000, 2, 2, 1, 3), TRAP(2, 0xdeadbeef), B(0x80, 1, 1, 0, 3), END }, HS_OK, 0, 64,
	  false },
	{ "ecall: retired, and an exception",
	  HEAD "0,0,0,0,1000,0,0,1,1\n1,8,0,0,1004,0,0,1,1\n3,0,0,3,80,0,0,1,1\n0,0,0,0,1008,0,0,1,0\n",
	  { B(0x1000, 4, 2, 1, 0), TRAP(8, 0), B(0x80, 2, 2, 3, 3), B(0x1008, 1, 1, 0, 0), END },
	  HS_OK, 0, 64, false },
	{ "interrupt after an instruction, then a trap with none",
	  HEAD "2,7,0,3,1000,0,0,1,1\n1,1,80,3,80,0,0,0,0\n",
	  { B(0x1000, 2, 2, 2, 3), TRAP(7, 0), B(0x80, 0, 0, 1, 3), TRAP(1, 0x80), END },
	  HS_OK, 0, 64, false },
	{ "context changes in the middle of a block wait for its end",
	  HEAD "0,0,0,1,1000,5,2,1,1\n0,0,0,1,1004,6,2,1,1\n5,0,0,1,1008,7,2,1,1\n0,0,0,1,1000,7,0,1,1\n",
	  { CONTEXT(5, 1), B(0x1000, 6, 2, 5, 1), CONTEXT(7, 1), B(0x1000, 2, 2, 0, 1), END },
	  HS_OK, 0, 64, false },
	{ "rows without an instruction, empty lines, CRLF",
	  "itype_0,iaddr_0,iretire_0,ilastsize_0\r\n0,0,0,0\r\n\r\n0,1000,1,1\r\n",
	  { B(0x1000, 2, 2, 0, 7), END }, HS_OK, 0, 64, false },
	{ "with an image: call, return, branch, sequential jump",
	  HEAD "0,0,0,3,100,0,0,1,0\n0,0,0,3,102,0,0,1,1\n5,0,0,3,110,0,0,1,0\n6,0,0,3,108,0,0,1,0\n"
	  "4,0,0,3,110,0,0,1,0\n0,0,0,3,112,0,0,1,1\n6,0,0,3,116,0,0,1,1\n0,0,0,3,1106,0,0,1,0\n",
	  { B(0x100, 3, 2, 9, 3), B(0x110, 1, 1, 5, 3), B(0x108, 1, 1, 13, 3), B(0x110, 1, 1, 4, 3),
	    SI(0x112, 4, 2, 14, 3), B(0x1106, 1, 1, 0, 3), END }, HS_OK, 0, 64, true },
	{ "with an image: trap return told as a jump, ecall",
	  HEAD "6,0,0,3,11a,0,0,1,1\n1,8,0,0,11e,0,0,1,1\n",
	  { B(0x11a, 2, 2, 3, 3), B(0x11e, 2, 2, 1, 0), TRAP(8, 0), END }, HS_OK, 0, 64, true },
	{ "with an image: the outcome of the last branch is told",
	  HEAD "5,0,0,3,110,0,0,1,0\n", { B(0x110, 1, 1, 5, 3), END }, HS_OK, 0, 64, true },
	{ "with an image: another length", HEAD "0,0,0,3,100,0,0,1,1\n", { END }, HS_E_BLOCK, 2, 64,
	  true },
	{ "nothing at all", "", { END }, HS_E_FORMAT, 0, 64, false },
	{ "no header", "0,0,0,3,1000,0,0,1,1\n", { END }, HS_E_FORMAT, 1, 64, false },
	{ "no iaddr", "itype_0,iretire_0,ilastsize_0\n", { END }, HS_E_FORMAT, 1, 64, false },
	{ "a column twice", "itype_0,itype_0,iaddr_0,iretire_0,ilastsize_0\n", { END },
	  HS_E_FORMAT, 1, 64, false },
	{ "two blocks a row", "itype_0,itype_1,iaddr_0,iaddr_1,iretire_0,ilastsize_0\n", { END },
	  HS_E_UNSUPPORTED, 1, 64, false },
	{ "iretire 2", HEAD "0,0,0,3,1000,0,0,2,1\n", { END }, HS_E_UNSUPPORTED, 2, 64, false },
	{ "itype 7", HEAD "7,0,0,3,1000,0,0,1,1\n", { END }, HS_E_FORMAT, 2, 64, false },
	{ "itype 16", HEAD "16,0,0,3,1000,0,0,1,1\n", { END }, HS_E_FORMAT, 2, 64, false },
	{ "ilastsize 3", HEAD "0,0,0,3,1000,0,0,1,3\n", { END }, HS_E_FORMAT, 2, 64, false },
	{ "odd address", HEAD "0,0,0,3,1001,0,0,1,1\n", { END }, HS_E_FORMAT, 2, 64, false },
	{ "address above XLEN", HEAD "0,0,0,3,100000000,0,0,1,1\n", { END }, HS_E_FORMAT, 2, 32,
	  false },
	{ "a field too few", HEAD "0,0,0,3,1000,0,0,1\n", { END }, HS_E_FORMAT, 2, 64, false },
	{ "a field too many", HEAD "0,0,0,3,1000,0,0,1,1,1\n", { END }, HS_E_FORMAT, 2, 64, false },
	{ "no number", HEAD "0,0,0,3,,0,0,1,1\n", { END }, HS_E_FORMAT, 2, 64, false },
	{ "number above 64 bits", HEAD "0,0,0,3,10000000000000000,0,0,1,1\n", { END },
	  HS_E_FORMAT, 2, 64, false },
};

#endif
