/* Listings: what their formats share. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "listing/private.h"

static const struct listing_format *const formats[] = {
	[HS_LISTING_TEXT] = &listing_text,
	[HS_LISTING_PC] = &listing_pc,
	[HS_LISTING_JSON] = &listing_json,
	[HS_LISTING_LINES] = &listing_lines,
};

static unsigned digits(uint64_t v)
{
	unsigned n = 1;

	while (v >>= 4)
		n++;
	return n;
}

/* The column of addresses is as wide as the longest one. */
static void widen_column(struct hs_listing *l, struct hs_program *program)
{
	const struct hs_image *image = hs_program_image(program);

	for (size_t i = 0; i < image->count; i++) {
		const unsigned n = digits(image->sections[i].start + (image->sections[i].size - 1));

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

enum hs_status hs_listing_new(const struct hs_listing_options *options,
                              struct hs_listing **listing)
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
	listing_team_free(l);
	program_select_end(&l->select);
	free(l->out);
	free(l->data);
	support_hash_free(&l->insns);
	program_counts_free(&l->counts);
	listing_texts_free(&l->texts);
	free(l);
}

const struct listing_format *listing_format_of(const struct hs_listing *l)
{
	return formats[l->o.format];
}

enum hs_status listing_flush(struct hs_listing *l)
{
	const size_t n = l->out_n;

	l->out_n = 0;
	l->flushed += n;
	return !n || l->o.write(l->o.context, l->out, n) ? HS_OK : HS_E_SYSTEM;
}

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

void listing_put_hex(struct hs_listing *l, uint64_t v)
{
	char text[24] = "0x";

	*listing_hex(text + 2, v) = '\0';
	listing_say(l, text);
}

void listing_fill(struct hs_listing *l, size_t from, size_t width)
{
	while (l->out_n - from < width && l->out_n < OUT_SIZE - 1)
		l->out[l->out_n++] = ' ';
}

static bool is_wanted(struct hs_listing *l, const struct listed_insn *i)
{
	if (!i->wanted)
		return false;
	return l->seen++ >= l->o.skip;
}

static enum hs_status report_missing(struct hs_listing *l, uint64_t addr)
{
	l->unmapped++;
	if (formats[l->o.format]->missing && l->seen >= l->o.skip)
		formats[l->o.format]->missing(l, addr);
	return HS_OK;
}

/* What was skipped says in which context the listing begins. */
static enum hs_status list_context(struct hs_listing *l)
{
	const struct listing_format *f = formats[l->o.format];
	const struct hs_block event = { .value = l->select.at.context, .kind = HS_KIND_CONTEXT,
		                        .arg = PROGRAM_SCONTEXT,
		                        .priv = l->priv & 7u };

	if (!f->event || l->o.function || !l->select.at.has_context)
		return HS_OK;
	f->event(l, &event);
	return listing_room(l, LINE_MAX_);
}

void listing_put(struct hs_listing *l, const struct listed_insn *i, const struct hs_block *last,
                 const struct hs_access *data)
{
	const struct listing_format *f = listing_format_of(l);

	if (f->header && i->header != l->header) {
		const size_t n = l->out_n;

		l->header = i->header;
		f->header(l, i);
		if (listing_is_seam(l)) {
			const size_t header_n = l->out_n - n;

			l->out_n = n;
			listing_note_seam(l, header_n, i->header);
			l->out_n += header_n;
		}
	}
	f->insn(l, i, last, data);
}

void listing_note_seam(struct hs_listing *l, size_t n, uint32_t header)
{
	*l->seam = (struct listing_seam){ .any = true,
		                          .at = l->flushed + l->out_n,
		                          .n = n,
		                          .header = listing_header_at(l, header) };
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
		const struct hs_access *data = l->data_n ? listing_data_of(l, i) : NULL;

		if (!is_wanted(l, i))
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
	const struct listing_format *f = formats[l->o.format];
	struct hs_block e = *b;
	enum hs_status s;

	if (b->kind == HS_KIND_TIME) {
		l->time = b->value;
		l->timed = b->itype == HS_CLOCK_TIME;
		if (l->timed)
			return HS_OK;
	}
	if (b->kind == HS_KIND_DATA || b->kind == HS_KIND_VALUE)
		return f->stray ? listing_data_add(l, b) : HS_OK;
	if (l->data_n && (b->kind == HS_KIND_GAP || b->kind == HS_KIND_STOP)) {
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

	l->lone_trap = b->itype != HS_ITYPE_NONE;
	/* Its block says which kind of trap it is, if it has one (block.h). */
	if (e.kind == HS_KIND_TRAP && e.itype == HS_ITYPE_NONE)
		e.itype = l->itype;
	if (f->event && !l->o.function && l->seen >= l->o.skip && !is_silent(b))
		f->event(l, &e);
	l->o.program = l->select.program;
	return s;
}

/* Is all of a block before what is listed?  Then it is counted. */
static bool skip_block(struct hs_listing *l, const struct hs_block *b)
{
	uint32_t n;

	if (l->seen >= l->o.skip || l->o.function || l->data_n ||
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
	return !l->o.function && !l->first_item && l->data_at == l->data_n &&
	       l->seen >= l->o.skip && (l->listed || !l->o.skip);
}

void listing_follow_block(struct hs_listing *l, const struct hs_block *b)
{
	struct hs_block last = *b;

	l->itype = b->itype;
	l->priv = b->priv;
	if (!hs_itype_is_trap(b->itype))
		return;
	if (b->itype == HS_ITYPE_EXCEPTION) /* an ecall may have retired (ADR-0066) */
		hs_block_drop_ecall(program_select_image(&l->select), &last);
	l->epc = hs_block_end(&last);
}

enum hs_status listing_block(struct hs_listing *l, const struct hs_block *b)
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
	l->timed = false;
	return s;
}

/* The blocks of a run, one by one where texts are not kept as they are. */
static enum hs_status list_run(struct hs_listing *l, const struct hs_block *run)
{
	enum hs_status s = HS_OK;

	if (!run->ilast)
		listing_forget_runs(l);
	if (run->ilast && is_plain(l) && !l->o.limit && !l->timed && !l->select.view)
		return listing_kept_run(l, run);
	for (unsigned i = 0; i < run->ilast && s == HS_OK; i++) {
		const struct hs_block b = listing_block_of(run, i);

		s = listing_room(l, LINE_MAX_);
		if (s == HS_OK)
			s = listing_block(l, &b);
	}
	return s;
}

/* What waits for the mode @to of a trap's handler. */
static enum hs_status release_events(struct hs_listing *l, uint8_t to)
{
	const unsigned n = l->held_n;
	enum hs_status s = HS_OK;

	l->held_n = 0;
	l->trap_to = to;
	for (unsigned i = 0; i < n && s == HS_OK; i++) {
		s = list_event(l, &l->held[i]);
		if (s == HS_OK)
			s = listing_room(l, LINE_MAX_);
	}
	return s;
}

static bool is_code(const struct hs_block *b)
{
	return b->kind == HS_KIND_BLOCK || b->kind == HS_KIND_RUN;
}

/* Keep an event, if it is a trap, or comes between one and its handler. */
static bool hold_event(struct hs_listing *l, const struct hs_block *b)
{
	const bool waits = b->kind == HS_KIND_TRAP && listing_format_of(l)->event;

	if (is_code(b) || (!waits && !l->held_n) || l->held_n == LISTING_HELD ||
	    hs_event_breaks(b) || b->kind == HS_KIND_HART)
		return false;
	l->held[l->held_n++] = *b;
	return true;
}

static enum hs_status list_item(struct hs_listing *l, const struct hs_block *b)
{
	enum hs_status s = HS_OK;

	if (hold_event(l, b))
		return HS_OK;
	if (l->held_n)
		s = release_events(l, is_code(b) ? b->priv : HS_PRIV_UNKNOWN);
	if (s != HS_OK)
		return s;
	if (b->kind == HS_KIND_RUN)
		return list_run(l, b);
	return b->kind == HS_KIND_BLOCK ? listing_block(l, b) : list_event(l, b);
}

static void name_context(const struct hs_listing *l, const struct hs_block *b, char *text,
                         size_t size)
{
	const struct hs_guest_task *task = l->task;

	hs_event_text(b, text, size);
	const size_t n = strlen(text);

	if (task && task->name && task->pid)
		snprintf(text + n, size - n, ": %.100s (pid %u)", task->name, task->pid);
	else if (task && task->name)
		snprintf(text + n, size - n, ": %.100s", task->name);
}

/* A trap: also where it struck, and the modes from and to. */
static void name_trap(const struct hs_listing *l, const struct hs_block *b, char *text, size_t size)
{
	static const char *const modes[8] = { "U", "S", "D", "M", "VU", "VS", "?", "?" };

	hs_event_text(b, text, size);
	if (l->lone_trap)
		return;
	size_t n = strlen(text);

	n += (size_t)snprintf(text + n, size - n, ", epc 0x%llx", (unsigned long long)l->epc);
	if (n < size && (l->priv != HS_PRIV_UNKNOWN || l->trap_to != HS_PRIV_UNKNOWN))
		snprintf(text + n, size - n, ", %s -> %s", modes[l->priv & 7u],
		         modes[l->trap_to & 7u]);
}

void listing_event_text(const struct hs_listing *l, const struct hs_block *b, char *text,
                        size_t size)
{
	char time[LISTING_TIME_SIZE];

	if (b->kind == HS_KIND_TRAP) {
		name_trap(l, b, text, size);
		return;
	}
	if (b->kind == HS_KIND_CONTEXT && b->arg == PROGRAM_SCONTEXT && l->o.guest) {
		name_context(l, b, text, size);
		return;
	}
	if (b->kind != HS_KIND_TIME || !l->o.clock_hz) {
		hs_event_text(b, text, size);
		return;
	}
	listing_time(l, time);
	snprintf(text, size, "time %s s", time);
}

void listing_time(const struct hs_listing *l, char text[LISTING_TIME_SIZE])
{
	const uint64_t hz = l->o.clock_hz;

	if (!hz) {
		snprintf(text, LISTING_TIME_SIZE, "%llu", (unsigned long long)l->time);
		return;
	}
	const double rest = (double)(l->time % hz) * 1e9 / (double)hz;

	snprintf(text, LISTING_TIME_SIZE, "%llu.%09llu", (unsigned long long)(l->time / hz),
	         rest < 1e9 ? (unsigned long long)rest : 999999999u);
}

/* Count blocks that are before what is listed, as list_item() would: how many there are until one
 * is not, or may need more than counting. */
static size_t skip_blocks(struct hs_listing *l, const struct hs_block *blocks, size_t n)
{
	uint64_t seen = l->seen;
	uint32_t count;
	size_t i = 0;

	if (seen >= l->o.skip || l->o.function || l->data_n || l->held_n)
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
		l->itype = blocks[i - 1].itype;
		l->priv = blocks[i - 1].priv;
		l->timed = false;
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

enum hs_status hs_listing_add(struct hs_listing *l, const struct hs_block *blocks, size_t n)
{
	return l->o.threads > 1 ? listing_team_add(l, blocks, n) : listing_add_items(l, blocks, n);
}

enum hs_status hs_listing_end(struct hs_listing *l)
{
	enum hs_status s = listing_team_drain(l);

	if (s == HS_OK)
		s = release_events(l, HS_PRIV_UNKNOWN);
	if (s == HS_OK)
		s = listing_data_flush(l);
	if (s == HS_OK)
		s = listing_room(l, LINE_MAX_);
	if (s == HS_OK) {
		if (formats[l->o.format]->end)
			formats[l->o.format]->end(l);
		s = listing_flush(l);
	}
	return s;
}

uint64_t hs_listing_count(const struct hs_listing *l)
{
	return l->seen;
}

uint64_t hs_listing_unmapped(const struct hs_listing *l)
{
	return l->unmapped;
}
