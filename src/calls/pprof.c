/* A profile of pprof: a sample for each path of the tree of calls, in the wire format of protocol
 * buffers, not compressed.
 *
 * The numbers are those of pprof's public message perftools.profiles.Profile (profile.proto).
 * Functions, their locations and their strings are written when a path first has them. */
#include <stdlib.h>

#include <hartscope/status.h>

#include "calls/protobuf.h"
#include "calls/tree_format.h"

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_DEFAULT_TYPE = 14
};
enum { TYPE_NAME = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2 };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_FILES = 8 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM = 3,
	FUNCTION_FILE = 4,
	FUNCTION_START = 5
};

/* A function, whose number is its item's and 1. */
struct function {
	const char *name, *object;
	uint64_t start;
};

/* A file with code, by the address of its path; its number is its item's and 1. */
struct known {
	const char *text;
};

struct profile {
	struct support_hash functions; /* of struct function */
	struct support_hash objects;   /* of struct known: files with code */
	uint32_t strings;              /* that were written */
};

/* ---- the file ------------------------------------------------------------------------------ */

/* A field of the profile that is a message or text. */
static void write_field(struct hs_export *x, unsigned field, const void *bytes, size_t n)
{
	struct message head = { .n = 0 };

	put_length(&head, field, n);
	support_out_put(&x->out, head.bytes, head.n);
	support_out_put(&x->out, bytes, n);
}

/* The number of a new string. */
static uint32_t write_string(struct hs_export *x, const char *text)
{
	struct profile *p = x->own;
	char cut[MESSAGE_NAME];

	write_field(x, PROFILE_STRING, cut, hs_text_escape(cut, sizeof(cut), text));
	return p->strings++;
}

static void write_type(struct hs_export *x, unsigned field, const char *name, const char *unit)
{
	struct message m = { .n = 0 };

	put_value(&m, TYPE_NAME, write_string(x, name));
	put_value(&m, TYPE_UNIT, write_string(x, unit));
	write_field(x, field, m.bytes, m.n);
}

static enum hs_status begin(struct hs_export *x)
{
	struct profile *p = calloc(1, sizeof(*p));
	struct message m = { .n = 0 };

	if (!p)
		return HS_E_MEMORY;
	p->functions.item_size = sizeof(struct function);
	p->objects.item_size = sizeof(struct known);
	x->own = p;
	write_string(x, ""); /* number 0 has to be empty */
	write_type(x, PROFILE_SAMPLE_TYPE, "calls", "count");
	write_type(x, PROFILE_SAMPLE_TYPE, "time", x->o.clock_hz ? "nanoseconds" : "ticks");
	put_value(&m, PROFILE_DEFAULT_TYPE, p->strings);
	write_type(x, PROFILE_SAMPLE_TYPE, "instructions", "count");
	support_out_put(&x->out, m.bytes, m.n);
	return exports_tree_begin(x);
}

static void free_profile(struct hs_export *x)
{
	struct profile *p = x->own;

	exports_tree_free(x);
	if (!p)
		return;
	support_hash_free(&p->functions);
	support_hash_free(&p->objects);
	free(p);
}

/* ---- functions ----------------------------------------------------------------------------- */

static bool same_text(const void *item, const void *key)
{
	return ((const struct known *)item)->text == key;
}

/* The number of a file with code, from 1 on; 0: it is not known, or no memory. */
static uint32_t object_of(struct hs_export *x, const char *path)
{
	struct profile *p = x->own;
	const uint32_t hash = support_hash_of((uintptr_t)path, 0);
	struct known *k = path ? support_hash_find(&p->objects, hash, same_text, path) : NULL;
	struct message m = { .n = 0 };

	if (!k && path) {
		k = support_hash_add(&p->objects, hash);
		if (!k)
			return 0;
		k->text = path;
		put_value(&m, MAPPING_ID, p->objects.count);
		put_value(&m, MAPPING_FILE, write_string(x, path));
		put_value(&m, MAPPING_HAS_FUNCTIONS, 1);
		put_value(&m, MAPPING_HAS_FILES, 1);
		write_field(x, PROFILE_MAPPING, m.bytes, m.n);
	}
	return k ? 1 + (uint32_t)(k - (struct known *)p->objects.items) : 0;
}

/* Where a function begins, of the program's own files. */
static struct hs_place place_of(const struct hs_export *x, const struct hs_call_node *n)
{
	struct hs_place place = { .file = NULL };

	if (!n->own_file || !hs_program_find_place(x->o.program, n->start, &place) || !place.file)
		place = (struct hs_place){ .file = NULL };
	return place;
}

static void write_function(struct hs_export *x, const struct hs_call_node *n, uint32_t id)
{
	const struct hs_place place = place_of(x, n);
	struct message function = { .n = 0 }, line = { .n = 0 }, location = { .n = 0 };
	char number[32];
	const uint32_t name = write_string(x, exports_name(n->name, n->start, number));
	const uint32_t object = object_of(x, n->file);

	put_value(&function, FUNCTION_ID, id);
	put_value(&function, FUNCTION_NAME, name);
	put_value(&function, FUNCTION_SYSTEM, name);
	if (place.file) {
		put_value(&function, FUNCTION_FILE, write_string(x, place.file));
		put_value(&function, FUNCTION_START, (uint64_t)place.line);
	}
	write_field(x, PROFILE_FUNCTION, function.bytes, function.n);
	put_value(&line, LINE_FUNCTION, id);
	if (place.file)
		put_value(&line, LINE_NUMBER, (uint64_t)place.line);
	put_value(&location, LOCATION_ID, id);
	if (object)
		put_value(&location, LOCATION_MAPPING, object);
	put_value(&location, LOCATION_ADDRESS, n->start);
	put_bytes(&location, LOCATION_LINE, line.bytes, line.n);
	write_field(x, PROFILE_LOCATION, location.bytes, location.n);
}

static bool same_function(const void *item, const void *key)
{
	const struct function *a = item, *b = key;

	return a->name == b->name && a->object == b->object && a->start == b->start;
}

/* The number of a node's function, and of its location; 0: no memory. */
static uint32_t function_of(struct hs_export *x, const struct hs_call_node *n)
{
	struct profile *p = x->own;
	const struct function key = { n->name, n->file, n->start };
	const uint32_t hash = support_hash_of(n->start, (uintptr_t)n->name ^ (uintptr_t)n->file);
	struct function *f = support_hash_find(&p->functions, hash, same_function, &key);

	if (!f) {
		f = support_hash_add(&p->functions, hash);
		if (!f)
			return 0;
		*f = key;
		write_function(x, n, p->functions.count);
	}
	return 1 + (uint32_t)(f - (struct function *)p->functions.items);
}

/* ---- samples ------------------------------------------------------------------------------- */

static enum hs_status write_sample(struct hs_export *x, const struct exports_node *n)
{
	struct message locations = { .n = 0 }, values = { .n = 0 }, m = { .n = 0 };

	if (!n->instructions && !n->time && !n->calls)
		return HS_OK;
	for (uint32_t i = n->levels; i-- > 0;) {
		const uint32_t id = function_of(x, n->path[i]);

		if (!id)
			return HS_E_MEMORY;
		put_number(&locations, id);
	}
	put_number(&values, n->calls);
	put_number(&values, exports_time(x, n->time));
	put_number(&values, n->instructions);
	put_bytes(&m, SAMPLE_LOCATIONS, locations.bytes, locations.n);
	put_bytes(&m, SAMPLE_VALUES, values.bytes, values.n);
	write_field(x, PROFILE_SAMPLE, m.bytes, m.n);
	return HS_OK;
}

static enum hs_status end(struct hs_export *x)
{
	return exports_tree_end(x, write_sample);
}

const struct exports_format exports_pprof = { .begin = begin,
	                                      .items = exports_tree_items,
	                                      .scan = exports_tree_scan,
	                                      .end = end,
	                                      .free = free_profile };
