/* A profile of the Firefox Profiler, in its processed format of version 48: a stack for each path
 * of the tree of calls, and a sample of each that has instructions, which are its weight.
 *
 * Samples are in the order of the tree: their times say nothing but that order. */
#include <stdlib.h>

#include <hartscope/status.h>

#include "calls/tree_format.h"
#include "support/grow.h"

#define NO_STACK UINT32_MAX

/* A function; its number is its item's, and that of its frame. */
struct function {
	const char *name, *file; /* file: with its code */
	uint64_t start;
	const char *source; /* NULL: not known */
	int line;
};

struct call_path {
	uint64_t instructions;
	uint32_t function, prefix;
};

struct firefox {
	struct support_hash functions; /* of struct function */
	struct call_path *stacks;
	size_t count, room;
	uint32_t open[EXPORTS_TREE_LEVELS]; /* stacks of the current path */
};

static enum hs_status begin(struct hs_export *x)
{
	struct firefox *p = calloc(1, sizeof(*p));

	if (!p)
		return HS_E_MEMORY;
	p->functions.item_size = sizeof(struct function);
	x->own = p;
	return exports_tree_begin(x);
}

static void free_firefox(struct hs_export *x)
{
	struct firefox *p = x->own;

	exports_tree_free(x);
	if (!p)
		return;
	support_hash_free(&p->functions);
	free(p->stacks);
	free(p);
}

/* ---- stacks -------------------------------------------------------------------------------- */

static bool same_function(const void *item, const void *key)
{
	const struct function *a = item, *b = key;

	return a->name == b->name && a->file == b->file && a->start == b->start;
}

static struct function *find_function(struct hs_export *x, const struct hs_call_node *n)
{
	struct firefox *p = x->own;
	struct function key = { .name = n->name, .file = n->file, .start = n->start };
	const uint32_t hash = support_hash_of(n->start, (uintptr_t)n->name ^ (uintptr_t)n->file);
	struct function *f = support_hash_find(&p->functions, hash, same_function, &key);
	struct hs_place place;

	if (f)
		return f;
	if (n->own_file && hs_program_find_place(x->o.program, n->start, &place) && place.file) {
		key.source = place.file;
		key.line = place.line;
	}
	f = support_hash_add(&p->functions, hash);
	if (f)
		*f = key;
	return f;
}

static enum hs_status add_stack(struct hs_export *x, const struct exports_node *n)
{
	struct firefox *p = x->own;
	const struct function *f = find_function(x, n->path[n->levels - 1]);

	if (!f || !support_grow(&p->stacks, &p->room, p->count + 1, sizeof(*p->stacks)))
		return HS_E_MEMORY;
	p->open[n->levels - 1] = (uint32_t)p->count;
	p->stacks[p->count++] = (struct call_path){
		.instructions = n->instructions,
		.function = (uint32_t)(f - (const struct function *)p->functions.items),
		.prefix = n->levels > 1 ? p->open[n->levels - 2] : NO_STACK,
	};
	return HS_OK;
}

/* ---- columns ------------------------------------------------------------------------------- */

/* "name":[value,...] of the entries 0 to n - 1. */
static void print_column(struct hs_export *x, const char *name, size_t n,
                         void (*print)(struct hs_export *x, size_t i))
{
	support_out_print(&x->out, "\"%s\":[", name);
	for (size_t i = 0; i < n; i++) {
		if (i)
			support_out_text(&x->out, i % 64 ? "," : ",\n");
		print(x, i);
	}
	support_out_text(&x->out, "],");
}

/* The same where all values are equal. */
static void print_same(struct hs_export *x, const char *name, size_t n, const char *value)
{
	support_out_print(&x->out, "\"%s\":[", name);
	for (size_t i = 0; i < n; i++)
		support_out_print(&x->out, "%s%s", !i ? "" : i % 64 ? "," : ",\n", value);
	support_out_text(&x->out, "],");
}

static const struct call_path *stack_at(const struct hs_export *x, size_t i)
{
	return &((const struct firefox *)x->own)->stacks[i];
}

static const struct function *function_at(const struct hs_export *x, size_t i)
{
	return support_hash_item(&((const struct firefox *)x->own)->functions, (uint32_t)i);
}

static void print_index(struct hs_export *x, size_t i)
{
	support_out_print(&x->out, "%zu", i);
}

static void print_frame(struct hs_export *x, size_t i)
{
	support_out_print(&x->out, "%u", stack_at(x, i)->function);
}

static void print_prefix(struct hs_export *x, size_t i)
{
	if (stack_at(x, i)->prefix == NO_STACK)
		support_out_text(&x->out, "null");
	else
		support_out_print(&x->out, "%u", stack_at(x, i)->prefix);
}

/* Strings: a name and a file for each function. */
static void print_name(struct hs_export *x, size_t i)
{
	support_out_print(&x->out, "%zu", 2 * i);
}

static void print_source(struct hs_export *x, size_t i)
{
	if (function_at(x, i)->source)
		support_out_print(&x->out, "%zu", 2 * i + 1);
	else
		support_out_text(&x->out, "null");
}

static void print_line(struct hs_export *x, size_t i)
{
	if (function_at(x, i)->source)
		support_out_print(&x->out, "%d", function_at(x, i)->line);
	else
		support_out_text(&x->out, "null");
}

static void print_string(struct hs_export *x, size_t i)
{
	const struct function *f = function_at(x, i / 2);
	char number[32];

	support_out_as(&x->out, hs_json_string,
	               i % 2 == 0  ? exports_name(f->name, f->start, number)
	               : f->source ? f->source
	                           : "");
}

/* ---- the profile --------------------------------------------------------------------------- */

static void print_meta(struct hs_export *x)
{
	support_out_print(&x->out,
	                  "{\"meta\":{\"interval\":0.000001,\"startTime\":0,\"processType\":0,"
	                  "\"product\":");
	support_out_as(&x->out, hs_json_string, x->o.title ? x->o.title : "");
	support_out_print(&x->out,
	                  ",\"stackwalk\":1,\"version\":27,\"preprocessedProfileVersion\":48,"
	                  "\"importedFrom\":\"hartscope %s\",\"symbolicated\":true,"
	                  "\"extensions\":{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]},"
	                  "\"markerSchema\":[],\"categories\":[{\"name\":\"Other\","
	                  "\"color\":\"grey\",\"subcategories\":[\"Other\"]}]},\n"
	                  "\"libs\":[],\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n"
	                  "\"threads\":[{\"name\":\"instructions\",\"isMainThread\":true,"
	                  "\"processType\":\"default\",\"processStartupTime\":0,"
	                  "\"processShutdownTime\":null,\"registerTime\":0,"
	                  "\"unregisterTime\":null,\"pausedRanges\":[],\"pid\":\"1\",\"tid\":1,\n"
	                  "\"markers\":{\"length\":0,\"data\":[],\"name\":[],\"startTime\":[],"
	                  "\"endTime\":[],\"phase\":[],\"category\":[]},\n"
	                  "\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],"
	                  "\"name\":[],\"functionSize\":[]},\n\"resourceTable\":{\"length\":0,"
	                  "\"lib\":[],\"name\":[],\"host\":[],\"type\":[]},\n",
	                  hs_version_string());
}

static void print_functions(struct hs_export *x, size_t n)
{
	support_out_text(&x->out, "\"funcTable\":{");
	print_column(x, "name", n, print_name);
	print_column(x, "fileName", n, print_source);
	print_column(x, "lineNumber", n, print_line);
	print_same(x, "columnNumber", n, "null");
	print_same(x, "resource", n, "-1");
	print_same(x, "isJS", n, "false");
	print_same(x, "relevantForJS", n, "false");
	support_out_print(&x->out, "\"length\":%zu},\n\"frameTable\":{", n);
	print_column(x, "func", n, print_index);
	print_column(x, "line", n, print_line);
	print_same(x, "address", n, "-1");
	print_same(x, "inlineDepth", n, "0");
	print_same(x, "category", n, "0");
	print_same(x, "subcategory", n, "0");
	print_same(x, "nativeSymbol", n, "null");
	print_same(x, "innerWindowID", n, "null");
	print_same(x, "implementation", n, "null");
	print_same(x, "column", n, "null");
	support_out_print(&x->out, "\"length\":%zu},\n", n);
}

static void print_stacks(struct hs_export *x, size_t n)
{
	support_out_text(&x->out, "\"stackTable\":{");
	print_column(x, "frame", n, print_frame);
	print_column(x, "prefix", n, print_prefix);
	print_same(x, "category", n, "0");
	print_same(x, "subcategory", n, "0");
	support_out_print(&x->out, "\"length\":%zu},\n", n);
}

enum sample_column { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_WEIGHT };

/* A column of the samples: stacks with instructions.  @return  How many there are. */
static size_t print_samples(struct hs_export *x, const char *name, enum sample_column what)
{
	const struct firefox *p = x->own;
	uint64_t before = 0;
	size_t n = 0;

	support_out_print(&x->out, "\"%s\":[", name);
	for (size_t i = 0; i < p->count; i++) {
		const uint64_t weight = p->stacks[i].instructions;

		if (!weight)
			continue;
		if (n++)
			support_out_text(&x->out, n % 64 ? "," : ",\n");
		if (what == SAMPLE_STACK)
			support_out_print(&x->out, "%zu", i);
		else if (what == SAMPLE_WEIGHT)
			support_out_print(&x->out, "%llu", (ull)weight);
		else
			support_out_print(&x->out, "%llu.%06llu", (ull)(before / 1000000),
			                  (ull)(before % 1000000));
		before += weight;
	}
	support_out_text(&x->out, "],");
	return n;
}

static enum hs_status end(struct hs_export *x)
{
	const struct firefox *p = x->own;
	const enum hs_status s = exports_tree_end(x, add_stack);

	if (s != HS_OK)
		return s;
	print_meta(x);
	print_functions(x, p->functions.count);
	print_stacks(x, p->count);
	support_out_text(&x->out, "\"samples\":{\"weightType\":\"samples\",");
	print_samples(x, "stack", SAMPLE_STACK);
	print_samples(x, "time", SAMPLE_TIME);
	support_out_print(&x->out, "\"length\":%zu},\n", print_samples(x, "weight", SAMPLE_WEIGHT));
	print_column(x, "stringArray", 2 * (size_t)p->functions.count, print_string);
	support_out_text(&x->out, "\"showMarkersInTimeline\":false}]}\n");
	return x->out.status;
}

const struct exports_format exports_firefox = { .begin = begin,
	                                        .items = exports_tree_items,
	                                        .scan = exports_tree_scan,
	                                        .end = end,
	                                        .free = free_firefox };
