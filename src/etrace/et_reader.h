/* RISC-V E-Trace: bytes to packets and packets to bytes.
 *
 * Clauses are cited as in etrace.h.  Offsets are bytes from the first byte ever given to a
 * reader. Nothing here allocates, blocks, or keeps a pointer into the input.
 *
 * Threads: one reader belongs to one thread at a time; two of them share nothing.
 */
#ifndef HS_ETRACE_ET_READER_H
#define HS_ETRACE_ET_READER_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/etrace.h>

#include "etrace/etrace_data.h"

/** Start.
 * @param config  Copied.
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_et_config_check(). */
enum hs_status hs_et_reader_init(struct hs_et_reader *r, const struct hs_et_config *config);

/** Follow @p, a support packet: the run-time options that it carries change the layout of later
 * packets.  Options that the parameters cannot have change nothing. */
void hs_et_reader_follow(struct hs_et_reader *r, const struct hs_et_packet *p);

/** The run-time options in force: enum hs_et_option. */
unsigned hs_et_reader_options(const struct hs_et_reader *r);

/**
 * The next packet.  The input may stop anywhere: how a stream is cut never changes its packets.
 *
 * @param[in,out] in  Moved past the bytes taken.
 * @param[out] p      With HS_OK the packet; with HS_E_FIELD what could be read of it.
 *
 * @retval HS_OK         *p is a packet; HS_ET_FORM_OTHER has no fields.
 * @retval HS_MORE       The input is used up.
 * @retval HS_E_FIELD    A format or subformat that the version does not have, bits beyond the last
 *                       field that are no sign extension (layout.padding, design/et-layouts), a
 * reserved
 *                       branch_fmt, encoder_mode, control_code or support_type, no room for a
 *                       payload (ET Packets).  p->bits is the bit of the payload at fault.  The
 *                       packet was skipped; call again.  HS_ET_FRAME_INDEXED: also a byte that
 *                       begins no packet; bytes are then skipped up to two packets whose indexes
 *                       follow each other (design/captures).
 */
enum hs_status hs_et_read(struct hs_et_reader *r, struct hs_span *in, struct hs_et_packet *p);

/**
 * Read the packet that hs_et_read() returned last once more, under the options of its source: with
 * several sources those of the last support packet may be another's.
 * @param options  enum hs_et_option; they stay in force.
 * @param from     in->p before that call of hs_et_read().
 * @param in       As that call left it.
 * @retval HS_OK, HS_E_FIELD  As hs_et_read().  *p is unchanged where no layout depends on the
 *                            difference; then the result is @status, that of hs_et_read().
 */
enum hs_status hs_et_read_again(struct hs_et_reader *r, enum hs_status status, unsigned options,
                                const uint8_t *from, const struct hs_span *in,
                                struct hs_et_packet *p);

/**
 * Take what a support packet says of the packets of data trace (ET Format 3 subformat 3 doptions,
 * ET Standard Support Packet format).  What it lacks stays; no data and no address at once are no
 * trace.
 */
void hs_et_follow_data(const struct hs_et_reader *r, const struct hs_et_packet *p,
                       struct hs_et_data_coder *data);

/**
 * The data trace packet that hs_et_read() returned last, as HS_ET_FORM_OTHER.
 * @param c  Of the packet's source.
 * @retval HS_OK
 * @retval HS_E_FIELD  See hs_et_data_read().
 * @retval HS_E_UNSUPPORTED  It has another type, or the framing has no types.
 */
enum hs_status hs_et_read_data(const struct hs_et_reader *r, const struct hs_et_packet *p,
                               const struct hs_et_data_coder *c, struct hs_et_data_packet *data);

/**
 * Where the last packet begins that synchronises (format 3, subformat 0), as far as lengths and the
 * first bits of payloads say: a hint where a reader may begin.
 * @param bytes  Begins with a packet.
 * @return  Its offset in @bytes; bytes->n: none is seen, *config is refused, or its framing says no
 *          lengths (HS_ET_FRAME_BARE) or not only by the first byte (HS_ET_FRAME_INDEXED).
 */
size_t hs_et_find_sync(const struct hs_et_config *config, const struct hs_span *bytes);

/**
 * Where the last whole packet ends, by lengths.
 * @param bytes  Begins with a packet.
 * @return  Its end in @bytes, 0: none is whole; SIZE_MAX: *config is refused, or has a framing for
 *          which hs_et_find_sync() sees none.
 */
size_t hs_et_find_end(const struct hs_et_config *config, const struct hs_span *bytes);

/** Bytes are missing before the next one, which begins a packet: what was cut is dropped. */
void hs_et_reader_lose(struct hs_et_reader *r);

/**
 * Where the fields of a packet are that the reader returned last: in its bytes, the framing
 * included.
 * @param[out] v  Of each field.  Those that the packet does not have, or whose width is 0, have
 *                none; of others the bits that repeat the last one may be left off (ET Packets).
 */
void hs_et_reader_where(const struct hs_et_reader *r, const struct hs_et_packet *p,
                        struct hs_bits v[HS_ETF_COUNT]);

/** Is the stream complete?
 * @retval HS_OK           It ends after a packet.
 * @retval HS_E_TRUNCATED  It ends inside a packet (EE Header). */
enum hs_status hs_et_reader_end(const struct hs_et_reader *r);

/**
 * Write one packet: the fields of its form, cut to their widths, with the framing.
 * @param out  Room for HS_ET_PACKET_MAX bytes.
 * @return  Bytes written; 0 when the version has no such form, or hs_et_config_check() refuses *c.
 */
size_t hs_et_write(const struct hs_et_config *c, const struct hs_et_packet *p, uint8_t *out);

#endif
