/* Names of severities. */
#include <hartscope/status.h>

#include "core/name.h"

static const struct {
	const char *name;
} severities[HS_SEVERITIES] = {
	[HS_SEVERITY_NOTE] = { "note" },
	[HS_SEVERITY_WARNING] = { "warning" },
	[HS_SEVERITY_ERROR] = { "error" },
};

const char *hs_severity_name(unsigned severity)
{
	return severity < HS_SEVERITIES ? severities[severity].name : "";
}

int hs_severity_find(const char *name)
{
	return base_find_name(severities, HS_SEVERITIES, sizeof *severities, name);
}
