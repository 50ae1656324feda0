/* Messages of a trace as waves, for a viewer next to those of a design (export_waves.c). */
#ifndef EXPORT_WAVES_H
#define EXPORT_WAVES_H

#include "common/tool.h"

/* Is it the name of a format of waves? */
bool is_wave_format(const char *name);
/* Its line of help, by number; NULL from the last one on. */
const char *wave_format_at(size_t index, const char **text);
/* Write the messages of the first argument; gives the exit status. */
int export_waves(struct options *o, const char *format, uint64_t clock_hz);

#endif
