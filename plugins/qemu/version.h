/* Which version of QEMU's plugin interface an object is for, and which one QEMU has. */
#ifndef PLUGIN_VERSION_H
#define PLUGIN_VERSION_H

#include "api.h"

/* With the argument probe=on: print the versions that QEMU takes, least and greatest, its target
 * and "user" or "system" on one line, and end the process.  QEMU has loaded the object by then:
 * that is what a recorder wants to know (src/recorder/plugin.c). */
void plugin_probe(const qemu_info_t *info, int argc, char **argv);

#endif
