/* Where blocks come from: a recording, a decoded flow or a trace, with one set of calls.
 *
 * A source belongs to one thread at a time.  Sources that were opened one by one share nothing;
 * those of hs_source_open_hart() of a recording share it and the programs of the source that they
 * were made from, and belong to its thread.  Threads that decode a trace
 * (hs_source_options.threads) are the source's own: hs_source_close() ends them.
 */
#ifndef HARTSCOPE_SOURCE_H
#define HARTSCOPE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/capture.h>
#include <hartscope/image.h>
#include <hartscope/ingress.h>
#include <hartscope/program.h>
#include <hartscope/protocol.h>
#include <hartscope/recording.h>
#include <hartscope/status.h>
#include <hartscope/trace_params.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- ranges -------------------------------------------------------------------------
 *
 * Ranges: part of a flow, between two positions and by function.
 *
 * A range takes blocks and events in order and gives out those of the part: blocks are cut where it
 * begins and ends, and of the events it keeps those that belong to its blocks, with the hart, the
 * contexts and the code that hold where it begins.  hs_source_set_range() does this for all that is
 * read from a source; docs/ranges.md has the words of positions.
 *
 * Threads: a range belongs to one thread at a time, and so do the programs and the guest that it
 * was given.
 */

struct hs_range;

/** What a position is.  A position is before an instruction. */
enum hs_position_kind {
	HS_POSITION_NONE = 0,    /**< there is none: the start or the end of the flow */
	HS_POSITION_INSTRUCTION, /**< value: instruction number, from 0, all harts counted */
	HS_POSITION_TIME,        /**< value: of each hart the first time (HS_KIND_TIME) that is at
	                              least this */
	HS_POSITION_BYTE,        /**< value: offset in a trace: the first block decoded after it */
	HS_POSITION_PC,          /**< value: address of an instruction */
	HS_POSITION_BITS,        /**< value: the bits of an instruction, such as a hint */
	HS_POSITION_FUNCTION,    /**< name: the first instruction of a function */
	/** value: an ecall with this number in a7.  A flow has no registers: the number is known
	 * where instructions of the flow put a constant into a7, as li a7, 64 does. */
	HS_POSITION_ECALL
};

#define HS_POSITION_NAME 1024 /**< bytes of a function's name, with its terminator */

/** A place in a flow.  Zero is none. */
struct hs_position {
	enum hs_position_kind kind;
	uint64_t value;
	/** PC, bits, function, ecall: the Nth time, from 1, counted from the start of the flow;
	 * 0: the first time, and as an end the first time after the range began. */
	uint64_t count;
	char name[HS_POSITION_NAME];
};

/**
 * A position from text: N, time:T, byte:OFFSET, 0xADDRESS, insn:BITS, ecall:NUMBER or a function's
 * name; the last four with \@N or #N for the Nth time.
 * @retval HS_OK
 * @retval HS_E_ARG  It is none of these.
 */
HS_API enum hs_status hs_position_parse(const char *text, struct hs_position *out);

/** What belongs to a range.  Only program is required. */
struct hs_range_options {
	uint32_t size;                         /**< sizeof(struct hs_range_options) */
	struct hs_program *program;            /**< kept */
	const struct hs_program_set *programs; /**< the programs of contexts, or NULL; kept */
	struct hs_guest *guest;                /**< names of functions, or NULL; kept */
	struct hs_position from, to;           /**< up to, and without, @to */
	/** Only instructions of this function, by any of its names; what is left out between them
	 * is a HS_NOTE_LEFT_OUT.  Copied.  NULL: all. */
	const char *function;
	/** Only so many instructions at the end, in place of @from and @to; 0: these count. */
	uint64_t last;
	/** Path of what is read: where NAME.idx next to it is its index (docs/trace-index.md),
	 * reading begins at the last place before the range.  NULL: at the start. */
	const char *index;
	/** Gets why an index that is there is not used, with @note_to.  NULL: nobody. */
	void (*note)(void *to, const char *text);
	void *note_to;
};

/** What was found so far, in instructions of the flow. */
struct hs_range_found {
	uint64_t seen;       /**< instructions so far */
	uint64_t begin, end; /**< number of the first one between the positions, and of that after
	                          the last one; both 0 where there is none */
	uint64_t wanted;     /**< of them, given out */
};

/* ---- code that changes --------------------------------------------------------------
 *
 * Code that changed while it was traced: what was where from which moment on.
 *
 * A trace that is made from a recording has this next to it, in TRACE.code: JSON lines, of which
 * the first says how many harts there are and each other one is a change
 * (docs/recording-format.md).  It is no part of the protocol, and hardware does not have it.
 *
 * A list belongs to one thread at a time.
 */

/** As hs_code_change.blocks: only the byte of the trace is known. */
#define HS_CHANGE_BY_OFFSET UINT64_MAX

/** From a moment on a hart finds these bytes at these addresses. */
struct hs_code_change {
	uint32_t hart;
	uint64_t blocks; /**< how many blocks the hart had retired (block.h, canonical) */
	uint64_t offset; /**< bytes of the trace that were written by then */
	struct hs_section code;
};

/** Is there a TRACE.code with changes next to the trace @trace?
 * @retval HS_OK
 * @retval HS_E_SYSTEM  It cannot be read.
 * @retval HS_E_FORMAT  It is damaged; the message has the line.
 * @retval HS_E_UNSUPPORTED  Its version is newer.
 * @retval HS_E_MEMORY */
HS_API enum hs_status hs_code_changes_beside(const char *trace, bool *any, struct hs_error *error);

/* ---- sources ------------------------------------------------------------------------ */

struct hs_source;

/** Which blocks of a source are wanted, with the events that belong to them.  Zero: all. */
struct hs_selection {
	uint8_t modes; /**< a bit for each enum hs_priv; 0: all.  Without HS_PRIV_UNKNOWN blocks of
	                    unknown mode are left out */
	/** Only what these run: a process by its name, by its program (path, or the name of the
	 * file) or by its number, as the guest knows them; or a context, as a number. */
	const char *const *processes;
	size_t process_count; /**< 0: all */
	/** Only what these threads run: by name or number, as the guest knows them;
	 * a hart's number where nothing is known of who runs, as in the
	 * recording of a program, whose threads are its harts. */
	const char *const *threads;
	size_t thread_count; /**< 0: all */
};

/** What to open and how. */
struct hs_source_options {
	uint32_t size;        /**< sizeof(struct hs_source_options) */
	uint32_t hart;        /**< with @one_hart: its number */
	bool one_hart;        /**< only the items of @hart; false: of all harts */
	/** Of a recording: also look for its files, for functions and lines. */
	bool names;
	/** Look for no code. A trace is then only for hs_source_message();
	 * of a recording there is only its snapshot, and the programs of its contexts that can be
	 * read. */
	bool no_code;
	/** Also HS_KIND_VERSION, where a hart executes other code than before at an address: of a
	 * recording or flow those that it has, of a trace those of TRACE.code. */
	bool versions;
	/** Of a perf.data: make a guest of its processes and threads, also without @guest. */
	bool processes;
	uint8_t custom_count;
	/** Custom instructions that may change the PC (image.h); kept. */
	const struct hs_custom *custom;
	/** A directory (recording or flow), a file (a trace, or a perf.data with one in its AUX
	 * area), or "-": a trace from standard input. */
	const char *path;
	/** A trace in memory, if p is not NULL: the caller keeps it until the source is closed.
	 * @path is then only a name for messages. */
	struct hs_span trace;
	/** A recording in memory: manifest.json, runs.zst, and hart-N.zst for each hart.  Names
	 * and bytes are kept by the caller until the source is closed; of two files of one name
	 * the first counts, and unknown names are ignored.  @path is then only a name for
	 * messages. */
	const struct hs_rec_file *files;
	size_t file_count;
	const struct hs_trace_params *params; /**< of a trace; copied.  NULL: the defaults, with
	                                           TRACE.json next to @path if it exists */
	/** How the bytes of a trace came; what is NULL in it, or all of it, is as @params say.
	 * Its src_bits is replaced by the protocol's. */
	const struct hs_capture_options *capture;
	const struct hs_code_file *code; /**< none: the snapshot of the recording */
	size_t code_count;
	/** Of a recording: HS_KIND_TIME before each block, in cycles by this clock where the
	 * recording has no times of its own, and harts merged by time.  Copied.  NULL: none. */
	const struct hs_clock_config *clock;
	/** XLEN of the program, 32 or 64, where no ELF file says it; 0: 64 there. */
	uint8_t xlen;
	/** Of a perf.data without @code and TRACE.json: what is before the paths of the files that
	 * it says were mapped, which then are the program.  NULL: nothing. */
	const char *sysroot;
	/** Which blocks are wanted; what is left out is a HS_NOTE_LEFT_OUT.  Copied.  NULL: all. */
	const struct hs_selection *select;
	/** Of a trace: its sources, in the order in which they are decoded.  Of a capture without
	 * frames they come after the one that is opened, whose hart is @first_hart.  Without any,
	 * those of the parameters; without these frames have those that are found in them, and
	 * their harts are counted from 0. */
	const struct hs_source_part *parts;
	size_t part_count;
	uint32_t first_hart;
	/** Files of the guest (hs_source_facts.guest).  All of the source is read once when it is
	 * opened, unless there are only modules. */
	const struct hs_guest_file *guest;
	size_t guest_count;
	/** How the times of the trace and of perf's text among @guest belong together; NULL: not
	 * known.  A perf.data says it itself (TIME_CONV). */
	const struct hs_guest_clock *guest_clock;
	/** Threads that may decode a trace, the caller's among them; 0 and 1: only that one.  The
	 * items are the same, in their order (design/chunks).  Each takes about 40 MB.  Of a
	 * recording one of them reads ahead (design/pool), and one for each source of
	 * hs_source_open_hart(), while there are fewer. */
	uint32_t threads;
	/** Places at which reading can begin are wanted, for an index or a debugger. */
	bool places;
	uint32_t thread_bytes; /**< that one of them decodes at once, at least 8 KiB; 0: 64 KiB, or
	                            128 where all bytes are there and no places are wanted */
	/** How names are found and shown, in all programs and by the guest; its debug_dirs stay the
	 * caller's until the source is closed.  NULL: as by default. */
	const struct hs_name_options *name_options;
};

/** Do options name a program: files of code, or the text of a /proc/PID/maps among those of the
 * guest? */
HS_API bool hs_source_names_code(const struct hs_source_options *options);

/**
 * Open a source.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  A file does not exist or cannot be read.
 * @retval HS_E_FORMAT  A file is not what it should be.
 * @retval HS_E_CONFIG  A parameter is wrong, no program is known for a trace, a file of the guest
 *                      has no addresses, or @options has unknown bytes that are not zero.
 * @retval HS_E_ARG     The recording does not have the hart; neither a path nor bytes were given.
 * @retval HS_E_UNSUPPORTED  Not a RISC-V program, or a newer recording.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_source_open(const struct hs_source_options *options,
                                     struct hs_source **source, struct hs_error *error);
HS_API void hs_source_close(struct hs_source *source); /**< NULL is allowed */

/**
 * The next blocks and events.  With several harts HS_KIND_HART precedes the first item of each hart
 * and every change of the hart: a recording gives one hart after the other, or, with a clock, mixes
 * them by time; a trace mixes them as they were traced; a
 * perf.data gives one buffer after the other, a trace of several parts one part after the other.
 *
 * @param cap     At least 1; some thousand are fast.
 * @param[out] n  Entries of @out written; also with errors.
 *
 * @retval HS_OK   *n may be 0: call again.
 * @retval HS_END  No more; *n is 0.
 * @retval HS_E_NOTHING  Once, at the end: what was asked for is not there
 *                 (hs_source_set_range()), or nothing ran in a process, thread or mode that
 *                 was selected, but for a source of one hart or a slice.
 * Any other status is damage or a failure that @error describes; call again for the items after
 * it, up to HS_END.
 */
HS_API enum hs_status hs_source_next(struct hs_source *source, struct hs_block *out, size_t cap,
                                     size_t *n, struct hs_error *error);

/**
 * As hs_source_next(), without a copy: several threads (hs_source_options.threads) write items that
 * are given out where they are.
 * @param[out] items  The source's; valid until the next call with the source.
 * @param[out] n      Some thousand; also with errors.
 */
HS_API enum hs_status hs_source_view(struct hs_source *source, const struct hs_block **items,
                                     size_t *n, struct hs_error *error);

/** What a message of a trace led to. */
struct hs_followed {
	uint64_t blocks, halfwords;  /**< that it ended, with their half-words */
	struct hs_block first, last; /**< of these blocks, where there are some */
	struct hs_block event;       /**< the last event among them; HS_KIND_BLOCK: none */
	uint64_t time;               /**< of the hart after it, with @has_time */
	uint64_t next; /**< where the last block led, with @has_pc: what has retired of the next */
	uint64_t pc;   /**< one is before this address */
	uint32_t hart, index, harts; /**< its number; which one it is of those that came so far */
	bool has_time, has_pc;
	uint64_t errors;       /**< that the decoder could not follow */
	struct hs_error error; /**< the last of them; HS_OK */
};

struct hs_follower;

/**
 * Follow the messages of a trace, which another source reads with hs_source_message(): which blocks
 * each led to, where the hart stands after it, and when.  One thread decodes.  Before the first
 * hs_source_next(); the source is the caller's, and is read by nothing else.
 * @param from  Byte from which on messages will be asked for.
 * @param item  Is given each item as it comes, with @of; NULL: nothing is.
 * @retval HS_OK
 * @retval HS_E_UNSUPPORTED  Not a trace, or one of a perf.data, of several parts, of code of
 *                           several moments, or of which a slice is read.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_follower_new(struct hs_source *source, uint64_t from,
                                      void (*item)(void *of, const struct hs_block *item), void *of,
                                      struct hs_follower **follower);

/**
 * Follow the message that ends before byte @end; messages are given in their order.
 * @retval HS_OK
 * @retval HS_E_SYSTEM, HS_E_MEMORY  Once: the trace cannot be read any further; *out is what is
 *                                   known of the message, and *error why.
 */
HS_API enum hs_status hs_follower_to(struct hs_follower *follower, uint64_t end,
                                     struct hs_followed *out, struct hs_error *error);

/** "main+0x12" for an address of the hart of @at; false: it has no name. */
HS_API bool hs_follower_name(const struct hs_follower *follower, const struct hs_followed *at,
                             uint64_t addr, char *text, size_t size);

HS_API void hs_follower_free(struct hs_follower *follower); /**< NULL is allowed */

/** Longest message whose bytes hs_source_message() gives. */
#define HS_SOURCE_MESSAGE_BYTES 512

/** The next message of a trace instead, with its bytes.  Results as hs_source_next(). */
HS_API enum hs_status hs_source_message(struct hs_source *source, struct hs_message *m,
                                        struct hs_error *error);

/** What hs_source_messages() makes of the messages of a trace.  Pieces of it are read on several
 * threads; what is made of one is @room bytes of the caller's, zero at first. */
struct hs_messages_options {
	uint32_t size;    /**< sizeof(struct hs_messages_options) */
	uint32_t threads; /**< that read, the caller's among them; 0 is 1 */
	size_t room;      /**< at least 1 */
	bool wire;        /**< also the bytes of messages, and where their fields are in them */
	void *to;         /**< for each of the following */
	/** Of a piece: @begin, which makes @made empty, then @message and @error in order, on any
	 * thread.  A piece may be begun again, and no two calls have one @made at a time.  @m and
	 * what it points to are valid until the call ends. */
	void (*begin)(void *to, void *made);
	void (*message)(void *to, void *made, const struct hs_message *m);
	void (*error)(void *to, void *made, const struct hs_error *error);
	/** Pieces in order, each once, on the caller's thread.  False: no more are wanted. */
	bool (*take)(void *to, void *made);
	/** Frees what is in @made, but not @made; on the caller's thread. */
	void (*free)(void *made);
};

/**
 * All messages of a trace in one stream, as hs_source_message() gives them one by one.
 * @retval HS_OK            All were taken, or @take wanted no more.
 * @retval HS_E_CONFIG      Members of @options that this library lacks; no room.
 * @retval HS_E_UNSUPPORTED Its messages can only be separated by reading them: nothing was read.
 * @retval HS_E_SYSTEM      It cannot be read any further.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_source_messages(struct hs_source *source,
                                         const struct hs_messages_options *options,
                                         struct hs_error *error);

/** What hs_source_lint() reads with, and to whom it gives findings. */
struct hs_lint_options {
	uint32_t size; /**< sizeof(struct hs_lint_options) */
	/** Threads that read, the caller's among them; 0 is 1: what is found is then given when its
	 * bytes come. */
	uint32_t threads;
	const struct hs_image *image;   /**< as lint_new of the protocol had it */
	const struct hs_image_set *set; /**< the same */
	uint64_t max;                   /**< findings of a kind that are wanted one by one */
	const bool *ignored;            /**< by kind: of which none is; NULL: of no kind */
	void *to;                       /**< for each of the following, on the caller's thread */
	void (*finding)(void *to, const struct hs_lint_finding *f);
	/** So many more of a kind, of which @max were given, or that is ignored. */
	void (*more)(void *to, unsigned kind, uint64_t n);
	/** Reading goes on after HS_E_FRAMING and HS_E_LOST, and after no other. */
	void (*error)(void *to, const struct hs_error *error);
};

/**
 * Read a trace in one stream to its end with a lint of its protocol, which is new: what is found,
 * and its order, are those of one thread (design/pool).
 * @retval HS_OK
 * @retval HS_E_CONFIG  Members of @options that this library lacks.
 * @retval HS_E_MEMORY, HS_E_SYSTEM  And any other that was given to @error: it cannot be read any
 *                      further.
 */
HS_API enum hs_status hs_source_lint(struct hs_source *source, struct hs_lint *lint,
                                     const struct hs_lint_options *options);

/** Of a trace of several parts: what follows is of the next one, whose parameters
 * hs_source_known() then has.
 * @retval HS_OK
 * @retval HS_END  It was the last one, or the source is not of several parts.
 * Any other status as hs_source_open(). */
HS_API enum hs_status hs_source_next_part(struct hs_source *source, struct hs_error *error);

/** The code that a HS_KIND_VERSION names in arg; valid until the source is closed.
 * @retval HS_OK
 * @retval HS_E_ARG  It has no such code. */
HS_API enum hs_status hs_source_code(const struct hs_source *source, uint32_t number,
                                     struct hs_section *code);

/** Who takes what a source gives. */
struct hs_taker {
	void *to; /**< first argument of the others */
	/** Some items, valid until it returns; n may be 0.  False: no more are wanted.  NULL: none
	 * are. */
	bool (*take)(void *to, const struct hs_block *items, size_t n);
	/** Damage, or a failure: it is before the items that are given next.  Reading goes on.
	 * NULL: it is passed over. */
	void (*error)(void *to, const struct hs_error *error);
};

/**
 * Give all items of a source to a taker, in their order, from where it stands.
 * @retval HS_OK    To its end.
 * @retval HS_MORE  It wanted no more.
 */
HS_API enum hs_status hs_source_follow(struct hs_source *source, const struct hs_taker *taker);

/**
 * For a caller that keeps what it made of each block: blocks that the decoder of a trace finds in
 * its memo are given as HS_KIND_PATH.  They are in memory until the source
 * is closed or rewound, or until the next call after one without blocks.  One thread decodes then,
 * whatever hs_source_options.threads says.  Before the first hs_source_next(); it holds after
 * hs_source_rewind(), too.
 * @return  false: every block is among the items: it is no trace, or one of a perf.data, of several
 *          parts, of code that changes, or of which some items, a range or a slice only are wanted;
 *          or the decoder has no memo that it may use (there are several sources or programs), or
 *          there is a guest.
 */
HS_API bool hs_source_refer_paths(struct hs_source *source);

/** Read again from the start.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  Impossible: standard input.
 * @retval HS_E_MEMORY */
HS_API enum hs_status hs_source_rewind(struct hs_source *source, struct hs_error *error);

/**
 * From now on read only a range of a source that is at its start.  Where its index shows a place
 * before the range, reading begins there (hs_range_options.index).  Positions are those of the
 * items that are read otherwise, after one_hart and select; a position by byte wants one thread.
 * Sources that hs_source_open_hart() makes later give what the range has of their hart, for which
 * this source is read once.  At the end, before HS_END, hs_source_next() returns HS_E_NOTHING where
 * the range has nothing.
 * @param range   Its program, programs and guest are ignored: they are the source's.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The range is none: the error says why.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_source_set_range(struct hs_source *source,
                                          const struct hs_range_options *range,
                                          struct hs_error *error);

/* ---- slices of a trace: work for several processes ------------------------------ */

/** A slice of a trace: what one of several processes decodes (design/parts).  The bytes are cut
 * into
 * @count ranges of one size.  The items of a slice begin where a decoder that knows nothing of the
 * bytes before is synchronised, and end where those of the slice @next begin: together they are the
 * items of the trace. */
struct hs_source_slice {
	uint32_t number, count; /**< slice @number, from 1, of @count */
	uint32_t next;       /**< the slice that continues it, 0: none.  Those between the two are
	                          part of this one */
	bool empty;          /**< no decoder can begin in its bytes: it has no items */
	uint64_t begin, end; /**< bytes of the trace that its items come from */
};

#define HS_SOURCE_LEAD 512u /**< items that hs_source_slice_lead() writes, at most */

/**
 * Read a slice from its start: hs_source_next() then gives its items, up to HS_END.  One thread
 * decodes it.  What a slice is depends on the trace, its program and parameters, @count and
 * hs_source_options.thread_bytes, and on nothing else.
 * @param number  From 1 to @count.
 * @retval HS_OK
 * @retval HS_E_ARG  There is no such slice.
 * @retval HS_E_UNSUPPORTED  As hs_source_make_index().
 * @retval HS_E_SYSTEM
 * @retval HS_E_MEMORY
 * hs_source_rewind() goes back to all of the trace.
 */
HS_API enum hs_status hs_source_begin_slice(struct hs_source *source, uint32_t number,
                                            uint32_t count, struct hs_error *error);

/** What the items before a slice mean to it: of each hart its number, where there are several, its
 * contexts and the block that it executed last, unless a gap followed; at the end the hart of the
 * slice's first item.  None of them is an item of the slice.
 * @param out  Room for HS_SOURCE_LEAD items.
 * @return     How many were written; 0 without a slice. */
HS_API size_t hs_source_slice_lead(const struct hs_source *source, struct hs_block *out);

/* ---- an index -------------------------------------------------------------------- */

/** A number for a trace or recording (sizes and samples of its files), its parameters, its programs
 * (the same) and this library's version; 0: it has no places to go to, or it
 * cannot be read.  Other data has,
 * all but certainly, another number; a change that the samples miss has not. */
HS_API uint64_t hs_source_fingerprint(struct hs_source *source);

/** An index (docs/trace-index.md). */
struct hs_source_index {
	uint8_t *bytes; /**< the file, of @n bytes; free() */
	size_t n;
	uint64_t instructions; /**< of all of the source */
	size_t places;
};

/**
 * Read all of a source, which was opened with hs_source_options.places, and make its index.
 * @param report  Gets each error of the source, after which it goes on, with @to.  NULL: nobody.
 * @retval HS_OK
 * @retval HS_E_UNSUPPORTED  Not a recording as a whole without a clock, or not a trace in a file or
 *                           memory whose bytes are those of the trace as they are, without code
 *                           that changes: there are no places to go to.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_source_make_index(struct hs_source *source,
                                           void (*report)(void *to, const struct hs_error *what),
                                           void *to, struct hs_source_index *index,
                                           struct hs_error *error);

/* ---- harts of a recording ------------------------------------------------------- */

/**
 * The numbers of a recording's harts, in the order of its streams; of a source of one hart that
 * one.
 * @param[out] harts  Belongs to the source.
 * @param[out] count  0 for a trace, whose harts are known after it was read.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  A stream cannot be opened.
 * @retval HS_E_FORMAT  A stream is damaged.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_source_get_harts(struct hs_source *source, const uint32_t **harts,
                                          uint32_t *count, struct hs_error *error);

/**
 * One hart as a source of its own, at its start: harts can be read in any order, or next to each
 * other.  A trace is opened again for it, as @source was.  Close it before @source.
 * @retval HS_OK
 * @retval HS_E_ARG  @source is a recording, and has no such hart.
 * @retval HS_E_MEMORY
 * Other results as hs_source_get_harts(), and of a trace as hs_source_open().
 */
HS_API enum hs_status hs_source_open_hart(struct hs_source *source, uint32_t hart,
                                          struct hs_source **out, struct hs_error *error);

/* ---- what is known about a source ----------------------------------------------- */

/** What is known about a source.  What it points to belongs to the source. */
struct hs_source_facts {
	struct hs_program *program; /**< the code of the blocks; NULL without */
	/** The programs of all contexts, of which program is the first. */
	const struct hs_program_set *programs;
	struct hs_image_set images; /**< their images, as decoders take them */
	const char *program_path; /**< the first ELF file given, or what a recording says; NULL: not
	                               known */
	struct hs_guest *guest;   /**< who runs and what is where, by files that were given; NULL */
	const struct hs_rec_info *info; /**< what a recording says about itself; NULL of a trace */

	/* Of a trace: NULL, and 0, of a recording. */
	const struct hs_protocol *protocol; /**< or that of the part that is being read */
	/** What was given, completed by what the trace says of its encoder and by the program. */
	const struct hs_trace_params *params;
	const struct hs_source_part *part; /**< of several: the one that is being read, whose params
	                                        are NULL here; else NULL */
	const struct hs_capture_report *capture; /**< how the bytes came; NULL: of a perf.data */
	const struct hs_perf_lane *lane; /**< of a perf.data: the buffer that is being read */
	/** For the versions of code, where it has code of several moments; else NULL. */
	const struct hs_code_search *search;
	/** One line, when a message at the start describes its encoder otherwise than the
	 * parameters that were given, which then hold; NULL: none does. */
	const char *note;
	/** Why the decoder could not follow the trace, after an error of hs_source_next();
	 * HS_REASON_NONE when the error was not the decoder's. */
	enum hs_reason reason;
	/** Where the flow stood then, or where a message led, as the decoder read its address; 0:
	 * not known. */
	uint64_t fault_address;

	const struct hs_range_found *range; /**< what was found of it so far; NULL: there is none */
	/** Its next and end are known after its HS_END; NULL: none was begun. */
	const struct hs_source_slice *slice;
};

/** What is known now; until the next call with @source. */
HS_API const struct hs_source_facts *hs_source_known(const struct hs_source *source);

/**
 * Is a trace the one that its TRACE.json describes?  The first call compares the size, and has the
 * checksum taken of the bytes that are read from then on: call it before hs_source_next(), and
 * again after HS_END.
 * @retval HS_OK     It is, or no TRACE.json says what it is like; or it is a recording, or in
 *                   memory.
 * @retval HS_MORE   It has as many bytes; not all of them were read from the first to the last one
 *                   (a seek, a range that ends before).
 * @retval HS_E_CUT  Once: it has another size or checksum: it is cut, damaged or another trace.
 * @retval HS_E_UNSUPPORTED  What is read are not all bytes of the file in order (a transport, a
 *                   pipe, several parts, a slice, one hart, perf.data): hs_trace_params_verify()
 *                   reads them.
 */
HS_API enum hs_status hs_source_verify(struct hs_source *source, struct hs_error *error);

/** Messages of a trace by type, so far. @return  Types written to @out; 0 for a recording. */
HS_API unsigned hs_source_counts(const struct hs_source *source, struct hs_message_count *out,
                                 unsigned cap);

/** Bytes of trace, or of a recording's streams, read so far; @total (may be NULL): all there are, 0
 * when not known, as of one hart of a recording.  Of a recording another thread may ask. */
HS_API uint64_t hs_source_bytes(const struct hs_source *source, uint64_t *total);

#ifdef __cplusplus
}
#endif
#endif
