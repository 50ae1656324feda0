/* Lock-step: the CTR model follows the hart that QEMU emulates. */
#ifndef LOCKSTEP_H
#define LOCKSTEP_H

#include <hartscope/ctr.h>
#include <hartscope/image.h>

#include "system.h"

#define STATEEN_CTR HS_CTR_BITS(1_0, STATEEN, CTR)
#define LOCKSTEP_SHOWN 20u /* failures of a kind that are printed */

enum lockstep_deviation {
#define HS_DEVIATION(id, rule, what) LOCKSTEP_##id,
#include "deviations.def"
#undef HS_DEVIATION
	LOCKSTEP_DEVIATIONS
};

/* The two models. */
enum lockstep_model {
	LOCKSTEP_TEXT = 0, /* follows the specification */
	LOCKSTEP_QEMU = 1  /* has QEMU's known deviations */
};

/* A translated instruction. */
struct lockstep_insn {
	struct lockstep_insn *next;
	uint64_t pc;
	uint32_t bits;
	struct hs_insn insn, narrow; /* @narrow: in a mode with XLEN 32 of a hart with 64 */
};

/* funct3 of a CSR instruction, without its bit for immediates. */
enum lockstep_operation { LOCKSTEP_WRITE = 1, LOCKSTEP_SET = 2, LOCKSTEP_CLEAR = 3 };

/* An access to a CSR that CTR may have or may refuse, from its start to its end. */
struct lockstep_access {
	bool pending, clears;      /* @clears: SCTRCLR */
	unsigned csr, rd;
	bool reads, writes;
	struct hs_ctr_env env;
	uint64_t mstateen0;           /* as QEMU has it; @env is as the guest wrote it */
	enum hs_ctr_answer answer[2]; /* of both models: LOCKSTEP_TEXT, LOCKSTEP_QEMU */
	uint32_t rule;                /* why they differ, if they do */
	uint64_t before[2], operand;
	unsigned operation;           /* enum lockstep_operation */
};

struct lockstep_hart {
	struct sys_registers registers;
	struct hs_ctr model[2]; /* LOCKSTEP_TEXT, LOCKSTEP_QEMU */
	uint64_t miselect, siselect, vsiselect; /* QEMU does not show them to plugins */
	uint64_t mstateen0; /* its bit CTR, as the guest wrote it */
	const struct lockstep_insn *prev;
	const struct hs_insn *insn; /* of @prev, in its mode */
	uint64_t next;    /* where @prev goes when it is not a branch and retires */
	uint64_t epc;     /* where @prev goes when it is a trap return, with all bits of xepc */
	bool any;         /* @next is not known */
	uint8_t mode, after; /* before @prev, and after it */
	bool nmie, narrow;   /* struct sys_place, of @prev */
	struct lockstep_access access;
	uint32_t fired;   /* by which the models differ now: bits of enum lockstep_deviation */
	uint64_t insns, transfers, traps, returns, lost;
	uint64_t reads, answers, failures, differences, by_rule[LOCKSTEP_DEVIATIONS];
};

extern FILE *lockstep_report;
extern bool lockstep_strict; /* no deviation is allowed */

/* deviations.c: what happens, applied to both models. */
void lockstep_retire(struct lockstep_hart *h, const struct hs_ctr_transfer *t);
void lockstep_trap(struct lockstep_hart *h, const struct hs_ctr_transfer *t,
                   const struct sys_trap *trap);
void lockstep_xret(struct lockstep_hart *h, const struct hs_ctr_transfer *t, bool mnret);
bool lockstep_window(unsigned csr);
/* The environment of an access as QEMU checks it. */
struct hs_ctr_env lockstep_qemu_env(const struct hs_ctr_env *env, unsigned csr);
/* QEMU's answer where the models give @text and @qemu; *rule: the deviation between them. */
enum hs_ctr_answer lockstep_qemu_answer(const struct hs_ctr_env *env, unsigned csr,
                                        enum hs_ctr_answer text, enum hs_ctr_answer qemu,
                                        uint32_t *rule);
/* The deviations by which the models differ now; 0 when they are equal. */
uint32_t lockstep_differences(struct lockstep_hart *h);
const char *lockstep_rule(unsigned deviation);

/* lockstep_csr.c */
/* Is the instruction an access to this CSR? */
bool lockstep_is_csr(uint32_t bits, unsigned csr);
void lockstep_access_begins(struct lockstep_hart *h, const struct lockstep_insn *i);
/* @trap: what the instruction raised, NULL when it retired. */
void lockstep_access_ends(struct lockstep_hart *h, const struct sys_trap *trap);

#endif
