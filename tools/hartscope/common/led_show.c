/* What a message led to, in words and as JSON. */
#include <hartscope/status.h>
#include <hartscope/views.h>

#include "common/led.h"

typedef unsigned long long ull;

/* "0x1058c main+0x12" */
static void address_text(const struct led_reader *r, const struct hs_followed *l, uint64_t addr,
                         char *text, size_t size)
{
	char name[LED_NAME], plain[2 * LED_NAME] = "";

	if (hs_follower_name(r->follower, l, addr, name, sizeof(name)))
		hs_text_escape(plain, sizeof(plain), name);
	snprintf(text, size, "0x%llx%s%s", (ull)addr, plain[0] ? " " : "", plain);
}

static void put_address(struct lines *to, const struct led_reader *r, const struct hs_followed *l,
                        const char *before, uint64_t addr)
{
	char text[3 * LED_NAME];

	address_text(r, l, addr, text, sizeof(text));
	lines_text(to, before);
	lines_text(to, text);
}

static void put_blocks(struct lines *to, const struct led_reader *r, const struct hs_followed *l)
{
	if (!l->blocks)
		return;
	put_address(to, r, l, "", l->first.iaddr);
	put_address(to, r, l, " .. ", led_source(&l->last));
	if (l->last.itype != HS_ITYPE_NONE) {
		lines_char(to, ' ');
		lines_text(to, hs_itype_name(l->last.itype));
	}
	lines_char(to, ' ');
}

static void put_count(struct lines *to, const char *before, uint64_t count, const char *after)
{
	lines_text(to, before);
	lines_decimal(to, count);
	lines_text(to, after);
}

void led_text(struct lines *to, const struct led_reader *r, const struct hs_followed *l)
{
	char event[200];

	lines_text(to, "          flow   ");
	put_blocks(to, r, l);
	if (l->has_pc)
		put_address(to, r, l, l->blocks ? "-> " : "at ", l->next);
	else
		lines_text(to, "not known");
	if (l->pc != l->next)
		put_address(to, r, l, " up to ", l->pc);
	if (l->blocks) {
		put_count(to, ", ", l->blocks, l->blocks == 1 ? " block" : " blocks");
		put_count(to, " of ", l->halfwords, " half-words");
	}
	if (l->harts > 1)
		put_count(to, ", hart ", l->hart, "");
	if (l->has_time)
		put_count(to, ", time ", l->time, "");
	if (l->event.kind != HS_KIND_BLOCK) {
		hs_event_text(&l->event, event, sizeof(event));
		lines_text(to, "; ");
		lines_text(to, event);
	}
	lines_char(to, '\n');
}

static void json_u64(const char *key, uint64_t value)
{
	char number[HS_JSON_NUMBER];

	hs_json_u64(number, value);
	printf(",\"%s\":%s", key, number);
}

/* "source":"0x1058c","sourceName":"main+0x12" */
static void json_address(const struct led_reader *r, const struct hs_followed *l, const char *key,
                         uint64_t addr)
{
	char name[LED_NAME], quoted[3 * LED_NAME];

	printf(",\"%s\":\"0x%llx\"", key, (ull)addr);
	if (!hs_follower_name(r->follower, l, addr, name, sizeof(name)))
		return;
	hs_json_string(quoted, sizeof(quoted), name);
	printf(",\"%sName\":%s", key, quoted);
}

void led_json(const struct led_reader *r, const struct hs_followed *l)
{
	char event[200], quoted[400];

	printf(",\"flow\":{\"hart\":%u", l->hart);
	json_u64("blocks", l->blocks);
	json_u64("halfwords", l->halfwords);
	if (l->blocks) {
		json_address(r, l, "first", l->first.iaddr);
		json_address(r, l, "source", led_source(&l->last));
		printf(",\"itype\":%u,\"end\":\"%s\"", l->last.itype, hs_itype_name(l->last.itype));
	}
	if (l->has_pc)
		json_address(r, l, "destination", l->next);
	if (l->has_pc)
		json_address(r, l, "pc", l->pc);
	if (l->has_time)
		json_u64("time", l->time);
	if (l->event.kind != HS_KIND_BLOCK) {
		hs_event_text(&l->event, event, sizeof(event));
		hs_json_string(quoted, sizeof(quoted), event);
		printf(",\"event\":%s", quoted);
	}
	putchar('}');
}
