/* hartscope explain: why the encoder sent a message. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/record.h>
#include <hartscope/status.h>

#include "commands/dump.h"

struct explain_options {
	struct options shared;
	const char *rows; /* of the ingress port; NULL: none */
};

/* clang-format off */
static const struct option_row port_row[] = {
	{ "--rows", 0, "FILE",
	  "the rows of the ingress port that were traced, as export --format port-csv writes "
	  "them: also in which cycle and slot each block was",
	  AS_TEXT(struct explain_options, rows) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "explain",
	.form = "[--rows FILE] [--json] [--elf FILE]... [--set NAME=VALUE]... TRACE OFFSET",
	.text = "Explains the message that has the byte OFFSET: its fields with bytes and bits, the\n"
		"rules by which the encoder sent it and chose its values, each with its clause, the blocks\n"
		"that led to it, and where the hart stands after it.  The trace is decoded from its start up\n"
		"to the message, for which it needs its program.  With --rows each block also has the\n"
		"cycle and slot of the ingress port in which it retired.",
	.example = "  hartscope explain app.nt 0x1d\n"
		   "  hartscope explain --rows rows.csv app.nt 0x1d\n"
		   "  hartscope explain --json --elf app.elf capture.bin 4096",
	.often = "--rows --elf --protocol --set --auto --json",
	.options = OPTIONS(OPTIONS_TRACE, ROWS(options_names), ROWS(options_xlen), ROWS(port_row),
	                   ROWS(options_json), ROWS(options_reading)),
	.min_args = 2,
	.max_args = 2,
};

typedef unsigned long long ull;

struct explain {
	const struct hs_protocol *protocol;
	struct led_reader reader;
	struct hs_followed led;
	struct led_blocks blocks;
	struct hs_message m;
	struct hs_port_rows *rows;                           /* --rows; NULL: not asked for */
	struct hs_port_span span;                            /* of the last item */
	struct hs_port_span first[LED_KEPT], last[LED_KEPT]; /* of the blocks */
	struct hs_error rows_error;
};

/* --rows: an item of the trace, before it is kept. */
static void take_rows(void *of, const struct hs_block *b)
{
	struct explain *x = of;
	const uint64_t i = x->blocks.count;

	x->span.any = false;
	if (x->rows_error.status == HS_OK)
		hs_port_rows_take(x->rows, b, &x->span, &x->rows_error);
	if (b->kind != HS_KIND_BLOCK || !x->reader.kept)
		return;
	if (i < LED_KEPT)
		x->first[i] = x->span;
	else
		x->last[i % LED_KEPT] = x->span;
}

static const struct hs_port_span *last_span(const struct explain *x, unsigned index)
{
	const struct led_blocks *k = &x->blocks;

	return &x->last[(k->count - led_blocks_last(k) + index) % LED_KEPT];
}

/* ---- text ------------------------------------------------------------------------- */

static void text_rules(const struct explain *x)
{
	struct hs_explanation why[HS_EXPLANATIONS];
	const unsigned n = hs_message_explain(x->protocol, &x->m, why);

	puts("\nwhy");
	for (unsigned i = 0; i < n; i++) {
		const struct hs_message_field *f = why[i].field;
		char what[80], text[600];

		if (!f)
			snprintf(what, sizeof(what), "%s", x->m.name);
		else
			snprintf(what, sizeof(what), f->address ? "%s=0x%llx" : "%s=%llu", f->name,
			         (ull)f->value);
		snprintf(text, sizeof(text), "%s (%s)", why[i].rule->text, why[i].rule->clause);
		usage_row(stdout, what, 26, text);
	}
	if (!n)
		puts("  no rule of the text is known for it");
}

/* In which cycle and slot it began and ended. */
static void text_span(const struct hs_port_span *s)
{
	if (!s->any)
		return;
	printf("      cycle %llu, slot %u", (ull)s->first.cycle, s->first.slot);
	if (s->first.cycle != s->last.cycle || s->first.slot != s->last.slot)
		printf(", to cycle %llu, slot %u", (ull)s->last.cycle, s->last.slot);
	printf(s->first.line == s->last.line ? " (line %llu)\n" : " (lines %llu to %llu)\n",
	       (ull)s->first.line, (ull)s->last.line);
}

static void text_block(const struct explain *x, const struct hs_block *b,
                       const struct hs_port_span *s)
{
	char name[LED_NAME] = "";

	hs_follower_name(x->reader.follower, &x->led, b->iaddr, name, sizeof(name));
	printf("  0x%llx .. 0x%llx  %u half-word%s, %s%s%s%s\n", (ull)b->iaddr, (ull)led_source(b),
	       b->iretire, b->iretire == 1 ? "" : "s", hs_itype_name(b->itype), *name ? "  <" : "",
	       name, *name ? ">" : "");
	text_span(s);
}

static void text_blocks(const struct explain *x)
{
	const struct led_blocks *k = &x->blocks;

	printf("\nblocks that it ended: %llu\n", (ull)k->count);
	for (unsigned i = 0; i < led_blocks_first(k); i++)
		text_block(x, &k->first[i], &x->first[i]);
	if (led_blocks_left_out(k))
		printf("  ... %llu more: hartscope list --from byte:0x%llx --to byte:0x%llx\n",
		       (ull)led_blocks_left_out(k), (ull)x->m.offset,
		       (ull)x->m.offset + x->m.length);
	for (unsigned i = 0; i < led_blocks_last(k); i++)
		text_block(x, led_blocks_get_last(k, i), last_span(x, i));
}

static void text_state(const struct explain *x)
{
	const struct hs_followed *l = &x->led;
	char name[LED_NAME] = "";

	puts("\nafter it");
	if (l->has_pc) {
		hs_follower_name(x->reader.follower, l, l->pc, name, sizeof(name));
		printf("  next instruction   0x%llx%s%s%s\n", (ull)l->pc, *name ? " <" : "", name,
		       *name ? ">" : "");
		if (l->pc != l->next)
			printf("  block not ended    from 0x%llx\n", (ull)l->next);
	} else {
		puts("  next instruction   not known: no message has synchronised yet");
	}
	printf("  hart               %u\n", l->hart);
	if (l->has_time)
		printf("  time               %llu\n", (ull)l->time);
	if (l->error.status != HS_OK)
		printf("  contradiction      %s\n", l->error.text);
}

static void show_text(const struct explain *x)
{
	lines_fold();
	dump_print(&dump_styles[DUMP_TEXT],
	           &(struct dump_line){ &x->m, true, &x->reader, &x->led });
	text_rules(x);
	text_blocks(x);
	text_state(x);
}

/* ---- JSON ------------------------------------------------------------------------- */

static void json_rules(const struct explain *x)
{
	struct hs_explanation why[HS_EXPLANATIONS];
	const unsigned n = hs_message_explain(x->protocol, &x->m, why);
	char text[1024];

	printf(",\"why\":[");
	for (unsigned i = 0; i < n; i++) {
		printf("%s{", i ? "," : "");
		if (why[i].field)
			printf("\"field\":\"%s\",\"value\":\"%llu\",", why[i].field->name,
			       (ull)why[i].field->value);
		hs_json_string(text, sizeof(text), why[i].rule->text);
		printf("\"clause\":\"%s\",\"text\":%s}", why[i].rule->clause, text);
	}
	putchar(']');
}

static void json_group(const char *name, const struct hs_port_group *g)
{
	char cycle[HS_JSON_NUMBER], line[HS_JSON_NUMBER];

	hs_json_u64(cycle, g->cycle);
	hs_json_u64(line, g->line);
	printf(",\"%s\":{\"cycle\":%s,\"slot\":%u,\"line\":%s}", name, cycle, g->slot, line);
}

static void json_block(const struct hs_block *b, const struct hs_port_span *s, bool first)
{
	printf("%s{\"start\":\"0x%llx\",\"last\":\"0x%llx\",\"halfwords\":%u,\"itype\":%u",
	       first ? "" : ",", (ull)b->iaddr, (ull)led_source(b), b->iretire, b->itype);
	if (s->any) {
		json_group("firstRow", &s->first);
		json_group("lastRow", &s->last);
	}
	putchar('}');
}

static void show_json(const struct explain *x)
{
	const struct led_blocks *k = &x->blocks;
	char number[HS_JSON_NUMBER], text[1024];

	printf("{\"message\":");
	dump_print(&dump_styles[DUMP_JSON],
	           &(struct dump_line){ &x->m, true, &x->reader, &x->led });
	json_rules(x);
	printf(",\"blocks\":[");
	for (unsigned i = 0; i < led_blocks_first(k); i++)
		json_block(&k->first[i], &x->first[i], i == 0);
	for (unsigned i = 0; i < led_blocks_last(k); i++)
		json_block(led_blocks_get_last(k, i), last_span(x, i), false);
	hs_json_u64(number, led_blocks_left_out(k));
	printf("],\"blocksLeftOut\":%s", number);
	if (x->led.error.status != HS_OK) {
		hs_json_string(text, sizeof(text), x->led.error.text);
		printf(",\"contradiction\":%s", text);
	}
	puts("}");
}

/* ---- the command ------------------------------------------------------------------ */

/* Read up to the message that has the byte @offset. */
static enum hs_status find_message(struct explain *x, struct hs_source *source, uint64_t offset,
                                   struct hs_error *e)
{
	enum hs_status s;

	do {
		x->m = (struct hs_message){ 0 };
		s = hs_source_message(source, &x->m, e);
		if (s == HS_OK && x->m.offset + x->m.length <= offset)
			led_follow(&x->reader, x->m.offset + x->m.length, &x->led);
	} while (s != HS_END && s != HS_E_SYSTEM &&
	         (s != HS_OK || x->m.offset + x->m.length <= offset));
	if (s == HS_OK && x->m.offset <= offset)
		return HS_OK;
	if (s == HS_E_SYSTEM)
		return s;
	return hs_error_set(e, HS_E_NOTHING, "no message has the byte 0x%llx", (ull)offset);
}

static int explain_message(struct explain *x, struct hs_source *source, const struct options *o,
                           uint64_t offset)
{
	struct hs_error e;

	x->protocol = hs_source_known(source)->protocol;
	if (find_message(x, source, offset, &e) != HS_OK)
		return fail(&e);
	x->reader.kept = &x->blocks;
	led_follow(&x->reader, x->m.offset + x->m.length, &x->led);
	if (x->rows_error.status != HS_OK)
		return fail(&x->rows_error);
	(o->json ? show_json : show_text)(x);
	return x->led.error.status == HS_OK ? EXIT_GOOD : EXIT_DAMAGED;
}

/* --rows.  False: after a complaint. */
static bool open_rows(struct explain *x, const char *path, int *status)
{
	struct hs_program *program = hs_source_known(x->reader.source)->program;
	struct hs_error e;

	if (!path)
		return true;
	x->reader.item = take_rows;
	x->reader.of = x;
	if (hs_port_rows_open(path, hs_program_image(program)->isa.xlen, &x->rows, &e) == HS_OK)
		return true;
	*status = fail(&e);
	return false;
}

int cmd_explain(int argc, char **argv)
{
	static struct explain x;
	struct explain_options own = { .rows = NULL };
	struct options *o = &own.shared;
	struct hs_source *source;
	uint64_t offset;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	if (!read_number("OFFSET", o->args[1], UINT64_MAX, &offset))
		return EXIT_USAGE;
	if (refuse_recording(o->args[0], "encode it first, or list it"))
		return EXIT_USAGE;
	const uint64_t from =
		offset > 2 * HS_SOURCE_MESSAGE_BYTES ? offset - 2 * HS_SOURCE_MESSAGE_BYTES : 0;

	if (!led_open(&x.reader, o, o->args[0], from, &status))
		return status;
	o->source.no_code = !hs_source_names_code(&o->source);
	source = open_rows(&x, own.rows, &status) ? open_argument(o, &status) : NULL;
	if (source)
		status = explain_message(&x, source, o, offset);
	hs_source_close(source);
	led_close(&x.reader);
	hs_port_rows_close(x.rows);
	return status;
}
