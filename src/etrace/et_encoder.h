/* What only other rooms ask of E-Trace's encoder. */
#ifndef HS_ETRACE_ET_ENCODER_H
#define HS_ETRACE_ET_ENCODER_H

#include <hartscope/etrace.h>

/** What the encoder has written since hs_et_encoder_init(); valid as long as *e. */
const struct hs_et_counts *hs_et_encoder_stats(const struct hs_et_encoder *e);

/** Packets that the encoder had written did not get out: the trace continues with a support packet,
 * trace_lost, and a synchronising packet (ET Format 3 subformat 3). */
void hs_et_encoder_lost(struct hs_et_encoder *e);

/** Packets of data trace did not get out, and no others: a support packet with denable says so
 * before the next access, whose values are full.  Without data trace nothing happens. */
void hs_et_encoder_lost_data(struct hs_et_encoder *e);

/**
 * Change run-time options of data trace: from the next access on they are @doptions.  A support
 * packet comes before it.
 * @param doptions  enum hs_et_data_option; all of them.
 * @retval HS_OK
 * @retval HS_E_CONFIG       No data trace (hs_et_encoder_set_data()), or neither data nor address
 *                           would be left.  Nothing changed.
 * @retval HS_E_UNSUPPORTED  The layout has no bit for an option that would change.  Nothing
 *                           changed.
 */
enum hs_status hs_et_encoder_set_doptions(struct hs_et_encoder *e, unsigned doptions);

/** Bits of the fields of what blocks and events say; 0: packets do not have it. */
struct hs_et_fields {
	uint8_t cause, value, context;
	uint8_t modes; /**< bit N: packets can say that a hart is in mode N (HS_PRIV_*) */
};

/** @param config  What hs_et_config_check() refuses has no fields. */
void hs_et_get_fields(const struct hs_et_config *config, struct hs_et_fields *fields);

#endif
