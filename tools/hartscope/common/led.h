/* What each message of a trace leads to (led.c). */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_LED_H
#define HS_TOOLS_HARTSCOPE_COMMON_LED_H

#include "common/lines.h"
#include "common/tool.h"

#define LED_NAME 300u /* bytes of a name with its offset */

#define LED_KEPT 8u

/* The blocks that a message ended: the first ones and the last ones. */
struct led_blocks {
	uint64_t count;
	struct hs_block first[LED_KEPT], last[LED_KEPT];
};

/* A second reading of the trace, which is decoded. */
struct led_reader {
	struct hs_source *source;
	struct hs_follower *follower;
	struct led_blocks *kept; /* where blocks are kept, too; NULL */
	void (*item)(void *of, const struct hs_block *b); /* is given each item first; NULL */
	void *of;
	uint64_t errors; /* that the decoder could not follow */
};

/* Open a trace once more.  @from: byte from which on messages will be asked for.  False: after a
 * complaint, and *status is the exit status. */
bool led_open(struct led_reader *r, const struct options *o, const char *path, uint64_t from,
              int *status);
void led_close(struct led_reader *r);

/* Follow the message that ends before byte @end; messages are given in their order. */
void led_follow(struct led_reader *r, uint64_t end, struct hs_followed *out);

/* One line of what a message led to, and the same as members of a JSON object. */
void led_text(struct lines *to, const struct led_reader *r, const struct hs_followed *l);
void led_json(const struct led_reader *r, const struct hs_followed *l);

/* Address of the last instruction of a block. */
uint64_t led_source(const struct hs_block *b);

/* How many of the first ones and of the last ones are kept, and not; a block of the last ones. */
unsigned led_blocks_first(const struct led_blocks *k);
unsigned led_blocks_last(const struct led_blocks *k);
uint64_t led_blocks_left_out(const struct led_blocks *k);
const struct hs_block *led_blocks_get_last(const struct led_blocks *k, unsigned index);

#endif
