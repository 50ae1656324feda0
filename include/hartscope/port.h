/* The ingress port as signals: from what a core drives into a trace encoder, cycle by cycle, to
 * retired blocks; and from blocks back to cycles, as stimuli for a test bench.
 *
 * "PT" is Processor Trace 0.026-DRAFT, "ET" Efficient Trace for RISC-V 2.0, "RHTI" RISC-V Hart to
 * Trace Interface 0.9, which replaces the chapter of ET on the port.  The port has two forms.  The
 * instruction form (PT 3.1) has each instruction with its opcode, up to four a cycle, and slots
 * between them may be empty.  The block form (ET Instruction Trace Interface) has groups of
 * instructions and how each group ended.  Every signal is a row of ingress.def.
 *
 * Nothing here allocates or keeps a pointer into its input.  One port, or driver, belongs to one
 * hart and to one thread at a time; different ones may be used on different threads at once.
 */
#ifndef HARTSCOPE_PORT_H
#define HARTSCOPE_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>
#include <hartscope/ingress.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HS_PORT_SLOTS 8  /**< retirements, or blocks, in one cycle (PT Table 3.6, retires_p) */
#define HS_PORT_QUEUE 64 /**< instructions that were fetched and did not retire yet */
#define HS_PORT_ROOM 384 /**< free entries that each cycle needs */

enum hs_port_form { HS_PORT_INSN = 0, HS_PORT_BLOCK = 1 };

/** Signals that a cycle has once for each instruction or block: slot 0 is the oldest. */
struct hs_port_slot {
#define HS_PORT_SLOT(name, ...) uint64_t name;
#define HS_PORT_SHARED(name, ...) uint64_t name; /* block form: slot[0] has it for all */
#define HS_PORT_CYCLE(name, ...)
#define HS_PORT_DATA(name, ...)
#include <hartscope/tables/ingress.def>
#undef HS_PORT_SLOT
#undef HS_PORT_SHARED
#undef HS_PORT_CYCLE
#undef HS_PORT_DATA
};

/** Signals of a data access (RHTI Data Trace Interface): group 0 is the oldest. */
struct hs_port_data {
#define HS_PORT_SLOT(name, ...)
#define HS_PORT_SHARED(name, ...)
#define HS_PORT_CYCLE(name, ...)
#define HS_PORT_DATA(name, ...) uint64_t name;
#include <hartscope/tables/ingress.def>
#undef HS_PORT_SLOT
#undef HS_PORT_SHARED
#undef HS_PORT_CYCLE
#undef HS_PORT_DATA
};

/** One cycle of the port.  All zero: nothing happens. */
struct hs_port_cycle {
	struct hs_port_slot slot[HS_PORT_SLOTS];
#define HS_PORT_SLOT(name, ...)
#define HS_PORT_SHARED(name, ...)
#define HS_PORT_CYCLE(name, ...) uint64_t name;
#define HS_PORT_DATA(name, ...)
#include <hartscope/tables/ingress.def>
#undef HS_PORT_SLOT
#undef HS_PORT_SHARED
#undef HS_PORT_CYCLE
#undef HS_PORT_DATA
	struct hs_port_data data[HS_PORT_SLOTS]; /**< of a port with accesses */
};

/**
 * Widths of the port, and choices where the text leaves one.  A zeroed struct with its size set is
 * the smallest port: RV64, the instruction form, one slot, without fetch stage and optional
 * signals. Ranges are those of PT Table 3.6 and of ET Parameters.
 */
struct hs_port_config {
	uint32_t size;           /**< sizeof(struct hs_port_config) */
	struct hs_isa isa;       /**< instruction form: which opcodes exist; xlen in both */
	uint16_t user_width;     /**< user_width_p, 0 (no signal) to 256 */
	uint8_t form;            /**< enum hs_port_form */
	uint8_t slots;           /**< retires_p of PT, blocks_p of ET: 1 to HS_PORT_SLOTS; 0: 1 */
	uint8_t retires;         /**< block form: retires_p.  1: iretire is 0 or 1 instruction;
	                              any other value, also 0: it counts half-words */
	uint8_t iaddress_width;  /**< iaddress_width_p, 2 to XLEN, PT: XLEN; 0: XLEN */
	uint8_t context_width;   /**< context_width_p, 0 (nocontext_p) to 64; PT: at most 32 */
	uint8_t ecause_width;    /**< ecause_width_p, 1 to 32, PT: to 16; 0: the most */
	uint8_t privilege_width; /**< privilege_width_p, 1 to 4; 0: 3 */
	uint8_t insn_width;      /**< insn_width_p: 32, 64 or 128; 0: 32.  Of 128 bits instr has the
	                              low 64 (design/et-layouts) */
	uint8_t retract_width;   /**< RETRACTLEN, 1 to 6; 0: no fetch stage, instr comes with
	                              iretire */
	uint8_t retract_last;    /**< retract counts what is fetched in its own cycle
				      (design/port) */
	uint8_t compressed;      /**< there is a signal compressed (design/port); insn_width is
				      32 */
	uint8_t machine_is_7;    /**< priv 7 is machine mode, as PULP has it */
	uint8_t ecall_traps;     /**< ecall and ebreak do not retire, as in the ratified texts; 0:
	                              they end their block (design/blocks) */
	uint8_t itype_width;     /**< itype_width_p, 3 or 4; 0: 4 */
	uint8_t iretire_width;   /**< iretire_width_p, 1 to 10; 0: 10 */
	uint8_t ilastsize_width; /**< ilastsize_width_p, 1 or 2; 0: each instruction has 32 bits */
	uint8_t sijump;          /**< sijump_p, 0 or 1 */
	uint8_t time_width;      /**< time_width_p, 0 (notime_p) to 64 */
	uint8_t ctype_width;     /**< ctype_width_p, 1 or 2; 0: context and time are reported where
	                              they change */
	uint8_t impdef_width;    /**< impdef_width_p, 0 (no signal) to 64 */
	uint8_t triggers;        /**< there is a signal action (PT) or trigger (ET) */
	uint8_t sideband;        /**< report user and impdef where they change: a note before the
	                              block, which begins there (filters read it) */
	uint8_t interrupt_iaddr; /**< iaddr is the interrupted address also where ET does not ask
	                              for it: itype 2 with iretire 0 */
	uint8_t no_stall;        /**< the core cannot wait: without room its cycles are lost */
	uint8_t cycle_time;      /**< 1: the time is the number of the cycle, from 0: each cycle in
	                              which something retires begins a block, after a
	                              HS_KIND_TIME; time_width is 0 */
	uint8_t trcstate;        /**< block form: there is a signal trcstate in place of halted
	                              (RHTI Trace State) */
	/* The data interface of the block form (RHTI Data Trace Interface): */
	uint8_t accesses;         /**< data accesses a cycle, 0 (no data interface) to
	                               HS_PORT_SLOTS */
	uint8_t split;            /**< 0: unified, 1: requests and responses apart */
	uint8_t dtype_width;      /**< dtype_width_p, 1 to 4; 0: 4 */
	uint8_t daddress_width;   /**< daddress_width_p, 1 to 64; 0: XLEN */
	uint8_t dsize_width;      /**< dsize_width_p, 1 to 3; 0: 2 */
	uint8_t data_width;       /**< data_width_p, 8 to 128, split to 64; 0: 2 XLEN, split XLEN */
	uint8_t iaddr_lsbs_width; /**< iaddr_lsbs_width_p, 0 (no signal) to 12 */
	uint8_t lrid_width;       /**< split: lrid_width_p, 1 to 8; 0: 8 */
};

/**
 * Check a configuration, and write a number for each zero that stands for one.
 * @param[out] out  Written only with HS_OK.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A value is out of its range; the size is wrong, or bytes past this struct
 *                      are not zero.
 */
HS_STATIC enum hs_status hs_port_config_resolve(const struct hs_port_config *given,
                                                struct hs_port_config *out);

/** Why a cycle was refused. */
struct hs_port_fault {
	const char *clause; /**< such as "PT Table 3.2" */
	const char *why;    /**< one short sentence */
	const char *signal; /**< as in the text, or NULL */
	uint8_t slot;
};

/** The opcode of an instruction that retired. */
struct hs_port_opcode {
	uint64_t iaddr, instr;
	uint8_t hwords; /**< of the instruction: the low ones of instr, if not compressed */
	bool compressed; /**< instr is the 32-bit equal of a 16-bit instruction (design/port) */
};

/**
 * Takes an opcode, before the instruction is reported (hs_port_set_code()).
 * @param of            As given to hs_port_set_code().
 * @param[out] version  The number of the new version, if the code has changed.
 * @return true: the code has changed, and HS_KIND_VERSION is reported.
 */
typedef bool (*hs_port_code_fn)(void *of, const struct hs_port_opcode *opcode, uint32_t *version);

/** A request that has no response yet.  Private. */
struct hs_port_request {
	uint8_t type, size, open;
};

/** State of a port; plain data, which may be copied. */
struct hs_port {
	bool stall; /**< the signal stall (PT Table 3.5): no room for another cycle */
	struct hs_port_fault fault; /**< why the last cycle was refused; why is NULL: it was not */
	struct hs_port_config config; /**< resolved.  Between cycles itype_width may be changed, and
	                                   retires */
	/* Private: */
	const struct hs_image *image;
	hs_port_code_fn code;
	void *code_of;
	struct hs_builder builder;
	uint64_t queue[HS_PORT_QUEUE]; /* fetched opcodes; the oldest is at head */
	uint64_t context, time, user[4];
	uint64_t cycles;               /* taken so far */
	uint32_t head, queued;
	uint8_t down;    /* why nothing retires: 0, or the strongest reason since it was 0 */
	uint8_t pending; /* notes that wait for the next retirement */
	bool running;    /* something retired since the last halt or reset */
	bool waited;     /* nothing retired since a wait was reported */
	bool lost;       /* blocks of a cycle are missing: a gap is to be reported */
	bool repeat;     /* context, time and sideband are reported again after it */
	bool no_cause, no_priv; /* cause, priv of this cycle are not known */
	bool adrift;            /* of the last cycle it was not known whether something retired */
	uint8_t driven;         /* bit: slot that was known to retire something, or nothing */
	uint8_t fetch_unknown;  /* bit: slot of this cycle whose opcode is not known */
	uint64_t queue_unknown; /* bit: entry of queue that is not */
	uint64_t early;         /* where an instruction is that made accesses and did not retire */
	struct hs_port_request request[256]; /* by lrid */
	bool is_early;                       /* there is one */
	uint8_t no_data; /* bit: access of this cycle whose values are not known */
};

/**
 * @param image  The program, kept, or NULL.  The block form uses it where signals say less than
 *               blocks: jumps of a 3-bit itype, and where an interrupt after a taken branch came.
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_port_config_resolve().
 */
HS_STATIC enum hs_status hs_port_init(struct hs_port *p, const struct hs_port_config *config,
                                      const struct hs_image *image);

/**
 * Pass the opcodes of instructions that retired to a function: code of the program, where there is
 * no file of it (an import collects it: record.h).  Only the instruction form has opcodes, and not
 * of instructions that are longer than its bus.
 * @param code  NULL: no more.
 */
HS_STATIC void hs_port_set_code(struct hs_port *p, hs_port_code_fn code, void *of);

/**
 * Take one cycle.
 *
 * Instructions that retired become canonical blocks, one instruction later.  Context, time and
 * traps become events; halt becomes HS_KIND_STOP 0 and then HS_KIND_SYNC 3, reset HS_KIND_STOP 4
 * and HS_KIND_SYNC 1, trcstate 2 HS_KIND_STOP 4 and HS_KIND_SYNC 5, trcstate 3 HS_KIND_STOP 1 and
 * HS_KIND_SYNC 9; triggers and sideband become notes (HS_NOTE_TRIGGER, HS_NOTE_USER).  What retires
 * with trcstate 1 or 2 is ignored: trace is inhibited.  Data accesses become HS_KIND_DATA before
 * the block of their instruction; those of an instruction that makes several may come before it
 * retires.
 *
 * @param out  Where they go.  p->stall is set when fewer than HS_PORT_ROOM entries are left.
 *
 * @retval HS_OK
 * @retval HS_FULL      No room, or more instructions fetched than HS_PORT_QUEUE holds: nothing was
 *                      taken and p->stall is set.  The core repeats the cycle.
 * @retval HS_E_LOST    No room, and config.no_stall is set: the cycle is lost.  HS_KIND_GAP is
 *                      reported as soon as there is room.
 * @retval HS_E_FIELD   A value is wider than its signal, or bits of instr are set that must be 0
 *                      (PT 3.1).  p->fault has the clause.
 * @retval HS_E_BLOCK   The combination of signals is illegal, or says too little.  p->fault has the
 *                      clause.
 * After HS_E_FIELD, HS_E_BLOCK and HS_E_UNKNOWN the cycle was dropped (only its trap, where it is
 * the trap that says too little), HS_KIND_GAP was reported with the number of the cycle, from 0,
 * and a caller may continue.
 */
HS_STATIC enum hs_status hs_port_clock(struct hs_port *p, const struct hs_port_cycle *cycle,
                                       struct hs_blocks *out);

/**
 * End: report the open block.
 * @retval HS_OK
 * @retval HS_FULL  Fewer than HS_PORT_ROOM entries are free.
 */
HS_STATIC enum hs_status hs_port_flush(struct hs_port *p, struct hs_blocks *out);

/* ---- signals by name, and rows of text --------------------------------------------- */

/** Number of a signal, in the order of ingress.def: HS_PORT_SIGNAL_iaddr and so on. */
enum hs_port_number {
#define HS_PORT_SLOT(name, ...) HS_PORT_SIGNAL_##name,
#define HS_PORT_SHARED(name, ...) HS_PORT_SIGNAL_##name,
#define HS_PORT_CYCLE(name, ...) HS_PORT_SIGNAL_##name,
#define HS_PORT_DATA(name, ...) HS_PORT_SIGNAL_##name,
#include <hartscope/tables/ingress.def>
#undef HS_PORT_SLOT
#undef HS_PORT_SHARED
#undef HS_PORT_CYCLE
#undef HS_PORT_DATA
	HS_PORT_SIGNALS /**< how many there are */
};

/** A signal. */
struct hs_port_signal {
	const char *name, *width, *clause, *text;
	uint16_t offset; /**< in struct hs_port_slot, struct hs_port_cycle or struct hs_port_data */
	uint8_t base;    /**< of its numbers in text */
	uint8_t once;    /**< forms (bit: enum hs_port_form) that have it once a cycle */
	bool in_cycle;   /**< it is a member of struct hs_port_cycle; else slot[0] has it */
	bool in_data;    /**< it is a member of struct hs_port_data */
};

/** A signal by its number (enum hs_port_number); NULL from HS_PORT_SIGNALS on. */
HS_STATIC const struct hs_port_signal *hs_port_get_signal(unsigned number);
/** Set it; nothing happens when there is no such signal or slot. */
HS_STATIC void hs_port_set(struct hs_port_cycle *cycle, unsigned number, unsigned slot,
                           uint64_t value);

/** Room for any row of text. */
#define HS_PORT_LINE 6144

/** Columns of a table of port signals, at most. */
#define HS_PORT_COLUMNS 272

/* ---- blocks to cycles ---------------------------------------------------------------- */

/** Accesses that wait for the block of their instruction, at most. */
#define HS_PORT_WAITING 256

/** Drives a port from blocks; plain data. */
struct hs_port_driver {
	/* These may be changed between cycles: */
	bool early; /**< some accesses of an instruction that makes several come before it */
	/** a trap comes with the instruction before it, where the port allows it */
	bool same_cycle;
	uint8_t most;    /**< block form: instructions in a block, at most; 0: as iretire holds */
	/** instruction form: bit N: slot N may be used in the next cycle; 0: all */
	uint8_t lanes;
	/* Private: */
	struct hs_port_config config;
	const struct hs_image *image;
	uint64_t context, time;
	uint32_t done;   /* half-words of the current block that are done */
	uint8_t ctype;
	uint8_t lrid; /* of the next request */
	uint16_t waiting_n;
	struct hs_access_reader reader;
	struct hs_access waiting[HS_PORT_WAITING];
};

#ifdef __cplusplus
}
#endif
#endif
