/* Shared by random tests of code that changes: what harts executed, encoded as one trace. */
#ifndef TESTS_CHANGING_H
#define TESTS_CHANGING_H

#include <hartscope/protocol.h>

#include "property/randprog.h"

/** Parameters of a trace. */
struct changing_settings {
	const char *protocol;
	const char *set[8][2]; /* NULL: no more */
};

/** The configuration of a protocol with these, for so many harts; free() it. */
void *changing_config(const struct hs_protocol *p, const struct changing_settings *s,
                      unsigned harts, const struct hs_isa *isa);

/** What a hart executed. */
struct changing_flow {
	const struct hs_block *items;
	size_t n;
	size_t given;  /* from here on: of changing_encode() */
	struct hs_encoder *encoder;
	bool ended;
};

/** Encode the flows of harts, some items of one after some of another.
 * @return bytes of @trace, which has room for @cap. */
size_t changing_encode(const struct hs_protocol *p, void *config, struct rng *r,
                       struct changing_flow *harts, unsigned count, uint8_t *trace, size_t cap);

/** Cut a walk after a block whose end leads somewhere, and interrupt the hart there; @v has room
 * for an item more.
 * @return items, 0: there is no such block. */
size_t changing_interrupt(struct hs_block *v, size_t n);

#endif
