/* Which system calls may fail with which error (calls.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "calls.h"

#define KIND_READ 1u
#define KIND_WRITE 2u
#define KIND_OPEN 4u    /* gives a descriptor */
#define KIND_CREATE 8u  /* may give a directory another entry, or a file a size */
#define KIND_LOOK 16u   /* at a file's properties */
#define KIND_MEMORY 32u
#define KIND_THREAD 64u /* and processes */
#define KIND_WAIT 128u
#define KIND_FLUSH 256u

#define CALL(name, kinds) { #name, __NR_##name, kinds }
static const struct call {
	const char *name;
	int nr;
	uint32_t kinds;
} calls[] = {
	CALL(read, KIND_READ),
	CALL(pread64, KIND_READ),
	CALL(readv, KIND_READ),
	CALL(write, KIND_WRITE),
	CALL(pwrite64, KIND_WRITE),
	CALL(writev, KIND_WRITE),
	CALL(lseek, KIND_LOOK),
	CALL(openat, KIND_OPEN),
	CALL(pipe2, KIND_OPEN),
	CALL(socket, KIND_OPEN),
	CALL(memfd_create, KIND_OPEN),
	CALL(eventfd2, KIND_OPEN),
	CALL(epoll_create1, KIND_OPEN),
	CALL(signalfd4, KIND_OPEN),
	CALL(timerfd_create, KIND_OPEN),
	CALL(dup, KIND_OPEN),
	CALL(dup3, KIND_OPEN),
	CALL(fstat, KIND_LOOK),
	CALL(newfstatat, KIND_LOOK),
	CALL(statx, KIND_LOOK),
	CALL(readlinkat, KIND_LOOK),
	CALL(faccessat, KIND_LOOK),
	CALL(faccessat2, KIND_LOOK),
	CALL(getdents64, KIND_READ),
	CALL(getcwd, KIND_LOOK),
	CALL(flock, KIND_WAIT),
	CALL(ftruncate, KIND_CREATE),
	CALL(fallocate, KIND_CREATE),
	CALL(mkdirat, KIND_CREATE),
	CALL(renameat2, KIND_CREATE),
	CALL(linkat, KIND_CREATE),
	CALL(symlinkat, KIND_CREATE),
	CALL(unlinkat, KIND_CREATE),
	CALL(fsync, KIND_FLUSH),
	CALL(fdatasync, KIND_FLUSH),
	CALL(close, 0),
	CALL(mmap, KIND_MEMORY),
	CALL(munmap, 0),
	CALL(mprotect, KIND_MEMORY),
	CALL(mremap, KIND_MEMORY),
	CALL(brk, 0),
	CALL(madvise, KIND_MEMORY),
	CALL(clone, KIND_THREAD),
	CALL(clone3, KIND_THREAD),
	CALL(execve, KIND_THREAD),
	CALL(futex, 0),
	CALL(ppoll, KIND_WAIT),
	CALL(wait4, KIND_WAIT),
	CALL(waitid, KIND_WAIT),
	CALL(ioctl, KIND_LOOK),
	CALL(fcntl, KIND_LOOK),
	CALL(kill, 0),
	CALL(tgkill, 0),
	CALL(rt_sigaction, 0),
	CALL(rt_sigprocmask, 0),
	CALL(rt_sigreturn, 0),
	CALL(sigaltstack, 0),
	CALL(set_robust_list, 0),
	CALL(rseq, 0),
	CALL(exit, 0),
	CALL(prctl, 0),
	CALL(prlimit64, 0),
	CALL(sched_getaffinity, 0),
	CALL(sched_yield, 0),
	CALL(sysinfo, 0),
	CALL(getrandom, 0),
	CALL(getpid, 0),
	CALL(gettid, 0),
	CALL(clock_nanosleep, 0),
	CALL(setsockopt, 0),
	CALL(getsockopt, 0),
	CALL(socketpair, KIND_OPEN),
	CALL(accept4, KIND_OPEN),
	CALL(pidfd_open, KIND_OPEN),
	CALL(recvmsg, KIND_READ),
	CALL(recvfrom, KIND_READ),
	CALL(sendto, KIND_WAIT),
	CALL(bind, KIND_CREATE),
	CALL(listen, 0),
	CALL(umask, 0),
#ifdef __NR_open /* what old systems have also without "at" */
	CALL(open, KIND_OPEN),
	CALL(stat, KIND_LOOK),
	CALL(lstat, KIND_LOOK),
	CALL(access, KIND_LOOK),
	CALL(readlink, KIND_LOOK),
	CALL(mkdir, KIND_CREATE),
	CALL(rmdir, KIND_CREATE),
	CALL(rename, KIND_CREATE),
	CALL(link, KIND_CREATE),
	CALL(symlink, KIND_CREATE),
	CALL(unlink, KIND_CREATE),
	CALL(pipe, KIND_OPEN),
	CALL(dup2, KIND_OPEN),
	CALL(fork, KIND_THREAD),
	CALL(vfork, KIND_THREAD),
	CALL(poll, KIND_WAIT),
	CALL(epoll_wait, KIND_WAIT),
	CALL(arch_prctl, 0),
#endif
};
#undef CALL

static const struct failure failures[] = {
	{ "EIO", EIO, KIND_READ | KIND_WRITE | KIND_CREATE | KIND_FLUSH | KIND_OPEN | KIND_LOOK },
	{ "ENOSPC", ENOSPC, KIND_WRITE | KIND_CREATE | KIND_FLUSH },
	{ "EACCES", EACCES, KIND_OPEN | KIND_CREATE | KIND_LOOK },
	{ "EMFILE", EMFILE, KIND_OPEN },
	{ "ENOMEM", ENOMEM, KIND_MEMORY },
	{ "EAGAIN", EAGAIN, KIND_THREAD },
	{ "EINTR", EINTR, KIND_READ | KIND_WRITE | KIND_WAIT },
};

static const struct call *find_call(int nr)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].nr == nr)
			return &calls[i];
	return NULL;
}

const struct failure *failure_find(const char *name)
{
	for (size_t i = 0; i < sizeof(failures) / sizeof(*failures); i++)
		if (strcmp(failures[i].name, name) == 0)
			return &failures[i];
	return NULL;
}

bool failure_fits(const struct failure *f, int nr, const unsigned long long *args)
{
	const struct call *c = find_call(nr);

	if (nr == __NR_mmap && !(args[3] & MAP_ANONYMOUS) && f->error == ENOMEM)
		return true;
	return c && (c->kinds & f->kinds);
}

const char *call_name(int nr)
{
	const struct call *c = find_call(nr);

	return c ? c->name : "?";
}
