/* hartscope dump: the messages of a trace. */
#include <stdlib.h>
#include <string.h>

#include "commands/dump.h"

#define AROUND 10u
#define AROUND_MAX 10000u

/* Which messages, by their bytes. */
enum message_place { MESSAGES_ALL, MESSAGES_AT, MESSAGES_FROM, MESSAGES_AROUND };

struct dump_options {
	struct options shared;
	const char *itc;
	enum message_place place;
	uint64_t offset;
	uint64_t limit; /* 0: as many as there are, or of MESSAGES_AROUND 10 */
	bool wire, resolve;
};

static bool parse_place(void *options, const struct option_row *r, char *value)
{
	struct dump_options *o = options;

	if (o->place != MESSAGES_ALL) {
		complain("of --at, --from and --around one may be given");
		return false;
	}
	o->place = (enum message_place)r->arg;
	return read_number(r->name, value, UINT64_MAX, &o->offset);
}

/* clang-format off */
static const struct option_row message_rows[] = {
	{ "--at", 0, "OFFSET", "only the message that has this byte",
	  PARSED(parse_place), .arg = MESSAGES_AT },
	{ "--from", 0, "OFFSET", "begin with the first message there or after it",
	  PARSED(parse_place), .arg = MESSAGES_FROM },
	{ "--around", 0, "OFFSET",
	  "the message there, with 10 before and after it, or as many as --limit",
	  PARSED(parse_place), .arg = MESSAGES_AROUND },
	{ "--limit", 0, "N", "stop after N messages",
	  AS_PARSED(struct dump_options, limit, option_limit) },
	{ "--wire", 0, NULL, "also the bytes of each message, and where each field is in them",
	  AS_FLAG(struct dump_options, wire) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "dump",
	.form = "[--at OFFSET] [--wire] [--resolve] [--json] [--itc FILE] [--set NAME=VALUE]... TRACE",
	.text = "Shows each message of a trace: offset, length in bytes, source, name with the clause that\n"
		"defines it, and fields.  No program is needed; with one, addresses of E-Trace have the width of\n"
		"its harts.  A first line '; assumed: NAME=VALUE...' names parameters that decide where fields\n"
		"are and that nothing gave.  '-' reads standard input.\n\n"
		"With --resolve the trace is also decoded, for which it needs its program: after each message\n"
		"comes a line 'flow' with the blocks that it ended, from the first instruction to the last one,\n"
		"how that ended, where the hart stands then, and the time.",
	.example = "  hartscope dump app.nt\n"
		   "  hartscope dump --wire --around 0x1d app.nt\n"
		   "  hartscope dump --resolve --elf app.elf app.nt\n"
		   "  hartscope dump --set trTeSrcBits=4 capture.bin\n"
		   "  hartscope dump --protocol etrace --set iaddress_width_p=32 capture.bin\n"
		   "  hartscope dump --auto --elf app.elf capture.bin",
	.often = "--protocol --set --auto --at --from --around --limit --wire --resolve --json",
	.options =
		OPTIONS(OPTIONS_TRACE, ROWS(message_rows),
	                ROWS_AT(options_resolve, struct dump_options, resolve), ROWS(options_xlen),
	                ROWS_AT(options_itc, struct dump_options, itc), ROWS(options_jobs),
	                ROWS(options_json), ROWS(options_terminal), ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
};

/* A message or an error, with what lives until the next one is read. */
struct item {
	enum hs_status status;
	struct hs_message m;
	struct hs_error e;
	struct hs_followed led; /* --resolve */
	uint8_t bytes[HS_SOURCE_MESSAGE_BYTES];
	uint8_t payload[HS_SOURCE_MESSAGE_BYTES];
};

struct dump {
	struct hs_source *source;
	const struct dump_style *style;
	const struct dump_options *which;
	struct itc_output itc;
	struct led_reader led;
	bool resolve;
	const char *before; /* goes before the next line */
	struct lines text;  /* of one message */
	bool whole; /* it is no trace of several sources or buffers: what follows says which one */
	struct hs_perf_lane lane;
	uint32_t part;
	struct item now, *kept; /* MESSAGES_AROUND: the last ones before it */
	uint64_t limit;         /* items to show, or of MESSAGES_AROUND to keep */
	uint64_t seen;          /* read, where they are kept */
	struct dump_counts counts;
	bool found;
	uint64_t after; /* items shown after the one that was looked for */
};

/* ---- printing --------------------------------------------------------------------- */

/* A source of several begins. */
static void begin_part(struct dump *d, const struct hs_source_part *p)
{
	if (p->hart == d->part)
		return;
	d->part = p->hart;
	fputs(d->before, stdout);
	d->before = d->style->between;
	d->style->part(p);
}

/* A buffer of a perf.data begins. */
static void begin_buffer(struct dump *d, const struct hs_perf_lane *l)
{
	if (l->cpu == d->lane.cpu && l->tid == d->lane.tid && l->source == d->lane.source)
		return;
	d->lane = *l;
	fputs(d->before, stdout);
	d->before = d->style->between;
	d->style->buffer(&d->lane);
}

/* Where another source or buffer begins: of a trace that has one, nothing is asked again. */
static void begin_piece(struct dump *d)
{
	if (d->whole)
		return;
	const struct hs_source_facts *known = hs_source_known(d->source);

	d->whole = !known->part && !known->lane;
	if (known->lane)
		begin_buffer(d, known->lane);
	if (known->part)
		begin_part(d, known->part);
}

bool dump_is_known(const struct hs_message *m)
{
	return strcmp(m->name, "Other") != 0 && strcmp(m->name, "Reserved") != 0;
}

/* --resolve: the decoder could not follow the message. */
static void show_led_error(struct dump *d, const struct hs_followed *l)
{
	if (!d->resolve || l->error.status == HS_OK)
		return;
	lines_text(&d->text, d->before);
	d->style->error(&d->text, &l->error);
	d->counts.errors++;
}

static void show_item(struct dump *d, const struct item *i)
{
	begin_piece(d);
	lines_text(&d->text, d->before);
	d->before = d->style->between;
	d->counts.shown++;
	if (i->status == HS_OK) {
		d->counts.known += dump_is_known(&i->m);
		d->style->message(&d->text,
		                  &(struct dump_line){ &i->m, d->which->wire,
		                                       d->resolve ? &d->led : NULL, &i->led });
		itc_put_message(&d->itc, &i->m);
		show_led_error(d, &i->led);
	} else {
		d->style->error(&d->text, &i->e);
		d->counts.errors++;
	}
	lines_print(&d->text);
}

static void show_assumed(struct dump *d)
{
	char assumed[400];

	if (!hs_trace_params_get_assumed(hs_source_known(d->source)->params, assumed,
	                                 sizeof(assumed)))
		return;
	fputs(d->before, stdout);
	d->before = d->style->between;
	d->style->assumed(assumed);
}

/* ---- which ones ------------------------------------------------------------------- */

static void keep_item(struct dump *d)
{
	struct item *to = &d->kept[d->seen++ % d->limit];

	*to = d->now;
	if (to->m.bytes)
		to->m.bytes = memcpy(to->bytes, d->now.m.bytes, d->now.m.length);
	if (to->m.payload)
		to->m.payload =
			memcpy(to->payload, d->now.m.payload, (d->now.m.payload_bits + 7) / 8);
}

static void show_kept(struct dump *d)
{
	const uint64_t n = d->seen < d->limit ? d->seen : d->limit;

	for (uint64_t i = d->seen - n; i < d->seen; i++)
		show_item(d, &d->kept[i % d->limit]);
}

/* Take the message that was read.  False: no other one is wanted. */
static bool take_message(struct dump *d)
{
	const struct dump_options *w = d->which;
	const bool reached = d->now.m.offset + d->now.m.length > w->offset;

	if (w->place == MESSAGES_AROUND && !d->found && !reached) {
		keep_item(d);
		return true;
	}
	if (w->place != MESSAGES_ALL && !d->found && !reached)
		return true;
	if (w->place == MESSAGES_AROUND && !d->found)
		show_kept(d);
	show_item(d, &d->now);
	if (w->place == MESSAGES_AROUND) {
		d->after += d->found;
		d->found = true;
		return d->after < d->limit;
	}
	d->found = true;
	return w->place != MESSAGES_AT && d->counts.shown < d->limit;
}

static enum hs_status dump_all(struct dump *d)
{
	enum hs_status s;

	do {
		d->now.m = (struct hs_message){ 0 };
		s = hs_source_message(d->source, &d->now.m, &d->now.e);
		d->now.status = s;
		if (d->resolve && s == HS_OK)
			led_follow(&d->led, d->now.m.offset + d->now.m.length, &d->now.led);
	} while (s != HS_END && s != HS_E_SYSTEM && !ferror(stdout) && take_message(d));
	return s;
}

/* The same where all of a file is shown and nothing else is made of it. */
static enum hs_status dump_in_pieces(struct dump *d, uint32_t threads)
{
	struct dump_join j = { .style = d->style, .wire = d->which->wire };

	j.first = d->before == d->style->begin;
	const enum hs_status s = dump_pieces(&j, d->source, threads, &d->now.e);

	if (!j.first)
		d->before = d->style->between;
	d->counts = j.counts;
	return s;
}

/* Threads that read a file of which all is shown; 0: messages are read one by one, as a pipe is,
 * whose messages are shown when they come. */
static uint32_t readers(const struct dump *d, const struct options *o)
{
	return d->which->place == MESSAGES_ALL && d->limit == UINT64_MAX && !d->resolve &&
	                       !d->itc.file && dump_can_cut(d->source, o->args[0])
	               ? o->source.threads
	               : 0;
}

/* Prints all; false after something that is not there. */
static bool dump_source(struct dump *d, uint32_t threads)
{
	const struct dump_style *style = d->style;

	d->before = style->begin;
	show_assumed(d);
	const enum hs_status s = threads ? dump_in_pieces(d, threads) : dump_all(d);

	if (d->before == style->begin)
		fputs(d->before, stdout);
	if (d->before != style->begin || *style->begin)
		fputs(style->end, stdout);
	if (s == HS_E_SYSTEM || s == HS_E_MEMORY)
		complain("%s", d->now.e.text);
	else if (d->which->place != MESSAGES_ALL && !d->found)
		complain("no message is at offset 0x%llx or after it",
		         (unsigned long long)d->which->offset);
	else
		return true;
	return false;
}

static bool begin_dump(struct dump *d, const struct dump_options *own)
{
	const struct options *o = &own->shared;
	const bool around = own->place == MESSAGES_AROUND;

	d->style = &dump_styles[!o->json ? DUMP_TEXT : o->json_array ? DUMP_JSON_ARRAY : DUMP_JSON];
	if (!o->json)
		lines_fold();
	d->which = own;
	d->lane = (struct hs_perf_lane){ .cpu = HS_PERF_NONE, .tid = HS_PERF_NONE };
	d->part = UINT32_MAX;
	d->limit = own->limit ? own->limit : around ? AROUND : UINT64_MAX;
	if (!around)
		return true;
	if (d->limit > AROUND_MAX) {
		complain("--around: --limit is %u at most", AROUND_MAX);
		return false;
	}
	d->kept = calloc(d->limit, sizeof(*d->kept));
	if (!d->kept)
		complain("out of memory");
	return d->kept != NULL;
}

/* --resolve: from where on it must be known what each message leads to. */
static uint64_t first_byte(const struct dump *d)
{
	const struct dump_options *w = d->which;
	const uint64_t before = w->place == MESSAGES_AROUND ? d->limit + 2 : 2;
	const uint64_t bytes = before * HS_SOURCE_MESSAGE_BYTES;

	return w->offset > bytes ? w->offset - bytes : 0;
}

static int dump_trace(struct dump *d, struct options *o)
{
	int status = EXIT_GOOD;

	d->resolve = d->which->resolve;
	if (d->resolve && !led_open(&d->led, o, o->args[0], first_byte(d), &status))
		return status;
	o->source.no_code = !hs_source_names_code(&o->source); /* for widths of addresses */
	d->source = open_argument(o, &status);
	if (!d->source) {
		led_close(&d->led);
		return status;
	}
	bool good = dump_source(d, readers(d, o));

	good &= itc_close(&d->itc);
	capture_note(d->source);
	hs_source_close(d->source);
	led_close(&d->led);
	const struct dump_counts *c = &d->counts;

	if (c->errors)
		complain("%llu error%s", (unsigned long long)c->errors, c->errors == 1 ? "" : "s");
	if (c->errors && c->known * 2 < c->shown)
		hint_of_file(o->args[0]);
	else
		hint_of_unread(c->errors, c->shown);
	return c->errors || !good ? EXIT_DAMAGED : EXIT_GOOD;
}

int cmd_dump(int argc, char **argv)
{
	static struct dump d;
	struct dump_options own = { .place = MESSAGES_ALL };
	struct options *o = &own.shared;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	if (refuse_recording(o->args[0], "encode it first, or list it"))
		return EXIT_USAGE;
	if (!begin_dump(&d, &own) || !itc_open(&d.itc, own.itc))
		return EXIT_USAGE;
	status = dump_trace(&d, o);
	free(d.kept);
	lines_free(&d.text);
	return status;
}
