/* Points in the interchange form of UCIS 1.0 (Accellera), in which coverage tools exchange counts:
 * an instance for each set of points, a coverpoint for each group, a bin for each point
 * (design/rtl). */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include <hartscope/status.h>

#include "encode/points_private.h"
#include "support/out.h"

/* An attribute; the form of &, <, > and " in XML 1.0. */
static void put_text(struct support_out *o, const char *name, const char *text)
{
	support_out_print(o, " %s=\"", name);
	for (const char *c = text; *c; c++) {
		if (strchr("&<>\"", *c))
			support_out_print(o, "&#%d;", *c);
		else
			support_out_print(o, "%c", *c);
	}
	support_out_print(o, "\"");
}

static void put_time(struct support_out *o, const char *name, time_t when)
{
	char text[40] = "1970-01-01T00:00:00Z";
	struct tm tm;

	if (gmtime_r(&when, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	put_text(o, name, text);
}

/* There is no source file: the form asks for one, and for a line of it. */
static void put_place(struct support_out *o, const char *element)
{
	support_out_print(o, "<%s file=\"1\" line=\"1\" inlineCount=\"1\"/>", element);
}

static void put_head(struct support_out *o, time_t when)
{
	support_out_print(o,
	                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<UCIS ucisVersion=\"1.0\"");
	put_text(o, "writtenBy", "hartscope");
	put_time(o, "writtenTime", when);
	support_out_print(
		o, ">\n<sourceFiles fileName=\"hartscope/encode.h\" id=\"1\"/>\n"
		   "<historyNodes historyNodeId=\"0\" logicalName=\"hartscope stat --coverage\" "
		   "testStatus=\"true\"");
	put_time(o, "date", when);
	support_out_print(o,
	                  " toolCategory=\"UCIS:Merge\" ucisVersion=\"1.0\" vendorId=\"hartscope\" "
	                  "vendorTool=\"hartscope\"");
	put_text(o, "vendorToolVersion", hs_version_string());
	support_out_print(o, "/>\n");
}

static void put_attribute(struct support_out *o, const char *key, const char *text)
{
	support_out_print(o, "<userAttr");
	put_text(o, "key", key);
	support_out_print(o, " type=\"str\">%s</userAttr>", text);
}

/* A bin has a range or a sequence of values: here the number of the point in its group. */
static void put_bin(struct support_out *o, const struct hs_point *p, unsigned number)
{
	support_out_print(o, "<coverpointBin");
	put_text(o, "name", p->name);
	support_out_print(o,
	                  " key=\"%u\" type=\"default\"><range from=\"%u\" to=\"%u\">"
	                  "<contents coverageCount=\"%" PRIu64
	                  "\"><historyNodeId>0</historyNodeId></contents>"
	                  "</range>",
	                  number, number, number, p->hits);
	put_attribute(o, "clause", p->clause);
	support_out_print(o, "</coverpointBin>\n");
}

static void put_group(struct support_out *o, const struct hs_points *points, size_t set,
                      size_t first, unsigned key)
{
	struct hs_point p, q;
	unsigned number = 0;

	hs_points_get(points, set, first, &p);
	support_out_print(o, "<coverpoint");
	put_text(o, "name", p.group);
	support_out_print(o, " key=\"%u\"><options/>\n", key);
	for (size_t i = first; hs_points_get(points, set, i, &q); i++)
		if (strcmp(p.group, q.group) == 0)
			put_bin(o, &q, number++);
	support_out_print(o, "</coverpoint>\n");
}

static void put_set(struct support_out *o, const struct hs_points *points, size_t at,
                    const struct hs_points_set *set)
{
	struct hs_point p;
	unsigned key = 0;

	support_out_print(o, "<instanceCoverages");
	put_text(o, "name", set->name);
	support_out_print(o, " key=\"%zu\" instanceId=\"%zu\" moduleName=\"hartscope\">", at, at);
	put_place(o, "id");
	support_out_print(o, "\n<covergroupCoverage><cgInstance");
	put_text(o, "name", set->name);
	support_out_print(o, " key=\"0\"><options/><cgId");
	put_text(o, "cgName", set->name);
	support_out_print(o, " moduleName=\"hartscope\">");
	put_place(o, "cginstSourceId");
	put_place(o, "cgSourceId");
	support_out_print(o, "</cgId>\n");
	for (size_t i = 0; hs_points_get(points, at, i, &p); i++)
		if (p.begins_group)
			put_group(o, points, at, i, key++);
	support_out_print(o, "</cgInstance></covergroupCoverage>\n</instanceCoverages>\n");
}

enum hs_status hs_points_write_ucis(const struct hs_points *points, int64_t time, hs_write_fn write,
                                    void *context)
{
	struct hs_points_set set;
	struct support_out o;
	enum hs_status s = support_out_open(&o, write, context);

	if (s != HS_OK)
		return s;
	put_head(&o, (time_t)time);
	for (size_t i = 0; hs_points_get_set(points, i, &set); i++)
		put_set(&o, points, i, &set);
	support_out_print(&o, "</UCIS>\n");
	s = support_out_flush(&o);
	support_out_free(&o);
	return s;
}
