/* Counts, for the other rooms: a profile on its own, of blocks that a room has. */
#ifndef HS_COUNTS_COUNTS_H
#define HS_COUNTS_COUNTS_H

#include <hartscope/counts.h>

struct hs_profile;

/** A distinct block, and how often it ran. */
struct hs_profile_block {
	const struct hs_block *block; /**< iaddr, iretire, itype and priv; the rest is 0 */
	uint64_t count;
	struct hs_program *program;   /**< whose it is */
	const struct hs_image *image; /**< its code, as it was when it ran */
	const struct hs_guest_at *at; /**< where its hart was; with mode */
	uint32_t group;               /**< as in struct hs_profile_function */
};

/** What to count. */
struct hs_profile_options {
	uint32_t size;                         /**< sizeof(struct hs_profile_options) */
	uint8_t by;                            /**< enum hs_profile_by */
	struct hs_program *program;            /**< code and names; kept */
	const struct hs_program_set *programs; /**< the programs of contexts, or NULL; kept */
	struct hs_guest *guest; /**< names of functions and processes, or NULL; kept */
	/** Called with each distinct block, once or several times, before
	 * hs_profile_get_result() returns; NULL. */
	void (*each)(void *to, const struct hs_profile_block *block);
	void *each_to;
};

/**
 * Start a profile by nothing, without a guest.
 * @param program   Code and names; kept.
 * @param programs  The programs of contexts, or NULL; kept.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
enum hs_status hs_profile_new(struct hs_program *program, const struct hs_program_set *programs,
                              struct hs_profile **profile);

/**
 * Start a profile.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No program, or no such by; members that this library lacks.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_profile_open(const struct hs_profile_options *options,
                               struct hs_profile **profile);
void hs_profile_free(struct hs_profile *profile); /**< NULL is allowed */

/** Count blocks and events. @retval HS_OK @retval HS_E_MEMORY  Only free it now. */
enum hs_status hs_profile_add(struct hs_profile *profile, const struct hs_block *blocks, size_t n);

/** Count blocks that came several times, as hs_memo_count() gives them.  Results as
 * hs_profile_add(). */
enum hs_status hs_profile_add_path(struct hs_profile *profile, const struct hs_path_count *path);

/**
 * What was counted so far.
 * @param[out] result  Its functions are valid until the next call with @profile.
 * @retval HS_OK
 * @retval HS_E_MEMORY  Only free it now.
 */
enum hs_status hs_profile_get_result(struct hs_profile *profile, struct hs_profile_result *result);

/** Count blocks that came one after the other several times, as hs_memo_count() gives them: of what
 * needs no order.  Results as hs_counts_add(). */
enum hs_status hs_counts_add_path(struct hs_counts *counts, const struct hs_path_count *path);

#endif
