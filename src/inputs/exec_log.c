/* A reader of execution logs: lines from pieces of text, and blocks out. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "inputs/log_private.h"

/* ---- beginning and end -------------------------------------------------------------------- */

static void prepare(struct hs_exec_log *l, const struct hs_exec_log_options *o)
{
	l->format = (enum log_format)(o->format - hs_log_get_format(0));
	l->flags = o->format->flags;
	if (o->program)
		l->isa = o->program->isa;
	if (o->xlen)
		l->isa.xlen = o->xlen;
	else if (!o->program || !o->program->count)
		l->isa.xlen = l->flags & HS_LOG_RV32 ? 32 : 64;
	import_patterns_init(&l->patterns, l->format);
	l->patterns.skip_unknown = o->skip_unknown;
	l->columns.format = l->format;
	log_code_init(&l->code, o->program);
	l->blocks.item_size = sizeof(struct log_block);
	l->stats.xlen = l->isa.xlen;
}

enum hs_status hs_exec_log_new(const struct hs_exec_log_options *options, struct hs_exec_log **log,
                               struct hs_error *error)
{
	struct hs_exec_log_options o = { .size = sizeof(o) };
	struct hs_exec_log *l;

	if (base_take_config(&o, sizeof(o), options) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "struct hs_exec_log_options: wrong size");
	if (!o.format || o.format < hs_log_get_format(0) ||
	    o.format >= hs_log_get_format(0) + LOG_FORMATS ||
	    (o.xlen != 0 && o.xlen != 32 && o.xlen != 64))
		return hs_error_set(error, HS_E_CONFIG,
		                    "a log needs a format, and an XLEN of 32 or 64");
	if (o.format->flags & HS_LOG_PROGRAM && (!o.program || !o.program->count))
		return hs_error_set(error, HS_E_NOCODE,
		                    "a log of %s has no opcodes: give the program (--elf)",
		                    o.format->name);
	l = calloc(1, sizeof(*l));
	if (!l)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	prepare(l, &o);
	*log = l;
	return HS_OK;
}

void hs_exec_log_free(struct hs_exec_log *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->hart_count; i++)
		free(l->harts[i]);
	free(l->harts);
	free(l->out.at);
	log_code_free(&l->code);
	log_qemu_free(l);
	free(l);
}

void hs_exec_log_get_stats(const struct hs_exec_log *l, struct hs_exec_log_stats *out)
{
	*out = l->stats;
	out->harts = l->hart_count;
	out->changes = l->code.stats.changes;
}

/* ---- lines -------------------------------------------------------------------------------- */

/* A line is lost, and what it said with it. */
static void lose(struct hs_exec_log *l, const struct log_fields *f, enum hs_status why)
{
	struct log_hart *h = l->current;

	if (f && (log_has(f, F_HART) || log_has(f, F_CPU)))
		h = log_hart_of(l, log_hart_id(f));
	if (h)
		log_gap(l, h, why);
}

enum hs_status log_refuse_hart(const struct hs_exec_log *l, struct hs_error *e)
{
	return hs_error_set(e, HS_E_UNSUPPORTED,
	                    "line %llu: more than %d harts, or a number of 2^32 or more",
	                    (unsigned long long)l->stats.lines, LOG_HARTS);
}

static enum hs_status take_match(struct hs_exec_log *l, enum log_match m, enum log_action action,
                                 const struct log_fields *f, struct hs_error *e)
{
	enum hs_status s;

	if (m == LOG_NO)
		return HS_OK;
	s = l->columns.count ? log_column_take(l, f, e) : log_take(l, action, f, e);
	if (s == HS_E_UNSUPPORTED)
		return log_refuse_hart(l, e);
	if (s == HS_E_FORMAT || (s == HS_E_NOCODE && l->format != LOG_QEMU))
		lose(l, f, s);
	return s;
}

static enum hs_status take_pattern_line(struct hs_exec_log *l, struct hs_error *e)
{
	struct log_refusal why = { 0 };
	struct log_fields f;
	enum log_action action;
	struct base_text rest = l->line;
	const enum log_match m = import_patterns_match(&l->patterns, &l->line, &action, &f, &why);

	base_text_skip_blanks(&rest);
	if (rest.p == rest.end) {
		if (l->format == LOG_QEMU)
			log_qemu_blank(l);
		return HS_OK;
	}
	if (m == LOG_BAD) {
		lose(l, &f, HS_E_FORMAT);
		return log_refuse(l, &why, HS_E_FORMAT, e);
	}
	if (m == LOG_NO && l->flags & HS_LOG_MIXED) {
		l->stats.ignored++;
		return HS_OK;
	}
	if (m == LOG_NO) {
		lose(l, NULL, HS_E_FORMAT);
		return log_refuse_field(l, "a line of the format", e);
	}
	return take_match(l, m, action, &f, e);
}

static enum hs_status take_line(struct hs_exec_log *l, struct hs_error *e)
{
	struct log_refusal why = { 0 };
	struct log_fields f;
	enum log_match m;

	l->stats.lines++;
	import_trim_line(&l->line);
	if (l->carry.long_ && !l->patterns.count) { /* its end may say something, too */
		lose(l, NULL, HS_E_FORMAT);
		return log_refuse_field(l, "at most 4096 characters", e);
	}
	if (l->format == LOG_RVVI) {
		const enum hs_status s = log_rvvi_line(l, e);

		if (s == HS_E_FORMAT || s == HS_E_NOCODE)
			lose(l, NULL, s);
		return s;
	}
	if (l->patterns.count)
		return take_pattern_line(l, e);
	m = log_columns_match(&l->columns, &l->line, &f, &why);
	if (m == LOG_BAD) {
		const enum hs_status s = why.is_x ? HS_E_UNKNOWN : HS_E_FORMAT;

		lose(l, &f, s);
		return log_refuse(l, &why, s, e);
	}
	return take_match(l, m, LOG_RETIRED, &f, e);
}

/* Keep the beginning of a line; what is longer than LOG_LINE is dropped. */
static void carry(struct hs_exec_log *l, const uint8_t *p, size_t n)
{
	const size_t room = LOG_LINE - l->carry.n;

	memcpy(l->carry.text + l->carry.n, p, n < room ? n : room);
	l->carry.n += n < room ? n : room;
	l->carry.long_ |= n > room;
}

/* The next line of @in; false: it is not complete. */
static bool next_line(struct hs_exec_log *l, struct hs_span *in)
{
	const uint8_t *end = memchr(in->p, '\n', in->n);
	const size_t n = end ? (size_t)(end - in->p) : in->n;

	if (!end || l->carry.n)
		carry(l, in->p, n);
	if (end && l->carry.n)
		l->line = base_text_of(l->carry.text, l->carry.n);
	else if (end)
		l->line = base_text_of((const char *)in->p, n < LOG_LINE ? n : LOG_LINE);
	l->carry.long_ |= n > LOG_LINE;
	in->p += end ? n + 1 : n;
	in->n -= end ? n + 1 : n;
	l->place.next_offset += end ? n + 1 : n;
	return end != NULL;
}

static void end_line(struct hs_exec_log *l)
{
	l->carry.n = 0;
	l->carry.long_ = false;
	l->place.offset = l->place.next_offset;
}

/* ---- blocks ------------------------------------------------------------------------------- */

/* Move blocks that wait to @out.  HS_FULL: more of them wait. */
static enum hs_status give(struct hs_exec_log *l, struct hs_blocks *out)
{
	const size_t room = out->cap - out->n, left = l->out.n - l->out.taken;
	const size_t n = left < room ? left : room;

	if (n)
		memcpy(out->at + out->n, l->out.at + l->out.taken, n * sizeof(*out->at));
	out->n += n;
	l->out.taken += n;
	if (l->out.taken < l->out.n)
		return HS_FULL;
	l->out.n = l->out.taken = 0;
	return HS_OK;
}

static enum hs_status check(const struct hs_exec_log *l, enum hs_status s, struct hs_error *e)
{
	return l->no_memory ? hs_error_set(e, HS_E_MEMORY, "out of memory") : s;
}

enum hs_status hs_exec_log_feed(struct hs_exec_log *l, struct hs_span *in, struct hs_blocks *out,
                                struct hs_error *error)
{
	enum hs_status s = HS_OK;

	if (out->cap < HS_BUILDER_ROOM || out->n > out->cap)
		return HS_E_SPACE;
	while (s == HS_OK && give(l, out) == HS_OK && out->n < out->cap) {
		if (l->repeat.left) {
			log_repeat(l);
			continue;
		}
		if (!in->n)
			return check(l, HS_MORE, error);
		if (log_is_binary(l, in)) {
			if (log_next_record(l, in, false))
				s = log_take_record(l, error);
			continue;
		}
		if (!next_line(l, in))
			continue;
		s = take_line(l, error);
		end_line(l);
	}
	return check(l, s == HS_OK ? HS_FULL : s, error);
}

static enum hs_status flush_hart(struct hs_exec_log *l, struct log_hart *h, struct hs_error *e)
{
	enum hs_status s = HS_OK;

	if (l->format == LOG_QEMU)
		s = log_qemu_finish(l, h, NULL, false, e);
	log_finish_trap(l, h);
	if (l->format == LOG_WHISPER) {
		log_end_whisper(l, h);
		log_finish_trap(l, h);
	}
	log_retire_pending(l, h);
	log_flush_hart(l, h);
	return s;
}

/* Records that were only collected, and one that is cut off. */
static enum hs_status end_binary(struct hs_exec_log *l, struct hs_error *e)
{
	struct hs_span none = { NULL, 0 };
	enum hs_status s = HS_OK;

	while (s == HS_OK && l->binary.form == LOG_RECORDS && log_next_record(l, &none, true))
		s = log_take_record(l, e);
	return s == HS_OK ? log_end_records(l, e) : s;
}

enum hs_status hs_exec_log_end(struct hs_exec_log *l, struct hs_blocks *out, struct hs_error *error)
{
	enum hs_status s = HS_OK;

	if (out->cap < HS_BUILDER_ROOM || out->n > out->cap)
		return HS_E_SPACE;
	s = end_binary(l, error);
	if (s != HS_OK)
		return check(l, s, error);
	if (l->carry.n) {
		l->line = base_text_of(l->carry.text, l->carry.n);
		s = take_line(l, error);
		end_line(l);
	}
	while (s == HS_OK && l->repeat.left) {
		log_repeat(l);
		if (give(l, out) == HS_FULL)
			return check(l, HS_FULL, error);
	}
	for (uint32_t i = 0; i < l->hart_count && s == HS_OK; i++)
		s = flush_hart(l, l->harts[i], error);
	if (s != HS_OK)
		return check(l, s, error);
	return check(l, give(l, out), error);
}
