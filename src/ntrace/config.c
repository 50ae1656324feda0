/* Parameters: check what the caller gives, and fill in defaults (design/interface). */
#include "ntrace/nt_message.h"
#include "ntrace/tables.h"

#include "core/config.h"
#include "ntrace/nt_reader.h"

#define SYNC_SAMPLE 15u

/* @v is 0, which stands for the default, or within bounds. */
static bool between(unsigned v, unsigned low, unsigned high)
{
	return v == 0 || (v >= low && v <= high);
}

static bool sizes_good(const struct hs_nt_config *c)
{
	return between(c->icnt_bits, 4, 22) && c->hist_bits <= 31 &&
	       between(c->call_stack, 1, HS_RETURNS) && between(c->return_bits, 2, 63) &&
	       between(c->hrepeat_bits, 1, 18) && between(c->address_bits, 2, 63) &&
	       between(c->tstamp_bits, 1, 64) && c->src_bits <= 12 &&
	       c->src_id >> c->src_bits == 0 && c->sync_max <= 15 && between(c->itype_bits, 3, 4) &&
	       (c->xlen == 0 || c->xlen == 32 || c->xlen == 64);
}

static bool choices_good(const struct hs_nt_config *c)
{
	const bool mode = c->inst_mode == 0 || c->inst_mode == HS_NT_BTM ||
	                  c->inst_mode == HS_NT_HTM;
	const struct hs_nt_dialect *dialect = hs_nt_dialect_get(c->dialect);
	/* There such a message is a sample, and begins no trace. */
	const bool begins = !dialect || !dialect->more || c->start_sync != SYNC_SAMPLE;
	const bool sync = c->sync_mode <= HS_NT_SYNC_HALFWORDS || c->sync_mode == HS_NT_SYNC_BYTES;

	return mode && sync && begins && c->icnt_full <= HS_NT_ICNT_SYNC && c->start_sync <= 15 &&
	       c->stop_evcode <= 15 && c->dialect < HS_NT_DIALECT_COUNT && c->implicit_return <= 3;
}

enum hs_status nt_config_take(struct hs_nt_config *own, const struct hs_nt_config *given)
{
	const enum hs_status s = base_take_config(own, sizeof *own, given);

	if (s != HS_OK)
		return s;
	/* NT Table 2: an itype of 3 bits does not distinguish calls and returns. */
	if (own->implicit_return && own->itype_bits == 3)
		return HS_E_CONFIG;
	if (!sizes_good(own) || !choices_good(own))
		return HS_E_CONFIG;
	if (own->inhibit_src)
		own->src_bits = 0;
	return HS_OK;
}

uint64_t hs_nt_address(const struct hs_nt_config *c, const struct hs_nt_msg *m, enum hs_nt_field f)
{
	/* Which bit stands for those above it: the top one sent, or that of address_bits? */
	const bool sent = c->extend_addr && !c->address_bits;

	return nt_extended(m->field[f], sent ? nt_top_sent(m) : nt_top_of(c)) << 1;
}

enum hs_status hs_nt_config_check(const struct hs_nt_config *c)
{
	struct hs_nt_config own;

	return nt_config_take(&own, c);
}

static void replace_zero(uint8_t *v, unsigned standard)
{
	if (*v == 0)
		*v = (uint8_t)standard;
}

void nt_config_resolve(struct hs_nt_config *c)
{
	const struct hs_nt_dialect *dialect = hs_nt_dialect_get(c->dialect);

	replace_zero(&c->inst_mode, HS_NT_HTM);
	replace_zero(&c->icnt_bits, dialect->icnt_bits ? dialect->icnt_bits : 22);
	replace_zero(&c->hist_bits, 31);
	replace_zero(&c->start_sync, dialect->start_sync);
	if (c->call_stack == 0)
		c->call_stack = NT_CALL_STACK;
	replace_zero(&c->return_bits, 16);
	replace_zero(&c->hrepeat_bits, 18);
	replace_zero(&c->itype_bits, 4);
	replace_zero(&c->xlen, 64);
	replace_zero(&c->tstamp_bits, 64);
}
