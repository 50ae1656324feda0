/* Protocols, for the rooms that read traces: what each does, and where one stream is cut. */
#ifndef HS_PROTOCOL_PROTOCOL_H
#define HS_PROTOCOL_PROTOCOL_H

#include "trace/codec.h"

/**
 * The wrap point of a circular buffer of one source, where its messages do not show it
 * (hs_ring_find(), hs_et_ring_find()): messages are followed once around and decoded, and where
 * they contradict the program the oldest ones began before.  What is left out is from before the
 * last synchronising message that is certain to be one of the newest to the next one after the
 * contradiction (design/captures).
 *
 * @param image, set    As decoder_new takes them.
 * @param buffer        All of the buffer.
 * @param[in,out] ring  As the messages show it; unchanged where they show one place or several, and
 *                      where there is no contradiction or several.  Never certain: damage
 *                      contradicts, too.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The configuration or an image breaks a rule of its header.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_protocol_find_wrap(const struct hs_protocol *p, const void *config,
                                     const struct hs_image *image, const struct hs_image_set *set,
                                     const struct hs_span *buffer, struct hs_ring *ring);

/* The width of addresses that suits the harts of a program, for parameters that say nothing about
 * it. */
void protocol_set_width(const struct hs_protocol *p, void *config, const struct hs_isa *isa);

/* Give a parameter a value, whatever it is. */
void protocol_put_number(const struct hs_param *param, void *config, uint64_t number);

#endif
