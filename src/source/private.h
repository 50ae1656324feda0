/* What the files of a source share. */
#ifndef HS_SOURCE_PRIVATE_H
#define HS_SOURCE_PRIVATE_H

#include <hartscope/capture.h>
#include <hartscope/source.h>

#include "inputs/inputs.h"
#include "trace/trace.h"
#include "program/program.h"
#include "source/guide.h"
#include "source/source.h"

/* A kind of source: recording or trace. */
struct source_ops {
	enum hs_status (*next)(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
	                       struct hs_error *error);
	enum hs_status (*rewind)(struct hs_source *s, struct hs_error *error);
	void (*close)(struct hs_source *s);
};

/* A recording whose snapshot is part of a program. */
struct source_image {
	struct source_image *next;
	struct hs_rec *rec;
	const char *path; /* the caller's; only while the source is opened */
};

/* The programs of the blocks. */
struct source_code {
	struct hs_program *program; /* of --elf and the like, without a context */
	struct hs_program_set set;  /* what the caller sees; its first is not always @program */
	struct source_image *images;
	char *program_path;
	struct hs_name_options names; /* size 0: as by default */
	/* of contexts */
	struct hs_program **processes;
	size_t own_count; /* of them; those after them are again some of them */
	uint64_t *contexts;
	struct hs_image *process_images; /* a copy of each one's image, for the decoder */
	struct hs_rec_process *files;
	size_t file_count;
	bool own_files;            /* the user's own recording or trace names them */
	bool has_guest;            /* files of it were given, which may be those that are gone */
	struct hs_program **later; /* code of later moments, in the order of time */
	size_t later_count;
	struct hs_guest *guest; /* NULL: no files of it were given */
	const char *sysroot;    /* of the options: the caller's */
};

struct source_recording {
	struct hs_rec *rec; /* of a source of one hart: its parent's */
	struct hs_rec_stream *stream;
	uint32_t next_stream, end_stream; /* those that are still to be read */
	uint32_t *harts; /* numbers by stream; NULL until they are needed */
	/* with time (timed.c): */
	bool versions; /* HS_KIND_VERSION, too */
	hs_memo_count_fn *take; /* NULL: every block is an item (source_count_blocks()) */
	void *take_to;
	bool timed;
	struct hs_clock_config clock;
	struct source_lane *lanes, *current;
	uint32_t *lane_harts, lane_count;
	/* with a thread (ahead.c): */
	struct source_ahead *ahead; /* NULL: the caller's thread reads */
	uint64_t given;             /* items that it gave */
	uint64_t bytes_before;      /* of streams that were read */
	_Atomic uint64_t bytes;     /* of files that were read: of any thread */
	_Atomic uint32_t readers;   /* threads of this source and of those of its harts, which other
	                             threads may read */
};

/* The buffers of a perf.data, which are decoded one after the other. */
struct source_perf {
	struct hs_perf *file;
	size_t lane;     /* the current one */
	struct hs_capture_aligner align;
	bool skip;       /* no byte of this framing says where a packet begins */
	bool named;      /* HS_KIND_HART of the current buffer was written */
	bool damage_told;
	bool messages;   /* of N-Trace, in which MSEO shows where one ends */
	bool open;       /* the last byte of the buffer ends none, as far as is known */
	bool by_time;    /* the list of changes has times of perf in place of offsets */
	uint64_t given;  /* bytes of the current buffer that were read */
	struct source_perf_id *ids; /* harts of sources (AUX_OUTPUT_HW_ID) */
	size_t id_count;
};

/* One of several sources of a trace (parts.c). */
struct source_part {
	uint8_t id;
	char *path; /* NULL: the file of the trace */
	int fd;
	uint32_t hart;
	struct hs_trace_params *params;
};

struct source_parts {
	struct source_part *at;
	size_t count, now;
	bool named; /* HS_KIND_HART of the current part was written */
	struct hs_capture_options capture; /* as the caller gave them */
	struct hs_span memory;
};

/* The last bytes that a reader was given. */
#define SOURCE_RECENT 1024u
struct source_recent {
	uint64_t end;                             /* bytes that it was given */
	uint8_t bytes[SOURCE_RECENT];             /* byte number N is in N % SOURCE_RECENT */
	uint8_t message[HS_SOURCE_MESSAGE_BYTES]; /* the last one */
};

/* Where a slice is read: the next byte, and where reading stops. */
struct source_window {
	uint64_t at, limit;
};

#define SOURCE_PIECE ((size_t)1 << 18) /* bytes that are read at once */

struct source_trace {
	const char *transport; /* of the caller or TRACE.json */
	struct hs_trace_params *own_params; /* of the trace, where params are those of a part */
	struct source_parts *parts; /* NULL: it has one source, or those of its messages */
	struct hs_trace_params *params;
	const struct hs_protocol *protocol;
	const void *config;
	struct hs_decoder *decoder;
	bool all_syncs; /* periodic synchronisations are events, too */
	struct { /* of the messages verb */
		struct hs_reader *reader;
		struct source_recent recent; /* for the reader */
		uint64_t reader_base;        /* bytes of its buffer before the reader's first one */
	} messages;
	struct {                        /* paths and messages */
		struct hs_memo *memo;   /* in which paths are counted; NULL: none are */
		hs_memo_count_fn *take; /* NULL: none are to be counted */
		void *take_to;
		bool passes_times; /* a time does not divide them */
		bool refers;       /* paths are to be referred to */
		struct hs_message_count
			*counts; /* messages of the buffers or parts before this one */
		unsigned count_count;
	} counted;
	struct {
		struct hs_source_work shared;
		const struct hs_source_work *work; /* that threads share: shared; NULL: none */
		struct source_parallel *parallel;  /* several threads decode; NULL: one does */
		uint32_t threads;                  /* that may decode; 0: it is decided */
	} pool;
	struct { /* that changes while it is traced */
		struct hs_code_search
			*search; /* in place of decoder: with code of several moments */
		struct hs_code_changes *changes; /* NULL: the code does not change */
		struct source_guide *guide;
		bool versions;                 /* HS_KIND_VERSION is wanted */
		struct source_changes *events; /* NULL: none are wanted, or there are no changes */
		bool adrift; /* one is, and its code changes again: one message after the other */
	} code;
	struct {                            /* the trace's bytes */
		char *name;                 /* for messages */
		struct hs_capture *capture; /* NULL: of a perf.data */
		struct source_perf *perf;
		int fd; /* -1: in memory */
		uint8_t *buffer;
		struct hs_span left;   /* in buffer: not decoded yet */
		struct hs_span memory; /* p is NULL: of a file */
		uint64_t bytes, total;
		bool eof; /* of the bytes */
	} in;
	struct { /* where a piece that is decoded at once ends */
		uint64_t stops
			[2];  /* no piece that is decoded goes on past them: positions of a range */
		bool by_byte; /* from @by_byte_from on each piece is a byte */
		uint64_t by_byte_from;
	} cut;
	struct {
		const struct hs_custom *custom;
		uint8_t custom_count;
	} vendor;
	struct {
		enum hs_reason reason; /* of the last error */
		uint64_t fault;        /* its address; 0: not known */
		struct hs_error
			note; /* what the trace says of its encoder contradicts the parameters */
	} diag;
	uint64_t items; /* blocks, events and errors so far */
	bool begun;     /* one of them is no gap */
	struct {
		struct XXH64_state_s
			*sum;     /* of the bytes that were read, from the first one; NULL: none */
		uint64_t summed;  /* bytes in it */
		bool sum_ended;   /* they are all */
		bool sum_differs; /* that was said */
	} hash;
	struct source_slice *slice;       /* NULL: all of it is read */
	struct source_window window;      /* of a slice */
	bool full;  /* the last message gives more blocks */
	bool ended;
};

/* Blocks for callers whose array is smaller than a decoder needs, and the result after them. */
#define SOURCE_SPARE 64
#define SOURCE_VIEW 8192 /* items that hs_source_view() gives at once where it has none */
struct source_spare {
	struct hs_block items[SOURCE_SPARE];
	size_t at, n;
	enum hs_status status;
	struct hs_error error;
};

struct source_selection;
struct source_range;
struct source_marks;
struct source_again;

enum source_kind { SOURCE_NONE, SOURCE_RECORDING, SOURCE_TRACE };

/* What hs_source_known() gives, and what it points to. */
struct source_known {
	struct hs_source_facts facts;
	struct hs_source_part part;
	struct hs_capture_report capture;
	struct hs_perf_lane lane;
	struct hs_range_found range;
	struct hs_source_slice slice;
};

struct hs_source {
	const struct source_ops *ops;
	enum source_kind kind;
	struct hs_source *parent; /* of a source that hs_source_open_hart() made */
	struct source_code code;
	bool one_hart;
	bool other_hart; /* the current items belong to a hart that was not asked for */
	bool hart_seen;  /* there were items of the one that was, or their absence was reported */
	uint32_t last_hart; /* the highest number seen */
	uint32_t hart;
	uint32_t threads, thread_bytes; /* as the caller asked */
	struct source_spare spare;
	struct source_marks *marks; /* NULL: places are not wanted */
	struct hs_block *first;     /* items after a seek, before those of the trace or stream */
	size_t first_at, first_n;
	bool no_memory;        /* said so: what follows is the end */
	struct hs_block *view; /* of hs_source_view(), which was not called while it is NULL */
	struct source_selection *selection; /* NULL: everything is wanted */
	struct source_range *range;         /* NULL: all of it */
	struct source_again *again;         /* of a trace: the options that it was opened with */
	struct source_known known;
	union {
		struct source_recording recording;
		struct source_trace trace;
	};
};

/* The code of a source, which is its parent's where it has one. */
static inline const struct source_code *source_code_of(const struct hs_source *s)
{
	return s->parent ? &s->parent->code : &s->code;
}

/* items.c: what a trace says before its first HS_KIND_HART is of hart 0. */
void source_reset_hart(struct hs_source *s);
/* The next items of the wanted harts. */
enum hs_status source_read_items(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                 struct hs_error *error);
/* selection.c */
enum hs_status source_selection_new(const struct hs_selection *of, struct source_selection **out);
/* The same selection, at the start of another source. */
enum hs_status source_selection_copy(const struct source_selection *of,
                                     struct source_selection **out);
void source_selection_free(struct source_selection *c); /* NULL is allowed */
void source_selection_rewind(struct source_selection *c);
/* The next items that are selected, as hs_source_next(). */
enum hs_status source_next_selected(struct hs_source *s, struct hs_block *out, size_t cap,
                                    size_t *n, struct hs_error *error);
/* The next items that are selected, of all where there is no selection. */
enum hs_status source_next_items(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                 struct hs_error *error);
/* ranged.c */
void source_range_free(struct source_range *r); /* NULL is allowed */
void source_range_rewind(struct source_range *r);
/* hs_source_set_range() where the source is @before instructions after its start. */
enum hs_status source_set_range(struct hs_source *s, const struct hs_range_options *range,
                                uint64_t before, struct hs_error *error);
/* Does a range know what each hart has of it? */
bool source_range_is_measured(const struct hs_source *s);
void source_range_measured(struct hs_source *s, bool all);
/* The part of a hart of the range of @whole, which knows it. */
enum hs_status source_take_range(struct hs_source *s, const struct hs_source *whole,
                                 struct hs_error *error);
/* Without a range, or where the range did not end before the items. */
bool source_wants_all(const struct hs_source *s);
/* The next items of the range, as hs_source_next(). */
enum hs_status source_next_ranged(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                  struct hs_error *error);
/* again.c: keep a copy of the options of a trace.  HS_OK or HS_E_MEMORY. */
enum hs_status source_again_new(const struct hs_source_options *o, struct source_again **out);
void source_again_free(struct source_again *a); /* NULL is allowed */
/* hs_source_open_hart() of a trace. */
enum hs_status source_open_hart_again(struct hs_source *source, uint32_t hart,
                                      struct hs_source **out, struct hs_error *error);
/* recording.c */
extern const struct source_ops source_recording_ops;
enum hs_status source_open_recording(struct hs_source *s, const struct hs_source_options *o,
                                     struct hs_error *error);
/* read_recording.c: the next items, one hart after the other, as ops->next(). */
void source_close_stream(struct source_recording *r); /* also if there is none */
enum hs_status source_recording_read(struct hs_source *s, struct hs_block *out, size_t cap,
                                     size_t *n, struct hs_error *error);
/* ahead.c: does a thread read the next items?  It may be begun, after @given more of them. */
bool source_ahead_start(struct hs_source *s, size_t given);
void source_ahead_stop(struct hs_source *s); /* also if there is none */
/* The next items of that thread, as ops->next(). */
enum hs_status source_ahead_next(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                 struct hs_error *error);
/* The same where they are, until the next call; they may be changed. */
enum hs_status source_ahead_view(struct hs_source *s, struct hs_block **items, size_t *n,
                                 struct hs_error *error);
/* streams.c: the harts of all streams. */
enum hs_status source_all_harts(struct hs_source *s, const uint32_t **harts, uint32_t *count,
                                struct hs_error *error);
/* Limit a source to one hart. */
enum hs_status source_choose_hart(struct hs_source *s, uint32_t hart, const uint32_t *harts,
                                  uint32_t count, struct hs_error *error);
/* A stream as the source's options have it. */
enum hs_status source_open_stream(const struct source_recording *r, uint32_t index,
                                  struct hs_rec_stream **stream, struct hs_error *error);
/* Streams give all blocks from now on; the one that is being read ends. */
void source_stop_counting(struct hs_source *s);
/* timed.c: the next items, by time. */
enum hs_status source_next_timed(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                 struct hs_error *error);
enum hs_status source_open_lanes(struct source_recording *r, struct hs_error *error);
void source_close_lanes(struct source_recording *r);
/* events.c: HS_KIND_VERSION among the items of a trace that has a list of changes. */
struct source_changes;
/* @adrift: blocks are not counted, from the start. */
enum hs_status source_changes_new(bool adrift, struct source_changes **events);
void source_changes_free(struct source_changes *events); /* NULL is allowed */
/* The next items with these events among them, as ops->next(). */
enum hs_status source_next_changing(struct source_trace *t, struct hs_block *out, size_t cap,
                                    size_t *n, struct hs_error *error);
#define SOURCE_THREAD_BYTES (1u << 16) /* hs_source_options.thread_bytes, by default */
/* parallel.c: begin to decode on several threads, before the first bytes. */
bool source_parallel_start(struct hs_source *s, unsigned threads);
void source_parallel_stop(struct source_trace *t); /* also if there are none */
/* Room for items. */
struct source_room {
	struct hs_block *room;
	size_t cap;
	const struct hs_block *items; /* where they are: there until the next call, or in @room */
};
/* The next items.  False: there are none any more, and t->decoder continues. */
bool source_parallel_next(struct source_trace *t, struct source_room *v, size_t *n,
                          enum hs_status *status, struct hs_error *error);
/* Is the next item one at which reading can begin? */
bool source_parallel_place(const struct source_trace *t, struct hs_source_place *place);
/* slice.c: the next items of a slice. */
#define SOURCE_SLICE_TYPES 128u
enum hs_status source_slice_begin(struct hs_source *source, uint32_t number, uint32_t count,
                                  struct hs_error *error);
enum hs_status source_slice_next(struct source_trace *t, struct hs_block *out, size_t cap,
                                 size_t *n, struct hs_error *error);
void source_slice_free(struct source_trace *t); /* also if there is none */
/* Take those before the slice from counts of messages.  Returns how many are left. */
unsigned source_slice_counts(const struct source_slice *s, struct hs_message_count *out,
                             unsigned n);
/* state.c: what items mean to those after a place. */
/* HS_E_MEMORY the first time, then HS_END, so that readers of all items end. */
enum hs_status source_no_memory(struct hs_source *s, struct hs_error *error);
enum hs_status source_marks_new(struct source_marks **marks);
void source_marks_free(struct source_marks *m); /* NULL is allowed */
void source_marks_rewind(struct source_marks *m);
void source_marks_follow(struct source_marks *m, const struct hs_source *s,
                         const struct hs_block *items, size_t n);
/* Continue with a state: at the start of a recording, at the place of a trace. */
enum hs_status source_resume(struct hs_source *s, const uint32_t *state, size_t count,
                             struct hs_error *error);
bool source_recording_has_place(const struct hs_source *s);
/* A stream looks for places, if they are wanted. */
void source_find_places(const struct hs_source *s, struct hs_rec_stream *stream);
/* place.c: are the bytes those of one trace, in a file or memory, with code that stays? */
bool source_may_seek(const struct hs_source *s);
/* What reading bytes said after the last ones, as hs_capture_read(). */
enum hs_status source_parallel_end(const struct source_trace *t, struct hs_error *error);

/* bytes.c: the next bytes, as hs_capture_read() */
enum hs_status source_refill(struct source_trace *t, struct hs_error *error);
/* After the end of a buffer of a perf.data, or of a part: the next one. */
enum hs_status source_go_on(struct source_trace *t, struct hs_error *error);
enum hs_status source_read_at(const struct source_trace *t, uint64_t offset, uint8_t *to, size_t n,
                              struct hs_error *error);
/* decode.c: the error of a trace of which nothing but gaps came out. */
enum hs_status source_nothing_read(const struct source_trace *t, struct hs_error *error);
/* Does a trace of more than gaps begin with the item? */
static inline bool source_begins(const struct hs_block *item)
{
	return item->kind != HS_KIND_GAP && item->kind != HS_KIND_HART;
}
/* Items, and an error or none after them, that a decoder gave. */
void source_count_items(struct source_trace *t, const struct hs_block *items, size_t n,
                        enum hs_status status);
enum hs_status source_read_bytes(struct source_trace *t, uint8_t *out, size_t cap, size_t *n,
                                 struct hs_error *error);
/* programs.c: what the parameters say of the trace. */
struct hs_protocol_traits source_traits(const struct source_trace *t);
/* equip.c: a decoder, where there is none. */
enum hs_status source_new_decoder(struct hs_source *s, struct hs_error *error);
/* Let the new decoder count paths or refer to them, where it can. */
void source_ask_memo(struct source_trace *t);
/* sum.c: add bytes that were read to the checksum, if one is taken; @ended: there are no more. */
void source_sum_add(struct source_trace *t, const uint8_t *bytes, size_t n, bool ended);
/* The bytes are read again from the first one, or from somewhere else. */
void source_sum_restart(struct source_trace *t);
void source_sum_stop(struct source_trace *t);
/* The next items of the decoder, as ops->next(). */
enum hs_status source_decode(struct source_trace *t, struct hs_block *out, size_t cap, size_t *n,
                             struct hs_error *error);
/* Must a decoder know of bytes that are missing?  Where pins lost alignment and messages
 * end by MSEO, the bytes say so. */
bool source_is_lost(const struct source_trace *t, enum hs_status status);
extern const struct source_ops source_trace_ops; /* trace.c */
/* As hs_source_view(). */
enum hs_status source_view_trace(struct hs_source *s, struct source_room *v, size_t *n,
                                 struct hs_error *error);
enum hs_status source_open_trace(struct hs_source *s, const struct hs_source_options *o,
                                 struct hs_error *error);

/* wrap_point.c: look for the wrap point of a circular buffer with the program, where only that may
 * show it. */
enum hs_status source_find_wrap(struct hs_source *s, struct hs_error *error);

/* parts.c.  Take the list of parts; nothing where there is one source. */
enum hs_status source_parts_open(struct source_trace *t, const struct hs_source_options *o,
                                 struct hs_error *error);
void source_parts_close(struct source_trace *t);
/* Begin the next part, or at a rewind the first one.  HS_OK, HS_END, or why it cannot. */
enum hs_status source_next_part(struct source_trace *t, struct hs_error *error);
enum hs_status source_first_part(struct source_trace *t, struct hs_error *error);
/* As source_name_harts(), for parts. */
size_t source_name_part(struct source_trace *t, struct hs_block *out, size_t n);
/* Put the name of the current part before an error's text. */
void source_name_part_error(const struct source_trace *t, struct hs_error *error);
/* bytes.c: set up the capture of the current parameters. */
enum hs_status source_open_capture(struct source_trace *t, const struct hs_capture_options *given,
                                   int fd, const struct hs_span *memory, unsigned id,
                                   struct hs_error *error);
enum hs_status source_discover(struct source_trace *t, struct hs_error *error);
uint32_t source_bits(const struct source_trace *t);

/* perf.c: is what is to be opened a perf.data? */
bool source_is_perf(const struct hs_source_options *o);
enum hs_status source_open_perf(struct source_trace *t, const struct hs_source_options *o,
                                struct hs_error *error);
void source_close_perf(struct source_perf *p);
void source_rewind_perf(struct source_perf *p);
/* The next bytes of the current buffer, as hs_capture_read(); HS_E_LOST: bytes are missing. */
enum hs_status source_read_perf(struct source_perf *p, uint8_t *out, size_t cap, size_t *n,
                                struct hs_error *error);
/* Begin the next buffer.  HS_OK, HS_END, or at the end what is wrong with the file. */
enum hs_status source_next_buffer(struct source_perf *p, struct hs_error *error);
/* Give @n items, of which out[0] is free, the harts of their buffer.  Returns how many they are. */
size_t source_name_harts(struct source_perf *p, struct hs_block *out, size_t n);
/* Where a byte of the current buffer is in the list of changes. */
uint64_t source_place_perf(void *perf, uint64_t offset);
/* Are there bytes of the current buffer before those that are stored? */
bool source_begins_later(const struct source_perf *p);
/* A thread of a process, whose number may stand for a context as well. */
struct source_thread {
	uint32_t tid, pid; /* which differ */
};

/* maps.c: files that were mapped, by process, whose number stands for a context; @one: of one
 * process.  Those that are not there are left out. */
struct source_maps {
	struct hs_rec_process *files;
	size_t count;
	struct source_thread *threads;
	size_t thread_count;
	bool one;
	bool full; /* there were more, which are not kept */
};
/* What is to be added to the addresses of a file of which @length bytes from @offset on are at
 * @start. */
enum hs_status source_find_bias(const struct hs_program_mapping *m, uint64_t *bias,
                                struct hs_error *error);
enum hs_status source_read_maps(struct hs_source *s, const char *sysroot, struct source_maps *m,
                                struct hs_error *error);
void source_free_maps(struct source_maps *m);
/* The processes of a perf.data. */
enum hs_status source_add_perf_processes(struct source_perf *p, struct hs_guest *g);
/* pokes.c: the changes that a perf.data knows; *list stays as it is where it knows none.
 * HS_E_UNSUPPORTED: more than 2^20. */
enum hs_status source_read_pokes(struct source_perf *perf, struct hs_code_changes **list);
/* Put the name of the current buffer before an error's text. */
void source_name_buffer(const struct source_perf *p, struct hs_error *error);
/* Messages by type: keep those of the current buffer; add what was kept to @out. */
void source_keep_counts(struct source_trace *t);
unsigned source_add_counts(const struct source_trace *t, struct hs_message_count *out, unsigned n,
                           unsigned cap);
/* The hart of the current buffer. */
uint32_t source_buffer_hart(const struct source_perf *p);

/* code.c: an empty program, with the names that the options ask for. */
enum hs_status source_new_program(const struct source_code *c, struct hs_program **p);
/* @rec: the recording that the blocks come from, whose memory map says where files were
 * loaded; NULL for a trace. */
enum hs_status source_add_code(struct source_code *c, const struct hs_source_options *o,
                               const struct hs_rec *rec, struct hs_error *error);
/* The code and names of the recording at @path into any program of @c. */
/* The same with the code that the recording of a trace has: that is what ran
 * (design/code-changes). */
enum hs_status source_add_recorded(struct source_code *c, const struct hs_source_options *o,
                                   const char *recording, struct hs_error *error);
enum hs_status source_add_image(struct source_code *c, struct hs_program *p, const char *path,
                                struct hs_error *error);
/* Function and line names of the files that a recording mapped. */
void source_add_names(struct source_code *c, struct hs_rec *rec);
enum hs_status source_add_file(struct source_code *c, struct hs_program *p,
                               const struct hs_code_file *f, struct hs_error *error);
bool source_has_code(const struct hs_source_options *o); /* without a context */

/* moments.c: code of later moments. */
bool source_has_moments(const struct hs_source_options *o);
enum hs_status source_add_moments(struct source_code *c, const struct hs_source_options *o,
                                  struct hs_error *error);
void source_free_moments(struct source_code *c);
/* decoder.c */
bool source_decodes(const struct source_trace *t);
enum hs_status source_decode_bytes(struct source_trace *t, struct hs_span *in,
                                   struct hs_block *out, size_t cap, size_t *n);
enum hs_status source_decode_end(struct source_trace *t, struct hs_block *out, size_t cap,
                                 size_t *n);
void source_decode_lose(struct source_trace *t);
/* Why the decoder failed: t->reason, t->fault, and the text. */
void source_set_fault(struct source_trace *t, enum hs_status status, struct hs_error *error);
/* The same of a fault that was described before. */
void source_take_fault(struct source_trace *t, const struct hs_fault *f, struct hs_error *error);
unsigned source_decode_counts(const struct source_trace *t, struct hs_message_count *out,
                              unsigned cap);
void source_free_decoder(struct source_trace *t);
/* As hs_program_set_versions() takes it, of a struct source_trace. */
enum hs_status source_changed_code(void *trace, uint32_t number, struct hs_section *code);

/* Files of contexts that another file names. */
struct source_files {
	const struct hs_rec_process *files;
	size_t count;
	bool is_own; /* that file was written here */
	const struct source_thread *threads; /* of processes with files */
	size_t thread_count;
};

/* maps_text.c: is a file the text of a /proc/PID/maps?  The files that it says were mapped, with
 * @sysroot of the options before their paths, to a program. */
bool source_is_maps_text(const char *path);
bool source_is_maps_of(const struct hs_guest_file *f);
bool source_has_maps_text(const struct hs_source_options *o); /* as a map of processes */
enum hs_status source_add_maps_text(struct source_code *c, struct hs_program *p, const char *path,
                                    struct hs_error *error);

/* programs.c: the programs of contexts: those in @o, else in @list, else in the recording @rec;
 * both may be NULL. */
enum hs_status source_add_processes(struct source_code *c, const struct hs_source_options *o,
                                    const struct source_files *list, const struct hs_rec *rec,
                                    struct hs_error *error);
/* Add the code without a context to a program. */
enum hs_status source_add_code_to(struct source_code *c, struct hs_program *p,
                                  const struct hs_source_options *o, const struct hs_rec *rec,
                                  struct hs_error *error);
/* All programs have versions: what changes is the memory that a hart sees. */
void source_set_versions(struct source_code *c, hs_version_fn code, void *of);
void source_free_processes(struct source_code *c);

/* guest.c: the guest by the files in @o, if there are any. */
enum hs_status source_add_guest(struct hs_source *s, const struct hs_source_options *o,
                                struct hs_error *error);

/** Read a list from text like that of TRACE.code.
 * @param text  All of it is taken.
 * @param name  For messages.
 * Results as hs_code_changes_read_beside(), without HS_E_SYSTEM. */
enum hs_status hs_code_changes_read(struct hs_span *text, const char *name,
                                    struct hs_code_changes **list, struct hs_error *error);

#endif
