/* SBI calls, checks and output that the files of the payload share. */
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/pmu.h>

typedef unsigned long reg;

struct ret {
	long error;
	reg value;
};

#define csr_read(csr) ({ reg v_; __asm__ volatile("csrr %0, " #csr : "=r"(v_)); v_; })
#define csr_set(csr, v) __asm__ volatile("csrs " #csr ", %0" : : "r"((reg)(v)))
#define csr_clear(csr, v) __asm__ volatile("csrc " #csr ", %0" : : "r"((reg)(v)))

#define HARTS 8u

/* Built for a guest: hcounteren is 0, so that scountovf reads as zero (Sscofpmf). */
#ifndef PAYLOAD_IN_GUEST
#define PAYLOAD_IN_GUEST 0
#endif

/* Traps that on_trap() handled. */
struct seen {
	volatile reg cause;       /* of the last exception */
	volatile unsigned exceptions, overflows, softwares, timers;
	volatile uint32_t scountovf;
};
extern struct seen seen[HARTS];

/* sbi.c */
struct ret sbi(reg eid, reg fid, reg a0, reg a1, reg a2, reg a3, reg a4, reg a5);
struct ret config(reg base, reg mask, reg flags, reg event, uint64_t data);
struct ret start(reg base, reg mask, reg flags, uint64_t initial);
struct ret stop(reg base, reg mask, reg flags);
struct ret pmu(reg fid, reg a0, reg a1, reg a2, reg a3);
void find_console(void);
bool checks_lengths(void);
bool enable_overflows(void);
void print(const char *text);
void print_number(long n);
void check(unsigned hart, const char *name, bool good);
void expect(unsigned hart, const char *name, struct ret r, long error);
void finish(unsigned hart) __attribute__((noreturn));

/* main.c */
void start_hart(void);
void first(reg hart, const uint8_t *fdt) __attribute__((noreturn));
void next(reg hart) __attribute__((noreturn));

/* cases.c, counting.c */
void cases(unsigned hart);
void counting(unsigned hart);
void set_timer(unsigned hart);
void work(unsigned n);

/* harts.c */
void listen(unsigned hart);
void answer_mail(unsigned hart) __attribute__((noreturn));
void between_harts(unsigned hart);

/* The hart's counters: logical numbers, -1 for none. */
struct layout {
	long count, cycle, instret, hpm, hpm2, fw;
	unsigned hpm_number; /* CSR of hpm is 0xC00 + this */
	bool sscofpmf;
};
struct layout find_layout(unsigned hart);

/* machine.c */
bool is_old_qemu(void);
void machine_events(unsigned hart, const struct layout *l);

/* snapshots.c */
extern uint8_t page[4096];
uint64_t snapshot_word(unsigned i);
void snapshots(unsigned hart, const struct layout *l);

/* For a counter whose overflow nobody wants.  QEMU computes when it comes with 63 bits, in
 * nanoseconds: of a value below 1 << 63 something is left, by which the next overflow is late, and
 * QEMU 7.2 interrupts at once. */
#define FAR_FROM_END (3ull << 62)

/* Bits of XLEN. */
#define ONES ((reg)-1)

#endif
