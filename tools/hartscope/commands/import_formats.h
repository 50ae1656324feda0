/* What `hartscope import` reads: the formats, and how they are recognised. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_IMPORT_FORMATS_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_IMPORT_FORMATS_H

#include <stdint.h>
#include <stdio.h>

#include <hartscope/exec_log.h>

/* A format: of an execution log, or another one. */
struct importer {
	const char *name, *what;
	const struct hs_log_format *log; /* NULL: another one */
	const struct other_format *other;
	bool waves, cycles; /* import_waves.h; the number of a row is its time */
};

/* Format number @i of all; false past the last. */
bool importer_get(unsigned i, struct importer *out);
bool importer_find(const char *name, struct importer *out);
/* The format that the first bytes of a file have; *xlen is 0 where they do not show it.  False:
 * none that is known. */
bool importer_detect(const struct hs_span *first, struct importer *out, uint8_t *xlen);
/* Print a line for each format. */
void importer_list(FILE *to);

/* An import that runs. */
struct importing {
	struct importer importer;
	void *state;
	struct hs_seen_code *seen; /* of an ingress port's opcodes, or NULL */
};

/* What an importer is opened with. */
struct import_setup {
	const struct hs_image *image;
	uint8_t xlen; /* of the options, or as the first lines show it; 0: neither does */
	const char *clock;          /* waves: --vcd-clock, or NULL */
	const char *const *signals; /* waves: --signal */
	unsigned signal_count;
	bool skip_unknown; /* logs: --skip-unknown */
};

enum hs_status importing_open(struct importing *i, const struct import_setup *setup,
                              struct hs_error *e);
void importing_close(struct importing *i);
/* As hs_exec_log_feed() and hs_exec_log_end(). */
enum hs_status importing_feed(struct importing *i, struct hs_span *in, struct hs_blocks *out,
                              struct hs_error *e);
/* The log that is read, also out of waves; NULL: none. */
struct hs_exec_log *importing_log(const struct importing *i);
/* The code that is seen in what is read; NULL: it has no opcodes. */
struct hs_seen_code *importing_code(const struct importing *i);
enum hs_status importing_end(struct importing *i, struct hs_blocks *out, struct hs_error *e);

#endif
