/* Listings: what is known of each address, by a hash table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "listing/private.h"

/* About 330 bytes each: 2^18 slots are 90 MB.  A program with more instructions than half of
 * them starts the table afresh now and then. */
#define SLOTS_MAX ((size_t)1 << 18)

static struct listed_insn *slot_of(const struct insn_cache *c, const struct hs_program *program,
                                   uint64_t addr)
{
	size_t i = (size_t)((addr >> 1) * 0x9e3779b97f4a7c15ull >> 32) & (c->slots - 1);

	while (c->v[i].hwords && (c->v[i].addr != addr || c->v[i].program != program))
		i = (i + 1) & (c->slots - 1);
	return &c->v[i];
}

static enum hs_status make_room(struct insn_cache *c)
{
	const struct insn_cache old = *c;

	if (c->v && 2 * (c->used + 1) <= c->slots)
		return HS_OK;
	if (c->slots >= SLOTS_MAX) {
		memset(c->v, 0, c->slots * sizeof(*c->v));
		c->used = 0;
		return HS_OK;
	}
	c->slots = old.slots ? 2 * old.slots : 1024;
	c->v = calloc(c->slots, sizeof(*c->v));
	if (!c->v) {
		*c = old;
		return HS_E_MEMORY;
	}
	for (size_t i = 0; i < old.slots; i++)
		if (old.v[i].hwords)
			*slot_of(c, old.v[i].program, old.v[i].addr) = old.v[i];
	free(old.v);
	return HS_OK;
}

static void fetch(const struct hs_image *image, uint64_t addr, uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t left;
		const uint8_t *p = hs_img_bytes(image, addr + i, &left);

		bytes[i] = p ? *p : 0;
	}
}

static void name_target(struct hs_listing *l, struct listed_insn *i, const struct hs_insn *insn)
{
	uint64_t target = insn->target, start, size;
	const char *name;

	if (insn->kind == HS_INSN_TABLE_JUMP || insn->kind == HS_INSN_TABLE_CALL) {
		if (hs_img_table_target(hs_program_image(l->o.program), insn->index, &target) != HS_OK)
			return;
	} else if (insn->kind < HS_INSN_BRANCH || insn->kind > HS_INSN_CALL) {
		return;
	}
	i->target_addr = target;
	if (!hs_program_function(l->o.program, target, &start, &size, &name))
		snprintf(i->target, sizeof(i->target), "%llx", (unsigned long long)target);
	else if (target == start)
		snprintf(i->target, sizeof(i->target), "%llx <%s>", (unsigned long long)target, name);
	else
		snprintf(i->target, sizeof(i->target), "%llx <%s+0x%llx>", (unsigned long long)target,
		         name, (unsigned long long)(target - start));
}

static enum hs_status learn(struct hs_listing *l, uint64_t addr, struct listed_insn *i)
{
	const struct hs_image *image = hs_program_image(l->o.program);
	struct hs_insn insn;

	if (hs_img_insn(image, addr, &insn) != HS_OK)
		return HS_E_NOCODE;
	i->addr = addr;
	i->program = l->o.program;
	i->hwords = insn.hwords;
	i->kind = insn.kind;
	fetch(image, addr, i->bytes, 2u * insn.hwords);
	hs_disasm_text(l->o.disasm, addr, i->bytes, 2u * insn.hwords, i->text, sizeof(i->text));
	hs_program_place(l->o.program, addr, &i->place);
	i->function_start = i->place.function ? addr - i->place.offset : 0;
	name_target(l, i, &insn);
	return HS_OK;
}

enum hs_status listing_insn(struct hs_listing *l, uint64_t addr, const struct listed_insn **out)
{
	struct insn_cache *c = &l->cache;
	const enum hs_status s = make_room(c);
	struct listed_insn *i;

	if (s != HS_OK)
		return s;
	i = slot_of(c, l->o.program, addr);
	if (!i->hwords) {
		if (learn(l, addr, i) != HS_OK)
			return HS_E_NOCODE;
		c->used++;
	}
	*out = i;
	return HS_OK;
}
