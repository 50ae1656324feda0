/* RISC-V N-Trace: bytes to messages and messages to bytes.
 *
 * Clauses are cited as in nt_config.h.  Offsets are bytes from the first byte ever given to a
 * reader. Nothing here allocates, blocks, or keeps a pointer into the input.
 *
 * Threads: one reader belongs to one thread at a time; two of them share nothing.
 */
#ifndef HARTSCOPE_NT_READER_H
#define HARTSCOPE_NT_READER_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/nt_config.h>
#include <hartscope/nt_message.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Cuts a stream of bytes into messages.  Plain data; hs_nt_reader_init() starts it. */
struct hs_nt_reader {
	uint64_t offset;   /**< of the next byte */
	uint64_t idle;     /**< idle bytes skipped so far (NT 3.1) */
	uint64_t start;    /**< offset of the last message, or of the one that is not complete */
	/* Private: */
	uint8_t src_bits;
	uint8_t skipping;  /* inside bytes that are no message, up to their end */
	uint8_t more;      /* messages of nt_messages_sifive.def, too */
	uint16_t held;     /* bytes of an unfinished message; those that fit are in buffer */
	uint16_t kept;     /* bytes of the last message in buffer, where its fields are not known */
	uint8_t buffer[HS_NT_PAYLOAD_MAX];
};

/** Start. @param src_bits  Width of SRC, 0..12; more is taken as 12. */
HS_API void hs_nt_reader_init(struct hs_nt_reader *r, unsigned src_bits);

/**
 * The next message.  @in may stop anywhere: how a stream is cut never changes its messages.
 *
 * @param[in,out] in  Moved past the bytes taken.
 * @param[out]    m   With HS_OK the message.  With HS_E_FIELD what could be read of it
 *                    (offset; tcode and src if they are there).  With HS_E_FRAMING and HS_E_LONG
 *                    the offset; all else is 0.
 *
 * @retval HS_OK         *m is a message; tcodes without a row have no fields.
 * @retval HS_MORE       @in is used up.
 * @retval HS_E_FRAMING  A message begins with MSEO other than 00, or has MSEO 10 (NT 3.1).
 * @retval HS_E_LONG     No end within HS_NT_MSG_MAX bytes, of a Vendor Defined message within
 *                       HS_NT_VENDOR_MAX (NT 3).
 * @retval HS_E_FIELD    A field is missing, too wide or one too many (NT 6, Tables 8, 10).
 * After an error the bytes up to the end of the faulty message (MSEO 11) are skipped;
 * call again.  m->offset is where it began.
 */
HS_API enum hs_status hs_nt_read(struct hs_nt_reader *r, struct hs_span *in, struct hs_nt_msg *m);

#ifdef __cplusplus
}
#endif
#endif
