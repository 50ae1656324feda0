/* hartscope vectors: the conformance set of both protocols. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands/vectors.h"
#include "common/tool.h"

static const struct usage usage = {
	.name = "vectors",
	.form = "[--json] [-o DIR]",
	.text = "Writes a conformance set for both trace protocols into a new folder: small programs,\n"
		"rows of the ingress port, the packets that an encoder has to send for them, as fields\n"
		"and as bytes, and the blocks that a decoder has to find, a folder for each clause of\n"
		"the texts.  README.md in it says what is expected of an encoder, and how the packets\n"
		"were reviewed.  Without -o: lists the cases.",
	.example = "  hartscope vectors\n"
		   "  hartscope vectors -o vectors\n"
		   "  hartscope dump vectors/ntrace/nt-7.11/equal-branches/trace.bin",
	.options = OPTIONS(ROWS(options_output), ROWS(options_json), ROWS(options_quiet),
	                   ROWS(options_reading)),
	.min_args = 0,
	.max_args = 0,
	.folder = true,
};

#define CASES 400u

struct vectors {
	char *text; /* of all sources: the lines point into it */
	struct vector_case *cases;
	size_t n;
	struct vector_code code[2]; /* of E-Trace, of N-Trace */
	const char *defaults[4];    /* of the source that is read */
	size_t default_count;
};

/* ---- sources ---------------------------------------------------------------------- */

static const struct embedded *find_file(const char *name)
{
	const struct embedded *f = vector_files;

	while (f->name && strcmp(f->name, name) != 0)
		f++;
	return f->name ? f : NULL;
}

static bool is_of_ntrace(const char *protocol)
{
	return strcmp(protocol, "ntrace") == 0;
}

static void add_code(struct vector_code *code, char *words)
{
	char *end;
	uint64_t at = strtoull(words, &end, 16);

	if (at < VECTOR_CODE)
		code->text[at] = words;
	while (*end == ' ') {
		char *word = end + 1;
		const uint64_t v = strtoull(word, &end, 16);

		if (end == word)
			return;
		for (long i = 0; i < (end - word) / 2 && at < VECTOR_CODE; i++, at++) {
			code->bytes[at] = (uint8_t)(v >> 8 * i);
			code->is_code[at] = true;
		}
	}
}

static void begin_case(struct vectors *v, const char *protocol, const char *name)
{
	struct vector_case *c = &v->cases[v->n++];

	c->protocol = protocol;
	c->name = name;
	for (size_t i = 0; i < v->default_count; i++)
		c->settings[c->setting_count++] = v->defaults[i];
}

/* A line of what runs and what is sent: once, or as often as " xN" at its end says. */
static bool add_times(struct vector_case *c, char *line)
{
	char *last = strrchr(line, ' ');
	unsigned long n = 1;

	if (last && sscanf(last, " x%lu", &n) == 1)
		*last = '\0';
	if (n > VECTOR_LINES - c->lines)
		return false;
	for (; n; n--)
		c->line[c->lines++] = line;
	return true;
}

/* A line of a source, whose first word is @word. */
static bool add_line(struct vectors *v, const char *protocol, char *line, char *rest)
{
	struct vector_case *c = v->n ? &v->cases[v->n - 1] : NULL;

	if (vector_is(line, "code")) {
		add_code(&v->code[is_of_ntrace(protocol)], rest);
	} else if (vector_is(line, "default") && v->default_count < 4) {
		v->defaults[v->default_count++] = rest;
	} else if (vector_is(line, "case") && v->n < CASES) {
		begin_case(v, protocol, rest);
	} else if (!c) {
		return false;
	} else if (vector_is(line, "clause")) {
		c->clause = rest;
	} else if (vector_is(line, "why")) {
		c->why = rest;
	} else if (vector_is(line, "only")) {
		c->only = *rest;
	} else if (vector_is(line, "set")) {
		if (c->setting_count == 8)
			return false;
		c->settings[c->setting_count++] = rest;
	} else {
		return add_times(c, line);
	}
	return true;
}

static bool read_source(struct vectors *v, const char *protocol, char *text)
{
	v->default_count = 0;
	for (char *line; (line = strsep(&text, "\n"));) {
		char *space = strchr(line, ' ');

		if (*line == '#' || !*line)
			continue;
		if (!add_line(v, protocol, line, space ? space + 1 : line + strlen(line)))
			return false;
	}
	return true;
}

static bool read_sources(struct vectors *v)
{
	size_t size = 0, at = 0;
	bool good;

	for (const struct embedded *f = vector_files; f->name; f++)
		size += f->n + 1;
	v->text = calloc(size, 1);
	v->cases = calloc(CASES, sizeof(*v->cases));
	good = v->text && v->cases;
	for (const struct embedded *f = vector_files; good && f->name; f++) {
		const char *dot = strrchr(f->name, '.');

		if (!dot || strcmp(dot, ".txt") != 0)
			continue;
		memcpy(v->text + at, f->bytes, f->n);
		good = read_source(v, strcmp(f->name, "messages.txt") == 0 ? "ntrace" : "etrace",
		                   v->text + at);
		at += f->n + 1;
	}
	if (!good)
		complain("the sources of the vectors cannot be read");
	return good;
}

/* ---- the index -------------------------------------------------------------------- */

static int by_clause(const void *a, const void *b)
{
	const struct vector_case *x = a, *y = b;
	const int protocol = strcmp(y->protocol, x->protocol);
	const int clause = strcmp(x->clause, y->clause);

	return protocol ? protocol : clause ? clause : (x->line[0] > y->line[0]) * 2 - 1;
}

static void folder_of(const struct vector_case *c, char *path, size_t size)
{
	char clause[64], name[128];

	vector_slug(c->clause, clause, sizeof(clause));
	vector_slug(c->name, name, sizeof(name));
	snprintf(path, size, "%s/%s/%s", c->protocol, clause, name);
}

static void report_index(const struct vectors *v, FILE *to, bool json)
{
	const char *line = (const char *)find_file("VERSION")->bytes;
	struct report r;
	char path[256], version[32];

	snprintf(version, sizeof(version), "%.*s", (int)strcspn(line, "\n"), line);
	report_begin(&r, to, json);
	report_u64(&r, "cases", "cases", v->n);
	report_text(&r, "version", "version", version);
	report_list(&r, "index", "clause, name, folder");
	for (size_t i = 0; i < v->n; i++) {
		folder_of(&v->cases[i], path, sizeof(path));
		report_row(&r);
		report_text(&r, "clause", "", v->cases[i].clause);
		report_text(&r, "name", "", v->cases[i].name);
		report_text(&r, "folder", "", path);
		report_row_end(&r);
	}
	report_list_end(&r);
	report_end(&r);
}

static void print_index(const struct vectors *v, FILE *to)
{
	char path[256];

	fprintf(to, "# Cases by clause\n\n| clause | case | why |\n| --- | --- | --- |\n");
	for (size_t i = 0; i < v->n; i++) {
		const struct vector_case *c = &v->cases[i];

		folder_of(c, path, sizeof(path));
		fprintf(to, "| %s | [%s](%s) | %s |\n", c->clause, c->name, path,
		        c->why ? c->why : "");
	}
}

static bool write_index(const struct vectors *v, const char *folder, bool json)
{
	FILE *f = vector_open(folder, json ? "index.json" : "index.md");

	if (!f)
		return false;
	if (json)
		report_index(v, f, true);
	else
		print_index(v, f);
	return vector_close(f);
}

/* ---- folders ---------------------------------------------------------------------- */

static bool copy_file(const char *folder, const char *name)
{
	const struct embedded *from = find_file(name);
	FILE *f = vector_open(folder, name);

	if (!f)
		return false;
	fwrite(from->bytes, 1, from->n, f);
	return vector_close(f);
}

static bool write_lines(const char *folder, const struct vector_code *code)
{
	FILE *f = vector_open(folder, "program.txt");

	if (!f)
		return false;
	for (size_t i = 0; i < VECTOR_CODE; i++)
		if (code->text[i])
			fprintf(f, "%s\n", code->text[i]);
	return vector_close(f);
}

static bool write_program(const char *folder, bool ntrace, const struct vector_code *code)
{
	char *path = vector_folder(folder, ntrace ? "ntrace" : "etrace");
	const bool good =
		path && vector_write_program(path, ntrace, code) && write_lines(path, code);

	free(path);
	return good;
}

static bool write_case(const struct vectors *v, const char *folder, const struct vector_case *c)
{
	char clause[64];

	vector_slug(c->clause, clause, sizeof(clause));
	char *protocol = vector_folder(folder, c->protocol);
	char *path = protocol ? vector_folder(protocol, clause) : NULL;
	const bool good = path && vector_write(path, c, &v->code[is_of_ntrace(c->protocol)]);

	free(path);
	free(protocol);
	return good;
}

static bool write_all_files(const struct vectors *v, const char *folder)
{
	if (mkdir(folder, 0777) != 0) {
		complain("%s: %s", folder, strerror(errno));
		return false;
	}
	bool good = copy_file(folder, "README.md") && copy_file(folder, "VERSION") &&
	            write_index(v, folder, false) && write_index(v, folder, true);

	for (unsigned i = 0; i < 2; i++)
		good = good && write_program(folder, i, &v->code[i]);
	for (size_t i = 0; i < v->n; i++)
		good = good && write_case(v, folder, &v->cases[i]);
	return good;
}

int cmd_vectors(int argc, char **argv)
{
	static struct vectors v;
	struct options o = { .arg_count = 0 };
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	status = read_sources(&v) ? EXIT_GOOD : EXIT_DAMAGED;
	if (status == EXIT_GOOD) {
		qsort(v.cases, v.n, sizeof(*v.cases), by_clause);
		if (!o.output || o.json)
			report_index(&v, stdout, o.json);
		if (o.output && !write_all_files(&v, o.output))
			status = EXIT_USAGE;
		else if (o.output && !o.quiet)
			fprintf(stderr, "hartscope: %s: %zu cases\n", o.output, v.n);
	}
	free(v.text);
	free(v.cases);
	return status;
}
