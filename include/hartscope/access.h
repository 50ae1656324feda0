/* Data accesses: what a hart reports of one load, store, atomic or CSR access (ET Data Trace
 * Interface).
 *
 * Calls on different memory may run on several threads at once.
 */
#ifndef HARTSCOPE_ACCESS_H
#define HARTSCOPE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** dtype of the data interface (ET Table dtype). */
enum hs_access_type {
	HS_ACCESS_LOAD = 0,
	HS_ACCESS_STORE = 1,
	HS_ACCESS_CSR_RW = 4,
	HS_ACCESS_CSR_RS = 5,
	HS_ACCESS_CSR_RC = 6,
	HS_ACCESS_SWAP = 8,
	HS_ACCESS_ADD = 9,
	HS_ACCESS_AND = 10,
	HS_ACCESS_OR = 11,
	HS_ACCESS_XOR = 12,
	HS_ACCESS_MAX = 13,
	HS_ACCESS_MIN = 14,
	HS_ACCESS_SC_FAILED = 15 /**< conditional store that failed: nothing was stored */
};

/** The part of an access that is reported.  Split loads and atomics have two. */
enum hs_access_phase {
	HS_ACCESS_WHOLE = 0,
	HS_ACCESS_REQUEST = 1, /**< retired: address, and the operand of an atomic */
	HS_ACCESS_RESPONSE = 2 /**< the memory answered: data, or an error */
};

/** What is known of an access: bits of struct hs_access.known. */
enum hs_access_known {
	HS_ACCESS_HAS_ADDRESS = 1,
	HS_ACCESS_HAS_DATA = 2,
	HS_ACCESS_HAS_OPERAND = 4,
	HS_ACCESS_HAS_ERROR = 8 /**< response: the access failed, there is no data */
};

/** One access.  Members that @known does not name are 0. */
struct hs_access {
	uint64_t address; /**< in bytes; of a CSR: its number */
	uint64_t data;    /**< loaded or stored; atomics and CSRs: the value before the operation */
	uint64_t operand; /**< atomics: the value of rs2; CSRs: that of rs1, or the immediate */
	uint16_t id;      /**< lrid: joins request and response of a split access */
	uint8_t type;     /**< enum hs_access_type */
	uint8_t size;     /**< 2^size bytes, 0 to 3; 2 or 3 of a CSR: the width of the hart */
	uint8_t phase;    /**< enum hs_access_phase */
	uint8_t known;    /**< enum hs_access_known */
};

static inline bool hs_access_is_csr(unsigned type)
{
	return type >= HS_ACCESS_CSR_RW && type <= HS_ACCESS_CSR_RC;
}

/** An atomic operation or a conditional store that failed: packets have the same format. */
static inline bool hs_access_is_atomic(unsigned type)
{
	return type >= HS_ACCESS_SWAP && type <= HS_ACCESS_SC_FAILED;
}

/**
 * Check one access.
 * @retval HS_OK
 * @retval HS_E_ARG  type 2, 3, 7 or above 15; size above 3, or below 2 for a CSR; phase above 2, or
 *                   not 0 for what is neither load nor atomic; data or operand wider than the
 *                   size; a CSR's number above 4095; data together with an error.
 */
HS_API enum hs_status hs_access_check(const struct hs_access *a);

/** Items of one access in a stream of blocks, at most. */
#define HS_ACCESS_ITEMS 3

/** Write an access as HS_KIND_DATA and HS_KIND_VALUE.  @return  Items written, 1 to 3. */
HS_API unsigned hs_access_put(const struct hs_access *a, struct hs_block out[HS_ACCESS_ITEMS]);

/** What a reader of accesses keeps from one item to the next.  Zero is the start. */
struct hs_access_reader {
	struct hs_access access;
	/* Private: */
	uint8_t missing; /* values that are still to come: enum hs_access_known */
};

#ifdef __cplusplus
}
#endif
#endif
