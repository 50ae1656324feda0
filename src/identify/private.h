/* What the files of identify share. */
#ifndef HS_IDENTIFY_PRIVATE_H
#define HS_IDENTIFY_PRIVATE_H

#include <hartscope/capture.h>
#include <hartscope/etrace.h>
#include <hartscope/ntrace.h>
#include <hartscope/status.h>

#include "tacit/tacit.h"

/* ---- the capture (input.c) ---------------------------------------------------------- */

#define IDENTIFY_CAPTURE ((size_t)1 << 24) /* bytes of a file that are looked at */
#define IDENTIFY_WINDOWS 4

struct identify_bytes {
	struct hs_span span;
	bool serial;  /* samples of one pin, nearly all of which are bits */
	uint8_t *own; /* the memory */
};

/* A capture: parts of it, the first from its beginning on. */
struct identify_file {
	struct hs_span window[IDENTIFY_WINDOWS];
	size_t windows;
	uint64_t size; /* of all */
	bool whole;    /* window 0 is all of it, and the others are in it */
	uint8_t *memory;
	size_t held;
};

/* How bytes came. */
struct identify_way {
	const char *transport;
	bool headers; /* packets begin with headers that say how long they are */
	bool inside;  /* the bytes begin somewhere in a trace */
	bool samples; /* a byte of the capture is a sample of few pins */
	uint8_t src_bytes, tstamp_bytes;
	uint8_t source_id;                /* frames: whose bytes */
	const struct hs_ring *ring;       /* of a circular buffer: its wrap point */
	const char *vcd_clock, *vcd_data; /* of a dump */
	size_t most; /* bytes of the capture that are wanted */
};

/* Of a file that is not small its beginning, middle and end.  False: @error says why.  The caller
 * frees out->memory. */
bool identify_read_file(const char *path, struct identify_file *out, struct hs_error *error);
void identify_use_memory(const struct hs_span *bytes, struct identify_file *out);
/* The bytes of a trace that came so.  False: none. */
bool identify_transport(const struct hs_span *bytes, const struct identify_way *way,
                        struct identify_bytes *out);
/* Is @buffer a circular buffer that wrapped?  ring.c: *ring is its wrap point. */
struct identify_code;
struct identify_config;
bool identify_find_ring(const struct identify_code *code, const struct hs_span *buffer,
                        const struct identify_config *config, struct hs_ring *ring);
/* The sources of frames, bit by bit.  False: there are no frames. */
bool identify_sources(const struct hs_span *bytes, const struct identify_way *way, uint64_t ids[2]);
void identify_drop_bytes(struct identify_bytes *b);

/* ---- ways (ways.c) -------------------------------------------------------------------- */

#define IDENTIFY_WAYS 48

struct identify_candidate {
	struct identify_way way;
	unsigned score; /* of 10,000 bytes those in messages, by their form */
	size_t bytes;   /* that the part gave which was looked at */
};

/* Bytes of the capture that have as many samples as @packed bytes where samples are packed. */
size_t identify_bytes_of(const struct identify_way *way, size_t packed);

/* Is it a value change dump? */
bool identify_is_dump(const struct hs_span *capture);

/* Samples of pins, which are aligned by messages. */
bool identify_is_pins(const char *transport);

/* Are its bytes those of the encoder, from the first on? */
bool identify_is_bytes(const char *transport);

/* The ways in which bytes may have come, each as @given, the best first.  @return  How many. */
size_t identify_ways(const struct hs_span *capture, const struct identify_way *given,
                     struct identify_candidate out[IDENTIFY_WAYS]);

/* ---- the program (code.c) --------------------------------------------------------- */

/* The program, loaded once for all trials. */
struct identify_code {
	struct hs_source *source;
	const struct hs_image *image;
	struct hs_bb_table table;
	void *memory;
	uint8_t *starts; /* a bit for each half-word of all sections: an instruction begins */
	size_t bytes;    /* of starts */
	size_t *first;   /* of each section, its first bit */
	uint64_t least, most;
	/* The programs of contexts, each without what is below and without a source; the code
	 * above is that of no context, or else the first of them. */
	struct identify_code *process;
	struct hs_bb_table **tables;
	struct hs_image_set set;
	void *decoder; /* of all trials, one after the other (trial.c) */
	uint64_t work; /* of trials so far, in bytes: what takes long depends on no clock */
};

/* Is there a program? */
bool identify_names_code(const struct hs_identify_options *o);
/* Load @files, moved by @offset.  False: @error says why. */
bool identify_load(struct identify_code *code, const struct hs_identify_options *o, int64_t offset,
                   struct hs_error *error);
void identify_unload(struct identify_code *code);

/* Does an instruction begin at the address, in any context? */
bool identify_is_code(const struct identify_code *code, uint64_t address);

/* The address's bit of code->starts.  False: it is in no section. */
bool identify_bit_of(const struct identify_code *code, uint64_t address, size_t *bit);

/* ---- parameters ------------------------------------------------------------------- */

enum identify_protocol { IDENTIFY_NTRACE, IDENTIFY_ETRACE, IDENTIFY_TACIT };

/* The parameters of one protocol; those of the others are zero. */
struct identify_config {
	enum identify_protocol is;
	struct hs_nt_config nt;
	struct hs_et_config et;
	struct tacit_config tacit;
};

/* settings.c: what differs from the defaults, as NAME=VALUE words. */
void identify_write_settings(const struct identify_config *c, unsigned xlen,
                             char text[HS_IDENTIFY_TEXT]);
const char *identify_protocol_name(const struct identify_config *c);

/* ---- trials (trial.c) --------------------------------------------------------------- */

/* How well something fits. */
struct identify_fit {
	uint64_t bytes, explained, messages, segments, contradicted, halfwords;
	uint64_t unseen; /* of the bytes those that ran in code that was not given, of a trace with
	                    contexts: neither explained nor contradicted */
	uint64_t forgiven; /* contradictions that were missing code of a trace with contexts */
	uint64_t head; /* bytes before the first that was explained */
	uint64_t before; /* messages in them that a decoder skips: of a trace that began earlier */
	uint64_t flow; /* a number for the blocks: equal where they are */
	bool any;      /* something was explained */
	bool flooded;  /* so many blocks that it was not read to its end */
};

/* One thing to try. */
struct identify_guess {
	struct identify_config config;
	const char *transport;
	struct hs_ring ring; /* found: it came in a circular buffer */
	uint32_t skip;       /* bytes of what was searched before the first packet */
	bool described;      /* the trace says its parameters itself (E-Trace 2.1) */
	bool fixed;          /* its framing has one dialect: nothing is varied */
	uint8_t cause;      /* width of ecause that the addresses of traps show; 0: none does */
	int64_t offset; /* of the program */
	struct identify_fit fit;
};

bool identify_better(const struct identify_fit *a, const struct identify_fit *b);
/* Of 10,000 bytes that ran in code that was given, those that are explained. */
unsigned identify_share(const struct identify_fit *fit);
bool identify_is_whole(const struct identify_fit *fit);  /* without a contradiction */

/* Decode @bytes with the program.  Fills g->fit; what cannot be tried fits nothing.  It ends early
 * where it cannot become as good as @beat any more; NULL: nothing has to be beaten. */
void identify_follow(struct identify_code *code, const struct hs_span *bytes,
                     struct identify_guess *g, const struct identify_fit *beat);

/* The same up to where the program first contradicts: what comes after it explains nothing. */
void identify_follow_strictly(struct identify_code *code, const struct hs_span *bytes,
                              struct identify_guess *g, const struct identify_fit *beat);

/* The same with a hundred times as many blocks before it ends as flooded. */
void identify_follow_patiently(struct identify_code *code, const struct hs_span *bytes,
                               struct identify_guess *g);

/* The same to the end of all that there is, from wherever it begins. */
void identify_measure(struct identify_code *code, const struct hs_span *bytes,
                      struct identify_guess *g);

/* ---- axes (axes.c) ------------------------------------------------------------------ */

/* A search: what to try, on what. */
struct identify_search {
	struct identify_code *code; /* NULL: there is no program */
	struct hs_span bytes, all;  /* all: also what is before and after them */
	const struct identify_way *way;   /* how they came */
	struct identify_guess best, form; /* form: by the form of messages only (N-Trace) */
	uint64_t end;                     /* of the work that it may do: code->work */
	bool strict;                      /* trials end where the program first contradicts */
};

/* Rows of tables/identify.def. */
enum identify_axis {
#define HS_IDENTIFY_AXIS(id, protocol, member, values) IDENTIFY_##id,
#include "identify/identify.def"
	IDENTIFY_AXES
};

/* Try @g on the first @most bytes.  Better than what it was: *g is changed.  @return  Better? */
bool identify_try(struct identify_search *s, struct identify_guess *g,
                  const struct identify_config *config, size_t most);

/* Try all values of @n axes with each other, on the first @most bytes; stops where nothing
 * contradicts.  With @bar only what is better counts: else g->fit becomes *bar. */
void identify_product(struct identify_search *s, struct identify_guess *g,
                      const enum identify_axis *axes, unsigned n, size_t most,
                      const struct identify_fit *bar);

/* Try the values of each axis of the protocol, one after the other, until none helps. */
void identify_descend(struct identify_search *s, struct identify_guess *g, size_t most);

/* Do both explain the same bytes by the same blocks and traps? */
bool identify_same_flow(const struct identify_fit *a, const struct identify_fit *b);

/* Give the axes the default value again where that changes nothing. */
void identify_prune(struct identify_search *s, struct identify_guess *g, size_t most);

/* Of sizes of a return stack or counter that explain as much, the smallest of those whose flow most
 * of them have: only calls that are deep enough show one. */
void identify_settle_returns(struct identify_search *s, struct identify_guess *g);

/* Parameters with another value that explains as much and gives another flow, as names. */
void identify_doubt(struct identify_search *s, const struct identify_guess *g, size_t most,
                    char names[HS_IDENTIFY_TEXT]);

struct identify_packets;

/* ---- protocols ------------------------------------------------------------------------ */

/* etrace.c: the trace begins with a support packet of 2.1: its framing and what that says, and how
 * that fits. */
bool identify_described(struct identify_search *s, struct identify_guess *g);
/* The same of one that means something else in 2.0: the program decides, where @found does not fit
 * to the end.  s->best is how it fits. */
bool identify_may_be_described(struct identify_search *s, const struct identify_guess *found);

/* Find parameters; s->best is the best guess.  False: the form of messages is another one.  Without
 * a program only the form counts. */
bool identify_ntrace(struct identify_search *s);
bool identify_etrace(struct identify_search *s);
/* tacit.c: s->best; false: its bytes do not begin with a trace of TACIT. */
bool identify_tacit(struct identify_search *s);
/* In how many windows the trace can be followed: nothing shows where messages of TACIT begin. */
size_t identify_windows(const struct identify_file *file, const struct identify_guess *g);
/* The same of E-Trace without frames (bare.c), which needs the program. */
bool identify_bare(struct identify_search *s);

/* The width of SRC that reads most of the bytes as messages.  False: they are none. */
bool identify_nt_form(const struct hs_span *bytes, struct identify_guess *g);

/* etrace.c: what the first support packets say is on (enum hs_et_option); tables for it; what they
 * are. */
unsigned identify_find_options(const struct identify_packets *p, unsigned dialect);
void identify_set_options(struct hs_et_config *c, unsigned options);
void identify_find_sizes(struct identify_search *s, struct identify_guess *g, unsigned options);

/* The program contradicts *g somewhere in s->bytes: another value that it does not contradict. */
void identify_nt_refine(struct identify_search *s, struct identify_guess *g);
void identify_et_refine(struct identify_search *s, struct identify_guess *g);

/* What the flow does not decide: the dialect. */
void identify_nt_dialect(struct identify_search *s, struct identify_guess *g);

/* ---- a program that is elsewhere (offset.c) --------------------------------------------- */

#define IDENTIFY_ADDRESSES 256
#define IDENTIFY_OFFSETS 12
#define IDENTIFY_MOVES 4

/* Where jumps lead whose target no instruction has: after calls, and to functions. */
struct identify_targets {
	const struct identify_code *code;
	uint8_t *bits; /* as code->starts */
	uint64_t *list;
	size_t count, room;
	uint64_t mask; /* of addresses */
};

/* False: there is no memory.  The caller drops *out in both cases. */
bool identify_find_targets(const struct identify_code *code, struct identify_targets *out);
void identify_drop_targets(struct identify_targets *t);
bool identify_is_target(const struct identify_targets *t, uint64_t address);
/* A difference of addresses with its sign. */
int64_t identify_offset_of(const struct identify_targets *t, uint64_t by);

/* What has to be taken off addresses, so that most of them are targets. */
struct identify_move {
	uint64_t by;
	unsigned hits; /* of 1,000 addresses */
};

/* The moves with the most hits, the best first.  @addresses: different ones.  @return  How many. */
size_t identify_find_moves(const struct identify_targets *t, const uint64_t *addresses,
                           size_t count, struct identify_move out[IDENTIFY_MOVES]);

/* A number of pages by which the program is elsewhere, so that all of @count addresses are in its
 * code.  False: there is none. */
bool identify_find_offset(const struct identify_code *code, const uint64_t *addresses, size_t count,
                          int64_t *offset);

/* Add @address where it is not among them and there is room. */
void identify_add_address(uint64_t *addresses, size_t *count, size_t room, uint64_t address);
void identify_add_offset(int64_t out[IDENTIFY_OFFSETS], size_t *n, int64_t offset);

/* By how many bytes the program may be elsewhere, the likeliest first: by the addresses of messages
 * (ntrace.c), by differences of addresses in all frames (runs.c).  @return  How many. */
size_t identify_nt_offsets(const struct identify_search *s, const struct hs_nt_config *c,
                           int64_t out[IDENTIFY_OFFSETS]);
size_t identify_et_offsets(const struct identify_search *s, int64_t out[IDENTIFY_OFFSETS]);

/* ---- frames of E-Trace (frames.c) ------------------------------------------------------ */

/* How packets are cut. */
struct identify_frame {
	uint8_t dialect; /* enum hs_et_dialect_id */
	uint8_t src_bits, stamp;
	uint8_t kind; /* enum hs_et_frame */
	uint8_t length_bits, type_bits, type_inst, type_control, type_data;
	uint64_t family; /* a number for what payloads mean: equal where it is the same */
	uint8_t begin;  /* bits before a payload, without the timestamp */
	uint8_t prefix; /* bits of type before the format: 0.026 */
	uint8_t spare;  /* bits after a payload */
	uint32_t skip;  /* bytes before the first packet */
	bool stamp_first; /* the timestamp is before srcID */
};

/* A payload of instruction trace. */
struct identify_payload {
	const uint8_t *p; /* the first byte of its packet */
	uint16_t at, end; /* bits from there */
};

#define IDENTIFY_PACKETS 4096

struct identify_packets {
	const uint8_t *begin;
	struct identify_payload payload[IDENTIFY_PACKETS];
	size_t count;
	size_t data;    /* packets of data trace */
	size_t control; /* control messages: 0.026 */
	size_t packets; /* with those of other types */
	size_t sources; /* different ones */
	size_t stamped; /* packets with a timestamp */
	size_t leaps;   /* indexes that do not follow each other */
	size_t stray;   /* bytes that are neither in a packet nor 0 */
	size_t bytes;
	uint64_t key;  /* a number for where payloads are: equal where they are */
	uint8_t flows; /* bits of values of the header's flow field */
	uint8_t low;   /* bits of the timestamps' lowest byte that were not always the same */
	uint8_t first_low; /* its first value */
};

/* The frame of a dialect with so many bits of srcID and bytes of timestamp. */
void identify_frame_of(struct identify_frame *f, unsigned dialect, unsigned src, unsigned stamp);

/* The payload of a packet of @n bytes. */
struct identify_payload identify_payload_of(const struct identify_frame *f, const uint8_t *p,
                                            size_t n);

/* Cut the beginning of @bytes. */
void identify_cut(const struct hs_span *bytes, const struct identify_frame *f,
                  struct identify_packets *out);

/* The same up to where headers contradict each other: identify_agreement() is 0 then. */
void identify_cut_agreeing(const struct hs_span *bytes, const struct identify_frame *f,
                           struct identify_packets *out);

/* @width bits from bit @at of the payload on; past its end its last bit repeats. */
uint64_t identify_bits(const struct identify_payload *p, unsigned at, unsigned width);

/* Go through the frames that bytes can have which came in @way; NULL: all.  False: there are no
 * more. */
bool identify_next_frame(struct identify_frame *f, unsigned *state, const struct identify_way *way);

/* How many of 10,000 bytes are in packets of known types whose headers agree; 0: they do not. */
unsigned identify_agreement(const struct identify_packets *p, const struct identify_frame *f,
                            size_t bytes);

/* Set f->skip. */
void identify_align(const struct hs_span *bytes, struct identify_frame *f,
                    struct identify_packets *scratch);

/* Move f->skip to a packet that synchronises, if there is one: of bytes that begin inside a trace
 * what is before it means nothing.  The first bytes may be part of a packet that looks like one. */
void identify_seek(const struct hs_span *bytes, struct identify_frame *f,
                   struct identify_packets *scratch);

/* The frame that fits best by what headers say, without a program.  False: none does. */
bool identify_form(const struct hs_span *bytes, const struct identify_way *way,
                   struct identify_frame *f, struct identify_fit *fit);

/* ---- fields of E-Trace (fields.c) -------------------------------------------------------- */

/* Where the address of synchronising packets is. */
struct identify_place {
	struct identify_frame frame;
	uint8_t at;   /* its bit, from the format on */
	uint8_t unit; /* 1, 2 or 4 */
	uint16_t hits, starts;
	uint64_t payloads, addresses; /* numbers for them: equal where they are */
	uint16_t sources;             /* how many there are */
	bool odd;                     /* a timestamp that does not look like one, or a flow */
};

#define IDENTIFY_PLACES 48
#define IDENTIFY_FIRST 5  /* format, subformat, branch (ET Format 3 packets) */
#define IDENTIFY_LAST 140 /* and privilege, time and context of 64 bits each */

/* Places where addresses are in the program's code, the best first.  @return  How many. */
size_t identify_places(struct identify_search *s, struct identify_place out[IDENTIFY_PLACES]);

/* The width of ecause that leads the addresses of traps into code, too; 0: none does.  *only: no
 * other one does. */
unsigned identify_cause(const struct identify_code *code, const struct identify_place *place,
                        const struct identify_packets *packets, bool *only);

/* Do the first bytes look like packets that were cut well? */
bool identify_is_plausible(const struct hs_span *bytes, const struct identify_frame *f,
                           struct identify_packets *packets);

/* By how many pages the program may be elsewhere, by the same places, of packets of frame @f: all
 * numbers that differ, after @found others.  @return  How many there are now. */
size_t identify_et_pages(const struct identify_search *s, const struct identify_frame *f,
                         int64_t out[IDENTIFY_OFFSETS], size_t found);

/* The likeliest widths of the fields before an address.  False: none are possible. */
bool identify_widths(const struct identify_place *place, const struct identify_packets *packets,
                     struct hs_et_config *c);

/* A file of a kind that is no trace. */
enum hs_status identify_refuse(const struct identify_file *file, const char *path,
                               struct hs_error *error);

/* whole_frames.c: the sources of a file that is whole CoreSight frames and in which nothing, or
 * @found without frames, was found, as bits; else unchanged. */
void identify_whole_frames(const struct hs_identify_options *o, const struct hs_identified *found,
                           uint64_t ids[2]);

#endif
