/* The riscv,pmu node of a device tree: trees are built here, expected rows are by hand from the
 * binding (perf/riscv,pmu).  mhpmcounters 3, 4 and 5 are the logical counters 3, 4 and 6. */
#include "cases.h"

#include <hartscope/pmu.h>

#include "pmu_fake.h"

#define ROWS 4u /* of the tables */

/* ---- building a tree --------------------------------------------------------------- */

struct tree {
	uint8_t structure[2048], strings[512], bytes[3072];
	uint32_t at, strings_at, size;
};

static void put_cell(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void add_cell(struct tree *t, uint32_t v)
{
	put_cell(t->structure + t->at, v);
	t->at += 4;
}

static void begin_node(struct tree *t, const char *name)
{
	add_cell(t, 1);
	strcpy((char *)t->structure + t->at, name);
	t->at += (strlen(name) + 4) / 4 * 4;
}

static void end_node(struct tree *t)
{
	add_cell(t, 2);
}

static void add_property(struct tree *t, const char *name, const void *value, uint32_t n)
{
	add_cell(t, 3);
	add_cell(t, n);
	add_cell(t, t->strings_at);
	memcpy(t->structure + t->at, value, n);
	t->at += (n + 3) / 4 * 4;
	strcpy((char *)t->strings + t->strings_at, name);
	t->strings_at += (uint32_t)strlen(name) + 1;
}

static void add_cells(struct tree *t, const char *name, const uint32_t *cells, unsigned n)
{
	uint8_t bytes[256];

	for (unsigned i = 0; i < n; i++)
		put_cell(bytes + 4 * i, cells[i]);
	if (n)
		add_property(t, name, bytes, 4 * n);
}

/* Header, one empty reservation, structure, strings. */
static void finish_tree(struct tree *t)
{
	static const uint32_t fixed[] = { 0xd00dfeed, 0, 56, 0, 40, 17, 16, 0, 0, 0 };

	add_cell(t, 9);
	for (unsigned i = 0; i < 10; i++)
		put_cell(t->bytes + 4 * i, fixed[i]);
	t->size = 56 + t->at + t->strings_at;
	put_cell(t->bytes + 4, t->size);
	put_cell(t->bytes + 12, 56 + t->at);
	put_cell(t->bytes + 32, t->strings_at);
	put_cell(t->bytes + 36, t->at);
	memcpy(t->bytes + 56, t->structure, t->at);
	memcpy(t->bytes + 56 + t->at, t->strings, t->strings_at);
}

/* ---- reading ----------------------------------------------------------------------- */

struct answer {
	struct hs_pmu_fdt fdt;
	struct hs_pmu_event_row events[ROWS];
	struct hs_pmu_raw_row raws[ROWS];
};

/* From memory of the tree's exact size, so that a sanitizer sees what is read beyond. */
static enum hs_status read_tree(struct answer *a, const uint8_t *bytes, size_t n,
                                const struct hs_pmu_config *config)
{
	uint8_t *copy = malloc(n ? n : 1);
	const struct hs_span span = { copy, n };

	assert_non_null(copy);
	memcpy(copy, bytes, n);
	*a = (struct answer){ .fdt = { .size = sizeof(a->fdt), .event_capacity = ROWS,
	                               .raw_capacity = ROWS, .events = a->events,
	                               .raws = a->raws, .fault = "an old one",
	                               .fault_offset = 1, .event_rows = 9, .raw_rows = 9 } };
	const enum hs_status status = hs_pmu_fdt_read(&a->fdt, &span, config);

	free(copy);
	assert_int_equal(a->fdt.fault != NULL, status != HS_OK);
	if (status != HS_OK)
		assert_int_equal(a->fdt.event_rows + a->fdt.raw_rows, 0);
	else
		assert_int_equal(a->fdt.fault_offset, 0);
	return status;
}

/* ---- tables ------------------------------------------------------------------------ */

#define MOST 20 /* cells of a property */

static const struct row {
	const char *name;
	enum hs_status status;
	const char *fault;
	unsigned property, cell; /* where the fault is */
	unsigned counters_n, selectors_n, raws_n; /* cells */
	uint32_t counters[MOST], selectors[MOST], raws[MOST];
	struct hs_pmu_event_row events[ROWS]; /* expected, to the first without counters */
	struct hs_pmu_raw_row raw_rows[ROWS];
} rows[] = {
	{ "a node without properties", HS_OK, NULL, 0, 0, 0, 0, 0, { 0 }, { 0 }, { 0 }, { { 0 } },
	  { { 0 } } },
	{ "ranges: bits of mhpmcounters become logical counters", HS_OK, NULL, 0, 0, 9, 0, 0,
	  { 1, 1, 0x39, 2, 2, 0x0c, 0x10000, 0x10033, 0x20 }, { 0 }, { 0 },
	  { { 1, 1, 0x59, 0 }, { 2, 2, 0x0c, 0 }, { 0x10000, 0x10033, 0x40, 0 } }, { { 0 } } },
	{ "ranges: counters that the hart does not have, rows of zeros", HS_OK, NULL, 0, 0, 9, 0, 0,
	  { 3, 10, 0x80000018, 11, 12, 0xff000000, 0, 0, 0 }, { 0 }, { 0 },
	  { { 3, 10, 0x18, 0 } }, { { 0 } } },
	{ "selectors: 64 bits in two cells, before their range", HS_OK, NULL, 0, 0, 6, 6, 0,
	  { 3, 10, 0x18, 0x10019, 0x10019, 0x20 },
	  { 5, 0x12345, 0x6789abcd, 0x10019, 0, 0x4000 }, { 0 },
	  { { 5, 5, 0x18, 0x123456789abcd }, { 0x10019, 0x10019, 0x40, 0x4000 }, { 3, 10, 0x18, 0 },
	    { 0x10019, 0x10019, 0x40, 0 } }, { { 0 } } },
	{ "selectors: the first range of an event", HS_OK, NULL, 0, 0, 6, 3, 0,
	  { 3, 4, 0x08, 4, 5, 0x10 }, { 4, 0, 7 }, { 0 },
	  { { 4, 4, 0x08, 7 }, { 3, 4, 0x08, 0 }, { 4, 5, 0x10, 0 } }, { { 0 } } },
	{ "selectors: an event that no counter counts", HS_OK, NULL, 0, 0, 3, 3, 0, { 3, 4, 0x08 },
	  { 6, 0, 7 }, { 0 }, { { 3, 4, 0x08, 0 } }, { { 0 } } },
	{ "selectors: all that Sscofpmf leaves", HS_OK, NULL, 0, 0, 3, 3, 0, { 3, 3, 0x08 },
	  { 3, 0x03ffffff, 0xffffffff }, { 0 },
	  { { 3, 3, 8, 0x3ffffffffffffff }, { 3, 3, 8, 0 } }, { { 0 } } },
	{ "raw events: select and mask of 64 bits", HS_OK, NULL, 0, 0, 0, 0, 10, { 0 }, { 0 },
	  { 0, 2, 0xffffffff, 0xffffffff, 0x18, 0x00100000, 0x0b, 0xfff00000, 0xff, 0x20 },
	  { { 0 } },
	  { { 2, UINT64_MAX, 0x18 }, { 0x001000000000000b, 0xfff00000000000ff, 0x40 } } },
	{ "raw events: without a counter", HS_OK, NULL, 0, 0, 0, 0, 10, { 0 }, { 0 },
	  { 0, 2, 0, 2, 0x40, 0, 4, 0, 4, 0x08 }, { { 0 } }, { { 4, 4, 0x08 } } },
	{ "four rows of each", HS_OK, NULL, 0, 0, 12, 0, 20,
	  { 3, 3, 8, 4, 4, 8, 5, 5, 8, 6, 6, 8 }, { 0 },
	  { 0, 1, 0, 1, 8, 0, 2, 0, 2, 8, 0, 4, 0, 4, 8, 0, 8, 0, 8, 8 },
	  { { 3, 3, 8, 0 }, { 4, 4, 8, 0 }, { 5, 5, 8, 0 }, { 6, 6, 8, 0 } },
	  { { 1, 1, 8 }, { 2, 2, 8 }, { 4, 4, 8 }, { 8, 8, 8 } } },
#define REFUSED(status, name, property, cell, text, ...) \
	{ name, status, text, property, cell, __VA_ARGS__, { { 0 } }, { { 0 } } }
#define BAD(...) REFUSED(HS_E_FIELD, __VA_ARGS__)
#define MANY(...) REFUSED(HS_E_SPACE, __VA_ARGS__)
#define C(...) { __VA_ARGS__ }
	{ "ranges: zeros that are no whole row", HS_OK, NULL, 0, 0, 5, 0, 0, { 3, 3, 8, 0, 0 },
	  { 0 }, { 0 }, { { 3, 3, 8, 0 } }, { { 0 } } },
	BAD("a row of one cell and a zero", 0, 0, "whole rows", 5, 0, 0, C(3, 3, 8, 4, 0),
	    C(0), C(0)),
	BAD("a row of two cells", 0, 0, "whole rows", 5, 0, 0, C(3, 3, 8, 4, 4), C(0), C(0)),
	BAD("a selector of one cell", 1, 0, "whole rows", 3, 2, 0, C(3, 3, 8), C(3, 1), C(0)),
	BAD("a raw row of four cells", 2, 0, "whole rows", 0, 0, 4, C(0), C(0),
	    C(0, 1, 0, 1)),
	MANY("five ranges", 0, 0, "room", 15, 0, 0,
	    C(3, 3, 8, 4, 4, 8, 5, 5, 8, 6, 6, 8, 7, 7, 8), C(0), C(0)),
	MANY("four ranges and a selector", 0, 9, "room", 12, 3, 0,
	    C(3, 3, 8, 4, 4, 8, 5, 5, 8, 6, 6, 8), C(3, 0, 1), C(0)),
	MANY("five selectors", 1, 0, "room", 3, 15, 0, C(3, 3, 8),
	    C(4, 0, 1, 5, 0, 1, 6, 0, 1, 7, 0, 1, 8, 0, 1), C(0)),
	BAD("a range of raw events", 0, 0, "neither general", 3, 0, 0, C(0x20000, 0x20000, 8),
	    C(0), C(0)),
	BAD("a range into raw events", 0, 1, "neither general", 3, 0, 0,
	    C(0x10000, 0x20000, 8), C(0), C(0)),
	BAD("a selector of a firmware event", 1, 0, "neither general", 3, 3, 0, C(3, 3, 8),
	    C(0xf0005, 0, 1), C(0)),
	BAD("a range upside down", 0, 0, "before its first", 3, 0, 0, C(4, 3, 8), C(0), C(0)),
	BAD("a second range upside down", 0, 3, "before its first", 6, 0, 0,
	    C(3, 3, 8, 5, 4, 8), C(0), C(0)),
	BAD("cycle for a range", 0, 2, "another event", 3, 0, 0, C(1, 2, 1), C(0), C(0)),
	BAD("cycle for instructions", 0, 2, "another event", 3, 0, 0, C(2, 2, 1), C(0), C(0)),
	BAD("instret for cycles", 0, 2, "another event", 3, 0, 0, C(1, 1, 4), C(0), C(0)),
	BAD("instret for a range", 0, 2, "another event", 3, 0, 0, C(2, 3, 4), C(0), C(0)),
	BAD("cycle for branches", 0, 2, "another event", 3, 0, 0, C(5, 5, 9), C(0), C(0)),
	BAD("time for cycles", 0, 2, "another event", 3, 0, 0, C(1, 1, 3), C(0), C(0)),
	BAD("time for instructions", 0, 2, "another event", 3, 0, 0, C(2, 2, 6), C(0), C(0)),
	BAD("selectors without counters", 1, 0, "without counters", 0, 3, 0, C(0), C(3, 0, 1),
	    C(0)),
	BAD("selector 0", 1, 1, "selector 0", 3, 3, 0, C(3, 3, 8), C(3, 0, 0), C(0)),
	BAD("a selector with a filter's bit", 1, 1, "wider", 3, 3, 0, C(3, 3, 8),
	    C(3, 0x04000000, 0), C(0)),
	BAD("raw events with a filter's bit", 2, 0, "wider", 0, 0, 5, C(0), C(0),
	    C(0x04000000, 0, 0xffffffff, 0, 8)),
	BAD("raw events outside their mask", 2, 0, "outside its mask", 0, 0, 5, C(0), C(0),
	    C(0, 3, 0xffffffff, 0xfffffffe, 8)),
	BAD("raw events on cycle", 2, 4, "raw events on", 0, 0, 5, C(0), C(0),
	    C(0, 1, 0, 1, 9)),
	BAD("raw events on time", 2, 4, "raw events on", 0, 0, 5, C(0), C(0),
	    C(0, 1, 0, 1, 2)),
	BAD("raw events on instret", 2, 4, "raw events on", 0, 0, 5, C(0), C(0),
	    C(0, 1, 0, 1, 4)),
	MANY("five raw rows", 2, 0, "room", 0, 0, 25, C(0), C(0), C(0)),
};

static void add_pmu(struct tree *t, const struct row *r)
{
	static const uint32_t zeros[25];

	begin_node(t, "pmu");
	add_property(t, "compatible", "riscv,pmu", 10);
	add_cells(t, "riscv,event-to-mhpmcounters", r->counters, r->counters_n);
	add_cells(t, "riscv,event-to-mhpmevent", r->selectors, r->selectors_n);
	add_cells(t, "riscv,raw-event-to-mhpmcounters", r->raws_n > MOST ? zeros : r->raws,
	          r->raws_n);
	end_node(t);
}

/* The root has 8 bytes, the node's begin too, compatible 24, the head of each property 12. */
static unsigned place_of(const struct row *r)
{
	unsigned at = 56 + 8 + 8 + 24;

	if (r->property > 0 && r->counters_n)
		at += 12 + 4 * r->counters_n;
	if (r->property > 1 && r->selectors_n)
		at += 12 + 4 * r->selectors_n;
	return at + 12 + 4 * r->cell;
}

TEST_ROWS(table, rows, r)
{
	struct hs_pmu_config config = fake_config(64, 4, 48);
	struct tree t = { 0 };
	struct answer a;
	struct hs_pmu pmu;
	unsigned n = 0;

	begin_node(&t, "");
	add_pmu(&t, r);
	end_node(&t);
	finish_tree(&t);
	assert_int_equal(read_tree(&a, t.bytes, t.size, &config), r->status);
	if (r->status != HS_OK) {
		assert_non_null(strstr(a.fdt.fault, r->fault));
		assert_int_equal(a.fdt.fault_offset, place_of(r));
		return;
	}
	for (; n < ROWS && r->events[n].counters; n++) {
		assert_int_equal(a.events[n].first, r->events[n].first);
		assert_int_equal(a.events[n].last, r->events[n].last);
		assert_int_equal(a.events[n].counters, r->events[n].counters);
		assert_int_equal(a.events[n].selector, r->events[n].selector);
	}
	assert_int_equal(a.fdt.event_rows, n);
	for (n = 0; n < ROWS && r->raw_rows[n].counters; n++)
		assert_memory_equal(&a.raws[n], &r->raw_rows[n], sizeof(a.raws[n]));
	assert_int_equal(a.fdt.raw_rows, n);
	config.events = a.events;
	config.event_rows = a.fdt.event_rows;
	config.raws = a.raws;
	config.raw_rows = a.fdt.raw_rows;
	assert_int_equal(hs_pmu_init(&pmu, &config), HS_OK);
}

/* Without Sscofpmf mhpmevent has no filters, and 64 bits for its event; or it has 32. */
TEST(width_of_selectors)
{
	static const struct row r = { .counters_n = 3, .selectors_n = 3, .raws_n = 5,
		.counters = { 3, 3, 8 }, .selectors = { 3, 0xfedcba98, 1 },
		.raws = { 0x80000000, 5, 0xffffffff, 0xff, 8 } };
	struct hs_pmu_config config = fake_config(64, 4, 48);
	struct tree t = { 0 };
	struct answer a;

	begin_node(&t, "");
	add_pmu(&t, &r);
	end_node(&t);
	finish_tree(&t);
	config.sscofpmf = false;
	assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_OK);
	assert_int_equal(a.events[0].selector, 0xfedcba9800000001);
	assert_int_equal(a.raws[0].select, 0x8000000000000005);
	config.event_bits = 32;
	assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_E_FIELD);
}

/* ---- which node -------------------------------------------------------------------- */

static const struct row three = { .counters_n = 3, .counters = { 3, 3, 8 } };

static const struct node_row {
	const char *name, *compatible;
	unsigned n; /* bytes of it */
	const char *status;
	unsigned rows;
} nodes[] = {
	{ "the only compatible", "riscv,pmu", 10, NULL, 1 },
	{ "the second of two", "acme,pmu-2\0riscv,pmu", 21, NULL, 1 },
	{ "the first of two", "riscv,pmu\0acme,pmu-2", 21, NULL, 1 },
	{ "without a final zero", "riscv,pmu", 9, NULL, 0 },
	{ "a longer name", "riscv,pmu-2", 12, NULL, 0 },
	{ "the end of another name", "xriscv,pmu", 11, NULL, 0 },
	{ "empty", "", 0, NULL, 0 },
	{ "status okay", "riscv,pmu", 10, "okay", 1 },
	{ "status ok", "riscv,pmu", 10, "ok", 1 },
	{ "status disabled", "riscv,pmu", 10, "disabled", 0 },
	{ "status fail", "riscv,pmu", 10, "fail", 0 }, /* as long as okay */
	{ "status no", "riscv,pmu", 10, "no", 0 },
	{ "status okay-2", "riscv,pmu", 10, "okay-2", 0 },
};

/* Below other nodes; properties of neighbours are not the node's; NOPs are skipped. */
TEST_ROWS(which_node, nodes, r)
{
	static const uint32_t others[] = { 4, 4, 8 };
	const struct hs_pmu_config config = fake_config(64, 4, 48);
	struct tree t = { 0 };
	struct answer a;

	add_cell(&t, 4);
	begin_node(&t, "");
	add_property(&t, "model", "abcd", 5);
	begin_node(&t, "soc");
	add_cells(&t, "riscv,event-to-mhpmcounters", others, 3);
	add_cell(&t, 4);
	begin_node(&t, "pmu@1234");
	add_cells(&t, "riscv,event-to-mhpmcounters", three.counters, 3);
	add_property(&t, "compatible", r->compatible, r->n);
	if (r->status)
		add_property(&t, "status", r->status, (uint32_t)strlen(r->status) + 1);
	begin_node(&t, "child");
	add_cells(&t, "riscv,event-to-mhpmcounters", others, 3);
	end_node(&t);
	end_node(&t);
	end_node(&t);
	end_node(&t);
	finish_tree(&t);
	assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_OK);
	assert_int_equal(a.fdt.event_rows, r->rows);
	if (r->rows)
		assert_int_equal(a.events[0].first, 3);
}

TEST(one_node)
{
	const struct hs_pmu_config config = fake_config(64, 4, 48);
	struct tree t = { 0 };
	struct answer a;

	begin_node(&t, "");
	add_pmu(&t, &three);
	add_pmu(&t, &three);
	end_node(&t);
	finish_tree(&t);
	assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_E_UNSUPPORTED);
}

/* ---- damaged trees ----------------------------------------------------------------- */

/* A tree of one node: one cell is changed.  The root begins at 56, the node at 64, its compatible
 * at 72, and its table at 96. */
static const struct damage {
	const char *name;
	unsigned at;
	uint32_t cell;
	const char *fault;
	unsigned offset;
} damages[] = {
	{ "another magic", 0, 0xd00dfeee, "no device tree", 0 },
	{ "longer than its memory", 4, 0x10000, "longer than its memory", 4 },
	{ "all-ones", 4, UINT32_MAX, "longer than its memory", 4 },
	{ "structure after the end", 8, 0x10000, "structure is outside", 8 },
	{ "structure not aligned", 8, 58, "structure is outside", 8 },
	{ "structure in the header", 8, 36, "structure is outside", 8 },
	{ "structure longer than the tree", 36, 0x10000, "structure is outside", 8 },
	{ "structure of all-ones", 36, UINT32_MAX, "structure is outside", 8 },
	{ "strings after the end", 12, 0x10000, "strings are outside", 12 },
	{ "strings longer than the tree", 32, 0x10000, "strings are outside", 12 },
	{ "version 16", 20, 16, "another version", 20 },
	{ "not readable as version 17", 24, 18, "another version", 20 },
	{ "an unknown token", 56, 5, "unknown token", 56 },
	{ "an end too early", 64, 9, "unknown token", 64 },
	{ "a node ends that did not begin", 56, 2, "did not begin", 60 },
	{ "a property outside", 56, 3, "outside of a node", 60 },
	{ "a property that is too long", 76, 0x1000, "ends inside a property", 76 },
	{ "a property of all-ones", 76, UINT32_MAX, "ends inside a property", 76 },
};

static void build_small(struct tree *t)
{
	memset(t, 0, sizeof(*t));
	begin_node(t, "");
	add_pmu(t, &three);
	end_node(t);
	finish_tree(t);
}

TEST_ROWS(damaged, damages, d)
{
	const struct hs_pmu_config config = fake_config(64, 4, 48);
	struct tree t;
	struct answer a;

	build_small(&t);
	put_cell(t.bytes + d->at, d->cell);
	assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_E_FORMAT);
	assert_non_null(strstr(a.fdt.fault, d->fault));
	assert_int_equal(a.fdt.fault_offset, d->offset);
}

/* One byte, or cell, more than there is. */
TEST(blocks_are_inside)
{
	const struct hs_pmu_config config = fake_config(64, 4, 48);
	struct tree t;
	struct answer a;

	build_small(&t);
	put_cell(t.bytes + 32, t.strings_at + 1);
	assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_E_FORMAT);
	assert_int_equal(a.fdt.fault_offset, 12);
	build_small(&t);
	put_cell(t.bytes + 36, t.size - 56 + 1);
	assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_E_FORMAT);
	assert_int_equal(a.fdt.fault_offset, 8);
	build_small(&t);
	put_cell(t.bytes + 36, t.size - 56); /* what follows the end is not read */
	assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_OK);
	put_cell(t.bytes + 12, t.size); /* at the end, without a name */
	put_cell(t.bytes + 32, 0);
	assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_OK);
	put_cell(t.bytes + 12, 40); /* right after the header, without a name */
	put_cell(t.bytes + 32, 0);
	assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_OK);
	assert_int_equal(a.fdt.event_rows, 0);
}

/* The structure is cut after an empty property, inside its head, and inside a name. */
TEST(ends_inside)
{
	static const struct {
		unsigned bytes;
		const char *fault;
		unsigned offset;
	} cuts[] = {
		{ 20, "has no end", 76 }, { 16, "ends inside a property", 68 },
		{ 12, "ends inside a property", 68 }, { 8, "has no end", 64 },
		{ 4, "ends inside a name", 60 }, { 0, "has no end", 56 },
	};
	const struct hs_pmu_config config = fake_config(64, 4, 48);
	struct tree t = { 0 };
	struct answer a;

	begin_node(&t, "");
	add_property(&t, "model", "", 0);
	end_node(&t);
	finish_tree(&t);
	for (unsigned i = 0; i < 6; i++) {
		put_cell(t.bytes + 36, cuts[i].bytes);
		assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_E_FORMAT);
		assert_non_null(strstr(a.fdt.fault, cuts[i].fault));
		assert_int_equal(a.fdt.fault_offset, cuts[i].offset);
	}
}

/* Whatever is missing at the end, it is noticed; a version that later readers can read is read. */
TEST(every_cut)
{
	const struct hs_pmu_config config = fake_config(64, 4, 48);
	struct tree t;
	struct answer a;

	build_small(&t);
	for (uint32_t n = 0; n < t.size; n++)
		assert_int_equal(read_tree(&a, t.bytes, n, &config), HS_E_FORMAT);
	for (uint32_t n = 0; n < t.at; n++) {
		put_cell(t.bytes + 36, n);
		assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_E_FORMAT);
	}
	put_cell(t.bytes + 36, t.at);
	put_cell(t.bytes + 20, 18);
	put_cell(t.bytes + 24, 17);
	assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_OK);
	assert_int_equal(a.fdt.event_rows, 1);
}

/* Names of properties are looked up inside the strings only. */
TEST(names_stay_inside)
{
	const struct hs_pmu_config config = fake_config(64, 4, 48);
	struct tree t;
	struct answer a;

	build_small(&t);
	for (uint32_t n = 0; n < t.strings_at; n++) {
		put_cell(t.bytes + 32, n);
		assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_OK);
		assert_int_equal(a.fdt.event_rows, 0);
	}
	build_small(&t);
	put_cell(t.bytes + 56 + 16 + 8, UINT32_MAX); /* the name of compatible */
	assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_OK);
	assert_int_equal(a.fdt.event_rows, 0);
}

/* Three zero bytes are no cell. */
TEST(cells_have_four_bytes)
{
	static const uint8_t bytes[15] = { 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 8 };
	const struct hs_pmu_config config = fake_config(64, 4, 48);
	struct tree t = { 0 };
	struct answer a;

	begin_node(&t, "");
	add_property(&t, "compatible", "riscv,pmu", 10);
	add_property(&t, "riscv,event-to-mhpmcounters", bytes, 15);
	end_node(&t);
	finish_tree(&t);
	assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_E_FIELD);
}

/* One name is all that the strings have, and both nodes use it. */
TEST(one_name)
{
	const struct hs_pmu_config config = fake_config(64, 4, 48);
	struct tree t = { 0 };
	struct answer a;

	begin_node(&t, "");
	for (unsigned i = 0; i < 2; i++) {
		begin_node(&t, "pmu");
		t.strings_at = 0;
		add_property(&t, "compatible", "riscv,pmu", 10);
		end_node(&t);
	}
	end_node(&t);
	finish_tree(&t);
	assert_int_equal(t.strings_at, 11);
	assert_int_equal(read_tree(&a, t.bytes, t.size, &config), HS_E_UNSUPPORTED);
}

/* A header alone is a tree that is longer than its memory; a part of it is none. */
TEST(header_alone)
{
	const struct hs_pmu_config config = fake_config(64, 4, 48);
	struct tree t;
	struct answer a;

	build_small(&t);
	assert_int_equal(read_tree(&a, t.bytes, 40, &config), HS_E_FORMAT);
	assert_int_equal(a.fdt.fault_offset, 4);
	assert_int_equal(read_tree(&a, t.bytes, 39, &config), HS_E_FORMAT);
	assert_int_equal(a.fdt.fault_offset, 0);
}

TEST(size_is_checked)
{
	const struct hs_pmu_config config = fake_config(64, 4, 48);
	struct hs_pmu_fdt fdt = { .size = 3 };
	const struct hs_span nothing = { NULL, 0 };

	assert_int_equal(hs_pmu_fdt_read(&fdt, &nothing, &config), HS_E_CONFIG);
}

