/* N-Trace messages of several sources, with and without a time, in one stream (mix.h). */
#include "property/mix.h"

#include <string.h>

#include "ntrace/ntrace.h"

/* The length of some messages, from one to as many as a queue sends at once. */
static size_t some_messages(struct rng *r, const struct mix_source *of)
{
	size_t end = 0;

	for (uint32_t n = 1 + rng_below(r, rng_one_in(r, 2) ? 3 : 60); n && end < of->left; end++)
		n -= (of->messages[end] & 3) == 3;
	return end;
}

size_t mix_messages(struct rng *r, struct mix_source *of, uint32_t sources, uint8_t *to)
{
	size_t all = 0, length = 0;

	for (uint32_t i = 0; i < sources; i++)
		all += of[i].left;
	while (length < all) {
		struct mix_source *next = &of[rng_below(r, sources)];
		const size_t n = some_messages(r, next);

		memcpy(to + length, next->messages, n);
		next->messages += n;
		next->left -= n;
		length += n;
	}
	return length;
}

size_t mix_times(struct rng *r, const struct hs_nt_config *c, struct hs_span in, uint8_t *to,
                 size_t room)
{
	const uint32_t one_in = 1 + rng_below(r, 20);
	struct hs_nt_reader reader;
	struct hs_nt_msg m;
	size_t n = 0;

	hs_nt_reader_init(&reader, c->src_bits);
	hs_nt_reader_set_dialect(&reader, c->dialect);
	while (n + HS_NT_MSG_MAX <= room && hs_nt_read(&reader, &in, &m) == HS_OK) {
		if (rng_one_in(r, one_in))
			m.present &= ~((uint32_t)1 << HS_NTF_TSTAMP);
		else if (rng_one_in(r, 20))
			m.field[HS_NTF_TSTAMP] = rng_next(r) >> rng_below(r, 64);
		n += hs_nt_dialect_write(c->dialect, &m, c->src_bits, to + n);
	}
	return n;
}
