/* Blocks of a recording to an encoder, as encode and stat --compare need it. */
#include "common/tool.h"

#define PIECES 256

/* A block longer than the encoder's counter goes in pieces, at instruction boundaries. */
static enum hs_status feed_long(const struct feed *f, const struct hs_block *b, size_t *len)
{
	struct hs_block pieces[PIECES];
	size_t n, used = 0;
	enum hs_status s = HS_E_BLOCK;

	for (uint32_t limit = 1u << 20; limit >= 16; limit /= 2) {
		s = hs_block_split(f->image, b, limit, pieces, PIECES, &n);
		if (s != HS_OK)
			return s;
		s = f->protocol->encode(f->encoder, pieces, n, &used, f->out, FEED_ROOM, len);
		if (s == HS_OK || used || s != HS_E_BLOCK)
			return s;
	}
	return s;
}

static void refuse(struct feed *f, enum hs_status s, const struct hs_block *b)
{
	struct hs_error e;

	f->refused++;
	if (!f->damage)
		return;
	hs_error_set(&e, s, "block at 0x%llx: %s", (unsigned long long)b->iaddr, hs_status_text(s));
	damage_add(f->damage, &e, HS_REASON_NONE);
}

bool feed_blocks(struct feed *f, const struct hs_block *b, size_t n)
{
	for (size_t at = 0, used = 0, len = 0; at < n; at += used, used = 0, len = 0) {
		enum hs_status s = f->protocol->encode(f->encoder, b + at, n - at, &used, f->out,
		                                       FEED_ROOM, &len);

		if (!f->put(f->to, f->out, len))
			return false;
		if (s != HS_E_BLOCK)
			continue;
		at += used;
		used = 1;
		len = 0;
		s = feed_long(f, &b[at], &len);
		if (!f->put(f->to, f->out, len))
			return false;
		if (s != HS_OK)
			refuse(f, s, &b[at]);
	}
	return true;
}

bool feed_end(struct feed *f)
{
	size_t len = 0;

	f->protocol->encode_end(f->encoder, f->out, FEED_ROOM, &len);
	return f->put(f->to, f->out, len);
}
