/* What a file is that was given as a trace: by its first bytes, a folder by what is in it. */
#ifndef HARTSCOPE_FILE_KIND_H
#define HARTSCOPE_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hs_file_type {
	HS_FILE_UNREADABLE, /**< it is not there or cannot be read: errno says why */
	HS_FILE_EMPTY,      /**< without a byte */
	HS_FILE_UNKNOWN,    /**< nothing that is known, so that it may be a trace; also what can be
	                         read only once, such as a pipe: it is not looked at */
	HS_FILE_FOLDER,     /**< a folder that is no recording */
	HS_FILE_RECORDING,  /**< a recording or flow: a folder with manifest.json */
	HS_FILE_PERF,       /**< a perf.data, of either byte order and any age */
	HS_FILE_ELF,        /**< a program */
	HS_FILE_DUMP,       /**< a value change dump, as text */
	HS_FILE_OTHER,      /**< struct hs_file_kind says what */
	HS_FILE_FST         /**< waves of GTKWave, in binary form: an FST file */
};

/** A kind of file that is no trace (file_kinds.def). */
struct hs_file_kind {
	const char *what; /**< such as "an ELF file" */
	const char *hint; /**< what to do with it, in words */
	bool certain;     /**< its first bytes are a mark; false: a trace could look like this */
	bool blank;       /**< one byte, 0 or 0xff, as far as was looked: certain if that is all */
	uint8_t is;       /**< enum hs_file_type: HS_FILE_PERF or one below it */
};

/** As many first bytes of a file are looked at. */
#define HS_FILE_KIND_BYTES 512

/**
 * What is at @path?  A file is opened and read once, up to HS_FILE_KIND_BYTES.
 * @param[out] kind  May be NULL.  NULL is written for HS_FILE_RECORDING, what is above it, and
 *                   HS_FILE_FST.
 */
HS_API enum hs_file_type hs_file_what(const char *path, const struct hs_file_kind **kind);

/** The same of a file's first bytes, of which HS_FILE_KIND_BYTES are enough: HS_FILE_EMPTY,
 * HS_FILE_UNKNOWN, HS_FILE_PERF or what is below it. */
HS_API enum hs_file_type hs_file_what_bytes(const struct hs_span *first,
                                            const struct hs_file_kind **kind);

#ifdef __cplusplus
}
#endif
#endif
