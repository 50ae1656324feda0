/* Numbers of a recording in the other byte order (order.h). */
#include <string.h>

#include "recording/order.h"

/* The numbers that each type of record begins with, by how many bytes they have. */
static const char *const numbers[] = {
	[HS_REC_LOG_START] = "8448", [HS_REC_LOG_RUN] = "844",   [HS_REC_LOG_BLOCK] = "4444",
	[HS_REC_LOG_MAP] = "888",    [HS_REC_LOG_CODE] = "8",    [HS_REC_LOG_CHANGED] = "88",
	[HS_REC_LOG_RESUME] = "448", [HS_REC_LOG_VERSION] = "8", [HS_REC_LOG_MOVED] = "88",
};

void rec_swap_words(uint32_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		words[i] = __builtin_bswap32(words[i]);
}

static void swap_long(uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof(v));
}

static void swap_word(uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
}

void rec_swap_payload(const struct hs_rec_log_head *head, void *payload)
{
	const char *n =
		head->type < sizeof(numbers) / sizeof(*numbers) ? numbers[head->type] : NULL;
	uint8_t *p = payload;
	size_t left = head->size;

	for (; n && *n && left >= (size_t)(*n - '0'); n++) {
		const size_t bytes = (size_t)(*n - '0');

		if (bytes == 8)
			swap_long(p);
		else
			swap_word(p);
		p += bytes;
		left -= bytes;
	}
}

void rec_swap_records(void *records, size_t n)
{
	uint8_t *p = records;

	for (size_t at = 0, whole; n - at >= sizeof(struct hs_rec_log_head); at += whole) {
		struct hs_rec_log_head head;

		memcpy(&head, p + at, sizeof(head));
		whole = sizeof(head) + ((size_t)head.size + 7) / 8 * 8;
		if (whole > n - at)
			return;
		rec_swap_payload(&head, p + at + sizeof(head));
		swap_word(p + at);
		swap_word(p + at + 4);
	}
}
