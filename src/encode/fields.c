/* Values of a recording that are wider than their fields: nothing is cut. */
#include "core/core.h"
#include "encode/private.h"
#include "trace/trace.h"

#define FORMAT_HCONTEXT 3u /* NT Table 12 */
#define HCONTEXT_BITS 14u  /* of the upper part of E-Trace's context, where there is one */

static bool fits(uint64_t v, unsigned bits)
{
	return bits == 0 || bits >= 64 || !(v >> bits);
}

/* An address may be that of a field with its sign above it. */
static bool fits_signed(uint64_t v, unsigned bits)
{
	return fits(v, bits) || fits(~v, bits - 1) || fits(~v & UINT32_MAX, bits - 1);
}

/* @return  false. */
static bool refuse(struct encode_feed *f, const char *what, uint64_t v, const char *param,
                   unsigned bits, unsigned extra)
{
	unsigned need = 1;

	while (need + extra < 64 && v >> need)
		need++;
	hs_error_set(&f->error, HS_E_CONFIG, "%s 0x%llx does not fit: %s=%u (legal: %u to 64)",
	             what, (unsigned long long)v, param, bits, need + extra);
	return false;
}

static bool mode_fits(struct encode_feed *f, unsigned priv)
{
	static const char *const names[] = { "U", "S", "D", "M", "VU", "VS", "6" };

	if (priv >= HS_PRIV_UNKNOWN || f->fields.modes >> priv & 1u)
		return true;
	if (hs_protocol_param(f->protocol, "privilege_width_p") == f->protocol->param_count)
		hs_error_set(&f->error, HS_E_CONFIG, "mode %s: messages of %s cannot say it",
		             names[priv], f->protocol->name);
	else
		hs_error_set(
			&f->error, HS_E_CONFIG,
			"mode %s does not fit: privilege_width_p (legal: 3 to 4), layout.machine "
			"(legal: 3)",
			names[priv]);
	return false;
}

static bool trap_fits(struct encode_feed *f, const struct hs_block *b)
{
	if (!fits(b->arg, f->fields.cause_bits))
		return refuse(f, "the cause of a trap,", b->arg, "ecause_width_p",
		              f->fields.cause_bits, 0);
	if (!fits_signed(b->value, f->fields.value_bits))
		return refuse(f, "a trap value,", b->value, "iaddress_width_p",
		              f->fields.value_bits, 0);
	return true;
}

static bool context_fits(struct encode_feed *f, const struct hs_block *b)
{
	const unsigned bits = f->fields.context_bits;
	const bool parted = bits >= 16 + HCONTEXT_BITS;
	const bool upper = (b->arg & 3u) == FORMAT_HCONTEXT;

	if (upper)
		f->hcontext = b->value;
	if (upper && !parted)
		return true; /* such a field only has scontext */
	if (upper)
		return fits(b->value, HCONTEXT_BITS) ||
		       refuse(f, "hcontext", b->value, "context_width_p", bits, bits);
	const unsigned taken = parted && f->hcontext ? HCONTEXT_BITS : 0;

	return fits(b->value, bits ? bits - taken : 0) ||
	       refuse(f, "context", b->value, "context_width_p", bits, taken);
}

void encode_feed_limit(struct encode_feed *f, const void *config)
{
	struct hs_protocol_traits traits;

	hs_protocol_check(f->protocol, config, &traits);
	f->fields = traits.fields;
	f->limited = f->fields.modes != UINT8_MAX || f->fields.cause_bits || f->fields.value_bits ||
	             f->fields.context_bits;
}

bool encode_feed_fits(struct encode_feed *f, const struct hs_block *b, size_t n)
{
	for (size_t i = 0; i < n && f->limited; i++) {
		const bool good = b[i].kind == HS_KIND_BLOCK     ? mode_fits(f, b[i].priv)
		                  : b[i].kind == HS_KIND_TRAP    ? trap_fits(f, &b[i])
		                  : b[i].kind == HS_KIND_CONTEXT ? context_fits(f, &b[i])
		                                                 : true;
		if (!good)
			return false;
	}
	return true;
}
