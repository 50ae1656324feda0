/* Where a command may read and write, by Landlock. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hartscope/capture.h>
#include <hartscope/program.h>
#include <hartscope/recording.h>

#include "common/sandbox.h"

#define PATH_SIZE 4096u
#define SCAN_SECONDS 5 /* of reading where programs were compiled */

/* Rights that the headers of Debian 12 do not name yet, by the version that has them. */
#define RIGHT_TRUNCATE (UINT64_C(1) << 14)  /* 3 */
#define RIGHT_IOCTL_DEV (UINT64_C(1) << 15) /* 5 */

#define RIGHTS_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define RIGHTS_FILE \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | \
	 LANDLOCK_ACCESS_FS_EXECUTE | RIGHT_TRUNCATE | RIGHT_IOCTL_DEV)
#define RIGHTS_WRITE \
	(RIGHTS_READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | \
	 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_REFER | \
	 RIGHT_TRUNCATE)

static bool armed;

/* Folders, and files that are none's: a device, a file of "/".  With a NULL at the end. */
static char **folders;
static size_t folder_count, folder_room;
static bool any_own; /* one of the files was written here */
static bool any_fst; /* one is read by fst2vcd, or written by vcd2fst, which is started */
static bool any_temporary; /* an option needs temporary files */

void sandbox_arm(void)
{
	armed = true;
}

void sandbox_allow_fst(void)
{
	any_fst = true;
}

void sandbox_allow_temporary(void)
{
	any_temporary = true;
}

/* ---- what the words name ---------------------------------------------------------- */

static void keep(const char *path)
{
	char *copy;

	for (size_t i = 0; i < folder_count; i++)
		if (strcmp(folders[i], path) == 0)
			return;
	if (folder_count + 2 > folder_room) {
		const size_t room = 2 * folder_room + 16;
		char **more = reallocarray(folders, room, sizeof(*folders));

		if (!more)
			return; /* what is not kept is refused later */
		folders = more;
		folder_room = room;
	}
	copy = strdup(path);
	folders[folder_count] = copy;
	folder_count += copy != NULL;
	folders[folder_count] = NULL;
}

/* The folder of a path, which is then cut; "/" is no one's. */
static void keep_parent(char *path)
{
	for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
		path[n - 1] = '\0';
	char *slash = strrchr(path, '/');

	if (slash == path) {
		keep(path);
		return;
	}
	if (slash)
		*slash = '\0';
	keep(slash ? path : ".");
}

static bool is_own(const char *path)
{
	char json[PATH_SIZE];

	return hs_is_own(path) ||
	       ((size_t)snprintf(json, sizeof(json), "%s.json", path) < sizeof(json) &&
	        hs_is_own(json));
}

/* A file that holds a trace or waves may be read by another program. */
static bool is_fst(const char *path)
{
	return hs_file_what(path, NULL) == HS_FILE_FST;
}

static bool keep_existing(char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	any_own |= is_own(path);
	const bool is_folder = S_ISDIR(st.st_mode);

	if (!S_ISREG(st.st_mode))
		keep(path);
	if (S_ISREG(st.st_mode))
		any_fst |= is_fst(path);
	if (S_ISREG(st.st_mode) || (is_folder && is_recording(path)))
		keep_parent(path);
	return true;
}

/* A file that a word begins with, such as FILE+OFFSET, FILE@ADDRESS or FILE,MORE. */
static void keep_beginning(const char *word)
{
	char path[PATH_SIZE];
	size_t n = strlen(word);

	if (!n || n >= sizeof(path))
		return;
	memcpy(path, word, n + 1);
	while (!keep_existing(path)) {
		while (n && !strchr("+@,", path[n]))
			n--;
		if (!n)
			return;
		path[n--] = '\0';
	}
}

/* Words may be --NAME=FILE, CONTEXT:FILE, ID=registers=FILE or @FILE. */
void sandbox_note(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		keep_beginning(argv[i]);
		any_fst |= strcmp(argv[i], "-") == 0 && is_fst("/dev/stdin");
		for (const char *at = argv[i]; *at; at++)
			if (strchr("=:,@", *at))
				keep_beginning(at + 1);
		if (argv[i][0] == '-' && argv[i][1] && argv[i][1] != '-')
			keep_beginning(argv[i] + 2); /* -oFILE */
	}
}

/* The current folder, where it is part of a home and not all of it. */
static void keep_current(void)
{
	char here[PATH_SIZE], *home = getenv("HOME");
	const size_t n = getcwd(here, sizeof(here)) ? strlen(here) : 0;

	if (n < 2 || (home && strncmp(home, here, n) == 0 && (home[n] == '/' || !home[n])))
		return;
	keep(here);
}

void sandbox_confine_names(struct options *o)
{
	o->store.names.confined = !o->allow_paths;
	o->store.names.folders = (const char *const *)folders;
	o->store.names.folder_count = folder_count;
	o->source.name_options = &o->store.names;
}

/* ---- Landlock --------------------------------------------------------------------- */

static void allow(int ruleset, const char *path, uint64_t rights)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = rights };
	struct stat st;

	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return;
	if (fstat(rule.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
		rule.allowed_access &= RIGHTS_FILE;
	syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
}

/* What every program needs: libraries, itself, numbers of CPUs. */
static void allow_system(int ruleset, uint64_t exec)
{
	static const char *const paths[] = { "/usr",
		                             "/bin",
		                             "/lib",
		                             "/lib32",
		                             "/lib64",
		                             "/opt",
		                             "/etc/ld.so.cache",
		                             "/etc/machine-id",
		                             "/proc/self",
		                             "/sys/devices/system/cpu",
		                             "/dev/zero",
		                             "/dev/random",
		                             "/dev/urandom" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		allow(ruleset, paths[i], RIGHTS_READ | exec);
}

static void allow_parent(int ruleset, const char *path, uint64_t rights)
{
	char copy[PATH_SIZE];

	if (!path || (size_t)snprintf(copy, sizeof(copy), "%s", path) >= sizeof(copy))
		return;
	for (size_t n = strlen(copy); n > 1 && copy[n - 1] == '/'; n--) /* a folder to be made */
		copy[n - 1] = '\0';
	char *slash = strrchr(copy, '/');

	if (slash)
		slash[slash == copy] = '\0';
	allow(ruleset, path, rights); /* where it is a folder, or a device */
	allow(ruleset, slash ? copy : ".", rights);
}

/* The value of the next option that reaches this; NULL: there are no more. */
static const char *next_value(const struct options *o, enum option_reach reach,
                              struct option_place *at)
{
	while (option_next(o->usage, at)) {
		const char *const *value =
			(const void *)((const char *)o + at->group->base + at->row->offset);

		if (at->row->reach == reach && *value)
			return *value;
	}
	return NULL;
}

static bool writes(const struct options *o)
{
	struct option_place at = { .row = NULL };

	return next_value(o, REACH_OUTPUT, &at) || o->job.part || o->usage->next_to;
}

/* tmpfile() of what writes perf.data, of an export, of fst2vcd; and SQLite. */
static bool uses_temporary(const struct options *o)
{
	return any_fst || any_temporary || o->usage->temporary;
}

static void allow_values(int ruleset, const struct options *o, enum option_reach reach,
                         uint64_t rights)
{
	const char *path;

	for (struct option_place at = { .row = NULL }; (path = next_value(o, reach, &at));)
		allow_parent(ruleset, path, rights);
}

static void allow_files(int ruleset, const struct options *o, uint64_t handled)
{
	const uint64_t write = handled & RIGHTS_WRITE;
	const uint64_t rights = writes(o) ? write : RIGHTS_READ;
	static const char *const temporary[] = { "/tmp", "/var/tmp" };

	for (size_t i = 0; i < folder_count; i++)
		allow(ruleset, folders[i], rights);
	if (any_own || o->allow_paths)
		allow(ruleset, "/", RIGHTS_READ);
	allow(ruleset, "/dev/null", write);
	if (uses_temporary(o))
		for (size_t i = 0; i < 2; i++)
			allow(ruleset, temporary[i], write);
	for (unsigned i = 0; i < o->arg_count; i++) /* a pipe's, which input_open() kept */
		allow(ruleset, o->args[i], rights);
	allow_values(ruleset, o, REACH_OUTPUT, write);
	allow_values(ruleset, o, REACH_SOCKET, write);
}

static uint64_t rights_of(long version)
{
	uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

	if (version >= 2)
		rights |= LANDLOCK_ACCESS_FS_REFER;
	if (version >= 3)
		rights |= RIGHT_TRUNCATE;
	if (version >= 5)
		rights |= RIGHT_IOCTL_DEV;
	return rights;
}

static void limit_files(const struct options *o)
{
	const long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	const struct landlock_ruleset_attr attr = { .handled_access_fs =
		                                            version > 0 ? rights_of(version) : 0 };
	const int ruleset =
		version > 0 ? (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0)
			    : -1;

	if (ruleset < 0)
		return;
	allow_system(ruleset, any_fst ? LANDLOCK_ACCESS_FS_EXECUTE : 0);
	allow_files(ruleset, o, attr.handled_access_fs);
	syscall(SYS_landlock_restrict_self, ruleset, 0);
	close(ruleset);
}

/* ---- where programs were compiled --------------------------------------------------- */

/* In a process that reaches nothing else: their debug information is read by no other. */
static void send_compile_dirs(const struct options *o, int to)
{
	static char dirs[HS_COMPILE_DIRS_SIZE];

	alarm(SCAN_SECONDS);
	limit_files(o);
	sandbox_limit_calls(false, false);
	for (size_t i = 0; i < o->source.code_count; i++) {
		const struct hs_code_file *f = &o->source.code[i];
		const size_t n = f->kind == HS_CODE_ELF
		                         ? hs_program_compile_dirs(f->path, dirs, sizeof(dirs))
		                         : 0;

		if (n && write(to, dirs, n) != (ssize_t)n)
			break;
	}
	_exit(0);
}

/* Keep what comes, while it is paths. */
static void take_compile_dirs(int from)
{
	static char dirs[HS_COMPILE_DIRS_SIZE + 1];
	size_t used = 0;
	ssize_t n = 1;

	while (n > 0 && used < HS_COMPILE_DIRS_SIZE) {
		n = read(from, dirs + used, HS_COMPILE_DIRS_SIZE - used);
		used += n > 0 ? (size_t)n : 0;
	}
	for (size_t at = 0; at < used; at += strlen(dirs + at) + 1)
		if (dirs[at] == '/' && !strstr(dirs + at, "/.") && strchr(dirs + at + 1, '/'))
			keep(dirs + at);
}

/* Source text may be where the programs that the user named were compiled. */
static void note_compile_dirs(const struct options *o)
{
	int ends[2];

	if (!option_has(o->usage, "--debug-dir") || !o->source.code_count || any_own ||
	    o->allow_paths || pipe2(ends, O_CLOEXEC) != 0)
		return;
	const pid_t child = fork();

	if (child == 0)
		send_compile_dirs(o, ends[1]);
	close(ends[1]);
	if (child > 0) {
		take_compile_dirs(ends[0]);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
}

void sandbox_enter(const struct options *o)
{
	struct option_place at = { .row = NULL };

	if (!armed || o->no_sandbox || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return;
	note_compile_dirs(o);
	if (option_has(o->usage, "--debug-dir"))
		keep_current();
	limit_files(o);
	sandbox_limit_calls(any_fst, next_value(o, REACH_SOCKET, &at) != NULL);
}
