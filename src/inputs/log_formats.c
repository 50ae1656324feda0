/* The formats of execution logs (log_formats.def). */
#include <string.h>

#include "inputs/log_private.h"

static const struct hs_log_format formats[LOG_FORMATS] = {
#define HS_LOG_FORMAT(id, name, flags, what, made_by, source, gaps) \
	{ name, what, made_by, source, gaps, flags },
#include "ingress/log_formats.def"
#undef HS_LOG_FORMAT
};

const struct hs_log_format *hs_log_get_format(unsigned number)
{
	return number < LOG_FORMATS ? &formats[number] : NULL;
}

const struct hs_log_format *hs_log_find_format(const char *name)
{
	for (unsigned i = 0; i < LOG_FORMATS; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}
