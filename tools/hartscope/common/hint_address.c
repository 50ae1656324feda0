/* Addresses of N-Trace that miss all code: would they be in it if the top bits of their fields were
 * read otherwise (design/nt-vendor)? */
#include <stdio.h>
#include <string.h>

#include <hartscope/ntrace.h>
#include <hartscope/protocol.h>
#include <hartscope/trace_params.h>

#include "common/tool.h"

#define FIELD 63 /* bits of an address field of RV64 */

static const struct extension {
	const char *setting;
	uint8_t bits;
	bool by_mdo; /* trTeInstExtendAddrMSB */
} extensions[ADDRESS_EXTENSIONS] = {
	{ "trTeInstExtendAddrMSB=1 (addressBits=0)", 0, true },
	{ "addressBits=47", 47, false },
	{ "addressBits=38", 38, false },
	{ "addressBits=56", 56, false },
	{ "trTeInstExtendAddrMSB=0 (addressBits=0)", 0, false },
};

static uint64_t low(uint64_t v, unsigned bits)
{
	return v & (((uint64_t)1 << bits) - 1);
}

static uint64_t extend(uint64_t v, unsigned bits)
{
	return v >> (bits - 1) & 1 ? low(v | ~(uint64_t)0 << bits, FIELD) : v;
}

static unsigned bits_of(uint64_t v)
{
	return v ? 64u - (unsigned)__builtin_clzll(v) : 0;
}

/* What the field @v would be with @e. */
static uint64_t apply(const struct extension *e, uint64_t v)
{
	const unsigned sent = bits_of(v);

	if (e->bits)
		return extend(v, e->bits);
	return e->by_mdo && sent && sent % 6 == 0 && sent < FIELD ? extend(v, sent) : v;
}

static bool is_in(struct hs_program *program, uint64_t field)
{
	struct hs_insn insn;

	return program && hs_img_insn(hs_program_image(program), field << 1, &insn) == HS_OK;
}

static bool is_code(const struct hs_source *source, uint64_t field)
{
	const struct hs_program_set *set = hs_source_known(source)->programs;

	for (size_t i = 0; i < set->count; i++)
		if (is_in(set->programs[i], field))
			return true;
	return is_in(set->first, field);
}

/* @v was read as @now says: is what was sent in code where @e says how it is read?  How many bits
 * came is not known any more; what they were differenced against is as it was. */
static bool hits(const struct hs_source *source, const struct extension *now,
                 const struct extension *e, uint64_t v)
{
	if (!now->by_mdo)
		return is_code(source, apply(e, now->bits ? low(v, now->bits) : v));
	for (unsigned n = 6; n < FIELD; n += 6)
		if (is_code(source, apply(e, v ^ low(~(uint64_t)0 << n, FIELD))))
			return true;
	return false;
}

static bool is_same(const struct extension *a, const struct extension *b)
{
	return a->bits == b->bits && a->by_mdo == b->by_mdo;
}

void hint_add_address(struct address_hint *h, const struct hs_source *source)
{
	const struct hs_protocol *protocol = hs_source_known(source)->protocol;
	const uint64_t address = hs_source_known(source)->fault_address;

	if (!address || !protocol || strcmp(protocol->name, "ntrace") != 0 ||
	    is_code(source, address >> 1)) /* of another context, which says nothing */
		return;
	const struct hs_nt_config *c = hs_trace_params_config(hs_source_known(source)->params);
	const struct extension now = { NULL, c->address_bits, c->extend_addr && !c->address_bits };

	h->missed++;
	for (unsigned i = 0; i < ADDRESS_EXTENSIONS; i++)
		if (!is_same(&now, &extensions[i]))
			h->hits[i] += hits(source, &now, &extensions[i], address >> 1);
}

bool hint_of_address(const struct address_hint *h)
{
	char names[256] = "";
	uint64_t most = 0;
	bool width = false;

	for (unsigned i = 0; i < ADDRESS_EXTENSIONS; i++)
		most = h->hits[i] > most ? h->hits[i] : most;
	if (most * 2 <= h->missed)
		return false;
	for (unsigned i = 0; i < ADDRESS_EXTENSIONS; i++) {
		if (h->hits[i] != most || (extensions[i].bits && width))
			continue; /* of widths that fit the first one */
		width |= extensions[i].bits != 0;
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
		         *names ? ", or " : "", extensions[i].setting);
	}
	complain("hint: %llu of %llu addresses without code are in it with %s: how the top bits of "
	         "addresses are sent",
	         (unsigned long long)most, (unsigned long long)h->missed, names);
	return true;
}
