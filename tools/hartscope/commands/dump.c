/* hartscope dump: the messages of a trace. */
#include <string.h>

#include <hartscope/json.h>

#include "common/tool.h"

static const struct usage usage = {
	.name = "dump",
	.form = "[--json] [--itc FILE] [--set NAME=VALUE]... TRACE",
	.text =
	"Shows each message of a trace: offset, length in bytes, source, name with the clause that\n"
	"defines it, and fields.  No program is needed; with one, addresses of E-Trace have the width of\n"
	"its harts.  A first line '; assumed: NAME=VALUE...' names parameters that decide where fields\n"
	"are and that nothing gave.  '-' reads standard input.",
	.example = "  hartscope dump app.nt\n"
		   "  hartscope dump --set trTeSrcBits=4 capture.bin\n"
		   "  hartscope dump --protocol etrace --set iaddress_width_p=32 capture.bin\n"
		   "  hartscope dump --auto --elf app.elf capture.bin",
	.set = OPT_JSON | OPT_PROTOCOL | OPT_CODE | OPT_PROCESS | OPT_TRANSPORT | OPT_CAPTURE |
	       OPT_ITC | OPT_AUTO,
	.min_args = 1,
	.max_args = 1,
};

/* Bytes in hexadecimal, the first one first. */
static void print_payload(const struct hs_message *m)
{
	for (uint32_t i = 0; i < (m->payload_bits + 7) / 8; i++)
		printf("%02x", m->payload[i]);
}

static void text_message(const struct hs_message *m)
{
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
		print_payload(m);
	}
	putchar('\n');
}

static void json_message(const struct hs_message *m)
{
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
		print_payload(m);
		putchar('"');
	}
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

/* How to print a stream of messages. */
static const struct style {
	const char *begin, *between, *end;
	void (*message)(const struct hs_message *m);
	void (*error)(const struct hs_error *e);
	void (*assumed)(const char *assumed);
	void (*buffer)(const struct hs_perf_lane *lane);
	void (*part)(const struct hs_source_part *part);
} styles[] = {
	{ "", "", "", text_message, text_error, text_assumed, text_buffer, text_part },
	{ "[\n", ",\n", "\n]\n", json_message, json_error, json_assumed, json_buffer,
	  json_part },
	{ "", "\n", "\n", json_message, json_error, json_assumed, json_buffer, json_part },
};

/* The source of a trace of several, where another one begins.  Returns what goes before the next
 * line. */
static const char *dump_part(const struct hs_source *source, const struct style *style,
                             const char *before, uint32_t *last)
{
	struct hs_source_part p;

	if (!hs_source_get_part(source, &p) || p.hart == *last)
		return before;
	*last = p.hart;
	fputs(before, stdout);
	style->part(&p);
	return style->between;
}

/* The buffer of a perf.data, where another one begins.  Returns what goes before the next line. */
static const char *dump_buffer(const struct hs_source *source, const struct style *style,
                               const char *before, struct hs_perf_lane *last)
{
	struct hs_perf_lane l;

	if (!hs_source_buffer(source, &l) || (l.cpu == last->cpu && l.tid == last->tid))
		return before;
	*last = l;
	fputs(before, stdout);
	style->buffer(&l);
	return style->between;
}

/* Has the message a meaning, as far as the protocol knows? */
static bool is_known(const struct hs_message *m)
{
	return strcmp(m->name, "Other") != 0 && strcmp(m->name, "Reserved") != 0;
}

static uint64_t dump_all(struct hs_source *source, const struct style *style,
                         struct itc_output *itc, const char *path)
{
	struct hs_message m = { 0 };
	struct hs_error e = { 0 };
	const char *before = style->begin;
	struct hs_perf_lane lane = { .cpu = HS_PERF_NONE, .tid = HS_PERF_NONE };
	uint32_t part = UINT32_MAX;
	char assumed[400];
	enum hs_status s;
	uint64_t errors = 0, known = 0, all = 0;

	if (hs_trace_params_get_assumed(hs_source_params(source), assumed, sizeof(assumed))) {
		fputs(before, stdout);
		before = style->between;
		style->assumed(assumed);
	}
	for (;;) {
		s = hs_source_message(source, &m, &e);
		if (s == HS_END || s == HS_E_SYSTEM || ferror(stdout))
			break;
		before = dump_buffer(source, style, before, &lane);
		before = dump_part(source, style, before, &part);
		fputs(before, stdout);
		before = style->between;
		all++;
		if (s == HS_OK) {
			known += is_known(&m);
			style->message(&m);
			itc_put_message(itc, &m);
		} else {
			style->error(&e);
			errors++;
		}
	}
	if (before == style->begin)
		fputs(before, stdout);
	if (before != style->begin || *style->begin)
		fputs(style->end, stdout);
	if (s == HS_E_SYSTEM) {
		complain("%s", e.text);
		errors++;
	}
	if (errors)
		complain("%llu error%s", (unsigned long long)errors, errors == 1 ? "" : "s");
	if (errors && known * 2 < all)
		hint_of_file(path);
	else
		hint_of_unread(errors, all);
	return errors;
}

int cmd_dump(int argc, char **argv)
{
	struct hs_source *source;
	struct options o;
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	o.source.no_code = !o.source.code_count; /* it may say how wide addresses are */
	if (hs_is_recording(o.args[0])) {
		complain("%s is a recording: encode it first, or list it", o.args[0]);
		return EXIT_USAGE;
	}
	struct itc_output itc;

	if (!itc_open(&itc, o.itc))
		return EXIT_USAGE;
	source = open_argument(&o, &status);
	if (!source)
		return status;
	uint64_t errors = dump_all(source, &styles[o.json ? 2 - o.json_array : 0], &itc, o.args[0]);

	errors += !itc_close(&itc);

	capture_note(source);
	hs_source_close(source);
	return errors ? EXIT_DAMAGED : EXIT_GOOD;
}
