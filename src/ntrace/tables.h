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

extern const struct nt_layout nt_layouts[NT_TCODES];
extern const struct nt_field_row nt_field_rows[HS_NTF_COUNT];

#endif
