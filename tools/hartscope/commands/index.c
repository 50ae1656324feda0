/* hartscope index: places of a trace or recording, so that list --from need not read what is
 * before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/new_file.h"
#include "common/tool.h"

static const struct usage usage = {
	.name = "index",
	.form = "[--protocol ntrace] [--elf FILE]... REC|FLOW|TRACE",
	.text = "Writes NAME.idx next to a recording, flow or trace of that name, by which list reaches any\n"
		"position in a fraction of a second.  Give the options with which it will be listed.\n\n"
		"An index of another trace, program or parameters is not used, and list says so.\n"
		"No other command writes one.",
	.example = "  hartscope index --elf app.elf app.nt\n"
		   "  hartscope list --elf app.elf --from 9000000000 --limit 50 app.nt",
	.often = "--protocol --elf --set --auto --quiet --json",
	.options = OPTIONS(OPTIONS_TRACE, ROWS(options_xlen), ROWS(options_json),
	                   ROWS(options_quiet), ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
	.next_to = true,
};

/* NAME.idx; NULL: out of memory. */
static char *index_path(const char *path)
{
	size_t n = strlen(path);
	char *out = malloc(n + sizeof(".idx"));

	while (n > 1 && path[n - 1] == '/')
		n--;
	if (out)
		snprintf(out, n + sizeof(".idx"), "%.*s.idx", (int)n, path);
	return out;
}

static bool write_index(const struct hs_source_index *index, const char *trace)
{
	char *path = index_path(trace);
	struct new_file f = { .fd = -1 };
	bool good = path && new_file_open(&f, path);

	if (good) {
		good = write_all(f.fd, index->bytes, index->n) && new_file_commit(&f);
		new_file_discard(&f);
	}
	free(path);
	return good;
}

/* What is read, and what is wrong with it. */
struct making {
	struct hs_source *source;
	struct damage damage;
};

static void take_damage(void *to, const struct hs_error *what)
{
	struct making *m = to;

	damage_add_of(&m->damage, what, m->source);
}

/* Why there is no index (design/ranges). */
static void say_why(const struct hs_source *source, const char *path)
{
	const struct hs_source_facts *known = hs_source_known(source);
	const struct hs_capture_report *c = known->capture;
	const char *why = "its code changes, or it comes through a pipe";

	if (known->lane)
		why = "it is a perf.data";
	else if (known->part)
		why = "it is of several captures";
	else if (c && strcmp(c->transport, "raw") != 0)
		why = c->transport;
	else if (c && c->wrapped)
		why = "it is a circular buffer";
	complain("%s: has no places to seek to (%s): decode it, its flow may have an index", path,
	         why);
}

static int make(struct hs_source *source, const struct options *o)
{
	struct making m = { .source = source };
	struct hs_source_index index;
	struct report r;
	struct hs_error e = { .status = HS_OK };
	const enum hs_status s = hs_source_make_index(source, take_damage, &m, &index, &e);

	if (s == HS_E_UNSUPPORTED && refuse_file(o->args[0], &e) == HS_OK) {
		say_why(source, o->args[0]);
		return EXIT_USAGE;
	}
	if (s != HS_OK)
		return fail(&e);
	verify_end(source);
	const bool good = write_index(&index, o->args[0]);

	if (good && (!o->quiet || o->json)) {
		report_begin(&r, stdout, o->json);
		report_u64(&r, "instructions", "instructions", index.instructions);
		report_u64(&r, "places", "places", index.places);
		report_u64(&r, "errors", "errors", m.damage.count);
		report_end(&r);
	}
	free(index.bytes);
	return good ? damage_exit(&m.damage) : EXIT_USAGE;
}

int cmd_index(int argc, char **argv)
{
	struct hs_source *source;
	struct options o = { .arg_count = 0 };
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	if (strcmp(o.args[0], "-") == 0) {
		complain("an index is next to a file: name it");
		return EXIT_USAGE;
	}
	o.source.versions = o.reads_all = true;
	o.source.places = true;
	o.source.threads = o.jobs > 1 ? (uint32_t)o.jobs : 2;
	source = open_argument(&o, &status);
	if (!source)
		return status;
	status = make(source, &o);
	hs_source_close(source);
	return status;
}
