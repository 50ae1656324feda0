/* Data accesses: names and rules (ET Data Trace Interface). */
#include <hartscope/access.h>

const char *hs_access_name(unsigned type)
{
	static const char *const names[] = {
		[HS_ACCESS_LOAD] = "load",
		[HS_ACCESS_STORE] = "store",
		[HS_ACCESS_CSR_RW] = "CSR read-write",
		[HS_ACCESS_CSR_RS] = "CSR read-set",
		[HS_ACCESS_CSR_RC] = "CSR read-clear",
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
	const bool csr = hs_access_is_csr(a->type), atomic = hs_access_is_atomic(a->type);
	const bool splits = a->type == HS_ACCESS_LOAD || atomic;

	if (!csr && !atomic && a->type > HS_ACCESS_STORE)
		return HS_E_ARG;
	if (a->size > 3 || (csr && a->size < 2) || (csr && a->address > 0xfff))
		return HS_E_ARG;
	if (a->phase > HS_ACCESS_RESPONSE || (a->phase && !splits))
		return HS_E_ARG;
	if ((a->known & HS_ACCESS_HAS_DATA) && (a->known & HS_ACCESS_HAS_ERROR))
		return HS_E_ARG;
	return fits(a->data, a->size) && fits(a->operand, a->size) ? HS_OK : HS_E_ARG;
}
