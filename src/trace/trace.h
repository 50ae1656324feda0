/* Protocols by name, and the parameters of a trace, for the other rooms: each file of this one
 * includes what it needs. */
#ifndef HS_TRACE_TRACE_H
#define HS_TRACE_TRACE_H

#include <hartscope/protocol.h>
#include <hartscope/trace_params.h>

#include "trace/params.h"
#include "trace/protocol.h"

/* ---- trace_params.h ---- */

/**
 * Add a source, which TRACE.json then has; hs_source_open() takes these where its caller gives
 * none.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
enum hs_status hs_trace_params_add_source(struct hs_trace_params *params,
                                          const struct hs_source_part *part);

/** The same, for the functions of struct hs_protocol that change it. */
void *hs_trace_params_edit_config(struct hs_trace_params *params);

/** The registers that were read or set last, NULL: none; they live until @params change. */
const struct hs_registers *hs_trace_params_registers(const struct hs_trace_params *params);

/** Which parameter has this name; param_count: none. */
unsigned hs_protocol_param(const struct hs_protocol *p, const char *name);

/** The value of a parameter by name; 0 where the protocol has none. */
uint64_t hs_protocol_number(const struct hs_protocol *p, const void *config, const char *name);

/** The same of parameters. */
uint64_t hs_trace_params_number(const struct hs_trace_params *params, const char *name);

/** Did a file, registers or a setting choose this parameter?  A 0 of registers is the default. */
bool hs_trace_params_chose(const struct hs_trace_params *params, const char *name);

/** Give addresses the width of the program's harts, unless a file, a discovery record or a setting
 * decided. */
void hs_trace_params_set_default_width(struct hs_trace_params *params, const struct hs_isa *isa);

/** The same from a dump of registers, whose trTeFormat decides the protocol unless something else
 * did: results also as hs_registers_read(). */
enum hs_status hs_trace_params_read_registers(struct hs_trace_params *params, const char *path,
                                              struct hs_error *error);

/** A copy that shares nothing with @params. @retval HS_OK @retval HS_E_MEMORY */
enum hs_status hs_trace_params_copy(const struct hs_trace_params *params,
                                    struct hs_trace_params **copy);

/**
 * The same from memory.
 * @param text  All of it is taken.
 * @param name  For messages; paths in the text are relative to its folder.
 * Results as hs_trace_params_read_file(), without HS_E_SYSTEM.
 */
enum hs_status hs_trace_params_read(struct hs_trace_params *params, struct hs_span *text,
                                    const char *name, struct hs_error *error);

/**
 * Read a file like TRACE.json, which begins with '{', or one of NAME = VALUE lines.
 *
 * JSON replaces all parameters that were set before.  Where it has the checksum of a trace, it says
 * all that differs from the defaults of each parameter; in other files, and where lines are the
 * first that is read, parameters mean what they mean to hs_trace_params_set().  Lines replace only
 * what they name; '#' and ';' begin comments, lines that begin with '[' are titles.
 *
 * @retval HS_OK
 * @retval HS_E_SYSTEM  The file cannot be read.
 * @retval HS_E_FORMAT  Damaged JSON, or JSON that does not describe a trace; more than 16 MiB.
 * @retval HS_E_CONFIG  No such protocol, parameter or value; a line that is not NAME = VALUE.
 * @retval HS_E_MEMORY
 * After an error some of the file's parameters may be set.
 */
enum hs_status hs_trace_params_read_file(struct hs_trace_params *params, const char *path,
                                         struct hs_error *error);

/** Path of the recording that the trace was made from, may be NULL.
 * @retval HS_OK @retval HS_E_MEMORY */
enum hs_status hs_trace_params_set_recording(struct hs_trace_params *params, const char *recording);

/**
 * Write TRACE.json next to the trace @trace; paths are stored relative to its folder.  It has the
 * sizes and checksums of the trace and of TRACE.code where these exist, so it is written after
 * them.  An older one is replaced when the new one is whole.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  It cannot be written.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_trace_params_write_beside(const struct hs_trace_params *params, const char *trace,
                                            struct hs_error *error);

/** The trace begins with @bytes: where nothing said what it is, and they do, it is that.  True: it
 * is; the protocol may be another one. */
bool hs_trace_params_recognise(struct hs_trace_params *params, const struct hs_span *bytes);

/* ---- protocol.h ---- */

/**
 * The configuration of an encoder of E-Trace (etrace.h), for models that have one.
 * @param[out] et  Written with HS_OK; its size need not be set.
 * @retval HS_OK
 * @retval HS_E_ARG  @p is another protocol.
 */
enum hs_status hs_protocol_get_etrace(const struct hs_protocol *p, const void *config,
                                      struct hs_et_config *et);

/** The same of its data trace (et_data.h). */
enum hs_status hs_protocol_get_etrace_data(const struct hs_protocol *p, const void *config,
                                           struct hs_et_data_config *data);

/**
 * Set one parameter.  Values are decimal, 0x hexadecimal, or a word of the parameter.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No parameter has this name, or it cannot have this value; @error lists the
 *                      names or values that there are.
 */
enum hs_status hs_protocol_set(const struct hs_protocol *p, void *config, const char *name,
                               const char *value, struct hs_error *error);

/** Add @count of a protocol's types to @n of @sum, which has room for @cap.
 * @return  How many @sum then has. */
unsigned hs_message_counts_add(struct hs_message_count *sum, unsigned n, unsigned cap,
                               const struct hs_message_count *v, unsigned count);

/** @return  Types of messages written to @out, at most @cap. */
unsigned hs_encoder_counts(const struct hs_encoder *encoder, struct hs_message_count *out,
                           unsigned cap);

/** From the next block on, parameters that are running have the values that they have in @config;
 * the others hold.
 * @retval HS_OK
 * @retval HS_E_CONFIG       The encoder cannot have them together.
 * @retval HS_E_UNSUPPORTED  No packet could say so. */
enum hs_status hs_encoder_set_options(struct hs_encoder *encoder, const void *config);

/** Make the configuration that of hart number @hart. */
void hs_protocol_set_hart(const struct hs_protocol *p, void *config, uint32_t hart);

/** Make room for @sources harts, unless a parameter already does.
 * @retval HS_OK
 * @retval HS_E_CONFIG  More harts than the protocol or its parameters allow. */
enum hs_status hs_protocol_set_sources(const struct hs_protocol *p, void *config, uint32_t sources);

/* ---- which version of the code ran ----
 *
 * A decoder with evidence (<hartscope/protocol.h> says what it finds).  Code that the last image does
 * not keep may have been patched before it went.  A Linux kernel has tables of the places that it
 * patches, and with what (jump labels, alternatives): they are looked for in the first image, and
 * count as versions there.  Where no version fits, decoding resumes at the next address of the
 * trace.  design/code-versions.
 *
 * Calls are those of a protocol's decoder.  One belongs to one thread at a time. */

/** What to decode. */
struct hs_code_search_options {
	uint32_t size;  /**< sizeof(struct hs_code_search_options) */
	uint32_t count; /**< images, at least 1, at most 64 */
	const struct hs_protocol *protocol;
	const void *config; /**< of the protocol */
	/** The code in the order of time.  What a later image lacks is as before it; what only a
	 * later one has is there from the start.  The first says which instructions there are. */
	const struct hs_image *images;
	/** Also HS_KIND_VERSION, where a source finds a later version: arg is the number of the
	 * change. */
	bool versions;
};

/** Start.  What @options point to is copied, but for the configuration, which is kept.
 * @retval HS_OK
 * @retval HS_E_CONFIG  As the protocol's decoder_new; no images, or too many; @options has unknown
 *                      bytes that are not zero.
 * @retval HS_E_MEMORY */
enum hs_status hs_code_search_new(const struct hs_code_search_options *options,
                                  struct hs_code_search **search);

void hs_code_search_free(struct hs_code_search *e); /**< NULL is allowed */

/** As the protocol's decode; blocks come some thousand bytes of trace later.
 * @param cap  At least 64. */
enum hs_status hs_code_search_decode(struct hs_code_search *e, struct hs_span *in,
                                     struct hs_block *out, size_t cap, size_t *count);

/** As the protocol's decode_end. */
enum hs_status hs_code_search_end(struct hs_code_search *e, struct hs_block *out, size_t cap,
                                  size_t *count);

/** Part of the input is missing here. */
void hs_code_search_lose(struct hs_code_search *e);

/** Describe the last error, as the protocol's decoder_diag. */
enum hs_reason hs_code_search_diag(const struct hs_code_search *e, struct hs_error *error);

/** Messages by type, as the protocol's decoder_counts. */
unsigned hs_code_search_counts(const struct hs_code_search *e, struct hs_message_count *out,
                               unsigned cap);

#endif
