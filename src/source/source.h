/* What other rooms call of sources, and no user of the library does. */
#ifndef HS_SOURCE_SOURCE_H
#define HS_SOURCE_SOURCE_H

#include <hartscope/memo.h>
#include <hartscope/source.h>

/* The harts of a source in their order, also of a trace, of which all is read and which is then at
 * its start again; where its items name none, the one that was asked for, or 0.  The caller frees
 * the numbers, also after an error. */
struct source_harts {
	uint32_t *numbers;
	uint32_t count;
};
enum hs_status source_read_harts(struct hs_source *source, struct source_harts *h,
                                 struct hs_error *error);

/* ---- code that changes ---- */

struct hs_code_changes;

void hs_code_changes_free(struct hs_code_changes *list); /**< NULL is allowed */

/** How many there are. */
size_t hs_code_changes_count(const struct hs_code_changes *list);

/** Read TRACE.code next to the trace @trace.  Without such a file *list is NULL.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  It cannot be read.
 * @retval HS_E_FORMAT  It is damaged; the message has the line.
 * @retval HS_E_UNSUPPORTED  Its version is newer.
 * @retval HS_E_MEMORY */
enum hs_status hs_code_changes_read_beside(const char *trace, struct hs_code_changes **list,
                                           struct hs_error *error);

/** Add a change, whose bytes are copied.  Those of a hart come in their order.
 * @retval HS_OK
 * @retval HS_E_ARG     No bytes, or more than 1 MiB.
 * @retval HS_E_MEMORY */
enum hs_status hs_code_changes_add(struct hs_code_changes *list,
                                   const struct hs_code_change *change);

/** An empty list.  @retval HS_OK @retval HS_E_MEMORY */
enum hs_status hs_code_changes_new(struct hs_code_changes **list);

/** Number @i, which is below their count; valid until the next change is added. */
const struct hs_code_change *hs_code_changes_get(const struct hs_code_changes *list, size_t i);

uint32_t hs_code_changes_harts(const struct hs_code_changes *list);

/** Harts of the trace: with one, changes are those of its only source, whatever its number. */
void hs_code_changes_set_harts(struct hs_code_changes *list, uint32_t harts);

/** Write TRACE.code next to the trace @trace; an empty list removes it.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  The file cannot be written or removed.
 * @retval HS_E_MEMORY */
enum hs_status hs_code_changes_write_beside(const struct hs_code_changes *list, const char *trace,
                                            struct hs_error *error);

/* ---- source.h: members of struct hs_source_facts ---- */

struct hs_program *hs_source_program(struct hs_source *source);
const struct hs_program_set *hs_source_programs(const struct hs_source *source);
void hs_source_get_images(const struct hs_source *source, struct hs_image_set *out);
/* Is an item a context that may select a program? */
bool source_is_process(const struct hs_block *item);
/* The code of a context; NULL: it selects none (hs_img_select() takes the first). */
const struct hs_image *source_image_of(const struct hs_source *source, uint64_t context);
struct hs_guest *hs_source_guest(struct hs_source *source);
const struct hs_rec_info *hs_source_info(const struct hs_source *source);
const struct hs_protocol *hs_source_protocol(const struct hs_source *source);
const struct hs_trace_params *hs_source_params(const struct hs_source *source);
enum hs_reason hs_source_reason(const struct hs_source *source);
bool hs_source_get_range(const struct hs_source *source, struct hs_range_found *found);
bool hs_source_get_slice(const struct hs_source *source, struct hs_source_slice *out);

/* ---- source.h ---- */

/** The code snapshot of a recording; NULL for a trace. */
const struct hs_image *hs_source_image(const struct hs_source *source);

/**
 * At most @readers threads read ahead for the sources of single harts of a recording, from now on,
 * also where hs_source_options.threads would have more: for a caller whose threads read them.
 * Threads that read already are not stopped.
 */
void hs_source_limit_readers(struct hs_source *source, uint32_t readers);

/**
 * Read only what the range of @whole has of the hart of a source, which was opened of the same file
 * and program with one_hart.  @whole is read once for all of them, and then to be rewound.
 * @retval HS_OK
 * @retval HS_E_ARG      @whole has no range, or @source is not of one hart.
 * @retval HS_E_NOTHING  The range has nothing.
 * Any other status as hs_source_next().
 */
enum hs_status hs_source_take_range(struct hs_source *source, struct hs_source *whole,
                                    struct hs_error *error);

/* From the next hs_source_rewind() on, each synchronisation of a trace is an item, also a periodic
 * one.  False: it is no trace, or its items say nothing of messages (code of several moments). */
bool source_show_syncs(struct hs_source *source);

/* From the next hs_source_rewind() on, every block is an item again, after
 * hs_source_refer_paths(). */
void source_stop_paths(struct hs_source *source);

/* ---- places of a trace --------------------------------------------------------- */

/** A place of a trace at which reading can begin: what a decoder gives that begins at a byte and
 * decodes some more is, from then on, what the trace gives there (design/ranges).  Of a recording
 * its members are 0: all that it needs is in its state (design/ranges). */
struct hs_source_place {
	uint64_t offset; /**< byte at which the decoder begins */
	uint64_t bytes;  /**< after which its items are those of the trace */
	uint64_t check;  /**< a sum of these bytes */
};

/** Is the next item one at which reading can begin?  With hs_source_options.places; of a trace they
 * are found where several threads decode (hs_source_options.threads), about one in each
 * thread_bytes, and of a recording about one in each 4 * 10^6 blocks.  Ask after each
 * hs_source_next(). */
bool hs_source_get_place(const struct hs_source *source, struct hs_source_place *place);

/**
 * What continuing at this place needs in addition, in words: which hart it is, its contexts, code
 * that has changed, and of a recording where its stream stands.
 * @param[out] state  The caller frees it.
 * @retval HS_OK
 * @retval HS_E_ARG     Not at a place, or without hs_source_options.places.
 * @retval HS_E_MEMORY  Also: more than 64 harts.
 */
enum hs_status hs_source_get_state(struct hs_source *source, uint32_t **state, size_t *count);

/**
 * Continue at a place of the same source, program and parameters; one thread reads from there.  The
 * first items say which hart it is, its contexts and the code that has changed: they come again.
 * @param state  From hs_source_get_state(), @count words.
 * @retval HS_OK
 * @retval HS_E_FORMAT  The trace has other bytes there, or @state is of another place.
 * @retval HS_E_UNSUPPORTED  Not a recording as a whole without a clock, or not a trace in a file or
 *                      memory whose bytes are those of the trace as they are, without code that
 *                      changes.
 * @retval HS_E_SYSTEM
 * @retval HS_E_MEMORY
 * After an error call hs_source_rewind().
 */
enum hs_status hs_source_seek(struct hs_source *source, const struct hs_source_place *place,
                              const uint32_t *state, size_t count, struct hs_error *error);

/* ---- an index: places on disk ---------------------------------------------------- */

/** A place, and what was before it. */
struct hs_trace_index_entry {
	struct hs_source_place place;
	uint64_t instructions; /**< executed before it */
	uint64_t time;         /**< of the last HS_KIND_TIME; 0: there was none */
	struct hs_span state;  /**< words, little-endian; of an entry that was found in the index */
};

#define HS_TRACE_INDEX_HEAD 48u  /**< bytes of an index before its entries */
#define HS_TRACE_INDEX_ENTRY 64u /**< bytes of an entry */

/** What hs_trace_index_find() looks at. */
enum hs_trace_index_key {
	HS_TRACE_INDEX_INSTRUCTIONS,
	HS_TRACE_INDEX_TIME,
	HS_TRACE_INDEX_BYTE /**< of a trace, after which its items are those of the trace */
};

/** Write the beginning of an index, HS_TRACE_INDEX_HEAD + @count * HS_TRACE_INDEX_ENTRY bytes
 * (docs/trace-index.md); after it belong the states of all entries, in their order.
 * @param entries       In order.
 * @param instructions  Of the whole trace. */
void hs_trace_index_write(uint64_t fingerprint, uint64_t instructions,
                          const struct hs_trace_index_entry *entries, size_t count, uint8_t *out);

/**
 * The last entry before the first one of which @key is not below @value.
 * @param file  A whole index, from anywhere.
 * @param[out] total  Instructions of the whole trace; also with HS_END.  May be NULL.
 * @retval HS_OK
 * @retval HS_END        It has no such entry.
 * @retval HS_E_DIFFERS  It is of another trace, program or parameters than @fingerprint says.
 * @retval HS_E_FORMAT   Not an index, or damaged.
 */
enum hs_status hs_trace_index_find(const struct hs_span *file, uint64_t fingerprint,
                                   enum hs_trace_index_key key, uint64_t value,
                                   struct hs_trace_index_entry *out, uint64_t *total);

/** The index next to a trace or recording at @path, mapped; @file is empty where there is none. */
void hs_source_map_index(const char *path, struct hs_span *file);
void hs_source_unmap_index(const struct hs_span *file);

/* ---- ways to be given blocks ---- */

/**
 * For a caller to whom the order of blocks means little: blocks that the decoder of a trace finds
 * in its memo are not among the items, but given to @take with how often they ran, as
 * hs_memo_count() says; all of them are when hs_source_next() returns HS_END.  @take is
 * called on the caller's thread, also where several decode (design/counting).  Before the first
 * hs_source_next(); it holds after hs_source_rewind(), too.
 * @return  false: every block is among the items: it is no trace, or one of a perf.data, of several
 *          parts, of code that changes, or of which some items, a range or a slice only are
 *          wanted.
 */
bool source_count_paths(struct hs_source *source, hs_memo_count_fn *take, void *to);

/** Before that: times mean nothing, either.  Those of paths that are counted are counted with them
 * (hs_memo_pass_times()). */
void source_pass_times(struct hs_source *source);

/**
 * The same for a caller to whom the order of blocks means nothing, not even which one comes next
 * (hs_path_count.next is 0 where it is not known, and there is no HS_NOTE_COUNTED then): of
 * recordings and flows, too.
 * @return  false: every block is among the items: as source_count_paths(), or times are those of
 *          a clock (hs_source_options.clock).
 */
bool source_count_blocks(struct hs_source *source, hs_memo_count_fn *take, void *to);

/** What threads that decode a trace make of its items, while these are in their caches: a share of
 * the caller's work. */
struct hs_source_work {
	void *to; /**< first argument of begin and take */
	/** A worker for one thread; on any thread.  NULL: no memory: items of that thread are
	 * given as others are. */
	void *(*begin)(void *to);
	void (*end)(void *worker);
	/** Add items to a share, which at first is NULL or as clear left it; on the worker's
	 * thread.  False: no memory: the share is of no use. */
	bool (*add)(void *worker, void **share, const struct hs_block *items, size_t n);
	/** A share, in place of its items, on the caller's thread in a call of hs_source_next() or
	 * hs_source_view(): after the items that were given before, and before those that the call
	 * gives. */
	void (*take)(void *to, void *worker, const void *share);
	void (*clear)(void *share); /**< it is empty from now on */
	void (*free)(void *share);
};

/**
 * Let the threads that decode a trace (hs_source_options.threads) do a share of the work: most
 * items are in shares, which are taken in the order of the items, the others are given as always.
 * Before the first hs_source_next(); it holds after hs_source_rewind(), too.
 * @param work  Copied.  NULL, after HS_END: all items are given again.
 * @return  false: all items are given: it is no trace, or one of which some items, a range or a
 *          slice only are wanted, or it is being read.
 */
bool source_share(struct hs_source *source, const struct hs_source_work *work);

/** A source that was counted or shared gives all items again from its start, after
 * hs_source_rewind(); threads that took shares of the work have ended. */
void source_end_count(struct hs_source *source);

/** The files of the programs of contexts, with absolute paths where they exist; NULL without. */
const struct hs_rec_process *hs_source_processes(const struct hs_source *source, size_t *count);

/** Bytes of trace that the decoder has taken: those of the items so far; 0 for a recording. */
uint64_t hs_source_decoded(const struct hs_source *source);

/** The bytes of a trace instead, after its transport was undone; of several parts those of the
 * current one: HS_END, then hs_source_next_part().
 * @param cap     At least 4096.
 * @param[out] n  Bytes written to @out; also with errors.
 * @retval HS_OK   *n may be 0: call again.
 * @retval HS_END  No more, or not a trace.
 * Any other status as hs_capture_read(). */
enum hs_status hs_source_read(struct hs_source *source, uint8_t *out, size_t cap, size_t *n,
                              struct hs_error *error);

#endif
