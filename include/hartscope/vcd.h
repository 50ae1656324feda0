/* A trace port in a value change dump (IEEE 1364, VCD): text in, samples out.
 *
 * A sample is taken at each edge of the clock, as a probe does (NT 3.4), with the values that the
 * data signals have when all changes of that time are done: data may change together with the
 * clock (trPibClkCenter 0) or between its edges (1).  x and z are read as 1, the idle level.  The
 * clock's first value is an edge where it is not one of the first time, whose values are initial.
 *
 * Memory does not grow with the file.
 *
 * Threads: a reader belongs to one thread at a time; different readers share nothing.
 */
#ifndef HARTSCOPE_VCD_H
#define HARTSCOPE_VCD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/error.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Data signals that a port can have. */
#define HS_VCD_PINS 16

/* ---- FST ---------------------------------------------------------------------------- */

/** An FST file (GTKWave), as the text of a value change dump: through the program fst2vcd, which
 * has to be installed (ADR-0128). */
struct hs_fst;

/** Are these the first bytes of an FST file? */
HS_API bool hs_fst_is(const struct hs_span *first);

/**
 * Start fst2vcd.
 * @param fd    The file, open for reading; it must be possible to open it again by its number
 *              (/dev/fd), so it is no pipe.  It is not closed.
 * @param name  For messages; kept until hs_fst_close().
 * @retval HS_OK
 * @retval HS_E_SYSTEM  fst2vcd cannot be started.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_fst_open(int fd, const char *name, struct hs_fst **fst,
                                  struct hs_error *error);

/**
 * The next bytes of the dump.
 * @param[out] n  Bytes written to @out, at most @cap; 0 at the end.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  Reading failed.
 * @retval HS_E_FORMAT  At the end: fst2vcd could not read all of the file.
 */
HS_API enum hs_status hs_fst_read(struct hs_fst *fst, uint8_t *out, size_t cap, size_t *n,
                                  struct hs_error *error);

/** Ends fst2vcd, too.  NULL is allowed. */
HS_API void hs_fst_close(struct hs_fst *fst);

#ifdef __cplusplus
}
#endif
#endif
