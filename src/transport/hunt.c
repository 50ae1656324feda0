/* The search for alignment: every way to read the samples, until one is left (design/alignment).
 *
 * tracks[i] for i below r->per reads beats i, i + per, i + 2 per, ... as the first ones of bytes
 * that belong to a message; tracks[PIN_IDLE] reads the next beat as idle or as the first one
 * of a message.  As the true reading is among them, the last one left is the true one. */
#include "transport/pins.h"

#include "core/mem.h"

/* Bits of its byte that a track has taken before a beat. */
static unsigned bits_before(const struct hs_pin_receiver *r, unsigned slot, uint64_t beat)
{
	return (unsigned)((beat + r->per - slot) & (r->per - 1u)) * r->width;
}

static unsigned bits_of(const struct hs_pin_receiver *r, unsigned slot)
{
	return bits_before(r, slot, r->beat);
}

/* A capture may begin inside a byte: what came before is not known.  With one pin and the second
 * bit of MSEO to come, the first one is taken as 1, which allows all that 0 allows too. */
static void begin_at(struct hs_pin_receiver *r, uint64_t beat)
{
	for (unsigned i = 0; i < r->per; i++) {
		const unsigned bits = bits_before(r, i, beat);

		r->tracks[i].state = bits < 2 ? PIN_TRACK_BLIND : PIN_TRACK_VAGUE;
		r->tracks[i].acc = bits == 1;
		r->tracks[i].n = 0;
	}
	r->tracks[PIN_IDLE].state = PIN_TRACK_SURE;
	r->tracks[PIN_IDLE].acc = 0;
	r->tracks[PIN_IDLE].n = 0;
	r->state = PIN_HUNT;
	r->from = beat;
}

void pin_hunt_start(struct hs_pin_receiver *r)
{
	begin_at(r, r->beat);
}

static void copy_track(struct hs_pin_track *to, const struct hs_pin_track *from)
{
	to->start = from->start;
	to->state = from->state;
	to->acc = from->acc;
	to->n = from->n;
	memcpy(to->bytes, from->bytes, from->n);
}

/* Two ways to the same place: their past differs, so none of it is certain. */
static void join_tracks(struct hs_pin_track *to, const struct hs_pin_track *from, uint8_t state)
{
	if (to->state == PIN_TRACK_DEAD) {
		copy_track(to, from);
		if (from->state != PIN_TRACK_SURE) {
			to->state = state;
			to->n = 0;
		}
		return;
	}
	to->state = state;
	to->n = 0;
}

static void keep_byte(struct hs_pin_track *t)
{
	if (t->state == PIN_TRACK_SURE && t->n < HS_PIN_KEEP) {
		t->bytes[t->n++] = t->acc;
		return;
	}
	t->state = PIN_TRACK_BLIND;
	t->n = 0;
}

/* One beat for a track inside a message.  @idle gets it when its message ends. */
static void step_track(struct hs_pin_receiver *r, unsigned slot, unsigned beat,
                       struct hs_pin_track *idle)
{
	struct hs_pin_track *t = &r->tracks[slot];
	const unsigned before = bits_of(r, slot), bits = before + r->width;

	t->acc |= (uint8_t)(beat << before);
	if (before < 2 && bits >= 2 && PIN_MSEO(t->acc) == PIN_MSEO_RESERVED)
		t->state = PIN_TRACK_DEAD;
	if (bits < 8 || t->state == PIN_TRACK_DEAD)
		return;
	if (t->state == PIN_TRACK_VAGUE) {
		join_tracks(idle, t, PIN_TRACK_SURE);
		t->state = PIN_TRACK_BLIND;
	} else if (PIN_MSEO(t->acc) == PIN_MSEO_END) {
		keep_byte(t);
		join_tracks(idle, t, PIN_TRACK_SURE);
		t->state = PIN_TRACK_DEAD;
	} else {
		keep_byte(t);
	}
	t->acc = 0;
}

/* One beat for the track between messages; @next gets it when it stays there. */
static void step_idle(struct hs_pin_receiver *r, unsigned beat, struct hs_pin_track *next)
{
	struct hs_pin_track *idle = &r->tracks[PIN_IDLE];
	struct hs_pin_track *to = &r->tracks[r->beat & (r->per - 1u)];

	if (idle->state == PIN_TRACK_DEAD)
		return;
	if (beat == pin_ones(r->width)) {
		join_tracks(next, idle, PIN_TRACK_SURE);
	} else if ((beat & pin_mseo_mask(r->width)) == 0) {
		if (idle->n == 0)
			idle->start = r->beat;
		idle->acc = 0;
		join_tracks(to, idle, PIN_TRACK_BLIND);
	}
}

static unsigned count_alive(const struct hs_pin_receiver *r, unsigned *which)
{
	unsigned n = 0;

	for (unsigned i = 0; i <= PIN_IDLE; i++) {
		if (r->tracks[i].state == PIN_TRACK_DEAD)
			continue;
		*which = i;
		n++;
	}
	return n;
}

/* The current beat, for all tracks.  A message that the idle track begins with this beat is stepped
 * from the next one on, and a track that ends with this beat is idle from the next one on. */
static void step_all(struct hs_pin_receiver *r, unsigned beat)
{
	struct hs_pin_track next = { .state = PIN_TRACK_DEAD };

	step_idle(r, beat, &next);
	for (unsigned i = 0; i < r->per; i++)
		if (r->tracks[i].state != PIN_TRACK_DEAD)
			step_track(r, i, beat, &next);
	copy_track(&r->tracks[PIN_IDLE], &next);
}

/* One way is left: continue with it, and write what it kept. */
static void settle(struct hs_pin_receiver *r, unsigned which)
{
	const struct hs_pin_track *t = &r->tracks[which];
	const bool begun = t->n || (which != PIN_IDLE && t->state == PIN_TRACK_SURE);
	const uint64_t next = r->beat + 1, start = begun ? t->start : next;

	r->skipped += start - r->from;
	r->from = start;
	r->acc = which == PIN_IDLE ? 0 : t->acc;
	r->bits = which == PIN_IDLE ? 0 : (uint8_t)((bits_of(r, which) + r->width) & 7);
	r->state = which == PIN_IDLE ? PIN_BETWEEN : begun ? PIN_MESSAGE : PIN_BLIND;
	r->announce = 1;
	if (!begun)
		return;
	memcpy(r->held + r->held_n, t->bytes, t->n);
	r->held_n = (uint16_t)(r->held_n + t->n);
	r->written |= t->n > 0;
	r->bytes += t->n;
	r->idle += (next - start) * r->width - (8u * t->n + r->bits);
	pin_announce(r, start);
}

void pin_hunt(struct hs_pin_receiver *r, unsigned beat)
{
	unsigned which = 0, n;

	step_all(r, beat);
	n = count_alive(r, &which);
	if (n == 0) { /* not a trace so far: start again, with this beat if it can be */
		r->skipped += r->beat - r->from;
		pin_hunt_start(r);
		step_all(r, beat);
		n = count_alive(r, &which);
	}
	if (n == 0) { /* nor can it be */
		begin_at(r, r->beat + 1);
		r->skipped++;
	}
	if (n == 1 && r->tracks[which].state != PIN_TRACK_VAGUE)
		settle(r, which);
}
