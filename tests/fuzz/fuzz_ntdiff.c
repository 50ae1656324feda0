/* Any bytes over any program: our reader says of each message what the second one says, and our
 * decoder what the second decoder says (tests/referee), which are written from the text alone.
 * Damage is damage for both; up to it, and from the next synchronising message on, they report the
 * same addresses, traps, ends, synchronisations, times and contexts.
 *
 * Input: 8 bytes of configuration, 8 of the code's address, 2 of its size; code; trace.
 */
#include <hartscope/ntrace.h>

#include "core/core.h"
#include "ntrace/nt_message.h"
#include "ntrace/nt_reader.h"
#include "referee/nexus_referee.h"
#include "edit.h"
#include "fuzz.h"
#include "program.h"

#define ENTRIES 256
#define BATCH 512
#define ITEMS 16384 /* of a source that are not compared yet, and blocks of a message */

struct parts {
	struct hs_nt_config config;
	struct fuzz_program program;
};

/* ---- the parts of an input -------------------------------------------------------------- */

static struct hs_nt_config config_of(const uint8_t *h)
{
	static const uint8_t widths[] = { 47, 38, 56, 48, 39, 63, 31, 20 };

	return (struct hs_nt_config){
		.size = sizeof(struct hs_nt_config),
		.xlen = h[0] & 1 ? 32 : 64,
		.extend_addr = h[0] >> 1 & 1,
		.sequential_jump = h[0] >> 2 & 1,
		.implicit_return = h[0] & 8 ? 3 : 0,
		.all_jumps = h[0] >> 4 & 1,
		.dialect = (uint8_t)(h[0] & 32   ? HS_NT_DIALECT_V1_0
		                     : h[3] & 3 ? HS_NT_DIALECT_RC7
		                                : HS_NT_DIALECT_SIFIVE),
		.address_bits = h[2] & 1 ? 0 : widths[h[2] / 2 % sizeof(widths)],
		.periodic_events = 1,
		.src_bits = h[1] % 13,
	};
}

static bool is_sifive(const struct hs_nt_config *c)
{
	return c->dialect == HS_NT_DIALECT_SIFIVE;
}

/* False: it is no input. */
static bool take_parts(const uint8_t *data, size_t size, struct parts *p)
{
	if (size < FUZZ_HEAD)
		return false;
	p->config = config_of(data);
	return fuzz_take_program(data, size, p->config.xlen, &p->program) &&
	       hs_nt_config_check(&p->config) == HS_OK;
}

/* ---- message by message ------------------------------------------------------------------- */

/* The numbers of fields in our tables. */
static const uint8_t ours_of[NX_FIELDS] = {
	[NX_SYNC] = HS_NTF_SYNC,       [NX_BTYPE] = HS_NTF_BTYPE,     [NX_ICNT] = HS_NTF_ICNT,
	[NX_FADDR] = HS_NTF_FADDR,     [NX_UADDR] = HS_NTF_UADDR,     [NX_HIST] = HS_NTF_HIST,
	[NX_PROCESS] = HS_NTF_PROCESS, [NX_ETYPE] = HS_NTF_ETYPE,     [NX_ECODE] = HS_NTF_ECODE,
	[NX_RCODE] = HS_NTF_RCODE,     [NX_RDATA] = HS_NTF_RDATA,     [NX_HREPEAT] = HS_NTF_HREPEAT,
	[NX_BCNT] = HS_NTF_BCNT,       [NX_EVCODE] = HS_NTF_EVCODE,   [NX_CDF] = HS_NTF_CDF,
	[NX_TSTAMP] = HS_NTF_TSTAMP,   [NX_IDTAG] = HS_NTF_IDTAG,     [NX_DQDATA] = HS_NTF_DQDATA,
	[NX_CKSRC] = HS_NTF_CKSRC,     [NX_CKDF] = HS_NTF_CKDF,       [NX_CKDATA0] = HS_NTF_CKDATA,
	[NX_CKDATA1] = HS_NTF_CKDATA1,
};

static void differ(const char *what, const struct nexus_message *m, uint64_t ours, uint64_t theirs)
{
	fprintf(stderr, "message at %zu, TCODE %u: %s: ours %llx, theirs %llx\n", m->at, m->tcode,
	        what, (unsigned long long)ours, (unsigned long long)theirs);
	fuzz_must(false);
}

static void same(const char *what, const struct nexus_message *m, uint64_t ours, uint64_t theirs)
{
	if (ours != theirs)
		differ(what, m, ours, theirs);
}

static void compare_fields(const struct hs_nt_msg *ours, const struct nexus_message *theirs)
{
	uint32_t present = 0;

	same("TCODE", theirs, ours->tcode, theirs->tcode);
	same("SRC", theirs, ours->src, theirs->src);
	same("length", theirs, ours->length, theirs->size);
	same("known", theirs, ours->known, theirs->known);
	for (unsigned f = 0; f < NX_FIELDS; f++) {
		if (!theirs->has[f])
			continue;
		present |= 1u << ours_of[f];
		if (!hs_nt_has(ours, ours_of[f]))
			differ(hs_nt_field_name(ours_of[f]), theirs, 0, 1);
		same(hs_nt_field_name(ours_of[f]), theirs, ours->field[ours_of[f]],
		     theirs->value[f]);
		if (f == NX_FADDR || f == NX_UADDR)
			same("bits of an address", theirs, ours->addr_bits,
			     theirs->width[f] < 66 ? theirs->width[f] : 66);
	}
	same("fields", theirs, ours->present, present);
}

static enum hs_status status_of(enum nexus_what what)
{
	static const enum hs_status of[] = { [NEXUS_END] = HS_MORE,
		                             [NEXUS_MESSAGE] = HS_OK,
		                             [NEXUS_FRAMING] = HS_E_FRAMING,
		                             [NEXUS_LONG] = HS_E_LONG,
		                             [NEXUS_FIELD] = HS_E_FIELD };

	return of[what];
}

static void compare_messages(const struct parts *p, const uint8_t *trace, size_t n)
{
	struct hs_nt_reader reader;
	struct hs_span in = { trace, n };
	enum nexus_what what;
	size_t at = 0;

	hs_nt_reader_init(&reader, p->config.src_bits);
	hs_nt_reader_set_dialect(&reader, p->config.dialect);
	do {
		struct nexus_message theirs;
		struct hs_nt_msg ours;

		what = nexus_read(trace, n, &at, p->config.src_bits, is_sifive(&p->config),
		                  &theirs);
		same("status", &theirs, hs_nt_read(&reader, &in, &ours), status_of(what));
		if (what == NEXUS_END)
			break;
		same("offset", &theirs, ours.offset, theirs.at);
		if (what == NEXUS_MESSAGE)
			compare_fields(&ours, &theirs);
	} while (what != NEXUS_END);
}

/* ---- block by block ----------------------------------------------------------------------- */

struct item {
	uint64_t value;
	enum nexus_item kind;
	unsigned more;
};

/* What a decoder said and is not compared yet. */
struct list {
	struct item item[ITEMS];
	size_t n;
	size_t before; /* those that the messages before the current one gave */
	size_t lost;   /* those up to where the source was lost */
	bool full;
};

/* Of one source: the flow, and what is next to it.  In which order the two come is left open, for
 * ours writes a block when it ends. */
struct said {
	struct list flow, events;
	bool lost; /* by the current message */
};

struct both {
	const struct parts *parts;
	struct nexus_referee referee;
	struct said theirs[NEXUS_SOURCES], ours[NEXUS_SOURCES];
	bool ahead[NEXUS_SOURCES]; /* ours found damage in what still waits for I-CNT */
	struct hs_nt_decoder decoder;
	struct hs_nt_source sources[NEXUS_SOURCES];
	struct hs_bb_table table;
	unsigned source; /* of the blocks that come */
	bool stopped;    /* there is nothing more to compare */
};

static void add(struct said *s, enum nexus_item kind, uint64_t value, unsigned more)
{
	struct list *l = kind < NEXUS_LOST ? &s->flow : &s->events;

	if (kind == NEXUS_LOST) {
		s->lost = true;
		s->flow.lost = s->flow.n;
		s->events.lost = s->events.n;
		return;
	}
	l->full |= l->n == ITEMS;
	if (!l->full)
		l->item[l->n++] = (struct item){ value, kind, more };
}

static void report_item(void *to, unsigned source, enum nexus_item kind, uint64_t value,
                        unsigned more)
{
	struct both *b = to;

	add(&b->theirs[source], kind, value, more);
}

static void begin(struct both *b, const struct parts *p, void *memory)
{
	const struct hs_nt_config *c = &p->config;
	const struct nexus_parameters parameters = {
		.xlen = c->xlen,
		.src_bits = c->src_bits,
		.extend = c->extend_addr,
		.sequential = c->sequential_jump,
		.returns = c->implicit_return || is_sifive(c),
		.field = c->address_bits,
		.sifive = is_sifive(c),
		.all_jumps = c->all_jumps,
	};

	nexus_start(&b->referee, &parameters);
	b->parts = p;
	b->referee.fetch = fuzz_fetch;
	b->referee.program = &p->program.section;
	b->referee.report = report_item;
	b->referee.to = b;
	b->source = 0;
	b->stopped = false;
	for (unsigned i = 0; i < NEXUS_SOURCES; i++) {
		b->theirs[i].flow.n = b->theirs[i].events.n = 0;
		b->ours[i].flow.n = b->ours[i].events.n = 0;
		b->theirs[i].flow.full = b->ours[i].flow.full = false;
		b->theirs[i].events.full = b->ours[i].events.full = false;
		b->ahead[i] = false;
	}
	fuzz_must(hs_bb_init(&b->table, &p->program.image, memory, ENTRIES) == HS_OK);
	fuzz_must(hs_nt_decoder_init(&b->decoder, c, &b->table, b->sources, NEXUS_SOURCES) ==
	          HS_OK);
	const struct hs_decoder_options o = { .size = sizeof o, .message_blocks = ITEMS };

	fuzz_must(hs_nt_decoder_set(&b->decoder, &o) == HS_OK);
}

/* ---- what ours says ----------------------------------------------------------------------- */

static void take_instructions(struct both *b, const struct hs_block *block)
{
	uint64_t pc = block->iaddr;

	for (uint32_t left = block->iretire; left;) {
		struct instr i;

		fuzz_must(instr_get(fuzz_fetch, &b->parts->program.section, b->parts->config.xlen,
		                    pc, &i) && i.size / 2 <= left);
		add(&b->ours[b->source], NEXUS_PC, pc, 0);
		left -= i.size / 2;
		pc += i.size;
		if (b->parts->config.xlen == 32)
			pc &= UINT32_MAX;
	}
	if (hs_itype_is_trap(block->itype))
		add(&b->ours[b->source], NEXUS_TRAP, block->itype == HS_ITYPE_INTERRUPT, 0);
}

static void find_source(struct both *b, uint32_t src)
{
	for (b->source = 0; b->referee.source[b->source].src != src; b->source++)
		fuzz_must(b->source + 1 < b->referee.sources);
}

static void take_note(struct said *s, const struct hs_block *note)
{
	if (note->arg == HS_NOTE_ACQUISITION)
		add(s, NEXUS_DATUM, note->value, note->itype | (unsigned)note->ilast << 8);
	else if (note->arg == HS_NOTE_CIRCUIT)
		add(s, NEXUS_CIRCUIT, note->value, note->itype);
	else if (note->arg == HS_NOTE_CIRCUIT_DATA)
		add(s, NEXUS_SECOND, note->value, note->itype);
}

static void take_block(struct both *b, const struct hs_block *block)
{
	struct said *s = &b->ours[b->source];

	switch (block->kind) {
	case HS_KIND_BLOCK:
		take_instructions(b, block);
		break;
	case HS_KIND_HART:
		find_source(b, block->arg);
		break;
	case HS_KIND_STOP:
		add(s, NEXUS_STOP, block->itype, 0);
		break;
	case HS_KIND_GAP:
		add(s, NEXUS_LOST, 0, 0);
		b->stopped |= block->arg == HS_E_NOCODE;
		break;
	case HS_KIND_SYNC:
		add(s, NEXUS_SYNC, block->value, block->itype);
		break;
	case HS_KIND_TIME:
		add(s, NEXUS_TIME, block->value, 0);
		break;
	case HS_KIND_NOTE:
		take_note(s, block);
		break;
	case HS_KIND_CONTEXT:
		add(s, NEXUS_CONTEXT, block->value, block->arg | block->priv << 2);
		break;
	default:
		break;
	}
}

/* All that ours has to say; @end: nothing comes after it. */
static void feed(struct both *b, const uint8_t *p, size_t n, bool end)
{
	struct hs_block blocks[BATCH];
	struct hs_span in = { p, n };
	enum hs_status s;
	size_t got;

	do {
		s = end ? hs_nt_decoder_end(&b->decoder, blocks, BATCH, &got)
		        : hs_nt_decoder_next(&b->decoder, &in, blocks, BATCH, &got);
		for (size_t i = 0; i < got; i++)
			take_block(b, &blocks[i]);
		if (s != HS_OK && s != HS_MORE && s != HS_FULL)
			b->stopped |= hs_nt_decoder_diag(&b->decoder)->reason ==
			              HS_REASON_BLOCKS_LIMIT;
	} while (s != HS_MORE && s != HS_OK && !b->stopped);
}

/* ---- the comparison ----------------------------------------------------------------------- */

static void compare_items(const struct item *ours, const struct item *theirs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ours[i].kind == theirs[i].kind && ours[i].value == theirs[i].value &&
		    ours[i].more == theirs[i].more)
			continue;
		fprintf(stderr, "item %zu: ours %u %llx %u, theirs %u %llx %u\n", i, ours[i].kind,
		        (unsigned long long)ours[i].value, ours[i].more, theirs[i].kind,
		        (unsigned long long)theirs[i].value, theirs[i].more);
		fuzz_must(false);
	}
}

static void drop(struct list *l, size_t n)
{
	memmove(l->item, l->item + n, (l->n - n) * sizeof(*l->item));
	l->n -= n;
}

/* As far as both are. */
static void compare_lists(struct list *ours, struct list *theirs)
{
	const size_t n = ours->n < theirs->n ? ours->n : theirs->n;

	compare_items(ours->item, theirs->item, n);
	drop(ours, n);
	drop(theirs, n);
}

/* Ours lost the source: what the second decoder had said before the message ours has said, too. */
static void compare_before(struct list *ours, const struct list *theirs)
{
	fuzz_must(ours->lost >= theirs->before);
	compare_items(ours->item, theirs->item, theirs->before);
}

static void drop_lost(struct said *s)
{
	drop(&s->flow, s->flow.lost);
	drop(&s->events, s->events.lost);
}

static void clear(struct said *s)
{
	s->flow.n = s->events.n = 0;
}

static void fail(const struct both *b, const char *what)
{
	const struct hs_nt_diag *d = hs_nt_decoder_diag(&b->decoder);

	fprintf(stderr, "%s; ours: %s; theirs: %s\n", what, d->text ? d->text : "none",
	        b->referee.error ? b->referee.error : "none");
	fuzz_must(false);
}

/* Ours finds damage in a HIST of ResourceFull at once, the second decoder when I-CNT comes. */
static void compare_ahead(struct both *b, unsigned i, bool address)
{
	struct said *ours = &b->ours[i], *theirs = &b->theirs[i];

	if (!theirs->lost && !nexus_waits(&b->referee.source[i]))
		fail(b, "ours refused what the second decoder did not");
	if (theirs->lost && address) { /* both are synchronised by the message */
		drop_lost(theirs);
		drop(&ours->events, ours->events.before);
		compare_lists(&ours->events, &theirs->events);
	}
	b->ahead[i] = !theirs->lost;
	clear(ours);
	clear(theirs);
}

/* One source, after a message. */
static void compare_source(struct both *b, unsigned i, bool address)
{
	struct said *ours = &b->ours[i], *theirs = &b->theirs[i];

	if (b->ahead[i]) {
		compare_ahead(b, i, address);
		return;
	}
	if (theirs->lost && !ours->lost)
		fail(b, "the second decoder refused what ours did not");
	if (ours->lost) {
		compare_before(&ours->flow, &theirs->flow);
		compare_before(&ours->events, &theirs->events);
		b->ahead[i] = !theirs->lost;
		drop_lost(ours);
		if (b->ahead[i]) {
			compare_ahead(b, i, false);
			return;
		}
		drop_lost(theirs);
	}
	compare_lists(&ours->flow, &theirs->flow);
	compare_lists(&ours->events, &theirs->events);
}

static void begin_message(struct said *s)
{
	s->lost = false;
	s->flow.before = s->flow.n;
	s->events.before = s->events.n;
}

/* False: there is nothing more to compare. */
static bool take_message(struct both *b, const struct nexus_message *m, const uint8_t *bytes,
                         size_t n)
{
	for (unsigned i = 0; i < NEXUS_SOURCES; i++) {
		begin_message(&b->theirs[i]);
		begin_message(&b->ours[i]);
	}
	if (m)
		nexus_take(&b->referee, m);
	else
		nexus_lose_all(&b->referee);
	if (m && b->referee.unclear)
		return false;
	feed(b, bytes, n, false);
	for (unsigned i = 0; i < b->referee.sources; i++) {
		if (b->stopped || b->ours[i].flow.full || b->theirs[i].flow.full)
			return false;
		compare_source(b, i, m && m->has[NX_SYNC]);
	}
	return true;
}

static void compare_end(struct both *b)
{
	feed(b, NULL, 0, true);
	for (unsigned i = 0; i < b->referee.sources && !b->stopped; i++) {
		struct said *ours = &b->ours[i], *theirs = &b->theirs[i];

		if (b->ahead[i] || ours->flow.full)
			continue;
		compare_lists(&ours->flow, &theirs->flow);
		compare_lists(&ours->events, &theirs->events);
		if (!nexus_waits(&b->referee.source[i]) &&
		    (ours->flow.n || theirs->flow.n || ours->events.n || theirs->events.n))
			fail(b, "one said more than the other");
	}
}

static void compare_flow(const struct parts *p, const uint8_t *trace, size_t n)
{
	static struct both b;
	static uint64_t memory[ENTRIES * 64];
	size_t at = 0, fed = 0;

	fuzz_must(hs_bb_memory(ENTRIES) <= sizeof(memory));
	begin(&b, p, memory);
	for (;;) {
		struct nexus_message m;
		const enum nexus_what what = nexus_read(trace, n, &at, p->config.src_bits,
		                                        is_sifive(&p->config), &m);

		if (what == NEXUS_END)
			break;
		if (!take_message(&b, what == NEXUS_MESSAGE ? &m : NULL, trace + fed, at - fed))
			return;
		fed = at;
	}
	feed(&b, trace + fed, n - fed, false);
	if (!b.stopped)
		compare_end(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parts p;

	if (!take_parts(data, size, &p))
		return 0;
	compare_messages(&p, data + p.program.trace, size - p.program.trace);
	compare_flow(&p, data + p.program.trace, size - p.program.trace);
	return 0;
}

bool fuzz_mutate(struct fuzz_edit *e)
{
	struct parts p;

	if (!take_parts(e->data, e->size, &p))
		return false;

	const struct fuzz_format messages = fuzz_nt_messages(&p.config);

	return fuzz_mutate_trace(e, &messages);
}

/* ---- valid inputs ------------------------------------------------------------------------ */

static size_t walk(const struct program *p, struct rng *r, struct hs_block *out, size_t cap)
{
	const struct walk_odds odds = {
		.trap_one_in = 30,
		.stop_one_in = rng_one_in(r, 2) ? 60 : 0,
		.reset_one_in = rng_one_in(r, 3) ? 60 : 0,
		.trigger_one_in = rng_one_in(r, 3) ? 40 : 0,
		.context_one_in = rng_one_in(r, 2) ? 20 : 0,
		.time_one_in = rng_one_in(r, 2) ? 10 : 0,
		.lost_one_in = rng_one_in(r, 3) ? 60 : 0,
		.tidy_returns = rng_one_in(r, 2),
		.no_custom = true,
		.modes = 1u << HS_PRIV_U | 1u << HS_PRIV_S | 1u << HS_PRIV_M,
	};

	return walk_random(p, r, 80, &odds, out, cap);
}

/* With what only the encoder has: the decoder follows the messages. */
static struct hs_nt_config encoder_of(struct rng *r, const uint8_t *head)
{
	struct hs_nt_config c = config_of(head);

	c.inst_mode = rng_one_in(r, 2) ? HS_NT_BTM : HS_NT_HTM;
	c.sync_mode = rng_one_in(r, 2) ? HS_NT_SYNC_OFF : HS_NT_SYNC_HALFWORDS;
	c.sync_max = (uint8_t)rng_below(r, 3);
	c.icnt_bits = rng_one_in(r, 2) ? 0 : (uint8_t)(5 + rng_below(r, 8));
	c.hist_bits = rng_one_in(r, 2) ? 0 : (uint8_t)(1 + rng_below(r, 8));
	c.icnt_full = (uint8_t)rng_below(r, 2);
	c.btype_plain = rng_one_in(r, 4);
	c.hist_always = (uint8_t)rng_below(r, 2);
	c.repeated_history = (uint8_t)rng_below(r, 2);
	c.repeat_branch = (uint8_t)rng_below(r, 2);
	c.context = (uint8_t)rng_below(r, 2);
	c.timestamps = (uint8_t)rng_below(r, 2);
	return c;
}

static void random_head(struct rng *r, const struct program *p, uint8_t *head)
{
	for (unsigned i = 0; i < 8; i++)
		head[i] = (uint8_t)rng_next(r);
	head[0] = (uint8_t)((head[0] & ~1u) | (p->image.isa.xlen == 32));
	if (rng_one_in(r, 2))
		head[1] = 0; /* no SRC */
	if (!program_fits(p, config_of(head).address_bits))
		head[2] |= 1; /* the field has as many bits as come */
}

/* In-circuit trace, what a program wrote to the ITC, samples of the PC. */
static size_t put_events(struct rng *r, const struct hs_block *at, struct hs_block *out)
{
	static const uint8_t sources[] = { 0, 8, 9, 10, 11, 12, 13, 14, 15 };
	const uint8_t source = sources[rng_below(r, sizeof(sources))], pair = rng_one_in(r, 2);
	const uint64_t value = at->kind == HS_KIND_BLOCK ? at->iaddr : 0x100;

	if (rng_one_in(r, 4)) {
		out[0] = (struct hs_block){ .kind = HS_KIND_SYNC, .itype = 15, .value = value };
		return 1;
	}
	out[0] = (struct hs_block){ .kind = HS_KIND_NOTE, .arg = HS_NOTE_ACQUISITION,
		                    .value = rng_next(r), .itype = 4 };
	if (rng_one_in(r, 4))
		return 1;
	out[0].arg = HS_NOTE_CIRCUIT;
	out[0].itype = source;
	out[0].ilast = pair;
	out[0].value = value;
	out[1] = out[0];
	out[1].arg = HS_NOTE_CIRCUIT_DATA;
	out[1].ilast = 0;
	return 1u + pair;
}

static size_t with_events(struct rng *r, const struct hs_block *in, size_t n, struct hs_block *out,
                          size_t cap)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (rng_one_in(r, 6) && count + 3 < cap - (n - i))
			count += put_events(r, &in[i], out + count);
		out[count++] = in[i];
	}
	return count;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static struct program program;
	static struct hs_nt_encoder encoder;
	static struct hs_block blocks[512], pieces[8192], all[12288];
	struct rng r = rng_start(i + 1);
	size_t at, used, n, len;

	if (i >= 32 || size < 16384)
		return 0;
	do
		(i % 4 ? program_make : program_make_wide)(&program, &r);
	while (program.image.isa.zcmp_zcmt);
	random_head(&r, &program, data);
	at = fuzz_put_program(&program, data);

	const struct hs_nt_config c = encoder_of(&r, data);

	n = walk(&program, &r, blocks, sizeof(blocks) / sizeof(*blocks));
	/* what the encoder's I-CNT counter can hold */
	n = walk_split(&program, blocks, n, 1u << ((c.icnt_bits ? c.icnt_bits : 22) - 1), pieces,
	               sizeof(pieces) / sizeof(*pieces), NULL);
	n = with_events(&r, pieces, n, all, sizeof(all) / sizeof(*all));
	fuzz_must(hs_nt_encoder_init(&encoder, &c) == HS_OK);
	fuzz_must(hs_nt_encode(&encoder, all, n, &used, data + at, size - at - 1024, &len) ==
	          HS_OK);
	at += len;
	fuzz_must(hs_nt_encode_end(&encoder, data + at, size - at, &len) == HS_OK);
	return at + len;
}
