/* A codec: what a protocol of the table of protocols does (design/codec).
 *
 * It is about a dozen functions for the parameters and the encoder, and one kind of machine for its
 * decoder, its reader of messages and its lint.  A machine takes bytes and gives items, messages or
 * findings.  Where it stands can be kept, compared and taken by another one, so that several of
 * them can each take a part of a stream.
 */
#ifndef HS_TRACE_CODEC_H
#define HS_TRACE_CODEC_H

#include <hartscope/memo.h>
#include <hartscope/protocol.h>

#include "flow/flow.h"

/* What a call of a machine writes: a decoder items, a reader a message, a lint a finding. */
struct codec_out {
	struct hs_block *items;
	size_t cap, n;
	struct hs_message *message;
	struct hs_lint_finding *finding;
};

/* The machines of a protocol.  Two that are used with each other were made for the same protocol,
 * configuration, image and programs. */
struct codec_machine {
	/* @image and @set: as hs_decoder_new() takes them; a reader has none.  HS_OK, HS_E_CONFIG,
	 * HS_E_MEMORY, HS_E_UNSUPPORTED. */
	enum hs_status (*open)(void **self, const struct hs_protocol *p, const void *config,
	                       const struct hs_image *image, const struct hs_image_set *set);
	void (*close)(void *self);
	/* Where it stands, but for the programs: how many bytes that is, which grows with the
	 * sources that were met; a copy of it, aligned as malloc() does; and back to a copy that it
	 * made itself. */
	size_t (*size)(const void *self);
	void (*save)(const void *self, void *state);
	void (*restore)(void *self, const void *state);
	/* The next byte is at @offset and begins a message; bytes before it are missing.  Of what
	 * does not end at a synchronisation a lint or reader knows what another one knew in @state;
	 * NULL: nothing.  A decoder writes the gaps of sources that were synchronised. */
	void (*begin)(void *self, const void *state, uint64_t offset);
	/* Does @self stand where @other stood in @state, so that the same bytes lead both the same
	 * way?  Both took the same last bytes, and have no guide.  @source: of a decoder only that
	 * one, which has a guide, and @other is the decoder itself; CODEC_ALL: all.  No is always
	 * safe to say. */
	bool (*alike)(const void *self, const void *other, const void *state, uint64_t source);
	/* @self stands where @other stood in @join: put it where @other stood later, in @end, and
	 * count what @other took in between.  @other may be taking something else meanwhile. */
	void (*advance)(void *self, const void *other, const void *join, const void *end);
	/* Take bytes: as hs_decode(), hs_reader_next(), hs_lint_next(). */
	enum hs_status (*next)(void *self, struct hs_span *in, struct codec_out *out);
	/* The stream is over: as hs_decode_end(), hs_lint_end().  Of a reader HS_E_TRUNCATED: it
	 * ends inside a message, which begins at out->message->offset. */
	enum hs_status (*end)(void *self, struct codec_out *out);
};

#define CODEC_ALL UINT64_MAX

/* Each machine begins with this. */
struct codec_self {
	const struct codec_machine *machine;
	const struct hs_protocol *protocol;
};

/* What an encoder or decoder counts by type of message. */
struct codec_tally {
	unsigned text;                    /* dialect of N-Trace, version of E-Trace */
	const uint64_t *messages, *bytes; /* bytes may be NULL */
	const struct hs_et_data_counts *data;
};

struct hs_encoder {
	const struct hs_protocol *protocol;
	struct codec_tally tally;
};

/* The memory that a decoder of any protocol needs. */
struct codec_memory {
	struct hs_bb_table table;    /* of the program before the first context */
	struct hs_bb_table **tables; /* of the programs of contexts */
	size_t table_count;
	struct program *programs;
	void *blocks, *sources;
	struct hs_memo memo;
	void *runs; /* of the memo */
};

struct hs_decoder {
	struct codec_self self;
	struct codec_memory memory;
	struct codec_tally tally;
	struct hs_stream *stream; /* of the protocol's decoder */
	struct hs_memo *counted;  /* what counts runs; NULL: its parameters do not let it */
	const uint64_t *offset;   /* of the next byte */
	uint8_t *care;            /* which a guide ends; NULL: it has none */
};

struct hs_reader {
	struct codec_self self;
};

/* Which parameters get their defaults. */
enum codec_defaults {
	CODEC_EACH,      /* all of them */
	CODEC_FOLLOWING, /* all but those in p->leading: the defaults that belong to these */
	CODEC_OF_FILES   /* those that say nothing about how to synchronise: as it suits files */
};

/* What says where a message ends. */
enum codec_end {
	CODEC_END_MSEO,   /* two bits of each byte */
	CODEC_END_LENGTH, /* the first byte, or the parameters */
	CODEC_END_FIELDS  /* only all fields, read from the beginning of the trace */
};

/* Of a trace that was not read yet, what its messages say of their encoder may be missing. */
enum codec_check { CODEC_CHECK_ALL, CODEC_CHECK_UNREAD };

/* What is known of a trace in which a description of its encoder is looked for. */
enum codec_known {
	CODEC_KNOWN_CONFIG, /* its parameters */
	CODEC_KNOWN_NOTHING /* where it begins with a description, or its framing says enough, the
	                     * parameters, which are defaults, get the framing */
};

struct codec {
	/* Parameters. */
	void (*defaults)(void *config, enum codec_defaults which);
	/* As hs_protocol_check(). */
	enum hs_status (*check)(const void *config, enum codec_check what,
	                        struct hs_protocol_traits *traits);
	/* As hs_protocol_take_registers(), hs_protocol_put_registers(); NULL: its registers are
	 * none of the trace control interface. */
	enum hs_status (*take_registers)(void *config, const struct hs_tc_regs *registers);
	enum hs_status (*put_registers)(const void *config, struct hs_tc_regs *registers);
	/* Take parameters from @count words of the encoder's discovery registers or record; NULL:
	 * the protocol has none.  HS_OK; HS_E_CONFIG: another number of words than the version has,
	 * or contradictions; HS_E_UNSUPPORTED: the words ask for what the codec has not. */
	enum hs_status (*take_discovery)(void *config, const uint32_t *words, size_t count);
	/* Find the first of these among the whole messages of @bytes.  False: there is none.  With
	 * CODEC_KNOWN_NOTHING out->count may be 0. */
	bool (*find_discovery)(void *config, const struct hs_span *bytes, enum codec_known known,
	                       struct hs_discovered *out);

	enum codec_end end;
	/* Framing.  The last place in @bytes, which begin with a message, where one begins; 0: none
	 * does.  @synchronises: only one that does; bytes->n: none is seen.  A hint: nothing is
	 * checked.  Only where the traits say so are messages separated without reading them. */
	size_t (*find_cut)(const void *config, const struct hs_span *bytes, bool synchronises);
	/* The wrap point of a circular buffer: @wp is the write pointer, HS_RING_UNKNOWN: it is
	 * found (ring->found).  HS_OK, HS_E_CONFIG.  NULL: with CODEC_END_MSEO. */
	enum hs_status (*find_ring)(const void *config, const struct hs_span *buffer, uint64_t wp,
	                            struct hs_ring *ring);

	/* Encoder, which free() frees: as the functions of hartscope/protocol.h. */
	enum hs_status (*encoder_new)(struct hs_encoder **encoder, const void *config);
	enum hs_status (*encode)(struct hs_encoder *encoder, const struct hs_block *in, size_t n,
	                         size_t *used, uint8_t *out, size_t cap, size_t *len);
	enum hs_status (*encode_port)(struct hs_encoder *encoder, const struct hs_block *b,
	                              uint8_t *out, size_t cap, size_t *len);
	enum hs_status (*encode_end)(struct hs_encoder *encoder, uint8_t *out, size_t cap,
	                             size_t *len);
	/* NULL: no parameter changes while it runs. */
	enum hs_status (*set_options)(struct hs_encoder *encoder, const void *config);

	/* What was counted, of an encoder or decoder. */
	unsigned (*counts)(const struct codec_tally *t, struct hs_message_count *out, unsigned cap);

	/* As hs_decoder_diag(); and find the fields of @m, which the reader gave last, in
	 * m->bytes. */
	void (*diag)(const struct hs_decoder *decoder, enum hs_status s, struct hs_fault *fault);
	void (*where)(const struct hs_reader *reader, struct hs_message *m);

	const struct codec_machine *decoder, *reader;
	const struct codec_lint_kind *lint; /* what its lint is (lint.h) */
	const struct hs_rule *rules;        /* why messages are sent; ended by one without a text */
	const char *narrow_address; /* parameter for addresses of 32 bits; NULL: there is none */
};

extern const struct hs_protocol protocol_ntrace, protocol_etrace, protocol_tacit;
extern const struct codec_machine codec_lint;

/* ---- machines ------------------------------------------------------------------- */

static inline const struct codec_machine *machine_of(const void *self)
{
	return ((const struct codec_self *)self)->machine;
}

static inline size_t machine_size(const void *self)
{
	return machine_of(self)->size(self);
}

static inline void machine_save(const void *self, void *state)
{
	machine_of(self)->save(self, state);
}

static inline void machine_restore(void *self, const void *state)
{
	machine_of(self)->restore(self, state);
}

static inline void machine_begin(void *self, const void *state, uint64_t offset)
{
	machine_of(self)->begin(self, state, offset);
}

static inline bool machine_alike(const void *self, const void *other, const void *state)
{
	return machine_of(self)->alike(self, other, state, CODEC_ALL);
}

static inline void machine_advance(void *self, const void *other, const void *join, const void *end)
{
	machine_of(self)->advance(self, other, join, end);
}

/* ---- decoders ------------------------------------------------------------------- */

/* Does the decoder stand where it stood in @state, which it made, as far as source @src goes? */
static inline bool decoder_stands(const struct hs_decoder *d, const void *state, uint32_t src)
{
	return d->self.machine->alike(d, d, state, src);
}

/* Part of the input is missing here, and the next byte begins a message. */
static inline void decoder_lose(struct hs_decoder *d)
{
	machine_begin(d, NULL, *d->offset);
}

static inline unsigned decoder_counts(const struct hs_decoder *d, struct hs_message_count *out,
                                      unsigned cap)
{
	return d->self.protocol->codec->counts(&d->tally, out, cap);
}

/* Code changes: before the first bytes.  @guide is kept, and has the tables. */
void decoder_guide(struct hs_decoder *d, const struct hs_code_guide *guide);
/* Before the first bytes: each synchronisation is an event, also a periodic one. */
void decoder_show_syncs(struct hs_decoder *d);
/* How many blocks are to come of source @src: as stream_expect().  Where the source stands; false:
 * no message named it yet. */
void decoder_expect(struct hs_decoder *d, uint32_t src, uint64_t blocks);
bool decoder_place(const struct hs_decoder *d, uint32_t src, struct hs_code_place *place);
/* After the last byte: HS_E_TRUNCATED, and where the message begins that has no end. */
enum hs_status reader_end(struct hs_reader *r, uint64_t *offset);

#endif
