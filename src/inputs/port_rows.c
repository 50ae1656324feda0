/* Rows of the ingress port next to the blocks that a trace of them leads to: both are in the order
 * in which instructions retired, so that each block goes on where the one before ended. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/record.h>

#include "ingress/import.h"

typedef unsigned long long ull;

struct hs_port_rows {
	const char *path;
	FILE *in;
	char *line; /* of getline() */
	size_t room;
	struct hs_port_text text;
	uint64_t lines;
	unsigned slot;              /* of text.row, to look at next */
	struct hs_port_group ahead; /* the next group; nothing: @ended */
	bool ended, lost;           /* lost: the next block may be further on */
	struct hs_block at[HS_PORT_ROOM];
};

/* ---- reading ---------------------------------------------------------------------- */

static enum hs_status bad_line(const struct hs_port_rows *r, enum hs_status s, struct hs_error *e)
{
	const struct hs_port_fault *f = &r->text.port.fault;

	if (f->why && (s == HS_E_FIELD || s == HS_E_BLOCK || s == HS_E_UNKNOWN))
		return hs_error_set(e, s, "%s:%llu: %s: %s (%s)", r->path, (ull)r->lines,
		                    f->signal ? f->signal : "row", f->why, f->clause);
	return hs_error_set(e, s,
	                    "%s:%llu: no row of an ingress port: 'hartscope export "
	                    "--format port-csv' writes such files",
	                    r->path, (ull)r->lines);
}

/* One line, which may be the last one without a line end. */
static enum hs_status feed_line(struct hs_port_rows *r, size_t n)
{
	static const uint8_t end = '\n';
	struct hs_blocks out = { r->at, HS_PORT_ROOM, 0 };
	struct hs_span in[2] = { { (const uint8_t *)r->line, n }, { &end, 1 } };
	const unsigned parts = r->line[n - 1] == '\n' ? 1 : 2;
	enum hs_status s = HS_MORE;

	r->lines++;
	for (unsigned i = 0; i < parts && s == HS_MORE; i++)
		do {
			out.n = 0;
			s = hs_port_text_feed(&r->text, &in[i], &out);
		} while (s == HS_FULL);
	return s;
}

/* The next row, in text.row.  HS_END: there is none. */
static enum hs_status read_row(struct hs_port_rows *r, struct hs_error *e)
{
	const uint64_t rows = r->text.rows;

	while (r->text.rows == rows) {
		const ssize_t n = getline(&r->line, &r->room, r->in);

		if (n < 0 && ferror(r->in))
			return hs_error_set(e, HS_E_SYSTEM, "%s: %s", r->path, strerror(errno));
		if (n < 0)
			return HS_END;
		const enum hs_status s = feed_line(r, (size_t)n);

		if (s != HS_MORE)
			return bad_line(r, s, e);
	}
	r->slot = 0;
	return HS_OK;
}

static unsigned slot_hwords(const struct hs_port_config *c, const struct hs_port_slot *s)
{
	if (c->form == HS_PORT_BLOCK)
		return (unsigned)s->iretire << (c->retires == 1 ? s->ilastsize : 0);
	if (!s->iretire)
		return 0;
	return s->compressed || (s->instr & 3) != 3 ? 1 : 2;
}

/* The next slot in use, in r->ahead. */
static enum hs_status next_group(struct hs_port_rows *r, struct hs_error *e)
{
	const struct hs_port_config *c = &r->text.port.config;

	while (!r->ended) {
		for (; r->slot < HS_PORT_SLOTS; r->slot++) {
			const struct hs_port_slot *s = &r->text.row.slot[r->slot];

			if (!s->iretire && !s->itype && !s->iexception)
				continue;
			r->ahead = (struct hs_port_group){ r->text.rows - 1, r->lines, s->iaddr,
				                           s->iaddr + 2u * slot_hwords(c, s),
				                           r->slot++ };
			return HS_OK;
		}
		const enum hs_status s = read_row(r, e);

		r->ended = s != HS_OK;
		if (s != HS_OK && s != HS_END)
			return s;
	}
	return HS_OK;
}

static enum hs_status open_rows(struct hs_port_rows *r, unsigned xlen, struct hs_error *e)
{
	r->in = fopen(r->path, "re");
	if (!r->in)
		return hs_error_set(e, HS_E_SYSTEM, "%s: %s", r->path, strerror(errno));
	enum hs_status s = hs_port_text_init(&r->text, NULL, xlen);

	s = s == HS_OK ? next_group(r, e) : hs_error_set(e, s, "%s: XLEN %u", r->path, xlen);
	if (s == HS_OK && r->ended)
		s = hs_error_set(e, HS_E_FORMAT, "%s has no row in which something retires",
		                 r->path);
	return s;
}

enum hs_status hs_port_rows_open(const char *path, unsigned xlen, struct hs_port_rows **rows,
                                 struct hs_error *error)
{
	struct hs_port_rows *r = calloc(1, sizeof(*r));

	*rows = NULL;
	if (!r)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	r->path = path;
	r->slot = HS_PORT_SLOTS;
	r->lost = true;
	const enum hs_status s = open_rows(r, xlen, error);

	if (s == HS_OK)
		*rows = r;
	else
		hs_port_rows_close(r);
	return s;
}

void hs_port_rows_close(struct hs_port_rows *r)
{
	if (!r)
		return;
	if (r->in)
		fclose(r->in);
	free(r->line);
	free(r);
}

/* ---- next to blocks --------------------------------------------------------------- */

static bool is_trap(const struct hs_port_group *g)
{
	return g->iaddr == g->end;
}

/* Has it the instruction at @addr of a block?  An ecall is raised and not retired in the
 * instruction form, and ends its block (design/blocks). */
static bool has_address(const struct hs_port_group *g, const struct hs_block *b, uint64_t addr)
{
	if (is_trap(g))
		return g->iaddr == addr && hs_itype_is_trap(b->itype);
	return g->iaddr <= addr && addr < g->end;
}

/* The rows do not go on with @addr. */
static enum hs_status refuse_rows(const struct hs_port_rows *r, uint64_t addr, struct hs_error *e)
{
	if (r->ended)
		return hs_error_set(e, HS_E_DIFFERS,
		                    "%s ends, and the trace goes on at 0x%llx: they are not of the "
		                    "same execution",
		                    r->path, (ull)addr);
	return hs_error_set(e, HS_E_DIFFERS,
	                    "%s:%llu: 0x%llx retires in cycle %llu, slot %u, where the trace has "
	                    "0x%llx: they are not of the same execution",
	                    r->path, (ull)r->ahead.line, (ull)r->ahead.iaddr, (ull)r->ahead.cycle,
	                    r->ahead.slot, (ull)addr);
}

/* Skip traps, and after a loss all up to what has @addr. */
static enum hs_status find_block(struct hs_port_rows *r, const struct hs_block *b,
                                 struct hs_error *e)
{
	enum hs_status s = HS_OK;

	while (s == HS_OK && !r->ended && !has_address(&r->ahead, b, b->iaddr) &&
	       (r->lost || is_trap(&r->ahead)))
		s = next_group(r, e);
	if (s == HS_OK && (r->ended || !has_address(&r->ahead, b, b->iaddr)))
		s = refuse_rows(r, b->iaddr, e);
	r->lost = false;
	return s;
}

static void note_group(struct hs_port_span *out, const struct hs_port_group *g)
{
	if (!out->any)
		out->first = *g;
	out->last = *g;
	out->any = true;
}

/* A group may have more than the block: the trace cut it. */
static enum hs_status take_block(struct hs_port_rows *r, const struct hs_block *b,
                                 struct hs_port_span *out, struct hs_error *e)
{
	const uint64_t end = hs_block_end(b);
	enum hs_status s = find_block(r, b, e);

	for (uint64_t at = b->iaddr; s == HS_OK && at < end; at = out->last.end) {
		if (r->ended || !has_address(&r->ahead, b, at))
			return refuse_rows(r, at, e);
		r->ahead.end = is_trap(&r->ahead) ? end : r->ahead.end;
		note_group(out, &r->ahead);
		if (r->ahead.end > end)
			break;
		s = next_group(r, e);
	}
	return s;
}

enum hs_status hs_port_rows_take(struct hs_port_rows *r, const struct hs_block *b,
                                 struct hs_port_span *out, struct hs_error *e)
{
	out->any = false;
	if (b->kind == HS_KIND_HART && b->arg != 0)
		return hs_error_set(e, HS_E_UNSUPPORTED,
		                    "%s: rows are of one hart, and the trace "
		                    "has several",
		                    r->path);
	r->lost |= b->kind == HS_KIND_SYNC || b->kind == HS_KIND_GAP || b->kind == HS_KIND_STOP;
	if (b->kind != HS_KIND_BLOCK)
		return HS_OK;
	if (b->iretire)
		return take_block(r, b, out, e);
	if (r->ended || !is_trap(&r->ahead))
		return HS_OK;
	note_group(out, &r->ahead);
	return next_group(r, e);
}
