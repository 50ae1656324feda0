/* hartscope help capture: what to do with one, and where samples are. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/tool.h"

static const struct {
	const char *what, *words;
} samples[] = {
	{ "N-Trace, samples of four pins", "capture.pins" },
	{ "N-Trace, a RAM sink and its registers", "--registers capture.regs capture.trace" },
	{ "E-Trace, a circular buffer",
	  "--protocol etrace --set full-address=1 --wrap find ring.trace" },
	{ "E-Trace, the trace memory of an ESP32", "esp32.bin" },
	{ "N-Trace of two harts in CoreSight frames", "both.tpiu" },
};

/* The samples as they are installed, or in the tree where this program was built. */
static bool find_samples(char folder[PATH_MAX])
{
	static const char *const places[] = { "../share/doc/hartscope/examples/captures",
		                              "../share/doc/hartscope-doc/examples/captures",
		                              "../../../examples/captures" };
	char own[PATH_MAX] = "", path[2 * PATH_MAX];

	if (readlink("/proc/self/exe", own, sizeof(own) - 1) <= 0)
		return false;
	const int n = (int)(path_base(own) - own);

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), "%.*s%s", n, own, places[i]);
		if (realpath(path, folder))
			return true;
	}
	return false;
}

int help_capture(void)
{
	char folder[PATH_MAX];

	printf("A capture is a file with the trace of hardware or of a simulator.  With the\n"
	       "program most are read at once; identify says what one is, or could be:\n\n"
	       "  hartscope list --elf app.elf CAPTURE\n"
	       "  hartscope identify --elf app.elf CAPTURE\n");
	if (!find_samples(folder)) {
		printf("\nSamples: examples/captures of the documentation, which is not installed.\n");
		return EXIT_GOOD;
	}
	printf("\nSamples to try:\n\n  cd %s\n", folder);
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)
		printf("\n  # %s\n  hartscope list --elf app.elf %s\n", samples[i].what,
		       samples[i].words);
	printf("\ndocs/walkthrough.md explains them, docs/boards.md how to get one from a board.\n");
	return EXIT_GOOD;
}
