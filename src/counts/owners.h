/* Whose the counted blocks are: a hart, a context and who is in it. */
#ifndef HS_PROFILE_OWNERS_H
#define HS_PROFILE_OWNERS_H

#include <hartscope/counts.h>

#include "program/select.h"
#include "support/hash.h"

struct owner {
	struct hs_guest_at at; /* without mode and code */
	const struct hs_guest_task *task;
	uint32_t hart;       /* with HS_PROFILE_BY_HART, or has_harts */
	uint32_t group;      /* index of groups */
	uint32_t hart_group; /* index of harts */
};

struct owners {
	struct hs_guest *guest;
	enum hs_profile_by by;
	bool has_harts;             /* harts are counted apart, whatever @by says */
	struct support_hash all;    /* of struct owner; the first one is nobody */
	struct support_hash groups; /* of struct hs_profile_group; by nothing there is one */
	struct support_hash harts;  /* the same by hart, with has_harts */
	uint32_t now, shared;       /* owners of user mode, and of the modes above it */
};

enum hs_status profile_owners_start(struct owners *o, struct hs_guest *guest, enum hs_profile_by by,
                                    bool harts);
void profile_owners_end(struct owners *o);

/* The hart or its context changed; @switches: so often to another context than before.  HS_OK or
 * HS_E_MEMORY. */
enum hs_status profile_owners_follow(struct owners *o, const struct program_select *select,
                                     uint64_t switches);

/* The groups of a result, the hottest first, whose count it gets; NULL: no memory. */
struct hs_profile_group *profile_groups(const struct owners *o, struct hs_profile_result *result);

/* The same of all harts, but for hart 0 where others came and nothing ran on it: it is there before
 * the first event. */
struct hs_profile_group *profile_harts(const struct owners *o, struct hs_profile_result *result);

static inline bool profile_by_task(const struct owners *o)
{
	return o->by == HS_PROFILE_BY_PROCESS || o->by == HS_PROFILE_BY_THREAD;
}

static inline struct owner *profile_owner(const struct owners *o, uint32_t number)
{
	return support_hash_item(&o->all, number);
}

static inline struct hs_profile_group *profile_group(const struct owners *o, uint32_t number)
{
	return support_hash_item(&o->groups, number);
}

static inline struct hs_profile_group *profile_hart(const struct owners *o, uint32_t number)
{
	return support_hash_item(&o->harts, number);
}

/* Whose a block of a mode is: a kernel's code is the same in all contexts. */
static inline uint32_t profile_owner_of(const struct owners *o, unsigned priv)
{
	return priv == HS_PRIV_U || priv == HS_PRIV_VU ? o->now : o->shared;
}

#endif
