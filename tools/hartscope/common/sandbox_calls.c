/* Which system calls a command may make, by seccomp.  Others fail with ENOSYS, after which
 * libraries take older ones. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>

#include "common/sandbox.h"

/* Memory, threads, files that are open or that Landlock allows, clocks. */
static const char *const usual[] = { "access",
	                             "alarm",
	                             "arch_prctl",
	                             "brk",
	                             "clock_getres",
	                             "clock_gettime",
	                             "clock_gettime64",
	                             "clock_nanosleep",
	                             "clock_nanosleep_time64",
	                             "close",
	                             "close_range",
	                             "copy_file_range",
	                             "dup",
	                             "dup2",
	                             "dup3",
	                             "exit",
	                             "exit_group",
	                             "faccessat",
	                             "faccessat2",
	                             "fadvise64",
	                             "fadvise64_64",
	                             "fallocate",
	                             "fchdir",
	                             "fchmod",
	                             "fchown",
	                             "fcntl",
	                             "fcntl64",
	                             "fdatasync",
	                             "fgetxattr",
	                             "flock",
	                             "fsetxattr",
	                             "fstat",
	                             "fstat64",
	                             "fstatat64",
	                             "fstatfs",
	                             "fstatfs64",
	                             "fsync",
	                             "ftruncate",
	                             "ftruncate64",
	                             "futex",
	                             "futex_time64",
	                             "get_mempolicy",
	                             "getcpu",
	                             "getcwd",
	                             "getdents",
	                             "getdents64",
	                             "getegid",
	                             "getegid32",
	                             "geteuid",
	                             "geteuid32",
	                             "getgid",
	                             "getgid32",
	                             "getpid",
	                             "getppid",
	                             "getrandom",
	                             "getrlimit",
	                             "getrusage",
	                             "gettid",
	                             "gettimeofday",
	                             "getuid",
	                             "getuid32",
	                             "_llseek",
	                             "linkat",
	                             "lseek",
	                             "lstat",
	                             "lstat64",
	                             "madvise",
	                             "membarrier",
	                             "memfd_create",
	                             "mkdir",
	                             "mkdirat",
	                             "mmap",
	                             "mmap2",
	                             "mprotect",
	                             "mremap",
	                             "munmap",
	                             "nanosleep",
	                             "newfstatat",
	                             "open",
	                             "openat",
	                             "openat2",
	                             "pause",
	                             "pipe",
	                             "pipe2",
	                             "poll",
	                             "ppoll",
	                             "ppoll_time64",
	                             "pread64",
	                             "preadv",
	                             "prlimit64",
	                             "pselect6",
	                             "pwrite64",
	                             "pwritev",
	                             "read",
	                             "readlink",
	                             "readlinkat",
	                             "readv",
	                             "rename",
	                             "renameat",
	                             "renameat2",
	                             "restart_syscall",
	                             "rmdir",
	                             "rseq",
	                             "rt_sigaction",
	                             "rt_sigpending",
	                             "rt_sigprocmask",
	                             "rt_sigreturn",
	                             "rt_sigsuspend",
	                             "rt_sigtimedwait",
	                             "sched_getaffinity",
	                             "sched_setaffinity",
	                             "sched_yield",
	                             "select",
	                             "sendfile",
	                             "sendfile64",
	                             "set_robust_list",
	                             "set_tid_address",
	                             "setitimer",
	                             "sigaltstack",
	                             "sigreturn",
	                             "splice",
	                             "stat",
	                             "stat64",
	                             "statfs",
	                             "statfs64",
	                             "statx",
	                             "sync_file_range",
	                             "sysinfo",
	                             "tee",
	                             "tgkill",
	                             "time",
	                             "times",
	                             "ugetrlimit",
	                             "umask",
	                             "uname",
	                             "unlink",
	                             "unlinkat",
	                             "utimensat",
	                             "utimensat_time64",
	                             "wait4",
	                             "waitid",
	                             "waitpid",
	                             "write",
	                             "writev" };

/* A child that becomes fst2vcd, and is ended. */
static const char *const to_exec[] = { "clone", "clone3", "execve", "kill", "vfork" };

static const char *const to_listen[] = { "accept",     "accept4",  "bind",    "getsockname",
	                                 "getsockopt", "listen",   "recv",    "recvfrom",
	                                 "recvmsg",    "send",     "sendmsg", "sendto",
	                                 "setsockopt", "shutdown", "socket",  "socketcall" };

static int allow(scmp_filter_ctx filter, const char *const *names, size_t count)
{
	int bad = 0;

	for (size_t i = 0; i < count && bad == 0; i++) {
		const int call = seccomp_syscall_resolve_name(names[i]);

		if (call >= 0) /* this architecture has it */
			bad = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
	}
	return bad;
}

/* Threads, not processes. */
static int allow_threads(scmp_filter_ctx filter)
{
	const unsigned flags = seccomp_arch_native() == SCMP_ARCH_S390X ? 1 : 0;

	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
	                        SCMP_CMP(flags, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
}

/* Questions about a terminal. */
static int allow_ioctl(scmp_filter_ctx filter)
{
	static const unsigned long requests[] = { TCGETS, TIOCGWINSZ, FIONREAD };
	int bad = 0;

	for (size_t i = 0; i < 3 && bad == 0; i++)
		bad = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
		                       SCMP_A1(SCMP_CMP_EQ, requests[i], 0));
	return bad;
}

void sandbox_limit_calls(bool exec, bool network)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	int bad = filter ? seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) : -1; /* a tree */

	if (bad == 0)
		bad = allow(filter, usual, sizeof(usual) / sizeof(*usual));
	if (bad == 0)
		bad = allow_ioctl(filter);
	if (bad == 0 && exec)
		bad = allow(filter, to_exec, sizeof(to_exec) / sizeof(*to_exec));
	else if (bad == 0)
		bad = allow_threads(filter);
	if (bad == 0 && network)
		bad = allow(filter, to_listen, sizeof(to_listen) / sizeof(*to_listen));
	if (bad == 0)
		(void)seccomp_load(filter); /* kernels without it go on */
	if (filter)
		seccomp_release(filter);
}
