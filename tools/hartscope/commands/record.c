/* hartscope record: run a program and keep every instruction that it executes. */
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/recorder.h>

#include "commands/encode_live.h"
#include "common/mark.h"

int cmd_record(int argc, char **argv);

static const char usage[] =
	"usage: hartscope record [OPTION]... [--] PROG [ARG]...\n"
	"       hartscope record [OPTION]... [--] qemu-system-riscv64 [ARG]...\n"
	"\n"
	"Run a RISC-V Linux program under QEMU and record every instruction that it\n"
	"executes: all threads, signals, forked children.  Input, output and exit status\n"
	"are the program's own.\n"
	"\n"
	"qemu-system-riscv64 or -riscv32 (QEMU 10, with any path) runs as it is written, and\n"
	"everything that its harts execute is recorded: all modes, traps, interrupts.\n"
	"\n"
	"  -o, --output DIR    where to put the recording (default: PROG.rec)\n"
	"      --exact-faults  know the instruction of every fault from the start (slower;\n"
	"                      without it, from when the program can survive a fault)\n"
	"      --data[=WHAT]   data accesses, too: WHAT is values (default) or addresses (ten\n"
	"                      times slower; CSRs only of a machine)\n"
	"      --context WHAT  of a machine, what its contexts are: satp (default: PPN, and the\n"
	"                      VMID of hgatp), asid, mcontext, scontext, none\n"
	"      --from MARK     begin with the instruction at MARK: 0xADDRESS, SYMBOL of PROG\n"
	"                      (of a machine: of its -kernel or -bios), insn:BITS (such as a\n"
	"                      hint) or ecall:A7; MARK#N when it is reached the Nth time\n"
	"      --to MARK       end before the instruction at MARK; the program continues\n"
	"      --keep-last SIZE  keep the last SIZE bytes (such as 64M; all harts together, as\n"
	"                      compressed) in memory, and write them when the program ends,\n"
	"                      crashes or reaches --to\n"
	"      --encode PROTOCOL  no recording: a trace, ntrace or etrace, which is encoded while\n"
	"                      the program runs; -o is its name (default: PROG.nt, PROG.et)\n"
	"      --set NAME=VALUE   a parameter of its encoder (hartscope encode --help)\n"
	"      --recording DIR    of --encode: a recording, too\n"
	"      --harts N       how many harts the trace has room for (default: 1; of a machine\n"
	"                      its -smp)\n"
	"      --sysroot DIR   libraries of a dynamically linked program\n"
	"                      (default: /usr/riscv64-linux-gnu)\n"
	"      --qemu PATH     emulator (default: qemu-riscv64 or qemu-riscv32)\n"
	"      --plugin PATH   recorder plugin (default: $HARTSCOPE_PLUGIN, or near hartscope)\n"
	"  -q, --quiet         no summary on the terminal\n"
	"  -h, --help          this text\n"
	"\n"
	"Exit status: the program's, or 128 + the signal that ended it; 2 for a wrong\n"
	"command, 126 when the program cannot be recorded, or its trace lacks something.\n"
	"\n"
	"Example:\n"
	"  hartscope record -o sort.rec -- ./sort words.txt\n"
	"  hartscope record --keep-last 64M --to ecall:93 -o last.rec -- ./sort words.txt\n"
	"  hartscope record --encode ntrace -o sort.nt -- ./sort words.txt\n"
	"  hartscope record --from main --to ecall:93#2 -- ./sort words.txt\n"
	"  hartscope record -o boot.rec -- qemu-system-riscv64 -M virt -bios fw.elf -nographic\n";

enum {
	OPT_EXACT = 256,
	OPT_CONTEXT,
	OPT_DATA,
	OPT_FROM,
	OPT_TO,
	OPT_KEEP,
	OPT_ENCODE,
	OPT_SET,
	OPT_HARTS,
	OPT_RECORDING,
	OPT_SYSROOT,
	OPT_QEMU,
	OPT_PLUGIN
};

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "exact-faults", no_argument, NULL, OPT_EXACT },
	{ "data", optional_argument, NULL, OPT_DATA },
	{ "context", required_argument, NULL, OPT_CONTEXT },
	{ "from", required_argument, NULL, OPT_FROM },
	{ "to", required_argument, NULL, OPT_TO },
	{ "keep-last", required_argument, NULL, OPT_KEEP },
	{ "encode", required_argument, NULL, OPT_ENCODE },
	{ "set", required_argument, NULL, OPT_SET },
	{ "harts", required_argument, NULL, OPT_HARTS },
	{ "recording", required_argument, NULL, OPT_RECORDING },
	{ "sysroot", required_argument, NULL, OPT_SYSROOT },
	{ "qemu", required_argument, NULL, OPT_QEMU },
	{ "plugin", required_argument, NULL, OPT_PLUGIN },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

#define SETTINGS 64u
#define HARTS 4096u

struct arguments {
	struct hs_recorder_options options;
	struct mark from, to;
	const char *output;
	bool quiet;
	const char *encode;    /* protocol; NULL: a recording */
	const char *recording; /* next to the trace; NULL: none */
	const char *settings[SETTINGS];
	size_t setting_count;
	uint32_t harts; /* of the trace; 0: not given */
	char **program; /* and its arguments */
};

/* False: it is none; a message was written. */
static bool parse_data(const char *what, uint8_t *data)
{
	if (!what || strcmp(what, "values") == 0)
		*data = HS_RECORDER_DATA_VALUES;
	else if (strcmp(what, "addresses") == 0)
		*data = HS_RECORDER_DATA_ADDRESSES;
	else
		fprintf(stderr, "hartscope record: --data=%s: values or addresses\n", what);
	return *data != HS_RECORDER_DATA_NONE;
}

/* Bytes, with K, M or G after them; 0: it is no such text. */
static uint64_t read_size(const char *text)
{
	static const char units[] = "KMG";
	char *end = NULL;
	const uint64_t n = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
	const char *unit = n == 0 || *end == 0 ? NULL : strchr(units, *end);
	const unsigned shift = unit == NULL ? 0 : 10 * (unsigned)(unit - units + 1);

	if (n == 0 || (*end != 0 && (unit == NULL || end[1] != 0)))
		return 0;
	return n > (uint64_t)INT64_MAX >> shift ? 0 : n << shift;
}

/* The same for --keep-last. */
static bool parse_size(const char *text, uint64_t *size)
{
	*size = read_size(text);
	if (*size == 0)
		fprintf(stderr, "hartscope record: --keep-last %s: not a size such as 64M\n", text);
	return *size != 0;
}

/* The same for contexts. */
static bool parse_context(const char *what, uint8_t *context)
{
	static const char *const names[] = { "satp", "asid", "mcontext", "scontext", "none" };

	for (uint8_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(what, names[i]) == 0) {
			*context = i;
			return true;
		}
	fprintf(stderr, "hartscope record: --context %s: satp, asid, mcontext, scontext or none\n",
	        what);
	return false;
}

/* The parameters of a trace.  The same. */
static bool parse_trace(int option, const char *text, struct arguments *a)
{
	const unsigned long harts = option == OPT_HARTS ? strtoul(text, NULL, 10) : 1;

	if (harts == 0 || harts > HARTS || a->setting_count == SETTINGS) {
		fprintf(stderr, "hartscope record: %s: 1 to %u harts, at most %u parameters\n",
		        text, HARTS, SETTINGS);
		return false;
	}
	if (option == OPT_ENCODE)
		a->encode = text;
	else if (option == OPT_SET)
		a->settings[a->setting_count++] = text;
	else
		a->harts = (uint32_t)harts;
	return true;
}

/* Options that go together. */
static bool check(const struct arguments *a)
{
	if (a->encode == NULL && (a->setting_count != 0 || a->harts != 0 || a->recording != NULL))
		fputs("hartscope record: --set, --harts and --recording need --encode\n", stderr);
	else if (a->encode != NULL && a->options.keep_last != 0)
		fputs("hartscope record: --keep-last keeps recordings, not traces\n", stderr);
	else
		return true;
	return false;
}

/* 0: record; otherwise 1 + exit status. */
static int parse(int argc, char **argv, struct arguments *a)
{
	optind = 0;
	for (;;) {
		const int c = getopt_long(argc, argv, "+o:qh", options, NULL);

		if (c == -1)
			break;
		switch (c) {
		case 'o': a->output = optarg; break;
		case 'q': a->quiet = true; break;
		case OPT_EXACT: a->options.exact_faults = true; break;
		case OPT_DATA:
			if (!parse_data(optarg, &a->options.data))
				return 1 + 2;
			break;
		case OPT_CONTEXT:
			if (!parse_context(optarg, &a->options.context))
				return 1 + 2;
			break;
		case OPT_FROM:
			if (!mark_parse("--from", optarg, &a->from))
				return 1 + 2;
			break;
		case OPT_TO:
			if (!mark_parse("--to", optarg, &a->to))
				return 1 + 2;
			break;
		case OPT_KEEP:
			if (!parse_size(optarg, &a->options.keep_last))
				return 1 + 2;
			break;
		case OPT_ENCODE:
		case OPT_SET:
		case OPT_HARTS:
			if (!parse_trace(c, optarg, a))
				return 1 + 2;
			break;
		case OPT_RECORDING:
			a->recording = optarg;
			break;
		case OPT_SYSROOT: a->options.sysroot = optarg; break;
		case OPT_QEMU: a->options.qemu = optarg; break;
		case OPT_PLUGIN: a->options.plugin = optarg; break;
		case 'h': fputs(usage, stdout); return 1;
		default: fputs("try 'hartscope record --help'\n", stderr); return 1 + 2;
		}
	}
	if (optind == argc) {
		fputs("hartscope record: which program?\ntry 'hartscope record --help'\n", stderr);
		return 1 + 2;
	}
	a->program = argv + optind;
	return check(a) ? 0 : 1 + 2;
}

static const char *default_output(const struct arguments *a, char *room, size_t size)
{
	const char *slash = strrchr(a->program[0], '/');
	const char *ending = a->encode == NULL                  ? "rec"
	                     : strcmp(a->encode, "etrace") == 0 ? "et"
	                                                        : "nt";

	snprintf(room, size, "%s.%s", slash == NULL ? a->program[0] : slash + 1, ending);
	return room;
}

/* How many harts a machine has, as its arguments say. */
static uint32_t machine_harts(char *const *argv)
{
	for (size_t i = 1; argv[i] != NULL && argv[i + 1] != NULL; i++) {
		const char *n = argv[i + 1];

		if (strcmp(argv[i], "-smp") != 0)
			continue;
		if (strstr(n, "cpus=") != NULL)
			n = strstr(n, "cpus=") + 5;
		return (uint32_t)strtoul(n, NULL, 10);
	}
	return 1;
}

static char *word(const char *text)
{
	return (char *)(uintptr_t)text; /* getopt_long() moves words, and leaves them as they are */
}

/* NULL: a message was written. */
static struct encode_live *open_encoder(const struct arguments *a)
{
	const uint32_t harts = a->harts != 0 ? a->harts : machine_harts(a->program);
	char *argv[2 * SETTINGS + 8];
	int n = 0;

	argv[n++] = word("encode");
	argv[n++] = word("-q");
	argv[n++] = word("--protocol");
	argv[n++] = word(a->encode);
	for (size_t i = 0; i < a->setting_count; i++) {
		argv[n++] = word("--set");
		argv[n++] = word(a->settings[i]);
	}
	argv[n++] = word("-o");
	argv[n++] = word(a->output);
	argv[n++] = a->program[0];
	argv[n] = NULL;
	return encode_live_open(n, argv, harts == 0 || harts > HARTS ? 1 : harts);
}

/* The terminal is the program's while it runs; afterwards one line is ours. */
static void sum_up(const struct arguments *a, const struct hs_recorder_result *r)
{
	if (a->quiet || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "hartscope: %s: %llu instructions, %u hart%s, %llu bytes, %.1f s\n",
	        a->output, (unsigned long long)r->instructions, r->harts, r->harts == 1 ? "" : "s",
	        (unsigned long long)r->bytes, r->seconds);
}

/* Find the symbols of the marks.  False: a message was written. */
static bool resolve_marks(struct arguments *a)
{
	const bool linked = a->from.mark.kind == HS_RECORDER_MARK_LINKED ||
	                    a->to.mark.kind == HS_RECORDER_MARK_LINKED;
	struct hs_error error = { 0 };
	char file[4096];

	if (linked && hs_recorder_find_file(a->program, file, sizeof(file), &error) != HS_OK) {
		fprintf(stderr, "hartscope record: %s\n", error.text);
		return false;
	}
	if (!mark_resolve(&a->from, file) || !mark_resolve(&a->to, file))
		return false;
	a->options.from = a->from.mark;
	a->options.to = a->to.mark;
	return true;
}

/* Run the program.  Returns an exit status. */
static int record(const struct arguments *a, const char *output)
{
	struct hs_recorder_result result;
	struct hs_error error = { 0 };
	const enum hs_status status =
		hs_recorder_run(output, a->program, &a->options, &result, &error);

	if (status != HS_OK)
		fprintf(stderr, "hartscope record: %s\n", error.text);
	if (status == HS_OK && result.instructions == 0 && a->from.mark.kind != 0)
		fputs("hartscope record: --from was not reached: nothing is recorded\n", stderr);
	if (status != HS_OK && status != HS_E_CUT)
		return 126;
	sum_up(a, &result);
	return result.exit_status;
}

/* The same, and encode what it executes. */
static int record_trace(struct arguments *a)
{
	struct encode_live *e = open_encoder(a);
	int status;

	if (e == NULL)
		return 126;
	a->options.take = encode_live_take;
	a->options.take_to = e;
	status = record(a, a->recording);
	if (status == 126)
		encode_live_discard(e);
	else if (encode_live_close(e) != 0)
		status = 126;
	return status;
}

int cmd_record(int argc, char **argv)
{
	struct arguments a = { .options = { .size = sizeof(a.options), .forward_signals = true } };
	char room[256];
	const int stop = parse(argc, argv, &a);

	if (stop != 0)
		return stop - 1;
	if (a.output == NULL)
		a.output = default_output(&a, room, sizeof(room));
	if (!resolve_marks(&a))
		return 126;
	return a.encode != NULL ? record_trace(&a) : record(&a, a.output);
}
