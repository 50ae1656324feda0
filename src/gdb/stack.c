/* The frames of an instruction: a caller's block is the last one before that has fewer frames. */
#include "gdb/player.h"
#include "source/source.h"

static uint64_t function_at(const struct gdb_player *p, uint64_t pc, uint8_t priv)
{
	const struct hs_guest_at at = { .context = p->select.at.context,
		                        .has_context = p->select.at.has_context,
		                        .priv = priv };
	struct hs_guest_place place;

	hs_guest_name(hs_source_guest(p->source), p->select.program, &at, pc, &place);
	return place.function ? place.start : 0;
}

/* Read the blocks up to the current one with their stacks, from the start where that is near. */
static bool follow_stacks(struct gdb_player *p)
{
	const uint64_t now = p->now;

	if (p->followed.stacks)
		return true;
	p->followed.wants_stacks = true;
	p->run_count = 0;
	p->at = UINT64_MAX; /* so that it is read again */
	return gdb_player_go(p, now < GDB_LEAD ? 0 : now - GDB_LEAD) == GDB_STEPPED &&
	       gdb_player_go(p, now) == GDB_STEPPED;
}

size_t gdb_player_stack(struct gdb_player *p, struct gdb_frame *frames, bool *more)
{
	size_t n = 0;

	if (!follow_stacks(p))
		return 0;
	const struct gdb_run *r = &p->runs[p->run];
	uint32_t depth = r->depth;

	frames[n++] = (struct gdb_frame){ p->pc, function_at(p, p->pc, r->priv), depth };
	while (r > p->runs && n < GDB_FRAMES && depth > 1) {
		if (r->stack_begins)
			break;
		r--;
		if (r->depth >= depth)
			continue;
		const uint64_t pc = r->iaddr + 2u * (uint64_t)r->hwords;

		depth = r->depth;
		frames[n++] = (struct gdb_frame){ pc, function_at(p, pc - 2, r->priv), depth };
	}
	*more = depth > 1 || p->followed.stacks_from;
	return n;
}
