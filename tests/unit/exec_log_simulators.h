/* Rows of exec_log_rows.h: Rocket, BOOM, dromajo, Whisper, OVPsim, Renode and TracerV. */
	{ .name = "rocket: cycles", .format = "rocket", .detected = 1,
	  .log = "using random seed 1\n"
	         "C0:       1056 [1] pc=[0080000000] W[r10=0000000000000002][1] R[r 0=0000000000000000] "
	         "R[r 0=0000000000000000] inst=[00004509] DASM(00004509)\n"
	         "C0:       1057 [0] pc=[0080000000] W[r 0=0000000000000000][0] R[r 0=0000000000000000] "
	         "R[r 0=0000000000000000] inst=[00004509] DASM(00004509)\n"
	         "C0:       1058 [1] pc=[0080000002] W[r 0=0000000000000000][0] R[r 0=0000000000000000] "
	         "R[r 0=0000000000000000] inst=[00008067] ret\n"
	         "C1:       1059 [1] pc=[ffe0000000] W[r 0=0000000000000000][0] R[r 0=0000000000000000] "
	         "R[r 0=0000000000000000] inst=[00000013] DASM(00000013)\n"
	         "C0:       1060 [2] pc=[0080000002]\n",
	  .blocks = "hart 0; time 1056; hart 1; time 1059; hart 0; 80000000-80000006 jump; "
	            "gap E_FORMAT at 573; hart 1; ffffffffe0000000-ffffffffe0000004; ",
	  .errors = UNKNOWN("6", "C0:       1060 [2] pc=[0080000002]", "rocket") },
	{ .name = "boom: commits, for people", .format = "boom", .detected = 64,
	  .log = "C         12: 3 0x0000000080000000 (0x4509) DASM(4509) x10 0x0000000000000002\n"
	         "C         13: 3 0x0000000080000002 (0x00052583) DASM(00052583) x11 "
	         "0x0000000000000002\n"
	         "C         17: 3 0x0000000080000006 (0x4509) DASM(4509) x10 0x0000000000000002\n"
	         "C         18: 3 nothing\n",
	  .blocks = "hart 0; time 12; 80000000-80000008 p3; gap E_FORMAT at 242; ",
	  .errors = UNKNOWN("4", "C         18: 3 nothing", "boom") },
	{ .name = "boom: commits", .format = "boom",
	  .log = "3 0x0000000080000000 (0x4509) x10 0x0000000000000002\n"
	         "3 0x0000000080000002 (0x00052583) x11 0x0000000000000002\n",
	  .blocks = "hart 0; 80000000-80000006 p3; ", .errors = "" },
	{ .name = "dromajo: an exception, an interrupt", .format = "dromajo", .detected = 64,
	  .log = "0 3 0x0000000080000000 (0x00004509) x10 0x0000000000000002\n"
	         "0 3 0x0000000080000002 (0x00052583) exception 5, tval 0000000000000002\n"
	         "0 3 0x0000000080000100 (0x30200073)\n"
	         "0 0 0x0000000080000006 (0x0000157d)\n"
	         "0 3 0x0000000080000200 (0x30200073)\n"
	         "1 3 0x0000000080000000 (0x00004509) x10 0x0000000000000002\n"
	         "0 0 0x0000000080000006 (0x0000157d) x10 0x0000000000000001\n"
	         "0 0 0x0000000080000008 (0x00000073) exception 8, tval 0000000000000000\n",
	  .blocks = "hart 0; 80000000-80000002 exc p3; trap 5 2; 80000100-80000104 xret p3; "
	            "80000006-80000006 int p0; 80000200-80000204 xret p3; 80000006-8000000c exc p0; "
	            "trap 8 0; hart 1; 80000000-80000002 p3; ", .errors = "" },
	{ .name = "whisper: traps by the CSRs that they write", .format = "whisper", .detected = 64,
	  .log = "main:\n"
	         "#1 0  M 0000000080000000     4509 r 000000000000000a 0000000000000002 c.li x10, 2\n"
	         "#2 0  M 0000000080000002 00052583 c 0000000000000300 0000000a00001800 lw x11, 0(x10) "
	         "[0x2]  +\n"
	         "#2 0  M 0000000080000002 00052583 c 0000000000000341 0000000080000002 lw x11  +\n"
	         "#2 0  M 0000000080000002 00052583 c 0000000000000342 0000000000000005 lw x11  +\n"
	         "#2 0  M 0000000080000002 00052583 c 0000000000000343 0000000000000002 lw x11\n"
	         "#3 0  M 0000000080000100 30200073 c 0000000000000300 0000000a00000080 mret\n"
	         "#4 0 HS 0000000080000006     157d r 000000000000000a 0000000000000001 c.addi x10, -1 "
	         "(interrupted)  +\n"
	         "#4 0 HS 0000000080000006     157d c 0000000000000341 0000000080000006 c.addi  +\n"
	         "#4 0 HS 0000000080000006     157d c 0000000000000342 8000000000000007 c.addi\n"
	         "#5 0  M 0000000080000200 34211073 c 0000000000000342 0000000000000001 csrrw x0, "
	         "mcause, x2\n"
	         "#6 0  M 0000000080000204 00000073 c 0000000000000341 0000000080000204 ecall  +\n"
	         "#6 0  M 0000000080000204 00000073 c 0000000000000342 000000000000000b ecall\n"
	         "#7 1  M zz\n",
	  .blocks = "hart 0; 80000000-80000002 exc p3; trap 5 2; 80000100-80000104 xret p3; "
	            "80000006-80000006 int p1; trap 7 0; hart 1; gap E_FORMAT at 999; hart 0; "
	            "80000200-80000208 exc p3; trap 11 0; ",
	  .errors = "line 14, column 9: expected an address in hexadecimal, not \"zz\"; " },
	{ .name = "whisper: marks without CSRs, CSRs without a mark, the same again",
	  .format = "whisper",
	  .log = "#1 0  M 0000000080000000     a001 r 0000000000000000 0000000000000000 c.j . + 0x0\n"
	         "#2 0  M 0000000080000000     a001 r 0000000000000000 0000000000000000 c.j . + 0x0\n"
	         "#3 0  M 0000000080000000     a001 r 0000000000000000 0000000000000000 c.j . + 0x0 "
	         "(interrupted)  +\n"
	         "#3 0  M 0000000080000000     a001 m 0000000000000000 0000000000000000 c.j . + 0x0\n"
	         "#4 0  M 0000000080000200 30200073 c 0000000000000300 0000000a00000080 mret\n"
	         "#5 0  U 0000000080000000     a001 c 0000000000000141 0000000080000000 c.j  +\n"
	         "#5 0  U 0000000080000000     a001 c 0000000000000142 8000000000000005 c.j\n"
	         "#6 0  S 0000000080000300 10200073 c 0000000000000100 0000000000000000 sret\n",
	  .blocks = "hart 0; 80000000-80000002 jump p3; 80000000-80000002 jump p3; "
	            "80000000-80000000 int p3; 80000200-80000204 xret p3; 80000000-80000000 int p0; "
	            "trap 5 0; 80000300-80000304 xret p1; ", .errors = "" },
	{ .name = "whisper: CSV", .format = "whisper-csv", .detected = 1,
	  .log = "pc, inst, modified regs, source operands, memory, inst info, privilege, trap, "
	         "disassembly, hartid\n"
	         "80000000,4509,x10=2,i2,,,m,,c.li x10; 2,0\n"
	         "80000002:40000002,52583,c768=a00001800;c833=80000002;c834=5;c835=2,x10;i0,2,l,vs,5,"
	         "lw x11; 0(x10),0\n"
	         "80000100,30200073,c768=a00000080,,,,m,,mret,0\n"
	         "80000006,157d,c833=80000006;c834=8000000000000007;c835=0,x10,,,u,8000000000000007,"
	         "c.addi x10; -1,0\n"
	         "80000200,30200073,,,,,m,,mret,0\n"
	         "80000006,157d,x10=1,x10,,,u,,c.addi x10; -1,0\n"
	         "80000008,fd7d,pc=80000006,x10;i-2,,t,u,,c.bnez x10; . - 2,0\n"
	         "80000006,157d,x10=0,x10,,,u,,c.addi x10; -1,0\n"
	         "80000008,fd7d,,x10;i-2,,nt,u,,c.bnez x10; . - 2,0\n"
	         "8000000a,73,c833=8000000a;c834=8,,,,u,8,ecall,0\n80000000,4509,x10=2,i2,,,m\n"
	         "80000000,4509,c835=zz,,,,m,,c.li,0\n",
	  .blocks = "hart 0; 80000000-80000002 exc p3; trap 5 2; 80000100-80000104 xret p3; "
	            "80000006-80000006 int p0; trap 7 0; 80000200-80000204 xret p3; "
	            "80000006-8000000a taken p0; 80000006-8000000a not p0; 8000000a-8000000e exc p0; "
	            "trap 8 0; gap E_FORMAT at 667; gap E_FORMAT at 694; ",
	  .errors = "line 12 ends at column 27: expected another column; line 13, column 15: "
	            "expected names and values of registers, not \"c835=zz,,,,m,,c.li,0\"; " },
	{ .name = "ovpsim", .format = "ovpsim", .detected = 64,
	  .log = "Info (OR_OF) Target 'riscvOVPsim/cpu' has object file read from 'a.elf'\n"
	         "Info 1: 'riscvOVPsim/cpu', 0x0000000080000000(_start): Machine 00000297 auipc   "
	         "t0,0x0\n"
	         "  t0 0000000000000000 -> 0000000080000000\n"
	         "Info 2: 'riscvOVPsim/cpu', 0x0000000080000004(_start+4): Machine 4509     li      "
	         "a0,2\n"
	         "Info 3: 'platform/cpu_hart12', 0x0000000080000000(_start): User 00000297 auipc   "
	         "t0,0x0\n"
	         "Info 4: 'riscvOVPsim/cpu', 0x0000000080000006: 4509     li      a0,2\n"
	         "Info 5: 'riscvOVPsim/cpu', 0x0000000080000008: Other 4509     li      a0,2\n",
	  .blocks = "hart 0; 80000000-80000008 p3; gap E_FORMAT at 445; hart 12; "
	            "80000000-80000004 p0; ", .errors = "line 7, column 48: expected an opcode in hexadecimal, not \"Other\"; " },
	{ .name = "renode: text", .format = "renode", .detected = 1,
	  .log = "0x7FFFFFFC: 0x83250500\nMemoryRead with address 0x2, value 0x0\n"
	         "0x80000000: 0x0945\n0x80000002: 0x7D15\n0x80000004: 0x7DFD\n0x80000002: 0x7D15\n"
	         "Couldn't disassemble opcode at PC 0x80000008\n0x80000010: 0x1\n"
	         "0x80000012: c.li\n0x80000012: 0x09450\n",
	  .blocks = "hart 0; 7ffffffc-80000006 taken; 80000002-80000004; gap E_FORMAT at 138; "
	            "gap E_FORMAT at 183; gap E_FORMAT at 199; gap E_FORMAT at 216; ",
	  .errors = UNKNOWN("7", "Couldn't disassemble opcode at PC 0x80000008", "renode")
	            "line 8, column 15: expected the bytes of an instruction in hexadecimal, not \"1\"; "
	            UNKNOWN("9", "0x80000012: c.li", "renode")
	            "line 10, column 15: expected the bytes of an instruction in hexadecimal, not "
	            "\"09450\"; " },
#define RETRACE(version, triples) "ReTrace" version "\x08\x01" triples "\x10" "riscv64 rv64imac"
#define PC(low) low "\0\0\x80\0\0\0\0"
	{ .name = "renode: ReTrace 4", .format = "renode", .detected = 64, ROW_BYTES(
	  RETRACE("\x04", "\0") PC("\0") "\x04\x83\x25\x05\0"
	  "\x01\x02" "12345678" "12345678" "12345678" "\x02" "12345678" "12345678"
	  "\x03\x01\x02\0" "1234" "1234" "1234" "1234" "\0"
	  PC("\x04") "\x02\x7d\x15" "\0" PC("\x06") "\x02\x7d\xfd" "\0"
	  PC("\x04") "\x02\x7d\x15" "\0"),
	  .blocks = "hart 0; 80000000-80000008 taken; 80000004-80000006; ", .errors = "" },
	{ .name = "renode: ReTrace 3, without accesses to memory", .format = "renode", ROW_BYTES(
	  RETRACE("\x03", "\0") PC("\0") "\x04\x83\x25\x05\0" "\x03\x01\x03\0"
	  "12345678" "12345678" "12345678" "12345678" "\0" PC("\x04") "\x02\x7d\x15" "\0"
	  PC("\x06") "\x02\x7d\x15" "\x01" "12345678"),
	  .blocks = "hart 0; 80000000-80000008; gap E_FORMAT at 101; ",
	  .errors = "record 9, byte 101: data of a kind that is not known: what follows cannot be "
	            "read; " },
	{ .name = "renode: ReTrace without addresses", .format = "renode", ROW_BYTES(
	  "ReTrace\x04\0\x01\0\x10" "riscv64 rv64imac" "\x02\x09\x45\0"), .blocks = "",
	  .errors = "record 1, byte 0: no addresses (trace PCAndOpcode or PC): what follows cannot be "
	            "read; " },
	{ .name = "renode: ReTrace of another machine", .format = "renode", ROW_BYTES(
	  "ReTrace\x05\x04\x01\x01\x0a" "arm cortex" "\0\0\0\0\x02\x09\x45\0"), .blocks = "",
	  .errors = "record 2, byte 10: another instruction set than RISC-V's: what follows cannot be "
	            "read; " },
	{ .name = "renode: ReTrace without opcodes, with the program", .format = "renode",
	  .program = true, ROW_BYTES(
	  "ReTrace\x04\x04\0" "\0\x10\0\0\0" "\x02\x10\0\0\0" "\0\x20\0\0\0"),
	  .blocks = "hart 0; 1000-1004; gap E_NOCODE at 20; ",
	  .errors = "record 6: no code is known at 0x2000: --elf; " },
	{ .name = "renode: ReTrace 5, cut off", .format = "renode", .detected = 64, ROW_BYTES(
	  RETRACE("\x05", "\x01") PC("\0") "\x02\x09\x45" "\0" PC("\x02") "\x04\x83\x25"),
	  .blocks = "hart 0; 80000000-80000002; ", .errors = "record 5: the log ends in it; " },
	{ .name = "renode: ReTrace with data of a new kind", .format = "renode", ROW_BYTES(
	  RETRACE("\x05", "\x01") PC("\0") "\x02\x09\x45" "\x04" PC("\x02") "\x04\x83\x25"),
	  .blocks = "hart 0; 80000000-80000002; gap E_FORMAT at 39; ",
	  .errors = "record 4, byte 39: data of a kind that is not known: what follows cannot be "
	            "read; " },
	{ .name = "renode: a version of ReTrace that nobody knows", .format = "renode", ROW_BYTES(
	  RETRACE("\x06", "\x01") PC("\0") "\x02\x09\x45" "\0"),
	  .blocks = "", .errors = "record 1, byte 0: a version of ReTrace that is not 3, 4 or 5: what follows cannot be "
	            "read; " },
#define CLOCK "# Clock Domain: baseClock, Relative Frequency: 1/1 of Base Clock\n"
	{ .name = "tracerv: text", .format = "tracerv", .program = true, .detected = 1,
	  .log = CLOCK "Cycle: 0000000000000005 I0: 0000000000001000\n"
	         "Cycle: 0000000000000005 I1: 0000000000001002\n"
	         "Cycle: 0000000000000009 I0: 0000000000001004\n"
	         "Cycle: 0000000000000012 I0: 0000000000001002\n"
	         "Cycle: 0000000000000013 I0: 000000ffe0000000\nHello\n",
	  .blocks = "hart 0; time 5; 1000-1006 taken; time 12; 1002-1004; gap E_NOCODE at 245; "
	            "gap E_FORMAT at 290; ", .errors = "line 6: no code is known at 0xffffffffe0000000: --elf; "
	            "line 7: expected a line of the format; " },
#define ROW(time, a, b) time "\0\0\0\0\0\0\0" a "\x10\0\0\0\x01\0\0" b "\x10\0\0\0\x01\0\0"
	{ .name = "tracerv: records", .format = "tracerv", .program = true, .detected = 1, ROW_BYTES(
	  CLOCK ROW("\x05", "\0", "\x02") ROW("\x09", "\x04", "\x02")
	  "\x0c\0\0\0\0\0\0\0" "\x04\x10\0\0\0\x01\0\0" "\x06\x10\0\0\0\0\0\0"
	  "\x0d\0\0\0\0\0\0\0" "\x06\x10\0\0\0\0\0\0" "\0\0\0\xe0\xff\x01\0\0"),
	  .blocks = "hart 0; time 5; 1000-1006 taken; time 9; 1002-1004; gap E_NOCODE at 137; ",
	  .errors = "record 5: no code is known at 0xffffffffe0000000: --elf; " },
	{ .name = "tracerv: no records", .format = "tracerv", .program = true, ROW_BYTES(
	  "\x05\0\0\0\0\0\0\0" "\x05\0\0\0\0\0\0\0" "\x05\0\0\0\0\0\0\0"),
	  .blocks = "", .errors = "record 1, byte 0: no rows of a cycle and addresses: what follows cannot be read; " },
