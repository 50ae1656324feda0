/* What imports share: the formats, how they are recognised, and an import of one that runs. */
#ifndef HS_INPUTS_IMPORT_H
#define HS_INPUTS_IMPORT_H

#include <hartscope/record.h>

#include "inputs/exec_log.h"
#include "inputs/inputs.h"

/* A format: of an execution log, or another one. */
struct importer {
	struct hs_import_format is;
	const struct hs_log_format *log; /* NULL: another one */
	const struct other_format *other;
	bool cycles; /* of waves: the number of a row is its time */
};

/* Format number @i of all; false past the last. */
bool importer_get(unsigned i, struct importer *out);
bool importer_find(const char *name, struct importer *out);
/* The format that the first bytes of a file have; *xlen is 0 where they do not show it.  False:
 * none that is known. */
bool importer_detect(const struct hs_span *first, struct importer *out, uint8_t *xlen);

/* An import that runs. */
struct importing {
	struct importer importer;
	void *state;
	struct hs_seen_code *seen; /* of an ingress port's opcodes, or NULL */
};

/* What an importer is opened with. */
struct import_setup {
	const struct hs_image *image;
	uint8_t xlen;      /* of the options, or as the first lines show it; 0: neither does */
	const char *clock; /* waves */
	const char *const *signals; /* waves */
	size_t signal_count;
	bool skip_unknown; /* logs */
};

enum hs_status importing_open(struct importing *i, const struct import_setup *setup,
                              struct hs_error *e);
void importing_close(struct importing *i);
/* As hs_exec_log_feed() and hs_exec_log_end(). */
enum hs_status importing_feed(struct importing *i, struct hs_span *in, struct hs_blocks *out,
                              struct hs_error *e);
enum hs_status importing_end(struct importing *i, struct hs_blocks *out, struct hs_error *e);
/* The log that is read, also out of waves; NULL: none. */
struct hs_exec_log *importing_log(const struct importing *i);
/* The code that is seen in what is read; NULL: it has no opcodes. */
struct hs_seen_code *importing_code(const struct importing *i);

/* ---- waves (import_waves.c) --------------------------------------------------------------- */

/* Are the first bytes those of a value change dump? */
bool waves_is_vcd(const struct hs_span *first);

/* The importer of waves: rows of its signals, for the importer of what they are. */
struct waves;
enum hs_status waves_open(struct waves **w, const struct importer *importer,
                          const struct import_setup *setup, struct hs_error *e);
void waves_close(struct waves *w);
struct hs_exec_log *waves_log(const struct waves *w);
struct hs_seen_code *waves_code(const struct waves *w);
enum hs_status waves_feed(struct waves *w, struct hs_span *in, struct hs_blocks *out,
                          struct hs_error *e);
enum hs_status waves_end(struct waves *w, struct hs_blocks *out, struct hs_error *e);

#endif
