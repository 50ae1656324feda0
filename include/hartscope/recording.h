/* Recordings on disk: what `hartscope record` makes and what `hartscope decode` makes
 * are one format (docs/recording-format.md).
 *
 * A recording is a directory: manifest.json for people and programs, one compressed
 * stream per hart, the runs of code that the streams refer to, the code bytes and the
 * memory map.  What was written before a cut (kill, disk full, power) can be read.
 */
#ifndef HARTSCOPE_RECORDING_H
#define HARTSCOPE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/error.h>
#include <hartscope/image.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_rec;
struct hs_rec_stream;
struct hs_rec_writer;

/** One mapped file of the recorded process. */
struct hs_rec_map {
	uint64_t start, size; /**< guest addresses, bytes */
	uint64_t offset;      /**< where in the file the mapping begins, bytes */
	const char *path;
};

/** A file of the program that runs in a context (Ownership, NT 7.1). */
struct hs_rec_process {
	uint64_t context; /**< scontext */
	uint64_t bias;    /**< added to the addresses of an ELF file */
	const char *path; /**< an ELF file, or a recording for its code snapshot */
};

/** What a recording says of itself. */
struct hs_rec_info {
	const char *kind;     /**< "recording" (hs record) or "flow" (hs decode, importers) */
	const char *program;  /**< path of the program; "" if not known */
	uint8_t xlen;         /**< 32 or 64 */
	bool complete;        /**< false: it was cut short */
	const char *end;      /**< why it ended, in words: "exit 0", "signal 11", "cut" */
	uint32_t harts;       /**< streams */
	uint64_t entry;       /**< first address, 0 if not known */
	bool code_changed;    /**< code was modified or remapped while it ran */
	size_t map_count;
	const struct hs_rec_map *maps;
	size_t child_count;   /**< forked processes, each with a recording of its own */
	const char *const *children; /**< their directories, relative to this one */
	size_t process_count;
	const struct hs_rec_process *processes; /**< programs of contexts; none: one program */
};

/**
 * Open a recording.  A cut one opens too; hs_rec_info.complete tells.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  A file cannot be opened or read.
 * @retval HS_E_FORMAT  manifest.json or the run table is not in the format.
 * @retval HS_E_UNSUPPORTED  Its format version is newer than this library.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_rec_open(const char *path, struct hs_rec **rec, struct hs_error *error);
HS_API void hs_rec_close(struct hs_rec *rec); /**< NULL is allowed */
HS_API const struct hs_rec_info *hs_rec_get_info(const struct hs_rec *rec);

/** The code snapshot as an image; valid until hs_rec_close(). count is 0 if there is none. */
HS_API const struct hs_image *hs_rec_image(const struct hs_rec *rec);

/** Read the blocks of hart @index (0..harts-1) from the start.  Streams of one recording are
 * independent; each belongs to one thread at a time. */
HS_API enum hs_status hs_rec_stream_open(struct hs_rec *rec, uint32_t index,
                                         struct hs_rec_stream **stream, struct hs_error *error);
HS_API void hs_rec_stream_close(struct hs_rec_stream *stream);

/** Number of the hart of a stream, as in HS_KIND_HART. */
HS_API uint32_t hs_rec_stream_hart(const struct hs_rec_stream *stream);

/**
 * The next blocks and events, canonical (block.h).
 * @param[out] n  How many of @cap entries of @out were written.
 * @retval HS_OK      *n is at least 1.
 * @retval HS_END     No more; *n is 0.
 * @retval HS_E_CUT   The stream was cut here; *n may be above 0 and these are good.
 * @retval HS_E_FORMAT  A damaged stream; what came before is good.
 */
HS_API enum hs_status hs_rec_stream_next(struct hs_rec_stream *stream, struct hs_block *out,
                                         size_t cap, size_t *n, struct hs_error *error);

/** What a writer is told at its start. */
struct hs_rec_writer_options {
	const char *program;          /**< path for the manifest, may be NULL */
	const char *source;           /**< what made it, such as "decode trace.nt" */
	uint8_t xlen;                 /**< 32 or 64 */
	const struct hs_image *image; /**< code stored in the recording; may be NULL */
	const struct hs_rec_map *maps; /**< mapped files, for names; may be NULL */
	size_t map_count;
	const struct hs_rec_process *processes; /**< programs of contexts, may be NULL */
	size_t process_count;
};

/**
 * Make a recording from blocks (a flow).  @path must not exist, or be a recording, which is
 * replaced.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  The directory or a file cannot be made.
 */
HS_API enum hs_status hs_rec_create(const char *path, const struct hs_rec_writer_options *options,
                                    struct hs_rec_writer **w, struct hs_error *error);

/** Append blocks and events.  HS_KIND_HART selects the stream; before the first, hart 0.
 * @retval HS_OK
 * @retval HS_E_BLOCK   A block that hs_block_check() refuses even as the first one.
 * @retval HS_E_UNSUPPORTED  More than 4096 harts, or a hart above 65535.
 * @retval HS_E_SYSTEM  Disk full or the like; what was written before can be read. */
HS_API enum hs_status hs_rec_write(struct hs_rec_writer *w, const struct hs_block *blocks, size_t n,
                                   struct hs_error *error);

/** Finish: write the manifest and free.  @complete false marks it as cut. */
HS_API enum hs_status hs_rec_finish(struct hs_rec_writer *w, bool complete, const char *end,
                                    struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
