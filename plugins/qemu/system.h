/* Parts of the plugin for whole systems: registers, traps, lock-step with the CTR model,
 * recording. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <hartscope/block.h>

#include "api.h"

#define SYS_VCPUS 4096u     /* most harts that a machine of QEMU has */
#define SYS_MRET 0x30200073u
#define SYS_MNRET 0x70200073u
#define SYS_CSR_MNSTATUS 0x744u

enum sys_reg {
#define HS_SYSTEM_REG(id, name) SYS_##id,
#include "system_registers.def"
#undef HS_SYSTEM_REG
	SYS_REGS
};

/* registers.c: a vcpu's registers, read in callbacks of that vcpu. */
struct sys_registers {
	struct qemu_plugin_register *x[32], *named[SYS_REGS];
	qemu_bytes *bytes;
};
void sys_registers_open(struct sys_registers *r);
uint64_t sys_read(const struct sys_registers *r, enum sys_reg which);
bool sys_has(const struct sys_registers *r, enum sys_reg which);
uint64_t sys_read_x(const struct sys_registers *r, unsigned number);
/* The same of two registers in a row as one value, the upper half second; x0 is a pair of 0. */
uint64_t sys_read_pair(const struct sys_registers *r, unsigned number, bool pair);
/* False: QEMU does not show this CSR to plugins. */
bool sys_read_csr(const struct sys_registers *r, unsigned number, uint64_t *value);
extern unsigned sys_xlen;

/* traps.c: which traps were taken, from what they left in registers. */
struct sys_trap {
	uint64_t epc, handler, value, cause; /* @cause without the top bit */
	uint8_t from, to;                    /* enum hs_priv */
	bool interrupt;
	bool nmi;                            /* an RNMI (Smrnmi), then also @interrupt */
};

/* Where a hart can be interrupted: an instruction that faults, or the next one. */
struct sys_place {
	uint64_t start, end; /* instructions that may have faulted are in [start, end) */
	uint64_t next;       /* address after them, where it is known */
	bool any;            /* @next is not known */
	uint8_t mode, after; /* the hart's mode in them, and at @next */
	bool nmie;           /* Smrnmi: RNMIs were enabled in them */
	bool narrow;         /* the one of them that is U or VU has XLEN 32, the hart 64 */
};

#define SYS_TRAPS 4u
/* The traps between @place and @pc, in their order.  Returns how many; 0 when the registers show
 * none. */
unsigned sys_traps(const struct sys_registers *r, const struct sys_place *place, uint64_t pc,
                   struct sys_trap traps[SYS_TRAPS]);
/* Where the trap return @bits (SYS_MRET, SYS_MNRET, or sret) would go now, from @mode. */
uint64_t sys_return(const struct sys_registers *r, uint32_t bits, unsigned mode, uint8_t *to);
/* RNMIs are enabled: mnstatus.NMIE.  False where there is no Smrnmi. */
bool sys_nmie(const struct sys_registers *r);
/* enum hs_priv of QEMU's privilege and V. */
static inline uint8_t sys_mode(unsigned priv, bool v)
{
	return (uint8_t)(priv == HS_PRIV_M || !v ? priv : priv | 4u);
}

static inline bool sys_virtual(unsigned mode)
{
	return mode == HS_PRIV_VS || mode == HS_PRIV_VU;
}

static inline bool sys_is_user(unsigned mode)
{
	return mode == HS_PRIV_U || mode == HS_PRIV_VU;
}

/* lockstep.c */
bool lockstep_argument(const char *argument);
bool lockstep_start(void);
void lockstep_vcpu(unsigned vcpu);
void lockstep_translate(struct qemu_plugin_tb *tb);
void lockstep_end(void);

/* system_record.c */
/* @data: NULL, "addresses" or "values". */
bool system_record_start(const char *socket_name, const char *data, bool wait);
void system_record_vcpu(unsigned vcpu);
void system_record_translate(struct qemu_plugin_tb *tb);
uint64_t system_record_run_start(unsigned vcpu); /* where the current run starts */

struct plugin_run;

/* system_context.c: from which registers; false: there is no such source.  Can an instruction,
 * which is no system_space_insn(), change it? */
bool system_context_argument(const char *name);
void system_context_check(const struct sys_registers *r); /* exits: the machine has none of it */
bool system_context_insn(uint32_t insn);

/* system_space.c: at which address a hart executes a run.
 *
 * QEMU translates a page of memory once, for all the addresses at which it is mapped: what a run
 * says of its address is where it was translated.  */
void system_space_vcpu(unsigned vcpu);
/* The last instruction of a run may have changed the address space. */
void system_space_changed(unsigned vcpu, const struct sys_registers *r);
/* How many bytes after where it was translated the hart executes @run. */
uint64_t system_space_moved(unsigned vcpu, const struct sys_registers *r,
                            const struct plugin_run *run);
/* Can an instruction change the address space: a write of satp, vsatp or hgatp, or a fence? */
bool system_space_insn(uint32_t insn);

/* system_marks.c: while nothing is recorded. */
void system_marks_translate(struct qemu_plugin_tb *tb);
/* A run that is recorded may have the mark that ends it. */
void system_marks_watch(struct qemu_plugin_tb *tb);
void system_marks_reset(void); /* system.c: translate everything anew */

/* system_stand.c: QEMU stops executing a hart, and continues. */
void system_stand_begin(unsigned vcpu);
void system_stand_end(unsigned vcpu);

/* system_access.c: the same, of data. */
void system_access_start(bool with_values);
void system_access_vcpu(unsigned vcpu);
void system_access_instrument(struct qemu_plugin_tb *tb, size_t first); /* from that one on */
void system_access_settle(unsigned vcpu, uint64_t next, bool handler);

#endif
