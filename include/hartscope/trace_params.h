/* The parameters of a trace: all that reading or writing it needs, but its bytes and program.
 *
 * They are the protocol with its configuration, how the bytes were transported, the recording that
 * the trace was made from, and the programs of contexts.  They come from TRACE.json next to the
 * trace, from configuration files, from trace control registers, from a discovery record and from
 * single settings; each call replaces what calls before it set.
 *
 * Two sets of parameters share nothing: each may be used by one thread at a time.
 */
#ifndef HARTSCOPE_TRACE_PARAMS_H
#define HARTSCOPE_TRACE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/control.h>
#include <hartscope/protocol.h>
#include <hartscope/recording.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_trace_params;

/** A parameter of a protocol and its value, as in --set NAME=VALUE. */
struct hs_setting {
	const char *name, *value;
};

/**
 * The defaults of a protocol.
 * @param protocol  A name; NULL: N-Trace, until a JSON file names another one.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No protocol has this name.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_trace_params_new(const char *protocol, struct hs_trace_params **params,
                                          struct hs_error *error);
HS_API void hs_trace_params_free(struct hs_trace_params *params); /**< NULL is allowed */

/* ---- reading ------------------------------------------------------------------ */

/** Read TRACE.json next to the trace @trace.  Without such a file nothing changes.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  The file cannot be read.
 * @retval HS_E_FORMAT  Damaged JSON, or JSON that does not describe a trace; more than 16 MiB.
 * @retval HS_E_CONFIG  No such protocol, parameter or value.
 * @retval HS_E_MEMORY
 * After an error some of its parameters may be set. */
HS_API enum hs_status hs_trace_params_read_beside(struct hs_trace_params *params, const char *trace,
                                                  struct hs_error *error);

/**
 * Set one parameter of the protocol.  The name "discovery" takes the words of
 * a discovery packet, separated by commas or spaces.
 *
 * Some parameters (E-Trace: version, dialect) decide the defaults of others: these defaults follow
 * as long as nothing else was set or read.
 *
 * @retval HS_OK
 * @retval HS_E_CONFIG  No parameter has this name, or it cannot have this value; @error lists the
 *                      names or values that there are.
 */
HS_API enum hs_status hs_trace_params_set(struct hs_trace_params *params, const char *name,
                                          const char *value, struct hs_error *error);

/**
 * Take parameters from trace control registers; registers that were not read change nothing.
 * @retval HS_OK
 * @retval HS_E_CONFIG  They are of an encoder of another protocol or version, or contradict each
 *                      other.
 */
HS_API enum hs_status hs_trace_params_set_registers(struct hs_trace_params *params,
                                                    const struct hs_tc_regs *registers,
                                                    struct hs_error *error);

/** What suits files, unless registers or the TRACE.json of a trace decided: context marks, and to
 * synchronise periodically where trTeInstSyncMode was not set, as trTeInstSyncMax says. */
HS_API void hs_trace_params_set_default_sync(struct hs_trace_params *params);

/**
 * The parameters that decide where the fields of messages are and that nothing gave: neither a
 * setting, a file, TRACE.json, a discovery record nor, for the width of addresses, a program.
 * @param[out] text  NAME=VALUE, a space between them; 400 bytes are enough for all.
 * @return  Are there any?
 */
HS_API bool hs_trace_params_get_assumed(const struct hs_trace_params *params, char *text,
                                        size_t size);

/** How the bytes are transported.  @param transport  A name of hs_transport_names(); NULL: raw.
 * @retval HS_OK @retval HS_E_MEMORY */
HS_API enum hs_status hs_trace_params_set_transport(struct hs_trace_params *params,
                                                    const char *transport);

/** Do the parameters go together?
 * @retval HS_OK
 * @retval HS_E_CONFIG  @error names those that have to change, and the legal values of each. */
HS_STATIC enum hs_status hs_trace_params_check(const struct hs_trace_params *params,
                                               struct hs_error *error);

/** Where parameters come from; the later member wins over the earlier. */
struct hs_trace_params_options {
	uint32_t size;          /**< sizeof(struct hs_trace_params_options) */
	uint32_t config_count;
	const char *protocol;   /**< NULL: as JSON says, or trTeFormat of the registers, or N-Trace;
	                             otherwise it wins over JSON */
	const char *trace;      /**< the trace whose TRACE.json is read where it exists, unless
	                             there are @configs; NULL: none */
	const char *const *configs; /**< files like TRACE.json, or of NAME = VALUE lines
	                             in which '#' and ';' begin comments and '[' titles */
	const char *registers; /**< a dump of trace control registers, whose trTeFormat decides the
	                             protocol unless something else did; may be NULL */
	const struct hs_setting *settings;
	size_t setting_count;
};

/**
 * All of the above in one call, and a check at the end whether the parameters go together.  Sizes
 * that the first support packet of a trace says (E-Trace 2.1) may be missing: a source takes them
 * from the trace, an encoder refuses.
 * @retval HS_OK
 * @retval HS_E_CONFIG  @options has unknown bytes that are not zero; or as the calls above.
 * Other results as the calls above.
 */
HS_API enum hs_status hs_trace_params_open(const struct hs_trace_params_options *options,
                                           struct hs_trace_params **params,
                                           struct hs_error *error);

/* ---- asking ------------------------------------------------------------------- */

HS_API const struct hs_protocol *hs_trace_params_protocol(const struct hs_trace_params *params);

/** The configuration, of protocol->config_size bytes; it belongs to @params. */
HS_API const void *hs_trace_params_config(const struct hs_trace_params *params);

struct hs_registers;

/** One of several sources of a trace, each with an encoder of its own: a source of CoreSight
 * frames, or another capture. */
struct hs_source_part {
	uint8_t id;       /**< frames: its ID, 1 to HS_FRAME_SOURCE_MAX; 0: @path is a capture */
	const char *path; /**< a capture like that of the options, of another hart */
	uint32_t hart;    /**< its hart, where its messages do not carry a source */
	const struct hs_trace_params *params; /**< copied; NULL: those of the options, or of the
	                                           TRACE.json next to @path */
};

/** What is no parameter of the protocol.  NULL: not known. */
struct hs_trace_info {
	const char *transport; /**< a name of hs_transport_names() */
	const char *vcd_clock, *vcd_data; /**< as in struct hs_capture_options */
	const char *recording; /**< a path */
	const struct hs_rec_process *processes; /**< programs of contexts */
	size_t process_count;
	const struct hs_source_part *sources;
	size_t source_count;
};

/** Everything in @info lives until @params change. */
HS_API void hs_trace_params_get_info(const struct hs_trace_params *params,
                                     struct hs_trace_info *info);

/**
 * Is a trace the one that TRACE.json describes?  It has the size and checksum of the trace since
 * hs_encode_end() wrote it; all of the trace is read for that.
 * @param trace  Its path.  What is no regular file, and a trace of which @params know nothing, is
 *               not looked at.
 * @retval HS_OK
 * @retval HS_E_CUT     It has another size or checksum: it is cut, damaged or another trace.
 * @retval HS_E_SYSTEM  It cannot be read.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_trace_params_verify(const struct hs_trace_params *params,
                                             const char *trace, struct hs_error *error);

/**
 * The name with which hs_code_changes_beside() finds the code of a trace.
 * @param[out] stem  @trace, TRACE.new where hs_trace_move() was interrupted, or NULL where the
 *                   trace has no such code.  The caller frees it.
 * @retval HS_OK
 * @retval HS_E_CUT     TRACE.json describes such a file, and another one or none is there.
 * @retval HS_E_SYSTEM  It cannot be read.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_trace_params_find_code(const struct hs_trace_params *params,
                                                const char *trace, char **stem,
                                                struct hs_error *error);

/* ---- writing ------------------------------------------------------------------ */

/**
 * Give a trace, its TRACE.code and its TRACE.json other names; those that have these names are
 * replaced.  Whenever that is interrupted, hs_trace_params_read_beside() and
 * hs_trace_params_find_code() find the files that go together: the old ones or the new ones.
 * @param from  @to with ".new".
 * @retval HS_OK
 * @retval HS_E_SYSTEM  A file cannot be renamed.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_trace_move(const char *from, const char *to, struct hs_error *error);

/** The text of TRACE.json to a function, with paths as they are, without
 * sizes and checksums.
 * @retval HS_OK @retval HS_E_SYSTEM  @write refused. @retval HS_E_MEMORY */
HS_API enum hs_status hs_trace_params_write(const struct hs_trace_params *params, hs_write_fn write,
                                            void *context);

/* ---- dumps of registers -------------------------------------------------------------
 *
 * Dumps of trace control registers, from files.
 *
 * hs_registers_read() may run on several threads at once, but only one may read standard input.
 */

#define HS_REGISTERS_ENCODERS 64

/** The contents of a file.  hs_tc_dump_line() describes its lines; each section [encoder BASE] with
 * another base is another encoder.  Sections [encoder0 BASE] and [funnel0 BASE] have SiFive's
 * registers of version 0, which are read as those of 1.0 that mean the same; a trace with them has
 * the dialect sifive. */
struct hs_registers {
	struct hs_tc_dump dump; /**< of several encoders: the first, with the options that another
	                             one has for a decode, too */
	uint32_t count;         /**< different registers */
	uint32_t unknown;       /**< lines with a register that the Trace Control Interface does not
	                             have; they were skipped */
	uint32_t first_unknown; /**< number of the first such line, from 1; 0: none */
	uint32_t discovery_known; /**< bit i: a line has discovery_info_i */
	uint64_t discovery[2];    /**< discovery_info_0 and discovery_info_1 of E-Trace (ET Example
	                            ipxact description), for the parameter "discovery" */
	uint32_t encoders;        /**< how many encoders have registers here */
	uint16_t sources[HS_REGISTERS_ENCODERS]; /**< their trTeSrcID, as many as there is room */
	uint8_t sifive; /**< SiFive's of version 0: bit 0, the encoders; bit 1, the sink */
};

/**
 * Read a dump of registers.
 * @param path  "-": standard input.
 * @retval HS_OK        *r is filled.
 * @retval HS_E_SYSTEM  The file cannot be read.
 * @retval HS_E_FORMAT  A line has none of the forms, or is too long, or there is no register; or
 *                      the trace of several encoders cannot be one stream: they differ in
 *                      trTeSrcBits (NT 11.2) or in what a decode cannot see.
 */
HS_API enum hs_status hs_registers_read(const char *path, struct hs_registers *r,
                                        struct hs_error *error);

/** The buffer of a RAM sink, as its registers have it (TCI 7). */
struct hs_registers_ram {
	uint64_t start, limit; /**< addresses of its first and last word */
	uint64_t wp;           /**< where the next word goes */
	bool wrapped;          /**< trRamWrap */
	bool stop_on_wrap;     /**< trRamStopOnWrap */
	bool at_work;          /**< it was enabled, or had trace inside, when it was read: the
	                            buffer may have changed since */
};

/**
 * Where the trace of a RAM sink is.
 * @retval true
 * @retval false  trRamLimitLow or trRamWPLow was not read (trRamStart, and upper halves, are 0 if
 *                not); nothing is stored: these are registers from before the trace; or the version
 *                is not one that this text has.  *ram is unchanged.
 */
HS_API bool hs_registers_get_ram(const struct hs_registers *registers,
                                 struct hs_registers_ram *ram);

/**
 * Say what a tool says of a component's version (TCI 5, note): name, base, version, what is
 * supported, and tr??Impl in hexadecimal.
 * @param[out] text  One line, cut at @size with a terminator.
 * @return  As hs_tc_version_of().
 */
HS_API enum hs_tc_version hs_registers_version_text(const struct hs_registers *registers,
                                                    unsigned component, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
