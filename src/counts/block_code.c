/* Copies of code (block_code.h). */
#include <stdlib.h>
#include <string.h>

#include "counts/block_code.h"

#define CHUNK ((size_t)1 << 16)

struct code_chunk {
	struct code_chunk *next;
	size_t room, used;
	_Alignas(8) uint8_t bytes[];
};

static struct code_chunk *add_chunk(struct block_codes *codes, size_t need)
{
	const size_t room = need > CHUNK ? need : CHUNK;
	struct code_chunk *c = malloc(sizeof(*c) + room);

	if (!c)
		return NULL;
	*c = (struct code_chunk){ .next = codes->chunks, .room = room };
	codes->chunks = c;
	codes->bytes += room;
	return c;
}

/* How many of the bytes @image has, up to the first one that is missing. */
static uint64_t known_bytes(const struct hs_image *image, uint64_t addr, uint64_t size)
{
	uint64_t known = 0;
	size_t n;

	while (known < size && hs_img_bytes(image, addr + known, &n))
		known += n;
	return known < size ? known : size;
}

static void copy_bytes(uint8_t *to, const struct hs_image *image, uint64_t addr, uint64_t size)
{
	for (uint64_t at = 0; at < size;) {
		size_t n;
		const uint8_t *from = hs_img_bytes(image, addr + at, &n);

		n = n < size - at ? n : (size_t)(size - at);
		memcpy(to + at, from, n);
		at += n;
	}
}

const struct block_code *profile_code_copy(struct block_codes *codes, const struct hs_image *image,
                                           uint64_t addr, uint64_t size)
{
	const uint64_t known = known_bytes(image, addr, size);
	const size_t need = (sizeof(struct block_code) + (size_t)known + 7) / 8 * 8;
	struct code_chunk *c = codes->chunks;

	if (!c || c->room - c->used < need)
		c = add_chunk(codes, need);
	if (!c)
		return NULL;
	struct block_code *code = (void *)(c->bytes + c->used);

	c->used += need;
	code->size = known;
	copy_bytes(code->bytes, image, addr, known);
	return code;
}

bool profile_code_is_in(const struct block_code *code, const struct hs_image *image, uint64_t addr)
{
	for (uint64_t at = 0; at < code->size;) {
		size_t n;
		const uint8_t *p = hs_img_bytes(image, addr + at, &n);

		n = n < code->size - at ? n : (size_t)(code->size - at);
		if (!p || memcmp(p, code->bytes + at, n) != 0)
			return false;
		at += n;
	}
	return true;
}

int profile_code_compare(const struct block_code *a, const struct block_code *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return memcmp(a->bytes, b->bytes, a->size);
}

void profile_codes_free(struct block_codes *codes)
{
	while (codes->chunks) {
		struct code_chunk *c = codes->chunks;

		codes->chunks = c->next;
		free(c);
	}
	codes->bytes = 0;
}
