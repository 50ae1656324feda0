/* Listings for programs: objects, one a line, as JSON lines or in an array. */
#include <hartscope/status.h>

#include "core/access.h"
#include "listing/private.h"

#define INLINED_SHOWN 16u /* functions in each other */

static void print_string(struct hs_listing *l, const char *text)
{
	char quoted[LISTING_NAME_SIZE];

	hs_json_string(quoted, sizeof(quoted), text);
	listing_say(l, quoted);
}

/* One that a line may have many of. */
static void print_short(struct hs_listing *l, const char *text)
{
	char quoted[1024];

	hs_json_string(quoted, sizeof(quoted), text);
	listing_say(l, quoted);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Functions that were inlined, the outermost first, and where they are called from. */
static void print_inlined(struct hs_listing *l, const struct hs_place *p)
{
	listing_say(l, ",\"inlined\":[");
	for (size_t n = 0; n < p->inlined_count && n < INLINED_SHOWN; n++) {
		const struct hs_program_inlined *i = &p->inlined[n];

		listing_say(l, n ? ",{\"function\":" : "{\"function\":");
		print_short(l, i->function);
		if (i->file) {
			listing_say(l, ",\"call_file\":");
			print_short(l, i->file);
			listing_print(l, ",\"call_line\":%d", i->line);
		}
		listing_say(l, "}");
	}
	listing_say(l, "]");
	if (p->inlined_count > INLINED_SHOWN)
		listing_print(l, ",\"inlined_left_out\":%zu", p->inlined_count - INLINED_SHOWN);
}

static void begin_item(struct hs_listing *l)
{
	if (l->o.format == HS_LISTING_LINES)
		listing_say(l, l->first_item ? "{" : "\n{");
	else
		listing_say(l, l->first_item ? "[\n{" : ",\n{");
	l->first_item = false;
}

/* Members of the object of an access. */
static void print_data(struct hs_listing *l, const struct hs_access *a)
{
	listing_print(l, "\"access\":\"%s\",\"bytes\":%u", hs_access_name(a->type),
	              1u << a->size);
	if (a->known & HS_ACCESS_HAS_ADDRESS)
		listing_print(l, ",\"address\":\"0x%llx\"", (unsigned long long)a->address);
	if (a->known & HS_ACCESS_HAS_DATA)
		listing_print(l, ",\"data\":\"0x%llx\"", (unsigned long long)a->data);
	if (a->known & HS_ACCESS_HAS_OPERAND)
		listing_print(l, ",\"operand\":\"0x%llx\"", (unsigned long long)a->operand);
}

static void print_stray(struct hs_listing *l, const struct hs_access *data)
{
	begin_item(l);
	listing_say(l, "\"event\":\"data\",");
	print_data(l, data);
	listing_say(l, "}");
}

static void print_time(struct hs_listing *l)
{
	char text[LISTING_TIME_SIZE];

	if (!l->when.timed)
		return;
	if (l->o.clock_hz)
		listing_time(l, text);
	else
		hs_json_u64(text, l->when.time);
	listing_print(l, ",\"%s\":%s", l->o.clock_hz ? "seconds" : "time", text);
}

/* All accesses of an instruction that made several, the first one again. */
static void print_more(struct hs_listing *l, const struct hs_access *data)
{
	if (l->data.shown_n < 2)
		return;
	listing_say(l, ",\"accesses\":[");
	for (unsigned i = 0; i < l->data.shown_n; i++) {
		listing_say(l, i ? ",{" : "{");
		print_data(l, &data[i]);
		listing_say(l, "}");
	}
	listing_say(l, "]");
}

static void print_insn(struct hs_listing *l, const struct listed_insn *i,
		       const struct hs_block *last, const struct hs_access *data)
{
	char offset[HS_JSON_NUMBER];

	begin_item(l);
	listing_print(l, "\"hart\":%u,\"pc\":\"", l->select.hart);
	listing_put_hex(l, i->addr);
	listing_print(l, "\",\"size\":%u,\"text\":", 2u * i->hwords);
	print_string(l, i->text);
	if (i->place.function) {
		listing_say(l, ",\"function\":");
		print_string(l, i->place.function);
		hs_json_u64(offset, i->place.offset);
		listing_say(l, ",\"offset\":");
		listing_say(l, offset);
	}
	if (i->place.symbol && i->place.symbol != i->place.function) {
		listing_say(l, ",\"symbol\":");
		print_string(l, i->place.symbol);
	}
	if (i->place.object) {
		listing_say(l, ",\"library\":");
		print_string(l, base_of(i->place.object));
	}
	if (i->place.inlined_count)
		print_inlined(l, &i->place);
	if (i->place.file) {
		listing_say(l, ",\"file\":");
		print_string(l, i->place.file);
		listing_print(l, ",\"line\":%d", i->place.line);
	}
	if (i->has_target) {
		listing_say(l, ",\"target\":\"");
		listing_put_hex(l, i->target_addr);
		listing_say(l, "\"");
	}
	if (last && last->itype) {
		listing_say(l, ",\"end\":\"");
		listing_say(l, hs_itype_name(last->itype));
		listing_say(l, "\"");
	}
	if (last) {
		l->when.at = l->out_n;
		print_time(l);
	}
	if (l->o.written_size && l->o.numbers) {
		hs_json_u64(offset, l->passed - 1);
		listing_say(l, ",\"instruction\":");
		listing_say(l, offset);
	}
	if (data) {
		listing_say(l, ",\"data\":{");
		print_data(l, data);
		listing_say(l, "}");
		print_more(l, data);
	}
	listing_say(l, "}");
}

static void print_event(struct hs_listing *l, const struct hs_block *b)
{
	char text[256];

	listing_event_text(l, b, text, sizeof(text));
	begin_item(l);
	listing_print(l, "\"event\":\"%s\",\"text\":", hs_kind_name(b->kind));
	print_string(l, text);
	listing_print(l, ",\"value\":\"0x%llx\",\"arg\":%u,\"code\":%u}",
	              (unsigned long long)b->value,
	              b->arg, b->itype);
}

static void end_array(struct hs_listing *l)
{
	listing_say(l, l->first_item ? "[]\n" : "\n]\n");
}

static void end_lines(struct hs_listing *l)
{
	if (!l->first_item)
		listing_say(l, "\n");
}

const struct listing_format listing_json = { .insn = print_insn,
	                                     .time = print_time,
	                                     .names_harts = true,
	                                     .event = print_event,
	                                     .stray = print_stray,
	                                     .end = end_array };

const struct listing_format listing_lines = { .insn = print_insn,
	                                      .time = print_time,
	                                      .names_harts = true,
	                                      .event = print_event,
	                                      .stray = print_stray,
	                                      .end = end_lines };
