/* A hypervisor for one virtual hart, which moves between the harts of its machine.  It runs in
 * HS-mode on the firmware of firmware/; the guest's SBI PMU is src/pmu's virtual backend. */
#ifndef HV_H
#define HV_H

#include <hartscope/pmu.h>

#include "payload/payload.h" /* SBI calls, output, CSRs by name */

#define csr_write(csr, v) __asm__ volatile("csrw " #csr ", %0" : : "r"((reg)(v)))

#define BIT(n) ((reg)1 << (n))
#define INTERRUPT BIT(__riscv_xlen - 1)

/* CSRs of H and AIA, which the assembler may not know by name. */
#define SCOUNTEREN 0x106
#define SENVCFG 0x10a
#define VSSTATUS 0x200
#define VSIE 0x204
#define VSTVEC 0x205
#define VSSCRATCH 0x240
#define VSEPC 0x241
#define VSCAUSE 0x242
#define VSTVAL 0x243
#define VSATP 0x280
#define HSTATUS 0x600
#define HEDELEG 0x602
#define HIDELEG 0x603
#define HCOUNTEREN 0x606
#define HVIEN 0x608
#define HTVAL 0x643
#define HVIP 0x645
#define HGATP 0x680

#define get_csr(csr) ({ reg v_; __asm__ volatile("csrr %0, %1" : "=r"(v_) : "i"(csr)); v_; })
#define put_csr(csr, v) __asm__ volatile("csrw %0, %1" : : "i"(csr), "r"((reg)(v)))
#define set_csr(csr, v) __asm__ volatile("csrs %0, %1" : : "i"(csr), "r"((reg)(v)))
#define clear_csr(csr, v) __asm__ volatile("csrc %0, %1" : : "i"(csr), "r"((reg)(v)))

#define HVIP_VSSIP BIT(2)
#define HVIP_VSTIP BIT(6)
#define LCOFI BIT(13)
#define SSI BIT(1)
#define STI BIT(5)
#define STATUS_SIE BIT(1)
#define STATUS_SPIE BIT(5)
#define STATUS_SPP BIT(8)
#define STATUS_FS (BIT(13) | BIT(14))
#define HSTATUS_SPV BIT(7)

/* Guest physical memory: from GUEST_START on it is GUEST_AT; below is the guest's "firmware".
 * GUEST_LOADED: what the guest starts with is there already, and it has the UART. */
#define GUEST_START 0x80200000ul
#if GUEST_LOADED
#define GUEST_AT 0xa0200000ul
#define GUEST_SIZE 0x1fe00000ul
#define GUEST_FDT 0x8fe00000ul
#else
#define GUEST_AT 0x82200000ul
#define GUEST_SIZE 0x4200000ul
#define GUEST_FDT 0x80e00000ul
#endif

/* The virtual hart; entry.S knows the offsets of the first three. */
struct vcpu {
	reg x[32], pc;
	reg host_sp;
	bool supervisor;   /* it is in VS, not VU */
	bool timer;        /* the host's timer is set for it */
	uint64_t when;
	reg hvip, csrs[10]; /* while it moves: these CSRs, */
	uint64_t floats[33]; /* f0 to f31, fcsr */
	struct hs_pmu_hart pmu;
	struct hs_pmu_virtual counters;
	unsigned long exits, moves;
};

extern struct hs_pmu guest_pmu;

/* entry.S */
void enter_guest(struct vcpu *v);
void save_floats(uint64_t to[33]);
void load_floats(const uint64_t from[33]);
void start_other(void);

/* hv_main.c */
void first_hart(reg hart, const uint8_t *fdt) __attribute__((noreturn));
void run(struct vcpu *v) __attribute__((noreturn));
void end_guest(const struct vcpu *v, reg reason) __attribute__((noreturn));
void panic(const char *why, reg what) __attribute__((noreturn));

/* hv_memory.c */
void map_guest(void);
void *guest_memory(uint64_t address, uint64_t length);
extern const struct hs_pmu_soft_memory guest_soft_memory;

/* hv_exits.c */
void handle_exit(struct vcpu *v);

/* hv_sbi.c */
#define EVENT_CALL HS_PMU_FW_IMPLEMENTATION /* of the firmware: a call of the guest */
void guest_call(struct vcpu *v);
void set_guest_timer(struct vcpu *v, uint64_t when);

/* hv_counters.c: the guest's counters */
void open_counters(struct vcpu *v);
void deliver_overflow(struct vcpu *v);
bool read_counter_csr(struct vcpu *v, unsigned csr, reg *value);

/* hv_host.c: the host's counters */
void find_host_counters(void);
void release_host_counters(void);
extern const struct hs_pmu_host host;

/* hv_move.c */
void start_moving(reg hart);
void prepare_hart(void);
void move_guest(struct vcpu *v); /* returns when it is back */
void print_saved(void);          /* of the move with most counters that count */
void second_hart(reg hart) __attribute__((noreturn));

#endif
