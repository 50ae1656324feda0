/* A decoder with a memo does what one without does: the same items up to the same results, the same
 * diagnostics and counters, for random programs, parameters, sizes and damage.  An encoder that
 * uses paths writes what one without writes.
 *
 * Each trace is given several times, whole or damaged, so that paths are found; the memo has from
 * 16 paths, which are soon full, to more than there are.
 *
 * In one case of three it counts paths: then the blocks that are written and those that are counted
 * are together the same, each as often in the same context, and each as often after the same block
 * (but for blocks after a gap or a stop); and events are the same in the same order.
 *
 * In another case of three it refers to paths: their blocks are read as late as they may be, and
 * items are the same then.
 */
#include "core/core.h"
#include "cases.h"

#include "etrace/etrace.h"
#include "flow/memo.h"
#include "ntrace/ntrace.h"
#include "property/campaign.h"
#include "property/memo_parts.h"
#include "property/mix.h"
#include "property/randetrace.h"
#include "property/randprog.h"

#define BLOCKS 1200
#define TRACE (BLOCKS * 64)
#define OUT 320
#define ENOUGH 50000 /* items: damage may repeat a message many times */
#define CIRCLES (1u << 22) /* more blocks than a packet has that leads in a circle of returns */
#define ROOM_MIN (HS_ET_DECODE_ROOM > HS_NT_DECODE_ROOM ? HS_ET_DECODE_ROOM : HS_NT_DECODE_ROOM)
#define PATHS_MAX 1024u
#define TABLE_MAX 2048u
#define KEPT (8 * OUT) /* items whose paths are not read yet */
#define STEPS 8u       /* after so many they are */
#define CHANGES 12u    /* of the code, at numbers of blocks */

/* One of the two decoders, and what it wrote so far. */
struct side {
	struct program program; /* a copy, which changes */
	struct hs_code_guide guide;
	unsigned changes; /* so far */
	struct hs_bb_table table;
	uint64_t *blocks;
	struct hs_nt_decoder nt;
	struct hs_nt_source nt_sources[MIX_SOURCES];
	struct hs_et_decoder et;
	struct hs_et_source et_sources[MIX_SOURCES];
	void *tables; /* of E-Trace */
	struct hs_span in;
	struct hs_block out[OUT];
	uint64_t items, sum; /* of them, a hash */
	uint64_t times;      /* HS_KIND_TIME that divide nothing */
	uint64_t each, pairs, events; /* hashes: of blocks and of pairs in any order */
	uint64_t context;             /* a hash of where blocks belong to */
	struct hs_block last;         /* block; of another kind: none comes right after it */
	enum hs_status status;
};

static struct {
	struct program program;
	bool guided;
	unsigned change_count;
	bool doubts;
	uint64_t until[CHANGES];   /* blocks before each, since the last one */
	uint64_t offsets[CHANGES]; /* of messages from which on it is there, after a loss */
	uint8_t codes[CHANGES][PROG_BYTES];
	struct hs_block blocks[BLOCKS], pieces[BLOCKS * 40];
	size_t count;
	bool etrace, counts, refers, passes;
	bool framed; /* E-Trace: with the standard encapsulation */
	struct hs_block kept[KEPT];
	size_t kept_n;
	unsigned steps;
	struct hs_nt_config nt;
	struct hs_et_config et;
	uint8_t whole[TRACE], given[2 * TRACE];
	size_t length, given_length;
	struct side without, with;
	struct hs_memo memo;
	uint64_t *paths;
} *t;

/* By protocol: N-Trace, E-Trace. */
static uint64_t hits[2], misses[2], emptied[2], errors[2], counted[2], referred[2], gone[2],
	changes[2], between[2], mixed[2], timed[2], predicted, targeted;

/* ---- a trace ------------------------------------------------------------------------ */

/* In one case of two without the options that keep a memo from being used. */
static void random_et(struct rng *r, uint64_t seed)
{
	const struct et_case of = { &t->program, false, false };
	struct hs_et_config *c = &t->et;

	random_et_config(r, seed, &of, c);
	t->framed = !rng_one_in(r, 2);
	if (t->framed)
		random_et_remembered(r, c);
}

/* Blocks cut to what the I-CNT counter holds. @return pieces. */
static size_t split(void)
{
	const uint32_t limit = 1u << ((t->nt.icnt_bits ? t->nt.icnt_bits : 22) - 1);

	return walk_split(&t->program, t->blocks, t->count, limit, t->pieces, COUNT_OF(t->pieces),
	                  NULL);
}

/* With runs of plain blocks, in pieces of any size, or without. */
static size_t encode_nt_by(bool runs, struct rng *r, size_t count, uint8_t *to,
                           struct hs_nt_counts *written)
{
	struct hs_nt_encoder e;
	size_t length = 0, used, n;

	assert_int_equal(hs_nt_encoder_init(&e, &t->nt), HS_OK);
	if (runs)
		hs_nt_encoder_use_runs(&e);
	for (size_t i = 0; i < count; i += used) {
		const size_t piece = 1 + rng_below(r, (uint32_t)(count - i));
		const size_t room = HS_NT_ENCODE_ROOM + rng_below(r, 2000);
		const enum hs_status s = hs_nt_encode(&e, t->pieces + i, piece, &used, to + length,
		                                      runs ? room : TRACE - length, &n);

		assert_true(s == HS_OK || (runs && s == HS_FULL));
		length += n;
	}
	assert_int_equal(hs_nt_encode_end(&e, to + length, TRACE - length, &n), HS_OK);
	memcpy(written, hs_nt_encoder_stats(&e), sizeof *written);
	return length + n;
}

/* Other sources send the same, with their numbers, in between. */
static void mix_sources(struct rng *r, size_t count)
{
	static uint8_t own[MIX_SOURCES][TRACE];
	const uint32_t sources = 1 + rng_below(r, t->nt.src_bits > 1 ? MIX_SOURCES : 2);
	struct mix_source mix[MIX_SOURCES];
	struct hs_nt_counts written;
	size_t all = 0;

	for (uint32_t i = 0; i < sources; i++) {
		t->nt.src_id = (uint16_t)(t->nt.src_bits > 7 ? i << 6 : i);
		mix[i].messages = own[i];
		all += mix[i].left = encode_nt_by(true, r, count, own[i], &written);
	}
	t->nt.src_id = 0;
	if (all <= TRACE)
		t->length = mix_messages(r, mix, sources, t->whole);
}

static void change_times(struct rng *r)
{
	const struct hs_span in = { t->whole, t->length };
	const size_t n = mix_times(r, &t->nt, in, t->given, sizeof t->given);

	if (n > TRACE)
		return;
	memcpy(t->whole, t->given, n);
	t->length = n;
}

static void encode_nt(struct rng *r)
{
	const size_t count = split();
	struct hs_nt_counts written, other;

	t->length = encode_nt_by(true, r, count, t->whole, &written);
	assert_int_equal(encode_nt_by(false, r, count, t->given, &other), t->length);
	assert_memory_equal(t->whole, t->given, t->length);
	assert_memory_equal(&written, &other, sizeof written);
	if (t->nt.src_bits)
		mix_sources(r, count);
	if (t->nt.timestamps && rng_one_in(r, 2))
		change_times(r);
}

/* What the encoder takes of it: in pieces, or block by block in the long way. */
static size_t encode_et_by(bool runs, struct rng *r, uint8_t *to, struct hs_et_counts *written)
{
	const size_t bytes = hs_et_encoder_memory(&t->et);
	void *tables = malloc(bytes);
	enum hs_status s = HS_OK;
	struct hs_et_encoder e;
	size_t length = 0, used, n;

	assert_int_equal(hs_et_encoder_init(&e, &t->et, tables, bytes), HS_OK);
	for (size_t i = 0; i < t->count && (s == HS_OK || s == HS_FULL); i += used) {
		const size_t piece = runs ? 1 + rng_below(r, (uint32_t)(t->count - i)) : 1;
		const size_t room = HS_ET_ENCODE_ROOM + rng_below(r, 2000);

		e.plain_next = e.plain_next && runs;
		e.brief.usable = e.brief.usable && runs;
		s = hs_et_encode(&e, t->blocks + i, piece, &used, to + length,
		                 runs ? room : TRACE - length, &n);
		length += n;
	}
	if (s == HS_OK && hs_et_encode_end(&e, to + length, TRACE - length, &n) == HS_OK)
		length += n;
	memcpy(written, hs_et_encoder_stats(&e), sizeof *written);
	free(tables);
	return length;
}

/* Other sources send the same, with their numbers, in between. */
static void mix_et_sources(struct rng *r)
{
	static uint8_t own[MIX_SOURCES][TRACE];
	const uint32_t sources = 1 + rng_below(r, t->et.src_bits > 1 ? MIX_SOURCES : 2);
	struct mix_source mix[MIX_SOURCES];
	struct hs_et_counts written;
	size_t all = 0;

	for (uint32_t i = 0; i < sources; i++) {
		t->et.src_id = (uint16_t)(t->et.src_bits > 9 ? i << 8 : i);
		mix[i].messages = own[i];
		all += mix[i].left = encode_et_by(true, r, own[i], &written);
	}
	t->et.src_id = 0;
	if (all <= TRACE)
		t->length = mix_packets(r, &t->et, mix, sources, t->whole);
}

static void encode_et(struct rng *r)
{
	struct hs_et_counts written, other;

	for (size_t i = 0; i < t->count; i++)
		if (t->et.itype_width == 3)
			narrow_itype(&t->blocks[i]);
	t->length = encode_et_by(true, r, t->whole, &written);
	assert_int_equal(encode_et_by(false, r, t->given, &other), t->length);
	assert_memory_equal(t->whole, t->given, t->length);
	assert_memory_equal(&written, &other, sizeof written);
	if (t->framed && t->et.src_bits)
		mix_et_sources(r);
}

/* The trace as it is given: whole; or with bytes that changed, are missing or are doubled. */
static void damage(struct rng *r)
{
	const bool whole = rng_one_in(r, 2);
	const uint32_t one_in = 20 + rng_below(r, 2000);

	t->given_length = 0;
	for (size_t i = 0; i < t->length; i++) {
		const unsigned what = whole || !rng_one_in(r, one_in) ? 0 : 1 + rng_below(r, 3);

		if (what == 1)
			continue;
		t->given[t->given_length++] =
			(uint8_t)(t->whole[i] ^ (what == 2 ? 1u << rng_below(r, 8) : 0));
		if (what == 3)
			t->given[t->given_length++] = t->whole[i];
	}
}

/* ---- what is counted ------------------------------------------------------------------ */

/* The last block led to an address. */
static void add_pair(struct side *s, uint64_t to, uint64_t times)
{
	if (s->last.kind == HS_KIND_BLOCK)
		s->pairs += hash(to, &s->last) * times;
}

static void add_block(struct side *s, const struct hs_block *b, uint64_t times)
{
	add_pair(s, b->iaddr, times);
	s->each += hash(s->context, b) * times;
	s->last = *b;
}

static void take_path(void *to, const struct hs_path_count *path)
{
	const struct hs_block none = { .kind = HS_KIND_GAP };
	struct side *s = to;
	const struct hs_block last = s->last;

	s->last = none;
	for (size_t i = 0; i < path->n; i++)
		if (i == 0 && t->passes && path->blocks[i].kind == HS_KIND_TIME)
			s->times += path->times;
		else
			add_block(s, &path->blocks[i], path->times);
	add_pair(s, path->next, path->times);
	s->last = last;
	counted[t->etrace] += path->times;
}

static void add_item(struct side *s, const struct hs_block *b)
{
	if (b->kind == HS_KIND_BLOCK) {
		add_block(s, b, 1);
		return;
	}
	if (b->kind == HS_KIND_NOTE && b->arg == HS_NOTE_COUNTED) {
		add_pair(s, b->value, 1);
		s->last = *b;
		return;
	}
	if (b->kind == HS_KIND_TIME && t->passes) {
		s->times++;
		return;
	}
	s->events = hash(s->events, b);
	if (b->kind == HS_KIND_CONTEXT || b->kind == HS_KIND_HART || b->kind == HS_KIND_TIME)
		s->context = hash(s->context, b);
	if (b->kind == HS_KIND_GAP || b->kind == HS_KIND_STOP)
		s->last = *b;
}

static void compare_counts(void)
{
	hs_memo_flush(&t->memo);
	assert_int_equal(t->without.each, t->with.each);
	assert_int_equal(t->without.pairs, t->with.pairs);
	assert_int_equal(t->without.events, t->with.events);
	assert_int_equal(t->without.times, t->with.times);
}

/* ---- both decoders ------------------------------------------------------------------ */

/* May a packet lead in a circle of returns, which ends after many blocks?  Where paths are not
 * written, a limit would end it at another block: it holds for each piece of what is written. */
static bool may_circle(void)
{
	return (t->counts || t->refers) &&
	       (t->et.return_stack_size || t->et.call_counter_size);
}

/* The code changes after some blocks: not at all, or an instruction or two, which may never be
 * executed. */
static void plan_changes(struct rng *r)
{
	struct program later;

	copy_program(&later, &t->program);
	uint64_t offset = 0;

	t->doubts = rng_one_in(r, 8);
	t->change_count = rng_below(r, CHANGES + 1);
	for (unsigned i = 0; i < t->change_count; i++) {
		t->until[i] = 1 + rng_below(r, rng_one_in(r, 2) ? 20 : 800);
		t->offsets[i] = offset += rng_below(r, 500);
		for (uint32_t n = rng_below(r, 3); n; n--)
			program_patch(&later, r, rng_below(r, (uint32_t)later.count));
		memcpy(t->codes[i], later.code, sizeof later.code);
	}
}

static uint64_t until_next(const struct side *s)
{
	return s->changes < t->change_count ? t->until[s->changes] : HS_GUIDE_NEVER;
}

static uint64_t begin(void *side, uint32_t src, struct hs_bb_table **table)
{
	struct side *s = side;

	(void)src;
	*table = &s->table;
	return until_next(s);
}

static void change(struct side *s)
{
	memcpy(s->program.code, t->codes[s->changes++], sizeof s->program.code);
	hs_bb_forget(&s->table);
	changes[t->etrace]++;
}

static uint64_t reach(void *side, uint32_t src)
{
	(void)src;
	change(side);
	return until_next(side);
}

static void place(void *side, uint32_t src, uint64_t offset)
{
	struct side *s = side;

	(void)src;
	while (s->changes < t->change_count && t->offsets[s->changes] <= offset)
		change(s);
}

static void set_guide(struct side *s)
{
	s->changes = 0;
	s->guide = (struct hs_code_guide){ s, begin, reach, place, t->doubts };
}

/* E-Trace: damage may predict 2^32 branches. */
static void set_options(struct side *s, struct hs_memo *memo)
{
	const struct hs_decoder_options o = { sizeof o, .memo = memo,
		.message_blocks = !t->etrace ? 0 : may_circle() ? CIRCLES : ENOUGH,
		.guide = t->guided ? &s->guide : NULL };

	assert_int_equal(t->etrace ? hs_et_decoder_set(&s->et, &o) : hs_nt_decoder_set(&s->nt, &o),
	                 HS_OK);
}

static void start(struct side *s, uint32_t capacity)
{
	copy_program(&s->program, &t->program);
	assert_int_equal(hs_bb_init(&s->table, &s->program.image, s->blocks, capacity), HS_OK);
	s->items = s->sum = s->each = s->pairs = s->events = s->context = s->times = 0;
	s->last.kind = HS_KIND_GAP;
	free(s->tables);
	const size_t tables = MIX_SOURCES * hs_et_source_memory(&t->et);

	s->tables = malloc(tables);
	if (t->etrace)
		assert_int_equal(hs_et_decoder_init(&s->et, &t->et, &s->table, s->et_sources,
		                                    MIX_SOURCES, s->tables, tables),
		                 HS_OK);
	else
		assert_int_equal(hs_nt_decoder_init(&s->nt, &t->nt, &s->table, s->nt_sources,
		                                    MIX_SOURCES),
		                 HS_OK);
	set_guide(s);
	set_options(s, NULL);
}

static void compare_stats(void)
{
	if (t->etrace)
		assert_memory_equal(hs_et_decoder_stats(&t->without.et),
		                    hs_et_decoder_stats(&t->with.et), sizeof(struct hs_et_stats));
	else
		assert_memory_equal(hs_nt_decoder_stats(&t->without.nt),
		                    hs_nt_decoder_stats(&t->with.nt), sizeof(struct hs_nt_stats));
}

static void compare_et_diag(void)
{
	const struct hs_et_diag *a = &t->without.et.diag, *b = &t->with.et.diag;

	assert_int_equal(a->reason, b->reason);
	assert_int_equal(a->pc, b->pc);
	assert_memory_equal(&a->packet, &b->packet, sizeof a->packet);
}

/* The message at fault, its fields that are there. */
static void compare_nt_diag(void)
{
	const struct hs_nt_diag *a = &t->without.nt.diag, *b = &t->with.nt.diag;

	assert_int_equal(a->reason, b->reason);
	assert_int_equal(a->pc, b->pc);
	assert_int_equal(a->msg.offset, b->msg.offset);
	assert_int_equal(a->msg.tcode, b->msg.tcode);
	assert_int_equal(a->msg.length, b->msg.length);
	assert_int_equal(a->msg.present, b->msg.present);
	for (unsigned f = 0; f < HS_NTF_COUNT; f++)
		if (hs_nt_has(&a->msg, f))
			assert_int_equal(a->msg.field[f], b->msg.field[f]);
}

static void add_one(struct side *s, const struct hs_block *b)
{
	uint64_t words[2];

	memcpy(words, b, sizeof *b);
	for (size_t i = 0; i < 2; i++)
		s->sum = (s->sum ^ words[i]) * UINT64_C(0x100000001b3) + (s->sum >> 47);
	add_item(s, b);
	s->items++;
}

static void add_path(struct side *s, const struct hs_block *path)
{
	const struct hs_block *blocks = (const struct hs_block *)(uintptr_t)path->value;

	assert_ptr_equal(blocks, t->memo.blocks + path->arg);
	for (unsigned i = 0; i < path->ilast; i++) {
		struct hs_block b = blocks[i];

		b.priv = path->priv & 7u;
		add_one(s, &b);
	}
	referred[t->etrace] += path->ilast != 0;
}

/* Read what was kept. */
static void read_kept(void)
{
	for (size_t i = 0; i < t->kept_n; i++)
		if (t->kept[i].kind == HS_KIND_PATH)
			add_path(&t->with, &t->kept[i]);
		else
			add_one(&t->with, &t->kept[i]);
	t->kept_n = 0;
}

static void keep_items(const struct hs_block *items, size_t n)
{
	bool go = false;

	if (t->kept_n + n > KEPT)
		read_kept();
	memcpy(t->kept + t->kept_n, items, n * sizeof *items);
	t->kept_n += n;
	for (size_t i = 0; i < n; i++)
		go |= items[i].kind == HS_KIND_PATH && !items[i].ilast;
	if (go)
		read_kept();
	gone[t->etrace] += go;
}

static void add_items(struct side *s, size_t n)
{
	if (t->refers && s == &t->with) {
		keep_items(s->out, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		add_one(s, &s->out[i]);
}

/* Both know the same of when the code changes, and of where that may be. */
static void compare_moments(void)
{
	const struct hs_track *a = t->etrace ? &t->without.et_sources->track
	                                     : &t->without.nt_sources->track;
	const struct hs_track *b = t->etrace ? &t->with.et_sources->track
	                                     : &t->with.nt_sources->track;

	assert_int_equal(a->until, b->until);
	assert_int_equal(a->since, b->since);
}

static const struct hs_track *track_of(const struct side *s, size_t i)
{
	return t->etrace ? &s->et_sources[i].track : &s->nt_sources[i].track;
}

static size_t source_count(const struct side *s)
{
	return t->etrace ? s->et.stream.count : s->nt.stream.count;
}

/* The next times of both will be the same. */
static void compare_clocks(void)
{
	for (size_t i = 0; i < source_count(&t->with); i++) {
		const struct hs_track *a = track_of(&t->without, i), *b = track_of(&t->with, i);

		assert_int_equal(a->time, b->time);
		assert_int_equal(a->timed, b->timed);
	}
}

/* So are predictor and cache. */
static void compare_tables(void)
{
	for (size_t i = 0; t->etrace && i < source_count(&t->with); i++)
		compare_tables_of(&t->without.et_sources[i], &t->with.et_sources[i]);
}

static void compare(void)
{
	const struct side *a = &t->without, *b = &t->with;

	assert_int_equal(a->status, b->status);
	if (++t->steps % STEPS == 0)
		read_kept();
	if (!t->counts && !t->kept_n) {
		assert_int_equal(a->items, b->items);
		assert_int_equal(a->sum, b->sum);
	}
	assert_int_equal(a->in.n, b->in.n);
	compare_clocks();
	if (t->guided)
		compare_moments();
	if (a->status == HS_OK || a->status == HS_MORE)
		return;
	errors[t->etrace]++;
	if (t->etrace)
		compare_et_diag();
	else
		compare_nt_diag();
}

static void next(struct side *s, size_t room)
{
	size_t n;

	do {
		s->status = t->etrace ? hs_et_decoder_next(&s->et, &s->in, s->out, room, &n)
		                      : hs_nt_decoder_next(&s->nt, &s->in, s->out, room, &n);
		add_items(s, n);
	} while (s->status == HS_FULL);
}

static void end(struct side *s, size_t room)
{
	size_t n;

	do {
		s->status = t->etrace ? hs_et_decoder_end(&s->et, s->out, room, &n)
		                      : hs_nt_decoder_end(&s->nt, s->out, room, &n);
		add_items(s, n);
	} while (s->status == HS_FULL);
}

/* Both go on to the same place. */
static enum hs_status go_on(void (*step)(struct side *s, size_t room), size_t room)
{
	step(&t->without, room);
	step(&t->with, room);
	compare();
	return t->with.status;
}

static void lose(struct side *s)
{
	if (t->etrace)
		hs_et_decoder_lose(&s->et);
	else
		hs_nt_decoder_lose(&s->nt);
}

/* What happens between two pieces of a trace. */
static void happen(struct rng *r)
{
	if (rng_one_in(r, 40)) {
		lose(&t->without);
		lose(&t->with);
	}
	if (!t->guided && rng_one_in(r, 60)) {
		const size_t i = rng_below(r, (uint32_t)t->program.count);

		program_patch(&t->program, r, i);
		memcpy(t->without.program.code, t->program.code, sizeof t->program.code);
		memcpy(t->with.program.code, t->program.code, sizeof t->program.code);
		hs_bb_change(&t->without.table, t->program.at[i], 4);
		hs_bb_change(&t->with.table, t->program.at[i], 4);
	}
	if (rng_one_in(r, 100)) {
		hs_bb_forget(&t->without.table);
		hs_bb_forget(&t->with.table);
	}
}

static void decode_given(struct rng *r, size_t room)
{
	const uint32_t most = rng_one_in(r, 3) ? 40 : 4000;

	for (size_t at = 0, n; at < t->given_length && t->without.items < ENOUGH; at += n) {
		n = 1 + rng_below(r, most);
		n = n < t->given_length - at ? n : t->given_length - at;
		t->without.in = t->with.in = (struct hs_span){ t->given + at, n };
		while (go_on(next, room) != HS_MORE)
			;
		if (t->counts && rng_one_in(r, 20))
			compare_counts();
		compare_tables();
		happen(r);
	}
}

static void decode(struct rng *r)
{
	const uint32_t capacity = rng_one_in(r, 4) ? 16 + rng_below(r, 60) : TABLE_MAX;
	const size_t room = rng_one_in(r, 4) ? ROOM_MIN + rng_below(r, OUT - ROOM_MIN) : OUT;
	/* few where it refers to them: it is emptied more often while some are not read yet */
	const uint32_t paths = HS_MEMO_PATHS_MIN << rng_below(r, t->refers ? 3 : 7);
	const unsigned passes = 1 + rng_below(r, 4);

	start(&t->without, capacity);
	start(&t->with, capacity);
	assert_int_equal(hs_memo_init(&t->memo, t->paths, paths), HS_OK);
	set_options(&t->with, &t->memo);
	if (t->counts) {
		hs_memo_pass_times(&t->memo, t->passes);
		hs_memo_count(&t->memo, take_path, &t->with);
	}
	if (t->refers)
		hs_memo_refer(&t->memo);
	for (unsigned i = 0; i < passes; i++) {
		damage(r);
		decode_given(r, room);
	}
	while (go_on(end, room) != HS_OK)
		;
	read_kept();
	compare();
	compare_tables();
	compare_counts();
	compare_stats();
	hits[t->etrace] += hs_memo_get_stats(&t->memo)->hits;
	if (t->guided && t->change_count)
		between[t->etrace] += hs_memo_get_stats(&t->memo)->hits;
	if (source_count(&t->with) > 1)
		mixed[t->etrace] += hs_memo_get_stats(&t->memo)->hits;
	if ((t->etrace ? t->et.tstamp_bytes : t->nt.timestamps) && !t->counts)
		timed[t->etrace] += hs_memo_get_stats(&t->memo)->hits;
	if (t->etrace && t->et.options & HS_ET_BRANCH_PREDICTION)
		predicted += hs_memo_get_stats(&t->memo)->hits;
	if (t->etrace && t->et.options & HS_ET_JUMP_TARGET_CACHE)
		targeted += hs_memo_get_stats(&t->memo)->hits;
	misses[t->etrace] += hs_memo_get_stats(&t->memo)->misses;
	emptied[t->etrace] += hs_memo_get_stats(&t->memo)->emptied;
}

/* The end of the code is not known to the decoders. */
static void forget_code(struct rng *r)
{
	struct hs_section *s = t->program.sections;

	s += s->bytes != t->program.code;
	s->size -= 2 * rng_below(r, (uint32_t)(s->size / 4));
}

static bool leaves_returns_out(void)
{
	return t->etrace ? t->et.options & HS_ET_IMPLICIT_RETURN : t->nt.implicit_return != 0;
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	struct walk_odds odds = walk_odds_random(&r, 5);

	t->etrace = seed % 2;
	t->counts = seed / 2 % 3 == 1;
	t->refers = seed / 2 % 3 == 2;
	t->passes = t->counts && rng_one_in(&r, 2);
	program_make(&t->program, &r);
	mix_config(&r, t->program.image.isa.xlen, &t->nt);
	random_et(&r, seed / 6);
	const bool calls = leaves_returns_out() && rng_one_in(&r, 2);

	if (calls)
		program_make_calls(&t->program, &r);
	t->nt.xlen = t->program.image.isa.xlen;
	odds.tidy_returns = calls && !rng_one_in(&r, 3);
	const bool context = t->etrace ? t->et.context : t->nt.context;
	const bool time = t->etrace ? t->et.time || t->et.tstamp_bytes : t->nt.timestamps;

	odds.context_one_in = context ? 1 + rng_below(&r, 400) : 0;
	odds.time_one_in = time ? 1 + rng_below(&r, 40) : 0;
	odds.steady_one_in = t->etrace && t->et.bpred_size && rng_one_in(&r, 2) ? 50 : 0;
	odds.modes = t->etrace ? et_config_privileges(&t->et) : 0;
	if (calls || odds.steady_one_in || rng_one_in(&r, 2))
		odds.trap_one_in = odds.stop_one_in = odds.reset_one_in = odds.trigger_one_in = 0;
	t->count = walk_random(&t->program, &r,
	                       1 + rng_below(&r, calls || rng_one_in(&r, 4) ? 3000 : 600),
	                       &odds, t->blocks, BLOCKS);
	if (t->etrace)
		encode_et(&r);
	else
		encode_nt(&r);
	if (rng_one_in(&r, 4))
		forget_code(&r);
	t->guided = !(t->etrace ? t->et.src_bits : t->nt.src_bits) && rng_one_in(&r, 3);
	if (t->guided)
		plan_changes(&r);
	decode(&r);
}

CAMPAIGN(memo)
{
	t = calloc(1, sizeof *t);
	t->without.blocks = malloc(hs_bb_memory(TABLE_MAX));
	t->with.blocks = malloc(hs_bb_memory(TABLE_MAX));
	t->paths = malloc(hs_memo_memory(PATHS_MAX));
	campaign_run(20000, one_case);
	for (unsigned i = 0; i < 2; i++) {
		printf("# %s: %llu paths found, %llu not; %llu full; %llu errors; %llu counted; "
		       "%llu referred to, gone %llu times; %llu where code changed %llu times\n",
		       i ? "E-Trace" : "N-Trace", (unsigned long long)hits[i],
		       (unsigned long long)misses[i], (unsigned long long)emptied[i],
		       (unsigned long long)errors[i], (unsigned long long)counted[i],
		       (unsigned long long)referred[i], (unsigned long long)gone[i],
		       (unsigned long long)between[i], (unsigned long long)changes[i]);
		assert_true(hits[i] && misses[i] && emptied[i] && errors[i] && counted[i] &&
		            referred[i] && gone[i] && between[i] && changes[i]);
	}
	assert_true(mixed[0] && mixed[1] && timed[0] && timed[1]);
	printf("# paths found with a predictor %llu, with a cache %llu\n",
	       (unsigned long long)predicted, (unsigned long long)targeted);
	assert_true(predicted && targeted);
	free(t->without.tables);
	free(t->with.tables);
	free(t->without.blocks);
	free(t->with.blocks);
	free(t->paths);
	free(t);
	t = NULL;
}
