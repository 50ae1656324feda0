/* N-Trace messages of several sources, in one stream. */
#ifndef TESTS_PROPERTY_MIX_H
#define TESTS_PROPERTY_MIX_H

#include <stddef.h>
#include <stdint.h>

#include "property/randprog.h"

#define MIX_SOURCES 3u

struct mix_source {
	const uint8_t *messages;
	size_t left; /* bytes of them */
};

/* The messages of each source in their order, some of them together, so that all are in @to. */
size_t mix_messages(struct rng *r, struct mix_source *of, uint32_t sources, uint8_t *to);

#endif
