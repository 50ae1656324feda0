/* The version that QEMU reads from the object before it calls anything in it (version.h). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "version.h"

int qemu_plugin_version = PLUGIN_API;

#if PLUGIN_API >= 3 && PLUGIN_API < 7
/* QEMU refuses a version below its least one and above its own.  From 3 to 6 what the plugins use
 * stayed as it was: so the object says the version of the QEMU that loads it, by names that came
 * with a version.  (Not every new name has a new version: 10.2 added discontinuities to 5.)  QEMU
 * reads qemu_plugin_version when this was called. */
static __attribute__((constructor)) void take_version_of_host(void)
{
	static const struct {
		const char *name;
		int version;
	} added[] = {
		{ "qemu_plugin_read_memory_vaddr", 4 },
		{ "qemu_plugin_translate_vaddr", 5 },
		{ "qemu_plugin_set_pc", 6 },
	};

	for (size_t i = 0; i < sizeof(added) / sizeof(*added); i++)
		if (dlsym(RTLD_DEFAULT, added[i].name) != NULL)
			qemu_plugin_version = added[i].version;
}
#endif

void plugin_probe(const qemu_info_t *info, int argc, char **argv)
{
	char line[128];
	int n;

	for (int i = 0; i < argc; i++) {
		if (strcmp(argv[i], "probe=on") != 0)
			continue;
		n = snprintf(line, sizeof(line), "%d %d %.64s %s\n", info->version.min,
		             info->version.cur, info->target_name,
		             info->system_emulation ? "system" : "user");
		_exit(write(STDOUT_FILENO, line, (size_t)n) == n ? 0 : 1);
	}
}
