/* Accesses of instructions, as rooms read them; <hartscope/block.h> has what all may see. */
#ifndef HS_BASE_ACCESS_H
#define HS_BASE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/block.h>

/** Name of a type such as "load" or "atomic add"; "?" if there is none. */
const char *hs_access_name(unsigned type);

/**
 * Check one access.
 * @retval HS_OK
 * @retval HS_E_ARG  type above 15; size above 3, or below 2 for a CSR; phase above 2, or
 *                   not 0 for what is neither load nor atomic; data or operand wider than the
 *                   size; a CSR's number above 4095; data together with an error.
 */
enum hs_status hs_access_check(const struct hs_access *a);

/** Can an instruction of @hwords half-words access memory or a CSR?  Instructions of more than two
 * make none. */
bool hs_access_insn_makes_any(const uint8_t *bytes, unsigned hwords);
/** Can it make several: loads and stores of vectors? */
bool hs_access_insn_makes_many(const uint8_t *bytes, unsigned hwords);
/** How many it makes, of those that make several: a push or pop (Zcmp); 0: its encoding does not
 * say, as with vectors, or it makes one or none. */
unsigned hs_access_insn_count(const uint8_t *bytes, unsigned hwords);
/** Can it make this access: its operation, its size, its CSR? */
bool hs_access_insn_makes(const uint8_t *bytes, unsigned hwords, const struct hs_access *a);

/** Take an item of a stream.  @return  r->access is a whole access, which ends with this item.
 * Items of other kinds, and values without an access, are ignored. */
bool hs_access_take(struct hs_access_reader *r, const struct hs_block *item);

/** An access in words, such as "load 0x1000 = 0x12"; cut at @size with a terminator. */
void hs_access_text(const struct hs_access *a, char *text, size_t size);

#endif
