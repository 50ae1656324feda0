/* TACIT: bytes to messages. */
#ifndef HS_TACIT_TACIT_READER_H
#define HS_TACIT_TACIT_READER_H

#include "tacit/tacit_message.h"

struct tacit_reader {
	uint64_t offset; /**< of the next byte */
	uint64_t start;  /**< of the last message, or of the one that is not complete */
	/* Private: */
	bool skipping; /* after bytes that are no message: up to one that synchronises */
	bool predicts; /* CONFIG of the last synchronisation */
	uint8_t held;  /* bytes of an unfinished message */
	uint8_t buffer[TACIT_MSG_MAX];
};

/** All 0 is the start. */

/**
 * The next message.  @in may stop anywhere: how a stream is cut never changes its messages.
 * @param[in,out] in  Moved past the bytes taken.
 * @param[out]    m   With HS_OK the message, with HS_E_FIELD its offset.
 * @retval HS_OK
 * @retval HS_MORE     @in is used up.
 * @retval HS_E_FIELD  As tacit_parse().  Bytes up to the next message that synchronises, as far as
 *                     its header, PRV and CONFIG say, are skipped; call again.
 */
enum hs_status tacit_read(struct tacit_reader *r, struct hs_span *in, struct tacit_msg *m);

/** Is the stream complete?
 * @retval HS_OK           It ends after a message.
 * @retval HS_E_TRUNCATED  It ends inside one. */
enum hs_status tacit_reader_end(const struct tacit_reader *r);

#endif
