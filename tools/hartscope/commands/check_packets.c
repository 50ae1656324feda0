/* hartscope check --packets: two traces message by message. */
#include "commands/check.h"
#include "common/led.h"

typedef unsigned long long ull;

struct packets {
	struct options *options;
	bool resolve; /* what the first difference led to */
	struct check_side side[2];
	struct hs_messages_result result;
};

/* ---- showing ---------------------------------------------------------------------- */

static void value_text(const struct hs_message_field *f, char *text, size_t size)
{
	snprintf(text, size, !f ? "-" : f->address ? "0x%llx" : "%llu", f ? (ull)f->value : 0);
}

static void show_field(struct report *r, const struct hs_message *m, const struct hs_field_pair *p)
{
	const struct hs_message_field *f = p->a ? p->a : p->b;
	char value[2][24], clause[80];

	value_text(p->a, value[0], sizeof(value[0]));
	value_text(p->b, value[1], sizeof(value[1]));
	hs_message_clause(m, f->clause, clause, sizeof(clause));
	report_row(r);
	if (!r->json)
		fprintf(r->f, "  %-12s  %-18s  %-18s  %s%s", f->name, value[0], value[1], clause,
		        p->same ? "" : "  <- differs");
	report_text(r, "field", NULL, f->name);
	if (r->json && p->a)
		report_value(r, "a", p->a->value);
	if (r->json && p->b)
		report_value(r, "b", p->b->value);
	report_text(r, "clause", NULL, clause);
	if (r->json)
		report_bool(r, "same", NULL, p->same);
	report_row_end(r);
}

static void show_fields(struct report *r, const struct hs_messages_result *p)
{
	const struct hs_message *a = &p->side[0].message, *b = &p->side[1].message;

	report_list(r, "fields", "  field         A                   B                   clause");
	for (unsigned i = 0; i < p->pair_count; i++)
		show_field(r, p->pairs[i].a ? a : b, &p->pairs[i]);
	report_list_end(r);
}

static void show_before(struct report *r, const struct hs_messages_result *p)
{
	const uint64_t n = p->messages < HS_CHECK_MESSAGES ? p->messages : HS_CHECK_MESSAGES;
	char text[HS_CHECK_MESSAGE];

	report_list(r, "before", "the equal messages before it, at their offsets in A");
	for (uint64_t i = HS_CHECK_MESSAGES - n; i < HS_CHECK_MESSAGES; i++) {
		snprintf(text, sizeof(text), "%8llx  %s", (ull)p->before[i].offset,
		         p->before[i].text);
		report_row(r);
		report_text(r, "message", "", text);
		report_row_end(r);
	}
	report_list_end(r);
}

/* --resolve: where the message of one side leads, and when. */
static void show_led(struct report *r, const struct led_reader *reader, const struct hs_followed *l,
                     bool b)
{
	char name[LED_NAME];

	if (l->blocks)
		report_hex(r, b ? "sourceB" : "sourceA",
		           b ? "instruction in B" : "instruction in A", led_source(&l->last));
	if (l->has_pc)
		report_hex(r, b ? "addressB" : "addressA", b ? "leads to in B" : "leads to in A",
		           l->next);
	if (l->has_pc && hs_follower_name(reader->follower, l, l->next, name, sizeof(name)))
		report_text(r, b ? "functionB" : "functionA", b ? "function in B" : "function in A",
		            name);
	if (l->has_time)
		report_u64(r, b ? "timeB" : "timeA", b ? "time in B" : "time in A", l->time);
	if (l->error.status != HS_OK)
		report_text(r, b ? "errorB" : "errorA", b ? "error in B" : "error in A",
		            l->error.text);
}

/* False: after a complaint. */
static bool resolve_side(struct report *r, const struct packets *p, unsigned which)
{
	const struct hs_check_side *s = &p->result.side[which];
	const struct hs_message *m = &s->message;
	const uint64_t back = 2 * HS_SOURCE_MESSAGE_BYTES;
	struct led_reader reader;
	struct hs_followed l;
	int status;

	if (s->status != HS_OK)
		return true;
	p->options->source.no_code = false;
	if (!led_open(&reader, p->options, p->side[which].path,
	              m->offset > back ? m->offset - back : 0, &status))
		return false;
	if (m->offset)
		led_follow(&reader, m->offset, &l);
	led_follow(&reader, m->offset + m->length, &l);
	show_led(r, &reader, &l, which == 1);
	led_close(&reader);
	return true;
}

static void show_difference(struct report *r, const struct packets *p)
{
	report_text(r, "firstDifference", "first difference", p->result.difference);
	for (unsigned i = 0; i < 2; i++)
		if (p->result.side[i].status == HS_OK)
			report_hex(r, i ? "offsetB" : "offsetA", i ? "offset in B" : "offset in A",
			           p->result.side[i].message.offset);
	if (p->resolve && resolve_side(r, p, 0))
		resolve_side(r, p, 1);
	show_fields(r, &p->result);
	show_before(r, &p->result);
}

static int show(const struct packets *p, bool json)
{
	const struct hs_messages_result *m = &p->result;
	const int good = m->errors ? EXIT_DAMAGED : EXIT_GOOD;
	struct report r;

	if (!json && m->equal) {
		printf("equal: %llu messages, %llu bytes\n", (ull)m->messages, (ull)m->bytes);
		return good;
	}
	if (!json)
		printf("different: A is %s, B is %s\n", p->side[0].path, p->side[1].path);
	report_begin(&r, stdout, json);
	report_bool(&r, "equal", NULL, m->equal);
	report_u64(&r, "messages", "equal messages", m->messages);
	report_u64(&r, "bytes", "equal bytes", m->bytes);
	if (!m->equal)
		show_difference(&r, p);
	report_end(&r);
	return m->equal ? good : EXIT_FINDINGS;
}

/* ---- the command ------------------------------------------------------------------ */

static bool may_compare(const struct options *o, bool gaps)
{
	if (gaps || o->job.parts || o->range.given || o->source.one_hart || o->source.select) {
		complain(
			"--packets compares all messages: not with --gaps, --part, --from, --hart or "
			"other choices of blocks");
		return false;
	}
	for (unsigned i = 0; i < 2; i++)
		if (refuse_recording(o->args[i], "--packets compares two traces"))
			return false;
	return true;
}

static bool open_sides(struct packets *p, const struct options *o, int *status)
{
	struct hs_error e;

	for (unsigned i = 0; i < 2; i++) {
		p->side[i].path = o->args[i];
		if (open_source(o, o->args[i], &p->side[i].source, &e) != HS_OK) {
			*status = fail(&e);
			return false;
		}
	}
	if (hs_source_known(p->side[0].source)->protocol ==
	    hs_source_known(p->side[1].source)->protocol)
		return true;
	complain("A is %s, B is %s: --packets compares messages of one protocol",
	         hs_source_known(p->side[0].source)->protocol->name,
	         hs_source_known(p->side[1].source)->protocol->name);
	*status = EXIT_USAGE;
	return false;
}

static void note_error(void *to, const struct hs_error *e)
{
	(void)to;
	complain("A and B: %s", e->text);
}

int check_packets(struct options *o, bool gaps, bool resolve)
{
	struct packets p = { .options = o, .resolve = resolve };
	struct hs_error e = { 0 };
	int status = EXIT_USAGE;

	if (!may_compare(o, gaps))
		return status;
	o->source.no_code = !hs_source_names_code(&o->source); /* for widths of addresses */
	if (open_sides(&p, o, &status))
		status = hs_check_messages(p.side[0].source, p.side[1].source, note_error, NULL,
		                           &p.result, &e) == HS_OK
		                 ? show(&p, o->json)
		                 : fail(&e);
	hs_source_close(p.side[0].source);
	hs_source_close(p.side[1].source);
	return status;
}
