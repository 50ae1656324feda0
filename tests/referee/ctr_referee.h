/* CTR once more: slow and plain, written from the text of 0.1.4 and 1.0 alone.  It shares no line
 * with src/; where the text is silent it does as design/ctr says.  What the text leaves open it
 * says after each step (struct ctr_open), and takes the other side's answer for it. */
#ifndef TESTS_REFEREE_CTR_REFEREE_H
#define TESTS_REFEREE_CTR_REFEREE_H

#include <stdbool.h>
#include <stdint.h>

enum ctr_mode { CTR_U, CTR_S, CTR_M, CTR_VU, CTR_VS, CTR_DEBUG };

enum ctr_says { CTR_DONE, CTR_ILLEGAL, CTR_VIRTUAL, CTR_NOT_MINE };

/* What a hart has.  Registers are as in the text; @absent are optional control bits. */
struct ctr_traits {
	bool draft; /* 0.1.4; else 1.0 */
	bool rv32;  /* MXLEN */
	bool has_u, has_s, has_h, smstateen, sscofpmf, misp, type, cycles;
	unsigned exponent; /* bits of CCE */
	unsigned va, pa;   /* bits of addresses; 0: all, none */
	bool depth[5];     /* 16 << n */
	uint64_t absent;
	/* where 0.1.4 leaves a choice (design/ctr) */
	bool type6, v_as_1_0, freeze_as_1_0, keeps_undefined, keeps_upper;
	bool no_ras_cycles; /* both versions */
};

struct ctr_row {
	uint64_t source, target, data;
};

/* What the last step left open. */
struct ctr_open {
	bool wrptr;
	unsigned from;       /* rows from here on have any legal content */
	unsigned row;        /* of these */
	bool source, target; /* an invalid address was put there */
	bool cc;             /* CCV is 0 */
};

struct ctr_referee {
	struct ctr_traits has;
	uint64_t mctl, vsctl; /* without DEPTH */
	unsigned depth, wrptr;
	bool wrap, frozen;
	struct ctr_row row[256]; /* physical entries */
	uint64_t cycles;
	bool ccv;
	struct ctr_open open;
};

/* What an access depends on. */
struct ctr_who {
	enum ctr_mode mode;
	bool xlen32;
	uint64_t mstateen0, hstateen0, miselect, siselect, vsiselect;
};

/* A transfer of control; @from32: XLEN of the mode is 32. */
struct ctr_move {
	unsigned type; /* of the text */
	enum ctr_mode from, to;
	bool from32, to32, misp;
	uint64_t source, target;
};

void ctr_referee_start(struct ctr_referee *r, const struct ctr_traits *has);

enum ctr_says ctr_referee_read(struct ctr_referee *r, const struct ctr_who *who, unsigned csr,
                               uint64_t *value);
enum ctr_says ctr_referee_write(struct ctr_referee *r, const struct ctr_who *who, unsigned csr,
                                uint64_t value);
enum ctr_says ctr_referee_clear(struct ctr_referee *r, const struct ctr_who *who);

/* Can the privileged architecture make this transfer? */
bool ctr_referee_possible(const struct ctr_move *m);
/* An instruction retired, a trap was taken or a trap return retired: by @m->type. */
void ctr_referee_move(struct ctr_referee *r, const struct ctr_move *m, uint64_t cause);
void ctr_referee_tick(struct ctr_referee *r, enum ctr_mode mode, uint64_t cycles);
void ctr_referee_miss_cycles(struct ctr_referee *r);

/* Physical entry of a logical one below the depth. */
unsigned ctr_referee_place(const struct ctr_referee *r, unsigned index);
/* Can the entry registers hold this? */
bool ctr_referee_holds(const struct ctr_referee *r, const struct ctr_row *row);

#endif
