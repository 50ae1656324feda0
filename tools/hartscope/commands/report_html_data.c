/* The data of a page: JSON and packed numbers (report_html.h). */
#include <string.h>

#include <hartscope/status.h>

#include "commands/report_html.h"

void html_string(struct html_out *o, const char *text)
{
	char quoted[8192];

	hs_json_string(quoted, sizeof(quoted), text);
	for (const char *c = quoted; *c; c++)
		if (*c == '<') /* no "</script>" or "<!--" */
			fputs("\\u003c", o->f);
		else
			fputc(*c, o->f);
}

void html_key(struct html_out *o, const char *key)
{
	fputs(",\n", o->f);
	html_string(o, key);
	fputc(':', o->f);
}

void html_number(struct html_out *o, const char *key, uint64_t value)
{
	html_key(o, key);
	fprintf(o->f, "%llu", (unsigned long long)value);
}

static void put_group(struct html_out *o)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned v = (unsigned)o->group[0] << 16 | (unsigned)o->group[1] << 8 | o->group[2];
	char text[5] = { digits[v >> 18], digits[v >> 12 & 63], '=', '=', '\0' };

	if (o->n > 1)
		text[2] = digits[v >> 6 & 63];
	if (o->n > 2)
		text[3] = digits[v & 63];
	fputs(text, o->f);
	memset(o->group, 0, sizeof(o->group));
	o->n = 0;
}

static void put_byte(struct html_out *o, uint8_t byte)
{
	o->group[o->n++] = byte;
	if (o->n == 3)
		put_group(o);
}

void html_pack(struct html_out *o)
{
	fputc('"', o->f);
	o->n = 0;
	memset(o->group, 0, sizeof(o->group));
}

void html_put(struct html_out *o, uint64_t value)
{
	for (; value > 127; value >>= 7)
		put_byte(o, (uint8_t)(value | 128));
	put_byte(o, (uint8_t)value);
}

void html_pack_end(struct html_out *o)
{
	if (o->n)
		put_group(o);
	fputc('"', o->f);
}
