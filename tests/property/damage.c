/* Damage to one unit of a trace; see damage.h. */
#include "property/damage.h"

#include <string.h>

const char *const damage_names[DAMAGES] = { "bits flipped", "units twice", "units missing",
	                                    "noise", "bytes missing", "bytes added",
	                                    "bytes copied", "traces cut" };

/* Take @n bytes away at @at and put @m there. */
static void replace(struct damaged *d, size_t at, size_t n, const uint8_t *bytes, size_t m)
{
	memcpy(d->bad, d->good, at);
	memcpy(d->bad + at, bytes, m);
	memcpy(d->bad + at + m, d->good + at + n, d->length - at - n);
	d->bad_length = d->length - n + m;
}

static size_t at_most(size_t n, size_t most)
{
	return n > most ? most : n;
}

static size_t copy(struct damaged *d, struct rng *r, size_t at)
{
	const size_t n = at_most(1 + rng_below(r, DAMAGE_MAX - 1), d->length);

	replace(d, at, 0, d->good + rng_below(r, (uint32_t)(d->length - n + 1)), n);
	return at;
}

static size_t flip(struct damaged *d, struct rng *r, size_t start, size_t whole)
{
	const size_t at = start + rng_below(r, (uint32_t)whole);
	const uint8_t byte = (uint8_t)(d->good[at] ^ 1u << rng_below(r, 8));

	replace(d, at, 1, &byte, 1);
	return at + 1;
}

size_t damage_unit(struct damaged *d, struct rng *r, enum damage how, size_t start, size_t whole,
                   size_t head)
{
	const size_t at = start + rng_below(r, (uint32_t)whole), left = d->length - at;
	const size_t n = at_most(1 + rng_below(r, 8), left);
	uint8_t noise[8];

	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (uint8_t)rng_next(r);
	switch (how) {
	case FLIP: return flip(d, r, start + head, whole - head);
	case REPEAT:
		replace(d, start, 0, d->good + start, at_most(whole, DAMAGE_MAX));
		return start + whole;
	case DROP: replace(d, start, whole, noise, 0); return start + whole;
	case NOISE: replace(d, at, n, noise, n); return at + n;
	case LOSE: replace(d, at, n, noise, 0); return at + n;
	case ADD: replace(d, at, 0, noise, n); return at;
	case COPY: return copy(d, r, at);
	default: replace(d, at, left, noise, 0); return d->length;
	}
}
