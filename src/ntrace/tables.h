/* The rows of messages.def as arrays. */
#ifndef HS_NTRACE_TABLES_H
#define HS_NTRACE_TABLES_H

#include <hartscope/ntrace.h>

/* Return addresses that an encoder keeps if nothing else is said (NT 9.2). */
#define NT_CALL_STACK 32

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

/* The top bit of F-ADDR or U-ADDR on the wire; 0: the field is empty, or all bits were sent. */
static inline uint64_t nt_top_sent(const struct hs_nt_msg *m)
{
	return m->addr_bits && m->addr_bits < 63 ? (uint64_t)1 << (m->addr_bits - 1) : 0;
}

/* An address field: where bit @top is 1, so are those above it (NT 8.2, design/nt-vendor). */
static inline uint64_t nt_extended(uint64_t v, uint64_t top)
{
	return v | (0 - (v & top));
}

/* The bit of a field of address_bits that stands for those above it; 0: there is none. */
static inline uint64_t nt_top_of(const struct hs_nt_config *c)
{
	return c->address_bits ? (uint64_t)1 << (c->address_bits - 1) : 0;
}

/* What CKDATA and CKDATA1 of an in-circuit trace message are, by CKSRC and CKDF
 * (design/nt-vendor). */
enum nt_circuit {
	NT_CIRCUIT_RESERVED, /* it is not known whether there is an address */
	NT_CIRCUIT_DATA,     /* no address */
	NT_CIRCUIT_ADDRESS,  /* an address, and data if there is CKDATA1 */
	NT_CIRCUIT_BOTH      /* two addresses, the second against the first */
};
enum nt_circuit nt_circuit_of(unsigned source, bool more);

extern const struct nt_layout nt_layouts[NT_TCODES];
/* The layout of a TCODE; name is NULL where there is none.  @more: dialects with more messages. */
const struct nt_layout *nt_layout_of(bool more, unsigned tcode);
/* hs_nt_dialect_write() where @more says which rows there are. */
size_t nt_write(bool more, const struct hs_nt_msg *m, unsigned src_bits, uint8_t *out);
extern const struct nt_field_row nt_field_rows[HS_NTF_COUNT];

#endif
