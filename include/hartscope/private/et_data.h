/* Private state of the data trace coder.  It stands here because the caller owns the memory; no
 * member may be relied upon. */
#ifndef HARTSCOPE_PRIVATE_ET_DATA_H
#define HARTSCOPE_PRIVATE_ET_DATA_H

#include <stdint.h>

/* Values are remembered for each size of access, and for CSRs. */
#define HS_ET_DATA_CLASSES 5

/* A request whose response may still come. */
struct hs_et_data_request {
	uint64_t address;
	uint8_t type, size, known;
	uint8_t open;
};

struct hs_et_data_coder {
	uint8_t split, no_data, no_address, load_store, data_width, address_width, lrid_width;
	uint8_t csr_width, compression, narrow_diff, csr_subtype_width, csr_diff, full_address;
	uint8_t sc_failures, atomic_response;
	uint8_t have_address, have_data; /* bit of a class: there is a value to differ from */
	uint64_t address[HS_ET_DATA_CLASSES], data[HS_ET_DATA_CLASSES];
	struct hs_et_data_request request[256];
};

#endif
