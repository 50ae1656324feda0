/* hartscope dump: all messages of a file, a piece of it on each thread (ADR-0265).
 *
 * A piece ends where a message does, as far as the framing says.  A thread reads it as if nothing
 * were before it but what the reader of an earlier piece knew of the encoder; where the piece
 * before it left its reader otherwise, the caller's thread reads it again in order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/dump.h"
#include "common/ordered.h"

#define PIECE_BYTES ((size_t)1 << 16)
#define PIECES_EACH 3u  /* for each thread */
#define READ_ROOM 4096u /* as hs_source_read() needs it */

struct piece {
	uint8_t *bytes;
	size_t n;
	uint64_t offset, base; /* of its first byte; of byte 0 of @reader */
	bool last;
	enum hs_status end; /* what reading said after its bytes */
	struct hs_error error;
	void *reader, *began; /* with which it is read, and what that knew before */
	struct lines text;    /* each item with what goes before it */
	struct dump_counts counts;
};

struct pieces {
	struct hs_source *source;
	const struct dump_style *style;
	bool wire;
	const struct hs_protocol *protocol;
	const void *config;
	void *truth; /* the reader after the last piece that was printed */
	uint64_t base;
	struct piece *list;
	unsigned count;
	uint8_t *rest; /* bytes of a message that has not ended */
	size_t rest_n;
	uint64_t offset; /* of the next piece */
};

/* ---- reading a piece -------------------------------------------------------------- */

static void put_error(const struct pieces *p, struct piece *at, const struct hs_error *e)
{
	lines_text(&at->text, p->style->between);
	p->style->error(&at->text, e);
	at->counts.shown++;
	at->counts.errors++;
}

static void put_damage(const struct pieces *p, struct piece *at, uint64_t offset,
                       enum hs_status status)
{
	struct hs_error e;

	hs_error_set(&e, status, "offset 0x%" PRIx64 ": %s", at->base + offset,
	             hs_status_text(status));
	put_error(p, at, &e);
}

static void put_message(const struct pieces *p, struct piece *at, struct hs_message *m)
{
	m->offset += at->base;
	if (p->wire && m->offset >= at->offset && m->length <= HS_SOURCE_MESSAGE_BYTES) {
		m->bytes = at->bytes + (m->offset - at->offset);
		p->protocol->where(at->reader, m);
	}
	lines_text(&at->text, p->style->between);
	p->style->message(&at->text, &(struct dump_line){ .m = m, .wire = p->wire });
	at->counts.shown++;
	at->counts.known += dump_is_known(m);
}

/* With at->reader, which stands before the piece. */
static void read_piece(const struct pieces *p, struct piece *at)
{
	struct hs_span in = { at->bytes, at->n };
	struct hs_message m;
	uint64_t offset;

	at->text.n = 0;
	at->counts = (struct dump_counts){ 0 };
	while (in.n) {
		const enum hs_status s = p->protocol->read(at->reader, &in, &m);

		if (s == HS_OK)
			put_message(p, at, &m);
		else if (s != HS_MORE)
			put_damage(p, at, m.offset, s);
	}
	if (at->end == HS_END && p->protocol->read_end(at->reader, &offset) != HS_OK)
		put_damage(p, at, offset, HS_E_TRUNCATED);
	if (at->end != HS_OK && !at->last)
		put_error(p, at, &at->error);
}

static void make_piece(void *pieces, void *piece, unsigned thread)
{
	const struct pieces *p = pieces;
	struct piece *at = piece;

	(void)thread;
	p->protocol->reader_begin(at->reader, at->began);
	at->base = at->offset;
	read_piece(p, at);
}

/* ---- cutting ---------------------------------------------------------------------- */

static void fill_piece(struct pieces *p, struct piece *at)
{
	memcpy(at->bytes, p->rest, p->rest_n);
	at->n = p->rest_n;
	at->end = HS_OK;
	while (at->end == HS_OK && at->n + READ_ROOM <= PIECE_BYTES) {
		size_t n;

		at->end = hs_source_read(p->source, at->bytes + at->n, PIECE_BYTES - at->n, &n,
		                         &at->error);
		at->n += n;
	}
	at->last = at->end == HS_END || at->end == HS_E_SYSTEM;
}

/* The bytes of the next piece.  A message that has not ended belongs to the one after it, and to
 * none where bytes are lost; what has no end in a whole piece is damage. */
static void cut_piece(struct pieces *p, struct piece *at)
{
	fill_piece(p, at);
	const struct hs_span all = { at->bytes, at->n };
	size_t n = at->last || at->end == HS_E_LOST ? 0 : p->protocol->find_end(p->config, &all);

	n = n ? n : at->n;
	p->rest_n = at->n - n;
	memcpy(p->rest, at->bytes + n, p->rest_n);
	at->n = n;
	at->offset = p->offset;
	p->offset += n;
	p->protocol->reader_begin(at->began, p->truth);
}

/* ---- in order --------------------------------------------------------------------- */

static void swap(void **a, void **b)
{
	void *was = *a;

	*a = *b;
	*b = was;
}

/* Read a piece again with the reader of the one before, if that stands otherwise than its own did;
 * then it is the one before. */
static void join_piece(struct pieces *p, struct piece *at)
{
	if (!p->protocol->reader_same(p->truth, at->began)) {
		swap(&p->truth, &at->reader);
		at->base = p->base;
		read_piece(p, at);
	}
	swap(&p->truth, &at->reader);
	p->base = at->base;
	if (at->end != HS_E_LOST)
		return;
	p->protocol->reader_begin(p->truth, NULL);
	p->base = at->offset + at->n;
}

/* False: no more can be printed. */
static bool print_piece(struct dump_join *j, const struct piece *at)
{
	const struct lines *l = &at->text;

	j->counts.shown += at->counts.shown;
	j->counts.errors += at->counts.errors;
	j->counts.known += at->counts.known;
	if (l->failed) {
		note_out_of_memory();
		return false;
	}
	if (!l->n)
		return true;
	const size_t skip = j->first ? strlen(j->style->between) : 0;

	if (j->first)
		fputs(j->style->begin, stdout);
	j->first = false;
	lines_show(l->text + skip, l->n - skip);
	return !ferror(stdout);
}

static enum hs_status run(struct pieces *p, struct dump_join *j, struct ordered *o,
                          struct hs_error *error)
{
	enum hs_status s = HS_OK;
	bool cut_all = false;

	while (s == HS_OK) {
		struct piece *at = cut_all ? NULL : ordered_room(o);

		if (at) {
			cut_piece(p, at);
			cut_all = at->last;
			ordered_give(o);
			continue;
		}
		at = ordered_take(o);
		join_piece(p, at);
		if (!print_piece(j, at))
			return HS_END;
		*error = at->error;
		s = at->last ? at->end : HS_OK;
		ordered_done(o);
	}
	return s;
}

/* ---- beginning and ending --------------------------------------------------------- */

static bool allocate(struct pieces *p, unsigned count)
{
	p->list = calloc(count, sizeof(*p->list));
	p->rest = malloc(PIECE_BYTES);
	if (!p->list || !p->rest || p->protocol->reader_new(&p->truth, p->config) != HS_OK)
		return false;
	p->count = count;
	for (unsigned i = 0; i < count; i++) {
		struct piece *at = &p->list[i];

		at->bytes = malloc(PIECE_BYTES);
		if (!at->bytes || p->protocol->reader_new(&at->reader, p->config) != HS_OK ||
		    p->protocol->reader_new(&at->began, p->config) != HS_OK)
			return false;
	}
	return true;
}

static void free_reader(const struct pieces *p, void *reader)
{
	if (reader)
		p->protocol->reader_free(reader);
}

static void free_all(struct pieces *p)
{
	for (unsigned i = 0; i < p->count; i++) {
		free(p->list[i].bytes);
		free_reader(p, p->list[i].reader);
		free_reader(p, p->list[i].began);
		lines_free(&p->list[i].text);
	}
	free_reader(p, p->truth);
	free(p->list);
	free(p->rest);
}

/* Of several sources, buffers of perf.data and transports it is known message by message where the
 * next one belongs. */
bool dump_can_cut(const struct hs_source *source, const char *path)
{
	const struct hs_protocol *protocol = hs_trace_params_protocol(hs_source_params(source));
	const struct hs_span none = { NULL, 0 };

	return protocol->find_end(hs_trace_params_config(hs_source_params(source)), &none) == 0 &&
	       is_one_stream(source, path);
}

enum hs_status dump_pieces(struct dump_join *j, struct hs_source *source, uint32_t threads,
                           struct hs_error *error)
{
	const struct hs_trace_params *params = hs_source_params(source);
	struct pieces p = { .source = source,
		            .style = j->style,
		            .wire = j->wire,
		            .protocol = hs_trace_params_protocol(params),
		            .config = hs_trace_params_config(params) };
	const unsigned count = threads > 1 ? PIECES_EACH * threads : 1;
	enum hs_status s = HS_E_MEMORY;
	struct ordered *o = NULL;

	if (allocate(&p, count))
		o = ordered_new(threads, p.list, sizeof(*p.list), count, make_piece, &p);
	if (o)
		s = run(&p, j, o, error);
	else
		hs_error_set(error, HS_E_MEMORY, "out of memory");
	ordered_free(o);
	free_all(&p);
	return s;
}
