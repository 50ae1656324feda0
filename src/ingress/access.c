/* Data accesses: names and rules (ET Data Trace Interface). */
#include <hartscope/block.h>

#include "core/access.h"

const char *hs_access_name(unsigned type)
{
	static const char *const names[] = {
		[HS_ACCESS_LOAD] = "load",
		[HS_ACCESS_STORE] = "store",
		[HS_ACCESS_MULTI_LOAD] = "multi-memory load",
		[HS_ACCESS_MULTI_STORE] = "multi-memory store",
		[HS_ACCESS_CSR_RW] = "CSR read-write",
		[HS_ACCESS_CSR_RS] = "CSR read-set",
		[HS_ACCESS_CSR_RC] = "CSR read-clear",
		[HS_ACCESS_CAS_FAILED] = "compare and swap failure",
		[HS_ACCESS_SWAP] = "atomic swap",
		[HS_ACCESS_ADD] = "atomic add",
		[HS_ACCESS_AND] = "atomic AND",
		[HS_ACCESS_OR] = "atomic OR",
		[HS_ACCESS_XOR] = "atomic XOR",
		[HS_ACCESS_MAX] = "atomic max",
		[HS_ACCESS_MIN] = "atomic min",
		[HS_ACCESS_SC_FAILED] = "conditional store failure",
	};
	const char *name = type < sizeof names / sizeof *names ? names[type] : 0;

	return name ? name : "?";
}

static bool fits(uint64_t value, unsigned size)
{
	return size >= 3 || value >> (8u << size) == 0;
}

enum hs_status hs_access_check(const struct hs_access *a)
{
	const bool csr = hs_access_is_csr(a->type);
	const bool splits = hs_access_is_load(a->type) || hs_access_is_atomic(a->type);

	if (a->type > HS_ACCESS_SC_FAILED || a->size > 3 ||
	    (csr && (a->size < 2 || a->address > 0xfff)))
		return HS_E_ARG;
	if (a->phase > HS_ACCESS_RESPONSE || (a->phase && !splits))
		return HS_E_ARG;
	if ((a->known & HS_ACCESS_HAS_DATA) && (a->known & HS_ACCESS_HAS_ERROR))
		return HS_E_ARG;
	return fits(a->data, a->size) && fits(a->operand, a->size) ? HS_OK : HS_E_ARG;
}

/* ---- in a stream of blocks ---------------------------------------------------------- */

static struct hs_block value_item(uint64_t value, bool operand)
{
	return (struct hs_block){ .kind = HS_KIND_VALUE, .value = value, .itype = operand };
}

unsigned hs_access_put(const struct hs_access *a, struct hs_block out[HS_ACCESS_ITEMS])
{
	unsigned n = 0;

	out[n++] = (struct hs_block){ .kind = HS_KIND_DATA, .value = a->address, .itype = a->type,
		                      .ilast = a->size,
		                      .arg = a->id | (uint32_t)a->known << 16 |
		                             (uint32_t)a->phase << 24 };
	if (a->known & HS_ACCESS_HAS_DATA)
		out[n++] = value_item(a->data, false);
	if (a->known & HS_ACCESS_HAS_OPERAND)
		out[n++] = value_item(a->operand, true);
	return n;
}

bool hs_access_take(struct hs_access_reader *r, const struct hs_block *item)
{
	const uint8_t values = HS_ACCESS_HAS_DATA | HS_ACCESS_HAS_OPERAND;

	if (item->kind == HS_KIND_DATA) {
		r->access = (struct hs_access){ .address = item->value, .type = item->itype,
			.size = item->ilast, .id = (uint16_t)item->arg,
			.known = (uint8_t)(item->arg >> 16), .phase = (uint8_t)(item->arg >> 24) };
		r->missing = r->access.known & values;
		return !r->missing;
	}
	if (item->kind != HS_KIND_VALUE || !r->missing)
		return false;
	*(item->itype ? &r->access.operand : &r->access.data) = item->value;
	r->missing &= (uint8_t)~(item->itype ? HS_ACCESS_HAS_OPERAND : HS_ACCESS_HAS_DATA);
	return !r->missing;
}

/* ---- in words ------------------------------------------------------------------------- */

struct text {
	char *to, *end;
};

static void put_text(struct text *t, const char *from)
{
	while (*from && t->to < t->end)
		*t->to++ = *from++;
}

static void put_hex(struct text *t, const char *before, uint64_t v)
{
	char digits[17], *at = digits + 16;

	*at = 0;
	do {
		*--at = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	put_text(t, before);
	put_text(t, "0x");
	put_text(t, at);
}

void hs_access_text(const struct hs_access *a, char *text, size_t size)
{
	static const char *const phases[] = { "", " request", " response" };
	struct text t = { text, text + (size ? size - 1 : 0) };

	put_text(&t, hs_access_name(a->type));
	put_text(&t, a->phase <= HS_ACCESS_RESPONSE ? phases[a->phase] : "");
	if (a->known & HS_ACCESS_HAS_ADDRESS)
		put_hex(&t, " ", a->address);
	if (a->known & HS_ACCESS_HAS_DATA)
		put_hex(&t, " = ", a->data);
	if (a->known & HS_ACCESS_HAS_OPERAND)
		put_hex(&t, ", operand ", a->operand);
	if (a->known & HS_ACCESS_HAS_ERROR)
		put_text(&t, ", error");
	if (size)
		*t.to = 0;
}
