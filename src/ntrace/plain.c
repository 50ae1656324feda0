/* Blocks of which nothing is reported but branches and the targets of jumps: most of them.
 *
 * For these encoder.c would always decide the same.  Runs of them are looked at first: up to a jump
 * whose target is not known.  What is at stake in a run stays in registers, and nothing branches on
 * how its branches went.  Fields of messages are written as words.
 */
#include "ntrace/emit.h"

#include "core/bits.h"
#include "core/image_word.h"

/* Bits of a field that is written as a word of eight bytes. */
#define FIELD_BITS 48u

/* Most half-words of a block, and of all blocks of a run. */
#define HWORDS_BITS 10u
#define RUN_BLOCKS 31u
#define RUN_HWORDS (RUN_BLOCKS << HWORDS_BITS)

/* Bytes written at most, for a block without a jump before it, and for a jump. */
#define DIRECT_BYTES 16u
#define INDIRECT_BYTES 32u

/* What a block means by its itype. */
enum class {
	CLASS_BRANCH = 1,
	CLASS_TAKEN = 2,
	CLASS_JUMP = 4,      /* the next block's address is reported */
	CLASS_CONTINUES = 8, /* the next block begins where this one ends */
	CLASS_OTHER = 16     /* it is not plain */
};

/* ---- parameters ------------------------------------------------------------------ */

static bool is_call_or_return(unsigned itype)
{
	return itype == HS_ITYPE_CALL_UNINF || itype == HS_ITYPE_CALL_INF ||
	       itype == HS_ITYPE_RETURN || itype == HS_ITYPE_SWAP;
}

static uint8_t class_of(const struct hs_nt_config *c, unsigned itype)
{
	const bool direct = itype == HS_ITYPE_CALL_INF || itype == HS_ITYPE_TAIL_INF ||
	                    itype == HS_ITYPE_JUMP_INF;

	if (hs_itype_is_trap(itype) || itype == HS_ITYPE_RESERVED ||
	    (c->implicit_return && is_call_or_return(itype)))
		return CLASS_OTHER;
	if (itype == HS_ITYPE_NONE)
		return CLASS_CONTINUES;
	if (itype == HS_ITYPE_NOT_TAKEN)
		return CLASS_BRANCH | CLASS_CONTINUES;
	if (itype == HS_ITYPE_TAKEN || (direct && c->all_jumps))
		return CLASS_BRANCH | CLASS_TAKEN;
	return hs_itype_uninferable(itype) ? CLASS_JUMP : 0;
}

/* ---- fields ---------------------------------------------------------------------- */

/* The low FIELD_BITS as MDO of eight bytes, above their MSEO (NT 3). */
static inline uint64_t spread(uint64_t v)
{
	v = (v & 0xffffff) | (v & UINT64_C(0xffffff000000)) << 8;
	v = (v & UINT64_C(0xfff00000fff)) | (v & UINT64_C(0xfff00000fff000)) << 4;
	v = (v & UINT64_C(0x3f003f003f003f)) | (v & UINT64_C(0xfc00fc00fc00fc0)) << 2;
	return v << 2;
}

/* Write a field that ends with @mseo; at least up to bit @least (NT 3.1).  @return  Its bytes. */
static inline unsigned put_field(uint8_t *p, uint64_t v, unsigned least, unsigned mseo)
{
	const unsigned n = (et_length(v | (uint64_t)1 << least) + 5) / 6;
	const uint64_t bytes = et_little(spread(v) | (uint64_t)mseo << 8 * (n - 1));

	memcpy(p, &bytes, sizeof bytes);
	return n;
}

/* ---- runs ------------------------------------------------------------------------ */

/* What a run of blocks adds to the encoder's state. */
struct run {
	uint8_t *p; /* BTM: where messages are written */
	uint64_t icnt;
	uint64_t next;     /* where the next block begins, if a bit of fixed is set */
	uint64_t fixed;    /* bits of it that are known: bit 0, or all */
	uint64_t hist;     /* HTM */
	uint64_t messages; /* BTM: DirectBranch */
	bool jumps;        /* it ends with a jump */
};

/* The same for all blocks of a run: what their words have, and in which bits. */
struct plain {
	uint64_t word, bits;
	const uint8_t *classes;
	unsigned src, src_bits;
};

static uint64_t word_of(struct hs_block b)
{
	return img_word(&b);
}

static struct plain plain_of(const struct hs_nt_encoder *e)
{
	const struct hs_block same = { .kind = HS_KIND_BLOCK, .priv = e->priv & 7u };
	const struct hs_block differ = {
		.iretire = UINT32_MAX << HWORDS_BITS,
		.itype = 0xf0,
		.kind = 0xff,
		.priv = e->config.context ? 7 : 0,
		.sijump = e->config.sequential_jump != 0,
	};
	const uint64_t bits = word_of(differ);

	return (struct plain){ .word = word_of(same) & bits,
		               .bits = bits,
		               .classes = e->classes,
		               .src = e->config.src_id,
		               .src_bits = e->config.src_bits };
}

/* DirectBranch, if it is @taken. */
static inline void put_direct(struct run *r, const struct plain *plain, bool taken)
{
	const uint64_t v = plain->src | r->icnt << plain->src_bits;
	const unsigned n = 1 + put_field(r->p + 1, v, plain->src_bits, 3);

	*r->p = HS_NT_DIRECT_BRANCH << 2;
	r->p += taken ? n : 0;
	r->messages += taken;
	r->icnt = taken ? 0 : r->icnt;
}

/* Is it none of those?  It is of another kind, mode or size, ends in another way, or does not begin
 * at @next, of which the bits @fixed are known. */
static inline bool is_other(const struct plain *plain, const struct hs_block *b, uint64_t next,
                            uint64_t fixed)
{
	return ((img_word(b) ^ plain->word) & plain->bits) | ((b->iaddr ^ next) & fixed) |
	       (plain->classes[b->itype & 15] & CLASS_OTHER);
}

/* Add up to @n blocks; it ends after a jump, and before one that is not plain.
 * @return  How many. */
static inline size_t add_blocks(struct run *run, const struct plain *plain,
                                const struct hs_block *b, size_t n, bool htm)
{
	struct run r = *run;
	unsigned class = 0;
	size_t i = 0;

	for (; i < n && !(class & CLASS_JUMP) && !is_other(plain, &b[i], r.next, r.fixed); i++) {
		class = plain->classes[b[i].itype];
		r.icnt += b[i].iretire;
		r.next = hs_block_end(&b[i]);
		r.fixed = class & CLASS_CONTINUES ? UINT64_MAX : 1;
		if (htm)
			r.hist = r.hist << (class & CLASS_BRANCH) |
			         (class & CLASS_TAKEN) / CLASS_TAKEN;
		else
			put_direct(&r, plain, class & CLASS_TAKEN);
	}
	r.jumps = class & CLASS_JUMP;
	*run = r;
	return i;
}

/* ---- messages -------------------------------------------------------------------- */

/* Count messages of which there are @count, with @bytes together. */
static inline void count_messages(struct hs_nt_encoder *e, unsigned tcode, uint64_t count,
                                  uint64_t bytes)
{
	e->written.messages[tcode] += count;
	e->written.bytes[tcode] += bytes;
	if (e->config.sync_mode == HS_NT_SYNC_MESSAGES)
		e->count += count;
	else if (e->config.sync_mode == HS_NT_SYNC_BYTES)
		e->count += bytes;
}

/* IndirectBranch or IndirectBranchHist to @addr: HIST is written in any case. */
static inline void put_indirect(struct hs_nt_encoder *e, struct nt_output *out, uint64_t addr,
                                bool htm)
{
	const bool hist = htm && (e->hist != 1 || e->config.hist_always);
	const unsigned tcode = hist ? HS_NT_INDIRECT_BRANCH_HIST : HS_NT_INDIRECT_BRANCH;
	const unsigned src_bits = e->config.src_bits, fixed = src_bits + 2;
	uint8_t *p = out->p;

	*p++ = (uint8_t)(tcode << 2);
	p += put_field(p, e->config.src_id | (uint64_t)e->btype << src_bits | e->icnt << fixed,
	               fixed, 1);
	p += put_field(p, (addr ^ e->ref) >> 1, 0, hist ? 1 : 3);
	if (htm)
		p += hist ? put_field(p, e->hist, 0, 3) : 0;
	count_messages(e, tcode, 1, (uint64_t)(p - out->p));
	out->p = p;
	e->ref = addr;
	e->icnt = 0;
	e->new_calls = 0;
	e->pending = PENDING_NOTHING;
	if (hist) {
		e->hist = 1;
		e->hist_n = 0;
	}
}

/* May a run have blocks?  There is room, and no counter and no interval is full after it. */
static inline bool has_room(const struct hs_nt_encoder *e, const struct nt_output *out)
{
	const uint64_t bytes = RUN_BLOCKS * DIRECT_BYTES + INDIRECT_BYTES;
	const uint64_t added = e->config.sync_mode == HS_NT_SYNC_BYTES ? bytes : RUN_BLOCKS + 1;

	return (!e->interval || e->count + added < e->interval) &&
	       e->icnt + RUN_HWORDS < e->icnt_limit && out->end - out->p >= (ptrdiff_t)bytes;
}

/* What a run of @b, the last of which is @last, did. */
static inline void end_run(struct hs_nt_encoder *e, struct nt_output *out, const struct run *r,
                           const struct hs_block *last, bool htm)
{
	e->icnt = r->icnt;
	e->expect = r->next;
	e->follow = r->fixed != 1;
	if (htm) {
		e->hist = (uint32_t)r->hist;
		e->hist_n = (uint8_t)(et_length(r->hist) - 1);
	} else if (r->messages) {
		count_messages(e, HS_NT_DIRECT_BRANCH, r->messages, (uint64_t)(r->p - out->p));
		e->new_calls = 0;
		out->p = r->p;
	}
	if (r->jumps) {
		e->pending = PENDING_INDIRECT;
		e->event_time = e->time;
		e->btype = 0;
		e->jump = last->itype;
		e->jump_size = last->ilast;
	}
}

static inline size_t put_run(struct hs_nt_encoder *e, struct nt_output *out,
                             const struct plain *plain, const struct hs_block *b, size_t n,
                             bool htm)
{
	const unsigned room = e->config.hist_bits - e->hist_n - e->dialect->hist_at_once;
	const size_t most = htm ? room : RUN_BLOCKS;
	struct run r = { .p = out->p,
		         .icnt = e->icnt,
		         .next = e->expect,
		         .fixed = e->follow ? UINT64_MAX : 1,
		         .hist = e->hist };
	const size_t i = add_blocks(&r, plain, b, n < most ? n : most, htm);

	if (i)
		end_run(e, out, &r, &b[i - 1], htm);
	return i;
}

static inline size_t put_runs(struct hs_nt_encoder *e, struct nt_output *out,
                              const struct hs_block *b, size_t n, bool htm)
{
	const struct plain plain = plain_of(e);
	size_t i = 0, run = 1;

	for (; i < n && run && has_room(e, out); i += run) {
		if (e->pending) {
			if (is_other(&plain, &b[i], 0, 1) || (b[i].iaddr ^ e->ref) >> FIELD_BITS)
				break;
			put_indirect(e, out, b[i].iaddr, htm);
		}
		run = put_run(e, out, &plain, &b[i], n - i, htm);
	}
	return i;
}

/* Does nothing wait that comes before the next block, but the target of a jump? */
static bool nothing_waits(const struct hs_nt_encoder *e)
{
	return e->running && !e->sync && !e->sync_due && !e->ownership_pending && !e->held &&
	       (e->pending == PENDING_NOTHING || e->pending == PENDING_INDIRECT);
}

/* Encode blocks that only add branches, or need no message but one with a jump's target.
 * @return  How many of @n; the next one, if any, needs encoder.c or more room. */
static size_t encode_runs(struct hs_nt_encoder *e, struct nt_output *out, const struct hs_block *b,
                          size_t n)
{
	if (!nothing_waits(e))
		return 0;
	return nt_emit_htm(e) ? put_runs(e, out, b, n, true) : put_runs(e, out, b, n, false);
}

void hs_nt_encoder_use_runs(struct hs_nt_encoder *e)
{
	const struct hs_nt_config *c = &e->config;

	if (c->repeated_history || c->repeat_branch || c->extend_addr || c->address_bits ||
	    c->timestamps || e->dialect->counts_8_9 || c->sync_mode == HS_NT_SYNC_HALFWORDS)
		return;
	for (unsigned itype = 0; itype < 16; itype++)
		e->classes[itype] = class_of(c, itype);
	e->runs = encode_runs;
}
