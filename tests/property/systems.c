/* Random trace systems: encoders of both protocols, funnels, RAM sinks, pins and bridges to one
 * ATB, joined at random (a funnel and a sink have trace of one protocol), with random registers,
 * data accesses, clocks, pauses and order of disabling.  What a sink holds is read from the
 * formats' rules alone (systems_sinks.c).  Each source's messages are those that its encoder
 * sends by itself: all of them, their end where a buffer wrapped, their beginning where a sink
 * stopped.  A funnel may mix sources in any order, but only whole messages.  Where messages were
 * dropped, what is decoded are whole blocks of the flow in order, with a gap wherever some are
 * missing. */
#include "device/device.h"
#include "etrace/etrace_data.h"
#include "property/campaign.h"
#include "property/systems.h"

struct systems *t;

static uint64_t exact_seen, wrapped_seen, stopped_seen, lossy_seen, gaps_seen, both_seen;
static uint64_t accesses_seen;

/* ---- topology ---------------------------------------------------------------------------- */

static void put_sample(void *user, uint32_t data)
{
	const size_t s = (size_t)(uintptr_t)user, two = t->sink[s].mode == 12;

	assert_true(t->sink[s].samples + 2 <= SAMPLES);
	t->sink[s].sample[t->sink[s].samples++] = (uint8_t)data;
	if (two)
		t->sink[s].sample[t->sink[s].samples++] = (uint8_t)(data >> 8);
}

/* The bridges share an ATB, where their IDs keep them apart. */
#define ATB_ID 0x21u

static void put_atb(void *user, unsigned id, const uint8_t *at, size_t n)
{
	struct bytes *held = &t->sink[id - ATB_ID].held;

	(void)user;
	assert_in_range(id, ATB_ID, ATB_ID + t->sinks - 1);
	memcpy(held->at + held->n, at, n);
	held->n += n;
}

static bool store_nothing(void *user, uint64_t address, uint32_t word)
{
	(void)user;
	return address < word;
}

static void enable_node(struct hs_dev_node *n, uint32_t control)
{
	hs_dev_write(n, 0, control | 1);
	hs_dev_write(n, 0, control | 1 | ENABLE);
	assert_int_equal(hs_dev_read(n, 0) & ENABLE, ENABLE);
}

static void open_node(struct hs_dev_node *n, unsigned kind, const struct hs_tc_memory *memory,
                      unsigned number, bool etrace)
{
	static const struct hs_dev_ops ops = { put_sample, put_atb };
	struct hs_tc_profile profile = *hs_tc_profile_find(etrace ? "etrace" : "full");

	profile.settle = 0;
	assert_int_equal(hs_dev_node_init(n, kind, &profile, memory, &ops,
	                                  (void *)(uintptr_t)number), HS_OK);
	if (etrace)
		hs_dev_node_set_nulls(n, RUN);
	hs_dev_write(n, 0, 0);
	hs_dev_write(n, 0, 1);
}

static unsigned new_sink(struct rng *r, bool etrace)
{
	static const uint8_t kinds[] = { HS_TC_RAM, HS_TC_RAM, HS_TC_RAM, HS_TC_PIB, HS_TC_ATB };
	static const uint8_t modes[] = { 4, 5, 8, 9, 10, 11, 12 };
	static const struct hs_tc_ops ops = { store_nothing };
	const unsigned s = t->sinks++, kind = kinds[rng_below(r, 5)];
	struct hs_dev_node *n = &t->sink[s].node;
	const struct hs_tc_memory memory = { t->sink[s].sram, 4096, &ops, NULL };
	const uint32_t freq = etrace ? rng_below(r, 4) << 12 : 0;

	t->sink[s].etrace = etrace;
	t->sink[s].kind = (uint8_t)kind;
	t->sink[s].mode = kind == HS_TC_PIB ? modes[rng_below(r, 7)] : 0;
	t->sink[s].samples = t->sink[s].held.n = 0;
	open_node(n, kind, &memory, s, etrace);
	if (kind == HS_TC_RAM) {
		hs_dev_write(n, 0x18, rng_one_in(r, 2) ? 4092 : 4 * (16 + rng_below(r, 400)));
		hs_dev_write(n, 0x20, 0);
		enable_node(n, freq | (rng_one_in(r, 4) ? 0x100 : 0));
	} else if (kind == HS_TC_PIB) {
		enable_node(n, (uint32_t)t->sink[s].mode << 4 | freq | rng_below(r, 3) << 16);
	} else {
		hs_dev_write(n, 4, freq);
		enable_node(n, (ATB_ID + s) << 8);
	}
	return s;
}

/* To a new sink, or for encoders to a funnel. */
static void add_edge(struct rng *r, struct edge *out, unsigned *outs, int funnel, unsigned input,
                     bool etrace)
{
	struct edge *e = &out[(*outs)++];

	e->sink = funnel < 0;
	e->to = e->sink ? new_sink(r, etrace) : (unsigned)funnel;
	e->input = e->sink ? 0 : input;
}

static struct hs_dev_node *end_of(const struct edge *e)
{
	return e->sink ? &t->sink[e->to].node : &t->funnel[e->to].node;
}

/* Funnel 0 has one or two sinks, funnel 1 leads to funnel 0, and perhaps to a sink. */
static void make_funnels(struct rng *r)
{
	for (unsigned f = 0; f < t->funnels; f++) {
		open_node(&t->funnel[f].node, HS_TC_FUNNEL, NULL, 0, t->etrace);
		t->funnel[f].outs = t->funnel[f].inputs = 0;
		t->funnel[f].off = 0;
		add_edge(r, t->funnel[f].out, &t->funnel[f].outs, f ? 0 : -1, 15, t->etrace);
		if (rng_one_in(r, 4))
			add_edge(r, t->funnel[f].out, &t->funnel[f].outs, -1, 0, t->etrace);
		for (unsigned i = 0; i < HARTS; i++)
			t->funnel[f].off |= (uint32_t)rng_one_in(r, 10) << i;
		for (unsigned i = 0; i < t->funnel[f].outs; i++)
			assert_int_equal(hs_dev_node_connect(&t->funnel[f].node,
			                                     end_of(&t->funnel[f].out[i]),
			                                     t->funnel[f].out[i].input), HS_OK);
		hs_dev_write(&t->funnel[f].node, 8, t->funnel[f].off);
		enable_node(&t->funnel[f].node, 0);
	}
}

/* Does what leaves by @e come to sink @s? */
static bool comes_to(const struct edge *e, unsigned s)
{
	bool comes = e->sink && e->to == s;

	if (e->sink || t->funnel[e->to].off >> e->input & 1)
		return comes;
	for (unsigned i = 0; i < t->funnel[e->to].outs; i++)
		comes |= comes_to(&t->funnel[e->to].out[i], s);
	return comes;
}

static bool reaches(unsigned h, unsigned s)
{
	bool comes = false;

	for (unsigned i = 0; i < t->hart[h].outs; i++)
		comes |= comes_to(&t->hart[h].out[i], s);
	return comes;
}

/* ---- encoders: in the system, and by themselves -------------------------------------------- */

static struct hs_et_config et_config(unsigned h)
{
	struct hs_et_config c = { .size = sizeof(c), .return_stack_size = 3, .bpred_size = 3,
		                  .cache_size = 2, .sijump = 1, .f0s_width = 1 };

	if (t->hart[h].encoder.device.tc.profile.size)
		assert_int_equal(hs_dev_et_config(&t->hart[h].encoder.device.tc.regs, &c), HS_OK);
	return c;
}

static struct hs_et_data_coder *new_coder(unsigned h)
{
	struct hs_et_data_config c = { .size = sizeof(c) };

	assert_int_equal(hs_dev_et_data_config(&t->hart[h].encoder.device.tc.regs, &c), HS_OK);
	assert_int_equal(hs_et_data_init(&t->hart[h].coder, &c), HS_OK);
	return &t->hart[h].coder;
}

static void restart_alone(unsigned h)
{
	struct hs_nt_config nt = { .size = sizeof(nt) };

	if (t->hart[h].etrace) {
		const struct hs_et_config et = et_config(h);

		assert_int_equal(hs_et_encoder_init(&t->hart[h].et, &et, t->hart[h].tables,
		                                    sizeof(t->hart[h].tables)), HS_OK);
		if (t->hart[h].data)
			assert_int_equal(hs_et_encoder_set_data(&t->hart[h].et, new_coder(h)),
			                 HS_OK);
		return;
	}
	assert_int_equal(hs_tc_nt_config(&t->hart[h].encoder.device.tc.regs, &nt), HS_OK);
	assert_int_equal(hs_nt_encoder_init(&t->hart[h].nt, &nt), HS_OK);
}

static void feed_alone(unsigned h, const struct hs_block *b)
{
	struct bytes *w = &t->hart[h].want;
	uint8_t *out = w->at + w->n;
	const size_t cap = BYTES - w->n;
	size_t used, len = 0;

	assert_int_equal(t->hart[h].etrace
	                         ? hs_et_encode(&t->hart[h].et, b, 1, &used, out, cap, &len)
	                         : hs_nt_encode(&t->hart[h].nt, b, 1, &used, out, cap, &len),
	                 HS_OK);
	w->n += len;
}

static void feed_event(unsigned h, enum hs_kind kind, unsigned code)
{
	const struct hs_block e = { .kind = (uint8_t)kind, .itype = (uint8_t)code };

	feed_alone(h, &e);
}

static void write_hart(unsigned h, uint32_t offset, uint32_t value)
{
	hs_tc_device_write(&t->hart[h].encoder.device, HS_TC_ENCODER, offset, value);
}

static uint32_t read_hart(unsigned h)
{
	return hs_tc_device_read(&t->hart[h].encoder.device, HS_TC_ENCODER, 0);
}

static void start_hart(unsigned h)
{
	const uint32_t control = t->hart[h].control | 1;

	write_hart(h, 0, control);
	write_hart(h, 0, control | ENABLE);
	if (t->hart[h].data)
		write_hart(h, DATA_CONTROL, DATA_TRACING);
	write_hart(h, 0, control | ENABLE | TRACING);
	restart_alone(h);
	t->hart[h].paused = true; /* until its first block */
}

static uint32_t random_features(struct rng *r, bool etrace)
{
	if (etrace)
		return rng_below(r, 0x40) & 0x3d;
	static const uint8_t returns[] = { 0x00, 0x08, 0x88, 0xc8 };

	/* not mode 1, which counts calls and returns: traps leave functions here */
	return returns[rng_below(r, 4)] | rng_below(r, 2) << 2 | rng_below(r, 2) << 8 |
	       rng_below(r, 2) << 10;
}

static bool is_access(const struct hs_block *b)
{
	return b->kind == HS_KIND_DATA || b->kind == HS_KIND_VALUE;
}

/* Accesses before some blocks, as far as there is room. */
static void add_accesses(struct rng *r, unsigned h)
{
	struct hs_block *flow = t->hart[h].flow;

	for (size_t i = 0; i < t->hart[h].n && t->hart[h].n + HS_ACCESS_ITEMS <= BLOCKS; i++) {
		const struct hs_access a = {
			.type = rng_below(r, 2), .size = (uint8_t)rng_below(r, 4),
			.address = 0x8000 + 8 * rng_below(r, 40), .data = rng_below(r, 200),
			.known = HS_ACCESS_HAS_ADDRESS | HS_ACCESS_HAS_DATA };
		struct hs_block items[HS_ACCESS_ITEMS];

		if (flow[i].kind != HS_KIND_BLOCK || rng_below(r, 2))
			continue;
		const size_t n = hs_access_put(&a, items);

		memmove(flow + i + n, flow + i, (t->hart[h].n - i) * sizeof(*flow));
		memcpy(flow + i, items, n * sizeof(*flow));
		t->hart[h].n += n;
		i += n;
		accesses_seen++;
	}
}

/* Some harts have sinks of their own, and then perhaps another protocol. */
static void open_hart(struct rng *r, unsigned h)
{
	const bool apart = !t->funnels || (t->sinks + 2 < SINKS && rng_one_in(r, 4));
	const bool etrace = apart && rng_one_in(r, 2) ? !t->etrace : t->etrace;
	const struct walk_odds odds = { .trap_one_in = 60, .tidy_returns = true,
		                        .plain_stack = true, .no_custom = true };
	const struct hs_et_config et = { .size = sizeof(et), .return_stack_size = 3,
		                         .bpred_size = 3, .cache_size = 2, .sijump = 1,
		                         .f0s_width = 1 };
	const bool data = etrace && rng_one_in(r, 3);
	struct hs_tc_profile profile =
		*hs_tc_profile_find(data ? "etrace-data" : etrace ? "etrace" : "full");
	const int funnel = apart ? -1 : (int)rng_below(r, t->funnels);

	profile.settle = 0;
	t->hart[h].etrace = etrace;
	t->hart[h].data = data;
	t->hart[h].outs = 0;
	t->hart[h].want.n = t->hart[h].at = 0;
	t->hart[h].stuck = t->hart[h].dropped = false;
	t->hart[h].n = walk_random(&t->program, r, 20 + rng_below(r, 900), &odds, t->hart[h].flow,
	                           BLOCKS);
	if (data)
		add_accesses(r, h);
	add_edge(r, t->hart[h].out, &t->hart[h].outs, funnel, h, etrace);
	if (t->sinks + 1 < SINKS && rng_one_in(r, 4))
		add_edge(r, t->hart[h].out, &t->hart[h].outs, -1, 0, etrace);
	assert_int_equal(hs_dev_encoder_init(&t->hart[h].encoder, &profile, etrace ? &et : NULL,
	                                     &t->program.image, false), HS_OK);
	for (unsigned i = 0; i < t->hart[h].outs; i++)
		assert_int_equal(hs_dev_encoder_connect(&t->hart[h].encoder,
		                                        end_of(&t->hart[h].out[i]),
		                                        t->hart[h].out[i].input), HS_OK);
	assert_int_equal(hs_dev_add(&t->dev, &t->hart[h].encoder), HS_OK);
	write_hart(h, 0, 1);
	for (uint32_t at = 8; at <= 0x58; at += 4)
		write_hart(h, at, 0);
	t->hart[h].control = (etrace ? 0 : rng_one_in(r, 2) ? 0x30 : 0x60) |
	                     rng_below(r, 2) << 16 | rng_below(r, 4) << 20 |
	                     (rng_one_in(r, 2) ? STALL : 0) | (etrace ? 0 : 1u << 24);
	/* SRC: 6 bits, a byte of MDO; of E-Trace 8, a byte */
	write_hart(h, 8, random_features(r, etrace) | (etrace ? 8u : 6u) << 28 | (h + 1) << 16);
	if (data)
		write_hart(h, DATA_CONTROL, t->hart[h].control & STALL ? DATA_STALL : 0);
	start_hart(h);
}

/* ---- the run ----------------------------------------------------------------------------- */

static void clock_pins(uint64_t clocks)
{
	for (unsigned s = 0; s < t->sinks; s++)
		if (t->sink[s].kind == HS_TC_PIB)
			hs_dev_clock(&t->dev, &t->sink[s].node, clocks);
}

/* One item: a hart that waits for pins goes on, one whose sink stopped does not. */
static void run_item(unsigned h)
{
	const struct hs_block *b = &t->hart[h].flow[t->hart[h].at++];
	enum hs_status s = HS_FULL;
	size_t used = 0;

	for (unsigned tries = 0; s == HS_FULL && tries < 1200; tries++) {
		s = hs_dev_run(&t->dev, &t->hart[h].encoder, b, 1, &used);
		if (s == HS_FULL)
			clock_pins(32);
	}
	t->hart[h].stuck = s == HS_FULL;
	if (t->hart[h].stuck)
		return;
	assert_int_equal(s, HS_OK);
	if (b->kind == HS_KIND_BLOCK && t->hart[h].paused) {
		feed_event(h, HS_KIND_SYNC, 5);
		t->hart[h].paused = false;
	}
	if (!t->hart[h].paused || is_access(b))
		feed_alone(h, b);
}

static bool has_overflow(unsigned h)
{
	const uint32_t data = hs_tc_device_read(&t->hart[h].encoder.device, HS_TC_ENCODER,
	                                        DATA_CONTROL);

	return (read_hart(h) & OVERFLOW) || (data & DATA_OVERFLOW);
}

/* trTeEnable 0, and 1 again. */
static void pause_hart(unsigned h)
{
	write_hart(h, 0, t->hart[h].control | 1);
	for (unsigned i = 0; !(read_hart(h) & EMPTY) && i < 2000; i++)
		clock_pins(32);
	t->hart[h].stuck = !(read_hart(h) & EMPTY);
	t->hart[h].dropped |= has_overflow(h) && !(t->hart[h].control & STALL);
	if (!t->hart[h].paused)
		feed_event(h, HS_KIND_STOP, 4);
	t->hart[h].paused = true;
}

static void run_harts(struct rng *r)
{
	for (unsigned open = t->harts; open;) {
		const unsigned h = rng_below(r, t->harts);

		for (unsigned k = rng_below(r, 8); k && !t->hart[h].stuck; k--)
			if (t->hart[h].at < t->hart[h].n)
				run_item(h);
		if (rng_one_in(r, 60) && !t->hart[h].stuck) {
			pause_hart(h);
			/* between blocks: an event belongs to the one before */
			while (t->hart[h].at < t->hart[h].n &&
			       t->hart[h].flow[t->hart[h].at].kind != HS_KIND_BLOCK)
				t->hart[h].at++;
			if (!t->hart[h].stuck)
				start_hart(h);
		}
		clock_pins(rng_below(r, 60));
		open = 0;
		for (unsigned i = 0; i < t->harts; i++)
			open += !t->hart[i].stuck && t->hart[i].at < t->hart[i].n;
	}
}

/* Encoders in any order, then funnels, then sinks (TCI 11.3). */
static void disable_all(struct rng *r)
{
	const unsigned first = rng_below(r, t->harts);

	for (unsigned i = 0; i < t->harts; i++)
		if (!t->hart[(first + i) % t->harts].stuck)
			pause_hart((first + i) % t->harts);
	for (unsigned f = t->funnels; f-- > 0;)
		hs_dev_write(&t->funnel[f].node, 0, 1);
	for (unsigned s = 0; s < t->sinks; s++) {
		struct hs_dev_node *n = &t->sink[s].node;

		t->sink[s].stopped = !(hs_dev_read(n, 0) & ENABLE);
		hs_dev_write(n, 0, hs_dev_read(n, 0) & ~(uint32_t)ENABLE);
		for (unsigned i = 0; !(hs_dev_read(n, 0) & EMPTY); i++) {
			assert_true(i < 10000);
			hs_dev_clock(NULL, n, 64);
		}
	}
}

/* ---- what came through ------------------------------------------------------------------- */

static struct {
	struct hs_block at[2 * BLOCKS];
	size_t n;
} decoded;

static void collect(const struct hs_block *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_true(decoded.n < 2 * BLOCKS);
		decoded.at[decoded.n++] = b[i];
	}
}

static void start_etrace(unsigned h, struct hs_et_decoder *d, const struct hs_et_config *c,
                         struct hs_bb_table *table, struct hs_et_source *source, uint64_t *tables)
{
	assert_int_equal(hs_et_decoder_init(d, c, table, source, 1, tables,
	                                    hs_et_source_memory(c)), HS_OK);
	struct hs_decoder_options o = { .size = sizeof o, .data_count = 1 };

	if (t->hart[h].data)
		o.data = new_coder(h);
	assert_int_equal(hs_et_decoder_set(d, &o), HS_OK);
}

static void decode(unsigned h, const struct bytes *b)
{
	const bool etrace = t->hart[h].etrace;
	static struct hs_et_source et_source[1];
	static struct hs_nt_source nt_source[1];
	static struct hs_et_decoder et;
	static struct hs_nt_decoder nt;
	struct hs_nt_config nc = { .size = sizeof(nc) };
	struct hs_et_config ec = etrace ? et_config(h) : (struct hs_et_config){ 0 };
	struct hs_span in = { b->at, b->n };
	const size_t room = etrace ? hs_et_source_memory(&ec) : 1;
	uint64_t *memory = malloc(hs_bb_memory(512)), *tables = malloc(room);
	struct hs_block out[64];
	struct hs_bb_table table;
	enum hs_status s;
	size_t n;

	decoded.n = 0;
	assert_int_equal(hs_bb_init(&table, &t->program.image, memory, 512), HS_OK);
	if (etrace)
		start_etrace(h, &et, &ec, &table, et_source, tables);
	else if (hs_tc_nt_config(&t->hart[h].encoder.device.tc.regs, &nc) == HS_OK)
		assert_int_equal(hs_nt_decoder_init(&nt, &nc, &table, nt_source, 1), HS_OK);
	do {
		s = etrace ? hs_et_decoder_next(&et, &in, out, 64, &n)
		              : hs_nt_decoder_next(&nt, &in, out, 64, &n);
		collect(out, n);
	} while (s != HS_MORE);
	do {
		s = etrace ? hs_et_decoder_end(&et, out, 64, &n)
		              : hs_nt_decoder_end(&nt, out, 64, &n);
		collect(out, n);
	} while (s == HS_FULL);
	free(memory);
	free(tables);
}

/* The last block before a loss may be cut: messages reported so much of it. */
static bool is_place(const struct hs_block *a, const struct hs_block *b, bool last)
{
	return a->iaddr == b->iaddr &&
	       (a->iretire == b->iretire || (last && a->iretire < b->iretire));
}

/* The next block of the flow from @at on; events between do not count. */
static size_t next_block(unsigned h, size_t at)
{
	while (at < t->hart[h].n && t->hart[h].flow[at].kind != HS_KIND_BLOCK)
		at++;
	return at;
}

/* Do the decoded blocks from @from to @to follow each other in the flow from *at on?  The first
 * place where they do is enough: pieces come in order. */
static bool find_piece(unsigned h, size_t from, size_t to, size_t *at)
{
	for (size_t start = next_block(h, *at); start < t->hart[h].n;
	     start = next_block(h, start + 1)) {
		size_t i = from, place = start;

		while (i < to && place < t->hart[h].n &&
		       is_place(&decoded.at[i], &t->hart[h].flow[place], i + 1 == to)) {
			i++;
			place = next_block(h, place + 1);
		}
		if (i == to) {
			*at = place;
			return true;
		}
	}
	return false;
}

/* Pieces between gaps and stops are pieces of the flow. */
static void check_pieces(unsigned h, const struct bytes *b)
{
	size_t at = 0, from = 0, n = 0;

	decode(h, b);
	for (size_t i = 0; i <= decoded.n; i++) {
		const struct hs_block *d = &decoded.at[i];

		if (i < decoded.n && d->kind == HS_KIND_BLOCK) {
			decoded.at[n++] = *d;
			continue;
		}
		if (i < decoded.n && d->kind != HS_KIND_GAP && d->kind != HS_KIND_STOP)
			continue;
		if (i < decoded.n && d->kind == HS_KIND_GAP) {
			if (d->arg != HS_E_LOST)
				fail_msg("hart %u: a gap for %u", h, d->arg);
			gaps_seen++;
		}
		if (n > from && !find_piece(h, from, n, &at))
			fail_msg("hart %u: a piece of %zu blocks is none of the flow", h, n - from);
		from = n;
	}
}

static void check_source(unsigned h, unsigned s)
{
	const struct bytes *have = &t->sink[s].of[h], *want = &t->hart[h].want;
	const bool dropped = t->hart[h].dropped;

	if (!reaches(h, s)) {
		assert_int_equal(have->n, 0);
	} else if (dropped && !t->sink[s].wrapped) {
		check_pieces(h, have);
		lossy_seen++;
	} else if (!dropped && (t->hart[h].stuck || t->sink[s].stopped) && !t->sink[s].wrapped) {
		assert_true(have->n <= want->n + 1024);
		assert_memory_equal(have->at, want->at, have->n < want->n ? have->n : want->n);
		stopped_seen++;
	} else if (!dropped && t->sink[s].wrapped && !t->sink[s].stopped && !t->hart[h].stuck) {
		assert_true(have->n <= want->n);
		assert_memory_equal(have->at, want->at + want->n - have->n, have->n);
		wrapped_seen++;
	} else if (!dropped && !t->sink[s].wrapped) {
		if (have->n != want->n)
			fail_msg("hart %u of %u at sink %u (kind %u, mode %u), %s: %zu bytes of "
			         "%zu", h, t->harts, s, t->sink[s].kind, t->sink[s].mode,
			         t->hart[h].etrace ? "etrace" : "ntrace", have->n, want->n);
		assert_memory_equal(have->at, want->at, want->n);
		exact_seen++;
	}
}

static void count_both(void)
{
	unsigned etrace = 0;

	for (unsigned h = 0; h < t->harts; h++)
		etrace += t->hart[h].etrace;
	both_seen += etrace && etrace < t->harts;
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);

	program_make(&t->program, &r);
	memset(&t->dev, 0, sizeof(t->dev));
	t->etrace = rng_one_in(&r, 2);
	t->harts = 1 + rng_below(&r, HARTS);
	t->funnels = t->harts == 1 ? rng_below(&r, 2) : 1 + rng_below(&r, FUNNELS);
	t->sinks = 0;
	make_funnels(&r);
	for (unsigned h = 0; h < t->harts; h++)
		open_hart(&r, h);
	count_both();
	run_harts(&r);
	disable_all(&r);
	for (unsigned s = 0; s < t->sinks; s++) {
		systems_read_sink(s);
		systems_split(s);
		for (unsigned h = 0; h < t->harts; h++)
			check_source(h, s);
	}
}

CAMPAIGN(systems)
{
	t = calloc(1, sizeof(*t));
	const uint64_t cases = campaign_run(300, one_case);

	print_message("# streams: %llu whole, %llu wrapped, %llu stopped, %llu with losses, "
	              "%llu gaps; %llu systems of both protocols, %llu accesses\n",
	              (unsigned long long)exact_seen,
	              (unsigned long long)wrapped_seen, (unsigned long long)stopped_seen,
	              (unsigned long long)lossy_seen, (unsigned long long)gaps_seen,
	              (unsigned long long)both_seen, (unsigned long long)accesses_seen);
	if (cases >= 100)
		assert_true(exact_seen && wrapped_seen && stopped_seen && lossy_seen && gaps_seen &&
		            both_seen && accesses_seen);
	free(t);
}
