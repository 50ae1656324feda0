/* All messages of a trace, a piece of it on each thread (design/pool).
 *
 * A piece ends where a message does, as far as the framing says.  A thread reads it as if nothing
 * were before it but what the reader of an earlier piece knew of the encoder; where the piece
 * before it left its reader otherwise, the caller's thread reads it again in order. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/config.h"
#include "source/pieces.h"

#define PIECE_BYTES ((size_t)1 << 16)

struct message_piece {
	struct source_piece piece;
	struct hs_reader *reader; /* with which it is read */
	void *began;              /* the state of an earlier one: what it knew before */
	void *made;               /* the caller's */
};

struct message_pieces {
	const struct hs_messages_options *o;
	const struct hs_protocol *protocol;
	const void *config;
	struct hs_reader *truth; /* after the last piece that was taken */
	enum hs_status end; /* of the last piece */
	struct hs_error *error;
};

/* ---- reading a piece -------------------------------------------------------------- */

static void put_damage(const struct message_pieces *p, const struct message_piece *at,
                       uint64_t offset, enum hs_status status)
{
	struct hs_error e;

	hs_error_set(&e, status, "offset 0x%" PRIx64 ": %s", offset, hs_status_text(status));
	p->o->error(p->o->to, at->made, &e);
}

static void put_message(const struct message_pieces *p, const struct message_piece *at,
                        struct hs_message *m)
{
	if (p->o->wire && m->offset >= at->piece.offset && m->length <= HS_SOURCE_MESSAGE_BYTES) {
		m->bytes = at->piece.bytes + (m->offset - at->piece.offset);
		p->protocol->codec->where(at->reader, m);
	}
	p->o->message(p->o->to, at->made, m);
}

/* With at->reader, which stands before the piece. */
static void read_piece(const struct message_pieces *p, struct message_piece *at)
{
	struct hs_span in = { at->piece.bytes, at->piece.n };
	struct hs_message m;
	uint64_t offset;

	p->o->begin(p->o->to, at->made);
	while (in.n) {
		const enum hs_status s = hs_reader_next(at->reader, &in, &m);

		if (s == HS_OK)
			put_message(p, at, &m);
		else if (s != HS_MORE)
			put_damage(p, at, m.offset, s);
	}
	if (at->piece.end == HS_END && reader_end(at->reader, &offset) != HS_OK)
		put_damage(p, at, offset, HS_E_TRUNCATED);
	if (at->piece.end != HS_OK && !at->piece.last)
		p->o->error(p->o->to, at->made, &at->piece.error);
}

static void make_piece(void *pieces, void *piece, uint32_t thread)
{
	const struct message_pieces *p = pieces;
	struct message_piece *at = piece;

	(void)thread;
	machine_begin(at->reader, at->began, at->piece.offset);
	read_piece(p, at);
}

/* ---- in order --------------------------------------------------------------------- */

/* A message that has not ended belongs to the next piece, and to none where bytes are lost; what
 * has no end in a whole piece is damage. */
static size_t cut_piece(void *pieces, void *piece)
{
	const struct message_pieces *p = pieces;
	struct message_piece *at = piece;
	const struct hs_span all = { at->piece.bytes, at->piece.n };
	size_t n = 0;

	if (!at->piece.last && at->piece.end != HS_E_LOST)
		n = p->protocol->codec->find_cut(p->config, &all, false);
	machine_save(p->truth, at->began);
	return n ? n : all.n;
}

static void swap(struct hs_reader **a, struct hs_reader **b)
{
	struct hs_reader *was = *a;

	*a = *b;
	*b = was;
}

/* Read a piece again with the reader of the one before, if that stands otherwise than its own did;
 * then it is the one before. */
static bool take_piece(void *pieces, void *piece)
{
	struct message_pieces *p = pieces;
	struct message_piece *at = piece;

	if (!machine_alike(p->truth, at->reader, at->began)) {
		swap(&p->truth, &at->reader);
		read_piece(p, at);
	}
	swap(&p->truth, &at->reader);
	if (at->piece.end == HS_E_LOST)
		machine_begin(p->truth, NULL, at->piece.offset + at->piece.n);
	if (!p->o->take(p->o->to, at->made))
		return false;
	if (!at->piece.last || at->piece.end == HS_END)
		return true;
	p->end = at->piece.end;
	if (p->error)
		*p->error = at->piece.error;
	return true;
}

/* ---- beginning and ending --------------------------------------------------------- */

static bool init_piece(void *pieces, void *piece)
{
	const struct message_pieces *p = pieces;
	struct message_piece *at = piece;

	at->made = calloc(1, p->o->room);
	at->began = malloc(machine_size(p->truth));
	return at->made && at->began && hs_reader_new(&at->reader, p->protocol, p->config) == HS_OK;
}

static void free_piece(void *pieces, void *piece)
{
	const struct message_pieces *p = pieces;
	struct message_piece *at = piece;

	hs_reader_free(at->reader);
	free(at->began);
	if (at->made)
		p->o->free(at->made);
	free(at->made);
}

static const struct source_pieces_work work = {
	.size = sizeof(struct message_piece),
	.bytes = PIECE_BYTES,
	.init = init_piece,
	.cut = cut_piece,
	.make = make_piece,
	.take = take_piece,
	.free = free_piece,
};

/* Of what can only be separated by reading it is known message by message where the next one
 * begins. */
static bool can_cut(const struct message_pieces *p)
{
	struct hs_protocol_traits traits;

	hs_protocol_check(p->protocol, p->config, &traits);
	return traits.framed;
}

enum hs_status hs_source_messages(struct hs_source *source,
                                  const struct hs_messages_options *options, struct hs_error *error)
{
	const struct hs_trace_params *params = hs_source_params(source);
	struct hs_messages_options o;
	struct message_pieces p = { .o = &o,
		                    .protocol = hs_trace_params_protocol(params),
		                    .config = hs_trace_params_config(params),
		                    .end = HS_OK,
		                    .error = error };

	if (base_take_config(&o, sizeof(o), options) != HS_OK || !o.room)
		return hs_error_set(error, HS_E_CONFIG, "options of another library; no room");
	if (!can_cut(&p))
		return hs_error_set(error, HS_E_UNSUPPORTED,
		                    "messages of this configuration are separated by reading");
	if (hs_reader_new(&p.truth, p.protocol, p.config) != HS_OK)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	const enum hs_status s = source_pieces_run(source, o.threads, &work, &p);

	hs_reader_free(p.truth);
	return s == HS_OK ? p.end : hs_error_set(error, s, "out of memory");
}
