/* Dumps of trace control registers, from files.
 *
 * hs_registers_read() may run on several threads at once, but only one may read standard input. */
#ifndef HARTSCOPE_REGISTERS_H
#define HARTSCOPE_REGISTERS_H

#include <hartscope/control.h>
#include <hartscope/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The contents of a file.  hs_tc_dump_line() describes its lines. */
struct hs_registers {
	struct hs_tc_dump dump;
	uint32_t count;         /**< different registers */
	uint32_t unknown;       /**< lines with a register that the Trace Control Interface does not
	                             have; they were skipped */
	uint32_t first_unknown; /**< number of the first such line, from 1; 0: none */
	uint32_t discovery_known; /**< bit i: a line has discovery_info_i */
	uint64_t discovery[2]; /**< discovery_info_0 and discovery_info_1 of E-Trace (ET Example
	                            ipxact description), for hs_trace_params_set_discovery() */
};

/**
 * Read a dump of registers.
 * @param path  "-": standard input.
 * @retval HS_OK        *r is filled.
 * @retval HS_E_SYSTEM  The file cannot be read.
 * @retval HS_E_FORMAT  A line has none of the forms, or is too long, or there is no register.
 */
HS_API enum hs_status hs_registers_read(const char *path, struct hs_registers *r,
                                        struct hs_error *error);

/**
 * Say what a tool says of a component's version (TCI 5, note): name, base, version, what is
 * supported, and tr??Impl in hexadecimal.
 * @param[out] text  One line, cut at @size with a terminator.
 * @return  As hs_tc_version_of().
 */
HS_API enum hs_tc_version hs_registers_version_text(const struct hs_registers *registers,
                                                    unsigned component, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
