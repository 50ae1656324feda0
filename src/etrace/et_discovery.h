/* E-Trace: how an encoder describes itself, by a discovery record (PT 3.1.5) or by attributes
 * (ET Discovery).
 *
 * Clauses are cited as in etrace.h.
 *
 * Threads: no function here keeps or shares anything.  Any of them may run in several threads at
 * once, on different structs.
 */
#ifndef HS_ETRACE_ET_DISCOVERY_H
#define HS_ETRACE_ET_DISCOVERY_H

#include <stdint.h>

#include <hartscope/etrace.h>
#include <hartscope/status.h>

/* ---- the discovery record of 0.026 (PT 3.1.5) ---------------------------------------- */

/** Parameters of the discovery record: rows of et_params.def. */
enum hs_et_discovered {
#define HS_ET_PARAM(id, ...) HS_ETD_##id,
#include "etrace/et_params.def"
#undef HS_ET_PARAM
	HS_ETD_COUNT
};

/** Their values as PT Table 3.6 means them: comparators is a number of comparators, widths are
 * bits. */
struct hs_et_discovery {
	uint32_t value[HS_ETD_COUNT];
};

/** Words of the record as registers. */
#define HS_ET_DISCOVERY_WORDS 2

/** Name of a parameter, such as "iaddress_width_p"; "?" if there is none. */
const char *hs_et_param_name(unsigned param);

/**
 * Check a record as a whole.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A value out of its range in et_params.def; insn_width_p is no power of 2;
 *                      iaddress_lsb_p is not below iaddress_width_p; ecause_choice_p is above
 *                      ecause_width_p; RV32 with addresses of more than 32 bits.
 */
enum hs_status hs_et_discovery_check(const struct hs_et_discovery *d);

/** Write the record as registers, bit 0 of image[0] first.  Its bytes, little-endian, are those of
 * the packet.
 * @retval HS_OK
 * @retval HS_E_CONFIG  As hs_et_discovery_check(); nothing was written. */
enum hs_status hs_et_discovery_put(const struct hs_et_discovery *d,
                                   uint32_t image[HS_ET_DISCOVERY_WORDS]);

/** Read the record from registers.
 * @retval HS_OK
 * @retval HS_E_FIELD  hs_et_discovery_put() never writes this image; *d is unchanged. */
enum hs_status hs_et_discovery_get(struct hs_et_discovery *d,
                                   const uint32_t image[HS_ET_DISCOVERY_WORDS]);

/** Copy what the record says of packets into a configuration, whose other members stay.
 * @retval HS_OK
 * @retval HS_E_CONFIG       As hs_et_discovery_check(), or the config's size is not right
 *                           (etrace.h).
 * @retval HS_E_UNSUPPORTED  Addresses of more than 64 bits, or iaddress_lsb_p 3
 * (design/et-layouts). */
enum hs_status hs_et_discovery_config(const struct hs_et_discovery *d, struct hs_et_config *c);

/** Make the record a packet of 0.026: a support message with support_type 1 (design/et-draft: the
 * text asks for a packet and defines none).
 * @retval HS_OK
 * @retval HS_E_CONFIG  As hs_et_discovery_check(). */
enum hs_status hs_et_discovery_packet(const struct hs_et_discovery *d, struct hs_et_packet *p);

/** Read the record from a packet.
 * @retval HS_OK
 * @retval HS_E_ARG    The packet's form is not HS_ET_FORM_DISCOVERY.
 * @retval HS_E_FIELD  As hs_et_discovery_get(). */
enum hs_status hs_et_discovery_read(const struct hs_et_packet *p, struct hs_et_discovery *d);

/* ---- attributes of a ratified encoder (ET Discovery) ----------------------------------- */

/** Attributes: rows of et_attributes.def. */
enum hs_et_attribute {
#define HS_ET_ATTRIBUTE(id, ...) HS_ETA_##id,
#include "etrace/et_attributes.def"
#undef HS_ET_ATTRIBUTE
	HS_ETA_COUNT
};

/** Their values as the parameters mean them: widths are bits, comparators_p is a number of
 * comparators. */
struct hs_et_attributes {
	uint32_t value[HS_ETA_COUNT];
};

/** Words of discovery_info_0 and discovery_info_1, 64 bits each, the low half first. */
#define HS_ET_ATTRIBUTE_WORDS 4

/** Name of an attribute's parameter, such as "bpred_size_p"; "?" if there is none. */
const char *hs_et_attribute_name(unsigned attribute);
/** Write the defaults of the specification's tables (ET Parameters and Discovery). */
void hs_et_attributes_init(struct hs_et_attributes *a);

/**
 * Check attributes as a set.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A value that its field cannot hold; itype_width_p is not 3 or 4;
 *                      ecause_choice_p is above ecause_width_p + 1; iaddress_lsb_p is above
 *                      iaddress_width_p.
 */
enum hs_status hs_et_attributes_check(const struct hs_et_attributes *a);

/** Write the attributes as registers.
 * @retval HS_OK
 * @retval HS_E_CONFIG  As hs_et_attributes_check(); nothing was written. */
enum hs_status hs_et_attributes_put(const struct hs_et_attributes *a,
                                    uint32_t image[HS_ET_ATTRIBUTE_WORDS]);

/** Read the attributes from registers; bits that belong to no attribute are ignored, and attributes
 * that have no place there (design/et-layouts) stay as they are.
 * @retval HS_OK
 * @retval HS_E_FIELD  hs_et_attributes_check() refuses the set; *a is unchanged. */
enum hs_status hs_et_attributes_get(struct hs_et_attributes *a,
                                    const uint32_t image[HS_ET_ATTRIBUTE_WORDS]);

/** Copy what the attributes say of packets into a configuration, whose other members stay.
 * @retval HS_OK
 * @retval HS_E_CONFIG       As hs_et_attributes_check(), or the config's size is not right
 *                           (etrace.h).
 * @retval HS_E_UNSUPPORTED  Addresses of more than 64 bits, iaddress_lsb_p 3 or f0s_width_p 3. */
enum hs_status hs_et_attributes_config(const struct hs_et_attributes *a, struct hs_et_config *c);

/** The same for data trace: data_width_p, daddress_width_p and, where loads are split,
 * lrid_width_p.
 * @retval HS_OK
 * @retval HS_E_CONFIG       As hs_et_attributes_config().
 * @retval HS_E_UNSUPPORTED  A width that struct hs_et_data_config does not have. */
enum hs_status hs_et_attributes_data_config(const struct hs_et_attributes *a,
                                            struct hs_et_data_config *c);

#endif
