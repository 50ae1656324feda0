/* Parameters, and the byte CONFIG. */
#include "tacit/tacit_config.h"
#include "tacit/tacit_message.h"

#define UNIT 64u

static unsigned own_entries(const struct tacit_config *c)
{
	return c->entries ? c->entries : TACIT_ENTRIES;
}

static unsigned log_of(unsigned n)
{
	unsigned log = 0;

	while (n >> log > 1)
		log++;
	return log;
}

static bool says_entries(const struct tacit_config *c)
{
	const unsigned units = own_entries(c) / UNIT;

	if (own_entries(c) % UNIT || own_entries(c) > TACIT_ENTRIES_MAX)
		return false;
	if (c->config_form == TACIT_CONFIG_LOG)
		return units == 1u << log_of(units);
	return units < (c->config_form == TACIT_CONFIG_AUTO ? 32u : 64u);
}

enum hs_status tacit_config_check(const struct tacit_config *c)
{
	const bool good =
		(c->mode == TACIT_MODE_TARGET || c->mode == TACIT_MODE_PREDICT) &&
		(c->address_bits == 0 || (c->address_bits >= 16 && c->address_bits <= 64)) &&
		c->config_form <= TACIT_CONFIG_LOG && c->fresh <= 1 && c->skip_jumps <= 1 &&
		says_entries(c);

	return good ? HS_OK : HS_E_CONFIG;
}

uint8_t tacit_config_byte(const struct tacit_config *c)
{
	const unsigned units = own_entries(c) / UNIT;

	if (c->config_form == TACIT_CONFIG_LOG)
		return (uint8_t)(0x80u | log_of(units) << 2 | c->mode);
	return (uint8_t)(units << 2 | c->mode);
}

unsigned tacit_config_entries(const struct tacit_config *c, uint8_t byte)
{
	const bool log = c->config_form == TACIT_CONFIG_AUTO ? byte >> 7 != 0
	                                                     : c->config_form == TACIT_CONFIG_LOG;
	const unsigned bits = log ? byte >> 2 & 31u : byte >> 2;

	if (c->entries)
		return c->entries;
	if (!log)
		return bits * UNIT;
	return bits <= log_of(TACIT_ENTRIES_MAX / UNIT) ? UNIT << bits : 0;
}
