/* hartscope generate: executions without a recording, which reach corners of the protocols. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <hartscope/encode.h>

#include "commands/vectors.h"
#include "common/tool.h"

struct generate_options {
	struct options shared;
	struct option_list corners;
	uint64_t seed;
};

/* clang-format off */
static const struct option_row corner_rows[] = {
	{ "--corner", 0, "NAME", "only this corner; may be given several times",
	  AS_LIST(struct generate_options, corners, SETTINGS_MAX) },
	{ "--seed", 0, "N", "another program for the same corner (1)",
	  AS_NUMBER(struct generate_options, seed, UINT32_MAX) },
	{ "--protocol", 0, "NAME", "only corners of ntrace or of etrace",
	  AS_TEXT(struct options, params.protocol), .words = "ntrace etrace" },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "generate",
	.form = "[--corner NAME]... [--seed N] [--protocol NAME] [--json] [-o DIR]",
	.text = "Makes small programs and executions that reach corners of the trace protocols: each\n"
		"reason of a synchronisation, full counters and histories, traps in traps, each packet\n"
		"format.  Of each corner DIR gets a recording, CORNER.rec, and the parameters under\n"
		"which its trace reaches a point of stat --coverage, CORNER.txt.  --seed changes\n"
		"addresses, sizes of instructions and distances.  Without -o: lists the corners.",
	.example = "  hartscope generate --protocol ntrace\n"
		   "  hartscope generate -o corners --seed 7\n"
		   "  hartscope encode --protocol ntrace --config corners/ntrace-both-full.txt \\\n"
		   "      -o both.nt corners/ntrace-both-full.rec\n"
		   "  hartscope stat --coverage both.nt",
	.options = OPTIONS(ROWS(corner_rows), ROWS(options_output), ROWS(options_json),
	                   ROWS(options_quiet), ROWS(options_reading)),
	.min_args = 0,
	.max_args = 0,
	.folder = true,
};

static void name_of(const struct hs_corner *c, char *name, size_t size)
{
	snprintf(name, size, "%s-%s", c->protocol, c->name);
}

/* Does --corner name it, as "both-full" or "ntrace-both-full"? */
static bool is_named(const struct hs_corner *c, const char *word)
{
	char name[80];

	name_of(c, name, sizeof(name));
	return strcmp(word, c->name) == 0 || strcmp(word, name) == 0;
}

static bool is_wanted(const struct hs_corner *c, const struct generate_options *own)
{
	const struct options *o = &own->shared;

	if (o->params.protocol && strcmp(o->params.protocol, c->protocol) != 0)
		return false;
	for (size_t i = 0; i < own->corners.count; i++)
		if (is_named(c, own->corners.at[i]))
			return true;
	return !own->corners.count;
}

/* ---- the list ----------------------------------------------------------------------- */

static void list_corners(const struct generate_options *own)
{
	const struct options *o = &own->shared;
	const struct hs_corner *c;
	struct report r;
	char name[80];

	report_begin(&r, stdout, o->json);
	report_list(&r, "corners", "corner, point, settings");
	for (size_t i = 0; (c = hs_corner_at(i)); i++) {
		if (!is_wanted(c, own))
			continue;
		name_of(c, name, sizeof(name));
		report_row(&r);
		report_text(&r, "name", "", name);
		report_text(&r, "point", "", c->point);
		report_text(&r, "settings", "", c->settings);
		if (o->json)
			report_text(&r, "protocol", "", c->protocol);
		report_row_end(&r);
	}
	report_list_end(&r);
	report_end(&r);
}

/* ---- files -------------------------------------------------------------------------- */

static bool write_settings(const char *folder, const char *name, const struct hs_corner *c)
{
	char file[96], words[512];
	char *rest = words;

	snprintf(file, sizeof(file), "%s.txt", name);
	FILE *f = vector_open(folder, file);

	if (!f)
		return false;
	if (!strstr(c->settings, "trTeInstSyncMode"))
		fputs("trTeInstSyncMode = off\n", f);
	snprintf(words, sizeof(words), "%s", c->settings);
	for (char *word; (word = strsep(&rest, " "));) {
		char *equals = strchr(word, '=');

		if (equals)
			fprintf(f, "%.*s = %s\n", (int)(equals - word), word, equals + 1);
	}
	return vector_close(f);
}

static bool write_corner(const char *folder, const struct hs_corner *c, uint64_t seed)
{
	struct hs_error e = { 0 };
	char name[80], path[1024];

	name_of(c, name, sizeof(name));
	if (snprintf(path, sizeof(path), "%s/%s.rec", folder, name) >= (int)sizeof(path)) {
		complain("%s: the path is too long", folder);
		return false;
	}
	if (hs_corner_record(c, seed, path, &e) != HS_OK)
		return fail(&e) == EXIT_GOOD;
	return write_settings(folder, name, c);
}

static int write_corners(const struct generate_options *own)
{
	const struct options *o = &own->shared;
	const struct hs_corner *c;
	size_t n = 0;

	if (mkdir(o->output, 0777) != 0 && errno != EEXIST) {
		complain("%s: %s", o->output, strerror(errno));
		return EXIT_USAGE;
	}
	for (size_t i = 0; (c = hs_corner_at(i)); i++) {
		if (!is_wanted(c, own))
			continue;
		if (!write_corner(o->output, c, own->seed))
			return EXIT_USAGE;
		n++;
	}
	if (!o->quiet)
		fprintf(stderr, "hartscope: %s: %zu corners\n", o->output, n);
	return EXIT_GOOD;
}

/* ---- the command ---------------------------------------------------------------------- */

/* False: after a complaint. */
static bool are_good(const struct generate_options *own)
{
	const struct options *o = &own->shared;
	const struct hs_corner *c;

	for (size_t i = 0; i < own->corners.count; i++) {
		const char *name = own->corners.at[i];
		bool known = false;

		for (size_t k = 0; (c = hs_corner_at(k)); k++)
			known |= is_named(c, name);
		if (!known) {
			complain("no corner '%s'; 'hartscope generate' lists them", name);
			return false;
		}
	}
	for (size_t k = 0; (c = hs_corner_at(k)); k++)
		if (!o->params.protocol || strcmp(c->protocol, o->params.protocol) == 0)
			return true;
	complain("no corners of a protocol '%s': there are those of ntrace and etrace",
	         o->params.protocol);
	return false;
}

int cmd_generate(int argc, char **argv)
{
	struct generate_options own = { .seed = 1 };
	struct options *o = &own.shared;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	if (!are_good(&own))
		return EXIT_USAGE;
	if (!o->output || o->json)
		list_corners(&own);
	return o->output ? write_corners(&own) : EXIT_GOOD;
}
