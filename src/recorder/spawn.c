/* Finding the program and starting it under QEMU with the plugin. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/private.h"
#include "support/elf_order.h"
#include "support/file.h"

#define QEMU_ARGUMENTS 10u

char *recorder_search_path(const char *name)
{
	const char *path = getenv("PATH");
	char *found = NULL;

	if (strchr(name, '/') != NULL || path == NULL)
		return strdup(name);
	for (const char *p = path; *p != 0;) {
		const size_t n = strcspn(p, ":");

		if (asprintf(&found, "%.*s/%s", n > 0 ? (int)n : 1, n > 0 ? p : ".", name) < 0)
			return NULL;
		if (access(found, X_OK) == 0)
			return found;
		free(found);
		p += n + (p[n] == ':');
	}
	return asprintf(&found, "./%s", name) < 0 ? NULL : found;
}

/* Take what is needed of a program header. */
static void take_segment(struct recorder_program *program, const Elf64_Phdr *wide,
                         const Elf32_Phdr *narrow)
{
	const bool is_64 = program->xlen == 64;
	const uint32_t type = is_64 ? wide->p_type : narrow->p_type;
	const uint32_t flags = is_64 ? wide->p_flags : narrow->p_flags;
	const uint64_t start = is_64 ? wide->p_vaddr : narrow->p_vaddr;

	program->interpreter |= type == PT_INTERP; /* dynamically linked */
	if (type == PT_LOAD && (flags & PF_X) && start < program->code) {
		program->code = start;
		program->code_offset = is_64 ? wide->p_offset : narrow->p_offset;
	}
}

static void read_segments(struct recorder_program *program, int fd, const Elf64_Ehdr *h)
{
	const bool wide = program->xlen == 64;
	const Elf32_Ehdr *narrow = (const void *)h;
	const uint64_t at = wide ? h->e_phoff : narrow->e_phoff;
	const unsigned n = wide ? h->e_phnum : narrow->e_phnum;
	const unsigned size = wide ? h->e_phentsize : narrow->e_phentsize;

	program->code = UINT64_MAX;
	for (unsigned i = 0; i < n; i++) {
		union {
			Elf64_Phdr wide;
			Elf32_Phdr narrow;
		} p = { .wide = { 0 } };
		const size_t want = wide ? sizeof(p.wide) : sizeof(p.narrow);

		if (lseek(fd, (off_t)(at + (uint64_t)i * size), SEEK_SET) >= 0 &&
		    support_read(fd, &p, want) == (ssize_t)want &&
		    support_elf_order(&p, ELF_T_PHDR, want, wide, true))
			take_segment(program, &p.wide, &p.narrow);
	}
}

static bool wide_of(const Elf64_Ehdr *h)
{
	return h->e_ident[EI_CLASS] == ELFCLASS64;
}

enum hs_status recorder_program_find(const char *name, struct recorder_program *program,
                                   struct hs_error *e)
{
	Elf64_Ehdr h = { 0 };
	struct stat st;
	ssize_t n;
	int fd;

	program->path = recorder_search_path(name);
	if (program->path == NULL)
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	fd = open(program->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return hs_error_set(e, HS_E_SYSTEM, "%s: %s", name, strerror(errno));
	n = support_read(fd, &h, sizeof(h));
	if (n < (ssize_t)sizeof(Elf32_Ehdr) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
	    h.e_ident[EI_DATA] != ELFDATA2LSB ||
	    !support_elf_order(&h, ELF_T_EHDR, wide_of(&h) ? sizeof(h) : sizeof(Elf32_Ehdr),
	                       wide_of(&h), true) ||
	    h.e_machine != EM_RISCV) {
		close(fd);
		return hs_error_set(e, HS_E_UNSUPPORTED, "%s: not a RISC-V program (ELF)", name);
	}
	if (fstat(fd, &st) == 0 && (st.st_mode & (S_ISUID | S_ISGID))) {
		close(fd);
		return hs_error_set(e, HS_E_UNSUPPORTED,
		                    "%s: setuid or setgid, which has no effect under QEMU: "
		                    "record a copy without it",
		                    name);
	}
	program->xlen = wide_of(&h) ? 64 : 32;
	read_segments(program, fd, &h);
	close(fd);
	return HS_OK;
}

/* qemu-system-riscv64 and -riscv32 run machines.  The program is what -kernel names, or -bios. */
bool recorder_system_find(char *const *argv, struct recorder_program *program)
{
	const char *slash = strrchr(argv[0], '/'), *name = slash == NULL ? argv[0] : slash + 1;
	const char *elf = NULL;

	if (strcmp(name, "qemu-system-riscv64") != 0 && strcmp(name, "qemu-system-riscv32") != 0)
		return false;
	for (size_t i = 1; argv[i] != NULL && argv[i + 1] != NULL; i++)
		if (strcmp(argv[i], "-kernel") == 0 ||
		    (strcmp(argv[i], "-bios") == 0 && elf == NULL))
			elf = argv[i + 1];
	program->system = true;
	program->xlen = strcmp(name + strlen(name) - 2, "64") == 0 ? 64 : 32;
	program->path = elf == NULL ? strdup(argv[0]) : realpath(elf, NULL);
	if (program->path == NULL)
		program->path = strdup(argv[0]);
	return true;
}

/* A mark as the plugin takes it (plugins/qemu/marks.h). */
static int mark_option(const char *name, const struct hs_recorder_mark *m, char *text, size_t size)
{
	static const char kinds[] = " alie";

	if (m->kind == HS_RECORDER_MARK_NONE)
		return 0;
	return snprintf(text, size, ",%s=%c:%" PRIx64 ":%" PRIx32, name, kinds[m->kind], m->value,
	                m->count == 0 ? 1 : m->count);
}

/* What the plugin is to do, as it takes it. */
static void plugin_options(const struct hs_recorder_options *o, const struct recorder_program *p,
                           const char *socket_name, char *text, size_t size)
{
	static const char *const accesses[] = { "", ",data=addresses", ",data=values" };
	static const char *const contexts[] = { "satp", "asid", "mcontext", "scontext", "none" };
	int n = snprintf(text, size, "socket=%s%s%s,code=%" PRIx64 ":%" PRIx64, socket_name,
	                 accesses[o->data],
	                 p->system         ? ",wait=on"
	                 : o->exact_faults ? ",exact=on"
	                                   : "",
	                 p->code, p->code_offset);

	if (p->system && o->context != HS_RECORDER_CONTEXT_SATP)
		n += snprintf(text + n, size - (size_t)n, ",context=%s", contexts[o->context]);
	n += mark_option("from", &o->from, text + n, size - (size_t)n);
	mark_option("to", &o->to, text + n, size - (size_t)n);
}

/* Does it matter where the program is loaded? */
static bool is_placed(const struct hs_recorder_options *o)
{
	return o->from.kind == HS_RECORDER_MARK_LINKED || o->to.kind == HS_RECORDER_MARK_LINKED;
}

static const char *sysroot_of(const struct hs_recorder_options *o, const struct recorder_program *p)
{
	const char *usual = p->xlen == 64 ? "/usr/riscv64-linux-gnu" : "/usr/riscv32-linux-gnu";

	if (o->sysroot != NULL)
		return o->sysroot;
	if (!p->interpreter || getenv("QEMU_LD_PREFIX") != NULL)
		return NULL;
	return access(usual, R_OK) == 0 ? usual : NULL;
}

static size_t count_arguments(char *const *argv)
{
	size_t n = 0;

	while (argv[n] != NULL)
		n++;
	return n;
}

static char *literal(const char *text)
{
	return (char *)(uintptr_t)text; /* execvp() does not write to it */
}

/* The emulator's command line for a program.  The caller frees the array, but not its strings. */
static char **user_command(const struct hs_recorder_options *o, char *const *program_argv,
                           const struct recorder_program *p, const char *qemu, char *plugin)
{
	const char *sysroot = sysroot_of(o, p);
	const size_t count = count_arguments(program_argv);
	char **argv = calloc(count + QEMU_ARGUMENTS, sizeof(*argv));
	size_t n = 0;

	if (argv == NULL)
		return NULL;
	argv[n++] = literal(qemu);
	if (sysroot != NULL) {
		argv[n++] = literal("-L");
		argv[n++] = literal(sysroot);
	}
	argv[n++] = literal("-0");
	argv[n++] = program_argv[0];
	argv[n++] = literal("-plugin");
	argv[n++] = plugin;
	argv[n++] = p->path;
	for (size_t i = 1; i < count; i++)
		argv[n++] = program_argv[i];
	return argv;
}

/* The emulator of a machine: as the user wrote it, the plugin, and a monitor of our own. */
static char **system_command(char *const *program_argv, const struct recorder_plugin *plugin,
                             char *argument, char *chardev)
{
	size_t n = count_arguments(program_argv);
	char **argv = calloc(n + QEMU_ARGUMENTS, sizeof(*argv));

	if (argv == NULL)
		return NULL;
	memcpy(argv, program_argv, n * sizeof(*argv));
	argv[n++] = literal("-plugin");
	argv[n++] = argument;
	argv[n++] = literal("-chardev");
	argv[n++] = chardev;
	argv[n++] = literal(plugin->monitor_object ? "-object" : "-mon");
	argv[n++] =
		literal(plugin->monitor_object ? "monitor-qmp,id=hartscope-qmp,chardev=hartscope"
	                                       : "chardev=hartscope,mode=control");
	return argv;
}

/* fork and exec.  A failed exec reports errno through a pipe, which a successful one closes.
 * @inherited: a descriptor that stays open, or -1. */
static enum hs_status start_emulator(char **argv, int inherited, pid_t *pid, struct hs_error *e)
{
	int error = 0, report[2];
	ssize_t n;

	if (pipe2(report, O_CLOEXEC) != 0)
		return hs_error_set(e, HS_E_SYSTEM, "%s: %s", argv[0], strerror(errno));
	*pid = fork();
	if (*pid == 0) {
		if (inherited >= 0)
			fcntl(inherited, F_SETFD, 0);
		recorder_descriptors_of_child();
		execvp(argv[0], argv);
		error = errno;
		n = support_write(report[1], &error, sizeof(error));
		_exit(n > 0 ? 127 : 126);
	}
	error = *pid < 0 ? errno : 0;
	close(report[1]);
	n = *pid < 0 ? 0 : support_read(report[0], &error, sizeof(error));
	close(report[0]);
	if (*pid < 0 || n > 0)
		return hs_error_set(e, HS_E_SYSTEM, "%s: %s (packages qemu-user, qemu-system-misc)",
		                    argv[0], strerror(error));
	return HS_OK;
}

enum hs_status recorder_spawn(const struct hs_recorder_options *o, char *const *program_argv,
                              const struct recorder_program *program, const char *socket_name,
                              int monitor, pid_t *pid, struct hs_error *e)
{
	char **argv = NULL, *place, *argument, chardev[64], options[512];
	struct recorder_emulator emulator;
	enum hs_status status = recorder_emulator_find(o, program->system ? program_argv[0] : NULL,
	                                               program->xlen, &emulator, e);

	if (status != HS_OK) {
		recorder_emulator_free(&emulator);
		return status;
	}
	plugin_options(o, program, socket_name, options, sizeof(options));
	place = is_placed(o) && !program->system ? realpath(program->path, NULL) : NULL;
	argument = recorder_plugin_argument(emulator.plugin.path, options, place);
	snprintf(chardev, sizeof(chardev), "socket,id=hartscope,fd=%d", monitor);
	if (argument != NULL)
		argv = program->system
		               ? system_command(program_argv, &emulator.plugin, argument, chardev)
		               : user_command(o, program_argv, program, emulator.path, argument);
	if (argv == NULL)
		status = hs_error_set(e, HS_E_MEMORY, "out of memory");
	else
		status = start_emulator(argv, monitor, pid, e);
	free(argv);
	free(argument);
	free(place);
	recorder_emulator_free(&emulator);
	return status;
}
