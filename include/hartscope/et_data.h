/* E-Trace data trace: accesses to packets and back (ET Data Trace Encoder Output Packets).
 *
 * Clauses are cited as in et_config.h.  What the text leaves open or contradicts is decided in
 * ADR-0052.  A payload is what the encapsulation carries with the type of data trace; its framing
 * is not seen here.  Nothing here allocates or keeps a pointer.
 *
 * Threads: one coder belongs to one thread at a time.  Two coders share nothing.
 */
#ifndef HARTSCOPE_ET_DATA_H
#define HARTSCOPE_ET_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/private/et_data.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Parameters and run-time options of data trace, the same for encoder and decoder.  0 is the
 * default of every member: unified, addresses and data, 64 bits of each, loads, stores, atomics
 * and CSRs.
 */
struct hs_et_data_config {
	uint32_t size;             /**< sizeof(struct hs_et_data_config).  What a smaller struct
	                                lacks is 0; what a larger one has more must be 0 */
	uint8_t split;             /**< 1: split loads and atomics */
	uint8_t no_data;           /**< 1: only addresses (trTeDataNoValue) */
	uint8_t no_address;        /**< 1: only data (trTeDataNoAddr) */
	uint8_t load_store;        /**< 1: only unified loads and stores: format has 2 bits */
	uint8_t data_width;        /**< data_width_p: 8, 16, 32 or 64; 0 is 64 */
	uint8_t daddress_width;    /**< daddress_width_p, 4 to 64; 0 is 64.  Addresses that are
	                                wider than 32 bits and narrower than 64 have a sign */
	uint8_t lrid_width;        /**< lrid_width_p, 0 to HS_ET_LRID_MAX; only with split */
	uint8_t csr_width;         /**< bits of a CSR: 32 or 64; 0 is 64 */
	uint8_t compression;       /**< enum hs_et_data_compression */
	uint8_t narrow_diff;       /**< 1: diff has 1 bit where the text allows 1 or 2; needs a
	                                single compression */
	uint8_t csr_subtype_width; /**< subtype of a CSR packet with only the address: 2 or 3; 0
	                                is 3 */
	uint8_t csr_diff;          /**< 1: that packet has diff */
	uint8_t full_address;      /**< encoder: 1: no address is a difference
	                                (trTeDataAddrCompress 0) */
	uint8_t sc_failures;       /**< encoder: 1: conditional stores that failed are reported
	                                with data too, by the subtype that is reserved there */
	uint8_t atomic_response;   /**< format of a split atomic's response: 7; 0 is 7 */
	uint8_t reserved[5];       /**< 0 */
};

/** Forms: rows of et_data_packets.def. */
enum hs_et_data_form {
	HS_ET_DATA_NONE, /**< no packet: what the configuration does not report */
#define HS_ET_DATA_PACKET(id, ...) HS_ET_DATA_##id,
#include <hartscope/tables/et_data_packets.def>
#undef HS_ET_DATA_PACKET
	HS_ET_DATA_FORMS
};

/** Packets of data trace, and their bytes with the framing, by form. */
struct hs_et_data_counts {
	uint64_t packets[HS_ET_DATA_FORMS], bytes[HS_ET_DATA_FORMS];
	uint64_t incomplete; /**< encoder: accesses without a packet, because what it would carry is
	                          not known of them, or does not fit its fields */
};

#ifdef __cplusplus
}
#endif
#endif
