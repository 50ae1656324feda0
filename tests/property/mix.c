/* N-Trace of any parameters: messages of several sources, with and without a time (mix.h). */
#include "property/mix.h"

#include <string.h>

#include "ntrace/ntrace.h"

void mix_config(struct rng *r, unsigned xlen, struct hs_nt_config *c)
{
	memset(c, 0, sizeof *c);
	c->size = sizeof *c;
	c->inst_mode = rng_one_in(r, 2) ? HS_NT_BTM : HS_NT_HTM;
	c->sync_mode = rng_one_in(r, 2) ? HS_NT_SYNC_OFF : HS_NT_SYNC_MESSAGES;
	c->sync_max = (uint8_t)rng_below(r, 6);
	c->icnt_bits = rng_one_in(r, 2) ? 0 : (uint8_t)(5 + rng_below(r, 18));
	c->hist_bits = rng_one_in(r, 2) ? 0 : (uint8_t)(1 + rng_below(r, 31));
	c->dialect = rng_one_in(r, 8) ? HS_NT_DIALECT_SIFIVE :
	             rng_one_in(r, 2) ? HS_NT_DIALECT_V1_0 : HS_NT_DIALECT_RC7;
	c->sequential_jump = (uint8_t)rng_one_in(r, 3);
	c->implicit_return = rng_one_in(r, 4) ? (uint8_t)(1 + rng_below(r, 3)) : 0;
	c->repeated_history = (uint8_t)rng_one_in(r, 3);
	c->repeat_branch = (uint8_t)rng_one_in(r, 3);
	c->all_jumps = (uint8_t)rng_one_in(r, 4);
	c->extend_addr = (uint8_t)rng_one_in(r, 3);
	c->context = (uint8_t)rng_one_in(r, 4);
	c->timestamps = (uint8_t)rng_one_in(r, 3);
	c->tstamp_bits = rng_one_in(r, 3) ? (uint8_t)(1 + rng_below(r, 64)) : 0;
	c->src_bits = rng_one_in(r, 3) ? (uint8_t)(1 + rng_below(r, 8)) : 0;
	c->hist_always = (uint8_t)rng_below(r, 2);
	c->xlen = (uint8_t)xlen;
}

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
