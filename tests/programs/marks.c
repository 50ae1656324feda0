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

/* write(1, text, 1), with its number in front of the ecall: glibc 2.41 passes it from elsewhere. */
static void say(const char *text)
{
	register long a0 __asm__("a0") = 1;
	register const char *a1 __asm__("a1") = text;
	register long a2 __asm__("a2") = 1;

	__asm__ volatile("li a7, 64\n\tecall" : "+r"(a0) : "r"(a1), "r"(a2) : "a7", "memory");
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
	say("a");
	work(4);
	say("b");
	return 5;
}
