/* TACIT: a trace begins with a SyncStart, and its bytes read as messages without a fault. */
#include <string.h>

#include "identify/private.h"

#define FORM_BYTES ((size_t)1 << 14)
#define PROBE_BYTES ((size_t)1 << 15)
#define LEAST_MESSAGES 8
#define SV39_BITS 40 /* of addresses in Rocket and BOOM */

/* Are they?  *predicts: branches are. */
static bool reads_well(const struct hs_span *bytes, struct identify_fit *fit, bool *predicts)
{
	struct hs_span in = { bytes->p, bytes->n < FORM_BYTES ? bytes->n : FORM_BYTES };
	struct tacit_reader r = { 0 };
	struct tacit_msg m;
	enum hs_status s = tacit_read(&r, &in, &m);

	*predicts = r.predicts;
	if (s != HS_OK || m.code != TACIT_START)
		return false;
	for (; s == HS_OK; s = tacit_read(&r, &in, &m))
		fit->messages++;
	fit->bytes = fit->explained = bytes->n;
	fit->any = true;
	return s == HS_MORE && fit->messages >= LEAST_MESSAGES;
}

/* What only the program shows: the width of addresses, and whether direct jumps have messages. */
static void try_with_program(struct identify_search *s, struct identify_guess *g, bool predicts)
{
	const struct hs_span bytes = { s->bytes.p,
		                       s->bytes.n < PROBE_BYTES ? s->bytes.n : PROBE_BYTES };
	const unsigned widths = s->code->most >> 63 ? 2 : 1;

	for (unsigned i = 0; i < widths * (1u + predicts); i++) {
		struct identify_guess other = *g;

		other.config.tacit.address_bits = i % widths ? SV39_BITS : 0;
		other.config.tacit.skip_jumps = i / widths != 0;
		identify_follow(s->code, &bytes, &other, NULL);
		if (i == 0 || identify_better(&other.fit, &s->best.fit))
			s->best = other;
	}
}

bool identify_tacit(struct identify_search *s)
{
	struct identify_guess g = { .transport = s->way->transport, .fixed = true };
	bool predicts;

	if (strcmp(s->way->transport, "raw") != 0 || s->way->inside ||
	    !reads_well(&s->bytes, &g.fit, &predicts))
		return false;
	g.config.is = IDENTIFY_TACIT;
	s->best = g;
	if (s->code)
		try_with_program(s, &g, predicts);
	return true;
}

size_t identify_windows(const struct identify_file *file, const struct identify_guess *g)
{
	return file->whole || g->config.is == IDENTIFY_TACIT ? 1 : file->windows;
}
