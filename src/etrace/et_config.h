/* Parameters of E-Trace as the codec uses them, worked out of struct hs_et_config. */
#ifndef HS_ETRACE_ET_CONFIG_H
#define HS_ETRACE_ET_CONFIG_H

#include <hartscope/etrace.h>

/** Run-time options.  Their order in a support packet is that of layout.ioptions. */
enum hs_et_option {
	HS_ET_NO_OPTION = 0, /**< a bit of a support packet without a meaning here */
	HS_ET_SIJUMP = 1,
	HS_ET_IMPLICIT_RETURN = 2,
	HS_ET_IMPLICIT_EXCEPT = 4,
	HS_ET_BRANCH_PREDICTION = 8,
	HS_ET_JUMP_TARGET_CACHE = 16,
	HS_ET_FULL_ADDRESS = 32
};

/** What is before a payload. */
enum hs_et_frame {
	HS_ET_FRAME_ENCAP = 0,  /**< header, srcID, timestamp, type (EE Packet Encapsulation; PT 6,
	                             figure 6.1) */
	HS_ET_FRAME_HEADER = 1, /**< a byte: the payload's length in bytes, then the type */
	HS_ET_FRAME_JOINED = 2, /**< the same, and the payload begins in what is left of the byte */
	HS_ET_FRAME_BARE = 3,   /**< nothing: payloads at their full length */
	HS_ET_FRAME_INDEXED = 4, /**< a byte: the packet's length in bytes with these three; 3 bits
	                              of 0; then 16 bits that count packets.  A byte of 0 where
	                              a packet could begin is no packet (design/captures); not of
	                              0.026 */
	HS_ET_FRAME_MESSAGE = 5, /**< a byte: the payload's length, type, presence of a time tag;
	                              the time tag (tstamp_bytes) and an index (src_bits, whole
	                              bytes) in the order of stamp_first (design/captures) */
	HS_ET_FRAME_SLOT = 6,    /**< as ENCAP without srcID and type in 40 bytes, the last one
	                              first, so that the header is the 40th; what is left over is
	                              without meaning (design/et-layouts) */
	HS_ET_FRAME_SLOT_HEAD = 7, /**< 40 bytes: the header, a time of 8, the highest first, and at
	                              the end the payload, its last byte first; what is between
	                              them is 0 (design/et-layouts) */
	HS_ET_FRAMES
};

/** Bytes of a packet of HS_ET_FRAME_SLOT, HS_ET_FRAME_SLOT_HEAD. */
#define HS_ET_SLOT_BYTES 40u
#define HS_ET_SLOT_TIME 8u /**< bytes of the time in HS_ET_FRAME_SLOT_HEAD */

/**
 * Replace the zeros that stand for a default by it, for programs that show what holds.
 * @param[in,out] c  Nothing after its size is written.
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_et_config_check(); *c is unchanged.
 */
enum hs_status hs_et_config_resolve(struct hs_et_config *c);

/**
 * Leave options without their sizes to the first support packet, which has both (2.1; ET Standard
 * Support Packet format).  Other versions keep them: their packets say no sizes.
 * @param[in,out] c  Only its options are written.
 */
void hs_et_config_await(struct hs_et_config *c);

#endif
