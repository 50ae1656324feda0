/* Widths of the port: their ranges, and what 0 stands for. */
#include "ingress/port.h"

#include "core/config.h"

static bool is_within(unsigned v, unsigned low, unsigned high)
{
	return v >= low && v <= high;
}

static unsigned xlen_of(const struct hs_port_config *c)
{
	return c->isa.xlen ? c->isa.xlen : 64;
}

static void use_default(uint8_t *width, unsigned v)
{
	if (*width == 0)
		*width = (uint8_t)v;
}

static void use_defaults(struct hs_port_config *c)
{
	use_default(&c->slots, 1);
	use_default(&c->iaddress_width, xlen_of(c));
	use_default(&c->ecause_width, c->form == HS_PORT_INSN ? 16 : 32);
	use_default(&c->privilege_width, 3);
	use_default(&c->insn_width, 32);
	use_default(&c->itype_width, 4);
	use_default(&c->iretire_width, 10);
	if (!c->accesses)
		return;
	use_default(&c->dtype_width, 4);
	use_default(&c->daddress_width, xlen_of(c));
	use_default(&c->dsize_width, 2);
	use_default(&c->data_width, c->split ? xlen_of(c) : 2 * xlen_of(c));
	use_default(&c->lrid_width, 8);
}

static bool is_good(const struct hs_port_config *c)
{
	const unsigned xlen = xlen_of(c);

	return (xlen == 32 || xlen == 64) && c->form <= HS_PORT_BLOCK &&
	       c->slots <= HS_PORT_SLOTS && is_within(c->iaddress_width, 2, xlen) &&
	       c->ecause_width <= 32 && c->privilege_width <= 4 && c->context_width <= 64 &&
	       c->cycle_time <= (c->time_width == 0);
}

static bool is_good_insn_form(const struct hs_port_config *c)
{
	return c->iaddress_width == xlen_of(c) && c->ecause_width <= 16 && c->context_width <= 32 &&
	       (c->insn_width == 32 || c->insn_width == 64 || c->insn_width == 128) &&
	       c->user_width <= 256 && c->retract_width <= 6 &&
	       c->compressed <= (c->insn_width == 32);
}

static bool is_good_block_form(const struct hs_port_config *c)
{
	return is_within(c->itype_width, 3, 4) && c->iretire_width <= 10 &&
	       c->ilastsize_width <= 2 && c->sijump <= 1 && c->time_width <= 64 &&
	       c->ctype_width <= 2 && c->impdef_width <= 64 && c->trcstate <= 1;
}

static bool is_good_data(const struct hs_port_config *c)
{
	if (!c->accesses)
		return true;
	return c->form == HS_PORT_BLOCK && c->accesses <= HS_PORT_SLOTS && c->split <= 1 &&
	       c->dtype_width <= 4 && c->daddress_width <= 64 && c->dsize_width <= 3 &&
	       is_within(c->data_width, 8, c->split ? 64 : 128) && c->data_width % 2 == 0 &&
	       c->iaddr_lsbs_width <= 12 && c->lrid_width <= 8;
}

enum hs_status hs_port_config_resolve(const struct hs_port_config *given,
                                      struct hs_port_config *out)
{
	struct hs_port_config c;

	if (base_take_config(&c, sizeof c, given) != HS_OK)
		return HS_E_CONFIG;
	use_defaults(&c);
	if (!is_good(&c) || !is_good_data(&c) ||
	    !(c.form == HS_PORT_INSN ? is_good_insn_form(&c) : is_good_block_form(&c)))
		return HS_E_CONFIG;
	*out = c;
	return HS_OK;
}
