/* Marks: calls that are counted, hints that do nothing, system calls; in a child, too. */
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static int work(int n)
{
	int sum = 0;

	for (volatile int i = 0; i < n; i++)
		sum += i;
	return sum;
}

int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 7; i++)
		work(5 + i);
	__asm__ volatile("slti x0, x0, 77");
	for (int i = 0; i < 3; i++)
		work(20);
	__asm__ volatile("slti x0, x0, 77");
	if (argc > 1 && fork() == 0) {
		__asm__ volatile("slti x0, x0, 78");
		work(3);
		_exit(0);
	}
	if (argc > 1)
		wait(NULL);
	(void)!write(1, "a", 1);
	work(4);
	(void)!write(1, "b", 1);
	return 5;
}
