/* Adding to a cached path what its packet did to predictor and cache, and where its time is
 * (recall_tables.h). */
#include "etrace/recall_tables.h"

#include "core/mem.h"
#include "etrace/place.h"
#include "etrace/predictor.h"

struct et_replay et_replay_begin(const struct hs_et_decoder *d, struct hs_et_source *s)
{
	const struct hs_et_resolved *c = &d->config;
	const struct hs_et_layout *l = &d->reader.layout;
	const unsigned type = et_encapsulated(c->wire.frame) ? c->wire.type_bits : 0;
	const unsigned frame = et_names_source(c->wire.frame) ? et_frame_bits(c, false) : 0;
	const unsigned begin = l->begin + frame + type;
	struct et_replay r = { .tables = &s->tables, .unit_shift = c->iaddress_lsb > 1 ? 2 : 1 };

	r.index.entries = ((uint32_t)1 << c->cache_size) - 1;
	r.index.at = (uint8_t)(begin + 2 + l->f0s);
	r.index.extend = l->extend;
	r.index.spare = l->spare;
	r.index.mask = et_ones(2u + l->f0s) << begin;
	r.index.form = (uint64_t)(l->f0s ? 4 : 0) << begin;
	if (l->form[0][l->f0s ? 1 : 0] != HS_ET_FORM_INDEX)
		r.index.form = UINT64_MAX; /* none does */
	return r;
}

struct et_stamps et_stamps_begin(const struct hs_et_decoder *d, const struct hs_et_source *s)
{
	const struct hs_et_resolved *c = &d->config;
	const bool named = et_names_source(c->wire.frame);
	const unsigned bits = named ? et_frame_bits(c, false) : 0;
	const bool first = c->wire.frame == HS_ET_FRAME_MESSAGE && c->wire.stamp_first;
	const unsigned before = 8 + (first ? 0 : bits);
	const struct hs_block item = { .priv = s->priv & 7u, .kind = HS_KIND_TIME };

	return (struct et_stamps){ .time = s->track.time,
		                   .head = et_ones(before),
		                   .word = img_word(&item),
		                   .room = SIZE_MAX,
		                   .source = d->stream.several ? et_ones(c->src_bits) : 0,
		                   .bytes = named ? c->tstamp_bytes : 0,
		                   .at = (uint8_t)(before / 8),
		                   .shift = before % 8,
		                   .apart = (uint8_t)(bits / 8),
		                   .timed = s->track.timed != HS_TIMED_NOT,
		                   .silent = et_is_frame_silent(d, &s->track) };
}

/* ---- the predictor ----------------------------------------------------------------- */

/* How it is known which way a branch went. */
enum known { BY_BIT, BY_PREDICTION, BY_FAILURE };

/* The branches of the pending packet, in order: @bits of them are known by a bit, the next
 * @predicted went as predicted, one more did not. */
struct branches {
	uint64_t bits, predicted, n; /* n: so far */
	uint32_t touched[MEMO_BLOCKS + TOUCH_GROUP];
	unsigned count;
};

static enum known how_known(const struct branches *b)
{
	return b->n < b->bits ? BY_BIT : b->n < b->bits + b->predicted ? BY_PREDICTION : BY_FAILURE;
}

static uint32_t *find_touch(struct branches *b, uint32_t unit)
{
	for (unsigned i = 0; i < b->count; i++)
		if ((b->touched[i] & UINT16_MAX) == unit)
			return &b->touched[i];
	b->touched[b->count] = unit | TOUCH_KEPT << TOUCH_MAP_SHIFT | TOUCH_ANY << TOUCH_FITS_SHIFT;
	return &b->touched[b->count++];
}

/* The next branch, whose state is number @unit.  @trains: it was followed, so it trained the
 * state. */
static void add_branch(struct branches *b, uint32_t unit, bool taken, bool trains)
{
	const enum known how = how_known(b);
	uint32_t *touch = find_touch(b, unit);

	for (unsigned from = 0; from < 4; from++) {
		const unsigned at = TOUCH_MAP_SHIFT + 2 * from;
		uint8_t value = *touch >> at & 3u;
		const bool as_predicted = et_predict(&value, 0, 0) == taken;

		if (how != BY_BIT && as_predicted != (how == BY_PREDICTION))
			*touch &= ~((uint32_t)1 << (TOUCH_FITS_SHIFT + from));
		if (trains)
			et_train(&value, 0, 0, taken);
		*touch = (*touch & ~((uint32_t)3 << at)) | (uint32_t)value << at;
	}
	b->n += trains;
}

/* Branches that the packet reports by a bit, as in format012.c. */
static unsigned map_bits(const struct hs_et_decoder *d)
{
	const unsigned branches = (unsigned)et_field(d, HS_ETF_BRANCHES);

	if (d->packet.form == HS_ET_FORM_BRANCH_COUNT)
		return 0;
	return branches ? branches : hs_et_has(&d->packet, HS_ETF_BRANCH_MAP) ? 31 : 0;
}

static uint32_t unit_of(const struct hs_path *p, uint64_t end, unsigned ilast)
{
	return (uint32_t)(((end >> 1) - ilast) >> p->coarse) & p->mask;
}

/* The branches of the blocks that were written, and, if it is predicted, the one at which the walk
 * stands. */
static void take_branches(const struct hs_et_decoder *d, const struct hs_et_source *s,
                          const struct flow_out *out, struct branches *b)
{
	const struct hs_path *p = &s->path;
	const struct hs_bb *own = &s->track.table->bbs[s->track.walk.cur];

	for (const struct hs_block *at = d->pending.from; at != out->p; at++)
		if (at->itype == HS_ITYPE_TAKEN || at->itype == HS_ITYPE_NOT_TAKEN)
			add_branch(b, unit_of(p, hs_block_end(at), at->ilast),
			           at->itype == HS_ITYPE_TAKEN, true);
	if (p->bits && b->n >= b->bits)
		add_branch(b, unit_of(p, flow_after(own), own->ilast), p->hist >> 63, false);
}

/* Are the states what the touches say that they became? */
static bool agrees(const struct branches *b, const uint8_t *states)
{
	for (unsigned i = 0; i < b->count; i++) {
		const uint32_t touch = b->touched[i];
		const unsigned now = states[touch & UINT16_MAX];
		bool may = false;

		for (unsigned from = 0; from < 4; from++)
			may |= (touch >> TOUCH_FITS_SHIFT >> from & 1u) &&
			       (touch >> TOUCH_MAP_SHIFT >> 2 * from & 3u) == now;
		if (!may)
			return false;
	}
	return true;
}

/* Fill the last group. */
static unsigned fill_group(struct branches *b)
{
	while (b->count % TOUCH_GROUP)
		b->touched[b->count++] =
			TOUCH_KEPT << TOUCH_MAP_SHIFT | TOUCH_ANY << TOUCH_FITS_SHIFT;
	return b->count / TOUCH_GROUP;
}

/* ---- both --------------------------------------------------------------------------- */

/* Targets that the packet put into the cache.  Naming an entry puts the target there again: no
 * change. */
static unsigned take_targets(const struct hs_et_decoder *d, const struct hs_et_source *s,
                             uint64_t *words)
{
	const bool named =
		d->packet.form == HS_ET_FORM_INDEX && s->tables.fills == 1 &&
		d->pending.key.bytes[1] == s->tables.filled[0] + 1 &&
		et_cache_index(&d->config, s->tables.filled[0]) == et_field(d, HS_ETF_INDEX);

	for (unsigned i = 0; i < s->tables.fills && !named; i++)
		words[i] = s->tables.filled[i];
	return named ? 0 : s->tables.fills;
}

/* Did look() see rightly whether the packet names an entry, and which? */
static bool is_key_right(const struct hs_et_decoder *d, struct hs_et_source *s)
{
	const struct et_replay r = et_replay_begin(d, s);
	const bool names = d->packet.form == HS_ET_FORM_INDEX;
	uint32_t index;

	return et_names_target(&r.index, d->pending.key.bytes[0], et_key_bytes(d, &d->pending.key),
	                       &index) == names &&
	       (!names || index == et_field(d, HS_ETF_INDEX));
}

bool et_own_of(const struct hs_et_decoder *d, struct hs_et_source *s, const struct flow_out *out,
               struct flow_own *own, uint64_t *words)
{
	const bool count = d->packet.form == HS_ET_FORM_BRANCH_COUNT;
	struct branches b;

	if (s->tables.fills > HS_ET_FILLS || (s->tables.cache && !is_key_right(d, s)))
		return false;
	memset(&b, 0, sizeof b);
	b.bits = map_bits(d) + (d->pending.key.state & ET_KEY_HAS_BIT ? 1 : 0);
	b.predicted = count ? et_field(d, HS_ETF_BRANCH_COUNT) + 31 : 0;
	if (s->path.states)
		take_branches(d, s, out, &b);
	if (s->path.states && !agrees(&b, s->path.states))
		return false;
	const unsigned fills = take_targets(d, s, words), groups = fill_group(&b);

	memcpy(words + fills, b.touched, b.count * sizeof *b.touched);
	own->words = words;
	own->n = fills + groups * TOUCH_GROUP / 2;
	own->counts = (uint64_t)fills << MEMO_OWN_LOW_SHIFT | (uint64_t)groups
	                                                              << MEMO_OWN_HIGH_SHIFT;
	return true;
}
