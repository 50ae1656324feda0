/* The memory of decoders, and messages as text, for rows of every protocol. */
#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"
#include "trace/memory.h"
#include "support/large.h"

/* Basic blocks that a decoder remembers at most; a full table is emptied. */
#define BLOCKS (1u << 19)
/* The same for the program of a context, of which there may be many. */
#define PROCESS_BLOCKS (1u << 16)

/* Runs that it remembers; a full memo is emptied. */
#define RUNS (1u << 16)
#define RUNS_MIN (1u << 10)
#define RUNS_OF_BYTE 32u /* of code; only a program of less than 2 KB has fewer than RUNS */

/* The program of one context. */
struct program {
	struct hs_bb_table table;
	void *blocks;
};

void protocol_memory_free(struct codec_memory *m)
{
	for (size_t i = 0; i < m->table_count; i++)
		free(m->programs[i].blocks);
	free(m->programs);
	free(m->tables);
	free(m->sources);
	free(m->runs);
	free(m->blocks);
}

static uint64_t code_bytes(const struct hs_image *image)
{
	uint64_t n = 0;

	for (size_t i = 0; i < image->count && n < UINT32_MAX; i++)
		n += image->sections[i].size;
	return n;
}

/* Memory is cleared at the start: no more than the basic blocks that the code can have, one for
 * each address. */
static uint32_t blocks_of(const struct hs_image *image, uint32_t most)
{
	const uint64_t n = HS_BB_FIRST + 16 + code_bytes(image) / 2;

	return n < most ? (uint32_t)n : most;
}

static uint32_t runs_of(const struct hs_image *image)
{
	const uint64_t n = RUNS_OF_BYTE * code_bytes(image);
	uint32_t runs = RUNS_MIN;

	while (runs < RUNS && runs < n)
		runs *= 2;
	return runs;
}

static enum hs_status new_table(struct hs_bb_table *t, void **blocks, const struct hs_image *image,
                                uint32_t most)
{
	const uint32_t count = blocks_of(image, most);

	*blocks = malloc(hs_bb_memory(count));
	return *blocks ? hs_bb_init(t, image, *blocks, count) : HS_E_MEMORY;
}

/* That of an image before it which is the same one: threads share the program of a process. */
static struct hs_bb_table *find_table(const struct codec_memory *m, const struct hs_image_set *set,
                                      size_t of)
{
	for (size_t i = 0; i < of; i++)
		if (set->images[i].sections == set->images[of].sections)
			return m->tables[i];
	return NULL;
}

static enum hs_status add_programs(struct codec_memory *m, const struct hs_image_set *set)
{
	enum hs_status s = HS_OK;

	m->programs = calloc(set->count, sizeof(*m->programs));
	m->tables = calloc(set->count, sizeof(*m->tables));
	if (!m->programs || !m->tables)
		return HS_E_MEMORY;
	for (size_t i = 0; i < set->count && s == HS_OK; i++) {
		m->tables[i] = find_table(m, set, i);
		if (m->tables[i])
			continue;
		struct program *p = &m->programs[m->table_count++];

		s = new_table(&p->table, &p->blocks, &set->images[i], PROCESS_BLOCKS);
		m->tables[i] = &p->table;
	}
	return s;
}

void protocol_memory_programs(const struct codec_memory *m, const struct hs_image_set *set,
                              struct hs_decoder_options *o)
{
	if (!m->table_count)
		return;
	o->count = set->count;
	o->tables = m->tables;
	o->contexts = set->contexts;
	o->others_run_first = set->others_run_first;
}

enum hs_status protocol_memo_new(struct codec_memory *m)
{
	const uint32_t runs = runs_of(m->table.image);

	m->runs = support_large(hs_memo_memory(runs));
	return m->runs ? hs_memo_init(&m->memo, m->runs, runs) : HS_E_MEMORY;
}

enum hs_status protocol_memory_new(struct codec_memory *m, const struct hs_image *image,
                                   const struct hs_image_set *set, size_t sources, size_t size)
{
	m->sources = calloc(sources, size);
	if (!m->sources)
		return HS_E_MEMORY;
	const enum hs_status s = new_table(&m->table, &m->blocks, image, BLOCKS);

	return s == HS_OK && set && set->count ? add_programs(m, set) : s;
}

void protocol_add_field(struct hs_message *m, const char *name, const char *clause, uint64_t value,
                        bool address)
{
	if (m->count < HS_MESSAGE_FIELDS)
		m->field[m->count++] = (struct hs_message_field){
			.name = name, .clause = clause, .value = value, .address = address
		};
}

void protocol_message_text(const struct hs_message *m, char *text, size_t size)
{
	size_t at = 0;

	*text = '\0';
	for (unsigned i = 0; i < m->count && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, " %s=0x%llx", m->field[i].name,
		                       (unsigned long long)m->field[i].value);
}

/* ---- two decoders ------------------------------------------------------------------ */

/* The number of a program; those that contexts have without code have none. */
static size_t number_of(const struct codec_memory *m, const struct hs_bb_table *t)
{
	size_t i = 0;

	if (t == &m->table)
		return SIZE_MAX;
	while (i < m->table_count && m->tables[i] != t)
		i++;
	return i;
}

bool protocol_memory_same(const struct codec_memory *a, const struct hs_bb_table *x,
                          const struct codec_memory *b, const struct hs_bb_table *y)
{
	return number_of(a, x) == number_of(b, y);
}

void protocol_memory_take(struct codec_memory *m, struct hs_stream *stream,
                          const struct codec_memory *from, struct hs_track *t)
{
	const size_t i = number_of(from, t->table);
	struct hs_walk *w = &t->walk;

	if (i == SIZE_MAX)
		t->table = &m->table;
	else
		t->table = i < m->table_count ? m->tables[i] : &stream->nothing.table;
	if (w->cur >= HS_BB_FIRST)
		w->cur = hs_bb_at(t->table, w->pc);
	w->generation = t->table->generation;
}

void protocol_stream_take(struct hs_stream *to, const struct hs_stream *from)
{
	to->count = from->count;
	to->current = from->current;
	to->offset = from->offset;
	to->fault = from->fault;
	to->hart = from->hart;
	to->written = from->written;
}

bool protocol_same_time(const struct hs_track *a, const struct hs_track *b)
{
	return a->timed == b->timed && a->time == b->time; /* what comes next is added to it */
}

bool protocol_same_stream(const struct hs_stream *a, const struct hs_stream *b)
{
	return a->count == b->count && a->current == a->count && b->current == b->count &&
	       a->fault == HS_OK && b->fault == HS_OK && a->hart == b->hart;
}

void protocol_follow_counts(uint64_t *to, const uint64_t *then, const uint64_t *before, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += before[i] - then[i];
}
