/* A guest that knows how many instructions it executes: what its counters count in VS and VU, and
 * where overflows interrupt it.  Needs a machine that counts instructions (-icount). */
#include "payload/payload.h"

#define HPM 3u  /* logical: 64 bits */
#define NARROW 6u /* 48 bits */
#define INSTRUCTIONS HS_PMU_HW_INSTRUCTIONS
#define INTERRUPT ((reg)1 << (__riscv_xlen - 1))
#define LCOFI ((reg)1 << 13)
#define STATUS_SIE ((reg)1 << 1)
#define STATUS_SPP ((reg)1 << 8)
#define NOPS 2000u
#define NOP_SIZE 4u

struct seen seen[HARTS];

static volatile reg interrupted_at[4];

/* NOPS instructions of 4 bytes, then a return; in U an ecall. */
extern const uint8_t nops[];

/* counter_start with SET_INIT_VALUE, then two instructions and the code at @at, in S: */
void start_in_s(reg counter, reg initial, const uint8_t *at);
/* or one instruction and the code, in U. */
void start_in_u(reg counter, reg initial, const uint8_t *at);
/* PER_CALL instructions, one of them a call to the hypervisor, @times times. */
void make_calls(reg times);
#define PER_CALL 105u

__asm__(".text\n"
	".option push\n"
	".option norvc\n"
	"nops: .rept 2000\n nop\n .endr\n"
	"bnez a6, 1f\n"
	"ret\n"
	"1: ecall\n"
	"start_in_s:\n"
	"mv t0, a2\n"
	"mv a3, a1\n"
	"li a1, 1\n"
	"li a2, 1\n"
	"li a6, 3\n"
	"li a7, 0x504d55\n"
	"ecall\n"
	"li a6, 0\n"
	"jr t0\n"
	"start_in_u:\n"
	"csrw sepc, a2\n"
	"mv a3, a1\n"
	"li a1, 1\n"
	"li a2, 1\n"
	"li t0, 1 << 8\n"
	"csrc sstatus, t0\n"
	"li a6, 3\n"
	"li a7, 0x504d55\n"
	"la t1, 2f\n"
	"ecall\n"
	"sret\n"
	"2: ret\n"                        /* on_trap() comes here */
	"make_calls:\n"
	"mv t2, a0\n"
	"1: .rept 100\n nop\n .endr\n"
	"li a7, 0x10\n"
	"li a6, 0\n"
	"ecall\n"
	"addi t2, t2, -1\n"
	"bnez t2, 1b\n"
	"ret\n"
	".option pop\n");

/* t1 holds where U's ecall leads. */
void __attribute__((interrupt("supervisor"), aligned(4))) on_trap(void);
void on_trap(void)
{
	register reg t1 __asm__("t1");
	const reg back = t1, cause = csr_read(scause);

	if (cause == (INTERRUPT | 13)) {
		interrupted_at[seen[0].overflows++ & 3] = csr_read(sepc);
		csr_clear(sip, LCOFI);
	} else if (cause == 8) {
		csr_set(sstatus, STATUS_SPP);
		__asm__ volatile("csrw sepc, %0" : : "r"(back));
	} else {
		print("# an exception: ");
		print_number((long)cause);
		print("\n");
		finish(0);
	}
}

static const uint8_t *last_nops(unsigned n)
{
	return nops + NOP_SIZE * (NOPS - n);
}

/* What the counter counts while @n instructions execute, and some more that are always the same. */
static reg measure(reg flags, bool user, unsigned n)
{
	reg value;

	config(HPM, 1, flags | HS_PMU_CFG_CLEAR_VALUE, INSTRUCTIONS, 0);
	if (user)
		start_in_u(HPM, 0, last_nops(n));
	else
		start_in_s(HPM, 0, last_nops(n));
	stop(HPM, 1, 0);
	value = csr_read(0xc03);
	stop(HPM, 1, HS_PMU_STOP_RESET);
	return value;
}

static const struct {
	const char *name;
	reg flags;
	bool user;
	unsigned per_nop; /* counts */
} rows[] = {
	{ "VS", 0, false, 1 },
	{ "VU", 0, true, 1 },
	{ "VS with SET_UINH", HS_PMU_CFG_SET_UINH, false, 1 },
	{ "VU with SET_UINH", HS_PMU_CFG_SET_UINH, true, 0 },
	{ "VS with SET_SINH", HS_PMU_CFG_SET_SINH, false, 0 },
	{ "VU with SET_SINH", HS_PMU_CFG_SET_SINH, true, 1 },
	{ "VS with both", HS_PMU_CFG_SET_SINH | HS_PMU_CFG_SET_UINH, false, 0 },
	{ "VU with both", HS_PMU_CFG_SET_SINH | HS_PMU_CFG_SET_UINH, true, 0 },
	{ "VS with SET_VSINH, for guests of its own", HS_PMU_CFG_SET_VSINH, false, 1 },
	{ "VU with SET_VUINH", HS_PMU_CFG_SET_VUINH, true, 1 },
	{ "VS with SET_MINH", HS_PMU_CFG_SET_MINH, false, 1 },
};

static void filters(void)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const reg none = measure(rows[i].flags, rows[i].user, 0);
		const reg all = measure(rows[i].flags, rows[i].user, NOPS);

		check(0, rows[i].name, all - none == rows[i].per_nop * NOPS);
		if (all - none != rows[i].per_nop * NOPS) {
			print("#   counts: ");
			print_number((long)(all - none));
			print("\n");
		}
	}
}

static const struct {
	const char *name;
	reg counter, flags;
	bool user;
	unsigned before; /* instructions that it counts before the first of nops */
} places[] = {
	{ "overflow in VS", HPM, 0, false, 2 },
	{ "overflow in VU", HPM, 0, true, 1 },
	{ "overflow in VU, where VS is not counted", HPM, HS_PMU_CFG_SET_SINH, true, 0 },
	{ "overflow in VS, where VU is not counted", HPM, HS_PMU_CFG_SET_UINH, false, 2 },
	{ "overflow of 48 bits in VS", NARROW, 0, false, 2 },
};

/* The interrupt comes after the instruction that overflows, before the next one. */
static void overflow_after(unsigned row, unsigned n)
{
	const reg counter = places[row].counter;
	const reg initial = (reg)0 - n - places[row].before;
	const reg wanted = (reg)nops + NOP_SIZE * n;

	seen[0].overflows = 0;
	config(counter, 1, places[row].flags, INSTRUCTIONS, 0);
	if (places[row].user)
		start_in_u(counter, initial, nops);
	else
		start_in_s(counter, initial, nops);
	stop(counter, 1, HS_PMU_STOP_RESET);
	check(0, places[row].name, seen[0].overflows == 1 && interrupted_at[0] == wanted);
	if (seen[0].overflows != 1 || interrupted_at[0] != wanted) {
		print("#   after ");
		print_number(n);
		print(" instructions: ");
		print_number((long)seen[0].overflows);
		print(" interrupts, the first one off by ");
		print_number((long)(interrupted_at[0] - wanted));
		print(" bytes\n");
	}
}

static void overflows(void)
{
	static const unsigned distances[] = { 1, 2, 3, 17, 100, 999, 1998 };

	csr_set(sstatus, STATUS_SIE);
	for (unsigned row = 0; row < sizeof(places) / sizeof(places[0]); row++)
		for (unsigned i = 0; i < sizeof(distances) / sizeof(distances[0]); i++)
			overflow_after(row, distances[i]);
}

/* Two counters of one event: each interrupts where it overflows. */
static void two_overflows(void)
{
	seen[0].overflows = 0;
	config(NARROW, 1, 0, INSTRUCTIONS, 0);
	config(HPM, 1, 0, INSTRUCTIONS, 0);
	start(NARROW, 1, HS_PMU_START_SET_INIT_VALUE, (reg)0 - 1500);
	start_in_s(HPM, (reg)0 - 102, nops);
	stop(HPM, 1, HS_PMU_STOP_RESET);
	stop(NARROW, 1, HS_PMU_STOP_RESET);
	check(0, "two overflows: two interrupts", seen[0].overflows == 2);
	check(0, "two overflows: the first", interrupted_at[0] == (reg)nops + NOP_SIZE * 100);
	check(0, "two overflows: the second is in the same code",
	      interrupted_at[1] > interrupted_at[0] &&
	      interrupted_at[1] < (reg)nops + NOP_SIZE * NOPS);
}

static reg count_calls(reg times)
{
	reg value;

	config(HPM, 1, HS_PMU_CFG_CLEAR_VALUE, INSTRUCTIONS, 0);
	start(HPM, 1, HS_PMU_START_SET_INIT_VALUE, 0);
	make_calls(times);
	stop(HPM, 1, 0);
	value = csr_read(0xc03);
	stop(HPM, 1, HS_PMU_STOP_RESET);
	return value;
}

/* Nothing is lost or counted twice where the guest leaves and comes back while it counts.  QEMU
 * counts an ecall; a read that traps it does not. */
static void exits(void)
{
	const reg few = count_calls(10), many = count_calls(30);
	reg before, after;

	check(0, "exits while it counts", many - few == 20 * PER_CALL);
	if (many - few != 20 * PER_CALL) {
		print("#   counts: ");
		print_number((long)(many - few));
		print("\n");
	}
	config(HPM, 1, HS_PMU_CFG_CLEAR_VALUE | HS_PMU_CFG_AUTO_START, INSTRUCTIONS, 0);
	make_calls(10);
	__asm__ volatile("csrr %0, 0xc03\n\t.rept 10\n\tnop\n\t.endr\n\tcsrr %1, 0xc03"
	                 : "=&r"(before), "=r"(after));
	stop(HPM, 1, HS_PMU_STOP_RESET);
	check(0, "ten instructions between two reads", after - before >= 10 && after - before <= 11);
}

void first(reg hart, const uint8_t *fdt)
{
	(void)hart, (void)fdt;
	find_console();
	filters();
	if (enable_overflows()) {
		overflows();
		two_overflows();
	}
	exits();
	finish(0);
}

void next(reg hart)
{
	(void)hart;
	finish(0);
}
