/* Logs and what they mean, by hand from the descriptions of their formats.  A block is
 * FIRST-END, how it ended, pN for its privilege. */
#define TEXT 4096

#define UNKNOWN(line, text, format) \
	"line " line ", column 1: \"" text "\" begins like a line of " format ", and is in no " \
	"form that is known (--skip-unknown takes it as the program's own); "
#define ROW_BYTES(...) .log = __VA_ARGS__, .n = sizeof(__VA_ARGS__) - 1
#define TIMES2(x) x x
#define TIMES4(x) TIMES2(x) TIMES2(x)

static const struct row {
	const char *name, *format, *log, *blocks, *errors;
	size_t n;         /* bytes of log, where it is not text */
	uint8_t xlen;     /* 0: not given */
	uint8_t detected; /* the format is recognised: 32, 64, or 1: with no XLEN */
	bool skip_unknown;
	bool program;     /* c.li a0, 2; c.addi a0, -1; c.bnez a0, -2; ecall at 0x1000 */
} rows[] = {
	{ .name = "spike: shown and committed", .format = "spike", .detected = 64,
	  .log = "core   0: 0x0000000080000000 (0x4509) c.li    a0, 2\n"
	         "core   0: 3 0x0000000080000000 (0x4509) x10 0x0000000000000002\n"
	         "core   0: >>>>  loop\n"
	         "core   0: 0x0000000080000002 (0xfd7d) c.bnez  a0, pc - 2\n"
	         "core   0: 3 0x0000000080000002 (0xfd7d)\n"
	         "core   0: 3 0x0000000080000000 (0x4509) x10 0x0000000000000002\n",
	  .blocks = "hart 0; 80000000-80000004 taken p3; 80000000-80000002 p3; ", .errors = "" },
	{ .name = "spike: -l only", .format = "spike", .detected = 64,
	  .log = "core   0: 0x0000000080000000 (0x4509) c.li    a0, 2\n"
	         "core   0: 0x0000000080000002 (0x00052583) lw      a1, 0(a0)\n"
	         "core   0: exception trap_load_access_fault, epc 0x0000000080000002\n"
	         "core   0:           tval 0x0000000000000002\n"
	         "core   0: 0x0000000080000100 (0x30200073) mret\n"
	         "core   0: 0x0000000080000006 (0x4509) c.li    a0, 2\n",
	  .blocks = "hart 0; 80000000-80000002 exc; trap 5 2; 80000100-80000104 xret; "
	            "80000006-80000008; ", .errors = "" },
	{ .name = "spike: an old commit log", .format = "spike", .detected = 64,
	  .log = "3 0x0000000080000000 (0x4509) x10 0x2\n0 0x0000000080000002 (0x157d)\n",
	  .blocks = "hart 0; 80000000-80000004 p3; ", .errors = "" },
	{ .name = "spike: traps by name and number, two harts", .format = "spike", .detected = 64,
	  .log = "core   0: 1 0x0000000080000000 (0x4509)\n"
	         "core   1: 3 0x0000000080000000 (0x4509)\n"
	         "core   0: exception interrupt #5, epc 0x0000000080000002\n"
	         "core   1: 0x0000000080000002 (0x9002) ebreak\n"
	         "core   1: exception trap_breakpoint, epc 0x0000000080000002\n"
	         "core   1: 3 0x0000000080000100 (0x4509)\n"
	         "core   1: exception trap #24, epc 0x0000000080000102\n"
	         "core   0: 1 0x0000000080000200 (0x4509)\n",
	  .blocks = "hart 1; 80000000-80000004 exc p3; trap 3 0; hart 0; 80000000-80000002 int p1; "
	            "trap 5 0; 80000200-80000202 p1; hart 1; 80000100-80000102 exc p3; trap 24 0; ",
	  .errors = "" },
	{ .name = "spike: harts with numbers that are too large", .format = "spike", .xlen = 64,
	  .log = "core   0: 3 0x0000000080000000 (0x4509)\n"
	         "core 70000: 3 0x0000000080000002 (0x4509)\n"
	         "core 4294967296: 0x0000000080000002 (0x4509)\n"
	         "core   0: 3 0x0000000080000002 (0x4509)\n",
	  .blocks = "hart 0; 80000000-80000002 p3; gap E_FORMAT at 40; gap E_FORMAT at 82; "
	            "80000002-80000004 p3; ",
	  .errors = UNKNOWN("2", "core 70000: 3 0x0000000080000002 (0x4509)", "spike")
	            UNKNOWN("3", "core 4294967296: 0x0000000080000002 (0x4509)", "spike") },
	{ .name = "rvvi: a hart with a number that no recording has", .format = "rvvi",
	  .log = "HART 4294967296 RET 0x1000 0x4509\nHART 0 RET 0x1002 0x4509\n",
	  .blocks = "hart 0; 1002-1004; ",
	  .errors = "line 1: more than 4096 harts, or a number of 2^32 or more; " },
	{ .name = "spike: RV32, its sign extended", .format = "spike", .xlen = 32,
	  .log = "core   0: 3 0xffffffff80000000 (0x00000297) x5\n"
	         "core   0: 3 0xffffffff80000004 (0x4509) x5\n",
	  .blocks = "hart 0; 80000000-80000006 p3; ", .errors = "" },
	{ .name = "spike: damaged lines", .format = "spike", .detected = 64,
	  .log = "core   0: 3 0x0000000080000000 (0x4509) x10 0x2\n"
	         "core   0: 3 0x00000000800000z2 (0x4509) x10 0x2\n"
	         "core   0: 3 0x0000000080000004 (0x4509) x10 0x2\n"
	         "core   0: 3 0x0000000080000005 (0x4509) x10 0x2\n"
	         "core   0: 3 0x0000000080000006 (0x4509) x10 0x2\n"
	         "core   0: 3 0x00000000800000",
	  .blocks = "hart 0; 80000000-80000002 p3; gap E_FORMAT at 48; 80000004-80000006 p3; "
	            "gap E_FORMAT at 144; 80000006-80000008 p3; gap E_FORMAT at 240; ",
	  .errors = "line 2, column 29: expected a blank, not \"z2\"; "
	            "line 4: expected an even address, as wide as XLEN; "
	            "line 6 ends at column 29: expected a blank; " },
	{ .name = "spike: a branch after a branch at the end", .format = "spike",
	  .log = "core   0: 3 0x0000000080000000 (0x4509)\ncore   0: 3 0x0000000080000002 (0xfd7d)\n"
	         "core   0: 3 0x0000000080000004 (0xfd7d)\n",
	  .blocks = "hart 0; 80000000-80000004 not p3; ", .errors = "" },
	{ .name = "spike: a branch before a damaged line", .format = "spike",
	  .log = "core   0: 3 0x0000000080000000 (0xfd7d)\ncore   0: 3 0x0000000080000002 (0xfd7d)\n"
	         "core   0: 3 0x00000000800000x4 (0xfd7d)\n",
	  .blocks = "hart 0; 80000000-80000002 not p3; gap E_FORMAT at 80; ",
	  .errors = "line 3, column 29: expected a blank, not \"x4\"; " },
	{ .name = "spike: lines of the program", .format = "spike",
	  .log = "Hello, core\ncore   0: 3 0x0000000080000000 (0x4509) x10 0x2\r\n\ncore 0\n"
	         "bbl loader\n",
	  .blocks = "hart 0; 80000000-80000002 p3; ", .errors = "" },
	{ .name = "spike: other code at an address", .format = "spike",
	  .log = "core   0: 3 0x0000000080000000 (0x4509)\n"
	         "core   0: 3 0x0000000080000002 (0xbffd)\n"
	         "core   0: 3 0x0000000080000000 (0x4501)\n"
	         "core   0: 3 0x0000000080000002 (0x4509)\n"
	         "core   1: 3 0x0000000080000000 (0x4509)\n",
	  .blocks = "hart 0; 80000000-80000004 jump p3; code 80000000; 80000000-80000002 p3; "
	            "code 80000002; 80000002-80000004 p3; hart 1; 80000000-80000002 p3; ",
	  .errors = "" },

	{ .name = "sail", .format = "sail", .detected = 64,
	  .log = "mem[X,0x0000000080000000] -> 0x4509\n"
	         "[0] [M]: 0x0000000080000000 (0x4509) c.li a0, 2\n"
	         "x10 <- 0x0000000000000002\n"
	         "[1] [M]: 0x0000000080000002 (0x00052583) lw a1, 0(a0)\n"
	         "trapping from M to M to handle load-access-fault\n"
	         "handling exc#0x05 at priv M with tval 0x0000000000000002\n"
	         "[2] [M]: 0x0000000080000100 (0x30200073) mret\n"
	         "ret-ing from M to S\n"
	         "trapping from S to M to handle fetch-access-fault\n"
	         "handling exc#0x01 at priv M with tval 0x0000000000000426\n"
	         "[3] [M]: 0x0000000080000100 (0x30200073) mret\n"
	         "[4] [U]: 0x0000000080000006 (0x4509) c.li a0, 2\n"
	         "handling int#0x07 at priv M with tval 0x0000000000000000\n"
	         "[5] [M]: 0x0000000080000200 (0x00000073) ecall\n"
	         "handling exc#0x0B at priv M with tval 0x0000000000000000\n",
	  .blocks = "hart 0; 80000000-80000002 exc p3; trap 5 2; 80000100-80000104 xret p3; "
	            "426-426 exc; trap 1 426; 80000100-80000104 xret p3; 80000006-80000008 int p0; "
	            "trap 7 0; 80000200-80000204 exc p3; trap 11 0; ", .errors = "" },

	{ .name = "cva6: rvfi_tracer", .format = "cva6", .detected = 64,
	  .log = "core   0: 0x0000000080000000 (0x00004509) DASM(00004509)\n"
	         "3 0x0000000080000000 (0x4509) x10 0x0000000000000002\n"
	         "LD_ACCESS_FAULT exception @ 0x0000000080000002\n"
	         "core   0: 0x0000000080000100 (0x30200073) DASM(30200073)\n"
	         "3 0x0000000080000100 (0x30200073)\n"
	         " exception @ 0x0000000080000002\n",
	  .blocks = "hart 0; 80000000-80000002 exc p3; trap 5 0; 80000100-80000104 xret p3; "
	            "80000002-80000002 exc; ", .errors = "" },
	{ .name = "cva6: instr_tracer", .format = "cva6", .detected = 64,
	  .log = "    2085ns       35 M 0000000080000000 0 00004509 c.li           a0, 2     \n"
	         "    2087ns       36 M 0000000080000002 1 00000073 ecall                \n"
	         "Exception @      2090, PC: 0000000080000002, "
	         "Cause: Environment Call Machine Mode\n"
	         "    2099ns       40 S 0000000080000100 0 30200073 mret                 \n"
	         "Exception @      2190, PC: 0000000080000006, Cause: Load Page Fault, \n"
	         "\t\t\t\ttval: 0000000000000010\n"
	         "Exception @      2191, PC: 0000000080000200, Cause: Machine Timer Interrupt\n",
	  .blocks = "hart 0; time 35; 80000000-80000006 exc p3; trap 11 0; time 40; "
	            "80000100-80000104 xret p1; 80000006-80000006 exc; trap 13 10; "
	            "80000200-80000200 int; trap 7 0; ",
	  .errors = "" },

#include "exec_log_simulators.h"

	{ .name = "ibex: and its vectors", .format = "ibex", .detected = 32,
	  .log = "Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents\n"
	         "            130\t        61\t00100080\t4509\tc.li\tx10,2\t x10=0x00000002\n"
	         "            132\t        62\t00100082\t00052583\tlw\tx11,0(x10)\t\n"
	         "            134\t        63\t00100000\t30200073\tmret\t\n"
	         "            136\t        64\t00100082\t157d\tc.addi\tx10,-1\t\n"
	         "            138\t        65\t0010001c\t30200073\tmret\t\n"
	         "            140\t        66\t00100084\t157d\tc.addi\tx10,-1\t\n",
	  .blocks = "hart 0; time 61; 100080-100082 exc; time 63; 100000-100004 xret; time 64; "
	            "100082-100084 int; trap 7 0; time 65; 10001c-100020 xret; time 66; "
	            "100084-100086; ", .errors = "" },
	{ .name = "ibex: before RVFI, with units", .format = "ibex", .detected = 32,
	  .log = "                Time          Cycles PC       Instr    Mnemonic\n"
	         "           130.00ns              61 00100080 00200513 addi  x10, x0, 2\n"
	         "           132.00ns              62 00100084 00",
	  .blocks = "hart 0; time 61; 100080-100084; gap E_FORMAT at 135; ",
	  .errors = "line 3 ends at column 48: expected a blank; " },

	{ .name = "neorv32", .format = "neorv32", .detected = 32,
	  .log = "0 13 0x00000000 0x00200513 M c.addi x10, x0, 2\n"
	         "1 15 0x00000002 0xfe051fe3 M c.bne x10, x0, -2\n"
	         "2 18 0x00000000 0x00200513 M c.addi x10, x0, 2\n"
	         "3 25 0x00000100 0x30200073 U mret  <TRAP_ENTRY>\n"
	         "4 27 0x00000004 0x00000073 D ecall \n"
	         "5 29 0x00000100 0x30200073 M mret  <TRAP_ENTRY>\n",
	  .blocks = "hart 0; time 13; 0-4 taken p3; time 18; 0-2 int p3; time 25; 100-104 xret p0; "
	            "time 27; 4-8 exc p2; time 29; 100-104 xret p3; ", .errors = "" },
	{ .name = "neorv32: another kind of line", .format = "neorv32",
	  .log = "0 13 0x00000000 0x00200513 M addi x10, x0, 2\nHello\n\n"
	         "1 15 0x00000004 0x00200513 X addi x10, x0, 2\n",
	  .blocks = "hart 0; time 13; 0-4 p3; gap E_FORMAT at 45; gap E_FORMAT at 52; ",
	  .errors = "line 2, column 1: expected a decimal number, not \"Hello\"; "
	            "line 4, column 28: expected a privilege: M, S, U or D, not \"X\"; " },

	{ .name = "gem5: ExecAll, micro-ops, two CPUs", .format = "gem5", .program = true,
	  .log = "      0: system.cpu0: A0 T0 : 0x1000 @_start    : c_li a0, 2 : IntAlu :  D=0x2\n"
	         "   1000: system.cpu0: A0 T0 : 0x1002 @_start+2. 0 : c_addi a0, -1 : IntAlu :\n"
	         "   1000: system.cpu0: A0 T0 : 0x1002 @_start+2. 1 : c_addi a0, -1 : IntAlu :\n"
	         "   1000: system.cpu1: A0 T0 : 0x1000 @_start    : c_li a0, 2    : IntAlu :\n"
	         "info: Entering event queue\n"
	         "   2000: system.cpu0: A0 T0 : 0x1004 @_start+4    : c_bnez a0    : IntAlu :\n"
	         "   3000: system.cpu0: A0 T0 : 0x1002 @_start+2    : c_addi a0, -1 : IntAlu :\n"
	         "   4000: system.cpu0: A0 T0 : 0x1002 @_start+2. 0 : c_addi a0, -1 : IntAlu :\n",
	  .blocks = "hart 0; time 0; hart 1; time 1000; hart 0; 1000-1006 taken; time 3000; "
	            "1002-1004; hart 1; 1000-1002; ", .errors = "" },
	{ .name = "gem5: CPUs with numbers that no recording has", .format = "gem5", .program = true,
	  .log = "   0: system.cpu0: A0 T0 : 0x1000 @_start    : c_li a0, 2 : IntAlu :\n"
	         "   0: system.cpu65536: A0 T0 : 0x1000 @_start    : c_li a0, 2 : IntAlu :\n"
	         "   0: system.cpu4294967296: A0 T0 : 0x1002 @_start    : c_addi a0, -1 : IntAlu :\n",
	  .blocks = "hart 0; time 0; hart 65536; time 0; hart 0; 1000-1002; hart 65536; 1000-1002; ",
	  .errors = "line 3: more than 4096 harts, or a number of 2^32 or more; " },
	{ .name = "gem5: Exec without ticks", .format = "gem5", .program = true, .detected = 1,
	  .log = "system.cpu: 0x1000    : c_li a0, 2                : IntAlu :  D=0x2\n"
	         "system.cpu: 0x1002    : c_addi a0, -1             : IntAlu :  D=0x1\n"
	         "system.cpu: 0x2000    : c_addi a0, -1             : IntAlu :  D=0x1\n",
	  .blocks = "hart 0; 1000-1004; gap E_NOCODE at 136; ",
	  .errors = "line 3: no code is known at 0x2000: --elf; " },

	{ .name = "rvfi: CSV", .format = "rvfi", .detected = 64,
	  .log = "order,insn,trap,halt,intr,mode,ixl,pc_rdata,pc_wdata,note\n"
	         "0,00004509,0,0,0,3,2,80000000,80000002,x\n"
	         "1,00000073,1,0,0,3,2,80000002,80000100,\n"
	         "2,30200073,0,0,1,3,2,80000100,80000006,\"a, b\"\n"
	         "3,00004509,0,0,0,0,2,80000006,80000008,\n"
	         "4,00004509,0,0,1,3,2,80000200,80000202,\n"
	         "9,0000fd7d,0,0,0,3,2,80000202,80000200,\n",
	  .blocks = "hart 0; 80000000-80000006 exc p3; trap 11 0; 80000100-80000104 xret p3; "
	            "80000006-80000008 int p0; 80000200-80000202 p3; gap E_LOST at 265; "
	            "80000202-80000204 taken p3; ", .errors = "" },
	{ .name = "rvfi: NAME=VALUE, mcause", .format = "rvfi", .detected = 32,
	  .log = "rvfi_valid=1 rvfi_order=0 rvfi_insn=0x00004509 rvfi_pc_rdata=0x80000000 "
	         "rvfi_pc_wdata=0x80000002 rvfi_mode=3\n"
	         "rvfi_valid=0 rvfi_order=0\n"
	         "rvfi_valid=1 rvfi_order=1 rvfi_insn=0x30200073 rvfi_pc_rdata=0x80000100 "
	         "rvfi_intr=1 rvfi_csr_mcause_rdata=0x80000007\n"
	         "rvfi_order=2 rvfi_insn=qq rvfi_pc_rdata=0x80000102\nrvfi_order=3\n",
	  .blocks = "hart 0; 80000000-80000002 int p3; trap 7 0; 80000100-80000104 xret; "
	            "gap E_FORMAT at 252; gap E_FORMAT at 303; ",
	  .errors = "line 4, column 24: expected an opcode in hexadecimal, not \"qq\"; "
	            "line 5 ends at column 13: expected an address; " },
	/* Verilog's x and z (design/port): nothing retires before valid is driven; of 4509 only the
	   low half counts; mode x is left out */
	{ .name = "rvfi: digits that are x", .format = "rvfi", .detected = 0,
	  .log = "valid,insn,pc_rdata,mode,trap,intr\n"
	         "x,xxxxxxxx,xxxxxxxx,x,x,x\n"
	         "0,xxxxxxxx,xxxxxxxx,x,x,x\n"
	         "1,xxxx4509,80000000,x,0,0\n"
	         "1,0000157d,80000002,3,0,0\n"
	         "1,xxxx0513,80000004,3,0,0\n"
	         "1,00004509,8000000Z,3,0,0\n"
	         "1,00004509,8000000a,3,x,0\n"
	         "z,00004509,8000000c,3,0,0\n"
	         "1,00004509,80000100,3,0,0\n",
	  .blocks = "hart 0; 80000000-80000004; gap E_UNKNOWN at 139; gap E_UNKNOWN at 165; "
	            "gap E_UNKNOWN at 191; gap E_UNKNOWN at 217; 80000100-80000102 p3; ",
	  .errors = "line 6: the opcode is x or z; line 7: the address is x or z; "
	            "line 8: whether it traps is x or z; "
	            "line 9: whether something retired is x or z; " },
	{ .name = "rvfi: no names, said once", .format = "rvfi", .log = "a,b,c\n1,2,3\n4,5,6\n",
	  .blocks = "",
	  .errors = "line 1, column 1: expected the names of columns, with pc_rdata and insn, "
	            "not \"a,b,c\"; " },
	{ .name = "riscv-dv", .format = "riscv-dv", .detected = 32,
	  .log = "pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\n"
	         "80000000,c.li,a0:00000002,,4509,3,\"c.li    a0, 2\",\"a0,2\",\n"
	         "80000002,c.addi,a0:00000001,,157d,0,\"c.addi  a0, -1\",\"a0,-1\",\n"
	         "80000004,c.addi\n",
	  .blocks = "hart 0; 80000000-80000004 p3; gap E_FORMAT at 171; ",
	  .errors = "line 4 ends at column 16: expected another column; " },

	{ .name = "rvvi", .format = "rvvi", .detected = 32,
	  .log = "VERSION 0 3\nVENDOR \"a sim\" 0 1\nPARAMS 2 XLEN 32 NHART 2\n"
	         "RET  0x1000 '_start' 0x00000317 'auipc t1,0x0' X 6 't1' 0x1000 MODE 3 CYCLE 2\n"
	         "TRAP 0x1004 '+4' 0x9002 'ebreak' C 0x341 'mepc' 0x1004 C 0x342 'mcause' 3 "
	         "C 0x343 'mtval' 0x1004\n"
	         "RET  1040 4509 HART 1 \\\nRET 80 4509 X 1 3E8\n"
	         "RET 82 157d V 0x1 0x00000000000000000000000000000001 META 2 a b\n"
	         "HART 0 RET 2000 4509 C 0x342 0x80000007 C 0x341 0x1042\n",
	  .xlen = 32,
	  .blocks = "hart 0; time 2; 1000-1006 exc p3; trap 3 1004; time 2; hart 1; time 2; "
	            "hart 0; 1040-1042 int p3; trap 7 0; time 2; 2000-2002 p3; hart 1; 80-84 p3; ",
	  .errors = "" },
	{ .name = "rvvi: 0.5, as Sail writes it", .format = "rvvi", .detected = 64,
	  .log = "VERSION 0 5\nVENDOR \"sail_riscv\" 0 1\n"
	         "PARAMS 6 ILEN 32 XLEN 64 FLEN 64 VLEN 128 NHART 1 RETIRE 1\n"
	         "HART 0 RET 0x0000000080000000 0x00004509 X 10 0x0000000000000002 MODE 0x3 VIRT 0x0\n"
	         "HART 0 RET 0x0000000080000002 0x30200073 C 0x300 0x0000000A00000080 MODE 0x1 VIRT 0x1\n"
	         "HART 0 TRAP 0x0000000080000006 0x00052583 C 0x142 0x0000000000000005 "
	         "C 0x143 0x0000000000000002 C 0x141 0x0000000080000006 MODE 0x1 VIRT 0x0\n"
	         "HART 0 RET 0x0000000080000100 0x0000B503 X 10 0x0000000000000000 MEM D 4 "
	         "0x0000000000000008 0x0000000080000008 1 PT K MODE 0x1 VIRT 0x0\n"
	         "HART 0 TRAP 0x0000000080000104 0x00000000 C 0x342 0x8000000000000007 C 0x343 "
	         "0x0000000000000000 C 0x341 0x0000000080000104 MODE 0x3 VIRT 0x0\n"
	         "HART 0 RET 0x0000000080000200 0x30200073 MODE 0x1 VIRT 0x0\n"
	         "HART 0 RET 0x0000000080000104 0x00004509 MEM D 4 0x8 0x8 0 MODE 0x1 VIRT 0x0\n"
	         "HART 0 TRAP 0x0000000080000106 0x00000000 C 0x342 0xC MODE 0x3 VIRT 0x0\n"
	         "HART 0 RET 0x0000000080000200 0x30200073 MODE 0x1 VIRT 0x0\n"
	         "HART 0 RET 0x0000000080000106 0x00004509 MODE 0x1 VIRT 0x0\n",
	  .xlen = 64,
	  .blocks = "hart 0; 80000000-80000006 xret; 80000006-80000006 exc p5; trap 5 2; "
	            "80000100-80000104 int p1; trap 7 0; 80000200-80000204 xret p3; "
	            "80000104-80000106 exc p1; trap 12 0; 80000200-80000204 xret p3; "
	            "80000106-80000108 p1; ", .errors = "" },
	{ .name = "rvvi: damaged", .format = "rvvi",
	  .log = "RET 0x1000 0x4509\nRET 0x1002\nRETX\nRET 0x1002 0x4509\n",
	  .blocks = "hart 0; 1000-1002; gap E_FORMAT at 18; gap E_FORMAT at 29; 1002-1004; ",
	  .errors = "line 2 ends at column 11: expected a hexadecimal number; "
	            "line 3, column 1: expected an element of RVVI-TEXT, not \"RETX\"; " },

	{ .name = "spike: a line in no form that is known", .format = "spike", .detected = 64,
	  .log = "core   0: 3 0x0000000080000000 (0x4509) x10 0x2\n"
	         "core   0: Executed twice\n"
	         "core   0: exception trap_new_fault, epc 0x0000000080000002\n"
	         "core   0: 3 0x0000000080000004 (0x4509) x10 0x2\n",
	  .blocks = "hart 0; 80000000-80000002 p3; gap E_FORMAT at 48; gap E_FORMAT at 73; "
	            "80000004-80000006 p3; ",
	  .errors = UNKNOWN("2", "core   0: Executed twice", "spike")
	            "line 3, column 26: expected the name of a cause, not \"new_fault,\"; " },
	{ .name = "spike: the program's own line", .format = "spike", .skip_unknown = true,
	  .log = "core   0: 3 0x0000000080000000 (0x4509) x10 0x2\n"
	         "core   0: is up\ncore   0: 3 0x0000000080000002 (0x4509) x10 0x2\n",
	  .blocks = "hart 0; 80000000-80000004 p3; ", .errors = "" },
	{ .name = "spike: a byte order mark, prompts, line ends of Windows", .format = "spike",
	  .detected = 64,
	  .log = "\xef\xbb\xbf" "core   0: 3 0x0000000080000000 (0x4509) x10 0x2\r\n"
	         "> core   0: 3 0x0000000080000002 (0x4509) x10 0x2\r\n"
	         "core 0 says core   0: 3 0x0000000080000004 (0x4509) x10 0x2\r\n"
	         "at 3 0x30, helloworldcore   0: 3 0x0000000080000006 (0x4509)\r\n"
	         "> core   0: 3 0x0000000080000008 (0x45?9) x10 0x2\r\n",
	  .blocks = "hart 0; 80000000-80000008 p3; gap E_FORMAT at 226; ",
	  .errors = "line 5, column 39: expected \")\", not \"?9)\"; " },
	{ .name = "spike: executions that are counted", .format = "spike", .detected = 64,
	  .log = "core   0: 0x0000000080000000 (0x0000a001) c.j     pc + 0\n"
	         "core   0: exception interrupt #7, epc 0x0000000080000000\n"
	         "core   0: >>>>  handler\n"
	         "core   0: Executed 3 times\n"
	         "core   0: 0x0000000080000200 (0x30200073) mret\n"
	         "core   0: 0x0000000080000000 (0x0000a001) c.j     pc + 0\n"
	         "core   0: exception trap_load_access_fault, epc 0x0000000080000000\n"
	         "core   0:           tval 0x0000000000000002\n"
	         "core   0: 0x0000000080000300 (0x0000a001) c.j     pc + 0\n"
	         "core   0: Executed 2 times\n"
	         "core   0: 0x0000000080000200 (0x30200073) mret\n",
	  .blocks = "hart 0; 80000000-80000002 jump; 80000000-80000002 jump; "
	            "80000000-80000002 jump; 80000000-80000000 int; trap 7 0; "
	            "80000200-80000204 xret; 80000000-80000000 exc; trap 5 2; "
	            "80000300-80000302 jump; 80000300-80000302 jump; gap E_BLOCK at 511; "
	            "80000200-80000204 xret; ",
	  .errors = "" },
	{ .name = "spike: counts, with a commit for each", .format = "spike",
	  .log = "core   0: 0x0000000080000000 (0x0000a001) c.j     pc + 0\n"
	         "core   0: 3 0x0000000080000000 (0xa001)\n"
	         "core   0: 3 0x0000000080000000 (0xa001)\n"
	         "core   0: Executed 2 times\n",
	  .blocks = "hart 0; 80000000-80000002 jump p3; 80000000-80000002 jump p3; ", .errors = "" },
	{ .name = "spike: counts of old versions, in hexadecimal", .format = "spike",
	  .log = "core   0: 0x0000000080000000 (0x0000a001) c.j     pc + 0\n"
	         "core   0: Executed 2 times\n"
	         "core   0: exception interrupt #7, epc 0x0000000080000000\n"
	         "core   0: 0x0000000080000100 (0x0000a001) c.j     pc + 0\n"
	         "core   0: Executed c times\n"
	         "core   0: exception interrupt #7, epc 0x0000000080000100\n"
	         "core   0: 0x0000000080000200 (0x0000a001) c.j     pc + 0\n"
	         "core   0: Executed 12 times\n"
	         "core   0: exception interrupt #7, epc 0x0000000080000200\n"
	         "core   0: 0x0000000080000300 (0x0000a001) c.j     pc + 0\n"
	         "core   0: Executed 10 times\ncore   0: Executed 10 times\n",
	  .blocks = "hart 0; " TIMES2("80000000-80000002 jump; ")
	            "80000000-80000000 int; trap 7 0; " TIMES4(TIMES2("80000100-80000102 jump; "))
	            TIMES4("80000100-80000102 jump; ") "80000100-80000100 int; trap 7 0; "
	            TIMES4(TIMES4("80000200-80000202 jump; ")) TIMES2("80000200-80000202 jump; ")
	            "80000200-80000200 int; trap 7 0; " TIMES4(TIMES4("80000300-80000302 jump; "))
	            "gap E_FORMAT at 509; ",
	  .errors = "line 12: expected a count of an instruction that was shown before; " },
	{ .name = "spike: counts that are no decimal ones, or of nothing", .format = "spike",
	  .log = "core   0: Executed 5 times\n"
	         "core   0: 0x0000000080000000 (0x0000a001) c.j     pc + 0\n"
	         "core   0: Executed 10 times\n"
	         "core   0: Executed b times\ncore   0: Executed 0 times\n"
	         "core   0: 0x0000000080000000 (0x0000a001) c.j     pc + 0\n"
	         "core   0: Executed 1ffffffff times\n"
	         "core   0: 0x0000000080000000 (0x0000a001) c.j     pc + 0\n"
	         "core   0: exception interrupt #7, epc 0x0000000080000000\n"
	         "core   0: exception interrupt #3, epc 0x0000000080000000\n"
	         "core   0: Executed 2 times\n",
	  .blocks = "hart 0; gap E_FORMAT at 0; " TIMES2(TIMES4("80000000-80000002 jump; "))
	            TIMES2("80000000-80000002 jump; ") "gap E_FORMAT at 112; gap E_FORMAT at 139; "
	            "gap E_FORMAT at 223; 80000000-80000002 jump; 80000000-80000000 int; trap 7 0; "
	            "80000000-80000000 int; trap 3 0; gap E_FORMAT at 429; ",
	  .errors = "line 1: expected a count of an instruction that was shown before; "
	            "line 4: expected a count in decimal, as the ones before; "
	            "line 5: expected a count of an instruction that was shown before; "
	            "line 7: expected a count in decimal, as the ones before; "
	            "line 11: expected a count below 2^32, and one trap before it; " },
	{ .name = "spike: a vector's element that faults", .format = "spike", .detected = 64,
	  .log = "core   0: 0x0000000080000000 (0x00004509) c.li    a0, 2\n"
	         "core   0: 3 0x0000000080000000 (0x4509) x10 0x0000000000000002\n"
	         "core   0: 0x0000000080000002 (0x02056407) vle32.v v8, (a0)\n"
	         "core   0: 3 0x0000000080000002 (0x02056407) e32 m1 l4 v8  0x00000000000000000000"
	         "000000000000 mem 0x0000000000000002\n"
	         "core   0: exception trap_load_access_fault, epc 0x0000000080000002\n"
	         "core   0:           tval 0x0000000000000006\n"
	         "core   0: 0x0000000080000100 (0x30200073) mret\n"
	         "core   0: 3 0x0000000080000100 (0x30200073) c784_mstatus 0x0000000a00000080\n"
	         "core   0: 0x0000000080000002 (0x02056407) vle32.v v8, (a0)\n"
	         "core   0: 3 0x0000000080000002 (0x02056407) c8_vstart 0x0000000000000000 e32 m1 "
	         "l4 v8  0x00000000000000000000000000000000 mem 0x0000000000000002\n"
	         "core   0: 0x0000000080000006 (0x00004509) c.li    a0, 2\n"
	         "core   0: 3 0x0000000080000006 (0x4509) x10 0x0000000000000002\n",
	  .blocks = "hart 0; 80000000-80000002 exc p3; trap 5 6; 80000100-80000104 xret p3; "
	            "80000002-80000008 p3; ", .errors = "" },
	{ .name = "spike: badaddr of old versions", .format = "spike",
	  .log = "core   0: 0x0000000080000002 (0x00052583) lw      a1, 0(a0)\n"
	         "core   0: exception trap_load_access_fault, epc 0x0000000080000002\n"
	         "core   0:           badaddr 0x0000000000000002\n",
	  .blocks = "hart 0; 80000002-80000002 exc; trap 5 2; ", .errors = "" },

	{ .name = "sail: causes by name (0.9 to 0.12)", .format = "sail", .detected = 64,
	  .log = "[0] [HS]: 0x0000000080000000 (0x4509) c.li a0, 0b000010\n"
	         "x10 <- 0x0000000000000002\n"
	         "[1] [VS]: 0x0000000080000002 (0x00052583) lw a1, 0x0(a0)\n"
	         "trapping from VS to M to handle load-access-fault\n"
	         "handling exc#load-access-fault at priv M with tval 0x0000000000000002\n"
	         "[2] [M]: 0x0000000080000100 (0x30200073) mret\n"
	         "ret-ing from M to VU\n"
	         "[3] [VU]: 0x0000000080000006 (0x00000073) ecall\n"
	         "handling exc#u-call at priv M with tval 0x0000000000000000\n"
	         "[4] [M]: 0x0000000080000100 (0x30200073) mret\n"
	         "[5] [U]: 0x000000008000000a (0x4509) c.li a0, 0b000010\n"
	         "handling int#counter-overflow interrupt at priv M with tval 0x0000000000000000\n"
	         "[6] [M]: 0x0000000080000100 (0x30200073) mret\n"
	         "[7] [U]: 0x000000008000000c (0x4509) c.li a0, 0b000010\n"
	         "Handling non-maskable interrupt\n"
	         "[8] [M]: 0x0000000080000200 (0x30200073) mret\n",
	  .blocks = "hart 0; 80000000-80000002 exc p1; trap 5 2; 80000100-80000104 xret p3; "
	            "80000006-8000000a exc p4; trap 8 0; 80000100-80000104 xret p3; "
	            "8000000a-8000000c int p0; trap 13 0; 80000100-80000104 xret p3; "
	            "8000000c-8000000e int p0; 80000200-80000204 xret p3; ", .errors = "" },
	{ .name = "sail: trap values between bars (0.13)", .format = "sail", .detected = 32,
	  .log = "[0] [M]: 0x80000000 (0x9002) c.ebreak\n"
	         "trapping from M to M to handle software-breakpoint\n"
	         "handling exc#software-breakpoint at priv M | tval=0x80000000 | tval2=0x00000000 "
	         "| tinst=0x00000000\n"
	         "CSR mcause (0x342) <- 0x00000003\n"
	         "[1] [M]: 0x80000100 (0x30200073) mret\n"
	         "handling int#machine-timer-interrupt at priv M | tval=0x00000000 | "
	         "tval2=0x00000000 | tinst=0x00000000\n"
	         "[2] [M]: 0x80000100 (0x30200073) mret\n",
	  .xlen = 32,
	  .blocks = "hart 0; 80000000-80000002 exc p3; trap 3 80000000; 80000100-80000104 int p3; "
	            "trap 7 0; 80000100-80000104 xret p3; ", .errors = "" },
	{ .name = "sail: a cause, a form that nobody knows", .format = "sail",
	  .log = "[0] [M]: 0x0000000080000000 (0x4509) c.li a0, 2\n"
	         "handling exc#new-fault at priv M with tval 0x0000000000000002\n"
	         "handling fault 3 at priv M\n[1] [Z]: 0x0000000080000002 (0x4509) c.li\n",
	  .blocks = "hart 0; gap E_FORMAT at 48; gap E_FORMAT at 110; gap E_FORMAT at 137; ",
	  .errors = "line 2, column 14: expected the name of a cause, not \"new-fault\"; "
	            UNKNOWN("3", "handling fault 3 at priv M", "sail")
	            UNKNOWN("4", "[1] [Z]: 0x0000000080000002 (0x4509) c.li", "sail") },

	{ .name = "cva6: rvfi_tracer since April 2026", .format = "cva6", .detected = 64,
	  .log = "core   0: 0x0000000080000000 (0x00004509) DASM(00004509)\n"
	         "3 0x0000000080000000 (0x4509) x10 0x0000000000000002\n"
	         "ENV_CALL_MMODE exception @ 0x0000000080000002 (0x00000073)\n"
	         "core   0: 0x0000000080000100 (0x30200073) DASM(30200073)\n"
	         "3 0x0000000080000100 (0x30200073)\n"
	         "core   0: 0x0000000080000006 (0x00000013) DASM(00000013)\n"
	         "0 0x0000000080000006 (0x00000013)\n"
	         "BREAKPOINT exception @ 0x000000008000000a (0x9002)\n"
	         "core   0: 0x0000000080000100 (0x30200073) DASM(30200073)\n"
	         "3 0x0000000080000100 (0x30200073)\n"
	         "core   0: 0x000000008000000c (0x00000013) DASM(00000013)\n"
	         "0 0x000000008000000c (0x00000013)\n"
	         "core   INTERRUPT 0: 0x0000000080000100 (0x30200073) DASM(30200073)\n"
	         "3 0x0000000080000100 (0x30200073)\n"
	         "STORE_PAGE_FAULT exception @ 0x0000000080000010 (0xc10c)\n",
	  .blocks = "hart 0; 80000000-80000006 exc p3; trap 11 0; 80000100-80000104 xret p3; "
	            "80000006-8000000c exc p0; trap 3 0; 80000100-80000104 xret p3; "
	            "8000000c-80000010 int p0; 80000100-80000104 xret p3; "
	            "80000010-80000010 exc; trap 15 0; ", .errors = "" },
	{ .name = "cva6: rvfi_tracer, through spike-dasm", .format = "cva6", .detected = 64,
	  .log = "core   0: 0x0000000080000000 (0x00004509) c.li    a0, 2\n"
	         "3 0x0000000080000000 (0x4509) x10 0x0000000000000002\n"
	         "LD_ACCESS_FAULT exception @ 0x0000000080000002 (0x00052583)\n"
	         "core   0: 0x0000000080000100 (0x00004509) c.li    a0, 2\n"
	         "3 0x0000000080000100 (0x4509) x10 0x0000000000000002\n"
	         "core   INTERRUPT 0: 0x0000000080000200 (0x30200073) mret\n"
	         "3 0x0000000080000200 (0x30200073)\n",
	  .blocks = "hart 0; 80000000-80000002 exc p3; trap 5 0; 80000100-80000102 int p3; "
	            "80000200-80000204 xret p3; ", .errors = "" },
	{ .name = "cva6: an interrupt at an exception, of which nobody knows the place",
	  .format = "cva6",
	  .log = "core   0: 0x0000000080000000 (0x00004509) DASM(00004509)\n"
	         "3 0x0000000080000000 (0x4509) x10 0x0000000000000002\n"
	         "LD_ACCESS_FAULT exception @ 0x0000000080000002 (0x00052583)\n"
	         "core   INTERRUPT 0: 0x0000000080000100 (0x30200073) DASM(30200073)\n"
	         "3 0x0000000080000100 (0x30200073)\n",
	  .blocks = "hart 0; 80000000-80000002 exc p3; trap 5 0; gap E_BLOCK at 170; "
	            "80000100-80000104 xret p3; ", .errors = "" },
	{ .name = "spike: traps of CVA6 are none of its lines", .format = "spike",
	  .log = "core   0: 0x0000000080000000 (0x00004509) c.li    a0, 2\n"
	         "3 0x0000000080000000 (0x4509) x10 0x0000000000000002\n"
	         "LD_ACCESS_FAULT exception @ 0x0000000080000002\n"
	         "core   INTERRUPT 0: 0x0000000080000100 (0x30200073) mret\n"
	         "Unhandled exception @ 0x80000002\n",
	  .blocks = "hart 0; 80000000-80000002 p3; gap E_FORMAT at 109; gap E_FORMAT at 156; ",
	  .errors = UNKNOWN("3", "LD_ACCESS_FAULT exception @ 0x0000000080000002", "spike")
	            UNKNOWN("4", "core   INTERRUPT 0: 0x0000000080000100 (0x30200073) mret",
	                    "spike") },
	{ .name = "spike: a branch to itself that is counted", .format = "spike", .detected = 64,
	  .log = "core   0: 0x0000000080000004 (0x00000063) beqz    zero, pc + 0\n"
	         "core   0: Executed 3 times\n"
	         "core   0: 0x0000000080000008 (0x0000a001) c.j     pc + 0\n",
	  .blocks = "hart 0; 80000004-80000008 taken; 80000004-80000008 taken; "
	            "80000004-80000008 not; 80000008-8000000a jump; ", .errors = "" },
	{ .name = "cva6: lines in no form that is known", .format = "cva6",
	  .log = "core   0: 0x0000000080000000 (0x00004509) DASM(00004509)\n"
	         "3 0x0000000080000000 (0x4509) x10 0x0000000000000002\n"
	         "NEW_FAULT exception @ 0x0000000080000002\n"
	         "core   NMI 0: 0x0000000080000100 (0x30200073)\n"
	         "      5ns   3 M new\n",
	  .blocks = "hart 0; 80000000-80000002 p3; gap E_FORMAT at 110; gap E_FORMAT at 151; "
	            "gap E_FORMAT at 197; ",
	  .errors = UNKNOWN("3", "NEW_FAULT exception @ 0x0000000080000002", "cva6")
	            UNKNOWN("4", "core   NMI 0: 0x0000000080000100 (0x30200073)", "cva6")
	            "line 5, column 17: expected an address in hexadecimal, not \"new\"; " },

	{ .name = "ibex: marks", .format = "ibex", .detected = 32,
	  .log = "Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents\n"
	         "            130\t        61\t00100080\t    4509\tc.li\tx10,2\t x10=0x00000002\n"
	         "            136\t        64\t00100082\t    157d\tc.addi\tx10,-1\t\n"
	         "            138\t        65\t00100000\t30200073\t==>mret\t\n"
	         "            140\t        66\t00100084\t    157d\tc.addi\tx10,-1\t\n"
	         "            142\t        67\t00100086\t00052583\t-->lw\tx11,0(x10)\t\n"
	         "            144\t        68\t00100000\t30200073\t==>mret\t\n"
	         "            146\t        69\t00100086\t00000073\t-->ecall\t\n"
	         "            148\t        70\t00100000\t30200073\t==>mret\t\n"
	         "            150\t        71\t0010008a\t    157d\tc.addi\tx10,-1\t\n"
	         "            152\t        72\t0010001c\t30200073\t==>mret\t\n"
	         "            154\t        73\t0010008c\t    157d\tc.addi\tx10,-1\t\n"
	         "            156\t        74\t00100000\t30200073\tmret\t\n",
	  .blocks = "hart 0; time 61; 100080-100084 int; time 65; 100000-100004 xret; time 66; "
	            "100084-100086 exc; time 68; 100000-100004 xret; time 69; 100086-10008a exc; "
	            "time 70; 100000-100004 xret; time 71; 10008a-10008c int; trap 7 0; time 72; "
	            "10001c-100020 xret; time 73; 10008c-10008e; gap E_BLOCK at 765; time 74; "
	            "100000-100004 xret; ", .errors = "" },

	{ .name = "neorv32: 16-bit instructions as they are (since May 2026)", .format = "neorv32",
	  .detected = 32,
	  .log = "0 13 0x00000000 0x4509     M c.addi      x10, x0, 2\n"
	         "1 15 0x00000002 0xfd7d     M c.bne       x10, x0, -2\n"
	         "2 18 0x00000000 0x4509     M c.addi      x10, x0, 2\n"
	         "3 25 0x00000100 0x30200073 U mret         <TRAP_ENTRY>\n"
	         "4 27 0x00000004 0x0001     M c.addi      x0, x0, 0\n",
	  .blocks = "hart 0; time 13; 0-4 taken p3; time 18; 0-2 int p3; time 25; 100-104 xret p0; "
	            "time 27; 4-6 p3; ", .errors = "" },

	{ .name = "gem5: instructions that faulted", .format = "gem5", .program = true,
	  .log = "   1000: system.cpu: T0 : 0x1000 @_start    : c_li a0, 2                 : IntAlu :  "
	         "D=0x0000000000000002  flags=(IsInteger)\n"
	         "   2000: system.cpu: T0 : 0x1002 @_start+2    : c_addi a0, -1              : IntAlu :  "
	         " flags=(IsInteger) FAULTING\n"
	         "   3000: system.cpu: T0 : 0x1002 @_start+2    : c_addi a0, -1              : IntAlu :  "
	         "D=0x0000000000000001  flags=(IsInteger)\n"
	         "   4000: system.cpu: T0 : 0x1004 @_start+4    : c_bnez a0, -2              : IntAlu :  "
	         " flags=(IsControl) FAULTING\n"
	         "   5000: system.cpu: T0 : 0x1000 @_start    : c_li a0, 2                 : IntAlu :  "
	         "D=0x0000000000000002  flags=(IsInteger)\n"
	         "   6000: system.cpu: T0 : 0x1006 @_start+6    : ecall                   : No_OpClass :  "
	         " flags=(IsSyscall) FAULTING\n"
	         "   7000: system.cpu: T0 : 0x1000 @_start    : c_li a0, 2                 : IntAlu :  "
	         "D=0x0000000000000002  flags=(IsInteger)\n",
	  .blocks = "hart 0; time 1000; 1000-1004 exc; time 5000; 1000-1002; gap E_BLOCK at 723; "
	            "time 6000; 1006-100a exc; time 7000; 1000-1002; ", .errors = "" },
	{ .name = "gem5: a micro-op that faulted", .format = "gem5", .program = true,
	  .log = "   1000: system.cpu: T0 : 0x1000 @_start    : c_li a0, 2                \n"
	         "   1000: system.cpu: T0 : 0x1000 @_start. 0 : c_li a0, 2 : IntAlu :  flags=()\n"
	         "   1000: system.cpu: T0 : 0x1000 @_start. 1 : c_li a0, 2 : IntAlu :  flags=() "
	         "FAULTING\n"
	         "   2000: system.cpu: T0 : 0x1000 @_start    : c_li a0, 2                \n"
	         "   2000: system.cpu: T0 : 0x1000 @_start. 0 : c_li a0, 2 : IntAlu :  flags=()\n"
	         "   2000: system.cpu: T0 : 0x1000 @_start. 1 : c_li a0, 2 : IntAlu :  flags=()\n"
	         "   3000: system.cpu: T0 : what is this\n",
	  .blocks = "hart 0; time 2000; 1000-1002; gap E_FORMAT at 467; ",
	  .errors = UNKNOWN("7", "   3000: system.cpu: T0 : what is this", "gem5") },

#define QEMU_BLOCK(pc) \
	"Trace 0: 0x7f0000000100 [0000000000000000/00000000" pc "/00209003/ff000200] \n"
	{ .name = "qemu: code and traps", .format = "qemu", .detected = 64,
	  .log = "----------------\nIN: \nPriv: 3; Virt: 0\n"
	         "0x0000000080000000:  4509              c.li   a0,2\n"
	         "0x0000000080000002:  00052583          lw     a1,0(a0)\n"
	         "0x0000000080000006:  00000073          ecall\n\n" QEMU_BLOCK("80000000")
	         "riscv_cpu_do_interrupt: hart:0, async:0, cause:0000000000000005, "
	         "epc:0x0000000080000002, tval:0x0000000000000002, desc=fault_load\n"
	         "IN: \nPriv: 1; Virt: 1\n0x0000000080000100:  157d              c.addi a0,-1\n"
	         "0x0000000080000102:  fd7d              bnez   a0,-2\n" QEMU_BLOCK("80000100")
	         QEMU_BLOCK("80000100")
	         "Stopped execution of TB chain before 0x7f0000000100 [0000000080000100] \n"
	         "riscv_cpu_do_interrupt: hart:0, async:1, cause:0000000000000007, "
	         "epc:0x0000000080000100, tval:0x0000000000000000, desc=m_timer\n"
	         QEMU_BLOCK("80000000")
	         "riscv_cpu_do_interrupt: hart:0, async:0, cause:000000000000000b, "
	         "epc:0x0000000080000006, tval:0x0000000000000000, desc=machine_ecall\n",
	  .blocks = "hart 0; 80000000-80000002 exc p3; trap 5 2; 80000100-80000104 taken p5; "
	            "80000100-80000100 int p5; trap 7 0; 80000000-8000000a exc p3; trap 11 0; ",
	  .errors = "" },
	{ .name = "qemu: with the program", .format = "qemu", .program = true, .detected = 64,
	  .log = QEMU_BLOCK("00001000") QEMU_BLOCK("00001002") QEMU_BLOCK("00001004")
	         QEMU_BLOCK("00001006") QEMU_BLOCK("00002000") QEMU_BLOCK("00001000"),
	  .blocks = "hart 0; 1000-1006 taken; 1002-1006 not; 1006-100a exc; gap E_NOCODE at 395; "
	            "1000-1004; ",
	  .errors = "line 6: no code is known of the block at 0x2000: --elf, or a log with "
	            "-d in_asm; " },
	{ .name = "qemu: two blocks that wait to run", .format = "qemu", .detected = 64,
	  .log = "IN: a\n0x0000000000010000:  4501              li   a0,0\n"
	         "0x0000000000010002:  a009              j    2   # 0x10004\n\n"
	         "IN: b\n0x0000000000020000:  0001              nop\n"
	         "0x0000000000020002:  a009              j    2   # 0x20004\n\n"
	         "Trace 1: 0x7f0000000200 [0000000000000000/0000000000020000/00207600/00080200] b\n"
	         "Trace 0: 0x7f0000000100 [0000000000000000/0000000000010000/00207600/00080200] a\n",
	  .blocks = "hart 1; 20000-20004 jump; hart 0; 10000-10004 jump; ", .errors = "" },
	{ .name = "qemu: three blocks that wait, the second first", .format = "qemu",
	  .log = "IN: a\n0x0000000000010000:  4501              li   a0,0\n"
	         "0x0000000000010002:  bffd              j    -2  # 0x10000\n\n"
	         "IN: b\n0x0000000000020000:  0001              nop\n"
	         "0x0000000000020002:  bffd              j    -2  # 0x20000\n\n"
	         "IN: c\n0x0000000000030000:  157d              addi a0,a0,-1\n"
	         "0x0000000000030002:  bffd              j    -2  # 0x30000\n\n"
	         "Trace 1: 0x7f0000000200 [0000000000000000/0000000000020000/00207600/00080200] b\n"
	         "Trace 2: 0x7f0000000300 [0000000000000000/0000000000030000/00207600/00080200] c\n"
	         "Trace 0: 0x7f0000000100 [0000000000000000/0000000000010000/00207600/00080200] a\n",
	  .blocks = "hart 1; 20000-20004 jump; hart 2; 30000-30004 jump; hart 0; 10000-10004 jump; ",
	  .errors = "" },
	{ .name = "qemu: code of the host, and what nobody knows", .format = "qemu", .detected = 64,
	  .log = "PROLOGUE: [size=45]\n0x7f0000000000:  55                       pushq    %rbp\n\n"
	         "IN: a\n0x0000000000010000:  4501              li   a0,0\n"
	         "0x0000000000010002:  bffd              j    -2  # 0x10000\n\n"
	         "OUT: [size=92]\n"
	         "0x0000000000010004:  48 8b 5d f0              movq     -0x10(%rbp), %rbx\n\n"
	         "> Trace 0: 0x7f0000000100 [0000000000000000/0000000000010000/00207600/00080200] a\n"
	         "> Trace 0: 0x7f0000000100 [0000000000000000/0000000000010000/00207600/00080200] a\n"
	         "Trace 0: 0x7f0000000100 in no form\n",
	  .blocks = "hart 0; 10000-10004 jump; gap E_FORMAT at 444; ",
	  .errors = UNKNOWN("13", "Trace 0: 0x7f0000000100 in no form", "qemu") },
	{ .name = "qemu: 10, a block of one instruction, which its flags say", .format = "qemu",
	  .program = true, .xlen = 64,
	  .log = "Trace 0: 0x7f0000000100 [00000000/0000000000001000/02c24003/ff020200] \n"
	         "cpu_io_recompile: rewound execution of TB to 0000000000001000\n"
	         "Trace 0: 0x7f0000000200 [00000000/0000000000001000/02c24003/ff031201] \n"
	         "Trace 0: 0x7f0000000300 [00000000/0000000000001002/02c24003/ff020200] \n"
	         "Trace 0: 0x7f0000000400 [00000000/0000000000001006/02c24003/ff020200] \n",
	  .blocks = "hart 0; 1000-1006 not; 1006-100a exc; ", .errors = "" },
	{ .name = "qemu: 10, RV32", .format = "qemu", .detected = 32, .xlen = 32,
	  .log = "----------------\nIN: \n0x80000000:  2001              jal                     0"
	         "                       # 0x80000000\n\n"
	         "Trace 0: 0x7f67bc000100 [00000000/0000000080000000/01c14003/ff020200] \n"
	         "Trace 0: 0x7f67bc000100 [00000000/0000000080000000/01c14003/ff020200] \n",
	  .blocks = "hart 0; 80000000-80000002 jump; 80000000-80000002 jump; ", .errors = "" },
	{ .name = "qemu: 10, RV64 below 4 GiB", .format = "qemu", .detected = 64, .xlen = 64,
	  .log = "----------------\nIN: \n0x00020924:  2805              addiw                   a6,a6,1\n"
	         "0x00020926:  bffd              j                       -2                      "
	         "# 0x20924\n\n"
	         "Trace 0: 0x7fffe8004200 [00000000/0000000000020924/0202c078/00000200] f\n"
	         "Trace 0: 0x7fffe8004200 [00000000/0000000000020924/0202c078/00000200] f\n",
	  .blocks = "hart 0; 20924-20928 jump; 20924-20928 jump; ", .errors = "" },
};
