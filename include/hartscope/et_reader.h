/* RISC-V E-Trace: bytes to packets and packets to bytes.
 *
 * Clauses are cited as in et_config.h.  Offsets are bytes from the first byte ever given to a
 * reader. Nothing here allocates, blocks, or keeps a pointer into the input.
 *
 * Threads: one reader belongs to one thread at a time; two of them share nothing.
 */
#ifndef HARTSCOPE_ET_READER_H
#define HARTSCOPE_ET_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/et_config.h>
#include <hartscope/et_data.h>
#include <hartscope/et_packet.h>
#include <hartscope/private/et_layout.h>
#include <hartscope/private/et_resolved.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Cuts a stream into packets.  Plain data; a decoder starts it. */
struct hs_et_reader {
	uint64_t offset; /**< of the next byte */
	uint64_t start;  /**< offset of the last packet, or of the one that is not complete */
	uint64_t nulls;  /**< null packets skipped (EE Null Encapsulation); of INDEXED bytes of 0 */
	/* Private: */
	struct hs_et_resolved config;
	struct hs_et_layout layout;
	uint16_t held;   /* bytes in buffer */
	uint8_t buffer[HS_ET_PACKET_MAX];
	uint8_t foreign[HS_ET_PACKET_MAX]; /* the last packet that is no instruction trace */
	uint8_t foreign_n;
	uint16_t next;   /* INDEXED: index of the next packet, where known */
	bool known;
	bool hunting;    /* nothing says where the next packet begins */
	bool ending;     /* nothing follows what is held */
};

#ifdef __cplusplus
}
#endif
#endif
