/* N-Trace: messages and their fields.
 *
 * Clauses are cited as in nt_config.h.  Offsets are bytes from the first byte ever given to a
 * reader.
 *
 * Threads: the functions here read constant tables.  They may run in several threads at once.
 */
#ifndef HARTSCOPE_NT_MESSAGE_H
#define HARTSCOPE_NT_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** TCODE of every message that N-Trace 1.0 defines (NT Table 8), and those of dialects with `more`
 * (ADR-0062). */
enum hs_nt_tcode {
#define HS_NT_MSG(id, name, tcode, fields, clause) HS_NT_##id = (tcode),
#include <hartscope/tables/nt_messages.def>
#include <hartscope/tables/nt_messages_sifive.def>
#undef HS_NT_MSG
};

/** Fields that a message can have, in no particular order. */
enum hs_nt_field {
#define HS_NT_FIELD(id, name, bits, limit, clause) HS_NTF_##id,
#include <hartscope/tables/nt_fields.def>
#undef HS_NT_FIELD
	HS_NTF_COUNT
};

/** Bytes of a message whose fields are not known that a reader keeps as its payload. */
#define HS_NT_PAYLOAD_MAX 256

/** One message, as read or to be written. */
struct hs_nt_msg {
	uint64_t offset;   /**< of its first byte */
	uint16_t length;   /**< bytes */
	uint8_t tcode;     /**< enum hs_nt_tcode, or a vendor's or reserved one */
	bool known;        /**< tcode has a row in nt_messages.def, or in the dialect's */
	uint16_t src;      /**< SRC; 0 where the stream has none */
	uint8_t addr_bits; /**< bits of F-ADDR or U-ADDR on the wire, at most 66.  To a writer: 0
	                        for as many as the value needs, else a multiple of 6 (NT 8.2) */
	uint8_t pad;
	uint32_t present;  /**< bit HS_NTF_x: the field was on the wire */
	uint64_t field[HS_NTF_COUNT]; /**< values; meaningless where not present */
};

static inline bool hs_nt_has(const struct hs_nt_msg *m, enum hs_nt_field f)
{
	return (m->present >> f) & 1u;
}

/** Messages and bytes by TCODE. */
struct hs_nt_counts {
	uint64_t messages[64];
	uint64_t bytes[64];
};

#ifdef __cplusplus
}
#endif
#endif
