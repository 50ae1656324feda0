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

#include <hartscope/access.h>
#include <hartscope/private/et_data.h>
#include <hartscope/span.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the encoder can compress data (ET Load and Store diff field). */
enum hs_et_data_compression {
	HS_ET_DATA_XOR_AND_DIFFERENCE = 0,
	HS_ET_DATA_XOR = 1,
	HS_ET_DATA_DIFFERENCE = 2
};

/** Largest lrid_width_p. */
#define HS_ET_LRID_MAX 8

/** Longest payload of data trace in bytes. */
#define HS_ET_DATA_PAYLOAD_MAX 31

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

/** Fields: rows of et_data_fields.def. */
enum hs_et_data_field {
#define HS_ET_DATA_FIELD(id, ...) HS_ETDF_##id,
#include <hartscope/tables/et_data_fields.def>
#undef HS_ET_DATA_FIELD
	HS_ETDF_COUNT
};

/** One packet, as read or to be written. */
struct hs_et_data_packet {
	uint8_t form;         /**< enum hs_et_data_form */
	uint8_t request_size; /**< HS_ET_DATA_ATOMIC_RESPONSE: size of its request, which gives
	                           the width of data_len */
	uint16_t bits;        /**< of the payload at its full length; after HS_E_FIELD the bit at
	                           fault */
	uint32_t present;     /**< bit HS_ETDF_x: the packet has the field */
	uint64_t field[HS_ETDF_COUNT]; /**< values as on the wire; 0 where not present */
};

/** Packets of data trace, and their bytes with the framing, by form. */
struct hs_et_data_counts {
	uint64_t packets[HS_ET_DATA_FORMS], bytes[HS_ET_DATA_FORMS];
	uint64_t incomplete; /**< encoder: accesses without a packet, because what it would carry is
	                          not known of them, or does not fit its fields */
};

/** Name, such as "Load or store", and clause of a form; "?" if there is none. */
HS_API const char *hs_et_data_form_name(unsigned form);
HS_API const char *hs_et_data_form_clause(unsigned form);
/** Name and clause of a field; whether it is better shown in hexadecimal. */
HS_API const char *hs_et_data_field_name(unsigned field);
HS_API const char *hs_et_data_field_clause(unsigned field);
HS_API bool hs_et_data_field_hex(unsigned field);
/** Fields of a form in wire order, also those that some packets lack.  @return how many. */
HS_API unsigned hs_et_data_form_fields(unsigned form, uint8_t out[HS_ETDF_COUNT]);

/**
 * Start the coder of one hart, for encoding or for decoding.  It is plain data and may be copied.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A value out of its range above; neither address nor data; split with
 *                      load_store; lrid_width without split; narrow_diff without a single
 *                      compression; size below 4; a reserved byte, or a byte past this struct,
 *                      that is not 0.
 */
HS_API enum hs_status hs_et_data_init(struct hs_et_data_coder *c,
                                      const struct hs_et_data_config *config);

/** A synchronising packet of instruction trace stands here: the next packet of each size has its
 * full address and data (ET Load and Store diff field). */
HS_API void hs_et_data_sync(struct hs_et_data_coder *c);

/** Packets were lost here: as hs_et_data_sync(), and requests before it have no response. */
HS_API void hs_et_data_lose(struct hs_et_data_coder *c);

/**
 * Encode one access as the shortest packet that the configuration allows.
 * @param[out] p  form HS_ET_DATA_NONE: the configuration reports nothing of this access.
 * @retval HS_OK
 * @retval HS_E_ARG          See hs_access_check(); the size exceeds data_width, or is not that of
 *                           csr_width; the address does not fit daddress_width; @known lacks what
 *                           packets carry; id exceeds lrid_width; a phase that is not 0 without
 *                           split, or 0 for a load or atomic with it; a response without request.
 * @retval HS_E_UNSUPPORTED  An atomic or CSR access with load_store.
 */
HS_API enum hs_status hs_et_data_encode(struct hs_et_data_coder *c, const struct hs_access *a,
                                        struct hs_et_data_packet *p);

/** Write a packet's payload, without the bytes at its end that only repeat the sign.
 * @return its length; 0 for HS_ET_DATA_NONE. */
HS_API unsigned hs_et_data_write(const struct hs_et_data_coder *c,
                                 const struct hs_et_data_packet *p,
                                 uint8_t out[HS_ET_DATA_PAYLOAD_MAX]);

/**
 * Read a packet from its payload.
 * @param in  The payload, all of it; moved past it with HS_OK.
 * @retval HS_OK
 * @retval HS_E_FIELD  No bytes; more bytes than the packet has; a reserved code; a size above
 *                     data_width; an atomic's response without its request.  @p has what could be
 *                     read, p->bits is the bit at fault.
 */
HS_API enum hs_status hs_et_data_read(const struct hs_et_data_coder *c, struct hs_span *in,
                                      struct hs_et_data_packet *p);

/**
 * The access that a packet reports.  A difference from a value that is not known, because packets
 * were lost, leaves out of @known what it would have given.  A response has the type, size and,
 * where known, the address of its request.
 * @retval HS_OK
 * @retval HS_E_ARG  form HS_ET_DATA_NONE or above the last.
 */
HS_API enum hs_status hs_et_data_decode(struct hs_et_data_coder *c,
                                        const struct hs_et_data_packet *p, struct hs_access *a);

#ifdef __cplusplus
}
#endif
#endif
