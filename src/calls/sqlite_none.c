/* In place of sqlite.c where SQLite's header was not found; weak, so that both may be linked
 * where all sources are (scripts/checks/abi.sh). */
#include "calls/exports_private.h"

static enum hs_status begin(struct hs_export *x)
{
	(void)x;
	return HS_E_UNSUPPORTED;
}

static enum hs_status end(struct hs_export *x)
{
	(void)x;
	return HS_E_UNSUPPORTED;
}

extern const struct exports_format exports_sqlite __attribute__((weak));
const struct exports_format exports_sqlite = { .begin = begin, .end = end };
