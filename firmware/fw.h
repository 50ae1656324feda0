/* Types, CSR access and functions that the files of the firmware share. */
#ifndef FW_H
#define FW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/pmu.h>

#define HARTS 8u
#define FW_START 0x80000000ul
#define FW_SIZE 0x80000ul /* fw.lds and the PMP agree on it */

typedef unsigned long reg; /* XLEN bits */

struct frame {
	reg x[32];
};

#define csr_read(csr) ({ reg v_; __asm__ volatile("csrr %0, " #csr : "=r"(v_)); v_; })
#define csr_write(csr, v) __asm__ volatile("csrw " #csr ", %0" : : "rK"((reg)(v)))
#define csr_set(csr, v) __asm__ volatile("csrs " #csr ", %0" : : "rK"((reg)(v)))
#define csr_clear(csr, v) __asm__ volatile("csrc " #csr ", %0" : : "rK"((reg)(v)))

#define BIT(n) ((reg)1 << (n))
#define MIP_SSIP BIT(1)
#define MIP_MSIP BIT(3)
#define MIP_STIP BIT(5)
#define MIP_MTIP BIT(7)
#define MIP_SEIP BIT(9)
#define MIP_LCOFIP BIT(13)

/* Requests of other harts; or-ed. */
enum { ASK_IPI = 1, ASK_FENCE_I = 2, ASK_SFENCE = 4, ASK_SFENCE_ASID = 8 };

/* Events of this firmware: implementation-specific ones, and event_data of platform events. */
enum { FW_EVENT_CALL = HS_PMU_FW_IMPLEMENTATION, FW_IMPL_EVENTS = 1 };
enum { FW_SOFTWARE_INTERRUPT = 3, FW_TIMER_INTERRUPT = 7 };

/* SBI 3.0, 9: states of a hart. */
enum { HART_STARTED = 0, HART_STOPPED = 1, HART_START_PENDING = 2 };

struct hart {
	struct hs_pmu_hart pmu;
	uint32_t asked; /* ASK_*, set by others; only atomic operations change it */
	uint32_t state;
	uint32_t busy;  /* another hart waits for a fence of this one, or starts it */
	bool sstc;      /* stimecmp is the supervisor's timer */
	reg start_address, start_opaque;
};

/* What the device tree says of the machine. */
struct machine {
	uint32_t harts;   /* mask */
	uint64_t ram_end; /* first address after memory */
	bool svade;       /* supervisors expect a page fault where A or D is clear */
	uint8_t *reserved_end, *root_end; /* END_NODE of /reserved-memory, or NULL, and of / */
};

extern struct hart harts[HARTS];
extern struct hs_pmu fw_pmu;
extern struct machine machine;
extern uint32_t boot_done;

/* entry.S */
void enter(reg hart, reg opaque, reg address) __attribute__((noreturn));
void park_again(reg hart) __attribute__((noreturn));
void trap_entry(void);
void probe_entry(void);

/* boot.c */
void boot(reg hart, void *fdt, const reg *info) __attribute__((noreturn));
void park(reg hart) __attribute__((noreturn));
bool supervisor_may_access(uint64_t address, uint64_t length);

/* hart.c */
void hart_allow_traps(void);
void hart_open(unsigned hart);

/* trap.c, pass_on.c, sbi.c */
void trap(struct frame *f);
void pass_on(reg cause);
void answer_asked(unsigned hart);
struct hs_sbiret sbi_call(unsigned hart, struct frame *f);

/* pmu.c */
bool pmu_probe(const void *tree);
void pmu_hart_start(unsigned hart);
void fw_event(unsigned hart, unsigned code);
void fw_interrupt(unsigned hart, unsigned number);

/* fdt.c */
bool fdt_read(void *fdt, struct machine *m);

/* reserve.c */
bool fdt_reserve(uint8_t *fdt, const struct machine *m);

/* machine.c */
void uart_put(uint8_t c);
int uart_get(void);
uint64_t get_time(void);
void set_timer(unsigned hart, uint64_t when);
void raise_msip(unsigned hart);
void clear_msip(unsigned hart);
void power_off(bool failure) __attribute__((noreturn));
void reboot(void) __attribute__((noreturn));

#endif
