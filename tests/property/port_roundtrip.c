/* Blocks of random programs, driven into the ingress port with random packing, come out the same;
 * and so do the bytes that N-Trace and E-Trace encoders make of either, and the cycles as rows of
 * text. */
#include "ingress/ingress.h"
#include "cases.h"

#include <hartscope/etrace.h>
#include <hartscope/ntrace.h>
#include <hartscope/port.h>

#include "ingress/import.h"
#include "property/campaign.h"
#include "property/randprog.h"
#include "widest_port.h"

#define BLOCKS 1200
#define ALL (4 * BLOCKS)
#define TRACE (ALL * 64)

static struct {
	struct program program;
	struct hs_block walk[BLOCKS], want[ALL], got[ALL], text[ALL];
	size_t want_n, got_n, text_n;
	uint8_t trace[2][TRACE];
	struct hs_port_config config;
	struct hs_et_encoder etrace;
} *t;

static uint64_t cycles_seen, blocks_seen, stalls_seen, skipped;

/* ---- what is driven -------------------------------------------------------------------- */

/* The block form has no size for instructions of 48 bits and more, the instruction form says
 * nothing of a custom one that may jump: neither is in these programs. */
static void tame(struct program *p)
{
	p->image.isa.custom_count = 0;
	for (uint64_t at = 0; at + 2 <= p->size;) {
		struct hs_insn insn;

		if (hs_img_insn(&p->image, p->base + at, &insn) != HS_OK)
			break;
		for (unsigned i = 0; i < insn.hwords && insn.hwords > 2; i++) {
			p->code[at + 2 * i] = 1; /* c.nop */
			p->code[at + 2 * i + 1] = 0;
		}
		at += 2u * insn.hwords;
	}
}

static void put_block(const struct hs_block *b)
{
	t->want[t->want_n++] = *b;
}

static bool ends_with(const struct hs_block *b, unsigned kind)
{
	struct hs_insn insn;

	return b->ilast && hs_img_insn(&t->program.image, hs_block_end(b) - 2u * b->ilast,
	                               &insn) == HS_OK && insn.kind == kind;
}

/* A branch to the next instruction looks as if it was not taken: the instruction form cannot
 * say. */
static void normalise(struct hs_block *b)
{
	struct hs_insn insn;

	b->priv = HS_PRIV_M;
	if (t->config.form == HS_PORT_BLOCK && t->config.itype_width == 4 &&
	    b->itype == HS_ITYPE_RETURN)
		b->sijump = 0; /* ignored there (ET Instruction interface signals) */
	if (b->kind == HS_KIND_BLOCK && b->itype == HS_ITYPE_TAKEN &&
	    hs_img_insn(&t->program.image, hs_block_end(b) - 2u * b->ilast, &insn) == HS_OK &&
	    insn.target == (hs_block_end(b) & (t->program.image.isa.xlen == 32 ? UINT32_MAX
	                                       : UINT64_MAX)))
		b->itype = HS_ITYPE_NOT_TAKEN;
}

static void put_trap(const struct hs_block *b, struct rng *r)
{
	const bool ecall = b->itype == HS_ITYPE_EXCEPTION && ends_with(b, HS_INSN_ECALL);
	const struct hs_block trap = { .value = t->config.form == HS_PORT_BLOCK &&
	                               b->itype == HS_ITYPE_INTERRUPT ? 0 : rng_next(r) >> 32,
		                       .arg = ecall ? 8 + rng_below(r, 4)
		                       : 12 + rng_below(r, 4), .kind = HS_KIND_TRAP };

	put_block(&trap);
}

static void put_context(struct rng *r, uint64_t *context)
{
	const struct hs_block event = { .value = ++*context, .arg = 2, .kind = HS_KIND_CONTEXT };

	if (rng_one_in(r, 9))
		put_block(&event);
}

/* With ctype, context and time are reported together: then these ports have no time. */
static void put_time(struct rng *r, uint64_t *time)
{
	const struct hs_block event = { .value = *time += 1 + rng_below(r, 1000),
	                                .priv = HS_PRIV_UNKNOWN, .kind = HS_KIND_TIME };

	if (t->config.form == HS_PORT_BLOCK && t->config.time_width && rng_one_in(r, 9))
		put_block(&event);
}

/* The hart halts, waits, or is not to be seen (RHTI Trace State).  The instruction form does not
 * say what the last branch did. */
static void put_stop(struct rng *r)
{
	static const uint8_t codes[][2] = { { 0, 3 }, { 1, 9 }, { 4, 5 }, { 4, 1 } };
	const unsigned i = rng_below(r, 4);
	const struct hs_block stop = { .itype = codes[i][0],
		                       .arg = codes[i][0] == 1 ? HS_STOP_WAIT : 0,
		                       .kind = HS_KIND_STOP },
		sync = { .itype = codes[i][1], .kind = HS_KIND_SYNC };

	if (t->config.form == HS_PORT_INSN || !rng_one_in(r, 20) || t->want_n == 0)
		return;
	put_block(&stop);
	put_block(&sync);
}

/* Traps have causes, and now and then the context changes. */
static void dress(struct rng *r, size_t n)
{
	uint64_t context = 0, time = 0;

	t->want_n = 0;
	for (size_t i = 0; i < n; i++) {
		struct hs_block b = t->walk[i];

		if (b.kind != HS_KIND_BLOCK)
			continue;
		normalise(&b);
		put_stop(r);
		if (b.iretire) {
			put_context(r, &context);
			put_time(r, &time);
		}
		put_block(&b);
		if (b.itype == HS_ITYPE_EXCEPTION || b.itype == HS_ITYPE_INTERRUPT)
			put_trap(&b, r);
	}
	struct hs_block *last = t->want_n ? &t->want[t->want_n - 1] : NULL;
	if (last && t->config.form == HS_PORT_INSN &&
	    (last->itype == HS_ITYPE_TAKEN || last->itype == HS_ITYPE_NOT_TAKEN))
		last->itype = HS_ITYPE_NONE; /* nothing retires that would show it */
}

static void random_config(struct rng *r)
{
	struct hs_port_config *c = &t->config;

	*c = widest_port(rng_one_in(r, 2) ? HS_PORT_INSN : HS_PORT_BLOCK);
	c->isa = t->program.image.isa;
	c->iaddress_width = c->isa.xlen;
	c->slots = (uint8_t)(1 + rng_below(r, HS_PORT_SLOTS));
	c->insn_width = rng_one_in(r, 2) ? 32 : 64;
	c->retract_width = rng_one_in(r, 3) ? 6 : 0;
	c->retires = (uint8_t)(1 + rng_below(r, 3));
	c->iretire_width = (uint8_t)(3 + rng_below(r, 8));
	c->itype_width = rng_one_in(r, 3) ? 3 : 4;
	c->ctype_width = (uint8_t)rng_below(r, 3);
	c->time_width = c->ctype_width ? 0 : 64;
	c->machine_is_7 = c->form == HS_PORT_INSN && rng_one_in(r, 2);
	c->interrupt_iaddr = 1;
}

/* ---- there and back -------------------------------------------------------------------- */

/* Drive all of t->want into a port.  False: something that the port has no signals for. */
static bool there_and_back(struct rng *r)
{
	struct hs_port_cycle cycle;
	struct hs_port_driver d;
	struct hs_port p;
	size_t at = 0, used;

	assert_int_equal(hs_port_driver_init(&d, &t->config, &t->program.image), HS_OK);
	assert_int_equal(hs_port_init(&p, &t->config, &t->program.image), HS_OK);
	t->got_n = 0;
	while (at < t->want_n) {
		struct hs_block out[HS_PORT_ROOM];
		struct hs_blocks blocks = { out, HS_PORT_ROOM, 0 };

		d.same_cycle = rng_one_in(r, 2);
		d.lanes = (uint8_t)rng_next(r);
		d.most = (uint8_t)rng_below(r, 5);
		if (hs_port_drive(&d, t->want + at, t->want_n - at, &used, &cycle) != HS_OK)
			return false;
		at += used;
		if (hs_port_clock(&p, &cycle, &blocks) != HS_OK)
			fail_msg("%s: %s (slot %u)", p.fault.clause, p.fault.why, p.fault.slot);
		assert_true(t->got_n + blocks.n + HS_PORT_ROOM <= ALL);
		memcpy(t->got + t->got_n, out, blocks.n * sizeof *out);
		t->got_n += blocks.n;
		cycles_seen++;
	}
	struct hs_blocks rest = { t->got, ALL, t->got_n };

	assert_int_equal(hs_port_flush(&p, &rest), HS_OK);
	t->got_n = rest.n;
	return true;
}

/* A row of text, taken by the importer of a port. */
static void import_line(struct hs_port_text *text, const char *line, size_t n)
{
	struct hs_span in = { (const uint8_t *)line, n };
	struct hs_blocks out = { t->text, ALL, t->text_n };

	while (in.n)
		if (hs_port_text_feed(text, &in, &out) != HS_MORE)
			fail_msg("line %llu: %s %s: %.*s", (unsigned long long)text->lines.number,
			         text->port.fault.clause,
			         text->port.fault.why, (int)n, line);
	t->text_n = out.n;
}

/* The same cycles again, as rows of text. */
static void through_text(struct rng *r)
{
	struct hs_port_cycle cycle;
	struct hs_port_driver d;
	struct hs_port_text text;
	char line[HS_PORT_LINE];
	size_t at = 0, used;

	assert_int_equal(hs_port_driver_init(&d, &t->config, &t->program.image), HS_OK);
	assert_int_equal(hs_port_text_init(&text, &t->program.image, 0), HS_OK);
	t->text_n = 0;
	import_line(&text, line, hs_port_header(&t->config, line));
	for (; at < t->want_n; at += used) {
		d.same_cycle = rng_one_in(r, 2);
		d.lanes = (uint8_t)rng_next(r);
		assert_int_equal(hs_port_drive(&d, t->want + at, t->want_n - at, &used, &cycle),
		                 HS_OK);
		import_line(&text, line, hs_port_row(&t->config, &cycle, line));
	}
	struct hs_blocks rest = { t->text, ALL, t->text_n };

	assert_int_equal(hs_port_text_flush(&text, &rest), HS_OK);
	assert_int_equal(rest.n, t->got_n);
	for (size_t i = 0; i < rest.n; i++)
		if (!hs_block_same(&t->text[i], &t->got[i]))
			fail_msg("item %zu of the text is another", i);
}

static void compare(void)
{
	for (size_t i = 0; i < t->want_n && i < t->got_n; i++) {
		struct hs_block want = t->want[i], got = t->got[i];

		if (want.kind != HS_KIND_BLOCK)
			want.priv = got.priv = 0;
		/* Where the port has ctype, what asks for nothing is ctype 1. */
		if ((want.kind == HS_KIND_CONTEXT || want.kind == HS_KIND_TIME) &&
		    want.itype == 0 && got.itype == 1)
			got.itype = 0;
		if (!hs_block_same(&want, &got) ||
		    (want.kind == HS_KIND_BLOCK && want.sijump != got.sijump))
			fail_msg("item %zu: want %s %llx+%u last %u itype %u si %u, got %s %llx+%u last %u itype %u si %u", i,
			         hs_kind_name(want.kind), (unsigned long long)want.iaddr,
			         want.iretire, want.ilast, want.itype, want.sijump,
			         hs_kind_name(got.kind), (unsigned long long)got.iaddr, got.iretire,
			         got.ilast, got.itype, got.sijump);
	}
	assert_int_equal(t->want_n, t->got_n);
}

static size_t encode(const struct hs_block *in, size_t n, uint8_t *out)
{
	const struct hs_nt_config c = { .size = sizeof c, .sequential_jump = 1,
	                                .implicit_return = 3, .context = 1 };
	struct hs_nt_encoder e;
	size_t used, len, end;

	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	assert_int_equal(hs_nt_encode(&e, in, n, &used, out, TRACE, &len), HS_OK);
	assert_int_equal(used, n);
	assert_int_equal(hs_nt_encode_end(&e, out + len, TRACE - len, &end), HS_OK);
	return len + end;
}

/* A core, a port and an N-Trace encoder whose queue sends some bytes a cycle: while the queue is
 * full blocks wait, and while too many wait the port stalls the core.  The trace is whole. */
static void stalled(struct rng *r, const uint8_t *want, size_t want_n)
{
	const struct hs_nt_config c = { .size = sizeof c, .sequential_jump = 1,
	                                .implicit_return = 3, .context = 1, .stall = 1 };
	const size_t queue = 80 + rng_below(r, 80), drain = 1 + rng_below(r, 3),
		room = HS_PORT_ROOM + rng_below(r, 8);
	struct hs_block waiting[HS_PORT_ROOM + 8];
	struct hs_blocks blocks = { waiting, room, 0 };
	struct hs_nt_encoder e;
	struct hs_port_cycle cycle;
	struct hs_port_driver d;
	struct hs_port p;
	size_t at = 0, used = 0, queued = 0, sent = 0, len;
	bool held = false, ended = false;

	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	assert_int_equal(hs_port_driver_init(&d, &t->config, &t->program.image), HS_OK);
	assert_int_equal(hs_port_init(&p, &t->config, &t->program.image), HS_OK);
	while (!ended || blocks.n) {
		if (!held && at < t->want_n) {
			assert_int_equal(hs_port_drive(&d, t->want + at, t->want_n - at, &used,
			                               &cycle), HS_OK);
			at += used;
			held = true;
		}
		if (held)
			held = hs_port_clock(&p, &cycle, &blocks) == HS_FULL;
		else if (!ended)
			ended = hs_port_flush(&p, &blocks) == HS_OK;
		stalls_seen += held;
		if (blocks.n && hs_nt_encode_port(&e, waiting, t->trace[1] + sent, queue - queued,
		                                  &len) == HS_OK) {
			memmove(waiting, waiting + 1, --blocks.n * sizeof *waiting);
			queued += len;
			sent += len;
		}
		queued -= queued < drain ? queued : drain;
	}
	assert_int_equal(hs_nt_encode_end(&e, t->trace[1] + sent, TRACE - sent, &len), HS_OK);
	assert_int_equal(sent + len, want_n);
	assert_memory_equal(t->trace[1], want, want_n);
}

static size_t encode_et(unsigned version, const struct hs_block *in, size_t n, uint8_t *out)
{
	struct hs_et_encoder *e = &t->etrace;
	struct hs_et_config c;
	size_t used, len, end;

	c = (struct hs_et_config){ .size = sizeof c, .version = version };
	assert_int_equal(hs_et_encoder_init(e, &c, NULL, 0), HS_OK);
	assert_int_equal(hs_et_encode(e, in, n, &used, out, TRACE, &len), HS_OK);
	assert_int_equal(used, n);
	assert_int_equal(hs_et_encode_end(e, out + len, TRACE - len, &end), HS_OK);
	return len + end;
}

/* Privilege of what did not retire is not reported; a context has that of the current block. */
static void same_bytes(void)
{
	for (size_t i = 0; i < t->want_n; i++)
		t->got[i].priv = t->want[i].priv;
	size_t n = encode(t->want, t->want_n, t->trace[0]);

	assert_int_equal(encode(t->got, t->got_n, t->trace[1]), n);
	assert_memory_equal(t->trace[0], t->trace[1], n);
	for (unsigned version = 0; version < HS_ET_VERSIONS; version++) {
		if (version == HS_ET_FAST)
			continue;
		n = encode_et(version, t->want, t->want_n, t->trace[0]);
		assert_int_equal(encode_et(version, t->got, t->got_n, t->trace[1]), n);
		assert_memory_equal(t->trace[0], t->trace[1], n);
	}
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	const struct walk_odds odds = { .trap_one_in = seed % 3 ? 12
	                                : 0, .tidy_returns = seed % 2 };
	size_t n;

	program_make(&t->program, &r);
	tame(&t->program);
	random_config(&r);
	n = walk_random(&t->program, &r, 1 + rng_below(&r, 200), &odds, t->walk, BLOCKS);
	dress(&r, n);
	if (!there_and_back(&r)) {
		skipped++;
		return;
	}
	compare();
	if (seed % 8 == 0 && !t->config.machine_is_7)
		through_text(&r);
	if (seed % 8 == 1)
		stalled(&r, t->trace[0], encode(t->got, t->got_n, t->trace[0]));
	same_bytes();
	blocks_seen += t->want_n;
}

CAMPAIGN(roundtrip)
{
	uint64_t cases;

	t = calloc(1, sizeof *t);
	assert_non_null(t);
	cases = campaign_run(20000, one_case);
	printf("# %llu items, %llu cycles, %llu stalls, %llu without signals for all of it\n",
	       (unsigned long long)blocks_seen, (unsigned long long)cycles_seen,
	       (unsigned long long)stalls_seen,
	       (unsigned long long)skipped);
	assert_true(skipped * 10 <= cases && (stalls_seen > 0 || cases < 1000));
	free(t);
	t = NULL;
}
