/* The rows of nt_messages.def and nt_fields.def as arrays. */
#ifndef HS_NTRACE_TABLES_H
#define HS_NTRACE_TABLES_H

#include <hartscope/ntrace.h>

#define NT_TCODES 64
#define NT_FIELDS_MAX 6

/* One field of a message: present when the earlier field `when` has the value `value`. */
struct nt_slot {
	uint8_t field;
	uint8_t when; /* HS_NTF_COUNT: always */
	uint8_t value;
};

struct nt_layout {
	const char *name; /* NULL: the TCODE has no row */
	const char *clause;
	uint8_t count;
	struct nt_slot slots[NT_FIELDS_MAX];
};

struct nt_field_row {
	const char *name, *clause;
	uint8_t bits;  /* 0: variable */
	uint8_t limit; /* most significant bits of a variable field */
};

/* Copy a caller's configuration, of any size, and check it.  Its zeros stay: what the caller left
 * open.  src_bits is 0 where the configuration inhibits SRC.
 * HS_E_CONFIG: see hs_nt_config_check(). */
enum hs_status nt_config_take(struct hs_nt_config *own, const struct hs_nt_config *given);

/* Write the defaults where @c, a good configuration, has 0 for them. */
void nt_config_resolve(struct hs_nt_config *c);

extern const struct nt_layout nt_layouts[NT_TCODES];
/* The layout of a TCODE; name is NULL where there is none.  @more: dialects with more messages. */
const struct nt_layout *nt_layout_of(bool more, unsigned tcode);
extern const struct nt_field_row nt_field_rows[HS_NTF_COUNT];

#endif
