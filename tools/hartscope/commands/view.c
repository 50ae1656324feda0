/* hartscope view: the page of report --html in a temporary file, and a browser that shows it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/sandbox.h"

/* Options of report, which gets them. */
static const struct usage usage = {
	.name = "view",
	.form = "[--elf FILE]... REC|FLOW|TRACE",
	.text = "Writes the page of report --html to a temporary file, prints its path, and opens\n"
		"it with $BROWSER or, where there is a display, xdg-open.  The file stays.",
	.example = "  hartscope view app.rec\n"
		   "  BROWSER=firefox hartscope view --elf app.elf capture.bin",
	.often = "--elf --set --auto --from --to --thread --cycles-per",
	.options = OPTIONS(OPTIONS_TRACE, OPTIONS_GUEST, OPTIONS_VIEW, ROWS(options_cycles),
	                   ROWS(options_xlen), ROWS(options_jobs), ROWS(options_quiet),
	                   ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
};

/* A folder that only its user reads, and the page in it.  NULL: there is no such folder. */
static char *new_page(const char *of)
{
	const char *folder = getenv("TMPDIR");
	char *path = NULL, *ending = NULL;

	if (asprintf(&path, "%s/hartscope-XXXXXX", folder && *folder ? folder : "/tmp") < 0)
		return NULL;
	if (mkdtemp(path)) {
		char *stem = with_ending(path_base(of), ".rec", ".html");

		if (!stem || asprintf(&ending, "%s/%s", path, stem) < 0)
			ending = NULL;
		free(stem);
	} else {
		complain("%s: %s", path, strerror(errno));
	}
	free(path);
	return ending;
}

/* report --html -o PAGE, with the words that view got, in a process that is confined. */
static int make_page(char *page, int argc, char **argv)
{
	static char report[] = "report", html[] = "--html", output[] = "-o";
	char **words = calloc((size_t)argc + 4, sizeof(*words));
	int status = 0;

	if (!words)
		return EXIT_USAGE;
	words[0] = report;
	words[1] = html;
	words[2] = output;
	words[3] = page;
	memcpy(words + 4, argv + 1, (size_t)(argc - 1) * sizeof(*words));
	const pid_t child = fork();

	if (child == 0) {
		sandbox_arm();
		status = cmd_report(argc + 3, words);
		fflush(stdout);
		_exit(status);
	}
	free(words);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_USAGE;
}

/* What opens pages; NULL: nothing that can be seen does. */
static const char *find_browser(void)
{
	const char *browser = getenv("BROWSER");

	if (browser && *browser)
		return browser;
	return getenv("DISPLAY") || getenv("WAYLAND_DISPLAY") ? "xdg-open" : NULL;
}

/* It is not waited for, and says nothing here. */
static void open_page(const char *browser, const char *page)
{
	char *command = NULL;

	if (asprintf(&command, "exec %s \"$1\"", browser) < 0)
		return;
	if (fork() == 0) {
		const int null = open("/dev/null", O_RDWR);

		for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
			dup2(null, fd);
		setsid();
		execl("/bin/sh", "sh", "-c", command, "sh", page, (char *)NULL);
		_exit(127);
	}
	free(command);
}

/* Make the page of @what by these words, and open it. */
static int view(const char *what, int argc, char **words)
{
	char *page = new_page(what);
	int status;

	if (!page)
		return EXIT_USAGE;
	status = make_page(page, argc, words);
	if (access(page, R_OK) == 0) {
		printf("%s\n", page);
		if (find_browser())
			open_page(find_browser(), page);
	} else {
		*strrchr(page, '/') = '\0';
		rmdir(page);
	}
	free(page);
	return status;
}

int cmd_view(int argc, char **argv)
{
	char **words = calloc((size_t)argc + 1, sizeof(*words)); /* parsing cuts words */
	struct options o = { .arg_count = 0 };
	int status = EXIT_USAGE;

	for (int i = 0; words && i < argc; i++)
		words[i] = strdup(argv[i]);
	if (words && options_parse(&usage, argc, argv, &o, &status))
		status = view(o.args[0], argc, words);
	for (int i = 0; words && i < argc; i++)
		free(words[i]);
	free(words);
	return status;
}
