/* Between a recorder plugin and hs_record(): shared memory, and the words in it.
 *
 * The plugin lives in the emulator.  For its process and for every hart it makes an
 * anonymous shared mapping and hands it to hs_record() over a local socket whose
 * name it was given.  From then on it only writes to memory: what is in a mapping
 * survives the emulator, however it dies.  docs/recording-format.md describes the
 * words and the log; they go to disk as they are, compressed.
 *
 * One producer (a hart's thread) and one consumer (a thread of hs_record()) share a
 * ring.  Fields are plain integers so that every language can map them; use atomic
 * accesses.  Everything is little-endian and of the host's word size of 8.
 */
#ifndef HARTSCOPE_RECORD_PORT_H
#define HARTSCOPE_RECORD_PORT_H

#include <stdint.h>

#include <hartscope/block.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Words of a stream from here on are escapes; below are run numbers. */
#define HS_WORD_ESCAPE 0xf0000000u

/** Kind of an escape, in bits 27:16.  Bits 15:0 are its argument. */
enum hs_escape {
	HS_ESCAPE_EVENT = 0,  /**< 4 words follow: an event (hs_block_pack); argument 0 */
	HS_ESCAPE_PARTIAL = 1, /**< the run before retired only its first @arg half-words, then
	                            an exception; no words follow */
	HS_ESCAPE_RESUME = 2,  /**< the next run is where the latest signal came; no words follow */
	HS_ESCAPE_TRAP = 3,    /**< whole systems: a trap, HS_TRAP_WORDS follow.  @arg: itype (1, 2)
	                            in bits 3:0, the mode it came from in bits 6:4 */
	HS_ESCAPE_CUT = 4      /**< the run before retired only its first @arg half-words, and the next
	                            run goes on behind them; no words follow */
};

/** Words of HS_ESCAPE_TRAP: epc and xtval (low, high each), cause without its top bit, and the
 * half-words of the run before that retired; HS_TRAP_ALL: all, and epc is where it led. */
#define HS_TRAP_WORDS 6u
#define HS_TRAP_ALL UINT32_MAX

#define HS_WORD(kind, arg) (HS_WORD_ESCAPE | (uint32_t)(kind) << 16 | (uint32_t)(arg))

/** Records of the log, in the low byte of their first word.  Each is 8 bytes of head
 * (type, bytes of payload) and its payload, zero-padded to a multiple of 8. */
enum hs_log_type {
	HS_LOG_START = 1,   /**< struct hs_log_start; the first record */
	HS_LOG_RUN = 2,     /**< struct hs_log_run and its code: the next run number */
	HS_LOG_BLOCK = 3,   /**< 4 words (hs_block_pack): the next run number is this block */
	HS_LOG_MAP = 4,     /**< struct hs_log_map and the path */
	HS_LOG_CODE = 5,    /**< u64 address and bytes: code that no run has */
	HS_LOG_CHANGED = 6, /**< u64 address, u64 bytes: code changed there */
	HS_LOG_RESUME = 7   /**< struct hs_log_resume */
};

struct hs_log_head {
	uint32_t type; /**< enum hs_log_type */
	uint32_t size; /**< bytes of payload without padding, at most HS_LOG_MAX */
};

#define HS_LOG_MAX (1u << 20)
#define HS_LOG_MAGIC 0x31474f4c54524148ull /**< "HARTLOG1" */

struct hs_log_start {
	uint64_t magic;
	uint32_t xlen;
	uint32_t flags; /**< bit 0: Zcmp and Zcmt; bit 1: PULP branches */
	uint64_t jvt;   /**< struct hs_image */
};

struct hs_log_run {
	uint64_t start; /**< address */
	uint32_t insns; /**< bits 23:0: instructions; bits 26:24: enum hs_priv they ran with */
	uint32_t bytes; /**< bytes of code that follow */
};

struct hs_log_map {
	uint64_t start, size, offset; /**< struct hs_rec_map */
};

/** A signal handler returned.  Tells the outcome of the jump or branch before the signal. */
struct hs_log_resume {
	uint32_t hart;   /**< number of the hart */
	uint32_t signal; /**< which HS_NOTE_SIGNAL of that hart, from 0 */
	uint64_t to;     /**< the address it interrupted */
};

#define HS_PORT_MAGIC 0x54524f50u
#define HS_PORT_VERSION 1u

#define HS_RUN_INSNS 0xffffffu
#define HS_RUN_PRIV(insns) ((insns) >> 24 & 7u)

/** Size of a ring: chunks are published one by one. */
#define HS_PORT_CHUNK_WORDS (1u << 17)
#define HS_PORT_CHUNKS 4u
#define HS_PORT_WORDS_AT 4096u /**< where the words begin in a hart's mapping */
#define HS_PORT_HART_SIZE (HS_PORT_WORDS_AT + 4ull * HS_PORT_CHUNK_WORDS * HS_PORT_CHUNKS)

/** A hart's mapping begins with this. */
struct hs_port_hart {
	uint64_t cursor;    /**< producer: address of the next word, in its own address space */
	uint64_t chunk_end; /**< producer: where the chunk it writes ends */
	uint64_t base;      /**< producer: address of the first word of the ring */
	uint32_t progress;  /**< producer, exact faults: 1 + half-words of the run it is in that
	                         have retired if the next instruction that can fault does; 0: all */
	uint32_t in_syscall; /**< producer: the last run ended with a system call */
	uint32_t ended;      /**< producer: the hart's thread has ended */
	uint32_t last;       /**< producer, exact faults: half-words before the run's last instruction */
	uint64_t end;        /**< producer, exact faults: address after the run */
	uint32_t pad0[4];
	uint32_t published; /**< producer: chunks completed; futex of the consumer */
	uint32_t full;      /**< producer waits for room */
	uint32_t pad1[14];
	uint32_t consumed;  /**< consumer: chunks read; futex of the producer */
	uint32_t hungry;    /**< consumer waits for a chunk */
};

#define HS_PORT_LOG_SIZE (4u << 20)
#define HS_PORT_LOG_AT 4096u
#define HS_PORT_PROCESS_SIZE (HS_PORT_LOG_AT + HS_PORT_LOG_SIZE)

/** How a process ended, as far as its plugin saw. */
enum hs_port_end { HS_PORT_RUNS = 0, HS_PORT_EXIT = 1, HS_PORT_EXEC = 2 };

/** A process's mapping begins with this; then comes the log, a byte ring. */
struct hs_port_process {
	uint64_t head;     /**< producer: bytes of log ever written */
	uint64_t tail;     /**< consumer: bytes of log ever read */
	uint32_t forks;    /**< producer: forks that succeeded */
	uint32_t lost;     /**< producer: harts or code that could not be recorded */
	uint32_t end;      /**< producer: enum hs_port_end */
	int32_t end_code;  /**< producer: status of HS_PORT_EXIT */
	char exec_path[1024]; /**< producer: what HS_PORT_EXEC executes */
};

/** What travels over the socket, with one file descriptor: the mapping. */
struct hs_port_message {
	uint32_t magic, version;
	uint32_t type;          /**< 0: a process, 1: a hart of it */
	uint32_t number;        /**< process: number of the child, 0 the first; hart: its number */
	uint64_t token;         /**< names the process */
	uint64_t parent;        /**< process: the token of the one that forked it */
	uint64_t log_bytes;     /**< process: it begins with this much of its parent's log */
};

/** An event or block as 4 words. */
static inline void hs_block_pack(const struct hs_block *b, uint32_t w[4])
{
	w[0] = (uint32_t)b->value;
	w[1] = (uint32_t)(b->value >> 32);
	w[2] = b->arg;
	w[3] = b->ilast | (uint32_t)b->itype << 8 | (uint32_t)b->priv << 16 |
	       (uint32_t)b->sijump << 19 | (uint32_t)b->kind << 24;
}

/** The reverse of hs_block_pack(). */
static inline void hs_block_unpack(const uint32_t w[4], struct hs_block *b)
{
	b->value = w[0] | (uint64_t)w[1] << 32;
	b->arg = w[2];
	b->ilast = (uint8_t)w[3];
	b->itype = (uint8_t)(w[3] >> 8);
	b->priv = (w[3] >> 16) & 7u;
	b->sijump = (w[3] >> 19) & 1u;
	b->kind = (uint8_t)(w[3] >> 24);
}

#ifdef __cplusplus
}
#endif
#endif
