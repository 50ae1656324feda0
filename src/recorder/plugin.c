/* The recorder plugin that an emulator can load.
 *
 * There is an object for each version of QEMU's plugin interface from which on it is another one
 * (plugins/qemu/meson.build).  Which of them an emulator takes it says itself: it is started with
 * one and probe=on, and an object that is loaded prints the versions that QEMU takes and ends
 * (plugins/qemu/version.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "recorder/private.h"
#include "support/file.h"

#define NOT_THERE 127 /* exit statuses, as of a shell */
#define NOT_EXECUTED 126
#define PATIENCE 10 /* seconds: an emulator answers in a hundredth of one */

/* The objects and the newest versions of the interface that they were built for, in the order in
 * which they are tried. */
struct object {
	int version, last;
};
#define NEWEST INT_MAX
static const struct object user_objects[] = {
	{ 3, 6 }, { 7, NEWEST }, { 1, 1 }, { 2, 2 }, { 0, 0 }
};
static const struct object system_objects[] = { { 4, 6 }, { 7, NEWEST }, { 0, 0 } };

/* What an emulator wrote, and how it ended. */
struct answer {
	char out[128], err[512];
	int status; /* of waitpid(); -1: it had to be stopped */
};

/* ---- where objects are -------------------------------------------------------------- */

/* The first file that a pattern matches, to be freed; NULL: none. */
static char *first_of(const char *pattern)
{
	glob_t files = { 0 };
	char *path = NULL;

	if (glob(pattern, 0, NULL, &files) == 0)
		path = realpath(files.gl_pathv[0], NULL);
	globfree(&files);
	return path;
}

/* The path of an object, in @folder or in a folder near the executable (the build folder's or the
 * installed one), to be freed; NULL: there is none. */
static char *find_object(const char *folder, const char *name)
{
	static const char *const places[] = { "../../plugins/qemu", "../plugins/qemu",
		                              "../lib/hartscope", "../lib/*/hartscope",
		                              "../lib64/hartscope" };
	char self[PATH_MAX], *pattern = NULL, *found = NULL;
	const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (folder != NULL)
		return asprintf(&pattern, "%s/%s", folder, name) < 0 ? NULL : pattern;
	if (n < 0)
		return NULL;
	self[n] = 0;
	dirname(self);
	for (size_t i = 0; found == NULL && i < sizeof(places) / sizeof(*places); i++) {
		if (asprintf(&pattern, "%s/%s/%s", self, places[i], name) < 0)
			return NULL;
		found = first_of(pattern);
		free(pattern);
	}
	return found;
}

/* "-plugin" takes a list with commas; a comma in a path is written twice. */
static char *put_path(char *to, const char *path)
{
	for (; *path != 0; path++) {
		*to++ = *path;
		if (*path == ',')
			*to++ = ',';
	}
	*to = 0;
	return to;
}

char *recorder_plugin_argument(const char *path, const char *options, const char *program)
{
	const size_t paths = strlen(path) + (program == NULL ? 0 : strlen(program));
	char *argument = malloc(2 * paths + strlen(options) + 32);
	char *to = argument;

	if (argument == NULL)
		return NULL;
	to = put_path(stpcpy(to, "file="), path);
	to = stpcpy(stpcpy(to, ","), options);
	if (program != NULL)
		put_path(stpcpy(to, ",program="), program);
	return argument;
}

/* ---- asking an emulator --------------------------------------------------------------- */

static void read_some(int fd, char *to, size_t size, size_t *n)
{
	char rest[256];
	const bool room = *n + 1 < size;
	const ssize_t got = room ? read(fd, to + *n, size - 1 - *n) : read(fd, rest, sizeof(rest));

	if (got > 0 && room)
		*n += (size_t)got;
}

/* Read what it writes until it ends; false: it does not.  A signal to end is for who records, when
 * it is known how. */
static bool read_answer(int out, int err, struct answer *a)
{
	struct pollfd fds[2] = { { .fd = out, .events = POLLIN }, { .fd = err, .events = POLLIN } };
	size_t out_size = 0, err_size = 0;
	struct timespec now, end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += PATIENCE;
	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec >= end.tv_sec)
			return false;
		if (poll(fds, 2, 1000) < 0 && errno == EINTR)
			continue;
		if (fds[0].revents & POLLIN)
			read_some(out, a->out, sizeof(a->out), &out_size);
		if (fds[1].revents & POLLIN)
			read_some(err, a->err, sizeof(a->err), &err_size);
		for (int i = 0; i < 2; i++)
			if ((fds[i].revents & (POLLIN | POLLHUP)) == POLLHUP)
				fds[i].fd = -1;
		if (fds[0].fd < 0 && fds[1].fd < 0)
			return true;
	}
}

static void become_emulator(const char *const *argv, int out, int err)
{
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(nothing, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	execvp(argv[0], (char **)(uintptr_t)argv); /* which it does not write to */
	_exit(errno == ENOENT ? NOT_THERE : NOT_EXECUTED);
}

static bool ask(const char *const *argv, struct answer *a)
{
	int out[2], err[2];
	pid_t pid;
	bool ended;

	*a = (struct answer){ .status = NOT_EXECUTED << 8 };
	if (pipe2(out, O_CLOEXEC) != 0)
		return false;
	if (pipe2(err, O_CLOEXEC) != 0) {
		close(out[0]), close(out[1]);
		return false;
	}
	pid = fork();
	if (pid == 0)
		become_emulator(argv, out[1], err[1]);
	close(out[1]), close(err[1]);
	ended = pid > 0 && read_answer(out[0], err[0], a);
	close(out[0]), close(err[0]);
	if (pid < 0)
		return false;
	if (!ended)
		kill(pid, SIGKILL);
	while (waitpid(pid, &a->status, 0) < 0 && errno == EINTR)
		;
	if (!ended)
		a->status = -1;
	return true;
}

void recorder_ask(const char *const *argv, char *out, size_t size)
{
	struct answer a = { .out = "" };

	ask(argv, &a);
	snprintf(out, size, "%s", a.status == -1 ? "" : a.out);
}

/* QEMU loads an object of an older interface also where functions of the same name have become
 * others since. */
static bool is_object_for(const struct object *object, const struct recorder_plugin *plugin,
                          struct answer *a)
{
	if (plugin->greatest <= object->last)
		return true;
	snprintf(a->err, sizeof(a->err), "none is for its plugin interface, %d to %d",
	         plugin->least, plugin->greatest);
	return false;
}

/* Start @qemu with the object @path.  True: it loads it. */
static bool try_object(const char *qemu, bool system, const char *path, struct answer *a,
                       struct recorder_plugin *plugin)
{
	char *argument = recorder_plugin_argument(path, "probe=on", NULL);
	const char *user[] = { qemu, "-plugin", argument, "/", NULL };
	const char *machine[] = { qemu,          "-M",      "none",   "-display", "none",
		                  "-nodefaults", "-plugin", argument, NULL };
	char target[65], kind[8];
	bool good = argument != NULL && ask(system ? machine : user, a) && a->status == 0;

	good = good && sscanf(a->out, "%d %d %64s %7s", &plugin->least, &plugin->greatest, target,
	                      kind) == 4;
	good = good && strcmp(kind, system ? "system" : "user") == 0;
	if (good)
		plugin->xlen = strcmp(target, "riscv32") == 0 ? 32 : 64;
	free(argument);
	return good;
}

/* From QEMU 11.1 on -mon is deprecated; which version has its successor no number says. */
static bool has_monitor_object(const char *qemu)
{
	const char *argv[] = { qemu, "-object", "monitor-qmp,help", NULL };
	struct answer a;

	return ask(argv, &a) && a.status == 0 && strstr(a.out, "chardev=") != NULL;
}

/* The first line of what an emulator said, and no more of it. */
static const char *said(struct answer *a)
{
	a->err[strcspn(a->err, "\n")] = 0;
	return a->err[0] == 0 ? "it says nothing" : a->err;
}

static bool is_without_plugins(const struct answer *a)
{
	return strstr(a->err, "nknown option") != NULL || strstr(a->err, "invalid option") != NULL;
}

/* No other object will be loaded. */
static bool is_final(const struct answer *a)
{
	return a->status == -1 || is_without_plugins(a) ||
	       (WIFEXITED(a->status) && WEXITSTATUS(a->status) >= NOT_EXECUTED);
}

static enum hs_status refuse(const char *qemu, bool system, struct answer *a, struct hs_error *e)
{
	if (WIFEXITED(a->status) && WEXITSTATUS(a->status) == NOT_THERE)
		return hs_error_set(e, HS_E_SYSTEM, "%s: %s (package %s)", qemu, strerror(ENOENT),
		                    system ? "qemu-system-misc or qemu-system-riscv" : "qemu-user");
	if (WIFEXITED(a->status) && WEXITSTATUS(a->status) == NOT_EXECUTED)
		return hs_error_set(e, HS_E_SYSTEM, "%s: it cannot be executed", qemu);
	if (a->status == -1)
		return hs_error_set(e, HS_E_SYSTEM,
		                    "%s: it does not end when it is asked for its "
		                    "plugin interface",
		                    qemu);
	if (is_without_plugins(a))
		return hs_error_set(e, HS_E_UNSUPPORTED,
		                    "%s: it is built without plugins, which recording needs", qemu);
	if (system && strstr(a->err, "undefined symbol") != NULL)
		return hs_error_set(e, HS_E_UNSUPPORTED,
		                    "%s: its plugins cannot read registers: machines need QEMU 9.2 "
		                    "or newer",
		                    qemu);
	return hs_error_set(e, HS_E_UNSUPPORTED, "%s: it loads no recorder plugin: %s", qemu,
	                    said(a));
}

enum hs_status recorder_plugin_choose(const char *qemu, bool system, const char *folder,
                                      struct recorder_plugin *plugin, struct hs_error *e)
{
	struct answer a = { .status = 0 };
	bool any = false, loads = false;
	const struct object *o = system ? system_objects : user_objects;
	char name[64];

	memset(plugin, 0, sizeof(*plugin));
	for (; o->version != 0 && !loads && !(any && is_final(&a)); o++) {
		snprintf(name, sizeof(name), "hartscope-qemu-%s%d.so", system ? "system-" : "",
		         o->version);
		free(plugin->path);
		plugin->path = find_object(folder, name);
		if (plugin->path == NULL || access(plugin->path, R_OK) != 0)
			continue;
		any = true;
		loads = try_object(qemu, system, plugin->path, &a, plugin) &&
		        is_object_for(o, plugin, &a);
	}
	if (loads) {
		plugin->monitor_object =
			system && plugin->greatest >= 7 && has_monitor_object(qemu);
		return HS_OK;
	}
	free(plugin->path);
	plugin->path = NULL;
	plugin->not_executed = any && WIFEXITED(a.status) && WEXITSTATUS(a.status) == NOT_EXECUTED;
	if (!any)
		return hs_error_set(e, HS_E_SYSTEM,
		                    "recorder plugin %s not found "
		                    "(HARTSCOPE_PLUGIN)",
		                    name);
	return refuse(qemu, system, &a, e);
}
