/* Dumps of trace control registers, from files: "TCI n" is a chapter of the Trace Control Interface. */
#ifndef HARTSCOPE_REGISTERS_H
#define HARTSCOPE_REGISTERS_H

#include <hartscope/control.h>
#include <hartscope/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a file told.  hs_tc_dump_line() describes its lines. */
struct hs_registers {
	struct hs_tc_dump dump;
	uint32_t count;         /**< different registers that were given */
	uint32_t unknown;       /**< lines with a register that is not of the Trace Control Interface */
	uint32_t first_unknown; /**< the first of them; lines count from 1; 0: none */
};

/**
 * Read a dump of registers.
 * @param path  "-": standard input.
 * @retval HS_OK        *r is filled; r->unknown lines were passed over.
 * @retval HS_E_SYSTEM  The file cannot be read.
 * @retval HS_E_FORMAT  A line has none of the forms, or is too long, or there is no register.
 */
HS_API enum hs_status hs_registers_read(const char *path, struct hs_registers *r,
                                        struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
