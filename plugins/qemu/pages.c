/* The code that was translated last, by page: where it is translated again and differs, it was
 * modified, or something else was mapped there. */
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

#define PAGE 4096u
#define BUCKETS 4096u

struct page {
	struct page *next;
	uint64_t number;
	uint8_t known[PAGE / 8];
	uint8_t bytes[PAGE];
};

static struct page *buckets[BUCKETS];

/* The page with this number, which is made when there is none; NULL: no memory. */
static struct page *get_page(uint64_t number)
{
	struct page **slot = &buckets[number % BUCKETS];
	struct page *p;

	for (p = *slot; p != NULL; p = p->next)
		if (p->number == number)
			return p;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return NULL;
	p->number = number;
	p->next = *slot;
	return *slot = p;
}

/* Store one byte.  True when another one was there. */
static bool replace_byte(struct page *p, unsigned at, uint8_t byte)
{
	const uint8_t bit = (uint8_t)(1u << at % 8);
	const bool differs = (p->known[at / 8] & bit) != 0 && p->bytes[at] != byte;

	p->known[at / 8] |= bit;
	p->bytes[at] = byte;
	return differs;
}

/* Store the bytes of a run.  Returns how many bytes there are from the first to the last one
 * that changed, and where the first is; 0: none changed. */
uint32_t plugin_pages_compare(uint64_t start, const uint8_t *code, uint32_t bytes, uint64_t *at)
{
	uint64_t first = 0, last = 0;
	struct page *p = NULL;
	bool any = false;

	for (uint32_t i = 0; i < bytes; i++) {
		const uint64_t addr = start + i;

		if (p == NULL || p->number != addr / PAGE)
			p = get_page(addr / PAGE);
		if (p == NULL || !replace_byte(p, addr % PAGE, code[i]))
			continue;
		if (!any)
			first = addr;
		last = addr;
		any = true;
	}
	*at = first;
	return any ? (uint32_t)(last - first + 1) : 0;
}
