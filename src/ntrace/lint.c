/* Lint: bytes to messages by the order of MSEO (NT 3.1), and what it finds. */
#include "ntrace/lint.h"
#include "ntrace/nt_message.h"
#include "ntrace/tables.h"

#define IDLE 0xffu

enum place { AT_START, BETWEEN, INSIDE, SKIPPING }; /* where the next byte is */

#define LINT struct hs_nt_lint
#define LINT_SOURCE struct hs_nt_lint_source
#include "flow/lint.h"

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

static void take_byte(struct hs_nt_lint *l, uint8_t byte)
{
	const unsigned mseo = byte & 3u;

	if (l->place == INSIDE)
		read_inside(l, byte, mseo, l->offset);
	else if (l->place == SKIPPING)
		l->place = mseo == 3 ? BETWEEN : SKIPPING;
	else
		read_between(l, byte, mseo, l->offset);
	l->mseo = (uint8_t)mseo;
	l->offset++;
}

static void end_bytes(struct hs_nt_lint *l)
{
	if (l->place == INSIDE)
		nt_lint_byte(l, HS_NT_FIND_ENDS_INSIDE, l->start);
}

static void end_source(struct hs_nt_lint *l, struct hs_nt_lint_source *s)
{
	nt_lint_order_end(l, s);
}

enum hs_status hs_nt_lint_next(void *lint, struct hs_span *in, struct hs_finding *out)
{
	return next_finding(lint, in, out);
}

enum hs_status hs_nt_lint_end(void *lint, struct hs_finding *out)
{
	return next_finding(lint, NULL, out);
}

/* ---- several that read parts of a stream ---------------------------------------- */

void hs_nt_lint_take(void *lint, const void *from, const void *sources)
{
	take_lint(lint, from, sources);
}

void hs_nt_lint_begin(void *lint, uint64_t offset)
{
	struct hs_nt_lint *l = lint;
	struct hs_nt_decoder *decoder = l->decoder;

	l->decoder = NULL;
	lose_sources(l);
	l->decoder = decoder;
	l->offset = offset;
	l->place = BETWEEN;
	l->mseo = 3;
	l->held = 0;
}

bool hs_nt_lint_alike(const void *lint, const void *copy, const void *sources)
{
	const struct hs_nt_lint *l = lint, *other = copy;

	return same_sources(l, other, sources) && l->place == other->place &&
	       l->mseo == other->mseo && l->held == other->held &&
	       (l->place != INSIDE || l->start == other->start) &&
	       memcmp(l->buffer, other->buffer, l->held) == 0;
}
