/* A stream that is read: from words to canonical blocks.
 *
 * A run's outcome (taken or not, interrupted or not) shows in the address of the next run.  So the
 * stream holds one run back: @prev has been read, and its block has not been queued.  Runs that
 * QEMU split for reasons of its own (at the end of a page, at its limits) are joined: @joined
 * half-words before @prev belong to its block, the last of them from the run @joined_run.  Events
 * wait in @events until the block before them is complete.
 *
 * stream.c reads words and has the common case; outcome.c has everything else. */
#ifndef HS_RECORDING_STREAM_H
#define HS_RECORDING_STREAM_H

#include "recording/private.h"
#include "recording/unpack.h"
#include "recording/versions.h"

#define STREAM_QUEUE 8u /* blocks that one word can make, events not counted */
#define STREAM_EVENTS 4096u
#define REC_STREAM_WORDS (REC_FRAME_BYTES / 4)

/* A run where a page of code is now (stream_moves.c). */
struct moved_run {
	struct rec_run run;
	uint32_t number; /* of the run as its record has it */
};

/* Where the runs are that the words name. */
struct stream_moves {
	const struct rec_run **now; /* of each run; NULL: not built since its page moved */
	struct moved_run **built;   /* of each run, the place that it had last, or NULL */
	uint32_t *move;             /* of each run: 1 + the move, 0: in its place */
	uint32_t count;             /* of runs */
	struct moved_run before;    /* the run before, where it was built anew */
};

struct hs_rec_stream {
	struct hs_rec *rec;
	struct hs_rec *part_rec;     /* of a flow of parts: the current one, */
	struct hs_rec_stream *part;  /* its stream, */
	uint32_t next_part;          /* and how many were begun */
	struct rec_in in;
	struct rec_unpack unpack; /* but of a flow */
	uint32_t hart;
	uint32_t *words;
	size_t count, at; /* words read, words used */
	const struct rec_run *prev;
	uint32_t joined;      /* half-words of the block before @prev */
	uint8_t joined_ilast; /* half-words of the last instruction of them */
	bool pair; /* which gives the target of the jump that is @prev (block.h, sijump) */
	const struct rec_run *joined_run;
	uint32_t joined_part; /* half-words of @joined_run that were joined */
	bool signal;          /* a signal handler starts with the next run */
	uint32_t signals;     /* signal handlers started so far */
	uint32_t resume_at, resumes;
	struct hs_rec_log_resume *resume; /* of this hart, by signal */
	struct hs_block queue[STREAM_EVENTS + STREAM_QUEUE];
	uint32_t queued, sent;
	struct hs_block events[STREAM_EVENTS];
	uint32_t event_count;
	enum hs_status end; /* HS_OK until the words end */
	bool whole;         /* all of it should be there */
	uint32_t index;     /* of the stream */
	bool follows; /* HS_KIND_VERSION is wanted */
	struct rec_versions *versions; /* NULL: not followed, or no run is contested */
	size_t stop;          /* with versions: the first word from @at on that may be a run which
	                         has to be compared; count: none.  Good while @looked */
	bool looked;
	uint64_t place_every, given, last_place; /* blocks and events: stream_state.c */
	bool stopped;                            /* at a place, which was not read on from */
	struct stream_moves *moves; /* NULL: all runs are where their records have them */
	bool begun;                 /* words were read */
	uint32_t repeated;          /* events to come that say what is known */
	/* of a recording that is read while it is made: */
	struct rec_feed feed;
	struct hs_rec_stream *next; /* of the same recording */
	bool starved;               /* there is no more by now */
	struct rec_counted *counted; /* NULL: every block is written (counted.c) */
	uint64_t words_read;
	struct rec_recall *recall; /* NULL: nothing is remembered (recall.c) */
};

/* For the hot loops, which stop here: can @next, to which @run falls through or not, not follow it
 * as its last instruction says, or is it a jump whose target an instruction before it may give,
 * which was cut off (outcome.c)?  Nor does anything follow a run that was cut to nothing. */
static inline bool rec_run_stops(const struct rec_run *run, const struct rec_run *next, bool falls)
{
	const bool part = run->block.itype == HS_ITYPE_NONE;

	return !(falls | (next->block.iaddr == rec_run_target(run)) | rec_run_is_open(run)) ||
	       run->block.iretire == 0 || (__builtin_expect(part, 0) && rec_run_is_lone_jump(next));
}

/* stream.c: as rec_in_read(), in words. */
enum hs_status rec_stream_read_words(struct hs_rec_stream *s, uint32_t *words, size_t cap,
                                     size_t *n);

/* counted.c */
/* A call of the reader begins. */
void rec_counted_begin_call(struct hs_rec_stream *s);
/* Are blocks counted by now? */
bool rec_counted_now(const struct hs_rec_stream *s);
/* Of what follows some is counted: as the hot loops of stream.c.  rec_counted_now(). */
size_t rec_count_runs(struct hs_rec_stream *s, size_t stop, struct hs_block *out, size_t cap);
void rec_count_blocks(struct hs_rec_stream *s); /* of a flow */
/* These items are to be written: what belongs to before is given. */
void rec_counted_before(struct hs_rec_stream *s, const struct hs_block *items, size_t n);
/* A run, by twice its number and whether it fell through, came so often more. */
void rec_counted_add(struct hs_rec_stream *s, uint32_t id, uint64_t times);
/* Are stretches to be remembered, rather than words read ahead?  Where no run is wide, outcomes
 * often say too little for that to be faster than two threads are. */
bool rec_counted_may_recall(const struct hs_rec_stream *s);
/* Give what is counted. */
void rec_counted_flush(struct hs_rec_stream *s);
/* Are words read by another thread?  From the next refill on. */
bool rec_counted_is_ahead(struct hs_rec_stream *s);
/* More words after those not used yet. */
enum hs_status rec_counted_refill(struct hs_rec_stream *s);
void rec_counted_free(struct hs_rec_stream *s);

/* parts.c: what comes after the stream's own words. */
enum hs_status rec_part_next(struct hs_rec_stream *s, struct hs_block *out, size_t cap, size_t *n,
                             struct hs_error *e);
void rec_part_close(struct hs_rec_stream *s);

/* stream_moves.c */
/* A page of code is elsewhere from here on. */
enum hs_status rec_stream_move(struct hs_rec_stream *s, uint32_t move);
/* There are more runs than when the moves began.  @before: how many there were. */
enum hs_status rec_stream_moves_grow(struct hs_rec_stream *s, uint32_t before);
/* The run that a word names, where it is now; NULL: out of memory. */
const struct rec_run *rec_stream_run(struct hs_rec_stream *s, uint32_t number);
/* The number that hs_rec_code() knows it by where it is now, and by how much it is moved. */
uint32_t rec_stream_place(const struct hs_rec_stream *s, uint32_t number, uint64_t *by);
/* All pages are where their records have them, again. */
void rec_stream_moves_reset(struct hs_rec_stream *s);
void rec_stream_moves_free(struct hs_rec_stream *s);
/* The number of its record. */
uint32_t rec_stream_number(const struct hs_rec_stream *s, const struct rec_run *r);

/* The run @number is where @move, from 1 on, has put it.  HS_E_FORMAT: there is no such one. */
enum hs_status rec_stream_put_run(struct hs_rec_stream *s, uint32_t number, uint32_t move);

/* stream_state.c: is it time to stop here, and could a stream continue here? */
bool rec_stream_is_at_place(struct hs_rec_stream *s);

/* outcome.c */
/* Continue with the run @next, whose address decides how @prev ended. */
void rec_stream_follow(struct hs_rec_stream *s, const struct rec_run *next);
/* Of a stream that is fed: does how @prev ended depend on where a signal handler returns to, which
 * is not known yet? */
bool rec_stream_waits(const struct hs_rec_stream *s, const struct rec_run *next);
/* Read the escape at words[at].  HS_MORE: its words are not all there. */
enum hs_status rec_stream_escape(struct hs_rec_stream *s);
/* The words have ended: queue what is certain of the open block. */
void rec_stream_finish(struct hs_rec_stream *s);

/* May its runs be wide (HS_REC_LOG_WIDE)? */
bool rec_stream_is_wide(const struct hs_rec_stream *s);

#endif
