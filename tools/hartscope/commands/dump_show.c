/* hartscope dump: how a message is printed. */
#include <hartscope/status.h>

#include "commands/dump.h"

/* Bytes in hexadecimal, the first one first. */
static void put_bytes(struct lines *to, const uint8_t *bytes, uint32_t n, const char *between)
{
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			lines_text(to, between);
		lines_byte(to, bytes[i]);
	}
}

/* The bytes, and of each field the byte and bit at which it begins and how many bits it has. */
static void text_wire(struct lines *to, const struct hs_message *m)
{
	const char *before = "\n          bits   ";

	lines_text(to, "          bytes  ");
	put_bytes(to, m->bytes, m->length, " ");
	for (unsigned i = 0; i < m->count; i++) {
		const struct hs_message_field *f = &m->field[i];

		if (!f->bits.count)
			continue;
		lines_text(to, before);
		lines_text(to, f->name);
		lines_char(to, ' ');
		lines_decimal(to, f->bits.at / 8u);
		lines_char(to, '.');
		lines_decimal(to, f->bits.at % 8u);
		lines_char(to, '+');
		lines_decimal(to, f->bits.count);
		before = ", ";
	}
	lines_char(to, '\n');
}

static void text_name(struct lines *to, const struct hs_message *m)
{
	const size_t from = to->n;

	lines_text(to, m->name);
	lines_put(to, " (", 2);
	lines_text(to, m->clause ? m->clause : "");
	lines_char(to, ')');
	lines_pad(to, from, 34);
}

static void text_fields(struct lines *to, const struct hs_message *m)
{
	for (unsigned i = 0; i < m->count; i++) {
		const struct hs_message_field *f = &m->field[i];

		lines_char(to, ' ');
		lines_text(to, f->name);
		if (f->address) {
			lines_put(to, "=0x", 3);
			lines_hex(to, f->value, 1);
		} else {
			lines_char(to, '=');
			lines_decimal(to, f->value);
		}
	}
}

static void text_message(struct lines *to, const struct dump_line *line)
{
	const struct hs_message *m = line->m;

	lines_hex(to, m->offset, 8);
	lines_put(to, "  ", 2);
	lines_number(to, m->length, 2, false);
	lines_put(to, "  ", 2);
	if (m->has_source) {
		lines_put(to, "src ", 4);
		lines_number(to, m->source, 3, true);
		lines_put(to, "  ", 2);
	}
	text_name(to, m);
	text_fields(to, m);
	if (m->payload_bits) {
		lines_text(to, " payload=");
		put_bytes(to, m->payload, (m->payload_bits + 7) / 8, "");
	}
	lines_char(to, '\n');
	if (line->wire && m->bytes)
		text_wire(to, m);
	if (line->reader)
		led_text(to, line->reader, line->led);
}

/* "text": */
static void put_key(struct lines *to, const char *text)
{
	lines_char(to, '"');
	lines_text(to, text);
	lines_put(to, "\":", 2);
}

static void json_wire(struct lines *to, const struct hs_message *m)
{
	const char *before = "";

	lines_text(to, ",\"bytes\":\"");
	put_bytes(to, m->bytes, m->length, "");
	lines_text(to, "\",\"bits\":{");
	for (unsigned i = 0; i < m->count; i++) {
		const struct hs_message_field *f = &m->field[i];

		if (!f->bits.count)
			continue;
		lines_text(to, before);
		put_key(to, f->name);
		lines_char(to, '[');
		lines_decimal(to, f->bits.at);
		lines_char(to, ',');
		lines_decimal(to, f->bits.count);
		lines_char(to, ']');
		before = ",";
	}
	lines_char(to, '}');
}

/* A value of a field: a string, since it may have any 64 bits (design/output). */
static void put_value(struct lines *to, uint64_t value)
{
	lines_char(to, '"');
	lines_decimal(to, value);
	lines_char(to, '"');
}

static void json_head(struct lines *to, const struct hs_message *m)
{
	lines_text(to, "{\"offset\":");
	lines_decimal(to, m->offset);
	lines_text(to, ",\"length\":");
	lines_decimal(to, m->length);
	if (m->has_source) {
		lines_text(to, ",\"src\":");
		lines_decimal(to, m->source);
	}
	lines_text(to, ",\"code\":");
	lines_decimal(to, m->code);
	lines_text(to, ",\"name\":\"");
	lines_text(to, m->name);
	lines_text(to, "\",\"clause\":\"");
	lines_text(to, m->clause ? m->clause : "");
}

static void json_message(struct lines *to, const struct dump_line *line)
{
	const struct hs_message *m = line->m;

	json_head(to, m);
	lines_text(to, "\",\"fields\":{");
	for (unsigned i = 0; i < m->count; i++) {
		if (i)
			lines_char(to, ',');
		put_key(to, m->field[i].name);
		put_value(to, m->field[i].value);
	}
	lines_char(to, '}');
	if (m->payload_bits) {
		lines_text(to, ",\"payload_bits\":");
		lines_decimal(to, m->payload_bits);
		lines_text(to, ",\"payload\":\"");
		put_bytes(to, m->payload, (m->payload_bits + 7) / 8, "");
		lines_char(to, '"');
	}
	if (line->wire && m->bytes)
		json_wire(to, m);
	if (line->reader) {
		lines_print(to);
		led_json(line->reader, line->led);
	}
	lines_char(to, '}');
}

static void text_error(struct lines *to, const struct hs_error *e)
{
	lines_put(to, "; ", 2);
	lines_text(to, e->text);
	lines_char(to, '\n');
}

static void json_error(struct lines *to, const struct hs_error *e)
{
	char text[1024];

	hs_json_string(text, sizeof(text), e->text);
	lines_text(to, "{\"error\":\"");
	lines_text(to, hs_status_name(e->status));
	lines_text(to, "\",\"text\":");
	lines_text(to, text);
	lines_char(to, '}');
}

static void text_buffer(const struct hs_perf_lane *l)
{
	printf("; buffer of %s %u", l->cpu != HS_PERF_NONE ? "CPU" : "thread",
	       l->cpu != HS_PERF_NONE ? l->cpu : l->tid);
	if (l->source)
		printf(", source 0x%x", l->source);
	putchar('\n');
}

static void json_buffer(const struct hs_perf_lane *l)
{
	printf("{\"buffer\":{\"%s\":%u", l->cpu != HS_PERF_NONE ? "cpu" : "thread",
	       l->cpu != HS_PERF_NONE ? l->cpu : l->tid);
	if (l->source)
		printf(",\"source\":%u", l->source);
	fputs("}}", stdout);
}

static void text_part(const struct hs_source_part *p)
{
	printf("; source 0x%x, hart %u\n", p->id, p->hart);
}

static void json_part(const struct hs_source_part *p)
{
	printf("{\"part\":{\"id\":%u,\"hart\":%u}}", p->id, p->hart);
}

static void text_assumed(const char *assumed)
{
	printf("; assumed: %s\n", assumed);
}

static void json_assumed(const char *assumed)
{
	printf("{\"assumed\":\"%s\"}", assumed);
}

void dump_print(const struct dump_style *style, const struct dump_line *line)
{
	struct lines text = { .text = NULL };

	style->message(&text, line);
	lines_print(&text);
	lines_free(&text);
}

const struct dump_style dump_styles[] = {
	{ "", "", "", text_message, text_error, text_assumed, text_buffer, text_part },
	{ "[\n", ",\n", "\n]\n", json_message, json_error, json_assumed, json_buffer, json_part },
	{ "", "\n", "\n", json_message, json_error, json_assumed, json_buffer, json_part },
};
