/* hartscope stat --coverage --format ucis: the interchange form of UCIS 1.0 (Accellera), in which
 * coverage tools exchange counts: an instance for each set of points, a coverpoint for each group,
 * a bin for each point (ADR-0250). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hartscope/points.h>
#include <hartscope/version.h>

#include "commands/stat.h"

/* An attribute; the form of &, <, > and " in XML 1.0. */
static void put_text(const char *name, const char *text)
{
	printf(" %s=\"", name);
	for (const char *c = text; *c; c++) {
		if (strchr("&<>\"", *c))
			printf("&#%d;", *c);
		else
			putchar(*c);
	}
	putchar('"');
}

/* When it was written, or what SOURCE_DATE_EPOCH has, for files that are made again. */
static void put_time(const char *name)
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");
	const time_t now = fixed ? (time_t)strtoll(fixed, NULL, 10) : time(NULL);
	char text[40] = "1970-01-01T00:00:00Z";
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	put_text(name, text);
}

/* There is no source file: the form asks for one, and for a line of it. */
static void put_place(const char *element)
{
	printf("<%s file=\"1\" line=\"1\" inlineCount=\"1\"/>", element);
}

static void put_head(void)
{
	printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<UCIS ucisVersion=\"1.0\"");
	put_text("writtenBy", "hartscope");
	put_time("writtenTime");
	printf(">\n<sourceFiles fileName=\"hartscope/points.h\" id=\"1\"/>\n"
	       "<historyNodes historyNodeId=\"0\" logicalName=\"hartscope stat --coverage\" "
	       "testStatus=\"true\"");
	put_time("date");
	printf(" toolCategory=\"UCIS:Merge\" ucisVersion=\"1.0\" vendorId=\"hartscope\" "
	       "vendorTool=\"hartscope\"");
	put_text("vendorToolVersion", hs_version_string());
	printf("/>\n");
}

static void put_attribute(const char *key, const char *text)
{
	printf("<userAttr");
	put_text("key", key);
	printf(" type=\"str\">%s</userAttr>", text);
}

/* A bin has a range or a sequence of values: here the number of the point in its group. */
static void put_bin(const struct hs_point *p, unsigned number)
{
	printf("<coverpointBin");
	put_text("name", p->name);
	printf(" key=\"%u\" type=\"default\"><range from=\"%u\" to=\"%u\">"
	       "<contents coverageCount=\"%" PRIu64 "\"><historyNodeId>0</historyNodeId></contents>"
	       "</range>",
	       number, number, number, p->hits);
	put_attribute("clause", p->clause);
	printf("</coverpointBin>\n");
}

static void put_group(const struct hs_points *points, size_t set, size_t first, unsigned key)
{
	struct hs_point p, q;
	unsigned number = 0;

	hs_points_get(points, set, first, &p);
	printf("<coverpoint");
	put_text("name", p.group);
	printf(" key=\"%u\"><options/>\n", key);
	for (size_t i = first; hs_points_get(points, set, i, &q); i++)
		if (strcmp(p.group, q.group) == 0)
			put_bin(&q, number++);
	printf("</coverpoint>\n");
}

static void put_set(const struct hs_points *points, size_t at, const struct hs_points_set *set)
{
	struct hs_point p;
	unsigned key = 0;

	printf("<instanceCoverages");
	put_text("name", set->name);
	printf(" key=\"%zu\" instanceId=\"%zu\" moduleName=\"hartscope\">", at, at);
	put_place("id");
	printf("\n<covergroupCoverage><cgInstance");
	put_text("name", set->name);
	printf(" key=\"0\"><options/><cgId");
	put_text("cgName", set->name);
	printf(" moduleName=\"hartscope\">");
	put_place("cginstSourceId");
	put_place("cgSourceId");
	printf("</cgId>\n");
	for (size_t i = 0; hs_points_get(points, at, i, &p); i++)
		if (stat_begins_group(points, at, i))
			put_group(points, at, i, key++);
	printf("</cgInstance></covergroupCoverage>\n</instanceCoverages>\n");
}

void stat_ucis(const struct hs_points *points)
{
	struct hs_points_set set;

	put_head();
	for (size_t i = 0; hs_points_get_set(points, i, &set); i++)
		put_set(points, i, &set);
	printf("</UCIS>\n");
}
