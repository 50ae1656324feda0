/* hartscope stat --coverage: which points of a trace protocol some traces have. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hartscope/encode.h>

#include "commands/stat.h"

struct coverage {
	struct hs_points *points;
	struct damage damage;
};

/* ---- traces ----------------------------------------------------------------------- */

/* False after a complaint. */
static bool begin_trace(struct coverage *c, const struct hs_source *source)
{
	const struct hs_trace_params *params = hs_source_known(source)->params;

	if (!params) {
		complain("it is no trace: --coverage counts messages");
		return false;
	}
	if (hs_points_begin(c->points, hs_trace_params_protocol(params),
	                    hs_trace_params_config(params)) == HS_OK)
		return true;
	complain("out of memory");
	return false;
}

/* The same where another source of several begins: its parameters are others. */
static bool follow_part(struct coverage *c, const struct hs_source *source, uint32_t *hart)
{
	const struct hs_source_part *part = hs_source_known(source)->part;

	if (!part || part->hart == *hart)
		return true;
	const bool first = *hart == UINT32_MAX;

	*hart = part->hart;
	return first || begin_trace(c, source);
}

static int count_messages(struct coverage *c, struct hs_source *source)
{
	bool good = begin_trace(c, source);
	uint32_t hart = UINT32_MAX;
	enum hs_status s = HS_OK;

	while (good && s != HS_END && s != HS_E_SYSTEM) {
		struct hs_message m = { 0 };
		struct hs_error e = { 0 };

		s = hs_source_message(source, &m, &e);
		if (s != HS_END)
			good = follow_part(c, source, &hart);
		if (good && s == HS_OK && hs_points_add(c->points, &m) != HS_OK) {
			complain("out of memory");
			good = false;
		} else if (s != HS_END && s != HS_OK) {
			damage_add_of(&c->damage, &e, source);
		}
	}
	return good ? EXIT_GOOD : EXIT_USAGE;
}

static int count_trace(struct coverage *c, struct options *o, const char *path)
{
	struct hs_source *source;
	struct hs_error e = { 0 };

	if (refuse_recording(path, "encode it first"))
		return EXIT_USAGE;
	if (open_source(o, path, &source, &e) != HS_OK)
		return fail(&e);
	const int status = count_messages(c, source);

	hs_source_close(source);
	return status;
}

/* A trace, or counts of before. */
static int take_operand(struct coverage *c, struct options *o, const char *path)
{
	struct hs_error e = { 0 };
	const bool trace = strcmp(path, "-") == 0;
	const enum hs_status s = trace ? HS_E_FORMAT : hs_points_read(c->points, path, &e);

	switch (s) {
	case HS_OK:
		return EXIT_GOOD;
	case HS_E_FIELD:
	case HS_E_MEMORY:
		return fail(&e);
	default: /* what cannot be opened is explained there */
		return count_trace(c, o, path);
	}
}

/* ---- the report --------------------------------------------------------------------- */

static void show_sets(struct report *r, const struct hs_points *points)
{
	struct hs_points_set set;

	report_list(r, "coverage", "coverage: points hit, of, traces, messages");
	for (size_t i = 0; hs_points_get_set(points, i, &set); i++) {
		report_row(r);
		report_u64(r, "hit", "", set.hit);
		report_u64(r, "of", "", set.count);
		report_u64(r, "traces", "", set.traces);
		report_u64(r, "messages", "", set.messages);
		report_text(r, "set", "", set.name);
		report_row_end(r);
	}
	report_list_end(r);
}

/* A group, by its first point: how many points are of it, and how many of them were hit. */
static void show_group(struct report *r, const struct hs_points *points, size_t set, size_t first)
{
	struct hs_points_set of;
	struct hs_point p, q;
	uint64_t count = 0, hit = 0;

	hs_points_get_set(points, set, &of);
	hs_points_get(points, set, first, &p);
	for (size_t i = first; hs_points_get(points, set, i, &q); i++) {
		const bool same = strcmp(q.group, p.group) == 0;

		count += same;
		hit += same && q.hits;
	}
	report_row(r);
	report_u64(r, "hit", "", hit);
	report_u64(r, "of", "", count);
	report_text(r, "group", "", p.group);
	report_text(r, "set", "", of.name);
	report_row_end(r);
}

static void show_points(struct report *r, const struct hs_points *points, size_t set)
{
	struct hs_points_set of;
	struct hs_point q;

	hs_points_get_set(points, set, &of);
	for (size_t i = 0; hs_points_get(points, set, i, &q); i++) {
		report_row(r);
		report_u64(r, "hits", "", q.hits);
		report_text(r, "name", "", q.name);
		report_text(r, "clause", "", q.clause);
		if (q.text)
			report_text(r, "text", "", q.text);
		report_text(r, "set", NULL, of.name);
		report_row_end(r);
	}
}

static void show(const struct coverage *c, bool json)
{
	const struct hs_points *points = c->points;
	const size_t sets = hs_points_sets(points);
	struct hs_point p;
	struct report r;

	report_begin(&r, stdout, json);
	show_sets(&r, points);
	report_list(&r, "groups", "groups: hit, of");
	for (size_t i = 0; i < sets; i++)
		for (size_t k = 0; hs_points_get(points, i, k, &p); k++)
			if (p.begins_group)
				show_group(&r, points, i, k);
	report_list_end(&r);
	report_list(&r, "points", "points: hits, name, clause");
	for (size_t i = 0; i < sets; i++)
		show_points(&r, points, i);
	report_list_end(&r);
	damage_report(&r, &c->damage);
	report_end(&r);
}

/* When it is written, or what SOURCE_DATE_EPOCH has, for files that are made again. */
static int64_t time_of_writing(void)
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");

	return fixed ? strtoll(fixed, NULL, 10) : time(NULL);
}

static bool to_output(void *context, const void *bytes, size_t n)
{
	(void)context;
	return fwrite(bytes, 1, n, stdout) == n;
}

/* Standard output has said what is wrong with it. */
static int write_ucis(const struct hs_points *points)
{
	if (hs_points_write_ucis(points, time_of_writing(), to_output, NULL) != HS_E_MEMORY)
		return EXIT_GOOD;
	complain("out of memory");
	return EXIT_USAGE;
}

int stat_coverage(struct options *o, const char *format)
{
	struct coverage c = { .points = NULL };
	int status = EXIT_GOOD;

	if (format && strcmp(format, "ucis") != 0) {
		complain("stat --coverage has no format '%s': --format ucis, or --json", format);
		return EXIT_USAGE;
	}
	if (format && o->json) {
		complain("--format %s and --json are two forms: give one of them", format);
		return EXIT_USAGE;
	}
	if (hs_points_new(&c.points) != HS_OK) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	o->source.no_code = !hs_source_names_code(&o->source);
	for (unsigned i = 0; i < o->arg_count && status == EXIT_GOOD; i++)
		status = take_operand(&c, o, o->args[i]);
	if (status == EXIT_GOOD && format)
		status = write_ucis(c.points);
	else if (status == EXIT_GOOD)
		show(&c, o->json);
	hs_points_free(c.points);
	const int damaged = damage_exit(&c.damage);

	return status ? status : damaged;
}
