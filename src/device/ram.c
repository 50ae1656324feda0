/* The RAM sink, and the way to it through the funnel (TCI 7, 8). */
#include "device/control.h"
#include "device/device.h"

static bool is_smem(const struct hs_tc *tc)
{
	return tc_field(tc, HS_TC_RAM, HS_TCF_RAM_MODE);
}

bool tc_ram_busy(const struct hs_tc *tc)
{
	return tc_enabled(tc, HS_TC_RAM) || tc->partial_n;
}

/* The registers of an address are written one half at a time, so the range is checked only here
 * (design/trace-devices): Start <= WP <= Limit. */
bool tc_ram_can_start(const struct hs_tc *tc)
{
	const uint64_t wp = tc_pair(tc, HS_TC_RAM, HS_TCF_RAM_WP_LOW_BITS);

	return tc_pair(tc, HS_TC_RAM, HS_TCF_RAM_START_LOW_BITS) <= wp &&
	       wp <= tc_pair(tc, HS_TC_RAM, HS_TCF_RAM_LIMIT_LOW_BITS);
}

static void put_le32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static uint32_t get_le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* After a word at trRamLimit comes the one at trRamStart (TCI 7). */
static uint64_t next_word(const struct hs_tc *tc, uint64_t at)
{
	if (at == tc_pair(tc, HS_TC_RAM, HS_TCF_RAM_LIMIT_LOW_BITS))
		return tc_pair(tc, HS_TC_RAM, HS_TCF_RAM_START_LOW_BITS);
	return at + 4;
}

/* False: the bus refused. */
static bool store_word(struct hs_tc *tc)
{
	const uint64_t wp = tc_pair(tc, HS_TC_RAM, HS_TCF_RAM_WP_LOW_BITS);
	const uint64_t next = next_word(tc, wp);
	const uint32_t word = get_le32(tc->partial);

	tc->partial_n = 0;
	if (!is_smem(tc))
		put_le32(tc->memory.sram + wp, word);
	else if (!tc->memory.ops->store(tc->memory.user, wp, word))
		return false;
	tc_set_pair(tc, HS_TC_RAM, HS_TCF_RAM_WP_LOW_BITS, next);
	if (next <= wp)
		tc_set(tc, HS_TC_RAM, HS_TCF_RAM_WRAP, 1);
	return true;
}

static bool has_wrapped(const struct hs_tc *tc)
{
	return tc_pair(tc, HS_TC_RAM, HS_TCF_RAM_WP_LOW_BITS) ==
	       tc_pair(tc, HS_TC_RAM, HS_TCF_RAM_START_LOW_BITS);
}

/* One byte; the sink is enabled.  It may not be any more afterwards. */
static void put_byte(struct hs_tc *tc, uint8_t byte)
{
	tc->partial[tc->partial_n++] = byte;
	if (tc->partial_n < sizeof(tc->partial))
		return;
	if (!store_word(tc) ||
	    (has_wrapped(tc) && tc_field(tc, HS_TC_RAM, HS_TCF_RAM_STOP_ON_WRAP)))
		tc_set(tc, HS_TC_RAM, HS_TCF_RAM_ENABLE, 0);
}

/* trRamEnable went to 0: the last word is filled up with idle bytes (TCI 7). */
void tc_ram_flush(struct hs_tc *tc)
{
	while (tc->partial_n)
		put_byte(tc, tc->fill);
	tc_set(tc, HS_TC_RAM, HS_TCF_RAM_EMPTY, 1);
}

static bool has_funnel(const struct hs_tc *tc)
{
	return tc->profile.components >> HS_TC_FUNNEL & 1u;
}

static bool is_dropped(const struct hs_tc *tc, unsigned input)
{
	return has_funnel(tc) && tc_enabled(tc, HS_TC_FUNNEL) &&
	       (input >= 16 ||
	        (tc_field(tc, HS_TC_FUNNEL, HS_TCF_FUNNEL_DIS_INPUT_MASK) >> input & 1u));
}

bool hs_tc_accepts(const struct hs_tc *tc, unsigned input)
{
	if (has_funnel(tc) && !tc_enabled(tc, HS_TC_FUNNEL))
		return false;
	return is_dropped(tc, input) || tc_enabled(tc, HS_TC_RAM);
}

bool hs_tc_put(struct hs_tc *tc, unsigned input, struct hs_span *in)
{
	if (!hs_tc_accepts(tc, input))
		return in->n == 0;
	const bool dropped = is_dropped(tc, input);

	for (; in->n && (dropped || tc_enabled(tc, HS_TC_RAM)); in->p++, in->n--)
		if (!dropped)
			put_byte(tc, *in->p);
	if (!dropped)
		tc_set(tc, HS_TC_RAM, HS_TCF_RAM_EMPTY, tc->partial_n == 0);
	return in->n == 0;
}

/* ---- trRamData ---------------------------------------------------------------------- */

/* Is there a word at trRamRP, and may it be looked at? */
static bool is_readable(const struct hs_tc *tc)
{
	return !is_smem(tc) && (tc->profile.read_active || !tc_ram_busy(tc));
}

static uint64_t take_read_pointer(struct hs_tc *tc)
{
	const uint64_t rp = tc_pair(tc, HS_TC_RAM, HS_TCF_RAM_RP_LOW_BITS);

	/* Past a limit that was trimmed the pointer goes on to the end of the SRAM. */
	tc_set_pair(tc, HS_TC_RAM, HS_TCF_RAM_RP_LOW_BITS,
	            next_word(tc, rp) & (tc->profile.sram_bytes - 1));
	return rp;
}

uint32_t tc_ram_read(struct hs_tc *tc)
{
	return is_readable(tc) ? get_le32(tc->memory.sram + take_read_pointer(tc)) : 0;
}

void tc_ram_write(struct hs_tc *tc, uint32_t value)
{
	if (!is_smem(tc) && tc->profile.data_write && !tc_ram_busy(tc))
		put_le32(tc->memory.sram + take_read_pointer(tc), value);
}
