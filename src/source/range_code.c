/* Ranges: what the code of a block is to them; kept, as a flow executes the same blocks again and
 * again. */
#include <string.h>

#include "source/range_private.h"

#define CODE_MAX (1u << 20) /* blocks in the table; with more of them it starts afresh */

static bool looks_for(const struct range_mark *m)
{
	return m->at.kind >= HS_POSITION_PC;
}

bool range_looks(const struct hs_range *r)
{
	return r->function || looks_for(&r->from) || looks_for(&r->to);
}

static bool wants_names(const struct hs_range *r)
{
	return r->function || r->from.at.kind == HS_POSITION_FUNCTION ||
	       r->to.at.kind == HS_POSITION_FUNCTION;
}

/* ---- one instruction ------------------------------------------------------------ */

static bool same_label(const void *item, const void *key)
{
	return *(const char *const *)item == key;
}

/* Remember the name of a function that ran. */
static void note_label(struct hs_range *r, const char *label)
{
	const uint32_t hash = support_hash_of((uintptr_t)label, 0);
	const char **fresh;

	if (support_hash_find(&r->labels, hash, same_label, label))
		return;
	fresh = support_hash_add(&r->labels, hash);
	if (fresh)
		*fresh = label;
}

static bool is_called(struct hs_range *r, const struct hs_guest_place *p, const char *wanted)
{
	const struct hs_program_function f = { p->function, p->start, p->size, p->symbol, p->file };

	return hs_program_is_name(r->select.program, &f, wanted) ||
	       (p->label && strcmp(p->label, wanted) == 0);
}

static bool is_at(struct hs_range *r, const struct range_mark *m, const struct range_insn *insn,
                  const struct hs_guest_place *place)
{
	uint64_t bits = 0;

	if (m->at.kind == HS_POSITION_PC)
		return insn->addr == m->at.value;
	if (m->at.kind == HS_POSITION_FUNCTION)
		return place->label && place->offset == 0 && is_called(r, place, m->at.name);
	if (m->at.kind == HS_POSITION_ECALL)
		return range_is_ecall(insn);
	if (m->at.kind != HS_POSITION_BITS)
		return false;
	for (unsigned i = 0; i < 2u * insn->hwords && i < sizeof(bits); i++)
		bits |= (uint64_t)insn->bytes[i] << 8 * i;
	return bits == m->at.value;
}

static void copy_bytes(const struct hs_image *image, struct range_insn *insn)
{
	for (size_t i = 0; i < 2u * insn->hwords; i++) {
		size_t left;
		const uint8_t *p = hs_img_bytes(image, insn->addr + i, &left);

		insn->bytes[i] = p ? *p : 0;
	}
}

bool range_describe(struct hs_range *r, uint8_t priv, struct range_insn *insn)
{
	const struct hs_image *image = program_select_image(&r->select);
	const struct program_at *now = &r->select.at;
	struct hs_guest_at at = { .context = now->context,
		                  .has_context = now->has_context,
		                  .moment = now->moment,
		                  .has_moment = now->has_moment,
		                  .priv = priv };
	struct hs_guest_place place = { .label = NULL };
	struct hs_insn known;

	if (hs_img_insn(image, insn->addr, &known) != HS_OK)
		return false;
	insn->hwords = known.hwords;
	copy_bytes(image, insn);
	if (wants_names(r)) {
		at.code.p = hs_img_bytes(image, insn->addr, &at.code.n);
		hs_guest_name(r->guest, r->select.program, &at, insn->addr, &place);
	}
	if (place.label)
		note_label(r, place.label);
	insn->from = is_at(r, &r->from, insn, &place);
	insn->to = is_at(r, &r->to, insn, &place);
	insn->wanted = !r->function || is_called(r, &place, r->function);
	return true;
}

/* ---- a block ---------------------------------------------------------------------- */

static bool same_code(const void *item, const void *key)
{
	const struct range_code *a = item, *b = key;

	return a->iaddr == b->iaddr && a->iretire == b->iretire && a->number == b->number &&
	       a->program == b->program && a->context == b->context && a->task == b->task;
}

static void describe_block(struct hs_range *r, const struct hs_block *b, struct range_code *code)
{
	const unsigned xlen = program_select_image(&r->select)->isa.xlen;
	struct range_insn insn = { .addr = b->iaddr };

	code->a7.is = PROGRAM_A7_KEPT;
	for (; insn.addr < hs_block_end(b); insn.addr += 2u * insn.hwords) {
		if (!range_describe(r, b->priv, &insn)) {
			code->has_unwanted |= r->function != NULL;
			code->a7.is = PROGRAM_A7_UNKNOWN;
			return;
		}
		range_follow_a7(&code->a7, &insn, xlen);
		code->has_from |= insn.from;
		code->has_to |= insn.to;
		code->has_wanted |= insn.wanted;
		code->has_unwanted |= !insn.wanted;
	}
}

const struct range_code *range_code_of(struct hs_range *r, const struct hs_block *b)
{
	struct range_code key = { .iaddr = b->iaddr,
		                  .iretire = b->iretire,
		                  .program = r->select.program };

	if (program_select_number(&r->select, b->iaddr, 2u * (uint64_t)b->iretire, &key.number) !=
	    HS_OK)
		return NULL;
	if (r->guest && (b->priv == HS_PRIV_U || b->priv == HS_PRIV_VU)) {
		key.context = r->select.at.context;
		key.task = r->task;
	}
	const uint64_t more = (uint64_t)b->iretire << 40 ^ key.number ^ key.context << 20;
	const uint32_t hash = support_hash_of(b->iaddr, more);
	struct range_code *known = support_hash_find(&r->code, hash, same_code, &key);

	if (known)
		return known;
	if (r->code.count == CODE_MAX)
		support_hash_clear(&r->code);
	describe_block(r, b, &key);
	known = support_hash_add(&r->code, hash);
	if (known)
		*known = key;
	return known;
}
