/* A thread that comes to its marks while the first one waits for it. */
#include <pthread.h>
#include <unistd.h>

__attribute__((noinline)) static void end(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) static int work(int n)
{
	int sum = 0;

	for (volatile int i = 0; i < n; i++)
		sum += i;
	return sum;
}

static void *thread(void *argument)
{
	usleep(50000); /* so that the first one waits in the kernel */
	work(100);
	end();
	return argument;
}

int main(void)
{
	pthread_t t;

	return pthread_create(&t, NULL, thread, NULL) || pthread_join(t, NULL);
}
