/* TACIT messages: what they are, to bytes and back (docs/tacit.md). */
#ifndef HS_TACIT_TACIT_MESSAGE_H
#define HS_TACIT_TACIT_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/status.h>

/** Kinds of messages: rows of tacit_messages.def. */
enum tacit_code {
#define TACIT_MSG(id, name, first, clause, ...) TACIT_##id,
#include "tacit/tacit_messages.def"
#undef TACIT_MSG
	TACIT_CODES
};

/** Fields: rows of tacit_fields.def. */
enum tacit_field {
#define TACIT_FIELD(id, name, kind, address, clause) TACIT_F_##id,
#include "tacit/tacit_fields.def"
#undef TACIT_FIELD
	TACIT_FIELDS
};

/** Bytes of the longest message: a header, a byte, and four numbers of 64 bits. */
#define TACIT_MSG_MAX 42u

/** Delta times up to this one, and counts, may share the first byte. */
#define TACIT_SHORT_MAX 63u

struct tacit_msg {
	uint64_t offset;  /**< of its first byte */
	uint8_t length;   /**< bytes; 0: it could not be read */
	uint8_t code;     /**< enum tacit_code; TACIT_CODES: its first byte is of none */
	uint8_t first;    /**< its first byte */
	uint16_t present; /**< bit n: enum tacit_field n is there */
	uint8_t at[TACIT_FIELDS],
		size[TACIT_FIELDS];   /**< bytes of each field; size 0: 7:2 of the first */
	uint64_t field[TACIT_FIELDS]; /**< as sent */
};

/** Value of field TACIT_F_f. */
#define TACIT_GET(m, f) ((m)->field[TACIT_F_##f])
#define TACIT_HAS(m, f) ((m)->present >> TACIT_F_##f & 1u)

/* PRV: from in bits 2:0, to in 5:3. */
static inline unsigned tacit_prv_from(const struct tacit_msg *m)
{
	return (unsigned)TACIT_GET(m, PRV) & 7u;
}

static inline unsigned tacit_prv_to(const struct tacit_msg *m)
{
	return (unsigned)TACIT_GET(m, PRV) >> 3 & 7u;
}

/** CONFIG bits 1:0. */
enum tacit_mode { TACIT_MODE_TARGET = 0, TACIT_MODE_PREDICT = 2 };

/** Does it say where the flow is, whatever was before? */
static inline bool tacit_synchronises(unsigned code)
{
	return code == TACIT_START || code == TACIT_PERIODIC || code == TACIT_RESUME;
}

const char *tacit_msg_name(unsigned code); /**< "?" for TACIT_CODES */
const char *tacit_msg_clause(unsigned code);
const char *tacit_field_name(unsigned field); /**< NULL: there is none */
const char *tacit_field_clause(unsigned field);
bool tacit_field_is_address(unsigned field); /**< to be shown in hexadecimal */

/** The code of a first byte; TACIT_CODES: none has it. */
unsigned tacit_first(uint8_t byte);

/**
 * Read the message at @p; its offset stays as it is.
 * @retval HS_OK
 * @retval HS_MORE     It goes on after @n bytes.
 * @retval HS_E_FIELD  It is none: a reserved header, a PRV without its mark or of no privilege
 *                     mode, a number of more than 64 bits.
 */
enum hs_status tacit_parse(const uint8_t *p, size_t n, struct tacit_msg *m);

/** Write @m->field of @m->code, in the shorter form where there are two.
 * @param out  Room for TACIT_MSG_MAX bytes.  @return  Bytes. */
size_t tacit_write(const struct tacit_msg *m, uint8_t *out);

/** The address that @bits bits of one mean: the top one stands for those above it. */
static inline uint64_t tacit_extend(uint64_t address, unsigned bits)
{
	const uint64_t top = (uint64_t)1 << (bits - 1), low = address & (top | (top - 1));

	return (low ^ top) - top;
}

#endif
