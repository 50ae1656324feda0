/* Parameters that are refused together: which have to change, and what each may be instead.
 *
 * The check of a protocol says yes or no.  Asking it again with other values of one parameter gives
 * the legal ones, with all others as they are, for each parameter of the table alike. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/params_private.h"
#include "trace/trace.h"

#define ALL_TRIED 255u /* up to here each value of a parameter is tried, then powers of two */
#define ENOUGH 4u      /* parameters that are named, of those that could change */

struct faults {
	const struct hs_protocol *p;
	void *defaults; /* those that follow the leading parameters of the config */
	uint8_t *spare; /* room for a config */
	bool *differs;  /* by number of parameter: it has to change with others */
	unsigned named;
	char *text;
	size_t n, size; /* of the text, and of what it may be */
	bool full;      /* something did not fit; it, and all after it, is left out */
};

static void say(struct faults *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct faults *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	const int n = vsnprintf(f->text + f->n, f->size - f->n, format, args);

	va_end(args);
	f->full |= (size_t)n >= f->size - f->n;
	if (!f->full)
		f->n += (size_t)n;
	f->text[f->n] = '\0';
}

static bool leads(const struct hs_protocol *p, unsigned i)
{
	return params_listed(p->leading, p->params[i].name);
}

static void copy_value(const struct hs_protocol *p, void *to, const void *from, unsigned i)
{
	protocol_put_number(&p->params[i], to, hs_protocol_get(p, from, i));
}

static bool is_set(const struct faults *f, const void *config, unsigned i)
{
	return hs_protocol_get(f->p, config, i) != hs_protocol_get(f->p, f->defaults, i);
}

/* The defaults where the leading parameters are those of @config, but number @i is @value. */
static void follow(const struct hs_protocol *p, void *defaults, const void *config, unsigned i,
                   uint64_t value)
{
	hs_protocol_defaults(p, defaults);
	for (unsigned turn = 0; turn < 2; turn++) { /* they may set each other */
		for (unsigned k = 0; k < p->param_count; k++)
			if (leads(p, k))
				copy_value(p, defaults, config, k);
		if (i < p->param_count)
			protocol_put_number(&p->params[i], defaults, value);
		if (turn == 0)
			p->codec->defaults(defaults, CODEC_FOLLOWING);
	}
}

/* Is @config good with another value of parameter @i, and of those that follow it? */
static bool is_good(struct faults *f, const void *config, unsigned i, uint64_t value)
{
	memcpy(f->spare, config, f->p->config_size);
	if (leads(f->p, i)) {
		follow(f->p, f->spare, config, i, value);
		for (unsigned k = 0; k < f->p->param_count; k++)
			if (!leads(f->p, k) && is_set(f, config, k))
				copy_value(f->p, f->spare, config, k);
	}
	protocol_put_number(&f->p->params[i], f->spare, value);
	return hs_protocol_check(f->p, f->spare, NULL) == HS_OK;
}

/* The value of parameter @i that is tried after @v, 0 to its largest; false: there is none. */
static bool next_value(const struct faults *f, unsigned i, uint64_t *v)
{
	const uint64_t max = f->p->params[i].max;

	if (*v >= max)
		return false;
	if (*v < ALL_TRIED || (*v & (*v + 1)) == 0)
		++*v;
	else
		*v = *v > UINT64_MAX / 2 ? UINT64_MAX : 2 * *v - 1;
	*v = *v < max ? *v : max;
	return true;
}

static void value_text(const struct faults *f, unsigned i, uint64_t value, char text[64])
{
	hs_protocol_value_text(&f->p->params[i], value, text, 64);
}

/* @from to @to are legal for parameter @i: each by its word, where it has some. */
static void say_range(struct faults *f, unsigned i, uint64_t from, uint64_t to, bool first)
{
	char text[64];

	value_text(f, i, from, text);
	say(f, "%s%s", first ? "" : ", ", text);
	if (to <= from + 1 || text[strspn(text, "0123456789")]) {
		if (to > from)
			say_range(f, i, from + 1, to, false);
		return;
	}
	value_text(f, i, to, text);
	say(f, " to %s", text);
}

/* The legal values of parameter @i, with the others as @config has them.  @return: some. */
static bool say_legal(struct faults *f, const void *config, unsigned i)
{
	uint64_t v = 0, from = 0, last = 0;
	bool inside = false, any = false, more = true;

	for (; more; more = next_value(f, i, &v)) {
		const bool good = is_good(f, config, i, v);

		if (inside && !good) {
			say_range(f, i, from, last, !any);
			any = true;
		}
		from = good && !inside ? v : from;
		inside = good;
		last = v;
	}
	if (inside)
		say_range(f, i, from, last, !any);
	return any || inside;
}

/* The default of a list, or one past all numbers, such as the word "dialect". */
static bool say_default(struct faults *f, const void *config, unsigned i, bool first)
{
	const uint64_t value = hs_protocol_get(f->p, f->defaults, i);

	if (!is_good(f, config, i, value))
		return false;
	say_range(f, i, value, value, first);
	return true;
}

static bool say_values(struct faults *f, const void *config, unsigned i)
{
	const struct hs_param *param = &f->p->params[i];
	const bool any = !param->list && say_legal(f, config, i);

	if (!param->list && hs_protocol_get(f->p, f->defaults, i) <= param->max)
		return any;
	return say_default(f, config, i, !any) || any;
}

/* What parameter @i is, and what it may be; nothing where no value of it makes @config good.
 * @config has the others.  @between: before it, unless it is the first. */
static void say_parameter(struct faults *f, const void *config, unsigned i, const char *between)
{
	const size_t before = f->n;
	char value[64];

	value_text(f, i, hs_protocol_get(f->p, config, i), value);
	say(f, "%s%s=%s (legal: ", f->named ? between : "", f->p->params[i].name, value);
	const bool any = say_values(f, config, i);

	say(f, ")");
	if (!any || f->full)
		f->n = before;
	f->named += f->n > before;
	f->text[f->n] = '\0';
}

/* Each parameter that would do if it alone changed: first those that were set, then those that
 * could be.  A leading one that was not set would change the defaults of others. */
static void say_single(struct faults *f, const void *config)
{
	const unsigned count = f->p->param_count;

	for (unsigned i = 0; i < 2 * count && f->named < ENOUGH; i++) {
		const struct hs_param *param = &f->p->params[i % count];
		const bool set = is_set(f, config, i % count);
		const bool can = !param->list && param->max <= ALL_TRIED && !leads(f->p, i % count);

		if (set == (i < count) && (set || can))
			say_parameter(f, config, i % count, " or ");
	}
}

/* Give @good the value that @config has of parameter @i, if it stays good. */
static bool keeps(struct faults *f, const void *config, void *good, unsigned i)
{
	if (!is_good(f, good, i, hs_protocol_get(f->p, config, i)))
		return false;
	memcpy(good, f->spare, f->p->config_size);
	return true;
}

/* Give @good, the defaults, as much as it takes of @config.  One parameter may need another one, so
 * that what was refused is tried again.  @leading: those that decide the meaning of others. */
static void keep_good(struct faults *f, const void *config, void *good, bool leading)
{
	bool more = true;

	while (more) {
		more = false;
		for (unsigned i = 0; i < f->p->param_count; i++)
			if (f->differs[i] && leading == leads(f->p, i) &&
			    keeps(f, config, good, i)) {
				f->differs[i] = false;
				more = true;
			}
	}
}

/* Several have to change: those without which the others are good. */
static void say_several(struct faults *f, const void *config, void *good, void *one)
{
	memcpy(good, f->defaults, f->p->config_size);
	if (hs_protocol_check(f->p, good, NULL) != HS_OK) {
		hs_protocol_defaults(f->p, good);
		memcpy(f->defaults, good, f->p->config_size);
	}
	for (unsigned i = 0; i < f->p->param_count; i++)
		f->differs[i] = is_set(f, config, i);
	keep_good(f, config, good, true);
	keep_good(f, config, good, false);
	for (unsigned i = 0; i < f->p->param_count; i++) {
		if (!f->differs[i])
			continue;
		memcpy(one, good, f->p->config_size);
		copy_value(f->p, one, config, i);
		say_parameter(f, one, i, " and ");
	}
}

void params_say_faults(const struct hs_trace_params *params, char *text, size_t size)
{
	const struct hs_protocol *p = params->protocol;
	const size_t bytes = p->config_size;
	uint8_t *room = calloc(4, bytes);
	bool *differs = calloc(p->param_count, sizeof(*differs));
	struct faults f = {
		.p = p, .defaults = room, .differs = differs, .text = text, .size = size
	};

	*text = '\0';
	if (room && differs) {
		f.spare = room + bytes;
		follow(p, room, params->config, p->param_count, 0);
		say_single(&f, params->config);
		if (!f.named)
			say_several(&f, params->config, room + 2 * bytes, room + 3 * bytes);
	}
	free(differs);
	free(room);
}
