/* Single-wire trace (SWT): samples of one pin to bytes, and back (ADR-0125).
 *
 * "TCI" is the RISC-V Trace Control Interface 1.0.  UART: a low start bit, 8 data bits, the least
 * significant first, a high stop bit; idle is high (TCI, SWT UART Protocol).  Manchester: a message
 * between a start and a stop bit, each bit in two phases: start and 1 are high then low, 0 is low
 * then high, stop and idle are low (TCI, SWT Manchester Protocol).
 *
 * Nothing here allocates, blocks, or keeps a pointer into the input.  A receiver or sender is plain
 * data in the caller's memory and belongs to one thread at a time; different ones share nothing.
 */
#ifndef HARTSCOPE_SERIAL_H
#define HARTSCOPE_SERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/span.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Protocols of the pin: trPibMode 5 and 4. */
enum hs_serial_mode { HS_SERIAL_UART = 0, HS_SERIAL_MANCHESTER = 1 };

/** The pin and its samples. */
struct hs_serial_config {
	uint32_t size;    /**< sizeof(struct hs_serial_config) */
	uint32_t period;  /**< samples a bit, in units of 1/256 sample; 0: found (receiver), 8
	                       samples (sender) */
	uint8_t mode;     /**< enum hs_serial_mode */
	uint8_t packed;   /**< 1: 8 samples a byte, the first one in bit 0; 0: a byte each, in bit
	                       0 */
	uint8_t pad[2];   /**< 0 */
};

/** Least and most of period: 2 and 64 samples of sender and receiver, 2.5 a bit to find it. */
#define HS_SERIAL_PERIOD_MIN 512
#define HS_SERIAL_PERIOD_MAX 16384

/** Bytes to samples. */
struct hs_serial_sender {
	/* Private: */
	uint32_t period;
	uint64_t time, done;
	uint8_t mode, packed, acc, fill;
};

/** Room for the output of one call of a sender. */
#define HS_SERIAL_ROOM 1280

/** Start. @retval HS_OK @retval HS_E_CONFIG  The mode or the period is none. */
HS_API enum hs_status hs_serial_sender_init(struct hs_serial_sender *s,
                                            const struct hs_serial_config *config);

/**
 * Send one byte of a message.
 * @param first, last  It begins and ends its message, which Manchester marks.
 * @param out          Room for HS_SERIAL_ROOM bytes.
 * @return  Bytes of samples.
 */
HS_API size_t hs_serial_send(struct hs_serial_sender *s, uint8_t byte, bool first, bool last,
                             uint8_t *out);

/** Send idle of @bits bits, at most 16, between two messages. @return  Bytes of samples. */
HS_API size_t hs_serial_idle(struct hs_serial_sender *s, unsigned bits, uint8_t *out);

#ifdef __cplusplus
}
#endif
#endif
