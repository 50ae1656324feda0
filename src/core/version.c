/* The version of the library that runs. */
#include <hartscope/status.h>

unsigned hs_version(void)
{
	return HS_VERSION;
}

const char *hs_version_string(void)
{
	return HS_VERSION_STRING;
}
