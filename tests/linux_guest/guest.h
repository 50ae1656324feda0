/* What the files of the guest's program share: events of perf_event_open, work of a known size, and
 * verdicts. */
#ifndef GUEST_H
#define GUEST_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* The modes that are counted. */
enum { KERNEL = 1, USER = 2, BOTH = 3 };

/* SBI's firmware events are raw ones (Linux, riscv_pmu_sbi.c): bit 63, and the code of SBI 3.0,
 * 11. */
#define FIRMWARE(code) (UINT64_C(1) << 63 | (code))
enum { ILLEGAL_INSN = 4, FENCE_I_SENT = 8, FENCE_I_RECEIVED = 9 };

struct count {
	uint64_t value, enabled, running; /* times in ns */
};

/* events.c */
struct perf_event_attr event_attr(uint32_t type, uint64_t config, unsigned who);
int event_open(struct perf_event_attr *attr, int pid, int cpu, int group);
int hardware(uint64_t config, unsigned who);
void event_enable(int fd);
void event_disable(int fd);
struct count event_read(int fd);

/* work.c */
void spin(uint64_t instructions);
void illegal(unsigned n);
void run_child(uint64_t work, int cpu); /* cpu -1: any */
void stay_on(int cpu);
int harts_online(void);
void write_file(const char *path, const char *text);

/* verdict.c */
void verdict(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool is_near(uint64_t value, uint64_t wanted, unsigned percent);
bool is_count(uint64_t value, uint64_t wanted);

/* Rows of main.c's table. */
void count_modes(void);       /* count.c */
void count_group(void);
void count_multiplexed(void);
void count_illegal(void);     /* firmware.c */
void count_fences(void);
void count_task(void);        /* scope.c */
void count_cpus(void);
void count_forks(void);
void sample(void);            /* sample.c */
void count_all(void);         /* all.c */
void count_all_from_here(void);

#endif
