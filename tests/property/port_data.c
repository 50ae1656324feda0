/* Blocks of random programs with their data accesses, driven into the data interface of the port in
 * random packing, come out the same, each access before the block of its instruction; and so do the
 * cycles as rows of text.  Instructions of several accesses have some of them before they retire,
 * or trap between two of them (RHTI Multi-memory-access Instructions). */
#include "ingress/ingress.h"
#include "cases.h"

#include <hartscope/port.h>

#include "core/access.h"
#include "ingress/import.h"
#include "property/campaign.h"
#include "property/randprog.h"
#include "widest_port.h"

#define BLOCKS 300
#define ALL (160 * BLOCKS)
#define ACCESSES (40 * BLOCKS)

/* An access, and how many blocks came before it. */
struct placed {
	struct hs_access access;
	size_t blocks;
};

struct items {
	struct hs_block at[ALL];
	size_t n;
	/* split up: */
	struct hs_block flow[ALL];
	struct placed access[ACCESSES];
	size_t flow_n, access_n, blocks;
};

static struct {
	struct program program;
	struct hs_block walk[BLOCKS];
	struct items want, got, text;
	struct hs_port_config config;
} *t;

static uint64_t accesses_seen, early_seen, cycles_seen, responses_seen;

/* Requests that have no response yet, where the flow has them apart. */
static struct {
	bool apart;
	struct hs_access access[64];
	unsigned n;
	uint8_t id;
} requests;

/* ---- programs -------------------------------------------------------------------------- */

/* As in port_roundtrip.c; and every third c.nop or the like is a push or a pop. */
static void tame(struct program *p, struct rng *r)
{
	static const uint8_t many[] = { 0xb8, 0xba };

	p->image.isa.custom_count = 0;
	p->image.isa.zcmp_zcmt = true;
	for (uint64_t at = 0; at + 2 <= p->size;) {
		struct hs_insn insn;

		if (hs_img_insn(&p->image, p->base + at, &insn) != HS_OK)
			break;
		for (unsigned i = 0; i < insn.hwords && insn.hwords > 2; i++) {
			p->code[at + 2 * i] = 1; /* c.nop */
			p->code[at + 2 * i + 1] = 0;
		}
		if (insn.hwords != 2 && insn.kind == HS_INSN_LINEAR && rng_one_in(r, 3)) {
			p->code[at] = (uint8_t)((4 + rng_below(r, 12)) << 4 | 2);
			p->code[at + 1] = many[rng_below(r, 2)];
		}
		at += insn.hwords > 2 ? 2u : 2u * insn.hwords;
	}
}

/* ---- accesses -------------------------------------------------------------------------- */

static const uint8_t *bytes_of(uint64_t at, struct hs_insn *insn)
{
	size_t n;

	if (hs_img_insn(&t->program.image, at, insn) != HS_OK)
		return NULL;
	const uint8_t *bytes = hs_img_bytes(&t->program.image, at, &n);

	return n >= 2u * insn->hwords ? bytes : NULL;
}

static uint64_t random_value(struct rng *r, unsigned size)
{
	return size < 3 ? rng_next(r) & ((UINT64_C(1) << (8u << size)) - 1) : rng_next(r);
}

/* One that the instruction can make; of those that make several, of @several. */
static bool find_access(struct rng *r, const uint8_t *bytes, unsigned hwords, bool several,
                        struct hs_access *a)
{
	const bool rv32 = t->program.image.isa.xlen == 32;

	for (unsigned i = 0; i < 400; i++) {
		*a = (struct hs_access){ .address = rng_next(r), .type = (uint8_t)rng_below(r, 16),
			                 .size = (uint8_t)rng_below(r, 4), .known = 7 };
		const bool multi = a->type == HS_ACCESS_MULTI_LOAD ||
		                   a->type == HS_ACCESS_MULTI_STORE;
		const bool csr = hs_access_is_csr(a->type);
		const bool whole = a->type == HS_ACCESS_SC_FAILED ||
		                   (!csr && !hs_access_is_atomic(a->type));

		if (csr)
			a->address = (uint64_t)(bytes[2] >> 4 | bytes[3] << 4);
		if (rv32)
			a->address &= UINT32_MAX;
		if (multi != several || (rv32 && !whole && a->size == 3) || (csr && a->size < 2))
			continue;
		a->known &= (uint8_t)~(whole ? HS_ACCESS_HAS_OPERAND : 0);
		a->known &= (uint8_t)~(a->type == HS_ACCESS_SC_FAILED ? HS_ACCESS_HAS_DATA : 0);
		a->data = a->known & HS_ACCESS_HAS_DATA ? random_value(r, a->size) : 0;
		a->operand = a->known & HS_ACCESS_HAS_OPERAND ? random_value(r, a->size) : 0;
		if (hs_access_insn_makes(bytes, hwords, a))
			return true;
	}
	return false;
}

static void put_items(const struct hs_block *b, size_t n)
{
	assert_true(t->want.n + n <= ALL);
	memcpy(t->want.at + t->want.n, b, n * sizeof *b);
	t->want.n += n;
}

/* Responses of some requests, or of all. */
static void put_responses(struct rng *r, bool all)
{
	struct hs_block items[HS_ACCESS_ITEMS];

	while (requests.n && (all || rng_one_in(r, 3))) {
		const unsigned i = rng_below(r, requests.n);
		struct hs_access a = requests.access[i];

		requests.access[i] = requests.access[--requests.n];
		a.phase = HS_ACCESS_RESPONSE;
		a.known = rng_one_in(r, 9) ? HS_ACCESS_HAS_ERROR : HS_ACCESS_HAS_DATA;
		a.data = a.known == HS_ACCESS_HAS_DATA ? a.data : 0;
		a.address = a.operand = 0;
		put_items(items, hs_access_put(&a, items));
		responses_seen++;
	}
}

/* The access, or its request, of which the response comes later. */
static void put_one(struct rng *r, struct hs_access a)
{
	const bool splits = (hs_access_is_load(a.type) || hs_access_is_atomic(a.type)) &&
	                    a.type != HS_ACCESS_SC_FAILED;
	struct hs_block items[HS_ACCESS_ITEMS];

	if (requests.apart && splits) {
		if (requests.n == COUNT_OF(requests.access))
			put_responses(r, true);
		a.id = requests.id++;
		a.phase = HS_ACCESS_REQUEST;
		requests.access[requests.n++] = a;
		a.data = 0;
		a.known &= (uint8_t)~HS_ACCESS_HAS_DATA;
	}
	put_items(items, hs_access_put(&a, items));
	accesses_seen++;
}

/* Accesses of the instruction; @n of several. */
static void put_accesses(struct rng *r, const uint8_t *bytes, unsigned hwords, unsigned n)
{
	struct hs_access a;

	if (!find_access(r, bytes, hwords, n > 0, &a))
		return;
	for (unsigned i = 0; i < (n ? n : 1); i++) {
		a.data = a.known & HS_ACCESS_HAS_DATA ? random_value(r, a.size) : 0;
		put_one(r, a);
		a.address += 8;
	}
}

/* Several, where it can: 0 is one access. */
static unsigned several(struct rng *r, const uint8_t *bytes, unsigned hwords)
{
	const unsigned n = hs_access_insn_count(bytes, hwords);

	if (n)
		return rng_one_in(r, 9) && bytes[1] == 0xb8 ? 0 : n; /* 0: as c.fsdsp */
	return hs_access_insn_makes_many(bytes, hwords) ? rng_below(r, 20) : 0;
}

static void put_accesses_of(struct rng *r, const struct hs_block *b)
{
	struct hs_insn insn = { 0 };
	bool ecall = false;

	for (uint64_t at = b->iaddr; at != hs_block_end(b); at += 2u * insn.hwords) {
		const uint8_t *bytes = bytes_of(at, &insn);

		assert_non_null(bytes);
		ecall = insn.kind == HS_INSN_ECALL || insn.kind == HS_INSN_EBREAK;
		if (hs_access_insn_makes_any(bytes, insn.hwords))
			put_accesses(r, bytes, insn.hwords, several(r, bytes, insn.hwords));
	}
	const uint8_t *bytes = bytes_of(hs_block_end(b), &insn);

	/* It traps between two of its accesses. */
	if (hs_itype_is_trap(b->itype) && !ecall && bytes && rng_one_in(r, 2)) {
		const unsigned n = several(r, bytes, insn.hwords);

		early_seen += n > 1;
		if (n > 1)
			put_accesses(r, bytes, insn.hwords, 1 + rng_below(r, n - 1));
	}
}

/* A table of rows has an itype of 3 bits until it shows more: a branch to the next instruction
 * looks as if it was not taken. */
static void normalise(struct hs_block *b)
{
	const uint64_t mask = t->program.image.isa.xlen == 32 ? UINT32_MAX : UINT64_MAX;
	struct hs_insn insn;

	b->priv = HS_PRIV_M;
	b->sijump = 0;
	if (b->itype == HS_ITYPE_TAKEN && bytes_of(hs_block_end(b) - 2u * b->ilast, &insn) &&
	    insn.target == (hs_block_end(b) & mask))
		b->itype = HS_ITYPE_NOT_TAKEN;
}

static void dress(struct rng *r, size_t n)
{
	t->want.n = 0;
	requests.n = requests.id = 0;
	requests.apart = t->config.split && rng_one_in(r, 2);
	for (size_t i = 0; i < n; i++) {
		struct hs_block b = t->walk[i];
		const struct hs_block trap = { .value = b.itype == HS_ITYPE_EXCEPTION ? i : 0,
			                       .arg = 12, .kind = HS_KIND_TRAP };

		if (b.kind != HS_KIND_BLOCK)
			continue;
		normalise(&b);
		put_accesses_of(r, &b);
		put_responses(r, false);
		put_items(&b, 1);
		if (hs_itype_is_trap(b.itype))
			put_items(&trap, 1);
	}
}

/* ---- there and back -------------------------------------------------------------------- */

static void random_config(struct rng *r)
{
	struct hs_port_config *c = &t->config;
	const unsigned xlen = t->program.image.isa.xlen;

	*c = widest_port(HS_PORT_BLOCK);
	c->isa = t->program.image.isa;
	c->iaddress_width = c->isa.xlen;
	c->slots = (uint8_t)(1 + rng_below(r, HS_PORT_SLOTS));
	c->retires = (uint8_t)(1 + rng_below(r, 3));
	c->iretire_width = (uint8_t)(3 + rng_below(r, 8));
	c->context_width = c->ctype_width = c->time_width = c->sijump = 0;
	c->interrupt_iaddr = 1;
	c->accesses = (uint8_t)(1 + rng_below(r, HS_PORT_SLOTS));
	c->split = rng_one_in(r, 2);
	c->data_width = (uint8_t)(c->split ? 64 : 2 * xlen);
	if (!c->split && xlen == 32 && rng_one_in(r, 2)) /* more than what is needed */
		c->data_width = (uint8_t)(c->data_width + 2 * rng_below(r, 33));
	c->daddress_width = 64;
	c->iaddr_lsbs_width = rng_one_in(r, 2) ? 11 : 0;
	c->dsize_width = 3;
}

static bool drive(struct rng *r, struct hs_port_driver *d, size_t *at, struct hs_port_cycle *cycle)
{
	size_t used;

	d->same_cycle = rng_one_in(r, 2);
	d->most = (uint8_t)rng_below(r, 5);
	d->early = rng_one_in(r, 2);
	if (hs_port_drive(d, t->want.at + *at, t->want.n - *at, &used, cycle) != HS_OK)
		return false;
	*at += used;
	cycles_seen++;
	return true;
}

static bool there_and_back(struct rng *r)
{
	struct hs_blocks out = { t->got.at, ALL, 0 };
	struct hs_port_cycle cycle;
	struct hs_port_driver d;
	struct hs_port p;

	assert_int_equal(hs_port_driver_init(&d, &t->config, &t->program.image), HS_OK);
	assert_int_equal(hs_port_init(&p, &t->config, &t->program.image), HS_OK);
	for (size_t at = 0; at < t->want.n;) {
		if (!drive(r, &d, &at, &cycle))
			return false;
		if (hs_port_clock(&p, &cycle, &out) != HS_OK)
			fail_msg("%s: %s (slot %u)", p.fault.clause, p.fault.why, p.fault.slot);
	}
	assert_int_equal(hs_port_flush(&p, &out), HS_OK);
	t->got.n = out.n;
	return true;
}

static void import_line(struct hs_port_text *text, const char *line, size_t n)
{
	struct hs_span in = { (const uint8_t *)line, n };
	struct hs_blocks out = { t->text.at, ALL, t->text.n };

	while (in.n)
		if (hs_port_text_feed(text, &in, &out) != HS_MORE)
			fail_msg("%s %s: %.*s", text->port.fault.clause, text->port.fault.why,
			         (int)n, line);
	t->text.n = out.n;
}

static void through_text(struct rng *r)
{
	struct hs_blocks rest = { t->text.at, ALL, 0 };
	struct hs_port_cycle cycle;
	struct hs_port_driver d;
	struct hs_port_text text;
	char line[HS_PORT_LINE];

	assert_int_equal(hs_port_driver_init(&d, &t->config, &t->program.image), HS_OK);
	assert_int_equal(hs_port_text_init(&text, &t->program.image, 0), HS_OK);
	t->text.n = 0;
	import_line(&text, line, hs_port_header(&t->config, line));
	for (size_t at = 0; at < t->want.n;) {
		assert_true(drive(r, &d, &at, &cycle));
		import_line(&text, line, hs_port_row(&t->config, &cycle, line));
	}
	rest.n = t->text.n;
	assert_int_equal(hs_port_text_flush(&text, &rest), HS_OK);
	t->text.n = rest.n;
}

/* ---- the same -------------------------------------------------------------------------- */

/* A response belongs to the last request of its ID. */
static void join(struct items *of, const struct hs_access *response)
{
	size_t i = of->access_n;

	while (i-- && !(of->access[i].access.phase == HS_ACCESS_REQUEST &&
	                of->access[i].access.id == response->id))
		;
	assert_true(i < of->access_n);
	struct hs_access *a = &of->access[i].access;

	assert_int_equal(a->type, response->type);
	a->data = response->data;
	a->known |= response->known;
	a->phase = 0;
	a->id = 0;
}

static void take_apart(struct items *of)
{
	struct hs_access_reader r = { .missing = 0 };

	of->flow_n = of->access_n = of->blocks = 0;
	for (size_t i = 0; i < of->n; i++) {
		const struct hs_block *b = &of->at[i];

		if (b->kind != HS_KIND_DATA && b->kind != HS_KIND_VALUE) {
			of->flow[of->flow_n++] = *b;
			of->blocks += b->kind == HS_KIND_BLOCK;
		} else if (hs_access_take(&r, b)) {
			assert_true(of->access_n < ACCESSES);
			if (r.access.phase == HS_ACCESS_RESPONSE)
				join(of, &r.access);
			else
				of->access[of->access_n++] =
					(struct placed){ r.access, of->blocks };
		}
	}
}

static void compare(struct items *got)
{
	take_apart(&t->want);
	take_apart(got);
	assert_int_equal(got->flow_n, t->want.flow_n);
	assert_int_equal(got->access_n, t->want.access_n);
	for (size_t i = 0; i < got->flow_n; i++) {
		const struct hs_block *want = &t->want.flow[i], *b = &got->flow[i];

		got->flow[i].priv = want->priv;
		if (!hs_block_same(b, want))
			fail_msg("item %zu: want %s %llx+%u itype %u, got %s %llx+%u itype %u", i,
			         hs_kind_name(want->kind), (unsigned long long)want->value,
			         want->arg, want->itype, hs_kind_name(b->kind),
			         (unsigned long long)b->value, b->arg, b->itype);
	}
	for (size_t i = 0; i < got->access_n; i++) {
		const struct placed *a = &got->access[i], *b = &t->want.access[i];

		if (a->blocks != b->blocks || memcmp(&a->access, &b->access, sizeof a->access) != 0)
			fail_msg("access %zu: want %s %llx = %llx, %llx before block %zu, got %s "
			         "%llx = %llx, %llx before block %zu", i,
			         hs_access_name(b->access.type),
			         (unsigned long long)b->access.address,
			         (unsigned long long)b->access.data,
			         (unsigned long long)b->access.operand, b->blocks,
			         hs_access_name(a->access.type),
			         (unsigned long long)a->access.address,
			         (unsigned long long)a->access.data,
			         (unsigned long long)a->access.operand, a->blocks);
	}
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	const struct walk_odds odds = { .trap_one_in = 12, .tidy_returns = seed % 2 };
	size_t n;

	program_make(&t->program, &r);
	tame(&t->program, &r);
	random_config(&r);
	n = walk_random(&t->program, &r, 1 + rng_below(&r, 100), &odds, t->walk, BLOCKS);
	dress(&r, n);
	if (!there_and_back(&r))
		return;
	compare(&t->got);
	if (seed % 8 == 0 && (t->config.split || t->config.data_width % 64 == 0)) {
		through_text(&r);
		compare(&t->text);
	}
}

CAMPAIGN(accesses)
{
	t = calloc(1, sizeof *t);
	assert_non_null(t);
	const uint64_t cases = campaign_run(4000, one_case);

	printf("# %llu cycles, %llu accesses, %llu responses, %llu traps between accesses\n",
	       (unsigned long long)cycles_seen, (unsigned long long)accesses_seen,
	       (unsigned long long)responses_seen, (unsigned long long)early_seen);
	assert_true(cases < 1000 || (accesses_seen > cases && early_seen > cases / 20));
	free(t);
	t = NULL;
}
