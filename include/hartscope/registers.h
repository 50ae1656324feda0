/* Dumps of trace control registers, from files.
 *
 * hs_registers_read() may run on several threads at once, but only one may read standard input. */
#ifndef HARTSCOPE_REGISTERS_H
#define HARTSCOPE_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/control.h>
#include <hartscope/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HS_REGISTERS_ENCODERS 64

/** The contents of a file.  hs_tc_dump_line() describes its lines; each section [encoder BASE] with
 * another base is another encoder.  Sections [encoder0 BASE] and [funnel0 BASE] have SiFive's
 * registers of version 0, which are read as those of 1.0 that mean the same; a trace with them has
 * the dialect sifive. */
struct hs_registers {
	struct hs_tc_dump dump; /**< of several encoders: the first, with the options that another
	                             one has for a decode, too */
	uint32_t count;         /**< different registers */
	uint32_t unknown;       /**< lines with a register that the Trace Control Interface does not
	                             have; they were skipped */
	uint32_t first_unknown; /**< number of the first such line, from 1; 0: none */
	uint32_t discovery_known; /**< bit i: a line has discovery_info_i */
	uint64_t discovery[2];    /**< discovery_info_0 and discovery_info_1 of E-Trace (ET Example
	                            ipxact description), for the parameter "discovery" */
	uint32_t encoders;      /**< how many encoders have registers here */
	uint16_t sources[HS_REGISTERS_ENCODERS]; /**< their trTeSrcID, as many as there is room */
	uint8_t sifive; /**< SiFive's of version 0: bit 0, the encoders; bit 1, the sink */
};

/**
 * Read a dump of registers.
 * @param path  "-": standard input.
 * @retval HS_OK        *r is filled.
 * @retval HS_E_SYSTEM  The file cannot be read.
 * @retval HS_E_FORMAT  A line has none of the forms, or is too long, or there is no register; or
 *                      the trace of several encoders cannot be one stream: they differ in
 *                      trTeSrcBits (NT 11.2) or in what a decode cannot see.
 */
HS_API enum hs_status hs_registers_read(const char *path, struct hs_registers *r,
                                        struct hs_error *error);

/** The buffer of a RAM sink, as its registers have it (TCI 7). */
struct hs_registers_ram {
	uint64_t start, limit; /**< addresses of its first and last word */
	uint64_t wp;           /**< where the next word goes */
	bool wrapped;          /**< trRamWrap */
	bool stop_on_wrap;     /**< trRamStopOnWrap */
	bool at_work;          /**< it was enabled, or had trace inside, when it was read: the
	                            buffer may have changed since */
};

/**
 * Where the trace of a RAM sink is.
 * @retval true
 * @retval false  trRamLimitLow or trRamWPLow was not read (trRamStart, and upper halves, are 0 if
 *                not); nothing is stored: these are registers from before the trace; or the version
 *                is not one that this text has.  *ram is unchanged.
 */
HS_API bool hs_registers_get_ram(const struct hs_registers *registers,
                                 struct hs_registers_ram *ram);

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
