/* What harts executed, encoded as one trace; see changing.h. */
#include "trace/trace.h"
#include "cases.h"

#include "property/changing.h"
#include "trace/protocol.h"

void *changing_config(const struct hs_protocol *p, const struct changing_settings *s,
                      unsigned harts, const struct hs_isa *isa)
{
	void *config = calloc(1, p->config_size);
	struct hs_error e;

	hs_protocol_defaults(p, config);
	for (unsigned i = 0; i < 8 && s->set[i][0]; i++)
		assert_int_equal(hs_protocol_set(p, config, s->set[i][0], s->set[i][1], &e), HS_OK);
	if (harts > 1)
		assert_int_equal(hs_protocol_set_sources(p, config, harts), HS_OK);
	protocol_set_width(p, config, isa);
	return config;
}

static size_t encode_some(struct changing_flow *h, size_t most, uint8_t *to, size_t cap)
{
	const size_t left = h->n - h->given, n = left < most ? left : most;
	size_t used, len, end;

	assert_int_equal(hs_encoder_put(h->encoder, h->items + h->given, n, &used, to, cap, &len),
	                 HS_OK);
	h->given += used;
	if (h->given < h->n)
		return len;
	assert_int_equal(hs_encoder_end(h->encoder, to + len, cap - len, &end), HS_OK);
	h->ended = true;
	return len + end;
}

size_t changing_encode(const struct hs_protocol *p, void *config, struct rng *r,
                       struct changing_flow *harts, unsigned count, uint8_t *trace, size_t cap)
{
	unsigned open = count;
	size_t n = 0;

	for (unsigned i = 0; i < count; i++) {
		if (count > 1)
			hs_protocol_set_hart(p, config, i);
		assert_int_equal(hs_encoder_new(&harts[i].encoder, p, config), HS_OK);
	}
	while (open) {
		struct changing_flow *h = &harts[rng_below(r, count)];

		if (h->ended)
			continue;
		n += encode_some(h, 1 + rng_below(r, 30), trace + n, cap - n);
		open -= h->ended;
	}
	for (unsigned i = 0; i < count; i++)
		hs_encoder_free(harts[i].encoder);
	return n;
}

static bool ends_plainly(const struct hs_block *v, size_t i)
{
	return v[i].kind == HS_KIND_BLOCK && v[i + 1].kind == HS_KIND_BLOCK &&
	       v[i].itype != HS_ITYPE_NONE && !hs_itype_is_trap(v[i].itype);
}

size_t changing_interrupt(struct hs_block *v, size_t n)
{
	size_t i = n;

	while (i > 1 && !ends_plainly(v, i - 2))
		i--;
	if (i < 2)
		return 0;
	v[i - 1] = (struct hs_block){ .iaddr = v[i - 1].iaddr, .itype = HS_ITYPE_INTERRUPT,
		                      .priv = v[i - 1].priv };
	v[i] = (struct hs_block){ .kind = HS_KIND_TRAP, .arg = 7, .priv = v[i - 1].priv };
	return i + 1;
}
