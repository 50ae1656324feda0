/* hartscope record: run a program and keep every instruction that it executes. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/recorder.h>
#include <hartscope/text.h>

#include "commands/encode_live.h"
#include "commands/record_check.h"
#include "common/limits.h"
#include "common/mark.h"
#include "common/overwrite.h"
#include "common/tool.h"

static const struct usage usage = {
	.name = "record",
	.form = "[OPTION]... [--] PROG [ARG]...\n"
		"hartscope record [OPTION]... [--] qemu-system-riscv64 [ARG]...\n"
		"hartscope record --check [--json]",
	.text = "Runs a RISC-V Linux program under QEMU and records every instruction that it "
		"executes: all threads, signals, forked children.  Input, output and exit status "
		"are the program's own.\n\n"
		"qemu-system-riscv64 or -riscv32 (QEMU 9.2 or newer, with any path) runs as it is written, and "
		"everything that its harts execute is recorded: all modes, traps, interrupts.\n\n"
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
	.set = OPT_RECORD | OPT_FORCE | OPT_QUIET,
	.rest = true,
};

#define SETTINGS 64u
#define HARTS 4096u

struct arguments {
	struct hs_recorder_options options;
	struct mark from, to;
	const char *output;
	bool quiet, check, json;
	const char *encode;    /* protocol; NULL: a recording */
	const char *recording; /* next to the trace; NULL: none */
	char *code;            /* the same of a trace without one; to be freed */
	const char *kept;      /* where a recording was; it gets ".old" */
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

/* The same for --keep-last. */
static bool parse_size(const char *text, uint64_t *size)
{
	if (hs_text_number(text, 1024, size) != HS_OK || *size > INT64_MAX)
		*size = 0;
	if (*size == 0)
		fprintf(stderr, "hartscope record: --keep-last %s: not a size such as 64M\n", text);
	return *size != 0;
}

/* The same for contexts. */
static bool parse_context(const char *what, uint8_t *context)
{
	static const char *const names[] = { "satp", "asid", "mcontext", "scontext", "none" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(what, names[i]) == 0) {
			*context = (uint8_t)i;
			return true;
		}
	fprintf(stderr, "hartscope record: --context %s: satp, asid, mcontext, scontext or none\n",
	        what);
	return false;
}

/* The parameters of a trace.  The same. */
static bool parse_trace(const char *option, const char *text, struct arguments *a)
{
	const bool counts = strcmp(option, "--harts") == 0;
	const unsigned long harts = counts ? strtoul(text, NULL, 10) : 1;

	if (harts == 0 || harts > HARTS || a->setting_count == SETTINGS) {
		fprintf(stderr, "hartscope record: %s: 1 to %u harts, at most %u parameters\n",
		        text, HARTS, SETTINGS);
		return false;
	}
	if (strcmp(option, "--encode") == 0)
		a->encode = text;
	else if (strcmp(option, "--set") == 0)
		a->settings[a->setting_count++] = text;
	else
		a->harts = (uint32_t)harts;
	return true;
}

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

/* An option that only record has.  The same. */
static bool parse_own(const char *name, const char *value, struct arguments *a)
{
	if (strcmp(name, "--exact-faults") == 0)
		a->options.exact_faults = true;
	else if (strcmp(name, "--data") == 0)
		return parse_data(value, &a->options.data);
	else if (strcmp(name, "--context") == 0)
		return parse_context(value, &a->options.context);
	else if (strcmp(name, "--from") == 0 || strcmp(name, "--to") == 0)
		return mark_parse(name, value, strcmp(name, "--to") == 0 ? &a->to : &a->from);
	else if (strcmp(name, "--keep-last") == 0)
		return parse_size(value, &a->options.keep_last);
	else if (strcmp(name, "--recording") == 0)
		a->recording = value;
	else if (strcmp(name, "--sysroot") == 0)
		a->options.sysroot = value;
	else if (strcmp(name, "--qemu") == 0)
		a->options.qemu = value;
	else if (strcmp(name, "--plugin") == 0)
		a->options.plugin = value;
	else if (strcmp(name, "--check") == 0)
		a->check = true;
	else if (strcmp(name, "--json") == 0)
		a->json = true;
	else
		return parse_trace(name, value, a);
	return true;
}

/* False: @status is the exit status. */
static bool parse(int argc, char **argv, struct arguments *a, int *status)
{
	struct options o;

	if (!options_parse(&usage, argc, argv, &o, status))
		return false;
	*status = EXIT_USAGE;
	for (size_t i = 0; i < o.own_count; i++)
		if (!parse_own(o.own[i].name, o.own[i].value, a))
			return false;
	a->output = o.output;
	a->quiet = o.quiet;
	a->program = o.rest;
	return check(a);
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

/* The terminal is the program's while it runs; afterwards two lines are ours. */
static void sum_up(const struct arguments *a, const struct hs_recorder_result *r)
{
	char instructions[32], bytes[32];

	if (a->quiet || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "hartscope: %s: %s instructions, %u hart%s, ", a->output,
	        number_grouped(r->instructions, 0, instructions), r->harts,
	        r->harts == 1 ? "" : "s");
	if (!a->encode)
		fprintf(stderr, "%s bytes, ", number_grouped(r->bytes, 0, bytes));
	fprintf(stderr, "%.1f s\n", r->seconds);
	if (a->kept)
		fprintf(stderr, "hartscope: the recording that was there is %s.old now\n", a->kept);
	fprintf(stderr, "hartscope: next: hartscope report %s\n", a->output);
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
	a->options.take = encode_live_take;
	a->options.take_to = e;
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

/* Of a trace its encoder says it; a recording that is there is kept (ADR-0323). */
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
