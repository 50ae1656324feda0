/* Any bytes over any program: our reader says of each message what the second one says
 * (tests/referee), which is written from the text alone.
 *
 * Input: 8 bytes of configuration, 8 of the code's address, 2 of its size; code; trace.
 */
#include <stdio.h>
#include <string.h>

#include <hartscope/ntrace.h>

#include "edit.h"
#include "fuzz.h"
#include "program.h"
#include "referee/nexus_message.h"


struct parts {
	struct hs_nt_config config;
	struct fuzz_program program;
};

/* ---- the parts of an input -------------------------------------------------------------- */

static struct hs_nt_config config_of(const uint8_t *h)
{
	return (struct hs_nt_config){
		.size = sizeof(struct hs_nt_config),
		.xlen = h[0] & 1 ? 32 : 64,
		.extend_addr = h[0] >> 1 & 1,
		.sequential_jump = h[0] >> 2 & 1,
		.implicit_return = h[0] & 8 ? 3 : 0,
		.all_jumps = h[0] >> 4 & 1,
		.dialect = h[0] & 32 ? HS_NT_DIALECT_V1_0 : HS_NT_DIALECT_RC7,
		.periodic_events = 1,
		.src_bits = h[1] % 13,
	};
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
	[NX_TSTAMP] = HS_NTF_TSTAMP,
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
	do {
		struct nexus_message theirs;
		struct hs_nt_msg ours;

		what = nexus_read(trace, n, &at, p->config.src_bits, &theirs);
		same("status", &theirs, hs_nt_read(&reader, &in, &ours), status_of(what));
		if (what == NEXUS_END)
			break;
		same("offset", &theirs, ours.offset, theirs.at);
		if (what == NEXUS_MESSAGE)
			compare_fields(&ours, &theirs);
	} while (what != NEXUS_END);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parts p;

	if (!take_parts(data, size, &p))
		return 0;
	compare_messages(&p, data + p.program.trace, size - p.program.trace);
	return 0;
}

bool fuzz_mutate(struct fuzz_edit *e)
{
	struct parts p, other = { .program = { .trace = SIZE_MAX } };

	if (!take_parts(e->data, e->size, &p))
		return false;
	take_parts(e->other, e->other_size, &other);

	const struct fuzz_format messages = fuzz_nt_messages(&p.config);

	return fuzz_mutate_records(e, &messages, p.program.trace, other.program.trace);
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
}

/* Blocks that the encoder's I-CNT counter can hold. */
static size_t split(const struct program *p, const struct hs_nt_config *c,
                    const struct hs_block *in, size_t n, struct hs_block *out, size_t cap)
{
	const uint32_t limit = 1u << ((c->icnt_bits ? c->icnt_bits : 22) - 1);
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		size_t pieces = 1;

		if (in[i].kind == HS_KIND_BLOCK)
			fuzz_must(hs_block_split(&p->image, &in[i], limit, out + count, cap - count,
			                         &pieces) == HS_OK);
		else
			out[count] = in[i];
		count += pieces;
	}
	return count;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static struct program program;
	static struct hs_nt_encoder encoder;
	static struct hs_block blocks[512], pieces[8192];
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
	n = split(&program, &c, blocks, n, pieces, sizeof(pieces) / sizeof(*pieces));
	fuzz_must(hs_nt_encoder_init(&encoder, &c) == HS_OK);
	fuzz_must(hs_nt_encode(&encoder, pieces, n, &used, data + at, size - at - 1024, &len) ==
	          HS_OK);
	at += len;
	fuzz_must(hs_nt_encode_end(&encoder, data + at, size - at, &len) == HS_OK);
	return at + len;
}
