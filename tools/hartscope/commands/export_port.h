/* Rows of the ingress port as stimuli for a test bench (export_port.c). */
#ifndef EXPORT_PORT_H
#define EXPORT_PORT_H

#include "common/new_file.h"
#include "common/tool.h"

/* Is it the name of a format of rows? */
bool is_port_format(const char *name);
/* Its line of help, by number; NULL from the last one on. */
const char *port_format_at(size_t index, const char **text);
/* --set port.NAME=VALUE */
struct port_settings {
	struct hs_setting at[SETTINGS_MAX];
	size_t count;
};
/* Take them out of the parameters of the trace. */
void port_settings_take(struct options *o, struct port_settings *p);
/* Write all of a source; gives the exit status. */
int export_port(struct hs_source *source, const struct options *o, const struct port_settings *p,
                struct new_file *file, struct damage *damage);

#endif
