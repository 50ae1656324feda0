/* What a function's name leads to on the page (report_html.h): who called it and what it called,
 * its instructions with counts, where its source is, and what the compiler inlined into it. */
#include <stdlib.h>
#include <string.h>

#include "commands/report_html.h"

#define EDGES_MAX 60000u
#define TEXT_MAX ((size_t)1500 << 10) /* bytes of instructions as text */

/* The instructions of a function: first and one after the last of them. */
struct function_code {
	uint32_t row; /* of the function on the page */
	size_t first, end;
};

/* ---- calls ------------------------------------------------------------------------------ */

static int most_first(const void *a, const void *b)
{
	const struct hs_call_edge *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return (x->calls < y->calls) - (x->calls > y->calls);
}

/* Caller + 1, callee, calls, instructions, of each pair; the caller 0 is none. */
bool html_edges(struct html_out *o, const struct run *r, const uint32_t *row_of)
{
	const struct hs_call_graph_result *g = &r->edges;
	struct hs_call_edge *v = calloc(g->edge_count + 1, sizeof(*v));

	if (!v)
		return false;
	if (g->edge_count) {
		memcpy(v, g->edges, g->edge_count * sizeof(*v));
		qsort(v, g->edge_count, sizeof(*v), most_first);
	}
	html_number(o, "edgeCount", g->edge_count);
	html_key(o, "edges");
	html_pack(o);
	for (size_t i = 0; i < g->edge_count && i < EDGES_MAX; i++) {
		html_put(o, v[i].caller == UINT32_MAX ? 0 : row_of[v[i].caller] + 1u);
		html_put(o, row_of[v[i].callee]);
		html_put(o, v[i].calls);
		html_put(o, v[i].total);
	}
	html_pack_end(o);
	free(v);
	return true;
}

/* ---- functions in the code -------------------------------------------------------------- */

/* A function of the page by where it is. */
struct named {
	const char *file;
	uint64_t start;
	uint32_t row;
};

static int by_start(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (!x->file != !y->file)
		return x->file ? 1 : -1;
	return x->file ? strcmp(x->file, y->file) : 0;
}

static size_t name_functions(const struct run *r, uint32_t rows, struct named *v)
{
	size_t n = 0;

	for (uint32_t i = 0; i < rows; i++)
		if (r->functions[i].own && r->functions[i].name)
			v[n++] = (struct named){ r->functions[i].own->file,
				                 r->functions[i].own->start, i };
	if (n)
		qsort(v, n, sizeof(*v), by_start);
	return n;
}

static int by_row(const void *a, const void *b)
{
	const struct function_code *x = a, *y = b;

	return (x->row > y->row) - (x->row < y->row);
}

/* The functions of the page with their instructions, the hottest first.  How many; @f has room for
 * as many as there are instructions. */
static size_t find_code(const struct run *r, uint32_t rows, struct function_code *f)
{
	struct named *v = calloc(rows + (size_t)1, sizeof(*v));
	const struct hs_counts_insn *insns = r->code.insns;
	const size_t names = v ? name_functions(r, rows, v) : 0;
	size_t n = 0;

	for (size_t i = 0, end; i < r->code.insn_count; i = end) {
		const struct named key = { insns[i].file, insns[i].start, 0 };
		const struct named *found = names && insns[i].label
		                                    ? bsearch(&key, v, names, sizeof(*v), by_start)
		                                    : NULL;

		for (end = i + 1; end < r->code.insn_count && insns[end].start == insns[i].start &&
		                  insns[end].label == insns[i].label;)
			end++;
		if (found)
			f[n++] = (struct function_code){ found->row, i, end };
	}
	if (n)
		qsort(f, n, sizeof(*f), by_row);
	free(v);
	return n;
}

/* ---- instructions ----------------------------------------------------------------------- */

/* Texts that have a number. */
struct texts {
	const char **v;
	uint32_t count, room;
};

/* 1 + the number of a text; 0: NULL, or no memory.  Most are one of the last. */
static uint32_t number_of(struct texts *t, const char *text)
{
	for (uint32_t i = t->count; text && i-- > 0;)
		if (t->v[i] == text || strcmp(t->v[i], text) == 0)
			return i + 1;
	if (!text)
		return 0;
	if (t->count == t->room) {
		const char **more = reallocarray(t->v, t->room + 256u, sizeof(*more));

		if (!more)
			return 0;
		t->v = more;
		t->room += 256;
	}
	t->v[t->count++] = text;
	return t->count;
}

static void write_texts(struct html_out *o, const char *key, struct texts *t)
{
	html_key(o, key);
	fputc('[', o->f);
	for (uint32_t i = 0; i < t->count; i++) {
		fputs(i ? ",\n" : "", o->f);
		html_string(o, t->v[i]);
	}
	fputc(']', o->f);
	free(t->v);
}

/* What the page has of code. */
struct code {
	struct html_out *out;
	const struct run *run;
	struct hs_disasm *disasm;
	struct texts files, names;
	size_t bytes;
};

/* An instruction, with the function that a direct jump leads to. */
static void text_of(const struct code *c, const struct hs_counts_insn *i, char *text, size_t size)
{
	const struct hs_guest_at at = { .priv = HS_PRIV_UNKNOWN };
	struct hs_guest_place place;

	hs_disasm_text(c->disasm, i->addr, i->bytes, 2u * i->hwords, text, size / 2);
	if (!i->has_target)
		return;
	hs_guest_name(hs_source_known(c->run->source)->guest, i->program, &at, i->target, &place);
	const char *last = strrchr(text, ' ');
	const size_t n =
		last && strchr("-0123456789", last[1]) ? (size_t)(last - text) : strlen(text);

	if (i->start == i->target - place.offset)
		snprintf(text + n, size - n, " +0x%llx", (unsigned long long)place.offset);
	else
		snprintf(text + n, size - n, " 0x%llx <%.160s>", (unsigned long long)i->target,
		         place.label ? place.label : "");
}

/* [function, first address, numbers, texts]; of each instruction bytes from the one before, count,
 * taken, not taken, file, line, and the inlined function, files and functions as 1 + number. */
static void write_code(struct code *c, const struct function_code *f)
{
	const struct hs_counts_insn *v = c->run->code.insns;
	uint64_t at = v[f->first].addr;
	struct html_out *o = c->out;

	fprintf(o->f, "[%u,\"0x%llx\",", f->row, (unsigned long long)at);
	html_pack(o);
	for (size_t i = f->first; i < f->end; i++) {
		html_put(o, v[i].addr - at);
		html_put(o, v[i].count);
		html_put(o, v[i].taken);
		html_put(o, v[i].not_taken);
		html_put(o, number_of(&c->files, v[i].source));
		html_put(o, v[i].source && v[i].line > 0 ? (uint64_t)v[i].line : 0);
		html_put(o, number_of(&c->names, v[i].inlined));
		at = v[i].addr;
	}
	html_pack_end(o);
	fputs(",[", o->f);
	for (size_t i = f->first; i < f->end; i++) {
		char text[512];

		text_of(c, &v[i], text, sizeof(text));
		fputs(i == f->first ? "" : ",", o->f);
		html_string(o, text);
		c->bytes += strlen(text) + 16;
	}
	fputs("]]", o->f);
}

/* ---- inlined functions ------------------------------------------------------------------ */

static int by_inlined(const void *a, const void *b)
{
	const struct hs_counts_insn *const *x = a, *const *y = b;
	const int order = strcmp((*x)->inlined, (*y)->inlined);

	if (order || (*x)->start == (*y)->start)
		return order;
	return (*x)->start < (*y)->start ? -1 : 1;
}

/* Name, function + 1 into which it was inlined (0: not on the page), instructions. */
static bool write_inlined(struct code *c, const struct function_code *f, size_t n)
{
	const struct hs_counts_code *t = &c->run->code;
	const struct hs_counts_insn **v = calloc(t->insn_count + 1, sizeof(*v));
	uint32_t *row = calloc(t->insn_count + 1, sizeof(*row));
	size_t count = 0;

	for (size_t i = 0; row && i < n; i++)
		for (size_t k = f[i].first; k < f[i].end; k++)
			row[k] = f[i].row + 1;
	for (size_t i = 0; v && row && i < t->insn_count; i++)
		if (t->insns[i].inlined)
			v[count++] = &t->insns[i];
	if (count)
		qsort(v, count, sizeof(*v), by_inlined);
	html_key(c->out, "inlined");
	html_pack(c->out);
	for (size_t i = 0, first; i < count;) {
		uint64_t sum = 0;

		for (first = i; i < count && by_inlined(&v[first], &v[i]) == 0; i++)
			sum += v[i]->count;
		html_put(c->out, number_of(&c->names, v[first]->inlined));
		html_put(c->out, row[v[first] - t->insns]);
		html_put(c->out, sum);
	}
	html_pack_end(c->out);
	const bool good = v && row;

	free(v);
	free(row);
	return good;
}

bool html_code(struct html_out *o, const struct run *r, uint32_t rows)
{
	struct function_code *f = calloc(r->code.insn_count + 1, sizeof(*f));
	struct code c = { .out = o, .run = r };
	const size_t n = f ? find_code(r, rows, f) : 0;
	struct hs_error e;

	if (r->code.insn_count)
		(void)hs_disasm_new(&hs_program_image(r->code.insns[0].program)->isa, &c.disasm,
		                    &e);
	html_key(o, "code");
	fputc('[', o->f);
	for (size_t i = 0; i < n && c.bytes < TEXT_MAX; i++) {
		fputs(i ? ",\n" : "", o->f);
		write_code(&c, &f[i]);
	}
	fputc(']', o->f);
	const bool good = f && write_inlined(&c, f, n);

	write_texts(o, "codeFiles", &c.files);
	write_texts(o, "inlinedNames", &c.names);
	hs_disasm_free(c.disasm);
	free(f);
	return good;
}
