/* Data trace of the MMA/CAS extension once more: slow and plain, written from the tables of the
 * text alone (ET MMA/CAS: Revised packet formats).  It shares no line with src/.  Where the text is
 * silent it does as docs/design/data-trace.md says. */
#ifndef TESTS_REFEREE_ETRACE_DATA_REFEREE_H
#define TESTS_REFEREE_ETRACE_DATA_REFEREE_H

#include <stdbool.h>
#include <stdint.h>

/* The parameters of the text; one_diff: XOR or differential where diff has 1 bit. */
struct data_parameters {
	unsigned dtype_width, data_width, daddress_width, lrid_width, csr_width;
	bool split, no_value, no_addr;
	unsigned short_diff; /* 1: diff has 1 bit where it can, for XOR; 2: for differences */
};

/* An access.  What a packet does not have is 0, and has no bit in its has_. */
struct data_access {
	unsigned dtype, size, lrid;
	enum { DATA_WHOLE, DATA_REQUEST, DATA_RESPONSE } phase;
	bool has_address, has_data, has_operand, error;
	uint64_t address, data, operand;
};

/* What packets after this one differ from, by size; CSRs are the last. */
struct data_memory {
	bool has_address[5], has_data[5], has_operand[5];
	uint64_t address[5], data[5], operand[5];
	struct {
		bool open;
		struct data_access access;
	} request[256];
};

struct data_referee {
	struct data_parameters p;
	struct data_memory m;
};

/* Read a payload of @n bytes.  @return  It is a packet of this configuration; *out is the
 * access. */
bool data_referee_read(struct data_referee *r, const uint8_t *payload, unsigned n,
                       struct data_access *out);

/* Write an access with @code in diff or resp, and lengths of @longer bytes more than are needed.
 * @return  Bytes; 0 if there is no such packet, or the code is not legal here.  Nothing is then
 * remembered. */
unsigned data_referee_write(struct data_referee *r, const struct data_access *a, unsigned code,
                            unsigned longer, uint8_t out[64]);

/* A synchronisation. */
void data_referee_synchronise(struct data_referee *r);

#endif
