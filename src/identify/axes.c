/* Values of parameters, tried one after the other or with each other. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "identify/private.h"

#define ROUNDS 3
#define RETURN_SIZES 8

static const struct axis {
	enum identify_protocol of;
	uint16_t at; /* in struct identify_config */
	uint8_t count;
	uint8_t values[40];
	const char *name; /* of the member */
} axes[] = {
#define V(...) \
	sizeof((uint8_t[]){ __VA_ARGS__ }), \
	{ \
		__VA_ARGS__ \
	}
#define IS_nt IDENTIFY_NTRACE
#define IS_et IDENTIFY_ETRACE
#define HS_IDENTIFY_AXIS(id, protocol, member, ...) \
	{ IS_##protocol, offsetof(struct identify_config, protocol.member), __VA_ARGS__, #member },
#include "identify/identify.def"
#undef V
};

static uint8_t *value_of(const struct axis *a, struct identify_config *c)
{
	return (uint8_t *)c + a->at;
}

static struct hs_span beginning(const struct identify_search *s, size_t most)
{
	return (struct hs_span){ s->bytes.p, s->bytes.n < most ? s->bytes.n : most };
}

static void follow(struct identify_search *s, struct identify_guess *g, size_t most,
                   const struct identify_fit *beat)
{
	const struct hs_span bytes = beginning(s, most + g->skip);

	if (s->strict)
		identify_follow_strictly(s->code, &bytes, g, beat);
	else
		identify_follow(s->code, &bytes, g, beat);
}

bool identify_try(struct identify_search *s, struct identify_guess *g,
                  const struct identify_config *config, size_t most)
{
	struct identify_guess other = *g;

	if (s->code->work > s->end)
		return false;
	other.config = *config;
	follow(s, &other, most, &g->fit);
	if (!identify_better(&other.fit, &g->fit))
		return false;
	*g = other;
	return true;
}

static void try_axes(struct identify_search *s, struct identify_guess *g, struct identify_config *c,
                     const enum identify_axis *list, unsigned n, size_t most)
{
	if (n == 0) {
		identify_try(s, g, c, most);
		return;
	}
	const struct axis *a = &axes[*list];
	const uint8_t before = *value_of(a, c);

	for (unsigned i = 0; i < a->count && !identify_is_whole(&g->fit); i++) {
		*value_of(a, c) = a->values[i];
		try_axes(s, g, c, list + 1, n - 1, most);
	}
	*value_of(a, c) = before;
}

void identify_product(struct identify_search *s, struct identify_guess *g,
                      const enum identify_axis *list, unsigned n, size_t most,
                      const struct identify_fit *bar)
{
	struct identify_config c = g->config;

	follow(s, g, most, bar);
	if (bar && identify_better(bar, &g->fit))
		g->fit = *bar;
	try_axes(s, g, &c, list, n, most);
}

void identify_descend(struct identify_search *s, struct identify_guess *g, size_t most)
{
	bool better = true;

	follow(s, g, most, NULL);
	for (unsigned round = 0; round < ROUNDS && better && !identify_is_whole(&g->fit); round++) {
		better = false;
		for (unsigned i = 0; i < IDENTIFY_AXES && !identify_is_whole(&g->fit); i++) {
			const struct axis *a = &axes[i];
			struct identify_config c = g->config;

			for (unsigned k = 0; k < a->count; k++) {
				*value_of(a, &c) = a->values[k];
				if (a->of == g->config.is &&
				    *value_of(a, &c) != *value_of(a, &g->config))
					better |= identify_try(s, g, &c, most);
			}
		}
	}
}

bool identify_same_flow(const struct identify_fit *a, const struct identify_fit *b)
{
	return a->explained == b->explained && a->contradicted == b->contradicted &&
	       a->flow == b->flow;
}

/* The first value of an axis is its default, or as good; a width of addresses has that of the
 * program's harts. */
static uint8_t default_of(const struct identify_search *s, const struct identify_guess *g,
                          enum identify_axis axis)
{
	if (axis == IDENTIFY_CONTEXT_MARK && g->config.et.version == HS_ET_0_026)
		return 1; /* what encode does */
	if (axis == IDENTIFY_ADDRESS_WIDTH && s->code->image->isa.xlen == 32)
		return 32;
	return axes[axis].values[0];
}

/* Is there nothing to ask about the parameter, which is the other protocol's, or was shown?  Data
 * trace changes no flow, but nobody who is sure skips what was not announced (design/resync). */
static bool is_settled(const struct identify_guess *g, unsigned axis)
{
	return axes[axis].of != g->config.is ||
	       (axis == IDENTIFY_DATA_TRACE && g->config.et.data_trace) ||
	       (axis == IDENTIFY_CAUSE && g->cause && g->cause == g->config.et.ecause_width);
}

void identify_prune(struct identify_search *s, struct identify_guess *g, size_t most)
{
	follow(s, g, most, NULL);
	for (unsigned i = 0; i < IDENTIFY_AXES; i++) {
		struct identify_guess less = *g;

		if (is_settled(g, i) || *value_of(&axes[i], &less.config) == default_of(s, g, i))
			continue;
		*value_of(&axes[i], &less.config) = default_of(s, g, i);
		follow(s, &less, most, &g->fit);
		if (identify_same_flow(&less.fit, &g->fit))
			*g = less;
	}
}

/* Does @other explain as much, by another flow? */
static bool is_as_good(const struct identify_fit *other, const struct identify_fit *fit)
{
	return !identify_better(fit, other) && other->flow != fit->flow && other->messages;
}

/* irdepth of a stack of 2^n addresses is as wide as that of a counter of n + 1 bits (ET return
 * stack): only a program that calls deeply shows which of them it is. */
static bool doubts_returns(struct identify_search *s, const struct identify_guess *g)
{
	struct identify_guess same = *g, other = *g;
	struct hs_et_config *c = &other.config.et;
	const unsigned stack = c->return_stack_size, counter = c->call_counter_size;

	if (!c->size || (stack != 0) == (counter != 0) || stack == 8 || counter == 1)
		return false;
	c->return_stack_size = (uint8_t)(counter ? counter - 1 : 0);
	c->call_counter_size = (uint8_t)(stack ? stack + 1 : 0);
	follow(s, &same, s->bytes.n, NULL);
	follow(s, &other, s->bytes.n, &same.fit);
	return is_as_good(&other.fit, &same.fit);
}

/* How many of the sizes have this flow. */
static unsigned count_alike(const struct identify_guess sized[RETURN_SIZES], uint64_t flow)
{
	unsigned n = 0;

	for (unsigned i = 0; i < RETURN_SIZES; i++)
		n += sized[i].fit.any && sized[i].fit.flow == flow;
	return n;
}

void identify_settle_returns(struct identify_search *s, struct identify_guess *g)
{
	const bool stack = g->config.et.return_stack_size;
	const struct axis *a = &axes[stack ? IDENTIFY_RETURN_STACK : IDENTIFY_CALL_COUNTER];
	struct identify_guess same = *g, sized[RETURN_SIZES];
	unsigned most = 0, best = 0;

	if (g->config.is != IDENTIFY_ETRACE || stack == (g->config.et.call_counter_size != 0))
		return;
	follow(s, &same, s->bytes.n, NULL);
	for (unsigned i = 0; i < RETURN_SIZES; i++) {
		sized[i] = *g;
		*value_of(a, &sized[i].config) = (uint8_t)(i + 1);
		follow(s, &sized[i], s->bytes.n, &same.fit);
		sized[i].fit.any &= !identify_better(&same.fit, &sized[i].fit);
	}
	for (unsigned i = 0; i < RETURN_SIZES; i++) {
		const unsigned n = count_alike(sized, sized[i].fit.flow);

		if (sized[i].fit.any && n > most) {
			most = n;
			best = i;
		}
	}
	if (most && sized[best].fit.flow != same.fit.flow)
		*g = sized[best];
}

void identify_doubt(struct identify_search *s, const struct identify_guess *g, size_t most,
                    char names[HS_IDENTIFY_TEXT])
{
	struct identify_guess same = *g;
	size_t n = 0;

	*names = '\0';
	follow(s, &same, most, NULL);
	for (unsigned i = 0; i < IDENTIFY_AXES; i++) {
		bool unsure = false;

		for (unsigned k = 0; k < axes[i].count && !unsure; k++) {
			struct identify_guess other = *g;

			if (is_settled(g, i) || s->code->work > s->end)
				break;
			*value_of(&axes[i], &other.config) = axes[i].values[k];
			follow(s, &other, most, &same.fit);
			unsure = is_as_good(&other.fit, &same.fit);
		}
		unsure |= i == IDENTIFY_RETURN_STACK && doubts_returns(s, g);
		if (unsure && n < HS_IDENTIFY_TEXT - 64)
			n += (size_t)snprintf(names + n, HS_IDENTIFY_TEXT - n, "%s%s", n ? " " : "",
			                      axes[i].name);
	}
}
