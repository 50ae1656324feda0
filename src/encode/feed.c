/* Blocks of a recording to an encoder. */
#include <string.h>

#include "core/core.h"
#include "encode/private.h"

#define LONGEST (UINT32_C(1) << 20)
#define BATCH 256

/* The first piece of a block that the encoder takes.  Its counter's width is not known here: halve
 * what was too long, down to single instructions. */
static enum hs_status feed_piece(const struct encode_feed *f, struct hs_block *rest, size_t *len)
{
	struct hs_block left, piece;
	size_t used;

	for (uint32_t limit = LONGEST; limit; limit /= 2) {
		left = *rest;
		enum hs_status s = hs_block_cut(f->image, &left, limit, &piece);

		if (s == HS_OK)
			s = hs_encoder_put(f->encoder, &piece, 1, &used, f->out, ENCODE_ROOM, len);
		if (s == HS_OK)
			*rest = left;
		if (s != HS_E_BLOCK)
			return s;
	}
	return HS_E_BLOCK;
}

/* A block longer than the encoder's counter goes in pieces, at instruction boundaries. */
static enum hs_status feed_long(struct encode_feed *f, const struct hs_block *b, bool *put)
{
	struct hs_block rest = *b;
	enum hs_status s;
	size_t len;

	do {
		len = 0;
		s = feed_piece(f, &rest, &len);
		*put = f->put(f->to, f->out, len);
	} while (s == HS_OK && *put && rest.iretire);
	return s;
}

/* What decides which addresses a protocol can send. */
static const char *address_parameters(const struct hs_protocol *p)
{
	return strcmp(p->name, "etrace") == 0
	               ? "iaddress_width_p (64: all), iaddress_lsb_p (1; 2 without compressed code)"
	               : "addressBits (0: all)";
}

void encode_feed_refuse(struct encode_feed *f, enum hs_status s, const struct hs_block *b)
{
	struct hs_error e;

	f->refused++;
	if (b->kind == HS_KIND_BLOCK && f->only_ecalls && hs_itype_is_trap(b->itype))
		hs_error_set(&e, s,
		             "block at 0x%llx: the dialect reports no traps but those of ecall and "
		             "ebreak",
		             (unsigned long long)b->iaddr);
	else if (b->kind == HS_KIND_BLOCK)
		hs_error_set(&e, s, "block at 0x%llx: %s; addresses that can be sent: %s",
		             (unsigned long long)b->iaddr, hs_status_text(s),
		             address_parameters(f->protocol));
	else
		hs_error_set(&e, s, "trap with cause %u: %s", b->arg, hs_status_text(s));
	encode_fault(&f->faults, &e, NULL);
}

void encode_feed_configure(struct encode_feed *f, const void *config)
{
	struct hs_protocol_traits traits;

	hs_protocol_check(f->protocol, config, &traits);
	f->ecall_traps = traits.ecall_traps;
	f->only_ecalls = traits.only_ecalls;
}

/* What the encoder refuses is a gap: the trace is off there, so that no flow leads across it. */
static bool feed_gap(struct encode_feed *f)
{
	const struct hs_block gap = { .kind = HS_KIND_GAP, .arg = HS_E_BLOCK };
	size_t used, len = 0;

	hs_encoder_put(f->encoder, &gap, 1, &used, f->out, ENCODE_ROOM, &len);
	return f->put(f->to, f->out, len);
}

/* Encode items as they are. */
static bool feed_items(struct encode_feed *f, const struct hs_block *b, size_t n)
{
	bool put;

	if (!encode_feed_fits(f, b, n))
		return false;
	for (size_t at = 0, used = 0, len = 0; at < n; at += used, used = 0, len = 0) {
		enum hs_status s = hs_encoder_put(f->encoder, b + at, n - at, &used, f->out,
		                                  ENCODE_ROOM, &len);

		if (!f->put(f->to, f->out, len))
			return false;
		if (s != HS_E_BLOCK)
			continue;
		at += used;
		used = 1;
		put = true;
		if (b[at].kind == HS_KIND_BLOCK)
			s = feed_long(f, &b[at], &put);
		if (!put)
			return false;
		if (s == HS_OK)
			continue;
		encode_feed_refuse(f, s, &b[at]);
		if (!feed_gap(f))
			return false;
	}
	return true;
}

/* Recordings of processes have no causes; packets of traps do (design/blocks). */
bool encode_feed_gives_cause(struct encode_feed *f, const struct hs_block *b)
{
	if (!f->ended_in_trap || b->kind == HS_KIND_TIME || b->kind == HS_KIND_NOTE ||
	    b->kind == HS_KIND_CONTEXT)
		return false;
	f->ended_in_trap = false;
	return b->kind != HS_KIND_TRAP;
}

void encode_feed_remember(struct encode_feed *f, const struct hs_block *b)
{
	uint32_t cause;

	if (!hs_block_exception_cause(f->image, b, &cause))
		return;
	f->ended_in_trap = true;
	f->cause = (struct hs_block){
		.kind = HS_KIND_TRAP, .itype = HS_ITYPE_EXCEPTION, .priv = b->priv, .arg = cause
	};
}

/* Items up to the first block that ends in an exception, and with it. */
static size_t count_to_trap(const struct hs_block *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (b[i].itype == HS_ITYPE_EXCEPTION && b[i].kind == HS_KIND_BLOCK)
			return i + 1;
	return n;
}

static bool feed_with_causes(struct encode_feed *f, const struct hs_block *b, size_t n)
{
	for (size_t at = 0, some; at < n; at += some) {
		const uint64_t refused = f->refused;

		some = f->ended_in_trap ? 1 : count_to_trap(b + at, n - at);
		if (encode_feed_gives_cause(f, &b[at]) && !feed_items(f, &f->cause, 1))
			return false;
		if (!feed_items(f, b + at, some))
			return false;
		if (f->refused == refused)
			encode_feed_remember(f, &b[at + some - 1]);
	}
	return true;
}

bool encode_feed_adapt(const struct encode_feed *f, const struct hs_block *b, struct hs_block *own)
{
	*own = *b;
	if (f->ecall_traps)
		hs_block_drop_ecall(f->image, own);
	const bool other = f->only_ecalls && own->kind == HS_KIND_BLOCK && own->iretire &&
	                   own->itype == HS_ITYPE_EXCEPTION && !hs_block_at_ecall(f->image, own);

	if (other)
		own->itype = HS_ITYPE_NONE;
	return !other;
}

/* What retired before an exception that cannot be encoded goes without it. */
static bool feed_only_ecalls(struct encode_feed *f, const struct hs_block *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct hs_block own;
		const bool whole = encode_feed_adapt(f, &b[i], &own);

		if (!feed_with_causes(f, &own, 1))
			return false;
		if (whole)
			continue;
		encode_feed_refuse(f, HS_E_BLOCK, &b[i]);
		if (!feed_gap(f))
			return false;
	}
	return true;
}

bool encode_feed_blocks(struct encode_feed *f, const struct hs_block *b, size_t n)
{
	struct hs_block own[BATCH];
	bool good = true;

	if (f->only_ecalls)
		return feed_only_ecalls(f, b, n);
	if (!f->ecall_traps)
		return feed_with_causes(f, b, n);
	for (size_t at = 0, some; good && at < n; at += some) {
		some = n - at < BATCH ? n - at : BATCH;
		for (size_t i = 0; i < some; i++)
			encode_feed_adapt(f, &b[at + i], &own[i]);
		good = feed_with_causes(f, own, some);
	}
	return good;
}

bool encode_feed_end(struct encode_feed *f)
{
	size_t len = 0;

	if (f->ended_in_trap && !feed_items(f, &f->cause, 1))
		return false;
	f->ended_in_trap = false;
	hs_encoder_end(f->encoder, f->out, ENCODE_ROOM, &len);
	return f->put(f->to, f->out, len);
}
