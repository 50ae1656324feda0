/* What the files of parameters share. */
#ifndef HS_PARAMS_PRIVATE_H
#define HS_PARAMS_PRIVATE_H

#include <jansson.h>

#include <hartscope/capture.h>
#include <hartscope/trace_params.h>

#include "support/digest.h"
#include "trace/protocol.h"

struct hs_trace_params {
	const struct hs_protocol *protocol;
	void *config;
	bool *given;         /* by number of parameter: a file or the caller gave it */
	bool protocol_given; /* by the caller: files do not change it */
	bool plain;          /* nothing but leading parameters was set: the others are defaults */
	bool sync_decided;   /* something said how to synchronise, or could have */
	bool width_decided;  /* the same of the width of addresses */
	bool width_followed; /* the program decided it */
	bool moving;         /* they were read from TRACE.new.json */
	bool described;      /* by something that says all parameters that are not the defaults */
	char *transport, *vcd_clock, *vcd_data, *recording;
	struct hs_rec_process *processes;
	size_t process_count;
	struct hs_source_part *sources; /* with paths and parameters of its own */
	size_t source_count;
	struct support_digest trace, code; /* of the files, as TRACE.json has them */
	struct hs_registers *registers;    /* the last that were read; NULL: none */
};

/* params.c: start afresh with the defaults of a protocol. */
enum hs_status params_start(struct hs_trace_params *p, const char *protocol,
                            struct hs_error *error);
/* Does a list that ends with NULL, and may be NULL, have this name? */
bool params_listed(const char *const *list, const char *name);
/* A file or the caller gave the parameter @name. */
void params_note_given(struct hs_trace_params *p, const char *name);
/* Drop the sources; keep a copy of registers. */
void params_free_sources(struct hs_trace_params *p);
enum hs_status params_keep_registers(struct hs_trace_params *p, const struct hs_registers *r,
                                     struct hs_error *error);
/* set.c: what the registers of a file say; and without a protocol from elsewhere trTeFormat says
 * which one it is. */
enum hs_status params_set_registers(struct hs_trace_params *p, const char *path,
                                    const struct hs_registers *r, struct hs_error *error);
enum hs_status params_follow_format(struct hs_trace_params *p, const struct hs_tc_regs *r,
                                    struct hs_error *error);
/* discovery.c: the discovery registers of a dump; none is good, too. */
struct hs_registers;
enum hs_status params_set_info(struct hs_trace_params *p, const struct hs_registers *r,
                               const char *where, struct hs_error *error);
/* The words of discovery registers, separated by commas or spaces. */
enum hs_status params_set_discovery_text(struct hs_trace_params *p, const char *text,
                                         struct hs_error *error);
/* Add a program of a context. */
enum hs_status params_add_process(struct hs_trace_params *p, const struct hs_rec_process *process);

/* faults.c: of parameters that are refused, which have to change and what is legal for each:
 * "a=3 (legal: 0, 1) or b=2 (legal: 4 to 22)"; with "and" where several have to. */
void params_say_faults(const struct hs_trace_params *params, char *text, size_t size);

/* encoders.c: another encoder follows in a dump, or none; @first keeps the first one.  HS_OK, or
 * HS_E_FORMAT: their trace cannot be one stream. */
enum hs_status params_next_encoder(struct hs_registers *r, struct hs_tc_regs *first,
                                   const char *path, struct hs_error *error);
enum hs_status params_last_encoder(struct hs_registers *r, struct hs_tc_regs *first,
                                   const char *path, struct hs_error *error);

/* read.c: @json: it must be JSON, otherwise its first character says which of the two it is. */
enum hs_status params_read(struct hs_trace_params *p, const char *text, size_t n, const char *name,
                           bool json, struct hs_error *error);
/* The protocol and settings of an object.  @whole: it was written with a trace, and has all that
 * differs from the defaults; otherwise its settings mean what they mean as hs_setting. */
enum hs_status params_read_own(struct hs_trace_params *p, const char *file, const json_t *root,
                               bool whole, struct hs_error *error);
/* write.c: @json, or NULL where it could not be made whole; then it is freed. */
json_t *params_whole(json_t *json, bool good);
/* The same as an object; NULL: no memory. */
json_t *params_own_json(const struct hs_trace_params *p);

/* sources.c */
enum hs_status params_read_sources(struct hs_trace_params *p, const char *file, const json_t *list,
                                   bool whole, struct hs_error *error);
json_t *params_sources_json(const struct hs_trace_params *p, const char *trace);

/* perf.c: what a perf.data says of its encoders, if it *has such words.  Its format decides the
 * protocol, unless something else did. */
enum hs_status params_read_perf(struct hs_trace_params *p, const char *path,
                                struct hs_perf_cpu *cpu, bool *has, struct hs_error *error);
enum hs_status params_set_cpu(struct hs_trace_params *p, const struct hs_perf_cpu *c,
                              struct hs_error *error);
/* files.c: the digests of the files of a trace, in its JSON and out of it. */
enum hs_status params_read_digests(struct hs_trace_params *p, const char *file, const json_t *root,
                                   struct hs_error *error);
/* Is TRACE.new.json the one of @trace, and not what @p was read from? */
enum hs_status params_choose(const struct hs_trace_params *p, const char *trace, bool *next,
                             struct hs_error *error);
enum hs_status params_add_digests(json_t *root, const char *trace, struct hs_error *error);
/* lines.c */
enum hs_status params_read_lines(struct hs_trace_params *p, const char *text, size_t n,
                                 const char *name, struct hs_error *error);

/* paths.c: all allocated; NULL without memory. */
char *params_join(const char *a, const char *b);
/* @path, which is relative to the folder of @file. */
char *params_path_from(const char *file, const char *path);
/* False where there certainly is no such file. */
bool params_path_exists(const char *path);
/* @path as it is seen from the folder of @file; NULL, with errno, also when one of them does not
 * exist. */
char *params_path_to(const char *file, const char *path);

#endif
