/* Names of severities. */
#include <hartscope/status.h>

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
