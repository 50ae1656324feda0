/* Saved harts: bytes whose order does not depend on the host, and how a hart of another depth
 * takes them (design/ctr). */
#include "core/crc32.h"
#include "ctr/private.h"

#define MAGIC 0x52544348u /* "HCTR" */
#define HEADER 36u
#define ENTRY 24u
#define CHECKSUM 4u

enum { WRAP = 1, FROZEN = 2, CCV = 4, FLAGS = 7 };

/* Where each field is. */
enum {
	AT_MAGIC = 0, AT_FORMAT = 4, AT_ENTRIES = 6, AT_VERSION = 8, AT_XLEN = 9, AT_DEPTH = 10,
	AT_WRPTR = 11, AT_FLAGS = 12, AT_ZERO = 13, AT_MCTL = 16, AT_VSCTL = 24, AT_CYCLES = 32
};

static void put_number(uint8_t *to, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get_number(const uint8_t *from, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)from[i] << 8 * i;
	return value;
}

/* Entries of the largest depth that a hart supports. */
static unsigned largest_depth(const struct hs_ctr_config *k)
{
	unsigned code = 4;

	while (!(k->depths >> code & 1))
		code--;
	return 16u << code;
}

size_t hs_ctr_save(const struct hs_ctr *c, uint8_t out[HS_CTR_SAVED_MAX])
{
	const unsigned n = largest_depth(&c->config);
	const size_t end = HEADER + (size_t)ENTRY * n;

	memset(out, 0, HEADER);
	put_number(out + AT_MAGIC, MAGIC, 4);
	put_number(out + AT_FORMAT, HS_CTR_SAVED_FORMAT, 2);
	put_number(out + AT_ENTRIES, n, 2);
	out[AT_VERSION] = (uint8_t)c->config.version;
	out[AT_XLEN] = c->config.xlen;
	out[AT_DEPTH] = c->depth;
	out[AT_WRPTR] = c->wrptr;
	out[AT_FLAGS] = (uint8_t)((c->wrap ? WRAP : 0) | (c->frozen ? FROZEN : 0) |
	                          (c->ccv ? CCV : 0));
	put_number(out + AT_MCTL, c->mctl, 8);
	put_number(out + AT_VSCTL, c->vsctl, 8);
	put_number(out + AT_CYCLES, c->cycles, 4);
	for (unsigned i = 0; i < n; i++) {
		uint8_t *to = out + HEADER + (size_t)ENTRY * i;

		put_number(to, c->entries[i].source, 8);
		put_number(to + 8, c->entries[i].target, 8);
		put_number(to + 16, c->entries[i].data, 8);
	}
	put_number(out + end, base_crc32(out, end), CHECKSUM);
	return end + CHECKSUM;
}

/* ---- restore ------------------------------------------------------------------------- */

static bool is_depth(unsigned entries)
{
	return entries >= 16 && entries <= HS_CTR_ENTRIES && !(entries & (entries - 1));
}

/* Whole, undamaged, and of this format?  @n: its bytes. */
static enum hs_status check_bytes(const struct hs_span *in, size_t *n)
{
	const uint8_t *p = in->p;
	unsigned entries;

	if (in->n < HEADER || get_number(p + AT_MAGIC, 4) != MAGIC)
		return HS_E_FORMAT;
	if (get_number(p + AT_FORMAT, 2) != HS_CTR_SAVED_FORMAT)
		return HS_E_UNSUPPORTED;
	entries = (unsigned)get_number(p + AT_ENTRIES, 2);
	*n = HEADER + (size_t)ENTRY * entries;
	if (!is_depth(entries) || in->n < *n + CHECKSUM ||
	    get_number(p + *n, CHECKSUM) != base_crc32(p, *n))
		return HS_E_FORMAT;
	if (p[AT_DEPTH] > 4 || 16u << p[AT_DEPTH] > entries || p[AT_FLAGS] & ~FLAGS ||
	    p[AT_WRPTR] >= 16u << p[AT_DEPTH] || get_number(p + AT_ZERO, 3) != 0)
		return HS_E_FORMAT;
	*n += CHECKSUM;
	return HS_OK;
}

/* The registers, but those that the depth changes. */
static void take_registers(struct hs_ctr *c, const uint8_t *p)
{
	c->mctl = get_number(p + AT_MCTL, 8);
	c->vsctl = get_number(p + AT_VSCTL, 8);
	c->cycles = (uint32_t)get_number(p + AT_CYCLES, 4);
	c->wrap = p[AT_FLAGS] & WRAP;
	c->frozen = p[AT_FLAGS] & FROZEN;
	c->ccv = p[AT_FLAGS] & CCV;
}

static struct hs_ctr_entry entry_at(const uint8_t *p, unsigned i)
{
	const uint8_t *from = p + HEADER + (size_t)ENTRY * i;

	return (struct hs_ctr_entry){ .source = get_number(from, 8),
		                      .target = get_number(from + 8, 8),
		                      .data = get_number(from + 16, 8) };
}

/* The same depth: every entry at its place, those of larger depths too. */
static void take_entries(struct hs_ctr *c, const uint8_t *p)
{
	const unsigned n = (unsigned)get_number(p + AT_ENTRIES, 2);
	const unsigned room = largest_depth(&c->config);

	for (unsigned i = 0; i < n && i < room; i++)
		c->entries[i] = entry_at(p, i);
	c->wrptr = p[AT_WRPTR];
}

/* Another depth: records keep their logical numbers; the oldest go where there is no room, and
 * where there is more it is empty. */
static void move_entries(struct hs_ctr *c, const uint8_t *p)
{
	const unsigned old = 16u << p[AT_DEPTH], new = ctr_depth(c), wrptr = p[AT_WRPTR];

	for (unsigned i = 0; i < old && i < new; i++)
		c->entries[(wrptr - 1 - i) & (new - 1)] = entry_at(p, (wrptr - 1 - i) & (old - 1));
	if (wrptr >= new && ctr_profile(c)->wrap)
		c->wrap = true;
	c->wrptr = (uint8_t)(wrptr & (new - 1));
}

enum hs_status hs_ctr_restore(struct hs_ctr *c, struct hs_span *in)
{
	const uint8_t *p = in->p;
	struct hs_ctr r;
	size_t n;
	const enum hs_status status = check_bytes(in, &n);

	if (status != HS_OK)
		return status;
	if (p[AT_VERSION] != c->config.version || p[AT_XLEN] != c->config.xlen)
		return HS_E_CONFIG;
	memset(&r, 0, sizeof(r));
	r.config = c->config;
	take_registers(&r, p);
	r.depth = ctr_nearest_depth(&r, ctr_profile(c)->codes[p[AT_DEPTH]]);
	if (r.depth == p[AT_DEPTH])
		take_entries(&r, p);
	else
		move_entries(&r, p);
	hs_ctr_refresh(&r);
	if (hs_ctr_check(&r) != HS_OK)
		return HS_E_FIELD;
	*c = r;
	in->p += n;
	in->n -= n;
	return HS_OK;
}
