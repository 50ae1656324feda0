/* Exports as text: branch stacks and call chains as perf script prints them, folded stacks,
 * JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/json.h>

#include "ctr_export/private.h"

/* ---- perf script -F ip,brstack --show-mmap-events ------------------------------------- */

static enum hs_status mmaps(struct hs_ctr_export *x)
{
	struct hs_program_segment g;

	for (size_t i = 0; hs_program_get_segment(x->program, i, &g); i++) {
		const uint64_t start = g.start & ~UINT64_C(0xfff),
			end = (g.start + g.size + 0xfff) & ~UINT64_C(0xfff);

		export_print(x, "PERF_RECORD_MMAP2 1/1: [0x%llx(0x%llx) @ 0x%llx 00:00 0 0]: r-xp %s\n", (ull)start,
		               (ull)(end - start), (ull)(g.offset & ~UINT64_C(0xfff)), g.path);
	}
	return x->status;
}

/* From, to, predicted or not ('-': nobody knows), transaction, abort, cycles. */
static enum hs_status brstack(struct hs_ctr_export *x, const struct hs_ctr_sample *s)
{
	if (!x->count)
		return HS_OK;
	export_print(x, "%16llx ", (ull)s->pc);
	for (size_t i = 0; i < x->count; i++) {
		const struct export_branch *b = &x->branches[i];
		const bool cut = b->cycles > EXPORT_CYCLES_MAX;

		x->report.cut += cut;
		export_print(x, " 0x%llx/0x%llx/%c/-/-/%u ", (ull)b->from, (ull)b->to,
		               b->misp ? 'M' : export_has_misp(s->ctr) ? 'P' : '-', cut ?
		               EXPORT_CYCLES_MAX : b->cycles);
	}
	x->report.branches += x->count;
	export_print(x, "\n");
	return x->status;
}

const struct export_format export_brstack = { .name = "brstack", .begin = mmaps,
                                              .sample = brstack };

/* ---- call chains ------------------------------------------------------------------------- */

static const char *function_at(struct hs_program *p, uint64_t addr, uint64_t *offset)
{
	struct hs_program_function f;

	*offset = 0;
	if (!addr || !hs_program_find_function(p, addr, &f))
		return NULL;
	*offset = addr - f.start;
	return f.name;
}

static void frame(struct hs_ctr_export *x, const struct hs_ctr_sample *s, uint64_t addr)
{
	uint64_t offset;
	const char *name = function_at(s->program, addr, &offset);

	if (name)
		export_print(x, "\t%16llx %s+0x%llx\n", (ull)addr, name, (ull)offset);
	else
		export_print(x, "\t%16llx [unknown]\n", (ull)addr);
}

/* The records are the calls that have not returned, so their sources are the callers. */
static enum hs_status callchain(struct hs_ctr_export *x, const struct hs_ctr_sample *s)
{
	char comm[16];

	export_comm(x, comm);
	export_print(x, "%s 1 [%03u] %llu.%09llu: %llu instructions:\n", comm, s->hart,
	               (ull)(s->instructions / 1000000000u), (ull)(s->instructions % 1000000000u),
	               (ull)x->period);
	frame(x, s, s->pc);
	for (size_t i = 0; i < x->count; i++)
		frame(x, s, x->branches[i].from);
	x->report.branches += x->count;
	export_print(x, "\n");
	return x->status;
}

const struct export_format export_callchain = { .name = "callchain", .ras = true,
                                                .sample = callchain };

/* ---- folded stacks: root;...;leaf, and how many samples had it
 * -------------------------------- */

struct stack {
	char *text;
	uint64_t count;
};

struct stacks {
	struct stack *v;
	size_t used, slots; /* a power of two */
};

static size_t slot_of(const struct stacks *t, const char *text)
{
	uint64_t h = 1469598103934665603u;

	for (const char *p = text; *p; p++)
		h = (h ^ (unsigned char)*p) * 1099511628211u;
	size_t i = (h >> 20) & (t->slots - 1);

	while (t->v[i].text && strcmp(t->v[i].text, text) != 0)
		i = (i + 1) & (t->slots - 1);
	return i;
}

static bool grow(struct stacks *t)
{
	struct stacks bigger = { .slots = t->slots ? 2 * t->slots : 1024, .used = t->used };

	bigger.v = calloc(bigger.slots, sizeof(*bigger.v));
	if (!bigger.v)
		return false;
	for (size_t i = 0; i < t->slots; i++)
		if (t->v[i].text)
			bigger.v[slot_of(&bigger, t->v[i].text)] = t->v[i];
	free(t->v);
	*t = bigger;
	return true;
}

static enum hs_status count_stack(struct stacks *t, const char *text)
{
	if (2 * t->used >= t->slots && !grow(t))
		return HS_E_MEMORY;
	struct stack *s = &t->v[slot_of(t, text)];

	if (!s->text) {
		s->text = strdup(text);
		t->used++;
	}
	s->count++;
	return s->text ? HS_OK : HS_E_MEMORY;
}

/* Names have neither the separator nor a line's end in them. */
static size_t put_name(char *to, size_t room, const char *name)
{
	size_t n = 0;

	for (; *name && n + 1 < room; name++)
		to[n++] = *name == ';' || *name == '\n' ? '_' : *name;
	return n;
}

static enum hs_status folded(struct hs_ctr_export *x, const struct hs_ctr_sample *s)
{
	char line[16384];
	uint64_t offset;
	size_t n = 0;

	for (size_t i = x->count + 1; i-- > 0;) {
		const char *name = function_at(s->program, i ? x->branches[i - 1].from : s->pc,
		                               &offset);

		n += put_name(line + n, sizeof(line) - n - 1, name ? name : "[unknown]");
		if (i && n + 2 < sizeof(line))
			line[n++] = ';';
	}
	line[n] = '\0';
	x->report.branches += x->count;
	return count_stack(x->own, line);
}

static enum hs_status folded_begin(struct hs_ctr_export *x)
{
	x->own = calloc(1, sizeof(struct stacks));
	return x->own && grow(x->own) ? HS_OK : HS_E_MEMORY;
}

static int by_text(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;

	if (!x->text || !y->text)
		return !x->text - !y->text;
	return strcmp(x->text, y->text);
}

static enum hs_status folded_end(struct hs_ctr_export *x)
{
	struct stacks *t = x->own;

	qsort(t->v, t->slots, sizeof(*t->v), by_text);
	for (size_t i = 0; i < t->used; i++)
		export_print(x, "%s %llu\n", t->v[i].text, (ull)t->v[i].count);
	return x->status;
}

static void folded_free(struct hs_ctr_export *x)
{
	struct stacks *t = x->own;

	for (size_t i = 0; t && i < t->slots; i++)
		free(t->v[i].text);
	if (t)
		free(t->v);
	free(t);
}

const struct export_format export_folded = { .name = "folded", .ras = true, .begin = folded_begin,
	                                         .sample = folded, .end = folded_end,
	                                         .free = folded_free };

/* ---- JSON: everything that the array holds
 * ----------------------------------------------------- */

static enum hs_status json_begin(struct hs_ctr_export *x)
{
	char path[4096];

	hs_json_string(path, sizeof(path), x->program_path ? x->program_path : "");
	export_print(x, "{\n  \"version\": \"%s\",\n  \"depth\": %u,\n  \"period\": %llu,\n  \"program\": %s,\n",
	               hs_ctr_version_name((enum hs_ctr_version)x->start.config.version),
	               hs_ctr_depth(&x->start),
	               (ull)x->period, path);
	export_print(x, "  \"samples\": [");
	return x->status;
}

static void json_record(struct hs_ctr_export *x, const struct hs_ctr_record *r, bool first)
{
	export_print(x, "%s\n     {\"source\": \"0x%llx\", \"target\": \"0x%llx\", \"type\": %u, "
	             "\"name\": \"%s\"", first ? "" : ",", (ull)r->source, (ull)r->target, r->type,
	             hs_ctr_type_name(r->type));
	if (r->misp)
		export_print(x, ", \"misp\": true");
	if (!r->source || !r->target)
		export_print(x, ", \"partial\": true");
	if (r->ccv)
		export_print(x, ", \"cycles\": %u", r->cycles);
	export_print(x, "}");
}

static enum hs_status json_sample(struct hs_ctr_export *x, const struct hs_ctr_sample *s)
{
	bool first = true;

	export_print(x, "%s\n    {\"hart\": %u, \"instructions\": %llu, \"pc\": \"0x%llx\", \"priv\": %u,",
	               x->report.samples > 1 ? "," : "", s->hart, (ull)s->instructions, (ull)s->pc,
	               s->priv);
	export_print(x, " \"records\": [");
	for (unsigned i = 0; i < hs_ctr_depth(s->ctr); i++) {
		const struct hs_ctr_entry e = hs_ctr_get_entry(s->ctr, i);
		const struct hs_ctr_record r = hs_ctr_decode_entry(&e);

		if (!r.valid)
			continue;
		json_record(x, &r, first);
		x->report.branches++;
		first = false;
	}
	export_print(x, "]}");
	return x->status;
}

static enum hs_status json_end(struct hs_ctr_export *x)
{
	x->report.not_taken = 0; /* they are all there */
	export_print(x, "\n  ]\n}\n");
	return x->status;
}

const struct export_format export_json = { .name = "json", .begin = json_begin,
                                           .sample = json_sample,
	                                       .end = json_end };
