/* Making retired blocks (a builder that takes one retired instruction at a time), giving them times
 * (a clock), and choosing which of them are traced (a qualifier).
 *
 * Everything here lives in memory of the caller and allocates nothing.  Blocks come out canonical
 * (block.h).  One builder belongs to one thread at a time; different ones may be used on different
 * threads at once.
 */
#ifndef HARTSCOPE_INGRESS_H
#define HARTSCOPE_INGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where blocks go: an array of the caller.  at[0..n-1] are filled. */
struct hs_blocks {
	struct hs_block *at;
	size_t cap; /**< entries at @at */
	size_t n;   /**< entries in use; functions append */
};

/** One retired instruction. */
struct hs_retired {
	uint64_t iaddr;      /**< its address, bit 0 is 0 */
	struct hs_insn insn; /**< what it does; with @known false only hwords is read */
	bool known;          /**< false: @itype is all that is known */
	uint8_t itype;       /**< enum hs_itype as the source says, 3 or 4 bits, without 1, 2 and 7.
	                          With @known: a hint, HS_ITYPE_NOT_TAKEN or HS_ITYPE_TAKEN for
	                          the last branch of the trace, else HS_ITYPE_NONE */
	uint8_t priv;        /**< enum hs_priv */
	bool sijump;         /**< the source says: sequentially inferable (NT 9.1) */
};

/** A trap that was taken. */
struct hs_trap {
	uint64_t epc;   /**< address of the instruction that did not retire, or of the ecall,
	                     ebreak that caused it and was given as retired */
	uint64_t tval;  /**< trap value */
	uint32_t cause; /**< exception or interrupt code, without the interrupt bit */
	bool interrupt;
	bool no_epc;    /**< @epc is not known: the trap came after what retired last */
	bool no_cause;  /**< @cause and @tval are not known: no HS_KIND_TRAP is made */
	uint8_t priv;   /**< enum hs_priv before the trap; HS_PRIV_UNKNOWN: that of the open block,
	                     or of the one before where it shows it */
};

/** Free entries that each call of the builder needs. */
#define HS_BUILDER_ROOM 8

/** Events that wait for the open block to end, at most. */
#define HS_BUILDER_HELD 4

/** A builder.  Fill by hs_builder_init() only. */
struct hs_builder {
	uint64_t offset;      /**< the value of HS_KIND_GAP events; the caller may change it */
	/* Private: */
	struct hs_block open; /* the block that is being made, when have is true */
	struct hs_retired last;
	struct hs_block held[HS_BUILDER_HELD];
	uint8_t held_n, xlen, priv;
	bool have;  /* a block is open */
	bool ended; /* its last instruction can change the PC */
};

/**
 * Start a builder.
 * @param xlen  32 or 64 (0 is 64): addresses wrap there.
 */
HS_STATIC void hs_builder_init(struct hs_builder *b, unsigned xlen);

/**
 * Add a retired instruction.
 *
 * A block is complete when the next instruction or trap shows where its last instruction
 * led to, so it comes out one call later.  Where the address is one that no instruction
 * explains, HS_KIND_GAP follows the block, with arg HS_E_BLOCK.  A jump of unknown target
 * and itype 0 (3-bit itype) becomes HS_ITYPE_JUMP_INF.
 *
 * @retval HS_OK
 * @retval HS_FULL    Fewer than HS_BUILDER_ROOM entries are free; nothing was taken.
 * @retval HS_E_ARG   iaddr is odd, hwords is 0 or above HS_INSN_MAX / 2, itype is 1, 2, 7 or
 *                    above 15, or kind is not an enum hs_insn_kind.
 */
HS_STATIC enum hs_status hs_builder_insn(struct hs_builder *b, const struct hs_retired *r,
                                         struct hs_blocks *out);

/**
 * Add a trap: ends the open block, or makes one with iretire 0, and appends HS_KIND_TRAP.
 * @retval HS_OK
 * @retval HS_FULL   Fewer than HS_BUILDER_ROOM entries are free; nothing was taken.
 * @retval HS_E_ARG  epc is odd; or it is not known and no block is open.
 */
HS_STATIC enum hs_status hs_builder_trap(struct hs_builder *b, const struct hs_trap *t,
                                         struct hs_blocks *out);

/**
 * Add an event.  It is reported at once, or after the block that is open; a later
 * HS_KIND_CONTEXT or HS_KIND_TIME then replaces one that still waits.
 * @retval HS_OK
 * @retval HS_FULL     Fewer than HS_BUILDER_ROOM entries are free; nothing was taken.
 * @retval HS_E_SPACE  HS_BUILDER_HELD events wait already.
 */
HS_STATIC enum hs_status hs_builder_event(struct hs_builder *b, const struct hs_block *event,
                                          struct hs_blocks *out);

/**
 * End the open block although nothing in the program ends it, so that an event can stand here.
 * @param next  Where the next instruction is.
 * @retval HS_OK
 * @retval HS_FULL  Fewer than HS_BUILDER_ROOM entries are free; nothing was taken.
 */
HS_STATIC enum hs_status hs_builder_cut(struct hs_builder *b, uint64_t next, struct hs_blocks *out);

/**
 * End: report the open block, as far as it goes, and the events that wait.  A branch whose outcome
 * is not known ends with HS_ITYPE_NONE.  The builder can be used again.
 * @retval HS_OK
 * @retval HS_FULL  Fewer than HS_BUILDER_ROOM entries are free; nothing was taken.
 */
HS_STATIC enum hs_status hs_builder_flush(struct hs_builder *b, struct hs_blocks *out);

/* ---- clock ----
 * A clock for flows that have no time: cycles by a simple model (design/recordings).
 *
 * Recorders of emulators know the order of instructions, not when they retired.  The clock counts
 * each instruction with as many cycles as its kind takes, by default one, and puts the cycle in
 * which the last instruction of a block retires before the block, as HS_KIND_TIME.  A flow that
 * has times of its own keeps them.
 *
 * Threads: a clock belongs to one thread at a time.  Two clocks share nothing but the image.
 */

/** What an instruction is to the clock: rows of ingress.def. */
enum hs_clock_kind {
#define HS_CLOCK_KIND(id, name, what) HS_CLOCK_##id,
#include <hartscope/tables/ingress.def>
#undef HS_CLOCK_KIND
	HS_CLOCK_KINDS
};

/** Cycles by kind.  0 is what HS_CLOCK_INSTRUCTION takes, for that one 1, for HS_CLOCK_TRAP 0. */
struct hs_clock_config {
	uint32_t size;                   /**< sizeof(struct hs_clock_config) */
	uint16_t cycles[HS_CLOCK_KINDS]; /**< by enum hs_clock_kind */
};

/** Name of a kind, such as "load", and what it is; "?" if there is none. */
HS_API const char *hs_clock_kind_name(unsigned kind);

/** Cycles of a block that ran before.  Private. */
struct hs_clock_entry {
	uint64_t iaddr;
	uint32_t key, cycles;
};

#define HS_CLOCK_CACHE 8192 /**< a power of two */

/** The clock of one hart. */
struct hs_clock {
	uint64_t time; /**< the last time that came out */
	/* Private: */
	const struct hs_image *image;
	uint16_t cycles[HS_CLOCK_KINDS];
	bool has_time; /* the flow has times of its own */
	struct hs_clock_entry cache[HS_CLOCK_CACHE];
};

/* ---- which blocks are traced --------------------------------------------------------
 *
 * Which part of an execution is traced: comparators and filters between the ingress port and
 * an encoder of any protocol.
 *
 * Nothing here allocates.  One qualifier belongs to one hart and to one thread at a time; different
 * ones may be used on different threads at once.
 */

/* ---- qualifier config ----
 * What a qualifier lets through: comparators and filters, as members, as text, and by name.
 *
 * The model is that of the trace encoder's filter registers (RISC-V Trace Control Interface 1.0,
 * "TCI", trTeFilter and trTeComp; E-Trace, chapter Filtering; "PT" is chapter 4 of Processor Trace
 * 0.026-DRAFT).  A comparator unit is a pair of comparisons.  A filter matches on up to three
 * units, on privilege, cause and kind of trap, and on user signals.  Several filters are
 * alternatives.
 *
 * Every call works on the memory that it is given, and on nothing else: calls on different memory
 * may run on several threads at once.
 */

#define HS_COMPARATORS 8 /**< trTeComp0 to trTeComp7 */
#define HS_FILTERS 16    /**< trTeFilter0 to trTeFilter15 */

/** trTeCompPInput, trTeCompSInput, and inputs that the registers do not have.  A unit that compares
 * only tval is evaluated when a trap is taken, and its result holds until the return from it, as
 * that of a cause. */
enum hs_comp_input {
	HS_COMP_IADDR = 0,
	HS_COMP_CONTEXT = 1,
	HS_COMP_TVAL = 2,
	HS_COMP_DADDR = 3, /**< the address of a data access: in filters of data alone */
	HS_COMP_TIME = 4,  /**< filter_time_p: the last HS_KIND_TIME; 0 before the first */
	HS_COMP_HART = 5   /**< the hart: of a source of one hart, or by HS_KIND_HART; 0 before */
};

/** trTeCompPFunction, trTeCompSFunction; unsigned comparisons. */
enum hs_comp_function {
	HS_COMP_EQ = 0,
	HS_COMP_NE = 1,
	HS_COMP_LT = 2,
	HS_COMP_LE = 3,
	HS_COMP_GT = 4,
	HS_COMP_GE = 5,
	HS_COMP_SPECIAL = 6, /**< primary: false, and the latch of mode 3 begins set;
	                          secondary: true, and s_match is a mask for the primary */
	HS_COMP_TRUE = 7
};

/** trTeCompMatchMode. */
enum hs_comp_mode {
	HS_COMP_P = 0,    /**< primary */
	HS_COMP_BOTH = 1, /**< primary and secondary */
	HS_COMP_NOT_BOTH = 2,
	HS_COMP_LATCH = 3 /**< from where primary is true to the instruction where secondary is */
};

/** A comparator unit. */
struct hs_comparator {
	uint8_t p_input, s_input;       /**< enum hs_comp_input */
	uint8_t p_function, s_function; /**< enum hs_comp_function */
	uint8_t match_mode;             /**< enum hs_comp_mode */
	/** report where it matches: HS_KIND_SYNC, code 6 (iaddr) */
	bool p_notify, s_notify;
	uint64_t p_match, s_match;
};

/** A filter: it matches where all of its conditions hold.  Those of the instruction hold for its
 * data accesses, too. */
struct hs_filter {
	bool enable;          /**< trTeInstFilters: instructions are traced where it matches */
	bool match_privilege; /**< priv is one of choice_privilege (bit N: priv N) */
	bool match_ecause;    /**< inside a trap whose cause is one of choice_ecause (bit N: cause
	                           N): exceptions, unless match_interrupt asks for interrupts */
	bool single_ecause;   /**< the same for the one cause value_ecause, of any size */
	bool match_user;      /**< user or impdef, where mask_user has ones, is value_user */
	bool match_interrupt; /**< inside an interrupt or an exception, as value_interrupt says */
	bool value_interrupt;
	uint8_t choice_privilege;
	uint64_t choice_ecause;
	uint32_t value_ecause;
	uint8_t user_word; /**< which 64 bits of user: 0 has bits 63:0 */
	uint64_t value_user, mask_user;
	uint8_t comps;         /**< how many of comp must match, 0..3 */
	uint8_t comp[3];       /**< numbers of comparators */
	bool data;             /**< trTeDataFilters: data accesses are traced where it matches */
	bool match_dtype;      /**< the type is one of choice_dtype; only with data */
	bool match_dsize;      /**< the size is one of choice_dsize; only with data */
	uint8_t choice_dsize;  /**< bit N: 2^N bytes */
	uint16_t choice_dtype; /**< bit N: type N (enum hs_access_type) */
};

/** What is traced.  A zeroed struct with its size set traces everything. */
struct hs_qualifier_config {
	uint32_t size; /**< sizeof(struct hs_qualifier_config) */
	bool off;      /**< trace begins switched off: a trigger (HS_NOTE_TRIGGER) switches it on */
	uint8_t filter_ecause; /**< filter_ecause_p (PT Table 3.6), 1 to 15: 2^n nested traps are
	                            counted, then the counter saturates and the filter ends too
	                            early (TCI); 0: all nested traps are counted */
	uint8_t address_bits;  /**< width of iaddr and tval: higher bits of a comparator's value are
	                            ignored (TCI 6.3); 0: 64 */
	uint8_t context_bits;  /**< the same of context (context_width_p); 0: 64 */
	struct hs_comparator comparators[HS_COMPARATORS];
	struct hs_filter filters[HS_FILTERS]; /**< without enable in any, all instructions are
	                                           traced; without data in any, all accesses */
};

/**
 * Read one filter from text, add it, and the comparators it needs, to @config:
 *   iaddr=FIRST-LAST   addresses, both included       latch=FIRST-LAST  from one to the other
 *   context=N          a context                      priv=U,S,M        privileges
 *   ecause=N,N         inside exceptions of a cause   interrupt         inside interrupts
 *   exception          inside exceptions              user=VALUE/MASK   user or impdef signals
 *   time=FIRST-LAST    timestamps                     hart=N            a hart
 *   data               data accesses of what matches  daddr=FIRST-LAST  accesses to addresses
 *   dtype=load,store   accesses of a type             dsize=1,2,4,8     accesses of so many bytes
 * joined by '+' where all must hold; with interrupt, ecause= is that of interrupts.  iaddr,
 * context, tval, time, hart and daddr take =, !=, <, <=, > and >= N, and =FIRST-LAST.  Numbers are
 * decimal, or hexadecimal with 0x.  A filter with one of data, daddr, dtype and dsize chooses data
 * accesses, the others instructions.  The types are names of accesses as one word: load,
 * store, csrrw, csrrs, csrrc, swap, add, and, or, xor, max, min, sc (which failed), cas (which
 * failed), mload and mstore (one of several of an instruction).
 * @retval HS_OK
 * @retval HS_E_FORMAT  The text is not one of these.
 * @retval HS_E_SPACE   No filter or comparator is left.
 * @retval HS_E_CONFIG  The size of @config is wrong, or too small for what is set, or bytes past
 *                      the struct are not zero.
 */
HS_API enum hs_status hs_qualifier_parse(struct hs_qualifier_config *config, const char *text);

/* ---- set-up commands (PT 4), by name ------------------------------------------------- */

/**
 * Read lines of NAME = VALUE.  '#' and ';' begin comments, lines with [SECTIONS] are skipped.
 * @param[in,out] in  The whole text; moved past the line at fault, or to its end.
 * @param[out] line  The number of the line at fault, from 1.
 * @retval HS_OK
 * @retval HS_E_FORMAT  A line is none of these, or above HS_QUALIFIER_LINE characters, or a value
 *                      is wrong; lines before it were set.
 * @retval HS_E_ARG     There is no such name.
 * @retval HS_E_CONFIG  The size of @config is wrong, or too small for what is set, or bytes past
 *                      the struct are not zero.
 */
HS_API enum hs_status hs_qualifier_read(struct hs_qualifier_config *config, struct hs_span *in,
                                        unsigned *line);

/** Longest line of hs_qualifier_read(). */
#define HS_QUALIFIER_LINE 200

/** What the filters of a device can do: parameters of PT Table 3.6, discovery of PT 3.1.5.  A
 * zeroed struct with its size set: it has none. */
struct hs_filter_support {
	uint32_t size;                /**< sizeof(struct hs_filter_support) */
	uint8_t comparators, filters; /**< how many there are (the record has one less) */
	uint8_t filter_context, filter_interrupt, filter_privilege, filter_tval; /**< 0 or 1 */
	uint8_t filter_ecause; /**< 0: none, else 2^n nested traps are counted */
	uint8_t ecause_choice; /**< low bits of the cause that multiple choice looks at, 0 to 6 */
	uint16_t user_width;   /**< width of user or impdef */
	uint8_t filter_time;   /**< 0 or 1 */
};

/* Private state of a qualifier.  It stands here because the caller owns the memory; no member may
 * be relied upon. */

#define HS_QUALIFIER_WAITING 192 /* items of accesses that wait */

struct hs_qualifier {
	struct hs_qualifier_config config;
	const struct hs_image *image;
	uint64_t context, tval, time, user[4];
	uint64_t address_mask, context_mask; /* bits of these inputs */
	uint32_t hart;
	struct hs_block held;       /* a trap of which no block is traced, for a traced handler */
	uint32_t depth[HS_FILTERS]; /* by filter: traps that were taken and not yet returned from,
	                               the followed one included; 0: none is followed */
	uint32_t follows;           /* bit: the filter holds from a trap to the return from it */
	uint32_t latches;           /* bit: comparator in mode 3 is set */
	uint32_t unlatch;           /* bit: it is to be cleared after this instruction */
	uint32_t done;              /* half-words of the current block that are done */
	uint8_t filters;            /* 1 when a filter is enabled */
	uint8_t priv;
	bool on;                  /* the trigger unit lets trace through */
	bool tracing;             /* the last instruction was traced */
	bool notify;              /* a watchpoint matched */
	bool trap;                /* the last trap was an interrupt */
	bool synced;              /* HS_KIND_SYNC came since the last instruction */
	bool holding;             /* held waits for the next block */
	bool data;                /* there is a filter of data */
	bool decided;             /* waiting has what is let through */
	bool has_daddr, no_iaddr; /* what is known of the access that is looked at */
	uint64_t daddr, iaddr;    /* its address, and that of its instruction */
	uint16_t waiting_n;       /* items of waiting */
	uint16_t waiting_at;      /* those before were put out */
	uint32_t of_data;         /* bit: comparator looks at daddr */
	struct hs_block waiting[HS_QUALIFIER_WAITING]; /* accesses before their block */
};

/** Entries of output that a call needs at least.  Where there are filters of data, accesses wait in
 * the qualifier for the block of their instruction. */
#define HS_QUALIFIER_ROOM 16

/** Actions of the debug module's triggers (mcontrol action; E-Trace 4.1). */
enum hs_trigger { HS_TRIGGER_ON = 2, HS_TRIGGER_OFF = 3, HS_TRIGGER_NOTIFY = 4 };

#ifdef __cplusplus
}
#endif
#endif
