/* Any text is a log of any format: the reader ends, says the same however the text is cut, and
 * gives blocks that keep their rules; its code is what its versions and sections say.  Input: piece
 * size, format and flags, log. */
#include "inputs/exec_log.h"
#include "inputs/log_private.h"
#include "fuzz.h"
#include "stream.h"

#define BLOCKS (HS_BUILDER_ROOM + 3)
#define LIMIT 100000 /* blocks: a line may say that an instruction ran 2^32 times */

static enum hs_status feed(void *s, struct hs_span *in, struct hs_blocks *out)
{
	struct hs_error e = { .text = "" };
	const enum hs_status status = hs_exec_log_feed(s, in, out, &e);

	fuzz_must((status == HS_MORE || status == HS_FULL) == (e.text[0] == '\0'));
	return status;
}

static enum hs_status end(void *s, struct hs_blocks *out)
{
	struct hs_error e = { .text = "" };

	return hs_exec_log_end(s, out, &e);
}

static unsigned format_count(void)
{
	unsigned n = 0;

	while (hs_log_get_format(n))
		n++;
	return n;
}

/* Every section has bytes, and so has every version that a block may name. */
static void check_code(struct hs_exec_log *log)
{
	struct hs_exec_log_stats stats;
	struct hs_section code;
	unsigned sum = 0;
	uint32_t n = 0;

	while (hs_exec_log_next_code(log, &code)) {
		fuzz_must(code.size);
		for (uint64_t i = 0; i < code.size; i++)
			sum += code.bytes[i];
	}
	for (; hs_exec_log_code(log, n, &code) == HS_OK; n++)
		fuzz_must(code.size && code.size <= HS_INSN_MAX);
	hs_exec_log_get_stats(log, &stats);
	fuzz_must(n <= stats.changes && sum != 1u << 31);
}

static struct outcome import(unsigned flags, const uint8_t *p, size_t n, size_t piece)
{
	static const uint8_t bytes[] = { 0x09, 0x45, 0x7d, 0x15, 0x7d, 0xfd, 0x73, 0, 0, 0 };
	static const struct hs_section section = { 0x1000, sizeof(bytes), bytes };
	static const struct hs_image image = { &section, 1, { .xlen = 64 }, 0 };
	const struct hs_log_format *format = hs_log_get_format(flags / 4 % format_count());
	const bool program = (flags & 1) != 0 || (format->flags & HS_LOG_PROGRAM) != 0;
	const struct hs_exec_log_options o = {
		.size = sizeof(o), .format = format, .program = program ? &image : NULL,
		.xlen = flags & 2 ? 32 : 0, .skip_unknown = flags / 4 >= format_count(),
	};
	struct hs_block at[BLOCKS];
	struct stream s = { NULL, feed, end, { at, BLOCKS, 0 }, .limit = LIMIT };
	struct hs_exec_log *log = NULL;
	struct hs_error e;

	fuzz_must(hs_exec_log_new(&o, &log, &e) == HS_OK);
	s.self = log;
	const struct outcome outcome = stream_run(&s, p, n, piece);

	check_code(log);
	hs_exec_log_free(log);
	return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hs_log_detected found;

	if (size < 2)
		return 0;
	const struct hs_span text = { data + 2, size - 2 };
	const struct outcome whole = import(data[1], text.p, text.n, size);
	const struct outcome pieces = import(data[1], text.p, text.n, 1 + data[0] % 31);

	fuzz_must(whole.blocks >= LIMIT ||
	          (whole.hash == pieces.hash && whole.blocks == pieces.blocks));
	hs_log_detect(&text, &found);
	fuzz_must(!found.format == !found.lines);
	return 0;
}

/* A log of each format, by its name. */
static const struct {
	const char *format, *log;
} seeds[] = {
	{ "spike", "core   0: 0x0000000080000000 (0x4509) c.li    a0, 2\n"
	           "core   0: 3 0x0000000080000000 (0x4509) x10 0x0000000000000002\n"
	           "core   0: exception interrupt #7, epc 0x0000000080000002\n"
	           "core   1: 0x0000000080000000 (0x9002) c.ebreak\n"
	           "core   1: exception trap_breakpoint, epc 0x0000000080000000\n"
	           "core   1:           tval 0x0000000080000000\n"
	           "core   0: 3 0x0000000080000000 (0x30200073)\n" },
	{ "spike", "\xef\xbb\xbf" "core   0: 0x0000000080000000 (0x0000a001) c.j     pc + 0\r\n"
	           "> core   0: exception interrupt #7, epc 0x0000000080000000\r\n"
	           "core   0: Executed 12 times\r\ncore   0: Executed 1f times\r\n"
	           "core   0: 3 0x0000000080000002 (0x02056407) e32 m1 l4 v8 0x0\n"
	           "core   0: exception trap_load_access_fault, epc 0x0000000080000002\n"
	           "core   0: what\n" },
	{ "sail", "[0] [M]: 0x0000000080000000 (0x4509) c.li a0, 2\n"
	          "handling int#0x07 at priv M with tval 0x0000000000000000\n"
	          "[1] [U]: 0x0000000080000200 (0x00000073) ecall\n"
	          "handling exc#0x0B at priv M with tval 0x0000000000000000\n"
	          "handling int#counter-overflow interrupt at priv M | tval=0x00000000 | \n"
	          "Handling non-maskable interrupt\n[2] [HS]: 0x80000000 (0x4509) c.li\n" },
	{ "cva6", "core   0: 0x0000000080000000 (0x00004509) DASM(00004509)\n"
	          "3 0x0000000080000000 (0x4509) x10 0x0000000000000002\n"
	          "LD_ACCESS_FAULT exception @ 0x0000000080000002\n"
	          "    2085ns       35 M 0000000080000000 0 00004509 c.li           a0, 2     \n"
	          "Exception @      2090, PC: 0000000080000002, Cause: Load Page Fault, \n"
	          "\t\t\t\ttval: 0000000000000010\n"
	          "core   INTERRUPT 0: 0x0000000080000100 (0x30200073) DASM(30200073)\n"
	          "ENV_CALL_MMODE exception @ 0x0000000080000104 (0x00000073)\n" },
	{ "qemu", "IN: \nPriv: 3; Virt: 0\n0x0000000080000000:  4509              c.li   a0,2\n"
	          "0x0000000080000002:  fd7d              bnez   a0,-2\n"
	          "Trace 0: 0x7f00 [0000000000000000/0000000080000000/00209003/ff000200] \n"
	          "Trace 0: 0x7f00 [0000000000000000/0000000080000000/00209003/ff000200] \n"
	          "Stopped execution of TB chain before 0x7f00 [0000000080000000] \n"
	          "riscv_cpu_do_interrupt: hart:0, async:1, cause:0000000000000007, "
	          "epc:0x0000000080000000, tval:0x0000000000000000, desc=m_timer\n"
	          "Trace 1: 0x7f00 [0000000000000000/0000000000001000/00209003/ff000200] \n"
	          "cpu_io_recompile: rewound execution of TB to 0000000000001002\n" },
	{ "gem5", "  0: system.cpu0: A0 T0 : 0x1000 @_start    : c_li a0, 2    : IntAlu :  D=0x2\n"
	          "  1000: system.cpu0: A0 T0 : 0x1002 @_start+2. 0 : c_addi a0, -1 : IntAlu :\n"
	          "  2000: system.cpu0: T0 : 0x1002 @_start+2 : c_addi : IntAlu : FAULTING\n" },
	{ "ibex", "Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents\n"
	          "  130\t        61\t00100080\t4509\tc.li\tx10,2\t x10=0x00000002\n"
	          "  134\t        63\t00100000\t30200073\tmret\t\n"
	          "  136\t        64\t00100004\t    4509\t-->c.li\tx10,2\t\n"
	          "  138\t        65\t00100000\t30200073\t==>mret\t\n" },
	{ "qemu", "IN: a\n0x0000000080000000:  4509              c.li   a0,2\n\n"
	          "IN: b\n0x0000000090000000:  4509              c.li   a0,2\n\nOUT:\n"
	          "Trace 1: 0x7f00 [0000000000000000/0000000090000000/00209003/ff000200] \n"
	          "Trace 0: 0x7f00 [0000000000000000/0000000080000000/00209003/ff000200] \n" },
	{ "neorv32", "0 13 0x00000000 0x00200513 M c.addi x10, x0, 2\n"
	             "3 25 0x00000100 0x30200073 U mret  <TRAP_ENTRY>\n" },
	{ "rvvi", "VERSION 0 3\nPARAMS 2 XLEN 32 NHART 2\n"
	          "RET  0x1000 '_start' 0x00000317 'auipc t1,0x0' X 6 't1' 0x00001000 MODE 3\n"
	          "TRAP 0x1004 0x9002 C 0x342 'mcause' 3 HART 1 \\\nRET 80 4509 X 1 3E8\n" },
	{ "rvvi", "VERSION 0 5\nVENDOR \"sail_riscv\" 0 1\nPARAMS 2 ILEN 32 XLEN 64\n"
	          "HART 0 RET 0x80000100 0x0000B503 X 10 0x2 MEM D 4 0x8 0x8 1 PT K MODE 0x1 VIRT 0x1\n"
	          "HART 0 TRAP 0x80000104 0x00000000 C 0x142 0x8000000000000007 MODE 0x1 VIRT 0x0\n" },
	{ "rvfi", "order,insn,trap,halt,intr,mode,ixl,pc_rdata,pc_wdata,note\n"
	          "0,00004509,0,0,0,3,2,80000000,80000002,\"x, y\"\n"
	          "4,0000fd7d,0,0,1,3,2,80000200,80000202,\n" },
	{ "rvfi", "rvfi_valid=1 rvfi_insn=0x00004509 rvfi_pc_rdata=0x80000000 rvfi_mode=3\n" },
	{ "rocket", "C0:  1056 [1] pc=[0080000000] W[r10=02][1] R[r 0=0] inst=[00004509] DASM(00004509)\n"
	            "C0:  1057 [0] pc=[0080000000] W\nC1:  1058 [1] pc=[ffe0000000] W inst=[73]\n" },
	{ "boom", "C  12: 3 0x0000000080000000 (0x4509) DASM(4509) x10 0x2\n"
	          "3 0x0000000080000002 (0x4509) x10 0x2\n" },
	{ "dromajo", "0 3 0x0000000080000002 (0x00052583) exception 5, tval 0000000000000002\n"
	             "0 0 0x0000000080000006 (0x0000157d)\n0 3 0x0000000080000200 (0x30200073)\n" },
	{ "whisper", "#2 0  M 0000000080000002 00052583 c 0000000000000341 0000000080000002 lw  +\n"
	             "#2 0  M 0000000080000002 00052583 c 0000000000000342 0000000000000005 lw\n"
	             "#3 0 VS 0000000080000100 30200073 r 0 0 mret (interrupted)\n" },
	{ "whisper-csv", "pc, inst, modified regs, source operands, memory, inst info, privilege, trap, x, hartid\n"
	                 "80000002:40000002,52583,c833=80000002;c835=2,x10;i0,2,l,vs,5,lw x11,0\n"
	                 "80000100,30200073,,,,,m,,mret,1\n" },
	{ "ovpsim", "Info 1: 'platform/cpu3', 0x0000000080000000(_start): Machine 4509 li a0,2\n"
	            "Info 2: 'platform/cpu3', 0x0000000080000002: 157d addi a0,a0,-1\n" },
	{ "renode", "0x80000000: 0x0945\nMemoryRead with address 0x2, value 0x0\n0x80000002: 0x7D15\n" },
	{ "tracerv", "# Clock Domain\nCycle: 0000000000000005 I0: 0000000000001000\n"
	             "Cycle: 0000000000000005 I1: 0000000000001002\n" },
	{ "riscv-dv", "pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\n"
	              "80000000,c.li,a0:00000002,,4509,3,\"c.li    a0, 2\",\"a0,2\",\n" },
};

#define BYTES(text) text, sizeof(text) - 1

/* The same in records. */
static const struct {
	const char *format, *log;
	size_t n;
} records[] = {
	{ "renode", BYTES("ReTrace\x04\x04\x01\0\x07" "riscv32" "\0\0\0\x80\x02\x09\x45\0"
	                  "\x02\0\0\x80\x02\x7d\x15\x02" "1234567812345678" "\0") },
	{ "renode", BYTES("ReTrace\x05\x04\x01\x01\x07" "riscv32" "\0\0\0\x80\x02\x09\x45\x03"
	                  "\x01\x02\0" "1234567812345678" "\0" "\x02\0\0\x80\x02\x7d\x15\0") },
	{ "tracerv", BYTES("# Clock Domain\n\x05\0\0\0\0\0\0\0\0\x10\0\0\0\x01\0\0"
	                   "\x06\0\0\0\0\0\0\0\x02\x10\0\0\0\x01\0\0") },
};

static size_t make_seed(uint8_t *data, size_t size, const char *format, const char *log, size_t n)
{
	unsigned number = 0;

	if (size < 2 + n)
		return 0;
	while (strcmp(hs_log_get_format(number)->name, format) != 0)
		number++;
	data[1] = (uint8_t)(4 * number);
	memcpy(data + 2, log, n);
	return 2 + n;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	const unsigned texts = sizeof(seeds) / sizeof(*seeds);

	if (size)
		data[0] = (uint8_t)(7 * i);
	if (i < texts)
		return make_seed(data, size, seeds[i].format, seeds[i].log, strlen(seeds[i].log));
	i -= texts;
	if (i < sizeof(records) / sizeof(*records))
		return make_seed(data, size, records[i].format, records[i].log, records[i].n);
	return 0;
}
