/* N-Trace: the form of messages, then what the program needs. */
#include <stdlib.h>
#include <string.h>

#include "identify/private.h"
#include "ntrace/ntrace.h"

#define FORM_BYTES ((size_t)1 << 14)
#define PROBE_BYTES ((size_t)1 << 11)
#define STEP_BYTES ((size_t)1 << 15)
#define MOST_SOURCES 64
#define LINT_BYTES ((size_t)1 << 16)
#define LINT_SOURCES 32
#define ADDRESS_SOURCES 64

/* How much of the bytes is in messages without a fault, with SRC of so many bits. */
static void read_form(const struct hs_span *bytes, unsigned src_bits, struct identify_fit *fit)
{
	struct hs_span in = *bytes;
	struct hs_nt_reader r;
	struct hs_nt_msg m;
	enum hs_status s;
	bool seen[4096] = { false };
	uint64_t good = 0, sources = 0;

	*fit = (struct identify_fit){ .bytes = bytes->n };
	hs_nt_reader_init(&r, src_bits);
	hs_nt_reader_set_dialect(&r, HS_NT_DIALECT_SIFIVE);
	for (;;) {
		s = hs_nt_read(&r, &in, &m);
		if (s == HS_MORE)
			break;
		fit->contradicted += s != HS_OK || !m.known;
		if (s != HS_OK || !m.known)
			continue;
		sources += !seen[m.src & 4095];
		seen[m.src & 4095] = true;
		good += m.length;
		fit->messages++;
	}
	good += r.idle + r.held;
	good = good < bytes->n ? good : bytes->n;
	if (sources > MOST_SOURCES || sources * 4 > fit->messages + 8)
		good /= 2; /* a number that is different each time is none */
	fit->explained = good;
}

/* Of equals the fewest bits: what is always 0 may be SRC, too. */
bool identify_nt_form(const struct hs_span *all, struct identify_guess *g)
{
	const struct hs_span bytes = { all->p, all->n < FORM_BYTES ? all->n : FORM_BYTES };

	for (unsigned bits = 0; bits <= 12; bits++) {
		struct identify_fit fit;

		read_form(&bytes, bits, &fit);
		if (bits && !identify_better(&fit, &g->fit))
			continue;
		g->fit = fit;
		g->config.nt.src_bits = (uint8_t)bits;
	}
	return g->fit.messages > 4;
}

/* Is there code in the upper half of RV64, for whose addresses the width of a field matters? */
static bool is_high(const struct identify_code *code)
{
	return code->image->isa.xlen != 32 && code->most >> 63;
}

bool identify_ntrace(struct identify_search *s)
{
	static const enum identify_axis axes[] = {
		IDENTIFY_SRC_BITS,        IDENTIFY_DIALECT,   IDENTIFY_IMPLICIT_RETURN,
		IDENTIFY_SEQUENTIAL_JUMP, IDENTIFY_ALL_JUMPS, IDENTIFY_EXTEND_ADDR,
	};
	static const enum identify_axis widths[] = {
		IDENTIFY_SRC_BITS,        IDENTIFY_DIALECT,   IDENTIFY_IMPLICIT_RETURN,
		IDENTIFY_SEQUENTIAL_JUMP, IDENTIFY_ALL_JUMPS, IDENTIFY_ADDRESS_BITS,
	};
	struct identify_guess g = {
		.config.nt = { .size = sizeof(g.config.nt), .dialect = HS_NT_DIALECT_V1_0 },
		.transport = s->way->transport,
	};
	const bool formed = identify_nt_form(&s->bytes, &g) && identify_share(&g.fit) > 9000;

	s->best = s->form = g;
	if (!formed || !s->code)
		return formed;
	identify_product(s, &g, axes, 6, PROBE_BYTES, NULL);
	if (is_high(s->code))
		identify_product(s, &g, widths, 6, PROBE_BYTES, NULL);
	identify_product(s, &g, axes + 1, 5, STEP_BYTES, NULL);
	identify_descend(s, &g, STEP_BYTES);
	s->best = g;
	return true;
}

void identify_nt_refine(struct identify_search *s, struct identify_guess *g)
{
	static const enum identify_axis axes[] = {
		IDENTIFY_DIALECT,
		IDENTIFY_IMPLICIT_RETURN,
		IDENTIFY_SEQUENTIAL_JUMP,
		IDENTIFY_ALL_JUMPS,
	};

	identify_product(s, g, axes, 4, s->bytes.n, NULL);
	identify_descend(s, g, s->bytes.n);
}

/* ---- dialects ------------------------------------------------------------------------ */

struct linter {
	struct hs_nt_lint lint;
	struct hs_nt_lint_source sources[LINT_SOURCES];
	struct hs_nt_decoder decoder;
	struct hs_nt_source decoded[LINT_SOURCES];
};

/* What the dialect forbids, on the first bytes. */
static size_t count_errors(struct linter *l, const struct identify_search *s,
                           const struct hs_nt_config *c)
{
	struct hs_span in = { s->bytes.p, s->bytes.n < LINT_BYTES ? s->bytes.n : LINT_BYTES };
	struct hs_finding f;
	size_t errors = 0;

	if (hs_nt_lint_init(&l->lint, c, l->sources, LINT_SOURCES) != HS_OK ||
	    hs_nt_decoder_init(&l->decoder, c, &s->code->table, l->decoded, LINT_SOURCES) != HS_OK)
		return SIZE_MAX;
	hs_nt_lint_program(&l->lint, &l->decoder);
	while (hs_nt_lint_next(&l->lint, &in, &f) == HS_OK)
		errors += hs_nt_finding_get_kind(f.id)->severity == HS_SEVERITY_ERROR;
	return errors;
}

/* A decoder tolerates what its dialect forbids: of those that have the same flow, the dialect whose
 * rules the messages keep. */
void identify_nt_dialect(struct identify_search *s, struct identify_guess *g)
{
	struct linter *l = malloc(sizeof(*l));
	struct identify_guess best = *g;
	size_t least = l ? count_errors(l, s, &g->config.nt) : 0;

	identify_follow(s->code, &s->bytes, &best, NULL);
	for (unsigned id = 0; id < HS_NT_DIALECT_COUNT && least; id++) {
		struct identify_guess other = best;

		other.config.nt.dialect = (uint8_t)id;
		const size_t errors = count_errors(l, s, &other.config.nt);

		if (errors >= least)
			continue;
		identify_follow(s->code, &s->bytes, &other, NULL);
		if (!identify_same_flow(&other.fit, &best.fit))
			continue;
		least = errors;
		g->config.nt.dialect = (uint8_t)id;
	}
	free(l);
}

/* ---- a program that is elsewhere ------------------------------------------------------ */

/* Different addresses of messages, as bytes. */
static size_t find_addresses(const struct hs_span *bytes, const struct hs_nt_config *c,
                             uint64_t *out, size_t room)
{
	struct hs_span in = *bytes;
	struct hs_nt_reader r;
	struct hs_nt_msg m;
	uint64_t last[ADDRESS_SOURCES] = { 0 }; /* 0: not known */
	size_t n = 0;

	hs_nt_reader_init(&r, c->src_bits);
	hs_nt_reader_set_dialect(&r, c->dialect);
	while (n < room) {
		const enum hs_status s = hs_nt_read(&r, &in, &m);
		uint64_t *a = &last[m.src % ADDRESS_SOURCES];

		if (s == HS_MORE)
			break;
		if (s != HS_OK)
			memset(last, 0, sizeof(last));
		else if (hs_nt_has(&m, HS_NTF_FADDR))
			*a = hs_nt_address(c, &m, HS_NTF_FADDR);
		else if (*a && hs_nt_has(&m, HS_NTF_UADDR))
			*a ^= hs_nt_address(c, &m, HS_NTF_UADDR);
		else
			continue;
		if (s == HS_OK)
			identify_add_address(out, &n, room, *a);
	}
	return n;
}

size_t identify_nt_offsets(const struct identify_search *s, const struct hs_nt_config *c,
                           int64_t out[IDENTIFY_OFFSETS])
{
	struct identify_move move[IDENTIFY_MOVES];
	uint64_t addresses[IDENTIFY_ADDRESSES];
	const size_t n = find_addresses(&s->bytes, c, addresses, IDENTIFY_ADDRESSES);
	struct identify_targets targets;
	size_t found = 0, moves = 0;
	int64_t offset;

	if (identify_find_targets(s->code, &targets))
		moves = identify_find_moves(&targets, addresses, n, move);
	for (size_t i = 0; i < moves; i++)
		identify_add_offset(out, &found, identify_offset_of(&targets, move[i].by));
	identify_drop_targets(&targets);
	if (identify_find_offset(s->code, addresses, n, &offset))
		identify_add_offset(out, &found, offset);
	return found;
}
