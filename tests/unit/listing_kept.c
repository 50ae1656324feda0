/* Texts of blocks that are kept (design/listing) are those that instructions have one by one:
 * random items in two listings, of which the second waits for the instruction of an access that
 * does not come, so that it looks at each instruction. */
#include "cases.h"

#include <hartscope/block.h>
#include <hartscope/views.h>

#include "small_loaded.h"

#define ITEMS 400u
#define ROUNDS 100u

static uint64_t state = 1;

static uint32_t pick(uint32_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

struct text {
	char *s;
	size_t n, cap;
	bool busy;        /* atomic: a thread writes */
	size_t limit;     /* writing fails from here on; 0: nowhere */
	unsigned refused; /* writes that failed */
};

static bool collect(void *context, const void *bytes, size_t n)
{
	struct text *t = context;

	assert_false(__atomic_exchange_n(&t->busy, true, __ATOMIC_RELAXED));
	if (t->limit && t->n + n > t->limit) {
		t->refused++;
		__atomic_store_n(&t->busy, false, __ATOMIC_RELAXED);
		return false;
	}
	if (t->n + n > t->cap) {
		t->cap = 2 * (t->n + n);
		t->s = realloc(t->s, t->cap);
		assert_non_null(t->s);
	}
	memcpy(t->s + t->n, bytes, n);
	t->n += n;
	__atomic_store_n(&t->busy, false, __ATOMIC_RELAXED);
	return true;
}

static struct hs_block random_block(void)
{
	static const struct hs_block blocks[] = {
		{ .iaddr = 0x10000, .iretire = 5, .itype = HS_ITYPE_CALL_INF },
		{ .iaddr = 0x10000, .iretire = 3, .itype = HS_ITYPE_INTERRUPT },
		{ .iaddr = 0x1000a, .iretire = 2, .itype = HS_ITYPE_TAKEN },
		{ .iaddr = 0x1000a, .iretire = 2, .itype = HS_ITYPE_NOT_TAKEN },
		{ .iaddr = 0x1000e, .iretire = 1, .itype = HS_ITYPE_RETURN },
		{ .iaddr = 0x1000e, .iretire = 0, .itype = HS_ITYPE_EXCEPTION },
		{ .iaddr = 0x10010, .iretire = 2, .itype = HS_ITYPE_RETURN },
		{ .iaddr = 0x10012, .iretire = 4, .itype = HS_ITYPE_NONE }, /* code is missing */
		{ .iaddr = 0x20000, .iretire = 2, .itype = HS_ITYPE_NONE },
	};

	return blocks[pick(sizeof(blocks) / sizeof(*blocks))];
}

static uint32_t harts = 3;

static struct hs_block random_item(void)
{
	if (harts > 3 && !pick(4))
		return (struct hs_block){ .kind = HS_KIND_HART, .arg = pick(harts) };
	switch (pick(25)) {
	case 24:
		return (struct hs_block){ .kind = HS_KIND_TRAP, .arg = 8, .value = pick(2),
			                  .itype = pick(2) ? HS_ITYPE_INTERRUPT : HS_ITYPE_NONE };
	case 0:
		return (struct hs_block){ .kind = HS_KIND_HART, .arg = pick(harts) };
	case 1:
		return (struct hs_block){ .kind = HS_KIND_CONTEXT, .value = pick(3), .arg = 2 };
	case 2:
		return (struct hs_block){ .kind = HS_KIND_TIME, .value = pick(1u << 30) };
	case 3: case 4: case 5:
		return (struct hs_block){ .kind = HS_KIND_TIME, .value = pick(1u << 30),
			                  .itype = HS_CLOCK_TIME };
	default:
		return random_block();
	}
}

static void list(const struct hs_listing_options *options, const struct hs_block *v, size_t n,
                 bool waits, struct text *out)
{
	const struct hs_block access = { .value = 0x1000, .itype = HS_ACCESS_LOAD, .ilast = 3,
		                         .arg = HS_ACCESS_HAS_ADDRESS << 16,
		                         .kind = HS_KIND_DATA };
	struct hs_listing_options o = *options;
	struct hs_listing *l;
	enum hs_status s;

	out->n = 0;
	o.context = out;
	assert_int_equal(hs_listing_new(&o, &l), HS_OK);
	if (waits)
		assert_int_equal(hs_listing_add(l, &access, 1), HS_OK);
	s = hs_listing_add(l, v, n);
	assert_true(s == HS_OK || (o.limit && s == HS_END));
	assert_int_equal(hs_listing_end(l), HS_OK);
	hs_listing_free(l);
}

TEST(kept_as_made)
{
	struct text one = { .n = 0 }, other = { .n = 0 };
	struct hs_block items[ITEMS];
	struct hs_program *p = small_program();

	for (unsigned round = 0; round < ROUNDS; round++) {
		const bool json = pick(2);
		const struct hs_listing_options o = {
			.size = sizeof(o), .program = p, .write = collect, .colour = pick(2),
			.format = json ? HS_LISTING_JSON : HS_LISTING_TEXT, .time = pick(2),
			.clock_hz = pick(2) * 1000000, .skip = pick(3) ? 0 : pick(300),
			.limit = pick(3) ? 0 : 1 + pick(300) };
		const size_t end = json ? 3 : 0;

		for (size_t i = 0; i < ITEMS; i++)
			items[i] = random_item();
		list(&o, items, ITEMS, false, &one);
		list(&o, items, ITEMS, true, &other);
		assert_true(one.n >= end && other.n > one.n);
		assert_memory_equal(one.s, other.s, one.n - end);
	}
	free(one.s);
	free(other.s);
	hs_program_free(p);
}

/* Items in pieces of any size, with an access now and then. */
static void list_pieces(const struct hs_listing_options *options, const struct hs_block *v,
                        size_t n, struct text *out, uint64_t counts[2])
{
	struct hs_listing_options o = *options;
	struct hs_listing *l;

	out->n = 0;
	o.context = out;
	assert_int_equal(hs_listing_new(&o, &l), HS_OK);
	for (size_t at = 0, piece; at < n; at += piece) {
		piece = 1 + pick(9000);
		piece = piece < n - at ? piece : n - at;
		assert_int_equal(hs_listing_add(l, v + at, piece), HS_OK);
	}
	assert_int_equal(hs_listing_end(l), HS_OK);
	counts[0] = hs_listing_count(l);
	counts[1] = hs_listing_unmapped(l);
	hs_listing_free(l);
}

#define MANY ((size_t)70000)
#define THREAD_ROUNDS 24u

/* Threads write what one thread writes (design/pool). */
TEST(threads_as_one)
{
	struct text one = { .n = 0 }, other = { .n = 0 };
	struct hs_block *items = calloc(MANY, sizeof(*items));
	struct hs_program *p = small_program();

	assert_non_null(items);
	for (unsigned round = 0; round < THREAD_ROUNDS; round++) {
		struct hs_listing_options o = {
			.size = sizeof(o), .program = p, .write = collect, .colour = pick(2),
			.format = (enum hs_listing_format)pick(3), .time = pick(2),
			.any_thread = round % 2, .skip = pick(3) ? 0 : pick(30000) };
		uint64_t counts[2], threaded[2];
		const uint32_t lonely = pick(2) ? 20000 : UINT32_MAX;

		/* in JSON each hart has texts of its own: of so many, not all are shared */
		harts = round % 8 == 7 ? 6000 : 3;
		if (harts > 3)
			o.format = HS_LISTING_JSON;

		for (size_t i = 0; i < MANY; i++) {
			items[i] = random_item();
			if (lonely != UINT32_MAX && !pick(lonely))
				items[i] = (struct hs_block){ .kind = HS_KIND_DATA, .value = 0x40,
					                      .itype = HS_ACCESS_STORE, .ilast = 2,
					                      .arg = HS_ACCESS_HAS_ADDRESS << 16 };
		}
		list_pieces(&o, items, MANY, &one, counts);
		o.threads = 2 + round % 7;
		list_pieces(&o, items, MANY, &other, threaded);
		assert_int_equal(one.n, other.n);
		assert_memory_equal(one.s, other.s, one.n);
		assert_memory_equal(counts, threaded, sizeof(counts));
	}
	harts = 3;
	free(one.s);
	free(other.s);
	free(items);
	hs_program_free(p);
}

/* ---- paths ---------------------------------------------------------------------------- */

#define PATHS 300u
#define PATH_BLOCKS 8u
#define PARTS 5u
#define PART ((size_t)9000) /* items */

/* Blocks that paths refer to, and items with and without. */
struct path_pool {
	struct hs_block blocks[PATHS * PATH_BLOCKS];
	uint8_t length[PATHS];
	struct hs_block referring[PART + 1], whole[PART * PATH_BLOCKS];
	size_t whole_n;
};

/* Other blocks under the same numbers. */
static void fill_pool(struct path_pool *p)
{
	for (unsigned i = 0; i < PATHS; i++) {
		p->length[i] = (uint8_t)(1 + pick(PATH_BLOCKS));
		for (unsigned k = 0; k < p->length[i]; k++) {
			struct hs_block *b = &p->blocks[i * PATH_BLOCKS + k];

			do
				*b = random_block();
			while (hs_itype_is_trap(b->itype));
			b->priv = HS_PRIV_UNKNOWN;
		}
	}
}

static void add_path(struct path_pool *p, struct hs_block *to)
{
	const unsigned i = pick(PATHS), priv = pick(3) ? HS_PRIV_U : HS_PRIV_M;

	*to = (struct hs_block){ .value = (uintptr_t)&p->blocks[i * PATH_BLOCKS],
		                 .arg = i * PATH_BLOCKS, .ilast = p->length[i],
		                 .priv = priv & 7u, .kind = HS_KIND_PATH };
	for (unsigned k = 0; k < p->length[i]; k++) {
		p->whole[p->whole_n] = p->blocks[i * PATH_BLOCKS + k];
		p->whole[p->whole_n++].priv = priv & 7u;
	}
}

/* @rare: one in so many items is none.  The last one says that the paths go. */
static void make_part(struct path_pool *p, unsigned rare)
{
	fill_pool(p);
	p->whole_n = 0;
	for (size_t i = 0; i < PART; i++)
		if (!pick(rare))
			p->referring[i] = p->whole[p->whole_n++] = random_item();
		else
			add_path(p, &p->referring[i]);
	p->referring[PART] = (struct hs_block){ .kind = HS_KIND_PATH };
}

static enum hs_status add_pieces(struct hs_listing *l, const struct hs_block *v, size_t n)
{
	enum hs_status s = HS_OK;

	for (size_t at = 0, piece; at < n && s == HS_OK; at += piece) {
		piece = 1 + pick(4000);
		piece = piece < n - at ? piece : n - at;
		s = hs_listing_add(l, v + at, piece);
	}
	return s;
}

static void end_both(struct hs_listing *whole, struct hs_listing *referring)
{
	assert_int_equal(hs_listing_end(whole), HS_OK);
	assert_int_equal(hs_listing_end(referring), HS_OK);
	assert_int_equal(hs_listing_count(whole), hs_listing_count(referring));
	assert_int_equal(hs_listing_unmapped(whole), hs_listing_unmapped(referring));
	hs_listing_free(whole);
	hs_listing_free(referring);
}

static void list_both(const struct hs_listing_options *options, uint32_t threads,
                      struct path_pool *p, struct text *one, struct text *other)
{
	const unsigned rare = pick(2) ? 4 : 200;
	struct hs_listing_options o = *options;
	struct hs_listing *whole, *referring;
	enum hs_status s = HS_OK;

	one->n = other->n = 0;
	o.context = one;
	assert_int_equal(hs_listing_new(&o, &whole), HS_OK);
	o.context = other;
	o.threads = threads;
	assert_int_equal(hs_listing_new(&o, &referring), HS_OK);
	for (unsigned part = 0; part < PARTS && s == HS_OK; part++) {
		make_part(p, rare);
		s = hs_listing_add(whole, p->whole, p->whole_n);
		assert_int_equal(add_pieces(referring, p->referring, PART + 1), s);
	}
	assert_true(s == HS_OK || (o.limit && s == HS_END));
	end_both(whole, referring);
}

/* Paths are their blocks, also where others come in their place. */
TEST(runs_as_blocks)
{
	struct text one = { .n = 0 }, other = { .n = 0 };
	struct path_pool *pool = calloc(1, sizeof(*pool));
	struct hs_program *p = small_program();

	assert_non_null(pool);
	for (unsigned round = 0; round < THREAD_ROUNDS; round++) {
		const struct hs_listing_options o = {
			.size = sizeof(o), .program = p, .write = collect, .colour = pick(2),
			.format = (enum hs_listing_format)pick(4), .time = pick(2),
			.any_thread = round % 2,
			.limit = pick(6) ? 0 : 1 + pick(100000),
			.skip = pick(4) ? 0 : pick(30000) };

		list_both(&o, 1 + round % 8, pool, &one, &other);
		assert_int_equal(one.n, other.n);
		assert_memory_equal(one.s, other.s, one.n);
	}
	free(one.s);
	free(other.s);
	free(pool);
	hs_program_free(p);
}

/* Nothing is written after what could not be, and what comes before it is all there. */
TEST(stops_at_failure)
{
	struct text one = { .n = 0 };
	struct hs_block *items = calloc(MANY, sizeof(*items));
	struct hs_program *p = small_program();

	assert_non_null(items);
	for (size_t i = 0; i < MANY; i++)
		items[i] = random_item();
	struct hs_listing_options o = { .size = sizeof(o), .program = p, .write = collect };

	list(&o, items, MANY, false, &one);
	for (unsigned round = 0; round < THREAD_ROUNDS; round++) {
		struct text other = { .limit = 1 + pick((uint32_t)one.n - 1) };
		struct hs_listing *l;

		o.context = &other;
		o.threads = round % 6;
		o.any_thread = round % 4 != 0;
		assert_int_equal(hs_listing_new(&o, &l), HS_OK);
		enum hs_status s = add_pieces(l, items, MANY);

		if (s == HS_OK && round % 3)
			s = hs_listing_end(l);
		hs_listing_free(l); /* also in the middle */
		assert_true(s == HS_E_SYSTEM || (s == HS_OK && !(round % 3)));
		assert_true(other.refused == 1 || (s == HS_OK && other.refused <= 1));
		assert_true(other.n <= other.limit);
		if (other.n)
			assert_memory_equal(one.s, other.s, other.n);
		free(other.s);
	}
	free(one.s);
	free(items);
	hs_program_free(p);
}
