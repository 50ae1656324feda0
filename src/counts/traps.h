/* Count the traps of a flow; <hartscope/counts.h> has the result. */
#ifndef HS_COUNTS_TRAPS_H
#define HS_COUNTS_TRAPS_H

#include <hartscope/counts.h>

#include "calls/scan.h"

struct hs_traps;

/** What to count. */
struct hs_traps_options {
	uint32_t size;                         /**< sizeof(struct hs_traps_options) */
	struct hs_program *program;            /**< code and names; kept */
	const struct hs_program_set *programs; /**< the programs of contexts, or NULL; kept */
	struct hs_guest *guest;                /**< names of functions, or NULL; kept */
	/** Called with each trap when it has returned, else by hs_traps_get_result() at the latest;
	 * may be NULL. */
	void (*each)(void *to, const struct hs_trap_taken *trap);
	void *each_to;
	uint32_t end_signal; /**< the signal that ended the program, by its recording; 0: none */
};

/**
 * Start.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No program, or options with members that this library lacks.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_traps_new(const struct hs_traps_options *options, struct hs_traps **traps);
void hs_traps_free(struct hs_traps *traps); /**< NULL is allowed */

/** Follow blocks and events. @retval HS_OK @retval HS_E_MEMORY  Then @traps may only be freed. */
enum hs_status hs_traps_add(struct hs_traps *traps, const struct hs_block *blocks, size_t n);

/** Follow the items of a scan that other threads made (call_tree.h).  Items among which no trap
 * begins or returns are taken together.  @retval HS_OK @retval HS_E_MEMORY  As above. */
enum hs_status hs_traps_add_scan(struct hs_traps *traps, const struct hs_call_scanner *scanner,
                                 const struct hs_call_scan *scan);

/** What was counted so far; valid until the next call with @traps.
 * @retval HS_OK @retval HS_E_MEMORY  As above. */
enum hs_status hs_traps_get_result(struct hs_traps *traps, struct hs_traps_result *result);

#endif
