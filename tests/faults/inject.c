/* Runs a command and lets one of its system calls go wrong.
 *
 *   inject [OPTIONS] REPORT PROGRAM ARGUMENT...
 *
 * Every system call of every process comes here first (seccomp's user notification).  The calls of
 * PROGRAM count, those of what it starts do not.  REPORT gets "CALLS HIT NAME": how many calls
 * there were that the option may hit, and the number of the one that was hit (0: none).  The exit
 * status is that of PROGRAM, 128 and more where a signal ended it.
 *
 *   --error NAME   calls that may fail so (calls.h) fail with this error
 *   --short        read and write move one byte
 *   --kill         PROGRAM is killed before the call
 *   --signal N     PROGRAM gets the signal before the call
 *   --hold         the call, of a thread that is not the first, waits until no other makes a call
 *   --call NAME    only calls of this name count
 *   --at N         only the Nth of these calls; 0, the default: none; --all: every one
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

#define WAIT_KILLABLE (1ul << 5) /* SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, Linux 5.19 */

/* A call whose answer waits. */
struct held {
	pid_t thread;
	struct seccomp_notif_resp answer;
};
#define HELD_MOST 64u
#define HOLD_MS 100 /* until nobody else made a call for so long */
#define SETTLE_US 200u
#define SETTLE_TRIES 10000u

struct job {
	const struct failure *failure; /* NULL: every call may be hit */
	bool shortens, kills, holds, all;
	int signal;
	const char *name; /* NULL: of any name */
	unsigned long at;
	unsigned long calls, hit;
	const char *hit_name;
	struct stat program;
	pid_t child;
	bool begun; /* the loader is done */
	int listener;
	struct held held[HELD_MOST];
	unsigned held_count;
};

static int fail(const char *what)
{
	perror(what);
	return 125;
}

/* ---- the side of the program ------------------------------------------------------------- */

static int install_filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	/* A signal that comes while a call waits for its answer does not make the call fail: some
	 * never do. */
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	                    SECCOMP_FILTER_FLAG_NEW_LISTENER | WAIT_KILLABLE, &filter);
}

static pid_t start(char **argv, volatile int *listener)
{
	const pid_t child = fork();

	if (child != 0)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* without us none of its calls would be answered */
	const int fd = install_filter();

	*listener = fd < 0 ? -2 : fd;
	if (fd >= 0)
		execv(argv[0], argv);
	_exit(125);
}

/* The child has a file for the calls: take it. */
static int take_listener(pid_t child, const volatile int *listener)
{
	const int process = (int)syscall(SYS_pidfd_open, child, 0);

	for (int i = 0; i < 10000 && *listener == -1; i++)
		usleep(200);
	return *listener < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, *listener, 0);
}

/* ---- which calls -------------------------------------------------------------------------- */

/* Does the call come from the loader, which maps libraries before there is a program? */
static bool is_of_loader(pid_t pid, uint64_t ip)
{
	char path[64], line[PATH_MAX + 128];
	FILE *f;
	bool of = false;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		unsigned long from, to;

		if (sscanf(line, "%lx-%lx", &from, &to) == 2 && ip >= from && ip < to)
			of = strstr(line, "/ld-linux") != NULL;
	}
	if (f)
		fclose(f);
	return of;
}

/* Is it a process that runs PROGRAM? */
static bool is_of_program(struct job *j, const struct seccomp_notif *n)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/exe", n->pid);
	if (stat(path, &st) != 0 || st.st_ino != j->program.st_ino ||
	    st.st_dev != j->program.st_dev)
		return false;
	if (!j->begun && n->data.nr != __NR_execve)
		j->begun = !is_of_loader((pid_t)n->pid, n->data.instruction_pointer);
	return j->begun;
}

static bool moves_bytes(int nr)
{
	return nr == __NR_read || nr == __NR_write || nr == __NR_pread64 || nr == __NR_pwrite64;
}

/* A thread of a process has another number than it. */
static pid_t process_of(pid_t thread)
{
	char path[64], line[256];
	int process = thread;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)thread);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %d", &process) == 1)
			break;
	if (f)
		fclose(f);
	return process;
}

/* The file of a call, as a descriptor of ours. */
static int file_of(const struct seccomp_notif *n)
{
	const int process = (int)syscall(SYS_pidfd_open, process_of((pid_t)n->pid), 0);
	const int fd = (int)syscall(SYS_pidfd_getfd, process, (int)n->data.args[0], 0);

	close(process);
	return fd;
}

/* Would we wait for bytes of a pipe?  Its writer may wait for us. */
static bool has_bytes(const struct seccomp_notif *n)
{
	struct pollfd p = { file_of(n), POLLIN, 0 };
	const bool has = n->data.nr != __NR_read || poll(&p, 1, 0) != 0;

	close(p.fd);
	return has;
}

static bool may_hit(const struct job *j, const struct seccomp_notif *n)
{
	if (j->holds && process_of((pid_t)n->pid) == (pid_t)n->pid)
		return false;
	if (j->name && strcmp(call_name(n->data.nr), j->name) != 0)
		return false;
	if (j->shortens)
		return moves_bytes(n->data.nr) && n->data.args[2] > 1 && has_bytes(n);
	return !j->failure || failure_fits(j->failure, n->data.nr, n->data.args);
}

/* ---- what goes wrong ---------------------------------------------------------------------- */

/* Move one byte for the program. */
static int64_t move_byte(const struct seccomp_notif *n)
{
	const int fd = file_of(n);
	char byte;
	struct iovec here = { &byte, 1 }, there = { (void *)(uintptr_t)n->data.args[1], 1 };
	const bool reads = n->data.nr == __NR_read || n->data.nr == __NR_pread64;
	const off_t at = (off_t)n->data.args[3];
	int64_t moved;

	if (!reads && process_vm_readv((pid_t)n->pid, &here, 1, &there, 1, 0) != 1)
		moved = -EFAULT;
	else if (n->data.nr == __NR_read)
		moved = read(fd, &byte, 1);
	else if (n->data.nr == __NR_pread64)
		moved = pread(fd, &byte, 1, at);
	else
		moved = n->data.nr == __NR_write ? write(fd, &byte, 1) : pwrite(fd, &byte, 1, at);
	if (moved == -1)
		moved = -errno;
	if (moved == 1 && reads && process_vm_writev((pid_t)n->pid, &here, 1, &there, 1, 0) != 1)
		moved = -EFAULT;
	close(fd);
	return moved;
}

/* ---- calls that wait ---------------------------------------------------------------------- */

static void hold(struct job *j, const struct seccomp_notif *n, const struct seccomp_notif_resp *r)
{
	j->held[j->held_count++] = (struct held){ (pid_t)n->pid, *r };
}

static void release(struct job *j)
{
	while (j->held_count > 0)
		ioctl(j->listener, SECCOMP_IOCTL_NOTIF_SEND, &j->held[--j->held_count].answer);
}

static bool is_held(const struct job *j, pid_t thread)
{
	for (unsigned i = 0; i < j->held_count; i++)
		if (j->held[i].thread == thread)
			return true;
	return false;
}

/* Does a thread, neither @but nor one that waits for us, do anything? */
static bool any_runs(const struct job *j, pid_t process, pid_t but)
{
	char path[64], state = 'S';

	snprintf(path, sizeof(path), "/proc/%d/task", (int)process);
	DIR *d = opendir(path);

	for (const struct dirent *e = d ? readdir(d) : NULL; e && state == 'S'; e = readdir(d)) {
		const pid_t thread = (pid_t)atoi(e->d_name);

		if (thread <= 0 || thread == but || is_held(j, thread))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)process, (int)thread);
		FILE *f = fopen(path, "re");

		if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 'S';
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return state != 'S';
}

/* Take the calls that wait to be taken; those of PROGRAM wait on.  False: there was none. */
static bool take_calls(struct job *j, struct seccomp_notif *n)
{
	struct pollfd p = { j->listener, POLLIN, 0 };
	bool any = false;

	while (j->held_count + 1 < HELD_MOST && poll(&p, 1, 0) == 1 && p.revents & POLLIN) {
		struct seccomp_notif_resp r = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

		memset(n, 0, 4096);
		if (ioctl(j->listener, SECCOMP_IOCTL_NOTIF_RECV, n) != 0)
			break;
		r.id = n->id;
		any = true;
		if (is_of_program(j, n)) {
			j->calls += may_hit(j, n);
			hold(j, n, &r);
		} else {
			ioctl(j->listener, SECCOMP_IOCTL_NOTIF_SEND, &r);
		}
	}
	return any;
}

/* Until no thread of the process runs but the one of @n: the others wait for us, or in a call that
 * a signal may end.  A signal that finds a call which we have not taken yet ends it with EINTR,
 * also one that never does so: of brk() the library takes that for an address. */
static void settle(struct job *j, const struct seccomp_notif *n)
{
	const pid_t process = process_of((pid_t)n->pid);
	struct seccomp_notif *other = calloc(1, 4096);

	for (unsigned i = 0; other && i < SETTLE_TRIES; i++) {
		if (!take_calls(j, other) && !any_runs(j, process, (pid_t)n->pid))
			break;
		usleep(SETTLE_US);
	}
	free(other);
}

static void send_signal(struct job *j, const struct seccomp_notif *n)
{
	if (!j->kills)
		settle(j, n);
	kill(process_of((pid_t)n->pid), j->kills ? SIGKILL : j->signal);
	release(j);
}

static void hit(struct job *j, const struct seccomp_notif *n, struct seccomp_notif_resp *r)
{
	j->hit = j->calls;
	j->hit_name = call_name(n->data.nr);
	if (j->kills || j->signal)
		send_signal(j, n);
	if (j->failure) {
		r->flags = 0;
		r->error = -j->failure->error;
	} else if (j->shortens) {
		const int64_t moved = move_byte(n);

		r->flags = 0;
		r->error = moved < 0 ? (int)moved : 0;
		r->val = moved < 0 ? 0 : moved;
	}
}

static void answer(struct job *j, struct seccomp_notif *n, struct seccomp_notif_resp *r)
{
	bool waits = false;

	memset(n, 0, sizeof(*n));
	memset(r, 0, sizeof(*r));
	if (ioctl(j->listener, SECCOMP_IOCTL_NOTIF_RECV, n) != 0)
		return;
	r->id = n->id;
	r->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	if (is_of_program(j, n) && may_hit(j, n)) {
		j->calls++;
		if (j->all || (j->calls == j->at && j->hit == 0)) {
			hit(j, n, r);
			waits = j->holds;
		}
	}
	if (waits)
		hold(j, n, r);
	else
		ioctl(j->listener, SECCOMP_IOCTL_NOTIF_SEND, r);
}

/* Until nothing is left of what has the filter: programs may outlive PROGRAM. */
static void serve(struct job *j)
{
	struct seccomp_notif *n = calloc(1, 4096);
	struct seccomp_notif_resp *r = calloc(1, 4096);
	struct pollfd p = { j->listener, POLLIN, 0 };

	while (n && r) {
		const int ready = poll(&p, 1, j->held_count > 0 ? HOLD_MS : -1);

		if (ready < 0 && errno != EINTR)
			break;
		if (ready == 0)
			release(j);
		else if (ready > 0 && p.revents & POLLIN)
			answer(j, n, r);
		else if (ready > 0)
			break;
	}
	free(n);
	free(r);
}

/* ---- options ------------------------------------------------------------------------------ */

static int parse(struct job *j, int argc, char **argv)
{
	int i = 1;

	for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (strcmp(argv[i], "--short") == 0)
			j->shortens = true;
		else if (strcmp(argv[i], "--kill") == 0)
			j->kills = true;
		else if (strcmp(argv[i], "--hold") == 0)
			j->holds = true;
		else if (strcmp(argv[i], "--all") == 0)
			j->all = true;
		else if (strcmp(argv[i], "--error") == 0)
			j->failure = failure_find(argv[++i] ? value : "");
		else if (strcmp(argv[i], "--signal") == 0)
			j->signal = atoi(argv[++i] ? value : "");
		else if (strcmp(argv[i], "--call") == 0)
			j->name = argv[++i];
		else if (strcmp(argv[i], "--at") == 0)
			j->at = strtoul(argv[++i] ? value : "", NULL, 10);
		else
			return argc;
		if (strcmp(argv[i - 1], "--error") == 0 && !j->failure)
			return argc;
	}
	return i;
}

static int report(const struct job *j, const char *path)
{
	FILE *f = fopen(path, "we");
	int status;

	if (!f || fprintf(f, "%lu %lu %s\n", j->calls, j->hit,
	                  j->hit_name ? j->hit_name : "-") < 0 ||
	    fclose(f) != 0)
		return fail(path);
	if (waitpid(j->child, &status, 0) != j->child)
		return fail("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct job j = { 0 };
	const int first = parse(&j, argc, argv);
	volatile int *listener = mmap(NULL, sizeof(*listener), PROT_READ | PROT_WRITE,
	                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (first + 2 > argc) {
		fprintf(stderr, "usage: inject [OPTIONS] REPORT PROGRAM ARGUMENT...\n");
		return 125;
	}
	if (stat(argv[first + 1], &j.program) != 0 || listener == MAP_FAILED)
		return fail(argv[first + 1]);
	*listener = -1;
	j.child = start(argv + first + 1, listener);
	j.listener = j.child < 0 ? -1 : take_listener(j.child, listener);
	if (j.listener < 0)
		return fail("no system calls can be seen: seccomp");
	serve(&j);
	return report(&j, argv[first]);
}
