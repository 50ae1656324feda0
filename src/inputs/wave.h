/* Signals in a value change dump (IEEE 1364, VCD) as rows: text in, text out.
 *
 * A row is the values at a rising edge of the clock, as they were before it: what a flip-flop takes
 * there.  The first line has the names of the columns, as the importers of ingress rows and of RVFI
 * take them (ingress.def; exec_log.h).  A digit with a bit that is x, z or was not dumped yet
 * is x, a decimal number with one is x as a whole.
 *
 * Memory does not grow with the file.
 *
 * Threads: a reader belongs to one thread at a time; different readers share nothing.
 */
#ifndef HS_INPUTS_WAVE_H
#define HS_INPUTS_WAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/status.h>

/** Columns of rows, at most. */
#define HS_WAVE_COLUMNS 320

/** A column. */
struct hs_wave_column {
	const char *name;   /**< of the column, at most 39 characters */
	const char *signal; /**< its own name or the end of its path in the dump, "iaddr" or
	                         "core.trace.iaddr"; of a vector one bit, "valid[0]"; of an array an
	                         element, "pc[0]", where there is one of that name; an escaped name
	                         with its backslash or without; NULL: @name */
	uint8_t base;       /**< of its numbers: 10, or 16; 0: 16 after "0x" */
	bool needed;        /**< false: without the signal there is no column */
};

/** What to read. */
struct hs_wave_options {
	uint32_t size;     /**< sizeof(struct hs_wave_options) */
	const char *clock; /**< as hs_wave_column.signal; NULL: "clk", "clk_i" or "clock" */
	const struct hs_wave_column *columns; /**< column_count of them; copied */
	size_t column_count;
};

struct hs_wave;

/**
 * Start reading a dump.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No columns, or more than HS_WAVE_COLUMNS; a name that is empty or too long;
 *                      a wrong size.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_wave_new(const struct hs_wave_options *options, struct hs_wave **wave,
                           struct hs_error *error);
void hs_wave_free(struct hs_wave *wave); /**< NULL is allowed */

/** Room that each call needs for text. */
#define HS_WAVE_ROOM 8192

/**
 * Take text, cut anywhere, and append rows.
 *
 * @param[in,out] in  Text of the dump; moved past what was taken.
 * @param out, cap    Room for rows, at least HS_WAVE_ROOM bytes.
 * @param[out] n      Bytes written.
 *
 * @retval HS_MORE      All of @in was taken.
 * @retval HS_FULL      Call again with room and the rest of @in.
 * @retval HS_E_FORMAT  Not a value change dump: @error has the offset.  It stays.
 * @retval HS_E_CONFIG  No such clock, or a needed signal is missing.  It stays.
 * @retval HS_E_SPACE   cap is below HS_WAVE_ROOM.
 */
enum hs_status hs_wave_feed(struct hs_wave *wave, struct hs_span *in, char *out, size_t cap,
                            size_t *n, struct hs_error *error);

/** The text is over: the row of its last time.  @retval HS_END, else as hs_wave_feed(); HS_E_FORMAT
 * also where it ends in its declarations. */
enum hs_status hs_wave_end(struct hs_wave *wave, char *out, size_t cap, size_t *n,
                           struct hs_error *error);

/** Was a signal for the column found?  False also before the declarations are read. */
bool hs_wave_has(const struct hs_wave *wave, const char *column);

#endif
