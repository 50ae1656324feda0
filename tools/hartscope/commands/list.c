/* hartscope list: executed instructions. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/listing.h>

#include "common/position.h"

#define AROUND 20u /* instructions on either side */

static const struct usage usage = {
	.name = "list",
	.form = "[--format pc] [--itc FILE] [--elf FILE]... REC|FLOW|TRACE",
	.text =
	"Lists executed instructions: address, bytes and disassembly, with a line in front where\n"
	"the function or the source line changes.  Events (gaps, traps, where the trace starts and\n"
	"stops) are lines that begin with ';'.  '-' reads a trace from standard input.",
	.example = "  hartscope list --limit 40 app.rec\n"
		   "  hartscope list --last 100 app.rec\n"
		   "  hartscope list --around parse_line@3 app.rec\n"
		   "  hartscope list --from time:40000 --to time:41000 --elf app.elf app.nt\n"
		   "  hartscope list --elf app.elf --set trTeInstMode=htm capture.bin\n"
		   "  hartscope list --only sh --mode U --files root --limit 1000 linux.rec\n"
		   "  hartscope list --format pc app.rec | sort | uniq -c",
	.set = OPT_JSON | OPT_PROTOCOL | OPT_CODE | OPT_PROCESS | OPT_GUEST | OPT_HART | OPT_AUTO |
	       OPT_RANGE | OPT_FORMAT | OPT_TRANSPORT | OPT_CAPTURE | OPT_ITC | OPT_CYCLES |
	       OPT_TIME | OPT_NAMES,
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

/* What is to be listed, in instructions. */
struct range {
	uint64_t from, limit; /* limit 0: up to the end */
};

/* The places of --from, --to and --around, which may be NULL. */
struct positions {
	struct position from, to, around;
};

static bool parse_positions(const struct options *o, struct positions *p)
{
	if (o->last && (o->from || o->to)) {
		complain("--last stands without --from and --to");
		return false;
	}
	if (o->around && (o->from || o->to || o->last)) {
		complain("--around stands without --from, --to and --last");
		return false;
	}
	return (!o->from || position_parse("--from", o->from, &p->from)) &&
	       (!o->to || position_parse("--to", o->to, &p->to)) &&
	       (!o->around || position_parse("--around", o->around, &p->around));
}

/* How many instructions are before a position. */
static bool find_one(struct hs_source *source, const struct options *o, const struct position *at,
                     uint64_t *n)
{
	if (at->kind == POSITION_INSTRUCTION) {
		*n = at->value;
		return true;
	}
	if (!position_find(source, o->args[0], at, n))
		return false;
	if (hs_source_rewind(source, NULL) == HS_OK)
		return true;
	complain("%s: cannot be read from its start again", o->args[0]);
	return false;
}

static bool find_range(struct hs_source *source, const struct options *o, const struct positions *p,
                       struct range *r)
{
	uint64_t to = 0, at = 0;

	*r = (struct range){ .limit = o->limit };
	if (o->around) {
		r->limit = o->limit ? o->limit : 2 * AROUND + 1;
		if (!find_one(source, o, &p->around, &at))
			return false;
		r->from = at > r->limit / 2 ? at - r->limit / 2 : 0;
		return true;
	}
	if ((o->from && !find_one(source, o, &p->from, &r->from)) ||
	    (o->to && !find_one(source, o, &p->to, &to)))
		return false;
	if (!o->to)
		return true;
	if (to <= r->from) {
		complain("--to %s is not after --from %s", o->to, o->from ? o->from : "0");
		return false;
	}
	r->limit = r->limit && r->limit < to - r->from ? r->limit : to - r->from;
	return true;
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

/* Go to the first instruction that is wanted, or near it.  *before: instructions that are before
 * where the source stands then. */
static bool seek(const struct options *o, struct hs_source *source, struct range *r,
                 const struct hs_listing_options *lo, uint64_t *before)
{
	struct hs_trace_index_entry entry = { .instructions = 0 };
	uint64_t total = UINT64_MAX;

	if ((r->from || o->last) && !o->function)
		index_seek(source, o->args[0], HS_TRACE_INDEX_INSTRUCTIONS, r->from, &entry,
		           &total);
	if (o->last && total == UINT64_MAX && !count_all(source, lo, &total))
		return false;
	if (o->last) {
		r->from = total > o->last ? total - o->last : 0;
		if (!o->function)
			index_seek(source, o->args[0], HS_TRACE_INDEX_INSTRUCTIONS, r->from, &entry,
			           &total);
	}
	*before = entry.instructions;
	return true;
}

int cmd_list(int argc, char **argv)
{
	struct hs_listing_options lo = { .size = sizeof(lo), .write = to_stdout };
	struct hs_source *source;
	struct hs_listing *listing;
	struct hs_disasm *disasm = NULL;
	struct positions positions = { 0 };
	struct range range;
	struct hs_error e = { 0 };
	struct options o;
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status) || !format_of(&o, &lo.format) ||
	    !parse_positions(&o, &positions))
		return status;
	o.source.names = lo.format != HS_LISTING_PC || o.function ||
	                 positions.from.kind == POSITION_FUNCTION ||
	                 positions.to.kind == POSITION_FUNCTION ||
	                 positions.around.kind == POSITION_FUNCTION;
	o.source.versions = true;
	if (positions.from.kind == POSITION_BYTE || positions.to.kind == POSITION_BYTE ||
	    positions.around.kind == POSITION_BYTE)
		o.source.threads = 1; /* which bytes the items come from */
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
	if (!find_range(source, &o, &positions, &range)) {
		hs_disasm_free(disasm);
		hs_source_close(source);
		return EXIT_FINDINGS;
	}
	if (!seek(&o, source, &range, &lo, &lo.before))
		complain("%s: cannot be read from its start again", o.args[0]);
	lo.skip = range.from;
	lo.limit = range.limit;
	lo.time = o.source.clock;
	lo.clock_hz = o.clock_hz;
	if (hs_listing_new(&lo, &listing) == HS_OK) {
		status = list_all(source, listing, o.itc, isatty(STDOUT_FILENO));
		if (o.function && hs_listing_count(listing) == lo.before) {
			complain("no function that ran is called '%s'", o.function);
			status = status ? status : EXIT_FINDINGS;
		}
		hs_listing_free(listing);
		capture_note(source);
	} else {
		complain("out of memory");
	}
	hs_disasm_free(disasm);
	hs_source_close(source);
	return status;
}
