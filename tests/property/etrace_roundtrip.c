/* decode(encode(x)) = x for E-Trace: random programs, walks, parameters and chunking.
 *
 * Blocks and traps are the same ones in the same places; so are stops, gaps and, where the encoder
 * reports them precisely, contexts.  A time or an imprecise context is one that was given, in
 * order.
 */
#include "core/core.h"
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/emit.h"
#include "etrace/et_config.h"
#include "etrace/etrace.h"
#include "property/campaign.h"
#include "property/randetrace.h"

#define HARTS 5
#define BLOCKS 1600
#define PIECES 40
#define TRACE (HARTS * BLOCKS * 96)
#define ENTRIES 2048
struct hart {
	struct hs_block blocks[2 * BLOCKS], pieces[BLOCKS * PIECES];
	size_t first[BLOCKS + 1]; /* piece of each block */
	size_t n, used, seen, times, loss; /* loss: the last one */
	struct hs_et_encoder encoder, slow; /* slow: without the short way of plain blocks */
	size_t fed, queued, resume; /* of a queue: items given; bytes in it; the first block since
	                               a loss */
	/* as the decoder said; as it is; of the next block */
	uint64_t context, want_context, next_context;
	uint64_t contexts[2]; /* scontext, hcontext */
	uint64_t time;        /* as the decoder said last */
	/* cut: the last block seen was not whole; a gap must follow */
	bool ended, running, cut;
};

static struct {
	struct program program;
	struct hart harts[HARTS];
	unsigned count;
	size_t queue;     /* bytes of a hart's queue; 0: there is none */
	unsigned drain;   /* it sends so many eighths of a byte an item */
	unsigned changes; /* options change before one piece in so many; 0: never */
	struct hs_et_config config;
	uint8_t trace[TRACE];
	size_t length;
	uint64_t *memory;
	uint8_t *room; /* HS_ET_ENCODE_ROOM */
	void *memory_of[2 * HARTS]; /* the encoders' */
	unsigned memories;
} *t;

static uint64_t blocks_seen, bytes_seen, gaps_seen, changes_seen, stalls_seen;
static unsigned streams[HS_ET_DIALECT_COUNT];

/* ---- there ------------------------------------------------------------------------- */

/* Blocks may be cut at any instruction. */
static void split(struct hart *h, uint32_t limit)
{
	walk_split(&t->program, h->blocks, h->n, limit, h->pieces, COUNT_OF(h->pieces), h->first);
	for (size_t i = 0; i < h->n && t->config.itype_width == 3; i++)
		narrow_itype(&h->pieces[h->first[i + 1] - 1]);
}

static bool is_lost(const struct hs_block *b)
{
	return b->kind == HS_KIND_GAP && b->arg == HS_E_LOST;
}

/* The same blocks one by one, without the short way of plain ones: the same bytes at @want. */
static void encode_slowly(struct hart *h, const struct hs_block *in, size_t n, const uint8_t *want)
{
	size_t used, len;

	for (size_t i = 0; i < n; i++, want += len) {
		h->slow.plain_next = false;
		assert_int_equal(hs_et_encode(&h->slow, &in[i], 1, &used, t->room,
		                              HS_ET_ENCODE_ROOM, &len), HS_OK);
		assert_memory_equal(t->room, want, len);
	}
}

static void encode_pieces(struct hart *h, size_t at, size_t end, size_t room)
{
	size_t used, len;

	while (at < end) {
		const enum hs_status s = hs_et_encode(&h->encoder, h->pieces + at, end - at, &used,
		                                      t->trace + t->length,
		                                      room, &len);

		assert_true(s == HS_FULL || (s == HS_OK && at + used == end));
		assert_true(t->length + len + HS_ET_ENCODE_ROOM <= TRACE);
		encode_slowly(h, h->pieces + at, used, t->trace + t->length);
		t->length += len;
		at += used;
	}
}

/* Other options, when the parameters allow them, from the next block on. */
static void change_options(struct hart *h, struct rng *r)
{
	const unsigned options = rng_below(r, 2u * HS_ET_FULL_ADDRESS);
	const enum hs_status s = hs_et_encoder_set_options(&h->encoder, options);

	assert_true(s == HS_OK || s == HS_E_CONFIG || s == HS_E_UNSUPPORTED);
	assert_int_equal(hs_et_encoder_set_options(&h->slow, options), s);
	changes_seen += s == HS_OK;
}

/* Encode some blocks, up to where packets are lost at most: those of this call.  When the packet
 * that would have reported the loss before is among them, the two are one. */
static void encode_some(struct hart *h, size_t most, size_t room)
{
	const size_t from = h->used, start = t->length;
	const bool untold = et_pends(&h->encoder, ET_PENDING_LOSS);
	bool lost = false;
	size_t len, end;

	for (size_t i = 0; i < most && h->used < h->n && !lost; i++)
		lost = is_lost(&h->blocks[h->used++]);
	encode_pieces(h, h->first[from], h->first[h->used], room);
	if (lost && untold)
		h->blocks[h->loss].kind = HS_KIND_NOTE;
	if (lost) {
		h->loss = h->used - 1;
		t->length = start;
	}
	if (h->used < h->n)
		return;
	assert_int_equal(hs_et_encode_end(&h->encoder, t->trace + t->length, TRACE - t->length,
	                                  &len), HS_OK);
	assert_int_equal(hs_et_encode_end(&h->slow, t->room, HS_ET_ENCODE_ROOM, &end), HS_OK);
	assert_int_equal(end, len);
	assert_memory_equal(t->room, t->trace + t->length, len);
	t->length += len;
	h->ended = true;
}

/* ---- through a queue ---------------------------------------------------------------- */

/* A gap before item @at. */
static void insert_gap(struct hart *h, size_t at)
{
	assert_true(h->n < 2 * BLOCKS);
	memmove(&h->blocks[at + 1], &h->blocks[at], (h->n++ - at) * sizeof *h->blocks);
	h->blocks[at] = (struct hs_block){ .kind = HS_KIND_GAP, .arg = HS_E_LOST };
	h->used++;
}

/* May the trace start again with this item? */
static bool begins(const struct hs_block *b)
{
	return b->kind == HS_KIND_BLOCK || (b->kind == HS_KIND_TRAP && b->itype != HS_ITYPE_NONE);
}

static void drain(struct hart *h, uint64_t item)
{
	const size_t n = t->drain * (item + 1) / 8 - t->drain * item / 8;

	h->queued -= n < h->queued ? n : h->queued;
}

/* An item through the queue.  Where its packets do not fit, they are lost until a packet reports
 * that: a gap takes the place of what was encoded since the last packet. */
static void queue_item(struct hart *h, uint64_t item)
{
	const size_t none = SIZE_MAX, at = h->used++;
	const struct hs_block *b = &h->pieces[h->fed++];
	const bool lost = et_pends(&h->encoder, ET_PENDING_LOSS);
	enum hs_status s;
	size_t len;

	do {
		drain(h, item++);
		s = hs_et_encode_port(&h->encoder, b, t->trace + t->length,
		                      t->queue - h->queued, &len);
		assert_true(h->queued + len <= t->queue);
		h->queued += len;
		t->length += len;
		stalls_seen += s == HS_FULL;
	} while (s == HS_FULL);
	assert_true(s == HS_OK || (s == HS_E_LOST && !t->config.stall && len == 0));
	if (s == HS_E_LOST || !lost)
		h->resume = none;
	else if (h->resume == none && begins(b))
		h->resume = at;
	if (lost && !et_pends(&h->encoder, ET_PENDING_LOSS))
		insert_gap(h, h->resume == none ? at : h->resume);
}

static void queue_all(struct rng *r)
{
	unsigned open = t->count;
	uint64_t item = 0;
	size_t len;

	for (unsigned i = 0; i < t->count; i++) {
		t->harts[i].queued = t->harts[i].fed = 0;
		t->harts[i].resume = SIZE_MAX;
	}
	while (open) {
		struct hart *h = &t->harts[rng_below(r, t->count)];

		if (t->changes && !h->ended && rng_one_in(r, 10 * t->changes))
			change_options(h, r);
		for (unsigned n = 1 + rng_below(r, 30); n && h->used < h->n; n--)
			queue_item(h, item++);
		if (h->ended || h->used < h->n)
			continue;
		if (et_pends(&h->encoder, ET_PENDING_LOSS))
			insert_gap(h, h->resume == SIZE_MAX ? h->n : h->resume);
		assert_int_equal(hs_et_encode_end(&h->encoder, t->trace + t->length,
		                                  TRACE - t->length, &len), HS_OK);
		t->length += len;
		h->ended = true;
		open--;
	}
}

/* Queues from a few bytes to many, which send less than the encoders write, or more. */
static void random_queue(struct rng *r)
{
	t->queue = 0;
	if (!rng_one_in(r, 4))
		return;
	t->queue = 1 + rng_below(r, 1u << (2 + rng_below(r, 9)));
	t->drain = 1 + rng_below(r, 1u << rng_below(r, 7));
	t->config.stall = (uint8_t)rng_one_in(r, 3);
}

/* With as much memory as it asks for: ASan sees what is after it. */
static void start_encoder(struct hs_et_encoder *e, const struct hs_et_config *c)
{
	const size_t bytes = hs_et_encoder_memory(c);

	assert_true(t->memories < 2 * HARTS);
	t->memory_of[t->memories] = malloc(bytes);
	assert_int_equal(hs_et_encoder_init(e, c, t->memory_of[t->memories++], bytes), HS_OK);
}

static void free_encoders(void)
{
	while (t->memories)
		free(t->memory_of[--t->memories]);
}

static void encode(struct rng *r)
{
	const uint32_t limit = t->queue || rng_one_in(r, 2) ? 0 : HS_INSN_MAX / 2 +
		rng_below(r, 20);
	unsigned open = t->count;

	t->length = 0;
	for (unsigned i = 0; i < t->count; i++) {
		struct hs_et_config c = t->config;

		c.src_id = c.src_bits ? (uint16_t)((i + 1) & ((1u << c.src_bits) - 1)) : 0;
		start_encoder(&t->harts[i].encoder, &c);
		start_encoder(&t->harts[i].slow, &c);
		split(&t->harts[i], limit);
	}
	if (t->queue) {
		queue_all(r);
		return;
	}
	while (open) {
		struct hart *h = &t->harts[rng_below(r, t->count)];

		if (h->ended)
			continue;
		if (t->changes && rng_one_in(r, t->changes))
			change_options(h, r);
		encode_some(h, 1 + rng_below(r, 30), HS_ET_ENCODE_ROOM + rng_below(r, 1000));
		open -= h->ended;
		while (et_config_encapsulated(&t->config) && rng_one_in(r, 4))
			t->trace[t->length++] = 0; /* idle */
	}
}

/* ---- and back ---------------------------------------------------------------------- */

static struct hart *hart_of(uint32_t src)
{
	const uint32_t mask = (1u << t->config.src_bits) - 1;

	for (unsigned i = 0; i < t->count; i++)
		if (t->config.src_bits == 0 || ((i + 1) & mask) == src)
			return &t->harts[i];
	fail_msg("block of unknown source %u", src);
	return NULL;
}

static uint64_t ones(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* Stops whose reason the stream does not have. */
static bool is_stop(const struct hs_block *b)
{
	return b->kind == HS_KIND_STOP || (b->kind == HS_KIND_SYNC && b->itype == 1);
}

static bool is_marker(const struct hs_block *b)
{
	return b->kind == HS_KIND_BLOCK || b->kind == HS_KIND_TRAP || is_lost(b) || is_stop(b);
}

/* The field of packets after @b: in one of at least 16 + 14 bits hcontext (FORMAT 3) is above
 * scontext. */
static uint64_t field_of_context(struct hart *h, const struct hs_block *b)
{
	const unsigned width = t->config.context_width;

	h->contexts[b->arg == 3] = b->value;
	if (width < 30 || h->contexts[1] == 0)
		return h->contexts[0] & ones(width);
	return (h->contexts[0] & ones(width - 14)) | (h->contexts[1] & ones(14)) << (width - 14);
}

/* The next item that the stream must show; NULL: the end. */
static const struct hs_block *wanted(struct hart *h)
{
	for (; h->seen < h->n; h->seen++) {
		const struct hs_block *b = &h->blocks[h->seen];

		if (b->kind == HS_KIND_CONTEXT)
			h->next_context = field_of_context(h, b);
		else if (is_marker(b) && !(is_stop(b) && !h->running))
			return b;
	}
	return NULL;
}

static void fail_item(const char *what, const struct hart *h, const struct hs_block *want,
                      const struct hs_block *got)
{
	const struct hs_block none = { .kind = HS_KIND_NOTE };

	if (!want)
		want = &none;
	fail_msg("%s at %zu: want %s %llx+%u last %u itype %u priv %u sijump %u, "
	         "got %s %llx+%u last %u itype %u priv %u sijump %u", what,
	         h->seen, hs_kind_name(want->kind), (unsigned long long)want->iaddr, want->iretire,
	         want->ilast,
	         want->itype, want->priv, want->sijump, hs_kind_name(got->kind),
	         (unsigned long long)got->iaddr, got->iretire, got->ilast, got->itype, got->priv,
	         got->sijump);
}

/* What was decoded of a block before packets were lost. */
static bool is_part(const struct hs_block *want, const struct hs_block *got)
{
	return got->kind == HS_KIND_BLOCK && got->iaddr == want->iaddr &&
		got->itype == HS_ITYPE_NONE &&
	       got->iretire <= want->iretire;
}

static void take_block(struct hart *h, const struct hs_block *got)
{
	const struct hs_block *want = wanted(h);

	if (h->cut || !want || want->kind != HS_KIND_BLOCK)
		fail_item("block", h, want, got);
	h->want_context = h->next_context;
	if (!hs_block_equal(want, got)) {
		if (!is_part(want, got))
			fail_item("block", h, want, got);
		h->cut = true;
		return;
	}
	if (t->config.context_precise && t->config.context && want->iretire &&
	    h->context != h->want_context)
		fail_msg("block %zu: context %llx, got %llx", h->seen,
		         (unsigned long long)h->want_context,
		         (unsigned long long)h->context);
	h->running = true;
	h->seen++;
	blocks_seen++;
}

/* A trap before the handler of another one began: where it struck is the handler's address, which
 * no packet has (ET Format 3 thaddr). */
static bool in_a_trap(const struct hart *h, const struct hs_block *b)
{
	size_t i = h->seen;

	while (i && !is_marker(&h->blocks[i - 1]))
		i--;
	return b && b->kind == HS_KIND_BLOCK && b->iretire == 0 && i &&
	       h->blocks[i - 1].kind == HS_KIND_TRAP;
}

static void take_trap(struct hart *h, const struct hs_block *got)
{
	const struct hs_block *want = wanted(h);

	if (in_a_trap(h, want)) {
		h->seen++;
		want = wanted(h);
	}
	const uint64_t value = t->config.notval ? 0 : want
		? want->value & ones(t->config.iaddress_width) : 0;

	if (h->cut || !want || want->kind != HS_KIND_TRAP ||
	    got->arg != (want->arg & ones(t->config.ecause_width)) ||
	    got->value != value)
		fail_item("trap", h, want, got);
	h->seen++;
}

static void take_stop(struct hart *h, const struct hs_block *got)
{
	const struct hs_block *want = wanted(h);

	if (h->cut || (want && !is_stop(want)) || got->itype != 4 || got->value || got->arg)
		fail_item("stop", h, want, got);
	if (t->config.context && h->context != h->want_context)
		fail_msg("stop %zu: context %llx, got %llx", h->seen,
		         (unsigned long long)h->want_context,
		         (unsigned long long)h->context);
	h->running = false;
	h->seen += want != NULL;
}

/* Where a trace starts: at the next block, or in a trap's handler. */
static void take_sync(struct hart *h, const struct hs_block *got)
{
	const struct hs_block *want = wanted(h);

	if (h->running || got->itype != 5 || got->arg ||
	    (want && want->kind == HS_KIND_BLOCK && want->iretire && got->value != want->iaddr))
		fail_item("sync", h, want, got);
}

/* Packets were lost: what came before is a part of what was executed. */
static void take_gap(struct hart *h, const struct hs_block *got)
{
	const struct hs_block *want = wanted(h);

	while (want && !is_lost(want)) {
		h->seen++;
		want = wanted(h);
	}
	if (!want || got->arg != HS_E_LOST)
		fail_item("gap", h, want, got);
	h->seen++;
	h->cut = false;
	h->running = false;
	gaps_seen++;
}

/* A time that is reported was given, or is none, and none comes twice.  Of frames only the low bits
 * are known, and it never goes back (ET Timestamping). */
static void take_time(struct hart *h, const struct hs_block *got)
{
	if (h->times == 0 && got->value == 0)
		return;
	const struct hs_et_config *c = &t->config;
	const unsigned bits = 8u * c->tstamp_bytes;
	const bool low = !c->time || (c->version != HS_ET_2_1 && bits && bits < c->time_width);
	const uint64_t mask = ones(low ? bits : c->time_width);

	while (h->times < h->n && !(h->blocks[h->times].kind == HS_KIND_TIME &&
	                            ((h->blocks[h->times].value ^ got->value) & mask) == 0))
		h->times++;
	if (h->times == h->n || (!c->time && got->value < h->time))
		fail_item("time", h, NULL, got);
	h->time = got->value;
}

static void take_items(const struct hs_block *out, size_t n, uint32_t *src)
{
	for (size_t i = 0; i < n; i++) {
		const struct hs_block *b = &out[i];
		struct hart *h = b->kind == HS_KIND_HART ? NULL : hart_of(*src);

		switch (b->kind) {
		case HS_KIND_HART: *src = b->arg; break;
		case HS_KIND_BLOCK: take_block(h, b); break;
		case HS_KIND_TRAP: take_trap(h, b); break;
		case HS_KIND_STOP: take_stop(h, b); break;
		case HS_KIND_GAP: take_gap(h, b); break;
		case HS_KIND_TIME: take_time(h, b); break;
		case HS_KIND_CONTEXT: h->context = b->value; break;
		case HS_KIND_SYNC: take_sync(h, b); break;
		default: fail_item("item", h, wanted(h), b);
		}
	}
}

static void check_status(const struct hs_et_decoder *d, enum hs_status s)
{
	const struct hs_et_diag *g = hs_et_decoder_diag(d);

	if (s != HS_MORE && s != HS_FULL && s != HS_E_LOST)
		fail_msg("%s at byte %llu, pc %llx: %s", hs_status_name(s),
		         (unsigned long long)g->packet.offset,
		         (unsigned long long)g->pc, g->text);
}

static void decode_all(struct hs_et_decoder *d, struct rng *r, struct hs_block *out, size_t cap,
                       uint32_t *src)
{
	size_t at = 0, n;
	enum hs_status s;

	while (at < t->length) {
		size_t chunk = 1 + rng_below(r, rng_one_in(r, 2) ? 4 : 5000);

		if (chunk > t->length - at)
			chunk = t->length - at;
		uint8_t *piece = malloc(chunk);
		struct hs_span in = { memcpy(piece, t->trace + at, chunk), chunk };

		do {
			s = hs_et_decoder_next(d, &in, out, cap, &n);
			check_status(d, s);
			take_items(out, n, src);
		} while (s != HS_MORE);
		at += chunk;
		free(piece);
	}
	do {
		s = hs_et_decoder_end(d, out, cap, &n);
		take_items(out, n, src);
	} while (s == HS_FULL || s == HS_E_LOST);
	assert_int_equal(s, HS_OK);
}

/* Where no packet was lost, both sides count the same ones. */
static void check_counts(const struct hs_et_stats *read)
{
	struct hs_et_counts written = { { 0 }, { 0 }, { { 0 }, { 0 }, 0 } };

	for (unsigned i = 0; i < t->count; i++) {
		const struct hart *h = &t->harts[i];
		const struct hs_et_counts *w = hs_et_encoder_stats(&h->encoder);

		for (size_t k = 0; k < h->n; k++)
			if (is_lost(&h->blocks[k]))
				return;
		for (unsigned form = 0; form < HS_ET_FORMS; form++) {
			written.packets[form] += w->packets[form];
			written.bytes[form] += w->bytes[form];
		}
	}
	assert_memory_equal(written.packets, read->packets, sizeof written.packets);
	assert_memory_equal(written.bytes, read->bytes, sizeof written.bytes);
	assert_int_equal(read->errors + read->skipped + read->ambiguous, 0);
}

static void decode(struct rng *r)
{
	const uint32_t capacity = rng_one_in(r, 3) ? 16 + rng_below(r, 30) : ENTRIES;
	const size_t cap = HS_ET_DECODE_ROOM + rng_below(r, 190);
	const size_t bytes = t->count * hs_et_source_memory(&t->config);
	struct hs_et_source *sources = malloc(t->count * sizeof *sources);
	struct hs_block *out = malloc(cap * sizeof *out);
	void *tables = malloc(bytes);
	struct hs_et_decoder d;
	struct hs_bb_table table;
	uint32_t src = 0;

	assert_int_equal(hs_bb_init(&table, &t->program.image, t->memory, capacity), HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, &t->config, &table, sources, t->count, tables,
	                                    bytes), HS_OK);
	decode_all(&d, r, out, cap, &src);
	check_counts(hs_et_decoder_stats(&d));
	for (unsigned i = 0; i < t->count; i++)
		if (wanted(&t->harts[i]) || t->harts[i].cut)
			fail_msg("hart %u ends at %zu of %zu", i, t->harts[i].seen, t->harts[i].n);
	free(sources);
	free(out);
	free(tables);
}

/* ---- cases ------------------------------------------------------------------------- */

static void random_walks(struct rng *r)
{
	const bool tidy = rng_one_in(r, 2);
	struct walk_odds odds = {
		.trap_one_in = rng_one_in(r, 3) ? 0 : 1 + rng_below(r, 60),
		.stop_one_in = rng_one_in(r, 5) ? 1 + rng_below(r, 200) : 0,
		.reset_one_in = rng_one_in(r, 6) ? 1 + rng_below(r, 200) : 0,
		.trigger_one_in = rng_one_in(r, 6) ? 1 + rng_below(r, 100) : 0,
		.lost_one_in = !t->queue && rng_one_in(r, 8) ? 1 + rng_below(r, 200) : 0,
		.context_one_in = t->config.context ? 1 + rng_below(r, 40) : 0,
		.time_one_in = t->config.time || t->config.tstamp_bytes ? 1 + rng_below(r, 10) : 0,
		.tidy_returns = tidy,
		.plain_stack = tidy,
		.no_custom = true,
		.modes = et_config_privileges(&t->config),
		.loose_ends = true,
	};

	for (unsigned i = 0; i < t->count; i++) {
		struct hart *h = &t->harts[i];

		h->n = walk_random(&t->program, r, 1 + rng_below(r, rng_one_in(r, 8) ? 3000 : 200),
		                   &odds, h->blocks,
		                   BLOCKS);
		h->used = h->seen = h->times = 0;
		h->time = h->context = h->want_context = h->next_context = 0;
		h->contexts[0] = h->contexts[1] = 0;
		h->ended = h->running = h->cut = false;
	}
}

/* Do the addresses have the bits of the configuration? */
static bool addresses_fit(void)
{
	for (unsigned i = 0; i < t->count; i++)
		for (size_t k = 0; k < t->harts[i].n; k++) {
			const struct hs_block *b = &t->harts[i].blocks[k];

			if (b->kind == HS_KIND_BLOCK &&
			    hs_block_end(b) & ~ones(t->config.iaddress_width))
				return false;
		}
	return true;
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);

	(rng_one_in(&r, 4) ? program_make_wide : program_make)(&t->program, &r);
	t->count = rng_one_in(&r, 8) ? 1 + rng_below(&r, HARTS) : 1;
	do {
		t->changes = rng_one_in(&r, 4) ? 1 + rng_below(&r, 8) : 0;
		const struct et_case of = { &t->program, t->count > 1, t->changes };

		random_et_config(&r, seed, &of, &t->config);
		random_queue(&r);
		random_walks(&r);
	} while (!addresses_fit());
	encode(&r);
	free_encoders();
	decode(&r);
	bytes_seen += t->length;
	streams[t->config.dialect]++;
}

static int report(void **state)
{
	const struct hs_et_config *c = t ? &t->config : NULL;

	if (c)
		printf("# its config: version %u dialect %u options %x harts %u sync %u:%u iaddress %u-%u privilege %u "
		       "stack %u counter %u irets %u bpred %u cache %u context %u:%u precise %u "
		       "resets %u kept %u returns %u bits %u\n",
		       c->version, c->dialect, c->options, t->count, c->sync_mode, c->sync_max,
		       c->iaddress_width,
		       c->iaddress_unit >> 1, c->privilege_width, c->return_stack_size,
		       c->call_counter_size, c->iret_ext,
		       c->bpred_size, c->cache_size, c->context, c->context_width,
		       c->context_precise, c->sync_resets, c->cache_kept, c->cache_returns,
		       c->counter_bits);
	return campaign_report(state);
}

TEST_WITH(roundtrip, NULL, report)
{
	t = calloc(1, sizeof *t);
	assert_non_null(t);
	t->memory = malloc(hs_bb_memory(ENTRIES));
	t->room = malloc(HS_ET_ENCODE_ROOM);
	campaign_run(60000, one_case);
	printf("# %llu blocks in %llu bytes, %llu gaps, %llu stalls, %llu changes of options, "
	       "all exact\n",
	       (unsigned long long)blocks_seen, (unsigned long long)bytes_seen,
	       (unsigned long long)gaps_seen, (unsigned long long)stalls_seen,
	       (unsigned long long)changes_seen);
	printf("# streams by dialect:");
	for (unsigned i = 0; i < HS_ET_DIALECT_COUNT; i++)
		printf(" %u", streams[i]);
	printf("\n");
	free(t->memory);
	free(t->room);
	free(t);
	t = NULL;
}
