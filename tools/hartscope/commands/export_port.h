/* Rows of the ingress port as stimuli for a test bench (export_port.c). */
#ifndef EXPORT_PORT_H
#define EXPORT_PORT_H

#include "common/new_file.h"
#include "common/tool.h"

/* Is it the name of a format of rows? */
bool is_port_format(const char *name);
/* Take --set port.NAME=VALUE out of the parameters of the trace. */
void port_settings_take(struct options *o, struct option_settings *p);
/* Write all of a source; gives the exit status. */
int export_port(struct hs_source *source, const struct options *o, const char *format,
                const struct option_settings *p, struct new_file *file, struct damage *damage);

#endif
