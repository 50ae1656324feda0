/* hartscope check --packets: two traces message by message. */
#include <string.h>

#include "commands/check_packets.h"
#include "common/led.h"

#define BEFORE 5u /* equal messages that are shown before a difference */
#define FIELDS_TEXT 512u

typedef unsigned long long ull;

/* One of the two traces, and what was read of it last. */
struct side {
	const char *path;
	struct hs_source *source;
	struct hs_message m;
	struct hs_error e;
	enum hs_status status;
};

struct packets {
	struct options *options;
	bool resolve; /* what the first difference led to */
	struct side side[2];
	uint64_t equal, bytes; /* messages, and of them the bytes of the first trace */
	uint64_t errors;       /* places that no side can read */
	char before[BEFORE][FIELDS_TEXT];
};

static const char *const names[2] = { "A", "B" };

/* ---- reading ---------------------------------------------------------------------- */

static void read_side(struct side *s)
{
	s->m = (struct hs_message){ 0 };
	s->status = hs_source_message(s->source, &s->m, &s->e);
}

static bool same_bits(const uint8_t *a, const uint8_t *b, size_t n)
{
	return a == b || (a && b && memcmp(a, b, n) == 0);
}

static bool same_fields(const struct hs_message *a, const struct hs_message *b)
{
	struct hs_field_pair pairs[HS_FIELD_PAIRS + 1];
	struct hs_message_field sources[2];
	unsigned i = hs_message_compare(a, b, pairs);

	for (i += hs_message_compare_source(a, b, sources, &pairs[i]); i; i--)
		if (!pairs[i - 1].same)
			return false;
	return true;
}

/* Bytes are compared where both are known; those of a message that is very long are not. */
static bool same_message(const struct hs_message *a, const struct hs_message *b)
{
	if (a->length != b->length || strcmp(a->name, b->name) != 0 || !same_fields(a, b))
		return false;
	if (a->bytes && b->bytes)
		return memcmp(a->bytes, b->bytes, a->length) == 0;
	return a->payload_bits == b->payload_bits &&
	       same_bits(a->payload, b->payload, (a->payload_bits + 7) / 8);
}

static bool is_same(const struct packets *p)
{
	const struct side *a = &p->side[0], *b = &p->side[1];

	return a->status == b->status && (a->status != HS_OK || same_message(&a->m, &b->m));
}

static bool is_end(const struct side *s)
{
	return s->status == HS_END || s->status == HS_E_SYSTEM;
}

static void count_equal(struct packets *p)
{
	const struct side *a = &p->side[0];
	char *text = p->before[p->equal % BEFORE];

	if (a->status != HS_OK) {
		p->errors++;
		complain("A and B: %s", a->e.text);
		return;
	}
	snprintf(text, FIELDS_TEXT, "%8llx  ", (ull)a->m.offset);
	hs_message_text(&a->m, text + strlen(text), FIELDS_TEXT - strlen(text));
	p->equal++;
	p->bytes += a->m.length;
}

/* Read up to the first difference.  False: there is none. */
static bool find_difference(struct packets *p)
{
	for (;;) {
		for (unsigned i = 0; i < 2; i++)
			read_side(&p->side[i]);
		if (!is_same(p))
			return true;
		if (is_end(&p->side[0]))
			return false;
		count_equal(p);
	}
}

/* ---- showing ---------------------------------------------------------------------- */

static void difference_text(const struct packets *p, char *text, size_t size)
{
	const struct side *a = &p->side[0], *b = &p->side[1];
	const unsigned ended = a->status == HS_END ? 0 : b->status == HS_END ? 1 : 2;
	const unsigned bad = a->status != HS_OK ? 0 : 1;

	if (a->status == HS_OK && b->status == HS_OK)
		hs_message_difference(&a->m, &b->m, names, text, size);
	else if (ended < 2 && p->side[!ended].status == HS_OK)
		snprintf(text, size, "%s: %s sends %s, and %s ends", p->side[!ended].m.clause,
		         names[!ended], p->side[!ended].m.name, names[ended]);
	else
		snprintf(text, size, "%s cannot be read: %s", names[ended == bad ? !bad : bad],
		         p->side[ended == bad ? !bad : bad].e.text);
}

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

static void show_fields(struct report *r, const struct packets *p)
{
	const struct side *a = &p->side[0], *b = &p->side[1];
	static const struct hs_message none;
	struct hs_field_pair pairs[HS_FIELD_PAIRS + 1];
	struct hs_message_field sources[2];
	const struct hs_message *x = a->status == HS_OK ? &a->m : &none;
	const struct hs_message *y = b->status == HS_OK ? &b->m : &none;
	unsigned n = hs_message_compare(x, y, pairs);

	n += hs_message_compare_source(x, y, sources, &pairs[n]);
	report_list(r, "fields", "  field         A                   B                   clause");
	for (unsigned i = 0; i < n; i++)
		show_field(r, pairs[i].a ? x : y, &pairs[i]);
	report_list_end(r);
}

static void show_before(struct report *r, const struct packets *p)
{
	const uint64_t from = p->equal > BEFORE ? p->equal - BEFORE : 0;

	report_list(r, "before", "the equal messages before it, at their offsets in A");
	for (uint64_t i = from; i < p->equal; i++) {
		report_row(r);
		report_text(r, "message", "", p->before[i % BEFORE]);
		report_row_end(r);
	}
	report_list_end(r);
}

/* --resolve: where the message of one side leads, and when. */
static void show_led(struct report *r, const struct led_reader *reader, const struct led *l, bool b)
{
	char name[LED_NAME];

	if (l->blocks)
		report_hex(r, b ? "sourceB" : "sourceA",
		           b ? "instruction in B" : "instruction in A", led_source(&l->last));
	if (l->has_pc)
		report_hex(r, b ? "addressB" : "addressA", b ? "leads to in B" : "leads to in A",
		           l->next);
	if (l->has_pc && led_name(reader, l, l->next, name, sizeof(name)))
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
	const struct side *s = &p->side[which];
	const uint64_t back = 2 * HS_SOURCE_MESSAGE_BYTES;
	struct led_reader reader;
	struct led l;
	int status;

	if (s->status != HS_OK)
		return true;
	p->options->source.no_code = false;
	if (!led_open(&reader, p->options, s->path, s->m.offset > back ? s->m.offset - back : 0,
	              &status))
		return false;
	if (s->m.offset)
		led_follow(&reader, s->m.offset, &l);
	led_follow(&reader, s->m.offset + s->m.length, &l);
	show_led(r, &reader, &l, which == 1);
	led_close(&reader);
	return true;
}

static void show_difference(struct report *r, const struct packets *p)
{
	char text[1024];

	difference_text(p, text, sizeof(text));
	report_text(r, "firstDifference", "first difference", text);
	for (unsigned i = 0; i < 2; i++)
		if (p->side[i].status == HS_OK)
			report_hex(r, i ? "offsetB" : "offsetA", i ? "offset in B" : "offset in A",
			           p->side[i].m.offset);
	if (p->resolve && resolve_side(r, p, 0))
		resolve_side(r, p, 1);
	show_fields(r, p);
	show_before(r, p);
}

static int show(const struct packets *p, bool different, bool json)
{
	struct report r;

	if (!json && !different) {
		printf("equal: %llu messages, %llu bytes\n", (ull)p->equal, (ull)p->bytes);
		return p->errors ? EXIT_DAMAGED : EXIT_GOOD;
	}
	if (!json)
		printf("different: A is %s, B is %s\n", p->side[0].path, p->side[1].path);
	report_begin(&r, stdout, json);
	report_bool(&r, "equal", NULL, !different);
	report_u64(&r, "messages", "equal messages", p->equal);
	report_u64(&r, "bytes", "equal bytes", p->bytes);
	if (different)
		show_difference(&r, p);
	report_end(&r);
	return different ? EXIT_FINDINGS : p->errors ? EXIT_DAMAGED : EXIT_GOOD;
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
	if (hs_source_protocol(p->side[0].source) == hs_source_protocol(p->side[1].source))
		return true;
	complain("A is %s, B is %s: --packets compares messages of one protocol",
	         hs_source_protocol(p->side[0].source)->name,
	         hs_source_protocol(p->side[1].source)->name);
	*status = EXIT_USAGE;
	return false;
}

/* What the system could not read is no difference. */
static const struct hs_error *unread_side(const struct packets *p)
{
	for (unsigned i = 0; i < 2; i++)
		if (p->side[i].status == HS_E_SYSTEM || p->side[i].status == HS_E_MEMORY)
			return &p->side[i].e;
	return NULL;
}

int check_packets(struct options *o, bool gaps, bool resolve)
{
	struct packets p = { .options = o, .resolve = resolve };
	int status = EXIT_USAGE;

	if (!may_compare(o, gaps))
		return status;
	o->source.no_code = !o->source.code_count; /* it may say how wide addresses are */
	if (open_sides(&p, o, &status)) {
		const bool different = find_difference(&p);
		const struct hs_error *unread = unread_side(&p);

		status = unread ? fail(unread) : show(&p, different, o->json);
	}
	hs_source_close(p.side[0].source);
	hs_source_close(p.side[1].source);
	return status;
}
