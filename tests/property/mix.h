/* N-Trace of any parameters: messages of several sources, with and without a time. */
#ifndef TESTS_PROPERTY_MIX_H
#define TESTS_PROPERTY_MIX_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/ntrace.h>

#include "property/randprog.h"

#define MIX_SOURCES 3u

/* Any parameters that an encoder and a decoder take. */
void mix_config(struct rng *r, unsigned xlen, struct hs_nt_config *c);

struct mix_source {
	const uint8_t *messages;
	size_t left; /* bytes of them */
};

/* The messages of each source in their order, some of them together, so that all are in @to. */
size_t mix_messages(struct rng *r, struct mix_source *of, uint32_t sources, uint8_t *to);

/* The messages, some without a time, others with one of any number of bytes.  @return  Bytes. */
size_t mix_times(struct rng *r, const struct hs_nt_config *c, struct hs_span in, uint8_t *to,
                 size_t room);

#endif
