/* Watchpoints, and memory as data accesses have it.
 *
 * All accesses of a hart to the bytes that are asked for are read once and kept: then it is known
 * where it stops, forwards and backwards, and what was there at any moment.  What something else
 * writes (a system call, a device, another hart) is not among them. */
#include <stdlib.h>
#include <string.h>

#include "core/access.h"
#include "core/search.h"
#include "gdb/private.h"
#include "support/grow.h"

#define WAITING 256u /* accesses that wait for their instruction */
#define LINE UINT64_C(64)

/* ---- accesses of a range ------------------------------------------------------------- */

struct look {
	struct hs_gdb_server *g;
	struct gdb_range *range;
	struct hs_access_reader reader;
	struct hs_access waiting[WAITING]; /* in their order */
	unsigned n;
	bool failed;
};

/* What an atomic operation left, if its result follows from what is known. */
static bool result_of(const struct hs_access *a, uint64_t *after)
{
	const uint64_t x = a->data, y = a->operand;

	*after = a->type == HS_ACCESS_SWAP  ? y
	         : a->type == HS_ACCESS_ADD ? x + y
	         : a->type == HS_ACCESS_AND ? (x & y)
	         : a->type == HS_ACCESS_OR  ? (x | y)
	                                    : (x ^ y);
	return a->type >= HS_ACCESS_SWAP && a->type <= HS_ACCESS_XOR &&
	       (a->known & HS_ACCESS_HAS_OPERAND) &&
	       (a->type == HS_ACCESS_SWAP || (a->known & HS_ACCESS_HAS_DATA));
}

static struct gdb_access describe(const struct hs_access *a, uint64_t n)
{
	const bool stores = hs_access_is_store(a->type), atomic = hs_access_is_atomic(a->type);
	const bool failed = a->type == HS_ACCESS_CAS_FAILED || a->type == HS_ACCESS_SC_FAILED;
	struct gdb_access out = {
		.n = n, .addr = a->address, .before = a->data, .bytes = (uint8_t)(1u << a->size)
	};

	out.what = stores || (atomic && !failed) ? GDB_WRITES : 0;
	if (!stores && a->type != HS_ACCESS_SC_FAILED)
		out.what |= GDB_READS;
	if (!stores && (a->known & HS_ACCESS_HAS_DATA))
		out.what |= GDB_HAS_BEFORE;
	out.after = a->data;
	if (!(out.what & GDB_WRITES) || stores)
		out.what |= a->known & HS_ACCESS_HAS_DATA ? GDB_HAS_AFTER : 0;
	else if (result_of(a, &out.after))
		out.what |= GDB_HAS_AFTER;
	return out;
}

static bool overlaps(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
	return a - b < b_size || b - a < a_size;
}

static void keep(struct look *l, const struct hs_access *a, uint64_t n)
{
	struct gdb_range *r = l->range;

	if (!(a->known & HS_ACCESS_HAS_ADDRESS) || hs_access_is_csr(a->type) ||
	    !overlaps(a->address, UINT64_C(1) << a->size, r->addr, r->size) || l->failed)
		return;
	l->g->watches.too_many = r->count == GDB_ACCESSES;
	l->failed = l->g->watches.too_many ||
	            !support_grow(&r->items, &r->room, r->count + 1, sizeof(*r->items));
	if (!l->failed)
		r->items[r->count++] = describe(a, n);
}

static void drop_first(struct look *l)
{
	l->n--;
	memmove(l->waiting, l->waiting + 1, l->n * sizeof(*l->waiting));
}

/* Each access that waits is of the next instruction that can have made it. */
static void take_block(struct look *l, const struct gdb_player *p, const struct hs_block *b,
                       uint64_t first)
{
	const struct hs_image *image = program_select_image(&p->select);
	const uint64_t end = hs_block_end(b);
	struct hs_insn insn;

	for (uint64_t at = b->iaddr; l->n && at < end; at += 2u * insn.hwords, first++) {
		size_t size = 0;
		const uint8_t *bytes = hs_img_bytes(image, at, &size);

		if (hs_img_insn(image, at, &insn) != HS_OK || !bytes || size < 2u * insn.hwords)
			return;
		const bool many = hs_access_insn_makes_many(bytes, insn.hwords) ||
		                  hs_access_insn_count(bytes, insn.hwords) > 1;

		for (bool more = true;
		     more && l->n && hs_access_insn_makes(bytes, insn.hwords, &l->waiting[0]);
		     more = many) {
			keep(l, &l->waiting[0], first);
			drop_first(l);
		}
	}
}

static void take_item(void *to, const struct gdb_player *p, const struct hs_block *item,
                      uint64_t first)
{
	struct look *l = to;

	if (item->kind == HS_KIND_BLOCK) {
		take_block(l, p, item, first);
	} else if (item->kind == HS_KIND_GAP) {
		l->n = 0;
	} else if (hs_access_take(&l->reader, item) &&
	           l->reader.access.phase != HS_ACCESS_RESPONSE) {
		if (l->n == WAITING)
			drop_first(l);
		l->waiting[l->n++] = l->reader.access;
	}
}

/* Read a hart for its accesses to a range.  NULL: it cannot be read, there are too many, no memory,
 * or the debugger wants to stop. */
static struct gdb_range *look_for(struct hs_gdb_server *g, uint32_t player, uint64_t addr,
                                  uint64_t size)
{
	struct gdb_watches *w = &g->watches;
	struct gdb_range *r = &w->ranges[w->next];
	struct look l = { .g = g, .range = r };

	free(r->items);
	*r = (struct gdb_range){ .addr = addr, .size = size, .player = player };
	if (!gdb_player_look(&g->players[player], take_item, &l) || l.failed) {
		free(r->items);
		*r = (struct gdb_range){ .addr = 0 };
		return NULL;
	}
	w->next = (w->next + 1) % GDB_RANGES;
	w->range_count = w->range_count < GDB_RANGES ? w->range_count + 1 : GDB_RANGES;
	return r;
}

/* The accesses of a hart to a range, and to bytes around it. */
static const struct gdb_range *range_of(struct hs_gdb_server *g, uint32_t player, uint64_t addr,
                                        uint64_t size)
{
	const uint64_t start = addr & ~(LINE - 1);

	if (size > UINT64_MAX - 2 * LINE - addr)
		return NULL;
	const uint64_t end = (addr + size + LINE - 1) & ~(LINE - 1);

	for (uint32_t i = 0; i < g->watches.range_count; i++) {
		const struct gdb_range *r = &g->watches.ranges[i];

		if (r->player == player && addr >= r->addr && addr - r->addr < r->size &&
		    size <= r->size - (addr - r->addr))
			return r;
	}
	return look_for(g, player, start, end - start);
}

/* ---- watchpoints ------------------------------------------------------------------------ */

static bool is_same(const struct gdb_watch *a, const struct gdb_watch *b)
{
	return a->type == b->type && a->addr == b->addr && a->size == b->size;
}

enum gdb_watch_set gdb_watch_set(struct hs_gdb_server *g, bool insert,
                                 const struct gdb_watch *watch)
{
	struct gdb_watches *w = &g->watches;
	uint32_t i = 0;

	while (i < w->count && !is_same(&w->at[i], watch))
		i++;
	if (!insert) {
		if (i < w->count)
			w->at[i] = w->at[--w->count];
		return GDB_WATCH_OK;
	}
	if (!gdb_current(g)->has_data)
		return GDB_WATCH_NO_DATA;
	if (i == GDB_WATCHES || !watch->size)
		return GDB_WATCH_FULL;
	w->at[i] = *watch;
	w->count += i == w->count;
	return GDB_WATCH_OK;
}

static bool hits(const struct gdb_watch *w, const struct gdb_access *a)
{
	const uint8_t what = w->type == GDB_WATCH_WRITE  ? GDB_WRITES
	                     : w->type == GDB_WATCH_READ ? GDB_READS
	                                                 : GDB_READS | GDB_WRITES;

	return (a->what & what) && overlaps(a->addr, a->bytes, w->addr, w->size);
}

/* The access nearest to instruction @from; NULL: none. */
static const struct gdb_access *find_hit(const struct gdb_range *r, const struct gdb_watch *w,
                                         bool back, uint64_t from)
{
	size_t i = base_count_leading(r->count, k, r->items[k].n < from);

	if (back) {
		while (i && !hits(w, &r->items[i - 1]))
			i--;
		return i ? &r->items[i - 1] : NULL;
	}
	while (i < r->count && !hits(w, &r->items[i]))
		i++;
	return i < r->count ? &r->items[i] : NULL;
}

enum gdb_stop gdb_watch_find(struct hs_gdb_server *g, uint32_t player, bool back, uint64_t *n)
{
	enum gdb_stop found = GDB_STEPPED;

	for (uint32_t i = 0; i < g->watches.count; i++) {
		const struct gdb_watch w = g->watches.at[i];
		const uint64_t from = g->players[player].now;
		const struct gdb_range *r = range_of(g, player, w.addr, w.size);
		const struct gdb_access *a = r ? find_hit(r, &w, back, from) : NULL;

		if (!r)
			return GDB_INTERRUPT;
		if (!a || (found == GDB_WATCHPOINT && (back ? a->n <= *n : a->n >= *n)))
			continue;
		found = GDB_WATCHPOINT;
		*n = a->n;
		g->watches.hit = w;
	}
	return found;
}

/* ---- memory ----------------------------------------------------------------------------- */

/* The byte that was at @addr before instruction @n: what the last access before it left there, or
 * the next one found. */
static bool byte_at(const struct gdb_range *r, uint64_t addr, uint64_t n, uint8_t *byte)
{
	const size_t end = base_count_leading(r->count, k, r->items[k].n < n);
	const struct gdb_access *a = NULL;
	bool known = false;
	uint64_t value = 0;

	for (size_t i = end; i-- > 0 && !a;)
		if (addr - r->items[i].addr < r->items[i].bytes) {
			a = &r->items[i];
			known = a->what & GDB_HAS_AFTER;
			value = a->after;
		}
	for (size_t i = end; !a && i < r->count; i++)
		if (addr - r->items[i].addr < r->items[i].bytes) {
			a = &r->items[i];
			known = a->what & GDB_HAS_BEFORE;
			value = a->before;
		}
	if (known)
		*byte = (uint8_t)(value >> 8 * (addr - a->addr));
	return known;
}

size_t gdb_watch_read(struct hs_gdb_server *g, uint64_t addr, uint8_t *to, size_t n)
{
	const struct gdb_player *p = gdb_current(g);
	const uint64_t now = p->now;
	const struct gdb_range *r = p->has_data && n ? range_of(g, g->current, addr, n) : NULL;
	size_t done = 0;

	while (r && done < n && byte_at(r, addr + done, now, &to[done]))
		done++;
	return done;
}

void gdb_watch_close(struct hs_gdb_server *g)
{
	for (uint32_t i = 0; i < GDB_RANGES; i++)
		free(g->watches.ranges[i].items);
}
