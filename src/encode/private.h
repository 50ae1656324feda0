/* What the files that make traces share: an encoder with what is before and after it, step by step.
 *
 *     source -> lane (filters) -> queue (time, changes of options) -> feed (encoder) -> pins or a
 *     buffer of a perf.data
 */
#ifndef HS_ENCODE_PRIVATE_H
#define HS_ENCODE_PRIVATE_H

#include <hartscope/encode.h>
#include <hartscope/ingress.h>
#include <hartscope/source.h>
#include <hartscope/transport.h>

/* ---- what is not in the trace (faults.c) ------------------------------------------- */

/* Where it goes. */
struct encode_faults {
	void (*add)(void *to, const struct hs_encode_fault *fault); /* NULL: nowhere */
	void *to;
};
void encode_fault(const struct encode_faults *f, const struct hs_error *error,
                  const struct hs_source *source);
/* Some items of a source, or none.  False: it has ended. */
bool encode_read(struct hs_source *source, const struct encode_faults *faults,
                 struct hs_block *items, size_t room, size_t *n);
/* @error is filled, unless it was: out of memory. */
enum hs_status encode_no_memory(struct hs_error *error);

/* ---- parameters (setup.c) ------------------------------------------------------------- */

/* Parameters of an encoder, which cannot leave any to the trace. */
enum hs_status encode_open_params(const struct hs_trace_params_options *options,
                                  struct hs_trace_params **params, struct hs_error *error);

/* ---- an encoder (feed.c) ----------------------------------------------------------- */

#define ENCODE_ROOM ((size_t)1 << 18)

/* An encoder, and where its bytes go. */
struct encode_feed {
	const struct hs_protocol *protocol;
	struct hs_encoder *encoder;
	const struct hs_image *image; /* of the current context: it shows where blocks may be cut,
				       * and calls of the environment */
	bool ecall_traps;             /* ecall and ebreak are not to be counted
				       * (design/nt-dialects) */
	bool only_ecalls;             /* other exceptions cannot be encoded (design/nt-dialects) */
	uint8_t *out;                 /* ENCODE_ROOM bytes */
	bool (*put)(void *to, const uint8_t *bytes, size_t n);
	void *to;
	struct encode_faults faults; /* blocks that the encoder refuses */
	uint64_t refused;
	bool ended_in_trap;    /* the last block did, by an instruction that says the cause: */
	struct hs_block cause; /* this event, unless the recording has one */
	bool limited;          /* something may not fit, and is refused: */
	struct hs_protocol_fields fields;
	uint64_t hcontext;
	struct hs_error error; /* why it was */
};
/* What the parameters of its encoder say; they are good. */
void encode_feed_configure(struct encode_feed *f, const void *config);
/* From now on values that are wider than their fields end it (fields.c). */
void encode_feed_limit(struct encode_feed *f, const void *config);
/* False: @b says something that is; error is set. */
bool encode_feed_fits(struct encode_feed *f, const struct hs_block *b, size_t n);
/* False: put() failed, or error is set. */
bool encode_feed_blocks(struct encode_feed *f, const struct hs_block *b, size_t n);
bool encode_feed_end(struct encode_feed *f);
/* Make *own what the encoder can take of @b.  False: all but the exception that ends it. */
bool encode_feed_adapt(const struct encode_feed *f, const struct hs_block *b, struct hs_block *own);
/* Before @b: is the cause of the last block to be encoded first?  After it: remember @b. */
bool encode_feed_gives_cause(struct encode_feed *f, const struct hs_block *b);
void encode_feed_remember(struct encode_feed *f, const struct hs_block *b);
/* Record a block that the encoder refuses. */
void encode_feed_refuse(struct encode_feed *f, enum hs_status s, const struct hs_block *b);

/* ---- time (clock.c) ----------------------------------------------------------------- */

/* Cycles by the blocks of one hart: its times where it has some, else those of the clock. */
struct encode_clock {
	struct hs_clock *model;
	uint64_t now;
	uint64_t first; /* the model's time at which it began */
	bool timed;     /* the flow has times of its own */
};
bool encode_clock_open(struct encode_clock *c, const struct hs_image *image); /* false: no memory */
void encode_clock_close(struct encode_clock *c);
/* Pass an item.  @return  now after it. */
uint64_t encode_clock_pass(struct encode_clock *c, const struct hs_block *b);

/* ---- a queue after an encoder (queue.c) ---------------------------------------------- */

/* The encoder of a hart with its clock, its queue, and the changes of its options. */
struct encode_queue {
	struct encode_feed *feed;
	struct encode_clock clock;
	struct hs_queue queue;
	bool queued;
	uint64_t passed;    /* cycles of clock that the queue has seen */
	uint64_t stalled;   /* cycles that the hart waited */
	uint64_t losses;    /* times that messages were lost */
	uint64_t data_lost; /* accesses lost, of data trace only */
	bool losing;
	const struct hs_encode_change *changes; /* in order of time */
	size_t change_count, changed;           /* of them, done */
	void *config;                           /* with the changes so far */
	struct hs_error error;                  /* of a change that cannot be */
};
/* False: no memory. */
bool encode_queue_open(struct encode_queue *p, struct encode_feed *f,
                       const struct hs_encode_options *o, const void *config);
/* False: put() failed, or error is set. */
bool encode_queue_blocks(struct encode_queue *p, const struct hs_block *b, size_t n);
void encode_queue_close(struct encode_queue *p);

/* ---- what carries the bytes (pins.c) ------------------------------------------------- */

/* Bytes as they are, the samples of a port, or frames. */
struct encode_pins {
	struct hs_pin_sender sender;
	bool on;
	hs_write_fn write;
	void *to;
	struct hs_pin_config headers; /* what packets look like; set before it is opened */
	uint64_t idle;                /* samples after each message */
	uint64_t bytes;               /* written, when on */
	uint8_t *buffer;
	size_t n;
	bool framed, serial, inside;
	struct hs_frame_writer frames;
	struct hs_serial_sender pin;
};
enum hs_status encode_pins_open(struct encode_pins *p, const struct hs_encode_options *o,
                                struct hs_error *error);
/* Bytes of the source with this ID; 1 where there are no frames.  False: write() failed. */
bool encode_pins_put(struct encode_pins *p, unsigned id, const uint8_t *bytes, size_t n);
bool encode_pins_end(struct encode_pins *p);
void encode_pins_close(struct encode_pins *p);

/* ---- a perf.data (perf.c) ------------------------------------------------------------ */

struct encode_perf;

/* The buffer of a hart. */
struct encode_buffer;

/* Begin.  @params, @source, the recording, and @error are kept: it gets why something failed.
 * NULL: it cannot be. */
struct encode_perf *encode_perf_open(const struct hs_encode_perf *o,
                                     const struct hs_trace_params *params, struct hs_source *source,
                                     struct hs_error *error);
void encode_perf_close(struct encode_perf *p); /* NULL is allowed */

/* In these functions false says that it cannot go on. */

/* The buffer of the next hart; NULL: no memory. */
struct encode_buffer *encode_perf_add(struct encode_perf *p, uint32_t hart);
/* Before the first byte, when all harts were added.  @machine: harts are CPUs, on which contexts
 * run as processes; else they are the threads of a program.  @timed: the trace has times, those
 * that encode_perf_set_time() gets. */
bool encode_perf_begin(struct encode_perf *p, bool machine, bool timed);
/* From now on things happen at @time. */
void encode_perf_set_time(struct encode_perf *p, uint64_t time);
/* As encode_feed.put, to a buffer. */
bool encode_perf_put(void *buffer, const uint8_t *bytes, size_t n);
/* An item of the buffer's hart, before it is encoded: contexts are threads that switch. */
bool encode_perf_item(struct encode_buffer *b, const struct hs_block *item);
/* The hart finds other code. */
bool encode_perf_poke(struct encode_buffer *b, const struct hs_section *code);
/* Bytes that were put into a buffer. */
uint64_t encode_perf_bytes(const struct encode_buffer *b);
/* The offset of what comes next. */
bool encode_perf_place(struct encode_buffer *b, uint64_t *offset);
/* Write the file. */
bool encode_perf_end(struct encode_perf *p, hs_write_fn write, void *to);

/* ---- a hart (lane.c) ----------------------------------------------------------------- */

#define ENCODE_BATCH 4096
#define ENCODE_TIMED_BATCH 64 /* few, so that harts stay together */

/* One hart of the recording with its encoder. */
struct encode_lane {
	struct hs_source *source;
	struct encode_faults faults; /* items that cannot be read */
	struct encode_feed feed;
	struct encode_queue queue; /* in use where hs_encode.queued */
	struct hs_qualifier qualifier;
	struct hs_block read[ENCODE_BATCH], qualified[ENCODE_BATCH];
	size_t n;        /* of @read */
	uint64_t time;   /* of the last block that was read, where there is a clock */
	uint64_t blocks; /* that were encoded */
	uint32_t hart;
	struct hs_clock *clock;       /* of a program that runs, where messages have times */
	struct encode_buffer *buffer; /* of a perf.data */
	struct hs_encode *e;
	uint8_t id;                 /* in frames */
	bool ended, read_all;       /* read_all: its source has */
	struct hs_error error;      /* why encoding failed, where the output is not the reason */
	struct encode_batch *batch; /* where a thread puts what it encodes; NULL: to the output */
};

/* A trace that exists, among the frames. */
struct encode_other {
	uint8_t id;
	const char *path;
	int fd;
};

/* What hs_encode_run() or hs_encode_take() came to. */
enum encode_state { ENCODE_READY, ENCODE_GOOD, ENCODE_FAILED };

struct hs_encode {
	struct hs_encode_options o;
	struct hs_trace_params *params;
	const struct hs_protocol *protocol;
	struct hs_source *source; /* NULL: @rec, which is being recorded */
	const struct hs_rec *rec;
	const char *path; /* of the source */
	bool transcodes;  /* @source is a trace */
	struct encode_lane *lanes;
	uint32_t count, most, left_out; /* lanes; of hs_encode_take(): at most; harts without one */
	uint8_t *out;
	uint64_t bytes;
	struct hs_code_changes *changes; /* of the code, for TRACE.code */
	struct encode_pins pins;
	struct encode_perf *perf;
	struct hs_qualifier_config filter;
	bool filtered;
	bool queued; /* there is a queue, or options change */
	bool timed;  /* blocks have times */
	bool set_id; /* each hart has its number */
	enum encode_state state;
	struct {
		struct encode_other *others;
		size_t other_count;
	} apart;
	struct encode_faults faults;
	struct hs_error error; /* why it cannot go on */
};

/* Room for @count lanes, and parameters for numbers below @ids. */
enum hs_status encode_prepare_lanes(struct hs_encode *e, uint32_t ids, uint32_t count);
/* The next lane; e->error says why it cannot be. */
enum hs_status encode_add_lane(struct hs_encode *e, const struct hs_source_options *source,
                               uint32_t hart);
/* Encode what was read, and keep where the code changes.  False: it cannot go on. */
bool encode_lane_blocks(struct hs_encode *e, struct encode_lane *l);
/* The end of its hart. */
bool encode_lane_end(struct hs_encode *e, struct encode_lane *l);
/* Read and encode some thousand blocks of one hart, or its end.  The same. */
bool encode_lane_batch(struct hs_encode *e, struct encode_lane *l, bool *ended);
/* Bytes of a lane to the output. */
bool encode_put(void *lane, const uint8_t *bytes, size_t n);
/* What is left of the other traces among frames. */
bool encode_put_others(struct hs_encode *e);
/* The code changes: after so many blocks of the lane. */
bool encode_note_change(struct hs_encode *e, struct encode_lane *l, uint32_t number,
                        uint64_t blocks);
/* Blocks that were encoded, of all harts. */
uint64_t encode_count_blocks(const struct hs_encode *e);
void encode_close_lanes(struct hs_encode *e);

/* ---- several harts (threads.c) ------------------------------------------------------- */

/* Encode all harts, each a batch in turn, on so many threads as the options say. */
bool encode_all(struct hs_encode *e);
/* A thread: keep that the code changes. */
bool encode_keep_change(struct encode_lane *l, uint32_t number);

/* ---- set-up (setup.c) ---------------------------------------------------------------- */

/* Parameters, filters, transport and queue of what is to be made; e->error says why they cannot
 * be. */
enum hs_status encode_set_up(struct hs_encode *e);

/* ---- a trace (trace.c) --------------------------------------------------------------- */

/* Is it one whose parameters are known? */
bool encode_is_trace(const char *path);
/* One hart of it, as the options of all of it have it; @first: it is the only one so far. */
enum hs_status encode_open_trace_hart(struct hs_encode *e, const struct hs_source_options *all,
                                      uint32_t hart, bool first, struct hs_source **source);

#endif
