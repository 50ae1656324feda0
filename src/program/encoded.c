/* Values in unwind information. */
#include "program/encoded.h"

static unsigned size_of(const struct encoded *e, unsigned encoding)
{
	switch (encoding & PE_VALUE) {
	case PE_ABSPTR:
		return e->address;
	case PE_UDATA2:
	case PE_SDATA2:
		return 2;
	case PE_UDATA4:
	case PE_SDATA4:
		return 4;
	case PE_UDATA8:
	case PE_SDATA8:
		return 8;
	default:
		return 0;
	}
}

static bool take_uleb128(struct encoded *e, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; e->at < e->end && shift < 64; shift += 7) {
		const uint8_t byte = *e->at++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

bool program_take_encoded(struct encoded *e, unsigned encoding, uint64_t *value)
{
	const unsigned n = size_of(e, encoding);

	if ((encoding & PE_VALUE) == PE_ULEB128)
		return take_uleb128(e, value);
	if (!n || (size_t)(e->end - e->at) < n)
		return false;
	*value = 0;
	for (unsigned i = 0; i < n; i++)
		*value |= (uint64_t)e->at[i] << 8 * i;
	if ((encoding & PE_SIGNED) && n < 8 && *value >> (8 * n - 1))
		*value |= ~UINT64_C(0) << 8 * n;
	e->at += n;
	return true;
}
