/* A trace port in a value change dump (IEEE 1364, VCD): text in, samples out.
 *
 * A sample is taken at each edge of the clock, as a probe does (NT 3.4), with the values that the
 * data signals have when all changes of that time are done: data may change together with the
 * clock (trPibClkCenter 0) or between its edges (1).  x and z are read as 1, the idle level.  The
 * clock's first value is an edge where it is not one of the first time, whose values are initial.
 *
 * Memory does not grow with the file.
 */
#ifndef HS_CAPTURE_VCD_H
#define HS_CAPTURE_VCD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/error.h>
#include <hartscope/status.h>

/** Data signals that a port can have. */
#define HS_VCD_PINS 16

/** Samples of a level that stays, at most, where there is no clock: longer idle says no more. */
#define HS_VCD_STEPS 4096

/**
 * Which signals.  A name is the signal's own or the end of its path, "trc_clk" or "dut.trc_clk";
 * the first declaration that fits is taken.
 */
struct hs_vcd_options {
	uint32_t size;     /**< sizeof(struct hs_vcd_options) */
	const char *clock; /**< NULL: "trc_clk" */
	const char *data;
	/**< a vector; or the name that single bits share, "d" for d[0], d[1], ...;
	                        or names with commas between them, for pin 0 first, each with an
	                        index where it has one: "d0,d1", "bus[4],bus[5]"; NULL: "trc_data"
	                        */
	/**< pins to read, from pin 0: 1, 2, 4, 8 or 16; 0: all that data names */
	unsigned width;
	bool rising_only; /**< sample at rising edges only, not at both */
	uint64_t step;    /**< 0: at edges of the clock; else at each so many units of the dump's
	                        time, and there is no clock.  Of a time without a change there are
	                        HS_VCD_STEPS samples at most */
};

struct hs_vcd;

/** Counters, and what the declarations said. */
struct hs_vcd_stats {
	unsigned width;    /**< pins; 0 before the declarations are read */
	uint64_t samples;  /**< taken */
	uint64_t unknown;  /**< of them with an x or z */
	uint64_t shortest; /**< without a clock: least time between two changes; 0:
	                        there were none */
};

/**
 * Start reading a dump.
 * @param options  NULL: as a zeroed one.
 * @retval HS_OK
 * @retval HS_E_ARG     A name is empty or too long; more than 16 names; no such width.
 * @retval HS_E_CONFIG  @options has a size that cannot be, or members that this library lacks.
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
 * HS_E_FORMAT and HS_E_CONFIG stay.
 */
enum hs_status hs_vcd_feed(struct hs_vcd *vcd, struct hs_span *in, uint8_t *out, size_t cap,
                           size_t *n, struct hs_error *error);

/**
 * The text is over: write the sample of the last time, if there is one.
 * @retval HS_END
 * @retval HS_FULL      Call again with room.
 * @retval HS_E_FORMAT  It ends in its declarations; or an error before.
 * @retval HS_E_CONFIG  An error before.
 * @retval HS_E_SPACE   cap is below 2; nothing was done.
 */
enum hs_status hs_vcd_end(struct hs_vcd *vcd, uint8_t *out, size_t cap, size_t *n,
                          struct hs_error *error);

void hs_vcd_get_stats(const struct hs_vcd *vcd, struct hs_vcd_stats *out);

#endif
