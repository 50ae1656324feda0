/* Recordings for the other rooms: of a program, in memory, and their streams by place. */
#ifndef HS_RECORDING_RECORDING_H
#define HS_RECORDING_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/program.h>
#include <hartscope/recording.h>

/* ---- writing -------------------------------------------------------------------------- */

/** Who gets what is worth saying, with HS_OK; @take may be NULL. */
struct hs_rec_notes {
	void (*take)(void *to, const struct hs_error *note);
	void *to;
};

/**
 * hs_rec_create() of a flow of a program, with its code and with its ELF files as mappings: xlen,
 * image, maps and map_count of @options are not looked at.
 * @param notes  Gets a note for each file that has another path since.
 */
enum hs_status hs_rec_create_of(const char *path, struct hs_program *program,
                                const struct hs_rec_writer_options *options,
                                const struct hs_rec_notes *notes, struct hs_rec_writer **w,
                                struct hs_error *error);

/**
 * Append code to the recording's snapshot, before the blocks that execute it are written.  Bytes
 * that the snapshot has already stay as they are.
 * @retval HS_OK
 * @retval HS_E_ARG     Its size is 0.
 * @retval HS_E_SYSTEM  A file cannot be written.
 */
enum hs_status hs_rec_write_code(struct hs_rec_writer *w, const struct hs_section *code,
                                 struct hs_error *error);

/**
 * Blocks and events that other threads prepare for hs_rec_write_numbered(): a number in place of
 * each block.  An hs_rec_numbers belongs to one thread that prepares, and to one writer.
 */
struct hs_rec_numbers;
struct hs_rec_numbered;

/** @retval HS_OK @retval HS_E_MEMORY */
enum hs_status hs_rec_numbers_new(struct hs_rec_numbers **numbers);
void hs_rec_numbers_free(struct hs_rec_numbers *numbers); /**< NULL is allowed */

/**
 * Append items to a piece; on any thread, next to one that writes other pieces of @numbers.
 * @param[in,out] piece  NULL: a new one, which the caller frees.
 * @retval HS_OK
 * @retval HS_E_MEMORY  The piece is of no use.
 */
enum hs_status hs_rec_number(struct hs_rec_numbers *numbers, struct hs_rec_numbered **piece,
                             const struct hs_block *blocks, size_t n);
void hs_rec_numbered_clear(struct hs_rec_numbered *piece); /**< it is empty again */
void hs_rec_numbered_free(struct hs_rec_numbered *piece);  /**< NULL is allowed */

/** Append the items of a piece, as hs_rec_write() does, with its results. */
enum hs_status hs_rec_write_numbered(struct hs_rec_writer *w, struct hs_rec_numbers *numbers,
                                     const struct hs_rec_numbered *piece, struct hs_error *error);

/**
 * Make another flow a part of this one: its streams continue those of the parts before it, and the
 * blocks that are written otherwise come before those of all parts.  Its files get a second name.
 * @param path  A flow on the same file system, without parts and without code that changes.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  It is no directory, or another file system.
 * Other results as hs_rec_write().
 */
enum hs_status hs_rec_add_part(struct hs_rec_writer *w, const char *path, struct hs_error *error);

/* ---- reading -------------------------------------------------------------------------- */

/**
 * Open a recording whose files are in memory: manifest.json, runs.zst, and hart-N.zst for each
 * hart.
 *
 * @param files  Names and bytes stay the caller's, unchanged, until hs_rec_close(); the array
 *               itself is copied.  Of two files of one name the first counts; unknown names are
 *               ignored.  A child's files are another recording.
 *
 * Results as hs_rec_open(); HS_E_SYSTEM: manifest.json or runs.zst is not among @files.
 */
enum hs_status hs_rec_open_memory(const struct hs_rec_file *files, size_t count,
                                  struct hs_rec **rec, struct hs_error *error);

/** Does the recording or flow have programs of contexts (hs_rec_info.processes)?  Its manifest.json
 * says so, and nothing else is read, nor are the programs looked at.  False where there is none, or
 * it cannot be read. */
bool hs_rec_has_processes(const char *path);

/** hs_is_own() of an open recording; false for one in memory. */
bool hs_rec_is_own(const struct hs_rec *rec);

struct hs_rec_stream;

/**
 * Read the blocks of stream @index (0 to harts - 1) from the start.  Streams of one recording are
 * independent, also two of the same hart.
 * @retval HS_OK
 * @retval HS_E_ARG     @index is not below harts.
 * @retval HS_E_SYSTEM  Its file cannot be opened.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_rec_stream_open(struct hs_rec *rec, uint32_t index, struct hs_rec_stream **stream,
                                  struct hs_error *error);
void hs_rec_stream_close(struct hs_rec_stream *stream); /**< NULL is allowed */

/** Number of the hart of a stream, as in HS_KIND_HART. */
uint32_t hs_rec_stream_hart(const struct hs_rec_stream *stream);

/**
 * The next blocks and events, canonical (block.h).
 * @param[out] n  How many of @cap entries of @out were written.
 * @retval HS_OK      *n is at least 1.
 * @retval HS_END     No more; *n is 0.
 * @retval HS_E_CUT   The stream was cut here; *n may be above 0, and these are good.
 * @retval HS_E_FORMAT  The stream is damaged here; *n may be above 0, and these are good.
 * @retval HS_E_SYSTEM  The file cannot be read.
 * HS_END and errors stay: each later call returns them again, with *n 0.
 */
enum hs_status hs_rec_stream_next(struct hs_rec_stream *stream, struct hs_block *out, size_t cap,
                                  size_t *n, struct hs_error *error);

/* ---- streams by place ------------------------------------------------------------------ */

/**
 * Also give HS_KIND_VERSION wherever this hart executes other code at an address than it did
 * before, or, the first time, than hs_rec_image() has there; of a flow those that were written.
 * Before the first call of hs_rec_stream_next().
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
enum hs_status hs_rec_stream_follow_versions(struct hs_rec_stream *stream);

/**
 * Count blocks in place of writing them, for a caller to whom their order means nothing: from now
 * on hs_rec_stream_next() gives events, and of the blocks those that are not one run of the
 * recording; it may give no item at all.  Before the first hs_rec_stream_next().
 * @param threads  With 2 or more another thread reads ahead of the caller's, if it is worth it.
 * @param take  Gets each of the other blocks, a run of one, and how often it came, during calls of
 *              hs_rec_stream_next(): before an event after which blocks belong to another hart,
 *              context or moment (hs_event_divides()), and before the stream ends.  What it gets
 *              belongs to those that were current when the call began.
 * @param to    Its first argument.
 * @retval HS_OK
 * @retval HS_E_UNSUPPORTED  Blocks are counted already, places are looked for, or the recording is
 *                           still being made.
 * @retval HS_E_MEMORY       Every block is written.
 */
enum hs_status hs_rec_stream_count(struct hs_rec_stream *stream, uint32_t threads,
                                   void (*take)(void *to, const struct hs_path_count *run),
                                   void *to);

/** A number for the files of a recording: their sizes and samples of them.  Other data has, all but
 * certainly, another number; a change that the samples miss has not.  0: one cannot be read. */
uint64_t hs_rec_fingerprint(const struct hs_rec *rec);

/** How many bytes of its file were read: how far it is. */
uint64_t hs_rec_stream_bytes(const struct hs_rec_stream *stream);

/**
 * hs_rec_stream_next() also returns at places of the stream from which another one could continue,
 * after at least so many blocks and events each: then *n may be 0.
 * @param blocks  0: no longer.
 */
void hs_rec_stream_find_places(struct hs_rec_stream *stream, uint64_t blocks);

/** Is the next item, after the last call of hs_rec_stream_next(), at such a place? */
bool hs_rec_stream_has_place(const struct hs_rec_stream *stream);

/**
 * What continuing there needs, in words.
 * @param[out] state  The caller frees it.
 * @retval HS_OK
 * @retval HS_E_ARG  The stream is not at a place.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_rec_stream_get_state(const struct hs_rec_stream *stream, uint32_t **state,
                                       size_t *count);

/**
 * Continue at a place of the same stream of the same recording.
 * @param stream    Of which nothing was read.
 * @param versions  The HS_KIND_VERSION before the place, where they are followed: the last one of
 *                  each address is enough.
 * @retval HS_OK
 * @retval HS_E_FORMAT  Not a state of this stream.  Close it.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_rec_stream_set_state(struct hs_rec_stream *stream, const uint32_t *state,
                                       size_t count, const struct hs_block *versions,
                                       size_t version_count);

#endif
