/* Mappings shared with hs_recorder_run().
 *
 * Each is made here and sent over a new connection to a named socket: no descriptor stays open that
 * the guest could see or close.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "plugin.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define WAIT_NAPS 5000u /* of a ms: then it runs anyway */

struct hs_wire_process *plugin_process;
struct hs_wire_vcpu *plugin_lines;
bool plugin_quiet = true;

static struct sockaddr_un address;
static socklen_t address_length;
static pid_t recorder;
static uint64_t token;
static uint32_t harts;
/* QEMU 10 begins each thread's vcpu in that thread: one at a time has descriptors open, or a
 * program with many threads would have none left. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void plugin_wire_lock(void)
{
	pthread_mutex_lock(&lock);
}

void plugin_wire_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* @name is in the abstract name space: there is no file, and it is gone with its owner. */
bool plugin_wire_open(const char *name)
{
	const size_t n = strlen(name);

	if (n + 1 > sizeof(address.sun_path))
		return false;
	address.sun_family = AF_UNIX;
	memcpy(address.sun_path + 1, name, n);
	address_length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
	plugin_quiet = false;
	return true;
}

static int connect_recorder(void)
{
	const int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct ucred peer;
	socklen_t n = sizeof(peer);

	if (s < 0)
		return -1;
	while (connect(s, (struct sockaddr *)&address, address_length) != 0) {
		if (errno == EINTR)
			continue;
		close(s);
		return -1;
	}
	if (getsockopt(s, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0)
		recorder = peer.pid;
	return s;
}

/* Wait until the recorder has begun to read the mapping, or will not. */
static bool is_taken(int s)
{
	ssize_t n;
	char answer;

	do {
		n = recv(s, &answer, 1, 0);
	} while (n < 0 && errno == EINTR);
	return n == 1;
}

static bool send_mapping(int fd, const struct hs_wire_message *message)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct hs_wire_message copy = *message;
	struct iovec iov = { &copy, sizeof(copy) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
	                    .msg_controllen = sizeof(control) };
	const int s = connect_recorder();
	ssize_t sent;

	if (s < 0)
		return false;
	memset(&control, 0, sizeof(control));
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	do {
		sent = sendmsg(s, &m, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	const bool taken = sent == (ssize_t)sizeof(copy) && is_taken(s);

	close(s);
	return taken;
}

/* Nothing more of this process is recorded.  A child's mapping is not there yet: it counts as
 * one that never connected. */
static void be_quiet(const struct hs_wire_message *message)
{
	if (!plugin_quiet && message->type == HS_WIRE_HART)
		__atomic_add_fetch(&plugin_process->lost, 1, __ATOMIC_RELAXED);
	plugin_quiet = true;
}

/* Make a mapping and share it with hs_recorder_run().  Where that fails, plugin_quiet is set, and
 * the memory may be private. */
void *plugin_wire_share(size_t size, const struct hs_wire_message *message)
{
	void *p = MAP_FAILED;
	int fd;

	plugin_wire_lock();
	fd = plugin_quiet ? -1 : memfd_create("hartscope", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 && ftruncate(fd, (off_t)size) == 0 && fcntl(fd, F_ADD_SEALS, SEALS) == 0)
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || !send_mapping(fd, message))
		be_quiet(message);
	if (fd >= 0)
		close(fd);
	plugin_wire_unlock();
	if (p == MAP_FAILED)
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

bool plugin_wire_alive(void)
{
	struct pollfd p = { .events = POLLIN };
	int gone;

	p.fd = (int)syscall(SYS_pidfd_open, recorder, 0);
	if (p.fd < 0)
		return false;
	gone = poll(&p, 1, 0);
	close(p.fd);
	return gone == 0;
}

/* The child's mapping comes where the parent's is: translated code, which is the same, has its
 * address. */
static struct hs_wire_process *take_place(struct hs_wire_process *p)
{
	void *const at = plugin_process;

	memcpy((uint8_t *)p + HS_WIRE_ADDED_AT, (uint8_t *)at + HS_WIRE_ADDED_AT,
	       HS_WIRE_ADDED_RUNS / 8);
	p = mremap(p, HS_WIRE_PROCESS_SIZE, HS_WIRE_PROCESS_SIZE, MREMAP_MAYMOVE | MREMAP_FIXED,
	           at);
	if (p == MAP_FAILED)
		_exit(126);
	return p;
}

/* Begin the recording of this process: the first one, or the child of a fork. */
void plugin_process_open(uint32_t child, uint64_t parent, uint64_t log_bytes)
{
	struct hs_wire_message m = { .magic = HS_WIRE_MAGIC, .version = HS_WIRE_VERSION,
	                             .type = HS_WIRE_PROCESS,
	                             .number = child, .parent = parent, .log_bytes = log_bytes };
	struct hs_wire_process *p;

	if (getrandom(&token, sizeof(token), 0) != (ssize_t)sizeof(token))
		plugin_quiet = true;
	m.token = token;
	p = plugin_wire_share(HS_WIRE_PROCESS_SIZE, &m);
	if (p == NULL)
		_exit(126); /* no memory at all: the guest could not run either */
	if (plugin_process != NULL)
		p = take_place(p);
	plugin_process = p;
	plugin_lines = hs_wire_vcpu_of(p, 0);
	harts = 0;
}

void plugin_process_wait(void)
{
	const struct timespec nap = { .tv_nsec = 1000000 };

	for (unsigned naps = 0; naps < WAIT_NAPS && !plugin_quiet; naps++) {
		if (__atomic_load_n(&plugin_process->go, __ATOMIC_ACQUIRE))
			return;
		nanosleep(&nap, NULL);
	}
}

uint64_t plugin_process_token(void)
{
	return token;
}

uint32_t plugin_process_next_hart(void)
{
	return __atomic_fetch_add(&harts, 1, __ATOMIC_RELAXED);
}
