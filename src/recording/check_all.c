/* A recording and those in it: every file, or what can be read of every stream. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recording/check.h"
#include "recording/place.h"
#include "recording/recording.h"

#define BATCH 4096u
#define DEPTH 64u /* of children of children */

struct checking {
	const struct hs_rec_checker *to;
	const char *prefix; /* of the directory's files: "" or "child-0/" */
	struct hs_block items[BATCH];
};

static void report(const struct checking *c, enum hs_rec_problem what, const struct hs_error *e)
{
	c->to->problem(c->to->of, what, c->prefix, e);
}

/* ---- files ---------------------------------------------------------------------------- */

static void take_file(void *of, const struct hs_rec_file_check *file)
{
	const struct checking *c = of;
	struct hs_rec_file_check row = *file;
	char name[600];

	snprintf(name, sizeof(name), "%.250s%.300s", c->prefix, file->name);
	row.name = name;
	row.good = rec_file_state_is_good(file->state);
	row.text = rec_file_state_text(file->state);
	c->to->file(c->to->of, &row);
}

static void check_files(struct checking *c, const char *path)
{
	struct hs_error e = { 0 };

	if (rec_check_files(path, take_file, c, &e) != HS_OK)
		report(c, HS_REC_PROBLEM_FAILED, &e);
}

/* ---- streams -------------------------------------------------------------------------- */

static void check_stream(struct checking *c, struct hs_rec *rec, uint32_t index)
{
	struct hs_rec_stream_check row = { .directory = c->prefix };
	struct hs_rec_stream *stream;
	struct hs_error e = { 0 };
	size_t n;
	enum hs_status s = hs_rec_stream_open(rec, index, &stream, &e);

	if (s != HS_OK) {
		report(c, HS_REC_PROBLEM_FAILED, &e);
		return;
	}
	while (s == HS_OK) {
		s = hs_rec_stream_next(stream, c->items, BATCH, &n, &e);
		for (size_t i = 0; i < n; i++)
			row.blocks += c->items[i].kind == HS_KIND_BLOCK;
	}
	row.hart = hs_rec_stream_hart(stream);
	row.good = s == HS_END;
	row.until = row.good ? "the end" : e.text[0] ? e.text : hs_status_text(s);
	c->to->stream(c->to->of, &row);
	hs_rec_stream_close(stream);
	if (s == HS_E_SYSTEM || s == HS_E_MEMORY)
		report(c, HS_REC_PROBLEM_FAILED, &e);
}

static void check_streams(struct checking *c, const char *path)
{
	struct hs_error e = { 0 };
	struct hs_rec *rec;

	if (hs_rec_open(path, &rec, &e) != HS_OK) {
		report(c, HS_REC_PROBLEM_DAMAGED, &e);
		return;
	}
	const struct hs_rec_info *info = hs_rec_get_info(rec);

	if (!info->complete) {
		hs_error_set(&e, HS_E_CUT, "%s is incomplete: %s", path, info->end);
		report(c, HS_REC_PROBLEM_INCOMPLETE, &e);
	}
	for (uint32_t i = 0; i < info->harts; i++)
		check_stream(c, rec, i);
	hs_rec_close(rec);
}

/* ---- directories ---------------------------------------------------------------------- */

static int is_inner(const struct dirent *entry)
{
	return rec_is_inner(entry->d_name);
}

/* A recording, and those in it; @prefix of its files' names. */
static void check_all(struct checking *c, const char *path, const char *prefix, unsigned depth)
{
	struct dirent **entries;
	const int n = depth ? scandir(path, &entries, is_inner, versionsort) : 0;
	struct hs_error e = { .status = HS_OK };

	c->prefix = prefix;
	if (n < 0 && errno != ENOENT && errno != ENOTDIR) {
		hs_error_set(&e, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
		report(c, HS_REC_PROBLEM_UNLISTED, &e);
	}
	(c->to->file ? check_files : check_streams)(c, path);
	for (int i = 0; i < n; i++) {
		char *child = NULL, *name = NULL;

		if (asprintf(&child, "%s/%s", path, entries[i]->d_name) >= 0 &&
		    asprintf(&name, "%s%s/", prefix, entries[i]->d_name) >= 0)
			check_all(c, child, name, depth - 1);
		else
			report(c, HS_REC_PROBLEM_UNLISTED,
			       &(struct hs_error){ .status = HS_E_MEMORY });
		free(child);
		free(name);
		free(entries[i]);
	}
	if (n > 0)
		free(entries);
}

void hs_rec_check(const char *path, const struct hs_rec_checker *check)
{
	struct checking *c = calloc(1, sizeof(*c));

	if (!c) {
		check->problem(check->of, HS_REC_PROBLEM_FAILED, "",
		               &(struct hs_error){ .status = HS_E_MEMORY });
		return;
	}
	c->to = check;
	check_all(c, path, "", DEPTH);
	free(c);
}
