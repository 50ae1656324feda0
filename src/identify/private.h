/* What the files of identify share. */
#ifndef HS_IDENTIFY_PRIVATE_H
#define HS_IDENTIFY_PRIVATE_H

#include <hartscope/etrace.h>
#include <hartscope/identify.h>
#include <hartscope/ntrace.h>

/* ---- the capture (input.c) ---------------------------------------------------------- */

#define IDENTIFY_CAPTURE ((size_t)1 << 24) /* bytes of a file that are looked at */

struct identify_bytes {
	struct hs_span span;
	uint8_t *own; /* the memory; NULL: another's */
};

/* How bytes came. */
struct identify_way {
	const char *transport;
	bool ring, headers; /* headers: packets begin with headers that say how long they are */
	uint8_t src_bits, src_bytes, tstamp_bytes;
	size_t most; /* bytes of the capture that are wanted */
};

/* The beginning of a file.  False: @error says why. */
bool identify_read_file(const char *path, struct identify_bytes *out, struct hs_error *error);
/* The bytes of a trace that came so.  False: none. */
bool identify_transport(const struct hs_span *bytes, const struct identify_way *way,
                        struct identify_bytes *out);
void identify_drop_bytes(struct identify_bytes *b);

/* ---- the program (code.c) --------------------------------------------------------- */

/* The program, loaded once for all trials. */
struct identify_code {
	struct hs_source *source;
	const struct hs_image *image;
	struct hs_bb_table table;
	void *memory;
	uint8_t *starts; /* a bit for each half-word of all sections: an instruction begins */
	size_t *first;   /* of each section, its first bit */
	uint64_t least, most;
	void *decoder; /* of all trials, one after the other (trial.c) */
	uint64_t work; /* of trials so far, in bytes: what takes long depends on no clock */
};

/* Load @files, moved by @offset.  False: @error says why. */
bool identify_load(struct identify_code *code, const struct hs_identify_options *o, int64_t offset,
                   struct hs_error *error);
void identify_unload(struct identify_code *code);

/* Does an instruction begin at the address? */
bool identify_is_code(const struct identify_code *code, uint64_t address);

/* ---- parameters ------------------------------------------------------------------- */

/* The parameters of one protocol; the other's have size 0. */
struct identify_config {
	struct hs_nt_config nt;
	struct hs_et_config et;
};

/* settings.c: what differs from the defaults, as NAME=VALUE words. */
void identify_write_settings(const struct identify_config *c, unsigned xlen,
                             char text[HS_IDENTIFY_TEXT]);
const char *identify_protocol(const struct identify_config *c);

/* ---- trials (trial.c) --------------------------------------------------------------- */

/* How well something fits. */
struct identify_fit {
	uint64_t bytes, explained, messages, segments, contradicted, halfwords;
	uint64_t flow; /* a number for the blocks: equal where they are */
	bool flooded;  /* so many blocks that it was not read to its end */
};

/* One thing to try. */
struct identify_guess {
	struct identify_config config;
	const char *transport;
	bool ring;
	int64_t offset; /* of the program */
	struct identify_fit fit;
};

bool identify_better(const struct identify_fit *a, const struct identify_fit *b);
unsigned identify_share(const struct identify_fit *fit); /* of 10,000 */
bool identify_is_whole(const struct identify_fit *fit);  /* without a contradiction */

/* Decode @bytes with the program.  Fills g->fit; what cannot be tried fits nothing. */
void identify_follow(struct identify_code *code, const struct hs_span *bytes,
                     struct identify_guess *g);

/* ---- axes (axes.c) ------------------------------------------------------------------ */

/* A search: what to try, on what. */
struct identify_search {
	struct identify_code *code; /* NULL: there is no program */
	struct hs_span bytes;
	const char *transport;
	struct identify_guess best, form; /* form: by the form of messages only (N-Trace) */
	uint64_t end;                     /* of the work that it may do: code->work */
};

/* Rows of tables/identify.def. */
enum identify_axis {
#define HS_IDENTIFY_AXIS(id, protocol, member, values) IDENTIFY_##id,
#include <hartscope/tables/identify.def>
#undef HS_IDENTIFY_AXIS
	IDENTIFY_AXES
};

/* Try @g on the first @most bytes.  Better than what it was: *g is changed.  @return  Better? */
bool identify_try(struct identify_search *s, struct identify_guess *g,
                  const struct identify_config *config, size_t most);

/* Try all values of @n axes with each other, on the first @most bytes; stops where nothing
 * contradicts. */
void identify_product(struct identify_search *s, struct identify_guess *g,
                      const enum identify_axis *axes, unsigned n, size_t most);

/* Try the values of each axis of the protocol, one after the other, until none helps. */
void identify_descend(struct identify_search *s, struct identify_guess *g, size_t most);

/* Give the axes the default value again where that changes nothing. */
void identify_prune(struct identify_search *s, struct identify_guess *g, size_t most);

/* Parameters with another value that explains as much and gives another flow, as names. */
void identify_doubt(struct identify_search *s, const struct identify_guess *g, size_t most,
                    char names[HS_IDENTIFY_TEXT]);

/* ---- protocols ------------------------------------------------------------------------ */

/* Find parameters; s->best is the best guess.  False: the form of messages is another one.  Without
 * a program only the form counts. */
bool identify_ntrace(struct identify_search *s);
bool identify_etrace(struct identify_search *s);

/* The program contradicts *g somewhere in s->bytes: another value that it does not contradict. */
void identify_nt_refine(struct identify_search *s, struct identify_guess *g);
void identify_et_refine(struct identify_search *s, struct identify_guess *g);

/* Addresses of messages that synchronise, as bytes; at most @room. */
size_t identify_nt_addresses(const struct hs_span *bytes, const struct hs_nt_config *c,
                             uint64_t *out, size_t room);

/* A number of pages by which the program is elsewhere, so that all of @count addresses are in its
 * code (offset.c).  False: there is none. */
bool identify_find_offset(const struct identify_code *code, const uint64_t *addresses, size_t count,
                          int64_t *offset);

/* ---- frames of E-Trace (frames.c) ------------------------------------------------------ */

/* How packets are cut. */
struct identify_frame {
	uint8_t dialect; /* enum hs_et_dialect_id */
	uint8_t src_bits, stamp;
	uint8_t begin;  /* bits before a payload, without the timestamp */
	uint8_t prefix; /* bits of type before the format: 0.026 */
	uint8_t spare;  /* bits after a payload */
};

/* A payload of instruction trace. */
struct identify_payload {
	const uint8_t *p; /* the first byte of its packet */
	uint16_t at, end; /* bits from there */
};

#define IDENTIFY_PACKETS 4096

struct identify_packets {
	struct identify_payload payload[IDENTIFY_PACKETS];
	size_t count;
	size_t packets; /* with those of other types */
	size_t sources; /* different ones */
	size_t stamped; /* packets with a timestamp */
	size_t bytes;
	uint8_t flows; /* bits of values of the header's flow field */
};

/* Cut the beginning of @bytes. */
void identify_cut(const struct hs_span *bytes, const struct identify_frame *f,
                  struct identify_packets *out);

/* @width bits from bit @at of the payload on; past its end its last bit repeats. */
uint64_t identify_bits(const struct identify_payload *p, unsigned at, unsigned width);

/* Go through the frames that there are.  False: there are no more. */
bool identify_next_frame(struct identify_frame *f, unsigned *state);

/* The frame that fits best by what headers say, without a program.  False: none does. */
bool identify_form(const struct hs_span *bytes, struct identify_frame *f, struct identify_fit *fit);

/* ---- fields of E-Trace (fields.c) -------------------------------------------------------- */

/* Where the address of synchronising packets is. */
struct identify_place {
	struct identify_frame frame;
	uint8_t at;   /* its bit, from the format on */
	uint8_t unit; /* 1, 2 or 4 */
	uint16_t hits, starts;
};

#define IDENTIFY_PLACES 64
#define IDENTIFY_OFFSETS 12

/* Places where addresses are in the program's code, the best first.  @return  How many. */
size_t identify_places(struct identify_search *s, struct identify_place out[IDENTIFY_PLACES]);

/* By how many bytes the program may be elsewhere, by the same places: all numbers that differ.
 * @return  How many. */
size_t identify_et_offsets(struct identify_search *s, const struct identify_frame *f,
                           int64_t out[IDENTIFY_OFFSETS]);

/* The widths of the fields before an address, the likeliest first.  False: there are no more. */
bool identify_widths(const struct identify_place *place, const struct identify_packets *packets,
                     unsigned index, struct hs_et_config *c);

#endif
