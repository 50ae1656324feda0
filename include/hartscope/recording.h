/* Recordings: what `hartscope record` makes and what `hartscope decode` makes have one format
 * (docs/recording-format.md).
 *
 * A recording is a directory: manifest.json for people and programs, a compressed stream for each
 * hart, and the log of the runs of code that the streams refer to, with the code and the memory
 * map.  After a cut (kill, disk full, power) what was written before can be read.
 *
 * Threads: calls on different recordings, streams and writers may run at the same time.  An open
 * recording does not change, so that threads may share it, each with streams of its own; a stream
 * or a writer belongs to one thread at a time.  hs_rec_close() comes after all of them.
 */
#ifndef HARTSCOPE_RECORDING_H
#define HARTSCOPE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_rec;
struct hs_rec_writer;

/** A mapped file of the recorded process. */
struct hs_rec_map {
	uint64_t start;  /**< guest address */
	uint64_t size;   /**< bytes */
	uint64_t offset; /**< where in the file the mapping begins, bytes */
	const char *path;
	struct hs_span build_id; /**< of the file when the recording was made; empty: not known */
};

/** A file of the program that runs in a context (Ownership, NT 7.1). */
struct hs_rec_process {
	uint64_t context; /**< scontext */
	uint64_t bias;    /**< added to the addresses of an ELF file */
	const char *path; /**< an ELF file, or a recording for its code snapshot */
};

/** What a recording is.  It belongs to the recording. */
struct hs_rec_info {
	const char *kind; /**< "recording" (of a program), "flow" (decoded or imported) or "code"
	                           (of a trace: what ran and was mapped, without streams) */
	const char *program;  /**< path of the program; "" if not known */
	uint8_t xlen;         /**< 32 or 64 */
	bool complete;        /**< false: it was cut, or a stream is not as the manifest says */
	const char *end;      /**< why it ended, in words: "exit 0", "signal 11", "cut" */
	uint32_t harts;       /**< streams */
	uint64_t entry;       /**< first address, 0 if not known */
	bool code_changed;    /**< code was modified or remapped while it ran */
	size_t map_count;
	const struct hs_rec_map *maps;
	size_t child_count;   /**< forked processes; each has a recording of its own */
	const char *const *children; /**< their directories, relative to this recording */
	size_t process_count;
	const struct hs_rec_process *processes; /**< programs of contexts; none: one program */
	uint64_t instructions; /**< of all harts, as manifest.json says; UINT64_MAX: it does not */
	uint64_t skipped;      /**< the same, before the streams begin: their beginning is not kept
	                            (hs_recorder_options.keep_last); 0: it is there */
	uint64_t bytes;        /**< of the streams' files, as manifest.json says; 0: it does not */
};

/** A file of a recording that is held in memory. */
struct hs_rec_file {
	const char *name;     /**< as in the directory: "manifest.json", "runs.zst", "hart-0.zst" */
	struct hs_span bytes;
};

/**
 * Open a recording.  A cut one opens too; see hs_rec_info.complete.  So does one with a stream
 * that is missing, has another size than manifest.json says, or is not listed there, or with a
 * runs.zst of another size or checksum: it is not complete, hs_rec_info.end says which it is, and
 * reading that stream ends with HS_E_CUT.  A stream with another checksum ends with HS_E_FORMAT.
 * No file that is a FIFO or a device is opened.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  The directory, manifest.json or runs.zst cannot be opened or read.
 * @retval HS_E_FORMAT  It is a file, or a folder without manifest.json; manifest.json or the log
 *                      is not in the format, or the log of a complete
 *                      recording is damaged.
 * @retval HS_E_UNSUPPORTED  Its format version is not 1: record again.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_rec_open(const char *path, struct hs_rec **rec, struct hs_error *error);

/** Was what is at @path, a recording or flow or a file such as TRACE.json, written on this machine,
 * by this user, where it is?  Then what it names is the user's own choice; otherwise its maker
 * chose the names.  An attribute of its manifest.json says so, which copies and archives are
 * without, and file systems without attributes (design/names). */
HS_API bool hs_is_own(const char *path);

HS_API void hs_rec_close(struct hs_rec *rec); /**< NULL is allowed */

/** Valid until hs_rec_close(). */
HS_API const struct hs_rec_info *hs_rec_get_info(const struct hs_rec *rec);

/** The code snapshot as an image; valid until hs_rec_close().  count is 0 if there is none. */
HS_API const struct hs_image *hs_rec_image(const struct hs_rec *rec);

/** The code that a HS_KIND_VERSION names in arg; valid until hs_rec_close().
 * @retval HS_OK
 * @retval HS_E_ARG  The recording has no such code. */
HS_STATIC enum hs_status hs_rec_code(const struct hs_rec *rec, uint32_t number,
                                     struct hs_section *code);

/** What a writer writes at its start.  Zero is a good value of every member but size. */
struct hs_rec_writer_options {
	uint32_t size;                /**< sizeof(struct hs_rec_writer_options) */
	uint8_t xlen;                 /**< 32 or 64; 0: the image's, or 64 without an image */
	const char *program;          /**< path of the program; NULL: not known */
	const char *source;           /**< what made it, such as "decode trace.nt"; NULL: nothing */
	const struct hs_image *image; /**< code stored in the recording; NULL: none */
	const struct hs_rec_map *maps; /**< mapped files, for names; map_count of them */
	size_t map_count;
	const struct hs_rec_process *processes; /**< programs of contexts; process_count of them */
	size_t process_count;
	/** What a HS_KIND_VERSION among the blocks means, asked with @versions_of until
	 * hs_rec_finish(); the recording has the code, too.  NULL: such events are left out. */
	hs_version_fn versions;
	void *versions_of;
	/** How many threads there are with the caller's.  More than 2: one more compresses and
	 * writes, so that a file that cannot be written is reported some 10^5 blocks later
	 * (design/pool, design/chunks).  What is written is the same. */
	uint32_t threads;
};

/**
 * Make a recording from blocks (a flow).
 *
 * @param path     It must not exist, or be a recording, which hs_rec_finish() replaces: until then
 *                 the new one is @path with ".new".
 * @param options  NULL: all zero.  Nothing of it is kept but versions.
 *
 * @retval HS_OK
 * @retval HS_E_CONFIG  @options: xlen is neither 32 nor 64; or size is below 4, or members that
 *                      this library does not know are not zero.
 * @retval HS_E_SYSTEM  The directory or a file cannot be made, another directory is there, or
 *                      another process writes it.
 * @retval HS_E_MEMORY
 */
HS_STATIC enum hs_status hs_rec_create(const char *path,
                                       const struct hs_rec_writer_options *options,
                                       struct hs_rec_writer **w, struct hs_error *error);

/**
 * Append blocks and events.  HS_KIND_HART selects the stream; before the first, it is hart 0.
 * @retval HS_OK
 * @retval HS_E_ARG     versions does not know the number of a HS_KIND_VERSION.
 * @retval HS_E_BLOCK   A block that hs_block_check() refuses even as the first one.
 * @retval HS_E_UNSUPPORTED  More than 4096 harts, or a hart above 65535.
 * @retval HS_E_SYSTEM  A file cannot be written; what was written before can be read.
 * @retval HS_E_MEMORY
 */
HS_STATIC enum hs_status hs_rec_write(struct hs_rec_writer *w, const struct hs_block *blocks,
                                      size_t n, struct hs_error *error);

/**
 * Write what is left and the manifest, and free @w, whatever the result.
 * @param complete  False marks the recording as cut.
 * @param end       Why it ended, in words (hs_rec_info.end).
 * @retval HS_OK
 * @retval HS_E_SYSTEM  A file could not be written; the recording is marked as cut.
 * @retval HS_E_MEMORY
 */
HS_STATIC enum hs_status hs_rec_finish(struct hs_rec_writer *w, bool complete, const char *end,
                                       struct hs_error *error);

/** Remove what was written, and free @w; an older recording stays.  NULL is allowed. */
HS_STATIC void hs_rec_discard(struct hs_rec_writer *w);

/* ---- what the files are -----------------------------------------------------------------
 *
 * The files of a recording or flow next to what its manifest.json says of them, and a copy of what
 * can be read. */

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

/** A file, during the call that gives it. */
struct hs_rec_file_check {
	const char *name; /**< below the recording's directory: "hart-0.zst", "child-0/runs.zst" */
	enum hs_rec_file_state state;
	const char *text;      /**< its words, such as "another checksum" */
	bool good;             /**< the state is one of a whole recording */
	bool listed;           /**< manifest.json has a size for it */
	uint64_t bytes;        /**< of the file; 0 where it is missing */
	uint64_t listed_bytes; /**< as manifest.json says; 0 where it does not */
};

/** What can be read of a stream, during the call that gives it. */
struct hs_rec_stream_check {
	const char *directory; /**< "", or of a recording in it "child-0/" */
	uint32_t hart;
	uint64_t blocks;   /**< before @until */
	const char *until; /**< "the end", or the error that ended it, in words */
	bool good;         /**< it is the end */
};

/** What else is wrong. */
enum hs_rec_problem {
	HS_REC_PROBLEM_UNLISTED,   /**< which children and parts there are cannot be found out */
	HS_REC_PROBLEM_FAILED,     /**< files cannot be read, or memory is short */
	HS_REC_PROBLEM_DAMAGED,    /**< it cannot be opened */
	HS_REC_PROBLEM_INCOMPLETE, /**< its manifest.json says that it was cut, or a stream is not
	                                as it says */
};

/** Where the results of a check go: one of @file and @stream is NULL. */
struct hs_rec_checker {
	/** Every file: manifest.json, runs.zst, streams by hart, others by name. */
	void (*file)(void *of, const struct hs_rec_file_check *file);
	/** Every stream. */
	void (*stream)(void *of, const struct hs_rec_stream_check *stream);
	/** @directory as in struct hs_rec_stream_check. */
	void (*problem)(void *of, enum hs_rec_problem what, const char *directory,
	                const struct hs_error *error);
	void *of; /**< the first argument of each */
};

/** Check a recording or flow, and the children and parts in it: read every file and compare it with
 * what manifest.json has of it, or read every stream to its end or its first error. */
HS_API void hs_rec_check(const char *path, const struct hs_rec_checker *check);

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
