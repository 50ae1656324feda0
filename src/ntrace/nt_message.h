/* N-Trace's messages and their fields by name. */
#ifndef HS_NTRACE_NT_MESSAGE_H
#define HS_NTRACE_NT_MESSAGE_H

#include <hartscope/ntrace.h>

/** Longest message that a reader accepts, in bytes.  NT 3 computes 38; zeros may pad a field.
 * Vendor Defined messages may be longer (NT 3): up to HS_NT_VENDOR_MAX. */
#define HS_NT_MSG_MAX 64
#define HS_NT_VENDOR_MAX 65535

/** Name of a TCODE, such as "IndirectBranchHist"; "Vendor Defined" for 56 to 62, "Reserved" for the
 * others (NT Table 8). */
const char *hs_nt_msg_name(unsigned tcode);
/** Clause that defines a TCODE, such as "NT 7.9". */
const char *hs_nt_msg_clause(unsigned tcode);
/** The same three for an enum hs_nt_dialect_id, which may have more messages. */
const char *hs_nt_dialect_msg_name(unsigned dialect, unsigned tcode);
const char *hs_nt_dialect_msg_clause(unsigned dialect, unsigned tcode);
unsigned hs_nt_dialect_msg_fields(unsigned dialect, unsigned tcode,
                                  enum hs_nt_field out[HS_NTF_COUNT]);
/** Name and clause number of a field, such as "I-CNT" and "6.2". */
const char *hs_nt_field_name(enum hs_nt_field f);
const char *hs_nt_field_clause(enum hs_nt_field f);
/** Rows of nt_rules.def: why messages are sent; the one after the last has no text. */
extern const struct hs_rule hs_nt_rules[];
/** Fields of a known TCODE in wire order, TSTAMP included.  @return how many; 0 if unknown. */
unsigned hs_nt_msg_fields(unsigned tcode, enum hs_nt_field out[HS_NTF_COUNT]);

/** Row of a dialect; NULL from HS_NT_DIALECT_COUNT on. */
const struct hs_nt_dialect *hs_nt_dialect_get(unsigned id);

#endif
