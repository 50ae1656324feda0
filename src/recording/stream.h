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

/* The current part of a flow of parts (parts.c). */
struct stream_part {
	struct hs_rec *rec;
	struct hs_rec_stream *stream;
	uint32_t begun; /* parts */
};

/* The block whose end is not known. */
struct stream_open {
	const struct rec_run *prev; /* NULL: none, or it was left in its middle */
	uint32_t joined;            /* half-words of the block before @prev */
	uint8_t joined_ilast;       /* half-words of the last instruction of them */
	bool pair; /* which gives the target of the jump that is @prev (block.h, sijump) */
	const struct rec_run *joined_run;
	uint32_t joined_part; /* half-words of @joined_run that were joined */
};

struct stream_signals {
	bool begins;                      /* a signal handler starts with the next run */
	uint32_t count;                   /* signal handlers started so far */
	uint32_t at, resumes;             /* of @resume: the first that matters, and all */
	struct hs_rec_log_resume *resume; /* of this hart, by signal */
};

/* What is to be given, and the events after the open block. */
struct stream_queue {
	struct hs_block items[STREAM_EVENTS + STREAM_QUEUE];
	uint32_t n, sent;
	struct hs_block events[STREAM_EVENTS];
	uint32_t event_count;
};

/* Code that is not what was there before. */
struct stream_changes {
	bool wanted;                   /* HS_KIND_VERSION */
	struct rec_versions *versions; /* NULL: not followed, or no run is contested */
	size_t stop; /* with versions: the first word from @at on that may be a run which has to be
	                compared; count: none.  Good while @looked */
	bool looked;
};

/* Places from which another stream could continue (stream_state.c); blocks and events. */
struct stream_places {
	uint64_t every, given, last;
	bool stopped; /* at a place, which was not read on from */
};

/* A place where a stream may begin. */
struct stream_anew {
	bool begun;        /* words were read */
	uint32_t repeated; /* events to come that say what is known */
};

/* Words that are read ahead of those that are used (words.c). */
struct stream_ahead {
	bool allowed;
	uint32_t pieces;            /* so far */
	struct words_ahead *thread; /* NULL: the caller's thread reads them */
};

struct hs_rec_stream {
	struct hs_rec *rec;
	struct stream_part part;
	struct rec_in in;
	struct rec_unpack unpack; /* but of a flow */
	uint32_t hart;
	uint32_t index; /* of the stream */
	uint32_t *words;
	size_t count, at; /* words read, words used */
	struct stream_open open;
	struct stream_signals signals;
	struct stream_queue queue;
	enum hs_status end; /* HS_OK until the words end */
	bool whole;         /* all of it should be there */
	struct stream_changes changes;
	struct stream_places places;
	struct stream_moves *moves; /* NULL: all runs are where their records have them */
	struct stream_anew anew;
	struct stream_ahead ahead;
	struct rec_counted *counted; /* NULL: every block is written (counted.c) */
	uint64_t words_read;
	struct rec_recall *recall; /* NULL: nothing is remembered (recall.c) */
	/* of a recording that is read while it is made: */
	struct rec_feed feed;
	struct hs_rec_stream *next; /* of the same recording */
	bool starved;               /* there is no more by now */
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

/* May its runs be wide (HS_REC_LOG_WIDE)? */
static inline bool rec_stream_is_wide(const struct hs_rec_stream *s)
{
	const uint32_t flags = s->rec->log.start.flags;

	return (flags & HS_REC_LOG_WIDE_ALL) != 0 ||
	       (s->hart == 0 && (flags & HS_REC_LOG_WIDE) != 0);
}

/* stream.c: as hs_rec_stream_next() and hs_rec_stream_close(), without parts. */
enum hs_status rec_stream_next(struct hs_rec_stream *s, struct hs_block *out, size_t cap, size_t *n,
                               struct hs_error *error);
void rec_stream_close(struct hs_rec_stream *s);

/* words.c: read more words after those not used yet. */
enum hs_status rec_words_refill(struct hs_rec_stream *s);
void rec_words_free(struct hs_rec_stream *s);

/* counted.c */
/* A call of the reader begins. */
void rec_counted_begin_call(struct hs_rec_stream *s);
/* Are blocks counted by now? */
bool rec_counted_now(const struct hs_rec_stream *s);
/* Of what follows some is counted: as the hot loops of stream.c.  rec_counted_now(). */
size_t rec_count_runs(struct hs_rec_stream *s, size_t stop, struct hs_block *out, size_t cap);
void rec_count_blocks(struct hs_rec_stream *s); /* of a flow */
/* A run, by twice its number and whether it fell through, came so often more. */
void rec_counted_add(struct hs_rec_stream *s, uint32_t id, uint64_t times);
/* Give what is counted, after what was counted of stretches (rec_recall_give()). */
void rec_counted_flush(struct hs_rec_stream *s);
/* No more are counted in this call. */
void rec_counted_hold(struct hs_rec_stream *s);
void rec_counted_free(struct hs_rec_stream *s);

/* stream_moves.c */
/* A page of code is elsewhere from here on, by a move that is known. */
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

#endif
