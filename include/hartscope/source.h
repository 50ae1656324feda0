/* Where blocks come from: a recording, a decoded flow or a trace, behind one iterator. */
#ifndef HARTSCOPE_SOURCE_H
#define HARTSCOPE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/capture.h>
#include <hartscope/error.h>
#include <hartscope/program.h>
#include <hartscope/protocol.h>
#include <hartscope/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_source;

/** A file that holds code. */
enum hs_code_kind {
	HS_CODE_ELF,  /**< --elf FILE[@BIAS] */
	HS_CODE_RAW,  /**< --bin FILE@ADDRESS */
	HS_CODE_IMAGE /**< --image REC: the snapshot of a recording */
};

struct hs_code_file {
	enum hs_code_kind kind;
	const char *path;
	uint64_t address; /**< bias or load address */
	bool has_address;
	bool has_context; /**< it is of the program of a context: --process; an ELF or a recording */
	uint64_t context; /**< scontext (NT 7.1) */
};

/** A parameter that a person gave. */
struct hs_setting {
	const char *name, *value;
};

#define HS_ALL_HARTS (-1)

/** What to open and how. */
struct hs_source_options {
	const char *path;     /**< a directory (recording or flow), a file (trace), or "-" */
	const char *protocol; /**< of a trace; NULL: what TRACE.json says, or "ntrace" */
	const char *config;   /**< a file like TRACE.json, or of NAME = VALUE lines; NULL: TRACE.json where it
	                           is there */
	const char *const *more_configs; /**< more files of NAME = VALUE lines, which win over it */
	size_t more_count;
	const char *registers; /**< a dump of trace control registers (registers.h), or NULL; it wins
	                            over the file */
	const struct hs_setting *settings; /**< they win over both */
	size_t setting_count;
	const struct hs_code_file *code; /**< none: the recording's snapshot */
	size_t code_count;
	const struct hs_custom *custom; /**< custom instructions that may change the PC (isa.h) */
	uint8_t custom_count;
	int64_t hart;  /**< this hart alone, or HS_ALL_HARTS */
	bool names;    /**< also find the files of a recording for functions and lines */
	bool no_code;  /**< a trace is opened for hs_source_message() alone: no program is needed */
	struct hs_capture_options capture; /**< how its bytes came; what is NULL here is as TRACE.json
	                                        says.  src_bits is the protocol's */
};

/**
 * Open a source.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  A file is not there or cannot be read.
 * @retval HS_E_FORMAT  A file is not what it should be.
 * @retval HS_E_CONFIG  A parameter is wrong, or no program is known for a trace.
 * @retval HS_E_ARG     The recording has no such hart.
 * @retval HS_E_UNSUPPORTED  Not a RISC-V program, or a newer recording.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_source_open(const struct hs_source_options *options,
                                     struct hs_source **source, struct hs_error *error);
HS_API void hs_source_close(struct hs_source *source); /**< NULL is allowed */

/**
 * The next blocks and events.  Where there are several harts, HS_KIND_HART stands before the
 * first item of each and wherever the hart changes.
 *
 * @param[out] n  Entries of @out written; also with errors.
 *
 * @retval HS_OK   *n may be 0: call again.
 * @retval HS_END  No more; *n is 0.
 * Any other status is damage or a failure that @error describes; call again for what follows
 * it, up to HS_END.
 */
HS_API enum hs_status hs_source_next(struct hs_source *source, struct hs_block *out, size_t cap,
                                     size_t *n, struct hs_error *error);

/** The next message of a trace instead.  Results as hs_source_next(). */
HS_API enum hs_status hs_source_message(struct hs_source *source, struct hs_message *m,
                                        struct hs_error *error);

/** The bytes of a trace instead, as they came through its transport.
 * @param cap     At least 4096.
 * @param[out] n  Bytes written to @out; also with errors.
 * @retval HS_OK   *n may be 0: call again.
 * @retval HS_END  No more, or not a trace.
 * Any other status as hs_capture_read(). */
HS_API enum hs_status hs_source_read(struct hs_source *source, uint8_t *out, size_t cap, size_t *n,
                                     struct hs_error *error);

/** Read again from the start. @retval HS_OK @retval HS_E_SYSTEM  It cannot (standard input). */
HS_API enum hs_status hs_source_rewind(struct hs_source *source, struct hs_error *error);

/** The code behind the blocks; NULL without. Belongs to the source. */
HS_API struct hs_program *hs_source_program(struct hs_source *source);

/** The programs of all contexts; hs_source_program() is the first.  Belongs to the source. */
HS_API const struct hs_program_set *hs_source_programs(const struct hs_source *source);

/** Path of the program: the first ELF given, or what a recording says; NULL if not known. */
HS_API const char *hs_source_program_path(const struct hs_source *source);

/** The files of the programs of contexts, as they were found; NULL without. */
HS_API const struct hs_rec_process *hs_source_processes(const struct hs_source *source,
                                                        size_t *count);

/** The files of a program as mappings with absolute paths, for struct hs_rec_writer_options.
 * @return  An array of @count, freed by hs_maps_free(); NULL when there are none. */
HS_API struct hs_rec_map *hs_program_maps(const struct hs_program *program, size_t *count);
HS_API void hs_maps_free(struct hs_rec_map *maps, size_t count);

/** What a recording says of itself; NULL for a trace. */
HS_API const struct hs_rec_info *hs_source_info(const struct hs_source *source);

/** The recording itself; NULL for a trace. */
HS_API struct hs_rec *hs_source_recording(struct hs_source *source);

/** Protocol and counters of a trace: NULL and 0 for a recording. */
HS_API const struct hs_protocol *hs_source_protocol(const struct hs_source *source);
HS_API unsigned hs_source_counts(const struct hs_source *source, struct hs_message_count *out,
                                 unsigned cap);

/** How the bytes of a trace came. @return false for a recording. */
HS_API bool hs_source_capture(const struct hs_source *source, struct hs_capture_report *out);

/** Bytes of trace read so far, and in all (0 when not known). */
HS_API uint64_t hs_source_bytes(const struct hs_source *source, uint64_t *total);

/** Is @path a recording or flow: a directory with manifest.json? */
HS_API bool hs_is_recording(const char *path);

/**
 * The parameters of a trace: of the protocol's defaults, TRACE.json beside @options->path or
 * @options->config, @options->registers and @options->settings, the later win.
 * @param[out] config  Freed by the caller with free().
 * @retval HS_OK
 * @retval HS_E_CONFIG  No such protocol, parameter or value.
 * @retval HS_E_FORMAT  A file is not the parameters of a trace.
 * @retval HS_E_SYSTEM  A file cannot be read.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_trace_read_config(const struct hs_source_options *options,
                                           const struct hs_protocol **protocol, void **config,
                                           struct hs_error *error);

/**
 * Write TRACE.json: the parameters of a trace that was just encoded.
 * @param recording  Path of the recording, stored relative to the trace's folder; may be NULL.
 * @param transport  A name of hs_transport_names(); NULL: raw bytes.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  It cannot be written.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_trace_write_config(const char *trace, const struct hs_protocol *p,
                                            const void *config, const char *recording,
                                            const char *transport, struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
