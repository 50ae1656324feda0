/* FST files: waves of GTKWave, as the text of a value change dump. */
#ifndef HS_INPUTS_FST_H
#define HS_INPUTS_FST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/status.h>

/** An FST file (GTKWave), as the text of a value change dump: through the program fst2vcd, which
 * has to be installed (design/logs). */
struct hs_fst;

/** Are these the first bytes of an FST file? */
bool hs_fst_is(const struct hs_span *first);

/**
 * Start fst2vcd.
 * @param fd    The file, open for reading; it must be possible to open it again by its number
 *              (/dev/fd), so it is no pipe.  It is not closed.
 * @param name  For messages; kept until hs_fst_close().
 * @retval HS_OK
 * @retval HS_E_SYSTEM  fst2vcd cannot be started.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_fst_open(int fd, const char *name, struct hs_fst **fst, struct hs_error *error);

/**
 * The next bytes of the dump.
 * @param[out] n  Bytes written to @out, at most @cap; 0 at the end.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  Reading failed.
 * @retval HS_E_FORMAT  At the end: fst2vcd could not read all of the file.
 */
enum hs_status hs_fst_read(struct hs_fst *fst, uint8_t *out, size_t cap, size_t *n,
                           struct hs_error *error);

/** Ends fst2vcd, too.  NULL is allowed. */
void hs_fst_close(struct hs_fst *fst);

#endif
