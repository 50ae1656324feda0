/* Bytes out of samples of a serial pin. */
#ifndef HS_TRANSPORT_SERIAL_H
#define HS_TRANSPORT_SERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/transport.h>

/** Runs of equal samples that a receiver looks at to find the period. */
#define HS_SERIAL_RUNS 512

/** Samples to bytes. */
struct hs_serial_receiver {
	uint64_t samples; /**< taken */
	uint64_t bytes;   /**< written */
	uint64_t losses;  /**< times that no bit could be there */
	uint32_t period;  /**< samples a bit, in 1/256; 0: not found yet */
	/* Private: */
	uint8_t mode, packed, state, level, bit, hold, taken;
	uint32_t count; /* bits of the byte, or phases of the message */
	uint16_t acc, kept, at;
	uint32_t run;     /* samples of the current run */
	uint32_t phase;   /* UART: time within the byte, in 1/256 samples */
	uint32_t pending; /* rest of a run that is being taken, in samples or phases */
	uint8_t out_byte, taken_bit;
	bool has_byte, lost, finished;
	uint32_t runs[HS_SERIAL_RUNS];
};

/**
 * Start.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A mode, size or period that cannot be.
 */
enum hs_status hs_serial_receiver_init(struct hs_serial_receiver *r,
                                       const struct hs_serial_config *config);

/**
 * Samples to bytes.  Up to the first idle of ten bits (UART), or of three phases (Manchester),
 * nothing says where a byte begins; nor after a bit that cannot be.  There a message begins.
 *
 * @param[in,out] in  Samples; moved past those taken.  How they are cut changes nothing.
 * @param out, cap    Room, at least 1 byte.
 * @param[out] len    Bytes written; also with an error.
 * @retval HS_MORE       @in is used up.
 * @retval HS_FULL       @out is full; call again.
 * @retval HS_E_FRAMING  No bit can be here; bytes are missing after those in @out.  Call again.
 */
enum hs_status hs_serial_receive(struct hs_serial_receiver *r, struct hs_span *in, uint8_t *out,
                                 size_t cap, size_t *len);

/** The samples are over.
 * @retval HS_FULL, HS_E_FRAMING  As hs_serial_receive(); call again.
 * @retval HS_END  No more bytes. */
enum hs_status hs_serial_receive_end(struct hs_serial_receiver *r, uint8_t *out, size_t cap,
                                     size_t *len);

#endif
