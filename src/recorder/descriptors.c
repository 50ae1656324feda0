/* How many files may be open while a program is recorded: a stream has one, a process three.  That
 * is more than the 1024 of most shells; the program gets what the caller had. */
#include <pthread.h>
#include <sys/resource.h>

#include "recorder/private.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users; /* calls of hs_recorder_run() that have not returned */
static struct rlimit usual;
static bool known;

void recorder_descriptors_allow(void)
{
	pthread_mutex_lock(&lock);
	if (users++ == 0) {
		known = getrlimit(RLIMIT_NOFILE, &usual) == 0;
		const struct rlimit most = { usual.rlim_max, usual.rlim_max };

		if (known)
			setrlimit(RLIMIT_NOFILE, &most);
	}
	pthread_mutex_unlock(&lock);
}

static void restore(const struct rlimit *limit)
{
	struct rlimit now;

	if (getrlimit(RLIMIT_NOFILE, &now) != 0)
		return;
	now.rlim_cur = limit->rlim_cur < now.rlim_max ? limit->rlim_cur : now.rlim_max;
	setrlimit(RLIMIT_NOFILE, &now);
}

void recorder_descriptors_restore(void)
{
	pthread_mutex_lock(&lock);
	if (--users == 0 && known)
		restore(&usual);
	pthread_mutex_unlock(&lock);
}

/* In the child that becomes the emulator.  No lock: it has one thread, and @usual stays as it is
 * while there are users. */
void recorder_descriptors_of_child(void)
{
	if (known)
		restore(&usual);
}
