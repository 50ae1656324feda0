/* Trace systems: encoders, funnels, RAM sinks, pins and bridges with their registers, as a file
 * describes them (docs/trace-systems.md), and what the harts of a recording leave in their sinks.
 *
 *     struct hs_trace_system *s;
 *
 *     hs_trace_system_new("board.system", &s, &error);
 *     hs_trace_system_open(s, &options, &error);       the harts, and the registers as they are set
 *     hs_trace_system_run(s, &error);                  all of it; what sinks get goes to
 *     hs_trace_system_free(s);                         options.write
 *
 * Threads: an object belongs to one thread at a time; two of them share nothing.
 */
#ifndef HARTSCOPE_TRACE_SYSTEM_H
#define HARTSCOPE_TRACE_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/control.h>
#include <hartscope/encode.h>

#ifdef __cplusplus
extern "C" {
#endif

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
HS_API enum hs_status hs_trace_system_new(const char *path, struct hs_trace_system **system,
                                          struct hs_error *error);
HS_API void hs_trace_system_free(struct hs_trace_system *system); /**< NULL is allowed */

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
HS_API bool hs_trace_system_get(const struct hs_trace_system *system, unsigned i,
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
HS_API enum hs_status hs_trace_system_open(struct hs_trace_system *system,
                                           const struct hs_trace_system_options *options,
                                           struct hs_error *error);

/**
 * Run all harts to their ends, and disable what traces them.
 * @retval HS_OK        Also where an encoder could not trace a block: options.fault says it.
 * @retval HS_E_SYSTEM  options.write refused.
 */
HS_API enum hs_status hs_trace_system_run(struct hs_trace_system *system, struct hs_error *error);

/** Clocks that have passed. */
HS_API uint64_t hs_trace_system_cycles(const struct hs_trace_system *system);

/**
 * The registers of a sink and of all that leads to it, as a dump that hs_registers_read() takes.
 * @retval HS_OK
 * @retval HS_E_ARG     Component @i is no sink.
 * @retval HS_E_SYSTEM  @write refused.
 */
HS_API enum hs_status hs_trace_system_write_registers(struct hs_trace_system *system, unsigned i,
                                                      hs_write_fn write, void *to);

/**
 * Write TRACE.json of what a sink got: the parameters by its registers, and the recording.
 * @param registers  A file with what hs_trace_system_write_registers() wrote.
 * @param trace      The file with its bytes.
 * @retval HS_OK
 * @retval HS_E_ARG     Component @i is no sink.
 * Any other status as hs_trace_params_read_registers() or hs_trace_params_write_beside().
 */
HS_API enum hs_status hs_trace_system_write_params(struct hs_trace_system *system, unsigned i,
                                                   const char *registers, const char *trace,
                                                   struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
