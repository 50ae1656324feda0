/* Counts of points as a file: the JSON that `hartscope stat --coverage --json` prints. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode/points_private.h"
#include "support/file.h"

/* ---- reading ---------------------------------------------------------------------- */

/* Where a file is being read; with @add what it has is added, else it is checked. */
struct reading {
	struct hs_points *points;
	const char *path;
	struct hs_error *error;
	bool add;
};

/* A count: a number, or a string of digits, as files had it before (design/output).  False: it is
 * none. */
static bool get_count(const json_t *row, const char *key, uint64_t *count)
{
	const json_t *value = json_object_get(row, key);
	const char *text = json_string_value(value);
	char *end = NULL;

	if (json_is_integer(value) && json_integer_value(value) >= 0) {
		*count = (uint64_t)json_integer_value(value);
		return true;
	}
	errno = 0;
	*count = text ? strtoull(text, &end, 10) : 0;
	return text && *text >= '0' && *text <= '9' && !*end && errno == 0;
}

/* The set of a row; NULL, with the reason. */
static struct points *set_of(const struct reading *r, const json_t *row, enum hs_status *s)
{
	const char *name = json_string_value(json_object_get(row, "set"));
	struct points *set = NULL;

	*s = HS_E_FIELD;
	if (name)
		set = points_find_set(r->points, name, s);
	if (!set)
		*s = *s == HS_E_MEMORY
		             ? hs_error_set(r->error, *s, "%s: out of memory", r->path)
		             : hs_error_set(r->error, *s, "%s: there is no set of points '%.60s'",
		                            r->path, name ? name : "");
	return set;
}

static enum hs_status bad_count(const struct reading *r, const char *what)
{
	return hs_error_set(r->error, HS_E_FIELD, "%s: what it counts of '%.80s' is no number",
	                    r->path, what);
}

static enum hs_status take_set(const struct reading *r, const json_t *row)
{
	uint64_t traces, messages;
	enum hs_status s = HS_OK;
	struct points *set = set_of(r, row, &s);

	if (!set)
		return s;
	if (!get_count(row, "traces", &traces) || !get_count(row, "messages", &messages))
		return bad_count(r, set->set);
	if (r->add) {
		set->traces += traces;
		set->messages += messages;
	}
	return HS_OK;
}

static enum hs_status take_point(const struct reading *r, const json_t *row)
{
	const char *name = json_string_value(json_object_get(row, "name"));
	enum hs_status s = HS_OK;
	struct points *set = set_of(r, row, &s);
	uint64_t hits;

	if (!set)
		return s;
	for (size_t i = 0; name && i < set->n; i++) {
		if (strcmp(set->list[i].name, name) != 0)
			continue;
		if (!get_count(row, "hits", &hits))
			return bad_count(r, name);
		set->list[i].hits += r->add ? hits : 0;
		return HS_OK;
	}
	return hs_error_set(r->error, HS_E_FIELD, "%s: '%.80s' is no point of coverage of %s",
	                    r->path, name ? name : "", set->set);
}

static enum hs_status take_counts(const struct reading *r, const json_t *root)
{
	enum hs_status s = HS_OK;
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(root, "coverage"), i, row) if (s == HS_OK) s =
		take_set(r, row);
	json_array_foreach(json_object_get(root, "points"), i, row) if (s == HS_OK) s =
		take_point(r, row);
	return s;
}

/* Its JSON, if the file looks like counts: a trace may be large, and is not read as one. */
static enum hs_status load(const char *path, json_t **root, struct hs_error *e)
{
	FILE *in = support_stream(support_open_file(AT_FDCWD, path));
	const int error = errno;
	enum hs_status s = HS_OK;

	if (!in) {
		hs_error_set(e, HS_E_SYSTEM, "%s: %s", path, support_open_failure(error));
		errno = error;
		return HS_E_SYSTEM;
	}
	if (fgetc(in) == '{') {
		rewind(in);
		*root = json_loadf(in, 0, NULL);
	}
	if (ferror(in))
		s = hs_error_set(e, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	else if (!json_is_array(json_object_get(*root, "coverage")) ||
	         !json_is_array(json_object_get(*root, "points")))
		s = hs_error_set(e, HS_E_FORMAT, "%s: no counts of coverage", path);
	fclose(in);
	return s;
}

enum hs_status hs_points_read(struct hs_points *p, const char *path, struct hs_error *e)
{
	struct reading r = { .points = p, .path = path, .error = e };
	const size_t sets = p->n;
	json_t *root = NULL;
	enum hs_status s = load(path, &root, e);

	if (s == HS_OK)
		s = take_counts(&r, root);
	if (s == HS_OK) {
		r.add = true;
		s = take_counts(&r, root);
	} else {
		points_truncate(p, sets);
	}
	json_decref(root);
	return s;
}

/* ---- writing ---------------------------------------------------------------------- */

static void write_sets(FILE *out, const struct hs_points *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct points *s = &p->sets[i];

		fprintf(out,
		        "%s{\"hit\":%zu,\"of\":%zu,\"traces\":%" PRIu64 ",\"messages\":%" PRIu64
		        ",\"set\":\"%s\"}",
		        i ? ",\n" : "", points_hit(s), s->n, s->traces, s->messages, s->set);
	}
}

/* Names and clauses are of our tables: nothing in them has to be escaped. */
static void write_points(FILE *out, const struct points *s, bool first)
{
	for (size_t i = 0; i < s->n; i++)
		fprintf(out,
		        "%s{\"hits\":%" PRIu64 ",\"name\":\"%s\",\"clause\":\"%s\",\"set\":\"%s\"}",
		        first && i == 0 ? "" : ",\n", s->list[i].hits, s->list[i].name,
		        s->list[i].clause, s->set);
}

enum hs_status hs_points_write(const struct hs_points *p, const char *path, struct hs_error *e)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return hs_error_set(e, HS_E_MEMORY, "%s: out of memory", path);
	fprintf(out, "{\"coverage\":[\n");
	write_sets(out, p);
	fprintf(out, "\n],\"points\":[\n");
	for (size_t i = 0; i < p->n; i++)
		write_points(out, &p->sets[i], i == 0);
	fprintf(out, "\n]}\n");
	const bool whole = !ferror(out);
	enum hs_status s = HS_OK;

	if (fclose(out) != 0 || !whole)
		s = hs_error_set(e, HS_E_MEMORY, "%s: out of memory", path);
	else if (support_replace_file(path, text, n) != 0)
		s = hs_error_set(e, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	free(text);
	return s;
}
