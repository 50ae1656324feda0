/* The codec of E-Trace's data packets (ET 7). */
#ifndef HS_ETRACE_DATA_ETRACE_DATA_H
#define HS_ETRACE_DATA_ETRACE_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/etrace.h>

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

/** Fields: rows of et_data_fields.def. */
enum hs_et_data_field {
#define HS_ET_DATA_FIELD(id, ...) HS_ETDF_##id,
#include "etrace/et_data_fields.def"
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

/** Name, such as "Load or store", and clause of a form; "?" if there is none. */
const char *hs_et_data_form_name(unsigned form);
const char *hs_et_data_form_clause(unsigned form);
/** Name and clause of a field; whether it is better shown in hexadecimal. */
const char *hs_et_data_field_name(unsigned field);
const char *hs_et_data_field_clause(unsigned field);
bool hs_et_data_field_hex(unsigned field);
/** Fields of a form in wire order, also those that some packets lack.  @return how many. */
unsigned hs_et_data_form_fields(unsigned form, uint8_t out[HS_ETDF_COUNT]);

/**
 * Start the coder of one hart, for encoding or for decoding.  It is plain data and may be copied.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A value out of its range above; neither address nor data; split with
 *                      load_store; lrid_width without split; narrow_diff without a single
 *                      compression; size below 4; a reserved byte, or a byte past this struct,
 *                      that is not 0.
 */
enum hs_status hs_et_data_init(struct hs_et_data_coder *c, const struct hs_et_data_config *config);

/** A synchronising packet of instruction trace stands here: the next packet of each size has its
 * full address and data (ET Load and Store diff field). */
void hs_et_data_sync(struct hs_et_data_coder *c);

/** Packets were lost here: as hs_et_data_sync(), and requests before it have no response. */
void hs_et_data_lose(struct hs_et_data_coder *c);

/**
 * Encode one access as the shortest packet that the configuration allows.
 * @param[out] p  form HS_ET_DATA_NONE: the configuration reports nothing of this access.
 * @retval HS_OK
 * @retval HS_E_ARG          See hs_access_check(); the size exceeds data_width, or is not that of
 *                           csr_width; the address does not fit daddress_width; @known lacks what
 *                           packets carry; id exceeds lrid_width; a phase that is not 0 without
 *                           split, or 0 for a load or atomic with it; a response without request.
 * @retval HS_E_UNSUPPORTED  An atomic or CSR access with load_store; a compare and swap that failed.
 */
enum hs_status hs_et_data_encode(struct hs_et_data_coder *c, const struct hs_access *a,
                                 struct hs_et_data_packet *p);

/** Write a packet's payload, without the bytes at its end that only repeat the sign.
 * @return its length; 0 for HS_ET_DATA_NONE. */
unsigned hs_et_data_write(const struct hs_et_data_coder *c, const struct hs_et_data_packet *p,
                          uint8_t out[HS_ET_DATA_PAYLOAD_MAX]);

/**
 * Read a packet from its payload.
 * @param in  The payload, all of it; moved past it with HS_OK.
 * @retval HS_OK
 * @retval HS_E_FIELD  No bytes; more bytes than the packet has; a reserved code; a size above
 *                     data_width; an atomic's response without its request.  @p has what could be
 *                     read, p->bits is the bit at fault.
 */
enum hs_status hs_et_data_read(const struct hs_et_data_coder *c, struct hs_span *in,
                               struct hs_et_data_packet *p);

/**
 * The access that a packet reports.  A difference from a value that is not known, because packets
 * were lost, leaves out of @known what it would have given.  A response has the type, size and,
 * where known, the address of its request.
 * @retval HS_OK
 * @retval HS_E_ARG  form HS_ET_DATA_NONE or above the last.
 */
enum hs_status hs_et_data_decode(struct hs_et_data_coder *c, const struct hs_et_data_packet *p,
                                 struct hs_access *a);

#endif
