/* Trace control: the registers of the RISC-V Trace Control Interface as a model.
 *
 * "TCI n" is a chapter of RISC-V Trace Control Interface 1.0, counted from its introduction; "NT n"
 * is a clause of N-Trace.  Register and field names are the specification's.
 *
 * Three layers; each can be used without those after it:
 * - the table of registers and fields (registers.def): names, places, legal values;
 * - struct hs_tc, the registers of one encoder with its timestamp unit, funnel, RAM sink, pin
 *   interface and ATB bridge: what a driver reads and writes;
 * - struct hs_tc_device, which joins them with an N-Trace encoder: blocks in, trace in the RAM
 *   sink.
 * The other way round, registers read from a real device (struct hs_tc_regs) configure a decoder.
 *
 * Nothing here allocates.  All state is plain data in the caller's memory: copying a struct saves
 * it, copying it back restores it (the trace memory is the caller's, and not part of it).
 *
 * The table is constant, and calls that only read it may run on several threads at once.  A model,
 * a device, a dump or a set of values belongs to one thread at a time; they share nothing.
 */
#ifndef HARTSCOPE_CONTROL_H
#define HARTSCOPE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/etrace.h>
#include <hartscope/ingress.h>
#include <hartscope/ntrace.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the table ------------------------------------------------------------------ */

/** Components with registers of their own, each in a range of 4 KiB (TCI 4.1). */
enum hs_tc_component {
	HS_TC_ENCODER, /**< trTe, and trTs of the encoder */
	HS_TC_FUNNEL,  /**< trFunnel, and trTs of the funnel */
	HS_TC_RAM,     /**< trRam */
	HS_TC_PIB,     /**< trPib */
	HS_TC_ATB,     /**< trAtbBridge */
	HS_TC_COMPONENTS,
	HS_TC_TS = HS_TC_COMPONENTS /**< in the table: in encoder and funnel alike */
};

/** Numbers of the rows of registers.def: HS_TCR_x registers, HS_TCF_x fields. */
enum hs_tc_register {
#define HS_TR_REG(unit, id, ...) HS_TCR_##id,
#define HS_TR_FIELD(...)
#include <hartscope/tables/registers.def>
#undef HS_TR_REG
#undef HS_TR_FIELD
	HS_TCR_COUNT
};

enum hs_tc_field {
#define HS_TR_REG(...)
#define HS_TR_FIELD(reg, id, ...) HS_TCF_##id,
#include <hartscope/tables/registers.def>
#undef HS_TR_REG
#undef HS_TR_FIELD
	HS_TCF_COUNT
};

enum hs_tc_access { HS_TC_RW, HS_TC_RO, HS_TC_WARL, HS_TC_RW1C, HS_TC_W1, HS_TC_R };
enum hs_tc_when { HS_TC_ANY, HS_TC_IDLE };
enum hs_tc_rule { HS_TC_SET, HS_TC_BITS };
enum hs_tc_reset { HS_TC_RESET_R, HS_TC_RESET_U, HS_TC_RESET_S };

/** A row HS_TR_REG of registers.def. */
struct hs_tc_reg_row {
	uint8_t unit;    /**< enum hs_tc_component, or HS_TC_TS */
	uint8_t count;   /**< instances, 0x20 bytes apart */
	uint16_t offset; /**< of the first one, in bytes */
	const char *name, *clause, *text;
};

/** A row HS_TR_FIELD of registers.def. */
struct hs_tc_field_row {
	uint16_t reg;   /**< enum hs_tc_register */
	uint8_t msb, lsb;
	uint8_t access; /**< enum hs_tc_access */
	uint8_t when;   /**< enum hs_tc_when */
	uint8_t rule;   /**< enum hs_tc_rule */
	uint8_t reset;  /**< enum hs_tc_reset */
	uint32_t legal, value;
	const char *name, *values, *text;
};

/** Rows by number; NULL from HS_TCR_COUNT and HS_TCF_COUNT on. */
HS_API const struct hs_tc_reg_row *hs_tc_reg_at(unsigned reg);
HS_API const struct hs_tc_field_row *hs_tc_field_at(unsigned field);

/** Words of all registers of all components, one after the other. */
#define HS_TC_WORDS 489

/** A register of a component. */
struct hs_tc_place {
	uint16_t reg;       /**< enum hs_tc_register */
	uint8_t component;  /**< enum hs_tc_component */
	uint8_t instance;
	uint16_t offset;    /**< bytes from the component's base */
	uint16_t word;      /**< index into struct hs_tc_regs */
};

/**
 * Which register is at an offset?
 * @retval true   *place is set.
 * @retval false  None: reserved, not a multiple of 4, or no such component.
 */
HS_API bool hs_tc_at(unsigned component, uint32_t offset, struct hs_tc_place *place);

/** The first (@word 0) or next register at or after a word; false when there is none. */
HS_API bool hs_tc_next(unsigned word, struct hs_tc_place *place);

/** Name of a register with its instance, such as "trTeFilter3Control", into @text.
 * @return  @text; cut when @size is too small, empty when it is 0 or place->reg is no row. */
HS_API const char *hs_tc_name(const struct hs_tc_place *place, char *text, size_t size);

/** Word for a value of a field ("3=baseline 6=optimized"); NULL without, *length its size. */
HS_API const char *hs_tc_value_word(unsigned field, uint32_t value, size_t *length);

/** Short name of a component, such as "encoder"; "?" if there is none. */
HS_API const char *hs_tc_component_name(unsigned component);

/* ---- values of registers --------------------------------------------------------- */

/** Values of all registers: of the model, or read from a device.  A zeroed struct is empty. */
struct hs_tc_regs {
	uint32_t word[HS_TC_WORDS];
	uint32_t known[(HS_TC_WORDS + 31) / 32]; /**< bit i: word[i] was read from the device */
};

/** A field's value.  @component: HS_TC_ENCODER or HS_TC_FUNNEL for trTs; 0 when the component does
 * not have the field. */
HS_API uint32_t hs_tc_get(const struct hs_tc_regs *r, unsigned component, unsigned field);

/** Is the register of a field among those read? */
HS_API bool hs_tc_known(const struct hs_tc_regs *r, unsigned component, unsigned field);

/** What tr??Impl says to a tool of version 1.0 (TCI 5). */
enum hs_tc_version {
	HS_TC_VERSION_NOT_READ = 0,
	HS_TC_VERSION_GOOD = 1,         /**< 1.0: accept silently */
	HS_TC_VERSION_NEWER = 2,        /**< 1.x: warn, use what 1.0 has */
	HS_TC_VERSION_EXPERIMENTAL = 3, /**< 1.15: warn that it is experimental */
	HS_TC_VERSION_OLD = 4,          /**< 0.x: before ratification, with other registers */
	HS_TC_VERSION_FUTURE = 5,       /**< 2.x and above: not compatible */
	HS_TC_VERSION_OTHER_TYPE = 6    /**< tr??CompType is that of another component */
};

/** Judge the version of a component; *major and *minor are 0 where it was not read. */
HS_STATIC enum hs_tc_version hs_tc_version_of(const struct hs_tc_regs *r, unsigned component,
                                              unsigned *major, unsigned *minor);

/**
 * Filters to registers, which become known.  Numbers of filters and comparators stay.
 * @retval HS_OK
 * @retval HS_E_UNSUPPORTED  The registers cannot say it: time, hart, trace that begins switched
 *                           off, one cause of any size, or user signals above 32 bits; nothing
 *                           was changed.
 * @retval HS_E_CONFIG       The config's size is not right (ingress.h).
 */
HS_API enum hs_status hs_tc_set_filters(struct hs_tc_regs *r,
                                        const struct hs_qualifier_config *config);

/** A write, and what is waited for after it. */
struct hs_tc_step {
	struct hs_tc_place place;
	uint32_t value;
	uint32_t wait; /**< bits of the register that are read until they are those of @value */
};

/** The writes that set a device up, one by one.  Private, but for the caller's memory. */
struct hs_tc_setup {
	struct hs_tc_regs regs;
	uint32_t components;
	uint16_t word;
	uint8_t at, step, turn;
	bool start;
};

/**
 * Plan the writes of TCI 11.2 and 11.3: reset and activate, settings, enable; sinks first, the
 * encoder last.
 * @param regs        What is wanted; registers that are not known are left as they are, but for
 *                    those that the table of TCI 11.2 sets to 0.  Of tr??Control, tr??Active,
 *                    tr??Enable and trTeInstTracing do not count.
 * @param components  Bit HS_TC_x: set this one up.
 * @param start       Also set trTeInstTracing.
 * @retval HS_OK
 * @retval HS_E_ARG  No component, or one that there is not.
 */
HS_API enum hs_status hs_tc_setup_init(struct hs_tc_setup *s, const struct hs_tc_regs *regs,
                                       uint32_t components, bool start);
/** The next write; false when there are no more. */
HS_API bool hs_tc_setup_next(struct hs_tc_setup *s, struct hs_tc_step *out);

/** Longest line that hs_tc_dump_line() takes, and hs_tc_print() makes. */
#define HS_TC_LINE_MAX 160

/** Reads a dump of registers, line by line.  A zeroed struct is ready. */
struct hs_tc_dump {
	struct hs_tc_regs regs;
	uint64_t base[HS_TC_COMPONENTS]; /**< subtracted from offsets; 0 unless a section says */
	uint8_t component; /**< of the section */
};

/**
 * Take a line of a dump:
 *
 *     # comment             after any line, too
 *     [ram]                 component of what follows: encoder (at first), funnel, ram, pib, atb
 *     [ram 0x10003000]      the same; offsets that follow are addresses from there
 *     trTeControl = 0x1063  a register, or a field of one, by name ('=' or ':')
 *     0x008: 0x40010000     a register by offset
 *
 * Numbers are decimal or 0x hexadecimal.  The last line on a register wins.  Of a register of
 * which only fields are given, the other fields have the table's values.
 *
 * @retval HS_OK
 * @param[in,out] in  Text; moved past the line and its end ('\n').  Without one, all of it is a
 *                    line.
 * @retval HS_OK
 * @retval HS_MORE           @in is empty.
 * @retval HS_E_LONG         The line has more than HS_TC_LINE_MAX characters.
 * @retval HS_E_FORMAT       None of these forms, or a value above 32 bits or its field's.
 * @retval HS_E_UNSUPPORTED  No register of that name, or at that offset.
 * After an error the line was skipped and a caller may continue.
 */
HS_STATIC enum hs_status hs_tc_dump_line(struct hs_tc_dump *d, struct hs_span *in);

/** Write "trTeControl = 0x00001063" to @text, without line end.
 * @return  Characters written; 0 when @size is below HS_TC_LINE_MAX. */
HS_API size_t hs_tc_print(const struct hs_tc_regs *r, const struct hs_tc_place *place, char *text,
                          size_t size);

/* ---- the model -------------------------------------------------------------------- */

/** A field that an implementation narrows down. */
struct hs_tc_limit {
	uint16_t field; /**< enum hs_tc_field */
	uint32_t legal; /**< in place of the table's, and a part of it */
	uint32_t value; /**< in place of the table's: after reset, and of bits that are fixed */
};

/**
 * What an implementation has.  A zeroed struct with its size set: encoder and RAM sink with all
 * that the text allows, and trace in system memory.
 */
struct hs_tc_profile {
	uint32_t size; /**< sizeof(struct hs_tc_profile) */
	const char *name; /**< kept; NULL: none */
	const struct hs_tc_limit *limits; /**< limit_count of them; kept */
	uint32_t limit_count;
	uint32_t components; /**< bit HS_TC_x: it is there; 0: encoder and RAM sink */
	uint64_t absent;     /**< bit HS_TCR_x: the register reads 0 and ignores writes (TCI 4.3).
	                          Not tr??Control, trRamWP, nor trRamRP where there is SRAM */
	uint32_t sram_bytes; /**< trace memory of the RAM sink: a power of two, 8 to 2^31; 0: none.
	                          Without a limit trRamHasSRAM, trRamHasSMEM and trRamMode follow
	                          from it: SRAM where there is some, else system memory */
	uint8_t settle;      /**< reads of tr??Control before a new tr??Active shows */
	bool tied;        /**< fields without a limit are tied to the table's value (TCI 11.1) */
	bool read_active; /**< trRamRP and trRamData work while the RAM sink is enabled (TCI 7.1) */
	bool data_write;  /**< trRamData can be written, while the RAM sink is disabled */
	uint8_t filters;     /**< how many there are, where trTeFilter is not absent; 0: 16 */
	uint8_t comparators; /**< the same of comparators; 0: 8 */
};

/** The profile of a name, or NULL. */
HS_STATIC const struct hs_tc_profile *hs_tc_profile_find(const char *name);

/** System memory, for SMEM mode. */
struct hs_tc_ops {
	/** Store a word, least significant byte first.  @return  False when the bus refuses: the
	 * RAM sink stops. */
	bool (*store)(void *user, uint64_t address, uint32_t word);
};

/** Where the RAM sink stores. */
struct hs_tc_memory {
	uint8_t *sram; /**< profile->sram_bytes bytes; kept */
	size_t sram_size;
	const struct hs_tc_ops *ops; /**< for profiles with SMEM */
	void *user;
};

/** The registers of one trace system. */
struct hs_tc {
	struct hs_tc_regs regs; /**< to be read; known is 1 for the registers that are there */
	/* Private: */
	struct hs_tc_profile profile;
	struct hs_tc_memory memory;
	uint64_t cycles;      /* of the hart (trTeInstSyncMode 2) */
	uint32_t ts_part[2];  /* clocks of the prescaler: encoder, funnel */
	uint8_t settle[HS_TC_COMPONENTS];
	uint8_t partial[4];   /* bytes that are no word yet */
	uint8_t partial_n;
	uint8_t fired;        /* external trigger outputs */
	uint8_t fill;         /* of the last word: idle of N-Trace (NT 3.1), or 0 */
};

/** Actions of a trigger (TCI 6.2). */
enum hs_tc_action { HS_TC_TRACE_ON = 2, HS_TC_TRACE_OFF = 3, HS_TC_TRACE_NOTIFY = 4 };

/** Which clock a call of hs_tc_tick() counts: values of trTsMode. */
enum hs_tc_clock { HS_TC_EXTERNAL = 1, HS_TC_SYSTEM = 2, HS_TC_CORE = 3 };

/**
 * Clocks pass.  A timestamp counter moves when it is active, trTsCount is 1 and trTsMode is @clock.
 * Those of HS_TC_CORE are also what trTeInstSyncMode 2 counts.
 * @param clocks  Of HS_TC_SYSTEM or HS_TC_CORE; with HS_TC_EXTERNAL the new value of the outside
 *                source.
 * @param halted  The hart is in debug mode (trTsRunInDebug, core clock only).
 */
HS_STATIC void hs_tc_tick(struct hs_tc *tc, enum hs_tc_clock clock, uint64_t clocks, bool halted);

/* ---- a device --------------------------------------------------------------------- */

/** An encoder that a device uses in place of its own, which is N-Trace's. */
struct hs_tc_codec {
	/** trTeEnable went to 1.  @return  False: it cannot do what the registers say, and nothing
	 * is traced. */
	bool (*start)(void *user, const struct hs_tc_regs *regs);
	/** Encode one block or event, as hs_nt_encode() does; @cap is at least HS_NT_ENCODE_ROOM or
	 * the result HS_E_SPACE. */
	enum hs_status (*encode)(void *user, const struct hs_block *b, uint8_t *out, size_t cap,
	                         size_t *len);
	/** What was written since everything was sent is lost. */
	void (*lost)(void *user);
	/** The packet of a data access is lost, and nothing else.  NULL: no data trace. */
	void (*lost_data)(void *user);
};

/** Where a device's messages go, in place of its own funnel and RAM sink. */
struct hs_tc_sink {
	/** Would it take a message now? */
	bool (*accepts)(void *user);
	/** Take whole messages, all of @in or nothing.  @return  in->n is 0. */
	bool (*put)(void *user, struct hs_span *in);
	/** Will it take later what it does not take now, as pins that have to send first?  NULL:
	 * no. */
	bool (*waits)(void *user);
};

/** A hart's trace system: registers, filters, encoder and RAM sink. */
struct hs_tc_device {
	struct hs_tc tc;      /**< to be read; write registers by hs_tc_device_write() */
	const struct hs_image *image;    /**< the hart's code, for filters whose result changes
	                                      inside a block; may be NULL; set at any time */
	const struct hs_tc_codec *codec; /**< NULL: N-Trace.  Set after hs_tc_device_init() */
	void *codec_user;
	const struct hs_tc_sink *sink;   /**< NULL: tc's.  Set after hs_tc_device_init() */
	void *sink_user;
	/* Private: */
	struct hs_nt_encoder encoder;
	struct hs_nt_encoder sent; /* what it was when held was empty last */
	struct hs_qualifier qualifier;
	struct hs_block piece[HS_QUALIFIER_ROOM]; /* what the filters let through */
	uint8_t piece_at, piece_n;
	bool filtered;        /* the qualifier decides */
	uint16_t held_n;      /* bytes of held */
	bool armed;           /* trTeEnable is 1: the encoder has its configuration */
	bool tracing;         /* the encoder knows that trace is on */
	bool halted;          /* the hart is in debug mode */
	bool lost;            /* messages were dropped, and no sink takes any yet */
	bool leaves_debug;    /* the next trace begins at the exit from debug mode */
	bool data_waits;      /* a packet of data trace is held, and the hart stalls for it */
	uint8_t held[2 * HS_NT_ENCODE_ROOM]; /* messages that no sink took yet */
};

/**
 * @param halted  The hart is in debug mode: its first message will have SYNC 3, otherwise 5.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The profile breaks its rules, or a limit is not within the table; its size
 *                      is wrong, or bytes past the struct are not zero.
 * @retval HS_E_SPACE   The profile has SRAM and memory->sram_size is below it, or SMEM without ops.
 */
HS_STATIC enum hs_status hs_tc_device_init(struct hs_tc_device *d,
                                           const struct hs_tc_profile *profile,
                                           const struct hs_tc_memory *memory, bool halted);

/** Access a register: 0, and ignored, for what is reserved, not there, in reset, or not 4-byte
 * aligned.  Starting and stopping the trace makes its messages:
 * trTeInstTracing 1: ProgTraceSync with SYNC 5 (3 after debug mode) before the next block;
 * trTeInstTracing or trTeEnable 0: ProgTraceCorrelation with EVCODE 4. */
HS_STATIC uint32_t hs_tc_device_read(struct hs_tc_device *d, unsigned component, uint32_t offset);
HS_STATIC void hs_tc_device_write(struct hs_tc_device *d, unsigned component, uint32_t offset,
                                  uint32_t value);

/**
 * The hart executes blocks: those of a traced hart are encoded and stored.
 *
 * trTeInstFilters, trTeFilter and trTeComp decide which blocks are traced; where
 * they change inside a block, image says where its instructions are.
 *
 * Events may stand between the blocks, as for hs_nt_encode(); HS_KIND_TIME is a new value of the
 * external timestamp (hs_tc_tick() with HS_TC_EXTERNAL).
 *
 * When a message finds no sink, trTeInstStallOrOverflow is set; with trTeInstStallEna the hart
 * stalls, otherwise messages are dropped and, once a sink takes trace again, an Error message
 * and a synchronising message with SYNC 7 follow (NT 7.4, Table 25).
 *
 * @param[out] used  Blocks taken.
 * @retval HS_OK        All blocks were taken.
 * @retval HS_FULL      The hart is stalled: blocks from in[*used] on have not retired.
 * @retval HS_E_ARG     The hart is halted.
 * @retval HS_E_BLOCK   in[*used] is no block that can be traced (hs_nt_encode()).
 */
HS_STATIC enum hs_status hs_tc_device_run(struct hs_tc_device *d, const struct hs_block *in,
                                          size_t n, size_t *used);

/** The hart enters debug mode: ProgTraceCorrelation with EVCODE 0 (NT 7.12, Table 26). */
HS_STATIC void hs_tc_device_halt(struct hs_tc_device *d);
/** The hart leaves debug mode: SYNC 3 follows, or, where trace is enabled but off,
 * ProgTraceCorrelation with EVCODE 4 (NT Table 26). */
HS_STATIC void hs_tc_device_resume(struct hs_tc_device *d);

/** A debug trigger fires with an action, or an external trigger input 0..7, with the messages that
 * follow, where the registers allow it: trace on
 * and off, or, for HS_TC_TRACE_NOTIFY, a synchronising message before the next block, with SYNC 6
 * from the debug module and SYNC 0 from an external input (NT Table 25). */
HS_STATIC void hs_tc_device_trigger(struct hs_tc_device *d, enum hs_tc_action action);
HS_STATIC void hs_tc_device_trigger_in(struct hs_tc_device *d, unsigned input);

/* ---- a trace system -----------------------------------------------------------------
 *
 * Trace systems of several components: encoders of both protocols, funnels, RAM sinks, pin
 * interfaces and ATB bridges, joined as the Trace Control Interface allows.
 *
 * "TCI n" is a chapter of RISC-V Trace Control Interface 1.0, counted from its introduction.  A
 * component is a struct in the caller's memory with registers of its own (control.h); links say
 * where its trace goes.  Whole messages travel: a component that cannot take one refuses it, and
 * the encoder stalls its hart or drops it (TCI 4.1).
 *
 * Nothing here allocates.  A system belongs to one thread at a time; two systems share nothing.
 */

#define HS_DEV_LINKS 2    /**< outputs of an encoder or funnel */
#define HS_DEV_FIFO 1024  /**< bytes that wait for the pins */
#define HS_DEV_TABLES 600 /**< words of 64 bits for the tables of an E-Trace encoder */
#define HS_DEV_ENCODERS 16
#define HS_DEV_NULLS 41 /**< the longest run of null bytes in a packet: 31, timestamp, srcID */

struct hs_dev_node;

/** Where trace goes. */
struct hs_dev_link {
	struct hs_dev_node *to;
	uint32_t input; /**< of a funnel, 0 to 15 */
};

/** What leaves the chip. */
struct hs_dev_ops {
	/** TRC_DATA at an edge of TRC_CLK, bit 0 is TRC_DATA0; in serial modes the level of a bit
	 * or phase. */
	void (*sample)(void *user, uint32_t data);
	/** Bytes for the ATB with an ID. */
	void (*atb)(void *user, unsigned id, const uint8_t *bytes, size_t n);
};

/** A funnel, sink or bridge. */
struct hs_dev_node {
	struct hs_tc tc; /**< to be read; hs_dev_write() writes */
	/* Private: */
	uint8_t kind; /* enum hs_tc_component */
	uint8_t links;
	bool packets;       /* packets, not messages that end by MSEO: idle is 0 */
	bool idled;         /* a null.alignment must come before the next packet */
	uint16_t null_run;  /* null.idle packets of a sequence; 0: none is sent */
	uint16_t owed;      /* null.idle packets that pins send before the first packet */
	uint32_t unaligned; /* bytes since the last sequence */
	struct hs_dev_link link[HS_DEV_LINKS];
	const struct hs_dev_ops *ops;
	void *user;
	uint64_t clocks; /* since the last sample */
	uint32_t phase;  /* of the calibration pattern */
	uint32_t frame;  /* bits that wait, the next one lowest */
	uint8_t frame_n;
	bool inside;  /* a Manchester message was begun */
	bool sending; /* frame has bits of trace */
	uint16_t fifo_n;
	uint16_t fifo[HS_DEV_FIFO]; /* bit 8: the last byte of a message */
};

/**
 * Power a component up.
 * @param kind     HS_TC_FUNNEL, HS_TC_RAM, HS_TC_PIB or HS_TC_ATB.
 * @param profile  Its limits; NULL: "full".  Of its components only @kind is used.
 * @param memory   For a RAM sink; else NULL is allowed.
 * @param ops      For pins and ATB, kept; else NULL is allowed.
 * @retval HS_OK
 * @retval HS_E_ARG  No such kind, or no ops for one that needs them.
 * @retval HS_E_CONFIG  The profile breaks its rules, or a limit is not within the table; its size
 *                      is wrong, or bytes past the struct are not zero.
 * @retval HS_E_SPACE   The profile has SRAM and memory->sram_size is below it, or SMEM without ops.
 */
HS_STATIC enum hs_status hs_dev_node_init(struct hs_dev_node *n, enum hs_tc_component kind,
                                          const struct hs_tc_profile *profile,
                                          const struct hs_tc_memory *memory,
                                          const struct hs_dev_ops *ops, void *user);

/** Send a funnel's trace on.  @retval HS_OK @retval HS_E_ARG  No funnel, no such input, or no link
 * is left. */
HS_STATIC enum hs_status hs_dev_node_connect(struct hs_dev_node *n, struct hs_dev_node *to,
                                             unsigned input);

/** Access registers of a component, as hs_tc_device_read() and hs_tc_device_write(). */
HS_STATIC uint32_t hs_dev_read(struct hs_dev_node *n, uint32_t offset);
HS_STATIC void hs_dev_write(struct hs_dev_node *n, uint32_t offset, uint32_t value);

/** An E-Trace encoder for a device, as its codec. */
struct hs_dev_etrace {
	struct hs_et_config config;    /**< what registers do not say: sizes of tables and widths */
	struct hs_et_data_config data; /**< the same of data trace; size 0: all defaults.  Set after
	                                    hs_dev_encoder_init() */
	/* Private: */
	const struct hs_tc_regs *regs; /* of the encoder */
	struct hs_et_encoder encoder;
	struct hs_et_data_coder coder;
	bool data_on; /* the encoder has the coder */
	uint64_t tables[HS_DEV_TABLES];
};

/** An encoder with its hart. */
struct hs_dev_encoder {
	struct hs_tc_device device;  /**< registers and the hart: hs_tc_device_...() */
	struct hs_dev_etrace etrace; /**< in use with E-Trace */
	/* Private: */
	struct hs_dev_link link[HS_DEV_LINKS];
	uint8_t links;
};

/**
 * Power an encoder up.
 * @param profile  Its limits; NULL: "full", or "etrace" with @etrace.  Only its encoder is used.
 * @param etrace   What registers do not say of an E-Trace encoder, copied; NULL: N-Trace.
 * @param image    The hart's code, for filters; may be NULL.
 * @param halted   The hart is in debug mode.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The profile breaks its rules, or a limit is not within the table; its size
 *                      is wrong, or bytes past the struct are not zero.
 * @retval HS_E_SPACE   The profile has SRAM and memory->sram_size is below it, or SMEM without ops.
 */
HS_STATIC enum hs_status hs_dev_encoder_init(struct hs_dev_encoder *e,
                                             const struct hs_tc_profile *profile,
                                             const struct hs_et_config *etrace,
                                             const struct hs_image *image, bool halted);
/** As hs_dev_node_connect(). */
HS_STATIC enum hs_status hs_dev_encoder_connect(struct hs_dev_encoder *e, struct hs_dev_node *to,
                                                unsigned input);

/** Encoders that share sinks: their trace takes turns. */
struct hs_dev {
	/* Private: */
	struct hs_dev_encoder *encoder[HS_DEV_ENCODERS];
	uint8_t encoders, next;
};

/** Add an encoder to a zeroed system.  @retval HS_OK @retval HS_E_SPACE  There are
 * HS_DEV_ENCODERS. */
HS_STATIC enum hs_status hs_dev_add(struct hs_dev *d, struct hs_dev_encoder *e);

/** A hart executes blocks, as hs_tc_device_run(), after what waits in other encoders. */
HS_STATIC enum hs_status hs_dev_run(struct hs_dev *d, struct hs_dev_encoder *e,
                                    const struct hs_block *in, size_t n, size_t *used);

/**
 * Clocks of a pin interface pass: each trPibDivider + 1 of them, or twice as many with
 * trPibClkCenter and in Manchester mode, are a sample (TCI 9).
 * @param d  Its encoders send as there is room; NULL: none.
 */
HS_STATIC void hs_dev_clock(struct hs_dev *d, struct hs_dev_node *pins, uint64_t clocks);

#ifdef __cplusplus
}
#endif
#endif
