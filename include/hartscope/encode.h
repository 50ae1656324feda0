/* Traces that are made: the harts of a recording, a flow or a trace, or blocks that are given while
 * a program runs, through encoders to the bytes of a trace, with the files that belong next to it.
 *
 *     struct hs_encode *e;
 *
 *     hs_encode_new(&options, &e, &error);     parameters, filters, what carries the bytes
 *     hs_encode_open(e, &source, &error);      what is encoded, with an encoder for each hart
 *     hs_encode_run(e, &error);                all bytes, to options.write
 *     hs_encode_end(e, "app.nt", &error);      app.nt.json, and app.nt.code where code changed
 *     hs_encode_free(e);
 *
 * The rest of this header asks what other parameters would have made of the same run: how many
 * bytes each variant of a protocol takes, and how many of them wait for the pins.
 *
 * Threads: an object belongs to one thread at a time; two of them share nothing.  Threads that
 * encode (hs_encode_options.threads) are the object's own, and functions of the caller run on its
 * thread only.
 */
#ifndef HARTSCOPE_ENCODE_H
#define HARTSCOPE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/control.h>
#include <hartscope/image.h>
#include <hartscope/ingress.h>
#include <hartscope/port.h>
#include <hartscope/protocol.h>
#include <hartscope/source.h>
#include <hartscope/status.h>
#include <hartscope/trace_params.h>
#include <hartscope/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

/** At a cycle of its hart's clock a parameter of an encoder changes. */
struct hs_encode_change {
	uint64_t at;
	struct hs_setting setting; /**< of a parameter with hs_param.running */
};

/** A perf.data in place of a plain trace, as the kernel and perf would have written it
 * (docs/perf-data.md): a buffer for each hart.  0 is what such files have. */
struct hs_encode_perf {
	bool threads;             /**< buffers of threads, else of CPUs */
	bool plain;               /**< no words for each CPU in AUXTRACE_INFO */
	bool no_info;             /**< no AUXTRACE_INFO */
	bool frames;              /**< one buffer, of CoreSight frames with an ID for each hart */
	uint64_t type;            /**< of AUXTRACE_INFO */
	uint64_t piece;           /**< bytes of an AUXTRACE record */
	uint64_t snapshot, every; /**< bytes of a snapshot, 0: none; between two of them */
};

/** Something that is not in the trace. */
struct hs_encode_fault {
	struct hs_error error;
	enum hs_reason reason;
	const struct hs_source *source; /**< whose items could not be read; NULL: an encoder refused
	                                     a block */
};

/** How a trace is made.  Zero is the default of each member but @size and @write; everything that
 * it points to is kept until hs_encode_free(). */
struct hs_encode_options {
	uint32_t size;    /**< sizeof(struct hs_encode_options) */
	uint32_t threads; /**< that encode, the caller's among them; the bytes are the same */
	/** Parameters of the trace; its member trace is ignored.  A single hart has the number of a
	 * setting trTeSrcID; harts in bytes of their own have numbers with trTeSrcBits. */
	const struct hs_trace_params_options *params;
	const struct hs_qualifier_config *filter; /**< what is traced; without filters those of the
	                                               registers of @params */
	const char *transport; /**< how bytes leave, a name of hs_transport_names(); NULL: raw */
	uint32_t period;       /**< uart, manchester: samples a bit, in 1/256 */
	bool has_idle;         /**< with pins: @idle samples follow each message, else one byte */
	uint64_t idle;
	const struct hs_source_part *others; /**< with CoreSight frames: other traces among them, of
	                                          which id and path count */
	size_t other_count;
	const struct hs_queue_config *queue; /**< after the encoder of each hart; NULL: none */
	bool stall;                          /**< a full queue stalls the hart: nothing is lost */
	const struct hs_encode_change *changes; /**< in order of time */
	size_t change_count;
	const struct hs_encode_perf *perf; /**< NULL: a trace */
	/** Of hs_encode_take(): how many harts there are at most, 1 where messages have times;
	 * their recording. */
	uint32_t harts;
	const char *recording;
	void *to;          /**< for each of the following */
	hs_write_fn write; /**< takes the trace, in order; false: it cannot be written */
	/** The source is open: a range may be chosen.  Any status but HS_OK ends it; NULL: nothing
	 * is to be done. */
	enum hs_status (*opened)(void *to, struct hs_source *source, struct hs_error *error);
	void (*fault)(void *to, const struct hs_encode_fault *fault); /**< NULL is allowed */
	/** Bytes of the recording, of @total; where that is 0, blocks.  NULL is allowed. */
	void (*progress)(void *to, uint64_t done, uint64_t total);
};

/** A trace that is being made. */
struct hs_encode;

/**
 * Begin a trace: parameters, filters and transport are checked, and nothing is written.
 * @retval HS_OK        *out is to be freed with hs_encode_free().
 * @retval HS_E_CONFIG  @options has unknown bytes that are not zero, or asks for what does not go
 *                      together: a queue that loses messages where no packet can say so, a
 *                      transport that cannot carry the protocol, filters of registers that are
 *                      of data.
 * @retval HS_E_SYSTEM  One of @others cannot be opened.
 * @retval HS_E_MEMORY
 * Any other status as hs_trace_params_open().
 */
HS_API enum hs_status hs_encode_new(const struct hs_encode_options *options, struct hs_encode **out,
                                    struct hs_error *error);
HS_API void hs_encode_free(struct hs_encode *e); /**< NULL is allowed */

/**
 * Open what is encoded, and an encoder for each hart: a recording, a flow, or a trace that has a
 * TRACE.json.
 * @param source  Its clock is taken where blocks are to have times; of a recording its files of
 *                code must be none.
 * @retval HS_OK
 * @retval HS_E_CONFIG  Too many harts for the protocol or frames; the encoder lacks filters that
 *                      are asked for; a perf.data or times of a trace; or as hs_source_open().
 * @retval HS_E_MEMORY
 * Any other status as hs_source_open() or hs_encode_options.opened.
 */
HS_API enum hs_status hs_encode_open(struct hs_encode *e, const struct hs_source_options *source,
                                     struct hs_error *error);

/**
 * Encode all of it, once.
 * @retval HS_OK        Also where some of it could not be encoded: hs_encode_options.fault says it.
 * @retval HS_E_ARG     It was called before.
 * @retval HS_E_SYSTEM  hs_encode_options.write refused.
 * @retval HS_E_CONFIG  A change of a parameter that cannot be, or a cause, trap value, context or
 *                      mode that is wider than its field; @error has the legal widths.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_encode_run(struct hs_encode *e, struct hs_error *error);

/**
 * Encode blocks of a hart of a program that runs, in place of hs_encode_open() and hs_encode_run():
 * what hs_recorder_options.take calls.
 * @param e    A struct hs_encode.
 * @param rec  The recording of the program so far; it has the code.
 * @param n    0: the hart has ended.
 * @return     false: it cannot go on; hs_encode_end() says why.
 */
HS_API bool hs_encode_take(void *e, const struct hs_rec *rec, uint32_t hart,
                           const struct hs_block *b, size_t n);

/**
 * Everything was written: write TRACE.json, and TRACE.code where code changed while it ran.
 * @param trace  Where the bytes went; NULL: neither file is written.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  A file cannot be written, or hs_encode_options.write refused.
 * @retval HS_E_CONFIG  The TRACE.json of another trace among frames describes none.
 * @retval HS_E_MEMORY
 * Any other status is why hs_encode_take() could not go on.
 */
HS_API enum hs_status hs_encode_end(struct hs_encode *e, const char *trace, struct hs_error *error);

#define HS_ENCODE_TYPES 128 /**< of messages of a protocol, at most */

/** What was made so far.  Pointers live as long as the object. */
struct hs_encode_result {
	const struct hs_trace_params *params;
	const char *recording; /**< what TRACE.json names as the recording; NULL: nothing */
	uint32_t harts;
	uint32_t left_out;      /**< of hs_encode_take(): harts for which there was no room */
	uint64_t blocks, bytes; /**< that were encoded */
	bool sampled;           /**< a transport carries them: */
	uint64_t sample_bytes;  /**< what it makes of them */
	/** Of the queues of all harts: cycles, of them those that harts waited; how often messages
	 * were lost; accesses lost; the most bytes in one of them. */
	uint64_t cycles, stalled_cycles, losses, accesses_lost, queue_peak;
	struct hs_message_count types[HS_ENCODE_TYPES];
	unsigned type_count;
};
HS_API void hs_encode_get_result(const struct hs_encode *e, struct hs_encode_result *result);

/* ---- other parameters ----------------------------------------------------------- */

/** A run under every variant of every protocol (hs_protocol.variants). */
struct hs_encode_variants;

/** What one of them makes of it. */
struct hs_encode_variant {
	const char *protocol, *name, *settings;
	bool plain;       /**< without options: others of its protocol are compared with it */
	uint64_t bytes;   /**< of the trace */
	uint64_t refused; /**< blocks that its encoder cannot encode */
};

/**
 * @param source   A recording or flow; kept.
 * @param params   What all variants have; a protocol is the only one then.
 * @param threads  That encode.
 * @retval HS_OK        *out is to be freed with hs_encode_variants_free().
 * @retval HS_E_CONFIG  There is no such protocol, or a variant cannot have these parameters or so
 *                      many harts.
 * @retval HS_E_MEMORY
 * Any other status as hs_trace_params_open() or hs_source_get_harts().
 */
HS_STATIC enum hs_status hs_encode_variants_new(struct hs_source *source,
                                                const struct hs_trace_params_options *params,
                                                uint32_t threads, struct hs_encode_variants **out,
                                                struct hs_error *error);
HS_STATIC void hs_encode_variants_free(struct hs_encode_variants *v); /**< NULL is allowed */

/** Encode the next items of the source, as hs_source_next() gives them; after the last ones, none
 * (@n is 0).
 * @retval HS_OK @retval HS_E_CONFIG  As hs_encode_variants_new(). @retval HS_E_MEMORY */
HS_STATIC enum hs_status hs_encode_variants_add(struct hs_encode_variants *v,
                                                const struct hs_block *b, size_t n,
                                                struct hs_error *error);

/** Variant @i, in the order of protocols and of hs_protocol.variants.  False: there is none. */
HS_STATIC bool hs_encode_variants_get(const struct hs_encode_variants *v, unsigned i,
                                      struct hs_encode_variant *out);

#define HS_ENCODE_SPANS 32 /**< of time */
#define HS_ENCODE_PORTS 6  /**< of 1, 2, 4, 8 and 16 pins, and one of the caller's */

/** How many bytes a trace has over time. */
struct hs_encode_rate {
	const struct hs_protocol *protocol;
	uint32_t harts;
	uint64_t cycles, bytes;          /**< cycles: of the slowest hart */
	uint64_t span;                   /**< cycles of each span */
	uint64_t spans[HS_ENCODE_SPANS]; /**< bytes in it; those after @cycles have none */
	unsigned ports;
	uint64_t peaks[HS_ENCODE_PORTS]; /**< the smallest queue that loses nothing, in bytes */
};

/** What hs_encode_measure() needs next to the source. */
struct hs_encode_rate_options {
	uint32_t size;                                /**< sizeof(struct hs_encode_rate_options) */
	const struct hs_trace_params_options *params; /**< of the trace of a recording; NULL:
	                                                   defaults */
	const struct hs_queue_config *drain; /**< how a port of the caller's drains; NULL: none */
	void *to;
	void (*fault)(void *to, const struct hs_encode_fault *fault); /**< NULL is allowed */
};

/**
 * The bytes of a trace over time, and how large a queue after the encoder of each hart must be.
 * Each hart has a clock and a queue of its own.  Of a recording the bytes are those that an encoder
 * writes; of a trace they come with the items that they give, so that a queue may seem fuller than
 * it was.
 * @param source  At its start, opened with one thread; read to its end.
 * @retval HS_OK        Also where some of it could not be read or encoded.
 * @retval HS_E_CONFIG  Members of @options that this library lacks; more harts than the protocol
 *                      allows.
 * @retval HS_E_MEMORY
 * Any other status as hs_trace_params_open() or hs_source_open_hart().
 */
HS_API enum hs_status hs_encode_measure(struct hs_source *source,
                                        const struct hs_encode_rate_options *options,
                                        struct hs_encode_rate *rate, struct hs_error *error);

/* ---- trace systems ----------------------------------------------------------------
 *
 * Trace systems: encoders, funnels, RAM sinks, pins and bridges with their registers, as a file
 * describes them (docs/trace-systems.md), and what the harts of a recording leave in their sinks.
 *
 *     struct hs_trace_system *s;
 *
 *     hs_trace_system_new("board.system", &s, &error);
 *     hs_trace_system_open(s, &options, &error);       the harts, and the registers as they are set
 *     hs_trace_system_run(s, &error);                  all of it; what sinks get goes to
 *     hs_trace_system_free(s);                         options.write
 */

struct hs_trace_system;

/**
 * Read a file, join components that say nothing of it in the only way there is, and check what
 * leads where.
 * @param path  Kept, for messages.
 * @retval HS_OK        *system is to be freed with hs_trace_system_free().
 * @retval HS_E_SYSTEM  The file cannot be read.
 * @retval HS_E_FORMAT  It describes no system; the message has the line.
 * @retval HS_E_MEMORY
 */
HS_STATIC enum hs_status hs_trace_system_new(const char *path, struct hs_trace_system **system,
                                             struct hs_error *error);
HS_STATIC void hs_trace_system_free(struct hs_trace_system *system); /**< NULL is allowed */

#define HS_TRACE_LINKS 2 /**< outputs of an encoder or funnel */

/** A component of a system, and what became of it. */
struct hs_trace_component {
	uint8_t kind; /**< enum hs_tc_component */
	uint64_t base;
	unsigned turn; /**< when its registers are written, from 0 on: sinks first, then funnels,
	                    encoders last (TCI 11.2) */
	const struct hs_tc_regs *registers; /**< what they are to be; of a system that was opened,
	                                         what they are */
	bool has_hart;                      /**< of an encoder: the file says of which hart */
	uint64_t hart;
	unsigned links; /**< where its trace goes: */
	struct {
		uint64_t base;
		unsigned input;
	} link[HS_TRACE_LINKS];
	bool sink;                       /**< it gives bytes to hs_trace_system_options.write */
	uint64_t bytes;                  /**< that it gave */
	uint64_t blocks, stalled_cycles; /**< of an encoder: that it took; that its hart waited */
	bool stuck; /**< its hart waits for good: nothing takes its trace away */
};

/** Component @i, in the order of the file.  False: there is none. */
HS_STATIC bool hs_trace_system_get(const struct hs_trace_system *system, unsigned i,
                                   struct hs_trace_component *component);

/** What the harts of a system execute.  Everything that it points to is kept until
 * hs_trace_system_free(). */
struct hs_trace_system_options {
	uint32_t size;                                /**< sizeof(struct hs_trace_system_options) */
	const struct hs_trace_params_options *params; /**< of encoders of E-Trace: what no register
	                                                   says; NULL: defaults */
	const struct hs_source_options *source;       /**< a recording or flow, with a clock */
	void *to;                                     /**< for each of the following */
	/** Bytes of sink @i, as hs_trace_system_get() counts: samples of pins, bytes for the ATB,
	 * and at the end what a RAM sink holds.  False: they cannot be written. */
	bool (*write)(void *to, unsigned i, const void *bytes, size_t n);
	/** As in struct hs_encode_options; NULL is allowed. */
	enum hs_status (*opened)(void *to, struct hs_source *source, struct hs_error *error);
	void (*fault)(void *to, const struct hs_encode_fault *fault); /**< NULL is allowed */
	/** A register has another value than was written to it; NULL is allowed. */
	void (*note)(void *to, const char *text);
};

/**
 * Open the recording, and set the components up as TCI 11.2 and 11.3 say.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The system cannot be as the file has it: the message has the line.
 * @retval HS_E_MEMORY
 * Any other status as hs_source_open(), hs_trace_params_open() or options.opened.
 */
HS_STATIC enum hs_status hs_trace_system_open(struct hs_trace_system *system,
                                              const struct hs_trace_system_options *options,
                                              struct hs_error *error);

/**
 * Run all harts to their ends, and disable what traces them.
 * @retval HS_OK        Also where an encoder could not trace a block: options.fault says it.
 * @retval HS_E_SYSTEM  options.write refused.
 */
HS_STATIC enum hs_status hs_trace_system_run(struct hs_trace_system *system,
                                             struct hs_error *error);

/** Clocks that have passed. */
HS_STATIC uint64_t hs_trace_system_cycles(const struct hs_trace_system *system);

/**
 * The registers of a sink and of all that leads to it, as a dump that hs_registers_read() takes.
 * @retval HS_OK
 * @retval HS_E_ARG     Component @i is no sink.
 * @retval HS_E_SYSTEM  @write refused.
 */
HS_STATIC enum hs_status hs_trace_system_write_registers(struct hs_trace_system *system, unsigned i,
                                                         hs_write_fn write, void *to);

/**
 * Write TRACE.json of what a sink got: the parameters by its registers, and the recording.
 * @param registers  A file with what hs_trace_system_write_registers() wrote.
 * @param trace      The file with its bytes.
 * @retval HS_OK
 * @retval HS_E_ARG     Component @i is no sink.
 * @retval HS_E_SYSTEM  The dump cannot be read, or TRACE.json not be written.
 * @retval HS_E_FORMAT  @registers is no dump.
 * @retval HS_E_CONFIG  They are of no encoder that can be read.
 * @retval HS_E_MEMORY
 */
HS_STATIC enum hs_status hs_trace_system_write_params(struct hs_trace_system *system, unsigned i,
                                                      const char *registers, const char *trace,
                                                      struct hs_error *error);

/* ---- rows of the ingress port -----------------------------------------------------
 *
 * Rows of the ingress port: what a run drives into a trace encoder, cycle by cycle, as stimuli for
 * a test bench (docs/rtl.md).
 */

struct hs_rows;

/** What to write and how. */
struct hs_rows_options {
	uint32_t size;      /**< sizeof(struct hs_rows_options) */
	uint32_t threads;   /**< that make text, the caller's among them; the text is the same */
	const char *format; /**< a name of hs_rows_format() */
	/** The port, as port.NAME=VALUE (docs/rtl.md); port.idle=PERCENT idle cycles by
	 * port.seed=N.  What is not set is a port of the block form for the harts of @image. */
	const struct hs_setting *settings;
	size_t setting_count;
	const struct hs_image *image; /**< the program; kept */
	hs_write_fn write;            /**< takes the text, in order */
	void *to;                     /**< of @write */
};

/** A format by number, 0 and on, with one line of text.  NULL: there are no more. */
HS_STATIC const char *hs_rows_format(size_t index, const char **text);

/**
 * Begin.
 * @retval HS_OK         *out is to be freed with hs_rows_free().
 * @retval HS_E_ARG      There is no such format.
 * @retval HS_E_CONFIG   A setting that a port does not have, or out of its range; members of
 *                       @options that this library lacks.
 * @retval HS_E_NOCODE   The program has no code.
 * @retval HS_E_MEMORY
 */
HS_STATIC enum hs_status hs_rows_new(const struct hs_rows_options *options, struct hs_rows **out,
                                     struct hs_error *error);
HS_STATIC void hs_rows_free(struct hs_rows *r); /**< NULL is allowed */

/**
 * Drive the port with the next blocks and events of a hart.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  hs_rows_options.write refused.
 * @retval HS_E_MEMORY
 */
HS_STATIC enum hs_status hs_rows_add(struct hs_rows *r, const struct hs_block *b, size_t n);

/** The run ends.
 * @param[out] rows     That were written.
 * @param[out] skipped  Blocks without code, which are left out.
 * Results as hs_rows_add(). */
HS_STATIC enum hs_status hs_rows_end(struct hs_rows *r, uint64_t *rows, uint64_t *skipped);

/* ---- points of coverage -------------------------------------------------------------
 *
 * Points of coverage: what the messages of a trace protocol, and rows of the ingress port, can be,
 * and how often each of them came.
 *
 * A set of points is that of a protocol and version ("ntrace", "etrace", "etrace-0.026",
 * "etrace-fast", "ntrace-sifive"), or of the ingress port ("port").  It does not depend on
 * parameters, so that counts of runs with different ones add up.  Points come from the tables that
 * the codecs read: each message, each field that may be absent, each field at its limits, values
 * with a name, and corner cases of a few messages (design/rtl).
 *
 * Threads: an object belongs to one thread at a time; two of them share nothing.
 */

/** Counts of any number of sets. */
struct hs_points;

/** A set that has counts.  The name lives as long as the program. */
struct hs_points_set {
	const char *name;
	uint64_t traces;   /**< streams of messages, or runs of a port */
	uint64_t messages; /**< of these traces; of the port: cycles */
	size_t count;      /**< of its points */
	size_t hit;        /**< those of them that came at least once */
};

/** A point.  Strings live until hs_points_free(). */
struct hs_point {
	const char *group;  /**< such as "message" or "corner" */
	const char *name;   /**< such as "message.Ownership": unique in its set */
	const char *clause; /**< such as "NT 7.1" */
	const char *text;   /**< of corner cases, a sentence; else NULL */
	uint64_t hits;
	bool begins_group; /**< it is the first of its group, whose points need not be in a row */
};

/** @retval HS_OK  *out is new, without a set; free it with hs_points_free().
 *  @retval HS_E_MEMORY  Out of memory. */
HS_STATIC enum hs_status hs_points_new(struct hs_points **out);
HS_STATIC void hs_points_free(struct hs_points *p); /**< NULL is allowed */

/**
 * A trace begins: the messages that follow have these parameters, and no past.
 * @retval HS_OK        Its set is there, if only with points that were not hit.
 * @retval HS_E_FIELD   There are no points of this protocol.
 * @retval HS_E_MEMORY  Out of memory.
 */
HS_STATIC enum hs_status hs_points_begin(struct hs_points *p, const struct hs_protocol *protocol,
                                         const void *config);
/**
 * The next message of that trace, as hs_protocol's readers and hs_source_message() give it.
 * @retval HS_OK
 * @retval HS_E_ARG     No trace has begun.
 * @retval HS_E_MEMORY  Out of memory: it is not counted.
 */
HS_STATIC enum hs_status hs_points_add(struct hs_points *p, const struct hs_message *m);

/**
 * A run of a port begins; the set is "port".
 * @param config  Resolved, as struct hs_port has it; copied.
 * @retval HS_OK
 * @retval HS_E_MEMORY  Out of memory.
 */
HS_STATIC enum hs_status hs_points_begin_port(struct hs_points *p,
                                              const struct hs_port_config *config);
/**
 * The next row that hs_port_clock() accepted.
 * @retval HS_OK
 * @retval HS_E_ARG  No run has begun.
 */
HS_STATIC enum hs_status hs_points_add_cycle(struct hs_points *p, const struct hs_port_cycle *c);

/** How many sets there are, in the order in which they came. */
HS_STATIC size_t hs_points_sets(const struct hs_points *p);
/** @return  false: there is no set @set; *out is unchanged. */
HS_STATIC bool hs_points_get_set(const struct hs_points *p, size_t set, struct hs_points_set *out);
/** @return  false: set @set has no point @i; *out is unchanged. */
HS_STATIC bool hs_points_get(const struct hs_points *p, size_t set, size_t i, struct hs_point *out);

/**
 * Add the counts of a file: what hs_points_write() wrote, or `hartscope stat --coverage --json`
 * printed.  Sets that were not there come after the others.
 *
 * @retval HS_OK
 * @retval HS_E_FORMAT  It is no file of counts: nothing was added.
 * @retval HS_E_FIELD   It has a set or a point that this version does not have, or a count that is
 *                      no number: nothing was added.
 * @retval HS_E_SYSTEM  It cannot be read, or is no regular file: nothing of it was taken, and
 *                      errno says why (ENOENT: there is none).
 * @retval HS_E_MEMORY  Out of memory: nothing was added.
 */
HS_STATIC enum hs_status hs_points_read(struct hs_points *p, const char *path, struct hs_error *e);
/**
 * Write them as JSON, which hs_points_read() and `stat --coverage` read.  A file that is there is
 * replaced when the new one is whole (design/whole-files).
 *
 * @retval HS_OK
 * @retval HS_E_SYSTEM  It cannot be written: what was there is unchanged.
 * @retval HS_E_MEMORY  Out of memory, likewise.
 */
HS_STATIC enum hs_status hs_points_write(const struct hs_points *p, const char *path,
                                         struct hs_error *e);

/**
 * Write them in the interchange form of UCIS 1.0, for the coverage tools of others.
 * @param time  When it is written, in seconds since 1970.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  @write returned false.
 * @retval HS_E_MEMORY
 */
HS_STATIC enum hs_status hs_points_write_ucis(const struct hs_points *p, int64_t time,
                                              hs_write_fn write, void *context);

/* ---- executions that reach points ---------------------------------------------------- */

/** A corner of a protocol: an execution whose trace reaches a point. */
struct hs_corner {
	const char *name;     /**< among those of its protocol */
	const char *protocol; /**< "ntrace" or "etrace" */
	const char *settings; /**< parameters of the trace: NAME=VALUE, separated by spaces */
	const char *script;   /**< what is executed, in words (src/encode/corner_script.c) */
	const char *point;    /**< its name in the set of the protocol */
};

/** The corners by number, 0 and on. @return NULL past the last. */
HS_STATIC const struct hs_corner *hs_corner_at(size_t index);

/**
 * Write a recording of a corner: a small program, and what it executes.
 * @param seed  Changes addresses, sizes of instructions and distances.
 * @param path  Of the recording; one that is there is replaced when the new one is whole.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The script has no execution with this seed.
 * @retval HS_E_SYSTEM  It cannot be written.
 * @retval HS_E_MEMORY
 */
HS_STATIC enum hs_status hs_corner_record(const struct hs_corner *corner, uint64_t seed,
                                          const char *path, struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
