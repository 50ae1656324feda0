/* The bare walk, which decoders are compared with: the table of basic blocks, a history bit a step,
 * 16 bytes written a step, no messages. */
#ifndef HS_BENCH_WALK_H
#define HS_BENCH_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>

struct walk;

/* NULL: out of memory. */
struct walk *walk_new(const struct hs_image *image);
void walk_free(struct walk *w);

/* Prepare the walk over @n blocks, then measure it.  False: it led elsewhere. */
bool walk_blocks(struct walk *w, const struct hs_block *b, size_t n);

/* Steps and seconds so far. */
uint64_t walk_steps(const struct walk *w);
double walk_seconds(const struct walk *w);

#endif
