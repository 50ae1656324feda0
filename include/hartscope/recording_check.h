/**
 * @file
 * What the files of a recording or flow are, next to what its manifest.json says of them, and a
 * copy of what can be read.
 */
#ifndef HARTSCOPE_RECORDING_CHECK_H
#define HARTSCOPE_RECORDING_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a file is. */
enum hs_rec_file_state {
	HS_REC_FILE_GOOD,     /**< its size and checksum are listed, and right */
	HS_REC_FILE_UNSUMMED, /**< manifest.json has no checksum of it, as that of an incomplete
	                           recording; its size is right where it is listed.  manifest.json
	                           itself, where it can be read */
	HS_REC_FILE_MISSING,  /**< it is listed, and not there */
	HS_REC_FILE_SIZE,     /**< it has another size than is listed */
	HS_REC_FILE_SUM,      /**< it has the size, and another checksum */
	HS_REC_FILE_UNLISTED, /**< a stream that manifest.json of a complete recording lacks */
	HS_REC_FILE_DAMAGED,  /**< manifest.json is not in the format, or no file at all */
	HS_REC_FILE_LEFT,     /**< a writer was ended before this replaced another file */
	HS_REC_FILE_FOREIGN,  /**< no file of a recording */
	HS_REC_FILE_STATES
};

/** The words of a state, such as "another checksum". */
HS_API const char *hs_rec_file_state_text(enum hs_rec_file_state state);

/** Is a state one of a whole recording? */
HS_API bool hs_rec_file_state_is_good(enum hs_rec_file_state state);

/** A file. */
struct hs_rec_file_check {
	const char *name; /**< in the directory; valid during the call */
	enum hs_rec_file_state state;
	bool listed;           /**< manifest.json has a size for it */
	uint64_t bytes;        /**< of the file; 0 where it is missing */
	uint64_t listed_bytes; /**< as manifest.json says; 0 where it does not */
};

/** Is a name in a recording's directory that of another recording: of a child ("child-1"), or of a
 * part of a flow ("part-1")? */
HS_API bool hs_rec_is_inner(const char *name);

/**
 * Read every file of a recording's own directory, and compare.  Directories of children and of
 * parts are recordings of their own.
 * @param take  Called for each file: manifest.json, runs.zst, streams by hart, others by name.
 * @retval HS_OK        All were compared; their states say how they are.
 * @retval HS_E_FORMAT  @path is no directory, or one without any file of a recording.
 * @retval HS_E_UNSUPPORTED  Its format version is not 1: record again.
 * @retval HS_E_SYSTEM  The directory or a file cannot be read.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_rec_check_files(const char *path,
                                         void (*take)(void *to,
                                                      const struct hs_rec_file_check *file),
                                         void *to, struct hs_error *error);

/**
 * Copy a recording, its children and parts, with a manifest.json that is true of what is there: a
 * damaged one becomes incomplete ("cut: salvaged"), which every reader reads up to the damage of
 * each stream.  Without a manifest.json that can be read there is a new one, by the log and the
 * names of the streams; program and arguments are lost then.  A file that is whole is copied as it
 * is.
 * @param to  Is made, or replaces the recording that is there when it is whole.
 * @param stop  Asked now and then, with @context: true ends it, and nothing is left; NULL: never.
 * @retval HS_OK
 * @retval HS_E_ARG     @to is @path, or one of them is in the other one.
 * @retval HS_E_CUT     @stop ended it.
 * @retval HS_E_FORMAT  @path is no recording, or of its runs.zst not even the beginning can be
 *                      read.
 * @retval HS_E_SYSTEM  A file cannot be read or written; @to is there and is none.  What was
 *                      written is removed.
 * @retval HS_E_UNSUPPORTED  Its format version is not 1: record again.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_rec_salvage(const char *path, const char *to, bool (*stop)(void *context),
                                     void *context, struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
