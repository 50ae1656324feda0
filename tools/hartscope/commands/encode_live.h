/* The encoder while a program is recorded: hartscope record --encode. */
#ifndef ENCODE_LIVE_H
#define ENCODE_LIVE_H

#include <hartscope/encode.h>

struct encode_live;

/* Begin a trace.  @argv: as of encode, with what is recorded in place of the recording; @harts: how
 * many the program has at most.  NULL after a complaint. */
struct encode_live *encode_live_open(int argc, char **argv, uint32_t harts);
/* What takes the blocks: for hs_encode_take(). */
struct hs_encode *encode_live_encoder(const struct encode_live *live);
/* The program has ended: the trace and its files get their names, and @live is freed.  Returns an
 * exit status. */
int encode_live_close(struct encode_live *live);
/* Nothing was recorded: remove what was written. */
void encode_live_discard(struct encode_live *live);

#endif
