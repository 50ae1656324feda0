/* Most packets: formats 1 and 2 with an address, and nothing else.
 *
 * Their fields fit in two words, which are written at once; writer.c writes the same field by
 * field.
 */
#include "core/bits.h"
#include "etrace/frame.h"

static struct et_frame frame_of(const struct hs_et_resolved *c)
{
	return (struct et_frame){ .src = c->src_id, .type = c->wire.type_inst };
}

/* Are the flags at the end of packets, and what fills the last byte, the sign of the address, and
 * is the rest one word? */
static bool is_usable(const struct hs_et_short *s, const struct hs_et_layout *l,
                      const struct hs_et_resolved *c)
{
	const struct hs_et_layout_config *w = &c->wire;
	const unsigned head = s->prefix_bits + 2 + l->width[HS_ETF_BRANCHES] + 31;

	return c->version != HS_ET_0_026 && c->version != HS_ET_FAST && !c->tstamp_bytes &&
	       !c->no_compress && w->chunk_bytes <= 1 && !w->trap_tval && !w->raw_forms &&
	       w->padding != HS_ET_PADDING_ZERO && w->padding != HS_ET_PADDING_ANY &&
	       w->frame != HS_ET_FRAME_BARE && w->frame != HS_ET_FRAME_INDEXED && s->prefix_bits &&
	       head < 64 && head + l->width[HS_ETF_ADDRESS] < 120;
}

void et_short_init(struct hs_et_short *s, const struct hs_et_layout *l,
                   const struct hs_et_resolved *c)
{
	const struct et_frame f = frame_of(c);
	const bool named = et_names_source(c->wire.frame);
	struct et_out o;

	et_out_init(&o, l->begin);
	s->apart = (uint8_t)(named ? et_put_source(c, &f, &o) : 1);
	s->prefix = o.acc;
	s->prefix_bits = (uint8_t)o.at;
	s->after = (uint8_t)(3 + l->width[HS_ETF_IRDEPTH] + l->width[HS_ETF_IRETS]);
	s->least = (uint8_t)(named ? s->apart + l->least : 2);
	s->usable = is_usable(s, l, c);
}

static inline void store(uint8_t *out, uint64_t v)
{
	const uint64_t bytes = et_little(v);

	memcpy(out, &bytes, sizeof bytes);
}

size_t et_short_write(const struct hs_et_short *s, const struct hs_et_layout *l,
                      const struct hs_et_resolved *c, unsigned branches, uint32_t map,
                      uint64_t address, uint8_t *out)
{
	const struct et_frame f = frame_of(c);
	const unsigned width = l->width[HS_ETF_ADDRESS];
	const uint64_t with = 1u | branches << 2 | (uint64_t)map << 7;
	const unsigned head = s->prefix_bits + (branches ? 7u + l->map[branches] : 2u);
	const uint64_t sign = address >> (width - 1) & 1 ? UINT64_MAX : 0;
	const uint64_t extended = address | (sign << 1) << (width - 1);
	const uint64_t low = s->prefix | (branches ? with : 2u) << s->prefix_bits |
	                     extended << head;
	const uint64_t high = extended >> (64 - head) | sign << head;
	const uint64_t above = high ^ sign;
	const unsigned bits = above ? 64 + et_length(above) : et_length(low ^ sign);
	const unsigned whole = (head + width + s->after + l->spare + 7) / 8;
	const unsigned kept = (bits + l->spare + 8) / 8;
	const unsigned most = kept < s->least ? s->least : kept, n = most < whole ? most : whole;

	store(out, low);
	store(out + 8, high);
	out[0] |= et_first_byte(c, &f, n, s->apart);
	return n;
}
