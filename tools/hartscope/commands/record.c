/* hartscope record: run a program and keep every instruction that it executes. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/record.h>
#include <hartscope/status.h>

#include "commands/encode_live.h"
#include "commands/record_check.h"
#include "common/complete.h"
#include "common/limits.h"
#include "common/mark.h"
#include "common/overwrite.h"
#include "common/tool.h"

#define SETTINGS 64u
#define HARTS 4096u

struct arguments {
	struct options shared;
	struct hs_recorder_options options;
	struct mark from, to;
	const char *output;
	bool check, json;
	const char *encode;    /* protocol; NULL: a recording */
	const char *recording; /* next to the trace; NULL: none */
	char *code;            /* the same of a trace without one; to be freed */
	const char *kept;      /* where a recording was; it gets ".old" */
	const char *settings[SETTINGS];
	size_t setting_count;
	uint32_t harts; /* of the trace; 0: not given */
	char **program; /* and its arguments */
};

/* ---- options ------------------------------------------------------------------------- */

static bool parse_data(void *to, const struct option_row *r, char *what)
{
	uint8_t *data = to;

	(void)r;
	if (!what || strcmp(what, "values") == 0)
		*data = HS_RECORDER_DATA_VALUES;
	else if (strcmp(what, "addresses") == 0)
		*data = HS_RECORDER_DATA_ADDRESSES;
	else
		fprintf(stderr, "hartscope record: --data=%s: values or addresses\n", what);
	return *data != HS_RECORDER_DATA_NONE;
}

/* --keep-last */
static bool parse_size(void *to, const struct option_row *r, char *text)
{
	uint64_t *size = to;

	(void)r;
	if (hs_text_number(text, 1024, size) != HS_OK || *size > INT64_MAX)
		*size = 0;
	if (*size == 0)
		fprintf(stderr, "hartscope record: --keep-last %s: not a size such as 64M\n", text);
	return *size != 0;
}

static bool parse_context(void *to, const struct option_row *r, char *what)
{
	static const char *const names[] = { "satp", "asid", "mcontext", "scontext", "none" };
	uint8_t *context = to;

	(void)r;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(what, names[i]) == 0) {
			*context = (uint8_t)i;
			return true;
		}
	fprintf(stderr, "hartscope record: --context %s: satp, asid, mcontext, scontext or none\n",
	        what);
	return false;
}

static bool parse_mark(void *to, const struct option_row *r, char *value)
{
	return mark_parse(r->name, value, to);
}

static bool complain_trace(const char *text)
{
	fprintf(stderr, "hartscope record: %s: 1 to %u harts, at most %u parameters\n", text, HARTS,
	        SETTINGS);
	return false;
}

static bool parse_harts(void *to, const struct option_row *r, char *text)
{
	uint32_t *harts = to;
	const unsigned long n = strtoul(text, NULL, 10);

	(void)r;
	if (n == 0 || n > HARTS)
		return complain_trace(text);
	*harts = (uint32_t)n;
	return true;
}

static bool parse_setting(void *arguments, const struct option_row *r, char *text)
{
	struct arguments *a = arguments;

	(void)r;
	if (a->setting_count == SETTINGS)
		return complain_trace(text);
	a->settings[a->setting_count++] = text;
	return true;
}

/* clang-format off */
static const struct option_row record_rows[] = {
	{ "--output", 'o', "DIR", "where to put the recording (PROG.rec)",
	  AS_TEXT(struct options, output) },
	{ "--exact-faults", 0, NULL,
	  "know the instruction of every fault from the start (slower; without it, from when the "
	  "program can survive a fault, and of the fault that ends it where one instruction fits)",
	  AS_FLAG(struct arguments, options.exact_faults) },
	{ "--data", 0, "[=WHAT]",
	  "data accesses, too: values (default) or addresses (ten times slower; CSRs only of a "
	  "machine)",
	  AS_PARSED(struct arguments, options.data, parse_data), .words = "values addresses" },
	{ "--context", 0, "WHAT",
	  "of a machine, what its contexts are: satp (default: PPN, and the VMID of hgatp), asid, "
	  "mcontext, scontext, none",
	  AS_PARSED(struct arguments, options.context, parse_context),
	  .words = "satp asid mcontext scontext none" },
	{ "--from", 0, "MARK",
	  "begin with the instruction at MARK: 0xADDRESS, SYMBOL of PROG (of a machine: of its "
	  "-kernel or -bios), insn:BITS (such as a hint) or ecall:A7; MARK#N when it is reached "
	  "the Nth time", AS_PARSED(struct arguments, from, parse_mark) },
	{ "--to", 0, "MARK", "end before the instruction at MARK; the program continues",
	  AS_PARSED(struct arguments, to, parse_mark) },
	{ "--keep-last", 0, "SIZE",
	  "keep the last SIZE bytes (such as 64M; all harts together, as compressed) in memory, "
	  "and write them when the program ends, crashes or reaches --to",
	  AS_PARSED(struct arguments, options.keep_last, parse_size) },
	{ "--encode", 0, "PROTOCOL",
	  "no recording: a trace, ntrace, etrace or tacit, which is encoded while the program "
	  "runs; -o is its name (PROG.nt, PROG.et, PROG.tacit)",
	  AS_TEXT(struct arguments, encode), .words = "ntrace etrace tacit" },
	{ "--set", 0, "NAME=VALUE", "a parameter of its encoder (hartscope help parameters)",
	  PARSED(parse_setting), .offer = complete_params },
	{ "--recording", 0, "DIR", "of --encode: a recording, too",
	  AS_TEXT(struct arguments, recording) },
	{ "--harts", 0, "N",
	  "how many harts the trace has room for (1; of a machine its -smp)",
	  AS_PARSED(struct arguments, harts, parse_harts) },
	{ "--sysroot", 0, "DIR",
	  "libraries of a dynamically linked program (/usr/riscv64-linux-gnu)",
	  AS_TEXT(struct arguments, options.sysroot) },
	{ "--qemu", 0, "PATH",
	  "emulator (qemu-riscv64 or qemu-riscv32 of PATH if it loads plugins, or one that "
	  "qemu-user.sh built)", AS_TEXT(struct arguments, options.qemu) },
	{ "--plugin", 0, "PATH", "recorder plugin ($HARTSCOPE_PLUGIN, or near hartscope)",
	  AS_TEXT(struct arguments, options.plugin) },
	{ "--check", 0, NULL, "record nothing: print which emulators and plugins would be used",
	  AS_FLAG(struct arguments, check) },
	{ "--json", 0, NULL, "of --check: print JSON", AS_FLAG(struct arguments, json) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "record",
	.form = "[OPTION]... [--] PROG [ARG]...\n"
		"hartscope record [OPTION]... [--] qemu-system-riscv64 [ARG]...\n"
		"hartscope record --check [--json]",
	.text = "Runs a RISC-V Linux program under QEMU and records every instruction that it "
		"executes: all threads, signals, forked children.  Input, output and exit status "
		"are the program's own.\n\n"
		"qemu-system-riscv64 or -riscv32 (QEMU 9.2 or newer, with any path) runs as it is "
		"written, and everything that its harts execute is recorded: all modes, traps, "
		"interrupts.\n\n"
		"Exit status: the program's, or 128 + the signal that ended it; 2 for a wrong "
		"command, 126 when the program cannot be recorded, or its trace lacks something.",
	.example =
		"  hartscope record -o sort.rec -- ./sort words.txt\n"
		"  hartscope record --keep-last 64M --to ecall:93 -o last.rec -- ./sort words.txt\n"
		"  hartscope record --encode ntrace -o sort.nt -- ./sort words.txt\n"
		"  hartscope record --from main --to ecall:93#2 -- ./sort words.txt\n"
		"  hartscope record -o boot.rec -- \\\n"
		"      qemu-system-riscv64 -M virt -bios fw.elf -nographic",
	.often = "--output --data --from --to --keep-last --encode --set --sysroot --quiet",
	.options = OPTIONS(ROWS(record_rows), ROWS(options_force), ROWS(options_quiet),
	                   ROWS(options_general)),
	.rest = true,
};

/* Options that go together. */
static bool check(const struct arguments *a)
{
	if (a->check != !a->program)
		complain(a->check ? "record --check takes no program"
		                  : "record needs a program: hartscope record ./PROG");
	else if (a->json && !a->check)
		complain("record --json needs --check");
	else if (a->encode == NULL &&
	         (a->setting_count != 0 || a->harts != 0 || a->recording != NULL))
		fputs("hartscope record: --set, --harts and --recording need --encode\n", stderr);
	else if (a->encode != NULL && a->options.keep_last != 0)
		fputs("hartscope record: --keep-last keeps recordings, not traces\n", stderr);
	else if (a->output != NULL && strcmp(a->output, "-") == 0)
		fputs("hartscope record: standard output is the program's: name a file with -o, or "
		      "a FIFO\n",
		      stderr);
	else
		return true;
	return false;
}

/* False: @status is the exit status. */
static bool parse(int argc, char **argv, struct arguments *a, int *status)
{
	if (!options_parse(&usage, argc, argv, &a->shared, status))
		return false;
	a->output = a->shared.output;
	a->program = a->shared.rest;
	return check(a);
}

static const char *default_output(const struct arguments *a, char *room, size_t size)
{
	const char *slash = strrchr(a->program[0], '/');
	const struct hs_protocol *p = a->encode ? hs_protocol_find(a->encode) : NULL;
	const char *ending = p ? p->ending : ".rec";

	snprintf(room, size, "%s%s", slash == NULL ? a->program[0] : slash + 1, ending);
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
	return (char *)(uintptr_t)text; /* options_parse() leaves words as they are */
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
	argv[n++] = word(a->recording);
	argv[n] = NULL;
	return encode_live_open(n, argv, harts == 0 || harts > HARTS ? 1 : harts);
}

static bool has_died(const char *recording)
{
	struct hs_error e = { 0 };
	struct hs_rec *rec = NULL;
	const bool died =
		hs_rec_open(recording, &rec, &e) == HS_OK && died_of(hs_rec_get_info(rec)) != 0;

	hs_rec_close(rec);
	return died;
}

/* The terminal is the program's while it runs; afterwards two lines are ours. */
static void sum_up(const struct arguments *a, const struct hs_recorder_result *r)
{
	char instructions[32], bytes[32];

	if (a->shared.quiet || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "hartscope: %s: %s instructions, %u hart%s, ", a->output,
	        number_grouped(r->instructions, 0, instructions), r->harts,
	        r->harts == 1 ? "" : "s");
	if (!a->encode)
		fprintf(stderr, "%s bytes, ", number_grouped(r->bytes, 0, bytes));
	fprintf(stderr, "%.1f s\n", r->seconds);
	if (a->kept)
		fprintf(stderr, "hartscope: the recording that was there is %s.old now\n", a->kept);
	fprintf(stderr, "hartscope: next: hartscope %s %s\n",
	        !a->encode && has_died(a->output) ? "crash" : "report", a->output);
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

/* Run the program.  Returns an exit status; *@ran: something of it is recorded. */
static int record(const struct arguments *a, const char *output, bool *ran)
{
	struct hs_recorder_result result;
	struct hs_error error = { 0 };
	const enum hs_status status =
		hs_recorder_run(output, a->program, &a->options, &result, &error);

	if (status != HS_OK) {
		fprintf(stderr, "hartscope record: %s\n", error.text);
		limits_explain(error.text);
	}
	if (status == HS_E_SYSTEM || status == HS_E_UNSUPPORTED)
		record_offer(&a->options, a->program[0]);
	if (status == HS_OK && result.instructions == 0 && a->from.mark.kind != 0)
		fputs("hartscope record: --from was not reached: nothing is recorded\n", stderr);
	*ran = status == HS_OK || result.harts != 0;
	if (status != HS_OK && status != HS_E_CUT)
		return 126;
	sum_up(a, &result);
	return result.unwritten ? 126 : result.exit_status;
}

/* The same, and encode what it executes. */
static int record_trace(struct arguments *a)
{
	struct encode_live *e = open_encoder(a);
	bool ran;
	int status;

	if (e == NULL)
		return 126;
	a->options.take = hs_encode_take;
	a->options.take_to = encode_live_encoder(e);
	status = record(a, a->recording, &ran);
	if (!ran)
		encode_live_discard(e);
	else if (encode_live_close(e) != 0)
		status = 126;
	return status;
}

/* A trace has next to it what ran: as a recording, or only its code.  False: a message was
 * written. */
static bool name_code(struct arguments *a)
{
	if (a->encode == NULL || a->recording != NULL)
		return true;
	a->recording = a->code = with_ending(a->output, "", ".code.rec");
	a->options.code_only = true;
	if (a->recording == NULL)
		complain("out of memory");
	return a->recording != NULL;
}

/* Of a trace its encoder says it; a recording that is there is kept (design/recordings). */
static bool may_write(struct arguments *a)
{
	const char *output = a->encode != NULL ? a->recording : a->output;

	if (a->options.code_only)
		return overwrite_code(a->recording);
	a->options.keep_older = !overwrite_is_allowed();
	if (a->options.keep_older && is_recording(output))
		a->kept = output;
	return true;
}

/* What each thread and child of a program needs for a while goes back to the system then, for as
 * long as the program runs: otherwise what stays between keeps it (mallopt(3)). */
static void give_memory_back(void)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 17);
}

int cmd_record(int argc, char **argv)
{
	struct arguments a = { .options = { .size = sizeof(a.options), .forward_signals = true } };
	char room[256];
	bool ran;
	int status;

	if (!parse(argc, argv, &a, &status))
		return status;
	if (a.check)
		return record_check(&a.options, a.json);
	if (a.output == NULL)
		a.output = default_output(&a, room, sizeof(room));
	if (!resolve_marks(&a) || !name_code(&a) || !may_write(&a)) {
		free(a.code);
		return 126;
	}
	give_memory_back();
	status = a.encode != NULL ? record_trace(&a) : record(&a, a.output, &ran);
	free(a.code);
	return status;
}
