/* The retired block: what every part of this project reads or writes.
 *
 * Recorders write blocks, encoders turn them into trace, decoders turn trace into the same blocks,
 * listings and profiles read them.  The fields are those of the trace ingress port (NT 2; E-Trace
 * "instruction trace interface").  Everything else (a trap's cause, a gap, the hart that the next
 * blocks belong to) is an event of the same size in the same stream, in order.
 *
 * Canonical blocks.  A block ends with the first instruction that can change the PC (a branch,
 * taken or not; any jump; xRET; ecall), with a trap, or where the trace itself stops.  It never
 * ends for another reason, so that one execution has one list of blocks, whatever their source.
 *
 * Every call works on the memory that it is given, and on nothing else: calls on different memory
 * may run on several threads at once.
 */
#ifndef HARTSCOPE_BLOCK_H
#define HARTSCOPE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** itype of the ingress port (NT 2, Tables 2 to 4): why a block ended. */
enum hs_itype {
	HS_ITYPE_NONE = 0,           /**< none: the trace stops here, or the next address follows */
	HS_ITYPE_EXCEPTION = 1,      /**< an exception after the retired instructions */
	HS_ITYPE_INTERRUPT = 2,      /**< an interrupt after the retired instructions */
	HS_ITYPE_XRET = 3,           /**< return from exception or interrupt */
	HS_ITYPE_NOT_TAKEN = 4,      /**< branch, not taken */
	HS_ITYPE_TAKEN = 5,          /**< branch, taken */
	HS_ITYPE_UNINFERABLE = 6,    /**< jump that needs an address (3-bit itype only) */
	HS_ITYPE_RESERVED = 7,       /**< reserved */
	HS_ITYPE_CALL_UNINF = 8,     /**< call, target not in the code */
	HS_ITYPE_CALL_INF = 9,       /**< call, target in the code */
	HS_ITYPE_TAIL_UNINF = 10,    /**< tail call, target not in the code */
	HS_ITYPE_TAIL_INF = 11,      /**< tail call, target in the code */
	HS_ITYPE_SWAP = 12,          /**< co-routine swap */
	HS_ITYPE_RETURN = 13,        /**< return */
	HS_ITYPE_JUMP_UNINF = 14,    /**< other jump, target not in the code */
	HS_ITYPE_JUMP_INF = 15       /**< other jump, target in the code */
};

/** What a struct hs_block holds.  All but HS_KIND_BLOCK are events. */
enum hs_kind {
	HS_KIND_BLOCK = 0,    /**< instructions that retired */
	HS_KIND_TRAP = 1,     /**< value: trap value (xtval); arg: cause.  Follows its block (itype
	                           1, 2), which says what it is; its own itype is then 0.  With
	                           itype 1 or 2 it has no block: where it struck is not known, and
	                           its handler is the next block */
	HS_KIND_HART = 2,     /**< arg: the hart (trace source) of all that follows */
	HS_KIND_SYNC = 3,     /**< itype: SYNC code (NT Table 25); value: address; arg: 0 */
	HS_KIND_GAP = 4,      /**< blocks are missing here.  value: byte offset where decoding
	                           stopped; arg: enum hs_status, why */
	HS_KIND_STOP = 5,     /**< the trace stops.  itype: EVCODE (NT Table 23); arg: HS_STOP_WAIT
	                           where the hart only waits, and goes on where it stands */
	HS_KIND_CONTEXT = 6,  /**< value: context; priv; arg: FORMAT of PROCESS (NT Table 12);
	                           itype: ctype of the port (ET Context type): 1 imprecise,
	                           2 precise, 3 a discontinuity; 0: it does not say */
	HS_KIND_TIME = 7,     /**< value: timestamp of what follows; itype: 1 where the port asks
	                           for a report of it, HS_CLOCK_TIME where a clock (ingress.h) says
	                           when the last instruction of the next block retires */
	HS_KIND_CODE = 8,     /**< value: address; arg: bytes.  Code there changed while it ran */
	HS_KIND_NOTE = 9,     /**< value: detail; arg: enum hs_note.  Something the recorder saw */
	HS_KIND_SOURCE = 10,  /**< fast profile: value: address of the last instruction before the
	                           target in the next HS_KIND_TARGET */
	HS_KIND_TARGET = 11,  /**< fast profile, in place of blocks: itype: how the last one ended
	                           (1 to 3, 8, 9, 12, 13; 0: the trace starts); value: address where
	                           the flow continued */
	HS_KIND_CYCLES = 12,  /**< value: address; arg: cycles from the retirement before to that of
	                           the instruction there, UINT32_MAX: or more */
	HS_KIND_DATA = 13,    /**< a data access (block.h); before the block of its instruction.
	                           value: address; itype: enum hs_access_type; ilast: size; arg: id,
	                           known, phase */
	HS_KIND_VALUE = 14,   /**< right after a HS_KIND_DATA that says so.  value: data, or, where
	                           itype is 1, operand */
	HS_KIND_VERSION = 16, /**< when asked for: before the next block the code at address value
	                           changes to what hs_source_code() or hs_rec_code() has under
	                           number arg; itype: 1: of blocks that are left out */
	HS_KIND_PATH = 17,    /**< when asked for (memo.h), in place of blocks that were decoded
	                           before: value: where they are in memory; arg: number of the
	                           first; ilast: how many; priv: theirs.  ilast 0: those that were
	                           given are not there any more at the next call */
	HS_KIND_UNSEEN = 15   /**< instructions retired of which nothing else is known: after a
	                           HS_KIND_GAP in code that is not known, or at the end (a count
	                           whose branches are missing).  value: up to where the flow is
	                           known; arg: how many, UINT32_MAX: or more; itype: of what
	                           (enum hs_unseen) */
};

/** What HS_KIND_UNSEEN counts. */
enum hs_unseen {
	HS_UNSEEN_HALFWORDS = 0, /**< half-words that retired (N-Trace) */
	HS_UNSEEN_BRANCHES = 1   /**< conditional branches (E-Trace), at least: a
	                             synchronisation may name one that is not taken */
};

/** arg of the HS_KIND_STOP of a hart that waits (RHTI Unbounded Wait). */
#define HS_STOP_WAIT 1

/** itype of the HS_KIND_TIME that a clock makes. */
#define HS_CLOCK_TIME 2

/** What a note says (HS_KIND_NOTE, in arg).  The numbers are in recordings: they never change. */
enum hs_note {
	HS_NOTE_SIGNAL = 1,  /**< a signal handler starts here; value: signal number, 0 unknown */
	HS_NOTE_FORK = 2,    /**< the process forked here; value: number of the child's recording */
	HS_NOTE_EXEC = 3,    /**< the process executes another program and the recording ends */
	HS_NOTE_PARTIAL = 4, /**< the block before may not have retired to its end (fatal signal);
	                          value: the signal of a fault, 0 another one or not known */
	HS_NOTE_AMBIGUOUS = 5,   /**< N-Trace: a RepeatBranch that may mean another target, too;
	                            value: the last one.
	                            E-Trace 0.026: the trace also fits another flow, since it last
	                            reported an address.  value: that address, which the flow may
	                            only have passed, or to which a jump led later, or whose
	                            instruction may not have retired */
	HS_NOTE_ACQUISITION = 6, /**< N-Trace, dialect sifive: the program wrote to the ITC (TCODE
	                            7).  value: DQDATA; itype, ilast: low and high 8 bits of
	                            IDTAG */
	HS_NOTE_CIRCUIT = 7, /**< the same, in-circuit trace (TCODE 34, 35).  itype: CKSRC; ilast:
	                            1: a HS_NOTE_CIRCUIT_DATA follows; value: an address, but with
	                            CKSRC 12, or 0 where ilast is 0: CKDATA as it is */
	HS_NOTE_CIRCUIT_DATA =
		8,             /**< itype: CKSRC; value: the second datum of the note before: with
	                            CKSRC 9 the address called, else CKDATA1 as it is: of CKSRC 0
	                            the control code */
	HS_NOTE_TRIGGER = 16,  /**< ingress port (port.h): a trigger fired.  value: enum hs_trigger
	                           (ingress.h); it applies to the block that follows */
	HS_NOTE_USER = 17,     /**< ingress port: value: 64 bits of user or impdef; itype: which of
	                           them, 0 is bits 63:0 */
	HS_NOTE_LEFT_OUT = 18, /**< a source was asked for some blocks only; value: how many are
	                            left out here */
	HS_NOTE_NOT_KEPT = 19, /**< a recording begins here whose beginning was not kept; value: how
	                            many instructions the hart had retired */
	HS_NOTE_COUNTED = 20,  /**< never in recordings: some blocks are counted, not written
	                            (memo.h).  value: address of the first of them.  The last of
	                            them comes before the next block */
	HS_NOTE_CALL = 21, /**< a program's system call, after the block of its ecall; value: its
	                            number (a7).  Registers and result follow */
	HS_NOTE_REGISTER = 22, /**< of the call: value: an argument, a0 to a5; itype: 0 to 5 */
	HS_NOTE_RESULT = 23    /**< of the call, if it returned; value: what is in a0 then */
};

/** Privilege: V in bit 2, PRV in bits 1:0 (NT 7.1). */
enum hs_priv {
	HS_PRIV_U = 0, HS_PRIV_S = 1, HS_PRIV_M = 3, HS_PRIV_VU = 4, HS_PRIV_VS = 5,
	HS_PRIV_D = 2,      /**< debug mode (ET Privilege level encoding) */
	HS_PRIV_UNKNOWN = 7 /**< the source does not say */
};

/** A retired block, or an event in the stream of blocks.  16 bytes, plain data. */
struct hs_block {
	union {
		uint64_t iaddr; /**< block: address of the first instruction, bit 0 is 0 */
		uint64_t value; /**< event: see enum hs_kind */
	};
	union {
		uint32_t iretire; /**< block: half-words retired; 0 only with itype 1 or 2 */
		uint32_t arg;     /**< event: see enum hs_kind */
	};
	uint8_t ilast; /**< block: half-words of the last retired instruction, 0 if none
	                    (the port's ilastsize is its logarithm) */
	uint8_t itype; /**< block: enum hs_itype */
	uint8_t priv : 3;   /**< block: enum hs_priv */
	uint8_t sijump : 1; /**< block: the last instruction is a jump whose target the
	                         instruction before it gives (E-Trace sijump; NT 9.1) */
	uint8_t reserved : 4; /**< 0: blocks are compared byte by byte */
	uint8_t kind;  /**< enum hs_kind */
};

/** Does an event say that the hart waits: it goes on where it stands (EVCODE 1, low power; RHTI
 * Unbounded Wait)? */
static inline bool hs_event_waits(const struct hs_block *b)
{
	return b->kind == HS_KIND_STOP && b->itype == 1;
}

/** Does an event say that the next block did not follow the last one? */
static inline bool hs_event_breaks(const struct hs_block *b)
{
	return b->kind == HS_KIND_GAP || (b->kind == HS_KIND_STOP && !hs_event_waits(b)) ||
	       (b->kind == HS_KIND_SYNC && b->itype == 1) /* exit from reset (NT Table 25) */ ||
	       (b->kind == HS_KIND_NOTE &&
	        (b->arg == HS_NOTE_LEFT_OUT || b->arg == HS_NOTE_COUNTED));
}

/** May blocks after this item belong to another hart, context or moment? */
static inline bool hs_event_divides(const struct hs_block *b)
{
	return (1u << b->kind) & (1u << HS_KIND_HART | 1u << HS_KIND_CONTEXT | 1u << HS_KIND_TIME |
	                          1u << HS_KIND_CODE | 1u << HS_KIND_VERSION);
}

/** Does an event say that blocks are counted in place of being written? */
static inline bool hs_event_counts(const struct hs_block *b)
{
	return b->kind == HS_KIND_NOTE && b->arg == HS_NOTE_COUNTED;
}

/** Address after the last retired instruction of a block. */
static inline uint64_t hs_block_end(const struct hs_block *b)
{
	return b->iaddr + 2u * (uint64_t)b->iretire;
}

/** True for exception and interrupt. */
static inline bool hs_itype_is_trap(unsigned itype)
{
	return itype == HS_ITYPE_EXCEPTION || itype == HS_ITYPE_INTERRUPT;
}

/** True when a block needs the next block's address from the trace (NT Tables 3, 4). */
static inline bool hs_itype_uninferable(unsigned itype)
{
	return (0x754eu >> itype) & 1u; /* 1 2 3, 6, 8, 10, 12, 13, 14 */
}

/** Blocks that came one after the other, and how often they did (memo.h). */
struct hs_path_count {
	const struct hs_block *blocks;
	size_t n;
	uint64_t times;
	uint64_t next; /**< address of the block that came after them, each time */
	uint64_t id;   /**< of one memo: the same number, the same blocks and the same next */
};

/** Are two blocks or events equal in every field, unknown privilege and sijump included? */
HS_STATIC bool hs_block_equal(const struct hs_block *a, const struct hs_block *b);

/** Name of an itype, such as "taken branch"; "?" above 15. */
HS_API const char *hs_itype_name(unsigned itype);

/** Name of a kind, such as "block" or "gap"; "?" if there is none. */
HS_API const char *hs_kind_name(unsigned kind);

/** Name of a cause of traps, without its interrupt bit, such as "load page fault" (privileged
 * architecture); NULL: it has none. */
HS_API const char *hs_trap_cause_name(bool interrupt, uint32_t cause);

/** What hs_block_check() keeps from one block to the next.  Zero is the start.  Private. */
struct hs_block_checker {
	struct hs_block prev; /**< the block before, when have is true */
	bool have;
};

/**
 * Check one block, or event, against the rules of the ingress port (NT 2).
 *
 * @retval HS_OK       It may follow what was checked before; it is the last one in @c now.
 * @retval HS_E_BLOCK  iaddr is odd; iretire is 0 without a trap; ilast is 0 with
 *                     iretire > 0, or above iretire; itype is 7 or above 15; kind is
 *                     unknown or HS_KIND_PATH; or a block after itype 0 or 4 does not begin
 *                     where the one before ended (NT 2).
 */
HS_STATIC enum hs_status hs_block_check(struct hs_block_checker *c, const struct hs_block *b);

/* ---- access ----
 * Data accesses: what a hart reports of one load, store, atomic or CSR access (ET Data Trace
 * Interface).
 *
 * Calls on different memory may run on several threads at once.
 */

/** dtype of the data interface (ET Table dtype; 2, 3 and 7: RHTI Table dtype). */
enum hs_access_type {
	HS_ACCESS_LOAD = 0,
	HS_ACCESS_STORE = 1,
	HS_ACCESS_MULTI_LOAD = 2,  /**< one of the loads of an instruction that makes several */
	HS_ACCESS_MULTI_STORE = 3, /**< one of the stores of such an instruction */
	HS_ACCESS_CSR_RW = 4,
	HS_ACCESS_CSR_RS = 5,
	HS_ACCESS_CSR_RC = 6,
	HS_ACCESS_CAS_FAILED = 7, /**< compare and swap that failed: nothing was stored */
	HS_ACCESS_SWAP = 8,
	HS_ACCESS_ADD = 9,
	HS_ACCESS_AND = 10,
	HS_ACCESS_OR = 11,
	HS_ACCESS_XOR = 12,
	HS_ACCESS_MAX = 13,
	HS_ACCESS_MIN = 14,
	HS_ACCESS_SC_FAILED = 15 /**< conditional store that failed: nothing was stored */
};

/** The part of an access that is reported.  Split loads and atomics have two. */
enum hs_access_phase {
	HS_ACCESS_WHOLE = 0,
	HS_ACCESS_REQUEST = 1, /**< retired: address, and the operand of an atomic */
	HS_ACCESS_RESPONSE = 2 /**< the memory answered: data, or an error */
};

/** What is known of an access: bits of struct hs_access.known. */
enum hs_access_known {
	HS_ACCESS_HAS_ADDRESS = 1,
	HS_ACCESS_HAS_DATA = 2,
	HS_ACCESS_HAS_OPERAND = 4,
	HS_ACCESS_HAS_ERROR = 8 /**< response: the access failed, there is no data */
};

/** One access.  Members that @known does not name are 0. */
struct hs_access {
	uint64_t address; /**< in bytes; of a CSR: its number */
	uint64_t data;    /**< loaded or stored; atomics and CSRs: the value before the operation */
	uint64_t operand; /**< atomics: the value of rs2; CSRs: that of rs1, or the immediate */
	uint16_t id;      /**< lrid: joins request and response of a split access */
	uint8_t type;     /**< enum hs_access_type */
	uint8_t size;     /**< 2^size bytes, 0 to 3; 2 or 3 of a CSR: the width of the hart */
	uint8_t phase;    /**< enum hs_access_phase */
	uint8_t known;    /**< enum hs_access_known */
};

static inline bool hs_access_is_csr(unsigned type)
{
	return type >= HS_ACCESS_CSR_RW && type <= HS_ACCESS_CSR_RC;
}

/** An atomic operation, or a compare and swap or a conditional store that failed: packets have the
 * same format. */
static inline bool hs_access_is_atomic(unsigned type)
{
	return type >= HS_ACCESS_CAS_FAILED && type <= HS_ACCESS_SC_FAILED;
}

/** A load, also one of several. */
static inline bool hs_access_is_load(unsigned type)
{
	return type == HS_ACCESS_LOAD || type == HS_ACCESS_MULTI_LOAD;
}

/** A store, also one of several. */
static inline bool hs_access_is_store(unsigned type)
{
	return type == HS_ACCESS_STORE || type == HS_ACCESS_MULTI_STORE;
}

/** Items of one access in a stream of blocks, at most. */
#define HS_ACCESS_ITEMS 3

/** Write an access as HS_KIND_DATA and HS_KIND_VALUE.  @return  Items written, 1 to 3. */
HS_STATIC unsigned hs_access_put(const struct hs_access *a, struct hs_block out[HS_ACCESS_ITEMS]);

/** What a reader of accesses keeps from one item to the next.  Zero is the start. */
struct hs_access_reader {
	struct hs_access access;
	/* Private: */
	uint8_t missing; /* values that are still to come: enum hs_access_known */
};

#ifdef __cplusplus
}
#endif
#endif
