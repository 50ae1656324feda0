/* Profiles: how many instructions ran, in which functions and modes, and how blocks ended.
 *
 * Cost is per block: distinct blocks are counted in a table, and only the table is expanded to
 * instructions and functions.
 *
 * Threads: a profile belongs to one thread at a time, and so do the programs that it was given.
 */
#ifndef HARTSCOPE_PROFILE_H
#define HARTSCOPE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/guest.h>
#include <hartscope/program.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_profile;

/** What functions and groups are counted by. */
enum hs_profile_by {
	HS_PROFILE_BY_NOTHING = 0, /**< a function once, in whatever process; no groups */
	HS_PROFILE_BY_PROCESS = 1, /**< each process: by the guest, else each context */
	HS_PROFILE_BY_HART = 2,
	HS_PROFILE_BY_MODE = 3, /**< the groups are the modes; functions as with nothing */
	/** Each thread, where the guest knows which one runs; else as by
	 * process. */
	HS_PROFILE_BY_THREAD = 4
};

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
	uint32_t size;              /**< sizeof(struct hs_profile_options) */
	uint8_t by;                 /**< enum hs_profile_by */
	struct hs_program *program; /**< code and names; kept */
	const struct hs_program_set *programs; /**< the programs of contexts, or NULL; kept */
	struct hs_guest *guest;     /**< names of functions and processes, or NULL; kept */
	/** Called with each distinct block, once or several times, before
	 * hs_profile_get_result() returns; NULL. */
	void (*each)(void *to, const struct hs_profile_block *block);
	void *each_to;
};

/** A function and what ran in it. */
struct hs_profile_function {
	const char *name;      /**< NULL: no symbol covers these instructions */
	uint64_t start;        /**< address; 0 without a name */
	uint64_t instructions; /**< retired */
	uint64_t entries;      /**< blocks that begin with its first instruction */
	uint32_t group;        /**< by process, thread or hart: whose it is, number of its group */
	uint64_t ends[16];     /**< blocks that end in it, by enum hs_itype */
	const char *symbol;    /**< as its file has it; NULL */
	const char *file;      /**< path of the file that has the code; NULL: not known */
	bool own_file;         /**< that is the program's first, or the kernel */
};

/** A privilege mode and what ran in it. */
struct hs_profile_mode {
	uint64_t instructions; /**< retired */
	uint64_t ends[16];     /**< blocks, by the enum hs_itype of their end */
};

/** A process, hart or mode and what ran in it. */
struct hs_profile_group {
	uint32_t number;       /**< of the group, for functions */
	const struct hs_guest_task *task; /**< NULL: the guest does not know who */
	uint64_t context;      /**< with has_context: by process or thread, the first of its own */
	bool has_context;
	uint32_t hart;         /**< by hart: its number */
	uint8_t priv;          /**< by mode: enum hs_priv */
	uint64_t instructions; /**< retired */
	uint64_t blocks;
	uint64_t ends[16];     /**< blocks by the enum hs_itype of their end */
	uint64_t switches;     /**< by process or thread: changes to it */
};

/** Data accesses that were traced. */
struct hs_profile_data {
	uint64_t loads, stores, atomics, csrs; /**< a split access counts once */
	uint64_t loaded, stored; /**< bytes; atomics count as both */
};

/** What was counted. */
struct hs_profile_result {
	uint64_t instructions; /**< retired */
	uint64_t halfwords;    /**< retired, units of 16 bits */
	uint64_t blocks;
	uint64_t distinct;
		/**< different blocks; where blocks differ only in how they end, or in
	                            their mode, one.  An upper bound above a million */
	uint64_t unmapped;     /**< blocks whose code is not known, wholly or at their end: the
	                            instructions from there on are not counted */
	uint64_t ends[16];     /**< blocks by the enum hs_itype of their end */
	uint64_t events[32];   /**< events by enum hs_kind */
	struct hs_profile_mode modes[8]; /**< by enum hs_priv */
	struct hs_profile_data data;
	const struct hs_profile_function *functions; /**< the hottest first */
	size_t function_count;
	uint64_t lone_traps[3]; /**< HS_KIND_TRAP without a block, by its itype, 1 or 2 */
	uint64_t unseen[2];    /**< HS_KIND_UNSEEN: how many, by enum hs_unseen */
	uint64_t notifications; /**< HS_KIND_SYNC for a trace event or trigger, SYNC 6 */
	const struct hs_profile_group *groups; /**< the hottest first */
	size_t group_count;
};

/**
 * Start a profile by nothing, without a guest.
 * @param program   Code and names; kept.
 * @param programs  The programs of contexts, or NULL; kept.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_profile_new(struct hs_program *program,
                                     const struct hs_program_set *programs,
                                     struct hs_profile **profile);

/**
 * Start a profile.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No program, or no such by; members that this library lacks.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_profile_open(const struct hs_profile_options *options,
                                      struct hs_profile **profile);
HS_API void hs_profile_free(struct hs_profile *profile); /**< NULL is allowed */

/** Count blocks and events. @retval HS_OK @retval HS_E_MEMORY  Only free it now. */
HS_API enum hs_status hs_profile_add(struct hs_profile *profile, const struct hs_block *blocks,
                                     size_t n);

/** Count blocks that came several times, as hs_memo_count() gives them.  Results as
 * hs_profile_add(). */
HS_API enum hs_status hs_profile_add_run(struct hs_profile *profile,
                                         const struct hs_run_count *run);

/**
 * What was counted so far.
 * @param[out] result  Its functions are valid until the next call with @profile.
 * @retval HS_OK
 * @retval HS_E_MEMORY  Only free it now.
 */
HS_API enum hs_status hs_profile_get_result(struct hs_profile *profile,
                                            struct hs_profile_result *result);

#ifdef __cplusplus
}
#endif
#endif
