/* Listings: blocks and events, on one thread. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "core/core.h"
#include "guest/guest.h"
#include "listing/private.h"

static const struct listing_format *const formats[] = {
	[HS_LISTING_TEXT] = &listing_text,
	[HS_LISTING_PC] = &listing_pc,
	[HS_LISTING_JSON] = &listing_json,
	[HS_LISTING_LINES] = &listing_lines,
};

/* The column of addresses is as wide as the longest one. */
static void widen_column(struct hs_listing *l, struct hs_program *program)
{
	const struct hs_image *image = hs_program_image(program);

	for (size_t i = 0; i < image->count; i++) {
		const struct hs_section *s = &image->sections[i];
		const unsigned n = listing_digits(s->start + (s->size - 1));

		l->width = n > l->width ? n : l->width;
	}
}

static enum hs_status take_options(struct hs_listing_options *o,
                                   const struct hs_listing_options *given)
{
	const size_t count = sizeof(formats) / sizeof(*formats);

	if (base_take_config(o, sizeof(*o), given) != HS_OK)
		return HS_E_CONFIG;
	return o->program && o->write && (size_t)o->format < count ? HS_OK : HS_E_CONFIG;
}

enum hs_status listing_new(const struct hs_listing_options *options, struct hs_listing **listing)
{
	struct hs_listing *l = aligned_alloc(LISTING_ALIGN, sizeof(*l));

	if (!l)
		return HS_E_MEMORY;
	memset(l, 0, sizeof(*l));
	if (take_options(&l->o, options) != HS_OK) {
		free(l);
		return HS_E_CONFIG;
	}
	const struct hs_program_set *set = l->o.programs;

	l->format = formats[l->o.format];
	l->insns.item_size = sizeof(struct listed_insn);
	l->seen = l->o.before;
	l->first_item = l->o.format == HS_LISTING_JSON || l->o.format == HS_LISTING_LINES;
	listing_texts_start(&l->texts);
	l->width = 1;
	widen_column(l, l->o.program);
	for (size_t i = 0; set && i < set->count; i++)
		widen_column(l, set->programs[i]);
	program_select_start(&l->select, l->o.program, set);
	l->room = OUT_ALONE;
	l->out = malloc(OUT_SIZE);
	if (!l->out || program_select_hart(&l->select, 0) != HS_OK) {
		listing_free(l);
		return HS_E_MEMORY;
	}
	*listing = l;
	return HS_OK;
}

void listing_free(struct hs_listing *l)
{
	if (!l)
		return;
	program_select_end(&l->select);
	free(l->out);
	free(l->data.items);
	support_hash_free(&l->insns);
	program_counts_free(&l->counts);
	listing_texts_free(&l->texts);
	free(l);
}

/* @data: what it accessed, or NULL. */
static bool is_wanted(struct hs_listing *l, const struct listed_insn *i,
                      const struct hs_access *data)
{
	bool wanted = i->wanted && !l->o.written_size && !l->o.accessed;

	l->passed++;
	for (unsigned k = 0; data && l->o.accessed && k < l->data.shown_n; k++)
		l->o.accessed(l->o.accessed_to, i->place.function, i->own ? NULL : i->place.object,
		              &data[k]);
	for (unsigned k = 0; data && i->wanted && !wanted && k < l->data.shown_n; k++)
		wanted = listing_data_is_wanted(l, &data[k]);
	return wanted && l->seen++ >= l->o.skip;
}

static enum hs_status report_missing(struct hs_listing *l, uint64_t addr)
{
	l->unmapped++;
	if (l->format->missing && l->seen >= l->o.skip)
		l->format->missing(l, addr);
	return HS_OK;
}

/* What was skipped says in which context the listing begins. */
static enum hs_status list_context(struct hs_listing *l)
{
	const struct listing_format *f = l->format;
	const struct hs_block event = { .value = l->select.at.context,
		                        .kind = HS_KIND_CONTEXT,
		                        .arg = PROGRAM_SCONTEXT,
		                        .priv = l->last.priv & 7u };

	if (!f->event || listing_selects(l) || !l->select.at.has_context)
		return HS_OK;
	f->event(l, &event);
	return listing_room(l, LINE_MAX_);
}

/* The instructions of a block one by one, through the filters. */
static enum hs_status list_insns(struct hs_listing *l, const struct hs_block *b)
{
	const uint64_t end = hs_block_end(b);
	const struct listed_insn *i;

	for (uint64_t at = b->iaddr; at < end; at += 2u * i->hwords) {
		enum hs_status s = listing_insn(l, at, &i);

		if (s == HS_E_NOCODE)
			return report_missing(l, at);
		if (s == HS_OK)
			s = listing_room(l, LINE_MAX_);
		if (s != HS_OK)
			return s;
		const struct hs_access *data = l->data.n ? listing_data_of(l, i) : NULL;

		if (!is_wanted(l, i, data))
			continue;
		s = l->o.skip && !l->listed ? list_context(l) : HS_OK;
		if (s != HS_OK)
			return s;
		listing_put(l, i, at + 2u * i->hwords == end ? b : NULL, data);
		if (++l->listed == l->o.limit)
			return HS_END;
	}
	return HS_OK;
}

/* Code that changes for blocks that are left out. */
static bool is_silent(const struct hs_block *b)
{
	return b->kind == HS_KIND_VERSION && b->itype;
}

static enum hs_status list_event(struct hs_listing *l, const struct hs_block *b)
{
	const struct listing_format *f = l->format;
	struct hs_block e = *b;
	enum hs_status s;

	if (b->kind == HS_KIND_TIME) {
		l->when.time = b->value;
		l->when.timed = b->itype == HS_CLOCK_TIME;
		if (l->when.timed)
			return HS_OK;
	}
	if (b->kind == HS_KIND_DATA || b->kind == HS_KIND_VALUE)
		return f->stray || listing_selects(l) ? listing_data_add(l, b) : HS_OK;
	if (l->data.n && (b->kind == HS_KIND_GAP || b->kind == HS_KIND_STOP) &&
	    !hs_event_waits(b)) {
		s = listing_data_flush(l);
		if (s != HS_OK)
			return s;
	}
	s = program_select_event(&l->select, b);
	listing_texts_move(l);
	if (l->o.guest && (b->kind == HS_KIND_CONTEXT || b->kind == HS_KIND_HART)) {
		const struct hs_guest_at at = listing_at(l);

		l->task = hs_guest_find_task(l->o.guest, &at);
	}

	l->held.lone = b->itype != HS_ITYPE_NONE;
	/* Its block says which kind of trap it is, if it has one (block.h). */
	if (e.kind == HS_KIND_TRAP && e.itype == HS_ITYPE_NONE)
		e.itype = l->last.itype;
	if (f->event && !listing_selects(l) && l->seen >= l->o.skip && !is_silent(b))
		f->event(l, &e);
	l->o.program = l->select.program;
	return s;
}

/* Is all of a block before what is listed?  Then it is counted. */
static bool skip_block(struct hs_listing *l, const struct hs_block *b)
{
	uint32_t n;

	if (l->seen >= l->o.skip || listing_selects(l) || l->data.n ||
	    program_count_block(&l->counts, &l->select, b, &n) != HS_OK)
		return false;
	if (!n || n > l->o.skip - l->seen)
		return false;
	l->seen += n;
	return true;
}

/* May instructions of a block be left out, or have more than their own text? */
static bool is_plain(const struct hs_listing *l)
{
	return !listing_selects(l) && !l->first_item && l->data.at == l->data.n &&
	       l->seen >= l->o.skip && (l->listed || !l->o.skip);
}

void listing_follow_block(struct hs_listing *l, const struct hs_block *b)
{
	struct hs_block last = *b;

	l->last.itype = b->itype;
	l->last.priv = b->priv;
	if (!hs_itype_is_trap(b->itype))
		return;
	if (b->itype == HS_ITYPE_EXCEPTION) /* an ecall may have retired (design/nt-dialects) */
		hs_block_drop_ecall(program_select_image(&l->select), &last);
	l->last.epc = hs_block_end(&last);
}

static enum hs_status list_block(struct hs_listing *l, const struct hs_block *b)
{
	enum hs_status s = HS_MORE;

	listing_follow_block(l, b);
	if (skip_block(l, b))
		s = HS_OK;
	else if (is_plain(l))
		s = listing_kept_block(l, b);
	if (s == HS_MORE) {
		listing_lock(l);
		s = list_insns(l, b);
		listing_unlock(l);
	}
	l->when.timed = false;
	return s;
}

/* The blocks of a path, one by one where texts are not kept as they are. */
static enum hs_status list_path(struct hs_listing *l, const struct hs_block *path)
{
	enum hs_status s = HS_OK;

	if (!path->ilast)
		listing_forget_paths(l);
	const bool keep =
		path->ilast && is_plain(l) && !l->o.limit && !l->when.timed && !l->select.view;
	unsigned i = 0;

	if (keep)
		s = listing_kept_path(l, path, &i);
	while (i < path->ilast && s == HS_OK) {
		const struct hs_block b = listing_block_of(path, i++);

		s = listing_room(l, LINE_MAX_);
		if (s == HS_OK)
			s = list_block(l, &b);
		if (s == HS_OK && keep)
			s = listing_kept_path(l, path, &i);
	}
	return s;
}

/* What waits for the mode @to of a trap's handler. */
static enum hs_status release_events(struct hs_listing *l, uint8_t to)
{
	const unsigned n = l->held.n;
	enum hs_status s = HS_OK;

	l->held.n = 0;
	l->held.to = to;
	for (unsigned i = 0; i < n && s == HS_OK; i++) {
		s = list_event(l, &l->held.items[i]);
		if (s == HS_OK)
			s = listing_room(l, LINE_MAX_);
	}
	return s;
}

static bool is_code(const struct hs_block *b)
{
	return b->kind == HS_KIND_BLOCK || b->kind == HS_KIND_PATH;
}

/* Keep an event, if it is a trap, or comes between one and its handler. */
static bool hold_event(struct hs_listing *l, const struct hs_block *b)
{
	const bool waits = b->kind == HS_KIND_TRAP && l->format->event;

	if (is_code(b) || (!waits && !l->held.n) || l->held.n == LISTING_HELD ||
	    hs_event_breaks(b) || b->kind == HS_KIND_HART)
		return false;
	l->held.items[l->held.n++] = *b;
	return true;
}

static enum hs_status list_item(struct hs_listing *l, const struct hs_block *b)
{
	enum hs_status s = HS_OK;

	if (hold_event(l, b))
		return HS_OK;
	if (l->held.n)
		s = release_events(l, is_code(b) ? b->priv : HS_PRIV_UNKNOWN);
	if (s != HS_OK)
		return s;
	if (b->kind == HS_KIND_PATH)
		return list_path(l, b);
	return b->kind == HS_KIND_BLOCK ? list_block(l, b) : list_event(l, b);
}

/* Count blocks that are before what is listed, as list_item() would: how many there are until one
 * is not, or may need more than counting. */
static size_t skip_blocks(struct hs_listing *l, const struct hs_block *blocks, size_t n)
{
	uint64_t seen = l->seen;
	uint32_t count;
	size_t i = 0;

	if (seen >= l->o.skip || listing_selects(l) || l->data.n || l->held.n)
		return 0;
	for (; i < n; i++) {
		const struct hs_block *b = &blocks[i];

		if (b->kind != HS_KIND_BLOCK || hs_itype_is_trap(b->itype) ||
		    program_count_block(&l->counts, &l->select, b, &count) != HS_OK || !count ||
		    count > l->o.skip - seen)
			break;
		seen += count;
	}
	if (i) {
		l->seen = seen;
		l->last.itype = blocks[i - 1].itype;
		l->last.priv = blocks[i - 1].priv;
		l->when.timed = false;
	}
	return i;
}

enum hs_status listing_add_items(struct hs_listing *l, const struct hs_block *blocks, size_t n)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < n && s == HS_OK; i++) {
		i += skip_blocks(l, blocks + i, n - i);
		if (i == n)
			break;
		if (l->o.limit && l->listed >= l->o.limit)
			return HS_END;
		s = listing_room(l, LINE_MAX_);
		if (s != HS_OK)
			return s;
		s = list_item(l, &blocks[i]);
	}
	return s;
}

enum hs_status listing_end_items(struct hs_listing *l)
{
	enum hs_status s = release_events(l, HS_PRIV_UNKNOWN);

	if (s == HS_OK)
		s = listing_data_flush(l);
	return s == HS_OK ? listing_room(l, LINE_MAX_) : s;
}
