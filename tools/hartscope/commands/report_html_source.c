/* The source of a page: lines that ran, with counts and what is near them (report_html.h). */
#include <stdlib.h>
#include <string.h>

#include "commands/report_html.h"

#define TEXT_MAX ((size_t)4 << 20) /* bytes of source */
#define NEAR 3                     /* lines before and after one that ran */

/* A line that ran. */
struct ran {
	const struct hs_counts_insn *insn; /* one of its instructions */
	uint64_t count, most;        /* instructions; times of the one that ran most often */
};

static int by_line(const void *a, const void *b)
{
	const struct hs_counts_insn *x = ((const struct ran *)a)->insn,
				    *y = ((const struct ran *)b)->insn;
	const int order = strcmp(x->source, y->source);

	return order ? order : x->line - y->line;
}

/* Files by what ran in them. */
struct file {
	const struct ran *lines;
	size_t count;
	uint64_t instructions;
};

static int hottest_first(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	return (x->instructions < y->instructions) - (x->instructions > y->instructions);
}

/* The lines of all instructions, sorted; each once. */
static size_t gather(const struct hs_counts_code *t, struct ran *v)
{
	size_t n = 0, lines = 0;

	for (size_t i = 0; i < t->insn_count; i++)
		if (t->insns[i].source && t->insns[i].line > 0)
			v[n++] = (struct ran){ &t->insns[i], t->insns[i].count, t->insns[i].count };
	qsort(v, n, sizeof(*v), by_line);
	for (size_t i = 0; i < n; i++) {
		struct ran *last = lines ? &v[lines - 1] : NULL;

		if (last && by_line(last, &v[i]) == 0) {
			last->count += v[i].count;
			last->most = v[i].most > last->most ? v[i].most : last->most;
		} else {
			v[lines++] = v[i];
		}
	}
	return lines;
}

static size_t find_files(const struct ran *v, size_t lines, struct file *files)
{
	size_t n = 0;

	for (size_t i = 0; i < lines; i++) {
		if (!n || strcmp(files[n - 1].lines->insn->source, v[i].insn->source) != 0)
			files[n++] = (struct file){ .lines = &v[i] };
		files[n - 1].count++;
		files[n - 1].instructions += v[i].count;
	}
	qsort(files, n, sizeof(*files), hottest_first);
	return n;
}

/* Line @line, as [number, times, instructions, text]; bytes of its text. */
static size_t write_line(struct html_out *o, struct hs_program *p, const char *file, int line,
                         const struct ran *ran, bool first)
{
	const char *text = hs_program_source_line(p, file, line);

	if (!text && !ran)
		return 0;
	fprintf(o->f, "%s[%d,%llu,%llu,", first ? "" : ",\n", line,
	        ran ? (unsigned long long)ran->most : 0, ran ? (unsigned long long)ran->count : 0);
	html_string(o, text ? text : "");
	fputc(']', o->f);
	return 24 + (text ? strlen(text) : 0);
}

/* Lines that ran, and those near them.  Bytes. */
static size_t write_file(struct html_out *o, const struct file *f)
{
	const char *path = f->lines->insn->source;
	size_t bytes = 0;
	int next = 1;

	fputs("{\"file\":", o->f);
	html_string(o, path);
	fprintf(o->f, ",\"instructions\":%llu,\"lines\":[", (unsigned long long)f->instructions);
	for (size_t i = 0; i < f->count; i++) {
		const struct hs_counts_insn *insn = f->lines[i].insn;
		const int line = insn->line;
		const int end = i + 1 < f->count ? f->lines[i + 1].insn->line : line + NEAR + 1;

		for (int k = line - NEAR > next ? line - NEAR : next; k < line; k++)
			bytes += write_line(o, insn->program, path, k, NULL, !bytes);
		bytes += write_line(o, insn->program, path, line, &f->lines[i], !bytes);
		for (next = line + 1; next < end && next <= line + NEAR; next++)
			bytes += write_line(o, insn->program, path, next, NULL, !bytes);
	}
	fputs("]}", o->f);
	return bytes;
}

bool html_sources(struct html_out *o, const struct hs_counts_code *t)
{
	struct ran *v = calloc(t->insn_count + 1, sizeof(*v));
	struct file *files = calloc(t->insn_count + 1, sizeof(*files));
	size_t bytes = 0, n = 0;

	if (v && files)
		n = find_files(v, gather(t, v), files);
	html_number(o, "sourceCount", n);
	html_key(o, "sources");
	fputc('[', o->f);
	for (size_t i = 0; i < n && bytes < TEXT_MAX; i++) {
		if (i)
			fputs(",\n", o->f);
		bytes += write_file(o, &files[i]);
	}
	fputc(']', o->f);
	const bool good = v && files;

	free(v);
	free(files);
	return good;
}
