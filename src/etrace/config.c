/* Parameters: defaults, and what fits together (ET Parameters and Discovery). */
#include "etrace/tables.h"

#include "base/mem.h"

void hs_et_config_init(struct hs_et_config *c, enum hs_et_version version)
{
	memset(c, 0, sizeof *c);
	c->size = sizeof *c;
	c->version = (uint8_t)version;
	c->iaddress_width = 64;
	c->iaddress_lsb = 1;
	c->privilege_width = 3;
	c->ecause_width = 6;
	c->context_width = 32;
	c->time_width = 32;
	c->nocontext = 1;
	c->notime = 1;
	c->sync_mode = HS_ET_SYNC_PACKETS;
	c->sync_max = 8;
	c->itype_width = 4;
	c->full_on_tie = 1;
}

void hs_et_config_dialect(struct hs_et_config *c, enum hs_et_dialect_id dialect)
{
	c->dialect = (uint8_t)dialect;
	if (dialect != HS_ET_DIALECT_PULP && dialect != HS_ET_DIALECT_DRAFT)
		return;
	c->version = HS_ET_0_026;
	c->type_prefix = dialect == HS_ET_DIALECT_DRAFT;
	if (dialect == HS_ET_DIALECT_DRAFT)
		return;
	c->iaddress_width = 32;
	c->iaddress_lsb = 0;
	c->privilege_width = 3;
	c->ecause_width = 5;
	c->notval = 1;
	c->negated = 1;
	c->vector_sync = 1;
}

static bool widths_good(const struct hs_et_config *c)
{
	return c->iaddress_lsb <= 2 && c->iaddress_width >= 2 + c->iaddress_lsb && c->iaddress_width <= 64 &&
	       c->privilege_width >= 1 && c->privilege_width <= 4 && c->ecause_width >= 1 &&
	       c->ecause_width <= 32 && c->context_width >= 1 && c->context_width <= 64 &&
	       c->time_width >= 1 && c->time_width <= 64 && c->itype_width >= 3 && c->itype_width <= 4 &&
	       c->f0s_width <= 2 && c->arch <= 15 && c->doptions_width <= (c->data_trace ? 16 : 0) &&
	       c->src_bits <= 12 && c->src_id >> c->src_bits == 0 && c->tstamp_bytes <= 8;
}

static bool flags_good(const struct hs_et_config *c)
{
	const uint8_t flags[] = { c->nocontext, c->notime, c->notval, c->sijump, c->context_precise,
	                          c->plain_loops,
	                          c->no_compress, c->negated, c->type_prefix, c->context_mark, c->full_on_tie, c->vector_sync,
	                          c->iret_ext, c->data_trace };

	for (size_t i = 0; i < sizeof flags; i++)
		if (flags[i] > 1)
			return false;
	return c->sync_mode <= HS_ET_SYNC_HALFWORDS && c->sync_max <= 20;
}

static bool options_good(const struct hs_et_config *c)
{
	const unsigned o = c->options;
	const unsigned optional = HS_ET_BRANCH_PREDICTION | HS_ET_JUMP_TARGET_CACHE;

	if (c->bpred_size > HS_ET_BPRED_MAX || c->cache_size > HS_ET_CACHE_MAX ||
	    c->return_stack_size > HS_ET_RETURN_MAX || c->call_counter_size > HS_ET_RETURN_MAX ||
	    (c->return_stack_size && c->call_counter_size))
		return false;
	if (c->version == HS_ET_FAST)
		return o == 0;
	if (c->version == HS_ET_0_026)
		return !c->iret_ext && (o & ~(unsigned)HS_ET_FULL_ADDRESS) == 0;
	if ((o & HS_ET_SIJUMP && !c->sijump) || (o & HS_ET_BRANCH_PREDICTION && !c->bpred_size) ||
	    (o & HS_ET_JUMP_TARGET_CACHE && !c->cache_size) ||
	    (o & HS_ET_IMPLICIT_RETURN && !c->return_stack_size && !c->call_counter_size))
		return false;
	/* ET Format 0 subformat: only one of the two may be told by the options alone */
	return (o & optional) != optional || c->f0s_width > 0;
}

/* Calls are told apart by an itype of 4 bits alone (ADR-0022). */
static bool fast_good(const struct hs_et_config *c)
{
	if (c->version != HS_ET_FAST)
		return !c->fast && !c->cycles;
	return c->fast <= HS_ET_FAST_SOURCES && c->cycles <= HS_ET_CYCLES_RETIREMENTS &&
	       (c->fast || c->cycles == HS_ET_CYCLES_RETIREMENTS) && (!c->fast || c->itype_width > 3);
}

/* A synchronising packet, whose source is as long as an address; or one with a count of 56 bits. */
static unsigned longest_fast_bits(const struct hs_et_config *c)
{
	const unsigned address = c->iaddress_width - c->iaddress_lsb;
	const unsigned source = c->fast == HS_ET_FAST_SOURCES ? 3 + (address + 7) / 8 * 8 : 0;
	const unsigned fields = 7u + 2u * c->type_prefix + source + address;

	return fields + c->privilege_width + (c->cycles ? 64 : 0) + (c->nocontext ? 0u : c->context_width);
}

/* The longest packet: a trap, or 31 branches with an address. */
static unsigned longest_bits(const struct hs_et_config *c)
{
	const unsigned address = c->iaddress_width - c->iaddress_lsb;

	if (c->version == HS_ET_FAST)
		return longest_fast_bits(c);
	const unsigned trap = 7u + 2u * c->type_prefix + c->privilege_width + (c->notime ? 0u : c->time_width) +
	                      (c->nocontext ? 0u : c->context_width) + c->ecause_width + address +
	                      (c->notval ? 0u : c->iaddress_width);
	const unsigned branch = 38u + 2u * c->type_prefix + address + 3 + et_depth_bits(c);

	return trap > branch ? trap : branch;
}

static bool fits_framing(const struct hs_et_config *c)
{
	const struct et_dialect *d = &et_dialects[c->dialect];
	const unsigned bytes = (longest_bits(c) + 7) / 8;

	if (!et_encapsulated(d->framing) && (c->src_bits || c->tstamp_bytes))
		return false;
	switch (d->framing) {
	case ET_ENCAP:
	case ET_PLAIN:
		return longest_bits(c) + 2 + c->src_bits % 8 <= 8 * HS_ET_PAYLOAD_MAX;
	case ET_JOINED: /* two bits of the payload are in the header */
	case ET_HEADER:
		return bytes < 1u << d->length_bits;
	default:
		return bytes <= HS_ET_PAYLOAD_MAX;
	}
}

enum hs_status hs_et_config_check(const struct hs_et_config *c)
{
	if (c->size < sizeof *c)
		return HS_E_CONFIG;
	for (size_t i = sizeof *c; i < c->size; i++)
		if (((const uint8_t *)c)[i])
			return HS_E_CONFIG;
	if (c->version >= HS_ET_VERSIONS || c->dialect >= HS_ET_DIALECT_COUNT || !widths_good(c) ||
	    !flags_good(c) || !options_good(c) || !fast_good(c) || !fits_framing(c))
		return HS_E_CONFIG;
	/* te_support of the draft has no format: the framing, or a prefix, must tell what it is. */
	const unsigned framing = et_dialects[c->dialect].framing;

	if (c->version == HS_ET_FAST)
		return HS_OK;
	const bool untyped = framing == ET_BARE || framing == ET_PLAIN;

	if (c->version == HS_ET_0_026 ? (untyped && !c->type_prefix) || c->dialect == HS_ET_DIALECT_ATB || c->data_trace
	                              : c->type_prefix || c->context_mark || c->dialect == HS_ET_DIALECT_DRAFT)
		return HS_E_CONFIG;
	return HS_OK;
}
