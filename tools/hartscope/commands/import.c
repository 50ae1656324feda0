/* hartscope import: executions that other tools wrote down. */
#include <string.h>

#include <hartscope/record.h>

#include "common/complete.h"
#include "common/interrupt.h"
#include "common/overwrite.h"
#include "common/tool.h"

struct import_options {
	struct options shared;
	const char *format;         /* NULL: the first lines show it */
	struct option_list signals; /* --signal */
	bool skip_unknown;
};

static void offer_formats(const struct completion *c)
{
	struct hs_import_format f;

	for (unsigned i = 0; hs_import_get_format(i, &f); i++)
		complete_name(c, f.name, f.what);
}

/* clang-format off */
static const struct option_row format_rows[] = {
	{ "--from", 0, "FORMAT",
	  "the format of the input, see below; without it the first lines show it",
	  AS_TEXT(struct import_options, format), .offer = offer_formats },
	{ "--hart", 0, "N", "the log's harts are numbered from N (0)", PARSED(option_hart) },
	{ "--signal", 0, "NAME=PATH",
	  "waves: the signal for iaddr_0, rvfi_insn and so on (docs/import.md)",
	  AS_LIST(struct import_options, signals, SETTINGS_MAX) },
	{ "--skip-unknown", 0, NULL,
	  "a line that begins like the format's, and is in no form of it that is known, is the "
	  "program's own: no error and no gap", AS_FLAG(struct import_options, skip_unknown) },
	{ .name = NULL }
};
/* clang-format on */

static void list_formats(FILE *to)
{
	struct hs_import_format f;

	fprintf(to, "\nFormats (--from):\n");
	for (unsigned i = 0; hs_import_get_format(i, &f); i++)
		usage_row(to, f.name, 15, f.what);
}

static const struct usage usage = {
	.name = "import",
	.form = "[--from FORMAT] [--elf FILE]... -o REC FILE",
	.text = "Makes a recording from what another tool wrote: the log of a simulator, emulator or\n"
		"core, or cycles of a trace ingress port.  Without --from the first lines show the\n"
		"format.  The opcodes in the lines are stored in the recording, and the code of --elf\n"
		"and --bin.  Damaged lines are reported and left out.  '-' reads standard input.",
	.list = list_formats,
	.example = "  spike -l --log-commits --log=app.log app.elf\n"
		   "  hartscope import --elf app.elf -o app.rec app.log\n"
		   "  qemu-riscv64 -d in_asm,exec,nochain -D app.log app.elf\n"
		   "  hartscope import --from qemu -o app.rec app.log\n"
		   "  hartscope import --hart 1 -o hart1.rec rvfi1.csv",
	.often = "--output --from --elf --bin --hart --signal --xlen --quiet --json",
	.options = OPTIONS(ROWS(options_output), FIRST_ROWS(options_capture, 1), ROWS(options_code),
	                   ROWS(format_rows), ROWS(options_xlen), ROWS(options_json),
	                   ROWS(options_force), ROWS(options_quiet), ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
	.folder = true,
};

static bool is_format(const char *name)
{
	struct hs_import_format f;
	bool is = false;

	for (unsigned i = 0; !is && hs_import_get_format(i, &f); i++)
		is = strcmp(f.name, name) == 0;
	return is;
}

/* Damage is counted, and shown as it comes. */
static void take_report(void *to, const struct hs_error *what)
{
	if (what->status == HS_OK)
		complain("%s", what->text);
	else
		damage_add(to, what, HS_REASON_NONE);
}

static bool is_stopped(void *to)
{
	(void)to;
	return interrupted();
}

static void report(const struct hs_import_result *i, const struct damage *damage,
                   const struct options *o)
{
	struct report r;

	report_begin(&r, stdout, o->json);
	report_text(&r, "recording", "recording", o->output);
	report_text(&r, "format", "format", i->format);
	if (i->is_log) {
		report_u64(&r, "lines", "lines", i->lines);
		if (i->ignored || r.json)
			report_u64(&r, "ignored", "lines not of the log", i->ignored);
		report_u64(&r, "instructions", "instructions", i->instructions);
		report_u64(&r, "traps", "traps", i->traps);
		report_u32(&r, "harts", "harts", i->harts);
	}
	if (i->has_code)
		report_u64(&r, "code_changes", "code changes", i->code_changes);
	report_u64(&r, "blocks", "blocks", i->blocks);
	report_u64(&r, "gaps", "gaps", i->gaps);
	report_u64(&r, "errors", "errors", damage->count);
	report_end(&r);
	if (i->gaps && !damage->count && i->gap_cause[0])
		complain("%s: gaps: %s", o->args[0], i->gap_cause);
}

static int write_recording(struct hs_import *import, const struct options *o, struct damage *damage)
{
	struct hs_import_result result;
	struct hs_error e = { 0 };

	interrupt_watch();
	if (overwrite_flow(o->output, hs_import_made_by(import), &e) != HS_OK)
		return fail(&e);
	const enum hs_status s = hs_import_write(import, o->output, &result, &e);

	if (s == HS_E_CUT)
		interrupt_end();
	if (s != HS_OK)
		return result.blocks ? fail(&e) : fail_file(o->args[0], &e);
	if (!o->quiet || o->json)
		report(&result, damage, o);
	return damage_exit(damage);
}

int cmd_import(int argc, char **argv)
{
	static struct damage damage;
	struct import_options own = { .format = NULL };
	struct options *o = &own.shared;
	struct hs_import *import;
	struct hs_error e = { 0 };
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	if (!o->output) {
		complain("import needs -o REC");
		return EXIT_USAGE;
	}
	if (own.format && !is_format(own.format)) {
		complain("no format '%s': hartscope import --help", own.format);
		return EXIT_USAGE;
	}
	const struct hs_import_options io = {
		.size = sizeof(io),
		.path = o->args[0],
		.format = own.format,
		.code = o->source.code,
		.code_count = o->source.code_count,
		.xlen = o->source.xlen,
		.hart = o->source.hart,
		.skip_unknown = own.skip_unknown,
		.clock = o->capture.vcd_clock,
		.signals = own.signals.at,
		.signal_count = own.signals.count,
		.report = take_report,
		.stop = is_stopped,
		.to = &damage,
	};

	if (hs_import_open(&io, &import, &e) != HS_OK)
		return fail(&e);
	status = write_recording(import, o, &damage);
	hs_import_close(import);
	return status;
}
