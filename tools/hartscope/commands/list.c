/* hartscope list: executed instructions. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/list.h"
#include "common/limits.h"

#define AROUND 20u /* instructions on either side */
#define FEW_CORES 4u /* one that reads gives fewer than these enough to do */

struct list_options {
	struct options shared;
	const char *format;
	const char *itc;
	uint64_t limit; /* 0: none */
	uint64_t clock_hz;
};

static bool parse_clock(void *options, const struct option_row *r, char *value)
{
	struct list_options *o = options;

	return option_time(o, r, value) && read_number(r->name, value, UINT64_MAX, &o->clock_hz);
}

/* clang-format off */
static const struct option_row format_rows[] = {
	{ "--format", 0, "NAME",
	  "text, json, or pc: one PC a line, in hexadecimal",
	  AS_TEXT(struct list_options, format), .words = "text json pc" },
	{ .name = NULL }
};

static const struct option_row limit_rows[] = {
	{ "--writes-to", 0, "SYMBOL|ADDRESS[,SIZE]",
	  "only instructions that wrote to this variable, or to SIZE (8) bytes at ADDRESS, where "
	  "data was recorded (record --data); --last N: the last N of them, also before --to",
	  AS_TEXT(struct options, range.writes_to) },
	{ "--limit", 0, "N", "stop after N instructions",
	  AS_PARSED(struct list_options, limit, option_limit) },
	{ "--time", 0, NULL,
	  "the time of each block next to its last instruction; of a recording without times "
	  "in cycles, of which each instruction takes one", PARSED(option_time) },
	{ "--clock", 0, "HZ", "ticks in a second: --time in seconds", PARSED(parse_clock) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "list",
	.form = "[--format pc] [--itc FILE] [--elf FILE]... REC|FLOW|TRACE",
	.text = "Lists executed instructions: address, bytes and disassembly, with a line in front where\n"
		"the function or the source line changes.\n\n"
		"Events (gaps, traps, where the trace starts and\n"
		"stops) are lines that begin with ';'.  '-' reads a trace from standard input.",
	.example = "  hartscope list --limit 40 app.rec\n"
		   "  hartscope list --last 100 app.rec\n"
		   "  hartscope list --around parse_line@3 app.rec\n"
		   "  hartscope list --from time:40000 --to time:41000 --elf app.elf app.nt\n"
		   "  hartscope list --elf app.elf --set trTeInstMode=htm capture.bin\n"
		   "  hartscope list --only sh --mode U --files root --limit 1000 linux.rec\n"
		   "  hartscope list --writes-to counter --to report@2 --last 1 app.rec\n"
		   "  hartscope list --format pc app.rec | sort | uniq -c",
	.often = "--elf --set --auto --format --from --to --function --limit --time --json",
	.options = OPTIONS(OPTIONS_TRACE, OPTIONS_GUEST, ROWS(format_rows), OPTIONS_VIEW,
	                   ROWS(options_around), ROWS(limit_rows), ROWS(options_cycles),
	                   ROWS(options_xlen), ROWS_AT(options_itc, struct list_options, itc),
	                   ROWS(options_jobs), ROWS(options_json), ROWS(options_quiet),
	                   ROWS(options_terminal), ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
};

static bool to_stdout(void *context, const void *text, size_t n)
{
	(void)context;
	return write_all(STDOUT_FILENO, text, n);
}

static bool format_of(const struct list_options *o, enum hs_listing_format *format)
{
	const char *name = o->format ? o->format : o->shared.json ? "json" : "text";

	if (strcmp(name, "text") == 0)
		*format = HS_LISTING_TEXT;
	else if (strcmp(name, "pc") == 0)
		*format = HS_LISTING_PC;
	else if (strcmp(name, "json") == 0)
		*format = o->shared.json_array ? HS_LISTING_JSON : HS_LISTING_LINES;
	else
		complain("no format '%s'; there is: text, pc, json", name);
	return strcmp(name, "text") == 0 || strcmp(name, "pc") == 0 || strcmp(name, "json") == 0;
}

struct job {
	const struct hs_image *image;
	uint32_t signal; /* that ended the program and is to be shown; 0: none */
	struct hs_listing *listing;
	enum hs_status status; /* what the listing said last */
	struct itc_output itc;
	struct hs_block last;  /* item of the hart */
	struct hs_block fault; /* with @faulted: after which an instruction faulted */
	bool faulted, data;    /* there are data accesses */
};

/* The program ended with a signal: was it a fault after the last block of this hart? */
static void note_fault(struct job *j)
{
	struct hs_block b = j->last;

	if (!j->signal || b.kind != HS_KIND_BLOCK ||
	    (b.itype != HS_ITYPE_EXCEPTION && b.itype != HS_ITYPE_NONE) ||
	    hs_block_at_ecall(j->image, &b))
		return;
	j->fault = b;
	j->faulted = true;
}

static void follow_harts(struct job *j, const struct hs_block *b, size_t n)
{
	for (size_t i = 0; j->signal && i < n; i++) {
		if (b[i].kind == HS_KIND_HART)
			note_fault(j);
		j->last = b[i];
	}
}

/* The instruction that ended the program did not retire, so that no block has it. */
static void show_fault(const struct job *j, struct hs_disasm *disasm)
{
	const uint64_t pc = hs_block_end(&j->fault);
	char text[128] = "";
	size_t n = 0;
	const uint8_t *bytes = hs_img_bytes(j->image, pc, &n);

	if (bytes)
		hs_disasm_text(disasm, pc, bytes, n, text, sizeof(text));
	printf("; 0x%llx  %s  did not retire: signal %u\n", (unsigned long long)pc, text,
	       j->signal);
}

static bool list_blocks(void *to, const struct hs_block *b, size_t n)
{
	struct job *j = to;

	follow_harts(j, b, n);
	for (size_t i = 0; !j->data && i < n; i++)
		j->data = b[i].kind == HS_KIND_DATA;
	itc_put_blocks(&j->itc, b, n);
	j->status = hs_listing_add(j->listing, b, n);
	return j->status == HS_OK;
}

static int list_all(struct hs_source *source, struct hs_listing *listing,
                    const struct list_options *o, const struct hs_listing_options *lo)
{
	const bool quiet = o->shared.quiet || terminal_is(stdout),
		   text = lo->format == HS_LISTING_TEXT;
	struct job job = { .listing = listing,
		           .image = hs_program_image(lo->program),
		           .signal = text && !o->shared.range.of.function && !o->limit &&
		                                     !lo->written_size
		                             ? end_signal(source)
		                             : 0 };
	const struct block_taker taker = { "listing", quiet, list_blocks, &job, false };
	struct damage damage = { 0 };
	struct hs_error e = { 0 };

	if (!itc_open(&job.itc, o->itc))
		return EXIT_USAGE;
	if (read_blocks(&taker, source, &damage) || job.status == HS_END)
		job.status = hs_listing_end(listing);
	if (job.status == HS_OK)
		note_fault(&job);
	if (job.faulted)
		show_fault(&job, lo->disasm);
	if (hs_listing_unmapped(listing)) {
		hs_error_set(&e, HS_E_NOCODE,
		             "the code of %llu blocks is not known; give the program "
		             "with --elf",
		             (unsigned long long)hs_listing_unmapped(listing));
		damage_add(&damage, &e, HS_REASON_NONE);
	}
	if (job.status == HS_E_MEMORY)
		complain("out of memory");
	if (!itc_close(&job.itc) || job.status == HS_E_SYSTEM || job.status == HS_E_MEMORY)
		return EXIT_USAGE;
	const int status = damage_exit(&damage);

	return status == EXIT_GOOD && lo->written_size ? writes_check(&o->shared, listing, job.data)
	                                               : status;
}

/* --around: read up to the position, and make a range of the instructions around it. */
static int find_around(struct hs_source *source, struct list_options *o)
{
	struct range_options *range = &o->shared.range;
	const uint64_t limit = o->limit ? o->limit : 2 * AROUND + 1;
	struct damage damage = { .silent = true };
	struct block_reader reader = { .source = source, .damage = &damage };
	const struct hs_range_found *found = hs_source_known(source)->range;
	struct hs_error e = { 0 };
	uint64_t at = range->around.value;

	if (range->around.kind != HS_POSITION_INSTRUCTION) {
		while (found && !found->end && reader_fill(&reader))
			found = hs_source_known(source)->range;
		if (!found || !found->end)
			return damage_exit(&damage);
		at = found->begin;
	}
	o->limit = limit;
	range->around.kind = HS_POSITION_NONE;
	range->of.from = (struct hs_position){ .kind = HS_POSITION_INSTRUCTION,
		                               .value = at > limit / 2 ? at - limit / 2 : 0 };
	if (hs_source_rewind(source, &e) != HS_OK ||
	    range_set(&o->shared, o->shared.args[0], source, &e) != HS_OK)
		return fail(&e);
	return EXIT_GOOD;
}

/* Threads that read next to those that make text: none where they would be one more than there are
 * cores, since reading takes a fifth of the time.  A pipe is read by another thread, so that text
 * is written until more bytes come. */
static uint32_t readers(const struct options *o)
{
	struct stat st;
	const bool pipe = strcmp(o->args[0], "-") == 0 || stat(o->args[0], &st) != 0 ||
	                  (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));

	return o->jobs < FEW_CORES && !pipe ? 1 : o->source.threads;
}

int cmd_list(int argc, char **argv)
{
	struct hs_listing_options lo = { .size = sizeof(lo), .write = to_stdout };
	struct hs_source *source;
	struct hs_listing *listing;
	struct hs_disasm *disasm = NULL;
	struct hs_error e = { 0 };
	struct list_options own = { .format = NULL };
	struct options *o = &own.shared;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status) || !format_of(&own, &lo.format))
		return status;
	o->source.names |= lo.format != HS_LISTING_PC;
	o->source.versions = o->reads_all = true;
	o->source.threads = readers(o);
	source = open_argument(o, &status);
	if (!source)
		return status;
	status = o->range.around.kind ? find_around(source, &own) : EXIT_GOOD;
	if (status == EXIT_GOOD && o->range.writes_to && !writes_find(o, source, &lo))
		status = EXIT_USAGE;
	if (status != EXIT_GOOD) {
		hs_source_close(source);
		return status;
	}
	lo.program = hs_source_known(source)->program;
	lo.programs = hs_source_known(source)->programs;
	lo.guest = hs_source_known(source)->guest;
	if (lo.format != HS_LISTING_PC && o->jobs > 1 && !limits_memory())
		hs_program_start_lines(lo.program);
	if (lo.format != HS_LISTING_PC &&
	    hs_disasm_new(&hs_program_image(lo.program)->isa, &disasm, &e) != HS_OK)
		complain("%s; instructions are shown as bytes", e.text);
	lo.disasm = disasm;
	lo.colour = wants_colour(stdout);
	lo.show_name = wants_short_names(stdout) ? short_name : NULL;
	lo.function = o->range.of.function;
	lo.limit = own.limit;
	lo.threads = (uint32_t)o->jobs;
	lo.any_thread = true;
	lo.time = o->source.clock;
	lo.clock_hz = own.clock_hz;
	if (o->source.threads <= 1)
		hs_source_refer_paths(source);
	widen_pipe(STDOUT_FILENO);
	if (lo.written_size && o->range.last)
		status = writes_skip(o, source, &lo);
	if (status == EXIT_GOOD && hs_listing_new(&lo, &listing) == HS_OK) {
		status = list_all(source, listing, &own, &lo);
		hs_listing_free(listing);
		if (!o->quiet)
			capture_note(source);
		note_hidden_sources(source);
	} else if (status == EXIT_GOOD) {
		complain("out of memory");
		status = EXIT_USAGE;
	}
	hs_disasm_free(disasm);
	hs_source_close(source);
	return status;
}
