/* What the code of a block contains, decoded once for blocks that come often. */
#include "core/core.h"
#include "ctr_host/replay_private.h"

static enum hs_ctr_type type_of_itype(unsigned itype)
{
	if (itype == HS_ITYPE_NOT_TAKEN || itype == HS_ITYPE_TAKEN)
		return HS_CTR_TAKEN;
	return itype > HS_ITYPE_RESERVED ? (enum hs_ctr_type)itype : HS_CTR_NO_TRANSFER;
}

/* The code is not known: the block's itype is all there is. */
static void use_itype(struct replay_code *k, const struct hs_block *b)
{
	k->instructions = 0;
	k->changes = false;
	k->type = (uint8_t)type_of_itype(b->itype);
	k->kind = k->type == HS_CTR_TAKEN     ? HS_INSN_BRANCH
	          : b->itype == HS_ITYPE_XRET ? HS_INSN_XRET
	                                      : HS_INSN_LINEAR;
	k->last = hs_block_end(b) - 2u * b->ilast;
}

uint32_t replay_bits(const struct hs_image *image, uint64_t at)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < 4; i++) {
		size_t n;
		const uint8_t *byte = hs_img_bytes(image, at + i, &n);

		bits |= byte ? (uint32_t)*byte << 8 * i : 0;
	}
	return bits;
}

static void decode_block(enum hs_ctr_version version, const struct replay_track *t, uint64_t number,
                         const struct hs_block *b, struct replay_code *k)
{
	const struct hs_image *image = t->hart.image;
	const uint64_t end = hs_block_end(b);
	struct hs_insn insn = { 0 };
	uint64_t at = b->iaddr;

	*k = (struct replay_code){ .iaddr = b->iaddr,
		                   .iretire = b->iretire,
		                   .program = t->hart.program,
		                   .number = number,
		                   .last = end - 2u * b->ilast,
		                   .kind = HS_INSN_LINEAR };
	while (at < end && hs_img_insn(image, at, &insn) == HS_OK && 2u * insn.hwords <= end - at) {
		k->instructions++;
		if (insn.kind == HS_INSN_LINEAR && insn.hwords == 2)
			k->changes |= replay_changes(version, replay_bits(image, at));
		k->last = at;
		at += 2u * insn.hwords;
	}
	if (at != end) {
		use_itype(k, b);
		return;
	}
	k->kind = insn.kind;
	k->type = (uint8_t)hs_ctr_type_of(&insn, true);
	k->target = insn.target;
	if (insn.kind == HS_INSN_TABLE_JUMP || insn.kind == HS_INSN_TABLE_CALL)
		hs_img_table_target(image, insn.index, &k->target);
}

const struct replay_code *replay_code_of(struct hs_ctr_replay *r, const struct replay_track *t,
                                         const struct hs_block *b, uint64_t number)
{
	const uint64_t h = (b->iaddr ^ (uint64_t)b->iretire << 40 ^ number << 20) *
	                   UINT64_C(0x9e3779b97f4a7c15);
	struct replay_code *k = &r->cache[h >> 32 & (REPLAY_CACHE - 1)];

	if (k->iretire != b->iretire || k->iaddr != b->iaddr || k->program != t->hart.program ||
	    k->number != number || !k->instructions)
		decode_block((enum hs_ctr_version)r->start.config.version, t, number, b, k);
	return k;
}
