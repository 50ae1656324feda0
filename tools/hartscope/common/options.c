/* The options of all commands but record, as one table: parsing and --help use its rows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/tool.h"

#define THREADS_MAX 64

/* clang-format off */
enum option_id {
	ID_OUTPUT, ID_JSON, ID_PROTOCOL, ID_DIALECT, ID_FILTER, ID_CUSTOM, ID_SET, ID_CONFIG,
	ID_REGISTERS, ID_ELF, ID_BIN, ID_IMAGE, ID_THEN, ID_PROCESS, ID_HART, ID_FROM, ID_LIMIT,
	ID_FUNCTION, ID_FORMAT, ID_TOP, ID_XLEN, ID_IMPORT, ID_SIGNAL, ID_TRANSPORT, ID_VCD_CLOCK,
	ID_VCD_DATA, ID_WRAP, ID_IDLE, ID_MAX, ID_KINDS, ID_COMPARE, ID_CALLS, ID_CTR, ID_AT,
	ID_BY, ID_TRAPS, ID_ONLY, ID_MODE, ID_GAPS, ID_KCORE, ID_SOURCE, ID_BIT, ID_QUEUE,
	ID_DRAIN, ID_STALL, ID_OPTIONS_AT, ID_RATE, ID_EXPORT, ID_PERIOD, ID_EXPLAIN, ID_SEVERITY,
	ID_IGNORE, ID_QUIET, ID_LISTEN, ID_SINK, ID_ITC, ID_CYCLES, ID_TIME, ID_CLOCK, ID_PREDICTOR,
	ID_EVENT, ID_SAMPLE, ID_BY_HART, ID_SYSTEM, ID_CONTEXT, ID_SYMBOLS, ID_MODULES, ID_FILES,
	ID_PROCESSES, ID_PERF, ID_SYSROOT, ID_TIME_CONV, ID_AUTO, ID_JOBS, ID_TO, ID_LAST, ID_PART,
	ID_AROUND, ID_PARTS, ID_WORK, ID_NO_DEMANGLE, ID_DEBUG_DIR, ID_DEPTH, ID_CALLERS,
	ID_CALLEES, ID_REPORT_BY, ID_THREAD, ID_HTML, ID_FLAT, ID_SHOW, ID_MESSAGES,
	ID_WIRE, ID_PACKETS, ID_HELP
};

static const struct option {
	const char *name;
	char letter;
	const char *value; /* NULL: a flag */
	const char *help;
	uint64_t set; /* OPT_x; 0: every command */
	enum option_id id;
} table[] = {
	{ "--output", 'o', "PATH", "write to PATH ('-': standard output, for bytes)", OPT_OUTPUT,
	  ID_OUTPUT },
	{ "--protocol", 0, "NAME",
	  "protocol of the trace: ntrace or etrace", OPT_PROTOCOL, ID_PROTOCOL },
	{ "--set", 0, "NAME=VALUE",
	  "set a parameter of the protocol, such as trTeInstMode=btm", OPT_PROTOCOL, ID_SET },
	{ "--dialect", 0, "NAME",
	  "the dialect of the protocol, such as 1.0 or reference", OPT_PROTOCOL, ID_DIALECT },
	{ "--filter", 0, "TERMS",
	  "trace only this, such as iaddr=0x100-0x1ff, latch=0x100-0x200, priv=U, context=7,\n"
	  "                              ecause=2,5 or interrupt; data accesses: data, daddr=0x100-0x1ff, dtype=store,\n"
	  "                              dsize=4; '+' joins terms, each --filter is an alternative;\n"
	  "                              @FILE has lines of NAME = VALUE, such as filter.0.privilege = U",
	  OPT_FILTER, ID_FILTER },
	{ "--config", 0, "FILE",
	  "take parameters from a JSON file (instead of TRACE.json), or from files of\n"
	  "                              NAME = VALUE lines, of which there may be several",
	  OPT_PROTOCOL, ID_CONFIG },
	{ "--registers", 0, "FILE",
	  "take parameters from a dump of trace control registers",
	  OPT_PROTOCOL | OPT_REGISTERS, ID_REGISTERS },
	{ "--sink", 0, "SINK", "where the trace goes: sram, smem:START-LIMIT, pins4, atb:ID or none",
	  OPT_SINK, ID_SINK },
	{ "--system", 0, "FILE",
	  "a trace system: components, connections and registers (docs/trace-systems.md)",
	  OPT_SYSTEM, ID_SYSTEM },
	{ "--perf-data", 0, "WORDS",
	  "write a perf.data with a buffer for each hart: cpu or thread, and with commas\n"
	  "                              plain (only the PMU's type in AUXTRACE_INFO), type=N (its number, 7),\n"
	  "                              noinfo (without it: for perf that does not know the number),\n"
	  "                              piece=BYTES (of an AUXTRACE record), snapshot=BYTES and\n"
	  "                              every=BYTES (between snapshots)", OPT_PERF, ID_PERF },
	{ "--transport", 0, "NAME",
	  "how the bytes are transported: raw, pins1 to pins16 (a byte for each sample),\n"
	  "                              pins1-packed to pins4-packed, vcd, tpiu, tpiu-frames, uart and\n"
	  "                              manchester (also with -packed or -vcd; docs/captures.md)",
	  OPT_TRANSPORT, ID_TRANSPORT },
	{ "--bit", 0, "SAMPLES", "uart, manchester: samples of a bit (decode: found; encode: 8)",
	  OPT_TRANSPORT, ID_BIT },
	{ "--source", 0, "WHICH[=WORDS]",
	  "a source by its ID in frames, or the capture of another hart; WORDS: a protocol, a file of\n"
	  "                              parameters, NAME=VALUE, registers=FILE, hart=N.  encode: ID=TRACE",
	  OPT_TRANSPORT, ID_SOURCE },
	{ "--idle", 0, "N",
	  "pins: send N idle samples after each message (one byte)", OPT_IDLE, ID_IDLE },
	{ "--queue", 0, "BYTES",
	  "of each hart a queue of so many bytes between encoder and port: where messages do\n"
	  "                              not fit, they are lost (needs --drain)", OPT_QUEUE, ID_QUEUE },
	{ "--drain", 0, "BITS",
	  "bits that leave the queue in a cycle, such as 4 or 0.5; a cycle is a unit of the\n"
	  "                              recording's times, or without times that of --cycles-per",
	  OPT_QUEUE | OPT_RATE, ID_DRAIN },
	{ "--stall", 0, NULL, "a full queue stalls the hart: nothing is lost", OPT_QUEUE, ID_STALL },
	{ "--options-at", 0, "CYCLE:NAME=VALUE",
	  "etrace: an option that changes while the encoder traces, such as\n"
	  "                              5000:full-address=true; may be given several times",
	  OPT_QUEUE, ID_OPTIONS_AT },
	{ "--rate", 0, NULL,
	  "bytes over time, and the smallest queue that loses nothing, by pins of a port",
	  OPT_RATE, ID_RATE },
	{ "--auto", 0, NULL, "find protocol, transport and parameters, as identify does", OPT_AUTO,
	  ID_AUTO },
	{ "--vcd-clock", 0, "NAME", "vcd: the clock signal (trc_clk; import: clk, clk_i or clock)",
	  OPT_CAPTURE | OPT_SIGNALS | OPT_IMPORT, ID_VCD_CLOCK },
	{ "--vcd-data", 0, "NAMES",
	  "vcd: the data signal, or its bits from 0, with commas (trc_data)",
	  OPT_CAPTURE | OPT_SIGNALS, ID_VCD_DATA },
	{ "--wrap", 0, "OFFSET",
	  "a circular buffer: OFFSET of its oldest byte (write pointer), find, or no\n"
	  "                              (by default as the RAM sink's registers of --registers say)",
	  OPT_CAPTURE, ID_WRAP },
	{ "--elf", 0, "FILE[+OFFSET]",
	  "the program, moved by OFFSET bytes; again with another OFFSET for a second mapping",
	  OPT_CODE, ID_ELF },
	{ "--sysroot", 0, "DIR",
	  "perf.data: the folder with the files that it says were mapped (/)", OPT_CODE,
	  ID_SYSROOT },
	{ "--bin", 0, "FILE@ADDRESS", "a raw binary at ADDRESS", OPT_CODE, ID_BIN },
	{ "--then", 0, NULL,
	  "the files of code after it are of a later moment: the same addresses after boot, say.\n"
	  "                              A decoder takes what fits; may be given several times",
	  OPT_CODE, ID_THEN },
	{ "--custom", 0, "MASK/MATCH",
	  "a custom instruction that may change the PC: (its first 32 bits & MASK) == MATCH",
	  OPT_CODE, ID_CUSTOM },
	{ "--image", 0, "REC", "the code snapshot of a recording", OPT_CODE, ID_IMAGE },
	{ "--kcore", 0, "FILE", "a kernel's memory: an ELF core such as /proc/kcore or a vmcore",
	  OPT_CODE, ID_KCORE },
	{ "--process", 0, "CONTEXT:FILE",
	  "the program that runs while scontext is CONTEXT: an ELF file, also FILE+OFFSET,\n"
	  "                              or a recording; several files of one context are one program", OPT_PROCESS, ID_PROCESS },
	{ "--kallsyms", 0, "FILE",
	  "names of the guest's kernel: its /proc/kallsyms, read as root", OPT_GUEST, ID_SYMBOLS },
	{ "--system-map", 0, "FILE", "the same by System.map", OPT_GUEST, ID_SYMBOLS },
	{ "--modules", 0, "FILE",
	  "modules of that kernel: /proc/modules of the guest, or where their sections are: a\n"
	  "                              copy of /sys/module, or the lines of grep -r . /sys/module/*/sections",
	  OPT_GUEST, ID_MODULES },
	{ "--process-map", 0, "FILE",
	  "processes of the guest and what they mapped: JSON lines (docs/guests.md), or the text of\n"
	  "                              perf script --show-mmap-events --show-task-events, and\n"
	  "                              --show-switch-events for threads",
	  OPT_GUEST, ID_PROCESSES },
	{ "--time-conv", 0, "ZERO,MULT,SHIFT",
	  "how times of the trace and of that text belong together: perf's\n"
	  "                              nanoseconds are ZERO + (time * MULT >> SHIFT)", OPT_GUEST, ID_TIME_CONV },
	{ "--files", 0, "PATH",
	  "ELF files of the guest, or a directory with some: each names the code that is its own,\n"
	  "                              wherever it was mapped; may be given several times",
	  OPT_GUEST, ID_FILES },
	{ "--no-demangle", 0, NULL, "names of C++ and Rust as the files have them", OPT_NAMES,
	  ID_NO_DEMANGLE },
	{ "--debug-dir", 0, "DIR",
	  "debug files are here, as DIR/.build-id/xx/yyyy.debug or by the path of their file\n"
	  "                              (/usr/lib/debug); may be given several times",
	  OPT_NAMES, ID_DEBUG_DIR },
	{ "--hart", 0, "N", "only hart N", OPT_HART, ID_HART },
	{ "--format", 0, "NAME",
	  "text, json, or pc: one PC a line, in hexadecimal", OPT_FORMAT, ID_FORMAT },
	{ "--format", 0, "FORMAT", "what to write, see below", OPT_EXPORT, ID_FORMAT },
	{ "--process", 0, "PROCESS",
	  "only what ran in this process: its name, program or number as the guest's files say,\n"
	  "                              or its context; may be given several times",
	  OPT_GUEST, ID_PROCESS },
	{ "--only", 0, "PROCESS", "the same as --process PROCESS", OPT_GUEST, ID_ONLY },
	{ "--thread", 0, "THREAD",
	  "only what ran in this thread: its name or number as the guest's files say, else the\n"
	  "                              hart's number; may be given several times",
	  OPT_GUEST, ID_THREAD },
	{ "--mode", 0, "MODES", "only what ran in these modes, such as U or S,M (U, S, M, VU, VS)",
	  OPT_GUEST, ID_MODE },
	{ "--from", 0, "POSITION",
	  "begin there: an instruction's number N, counted from 0; time:T in ticks;\n"
	  "                              byte:OFFSET of a trace; 0xADDRESS, FUNCTION, insn:BITS,\n"
	  "                              ecall:A7, with @N the Nth time that it is executed",
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
	{ "--time", 0, NULL,
	  "the time of each block next to its last instruction; of a recording without times\n"
	  "                              in cycles, of which each instruction takes one",
	  OPT_TIME, ID_TIME },
	{ "--clock", 0, "HZ", "ticks in a second: --time in seconds", OPT_TIME, ID_CLOCK },
	{ "--clock", 0, "HZ",
	  "the time axis has the times of the flow, of HZ ticks a second; of a recording without\n"
	  "                              times those are cycles", OPT_EXPORT, ID_CLOCK },
	{ "--cycles-per", 0, "KIND=N",
	  "cycles of a recording without times: N for instruction (1), load, store, atomic,\n"
	  "                              multiply, divide, float, vector, csr, branch, taken, jump,\n"
	  "                              indirect, return, trap", OPT_CYCLES, ID_CYCLES },
	{ "--format", 0, "NAME", "text, lcov (for genhtml, lcov) or gcov-json", OPT_COVERAGE, ID_FORMAT },
	{ "--show", 0, "LISTS",
	  "with commas: files, functions, branches, lines (files,functions,branches)",
	  OPT_COVERAGE, ID_SHOW },
	{ "--depth", 0, "N", "only N levels of the tree", OPT_DEPTH, ID_DEPTH },
	{ "--by", 0, "WHAT", "function, line, library, process, thread, hart or mode", OPT_REPORT,
	  ID_REPORT_BY },
	{ "--html", 0, NULL, "write a page for a browser to the file of -o", OPT_REPORT, ID_HTML },
	{ "--flat", 0, NULL, "functions in place of paths", OPT_FLAT, ID_FLAT },
	{ "--callers", 0, "FUNCTION", "who called it", OPT_REPORT, ID_CALLERS },
	{ "--callees", 0, "FUNCTION", "what it called", OPT_REPORT, ID_CALLEES },
	{ "--top", 0, "N", "how many rows of a table (10; traps: all)", OPT_TOP, ID_TOP },
	{ "--from", 0, "FORMAT",
	  "the format of the input, see below; without it the first lines show it",
	  OPT_IMPORT, ID_IMPORT },
	{ "--hart", 0, "N", "the log's harts are numbered from N (0)", OPT_IMPORT, ID_HART },
	{ "--signal", 0, "NAME=PATH", "waves: the signal for iaddr_0, rvfi_insn and so on (docs/import.md)",
	  OPT_IMPORT, ID_SIGNAL },
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
	{ "--by", 0, "WHAT", "also count by process, thread, hart or mode; functions, too, but for modes",
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
	  "only this event, by its name here or in SBI (INSTRUCTIONS, BRANCH_INSTRUCTIONS);\n"
	  "                              may be given several times", OPT_PMU, ID_EVENT },
	{ "--sample", 0, "N",
	  "sample each N of the event (instructions, or the one of --event): where counters\n"
	  "                              of the harts would have overflowed", OPT_PMU, ID_SAMPLE },
	{ "--by-hart", 0, NULL, "also count each hart", OPT_PMU, ID_BY_HART },
	{ "--ctr", 0, "NAME=VALUE",
	  "a setting of CTR, such as version=0.1.4, depth=16 or TKBRINH=1", OPT_CTR, ID_CTR },
	{ "--predictor", 0, "NAME",
	  "what counts as mispredicted (misp): off, bimodal or gshare, with targets by address\n"
	  "                              and a stack of calls; the same as --ctr predictor=NAME",
	  OPT_CTR, ID_PREDICTOR },
	{ "--at", 0, "POINT",
	  "show the records at insn=N (N instructions retired) or at pc=ADDRESS[,N] (before\n"
	  "                              its N-th execution) in place of the end", OPT_CTR, ID_AT },
	{ "--export", 0, "FORMAT",
	  "sample the records and write brstack, perf-data, bolt, profgen, callchain,\n"
	  "                              folded or json", OPT_CTR, ID_EXPORT },
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
	{ "--jobs", 'j', "N", "threads that work (one a core); the output is the same",
	  OPT_HART | OPT_GAPS | OPT_QUEUE, ID_JOBS },
	{ "--part", 0, "K/N",
	  "only part K of N of the trace, to a file; hartscope merge puts the parts together",
	  OPT_PART, ID_PART },
	{ "--parts", 0, "N", "put the files of --part 1/N to N/N together", OPT_PART, ID_PARTS },
	{ "--work", 0, "DIR", "where these files are (TRACE.parts)", OPT_PART, ID_WORK },
	{ "--listen", 0, "PORT",
	  "wait for a debugger at this port of this machine, or at a socket with this path",
	  OPT_LISTEN, ID_LISTEN },
	{ "--json", 0, NULL,
	  "print JSON: one object, or of many one a line; --json=array: all of them as one array",
	  OPT_JSON, ID_JSON },
	{ "--quiet", 'q', NULL, "no progress, no summary", OPT_QUIET, ID_QUIET },
	{ "--help", 'h', NULL, "print this text", 0, ID_HELP },
};
/* clang-format on */

#define ROWS (sizeof(table) / sizeof(*table))

static bool has_option(const struct usage *u, const struct option *row)
{
	return !row->set || (u->set & row->set);
}

void usage_print(const struct usage *u, FILE *to)
{
	fprintf(to, "Usage: hartscope %s %s\n\n%s\n\nOptions:\n", u->name, u->form, u->text);
	for (size_t i = 0; i < ROWS; i++) {
		char left[40];
		const struct option *r = &table[i];

		if (!has_option(u, r))
			continue;
		snprintf(left, sizeof(left), "%c%c%s%s %s", r->letter ? '-' : ' ',
		         r->letter ? r->letter : ' ', r->letter ? ", " : "  ", r->name,
		         r->value ? r->value : "");
		fprintf(to, "  %-26s  %s\n", left, r->help);
	}
	if (u->list)
		u->list(to);
	fprintf(to, "\nExample:\n%s\n", u->example);
	if (!(u->set & OPT_PROTOCOL))
		return;
	for (unsigned p = 0; hs_protocol_at(p); p++) {
		const struct hs_protocol *protocol = hs_protocol_at(p);

		fprintf(to, "\nParameters of %s (--set NAME=VALUE):\n", protocol->name);
		for (unsigned i = 0; i < protocol->param_count; i++)
			fprintf(to, "  %-18s %s%s%s%s\n", protocol->params[i].name,
			        protocol->params[i].help, protocol->params[i].words ? " (" : "",
			        protocol->params[i].words ? protocol->params[i].words : "",
			        protocol->params[i].words ? ")" : "");
	}
}

bool read_number(const char *name, const char *text, uint64_t max, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 0);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *out <= max)
		return true;
	complain("%s needs a number, not '%s'", name, text);
	return false;
}

static bool keep_setting(struct options *o, const char *name, const char *value)
{
	if (o->params.setting_count == SETTINGS_MAX) {
		complain("--set may be given at most %d times", SETTINGS_MAX);
		return false;
	}
	o->settings[o->params.setting_count++] = (struct hs_setting){ name, value };
	return true;
}

static bool keep_limit(struct options *o, const struct option *r, const char *value)
{
	uint64_t *to = r->id == ID_CLOCK ? &o->clock_hz : r->id == ID_LAST ? &o->last : &o->limit;

	return read_number(r->name, value, UINT64_MAX, to);
}

static uint64_t count_cores(void)
{
	const long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 && n <= THREADS_MAX ? (uint64_t)n : 1;
}

static bool set_xlen(struct options *o, const char *name, const char *value)
{
	if (!read_number(name, value, 64, &o->xlen))
		return false;
	if (o->xlen != 32 && o->xlen != 64) {
		complain("--xlen is 32 or 64");
		return false;
	}
	o->source.xlen = (uint8_t)o->xlen;
	return true;
}

static bool add_event(struct options *o, const char *name)
{
	if (o->event_count == EVENTS_MAX) {
		complain("--event may be given at most %d times", EVENTS_MAX);
		return false;
	}
	o->events[o->event_count++] = name;
	return true;
}

static bool set_sample(struct options *o, const char *text)
{
	if (!read_number("--sample", text, INT64_MAX, &o->sample))
		return false;
	if (!o->sample)
		complain("--sample is at least 1");
	return o->sample > 0;
}

static bool add_config(struct options *o, const char *path)
{
	if (o->params.config_count == SETTINGS_MAX) {
		complain("--config may be given at most %d times", SETTINGS_MAX);
		return false;
	}
	o->configs[o->params.config_count++] = path;
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Cut NAME=VALUE in two; false after a complaint. */
static bool cut_setting(const char *option, char *text, struct hs_setting *setting)
{
	char *equals = strchr(text, '=');

	if (!equals || equals == text) {
		complain("%s needs NAME=VALUE, not '%s'", option, text);
		return false;
	}
	*equals = '\0';
	*setting = (struct hs_setting){ text, equals + 1 };
	return true;
}

/* CYCLE:NAME=VALUE */
static bool add_change(struct options *o, char *text)
{
	struct change *c = &o->changes[o->change_count];
	char *end = text;

	if (o->change_count == SETTINGS_MAX) {
		complain("--options-at may be given at most %d times", SETTINGS_MAX);
		return false;
	}
	errno = 0;
	c->at = strtoull(text, &end, 0);
	if (*text < '0' || *text > '9' || *end != ':' || errno) {
		complain("--options-at needs CYCLE:NAME=VALUE, not '%s'", text);
		return false;
	}
	if (!cut_setting("--options-at", end + 1, &c->setting))
		return false;
	qsort(o->changes, ++o->change_count, sizeof(*o->changes), by_time);
	return true;
}

static bool add_setting(struct options *o, char *text)
{
	struct hs_setting s;

	return cut_setting("--set", text, &s) && keep_setting(o, s.name, s.value);
}

static bool keep_ctr(struct options *o, const char *name, const char *value)
{
	if (o->ctr_count == SETTINGS_MAX) {
		complain("--ctr may be given at most %d times", SETTINGS_MAX);
		return false;
	}
	o->ctr[o->ctr_count++] = (struct hs_setting){ .name = name, .value = value };
	return true;
}

static bool add_ctr(struct options *o, char *text)
{
	struct hs_setting s;

	return cut_setting("--ctr", text, &s) && keep_ctr(o, s.name, s.value);
}

static bool set_queue(struct options *o, const char *value)
{
	o->queue.given = true;
	if (read_number("--queue", value, UINT32_MAX, &o->queue.bytes) && !o->queue.bytes)
		complain("--queue needs at least a byte");
	return o->queue.bytes != 0;
}

static bool add_cycles(struct options *o, char *text)
{
	struct hs_setting s;
	uint64_t n;

	if (!cut_setting("--cycles-per", text, &s) ||
	    !read_number("--cycles-per", s.value, UINT16_MAX, &n))
		return false;
	for (unsigned k = 0; k < HS_CLOCK_KINDS; k++) {
		if (strcmp(hs_clock_kind_name(k), s.name) != 0)
			continue;
		if (!n && k != HS_CLOCK_TRAP)
			break;
		o->clock.cycles[k] = (uint16_t)n;
		o->source.clock = &o->clock;
		return true;
	}
	if (!n)
		complain("--cycles-per: each instruction takes a cycle at least");
	else
		complain("--cycles-per has no kind '%s'; the help lists them", s.name);
	return false;
}

static bool want_time(struct options *o)
{
	o->time = true;
	o->source.clock = &o->clock;
	return true;
}

static bool choose_hart(struct options *o, const char *value)
{
	uint64_t n;

	if (!read_number("--hart", value, UINT32_MAX, &n))
		return false;
	o->source.hart = (uint32_t)n;
	o->source.one_hart = true;
	return true;
}

static bool set_context(struct options *o, const char *value)
{
	o->one_context = true;
	return read_number("--context", value, UINT64_MAX, &o->context);
}

/* The member of an option without a value that only sets it; NULL: it is another one. */
static bool *find_flag(struct options *o, enum option_id id)
{
	switch (id) {
	case ID_JSON: return &o->json;
	case ID_KINDS: return &o->kinds;
	case ID_TRAPS: return &o->traps;
	case ID_COMPARE: return &o->compare;
	case ID_CALLS: return &o->calls;
	case ID_GAPS: return &o->gaps;
	case ID_PACKETS:
		return &o->packets;
	case ID_STALL: return &o->queue.stall;
	case ID_RATE: return &o->rate;
	case ID_HTML: return &o->html;
	case ID_FLAT: return &o->flat;
	case ID_WIRE:
		return &o->messages.wire;
	case ID_BY_HART: return &o->by_hart;
	case ID_AUTO: return &o->automatic;
	case ID_QUIET: return &o->quiet;
	case ID_HELP: return &o->help;
	default: return NULL;
	}
}

/* clang-format off */
/* The member of an option that only keeps its text; NULL: it is another one. */
static const char **find_text(struct options *o, enum option_id id)
{
	switch (id) {
	case ID_OUTPUT: return &o->output;
	case ID_PROTOCOL: return &o->params.protocol;
	case ID_REGISTERS: return &o->params.registers;
	case ID_TRANSPORT: return &o->capture.transport;
	case ID_VCD_CLOCK: return &o->capture.vcd_clock;
	case ID_VCD_DATA: return &o->capture.vcd_data;
	case ID_WRAP: return &o->capture.wrap;
	case ID_FORMAT: return &o->format;
	case ID_LISTEN: return &o->listen;
	case ID_CALLERS: return &o->callers;
	case ID_CALLEES: return &o->callees;
	case ID_SHOW: return &o->show;
	case ID_IMPORT: return &o->from_format;
	case ID_AT: return &o->at;
	case ID_EXPORT: return &o->export;
	case ID_EXPLAIN: return &o->explain;
	case ID_SINK: return &o->sink;
	case ID_SYSROOT: return &o->source.sysroot;
	case ID_SYSTEM: return &o->system;
	case ID_ITC: return &o->itc;
	default: return NULL;
	}
}

static bool set_option(struct options *o, const struct option *r, char *value)
{
	bool *flag = find_flag(o, r->id);

	if (flag) {
		*flag = true;
		return !value || option_json(o, value);
	}
	const char **text = find_text(o, r->id);

	if (text) {
		*text = value;
		return true;
	}
	switch (r->id) {
	case ID_CUSTOM:   return option_custom(o, value);
	case ID_FILTER:   return option_filter(o, value);
	case ID_DIALECT:  return keep_setting(o, "dialect", value);
	case ID_SET:      return add_setting(o, value);
	case ID_CONFIG:   return add_config(o, value);
	case ID_BIT: case ID_SOURCE: return (r->id == ID_BIT ? option_bit : option_part)(o, value);
	case ID_IDLE:     return read_number(r->name, value, UINT32_MAX, &o->idle);
	case ID_ELF:      return option_code(o, HS_CODE_ELF, value);
	case ID_BIN:      return option_code(o, HS_CODE_RAW, value);
	case ID_IMAGE:    return option_code(o, HS_CODE_IMAGE, value);
	case ID_KCORE:    return option_code(o, HS_CODE_CORE, value);
	case ID_THEN:     return ++o->moment;
	case ID_PROCESS:  return option_process(o, value);
	case ID_SYMBOLS:  return option_guest(o, HS_GUEST_SYMBOLS, value);
	case ID_FILES:    return option_guest(o, HS_GUEST_CODE, value);
	case ID_PROCESSES: return option_guest(o, HS_GUEST_PROCESSES, value);
	case ID_TIME_CONV: return option_time_conv(o, r->name, value);
	case ID_MODULES:  return option_guest(o, HS_GUEST_MODULES, value);
	case ID_FROM: case ID_TO: case ID_AROUND: return option_position(o, r->name, value);
	case ID_LIMIT: case ID_LAST: return keep_limit(o, r, value);
	case ID_MESSAGES: return option_messages(&o->messages, r->name, value);
	case ID_FUNCTION: return option_function(o, value);
	case ID_TOP:      return read_number(r->name, value, UINT32_MAX, &o->top);
	case ID_REPORT_BY: return option_report_by(o, value);
	case ID_DEPTH:    return read_number(r->name, value, UINT32_MAX, &o->depth);
	case ID_XLEN:     return set_xlen(o, r->name, value);
	case ID_SIGNAL:   return option_signal(o, value);
	case ID_MAX:      return read_number(r->name, value, UINT64_MAX, &o->max);
	case ID_BY:       return option_by(o, value);
	case ID_ONLY: case ID_THREAD: return option_only(o, r->name, value);
	case ID_MODE:     return option_modes(o, value);
	case ID_SEVERITY: return option_severity(o, value);
	case ID_IGNORE:   return option_ignore(o, value);
	case ID_QUEUE:    return set_queue(o, value);
	case ID_DRAIN:    return option_drain(&o->queue, value);
	case ID_OPTIONS_AT: return add_change(o, value);
	case ID_CTR:      return add_ctr(o, value);
	case ID_PREDICTOR: return keep_ctr(o, "predictor", value);
	case ID_EVENT:    return add_event(o, value);
	case ID_SAMPLE:   return set_sample(o, value);
	case ID_PERIOD:   return read_number(r->name, value, UINT64_MAX, &o->period);
	case ID_CONTEXT:  return set_context(o, value);
	case ID_PERF:     return perf_options_parse(&o->perf, value);
	case ID_NO_DEMANGLE: case ID_DEBUG_DIR: return option_names(o, value);
	case ID_JOBS:     return read_number(r->name, value, THREADS_MAX, &o->jobs);
	case ID_PART: case ID_PARTS: case ID_WORK: return option_job_part(o, r->name, value);
	case ID_CYCLES:   return add_cycles(o, value);
	case ID_TIME:     return want_time(o);
	case ID_CLOCK:    return want_time(o) && keep_limit(o, r, value);
	case ID_HART:     return choose_hart(o, value);
	default:          return false;
	}
}
/* clang-format on */

/* The row of an option.  *length: where its value begins if it is in the same word. */
static const struct option *find_option(const struct usage *u, const char *word, size_t *length)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct option *r = &table[i];
		const size_t n = strlen(r->name);

		if (!has_option(u, r))
			continue;
		*length = n;
		const bool has_value = r->value || r->id == ID_JSON;

		if (strncmp(word, r->name, n) == 0 &&
		    (!word[n] || (word[n] == '=' && has_value)))
			return r;
		*length = 2;
		if (r->letter && word[0] == '-' && word[1] == r->letter && (!word[2] || r->value))
			return r;
	}
	return NULL;
}

static bool parse_option(const struct usage *u, int argc, char **argv, int *i, struct options *o)
{
	char *word = argv[*i];
	size_t n = 0;
	const struct option *r = find_option(u, word, &n);

	if (!r) {
		complain("%s has no option '%s'; 'hartscope %s --help' lists them", u->name, word,
		         u->name);
		return false;
	}
	if (!r->value)
		return set_option(o, r, word[n] == '=' ? word + n + 1 : NULL);
	if (word[n])
		return set_option(o, r, word + n + (word[n] == '='));
	if (*i + 1 >= argc) {
		complain("%s needs %s; see 'hartscope %s --help'", r->name, r->value, u->name);
		return false;
	}
	return set_option(o, r, argv[++*i]);
}

static bool parse_all(const struct usage *u, int argc, char **argv, struct options *o)
{
	bool only_args = false;

	for (int i = 1; i < argc && !o->help; i++) {
		if (!only_args && strcmp(argv[i], "--") == 0) {
			only_args = true;
		} else if (!only_args && argv[i][0] == '-' && argv[i][1]) {
			if (!parse_option(u, argc, argv, &i, o))
				return false;
		} else if (o->arg_count == u->max_args) {
			complain("%s does not know what to do with '%s'; see 'hartscope %s --help'",
			         u->name, argv[i], u->name);
			return false;
		} else {
			o->args[o->arg_count++] = argv[i];
		}
	}
	if (o->help || o->arg_count >= u->min_args)
		return true;
	complain("%s needs more arguments: hartscope %s %s", u->name, u->name, u->form);
	return false;
}

bool setting_given(const struct options *o, const char *name)
{
	for (size_t i = 0; i < o->params.setting_count; i++)
		if (strcmp(o->settings[i].name, name) == 0)
			return true;
	return false;
}

bool options_parse(const struct usage *u, int argc, char **argv, struct options *o, int *status)
{
	memset(o, 0, sizeof(*o));
	o->set = u->set;
	o->filter.size = sizeof(o->filter);
	o->top = u->top ? u->top : 10;
	o->idle = UINT64_MAX;
	o->max = 20;
	o->period = 10007;
	o->xlen = 64;
	o->params.size = sizeof(o->params);
	o->params.settings = o->settings;
	o->params.configs = o->configs;
	o->source.size = sizeof(o->source);
	o->clock.size = sizeof(o->clock);
	o->source.capture = &o->capture;
	o->capture.size = sizeof(o->capture);
	o->source.custom = o->custom;
	o->source.code = o->code;
	o->source.guest = o->guest;
	o->jobs = count_cores();
	*status = EXIT_USAGE;
	if (!parse_all(u, argc, argv, o))
		return false;
	o->source.threads = (uint32_t)o->jobs;
	if (!o->help && !option_ranges_fit(o))
		return false;
	if (o->help) {
		usage_print(u, stdout);
		*status = EXIT_GOOD;
		return false;
	}
	for (unsigned i = 0; i < o->arg_count; i++)
		if (!input_open(&o->args[i])) {
			*status = EXIT_DAMAGED;
			return false;
		}
	if (o->params.registers && (u->set & OPT_PROTOCOL) && !o->quiet)
		registers_note(o->params.registers);
	return true;
}
