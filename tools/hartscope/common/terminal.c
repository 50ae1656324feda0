/* Output on a terminal: colour, and a pager where it may be long. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/tool.h"

/* One process has one standard output. */
static pid_t pager; /* 0: none */
static enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER } colour;
static bool long_names;

bool terminal_is(FILE *f)
{
	return isatty(fileno(f)) || (f == stdout && pager);
}

unsigned terminal_width(void)
{
	struct winsize w;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col)
			return w.ws_col;
	return 80;
}

static bool parse_colour(void *options, const struct option_row *r, char *when)
{
	static const char *const words[] = {
		[COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never"
	};

	(void)options;
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(when, words[i]) == 0) {
			colour = (enum colour)i;
			return true;
		}
	complain("%s needs auto, always or never, not '%s'", r->name, when);
	return false;
}

static bool parse_long_names(void *options, const struct option_row *r, char *none)
{
	(void)options;
	(void)r;
	(void)none;
	long_names = true;
	return true;
}

bool wants_short_names(FILE *f)
{
	return !long_names && terminal_is(f);
}

/* clang-format off */
const struct option_row options_terminal[] = {
	{ "--color", 0, "WHEN", "colours: auto (on a terminal, without NO_COLOR), always or never",
	  PARSED(parse_colour), .words = "auto always never" },
	{ "--no-pager", 0, NULL, "on a terminal, no $PAGER (less) for long output",
	  AS_FLAG(struct options, no_pager) },
	{ "--long-names", 0, NULL, "on a terminal, whole names of C++ functions",
	  PARSED(parse_long_names) },
	{ .name = NULL }
};
/* clang-format on */

bool wants_colour(FILE *f)
{
	const char *no = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (colour != COLOUR_AUTO)
		return colour == COLOUR_ALWAYS;
	return terminal_is(f) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

/* ---- pager ------------------------------------------------------------------------- */

static void wait_for_pager(void)
{
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}

/* What is said meanwhile would be written over the pager's lines: it is kept until its end. */
static struct {
	char *text;
	size_t n;
} notes;

bool terminal_keep(const char *text)
{
	const size_t n = strlen(text);
	char *more;

	flockfile(stderr);
	more = pager && isatty(STDERR_FILENO) ? realloc(notes.text, notes.n + n) : NULL;
	if (more) {
		memcpy(more + notes.n, text, n);
		notes.text = more;
		notes.n += n;
	}
	funlockfile(stderr);
	return more != NULL;
}

static void write_notes(void)
{
	if (notes.n && write(STDERR_FILENO, notes.text, notes.n) < 0)
		return; /* nobody reads them */
	notes.n = 0;
}

static void end_pager(void)
{
	fflush(stdout);
	close(STDOUT_FILENO);
	wait_for_pager();
	write_notes();
}

/* The terminal stays the pager's until it ends. */
static void interrupt(int signal_number)
{
	close(STDOUT_FILENO);
	wait_for_pager();
	write_notes();
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/* The program of $PAGER; without it less, if there is one.  NULL: none is wanted. */
static const char *find_pager(void)
{
	const char *name = getenv("PAGER"), *term = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || !term || strcmp(term, "dumb") == 0)
		return NULL;
	if (!name)
		name = system("command -v less >/dev/null 2>&1") == 0 ? "less" : "";
	return *name && strcmp(name, "cat") != 0 ? name : NULL;
}

static void run_pager(const char *name, const int ends[2])
{
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	setenv("LESS", "FRX", 0); /* what fits on the screen is only printed */
	execl("/bin/sh", "sh", "-c", name, (char *)NULL);
	_exit(127);
}

void pager_start(void)
{
	const char *name = find_pager();
	int ends[2];

	if (!name || pipe(ends) != 0)
		return;
	fflush(stdout);
	const pid_t child = fork();

	if (child == 0)
		run_pager(name, ends);
	if (child > 0 && dup2(ends[1], STDOUT_FILENO) >= 0) {
		pager = child;
		atexit(end_pager);
		signal(SIGINT, interrupt);
	}
	close(ends[0]);
	close(ends[1]);
}
