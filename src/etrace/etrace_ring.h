/* E-Trace: the seam of a circular buffer whose write pointer is not known.
 *
 * Clauses are cited as in etrace.h.  Nothing here allocates, or keeps a pointer.
 *
 * Threads: calls with different buffers and results may run at once.
 */
#ifndef HS_ETRACE_RING_ETRACE_RING_H
#define HS_ETRACE_RING_ETRACE_RING_H

#include <hartscope/etrace.h>
#include <hartscope/status.h>

/**
 * Find the seam of a circular buffer that wrapped.
 *
 * Packets are followed around the buffer.  After the newest one is the rest of an older one, whose
 * beginning was overwritten: what is read there is soon no packet.  Where it happens to be one, or
 * where the newest packet ended where an older one begins, the order of packets shows the seam:
 * indexes (layout.frame indexed) and times that go back, or a trace that continues after its end
 * (ET Format 3 subformat 3).
 *
 * What lies between ring->end and ring->begin is left out: nothing shows to which side it belongs.
 * With one place that looks like a seam ring->found is true.  Damage can look like a seam, too:
 * ring->certain is true only where times or indexes go back once, and damage would hide it in one
 * buffer of 10^5 (docs/reliability.md).
 * Times that are further apart than half of what their field holds seem to go back.
 *
 * @param buffer  All of the buffer.
 * @param config  Its options are those of its first packets; support packets are followed.
 * @param[out] ring  Written with HS_OK.
 * @retval HS_OK        Also where none was found.
 * @retval HS_E_CONFIG  See hs_et_config_check().
 */
enum hs_status hs_et_ring_find(const struct hs_span *buffer, const struct hs_et_config *config,
                               struct hs_ring *ring);

/**
 * Find the oldest whole packet of a circular buffer whose write pointer is known: where packets are
 * the same, whichever of the first bytes after the write pointer begins one.
 * @param wp  The write pointer: the offset of the oldest byte, below buffer->n.
 * @param[out] ring  Written with HS_OK; found is false where no such place is near.
 * @retval HS_OK
 * @retval HS_E_ARG     The write pointer is past the end.
 * @retval HS_E_CONFIG  See hs_et_config_check().
 */
enum hs_status hs_et_ring_begin(const struct hs_span *buffer, const struct hs_et_config *config,
                                uint64_t wp, struct hs_ring *ring);

#endif
