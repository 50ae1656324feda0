/* What a trace of TACIT leaves open (docs/tacit.md). */
#ifndef HS_TACIT_TACIT_CONFIG_H
#define HS_TACIT_TACIT_CONFIG_H

#include <stdint.h>

#include <hartscope/status.h>

/** How CONFIG says how many entries the predictor has. */
enum tacit_config_form {
	TACIT_CONFIG_AUTO = 0,   /**< by its bit 7; an encoder writes TACIT_CONFIG_LINEAR */
	TACIT_CONFIG_LINEAR = 1, /**< bits 7:2: entries / 64 */
	TACIT_CONFIG_LOG = 2     /**< bits 6:2: logarithm of entries / 64, and bit 7 is 1 */
};

/** Entries of the largest predictor, and of the one of an encoder unless it says otherwise. */
#define TACIT_ENTRIES_MAX 4096u
#define TACIT_ENTRIES 1024u

/** Zero is the default of each. */
struct tacit_config {
	uint8_t mode;         /**< encoder: enum tacit_mode */
	uint8_t address_bits; /**< of FROM, TARGET and ADDR with bit 0, 16 to 64; 0: 64 */
	uint8_t config_form;  /**< enum tacit_config_form */
	uint8_t fresh;        /**< 1: with SyncStart and SyncPeriodic the predictor begins anew */
	uint8_t skip_jumps;   /**< 1: no InferableJump while branches are predicted */
	uint16_t entries;     /**< of the predictor, a multiple of 64; 0: as CONFIG says, encoder:
	                       * TACIT_ENTRIES */
	uint32_t sync_max;    /**< encoder: a SyncPeriodic after so many messages; 0: none */
};

/** @retval HS_OK
 * @retval HS_E_CONFIG  A value out of range, or CONFIG cannot say the entries in its form. */
enum hs_status tacit_config_check(const struct tacit_config *c);

/** The byte CONFIG that an encoder sends. */
uint8_t tacit_config_byte(const struct tacit_config *c);

/** Entries of the predictor that CONFIG means; 0: it has more than TACIT_ENTRIES_MAX, or none. */
unsigned tacit_config_entries(const struct tacit_config *c, uint8_t byte);

static inline unsigned tacit_address_bits(const struct tacit_config *c)
{
	return c->address_bits ? c->address_bits : 64;
}

#endif
