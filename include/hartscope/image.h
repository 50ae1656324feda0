/* Code: what an instruction does to the PC, which bytes are at an address, and the table of basic
 * blocks that encoders and decoders look code up in.
 *
 *   const struct hs_image *image = hs_program_image(program);
 *   struct hs_insn insn;
 *
 *   if (hs_img_insn(image, 0x80000000, &insn) == HS_OK && insn.kind == HS_INSN_CALL)
 *           ...
 */
#ifndef HARTSCOPE_IMAGE_H
#define HARTSCOPE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- instructions -------------------------------------------------------------------
 *
 * What one instruction does to the PC.
 *
 * RV32 and RV64, with C, Zcmp and Zcmt.  "NT" is RISC-V N-Trace 1.0.0-rc7; where the
 * ratified 1.0 names more itype values, both are given.  Every instruction that is not
 * named in Table 2 is linear and has the length that its first half-word states, 48-bit
 * and longer formats included.
 *
 * Nothing here has state: calls may run on several threads at once.
 */

/** Most bytes of one instruction (ISA manual, "Expanded Instruction-Length Encoding"). */
#define HS_INSN_MAX 24

/** What an instruction does to the PC. */
enum hs_insn_kind {
	HS_INSN_LINEAR = 0, /**< the next address follows */
	HS_INSN_BRANCH,     /**< conditional, direct */
	HS_INSN_JUMP,       /**< direct, no link register written (jal with rd not x1, x5; c.j) */
	HS_INSN_CALL,       /**< direct, rd is x1 or x5 (jal, c.jal) */
	HS_INSN_JUMP_IND,   /**< indirect, neither rd nor rs1 a link register */
	HS_INSN_CALL_IND,   /**< indirect, rd a link register (8 of Table 2) */
	HS_INSN_SWAP,       /**< co-routine swap (12) */
	HS_INSN_RETURN,     /**< return (13), cm.popret and cm.popretz too */
	HS_INSN_TABLE_JUMP, /**< cm.jt: target in the jump vector table, entry @index */
	HS_INSN_TABLE_CALL, /**< cm.jalt: the same, and x1 is written */
	HS_INSN_XRET,       /**< mret, sret, uret, mnret, dret */
	HS_INSN_ECALL,      /**< ecall */
	HS_INSN_EBREAK,     /**< ebreak, c.ebreak */
	HS_INSN_CUSTOM      /**< custom, may change the PC: linear, or indirect jump (NT 10.1) */
};

/** Registers' link role is x1 or x5 (NT 2). */
static inline bool hs_is_link(unsigned reg)
{
	return reg == 1 || reg == 5;
}

/** A custom instruction that may change the PC: (first 32 bits & mask) == match. */
struct hs_custom {
	uint32_t mask, match;
};

/** Which encodings a hart has.  Zero is RV64 with C and D, without Zcmp and Zcmt. */
struct hs_isa {
	uint8_t xlen;   /**< 32 or 64; 0 is 64 */
	bool zcmp_zcmt; /**< Zcmp and Zcmt take the place of c.fsdsp (they exclude C with D) */
	bool pulp;      /**< opcode 0x63 with funct3 2 and 3 are branches (p.beqimm, p.bneimm) */
	uint8_t custom_count;
	const struct hs_custom *custom; /**< custom_count of them; they come before all others */
};

/** One instruction, as far as tracing cares. */
struct hs_insn {
	uint64_t target; /**< BRANCH, JUMP, CALL: where to.  Others: 0 */
	uint64_t value;  /**< auipc, lui, c.lui: what rd then holds.  Others: 0 */
	uint16_t index;  /**< TABLE_JUMP, TABLE_CALL: entry number, 0..255 */
	uint8_t hwords;  /**< length in half-words, 1..HS_INSN_MAX/2 */
	uint8_t kind;    /**< enum hs_insn_kind */
	uint8_t rd;      /**< register written; meaningful for jumps and where @constant */
	uint8_t rs1;     /**< indirect jumps: the register with the target */
	int16_t offset;  /**< indirect jumps: what is added to rs1 (jalr: imm12; else 0) */
	bool constant;   /**< auipc, lui or c.lui: rd holds @value afterwards (NT 9.1) */
	bool nolink;     /**< jump with rd = x0 (itype 10 and 11 of the ratified text) */
};

/**
 * Length of an instruction from its first half-word.
 *
 * @param first  The half-word at the lower address.
 * @return  Half-words: 1, 2, 3, 4, 5..12; the reserved encodings of 192 bits and more
 *          count as 12 (HS_INSN_MAX / 2).  The all-zero half-word is 1.
 */
HS_STATIC unsigned hs_isa_hwords(uint16_t first);

/**
 * Classify one instruction.
 *
 * @param isa    Which encodings exist.
 * @param pc     Its address; targets wrap at XLEN bits.
 * @param bytes  Its bytes, little-endian.
 * @param n      How many bytes may be read.
 * @param[out] insn  Written only with HS_OK.
 *
 * @retval HS_OK    *insn is complete.
 * @retval HS_MORE  n is less than the instruction's length.
 */
HS_STATIC enum hs_status hs_isa_decode(const struct hs_isa *isa, uint64_t pc, const uint8_t *bytes,
                                       size_t n, struct hs_insn *insn);

/**
 * Sequentially inferable jump (NT 9.1): does @first give the target of @jump?
 *
 * True when @first is auipc, lui or c.lui, writes the register that @jump (jalr, c.jr,
 * c.jalr) jumps through, and @jump follows it directly.
 *
 * @param xlen  32 or 64: the target wraps there.
 * @param[out] target  The address jumped to, bit 0 cleared; written only when true.
 */
HS_STATIC bool hs_isa_sequential(const struct hs_insn *first, const struct hs_insn *jump,
                                 unsigned xlen, uint64_t *target);

/** 4-bit itype of a kind (NT Table 2, rc7; cm.jt is 11 as in the ratified text, where rc7 has
 * 0, which would say that the next address follows).  @taken matters for BRANCH and CUSTOM only. */
HS_STATIC enum hs_itype hs_isa_itype4(unsigned kind, bool taken);

/** 3-bit itype of a kind (NT Table 2, "without Implicit Return Optimization"). */
HS_STATIC enum hs_itype hs_isa_itype3(unsigned kind, bool taken);

/** Name of a kind, such as "branch". */
HS_STATIC const char *hs_insn_kind_name(unsigned kind);

/* ---- images and tables of basic blocks ----------------------------------------------
 *
 * Address spaces: which bytes are at an address, and which basic blocks they form.
 *
 * An image is a sorted list of sections that the caller owns.  On top of it a table of
 * basic blocks is built lazily, in memory that the caller gives.  Both decoders walk
 * that table: cost per block, not per instruction.
 *
 * An image may be read on several threads at once.  A table changes while it is read (hs_bb_at()):
 * it belongs to one thread at a time.
 */

/** A run of bytes at consecutive addresses.  The caller keeps @bytes. */
struct hs_section {
	uint64_t start; /**< address of bytes[0] */
	uint64_t size;  /**< bytes, at least 1; start + size does not pass 2^64 */
	const uint8_t *bytes;
};

/** The code that a number of HS_KIND_VERSION means.
 * @retval HS_OK
 * @retval HS_E_ARG  There is no such number. */
typedef enum hs_status (*hs_version_fn)(void *of, uint32_t number, struct hs_section *code);

/** One address space. */
struct hs_image {
	const struct hs_section *sections; /**< sorted by start, none overlaps the next */
	size_t count;
	struct hs_isa isa;
	uint64_t jvt; /**< base of the jump vector table (Zcmt), 0 when there is none */
};

/** Several address spaces, selected by context (Ownership, NT 7.1). */
struct hs_image_set {
	const struct hs_image *images;
	const uint64_t *contexts; /**< contexts[i] belongs to images[i] */
	size_t count;
	bool others_run_first; /**< as in struct hs_decoder_options */
};

/** The image of a context; the first one when no context matches; NULL when empty. */
HS_STATIC const struct hs_image *hs_img_select(const struct hs_image_set *set, uint64_t context);

/**
 * Check that an image keeps its rules.
 * @retval HS_OK
 * @retval HS_E_CONFIG  Sections unsorted, overlapping, empty or past 2^64; XLEN not 32, 64.
 */
HS_STATIC enum hs_status hs_img_check(const struct hs_image *image);

/**
 * Bytes at an address.
 * @param[out] n  How many bytes follow in the same section; 0 when none.
 * @return  Pointer to the byte at @addr, or NULL when the address is not mapped.
 */
HS_API const uint8_t *hs_img_bytes(const struct hs_image *image, uint64_t addr, size_t *n);

/**
 * Classify the instruction at an address; it may cross from one section to the next.
 * @retval HS_OK
 * @retval HS_E_NOCODE  One of its bytes is not mapped.
 */
HS_API enum hs_status hs_img_insn(const struct hs_image *image, uint64_t addr,
                                  struct hs_insn *insn);

/** Is the last instruction of a block, or the next one after it, an ecall or ebreak?  False where
 * the code is not in the image. */
HS_API bool hs_block_at_ecall(const struct hs_image *image, const struct hs_block *block);

/** Most half-words of one table entry. */
#define HS_BB_HWORDS 64

/** A run of instructions with at most one, its last, that can change the PC.  A longer
 * run is a chain of entries of kind HS_INSN_LINEAR.  32 bytes: two to a cache line. */
struct hs_bb {
	uint64_t start;
	uint64_t word;    /**< private: second half of the struct hs_block that ends with this
	                       entry, its branch taken, in an unknown privilege */
	uint32_t edge[2]; /**< BRANCH: entries when it is not taken, and when it is.  JUMP, CALL:
	                       twice the entry at the target.  Others, and until a decoder
	                       asked: HS_BB_UNKNOWN */
	uint32_t next;    /**< other kinds: the entry that follows, or at SIJUMP's and table
	                       jumps' target; HS_BB_UNKNOWN until asked for */
	uint8_t hwords;   /**< 1..HS_BB_HWORDS */
	uint8_t kind;     /**< enum hs_insn_kind of the last instruction */
	uint8_t flags;    /**< HS_BB_BRANCH, HS_BB_SIJUMP, HS_BB_CALL */
	uint8_t ilast;    /**< half-words of the last instruction */
};

/** The last instruction is a branch: it uses a bit of history. */
#define HS_BB_BRANCH 1u

/** The last instruction is a sequentially inferable jump (NT 9.1). */
#define HS_BB_SIJUMP 2u
/** The last instruction is a direct call: the address after it may be returned to. */
#define HS_BB_CALL 4u

/** Basic blocks of one image, found by address or by following edges. */
struct hs_bb_table {
	const struct hs_image *image;
	struct hs_bb *bbs;
	uint64_t *starts; /**< of each entry: bit i: an instruction starts at half-word i */
	uint32_t *hash;   /**< hash_size entries, a power of two */
	uint32_t count, capacity, hash_size;
	uint32_t generation; /**< moves on when a full table starts afresh: indices are void */
	uint32_t version;    /**< moves on with it, and with each hs_bb_change() */
};

/** Bytes of memory that hs_bb_init() needs for @capacity entries. */
HS_STATIC size_t hs_bb_memory(uint32_t capacity);

/**
 * Start an empty table.
 * @param memory    hs_bb_memory(capacity) bytes, aligned for uint64_t; kept until the last use.
 * @param capacity  At least 16, at most 2^28.  When it is full the table starts afresh.
 * @retval HS_OK
 * @retval HS_E_ARG  capacity out of range, or memory NULL or misaligned.
 */
HS_STATIC enum hs_status hs_bb_init(struct hs_bb_table *t, const struct hs_image *image,
                                    void *memory, uint32_t capacity);

/** The bytes under the table changed: it starts afresh, and indices are void. */
HS_STATIC void hs_bb_forget(struct hs_bb_table *t);

/** The @size bytes at @start changed: entries that depend on them are built again, in their places.
 * Other indices stay good; so do those of entries that a walk stands in, as far as what it passed
 * did not change. */
HS_STATIC void hs_bb_change(struct hs_bb_table *t, uint64_t start, uint64_t size);

/** Entry at an address, built on first use.  HS_BB_NOCODE when nothing is mapped there. */
HS_STATIC uint32_t hs_bb_at(struct hs_bb_table *t, uint64_t addr);

/* ---- code guide ----
 * Code that changes while it is traced: a decoder asks a guide which code a source executes.
 *
 * The guide is the caller's.  It knows the moments of changes by the blocks that a source retired;
 * a trace that was made from a recording has them in TRACE.code.  It changes the bytes under a
 * table of basic blocks and calls hs_bb_forget(); the decoder goes on with the new code.
 *
 * Threads: its calls come from the thread of the decoder.
 */

/** No change is known to come. */
#define HS_GUIDE_NEVER UINT64_MAX

/** begin(): the moments of changes are not known in blocks, so that place() is asked. */
#define HS_GUIDE_ADRIFT (UINT64_MAX - 1)

/** Who knows when code changes.  @to is given to each call; @src is the trace source (the hart). */
struct hs_code_guide {
	void *to;
	/**
	 * The first message of a source is about to be followed.
	 * @param[out] table  The basic blocks that this source executes, for it alone.
	 * @return  Blocks that it will retire before its next change; HS_GUIDE_NEVER;
	 *          HS_GUIDE_ADRIFT.
	 */
	uint64_t (*begin)(void *to, uint32_t src, struct hs_bb_table **table);
	/** It retired as many as the last call returned: its code changes.  Returns as begin(),
	 * counted from here; not 0. */
	uint64_t (*reach)(void *to, uint32_t src);
	/** Synchronisation was lost, so that blocks can no longer be counted, or begin() returned
	 * HS_GUIDE_ADRIFT: before each message, which is at byte @offset of the trace.  The code is
	 * that of this moment. */
	void (*place)(void *to, uint32_t src, uint64_t offset);
	/** The code may be none of those that the tables had: where the trace contradicts it,
	 * decoding resumes at the next address, as after code that is not known
	 * (design/code-versions). */
	bool doubts_code;
};

/** Where a source stands, for a guide that tries several versions of the code. */
struct hs_code_place {
	uint64_t offset; /**< byte of the last message that gave its full address; 0: none did */
	uint64_t since;  /**< blocks that were written since a message last gave an address */
	uint64_t open;   /**< address of the first instruction that retired and is in no block yet;
	                      that of the next one, if there is none */
	uint64_t pc;     /**< address after the last instruction that retired */
};

#ifdef __cplusplus
}
#endif
#endif
