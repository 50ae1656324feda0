/* Recordings for the rooms that read them: in memory, and their streams by place. */
#ifndef HS_RECORDING_RECORDING_H
#define HS_RECORDING_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/recording.h>

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

/** Was the recording or flow written on this machine, by this user, where it is?  Then what it
 * names is the user's own choice; otherwise its maker chose the names.  An attribute of its
 * manifest.json says so, which copies and archives are without, and file systems without
 * attributes (ADR-0221).  False for one in memory. */
bool hs_rec_is_own(const struct hs_rec *rec);

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
                                   void (*take)(void *to, const struct hs_run_count *run),
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
