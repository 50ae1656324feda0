/* A value change dump to samples of a trace port. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "inputs/vcd_pins.h"

enum level { LOW, HIGH, UNKNOWN, ABSENT };

struct hs_vcd {
	struct vcd_reader reader;
	struct vcd_pins port;
	bool rising_only;
	/* enum level: now, and at the end of the time before; ABSENT: it had no value yet */
	uint8_t clock, clock_before;
	uint8_t pins[HS_VCD_PINS];
	uint8_t pending[2];
	unsigned pending_n;
	uint64_t repeat; /* more of the pending sample */
	uint64_t step, time, changed_at, shortest;
	bool changed, timed; /* since the last change of time; there was one */
	bool begun; /* the first time of the dump is over, whose values are the initial ones */
	uint64_t samples, unknown;
	enum hs_status failed;
	struct hs_error why;
};

enum hs_status hs_vcd_new(const struct hs_vcd_options *options, struct hs_vcd **vcd,
                          struct hs_error *error)
{
	struct hs_vcd_options o = { .size = sizeof(o) };
	struct hs_vcd *v;

	if (options && base_take_config(&o, sizeof(o), options) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "struct hs_vcd_options: wrong size");
	v = calloc(1, sizeof(*v));
	if (!v)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	v->rising_only = o.rising_only;
	v->step = o.step;
	v->clock = v->clock_before = ABSENT;
	memset(v->pins, UNKNOWN, sizeof(v->pins));
	const enum hs_status s = vcd_pins_init(&v->port, &o, error);

	if (s == HS_OK)
		*vcd = v;
	else
		free(v);
	return s;
}

void hs_vcd_free(struct hs_vcd *v)
{
	free(v);
}

void hs_vcd_get_stats(const struct hs_vcd *v, struct hs_vcd_stats *out)
{
	out->width = v->port.count;
	out->samples = v->samples;
	out->unknown = v->unknown;
	out->shortest = v->shortest;
}

/* ---- values -------------------------------------------------------------------- */

static uint8_t level_of(char digit)
{
	return digit == '0' ? LOW : digit == '1' ? HIGH : UNKNOWN;
}

/* Bit @bit of the vector just read; digits that are left out are 0 after a 0 or 1 (IEEE 1364). */
static uint8_t vector_bit(const char *value, size_t n, uint32_t bit)
{
	if (bit < n)
		return level_of(value[n - 1 - bit]);
	return n && level_of(value[0]) == UNKNOWN ? UNKNOWN : LOW;
}

static void change_signal(struct hs_vcd *v, const char *id, const char *value, size_t n)
{
	const struct vcd_pins *h = &v->port;

	if (strcmp(id, h->clock.id) == 0)
		v->clock = vector_bit(value, n, h->clock.bit);
	for (unsigned i = 0; i < h->count; i++)
		if (strcmp(id, h->pins[i].id) == 0)
			v->pins[i] = vector_bit(value, n, h->pins[i].bit);
}

static void take_sample(struct hs_vcd *v)
{
	unsigned sample = 0;
	bool unknown = false;

	for (unsigned i = 0; i < v->port.count; i++) {
		sample |= (unsigned)(v->pins[i] != LOW) << i;
		unknown |= v->pins[i] == UNKNOWN;
	}
	v->pending[0] = (uint8_t)sample;
	v->pending[1] = (uint8_t)(sample >> 8);
	v->pending_n = v->port.count == 16 ? 2 : 1;
	v->samples++;
	v->unknown += unknown;
}

/* A dump has what changes: the clock's first value is an edge, too, unless it is an initial one. */
static bool is_edge(const struct hs_vcd *v)
{
	if (v->clock == v->clock_before || v->clock > HIGH)
		return false;
	return v->clock_before <= HIGH || (v->clock_before == ABSENT && v->begun);
}

/* All changes of a time were read: sample the pins if the clock had an edge. */
static void end_time(struct hs_vcd *v)
{
	const bool edge = is_edge(v) && (!v->rising_only || v->clock == HIGH);

	v->begun = v->timed;
	v->timed = true;
	v->clock_before = v->clock;
	if (edge)
		take_sample(v);
}

static void note_change(struct hs_vcd *v)
{
	const uint64_t since = v->time - v->changed_at;

	if (v->changed && v->changed_at && since && (!v->shortest || since < v->shortest))
		v->shortest = since;
	if (v->changed)
		v->changed_at = v->time;
	v->changed = false;
}

/* The same without a clock: the pins stayed up to the time @word. */
static void end_steps(struct hs_vcd *v, const char *word)
{
	const uint64_t now = strtoull(word + 1, NULL, 10);
	const uint64_t steps = now > v->time ? now / v->step - v->time / v->step : 0;

	if (v->timed)
		note_change(v);
	if (v->timed && steps) {
		take_sample(v);
		v->repeat = (steps < HS_VCD_STEPS ? steps : HS_VCD_STEPS) - 1;
		v->samples += v->repeat;
	}
	v->timed = true;
	v->time = now;
}

/* ---- words --------------------------------------------------------------------- */

static void handle(struct hs_vcd *v, enum vcd_event event)
{
	const struct vcd_body *b = &v->reader.body;

	switch (event) {
	case VCD_VARIABLE:
		vcd_pins_match(&v->port, &v->reader);
		break;
	case VCD_DECLARED:
		v->failed = vcd_pins_finish(&v->port, &v->why);
		break;
	case VCD_TIME:
		if (v->step)
			end_steps(v, v->reader.word);
		else
			end_time(v);
		break;
	case VCD_CHANGED:
		change_signal(v, b->id, b->value, b->n);
		v->changed = true;
		break;
	case VCD_BAD:
		v->failed = hs_error_set(&v->why, HS_E_FORMAT, "offset 0x%" PRIx64 ": %s",
		                         v->reader.word_at, v->reader.why);
		break;
	default:
		break;
	}
}

/* ---- streams -------------------------------------------------------------------- */

/* Write the pending sample; false: there is no room for it. */
static bool write_pending(struct hs_vcd *v, uint8_t *out, size_t cap, size_t *n)
{
	if (cap - *n < v->pending_n)
		return false;
	for (; v->pending_n; v->repeat--) {
		if (cap - *n < v->pending_n)
			return false;
		memcpy(out + *n, v->pending, v->pending_n);
		*n += v->pending_n;
		if (!v->repeat)
			break;
	}
	v->pending_n = 0;
	return true;
}

static enum hs_status failure(const struct hs_vcd *v, struct hs_error *error)
{
	return hs_error_set(error, v->failed, "%s", v->why.text);
}

enum hs_status hs_vcd_feed(struct hs_vcd *v, struct hs_span *in, uint8_t *out, size_t cap,
                           size_t *n, struct hs_error *error)
{
	*n = 0;
	if (cap < sizeof(v->pending))
		return HS_E_SPACE;
	while (v->failed == HS_OK && write_pending(v, out, cap, n) && in->n)
		handle(v, vcd_read(&v->reader, in));
	if (v->failed != HS_OK)
		return failure(v, error);
	return v->pending_n ? HS_FULL : HS_MORE;
}

enum hs_status hs_vcd_end(struct hs_vcd *v, uint8_t *out, size_t cap, size_t *n,
                          struct hs_error *error)
{
	*n = 0;
	if (cap < sizeof(v->pending))
		return HS_E_SPACE;
	if (!write_pending(v, out, cap, n))
		return HS_FULL;
	if (v->failed == HS_OK)
		handle(v, vcd_end(&v->reader));
	if (v->failed != HS_OK)
		return failure(v, error);
	if (!v->reader.declared)
		return hs_error_set(error, HS_E_FORMAT, "the dump ends in its declarations");
	if (!v->step)
		end_time(v);
	return write_pending(v, out, cap, n) ? HS_END : HS_FULL;
}
