/* Between a recorder plugin and hs_recorder_run(): shared memory.
 *
 * The plugin is loaded by the emulator.  For its process and for every hart it makes an anonymous
 * shared mapping and sends it to hs_recorder_run() over a local socket, whose name is one of the
 * plugin's arguments.  From then on it only writes to memory: what is in a mapping survives the
 * emulator, however it ends.  Its size is sealed (F_SEAL_SHRINK): the program cannot take it away.
 * Words and log records are those of recording/format.h; they go to disk as they are, compressed.
 *
 * Threads: a ring has one producer (a hart's thread in the emulator) and one consumer (a thread of
 * hs_recorder_run()).  Members are plain integers so that every language can map them; use atomic
 * accesses.  Both sides run on one machine, so integers are in its byte order.
 */
#ifndef HS_RECORDER_WIRE_H
#define HS_RECORDER_WIRE_H

#include <stdint.h>

#define HS_WIRE_MAGIC 0x54524f50u
#define HS_WIRE_VERSION 1u

/* A hart's mapping: struct hs_wire_hart, then the ring.  Chunks are published one by one. */
#define HS_WIRE_CHUNK_WORDS (1u << 15)
#define HS_WIRE_CHUNKS 16u
#define HS_WIRE_WORDS_AT 4096u /**< where the words begin, bytes */
#define HS_WIRE_HART_SIZE (HS_WIRE_WORDS_AT + 4ull * HS_WIRE_CHUNK_WORDS * HS_WIRE_CHUNKS)

/** A hart's mapping begins with this. */
struct hs_wire_hart {
	uint64_t cursor;       /**< producer: address of the next word, in its own address space */
	uint64_t chunk_end;    /**< producer: where the current chunk ends */
	uint64_t outcomes;     /**< producer: runs that no word has yet, at most
	                          HS_WIRE_OUTCOMES_MOST: after a leading one a bit for each, the
	                          first one on top; 1: none */
	uint64_t instructions; /**< producer: in all runs */
	uint64_t slot;         /**< producer: address of the last run's successors, in its
	                     own address space; that of slots: see last_run.  Bits 2:0: how many
	                     more bits than one it has in outcomes */
	uint64_t slots;        /**< producer: address of those of all runs, 8 bytes each, by keys */
	uint32_t last_run;   /**< producer: key of the last run where slot does not say it: 1 + its
	                          number; 0: there is none */
	uint32_t vcpu;       /**< producer: its number in the emulator, hs_wire_vcpu_of() */
	uint32_t in_syscall; /**< producer: the last run ended with a system call */
	uint32_t ended;      /**< producer: the hart's thread has ended */
	uint32_t published;  /**< producer: chunks completed; futex of the consumer */
	uint32_t full;       /**< producer waits for room */
	uint64_t memos;      /**< producer, where runs are added up: address of what sums stand for,
	                          in its own address space */
	uint32_t apart;      /**< producer: the sum began at HS_WIRE_SUM_BEFORE, though there is a
	                          last run */
	uint32_t outcomes_at; /**< producer: low half of cursor; where it is another, outcomes
	                          has no runs */
	uint32_t adding;      /**< producer: hs_wire_vcpu.sum has runs of this hart */
	uint32_t memo_mask;   /**< producer: of an offset from memos */
	uint32_t pad1[8];
	uint32_t consumed; /**< consumer: chunks read; futex of the producer */
	uint32_t hungry;   /**< consumer waits for a chunk */
	uint32_t anews;    /**< consumer: how often HS_REC_ESCAPE_ANEW is asked for so far */
	uint32_t pad2[13];
	struct { /* producer: where the hart stands, and where its last run ended */
		uint64_t stand_cursor; /**< whole systems: cursor when the hart stood still last;
		                            while it is there, stand says where the hart stands;
		                            0: it does not */
		uint32_t stand[3];     /**< words of HS_REC_ESCAPE_STAND */
		uint32_t last;         /**< exact faults: half-words before the run's last
		                            instruction */
		uint64_t end;          /**< exact faults: address after the run */
	} still;
	uint64_t base;               /**< producer: address of the first word of the ring */
	struct {                     /* producer */
		uint32_t used;       /**< greatest key with successors */
		uint32_t numbered;   /**< the next run gets its number, foreseen or not */
		uint32_t anew;       /**< HS_REC_ESCAPE_ANEW before the next run */
		uint32_t anews_seen; /**< anews, when anew was set last */
		uint32_t wides;      /**< runs that are wide (HS_REC_LOG_WIDE) */
		uint32_t wides_most; /**< and how many may be */
	} keys;
};

#define HS_WIRE_OUTCOMES_MOST 50u
#define HS_WIRE_WORD_RUNS 27u /**< that fit one word */

/** hs_wire_hart.outcomes in words, without their top bits (HS_REC_WORD_OUTCOMES). */
static inline unsigned hs_wire_outcome_words(uint64_t outcomes, uint32_t words[2])
{
	unsigned n = 0;

	if (outcomes >> HS_WIRE_WORD_RUNS > 1) {
		const unsigned rest = 63u - HS_WIRE_WORD_RUNS - (unsigned)__builtin_clzll(outcomes);

		words[n++] = (uint32_t)(outcomes >> rest);
		outcomes = UINT64_C(1) << rest | (outcomes & ((UINT64_C(1) << rest) - 1));
	}
	if (outcomes > 1)
		words[n++] = (uint32_t)outcomes;
	return n;
}

/** What a run adds to hs_wire_vcpu.sum: different for each, and without a pattern, so that no two
 * ways through a program have one sum. */
static inline uint64_t hs_wire_number(uint32_t run)
{
	uint64_t n = (run + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);

	n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
	return n ^ n >> 31;
}

/** The same of a run that is written when it executes: its key in the lower half. */
static inline uint64_t hs_wire_written(uint32_t run)
{
	return (hs_wire_number(run) >> 32 << 32) | (run + UINT64_C(1));
}

/** hs_wire_vcpu.sum after a run that was written, by hs_wire_written() of it. */
static inline uint64_t hs_wire_sum_after(uint64_t written)
{
	return __builtin_bswap64(written);
}

#define HS_WIRE_SUM_BEFORE UINT64_C(0x5bd1e995c2b2ae3d) /**< ... where none was */

/** 1 + number of the last run of a packed stream; 0: there is none. */
static inline uint32_t hs_wire_last_run(const struct hs_wire_hart *h)
{
	const uint32_t key = (uint32_t)((h->slot - h->slots) / 8);

	return key == 0 ? h->last_run : key;
}

/** What translated code writes by itself, for each vcpu of the emulator.  A line of the cache. */
struct hs_wire_vcpu {
	uint64_t sum;      /**< where the last run or HS_WIRE_SUM_BEFORE begins to count, and the
	                        numbers of all runs since then, added up (hs_wire_hart.adding) */
	uint64_t progress; /**< exact faults: 1 + half-words of the current run that will have
	                        retired if its next instruction that can fault does fault; 0: none
	                        is left that can */
	uint64_t pad[6];
};

/* A process's mapping: struct hs_wire_process, then the log, a ring of bytes, then a bit for each
 * of the first HS_WIRE_ADDED_RUNS runs: executing it adds to hs_wire_vcpu.sum; then a struct
 * hs_wire_vcpu for each number of a vcpu. */
#define HS_WIRE_LOG_SIZE (4u << 20)
#define HS_WIRE_LOG_AT 4096u
#define HS_WIRE_ADDED_AT (HS_WIRE_LOG_AT + HS_WIRE_LOG_SIZE)
#define HS_WIRE_ADDED_RUNS (1u << 18)
#define HS_WIRE_ADDED_MOST 12u /**< runs that are added up before one is written */
#define HS_WIRE_VCPUS_AT (HS_WIRE_ADDED_AT + HS_WIRE_ADDED_RUNS / 8)
#define HS_WIRE_VCPUS 65536u /**< a power of two; more threads than Linux gives a process */
#define HS_WIRE_PROCESS_SIZE (HS_WIRE_VCPUS_AT + 64u * HS_WIRE_VCPUS)

/** How a process ended, as far as its plugin knows. */
enum hs_wire_end { HS_WIRE_RUNS = 0, HS_WIRE_EXIT = 1, HS_WIRE_EXEC = 2, HS_WIRE_MARK = 3 };

/** What is known of a fault, as bits. */
enum hs_wire_fault_how {
	HS_WIRE_FAULT_ADDRESS = 1, /**< address is right */
	HS_WIRE_FAULT_CODE = 2,    /**< translated code made the access */
	HS_WIRE_FAULT_LOAD = 4,
	HS_WIRE_FAULT_STORE = 8,      /**< neither: it may be either */
	HS_WIRE_FAULT_REGISTERS = 16, /**< registers are those of the program, with ..._CODE */
	HS_WIRE_FAULT_SENT = 32       /**< it is no fault: somebody sent the signal */
};

/** The last access that the emulator's system refused.  Most end no program: it keeps code from
 * being written, for one. */
struct hs_wire_fault {
	uint64_t address;       /**< of the program */
	uint64_t registers[32]; /**< x0 to x31 then, where translated code made the access */
	uint32_t signal;        /**< 0: there was none, or not all of this is written */
	uint32_t how;           /**< enum hs_wire_fault_how */
	uint32_t vcpu;          /**< 1 + its number in the emulator; 0: not known */
};

/** A process's mapping begins with this. */
struct hs_wire_process {
	uint64_t head;        /**< producer: bytes of log written since the start */
	uint64_t tail;        /**< consumer: bytes of log read since the start */
	uint32_t forks;       /**< producer: forks begun */
	uint32_t lost;        /**< producer: harts or code that could not be recorded */
	uint32_t end;         /**< producer: enum hs_wire_end */
	int32_t end_code;     /**< producer: exit status, with HS_WIRE_EXIT */
	char exec_path[1024]; /**< producer: program executed, with HS_WIRE_EXEC */
	uint32_t go;       /**< consumer, whole systems, with the plugin's argument wait=on: it is
	                        ready, and the machine may run */
	uint32_t unforked; /**< producer: of @ref forks, those that failed */
	struct hs_wire_fault fault; /**< producer */
};

/** That of a hart, in the mapping of its process.  Any number is one of the mapping. */
static inline struct hs_wire_vcpu *hs_wire_vcpu_of(void *process, uint32_t vcpu)
{
	uint8_t *const vcpus = (uint8_t *)process + HS_WIRE_VCPUS_AT;

	return (struct hs_wire_vcpu *)(void *)vcpus + vcpu % HS_WIRE_VCPUS;
}

/** What a mapping is for. */
enum hs_wire_mapping { HS_WIRE_PROCESS = 0, HS_WIRE_HART = 1 };

/** What is sent over the socket, with one file descriptor: the mapping.  The answer is one byte
 * when the mapping is in use; the connection is closed without it where it will not be. */
struct hs_wire_message {
	uint32_t magic, version;
	uint32_t type;      /**< enum hs_wire_mapping */
	uint32_t number;    /**< process: number of the child, 0 for the first; hart: its number */
	uint64_t token;     /**< identifies the process */
	uint64_t parent;    /**< process: token of the one that forked it, 0 for the first */
	uint64_t log_bytes; /**< process: how many bytes of its parent's log its own begins with */
};

#endif
