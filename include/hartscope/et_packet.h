/* E-Trace: packets and their fields.
 *
 * Clauses are cited as in et_config.h.  Offsets are bytes from the first byte ever given to a
 * reader.
 *
 * Threads: the functions here read constant tables.  They may run in several threads at once.
 */
#ifndef HARTSCOPE_ET_PACKET_H
#define HARTSCOPE_ET_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/et_data.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** reason of a packet of HS_ET_FAST: what led to the target. */
enum hs_et_reason {
	HS_ET_REASON_NONE = 0, /**< the trace starts there, or a synchronisation was requested */
	HS_ET_REASON_EXCEPTION = 1,
	HS_ET_REASON_INTERRUPT = 2,
	HS_ET_REASON_XRET = 3,
	HS_ET_REASON_CALL = 4, /**< inferable */
	HS_ET_REASON_CALL_UNINF = 5,
	HS_ET_REASON_RETURN = 6,
	HS_ET_REASON_SWAP = 7
};

/** Kinds of packets, of all versions. */
enum hs_et_form {
	HS_ET_FORM_BRANCH_COUNT, /**< format 0 subformat 0: branches predicted correctly */
	HS_ET_FORM_INDEX,        /**< format 0 subformat 1: index of the jump target cache */
	HS_ET_FORM_FULL,         /**< format 0 of 0.026: branches, full address */
	HS_ET_FORM_BRANCH,       /**< format 1: branches, with or without an address */
	HS_ET_FORM_ADDRESS,      /**< format 2: only an address */
	HS_ET_FORM_START,        /**< format 3 subformat 0 */
	HS_ET_FORM_TRAP,         /**< format 3 subformat 1 */
	HS_ET_FORM_CONTEXT,      /**< format 3 subformat 2 */
	HS_ET_FORM_SUPPORT,      /**< format 3 subformat 3; te_support of 0.026 */
	HS_ET_FORM_TARGET,       /**< HS_ET_FAST, format 0: target of an exception, call or
	                              return */
	HS_ET_FORM_CYCLES,       /**< HS_ET_FAST, format 1: cycles before a retirement */
	HS_ET_FORM_DISCOVERY,    /**< 0.026: the discovery record */
	HS_ET_FORM_OTHER,        /**< no instruction trace: data trace, or a type that the
	                              dialect lacks */
	HS_ET_FORMS
};

/** Fields that a packet can have. */
enum hs_et_field {
#define HS_ET_FIELD(id, name, width, hex, clause) HS_ETF_##id,
#include <hartscope/tables/et_fields.def>
#undef HS_ET_FIELD
	HS_ETF_COUNT
};

/** qual_status of a support packet (ET Format 3 subformat 3). */
enum hs_et_qual {
	HS_ET_NO_CHANGE = 0,
	HS_ET_ENDED_REP = 1,
	HS_ET_TRACE_LOST = 2,
	HS_ET_ENDED_NTR = 3
};

/** Longest payload in bytes: header.length has 5 bits (EE Header). */
#define HS_ET_PAYLOAD_MAX 31

/** Room that one call of an encoder needs at least, in bytes. */
#define HS_ET_ENCODE_ROOM 512

/** Longest packet of any kind in bytes, with its framing: a length has up to 8 bits. */
#define HS_ET_PACKET_MAX 256

/** One packet, as read or to be written. */
struct hs_et_packet {
	uint64_t offset;  /**< of the first byte of its framing */
	uint64_t tstamp;  /**< of the framing, when has_tstamp */
	uint16_t length;  /**< bytes with the framing */
	uint16_t src;     /**< srcID */
	uint16_t bits;    /**< of the payload at its full length; after HS_E_FIELD the bit at
	                       fault */
	uint8_t type;     /**< message type of the framing */
	uint8_t form;     /**< enum hs_et_form */
	bool has_tstamp;
	bool has_index;   /**< of HS_ET_FRAME_INDEXED */
	bool gap;         /**< packets before it are missing, as indexes say */
	uint16_t index;   /**< when has_index */
	uint64_t present; /**< bit HS_ETF_x: the packet has the field */
	uint64_t field[HS_ETF_COUNT]; /**< values; 0 where not present */
};

static inline bool hs_et_has(const struct hs_et_packet *p, enum hs_et_field f)
{
	return (p->present >> f) & 1u;
}

/** Packets and bytes by form. */
struct hs_et_counts {
	uint64_t packets[HS_ET_FORMS];
	uint64_t bytes[HS_ET_FORMS]; /**< with the framing */
	struct hs_et_data_counts data; /**< those of HS_ET_FORM_OTHER that are data trace */
};

struct hs_et_config;
/** Bits of a field by the parameters, before a payload is shortened (ET Packets).
 * @param p  Has the fields on which the width depends: branches, thaddr, source_size, cycle_size.
 * @return  0: a field without bits under these parameters, no such field, or
 *          hs_et_config_check() refuses *c. */
HS_API unsigned hs_et_field_bits(const struct hs_et_config *c, const struct hs_et_packet *p,
                                 unsigned field);

#ifdef __cplusplus
}
#endif
#endif
