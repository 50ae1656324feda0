/* A recording that is read while it is made: its log grows, and words are fed to its streams.
 *
 * What a stream says of a run does not depend on runs that are logged later: of two runs at one
 * address the first one is the snapshot's, and a run is contested only as long as no byte of it
 * differs from the view of a stream.  So blocks and events are those that are read when the
 * recording is whole. */
#ifndef HS_RECORDING_LIVE_H
#define HS_RECORDING_LIVE_H

#include "recording/stream.h"

/* Where the log comes from: append what is new to rec->log. */
typedef enum hs_status (*rec_live_fn)(void *of, struct rec_log *log);

/* Room for runs, in a mapping that never moves: streams point to runs. */
#define REC_LIVE_RUNS (UINT32_C(1) << 26)

struct rec_live {
	rec_live_fn log;
	void *of;
	struct hs_rec_stream *streams;
};

enum hs_status rec_live_open(rec_live_fn log, void *of, struct hs_rec **rec);
/* live_log.c: take what is new in the log.  HS_E_ARG: the recording is whole. */
enum hs_status rec_live_update(struct hs_rec *rec);

/* The stream of a hart; hs_rec_stream_next() says HS_MORE when all that was fed is used. */
enum hs_status rec_live_stream(struct hs_rec *rec, uint32_t hart, struct hs_rec_stream **stream);
enum hs_status rec_live_feed(struct hs_rec_stream *s, const uint32_t *words, size_t n);
/* A handler returned: words before this are not fed yet, or wait for it. */
enum hs_status rec_live_resume(struct hs_rec_stream *s, const struct hs_rec_log_resume *r);
void rec_live_end(struct hs_rec_stream *s);
void rec_live_close_stream(struct hs_rec_stream *s);

#endif
