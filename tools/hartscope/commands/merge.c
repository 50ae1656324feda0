/* hartscope merge: the parts of a job together. */
#include <string.h>

#include "common/complete.h"

static char mark[] = "--complete";

static const struct merged {
	const char *name;
	int (*run)(int argc, char **argv);
} merged[] = {
	{ "check", cmd_check },
	{ "coverage", cmd_coverage },
	{ "decode", cmd_decode },
	{ "stat", cmd_stat },
};

static const struct usage usage = {
	.options = OPTIONS(ROWS(options_general)),
	.name = "merge",
	.form = "decode|stat|coverage|check --parts N [OPTIONS] TRACE...",
	.text = "Puts together what N runs of 'hartscope COMMAND --part K/N' made, on one machine or "
		"on many that share files, and prints what the command prints without --part.  "
		"OPTIONS are those of the command; those that decide how the trace is decoded must "
		"be the same as they were for the parts.  Missing parts are named.",
	.example = "  for k in 1 2 3 4; do\n"
		   "      hartscope stat --part $k/4 --elf app.elf app.nt &\n"
		   "  done; wait\n"
		   "  hartscope merge stat --parts 4 --elf app.elf app.nt",
};

static bool has_parts(int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		if (strncmp(argv[i], "--parts", 7) == 0)
			return true;
	return false;
}

/* The command, then its options. */
static void complete(int argc, char **argv)
{
	char *words[64] = { argc ? argv[0] : NULL, mark };

	for (size_t i = 0; i < sizeof(merged) / sizeof(*merged); i++)
		if (argc == 1)
			complete_offer(argv[0], merged[i].name, NULL);
		else if (argc > 1 && argc < 62 && strcmp(merged[i].name, argv[0]) == 0) {
			memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof(*words));
			merged[i].run(argc + 1, words);
		}
}

int cmd_merge(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
		usage_print(&usage, true, stdout);
		return EXIT_GOOD;
	}
	if (strcmp(name, "--complete") == 0) {
		complete(argc - 2, argv + 2);
		return EXIT_GOOD;
	}
	for (size_t i = 0; i < sizeof(merged) / sizeof(*merged); i++)
		if (strcmp(merged[i].name, name) == 0 && has_parts(argc, argv))
			return merged[i].run(argc - 1, argv + 1);
	complain("merge needs decode, stat, coverage or check, and --parts N; "
	         "see 'hartscope merge --help'");
	return EXIT_USAGE;
}
