/* Lint: bytes to messages by the order of MSEO (NT 3.1), and the queue of findings. */
#include "ntrace/lint.h"
#include "ntrace/tables.h"

#include "base/mem.h"

#define IDLE 0xffu

enum place { AT_START, BETWEEN, INSIDE, SKIPPING }; /* where the next byte is */

/* ---- kinds ---------------------------------------------------------------------- */

#define RC7 (1u << HS_NT_DIALECT_RC7 | 1u << HS_NT_DIALECT_REFERENCE | 1u << HS_NT_DIALECT_SIFIVE)
#define V1_0 (1u << HS_NT_DIALECT_V1_0)
#define BOTH (RC7 | V1_0)
#define STRICT (1u << HS_NT_DIALECT_RC7 | V1_0)

static const struct hs_nt_finding_kind kinds[HS_NT_FIND_COUNT] = {
#define HS_NT_FINDING(id, name, severity, dialects, clause, text) \
	{ name, clause, text, HS_SEVERITY_##severity, dialects },
#include "ntrace/nt_findings.def"
#undef HS_NT_FINDING
};

const struct hs_nt_finding_kind *hs_nt_finding_get_kind(unsigned id)
{
	return id < HS_NT_FIND_COUNT ? &kinds[id] : NULL;
}

/* ---- the queue ------------------------------------------------------------------ */

static void queue_entry(struct hs_nt_lint *l, struct hs_nt_lint_entry e)
{
	if (!(kinds[e.id].dialects >> l->config.dialect & 1))
		return;
	if (l->queued == HS_NT_LINT_QUEUE)
		l->dropped++;
	else
		l->queue[l->queued++] = e;
}

void nt_lint_put(struct hs_nt_lint *l, unsigned id)
{
	queue_entry(l, (struct hs_nt_lint_entry){ .offset = l->msg.offset, .id = (uint16_t)id,
	                                  .field = HS_NTF_COUNT, .message = true });
}

void nt_lint_field(struct hs_nt_lint *l, unsigned id, enum hs_nt_field f)
{
	queue_entry(l, (struct hs_nt_lint_entry){ .offset = l->msg.offset,
	                                          .id = (uint16_t)id,
	                                          .value = f < HS_NTF_COUNT ? l->msg.field[f] : 0,
	                                          .field = (uint8_t)f,
	                                          .message = true });
}

void nt_lint_byte(struct hs_nt_lint *l, unsigned id, uint64_t offset)
{
	queue_entry(l, (struct hs_nt_lint_entry){ .offset = offset, .id = (uint16_t)id,
	                                          .field = HS_NTF_COUNT });
}

void nt_lint_pc(struct hs_nt_lint *l, unsigned id, uint64_t pc)
{
	queue_entry(l, (struct hs_nt_lint_entry){ .offset = l->msg.offset,
	                                          .id = (uint16_t)id,
	                                          .pc = pc,
	                                          .field = HS_NTF_COUNT,
	                                          .message = true });
}

static bool dequeue(struct hs_nt_lint *l, struct hs_nt_finding *out)
{
	if (l->given == l->queued) {
		l->given = l->queued = 0;
		return false;
	}
	const struct hs_nt_lint_entry *e = &l->queue[l->given++];

	memset(out, 0, sizeof *out);
	out->offset = e->offset;
	out->value = e->value;
	out->pc = e->pc;
	out->id = e->id;
	out->field = e->field;
	out->message = e->message;
	if (e->message)
		memcpy(&out->msg, &l->msg, sizeof out->msg);
	return true;
}

/* ---- bytes ---------------------------------------------------------------------- */

enum hs_status hs_nt_lint_init(struct hs_nt_lint *l, const struct hs_nt_config *config,
                               struct hs_nt_lint_source *sources, size_t source_count)
{
	struct hs_nt_config own;
	const enum hs_status s = nt_config_take(&own, config);

	if (s != HS_OK)
		return s;
	if (source_count == 0)
		return HS_E_ARG;
	memset(l, 0, sizeof *l);
	memcpy(&l->config, &own, sizeof l->config);
	l->dialect = hs_nt_dialect_get(own.dialect);
	l->sources = sources;
	l->capacity = source_count;
	return HS_OK;
}

void hs_nt_lint_program(struct hs_nt_lint *l, struct hs_nt_decoder *decoder)
{
	l->decoder = decoder;
}

/* Part of the stream cannot be read: the order of what comes next proves nothing. */
static void lose_sources(struct hs_nt_lint *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->sources[i].state != NT_LINT_NEW)
			l->sources[i].state = NT_LINT_LOST;
	if (l->decoder)
		nt_lint_flow_lost(l);
}

static void check_message(struct hs_nt_lint *l)
{
	struct nt_lint_view v = { 0 };

	l->messages++;
	nt_lint_parse(l, &v);
	/* Vendors' messages may be longer, says the ratified text (NT 1.0 3). */
	if (l->held > 38 &&
	    !(l->msg.tcode >= 56 && l->msg.tcode <= 62 && l->dialect->sync_resets_all))
		nt_lint_put(l, HS_NT_FIND_MESSAGE_LONG);
	if (!v.whole) {
		lose_sources(l);
		return;
	}
	nt_lint_values(l, &v);
	nt_lint_order(l);
	if (l->decoder)
		nt_lint_flow(l);
}

static void read_between(struct hs_nt_lint *l, uint8_t byte, unsigned mseo, uint64_t at)
{
	static const uint16_t at_start[4] = { 0, HS_NT_FIND_MSEO_01_START, HS_NT_FIND_MSEO_10_START,
	                                      HS_NT_FIND_MSEO_11_START };
	static const uint16_t later[4] = { 0, HS_NT_FIND_MSEO_11_01, HS_NT_FIND_MSEO_11_10,
	                                   HS_NT_FIND_IDLE_NOT_ONES };

	if (mseo == 0) {
		l->start = at;
		l->buffer[0] = byte;
		l->held = 1;
		l->place = INSIDE;
		return;
	}
	if (byte != IDLE) {
		nt_lint_byte(l, l->place == AT_START ? at_start[mseo] : later[mseo], at);
		lose_sources(l);
	}
	l->place = mseo == 3 ? BETWEEN : SKIPPING;
}

static void read_inside(struct hs_nt_lint *l, uint8_t byte, unsigned mseo, uint64_t at)
{
	if (mseo == 2) {
		nt_lint_byte(l, l->mseo ? HS_NT_FIND_MSEO_01_10 : HS_NT_FIND_MSEO_00_10, at);
		l->place = SKIPPING;
		lose_sources(l);
		return;
	}
	if (l->held == sizeof l->buffer) {
		nt_lint_byte(l, HS_NT_FIND_MESSAGE_ENDLESS, l->start);
		l->place = mseo == 3 ? BETWEEN : SKIPPING;
		lose_sources(l);
		return;
	}
	l->buffer[l->held++] = byte;
	if (mseo == 3) {
		l->place = BETWEEN;
		check_message(l);
	}
}

enum hs_status hs_nt_lint_next(struct hs_nt_lint *l, struct hs_span *in, struct hs_nt_finding *out)
{
	while (!dequeue(l, out)) {
		if (in->n == 0)
			return HS_MORE;
		const uint8_t byte = *in->p;
		const unsigned mseo = byte & 3u;

		in->p++;
		in->n--;
		if (l->place == INSIDE)
			read_inside(l, byte, mseo, l->offset);
		else if (l->place == SKIPPING)
			l->place = mseo == 3 ? BETWEEN : SKIPPING;
		else
			read_between(l, byte, mseo, l->offset);
		l->mseo = (uint8_t)mseo;
		l->offset++;
	}
	return HS_OK;
}

enum hs_status hs_nt_lint_end(struct hs_nt_lint *l, struct hs_nt_finding *out)
{
	while (!dequeue(l, out)) {
		if (!l->ended) {
			l->ended = true;
			if (l->place == INSIDE)
				nt_lint_byte(l, HS_NT_FIND_ENDS_INSIDE, l->start);
		} else if (l->ending < l->count) {
			nt_lint_order_end(l, &l->sources[l->ending++]);
		} else {
			return HS_END;
		}
	}
	return HS_OK;
}

/* ---- several that read parts of a stream ---------------------------------------- */

void hs_nt_lint_take(struct hs_nt_lint *l, const struct hs_nt_lint *from,
                     const struct hs_nt_lint_source *sources)
{
	struct hs_nt_lint_source *own = l->sources;
	struct hs_nt_decoder *decoder = l->decoder;
	const size_t capacity = l->capacity;

	memcpy(l, from, sizeof *l);
	l->sources = own;
	l->decoder = decoder;
	l->capacity = capacity;
	memcpy(own, sources, l->count * sizeof *own);
}

void hs_nt_lint_begin(struct hs_nt_lint *l, uint64_t offset)
{
	struct hs_nt_decoder *decoder = l->decoder;

	l->decoder = NULL;
	lose_sources(l);
	l->decoder = decoder;
	l->offset = offset;
	l->place = BETWEEN;
	l->mseo = 3;
	l->held = 0;
}

bool hs_nt_lint_alike(const struct hs_nt_lint *l, const struct hs_nt_lint *other,
                      const struct hs_nt_lint_source *sources)
{
	return l->offset == other->offset && l->place == other->place && l->mseo == other->mseo &&
	       l->held == other->held && (l->place != INSIDE || l->start == other->start) &&
	       memcmp(l->buffer, other->buffer, l->held) == 0 && l->given == l->queued &&
	       other->given == other->queued && l->count == other->count &&
	       memcmp(l->sources, sources, l->count * sizeof *sources) == 0;
}
