/* hartscope generate: executions without a recording, which reach corners of the protocols. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <hartscope/recording.h>

#include "commands/generate.h"
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

static const struct corner_row corners[] = {
#define CORNER(name, protocol, settings, script, point) { name, protocol, settings, script, point },
#include "commands/generate_corners.def"
#undef CORNER
};

#define CORNERS (sizeof(corners) / sizeof(*corners))

static void name_of(const struct corner_row *c, char *name, size_t size)
{
	snprintf(name, size, "%s-%s", c->protocol, c->name);
}

/* Does --corner name it, as "both-full" or "ntrace-both-full"? */
static bool is_named(const struct corner_row *c, const char *word)
{
	char name[80];

	name_of(c, name, sizeof(name));
	return strcmp(word, c->name) == 0 || strcmp(word, name) == 0;
}

static bool is_wanted(const struct corner_row *c, const struct generate_options *own)
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
	struct report r;
	char name[80];

	report_begin(&r, stdout, o->json);
	report_list(&r, "corners", "corner, point, settings");
	for (size_t i = 0; i < CORNERS; i++) {
		if (!is_wanted(&corners[i], own))
			continue;
		name_of(&corners[i], name, sizeof(name));
		report_row(&r);
		report_text(&r, "name", "", name);
		report_text(&r, "point", "", corners[i].point);
		report_text(&r, "settings", "", corners[i].settings);
		if (o->json)
			report_text(&r, "protocol", "", corners[i].protocol);
		report_row_end(&r);
	}
	report_list_end(&r);
	report_end(&r);
}

/* ---- files -------------------------------------------------------------------------- */

static bool write_settings(const char *folder, const char *name, const struct corner_row *c)
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

/* The program that was laid out, and what it executed. */
static enum hs_status write_recording(const char *path, const struct generated *g,
                                      struct hs_error *e)
{
	const struct hs_image image = { .sections = g->sections, .count = 2, .isa.xlen = 64 };
	const struct hs_rec_writer_options wo = {
		.size = sizeof(wo), .source = "generate", .xlen = 64, .image = &image
	};
	struct hs_rec_writer *w;
	enum hs_status s = hs_rec_create(path, &wo, &w, e);

	if (s != HS_OK)
		return s;
	s = hs_rec_write(w, g->block, g->n, e);
	if (s == HS_OK)
		return hs_rec_finish(w, true, "end of the script", e);
	hs_rec_discard(w);
	return s;
}

static bool write_corner(const char *folder, const struct corner_row *c, uint64_t seed)
{
	static struct generated g;
	struct hs_error e = { 0 };
	char name[80], path[1024];

	name_of(c, name, sizeof(name));
	if (snprintf(path, sizeof(path), "%s/%s.rec", folder, name) >= (int)sizeof(path)) {
		complain("%s: the path is too long", folder);
		return false;
	}
	bool good = generate_run(&g, c->script, seed);

	if (!good)
		complain("%s: %s", name, g.error);
	else if (write_recording(path, &g, &e) != HS_OK)
		good = fail(&e) == EXIT_GOOD;
	free(g.block);
	return good && write_settings(folder, name, c);
}

static int write_corners(const struct generate_options *own)
{
	const struct options *o = &own->shared;
	size_t n = 0;

	if (mkdir(o->output, 0777) != 0 && errno != EEXIST) {
		complain("%s: %s", o->output, strerror(errno));
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < CORNERS; i++) {
		if (!is_wanted(&corners[i], own))
			continue;
		if (!write_corner(o->output, &corners[i], own->seed))
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

	for (size_t i = 0; i < own->corners.count; i++) {
		const char *name = own->corners.at[i];
		bool known = false;

		for (size_t k = 0; k < CORNERS; k++)
			known |= is_named(&corners[k], name);
		if (!known) {
			complain("no corner '%s'; 'hartscope generate' lists them", name);
			return false;
		}
	}
	if (!o->params.protocol || hs_protocol_find(o->params.protocol))
		return true;
	complain("no protocol '%s': there are ntrace and etrace", o->params.protocol);
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
