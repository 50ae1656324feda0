/* Which emulators record here, and the command that gets one. */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/record_check.h"
#include "common/tool.h"

static const struct {
	const char *name, *records;
} emulators[] = {
	{ "qemu-riscv64", "programs of RV64" },
	{ "qemu-riscv32", "programs of RV32" },
	{ "qemu-system-riscv64", "machines of RV64" },
	{ "qemu-system-riscv32", "machines of RV32" },
};

/* The path of a script, of the checkout or installed.  False: it is not here. */
static bool find_script(const char *name, char path[PATH_MAX])
{
	static const char *const places[] = { "../share/hartscope/scripts",
		                              "../../../scripts/guests" };
	char self[PATH_MAX], place[2 * PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return false;
	self[n] = '\0';
	dirname(self);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(place, sizeof(place), "%s/%s/%s", self, places[i], name);
		if (access(place, X_OK) == 0 && realpath(place, path))
			return true;
	}
	return false;
}

static void offer_machine(const char *name)
{
	char path[PATH_MAX];

	if (find_script("qemu-new.sh", path))
		complain("hint: '%s DIR' fetches a newer QEMU from Debian, as "
		         "DIR/qemu-new/usr/bin/%s",
		         path, name);
}

static void offer_user(void)
{
	char path[PATH_MAX];

	if (find_script("qemu-user.sh", path))
		complain("hint: '%s' builds one that loads plugins", path);
}

void record_offer(const struct hs_recorder_options *options, const char *program)
{
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
	struct hs_recorder_emulator found;

	if (strncmp(name, "qemu-system-", 12) == 0)
		offer_machine(name);
	else if (!options->qemu && !options->plugin &&
	         hs_recorder_find_emulator("qemu-riscv64", options, &found, NULL) != HS_OK)
		offer_user();
}

static void show_json(struct report *r, size_t i, const struct hs_recorder_emulator *e,
                      const struct hs_error *error)
{
	report_row(r);
	report_text(r, "name", NULL, emulators[i].name);
	report_text(r, "records", NULL, emulators[i].records);
	report_bool(r, "usable", NULL, error->status == HS_OK);
	if (error->status == HS_OK) {
		report_text(r, "path", NULL, e->path);
		report_text(r, "version", NULL, e->version);
		report_text(r, "plugin", NULL, e->plugin);
	} else {
		report_text(r, "reason", NULL, error->text);
	}
	if (e->least >= 0) {
		report_u32(r, "interface_least", NULL, (uint32_t)e->least);
		report_u32(r, "interface_greatest", NULL, (uint32_t)e->greatest);
	}
	report_row_end(r);
}

static void show_text(struct report *r, size_t i, const struct hs_recorder_emulator *e,
                      const struct hs_error *error)
{
	const char *slash = strrchr(e->plugin, '/');
	char line[PATH_MAX + 512], takes[64] = "";

	if (error->status != HS_OK) {
		snprintf(line, sizeof(line), "none: %s", error->text);
		report_text(r, NULL, emulators[i].records, line);
		return;
	}
	if (e->least >= 0)
		snprintf(takes, sizeof(takes), " (plugin interface %d to %d)", (int)e->least,
		         (int)e->greatest);
	snprintf(line, sizeof(line), "%s, QEMU %s%s, %.255s", e->path,
	         *e->version ? e->version : "of an unknown version", takes,
	         slash ? slash + 1 : e->plugin);
	report_text(r, NULL, emulators[i].records, line);
}

int record_check(const struct hs_recorder_options *options, bool json)
{
	bool good = false, machine = false;
	struct report r;

	report_begin(&r, stdout, json);
	if (json)
		report_list(&r, "emulators", NULL);
	for (size_t i = 0; i < sizeof(emulators) / sizeof(*emulators); i++) {
		struct hs_recorder_emulator e;
		struct hs_error error = { 0 };

		error.status = hs_recorder_find_emulator(emulators[i].name, options, &e, &error);
		good |= i == 0 && error.status == HS_OK;
		machine |= i == 2 && error.status == HS_OK;
		(json ? show_json : show_text)(&r, i, &e, &error);
	}
	if (json)
		report_list_end(&r);
	report_end(&r);
	if (!good)
		offer_user();
	if (!machine)
		offer_machine(emulators[2].name);
	return good ? EXIT_GOOD : EXIT_FINDINGS;
}
