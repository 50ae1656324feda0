/* Listings: what is known of each address, in a hash table. */
#include <string.h>

#include "core/core.h"
#include "guest/guest.h"
#include "listing/private.h"
#include "program/program.h"

static void copy_bytes(const struct hs_image *image, uint64_t addr, uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t left;
		const uint8_t *p = hs_img_bytes(image, addr + i, &left);

		bytes[i] = p ? *p : 0;
	}
}

struct hs_guest_at listing_at(const struct hs_listing *l)
{
	const struct program_at *at = &l->select.at;

	return (struct hs_guest_at){ .context = at->context,
		                     .has_context = at->has_context,
		                     .moment = at->moment,
		                     .has_moment = at->has_moment,
		                     .priv = l->last.priv };
}

/* What is at an address, by the guest or by the program, where the code is theirs. */
static bool find_name(const struct hs_listing *l, uint64_t addr, struct hs_guest_at *at,
                      struct hs_guest_place *place)
{
	*at = listing_at(l);
	at->code.p = hs_img_bytes(program_select_image(&l->select), addr, &at->code.n);
	return hs_guest_name(l->o.guest, l->o.program, at, addr, place);
}

static void find_lines(const struct hs_listing *l, const struct hs_guest_at *at,
                       struct listed_insn *i)
{
	struct hs_guest_line line = { .file = NULL };

	if (!hs_program_is_as_in_file(l->o.program, i->addr, &at->code))
		i->place = (struct hs_place){ .file = NULL };
	else
		hs_program_find_place(l->o.program, i->addr, &i->place);
	if (i->place.file || !l->o.guest || !hs_guest_find_line(l->o.guest, at, i->addr, &line))
		return;
	i->place.file = line.file;
	i->place.line = line.line;
	i->place.column = line.column;
	i->place.inlined = line.inlined;
	i->place.inlined_count = line.inlined_count;
}

static void name_insn(const struct hs_listing *l, struct listed_insn *i)
{
	struct hs_guest_place place;
	struct hs_guest_at at;

	find_name(l, i->addr, &at, &place);
	if (!l->format->bare) /* nothing that it prints depends on lines */
		find_lines(l, &at, i);
	i->place.function = place.label;
	i->place.symbol = place.symbol;
	i->place.offset = place.offset;
	i->place.object = place.file;
	i->own = place.own;
	i->function_start = place.label ? i->addr - place.offset : 0;
	const struct hs_program_function f = { place.function, place.start, place.size,
		                               place.symbol, place.file };

	i->wanted = !l->o.function || hs_program_is_name(l->o.program, &f, l->o.function) ||
	            (place.label && strcmp(place.label, l->o.function) == 0);
}

static void name_target(struct hs_listing *l, struct listed_insn *i, const struct hs_insn *insn)
{
	uint64_t target = insn->target;
	struct hs_guest_place place;
	struct hs_guest_at at;

	if (insn->kind == HS_INSN_TABLE_JUMP || insn->kind == HS_INSN_TABLE_CALL) {
		if (hs_img_table_target(program_select_image(&l->select), insn->index,
		                        &target) != HS_OK)
			return;
	} else if (insn->kind < HS_INSN_BRANCH || insn->kind > HS_INSN_CALL) {
		return;
	}
	i->has_target = true;
	i->target_addr = target;
	if (!find_name(l, target, &at, &place))
		return;
	i->target = place.label;
	i->target_offset = place.offset;
}

static enum hs_status describe_insn(struct hs_listing *l, uint64_t addr, struct listed_insn *i)
{
	const struct hs_image *image = program_select_image(&l->select);
	struct hs_insn insn;

	if (hs_img_insn(image, addr, &insn) != HS_OK)
		return HS_E_NOCODE;
	i->hwords = insn.hwords;
	i->kind = insn.kind;
	copy_bytes(image, addr, i->bytes, 2u * insn.hwords);
	hs_disasm_text(l->o.disasm, addr, i->bytes, 2u * insn.hwords, i->text, sizeof(i->text));
	name_insn(l, i);
	name_target(l, i, &insn);
	return HS_OK;
}

struct insn_key {
	uint64_t addr;
	const struct hs_program *program;
	uint64_t number;
	uint64_t context;
	const struct hs_guest_task *task;
};

static bool same_insn(const void *item, const void *key)
{
	const struct listed_insn *i = item;
	const struct insn_key *k = key;

	return i->addr == k->addr && i->program == k->program && i->number == k->number &&
	       i->context == k->context && i->task == k->task;
}

enum hs_status listing_insn(struct hs_listing *l, uint64_t addr, const struct listed_insn **out)
{
	struct insn_key key = { .addr = addr, .program = l->o.program };

	if (program_select_number(&l->select, addr, HS_INSN_MAX, &key.number) != HS_OK)
		return HS_E_MEMORY;
	if (listing_in_process(l)) {
		key.context = l->select.at.context;
		key.task = l->task;
	}
	const uint32_t hash = support_hash_of(addr, key.number ^ key.context << 20);
	struct listed_insn *known = support_hash_find(&l->insns, hash, same_insn, &key);

	*out = known;
	if (known)
		return HS_OK;
	struct listed_insn fresh = { .addr = addr, .program = l->o.program,
	                             .number = key.number, .context = key.context,
	                             .task = key.task };

	if (describe_insn(l, addr, &fresh) != HS_OK)
		return HS_E_NOCODE;
	if (l->insns.count == LISTING_INSNS_MAX && listing_forget(l) != HS_OK)
		return HS_E_MEMORY;
	fresh.header = listing_header_of(l, &fresh);
	known = fresh.header ? support_hash_add(&l->insns, hash) : NULL;
	if (!known)
		return HS_E_MEMORY;
	*known = fresh;
	*out = known;
	return HS_OK;
}
