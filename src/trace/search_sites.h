/* Where images of the same code differ: sites, and the versions of each. */
#ifndef HS_CODE_SEARCH_SITES_H
#define HS_CODE_SEARCH_SITES_H

#include <hartscope/protocol.h>

#include "trace/search_patches.h"

#define IMAGES_MAX 64u

/* Bytes that differ between images.  Version 0 is that of the first one. */
struct site {
	uint64_t start;
	uint32_t size;
	uint32_t first; /* of its versions, in sites.versions */
	uint8_t count;  /* versions */
	bool decides;   /* they lead different ways */
	bool area;      /* larger than a patch: memory that was used again, code that came */
};

struct version {
	const uint8_t *bytes;
	uint32_t image; /* the first one that has it; HS_CODE_PATCHED: a patch */
};

/* The images, all with the same sections, and what differs. */
struct sites {
	struct hs_image images[IMAGES_MAX];
	size_t image_count;
	struct hs_section *sections; /* image_count times those of an image */
	uint8_t *memory;             /* image_count times size bytes */
	uint64_t size;
	struct site *items;
	size_t count, room;
	struct version *versions;
	size_t version_count, version_room;
	struct patches patches;      /* of the first image */
	const struct hs_image *last; /* as it was given; during sites_init() */
	uint64_t *near;              /* a bit for each address near a site that decides, hashed */
};

/* HS_OK, HS_E_MEMORY; sites_free() after either. */
enum hs_status sites_init(struct sites *s, const struct hs_image *images, size_t count);
void sites_free(struct sites *s);

/* The first site that ends after @addr; s->count: there is none. */
size_t sites_after(const struct sites *s, uint64_t addr);

/* May a site that decides, and is no area, be at one of the bytes [start, end)? */
bool sites_may_touch(const struct sites *s, uint64_t start, uint64_t end);

static inline const struct version *site_version(const struct sites *s, const struct site *site,
                                                 unsigned number)
{
	return &s->versions[site->first + number];
}

#endif
