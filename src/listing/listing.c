/* Listings: what their formats share. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "listing/private.h"

static const struct listing_format *const formats[] = {
	[HS_LISTING_TEXT] = &listing_text,
	[HS_LISTING_PC] = &listing_pc,
	[HS_LISTING_JSON] = &listing_json,
};

static unsigned digits(uint64_t v)
{
	unsigned n = 1;

	while (v >>= 4)
		n++;
	return n;
}

/* Columns are as wide as the longest address. */
static void widen(struct hs_listing *l, struct hs_program *program)
{
	const struct hs_image *image = hs_program_image(program);

	for (size_t i = 0; i < image->count; i++) {
		const unsigned n = digits(image->sections[i].start + (image->sections[i].size - 1));

		l->width = n > l->width ? n : l->width;
	}
}

enum hs_status hs_listing_new(const struct hs_listing_options *o, struct hs_listing **listing)
{
	struct hs_listing *l = calloc(1, sizeof(*l));

	if (!l)
		return HS_E_MEMORY;
	l->o = *o;
	l->insns.item_size = sizeof(struct listed_insn);
	l->first_item = true;
	l->width = 1;
	widen(l, o->program);
	for (size_t i = 0; o->programs && i < o->programs->count; i++)
		widen(l, o->programs->programs[i]);
	l->out = malloc(OUT_SIZE);
	program_select_start(&l->select, o->program, o->programs);
	if (!l->out || program_select_hart(&l->select, 0) != HS_OK) {
		hs_listing_free(l);
		return HS_E_MEMORY;
	}
	*listing = l;
	return HS_OK;
}

void hs_listing_free(struct hs_listing *l)
{
	if (!l)
		return;
	program_select_end(&l->select);
	free(l->out);
	support_hash_free(&l->insns);
	free(l->pcs);
	free(l->arena);
	free(l);
}

enum hs_status listing_flush(struct hs_listing *l)
{
	const size_t n = l->out_n;

	l->out_n = 0;
	return !n || l->o.write(l->o.context, l->out, n) ? HS_OK : HS_E_SYSTEM;
}

enum hs_status listing_room(struct hs_listing *l, size_t n)
{
	return OUT_SIZE - l->out_n < n ? listing_flush(l) : HS_OK;
}

/* Room was made by listing_room(); what is longer than that is cut. */
void listing_print(struct hs_listing *l, const char *format, ...)
{
	const size_t left = OUT_SIZE - l->out_n;
	va_list ap;

	va_start(ap, format);
	const int n = vsnprintf(l->out + l->out_n, left, format, ap);

	va_end(ap);
	if (n > 0)
		l->out_n += (size_t)n < left ? (size_t)n : left - 1;
}

char *listing_hex(char *to, uint64_t v)
{
	for (unsigned n = digits(v); n-- > 0;)
		*to++ = "0123456789abcdef"[v >> (4 * n) & 15u];
	return to;
}

static bool wants(struct hs_listing *l, const struct listed_insn *i)
{
	if (l->o.function && (!i->place.function || strcmp(l->o.function, i->place.function) != 0))
		return false;
	return l->seen++ >= l->o.skip;
}

static enum hs_status no_code(struct hs_listing *l, uint64_t addr)
{
	l->unmapped++;
	if (formats[l->o.format]->missing)
		formats[l->o.format]->missing(l, addr);
	return HS_OK;
}

/* Instructions one by one, with the filters. */
enum hs_status listing_block(struct hs_listing *l, const struct hs_block *b)
{
	const uint64_t end = hs_block_end(b);
	const struct listed_insn *i;

	for (uint64_t at = b->iaddr; at < end; at += 2u * i->hwords) {
		enum hs_status s = listing_insn(l, at, &i);

		if (s == HS_E_NOCODE)
			return no_code(l, at);
		if (s == HS_OK)
			s = listing_room(l, LINE_MAX_);
		if (s != HS_OK)
			return s;
		if (!wants(l, i))
			continue;
		formats[l->o.format]->insn(l, i, at + 2u * i->hwords == end ? b : NULL);
		if (++l->listed == l->o.limit)
			return HS_END;
	}
	return HS_OK;
}

static enum hs_status take_event(struct hs_listing *l, const struct listing_format *f,
                                 const struct hs_block *b)
{
	const enum hs_status s = program_select_event(&l->select, b);
	struct hs_block e = *b;

	if (e.kind == HS_KIND_TRAP) /* its block says which kind of trap it is (block.h) */
		e.itype = l->itype;
	if (f->event && !l->o.function && l->seen >= l->o.skip)
		f->event(l, &e);
	l->o.program = l->select.program;
	return s;
}

enum hs_status hs_listing_add(struct hs_listing *l, const struct hs_block *blocks, size_t n)
{
	const struct listing_format *f = formats[l->o.format];

	for (size_t i = 0; i < n; i++) {
		enum hs_status s = listing_room(l, LINE_MAX_);

		if (blocks[i].kind == HS_KIND_BLOCK)
			l->itype = blocks[i].itype;
		if (s == HS_OK && l->o.limit && l->listed >= l->o.limit)
			return HS_END;
		if (s == HS_OK && blocks[i].kind == HS_KIND_BLOCK)
			s = f->block ? f->block(l, &blocks[i]) : listing_block(l, &blocks[i]);
		else if (s == HS_OK)
			s = take_event(l, f, &blocks[i]);
		if (s != HS_OK)
			return s;
	}
	return HS_OK;
}

enum hs_status hs_listing_end(struct hs_listing *l)
{
	enum hs_status s = listing_room(l, LINE_MAX_);

	if (s == HS_OK) {
		if (formats[l->o.format]->end)
			formats[l->o.format]->end(l);
		s = listing_flush(l);
	}
	return s;
}

uint64_t hs_listing_unmapped(const struct hs_listing *l)
{
	return l->unmapped;
}
