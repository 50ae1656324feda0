/* N-Trace: bytes to messages and messages to bytes. */
#ifndef HS_NTRACE_NT_READER_H
#define HS_NTRACE_NT_READER_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/ntrace.h>

/** Also read the messages that a dialect, an enum hs_nt_dialect_id, has beyond N-Trace 1.0. */
void hs_nt_reader_set_dialect(struct hs_nt_reader *r, unsigned dialect);

/**
 * What the last message holds after TCODE and SRC, where its fields are not known: m->known is
 * false.  Bits of MDO in their order, the first in bit 0 of the first byte.
 * @param out  Room for HS_NT_PAYLOAD_MAX bytes, of which the last is filled with 0.
 * @return  Bits; of a longer message those of its first HS_NT_PAYLOAD_MAX bytes.
 */
unsigned hs_nt_reader_payload(const struct hs_nt_reader *r, uint8_t out[HS_NT_PAYLOAD_MAX]);

/**
 * Where the fields of a message are that the reader returned last.
 * @param bytes   All m->length bytes of it.
 * @param[out] v  Bits of each field: those of MDO, which lie in bits 2 to 7 of each byte, so that a
 *                field of more than 6 bits goes on in bit 2 of the next one (NT 3.1).  Fields that
 *                the message does not have, or left off because they are 0, have none.
 */
void hs_nt_reader_where(const struct hs_nt_reader *r, const struct hs_nt_msg *m,
                        const uint8_t *bytes, struct hs_bits v[HS_NTF_COUNT]);

/** Is the stream complete?
 * @retval HS_OK           It ends after a message.
 * @retval HS_E_TRUNCATED  It ends inside a message (NT 3.1). */
enum hs_status hs_nt_reader_end(const struct hs_nt_reader *r);

/**
 * Where the last message begins that synchronises, as far as TCODE and the MSEO of the byte before
 * it say: a hint where a reader may begin, without reading what is before (NT 8.4).
 * @return  Its offset in @bytes, at least 1; bytes->n: none is seen.
 */
size_t hs_nt_find_sync(const struct hs_span *bytes);

/** What HS_NTF_FADDR or HS_NTF_UADDR of @m means where XLEN is 64: with bit 0, and the bits above
 * those that were sent, as extend_addr and address_bits of @c say. */
uint64_t hs_nt_address(const struct hs_nt_config *c, const struct hs_nt_msg *m, enum hs_nt_field f);

/**
 * Write one message: every field of its row, TSTAMP if present says so.
 * @param src_bits  Width of SRC, at most 16; 0 for none.
 * @param out       Room for HS_NT_MSG_MAX bytes.
 * @return  Bytes written; 0 when the TCODE has no row, @src_bits is above 16, or m->addr_bits above
 *          66.
 */
size_t hs_nt_write(const struct hs_nt_msg *m, unsigned src_bits, uint8_t *out);

/** The same with the messages that an enum hs_nt_dialect_id has on top. */
size_t hs_nt_dialect_write(unsigned dialect, const struct hs_nt_msg *m, unsigned src_bits,
                           uint8_t *out);

/** Start. @param src_bits  Width of SRC, 0..12; more is taken as 12. */
void hs_nt_reader_init(struct hs_nt_reader *r, unsigned src_bits);

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
enum hs_status hs_nt_read(struct hs_nt_reader *r, struct hs_span *in, struct hs_nt_msg *m);

#endif
