/* Private state of importers.  It stands here because the caller owns the memory; no member may be
 * relied upon. */
#ifndef HARTSCOPE_PRIVATE_IMPORT_H
#define HARTSCOPE_PRIVATE_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/ingress.h>

/* One hart of a Spike log. */
struct hs_spike_hart {
	struct hs_builder builder;
	struct hs_trap trap; /**< waits for its tval line, when have_trap */
	uint64_t shown_pc;   /**< address of the last line with a disassembly, when have_shown */
	struct hs_insn shown;
	struct hs_retired held; /**< committed, and may have faulted after all, when have_held */
	uint32_t id;
	bool have_trap, have_shown, have_held;
};

#endif
