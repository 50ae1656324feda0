/* hartscope index: places of a trace, so that list --from need not decode what is before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/listing.h>

#include "common/new_file.h"
#include "common/tool.h"

#define INDEX_MAX ((long)1 << 28)

static const struct usage usage = {
	.name = "index",
	.form = "[--protocol ntrace] [--elf FILE]... TRACE",
	.text =
	"Writes TRACE.idx, by which list --from decodes only a few hundred thousand instructions\n"
	"before the first one that it lists.  Give the options with which it will be listed.  An\n"
	"index that does not belong to the trace, its program and its parameters is not used.",
	.example = "  hartscope index --elf app.elf app.nt\n"
		   "  hartscope list --elf app.elf --from 9000000000 --limit 50 app.nt",
	.set = OPT_JSON | OPT_PROTOCOL | OPT_CODE | OPT_PROCESS | OPT_TRANSPORT | OPT_CAPTURE |
	       OPT_AUTO | OPT_QUIET,
	.min_args = 1,
	.max_args = 1,
};

struct making {
	struct hs_trace_index_entry *entries;
	size_t count, cap;
	struct hs_listing *listing; /* it only counts */
	struct hs_block context;
	bool several; /* harts: a place would need to know where each is */
};

static char *path_of(const char *trace)
{
	const size_t n = strlen(trace) + sizeof(".idx");
	char *path = malloc(n);

	if (path)
		snprintf(path, n, "%s.idx", trace);
	return path;
}

bool trace_index_read(const char *trace, struct hs_span *file)
{
	char *path = path_of(trace);
	FILE *f = path ? fopen(path, "rbe") : NULL;
	uint8_t *bytes = NULL;
	long n = -1;

	free(path);
	if (f && fseek(f, 0, SEEK_END) == 0)
		n = ftell(f);
	if (n > 0 && n <= INDEX_MAX && fseek(f, 0, SEEK_SET) == 0)
		bytes = malloc((size_t)n);
	if (bytes && fread(bytes, 1, (size_t)n, f) != (size_t)n) {
		free(bytes);
		bytes = NULL;
	}
	if (f)
		fclose(f);
	*file = (struct hs_span){ bytes, (size_t)n };
	return bytes;
}

static bool add_place(struct making *m, const struct hs_source_place *place)
{
	if (m->count == m->cap) {
		const size_t cap = m->cap ? 2 * m->cap : 1024;
		void *more = reallocarray(m->entries, cap, sizeof(*m->entries));

		if (!more)
			return false;
		m->entries = more;
		m->cap = cap;
	}
	m->entries[m->count++] = (struct hs_trace_index_entry){
		.place = *place, .instructions = hs_listing_count(m->listing),
		.context = m->context };
	return true;
}

static bool take_items(struct making *m, const struct hs_block *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		m->several |= b[i].kind == HS_KIND_HART;
		if (b[i].kind == HS_KIND_CONTEXT)
			m->context = b[i];
	}
	return hs_listing_add(m->listing, b, n) == HS_OK;
}

/* Read the whole trace. */
static bool find_places(struct making *m, struct hs_source *source, struct damage *damage)
{
	static struct hs_block items[READ_BATCH];
	enum hs_status s = HS_OK;
	bool good = true;

	while (s != HS_END && good) {
		struct hs_source_place place;
		struct hs_error e = { 0 };
		size_t n;

		s = hs_source_next(source, items, READ_BATCH, &n, &e);
		if (s != HS_OK && s != HS_END)
			damage_add(damage, &e, hs_source_reason(source));
		good = take_items(m, items, n);
		if (good && !n && !m->several && hs_source_get_place(source, &place))
			good = add_place(m, &place);
	}
	return good;
}

static bool write_index(const struct making *m, const char *trace, uint64_t fingerprint)
{
	const size_t n = HS_TRACE_INDEX_HEAD + m->count * HS_TRACE_INDEX_ENTRY;
	uint8_t *bytes = malloc(n);
	char *path = path_of(trace);
	struct new_file f = { .fd = -1 };
	bool good = bytes && path && new_file_open(&f, path);

	if (good) {
		hs_trace_index_write(fingerprint, hs_listing_count(m->listing), m->entries,
		                     m->count, bytes);
		good = write_all(f.fd, bytes, n) && new_file_commit(&f);
		new_file_discard(&f);
	}
	free(bytes);
	free(path);
	return good;
}

static bool discard(void *context, const void *text, size_t n)
{
	(void)context;
	(void)text;
	(void)n;
	return true;
}

static int make(struct hs_source *source, const struct options *o)
{
	struct making m = { .entries = NULL };
	const uint64_t fingerprint = hs_source_fingerprint(source);
	const struct hs_listing_options lo = {
		.size = sizeof(lo), .format = HS_LISTING_PC, .program = hs_source_program(source),
		.programs = hs_source_programs(source), .skip = UINT64_MAX, .write = discard };
	struct damage damage = { 0 };
	struct report r;

	if (!fingerprint) {
		complain("%s: has no places to seek to: only a trace in a file, without a "
		         "transport and without code that changes, has", o->args[0]);
		return EXIT_USAGE;
	}
	if (hs_listing_new(&lo, &m.listing) != HS_OK) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	const bool good = find_places(&m, source, &damage) &&
	                  write_index(&m, o->args[0], fingerprint);

	if (good && (!o->quiet || o->json)) {
		report_begin(&r, stdout, o->json);
		report_u64(&r, "instructions", "instructions", hs_listing_count(m.listing));
		report_u64(&r, "places", "places", m.count);
		report_u64(&r, "errors", "errors", damage.count);
		report_end(&r);
	}
	hs_listing_free(m.listing);
	free(m.entries);
	return good ? damage_exit(&damage) : EXIT_USAGE;
}

int cmd_index(int argc, char **argv)
{
	struct hs_source *source;
	struct options o;
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	o.source.versions = true;
	o.source.threads = o.jobs > 1 ? (uint32_t)o.jobs : 2;
	source = open_argument(&o, &status);
	if (!source)
		return status;
	status = make(source, &o);
	hs_source_close(source);
	return status;
}
