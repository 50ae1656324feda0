/* hartscope list: executed instructions. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/listing.h>

#include "common/tool.h"

static const struct usage usage = {
	.name = "list",
	.form = "[--format pc] [--itc FILE] [--elf FILE]... REC|FLOW|TRACE",
	.text =
	"Lists executed instructions: address, bytes and disassembly, with a line in front where\n"
	"the function or the source line changes.  Events (gaps, traps, where the trace starts and\n"
	"stops) are lines that begin with ';'.  '-' reads a trace from standard input.",
	.example = "  hartscope list --limit 40 app.rec\n"
		   "  hartscope list --last 100 app.rec\n"
		   "  hartscope list --elf app.elf --set trTeInstMode=htm capture.bin\n"
		   "  hartscope list --only sh --mode U --files root --limit 1000 linux.rec\n"
		   "  hartscope list --format pc app.rec | sort | uniq -c",
	.set = OPT_JSON | OPT_PROTOCOL | OPT_CODE | OPT_PROCESS | OPT_GUEST | OPT_HART |
	       OPT_AUTO | OPT_RANGE |
	       OPT_FORMAT | OPT_TRANSPORT | OPT_CAPTURE | OPT_ITC |
	       OPT_CYCLES | OPT_TIME,
	.min_args = 1,
	.max_args = 1,
};

static bool to_stdout(void *context, const void *text, size_t n)
{
	(void)context;
	return write_all(STDOUT_FILENO, text, n);
}

static bool format_of(struct options *o, enum hs_listing_format *format)
{
	const char *name = o->format ? o->format : o->json ? "json" : "text";

	if (strcmp(name, "text") == 0)
		*format = HS_LISTING_TEXT;
	else if (strcmp(name, "pc") == 0)
		*format = HS_LISTING_PC;
	else if (strcmp(name, "json") == 0)
		*format = HS_LISTING_JSON;
	else
		complain("no format '%s'; there is: text, pc, json", name);
	return strcmp(name, "text") == 0 || strcmp(name, "pc") == 0 || strcmp(name, "json") == 0;
}

struct job {
	struct hs_listing *listing;
	enum hs_status status; /* what the listing said last */
	struct itc_output itc;
};

static bool list_blocks(void *to, const struct hs_block *b, size_t n)
{
	struct job *j = to;

	itc_put_blocks(&j->itc, b, n);
	j->status = hs_listing_add(j->listing, b, n);
	return j->status == HS_OK;
}

static int list_all(struct hs_source *source, struct hs_listing *listing, const char *itc,
                    bool quiet)
{
	struct job job = { listing, HS_OK, { 0 } };
	const struct block_taker taker = { "listing", quiet, list_blocks, &job };
	struct damage damage = { 0 };
	struct hs_error e = { 0 };

	if (!itc_open(&job.itc, itc))
		return EXIT_USAGE;
	if (read_blocks(&taker, source, &damage) || job.status == HS_END)
		job.status = hs_listing_end(listing);
	if (hs_listing_unmapped(listing)) {
		hs_error_set(&e, HS_E_NOCODE,
		             "the code of %llu blocks is not known; give the program "
		             "with --elf",
		             (unsigned long long)hs_listing_unmapped(listing));
		damage_add(&damage, &e, HS_REASON_NONE);
	}
	if (!itc_close(&job.itc) || job.status == HS_E_SYSTEM)
		return EXIT_USAGE;
	return damage_exit(&damage);
}

/* --to as a limit.  False: it does not go with the others, or nothing is between. */
static bool take_range(struct options *o)
{
	const uint64_t n = o->to > o->from ? o->to - o->from : 0;

	if (o->last && (o->from || o->to)) {
		complain("--last stands without --from and --to");
		return false;
	}
	if (!o->to)
		return true;
	if (!n)
		complain("--to %llu is not after --from %llu", (unsigned long long)o->to,
		         (unsigned long long)o->from);
	o->limit = o->limit && o->limit < n ? o->limit : n;
	return n != 0;
}

static bool discard(void *context, const struct hs_block *b, size_t n)
{
	const enum hs_status s = hs_listing_add(context, b, n);

	return s == HS_OK;
}

/* Count all instructions, as @lo would list them. */
static bool count_all(struct hs_source *source, const struct hs_listing_options *lo,
                      uint64_t *count)
{
	struct hs_listing_options counting = *lo;
	struct damage damage = { 0 };
	struct hs_listing *l;

	counting.format = HS_LISTING_PC;
	counting.skip = UINT64_MAX;
	if (hs_listing_new(&counting, &l) != HS_OK)
		return false;
	const struct block_taker taker = { "counting", true, discard, l };
	const bool good = read_blocks(&taker, source, &damage);

	*count = hs_listing_count(l);
	hs_listing_free(l);
	return good && hs_source_rewind(source, NULL) == HS_OK;
}

/* What the index of the trace has before instruction o->from, or before the last ones that are
 * wanted; false: it has no index of its own. */
static bool look_up(struct options *o, uint64_t fingerprint, struct hs_trace_index_entry *entry)
{
	uint64_t total = 0;
	struct hs_span file;

	if (!fingerprint || !trace_index_read(o->args[0], &file))
		return false;
	enum hs_status s = hs_trace_index_find(&file, fingerprint, o->from, entry, &total);

	if (o->last && (s == HS_OK || s == HS_END)) {
		o->from = total > o->last ? total - o->last : 0;
		o->last = 0;
		s = hs_trace_index_find(&file, fingerprint, o->from, entry, NULL);
	}
	free((void *)(uintptr_t)file.p);
	return s == HS_OK;
}

/* Go to the first instruction that is wanted, or near it.  *entry: where the source stands then; at
 * its start nothing is in it. */
static bool seek(struct options *o, struct hs_source *source, const struct hs_listing_options *lo,
                 struct hs_trace_index_entry *entry)
{
	const bool wanted = (o->from || o->last) && !o->function;
	uint64_t total;

	*entry = (struct hs_trace_index_entry){ .instructions = 0 };
	if (wanted && look_up(o, hs_source_fingerprint(source), entry)) {
		if (hs_source_seek(source, &entry->place, NULL) == HS_OK)
			return true;
		*entry = (struct hs_trace_index_entry){ .instructions = 0 };
		return hs_source_rewind(source, NULL) == HS_OK;
	}
	if (!o->last)
		return true;
	if (!count_all(source, lo, &total))
		return false;
	o->from = total > o->last ? total - o->last : 0;
	return true;
}

int cmd_list(int argc, char **argv)
{
	struct hs_listing_options lo = { .size = sizeof(lo), .write = to_stdout };
	struct hs_source *source;
	struct hs_listing *listing;
	struct hs_disasm *disasm = NULL;
	struct hs_trace_index_entry entry;
	struct hs_error e = { 0 };
	struct options o;
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status) || !format_of(&o, &lo.format) ||
	    !take_range(&o))
		return status;
	o.source.names = lo.format != HS_LISTING_PC || o.function;
	o.source.versions = true;
	source = open_argument(&o, &status);
	if (!source)
		return status;
	lo.program = hs_source_program(source);
	lo.programs = hs_source_programs(source);
	lo.guest = hs_source_guest(source);
	if (lo.format != HS_LISTING_PC &&
	    hs_disasm_new(&hs_program_image(lo.program)->isa, &disasm, &e) != HS_OK)
		complain("%s; instructions are shown as bytes", e.text);
	lo.disasm = disasm;
	lo.colour = wants_colour(stdout);
	lo.function = o.function;
	if (!seek(&o, source, &lo, &entry))
		complain("%s: cannot be read from its start again", o.args[0]);
	lo.before = entry.instructions;
	lo.skip = o.from;
	lo.limit = o.limit;
	lo.time = o.source.clock;
	lo.clock_hz = o.clock_hz;
	if (hs_listing_new(&lo, &listing) == HS_OK) {
		if (entry.context.kind == HS_KIND_CONTEXT)
			hs_listing_add(listing, &entry.context, 1);
		status = list_all(source, listing, o.itc, isatty(STDOUT_FILENO));
		hs_listing_free(listing);
		capture_note(source);
	} else {
		complain("out of memory");
	}
	hs_disasm_free(disasm);
	hs_source_close(source);
	return status;
}
