/* A kernel in machine mode with tasks in user mode (TASKS: two or three): system calls, faults that
 * it handles, one of them in the middle of another trap, and switches of tasks as Linux does them.
 * Each function that is entered (-finstrument-functions) logs to the UART the stack that the
 * program itself has, through the trap to the task that it interrupted. */
#include <stdint.h>

#define NOT_LOGGED __attribute__((no_instrument_function))
#define UART ((volatile uint8_t *)0x10000000)
#define FINISHER ((volatile uint32_t *)0x100000)

#ifndef TASKS
#define TASKS 2
#endif
enum { DEPTH = 64, STACK = 8192 };

/* What a switch keeps: ra, sp, s0 to s11; offsets are known to __switch_to(). */
struct task {
	uint64_t saved[14];
	uint64_t user_pc, user_sp;
};

/* Registers at a trap: x1 to x31 at their places, then mepc. */
struct trap_frame {
	uint64_t x[32], epc;
};

static char stacks[2 * TASKS][STACK] __attribute__((aligned(16))); /* user's, then kernel's */
static struct task tasks[TASKS];
static int running;

/* ---- the log ---------------------------------------------------------------------------- */

static struct shadow {
	unsigned depth;
	struct {
		void *function;
		char *sp;
	} frames[DEPTH];
} shadows[2 * TASKS];

NOT_LOGGED static void put(const struct shadow *s)
{
	for (unsigned i = 0; i < s->depth; i++) {
		for (int shift = 28; shift >= 0; shift -= 4)
			*UART = "0123456789abcdef"[(uint64_t)s->frames[i].function >> shift & 15];
		*UART = ' ';
	}
}

/* Frames below @sp have ended. */
NOT_LOGGED static void prune(struct shadow *s, const char *sp)
{
	while (s->depth && s->frames[s->depth - 1].sp < sp)
		s->depth--;
}

NOT_LOGGED static unsigned stack_of(const char *sp)
{
	for (unsigned i = 0; i < 2 * TASKS; i++)
		if (sp > stacks[i] && sp <= stacks[i] + STACK)
			return i;
	return 0;
}

NOT_LOGGED void __cyg_profile_func_enter(void *function, void *caller)
{
	char *const sp = __builtin_frame_address(0);
	const unsigned number = stack_of(sp);
	struct shadow *s = &shadows[number];

	(void)caller;
	prune(s, sp + 1);
	s->frames[s->depth].function = function;
	s->frames[s->depth++].sp = sp;
	if (number >= TASKS)
		put(&shadows[number - TASKS]);
	put(s);
	*UART = '\n';
}

NOT_LOGGED void __cyg_profile_func_exit(void *function, void *caller)
{
	struct shadow *s = &shadows[stack_of(__builtin_frame_address(0))];

	(void)caller;
	for (unsigned i = s->depth; i-- > 0;)
		if (s->frames[i].function == function) {
			s->depth = i;
			return;
		}
}

/* ---- the kernel ------------------------------------------------------------------------- */

void __switch_to(uint64_t *from, uint64_t *to);
void to_user(void);
void trap_entry(void);
static volatile long sink;

static void leaf(void) { sink++; }

static void schedule(void)
{
	const int from = running;

	running = (running + 1) % TASKS;
	leaf();
	__switch_to(tasks[from].saved, tasks[running].saved);
	leaf();
}

static void pick(void) { schedule(); leaf(); }

static long sys_add(long a, long b) { leaf(); return a + b; }

/* A fault of the kernel itself, in the middle of a system call. */
static long sys_fault(void)
{
	__asm__ volatile(".4byte 0"); /* illegal: the handler steps over it */
	leaf();
	return 7;
}

static void sys_stop(void)
{
	leaf();
	*FINISHER = 0x5555;
	for (;;)
		;
}

static void call(struct trap_frame *f)
{
	switch (f->x[17]) {
	case 1:
		f->x[10] = (uint64_t)sys_add((long)f->x[10], (long)f->x[11]);
		break;
	case 2:
		pick();
		break;
	case 3:
		f->x[10] = (uint64_t)sys_fault();
		break;
	default:
		sys_stop();
	}
}

static void illegal(void) { leaf(); leaf(); }

/* @sp: of the code that was interrupted. */
void handle(struct trap_frame *f, uint64_t cause, char *sp)
{
	if (cause == 8)
		call(f);
	else
		illegal();
	f->epc += 4;
	(void)sp;
}

/* Called before handle(), unlogged: what ended where the trap struck. */
NOT_LOGGED void interrupted(char *sp)
{
	prune(&shadows[stack_of(sp)], sp);
}

/* ---- the tasks -------------------------------------------------------------------------- */

NOT_LOGGED static inline __attribute__((always_inline)) long ecall(long number, long a, long b)
{
	register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a7 __asm__("a7") = number;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a7) : "memory");
	return a0;
}

static void yield(void) { ecall(2, 0, 0); leaf(); }

static long sum(int n) { return n ? ecall(1, sum(n - 1), n) : 0; }

static void faults(int n)
{
	if (n) {
		faults(n - 1);
		__asm__ volatile(".4byte 0");
		leaf();
		return;
	}
	ecall(3, 0, 0);
	yield();
}

static int deep(int n)
{
	if (n == 0)
		yield();
	else
		deep(n - 1);
	leaf();
	return n;
}

static void first(void)
{
	for (int i = 0; i < 3; i++) {
		deep(3);
		sum(3);
		faults(2);
	}
	ecall(9, 0, 0);
}

static void second(void)
{
	for (int i = 0;; i++) {
		sum(2);
		deep(i);
		faults(1);
	}
}

static void third(void)
{
	for (int i = 0;; i++) {
		faults(i % 2);
		deep(2);
	}
}

/* ---- the start -------------------------------------------------------------------------- */

NOT_LOGGED void start(void)
{
	void (*const mains[])(void) = { first, second, third };

	for (int i = 0; i < TASKS; i++) {
		tasks[i].saved[0] = (uint64_t)to_user;
		tasks[i].saved[1] = (uint64_t)(stacks[TASKS + i] + STACK);
		tasks[i].saved[2] = (uint64_t)mains[i];              /* s0 */
		tasks[i].saved[3] = (uint64_t)(stacks[i] + STACK);   /* s1 */
	}
	__asm__ volatile("csrw mtvec, %0\n\tcsrw pmpaddr0, %1\n\tcsrw pmpcfg0, %2"
	                 :
	                 : "r"(trap_entry), "r"(-1UL >> 10), "r"(31UL));
	static uint64_t nobody[14];

	__switch_to(nobody, tasks[0].saved);
}

__asm__(".pushsection .text.unlikely, \"ax\"\n"
        ".globl _start, __switch_to, to_user, trap_entry\n"
        "_start: la sp, stacks + 2 * 2 * 8192 - 4096\n"
        "	call start\n"
        ".popsection\n"
        ".text\n"
        ".type __switch_to, @function\n"
        "__switch_to:\n"
        "	sd ra, 0(a0); sd sp, 8(a0); sd s0, 16(a0); sd s1, 24(a0)\n"
        "	sd s2, 32(a0); sd s3, 40(a0); sd s4, 48(a0); sd s5, 56(a0)\n"
        "	sd s6, 64(a0); sd s7, 72(a0); sd s8, 80(a0); sd s9, 88(a0)\n"
        "	sd s10, 96(a0); sd s11, 104(a0)\n"
        "	ld ra, 0(a1); ld sp, 8(a1); ld s0, 16(a1); ld s1, 24(a1)\n"
        "	ld s2, 32(a1); ld s3, 40(a1); ld s4, 48(a1); ld s5, 56(a1)\n"
        "	ld s6, 64(a1); ld s7, 72(a1); ld s8, 80(a1); ld s9, 88(a1)\n"
        "	ld s10, 96(a1); ld s11, 104(a1)\n"
        "	ret\n"
        ".size __switch_to, . - __switch_to\n"
        ".type to_user, @function\n"
        "to_user:\n" /* s0: where, s1: its stack; mscratch: the kernel's */
        "	csrw mscratch, sp; csrw mepc, s0; mv sp, s1\n"
        "	li t0, 0x1800; csrc mstatus, t0; mret\n"
        ".size to_user, . - to_user\n"
        ".type trap_entry, @function\n"
        ".align 2\n"
        "trap_entry:\n" /* from the kernel sp goes on; mscratch is 0 there */
        "	csrrw sp, mscratch, sp\n"
        "	bnez sp, 1f\n"
        "	csrr sp, mscratch\n"
        "1:	addi sp, sp, -272\n"
        "	sd x1, 8(sp); sd x3, 24(sp); sd x4, 32(sp); sd x5, 40(sp)\n"
        "	sd x6, 48(sp); sd x7, 56(sp); sd x8, 64(sp); sd x9, 72(sp)\n"
        "	sd x10, 80(sp); sd x11, 88(sp); sd x12, 96(sp); sd x13, 104(sp)\n"
        "	sd x14, 112(sp); sd x15, 120(sp); sd x16, 128(sp); sd x17, 136(sp)\n"
        "	sd x18, 144(sp); sd x19, 152(sp); sd x20, 160(sp); sd x21, 168(sp)\n"
        "	sd x22, 176(sp); sd x23, 184(sp); sd x24, 192(sp); sd x25, 200(sp)\n"
        "	sd x26, 208(sp); sd x27, 216(sp); sd x28, 224(sp); sd x29, 232(sp)\n"
        "	sd x30, 240(sp); sd x31, 248(sp)\n"
        "	csrrw t0, mscratch, zero; sd t0, 16(sp)\n"
        "	csrr t1, mepc; sd t1, 256(sp); csrr t2, mstatus; sd t2, 264(sp)\n"
        "	mv a0, t0; call interrupted\n"
        "	mv a0, sp; csrr a1, mcause; ld a2, 16(sp); call handle\n"
        "	ld t1, 256(sp); csrw mepc, t1; ld t2, 264(sp); csrw mstatus, t2\n"
        "	li t0, 0x1800; and t2, t2, t0; bnez t2, 2f\n"
        "	addi t0, sp, 272; csrw mscratch, t0\n"
        "2:	ld x1, 8(sp); ld x3, 24(sp); ld x4, 32(sp); ld x5, 40(sp)\n"
        "	ld x6, 48(sp); ld x7, 56(sp); ld x8, 64(sp); ld x9, 72(sp)\n"
        "	ld x10, 80(sp); ld x11, 88(sp); ld x12, 96(sp); ld x13, 104(sp)\n"
        "	ld x14, 112(sp); ld x15, 120(sp); ld x16, 128(sp); ld x17, 136(sp)\n"
        "	ld x18, 144(sp); ld x19, 152(sp); ld x20, 160(sp); ld x21, 168(sp)\n"
        "	ld x22, 176(sp); ld x23, 184(sp); ld x24, 192(sp); ld x25, 200(sp)\n"
        "	ld x26, 208(sp); ld x27, 216(sp); ld x28, 224(sp); ld x29, 232(sp)\n"
        "	ld x30, 240(sp); ld x31, 248(sp); ld sp, 16(sp)\n"
        "	mret\n"
        ".size trap_entry, . - trap_entry\n");
