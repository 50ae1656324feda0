/* The memo: adding cached paths, and counting how often each was found (memo.h). */
#include "flow/memo.h"

#define AHEAD 16u

/* Blocks of memory for each path, on average. */
#define BLOCKS_EACH 8u

static uint32_t block_capacity(uint32_t paths)
{
	return paths * BLOCKS_EACH + MEMO_ROOM;
}

size_t hs_memo_memory(uint32_t paths)
{
	return (size_t)paths *
	               (sizeof(struct hs_memo_path) + sizeof(uint64_t) + 2 * sizeof(uint32_t)) +
	       (size_t)block_capacity(paths) * sizeof(struct hs_block);
}

/* ---- counting paths --------------------------------------------------------------- */

/* Copy blocks, and change their privilege by @priv, the XOR mask of struct hs_walk: the current one
 * becomes unknown, unknown becomes the current one. */
static void copy_blocks(struct hs_block *to, const struct hs_block *from, unsigned n, uint64_t priv)
{
	for (unsigned i = 0; i < n; i++)
		img_put_block(&to, from[i].iaddr, img_word(&from[i]) ^ priv);
}

static void count_messages(struct hs_memo *m, const struct hs_memo_path *path, uint64_t times)
{
	if (m->count_messages)
		m->count_messages(m, path, times);
	else
		flow_memo_count_messages(m, path, times);
}

void flow_memo_carry(struct hs_memo *m, const struct hs_memo_path *path)
{
	const size_t i = (size_t)(path - m->paths);

	if (m->counts[i] != MEMO_UNLISTED) {
		m->counts[i] += 256;
		return;
	}
	m->listed[m->listed_count++] = (uint32_t)i;
	m->counts[i] = 1;
}

/* The items of a path as m->take() gets them: those in the memo, or a copy at @own where a time
 * comes first or the privilege is known. */
static void take_items(const struct hs_memo *m, const struct hs_memo_path *path,
                       struct hs_path_count *c, struct hs_block *own)
{
	static const struct hs_block time = { .priv = HS_PRIV_UNKNOWN, .kind = HS_KIND_TIME };

	if (!m->priv && !path->timed)
		return;
	own[0] = time;
	copy_blocks(own + path->timed, c->blocks, path->blocks, m->priv);
	c->blocks = own;
	c->n += path->timed;
}

/* Give m->take() the count of a path; it stays listed. */
static void give(struct hs_memo *m, uint32_t i)
{
	struct hs_memo_path *path = &m->paths[i];
	struct hs_block own[1 + MEMO_BLOCKS];
	struct hs_path_count c = { .blocks = m->blocks + path->first, .n = path->blocks };

	if (m->counts[i] == MEMO_UNLISTED)
		return;
	c.times = m->counts[i] + path->times;
	m->counts[i] = 0;
	path->times = 0;
	if (!c.times)
		return;
	c.next = c.blocks[c.n].iaddr;
	count_messages(m, path, c.times);
	take_items(m, path, &c, own);
	c.id = (m->stats.emptied << 8 | c.blocks[path->timed].priv) << 32 | path->first;
	m->take(m->to, &c);
}

/* Prefetch for give(): the path AHEAD places later with its count, and the blocks of the one AHEAD
 * / 2 places later.  All are in different cache lines. */
static void fetch(const struct hs_memo *m, uint32_t at)
{
	if (at + AHEAD >= m->listed_count)
		return;
	const uint32_t later = m->listed[at + AHEAD], next = m->listed[at + AHEAD / 2];
	const struct hs_memo_path *path = &m->paths[next];

	__builtin_prefetch(&m->counts[later]);
	__builtin_prefetch(&m->paths[later]);
	__builtin_prefetch(&m->blocks[path->first]);
	__builtin_prefetch(&m->blocks[path->first + path->blocks]);
}

void hs_memo_flush(struct hs_memo *m)
{
	for (uint32_t i = 0; i < m->listed_count; i++) {
		fetch(m, i);
		give(m, m->listed[i]);
		m->counts[m->listed[i]] = MEMO_UNLISTED;
		m->paths[m->listed[i]].times = 255;
	}
	m->listed_count = 0;
}

void hs_memo_count(struct hs_memo *m, hs_memo_count_fn *take, void *to)
{
	hs_memo_flush(m);
	m->take = take;
	m->to = to;
}

bool flow_memo_counts(struct hs_memo *m, struct hs_memo_pending *p, uint64_t priv,
                      const struct flow_out *out)
{
	if (!m->take)
		return false;
	for (; p->seen != out->p; p->seen++)
		m->held |= hs_memo_divides(p->seen) &&
		           !(m->passes_times && p->seen->kind == HS_KIND_TIME);
	if (m->held || priv != m->priv)
		hs_memo_flush(m);
	m->priv = priv;
	return !m->held;
}

void flow_memo_end_call(struct hs_memo *m, struct hs_memo_pending *p, const struct flow_out *out)
{
	flow_memo_counts(m, p, m->priv, out);
	m->held = false;
	if (m->end == MEMO_REPORTED)
		m->end = MEMO_REPORT_READ;
}

void hs_memo_pass_times(struct hs_memo *m, bool pass)
{
	m->passes_times = pass;
}

void hs_memo_refer(struct hs_memo *m)
{
	m->refers = true;
}

void flow_memo_put_last(struct hs_memo *m, struct hs_memo_path *last, uint64_t start, uint64_t priv,
                        struct flow_out *out)
{
	const struct hs_block note = { .value = start,
		                       .arg = HS_NOTE_COUNTED,
		                       .priv = HS_PRIV_UNKNOWN,
		                       .kind = HS_KIND_NOTE };

	if (last->times)
		last->times--;
	else
		m->counts[last - m->paths]--;
	count_messages(m, last, 1);
	img_put_block(&out->p, note.value, img_word(&note) ^ priv);
	flow_memo_put(m, last, priv, out);
}

/* ---- paths ------------------------------------------------------------------------ */

/* Forget the paths.  Their blocks stay, as something may refer to them. */
static void forget_paths(struct hs_memo *m)
{
	hs_memo_flush(m);
	memset(m->paths, 0, ((size_t)m->mask + 1) * sizeof *m->paths);
	m->stats.emptied++;
}

/* Forget the paths and their blocks. */
static void start_afresh(struct hs_memo *m)
{
	forget_paths(m);
	m->count = 0;
	m->end = MEMO_HAS_ROOM;
}

enum hs_status hs_memo_init(struct hs_memo *m, void *memory, uint32_t paths)
{
	if (!memory || (uintptr_t)memory % _Alignof(uint64_t) || paths < HS_MEMO_PATHS_MIN ||
	    paths > HS_MEMO_PATHS_MAX || paths & (paths - 1))
		return HS_E_ARG;
	memset(m, 0, sizeof *m);
	m->paths = memory;
	m->blocks = (struct hs_block *)(void *)(m->paths + paths);
	m->capacity = block_capacity(paths);
	m->counts = (uint64_t *)(void *)(m->blocks + m->capacity);
	m->listed = (uint32_t *)(void *)(m->counts + paths);
	m->guesses = m->listed + paths;
	memset(m->counts, 255, paths * sizeof *m->counts);
	memset(m->guesses, 0, paths * sizeof *m->guesses);
	m->mask = paths - 1;
	m->shift = 64;
	for (uint32_t n = paths; n > 1; n /= 2)
		m->shift--;
	start_afresh(m);
	m->stats.emptied = 0;
	return HS_OK;
}

const struct hs_memo_stats *hs_memo_get_stats(const struct hs_memo *m)
{
	return &m->stats;
}

bool flow_memo_check(struct hs_memo *m, const struct hs_bb_table *t, struct flow_out *out)
{
	if (unlikely(m->end == MEMO_FULL && out->p < out->end)) {
		flow_memo_put_path(m, 0, 0, 0, out);
		m->end = MEMO_REPORTED;
	}
	if (unlikely(m->end == MEMO_REPORT_READ))
		start_afresh(m);
	if (m->table == t && m->version == t->version)
		return m->end != MEMO_REPORTED;
	m->table = t;
	m->version = t->version;
	if (m->refers)
		forget_paths(m); /* what was referred to stays */
	else
		start_afresh(m);
	return m->end != MEMO_REPORTED;
}

/* Did the messages lead through blocks and nothing else, the first one where the walk stood?
 * Blocks that are referred to must not end in a trap, either. */
static bool fits(const struct hs_memo *m, const struct hs_memo_path *path,
                 const struct hs_memo_pending *p)
{
	for (unsigned i = 0; i < path->blocks; i++)
		if (p->from[i].kind != HS_KIND_BLOCK ||
		    (m->refers && hs_itype_is_trap(p->from[i].itype)))
			return false;
	return path->blocks && p->from[0].iaddr == p->start;
}

struct hs_block *flow_memo_add_more(struct hs_memo *m, const struct hs_memo_path *path,
                                    const struct hs_memo_pending *p, uint64_t next, uint64_t priv,
                                    const struct flow_memo_more *more)
{
	const struct flow_own *own = more->own;
	const uint32_t rest = own ? (own->n + 1) / 2 : 0;
	const uint32_t blocks = path->blocks + 1u + more->blocks + rest;

	if (!fits(m, path, p))
		return NULL;
	const bool full = m->count + blocks + MEMO_GROUP > m->capacity;

	if (full && m->refers) {
		m->end = m->end == MEMO_HAS_ROOM ? MEMO_FULL : m->end;
		return NULL;
	}
	if (full)
		start_afresh(m);
	const uint32_t i = flow_memo_slot(m, &path->key, more->mix);
	struct hs_block *to = m->blocks + m->count;

	const bool replaces = m->paths[i].key.state; /* one that may be listed */

	if (replaces)
		give(m, i);
	m->paths[i] = *path;
	m->paths[i].first = m->count;
	m->paths[i].times = !replaces || m->counts[i] == MEMO_UNLISTED ? 255 : 0;
	copy_blocks(to, p->from, path->blocks, priv);
	to += path->blocks;
	img_put_block(&to, next, more->word | (own ? own->counts : 0));
	if (own && own->n)
		memcpy(to + more->blocks, own->words, own->n * sizeof *own->words);
	m->count += blocks;
	m->stats.kept++;
	return to;
}

void flow_memo_add(struct hs_memo *m, const struct hs_memo_path *path,
                   const struct hs_memo_pending *p, uint64_t next, uint64_t priv,
                   const struct flow_own *own)
{
	const struct flow_memo_more more = { .mix = flow_memo_mix(&path->key), .own = own };

	flow_memo_add_more(m, path, p, next, priv, &more);
}
