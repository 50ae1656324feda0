/* A second decoder of N-Trace: slow, written from NT 7 to 9 and 11.1 alone.  It shares no line with
 * src/.
 *
 * It takes one message a call.  HIST and, in HTM, I-CNT of ResourceFull wait in registers until a
 * message has I-CNT; then the way is followed instruction by instruction, and addresses are
 * reported one by one.
 */
#ifndef TESTS_REFEREE_NEXUS_REFEREE_H
#define TESTS_REFEREE_NEXUS_REFEREE_H

#include "referee/instructions.h"
#include "referee/nexus_message.h"

#define NEXUS_SOURCES 4
#define NEXUS_CALLS 1024   /* NT 9.2 */
#define NEXUS_HISTORY 4096 /* branches that wait */
#define NEXUS_STEPS 4096   /* instructions of one message */

struct nexus_parameters {
	unsigned xlen, src_bits;
	bool extend;     /* trTeInstExtendAddrMSB */
	bool sequential; /* trTeInstEnSequentialJump */
	bool returns;    /* trTeInstImplicitReturnMode */
	bool all_jumps;  /* trTeInstEnAllJumps */
	unsigned field;  /* bits of an address field; 0: as many as come */
	bool sifive;     /* messages and readings of SiFive encoders (design/nt-vendor) */
};

/* What is reported, in this order by source. */
enum nexus_item {
	NEXUS_PC,      /* value: address of an instruction that retired */
	NEXUS_TRAP,    /* value: 1 for an interrupt */
	NEXUS_STOP,    /* value: EVCODE */
	NEXUS_LOST,    /* the source is not followed any more */
	NEXUS_SYNC,    /* value: address; more: SYNC */
	NEXUS_TIME,    /* value */
	NEXUS_CONTEXT, /* value: CONTEXT; more: FORMAT, PRV and V of PROCESS */
	NEXUS_DATUM,   /* value: DQDATA; more: IDTAG */
	NEXUS_CIRCUIT, /* value: address or CKDATA; more: CKSRC */
	NEXUS_SECOND,  /* value: the second one */
};

/* One source, SRC. */
struct nexus_source {
	unsigned src;
	bool followed, timed;
	uint64_t pc, reference, time;
	bool begun;    /* followed, or its trace was said to be off, since anything was lost */
	bool referred; /* reference is known: nothing was lost since */
	enum { NEXUS_UNKNOWN, NEXUS_BTM, NEXUS_HTM } mode;

	uint64_t count; /* half-words of ResourceFull */
	uint8_t history[NEXUS_HISTORY]; /* outcomes, in their order */
	unsigned outcomes, used;

	struct instr last, before; /* the last two that retired since the last address */
	uint64_t last_at, before_at;
	bool any, paired; /* there is a last one; before stands right before it */
	bool at_jump;     /* the last one is a jump, and where it leads is not known */

	uint64_t calls[NEXUS_CALLS]; /* return addresses */
	unsigned depth;
	struct nexus_message previous; /* what RepeatBranch repeats */
	bool has_previous;
};

struct nexus_referee {
	struct nexus_parameters p;
	instr_fetch *fetch;
	const void *program;
	void (*report)(void *to, unsigned source, enum nexus_item item, uint64_t value,
	               unsigned more);
	void *to;
	struct nexus_source source[NEXUS_SOURCES];
	unsigned sources;
	/* of the last message */
	const char *error;   /* why it was refused; NULL: it was not */
	const char *unclear; /* why it can be read in two ways, or is too long a way */
	unsigned steps;
};

void nexus_start(struct nexus_referee *r, const struct nexus_parameters *p);

/* Which source a message is of; NEXUS_SOURCES: more than there is room for. */
unsigned nexus_source_of(struct nexus_referee *r, const struct nexus_message *m);

/* Take a message.  What is wrong with it is in r->error; the source is then lost, and followed from
 * the message's own address on, if it has a full one. */
void nexus_take(struct nexus_referee *r, const struct nexus_message *m);

/* There was no message: which source is concerned is not known. */
void nexus_lose_all(struct nexus_referee *r);

/* Does something wait for a message with I-CNT? */
bool nexus_waits(const struct nexus_source *s);

#endif
