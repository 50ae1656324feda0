/* The emulator that records a program: the one that was given, or the first that loads a recorder
 * plugin of qemu-riscv64 (or -riscv32) of PATH, and those that scripts/guests/qemu-user.sh built,
 * the newest first. */
#define _GNU_SOURCE
#include <glob.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config.h"
#include "recorder/private.h"

/* Where scripts/guests/qemu-user.sh keeps what it builds, a pattern to be freed; NULL: no such
 * place. */
static char *built_pattern(const char *name)
{
	const char *own = getenv("HARTSCOPE_CACHE"), *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	struct passwd entry, *user = NULL;
	char *pattern = NULL, room[1024];
	int n = -1;

	if (home == NULL && getpwuid_r(getuid(), &entry, room, sizeof(room), &user) == 0 &&
	    user != NULL)
		home = user->pw_dir;
	if (own != NULL && *own != 0)
		n = asprintf(&pattern, "%s/qemu-user/[0-9]*/bin/%s", own, name);
	else if (cache != NULL && *cache != 0)
		n = asprintf(&pattern, "%s/hartscope/qemu-user/[0-9]*/bin/%s", cache, name);
	else if (home != NULL && *home != 0)
		n = asprintf(&pattern, "%s/.cache/hartscope/qemu-user/[0-9]*/bin/%s", home, name);
	return n < 0 ? NULL : pattern;
}

static int compare_versions(const void *a, const void *b)
{
	return strverscmp(*(char *const *)b, *(char *const *)a);
}

/* The plugin for @qemu: a file as given or of the environment, or one of the folder of all of them,
 * which is given or near the executable. */
static enum hs_status find_plugin(const char *given, const char *qemu, bool system,
                                  struct recorder_plugin *plugin, struct hs_error *e)
{
	char *folder = given == NULL ? NULL : realpath(given, NULL);
	enum hs_status status;
	struct stat st;

	*plugin = (struct recorder_plugin){ .path = folder };
	if (given != NULL && folder == NULL)
		return hs_error_set(e, HS_E_SYSTEM,
		                    "recorder plugin %s not found (HARTSCOPE_PLUGIN)", given);
	if (folder != NULL && stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
		return HS_OK;
	status = recorder_plugin_choose(qemu, system, folder, plugin, e);
	free(folder);
	return status;
}

/* Take @qemu if there is a plugin for it. */
static enum hs_status take_usable(const char *plugin, const char *qemu, bool system,
                                  struct recorder_emulator *found, struct hs_error *e)
{
	const enum hs_status status = find_plugin(plugin, qemu, system, &found->plugin, e);

	found->path = status == HS_OK ? recorder_search_path(qemu) : NULL;
	if (status != HS_OK || found->path != NULL)
		return status;
	free(found->plugin.path);
	found->plugin.path = NULL;
	return hs_error_set(e, HS_E_MEMORY, "out of memory");
}

static bool take_built(const char *plugin, const char *name, struct recorder_emulator *found)
{
	char *pattern = built_pattern(name);
	glob_t files = { 0 };
	bool good = false;

	if (pattern != NULL && glob(pattern, GLOB_NOSORT, NULL, &files) == 0)
		qsort(files.gl_pathv, files.gl_pathc, sizeof(*files.gl_pathv), compare_versions);
	for (size_t i = 0; i < files.gl_pathc && !good; i++)
		good = take_usable(plugin, files.gl_pathv[i], false, found, NULL) == HS_OK;
	globfree(&files);
	free(pattern);
	return good;
}

enum hs_status recorder_emulator_find(const struct hs_recorder_options *o, const char *machine,
                                      unsigned xlen, struct recorder_emulator *found,
                                      struct hs_error *e)
{
	const char *plugin = o->plugin != NULL ? o->plugin : getenv("HARTSCOPE_PLUGIN");
	const char *name = xlen == 64 ? "qemu-riscv64" : "qemu-riscv32";
	enum hs_status status;

	*found = (struct recorder_emulator){ .path = NULL };
	if (machine != NULL || o->qemu != NULL)
		return take_usable(plugin, machine != NULL ? machine : o->qemu, machine != NULL,
		                   found, e);
	status = take_usable(plugin, name, false, found, e);
	if (status == HS_OK || status == HS_E_MEMORY || found->plugin.not_executed ||
	    !take_built(plugin, name, found))
		return status; /* that one could not be executed now is no reason for another */
	if (e != NULL)
		e->status = HS_OK;
	return HS_OK;
}

void recorder_emulator_free(struct recorder_emulator *found)
{
	free(found->path);
	free(found->plugin.path);
}

/* ---- for others ----------------------------------------------------------------------- */

/* "qemu-riscv64 version 10.0.13 (Debian ...)" */
static void take_version(const char *text, char *version, size_t size)
{
	const char *at = strstr(text, "version ");
	const size_t n = at == NULL ? 0 : strcspn(at + 8, " \n");

	snprintf(version, size, "%.*s", (int)n, at == NULL ? "" : at + 8);
}

enum hs_status hs_recorder_find_emulator(const char *name,
                                         const struct hs_recorder_options *options,
                                         struct hs_recorder_emulator *emulator,
                                         struct hs_error *error)
{
	struct hs_recorder_options o = { .size = sizeof(o) };
	const char *const slash = strrchr(name, '/'), *const base = slash ? slash + 1 : name;
	const bool machine = strncmp(base, "qemu-system-", 12) == 0;
	const bool is_32 = strcmp(name, "qemu-riscv32") == 0;
	struct recorder_emulator found;
	char text[256];
	enum hs_status status;

	*emulator = (struct hs_recorder_emulator){ .least = -1, .greatest = -1 };
	if (!machine && !is_32 && strcmp(name, "qemu-riscv64") != 0)
		return hs_error_set(error, HS_E_ARG, "%s: no emulator that records", name);
	if (options != NULL && base_take_config(&o, sizeof(o), options) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG,
		                    "hs_recorder_options: unknown members are set");
	status = recorder_emulator_find(&o, machine ? name : NULL, is_32 ? 32 : 64, &found, error);
	if (status == HS_OK) {
		const char *const ask[] = { found.path, "--version", NULL };

		recorder_ask(ask, text, sizeof(text));
		take_version(text, emulator->version, sizeof(emulator->version));
		snprintf(emulator->path, sizeof(emulator->path), "%s", found.path);
		snprintf(emulator->plugin, sizeof(emulator->plugin), "%s", found.plugin.path);
		emulator->least = found.plugin.greatest > 0 ? found.plugin.least : -1;
		emulator->greatest = found.plugin.greatest > 0 ? found.plugin.greatest : -1;
	}
	recorder_emulator_free(&found);
	return status;
}
