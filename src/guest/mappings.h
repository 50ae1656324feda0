/* Which file's code is where: found by the bytes that ran. */
#ifndef HS_GUEST_MAPPINGS_H
#define HS_GUEST_MAPPINGS_H

#include "guest/evidence.h"
#include "guest/objects.h"

/* A file in a space; before it is settled, only a candidate. */
struct guest_mapping {
	uint64_t bias; /* added to the addresses of the file */
	uint32_t object, space;
	uint32_t votes;         /* pieces that the index found in the file */
	uint32_t pieces, other; /* pieces in its range that are as in the file, and that are not */
	uint64_t bytes;         /* of the former */
	uint32_t first, last;   /* when the former were seen */
	bool changed; /* where the former ran, other code ran, too */
	bool accepted, ambiguous;
};

/* index.c: candidates of all spaces, unordered.  HS_OK or HS_E_MEMORY. */
enum hs_status guest_find_candidates(const struct guest_evidence *e, const struct guest_objects *o,
                                     struct support_hash *candidates);

/* match.c */
enum hs_status guest_settle_mappings(struct hs_guest *g);
/* Add one to the mappings of a space; the other spaces' move. */
enum hs_status guest_add_mapping(struct hs_guest *g, uint32_t space,
                                 const struct guest_mapping *mapping);
/* The segment of a mapping that has an address; NULL: none. */
const struct guest_segment *guest_segment_at(const struct guest_object *o, uint64_t bias,
                                             uint64_t addr);

#endif
