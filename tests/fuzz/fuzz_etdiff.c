/* Any packets over any program: our decoder says what the second one says (tests/referee), which
 * is written from the pseudo-code of the ratified text alone, up to the first packet that one of
 * them refuses, or of which the text has two readings.  What the second decoder refuses ours
 * refuses, too; ours may refuse more (padding, a trap without the packet of its handler).
 *
 * Input: 8 bytes of configuration, 8 of the code's address, 2 of its size; code; packets in a
 * framing of one header byte.
 */
#include <hartscope/etrace.h>

#include "edit.h"
#include "etrace/et_reader.h"
#include "fuzz.h"
#include "program.h"
#include "referee/etrace_parameters.h"
#include "referee/items.h"

#define ENTRIES 256
#define ITEMS 20000
#define STEPS 50000
#define BATCH 512
/* Words of the largest tables here: return addresses, jump target cache, branch predictor. */
#define TABLES ((1u << 8) + (1u << 8) + (1u << 8) / 8)

struct parts {
	struct hs_et_config config;
	struct fuzz_program program;
};

/* ---- the parts of an input -------------------------------------------------------------- */

static struct hs_et_config config_of(const uint8_t *h)
{
	struct hs_et_config c = { .size = sizeof(c), .iaddress_width = 64, .privilege_width = 3 };

	c.version = h[0] & 1 ? HS_ET_2_0 : HS_ET_1_1;
	c.dialect = h[0] & 2 ? HS_ET_DIALECT_REFERENCE : HS_ET_DIALECT_STANDARD;
	c.iaddress_unit = h[0] & 8 ? 4 : 2;
	c.context = h[0] >> 4 & 1;
	c.time = h[0] >> 5 & 1;
	c.f0s_width = (h[0] >> 6) % 3;
	c.options = h[1] & 63;
	c.sijump = c.dialect == HS_ET_DIALECT_STANDARD && h[1] & 64;
	c.bpred_size = (h[2] & 15) % 9;
	c.cache_size = (h[2] >> 4) % 9;
	if (h[1] & 128)
		c.call_counter_size = (h[3] & 15) % 9;
	else
		c.return_stack_size = (h[3] & 15) % 9;
	c.ecause_width = 4 + (h[3] >> 4) % 5;
	c.context_width = 1 + h[4] % 64;
	c.time_width = 1 + h[5] % 64;
	c.no_compress = h[6] & 1;
	c.sync_mode = h[6] & 2 ? HS_ET_SYNC_PACKETS : HS_ET_SYNC_OFF;
	c.sync_max = h[6] >> 2 & 7;
	return c;
}

/* False: it is no input. */
static bool take_parts(const uint8_t *data, size_t size, struct parts *p)
{
	if (size < FUZZ_HEAD)
		return false;
	p->config = config_of(data);
	return fuzz_take_program(data, size, data[0] & 4 ? 32 : 64, &p->program) &&
	       hs_et_config_check(&p->config) == HS_OK;
}

/* ---- two decoders ----------------------------------------------------------------------- */

struct ours {
	struct hs_et_decoder decoder;
	struct hs_et_source source;
	struct hs_bb_table table;
	uint64_t tables[TABLES];
	struct items_code code;
	struct items items;
};

struct both {
	struct ours ours;
	struct referee referee;
	struct items theirs;
	struct item room[2][ITEMS];
};

static void report_item(void *to, enum referee_item kind, uint64_t value, unsigned cause,
                        bool interrupt)
{
	items_add(to, kind, value, cause, interrupt);
}

static void begin(struct both *b, const struct parts *p, void *memory)
{
	struct hs_et_config config = p->config;
	const unsigned xlen = p->program.image.isa.xlen;
	struct referee_parameters parameters = referee_parameters_of(&config, xlen);

	parameters.steps = STEPS;
	referee_start(&b->referee, &parameters);
	b->referee.options = config.options; /* the same numbers */
	b->referee.fetch = fuzz_fetch;
	b->referee.program = &p->program.section;
	b->referee.report = report_item;
	b->referee.to = &b->theirs;
	b->theirs = (struct items){ .item = b->room[0], .cap = ITEMS };
	b->ours.items = (struct items){ .item = b->room[1], .cap = ITEMS };
	b->ours.code = (struct items_code){ fuzz_fetch, &p->program.section, xlen };
	fuzz_must(hs_bb_init(&b->ours.table, &p->program.image, memory, ENTRIES) == HS_OK);
	fuzz_must(hs_et_decoder_init(&b->ours.decoder, &config, &b->ours.table, &b->ours.source, 1,
	                             b->ours.tables, sizeof(b->ours.tables)) == HS_OK);
	const struct hs_decoder_options o = { .size = sizeof o, .message_blocks = STEPS };

	fuzz_must(hs_et_decoder_set(&b->ours.decoder, &o) == HS_OK);
}

static void take_ours(struct ours *o, const struct hs_block *blocks, size_t n)
{
	fuzz_must(items_add_blocks(&o->items, &o->code, blocks, n));
}

/* One packet with its header.  @return  What our decoder says of it. */
static enum hs_status decode(struct ours *o, const uint8_t *packet, size_t n)
{
	struct hs_block blocks[BATCH];
	struct hs_span in = { packet, n };
	enum hs_status s;
	size_t got;

	do {
		s = hs_et_decoder_next(&o->decoder, &in, blocks, BATCH, &got);
		take_ours(o, blocks, got);
	} while (s == HS_FULL && !o->items.full);
	return s == HS_MORE ? HS_OK : s;
}

static enum hs_status decode_end(struct ours *o)
{
	struct hs_block blocks[BATCH];
	enum hs_status s;
	size_t got;

	do {
		s = hs_et_decoder_end(&o->decoder, blocks, BATCH, &got);
		take_ours(o, blocks, got);
	} while (s == HS_FULL && !o->items.full);
	items_end(&o->items);
	return s;
}

/* What the first byte of a packet says: bytes after it, 0 where it has no instruction trace. */
static unsigned payload_of(const struct hs_et_config *c, const uint8_t *packet)
{
	const unsigned bytes = packet[0] & 31;

	if (bytes == 0)
		return 0;
	return (c->dialect == HS_ET_DIALECT_REFERENCE ? packet[0] >> 5 & 3 : packet[1] & 3) == 2
	               ? bytes
	               : 0;
}

/* The second decoder takes the last bit of a packet for its sign.  In the standard encapsulation
 * that is the last bit of the whole bytes after the type; what fills the last byte has no meaning
 * (design/et-layouts). */
static bool follow(struct referee *r, const struct hs_et_config *c, const uint8_t *payload,
                   unsigned n)
{
	uint8_t bytes[31];

	memcpy(bytes, payload, n);
	if (c->dialect == HS_ET_DIALECT_REFERENCE)
		return referee_packet(r, bytes, n, 0);
	bytes[n - 1] = (uint8_t)((bytes[n - 1] & 3) | (bytes[n - 1] & 2 ? 0xfc : 0));
	return referee_packet(r, bytes, n, 2);
}

/* False: options differ, as those that the parameters do not allow change nothing for ours. */
static bool same_options(const struct both *b, const struct parts *p)
{
	struct hs_et_config config = p->config;

	if (hs_et_reader_options(&b->ours.decoder.reader) == b->referee.options)
		return true;
	config.options = (uint8_t)b->referee.options;
	fuzz_must(hs_et_config_check(&config) != HS_OK);
	return false;
}

static void compare(const struct both *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct item *ours = &b->ours.items.item[i], *theirs = &b->theirs.item[i];

		if (items_same(ours, theirs))
			continue;
		fprintf(stderr, "item %zu: ours %u %llx cause %u, theirs %u %llx cause %u\n", i,
		        ours->kind, (unsigned long long)ours->value, ours->cause, theirs->kind,
		        (unsigned long long)theirs->value, theirs->cause);
		fuzz_must(false);
	}
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* One packet to both.  False: they are not compared any further. */
static bool take_packet(struct both *b, const struct parts *p, const uint8_t *packet,
                        unsigned payload)
{
	const size_t theirs = b->theirs.n, ours = b->ours.items.n;
	const bool good = follow(&b->referee, &p->config, packet + 1, payload);
	const enum hs_status s = decode(&b->ours, packet, 1 + payload);

	if (b->theirs.full || b->ours.items.full || b->referee.unclear) {
		compare(b, smaller(theirs, ours));
		return false;
	}
	if (good && s == HS_OK) {
		compare(b, smaller(b->theirs.n, b->ours.items.n));
		return same_options(b, p);
	}
	compare(b, smaller(theirs, ours));
	if (s != HS_OK)
		return false;
	/* Ours waits for a packet that synchronises. */
	fuzz_must(b->referee.start_of_trace && ours == b->ours.items.n);
	return true;
}

static void decode_both(struct both *b, const struct parts *p, const uint8_t *at,
                        const uint8_t *end)
{
	while (at < end) {
		const size_t n = 1 + (at[0] & 31u);
		unsigned payload;

		if (n > (size_t)(end - at))
			break;
		payload = payload_of(&p->config, at);
		if (payload && !take_packet(b, p, at, payload))
			return;
		at += n;
	}
	fuzz_must(decode_end(&b->ours) == HS_OK);
	if (!b->referee.start_of_trace)
		items_add(&b->theirs, REFEREE_END, 0, 0, false);
	compare(b, smaller(b->theirs.n, b->ours.items.n));
	fuzz_must(b->theirs.n == b->ours.items.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct both b;
	static uint64_t memory[ENTRIES * 64];
	struct parts p;

	if (!take_parts(data, size, &p))
		return 0;
	fuzz_must(hs_bb_memory(ENTRIES) <= sizeof(memory));
	begin(&b, &p, memory);
	decode_both(&b, &p, data + p.program.trace, data + size);
	return 0;
}

bool fuzz_mutate(struct fuzz_edit *e)
{
	struct parts p;

	if (!take_parts(e->data, e->size, &p))
		return false;

	const struct fuzz_format packets = fuzz_et_packets(&p.config);

	return fuzz_mutate_trace(e, &packets);
}

/* ---- valid inputs ------------------------------------------------------------------------ */

static size_t walk(const struct program *p, struct rng *r, const struct hs_et_config *c,
                   struct hs_block *out, size_t cap)
{
	const struct walk_odds odds = {
		.trap_one_in = 30,
		.stop_one_in = rng_one_in(r, 2) ? 60 : 0,
		.context_one_in = c->context ? 20 : 0,
		.time_one_in = c->time ? 10 : 0,
		.tidy_returns = c->call_counter_size || rng_one_in(r, 2),
		.plain_stack = true,
		.no_custom = true,
		.modes = 1u << HS_PRIV_U | 1u << HS_PRIV_S | 1u << HS_PRIV_M,
	};

	return walk_random(p, r, 60, &odds, out, cap);
}

/* Options that the parameters allow. */
static void random_head(struct rng *r, const struct program *p, uint8_t *head)
{
	struct hs_et_config c;

	do {
		for (unsigned i = 0; i < 8; i++)
			head[i] = (uint8_t)rng_next(r);
		head[0] = (uint8_t)((head[0] & ~12u) | (p->image.isa.xlen == 32 ? 4u : 0u) |
		                    (p->wide ? 8u : 0u));
		c = config_of(head);
	} while (hs_et_config_check(&c) != HS_OK);
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static struct program program;
	static struct hs_et_encoder encoder;
	static struct hs_block blocks[256];
	static uint64_t tables[TABLES];
	struct rng r = rng_start(i);
	struct hs_et_config c;
	size_t at, used, n, len;

	if (i >= 24 || size < 16384)
		return 0;
	do
		(i % 4 ? program_make : program_make_wide)(&program, &r);
	while (program.image.isa.zcmp_zcmt);
	random_head(&r, &program, data);
	at = fuzz_put_program(&program, data);
	c = config_of(data);
	n = walk(&program, &r, &c, blocks, sizeof(blocks) / sizeof(*blocks));
	fuzz_must(hs_et_encoder_init(&encoder, &c, tables, sizeof(tables)) == HS_OK);
	fuzz_must(hs_et_encode(&encoder, blocks, n, &used, data + at, size - at - 1024, &len) ==
	          HS_OK);
	at += len;
	fuzz_must(hs_et_encode_end(&encoder, data + at, size - at, &len) == HS_OK);
	return at + len;
}
