/* Lint: what encoders do not send, message by message, and what the program contradicts. */
#include <stddef.h>

#include "core/mem.h"
#include "flow/stream.h"
#include "tacit/tacit_lint.h"

static const struct hs_finding_kind kinds[TACIT_FIND_COUNT] = {
#define TACIT_FINDING(id, name, severity, clause, text) \
	{ name, clause, text, HS_SEVERITY_##severity, 1 },
#include "tacit/tacit_findings.def"
#undef TACIT_FINDING
};

const struct hs_finding_kind *tacit_finding_get_kind(unsigned id)
{
	return id < TACIT_FIND_COUNT ? &kinds[id] : NULL;
}

enum state { NEW, ON, OFF, PAUSED, LOST };

#define PRV_UNKNOWN 7u
#define ITEMS 32
#define OLD_SYNC 0x16 /* the header of a synchronisation with type 0 */

#define LINT struct tacit_lint
#define LINT_SOURCE struct tacit_lint_source
#define TEXT text
#define MESSAGE msg
#define NO_FIELD TACIT_FIELDS
#include "flow/lint.h"
#include "flow/lint_put.h"

enum hs_status tacit_lint_init(struct tacit_lint *l, const struct tacit_config *config,
                               struct tacit_lint_source *source)
{
	if (tacit_config_check(config) != HS_OK)
		return HS_E_CONFIG;
	memset(l, 0, sizeof *l);
	memset(source, 0, sizeof *source);
	source->prv = PRV_UNKNOWN;
	l->sources = source;
	l->capacity = 1;
	l->count = 1;
	return HS_OK;
}

void tacit_lint_program(struct tacit_lint *l, struct tacit_decoder *decoder)
{
	l->decoder = decoder;
}

/* ---- one message ---------------------------------------------------------------- */

static void put_kind(struct tacit_lint *l, unsigned id)
{
	put_finding(l, of_message(l, id));
}

static void put_field(struct tacit_lint *l, unsigned id, unsigned field)
{
	struct hs_finding f = of_message(l, id);

	f.field = (uint8_t)field;
	f.value = l->msg.field[field];
	put_finding(l, f);
}

static bool is_padded(const struct tacit_msg *m, unsigned field)
{
	const unsigned below = 7u * (m->size[field] - 1u);

	return m->size[field] > 1 && !(m->field[field] >> below);
}

static void check_form(struct tacit_lint *l)
{
	const struct tacit_msg *m = &l->msg;
	const unsigned counted = m->code == TACIT_HITS ? TACIT_F_COUNT : TACIT_F_DELTA;
	const bool only = m->present == 1u << counted; /* nothing else needs the long form */

	for (unsigned f = 0; f < TACIT_FIELDS; f++)
		if (m->present >> f & 1u && is_padded(m, f))
			put_field(l, TACIT_FIND_PADDED, f);
	if (only && m->size[counted] && m->field[counted] <= TACIT_SHORT_MAX)
		put_field(l, TACIT_FIND_LONG_FORM, counted);
	if (m->code == TACIT_HITS && TACIT_GET(m, COUNT) == 0)
		put_field(l, TACIT_FIND_NO_HITS, TACIT_F_COUNT);
}

/* ---- their order ---------------------------------------------------------------- */

static void check_times(struct tacit_lint *l, struct tacit_lint_source *s)
{
	const struct tacit_msg *m = &l->msg;

	if (TACIT_HAS(m, DELTA))
		s->time += TACIT_GET(m, DELTA);
	if (!TACIT_HAS(m, TIME))
		return;
	if (s->timed && s->state == ON && TACIT_GET(m, TIME) < s->time)
		put_field(l, TACIT_FIND_TIME_BACK, TACIT_F_TIME);
	s->time = TACIT_GET(m, TIME);
	s->timed = true;
}

static void check_prv(struct tacit_lint *l, struct tacit_lint_source *s)
{
	const struct tacit_msg *m = &l->msg;

	if (!TACIT_HAS(m, PRV))
		return;
	if (TACIT_HAS(m, TIME) && tacit_prv_from(m))
		put_field(l, TACIT_FIND_SYNC_PRV, TACIT_F_PRV);
	if (TACIT_HAS(m, FROM) && s->state == ON && s->prv != PRV_UNKNOWN &&
	    s->prv != tacit_prv_from(m))
		put_field(l, TACIT_FIND_PRV_ELSEWHERE, TACIT_F_PRV);
	s->prv = (uint8_t)tacit_prv_to(m);
}

static void check_mode(struct tacit_lint *l)
{
	const struct tacit_msg *m = &l->msg;
	const unsigned mode = (unsigned)TACIT_GET(m, CONFIG) & 3u;

	if ((m->code == TACIT_START || m->code == TACIT_PERIODIC) && mode != TACIT_MODE_TARGET &&
	    mode != TACIT_MODE_PREDICT)
		put_field(l, TACIT_FIND_MODE, TACIT_F_CONFIG);
}

/* A message of the flow, or one that ends it, where there is none. */
static void check_on(struct tacit_lint *l, const struct tacit_lint_source *s)
{
	if (s->state == PAUSED)
		put_kind(l, TACIT_FIND_IN_PAUSE);
	else if (s->state == NEW || s->state == OFF)
		put_kind(l, TACIT_FIND_NOT_STARTED);
}

static enum state state_after(unsigned code, enum state state)
{
	if (tacit_synchronises(code))
		return ON;
	if (code == TACIT_END)
		return OFF;
	return code == TACIT_PAUSE ? PAUSED : state;
}

static void check_order(struct tacit_lint *l, struct tacit_lint_source *s)
{
	const unsigned code = l->msg.code;

	if (code == TACIT_START && s->state == ON)
		put_kind(l, TACIT_FIND_STARTED);
	else if (code == TACIT_RESUME && s->state != PAUSED && s->state != LOST)
		put_kind(l, TACIT_FIND_NOT_PAUSED);
	else if (code != TACIT_START && code != TACIT_RESUME)
		check_on(l, s);
	s->state = (uint8_t)state_after(code, (enum state)s->state);
}

static void check_message(struct tacit_lint *l)
{
	struct tacit_lint_source *s = l->sources;

	l->messages++;
	check_form(l);
	check_mode(l);
	check_times(l, s);
	check_prv(l, s);
	check_order(l, s);
}

/* Bytes that are no message: what comes next proves nothing. */
static void check_damage(struct tacit_lint *l)
{
	const unsigned id = l->msg.first == OLD_SYNC     ? TACIT_FIND_OLD_SYNC
	                    : l->msg.code == TACIT_CODES ? TACIT_FIND_HEADER
	                                                 : TACIT_FIND_FIELD;
	struct hs_finding f = of_message(l, id);

	f.has_message = false;
	put_finding(l, f);
	l->sources->state = LOST;
	l->sources->prv = PRV_UNKNOWN;
	l->sources->timed = false;
}

/* ---- bytes ---------------------------------------------------------------------- */

static bool is_contradiction(enum hs_status s)
{
	return s == HS_E_FLOW || s == HS_E_NOCODE;
}

/* In a context without a program no code is known, and nothing is wrong (design/contexts). */
static bool is_foreign(const struct tacit_decoder *d)
{
	return d->stream.count && !stream_has_program(&d->stream, &d->sources->track);
}

static void follow_byte(struct tacit_lint *l, const uint8_t *byte)
{
	struct hs_span in = { byte, 1 };
	struct hs_block items[ITEMS];
	enum hs_status s;
	size_t n;

	do {
		s = tacit_decode(l->decoder, &in, items, ITEMS, &n);
		if (!is_contradiction(s) || (s == HS_E_NOCODE && is_foreign(l->decoder)))
			continue;
		struct hs_finding f = of_message(l, TACIT_FIND_FLOW);

		f.pc = l->decoder->diag.pc;
		put_finding(l, f);
	} while (s != HS_MORE);
}

static void take_byte(struct tacit_lint *l, uint8_t byte)
{
	struct hs_span in = { &byte, 1 };
	enum hs_status s;

	do {
		s = tacit_read(&l->reader, &in, &l->msg);
		if (s == HS_OK)
			check_message(l);
		else if (s != HS_MORE)
			check_damage(l);
	} while (s != HS_MORE);
	if (l->decoder)
		follow_byte(l, &byte);
	l->offset++;
}

static void end_bytes(struct tacit_lint *l)
{
	struct hs_finding f = of_message(l, TACIT_FIND_ENDS_INSIDE);

	if (tacit_reader_end(&l->reader) == HS_OK)
		return;
	f.offset = l->reader.start;
	f.has_message = false;
	put_finding(l, f);
}

static void end_source(struct tacit_lint *l, struct tacit_lint_source *s)
{
	if (s->state == ON)
		put_kind(l, TACIT_FIND_NO_END);
}

enum hs_status tacit_lint_next(void *lint, struct hs_span *in, struct hs_finding *out)
{
	return next_finding(lint, in, out);
}

enum hs_status tacit_lint_end(void *lint, struct hs_finding *out)
{
	return next_finding(lint, NULL, out);
}

/* ---- several that read parts of a stream ---------------------------------------- */

void tacit_lint_take(void *lint, const void *from, const void *sources)
{
	take_lint(lint, from, sources);
}

void tacit_lint_begin(void *lint, uint64_t offset)
{
	struct tacit_lint *l = lint;

	l->sources->state = LOST;
	l->sources->prv = PRV_UNKNOWN;
	l->sources->timed = false;
	l->offset = offset;
	l->reader = (struct tacit_reader){ .offset = offset, .predicts = l->reader.predicts };
}

bool tacit_lint_alike(const void *lint, const void *copy, const void *sources)
{
	const struct tacit_lint *l = lint, *other = copy;
	const struct tacit_reader *a = &l->reader, *b = &other->reader;

	return same_sources(l, other, sources) && a->held == b->held &&
	       a->skipping == b->skipping && a->predicts == b->predicts &&
	       memcmp(a->buffer, b->buffer, a->held) == 0;
}
