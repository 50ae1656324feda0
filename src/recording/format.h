/* The numbers of a recording as they are on disk: words of a stream, records of the log.
 *
 * docs/recording-format.md describes them.  hs_rec_open() and hs_rec_create() (recording.h) read
 * and write recordings; this header is for programs that read or make the files themselves.
 * Everything is little-endian.  The numbers never change.
 *
 * Threads: the functions here keep no state, so they may run on any number of threads.
 */
#ifndef HS_RECORDING_FORMAT_H
#define HS_RECORDING_FORMAT_H

#include <stdint.h>

#include <hartscope/block.h>

/* ---- words of a stream ------------------------------------------------------------- */

/** Words below this are run numbers, the others are escapes. */
#define HS_REC_WORD_ESCAPE 0xf0000000u

/** But in flows, words from this one on, below the escapes, are runs that were foreseen: after a
 * leading one, each bit is a run, the first one on top.  For each run the
 * reader keeps two successors.  0 is the first of the last run's, 1 the second.  A run number that
 * is neither becomes the first, and what was first the second. */
#define HS_REC_WORD_OUTCOMES 0xe0000000u
#define HS_REC_OUTCOMES_FULL 0x08000000u /**< the leading one, where no other bit fits */

/** Only runs with numbers below this have successors, and are successors. */
#define HS_REC_PACKED_RUNS (1u << 20)

/** Where the log has HS_REC_LOG_WIDE_ALL, and in the stream of hart 0 where it has
 * HS_REC_LOG_WIDE, a run with two successors that gets a third one keeps all of them in their
 * order, the first, the second, the third and so on: it is wide.  What follows it takes
 * hs_rec_wide_bits() bits in place of one: which of them it is, the top bit first; they may
 * begin in one word and end in the next.  So many runs are wide at most, the first ones of a
 * stream or since HS_REC_ESCAPE_ANEW. */
#define HS_REC_WIDE_RUNS (1u << 14)
#define HS_REC_WIDE_MOST 256u /**< successors of a wide run; a run number is not kept after that */

/** @param count  Successors of a wide run. */
static inline unsigned hs_rec_wide_bits(uint32_t count)
{
	return count <= 16 ? 4 : 8;
}

/** Kind of an escape, in bits 27:16.  Bits 15:0 are its argument. */
enum hs_rec_escape {
#define REC_ESCAPE(NAME, number, ...) HS_REC_ESCAPE_##NAME = number,
#include "recording/words.def"
};

/** How many words follow each, at most. */
enum hs_rec_escape_words {
#define REC_ESCAPE(NAME, number, words, ...) HS_REC_##NAME##_WORDS = words,
#include "recording/words.def"
	HS_REC_WORDS_MOST = HS_REC_TRAP_WORDS
};

/** An escape word. */
#define HS_REC_WORD(kind, arg) (HS_REC_WORD_ESCAPE | (uint32_t)(kind) << 16 | (uint32_t)(arg))

#define HS_REC_ESCAPE_KIND(word) (((word) & ~HS_REC_WORD_ESCAPE) >> 16)
#define HS_REC_ESCAPE_ARG(word) ((uint32_t)(word)&0xffffu)

/** In place of the half-words of a trap: all of them retired, and epc is where the run led. */
#define HS_REC_TRAP_ALL UINT32_MAX

/** In place of the half-words of a stand: all of them retired, and led to its address. */
#define HS_REC_STAND_ALL 0xffffu

#define HS_REC_ACCESS_SIZE(arg) ((arg) >> 4 & 3u)
#define HS_REC_ACCESS_KNOWN(arg) ((arg) >> 6 & 15u)
#define HS_REC_ACCESS_WIDE 0x400u

/* ---- records of the log -------------------------------------------------------------- */

/** Type of a record.  Each has 8 bytes of head and its payload, zero-padded to a multiple of 8. */
enum hs_rec_log_type {
	HS_REC_LOG_START = 1,   /**< struct hs_rec_log_start; the first record */
	HS_REC_LOG_RUN = 2,     /**< struct hs_rec_log_run and its code: the next run number */
	HS_REC_LOG_BLOCK = 3,   /**< 4 words (hs_rec_block_pack()), a block: the next run number */
	HS_REC_LOG_MAP = 4,     /**< struct hs_rec_log_map and the path */
	HS_REC_LOG_CODE = 5,    /**< address (8 bytes) and bytes: code that no run has */
	HS_REC_LOG_CHANGED = 6, /**< address, number of bytes (8 bytes each): code changed there */
	HS_REC_LOG_RESUME = 7,  /**< struct hs_rec_log_resume */
	HS_REC_LOG_VERSION = 8, /**< of a flow: address (8 bytes), bytes: code from a
	                             HS_KIND_VERSION on.  Takes the next number for its arg */
	HS_REC_LOG_MOVED = 9    /**< struct hs_rec_log_moved: takes the next number, from 0, for
	                             HS_REC_ESCAPE_MOVED */
};

struct hs_rec_log_head {
	uint32_t type; /**< enum hs_rec_log_type */
	uint32_t size; /**< bytes of payload without padding, at most HS_REC_LOG_MAX */
};

#define HS_REC_LOG_MAX (1u << 20)
#define HS_REC_LOG_MAGIC 0x31474f4c54524148ull /**< "HARTLOG1" */

struct hs_rec_log_start {
	uint64_t magic; /**< HS_REC_LOG_MAGIC */
	uint32_t xlen;  /**< 32 or 64 */
	uint32_t flags; /**< bit 0: Zcmp and Zcmt; bit 1: PULP branches; HS_REC_LOG_WIDE: runs of
	                     hart 0 may be wide; HS_REC_LOG_WIDE_ALL: those of each hart */
	uint64_t jvt;   /**< jump vector table, as in struct hs_image */
};

#define HS_REC_LOG_WIDE 8u      /**< bit 3 of hs_rec_log_start.flags */
#define HS_REC_LOG_WIDE_ALL 16u /**< bit 4; with bit 3 */

struct hs_rec_log_run {
	uint64_t start; /**< address */
	uint32_t insns; /**< bits 23:0: instructions; bits 26:24: enum hs_priv they ran with */
	uint32_t bytes; /**< bytes of code that follow */
};

/** Parts of hs_rec_log_run.insns. */
#define HS_REC_RUN_INSNS 0xffffffu
#define HS_REC_RUN_PRIV(insns) ((insns) >> 24 & 7u)

/** Does a run end with a call of the host: slli x0, x0, 0x1f; ebreak (RISC-V semihosting 1.0)?  The
 * emulator answers it and continues after it, so that this ebreak retires.  Where the ebreak traps,
 * the trap is in the recording, with what retired before it. */
static inline bool hs_rec_run_calls_host(const uint8_t *code, uint32_t bytes)
{
	static const uint8_t call[] = { 0x13, 0x10, 0xf0, 0x01, 0x73, 0x00, 0x10, 0x00 };
	bool same = bytes >= sizeof(call);

	for (uint32_t i = 0; i < sizeof(call) && same; i++)
		same = code[bytes - sizeof(call) + i] == call[i];
	return same;
}

/** How many instructions retire when all of a run executes: a breakpoint at its end does not.
 * @param insns  As in struct hs_rec_log_run.
 * @param code, bytes  Its code. */
static inline uint32_t hs_rec_run_retires(uint32_t insns, const uint8_t *code, uint32_t bytes)
{
	const uint8_t *end = code + bytes;
	const bool wide =
		bytes >= 4 && end[-4] == 0x73 && end[-3] == 0 && end[-2] == 0x10 && end[-1] == 0;
	const bool narrow = bytes >= 2 && end[-2] == 0x02 && end[-1] == 0x90;

	return (insns & HS_REC_RUN_INSNS) -
	       ((wide || narrow) && !hs_rec_run_calls_host(code, bytes) ? 1u : 0u);
}

/** The runs that start in a page are at another address, too, or in their place again. */
struct hs_rec_log_moved {
	uint64_t page; /**< address as their records have it, a multiple of HS_REC_PAGE */
	uint64_t to;   /**< where it is, the same */
};

#define HS_REC_PAGE 4096u

struct hs_rec_log_map {
	uint64_t start, size, offset; /**< as in struct hs_rec_map */
};

/** A signal handler returned.  The address gives the outcome of the jump or branch before it. */
struct hs_rec_log_resume {
	uint32_t hart;   /**< number of the hart */
	uint32_t signal; /**< which HS_NOTE_SIGNAL of that hart, from 0 */
	uint64_t to;     /**< the address it had interrupted */
};

/* ---- blocks ------------------------------------------------------------------------ */

/** An event or block as 4 words. */
static inline void hs_rec_block_pack(const struct hs_block *b, uint32_t w[4])
{
	w[0] = (uint32_t)b->value;
	w[1] = (uint32_t)(b->value >> 32);
	w[2] = b->arg;
	w[3] = b->ilast | (uint32_t)b->itype << 8 | (uint32_t)b->priv << 16 |
	       (uint32_t)b->sijump << 19 | (uint32_t)b->kind << 24;
}

/** The reverse of hs_rec_block_pack(). */
static inline void hs_rec_block_unpack(const uint32_t w[4], struct hs_block *b)
{
	b->value = w[0] | (uint64_t)w[1] << 32;
	b->arg = w[2];
	b->ilast = (uint8_t)w[3];
	b->itype = (uint8_t)(w[3] >> 8);
	b->priv = (w[3] >> 16) & 7u;
	b->sijump = (w[3] >> 19) & 1u;
	b->reserved = 0;
	b->kind = (uint8_t)(w[3] >> 24);
}

/* ---- accesses ---------------------------------------------------------------------- */

/** Words after an escape of an access: of the address, then data, then operand, where known has
 * them; numbers of more than 32 bits have two. */
static inline unsigned hs_rec_access_words(uint32_t escape)
{
	const unsigned known = HS_REC_ACCESS_KNOWN(escape);
	const unsigned each = HS_REC_ACCESS_SIZE(escape) == 3 ? 2 : 1;

	return (known & HS_ACCESS_HAS_ADDRESS ? escape & HS_REC_ACCESS_WIDE ? 2u : 1u : 0u) +
	       (known & HS_ACCESS_HAS_DATA ? each : 0u) +
	       (known & HS_ACCESS_HAS_OPERAND ? each : 0u);
}

/** How many words follow an escape.  One without a row has none. */
static inline unsigned hs_rec_words_after(uint32_t escape)
{
	static const uint8_t words_of[] = {
#define REC_ESCAPE(NAME, number, words, ...) [number] = words,
#include "recording/words.def"
	};
	const uint32_t kind = HS_REC_ESCAPE_KIND(escape);

	if (kind == HS_REC_ESCAPE_ACCESS)
		return hs_rec_access_words(escape);
	return kind < sizeof(words_of) ? words_of[kind] : 0;
}

/** An access, whole and without a number, as its escape and words.  @return  How many words, with
 * the escape. */
static inline unsigned hs_rec_access_pack(const struct hs_access *a,
                                          uint32_t w[1 + HS_REC_ACCESS_WORDS])
{
	const uint64_t values[] = { a->address, a->data, a->operand };
	const bool wide[] = { a->address >> 32 != 0, a->size == 3, a->size == 3 };
	unsigned n = 1;

	w[0] = HS_REC_WORD(HS_REC_ESCAPE_ACCESS, a->type | (uint32_t)a->size << 4 |
	                                                 (uint32_t)a->known << 6 |
	                                                 (wide[0] ? HS_REC_ACCESS_WIDE : 0u));
	for (unsigned i = 0; i < 3; i++) {
		if (!(a->known >> i & 1u))
			continue;
		w[n++] = (uint32_t)values[i];
		if (wide[i])
			w[n++] = (uint32_t)(values[i] >> 32);
	}
	return n;
}

/** The reverse of hs_rec_access_pack(). */
static inline void hs_rec_access_unpack(const uint32_t *w, struct hs_access *a)
{
	const uint32_t escape = *w++;
	const bool large = HS_REC_ACCESS_SIZE(escape) == 3;
	const bool wide[] = { (escape & HS_REC_ACCESS_WIDE) != 0, large, large };
	uint64_t values[3] = { 0, 0, 0 };

	for (unsigned i = 0; i < 3; i++) {
		if (!(HS_REC_ACCESS_KNOWN(escape) >> i & 1u))
			continue;
		values[i] = *w++;
		if (wide[i])
			values[i] |= (uint64_t)*w++ << 32;
	}
	a->address = values[0];
	a->data = values[1];
	a->operand = values[2];
	a->id = 0;
	a->type = (uint8_t)(escape & 15u);
	a->size = (uint8_t)HS_REC_ACCESS_SIZE(escape);
	a->phase = 0;
	a->known = (uint8_t)HS_REC_ACCESS_KNOWN(escape);
}

#endif
