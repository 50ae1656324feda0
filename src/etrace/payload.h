/* What is in a packet's frame. */
#ifndef HS_ETRACE_PAYLOAD_H
#define HS_ETRACE_PAYLOAD_H

#include "core/bits.h"
#include "etrace/tables.h"

/* The fields of the packet whose payload begins at b->at.  @control: it is a message of its own, no
 * te_inst. HS_E_FIELD: @p has what could be read, p->bits is the bit of the payload at fault. */
enum hs_status et_parse(const struct hs_et_reader *r, struct et_bits *b, bool control,
                        struct hs_et_packet *p);

/* Is the payload that begins in the reader's buffer, without a frame, whole? */
bool et_payload_whole(const struct hs_et_reader *r);

/* The packet of @n bytes is whole; @room: bytes that may be looked at. */
enum hs_status et_read_whole(struct hs_et_reader *r, const uint8_t *bytes, unsigned n,
                             size_t room, struct hs_et_packet *p);

/* Bytes of a packet whose framing begins with @header; not of HS_ET_FRAME_BARE and INDEXED. */
unsigned et_framed_bytes(const struct hs_et_resolved *c, unsigned header);

/* indexed.c: may a packet of HS_ET_FRAME_INDEXED begin with this byte? */
bool et_indexed_begins(unsigned byte);

/* indexed.c: hs_et_read() of HS_ET_FRAME_INDEXED. */
enum hs_status et_read_indexed(struct hs_et_reader *r, struct hs_span *in, struct hs_et_packet *p);

/* The options that a support packet carries, as enum hs_et_option; those that its layout lacks are
 * the configuration's. */
unsigned et_packet_options(const struct hs_et_resolved *c, const struct hs_et_packet *p);

#endif
