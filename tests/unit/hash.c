/* The hash table of the hosted rooms. */
#include "cases.h"

#include "support/hash.h"

struct item {
	uint64_t key, value;
};

static bool same_key(const void *item, const void *key)
{
	return ((const struct item *)item)->key == *(const uint64_t *)key;
}

static uint32_t good_hash(uint64_t key)
{
	return support_hash_of(key, 0);
}

static uint32_t one_hash(uint64_t key)
{
	(void)key;
	return UINT32_MAX; /* the last slot: every search goes on at the first one */
}

static uint32_t own_hash(uint64_t key)
{
	return (uint32_t)key;
}

static const struct row {
	const char *name;
	uint32_t (*hash)(uint64_t key);
	uint64_t first, step;
	uint32_t keys;
} rows[] = {
	{ "none", good_hash, 0, 1, 0 },
	{ "one", good_hash, 7, 1, 1 },
	{ "addresses, growing", good_hash, 0x10000, 2, 20000 },
	{ "pages", good_hash, 0, 4096, 20000 },
	{ "high bits only", good_hash, 0, UINT64_C(1) << 44, 20000 },
	{ "all hashes equal", one_hash, 1, 1, 600 },
	{ "equal low bits of hashes", own_hash, 5, 1 << 16, 1000 },
};

static struct item *find_key(const struct support_hash *t, const struct row *r, uint64_t key)
{
	return support_hash_find(t, r->hash(key), same_key, &key);
}

TEST_ROWS(add_and_find, rows, r)
{
	struct support_hash t = { .item_size = sizeof(struct item) };

	for (uint32_t i = 0; i < r->keys; i++) {
		const uint64_t key = r->first + i * r->step;

		assert_null(find_key(&t, r, key));
		struct item *item = support_hash_add(&t, r->hash(key));

		assert_non_null(item);
		assert_int_equal(item->key, 0);
		assert_int_equal(item->value, 0);
		*item = (struct item){ key, i };
	}
	assert_int_equal(t.count, r->keys);
	for (uint32_t i = 0; i < r->keys; i++) {
		const uint64_t key = r->first + i * r->step;

		assert_ptr_equal(find_key(&t, r, key), support_hash_item(&t, i));
		assert_int_equal(((struct item *)support_hash_item(&t, i))->value, i);
	}
	assert_null(find_key(&t, r, r->first + r->keys * r->step));
	support_hash_free(&t);
}

TEST_NAMED(clear, "clear and free")
{
	struct support_hash t = { .item_size = sizeof(struct item) };
	const struct row *r = &rows[1];

	support_hash_clear(&t);
	for (uint64_t key = 0; key < 1000; key++)
		((struct item *)support_hash_add(&t, good_hash(key)))->key = key;
	support_hash_clear(&t);
	assert_int_equal(t.count, 0);
	assert_null(find_key(&t, r, 7));
	((struct item *)support_hash_add(&t, good_hash(7)))->key = 7;
	assert_ptr_equal(find_key(&t, r, 7), t.items);
	assert_null(find_key(&t, r, 8));
	support_hash_free(&t);
	assert_null(find_key(&t, r, 7));
	assert_non_null(support_hash_add(&t, good_hash(7)));
	support_hash_free(&t);
}
