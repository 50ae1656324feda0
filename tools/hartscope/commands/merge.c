/* hartscope merge: the parts of a job together. */
#include <string.h>

#include "common/tool.h"

static const struct merged {
	const char *name;
	int (*run)(int argc, char **argv);
} merged[] = {
	{ "check", cmd_check },
	{ "coverage", cmd_coverage },
	{ "decode", cmd_decode },
	{ "stat", cmd_stat },
};

static void print_usage(FILE *to)
{
	fprintf(to,
	        "Usage: hartscope merge decode|stat|coverage|check --parts N [OPTIONS] TRACE...\n\n"
	        "Puts together what N runs of 'hartscope COMMAND --part K/N' made, on one machine or\n"
	        "on many that share files, and prints what the command prints without --part.\n"
	        "OPTIONS are those of the command; those that decide how the trace is decoded must\n"
	        "be the same as they were for the parts.  A part that is not done is named.\n\n"
	        "Example:\n"
	        "  for k in 1 2 3 4; do hartscope stat --part $k/4 --elf app.elf app.nt & done; "
	        "wait\n"
	        "  hartscope merge stat --parts 4 --elf app.elf app.nt\n");
}

static bool has_parts(int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		if (strncmp(argv[i], "--parts", 7) == 0)
			return true;
	return false;
}

int cmd_merge(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
		print_usage(stdout);
		return EXIT_GOOD;
	}
	for (size_t i = 0; i < sizeof(merged) / sizeof(*merged); i++)
		if (strcmp(merged[i].name, name) == 0 && has_parts(argc, argv))
			return merged[i].run(argc - 1, argv + 1);
	complain("merge needs decode, stat, coverage or check, and --parts N; "
	         "see 'hartscope merge --help'");
	return EXIT_USAGE;
}
