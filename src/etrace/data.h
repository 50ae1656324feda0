/* What encoder and decoder of data trace share. */
#ifndef HS_ETRACE_DATA_DATA_H
#define HS_ETRACE_DATA_DATA_H

#include <hartscope/etrace.h>

#include "core/mem.h"
#include "etrace/etrace_data.h"

/* Values of the field format of 2.0 (ET Load and Store format field; design/data-trace for the last). */
enum et_data_format {
	ET_DATA_LOAD = 0,  /* and 1: not aligned */
	ET_DATA_STORE = 2, /* and 3: not aligned */
	ET_DATA_LOAD_RESPONSE = 4,
	ET_DATA_CSR = 5,
	ET_DATA_ATOMIC = 6,
	ET_DATA_ATOMIC_RESPONSE = 7
};

/* Values of the field format of the extension (ET MMA/CAS format field).  Of loads and stores the
 * subformat has 2 bits: 2 if it is a store, and 1 if it is not aligned; of an operation it is the
 * dtype. */
enum et_data_revised_format {
	ET_DATA_PLAIN = 0,
	ET_DATA_MULTI = 1,
	ET_DATA_OPERATION = 2, /* atomic or CSR */
	ET_DATA_PHASE = 3      /* the data of a split load or atomic */
};

/* Values of the field resp. */
enum et_data_resp { ET_DATA_RESP_ERROR = 0 };

/* How a packet carries its data. */
enum et_data_coding { ET_DATA_ABSENT, ET_DATA_FULL, ET_DATA_XOR, ET_DATA_DIFFERENCE };

/* What a value of diff, or resp, means in a form. */
struct et_data_mode {
	bool valid, address_diff;
	uint8_t coding; /* enum et_data_coding; with the extension, of data and operand */
};

struct et_data_mode et_data_mode(const struct hs_et_data_coder *c, unsigned form, unsigned code);
unsigned et_data_diff_width(const struct hs_et_data_coder *c, unsigned form);
unsigned et_data_format_width(const struct hs_et_data_coder *c);
unsigned et_data_subformat_width(const struct hs_et_data_coder *c, unsigned format);

/* Can packets of a form, below HS_ET_DATA_FORMS, have the field? */
bool et_data_form_has(unsigned form, enum hs_et_data_field f);

/* The form of a format, with the extension of format and subformat; HS_ET_DATA_NONE: the
 * configuration has no such packet. */
unsigned et_data_form(const struct hs_et_data_coder *c, unsigned format, unsigned subformat);

/* What a format and subformat of the extension say of the access: enum hs_access_type, or another
 * number for a reserved code. */
unsigned et_data_type(unsigned format, unsigned subformat);

/* As hs_et_data_read(), of so many bits; the last byte is filled with the sign. */
enum hs_status et_data_read(const struct hs_et_data_coder *c, const uint8_t *bytes, unsigned bits,
                            struct hs_et_data_packet *p);

/* Where the values of CSRs are remembered; accesses are by size. */
#define ET_DATA_CLASS_CSR 4

/* The low @bits of @v, 1 to 64; and the same with the highest of them as sign. */
static inline uint64_t et_low(uint64_t v, unsigned bits)
{
	return bits >= 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

static inline uint64_t et_sign(uint64_t v, unsigned bits)
{
	const uint64_t top = (uint64_t)1 << (bits - 1);

	return (et_low(v, bits) ^ top) - top;
}

static inline bool et_data_has(const struct hs_et_data_packet *p, enum hs_et_data_field f)
{
	return p->present >> f & 1u;
}

static inline void et_data_set(struct hs_et_data_packet *p, enum hs_et_data_field f, uint64_t v)
{
	p->field[f] = v;
	p->present |= 1u << f;
}

static inline bool et_data_aligned(uint64_t address, unsigned size)
{
	return size == 0 || et_low(address, size) == 0;
}

static inline uint64_t et_data_address(const struct hs_et_data_coder *c, uint64_t v)
{
	const unsigned width = c->address_width;

	return width > 32 ? et_sign(v, width) : et_low(v, width);
}

#endif
