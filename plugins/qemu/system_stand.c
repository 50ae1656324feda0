/* Where a hart stands when QEMU stops executing it: in a wfi, and when the machine is reset, is
 * stopped, or goes off.
 *
 * Elsewhere the next run shows how much of the run before retired; here there may be none, and the
 * pc shows it.  A hart that continues at another pc than where it stood was reset: traps and jumps
 * come later.
 */
#include "marks.h"
#include "system_hart.h"

#define SYNC_RESET 1u    /* NT Table 25: exit from reset */
#define STOP_DISABLED 4u /* NT Table 23 */

static void set_stand(struct hs_wire_hart *h, uint32_t hwords, uint64_t pc)
{
	h->still.stand[0] = HS_REC_WORD(HS_REC_ESCAPE_STAND, hwords);
	h->still.stand[1] = (uint32_t)pc;
	h->still.stand[2] = (uint32_t)(pc >> 32);
	__atomic_store_n(&h->still.stand_cursor, h->cursor, __ATOMIC_RELEASE);
}

void system_stand_begin(unsigned vcpu)
{
	struct recorded_hart *s = system_hart(vcpu);
	struct hs_wire_hart *h = plugin_ring(vcpu);
	enum way way = WAY_ALL;
	uint64_t pc;

	if (h == NULL || !s->began || !plugin_recording())
		return;
	system_hart_catch_up(s);
	plugin_ring_settle(h);
	s->stand = pc = sys_read(&s->registers, SYS_PC);
	if (s->last != NULL)
		way = system_way_stand(s, (unsigned)sys_read(&s->registers, SYS_PRIV) & 7u, &pc);
	if (way == WAY_ALL)
		set_stand(h, HS_REC_STAND_ALL, pc);
	else if (way == WAY_INSIDE)
		set_stand(h, (uint32_t)((pc - system_last(s).start) / 2), pc);
}

static void push_event(struct hs_wire_hart *h, unsigned kind, unsigned itype, uint64_t value)
{
	const struct hs_block event = { .value = value, .itype = (uint8_t)itype,
		                        .kind = (uint8_t)kind };

	plugin_ring_block(h, &event);
}

void system_stand_reset(struct recorded_hart *s, struct hs_wire_hart *h, uint64_t pc)
{
	const bool known = h->still.stand_cursor == h->cursor && h->outcomes == 1;

	plugin_ring_settle(h);
	for (unsigned i = 0; known && i < 3; i++)
		plugin_push(h, h->still.stand[i]);
	if (!known)
		plugin_ring_event(h, HS_KIND_NOTE, 0, HS_NOTE_PARTIAL);
	push_event(h, HS_KIND_STOP, STOP_DISABLED, 0);
	push_event(h, HS_KIND_SYNC, SYNC_RESET, pc);
	system_hart_follow(s, NULL, 0);
	s->mode = s->after = HS_PRIV_M;
}

void system_stand_end(unsigned vcpu)
{
	struct recorded_hart *s = system_hart(vcpu);
	struct hs_wire_hart *h = plugin_ring(vcpu);

	if (h == NULL || !s->began || !plugin_recording())
		return;
	const uint64_t pc = sys_read(&s->registers, SYS_PC);

	if (pc != s->stand) {
		system_stand_reset(s, h, pc);
		system_space_changed(vcpu, &s->registers);
		s->looks = true;
	}
	__atomic_store_n(&h->still.stand_cursor, 0, __ATOMIC_RELEASE);
}
