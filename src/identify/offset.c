/* Where a program seems to be loaded.  Most addresses of a trace are targets of jumps that no
 * instruction names: they are after calls, or begin functions.  Few half-words of a program are, so
 * that a dozen addresses decide by how much it was moved. */
#include <stdlib.h>

#include "identify/private.h"
#include "support/grow.h"

#define PAGE UINT64_C(4096)
#define PLACES 65536 /* that are tried at most: 256 MiB of code */
#define PIVOTS 8     /* addresses of which one is a target */
#define PROBE 16     /* addresses, of which more than LEAST_PROBE have to be targets */
#define LEAST_PROBE 5
#define LEAST_ADDRESSES 4
#define LEAST_HITS 600 /* of 1,000 */

/* ---- targets ------------------------------------------------------------------------------ */

static void add_target(struct identify_targets *t, uint64_t address)
{
	size_t bit;

	if (!identify_bit_of(t->code, address, &bit) || !identify_is_code(t->code, address) ||
	    t->bits[bit / 8] >> bit % 8 & 1)
		return;
	if (!support_grow(&t->list, &t->room, t->count + 1, sizeof(*t->list)))
		return;
	t->bits[bit / 8] |= (uint8_t)(1u << bit % 8);
	t->list[t->count++] = address;
}

/* After a call it returns to; after a return or a jump the next function may begin. */
static bool is_before_target(unsigned kind)
{
	switch (kind) {
	case HS_INSN_CALL:
	case HS_INSN_CALL_IND:
	case HS_INSN_SWAP:
	case HS_INSN_TABLE_CALL:
	case HS_INSN_RETURN:
	case HS_INSN_JUMP_IND:
		return true;
	default:
		return false;
	}
}

static void scan_section(struct identify_targets *t, const struct hs_section *s)
{
	struct hs_insn insn = { .hwords = 1 };

	for (size_t at = 0; at + 1 < s->size; at += 2u * insn.hwords) {
		const uint64_t pc = s->start + at;

		if (hs_isa_decode(&t->code->image->isa, pc, s->bytes + at, s->size - at, &insn) !=
		    HS_OK)
			return;
		if (insn.kind == HS_INSN_CALL)
			add_target(t, insn.target);
		if (is_before_target(insn.kind))
			add_target(t, pc + 2u * insn.hwords);
	}
}

bool identify_find_targets(const struct identify_code *code, struct identify_targets *out)
{
	const struct hs_image *image = code->image;

	*out = (struct identify_targets){
		.code = code,
		.bits = calloc(code->bytes, 1),
		.mask = image->isa.xlen == 32 ? UINT32_MAX : UINT64_MAX,
	};
	for (size_t i = 0; out->bits && i < image->count; i++)
		scan_section(out, &image->sections[i]);
	return out->bits != NULL;
}

void identify_drop_targets(struct identify_targets *t)
{
	free(t->bits);
	free(t->list);
	*t = (struct identify_targets){ .bits = NULL };
}

bool identify_is_target(const struct identify_targets *t, uint64_t address)
{
	size_t bit;

	return identify_bit_of(t->code, address & t->mask, &bit) && t->bits[bit / 8] >> bit % 8 & 1;
}

int64_t identify_offset_of(const struct identify_targets *t, uint64_t by)
{
	return t->mask == UINT32_MAX ? (int32_t)(uint32_t)by : (int64_t)by;
}

/* ---- by targets --------------------------------------------------------------------------- */

/* Of 1,000 addresses those that are targets; 0 where few are. */
static unsigned count_hits(const struct identify_targets *t, const uint64_t *addresses,
                           size_t count, uint64_t by)
{
	unsigned hits = 0;

	for (size_t i = 0; i < count; i++) {
		if (i == PROBE && hits <= LEAST_PROBE)
			return 0;
		hits += identify_is_target(t, addresses[i] - by);
	}
	return (unsigned)(hits * 1000 / count);
}

static void keep(struct identify_move out[IDENTIFY_MOVES], size_t *n, uint64_t by, unsigned hits)
{
	size_t at = *n;

	for (size_t i = 0; i < *n; i++)
		if (out[i].by == by)
			return;
	for (; at && out[at - 1].hits < hits; at--)
		if (at < IDENTIFY_MOVES)
			out[at] = out[at - 1];
	if (at == IDENTIFY_MOVES)
		return;
	*n += *n < IDENTIFY_MOVES;
	out[at] = (struct identify_move){ by, hits };
}

size_t identify_find_moves(const struct identify_targets *t, const uint64_t *addresses,
                           size_t count, struct identify_move out[IDENTIFY_MOVES])
{
	size_t n = 0;

	for (size_t p = 0; count >= LEAST_ADDRESSES && p < count && p < PIVOTS; p++)
		for (size_t i = 0; i < t->count; i++) {
			const uint64_t by = (addresses[p] - t->list[i]) & t->mask;
			const unsigned hits = count_hits(t, addresses, count, by);

			if (hits >= LEAST_HITS)
				keep(out, &n, by, hits);
		}
	return n;
}

void identify_add_address(uint64_t *addresses, size_t *count, size_t room, uint64_t address)
{
	for (size_t i = 0; i < *count; i++)
		if (addresses[i] == address)
			return;
	if (*count < room)
		addresses[(*count)++] = address;
}

void identify_add_offset(int64_t out[IDENTIFY_OFFSETS], size_t *n, int64_t offset)
{
	for (size_t i = 0; i < *n; i++)
		if (out[i] == offset)
			return;
	if (offset && *n < IDENTIFY_OFFSETS)
		out[(*n)++] = offset;
}

/* ---- by pages ----------------------------------------------------------------------------- */

static size_t count_in_code(const struct identify_code *code, const uint64_t *addresses,
                            size_t count, uint64_t move)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += identify_is_code(code, addresses[i] - move);
	return n;
}

/* Is it a multiple of a higher power of 2?  Loaders prefer such places. */
static bool is_rounder(uint64_t a, uint64_t b)
{
	return (a & -a) > (b & -b);
}

bool identify_find_offset(const struct identify_code *code, const uint64_t *addresses, size_t count,
                          int64_t *offset)
{
	uint64_t least = UINT64_MAX, most = 0;
	size_t best = 0;

	for (size_t i = 0; i < count; i++) {
		least = addresses[i] < least ? addresses[i] : least;
		most = addresses[i] > most ? addresses[i] : most;
	}
	if (count < 4 || most - least > code->most - code->least)
		return false;
	const uint64_t first = (most - code->most + PAGE - 1) & ~(PAGE - 1);

	for (unsigned i = 0; i < PLACES; i++) {
		const uint64_t move = first + i * PAGE;

		if ((int64_t)(least - code->least - move) < 0)
			break;
		const size_t n = move ? count_in_code(code, addresses, count, move) : 0;

		if (n > best || (n && n == best && is_rounder(move, (uint64_t)*offset))) {
			best = n;
			*offset = (int64_t)move;
		}
	}
	return best * 10 >= count * 9;
}
