/* Traps of a flow: how many by cause, modes and handler, and what ran inside of them.
 *
 * What runs inside a trap is from its handler's first instruction to the return that leads back to
 * where it struck; a trap inside of it counts apart.  A supervisor may change the context inside a
 * trap and return to another process: what follows belongs to the last open trap of that context.
 * A thread of a kernel runs in the context of the process before it, and counts there.
 *
 * Threads: a list of traps belongs to one thread at a time, together with its programs.
 */
#ifndef HARTSCOPE_TRAPS_H
#define HARTSCOPE_TRAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/guest.h>
#include <hartscope/program.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_traps;

/** A trap of a user-mode program from which the flow goes on in the same mode: a kernel that is not
 * in the flow answered it. */
struct hs_trap_call {
	bool system_call; /**< the instruction is an ecall */
	bool has_number;  /**< with system_call: it is recorded, or the code says what is in a7 */
	bool signal;      /**< a handler of a signal begins, or it ended the program (ended) */
	bool ended;       /**< the flow ends with a fault: target is 0 */
	uint32_t number;  /**< of the system call */
	uint32_t signal_number; /**< 0: not known */
	const char *name;       /**< of the number, in Linux; NULL: none, or not known */
	const char *arguments; /**< of that call, a letter each: d, o: 32 bits, decimal or octal; l,
	                             n: a register, signed or not; f: a file, or AT_FDCWD
	                             (-100); s: address of text; x: in hexadecimal.  NULL: no
	                             name */
};

/** What a recording knows of a system call (HS_NOTE_CALL). */
struct hs_trap_values {
	bool known;           /**< number and arguments are */
	bool has_result;      /**< it returned */
	uint64_t argument[6]; /**< a0 to a5 before it; those that the call has no use for, too */
	int64_t result;       /**< a0 after it: in Linux -4095 to -1 are errors */
};

/** A trap. */
struct hs_trap_taken {
	uint64_t number;   /**< of the trap in the flow, from 0 */
	uint64_t at;       /**< instructions that its hart retired before it */
	uint64_t length;   /**< and from there until it returned, those of traps inside included */
	uint64_t epc;      /**< with has_epc: the address where it struck, which its return has */
	uint64_t value;    /**< with has_cause: trap value (xtval) */
	uint64_t target;   /**< address of the handler's first instruction */
	uint64_t time;     /**< with has_time: the last time of the hart before it */
	uint64_t duration; /**< with has_time: from there to the last time before it returned */
	const char *function; /**< where it struck; NULL: no symbol covers it, or not known */
	uint64_t offset;      /**< there, bytes from the function's start */
	const char *handler;  /**< function of the target; NULL: no symbol covers it */
	uint32_t hart;
	uint32_t cause;   /**< as in struct hs_trap_kind */
	uint8_t from, to; /**< enum hs_priv */
	bool interrupt, has_cause, has_epc, has_time;
	bool returned; /**< its return was seen, on its hart: length and duration are known */
	struct hs_trap_call call;
	struct hs_trap_values values; /**< of call.system_call */
};

/** Traps of one kind. */
struct hs_trap_kind {
	bool interrupt;
	bool has_cause;        /**< the flow says the cause */
	uint32_t cause;        /**< without its interrupt bit; hs_trap_cause_name() */
	uint8_t from, to;      /**< enum hs_priv */
	const char *handler;   /**< function of the target; NULL: no symbol covers it */
	uint64_t target;       /**< address of the handler's first instruction; 0: a system call */
	uint64_t count;        /**< traps */
	uint64_t returned;     /**< of them, those whose return was seen */
	uint64_t instructions; /**< retired inside of them, without those of traps inside */
	const char *file;      /**< path of the file that has the handler; NULL: not known */
	bool own_file;         /**< that is the program's first, or the kernel */
	struct hs_trap_call call;
};

/** What was counted. */
struct hs_traps_result {
	const struct hs_trap_kind *kinds; /**< those with most instructions first */
	size_t count;
	uint64_t lone_returns; /**< returns that fit no trap, such as a new process's first */
	uint64_t forgotten;    /**< traps given as not returned because their context had 256 later
	                            ones that had not either: a return of theirs fits no trap */
};

#ifdef __cplusplus
}
#endif
#endif
