/* N-Trace: the form of messages, then what the program needs. */
#include "identify/private.h"

#define FORM_BYTES ((size_t)1 << 14)
#define PROBE_BYTES ((size_t)1 << 11)
#define STEP_BYTES ((size_t)1 << 15)
#define MOST_SOURCES 64

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

bool identify_ntrace(struct identify_search *s)
{
	static const enum identify_axis axes[] = {
		IDENTIFY_SRC_BITS,        IDENTIFY_DIALECT,   IDENTIFY_IMPLICIT_RETURN,
		IDENTIFY_SEQUENTIAL_JUMP, IDENTIFY_ALL_JUMPS, IDENTIFY_EXTEND_ADDR,
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

size_t identify_nt_addresses(const struct hs_span *bytes, const struct hs_nt_config *c,
                             uint64_t *out, size_t room)
{
	struct hs_span in = *bytes;
	struct hs_nt_reader r;
	struct hs_nt_msg m;
	size_t n = 0;

	hs_nt_reader_init(&r, c->src_bits);
	hs_nt_reader_set_dialect(&r, c->dialect);
	while (n < room) {
		const enum hs_status s = hs_nt_read(&r, &in, &m);

		if (s == HS_MORE)
			break;
		if (s == HS_OK && hs_nt_has(&m, HS_NTF_FADDR))
			out[n++] = m.field[HS_NTF_FADDR] << 1;
	}
	return n;
}
