/* A set of points: its list, and which of them a message hits. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode/points_private.h"
#include "ntrace/ntrace.h"
#include "support/grow.h"
#include "trace/trace.h"

/* ---- the list --------------------------------------------------------------------- */

struct point *points_put(struct points *p, const char *group, enum point_rule rule,
                         const char *clause, const char *format, ...)
{
	va_list args;

	if (!support_grow(&p->list, &p->room, p->n + 1, sizeof(*p->list))) {
		p->failed = true;
		return NULL;
	}
	struct point *q = &p->list[p->n++];

	*q = (struct point){ .group = group, .rule = rule };
	snprintf(q->clause, sizeof(q->clause), "%s", clause);
	va_start(args, format);
	vsnprintf(q->name, sizeof(q->name), format, args);
	va_end(args);
	for (char *c = q->name; *c; c++)
		if (*c == ' ' || *c == ',')
			*c = '-';
	return q;
}

static bool open_port(struct points *p, unsigned kind)
{
	(void)kind;
	return points_port(p);
}

/* Sets by name, and what they are made from. */
static const struct set {
	const char *name;
	bool (*open)(struct points *p, unsigned kind);
	unsigned kind; /* dialect of N-Trace, version of E-Trace */
} sets[POINT_SETS] = {
	{ "ntrace", points_ntrace, HS_NT_DIALECT_RC7 },
	{ "ntrace-sifive", points_ntrace, HS_NT_DIALECT_SIFIVE },
	{ "etrace", points_etrace, HS_ET_2_0 },
	{ "etrace-0.026", points_etrace, HS_ET_0_026 },
	{ "etrace-fast", points_etrace, HS_ET_FAST },
	{ "port", open_port, 0 },
};

const char *points_set(const struct hs_protocol *protocol, const void *config)
{
	struct hs_et_config et = { .size = sizeof(et) };

	if (hs_protocol_get_etrace(protocol, config, &et) == HS_OK)
		return et.version == HS_ET_FAST    ? "etrace-fast"
		       : et.version == HS_ET_0_026 ? "etrace-0.026"
		                                   : "etrace";
	if (hs_protocol_param(protocol, "dialect") == protocol->param_count)
		return "";
	const uint64_t dialect = hs_protocol_number(protocol, config, "dialect");
	const struct hs_nt_dialect *row = hs_nt_dialect_get((unsigned)dialect);

	return row && row->more ? "ntrace-sifive" : "ntrace";
}

enum hs_status points_open(struct points *p, const char *set)
{
	*p = (struct points){ .set = NULL };
	for (size_t i = 0; i < POINT_SETS; i++) {
		if (strcmp(sets[i].name, set) != 0)
			continue;
		p->set = sets[i].name;
		if (sets[i].open(p, sets[i].kind))
			return HS_OK;
		points_close(p);
		return HS_E_MEMORY;
	}
	return HS_E_FIELD;
}

void points_close(struct points *p)
{
	free(p->list);
	free(p->past);
	p->list = NULL;
	p->past = NULL;
}

static uint8_t width_or(uint64_t width, uint8_t usual)
{
	return width ? (uint8_t)width : usual;
}

void points_begin(struct points *p, const struct hs_protocol *protocol, const void *config)
{
	p->etrace = (struct hs_et_config){ .size = sizeof(p->etrace) };
	if (hs_protocol_get_etrace(protocol, config, &p->etrace) == HS_OK) {
		points_etrace_widths(p);
	} else {
		p->icnt_bits = width_or(hs_protocol_number(protocol, config, "icntBits"), 22);
		p->hist_bits = width_or(hs_protocol_number(protocol, config, "histBits"), 31);
		p->repeat_bits = width_or(hs_protocol_number(protocol, config, "hrepeatBits"), 18);
		p->xlen = width_or(hs_protocol_number(protocol, config, "xlen"), 64);
	}
	p->stream = (struct point_stream){ 0 };
	p->past_count = 0;
	p->traces++;
}

/* ---- messages --------------------------------------------------------------------- */

bool points_field(const struct hs_message *m, const char *name, uint64_t *value)
{
	for (unsigned i = 0; i < m->count; i++) {
		if (strcmp(m->field[i].name, name) != 0)
			continue;
		*value = m->field[i].value;
		return true;
	}
	return false;
}

/* The same by the name that the protocol's tables have, which the message has from there. */
static bool own_field(const struct hs_message *m, const char *name, uint64_t *value)
{
	for (unsigned i = 0; i < m->count; i++) {
		if (m->field[i].name != name)
			continue;
		*value = m->field[i].value;
		return true;
	}
	return false;
}

static bool is_at_limit(const struct points *p, const struct point *q, const struct hs_message *m,
                        uint64_t value)
{
	const unsigned bits = strncmp(p->set, "ntrace", 6) == 0 ? points_ntrace_bits(p, q, m)
	                                                        : points_etrace_bits(p, q, m);

	if (!bits || bits > 64)
		return false;
	if (q->rule == POINT_WIDTH)
		return value >> (bits - 1) & 1;
	return value == UINT64_MAX >> (64 - bits);
}

static bool is_cause(const struct point *q, const struct hs_message *m, uint64_t cause)
{
	uint64_t interrupt;

	return points_field(m, "interrupt", &interrupt) && interrupt == q->bits &&
	       cause == q->value;
}

static bool is_hit(const struct points *p, const struct point *q, const struct point_past *past,
                   const struct hs_message *m)
{
	uint64_t value = 0;

	if (q->rule == POINT_CORNER)
		return q->corner(&p->stream, past, m);
	if (q->rule != POINT_VALUE && q->rule != POINT_CAUSE &&
	    (q->code != m->code || (q->message && strcmp(q->message, m->name) != 0)))
		return false;
	const bool has = q->field && own_field(m, q->field, &value);

	switch (q->rule) {
	case POINT_MESSAGE:
		return true;
	case POINT_PRESENT:
		return has;
	case POINT_ABSENT:
		return !has;
	case POINT_MIN:
		return has && value == q->value;
	case POINT_VALUE:
		return has && (value >> q->shift & ((1u << q->bits) - 1)) == q->value;
	case POINT_CAUSE:
		return has && is_cause(q, m, value);
	default:
		return has && is_at_limit(p, q, m, value);
	}
}

/* The past of a source; NULL: no memory. */
static struct point_past *past_of(struct points *p, uint32_t source)
{
	for (size_t i = 0; i < p->past_count; i++)
		if (p->past[i].source == source)
			return &p->past[i];
	struct point_past *past = realloc(p->past, (p->past_count + 1) * sizeof(*past));

	if (!past)
		return NULL;
	p->past = past;
	past[p->past_count] = (struct point_past){ .source = source };
	return &past[p->past_count++];
}

bool points_add(struct points *p, const struct hs_message *m)
{
	struct point_past *past = past_of(p, m->has_source ? m->source : 0);

	if (!past)
		return false;
	for (size_t i = 0; i < p->n; i++)
		p->list[i].hits += is_hit(p, &p->list[i], past, m);
	past->before = past->count ? past->last.code : 0;
	past->last = *m;
	past->count++;
	p->stream = (struct point_stream){ m->offset + m->length, m->source, true };
	p->messages++;
	return true;
}

size_t points_hit(const struct points *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += p->list[i].hits != 0;
	return n;
}
