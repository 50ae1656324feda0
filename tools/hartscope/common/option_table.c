/* The options of all commands, in the order of --help. */
#include <string.h>

#include "common/option_table.h"

/* clang-format off */
static const struct option_row table[] = {
	{ "--output", 'o', "DIR", "where to put the recording (PROG.rec)", OPT_RECORD, ID_OUTPUT },
	{ "--exact-faults", 0, NULL,
	  "know the instruction of every fault from the start (slower; without it, from when the "
	  "program can survive a fault)", OPT_RECORD, ID_OWN },
	{ "--data", 0, "[=WHAT]",
	  "data accesses, too: values (default) or addresses (ten times slower; CSRs only of a "
	  "machine)", OPT_RECORD, ID_OWN },
	{ "--context", 0, "WHAT",
	  "of a machine, what its contexts are: satp (default: PPN, and the VMID of hgatp), asid, "
	  "mcontext, scontext, none", OPT_RECORD, ID_OWN },
	{ "--from", 0, "MARK",
	  "begin with the instruction at MARK: 0xADDRESS, SYMBOL of PROG (of a machine: of its "
	  "-kernel or -bios), insn:BITS (such as a hint) or ecall:A7; MARK#N when it is reached "
	  "the Nth time", OPT_RECORD, ID_OWN },
	{ "--to", 0, "MARK", "end before the instruction at MARK; the program continues",
	  OPT_RECORD, ID_OWN },
	{ "--keep-last", 0, "SIZE",
	  "keep the last SIZE bytes (such as 64M; all harts together, as compressed) in memory, "
	  "and write them when the program ends, crashes or reaches --to", OPT_RECORD, ID_OWN },
	{ "--encode", 0, "PROTOCOL",
	  "no recording: a trace, ntrace or etrace, which is encoded while the program runs; -o "
	  "is its name (PROG.nt, PROG.et)", OPT_RECORD, ID_OWN },
	{ "--set", 0, "NAME=VALUE", "a parameter of its encoder (hartscope help parameters)",
	  OPT_RECORD, ID_OWN },
	{ "--recording", 0, "DIR", "of --encode: a recording, too", OPT_RECORD, ID_OWN },
	{ "--harts", 0, "N",
	  "how many harts the trace has room for (1; of a machine its -smp)", OPT_RECORD, ID_OWN },
	{ "--sysroot", 0, "DIR",
	  "libraries of a dynamically linked program (/usr/riscv64-linux-gnu)",
	  OPT_RECORD, ID_OWN },
	{ "--qemu", 0, "PATH",
	  "emulator (qemu-riscv64 or qemu-riscv32 of PATH if it loads plugins, or one that "
	  "scripts/qemu-user.sh built)", OPT_RECORD, ID_OWN },
	{ "--plugin", 0, "PATH", "recorder plugin ($HARTSCOPE_PLUGIN, or near hartscope)",
	  OPT_RECORD, ID_OWN },
	{ "--check", 0, NULL, "record nothing: print which emulators and plugins would be used",
	  OPT_RECORD, ID_OWN },
	{ "--json", 0, NULL, "of --check: print JSON", OPT_RECORD, ID_OWN },
	{ "--corner", 0, "NAME", "only this corner; may be given several times", OPT_GENERATE,
	  ID_OWN },
	{ "--seed", 0, "N", "another program for the same corner (1)", OPT_GENERATE, ID_OWN },
	{ "--protocol", 0, "NAME", "only corners of ntrace or of etrace", OPT_GENERATE,
	  ID_PROTOCOL },
	{ "--output", 'o', "PATH", "write to PATH ('-': standard output, for bytes)", OPT_OUTPUT,
	  ID_OUTPUT },
	{ "--protocol", 0, "NAME",
	  "protocol of the trace: ntrace or etrace", OPT_PROTOCOL, ID_PROTOCOL },
	{ "--set", 0, "NAME=VALUE",
	  "set a parameter of the protocol, such as trTeInstMode=btm", OPT_PROTOCOL, ID_SET },
	{ "--dialect", 0, "NAME",
	  "the dialect of the protocol, such as 1.0 or reference", OPT_PROTOCOL, ID_DIALECT },
	{ "--filter", 0, "TERMS",
	  "trace only this, such as iaddr=0x100-0x1ff, latch=0x100-0x200, priv=U, context=7, "
	  "ecause=2,5 or interrupt; data accesses: data, daddr=0x100-0x1ff, dtype=store, "
	  "dsize=4; '+' joins terms, each --filter is an alternative; "
	  "@FILE has lines of NAME = VALUE, such as filter.0.privilege = U",
	  OPT_FILTER, ID_FILTER },
	{ "--config", 0, "FILE",
	  "take parameters from a JSON file (instead of TRACE.json), or from files of "
	  "NAME = VALUE lines, of which there may be several",
	  OPT_PROTOCOL, ID_CONFIG },
	{ "--registers", 0, "FILE",
	  "take parameters from a dump of trace control registers",
	  OPT_PROTOCOL | OPT_REGISTERS, ID_REGISTERS },
	{ "--sink", 0, "SINK",
	  "where the trace goes: sram, smem:START-LIMIT, pins4, atb:ID or none",
	  OPT_SINK, ID_SINK },
	{ "--system", 0, "FILE",
	  "a trace system: components, connections and registers (docs/trace-systems.md)",
	  OPT_SYSTEM, ID_SYSTEM },
	{ "--perf-data", 0, "WORDS",
	  "write a perf.data with a buffer for each hart: cpu or thread, and with commas "
	  "plain (only the PMU's type in AUXTRACE_INFO), type=N (its number, 7), "
	  "noinfo (without it: for perf that does not know the number), "
	  "piece=BYTES (of an AUXTRACE record), snapshot=BYTES and "
	  "every=BYTES (between snapshots)", OPT_PERF, ID_PERF },
	{ "--transport", 0, "NAME",
	  "how the bytes are transported: raw, pins1 to pins16 (a byte for each sample), "
	  "pins1-packed to pins4-packed, vcd, tpiu, tpiu-frames, uart and "
	  "manchester (also with -packed or -vcd; docs/captures.md)",
	  OPT_TRANSPORT, ID_TRANSPORT },
	{ "--bit", 0, "SAMPLES", "uart, manchester: samples of a bit (decode: found; encode: 8)",
	  OPT_TRANSPORT, ID_BIT },
	{ "--source", 0, "WHICH[=WORDS]",
	  "a source by its ID in frames, or the capture of another hart; WORDS: a protocol, a file "
	  "of parameters, NAME=VALUE, registers=FILE, hart=N.  encode: ID=TRACE",
	  OPT_TRANSPORT, ID_SOURCE },
	{ "--idle", 0, "N",
	  "pins: send N idle samples after each message (one byte)", OPT_IDLE, ID_IDLE },
	{ "--queue", 0, "BYTES",
	  "of each hart a queue of so many bytes between encoder and port: where messages do "
	  "not fit, they are lost (needs --drain)", OPT_QUEUE, ID_QUEUE },
	{ "--drain", 0, "BITS",
	  "bits that leave the queue in a cycle, such as 4 or 0.5; a cycle is a unit of the "
	  "recording's times, or without times that of --cycles-per",
	  OPT_QUEUE | OPT_RATE, ID_DRAIN },
	{ "--stall", 0, NULL,
	  "a full queue stalls the hart: nothing is lost", OPT_QUEUE, ID_STALL },
	{ "--options-at", 0, "CYCLE:NAME=VALUE",
	  "etrace: an option that changes while the encoder traces, such as "
	  "5000:full-address=true; may be given several times",
	  OPT_QUEUE, ID_OPTIONS_AT },
	{ "--rate", 0, NULL,
	  "bytes over time, and the smallest queue that loses nothing, by pins of a port",
	  OPT_RATE, ID_RATE },
	{ "--coverage", 0, NULL,
	  "which messages, forms, limits of fields, reasons, causes and corner cases the traces have",
	  OPT_POINTS, ID_POINTS },
	{ "--format", 0, "NAME",
	  "with --coverage: ucis, XML for coverage tools (UCIS 1.0)", OPT_POINTS, ID_FORMAT },
	{ "--auto", 0, NULL, "find protocol, transport and parameters, as identify does", OPT_AUTO,
	  ID_AUTO },
	{ "--vcd-clock", 0, "NAME", "vcd: the clock signal (trc_clk; import: clk, clk_i or clock)",
	  OPT_CAPTURE | OPT_SIGNALS | OPT_IMPORT, ID_VCD_CLOCK },
	{ "--vcd-data", 0, "NAMES",
	  "vcd: the data signal, or its bits from 0, with commas (trc_data)",
	  OPT_CAPTURE | OPT_SIGNALS, ID_VCD_DATA },
	{ "--wrap", 0, "OFFSET",
	  "a circular buffer: OFFSET of its oldest byte (write pointer), find, or no "
	  "(by default as the RAM sink's registers of --registers say)",
	  OPT_CAPTURE, ID_WRAP },
	{ "--elf", 0, "FILE[+OFFSET]",
	  "the program, moved by OFFSET bytes; again with another OFFSET for a second mapping",
	  OPT_CODE, ID_ELF },
	{ "--sysroot", 0, "DIR",
	  "perf.data: the folder with the files that it says were mapped (/)", OPT_CODE,
	  ID_SYSROOT },
	{ "--bin", 0, "FILE@ADDRESS", "a raw binary at ADDRESS", OPT_CODE, ID_BIN },
	{ "--then", 0, NULL,
	  "the files of code after it are of a later moment: the same addresses after boot, say. "
	  "A decoder takes what fits; may be given several times",
	  OPT_CODE, ID_THEN },
	{ "--custom", 0, "MASK/MATCH",
	  "a custom instruction that may change the PC: (its first 32 bits & MASK) == MATCH",
	  OPT_CODE, ID_CUSTOM },
	{ "--image", 0, "REC", "the code snapshot of a recording", OPT_CODE, ID_IMAGE },
	{ "--kcore", 0, "FILE", "a kernel's memory: an ELF core such as /proc/kcore or a vmcore",
	  OPT_CODE, ID_KCORE },
	{ "--process", 0, "CONTEXT:FILE",
	  "the program that runs while scontext is CONTEXT: an ELF file, also FILE+OFFSET, "
	  "or a recording; several files of one context are one program", OPT_PROCESS, ID_PROCESS },
	{ "--kallsyms", 0, "FILE",
	  "names of the guest's kernel: its /proc/kallsyms, read as root", OPT_GUEST, ID_SYMBOLS },
	{ "--system-map", 0, "FILE", "the same by System.map", OPT_GUEST, ID_SYMBOLS },
	{ "--modules", 0, "FILE",
	  "modules of that kernel: /proc/modules of the guest, or where their sections are: a "
	  "copy of /sys/module, or the lines of grep -r . /sys/module/*/sections",
	  OPT_GUEST, ID_MODULES },
	{ "--process-map", 0, "FILE",
	  "processes of the guest and what they mapped: JSON lines (docs/guests.md), or the text "
	  "of perf script --show-mmap-events --show-task-events, and "
	  "--show-switch-events for threads",
	  OPT_GUEST, ID_PROCESSES },
	{ "--time-conv", 0, "ZERO,MULT,SHIFT",
	  "how times of the trace and of that text belong together: perf's "
	  "nanoseconds are ZERO + (time * MULT >> SHIFT)", OPT_GUEST, ID_TIME_CONV },
	{ "--files", 0, "PATH",
	  "ELF files of the guest, or a directory with some: each names the code that is its own, "
	  "wherever it was mapped; may be given several times",
	  OPT_GUEST, ID_FILES },
	{ "--no-demangle", 0, NULL, "names of C++ and Rust as the files have them", OPT_NAMES,
	  ID_NO_DEMANGLE },
	{ "--debug-dir", 0, "DIR",
	  "debug files are here, as DIR/.build-id/xx/yyyy.debug or by the path of their file "
	  "(/usr/lib/debug); may be given several times",
	  OPT_NAMES, ID_DEBUG_DIR },
	{ "--source-path", 0, "DIR",
	  "where source text is: by its whole path, or the last names of it (several times)",
	  OPT_NAMES, ID_SOURCE_PATH },
	{ "--hart", 0, "N", "only hart N", OPT_HART, ID_HART },
	{ "--format", 0, "NAME",
	  "text, json, or pc: one PC a line, in hexadecimal", OPT_FORMAT, ID_FORMAT },
	{ "--format", 0, "FORMAT", "what to write, see below", OPT_EXPORT, ID_FORMAT },
	{ "--process", 0, "PROCESS",
	  "only what ran in this process: its name, program or number as the guest's files say, "
	  "or its context; may be given several times",
	  OPT_GUEST, ID_PROCESS },
	{ "--only", 0, "PROCESS", "the same as --process PROCESS", OPT_GUEST, ID_ONLY },
	{ "--thread", 0, "THREAD",
	  "only what ran in this thread: its name or number as the guest's files say, else the "
	  "hart's number; may be given several times",
	  OPT_GUEST, ID_THREAD },
	{ "--mode", 0, "MODES", "only what ran in these modes, such as U or S,M (U, S, M, VU, VS)",
	  OPT_GUEST, ID_MODE },
	{ "--from", 0, "POSITION",
	  "begin there: an instruction's number N, counted from 0; time:T in ticks; "
	  "byte:OFFSET of a trace; 0xADDRESS, FUNCTION, insn:BITS, "
	  "ecall:A7, with @N the Nth time that it is executed",
	  OPT_RANGE, ID_FROM },
	{ "--to", 0, "POSITION", "stop before it; without @N the first time after --from",
	  OPT_RANGE, ID_TO },
	{ "--last", 0, "N", "only the last N instructions", OPT_RANGE, ID_LAST },
	{ "--function", 0, "NAME", "only instructions of this function: its name, or its symbol",
	  OPT_FUNCTION, ID_FUNCTION },
	{ "--around", 0, "POSITION", "20 instructions before and after it, or as many as --limit",
	  OPT_LIMIT, ID_AROUND },
	{ "--limit", 0, "N", "stop after N instructions", OPT_LIMIT, ID_LIMIT },
	{ "--at", 0, "OFFSET", "only the message that has this byte", OPT_MESSAGES, ID_MESSAGES },
	{ "--from", 0, "OFFSET", "begin with the first message there or after it", OPT_MESSAGES,
	  ID_MESSAGES },
	{ "--around", 0, "OFFSET",
	  "the message there, with 10 before and after it, or as many as --limit", OPT_MESSAGES,
	  ID_MESSAGES },
	{ "--limit", 0, "N", "stop after N messages", OPT_MESSAGES, ID_MESSAGES },
	{ "--wire", 0, NULL, "also the bytes of each message, and where each field is in them",
	  OPT_MESSAGES, ID_WIRE },
	{ "--resolve", 0, NULL, "also what each message led to: from where to where, with names, and when",
	  OPT_MESSAGES | OPT_PACKETS, ID_RESOLVE },
	{ "--time", 0, NULL,
	  "the time of each block next to its last instruction; of a recording without times "
	  "in cycles, of which each instruction takes one",
	  OPT_TIME, ID_TIME },
	{ "--clock", 0, "HZ", "ticks in a second: --time in seconds", OPT_TIME, ID_CLOCK },
	{ "--clock", 0, "HZ",
	  "the time axis has the times of the flow, of HZ ticks a second; of a recording without "
	  "times those are cycles", OPT_EXPORT, ID_CLOCK },
	{ "--cycles-per", 0, "KIND=N",
	  "cycles of a recording without times: N for instruction (1), load, store, atomic, "
	  "multiply, divide, float, vector, csr, branch, taken, jump, "
	  "indirect, return, trap", OPT_CYCLES, ID_CYCLES },
	{ "--format", 0, "NAME", "text, lcov (for genhtml, lcov) or gcov-json",
	  OPT_COVERAGE, ID_FORMAT },
	{ "--show", 0, "LISTS",
	  "with commas: files, functions, branches, lines (files,functions,branches)",
	  OPT_COVERAGE, ID_SHOW },
	{ "--depth", 0, "N", "only N levels of the tree", OPT_DEPTH, ID_DEPTH },
	{ "--by", 0, "WHAT", "function, inline, line, library, process, thread, hart or mode",
	  OPT_REPORT, ID_REPORT_BY },
	{ "--html", 0, NULL, "write a page for a browser to the file of -o", OPT_REPORT, ID_HTML },
	{ "--salvage", 0, NULL, "copy what can be read to -o NEW", OPT_FSCK, ID_SALVAGE },
	{ "--flat", 0, NULL, "functions in place of paths", OPT_FLAT, ID_FLAT },
	{ "--callers", 0, "FUNCTION", "who called it", OPT_REPORT, ID_CALLERS },
	{ "--callees", 0, "FUNCTION", "what it called", OPT_REPORT, ID_CALLEES },
	{ "--top", 0, "N", "how many rows of a table (10; traps: all)", OPT_TOP, ID_TOP },
	{ "--from", 0, "FORMAT",
	  "the format of the input, see below; without it the first lines show it",
	  OPT_IMPORT, ID_IMPORT },
	{ "--hart", 0, "N", "the log's harts are numbered from N (0)", OPT_IMPORT, ID_HART },
	{ "--signal", 0, "NAME=PATH",
	  "waves: the signal for iaddr_0, rvfi_insn and so on (docs/import.md)",
	  OPT_IMPORT, ID_SIGNAL },
	{ "--skip-unknown", 0, NULL,
	  "a line that begins like the format's, and is in no form of it that is known, is the "
	  "program's own: no error and no gap", OPT_IMPORT, ID_SKIP_UNKNOWN },
	{ "--xlen", 0, "BITS", "32 or 64, where no ELF file says it (64)",
	  OPT_CODE, ID_XLEN },
	{ "--max", 0, "N", "show N findings of a kind (20)", OPT_LINT, ID_MAX },
	{ "--severity", 0, "LEVEL",
	  "only findings that are at least a note, warning or error (note)",
	  OPT_LINT, ID_SEVERITY },
	{ "--ignore", 0, "KIND", "no findings of this kind; may be given several times",
	  OPT_LINT, ID_IGNORE },
	{ "--kinds", 0, NULL, "list the kinds of findings", OPT_LINT, ID_KINDS },
	{ "--compare", 0, NULL,
	  "of a recording: bytes under each protocol, with each option and with all",
	  OPT_COMPARE, ID_COMPARE },
	{ "--by", 0, "WHAT",
	  "also count by process, thread, hart or mode; functions, too, but for modes",
	  OPT_COMPARE | OPT_PMU, ID_BY },
	{ "--traps", 0, NULL,
	  "traps by cause, modes and handler, with the instructions inside of them",
	  OPT_COMPARE, ID_TRAPS },
	{ "--calls", 0, NULL,
	  "how often each function was called, and by which, returned to, entered by a trap",
	  OPT_CALLS, ID_CALLS },
	{ "--gaps", 0, NULL,
	  "accept that one side lacks what its gaps stand for, and print the share that is equal",
	  OPT_GAPS, ID_GAPS },
	{ "--packets", 0, NULL, "two traces message by message", OPT_PACKETS, ID_PACKETS },
	{ "--event", 0, "NAME",
	  "only this event, by its name here or in SBI (INSTRUCTIONS, BRANCH_INSTRUCTIONS); "
	  "may be given several times", OPT_PMU, ID_EVENT },
	{ "--sample", 0, "N",
	  "sample each N of the event (instructions, or the one of --event): where counters "
	  "of the harts would have overflowed", OPT_PMU, ID_SAMPLE },
	{ "--by-hart", 0, NULL, "also count each hart", OPT_PMU, ID_BY_HART },
	{ "--ctr", 0, "NAME=VALUE",
	  "a setting of CTR, such as version=0.1.4, depth=16 or TKBRINH=1", OPT_CTR, ID_CTR },
	{ "--predictor", 0, "NAME",
	  "what counts as mispredicted (misp): off, bimodal or gshare, with targets by address "
	  "and a stack of calls; the same as --ctr predictor=NAME",
	  OPT_CTR, ID_PREDICTOR },
	{ "--at", 0, "POINT",
	  "show the records at insn=N (N instructions retired) or at pc=ADDRESS[,N] (before "
	  "its N-th execution) in place of the end", OPT_CTR, ID_AT },
	{ "--export", 0, "FORMAT",
	  "sample the records and write brstack, perf-data, bolt, profgen, callchain, "
	  "folded or json", OPT_CTR, ID_EXPORT },
	{ "--period", 0, "N", "instructions between samples (10007)", OPT_CTR, ID_PERIOD },
	{ "--context", 0, "N",
	  "brstack, bolt, profgen: of the program of context N, in place of the main program",
	  OPT_CTR, ID_CONTEXT },
	{ "--explain", 0, "DUMP",
	  "explain a dump of CTR's registers and entries: NAME = VALUE lines",
	  OPT_CTR, ID_EXPLAIN },
	{ "--itc", 0, "FILE[@CHANNEL]",
	  "N-Trace, dialect sifive: write what the program wrote to an ITC channel (0)", OPT_ITC,
	  ID_ITC },
	{ "--jobs", 'j', "N",
	  "threads that work, at most 64 (0, and by default: one for each core); the output is "
	  "the same",
	  OPT_HART | OPT_GAPS | OPT_QUEUE | OPT_MESSAGES | OPT_LINT, ID_JOBS },
	{ "--part", 0, "K/N",
	  "only part K of N of the trace, to a file; hartscope merge puts the parts together",
	  OPT_PART, ID_PART },
	{ "--parts", 0, "N", "put the files of --part 1/N to N/N together", OPT_PART, ID_PARTS },
	{ "--work", 0, "DIR", "where these files are (TRACE.parts)", OPT_PART, ID_WORK },
	{ "--listen", 0, "PORT",
	  "wait for a debugger at this port of this machine, or at a socket with this path",
	  OPT_LISTEN, ID_LISTEN },
	{ "--rows", 0, "FILE",
	  "the rows of the ingress port that were traced, as export --format port-csv writes "
	  "them: also in which cycle and slot each block was",
	  OPT_ROWS, ID_ROWS },
	{ "--json", 0, "[=array]",
	  "print JSON: one object, or of many one a line; array: all of them as one array",
	  OPT_JSON, ID_JSON },
	{ "--force", 0, NULL,
	  "replace what exists under the output's name, even if it was made from another input, with "
	  "other parameters or by another command", OPT_FORCE, ID_FORCE },
	{ "--quiet", 'q', NULL, "no progress, no summary", OPT_QUIET, ID_QUIET },
	{ "--color", 0, "WHEN", "colours: auto (on a terminal, without NO_COLOR), always or never",
	  OPT_TERMINAL, ID_COLOUR },
	{ "--no-pager", 0, NULL, "on a terminal, no $PAGER (less) for long output", OPT_TERMINAL,
	  ID_NO_PAGER },
	{ "--allow-paths", 0, NULL, "read all files that recordings and traces name", OPT_READING,
	  ID_ALLOW_PATHS },
	{ "--memory-limit", 0, "SIZE", "end with an error rather than need more memory, such as 2G",
	  0, ID_MEMORY_LIMIT },
	{ "--time-limit", 0, "SECONDS", "end, as by SIGTERM, when this time is over", 0,
	  ID_TIME_LIMIT },
	{ "--no-sandbox", 0, NULL, "without limits on files and system calls", OPT_READING,
	  ID_NO_SANDBOX },
	{ "--help", 'h', NULL, "print this text", 0, ID_HELP },
};

/* What values may be, for completion; a word may end with '=' or ':'.  The rows of an option of one
 * name and other commands have their own. */
static const struct {
	const char *name;
	uint64_t set; /* of the option's row, some of it; 0: each */
	const char *words;
} values[] = {
	{ "--data", OPT_RECORD, "values addresses" },
	{ "--context", OPT_RECORD, "satp asid mcontext scontext none" },
	{ "--encode", OPT_RECORD, "ntrace etrace" },
	{ "--protocol", 0, "ntrace etrace" },
	{ "--transport", 0,
	  "raw pins1 pins2 pins4 pins8 pins16 pins1-packed pins2-packed pins4-packed vcd "
	  "tpiu tpiu-frames uart uart-packed uart-vcd manchester manchester-packed "
	  "manchester-vcd" },
	{ "--sink", 0,
	  "sram smem: pins1 pins2 pins4 pins8 pins16 atb: none" },
	{ "--perf-data", 0, "cpu thread" },
	{ "--wrap", 0, "find no" },
	{ "--format", OPT_FORMAT, "text json pc" },
	{ "--format", OPT_POINTS, "ucis" },
	{ "--format", OPT_COVERAGE, "text lcov gcov-json" },
	{ "--mode", 0, "U S M VU VS" },
	{ "--show", 0, "files functions branches lines" },
	{ "--by", OPT_REPORT,
	  "function line inline library process thread hart mode" },
	{ "--by", OPT_COMPARE, "process thread hart mode" },
	{ "--xlen", 0, "32 64" },
	{ "--severity", 0, "note warning error" },
	{ "--event", 0,
	  "instructions branches branches_taken branches_not_taken calls returns exceptions "
	  "interrupts" },
	{ "--ctr", 0,
	  "version= depth= cycles= cce= predictor= mode= contexts=" },
	{ "--predictor", 0, "off bimodal gshare" },
	{ "--at", OPT_CTR, "insn= pc=" },
	{ "--export", 0,
	  "brstack perf-data bolt profgen callchain folded json" },
	{ "--json", 0, "array" },
	{ "--color", 0, "auto always never" },
};
/* clang-format on */

const char *option_words(const struct option_row *row)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (strcmp(values[i].name, row->name) == 0 &&
		    (!values[i].set || (values[i].set & row->set)))
			return values[i].words;
	return NULL;
}

const struct option_row *option_next(const struct usage *u, const struct option_row *row)
{
	for (row = row ? row + 1 : table; row < table + sizeof(table) / sizeof(*table); row++)
		if (!row->set || (u->set & row->set))
			return row;
	return NULL;
}
