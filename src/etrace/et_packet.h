/* E-Trace's packets and their fields by name. */
#ifndef HS_ETRACE_ET_PACKET_H
#define HS_ETRACE_ET_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/etrace.h>

/** Name of a form in a version, such as "Synchronisation"; "Other" if it has no such form. */
const char *hs_et_form_name(unsigned version, unsigned form);
/** Clause that defines a form. */
const char *hs_et_form_clause(unsigned version, unsigned form);
/** Name and clause of a field, "?" if there is none; whether it is better shown in hexadecimal. */
const char *hs_et_field_name(unsigned field);
const char *hs_et_field_clause(unsigned field);
/** Rows of et_rules.def: why packets are sent; the one after the last has no text. */
extern const struct hs_rule hs_et_rules[];
bool hs_et_field_hex(unsigned field);
/** Fields of a form in wire order.  @return how many; 0 when the version has no such form. */
unsigned hs_et_form_fields(unsigned version, unsigned form, uint8_t out[HS_ETF_COUNT]);

/** Bits of a field by the parameters, before a payload is shortened (ET Packets).
 * @param p  Has the fields on which the width depends: branches, thaddr, source_size, cycle_size.
 * @return  0: a field without bits under these parameters, no such field, or
 *          hs_et_config_check() refuses *c. */
unsigned hs_et_field_bits(const struct hs_et_config *c, const struct hs_et_packet *p,
                          unsigned field);

#endif
