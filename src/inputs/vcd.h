/* A trace port in a value change dump (IEEE 1364, VCD): text in, samples out.
 *
 * A sample is taken at each edge of the clock, as a probe does (NT 3.4), after all changes of that
 * time: data may change together with the clock (trPibClkCenter 0) or between its edges (1).  x
 * and z are read as 1, the idle level.  The clock's first value counts as an edge, unless it is
 * from the dump's first time, which has the initial values.
 *
 * Memory does not grow with the file.
 */
#ifndef HS_CAPTURE_VCD_H
#define HS_CAPTURE_VCD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/status.h>

/** Data signals that a port can have. */
#define HS_VCD_PINS 16

/** Without a clock, samples of one level are at most these: a longer idle adds nothing. */
#define HS_VCD_STEPS 4096

/**
 * Which signals.  A name is the signal's own or the end of its path, "trc_clk" or "dut.trc_clk";
 * the first declaration that fits is taken.
 */
struct hs_vcd_options {
	uint32_t size;     /**< sizeof(struct hs_vcd_options) */
	const char *clock; /**< NULL: "trc_clk" */
	/** A vector; or the name that single bits share, "d" for d[0], d[1], ...; or names with
	 * commas between them, pin 0 first, each with its index if it has one: "d0,d1",
	 * "bus[4],bus[5]"; NULL: "trc_data". */
	const char *data;
	unsigned width;   /**< pins to read, from pin 0: 1, 2, 4, 8 or 16; 0: all that data names */
	bool rising_only; /**< sample at rising edges only, not at both */
	uint64_t step;    /**< 0: sample at edges of the clock.  Else there is no clock, and this is
	                        the time between samples, in units of the dump; while nothing
	                        changes, at most HS_VCD_STEPS samples are taken */
};

struct hs_vcd;

/** Counters, and what the declarations said. */
struct hs_vcd_stats {
	unsigned width;    /**< pins; 0 before the declarations are read */
	uint64_t samples;  /**< taken */
	uint64_t unknown;  /**< those with an x or z */
	uint64_t shortest; /**< without a clock: least time between two changes; 0:
	                        there were none */
};

/**
 * Start reading a dump.
 * @param options  NULL: all defaults.
 * @retval HS_OK
 * @retval HS_E_ARG     A name is empty or too long; more than 16 names; a width that no port has.
 * @retval HS_E_CONFIG  @options has a wrong size, or members that this library lacks.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_vcd_new(const struct hs_vcd_options *options, struct hs_vcd **vcd,
                          struct hs_error *error);
void hs_vcd_free(struct hs_vcd *vcd); /**< NULL is allowed */

/**
 * Text to samples: one byte each, two with 16 pins (HS_PIN_BYTES of transport.h).
 *
 * @param[in,out] in  Text; it may stop anywhere.  Moved past what was read.
 * @param out, cap    Room, at least 2 bytes.
 * @param[out] n      Bytes written.
 *
 * @retval HS_MORE      The text is used up.
 * @retval HS_FULL      Call again with room and the rest of the text.
 * @retval HS_E_FORMAT  Not a value change dump; @error says where.
 * @retval HS_E_CONFIG  The file has no such signal, or a number of data signals that no port has.
 * @retval HS_E_SPACE   cap is below 2; nothing was done.
 * After HS_E_FORMAT or HS_E_CONFIG, later calls return the same.
 */
enum hs_status hs_vcd_feed(struct hs_vcd *vcd, struct hs_span *in, uint8_t *out, size_t cap,
                           size_t *n, struct hs_error *error);

/**
 * The text is over: write the sample of the last time, if there is one.
 * @retval HS_END
 * @retval HS_FULL      Call again with room.
 * @retval HS_E_FORMAT  The dump ends in its declarations; or returned earlier.
 * @retval HS_E_CONFIG  Returned earlier.
 * @retval HS_E_SPACE   cap is below 2; nothing was done.
 */
enum hs_status hs_vcd_end(struct hs_vcd *vcd, uint8_t *out, size_t cap, size_t *n,
                          struct hs_error *error);

void hs_vcd_get_stats(const struct hs_vcd *vcd, struct hs_vcd_stats *out);

#endif
