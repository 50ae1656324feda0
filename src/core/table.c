/* Basic blocks of an image, built when an address is first reached. */
#include <hartscope/image.h>

#include "core/mem.h"
#include "core/image.h"
#include "core/image_word.h"

#define SLOTS_PER_ENTRY 2u /* hash slots: at most half of them are in use */
/* Hash slots at first: a program reaches few of the entries for which there is room, and slots
 * that are not cleared are no memory of the host. */
#define SLOTS_FIRST 4096u

static uint32_t hash_size_for(uint32_t capacity)
{
	uint32_t n = 16;

	while (n < capacity * SLOTS_PER_ENTRY)
		n *= 2;
	return n;
}

size_t hs_bb_memory(uint32_t capacity)
{
	return (size_t)capacity * (sizeof(struct hs_bb) + sizeof(uint64_t)) +
	       (size_t)hash_size_for(capacity) * sizeof(uint32_t);
}

static void clear_slots(struct hs_bb_table *t, uint32_t count)
{
	t->hash_size = count;
	memset(t->hash, 0, count * sizeof *t->hash);
}

static void start_afresh(struct hs_bb_table *t)
{
	const uint32_t most = hash_size_for(t->capacity);

	clear_slots(t, most < SLOTS_FIRST ? most : SLOTS_FIRST);
	t->count = HS_BB_FIRST;
	t->generation++;
	t->version++;
}

enum hs_status hs_bb_init(struct hs_bb_table *t, const struct hs_image *image, void *memory,
                          uint32_t capacity)
{
	if (!memory || (uintptr_t)memory % _Alignof(uint64_t) || capacity < 16 ||
	    capacity > (uint32_t)1 << 28)
		return HS_E_ARG;
	memset(t, 0, sizeof *t);
	t->image = image;
	t->capacity = capacity;
	t->bbs = memory;
	t->starts = (uint64_t *)(void *)(t->bbs + capacity);
	t->hash = (uint32_t *)(void *)(t->starts + capacity);
	memset(t->bbs, 0, HS_BB_FIRST * sizeof *t->bbs);
	start_afresh(t);
	return HS_OK;
}

void hs_bb_forget(struct hs_bb_table *t)
{
	start_afresh(t);
}

static uint32_t slot_of(const struct hs_bb_table *t, uint64_t addr)
{
	return (uint32_t)((addr >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (t->hash_size - 1);
}

/* The first free slot for an address that has no entry. */
static uint32_t free_slot(const struct hs_bb_table *t, uint64_t addr)
{
	uint32_t slot = slot_of(t, addr);

	while (t->hash[slot])
		slot = (slot + 1) & (t->hash_size - 1);
	return slot;
}

/* Twice as many slots. */
static void grow_slots(struct hs_bb_table *t)
{
	clear_slots(t, 2 * t->hash_size);
	for (uint32_t i = HS_BB_FIRST; i < t->count; i++)
		t->hash[free_slot(t, t->bbs[i].start)] = i;
}

/* The instructions of one entry, while it is being built. */
struct build {
	struct hs_insn last;
	uint64_t starts;
	unsigned hwords;
	bool sijump;
};

/* Collect instructions from @addr up to one that can change the PC, to the end of the code,
 * or to HS_BB_HWORDS. */
static bool collect(const struct hs_bb_table *t, uint64_t addr, struct build *b)
{
	const unsigned xlen = t->image->isa.xlen == 32 ? 32 : 64;

	memset(b, 0, sizeof *b);
	while (b->hwords == 0 || b->last.kind == HS_INSN_LINEAR) {
		struct hs_insn insn;
		uint64_t target;

		if (hs_img_insn(t->image, addr + 2u * b->hwords, &insn) != HS_OK ||
		    b->hwords + insn.hwords > HS_BB_HWORDS)
			break;
		/* The last instruction of a full entry must not be the first of a pair (NT 9.1). */
		if (insn.constant && b->hwords && b->hwords + insn.hwords + 2u > HS_BB_HWORDS)
			break;
		b->starts |= (uint64_t)1 << b->hwords;
		b->sijump = b->hwords && hs_isa_sequential(&b->last, &insn, xlen, &target);
		b->hwords += insn.hwords;
		b->last = insn;
	}
	return b->hwords != 0;
}

static uint64_t word_of(const struct build *b)
{
	struct hs_block block;

	memset(&block, 0, sizeof block);
	block.iretire = b->hwords;
	block.ilast = b->last.hwords;
	block.itype = (uint8_t)hs_isa_itype4(b->last.kind, true);
	block.priv = HS_PRIV_UNKNOWN;
	block.sijump = b->sijump;
	return img_word(&block);
}

static uint8_t flags_of(const struct build *b)
{
	const bool call = b->last.kind == HS_INSN_CALL || b->last.kind == HS_INSN_TABLE_CALL;

	return (uint8_t)((b->sijump ? HS_BB_SIJUMP : 0) | (call ? HS_BB_CALL : 0) |
	                 (b->last.kind == HS_INSN_BRANCH ? HS_BB_BRANCH : 0));
}

static void fill(struct hs_bb_table *t, uint32_t i, uint64_t addr, const struct build *b)
{
	t->bbs[i] = (struct hs_bb){
		.start = addr,
		.word = word_of(b),
		.hwords = (uint8_t)b->hwords,
		.kind = b->last.kind,
		.flags = flags_of(b),
		.ilast = b->last.hwords,
	};
	t->starts[i] = b->starts;
}

static uint32_t add(struct hs_bb_table *t, uint64_t addr)
{
	struct build b;

	if (!collect(t, addr, &b))
		return HS_BB_NOCODE;
	if (t->count == t->capacity)
		start_afresh(t);
	else if (SLOTS_PER_ENTRY * (t->count + 1) > t->hash_size)
		grow_slots(t);
	const uint32_t i = t->count++;
	fill(t, i, addr, &b);
	t->hash[free_slot(t, addr)] = i;
	return i;
}

uint32_t hs_bb_at(struct hs_bb_table *t, uint64_t addr)
{
	uint32_t slot = slot_of(t, addr);

	if (addr & 1)
		return HS_BB_NOCODE;
	for (uint32_t i; (i = t->hash[slot]) != 0; slot = (slot + 1) & (t->hash_size - 1))
		if (t->bbs[i].start == addr)
			return i;
	return add(t, addr);
}

/* Bytes after an entry that its building reads: the instruction that would not fit. */
#define READ_AHEAD HS_INSN_MAX
#define ENTRY_REACH (2u * HS_BB_HWORDS + READ_AHEAD)

static bool build_again(struct hs_bb_table *t, uint64_t addr)
{
	struct build b;
	uint32_t slot = slot_of(t, addr);

	while (t->hash[slot] && t->bbs[t->hash[slot]].start != addr)
		slot = (slot + 1) & (t->hash_size - 1);
	const uint32_t i = t->hash[slot];

	if (i == 0)
		return true;
	if (!collect(t, addr, &b))
		return false;
	fill(t, i, addr, &b);
	return true;
}

/* Does the table of targets (Zcmt) have any of these bytes?  Entries keep what it says. */
static bool has_targets(const struct hs_image *image, uint64_t start, uint64_t size)
{
	const uint64_t bytes = 256u * (image->isa.xlen == 32 ? 4u : 8u);

	return image->jvt && start < image->jvt + bytes && image->jvt < start + size;
}

void hs_bb_change(struct hs_bb_table *t, uint64_t start, uint64_t size)
{
	const uint64_t from = start > ENTRY_REACH ? (start - ENTRY_REACH) & ~(uint64_t)1 : 0;
	bool good = size / 2 < t->count && !has_targets(t->image, start, size);

	t->version++;
	for (uint64_t at = from; good && at - from < start - from + size; at += 2)
		good = build_again(t, at);
	if (!good)
		start_afresh(t);
}

enum hs_status hs_bb_target(const struct hs_bb_table *t, uint32_t i, uint64_t *target)
{
	const struct hs_bb *b = &t->bbs[i];
	const uint64_t pc = b->start + 2u * (uint64_t)(b->hwords - b->ilast);
	const unsigned xlen = t->image->isa.xlen == 32 ? 32 : 64;
	struct hs_insn insn, before;

	if (hs_img_insn(t->image, pc, &insn) != HS_OK)
		return HS_E_NOCODE;
	switch (insn.kind) {
	case HS_INSN_BRANCH:
	case HS_INSN_JUMP:
	case HS_INSN_CALL:
		*target = insn.target;
		return HS_OK;
	case HS_INSN_TABLE_JUMP:
	case HS_INSN_TABLE_CALL:
		return hs_img_table_target(t->image, insn.index, target);
	default:
		break;
	}
	if (!(b->flags & HS_BB_SIJUMP))
		return HS_E_NOCODE;
	const unsigned size = hs_bb_size_before(t, i, b->hwords - b->ilast);
	if (hs_img_insn(t->image, pc - 2u * size, &before) != HS_OK ||
	    !hs_isa_sequential(&before, &insn, xlen, target))
		return HS_E_NOCODE;
	return HS_OK;
}

/* Where an edge is kept. */
static uint32_t *edge_slot(struct hs_bb *b, unsigned which)
{
	switch (b->kind) {
	case HS_INSN_BRANCH:
		return &b->edge[which];
	case HS_INSN_JUMP:
	case HS_INSN_CALL:
		return which ? &b->edge[1] : NULL;
	case HS_INSN_LINEAR:
	case HS_INSN_ECALL:
	case HS_INSN_EBREAK:
	case HS_INSN_CUSTOM:
		return which ? NULL : &b->next;
	default:
		return which ? &b->next : NULL;
	}
}

uint32_t hs_bb_edge(struct hs_bb_table *t, uint32_t i, unsigned which)
{
	const uint32_t generation = t->generation;
	uint64_t addr = t->bbs[i].start + 2u * (uint64_t)t->bbs[i].hwords;
	uint32_t *slot = edge_slot(&t->bbs[i], which);

	if (!slot)
		return HS_BB_NOCODE;
	if (*slot != HS_BB_UNKNOWN)
		return *slot;
	if (which && hs_bb_target(t, i, &addr) != HS_OK)
		return HS_BB_NOCODE;
	if (t->image->isa.xlen == 32)
		addr &= UINT32_MAX;
	const uint32_t to = hs_bb_at(t, addr);
	if (t->generation != generation)
		return to;
	*slot = to;
	if (t->bbs[i].kind == HS_INSN_JUMP || t->bbs[i].kind == HS_INSN_CALL)
		t->bbs[i].edge[0] = to; /* whatever the history says */
	return to;
}

bool hs_bb_boundary(const struct hs_bb_table *t, uint32_t i, unsigned off)
{
	return off == t->bbs[i].hwords || (off < HS_BB_HWORDS && (t->starts[i] >> off & 1));
}

unsigned hs_bb_size_before(const struct hs_bb_table *t, uint32_t i, unsigned off)
{
	unsigned at = off;

	while (at-- > 0)
		if (t->starts[i] >> at & 1)
			return off - at;
	return 0;
}
