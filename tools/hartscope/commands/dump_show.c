/* hartscope dump: how a message is printed. */
#include <hartscope/json.h>

#include "commands/dump.h"

/* Bytes in hexadecimal, the first one first. */
static void print_bytes(const uint8_t *bytes, uint32_t n, const char *between)
{
	for (uint32_t i = 0; i < n; i++)
		printf("%s%02x", i ? between : "", bytes[i]);
}

/* The bytes, and of each field the byte and bit at which it begins and how many bits it has. */
static void text_wire(const struct hs_message *m)
{
	const char *before = "\n          bits   ";

	fputs("          bytes  ", stdout);
	print_bytes(m->bytes, m->length, " ");
	for (unsigned i = 0; i < m->count; i++) {
		const struct hs_message_field *f = &m->field[i];

		if (!f->bits.count)
			continue;
		printf("%s%s %u.%u+%u", before, f->name, f->bits.at / 8u, f->bits.at % 8u,
		       f->bits.count);
		before = ", ";
	}
	putchar('\n');
}

static void text_message(const struct dump_line *line)
{
	const struct hs_message *m = line->m;
	char name[64];

	printf("%8llx  %2u  ", (unsigned long long)m->offset, m->length);
	if (m->has_source)
		printf("src %-3u  ", m->source);
	snprintf(name, sizeof(name), "%s (%s)", m->name, m->clause ? m->clause : "");
	printf("%-34s", name);
	for (unsigned i = 0; i < m->count; i++)
		printf(m->field[i].address ? " %s=0x%llx" : " %s=%llu", m->field[i].name,
		       (unsigned long long)m->field[i].value);
	if (m->payload_bits) {
		fputs(" payload=", stdout);
		print_bytes(m->payload, (m->payload_bits + 7) / 8, "");
	}
	putchar('\n');
	if (line->wire && m->bytes)
		text_wire(m);
	if (line->reader)
		led_text(line->reader, line->led);
}

static void json_wire(const struct hs_message *m)
{
	const char *before = "";

	fputs(",\"bytes\":\"", stdout);
	print_bytes(m->bytes, m->length, "");
	fputs("\",\"bits\":{", stdout);
	for (unsigned i = 0; i < m->count; i++) {
		const struct hs_message_field *f = &m->field[i];

		if (!f->bits.count)
			continue;
		printf("%s\"%s\":[%u,%u]", before, f->name, f->bits.at, f->bits.count);
		before = ",";
	}
	putchar('}');
}

static void json_message(const struct dump_line *line)
{
	const struct hs_message *m = line->m;
	char number[HS_JSON_NUMBER];

	hs_json_u64(number, m->offset);
	printf("{\"offset\":%s,\"length\":%u,", number, m->length);
	if (m->has_source)
		printf("\"src\":%u,", m->source);
	printf("\"code\":%u,\"name\":\"%s\",\"clause\":\"%s\",\"fields\":{", m->code, m->name,
	       m->clause ? m->clause : "");
	for (unsigned i = 0; i < m->count; i++) {
		hs_json_u64(number, m->field[i].value);
		printf("%s\"%s\":%s", i ? "," : "", m->field[i].name, number);
	}
	putchar('}');
	if (m->payload_bits) {
		printf(",\"payload_bits\":%u,\"payload\":\"", m->payload_bits);
		print_bytes(m->payload, (m->payload_bits + 7) / 8, "");
		putchar('"');
	}
	if (line->wire && m->bytes)
		json_wire(m);
	if (line->reader)
		led_json(line->reader, line->led);
	putchar('}');
}

static void text_error(const struct hs_error *e)
{
	printf("; %s\n", e->text);
}

static void json_error(const struct hs_error *e)
{
	char text[1024];

	hs_json_string(text, sizeof(text), e->text);
	printf("{\"error\":\"%s\",\"text\":%s}", hs_status_name(e->status), text);
}

static void text_buffer(const struct hs_perf_lane *l)
{
	printf("; buffer of %s %u\n", l->cpu != HS_PERF_NONE ? "CPU" : "thread",
	       l->cpu != HS_PERF_NONE ? l->cpu : l->tid);
}

static void json_buffer(const struct hs_perf_lane *l)
{
	printf("{\"buffer\":{\"%s\":%u}}", l->cpu != HS_PERF_NONE ? "cpu" : "thread",
	       l->cpu != HS_PERF_NONE ? l->cpu : l->tid);
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

const struct dump_style dump_styles[] = {
	{ "", "", "", text_message, text_error, text_assumed, text_buffer, text_part },
	{ "[\n", ",\n", "\n]\n", json_message, json_error, json_assumed, json_buffer, json_part },
	{ "", "\n", "\n", json_message, json_error, json_assumed, json_buffer, json_part },
};
