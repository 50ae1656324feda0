/* hartscope identify: which contexts ran code that was given, and where code is missing. */
#include <string.h>

#include "commands/identify_seen.h"

#define ITEMS 4096
#define BATCHES 16384u
#define CONTEXTS 64
#define RANGES 64
#define NEAR ((uint64_t)1 << 20) /* addresses this close are one range */
#define HARTS 64
#define SCONTEXT 2 /* FORMAT of PROCESS (NT Table 12) */

struct context {
	uint64_t number;
	bool has_number;
	uint64_t halfwords, contradicted, unseen;
};

/* Addresses without code to which the flow of a context led. */
struct range {
	const struct context *in;
	uint64_t first, last, times;
};

struct seen {
	struct context contexts[CONTEXTS];
	struct range ranges[RANGES];
	size_t context_count, range_count;
	struct context *of[HARTS], *now; /* the context of each hart, and the current one */
	uint32_t hart;
};

static struct context *find_context(struct seen *s, bool has_number, uint64_t number)
{
	size_t i = 0;

	while (i < s->context_count &&
	       (s->contexts[i].has_number != has_number || s->contexts[i].number != number))
		i++;
	if (i == CONTEXTS) /* of so many the last row has the rest */
		return &s->contexts[CONTEXTS - 1];
	s->contexts[i].number = number;
	s->contexts[i].has_number = has_number;
	s->context_count += i == s->context_count;
	return &s->contexts[i];
}

static void enter(struct seen *s, struct context *c)
{
	s->now = s->of[s->hart % HARTS] = c;
}

static void take_item(struct seen *s, const struct hs_block *b)
{
	if (b->kind == HS_KIND_HART) {
		s->hart = b->arg;
		s->now = s->of[s->hart % HARTS];
	} else if (b->kind == HS_KIND_CONTEXT && b->arg == SCONTEXT) {
		enter(s, find_context(s, true, b->value));
	}
	if (!s->now)
		enter(s, find_context(s, false, 0));
	if (b->kind == HS_KIND_BLOCK)
		s->now->halfwords += b->iretire;
}

static void add_address(struct seen *s, uint64_t address)
{
	size_t i = 0;

	while (i < s->range_count &&
	       (s->ranges[i].in != s->now || address + NEAR < s->ranges[i].first ||
	        address > s->ranges[i].last + NEAR))
		i++;
	if (i == RANGES)
		return;
	struct range *r = &s->ranges[i];

	if (i == s->range_count) {
		s->range_count++;
		*r = (struct range){ s->now, address, address, 0 };
	}
	r->first = address < r->first ? address : r->first;
	r->last = address > r->last ? address : r->last;
	r->times++;
}

static void take_error(struct seen *s, const struct hs_source *source)
{
	const struct hs_source_facts *known = hs_source_known(source);

	if (!s->now)
		enter(s, find_context(s, false, 0));
	if (known->reason != HS_REASON_NO_CODE && known->reason != HS_REASON_NO_CODE_AT_SYNC) {
		s->now->contradicted += known->reason != HS_REASON_RETURN_UNSEEN &&
		                        known->reason != HS_REASON_STATE_UNSEEN;
		return;
	}
	s->now->unseen++;
	add_address(s, known->fault_address);
}

static void read_all(struct seen *s, struct hs_source *source)
{
	static struct hs_block items[ITEMS];
	enum hs_status status = HS_OK;
	struct hs_error e;
	size_t n = 0;

	for (unsigned i = 0; i < BATCHES && status != HS_END; i++) {
		status = hs_source_next(source, items, ITEMS, &n, &e);
		for (size_t k = 0; k < n; k++)
			take_item(s, &items[k]);
		if (status != HS_OK && status != HS_END)
			take_error(s, source);
	}
}

static void context_text(const struct context *c, char *text, size_t size)
{
	if (c->has_number)
		snprintf(text, size, "0x%llx", (unsigned long long)c->number);
	else
		snprintf(text, size, "none");
}

static void show_contexts(struct report *r, const struct seen *s)
{
	char text[32];

	report_list(r, "contexts",
	            "contexts: half-words that ran, contradicted, entries of code that is missing, "
	            "context");
	for (size_t i = 0; i < s->context_count; i++) {
		const struct context *c = &s->contexts[i];

		if (!c->has_number && !c->halfwords && !c->contradicted && !c->unseen)
			continue;
		context_text(c, text, sizeof(text));
		report_row(r);
		report_u64(r, "halfwords", "half-words", c->halfwords);
		report_u64(r, "contradicted", "contradicted", c->contradicted);
		report_u64(r, "unseen", "without code", c->unseen);
		report_text(r, "context", "context", text);
		report_row_end(r);
	}
	report_list_end(r);
}

static void show_ranges(struct report *r, const struct seen *s)
{
	char text[32];

	report_list(r, "missing", "code is missing: times, first address, last address, context");
	for (size_t i = 0; i < s->range_count; i++) {
		context_text(s->ranges[i].in, text, sizeof(text));
		report_row(r);
		report_u64(r, "times", "times", s->ranges[i].times);
		report_hex(r, "first", "first", s->ranges[i].first);
		report_hex(r, "last", "last", s->ranges[i].last);
		report_text(r, "context", "context", text);
		report_row_end(r);
	}
	report_list_end(r);
}

bool show_seen(struct report *r, struct hs_source *source)
{
	static struct seen s;
	bool named = false;

	memset(&s, 0, sizeof(s));
	read_all(&s, source);
	for (size_t i = 0; i < s.context_count; i++)
		named |= s.contexts[i].has_number;
	if (!named && !r->json)
		return false;
	show_contexts(r, &s);
	if (s.range_count || r->json)
		show_ranges(r, &s);
	return named;
}
