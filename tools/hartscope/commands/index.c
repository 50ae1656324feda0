/* hartscope index: places of a trace or recording, so that list --from need not read what is
 * before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/listing.h>

#include "common/new_file.h"
#include "common/index_file.h"

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

struct making {
	struct hs_source *source;
	struct hs_trace_index_entry *entries; /* each with its state, which is freed */
	size_t count, cap;
	uint64_t time;
	struct hs_listing *listing; /* it only counts */
};

/* The words of a state, little-endian, in their own place. */
static struct hs_span to_bytes(uint32_t *state, size_t count)
{
	uint8_t *to = (uint8_t *)state;

	for (size_t i = 0; i < count; i++) {
		const uint32_t w = state[i];

		for (unsigned k = 0; k < 4; k++)
			to[4 * i + k] = (uint8_t)(w >> 8 * k);
	}
	return (struct hs_span){ to, 4 * count };
}

static bool add_place(struct making *m, const struct hs_source_place *place)
{
	uint32_t *state;
	size_t count;

	if (m->count == m->cap) {
		const size_t cap = m->cap ? 2 * m->cap : 1024;
		void *more = reallocarray(m->entries, cap, sizeof(*m->entries));

		if (!more)
			return false;
		m->entries = more;
		m->cap = cap;
	}
	if (hs_source_get_state(m->source, &state, &count) != HS_OK)
		return false;
	m->entries[m->count++] =
		(struct hs_trace_index_entry){ .place = *place,
		                               .instructions = hs_listing_count(m->listing),
		                               .time = m->time,
		                               .state = to_bytes(state, count) };
	return true;
}

static bool take_items(struct making *m, const struct hs_block *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (b[i].kind == HS_KIND_TIME)
			m->time = b[i].value;
	return hs_listing_add(m->listing, b, n) == HS_OK;
}

/* Read all of it. */
static bool find_places(struct making *m, struct damage *damage)
{
	static struct hs_block items[READ_BATCH];
	enum hs_status s = HS_OK;
	bool good = true;

	while (s != HS_END && good) {
		struct hs_source_place place;
		struct hs_error e = { 0 };
		size_t n;

		s = hs_source_next(m->source, items, READ_BATCH, &n, &e);
		if (s != HS_OK && s != HS_END)
			damage_add_of(damage, &e, m->source);
		good = take_items(m, items, n);
		if (good && s == HS_OK && hs_source_get_place(m->source, &place))
			good = add_place(m, &place);
	}
	verify_end(m->source);
	return good;
}

static bool write_index(const struct making *m, const char *trace, uint64_t fingerprint)
{
	const size_t n = HS_TRACE_INDEX_HEAD + m->count * HS_TRACE_INDEX_ENTRY;
	uint8_t *bytes = malloc(n);
	char *path = index_path(trace);
	struct new_file f = { .fd = -1 };
	bool good = bytes && path && new_file_open(&f, path);

	if (good) {
		hs_trace_index_write(fingerprint, hs_listing_count(m->listing), m->entries,
		                     m->count, bytes);
		good = write_all(f.fd, bytes, n);
		for (size_t i = 0; i < m->count && good; i++)
			good = write_all(f.fd, m->entries[i].state.p, m->entries[i].state.n);
		good = good && new_file_commit(&f);
		new_file_discard(&f);
	}
	free(bytes);
	free(path);
	return good;
}

static void free_places(const struct making *m)
{
	for (size_t i = 0; i < m->count; i++)
		free((void *)(uintptr_t)m->entries[i].state.p);
	free(m->entries);
}

static bool discard(void *context, const void *text, size_t n)
{
	(void)context;
	(void)text;
	(void)n;
	return true;
}

/* Why there is no index (ADR-0180). */
static void say_why(const struct hs_source *source, const char *path)
{
	struct hs_capture_report report = { .transport = "raw" };
	struct hs_source_part part;
	struct hs_perf_lane lane;
	const char *why = "its code changes, or it comes through a pipe";

	hs_source_capture(source, &report);
	if (hs_source_buffer(source, &lane))
		why = "it is a perf.data";
	else if (hs_source_get_part(source, &part))
		why = "it is of several captures";
	else if (strcmp(report.transport, "raw") != 0)
		why = report.transport;
	else if (report.wrapped)
		why = "it is a circular buffer";
	complain("%s: has no places to seek to (%s): decode it, its flow may have an index", path,
	         why);
}

static int make(struct hs_source *source, const struct options *o)
{
	struct making m = { .source = source };
	const uint64_t fingerprint = hs_source_fingerprint(source);
	const struct hs_listing_options lo = {
		.size = sizeof(lo), .format = HS_LISTING_PC, .program = hs_source_program(source),
		.programs = hs_source_programs(source), .skip = UINT64_MAX, .write = discard };
	struct damage damage = { 0 };
	struct report r;
	struct hs_error e = { .status = HS_OK };

	if (!fingerprint && refuse_file(o->args[0], &e) != HS_OK)
		return fail(&e);
	if (!fingerprint) {
		say_why(source, o->args[0]);
		return EXIT_USAGE;
	}
	if (hs_listing_new(&lo, &m.listing) != HS_OK) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	const bool good = find_places(&m, &damage) && write_index(&m, o->args[0], fingerprint);

	if (good && (!o->quiet || o->json)) {
		report_begin(&r, stdout, o->json);
		report_u64(&r, "instructions", "instructions", hs_listing_count(m.listing));
		report_u64(&r, "places", "places", m.count);
		report_u64(&r, "errors", "errors", damage.count);
		report_end(&r);
	}
	hs_listing_free(m.listing);
	free_places(&m);
	return good ? damage_exit(&damage) : EXIT_USAGE;
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
