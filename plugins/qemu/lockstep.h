/* Lock-step: the CTR model beside the hart that QEMU emulates. */
#ifndef LOCKSTEP_H
#define LOCKSTEP_H

#include <hartscope/ctr.h>
#include <hartscope/isa.h>

#include "system.h"

#define LOCKSTEP_SHOWN 20u /* failures of a kind that are printed */

enum lockstep_deviation {
#define HS_DEVIATION(id, rule, what) LOCKSTEP_##id,
#include "deviations.def"
#undef HS_DEVIATION
	LOCKSTEP_DEVIATIONS
};

/* An instruction that is translated. */
struct lockstep_insn {
	struct lockstep_insn *next;
	uint64_t pc;
	uint32_t bits;
	struct hs_insn insn;
};

/* An access to a CSR that CTR may have a say in, between its start and its end. */
struct lockstep_access {
	bool pending, clears;      /* @clears: SCTRCLR */
	unsigned csr, rd;
	bool reads, writes;
	struct hs_ctr_env env;
	enum hs_ctr_answer answer[2]; /* of both models */
	uint32_t rule;                /* why they differ, if they do */
	uint64_t before[2], operand;
	unsigned operation;           /* 1 write, 2 set, 3 clear */
};

struct lockstep_hart {
	struct sys_registers registers;
	/* By the text, and with QEMU's deviations: [0] and [1]. */
	struct hs_ctr model[2];
	uint64_t miselect, siselect, vsiselect; /* QEMU shows them to nobody but the guest */
	const struct lockstep_insn *prev;
	uint64_t next;    /* where @prev goes when it is not a branch and retires */
	bool any;
	uint8_t mode, after; /* before @prev, and after it */
	struct lockstep_access access;
	uint32_t fired;  /* deviations that the models differ by */
	uint64_t insns, transfers, traps, returns, lost;
	uint64_t reads, answers, failures, differences, by_rule[LOCKSTEP_DEVIATIONS];
};

extern FILE *lockstep_report;
extern bool lockstep_strict; /* nothing is allowed to differ */

/* deviations.c: what happens, told to both models. */
void lockstep_retire(struct lockstep_hart *h, const struct hs_ctr_transfer *t);
void lockstep_trap(struct lockstep_hart *h, const struct hs_ctr_transfer *t, uint64_t cause);
void lockstep_xret(struct lockstep_hart *h, const struct hs_ctr_transfer *t);
bool lockstep_window(unsigned csr);
void lockstep_bend(const struct hs_ctr_env *env, unsigned csr, struct hs_ctr_env *bent);
enum hs_ctr_answer lockstep_bent_answer(const struct hs_ctr_env *env, unsigned csr, enum hs_ctr_answer text,
                                        enum hs_ctr_answer bent, uint32_t *rule);
uint32_t lockstep_same(struct lockstep_hart *h);
const char *lockstep_rule(unsigned deviation);

/* lockstep_csr.c */
void lockstep_access_begins(struct lockstep_hart *h, const struct lockstep_insn *i);
/* @trap: what the instruction raised, NULL when it retired. */
void lockstep_access_ends(struct lockstep_hart *h, const struct sys_trap *trap);

#endif
