/* Faults in the middle of straight code: one left by siglongjmp, one repaired by its handler,
 * an illegal instruction and a breakpoint stepped over. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

static sigjmp_buf back;
static char *page;
static volatile sig_atomic_t repair, skipped;

static void on_segv(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	if (repair)
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
	else
		siglongjmp(back, info->si_addr == page ? 2 : 3);
}

/* Resume after the instruction: 4 bytes, or 2 when compressed. */
static void on_trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	const uintptr_t pc = u->uc_mcontext.__gregs[REG_PC];

	(void)number, (void)info;
	u->uc_mcontext.__gregs[REG_PC] += (*(const uint16_t *)pc & 3) == 3 ? 4 : 2;
	skipped++;
}

static int straight(volatile char *p, int a)
{
	a = a * 3 + 1;
	p[0] = (char)a;
	a = a * 5 + p[1];
	p[2] = (char)a;
	return a + p[2];
}

int main(void)
{
	struct sigaction segv = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };
	struct sigaction trap = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	int sum = 0;

	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &segv, NULL);
	sigaction(SIGILL, &trap, NULL);
	sigaction(SIGTRAP, &trap, NULL);
	for (volatile int i = 0; i < 3; i++)
		if (sigsetjmp(back, 1) == 0)
			sum += straight(page, i);
		else
			sum += 1000;
	repair = 1;
	sum += straight(page, 7);
	for (int i = 0; i < 2; i++) {
		__asm__ volatile(".word 0" ::: "memory"); /* twice c.unimp */
		__asm__ volatile(".word 0xffffffff\n\tnop" ::: "memory");
		__asm__ volatile("nop\n\tebreak\n\tnop" ::: "memory");
		__asm__ volatile(".option push\n\t.option norvc\n\tnop\n\tebreak\n\t.option pop" ::: "memory");
	}
	printf("sum %d skipped %d\n", sum, skipped);
	return 0;
}
