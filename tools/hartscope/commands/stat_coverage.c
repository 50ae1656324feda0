/* hartscope stat --coverage: which points of a trace protocol some traces have. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/points.h"
#include "common/tool.h"

#define SETS 5 /* as many as there are */

struct coverage {
	struct points sets[SETS];
	size_t n;
	struct damage damage;
};

/* The set of a name; NULL, after a complaint: no memory, or no such set. */
static struct points *set_of(struct coverage *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->sets[i].set, name) == 0)
			return &c->sets[i];
	if (c->n < SETS && points_open_set(&c->sets[c->n], name))
		return &c->sets[c->n++];
	complain("no set of points '%s', or out of memory", name);
	return NULL;
}

/* ---- traces ----------------------------------------------------------------------- */

/* The set of what is read now; NULL after a complaint. */
static struct points *begin_trace(struct coverage *c, const struct hs_source *source)
{
	const struct hs_trace_params *params = hs_source_params(source);

	if (!params) {
		complain("it is no trace: --coverage counts messages");
		return NULL;
	}
	const struct hs_protocol *protocol = hs_trace_params_protocol(params);
	const void *config = hs_trace_params_config(params);
	struct points *p = set_of(c, points_set(protocol, config));

	if (p)
		points_begin(p, protocol, config);
	return p;
}

/* The same where another source of several begins: its parameters are others. */
static struct points *part_of(struct coverage *c, struct points *p, const struct hs_source *source,
                              uint32_t *hart)
{
	struct hs_source_part part;

	if (!hs_source_get_part(source, &part) || part.hart == *hart)
		return p;
	const bool first = *hart == UINT32_MAX;

	*hart = part.hart;
	return first ? p : begin_trace(c, source);
}

static int count_messages(struct coverage *c, struct hs_source *source)
{
	struct points *p = begin_trace(c, source);
	uint32_t hart = UINT32_MAX;
	enum hs_status s = HS_OK;

	while (p && s != HS_END && s != HS_E_SYSTEM) {
		struct hs_message m = { 0 };
		struct hs_error e = { 0 };

		s = hs_source_message(source, &m, &e);
		if (s != HS_END)
			p = part_of(c, p, source, &hart);
		if (p && s == HS_OK)
			points_add(p, &m);
		else if (s != HS_END)
			damage_add_of(&c->damage, &e, source);
	}
	return p ? EXIT_GOOD : EXIT_USAGE;
}

static int count_trace(struct coverage *c, struct options *o, const char *path)
{
	struct hs_source *source;
	struct hs_error e = { 0 };

	if (hs_is_recording(path)) {
		complain("%s is a recording: encode it first", path);
		return EXIT_USAGE;
	}
	if (open_source(o, path, &source, &e) != HS_OK)
		return fail(&e);
	const int status = count_messages(c, source);

	hs_source_close(source);
	return status;
}

/* ---- earlier counts ----------------------------------------------------------------- */

/* A number as JSON has it here. */
static uint64_t number_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? strtoull(text, NULL, 10) : 0;
}

static bool add_point(struct coverage *c, const char *path, const json_t *row)
{
	const char *set = json_string_value(json_object_get(row, "set"));
	const char *name = json_string_value(json_object_get(row, "name"));
	struct points *p = set && name ? set_of(c, set) : NULL;

	for (size_t i = 0; p && i < p->n; i++) {
		if (strcmp(p->list[i].name, name) != 0)
			continue;
		p->list[i].hits += number_of(row, "hits");
		return true;
	}
	complain("%s: '%s' is no point of coverage", path, name ? name : "?");
	return false;
}

static bool add_set(struct coverage *c, const json_t *row)
{
	const char *set = json_string_value(json_object_get(row, "set"));
	struct points *p = set ? set_of(c, set) : NULL;

	if (!p)
		return false;
	p->traces += number_of(row, "traces");
	p->messages += number_of(row, "messages");
	return true;
}

static bool add_counts(struct coverage *c, const char *path, const json_t *root)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(root, "coverage"), i,
	                   row) if (!add_set(c, row)) return false;
	json_array_foreach(json_object_get(root, "points"), i,
	                   row) if (!add_point(c, path, row)) return false;
	return true;
}

/* What --coverage --json printed; NULL: the file is something else. */
static json_t *read_counts(const char *path)
{
	FILE *in = strcmp(path, "-") == 0 ? NULL : fopen(path, "re");
	json_t *root = NULL;
	int first = in ? fgetc(in) : EOF;

	if (first == '{') {
		rewind(in);
		root = json_loadf(in, 0, NULL);
	}
	if (in)
		fclose(in);
	if (json_is_array(json_object_get(root, "coverage")) &&
	    json_is_array(json_object_get(root, "points")))
		return root;
	json_decref(root);
	return NULL;
}

static int take_operand(struct coverage *c, struct options *o, const char *path)
{
	json_t *counts = read_counts(path);

	if (!counts)
		return count_trace(c, o, path);
	const bool good = add_counts(c, path, counts);

	json_decref(counts);
	return good ? EXIT_GOOD : EXIT_DAMAGED;
}

/* ---- the report --------------------------------------------------------------------- */

static void show_sets(struct report *r, const struct coverage *c)
{
	report_list(r, "coverage", "coverage: points hit, of, traces, messages");
	for (size_t i = 0; i < c->n; i++) {
		const struct points *p = &c->sets[i];

		report_row(r);
		report_u64(r, "hit", "", points_hit(p));
		report_u64(r, "of", "", p->n);
		report_u64(r, "traces", "", p->traces);
		report_u64(r, "messages", "", p->messages);
		report_text(r, "set", "", p->set);
		report_row_end(r);
	}
	report_list_end(r);
}

/* How many points from @first on are of its group, and how many of them were hit. */
static size_t show_group(struct report *r, const struct points *p, size_t first)
{
	uint64_t of = 0, hit = 0;

	for (size_t i = 0; i < p->n; i++) {
		const bool same = strcmp(p->list[i].group, p->list[first].group) == 0;

		if (same && i < first)
			return first + 1; /* shown */
		of += same;
		hit += same && p->list[i].hits;
	}
	report_row(r);
	report_u64(r, "hit", "", hit);
	report_u64(r, "of", "", of);
	report_text(r, "group", "", p->list[first].group);
	report_text(r, "set", "", p->set);
	report_row_end(r);
	return first + 1;
}

static void show_points(struct report *r, const struct points *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct point *q = &p->list[i];

		report_row(r);
		report_u64(r, "hits", "", q->hits);
		report_text(r, "name", "", q->name);
		report_text(r, "clause", "", q->clause);
		if (q->text)
			report_text(r, "text", "", q->text);
		report_text(r, "set", NULL, p->set);
		report_row_end(r);
	}
}

static void show(const struct coverage *c, bool json)
{
	struct report r;

	report_begin(&r, stdout, json);
	show_sets(&r, c);
	report_list(&r, "groups", "groups: hit, of");
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->sets[i].n;)
			k = show_group(&r, &c->sets[i], k);
	report_list_end(&r);
	report_list(&r, "points", "points: hits, name, clause");
	for (size_t i = 0; i < c->n; i++)
		show_points(&r, &c->sets[i]);
	report_list_end(&r);
	damage_report(&r, &c->damage);
	report_end(&r);
}

int stat_coverage(struct options *o)
{
	static struct coverage c;
	int status = EXIT_GOOD;
	bool failed = false;

	o->source.no_code = !o->source.code_count;
	for (unsigned i = 0; i < o->arg_count && status == EXIT_GOOD; i++)
		status = take_operand(&c, o, o->args[i]);
	for (size_t i = 0; i < c.n; i++)
		failed |= c.sets[i].failed;
	if (failed) {
		complain("out of memory");
		status = EXIT_USAGE;
	}
	if (status == EXIT_GOOD)
		show(&c, o->json);
	for (size_t i = 0; i < c.n; i++)
		points_close(&c.sets[i]);
	const int damaged = damage_exit(&c.damage);

	return status ? status : damaged;
}
