/* Finds the node "riscv,pmu" of a flattened device tree (Devicetree Specification, chapter 5). */
#include "core/config.h"
#include "pmu/fdt.h"

#define MAGIC 0xd00dfeedu
#define VERSION 17u
#define HEAD_BYTES 40u

enum token { BEGIN_NODE = 1, END_NODE = 2, PROPERTY = 3, NOP = 4, END = 9 };

/* A node's properties, as far as they were read. */
struct node {
	bool compatible, disabled;
	struct pmu_cells cells[PMU_PROPERTIES];
};

struct walk {
	const uint8_t *at, *end;      /* structure block, not yet read */
	const uint8_t *strings;
	uint32_t strings_bytes;
	uint32_t depth;
	struct node node;             /* the one whose properties are being read */
	bool found;
	struct pmu_cells cells[PMU_PROPERTIES];
	struct pmu_fault fault;
};

static bool damaged(struct walk *w, const uint8_t *at, const char *text)
{
	return pmu_fail(&w->fault, HS_E_FORMAT, at, text);
}

/* ---- the header ------------------------------------------------------------------ */

static bool inside(uint32_t offset, uint32_t bytes, uint32_t total)
{
	return offset >= HEAD_BYTES && offset <= total && bytes <= total - offset;
}

static bool open_tree(struct walk *w, const struct hs_span *tree)
{
	const uint8_t *p = tree->p;

	if (tree->n < HEAD_BYTES || pmu_cell(p) != MAGIC)
		return damaged(w, p, "no device tree");
	const uint32_t total = pmu_cell(p + 4), structure = pmu_cell(p + 8);
	const uint32_t strings = pmu_cell(p + 12), bytes = pmu_cell(p + 36);

	w->strings_bytes = pmu_cell(p + 32);
	if (total > tree->n)
		return damaged(w, p + 4, "a tree longer than its memory");
	if (pmu_cell(p + 20) < VERSION || pmu_cell(p + 24) > VERSION)
		return damaged(w, p + 20, "another version of the format");
	if (structure % 4 || !inside(structure, bytes, total))
		return damaged(w, p + 8, "the structure is outside of the tree");
	if (!inside(strings, w->strings_bytes, total))
		return damaged(w, p + 12, "the strings are outside of the tree");
	w->at = p + structure;
	w->end = w->at + bytes / 4 * 4;
	w->strings = p + strings;
	return true;
}

/* ---- properties ------------------------------------------------------------------ */

/* @text with its final zero has @n bytes. */
static bool is_name(const struct walk *w, uint32_t offset, const char *text, uint32_t n)
{
	return n <= w->strings_bytes && offset <= w->strings_bytes - n &&
	       memcmp(w->strings + offset, text, n) == 0;
}

#define IS_NAME(w, offset, text) is_name(w, offset, text, sizeof(text))

static bool is_text(const struct pmu_cells *value, const char *text, uint32_t n)
{
	return value->bytes == n && memcmp(value->at, text, n) == 0;
}

/* Is @text, of @n bytes with its final zero, one of the strings of a property? */
static bool has_text(const struct pmu_cells *value, const char *text, uint32_t n)
{
	for (uint32_t i = 0; i + n <= value->bytes; i++)
		if ((i == 0 || value->at[i - 1] == 0) && memcmp(value->at + i, text, n) == 0)
			return true;
	return false;
}

static void take_property(struct walk *w, uint32_t name, struct pmu_cells value)
{
	struct node *node = &w->node;

	if (IS_NAME(w, name, "compatible"))
		node->compatible = has_text(&value, "riscv,pmu", sizeof("riscv,pmu"));
	else if (IS_NAME(w, name, "status"))
		node->disabled = !is_text(&value, "okay", sizeof("okay")) &&
		                 !is_text(&value, "ok", sizeof("ok"));
	else if (IS_NAME(w, name, "riscv,event-to-mhpmcounters"))
		node->cells[PMU_COUNTERS] = value;
	else if (IS_NAME(w, name, "riscv,event-to-mhpmevent"))
		node->cells[PMU_SELECTORS] = value;
	else if (IS_NAME(w, name, "riscv,raw-event-to-mhpmcounters"))
		node->cells[PMU_RAWS] = value;
}

static size_t bytes_left(const struct walk *w)
{
	return (size_t)(w->end - w->at);
}

static bool read_property(struct walk *w)
{
	if (bytes_left(w) < 8)
		return damaged(w, w->at, "the structure ends inside a property");
	const struct pmu_cells value = { w->at + 8, pmu_cell(w->at) };
	const uint32_t name = pmu_cell(w->at + 4);

	if (value.bytes > bytes_left(w) - 8)
		return damaged(w, w->at, "the structure ends inside a property");
	if (w->depth == 0)
		return damaged(w, w->at, "a property outside of a node");
	take_property(w, name, value);
	w->at += 8 + ((size_t)value.bytes + 3) / 4 * 4; /* the end is aligned, too */
	return true;
}

/* ---- nodes ----------------------------------------------------------------------- */

/* No property of the node follows. */
static bool end_properties(struct walk *w)
{
	const struct node node = w->node;

	memset(&w->node, 0, sizeof(w->node));
	if (!node.compatible || node.disabled)
		return true;
	if (w->found)
		return pmu_fail(&w->fault, HS_E_UNSUPPORTED, w->at, "a second riscv,pmu node");
	w->found = true;
	memcpy(w->cells, node.cells, sizeof(w->cells));
	return true;
}

static bool begin_node(struct walk *w)
{
	const uint8_t *start = w->at;

	while (w->at < w->end && *w->at)
		w->at++;
	if (w->at == w->end)
		return damaged(w, start, "the structure ends inside a name");
	w->at += 4 - (w->at - start) % 4;
	w->depth++;
	return end_properties(w);
}

static bool end_node(struct walk *w)
{
	if (w->depth == 0)
		return damaged(w, w->at, "the end of a node that did not begin");
	w->depth--;
	return end_properties(w);
}

static bool read_token(struct walk *w, uint32_t token)
{
	switch (token) {
	case BEGIN_NODE: return begin_node(w);
	case END_NODE: return end_node(w);
	case PROPERTY: return read_property(w);
	case NOP: return true;
	default: return damaged(w, w->at - 4, "an unknown token");
	}
}

static bool walk_tree(struct walk *w)
{
	while (bytes_left(w) >= 4) {
		const uint32_t token = pmu_cell(w->at);

		w->at += 4;
		if (token == END && w->depth == 0)
			return true;
		if (!read_token(w, token))
			return false;
	}
	return damaged(w, w->at, "the structure has no end");
}

enum hs_status hs_pmu_fdt_read(struct hs_pmu_fdt *fdt, const struct hs_span *tree,
                               const struct hs_pmu_config *config)
{
	struct hs_pmu_fdt own;
	struct walk w;

	if (base_take_config(&own, sizeof(own), fdt) != HS_OK)
		return HS_E_CONFIG;
	memset(&w, 0, sizeof(w));
	own.event_rows = own.raw_rows = 0;
	own.fault = NULL;
	own.fault_offset = 0;
	if (!open_tree(&w, tree) || !walk_tree(&w) ||
	    !pmu_tables(&own, w.cells, config, &w.fault)) {
		own.event_rows = own.raw_rows = 0;
		own.fault = w.fault.text;
		own.fault_offset = (uint64_t)(w.fault.at - tree->p);
	}
	base_give_config(fdt, &own);
	return w.fault.status;
}
