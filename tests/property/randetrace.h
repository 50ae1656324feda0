/* Random parameters of E-Trace, for property tests. */
#ifndef TESTS_RANDETRACE_H
#define TESTS_RANDETRACE_H

#include <hartscope/etrace.h>

#include "property/randprog.h"

/* What they are for. */
struct et_case {
	const struct program *program;
	bool several; /* several harts in a stream */
	bool changes; /* options may change: each has its table */
};

/* Parameters that hs_et_config_check() takes; cases are with no option, each alone, all, some. */
void random_et_config(struct rng *r, uint64_t seed, const struct et_case *of,
                      struct hs_et_config *c);

/* Has the framing room for srcID, a timestamp, null packets? */
bool et_config_encapsulated(const struct hs_et_config *c);

/* Privileges that privilege_width holds (ET Table priv): bits, enum hs_priv. */
uint8_t et_config_privileges(const struct hs_et_config *c);

/* Make the itype of a block one of 3 bits: it does not distinguish jumps, and says nothing of those
 * whose target is in the code. */
void narrow_itype(struct hs_block *b);

/* Parameters with which packets are remembered, of the same itype and synchronisation as @c. */
void random_et_remembered(struct rng *r, struct hs_et_config *c);

#endif
