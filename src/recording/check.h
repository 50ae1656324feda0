/* The files of a recording, and what manifest.json says of them. */
#ifndef HS_RECORDING_CHECK_H
#define HS_RECORDING_CHECK_H

#include <hartscope/recording.h>

#include "recording/manifest.h"

/* The words of a state, and whether it is one of a whole recording. */
const char *rec_file_state_text(enum hs_rec_file_state state);
bool rec_file_state_is_good(enum hs_rec_file_state state);

/* Read every file of a recording's own directory, and compare; directories of children and of parts
 * are recordings of their own.  Of a file @take gets name, state and sizes.
 * HS_E_FORMAT: @path is no directory, or one without any file of a recording.  HS_E_UNSUPPORTED:
 * its format version is not 1.  HS_E_SYSTEM, HS_E_MEMORY. */
enum hs_status rec_check_files(const char *path,
                               void (*take)(void *to, const struct hs_rec_file_check *file),
                               void *to, struct hs_error *error);

/* What is in a directory. */
struct rec_found {
	int dir;
	json_t *manifest; /* NULL: there is none that can be read */
	uint32_t *harts;  /* that have a stream, or should have, sorted, each once */
	size_t count;
};

/* HS_E_FORMAT: it is no directory, or has no file of a recording. */
enum hs_status rec_found_open(struct rec_found *f, const char *path, struct hs_error *e);
void rec_found_close(struct rec_found *f);

/* The entry of a hart in manifest.json, or that of the log; NULL: it has none. */
const json_t *rec_found_hart(const struct rec_found *f, uint32_t number);
const json_t *rec_found_log(const struct rec_found *f);
/* Does manifest.json say that the recording is complete? */
bool rec_found_complete(const struct rec_found *f);

/* Compare what a file has, which is not known of one that is missing, with its @entry in
 * manifest.json, which may be NULL. */
void rec_found_compare(const json_t *entry, const struct support_digest *have,
                       struct hs_rec_file_check *row);
/* Is the reason why a file could not be opened that there is none? */
bool rec_found_none(int error);

#endif
