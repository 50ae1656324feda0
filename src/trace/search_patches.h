/* What an image says of its own changes: the tables that a Linux kernel has of places that it
 * patches while it boots and runs (design/code-versions). */
#ifndef HS_CODE_SEARCH_PATCHES_H
#define HS_CODE_SEARCH_PATCHES_H

#include <hartscope/image.h>

#define PATCH_MAX 64u /* bytes */

/* Bytes that the code at an address may come to have. */
struct patch {
	uint64_t start;
	uint32_t size;
	uint8_t bytes[PATCH_MAX];
};

struct patches {
	struct patch *v; /* by address */
	size_t n, room;
};

/* HS_OK, HS_E_MEMORY; patches_free() after either. */
enum hs_status patches_find(struct patches *p, const struct hs_image *image);
void patches_free(struct patches *p);

/* The first patch at @addr or after it; p->n: there is none. */
size_t patches_after(const struct patches *p, uint64_t addr);

#endif
