/* hartscope: the command-line tool.  One table of commands; each is a file of its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hartscope/source.h>
#include <hartscope/status.h>

#include "common/complete.h"
#include "common/sandbox.h"

static const struct command {
	const char *name, *help;
	int (*run)(int argc, char **argv);
	const char *group; /* that begins with it */
} commands[] = {
#define COMMAND(name, help, group) { #name, help, cmd_##name, group },
#include "commands/commands.def"
#undef COMMAND
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

static void print_row(FILE *to, const struct command *c)
{
	fprintf(to, "  %-9s  ", c->name);
	usage_wrap(to, c->help, 13, 13);
}

/* Every command, with what it does. */
static void print_commands(FILE *to)
{
	fprintf(to, "Usage: hartscope COMMAND [OPTIONS] ...\n\n"
	            "Shows exactly what a RISC-V hart executed.\n");
	for (size_t i = 0; i < COMMANDS; i++) {
		if (commands[i].group)
			fprintf(to, "\n%s:\n", commands[i].group);
		print_row(to, &commands[i]);
	}
	fprintf(to, "\n'hartscope COMMAND --help' explains a command, with --all every option;\n"
	            "'hartscope help parameters' lists what --set takes, 'hartscope help capture'\n"
	            "samples of captures.  First steps:\n"
	            "  hartscope record -o app.rec -- ./app\n"
	            "  hartscope list app.rec\n");
}

/* What most people need, and of the others the names: one screen. */
static const char *const first_commands[] = { "record", "report", "list", "crash", "identify" };

static bool is_first(const struct command *c)
{
	for (size_t i = 0; i < sizeof(first_commands) / sizeof(*first_commands); i++)
		if (strcmp(first_commands[i], c->name) == 0)
			return true;
	return false;
}

/* The names of a group that begins at @i, but for the first ones.  Returns where the next one
 * begins. */
static size_t print_group(FILE *to, size_t i)
{
	char names[256] = "";
	const char *group = commands[i].group;

	do {
		if (!is_first(&commands[i]))
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
			         *names ? ", " : "", commands[i].name);
	} while (++i < COMMANDS && !commands[i].group);
	fprintf(to, "%-22s ", group);
	usage_wrap(to, names, 23, 23);
	return i;
}

static void print_screen(FILE *to)
{
	fprintf(to, "Usage: hartscope COMMAND [OPTIONS] ...\n\n"
	            "Shows exactly what a RISC-V hart executed.\n\n");
	for (size_t i = 0; i < COMMANDS; i++)
		if (is_first(&commands[i]))
			print_row(to, &commands[i]);
	fputc('\n', to);
	for (size_t i = 0; i < COMMANDS;)
		i = print_group(to, i);
	fprintf(to,
	        "\nFirst steps: hartscope record -o app.rec -- ./app; hartscope view app.rec\n"
	        "'hartscope COMMAND --help' explains a command, 'hartscope help --all' says what\n"
	        "each does; 'hartscope help capture': samples of captures to try.\n");
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

/* A file, where a command is due: what shows it. */
static int no_command_of_file(const char *path)
{
	const char *command = "identify";

	if (is_recording(path))
		command = "report";
	else if (info_is_program(path))
		command = "record";
	complain("no command is given for the file %s, such as 'hartscope %s %s'", path, command,
	         path);
	return EXIT_USAGE;
}

static int no_command(const char *name)
{
	struct guess guess = { .wanted = name };
	struct stat st;

	if (stat(name, &st) == 0 && (S_ISREG(st.st_mode) || is_recording(name)))
		return no_command_of_file(name);
	for (size_t i = 0; i < COMMANDS; i++)
		guess_try(&guess, commands[i].name);
	complain("no command '%s'%s; 'hartscope help' lists them", name, guess_text(&guess));
	return EXIT_USAGE;
}

static void complete_commands(const char *typed)
{
	for (size_t i = 0; i < COMMANDS; i++)
		complete_offer(typed, commands[i].name, commands[i].help);
	if (*typed == '-') {
		complete_offer(typed, "--help", "list the commands");
		complete_offer(typed, "--version", "print the version");
	}
}

/* What may come after help. */
static void complete_help(int argc, char **argv)
{
	if (argc == 1) {
		complete_commands(argv[0]);
		complete_offer(argv[0], "parameters", "what --set takes");
		complete_offer(argv[0], "capture", "samples to try");
	}
	for (unsigned i = 0; argc == 2 && hs_protocol_at(i) && !strcmp(argv[0], "parameters"); i++)
		complete_offer(argv[1], hs_protocol_at(i)->name, NULL);
	if (argc == 2)
		complete_offer(argv[1], "--all", "every option");
}

/* complete WORD...: candidates for the last one (completions/). */
static int complete(int argc, char **argv)
{
	static char mark[] = "--complete";
	const struct command *c = argc > 1 ? find_command(argv[0]) : NULL;

	if (argc == 1) {
		complete_commands(argv[0]);
	} else if (c && c->run == cmd_help) {
		complete_help(argc - 1, argv + 1);
	} else if (c && c->run != cmd_version) {
		char **words = calloc((size_t)argc + 2, sizeof(*words));

		if (!words)
			return EXIT_USAGE;
		words[0] = argv[0];
		words[1] = mark;
		memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof(*words));
		c->run(argc + 1, words);
		free(words);
	}
	return EXIT_GOOD;
}

int cmd_version(int argc, char **argv)
{
	if (argc > 1) {
		const bool help = strcmp(argv[1], "--help") == 0;

		fprintf(help ? stdout : stderr, "Usage: hartscope version\n\n"
		                                "Prints the version.\n\n"
		                                "Example:\n  hartscope version\n");
		if (!help)
			complain("version takes no arguments");
		return help ? EXIT_GOOD : EXIT_USAGE;
	}
	printf("hartscope %s\n", hs_version_string());
	return EXIT_GOOD;
}

/* help parameters [PROTOCOL] */
static int help_params(const char *protocol)
{
	pager_start();
	if (usage_params(protocol, stdout))
		return EXIT_GOOD;
	complain("no protocol '%s'; there are: ntrace, etrace, tacit", protocol);
	return EXIT_USAGE;
}

/* help [--all] [COMMAND | capture | parameters [PROTOCOL]] */
int cmd_help(int argc, char **argv)
{
	char help[] = "--help", all[] = "--all";
	const bool wants_all = argc > 1 && strcmp(argv[argc - 1], all) == 0;
	const char *topic = argc - wants_all > 1 ? argv[1] : "--help";
	const struct command *c = find_command(topic);

	if (c && c->run != cmd_help) {
		char *args[] = { argv[1], help, all, NULL };

		return c->run(2 + wants_all, args);
	}
	if (strcmp(topic, "capture") == 0)
		return help_capture();
	if (strcmp(topic, "parameters") == 0)
		return help_params(argc - wants_all > 2 ? argv[2] : NULL);
	if (!c && strcmp(topic, "--help") != 0)
		return no_command(topic);
	pager_start();
	if (wants_all)
		print_commands(stdout);
	else
		print_screen(stdout);
	return EXIT_GOOD;
}

static int run(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		print_screen(stderr);
		complain("no command was given");
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return cmd_help(1, argv);
	if (strcmp(argv[1], "complete") == 0)
		return complete(argc - 2, argv + 2);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return cmd_version(1, argv);
	c = find_command(argv[1]);
	if (!c)
		return no_command(argv[1]);
	/* These start QEMU, a browser, a debugger; the last two arm it for what they read. */
	if (c->run != cmd_record && c->run != cmd_view && c->run != cmd_gdb)
		sandbox_arm();
	return c->run(argc - 1, argv + 1);
}

/* Did who reads standard output leave, as head does when it has enough? */
static bool reader_left(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

/* What was to be read was not whole.  @own: the status is of the command, not of a program. */
static int settle(int status, bool own)
{
	if (own && output_is_unwritten())
		return EXIT_USAGE;
	if (status > EXIT_FINDINGS && own && !has_complained())
		complain("%s", errno == ENOMEM ? "out of memory" : hs_status_text(HS_E_SYSTEM));
	if (status > EXIT_FINDINGS || !input_is_incomplete() ||
	    (status == EXIT_FINDINGS && !input_was_unread()))
		return status;
	explain_incomplete();
	return EXIT_DAMAGED;
}

/* A file that may not grow is an error of write() then.  A handler, as what is executed does not
 * inherit it. */
static void on_file_limit(int number)
{
	(void)number;
}

static void catch_file_limit(void)
{
	struct sigaction old, new = { .sa_handler = on_file_limit };

	sigemptyset(&new.sa_mask);
	if (sigaction(SIGXFSZ, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &new, NULL);
}

/* Standard streams that are closed stay so for those who use them (EBADF), but no file that is
 * opened gets their numbers: its text would go into that file. */
static void fill_closed_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/", O_PATH) < 0)
			_exit(EXIT_DAMAGED);
}

int main(int argc, char **argv)
{
	fill_closed_streams();
	catch_file_limit();
	const int status = run(argc, argv);

	/* What an earlier flush could not write is lost: only ferror() says so. */
	const bool own = argc < 2 || strcmp(argv[1], "record") != 0;
	const bool written = fflush(stdout) == 0 && !ferror(stdout);

	if (written || reader_left() || (status > EXIT_FINDINGS && !own))
		return written ? settle(status, own) : status;
	if (!output_is_unwritten())
		complain("standard output: cannot be written");
	return EXIT_USAGE;
}
