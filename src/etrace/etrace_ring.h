/* E-Trace: the wrap point of a circular buffer whose write pointer is not known.
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
 * Find the wrap point of a circular buffer.
 *
 * Packets are followed once around the buffer.  After the newest one come the last bytes of an old
 * packet whose beginning was overwritten, and what is read there is soon no packet.  Where it
 * happens to be one, or nothing of an old packet is left, the order of packets shows the wrap
 * point: indexes (layout.frame indexed) or times that go back, or a trace that continues after its
 * end (ET Format 3 subformat 3).
 *
 * The bytes from ring->end to ring->begin are left out: nothing shows whether they are old or new.
 * ring->found: just one place looks like a wrap point.  Damage can look like one, too.
 * ring->certain: times or indexes go back once; that damage hides the real one there happens in one
 * buffer of 10^5 (docs/reliability.md).  Times seem to go back where they are further apart than
 * half of what their field holds.
 *
 * @param buffer  All of the buffer.
 * @param config  Its options are those of the first packets; support packets may change them.
 * @param[out] ring  Written with HS_OK.
 * @retval HS_OK        Also where no wrap point was found.
 * @retval HS_E_CONFIG  See hs_et_config_check().
 */
enum hs_status hs_et_ring_find(const struct hs_span *buffer, const struct hs_et_config *config,
                               struct hs_ring *ring);

/**
 * Find the oldest whole packet of a circular buffer whose write pointer is known: the place from
 * which packets are the same, at whichever of the first bytes after the write pointer reading
 * begins.
 * @param wp  The write pointer: offset of the oldest byte, below buffer->n.
 * @param[out] ring  Written with HS_OK; found is false if no such place is near.
 * @retval HS_OK
 * @retval HS_E_ARG     The write pointer is past the end.
 * @retval HS_E_CONFIG  See hs_et_config_check().
 */
enum hs_status hs_et_ring_begin(const struct hs_span *buffer, const struct hs_et_config *config,
                                uint64_t wp, struct hs_ring *ring);

#endif
