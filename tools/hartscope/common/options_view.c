/* Options that say what of a flow is looked at, and how it is named and counted. */
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"

#define MODES 6u /* that have a name (enum hs_priv) */

/* --process PROCESS, of a command that takes no CONTEXT:FILE. */
static bool parse_selected(void *list, const struct option_row *r, char *text)
{
	char *end;

	strtoull(text, &end, 0);
	if (*text >= '0' && *text <= '9' && *end == ':') {
		complain("--process needs a process, not '%s'", text);
		return false;
	}
	return option_add(list, r, text);
}

/* Modes with commas between them. */
static bool parse_modes(void *to, const struct option_row *r, char *text)
{
	uint8_t *all = to, modes = 0;

	(void)r;
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		const size_t n = strcspn(at, ",");
		unsigned mode = 0;

		while (mode < MODES && (strlen(mode_name(mode)) != n ||
		                        strncmp(at, mode_name(mode), n) != 0))
			mode++;
		if (mode == MODES) {
			complain("--mode needs U, S, M, VU, VS with commas between them, not '%s'",
			         text);
			return false;
		}
		modes |= (uint8_t)(1u << mode);
	}
	*all = modes;
	return true;
}

bool option_word_find(const struct option_word *words, size_t n, const char *wanted,
                      const char *list, uint8_t *value)
{
	struct guess guess = { .wanted = wanted };

	for (size_t i = 0; i < n; i++) {
		guess_try(&guess, words[i].name);
		if (strcmp(wanted, words[i].name) == 0) {
			*value = words[i].value;
			return true;
		}
	}
	complain("--by needs %s, not '%s'%s", list, wanted, guess_text(&guess));
	return false;
}

static bool parse_by(void *to, const struct option_row *r, char *name)
{
	static const struct option_word words[] = {
		{ "hart", HS_PROFILE_BY_HART },
		{ "mode", HS_PROFILE_BY_MODE },
		{ "process", HS_PROFILE_BY_PROCESS },
		{ "thread", HS_PROFILE_BY_THREAD },
	};

	(void)r;
	return option_word_find(words, sizeof(words) / sizeof(*words), name,
	                        "hart, mode, process or thread", to);
}

/* clang-format off */
const struct option_row options_names[] = {
	{ "--no-demangle", 0, NULL, "names of C++ and Rust as the files have them",
	  AS_FLAG(struct options, store.names.mangled) },
	{ "--debug-dir", 0, "DIR",
	  "debug files are here, as DIR/.build-id/xx/yyyy.debug or by the path of their file "
	  "(/usr/lib/debug); may be given several times",
	  AS_LIST(struct options, store.debug_dirs, SETTINGS_MAX) },
	{ "--source-path", 0, "DIR",
	  "where source text is: by its whole path, or the last names of it (several times)",
	  AS_LIST(struct options, store.source_dirs, SETTINGS_MAX) },
	{ .name = NULL }
};

const struct option_row options_select[] = {
	{ "--process", 0, "PROCESS",
	  "only what ran in this process: its name, program or number as the guest's files say, "
	  "or its context; may be given several times",
	  AS_PARSED(struct options, store.only, parse_selected), .arg = SETTINGS_MAX },
	{ "--only", 0, "PROCESS", "the same as --process PROCESS",
	  AS_LIST(struct options, store.only, SETTINGS_MAX) },
	{ "--thread", 0, "THREAD",
	  "only what ran in this thread: its name or number as the guest's files say, else the "
	  "hart's number; may be given several times",
	  AS_LIST(struct options, store.only_threads, SETTINGS_MAX) },
	{ "--mode", 0, "MODES", "only what ran in these modes, such as U or S,M (U, S, M, VU, VS)",
	  AS_PARSED(struct options, store.select.modes, parse_modes), .words = "U S M VU VS" },
	{ .name = NULL }
};

const struct option_row options_resolve[] = {
	{ "--resolve", 0, NULL,
	  "also what each message led to: from where to where, with names, and when",
	  .type = OPTION_FLAG },
	{ .name = NULL }
};

const struct option_row options_depth[] = {
	{ "--depth", 0, "N", "only N levels of the tree",
	  .type = OPTION_NUMBER, .arg = UINT32_MAX },
	{ .name = NULL }
};

const struct option_row options_top[] = {
	{ "--top", 0, "N", "how many rows of a table (10; traps: all)",
	  .type = OPTION_NUMBER, .arg = UINT32_MAX },
	{ .name = NULL }
};

const struct option_row options_by[] = {
	{ "--by", 0, "WHAT",
	  "also count by process, thread, hart or mode; functions, too, but for modes",
	  .type = OPTION_PARSED, .words = "process thread hart mode", .parse = parse_by },
	{ .name = NULL }
};
/* clang-format on */
