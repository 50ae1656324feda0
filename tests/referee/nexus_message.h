/* A second reader of N-Trace messages: slow, one bit after the other, written from the text alone
 * (NT 3, 6, 7).  It shares no line with src/. */
#ifndef TESTS_REFEREE_NEXUS_MESSAGE_H
#define TESTS_REFEREE_NEXUS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fields after TCODE and SRC (NT 6.1). */
enum nexus_field {
	NX_SYNC, NX_BTYPE, NX_ICNT, NX_FADDR, NX_UADDR, NX_HIST, NX_PROCESS, NX_ETYPE, NX_ECODE,
	NX_RCODE, NX_RDATA, NX_HREPEAT, NX_BCNT, NX_EVCODE, NX_CDF, NX_TSTAMP,
	/* SiFive encoders */
	NX_IDTAG, NX_DQDATA, NX_CKSRC, NX_CKDF, NX_CKDATA0, NX_CKDATA1, NX_FIELDS
};

/* NT Table 8. */
enum nexus_tcode {
	NX_OWNERSHIP = 2,
	NX_DIRECT = 3,
	NX_INDIRECT = 4,
	NX_ERROR = 8,
	NX_PROG_SYNC = 9,
	NX_DIRECT_SYNC = 11,
	NX_INDIRECT_SYNC = 12,
	NX_RESOURCE_FULL = 27,
	NX_INDIRECT_HIST = 28,
	NX_INDIRECT_HIST_SYNC = 29,
	NX_REPEAT = 30,
	NX_CORRELATION = 33,
	/* SiFive encoders */
	NX_ACQUISITION = 7,
	NX_CIRCUIT = 34,
	NX_CIRCUIT_FULL = 35
};

/* What there is at a place of a stream. */
enum nexus_what {
	NEXUS_END,     /* no more, or the beginning of a message */
	NEXUS_MESSAGE,
	NEXUS_FRAMING, /* bytes that MSEO does not allow (NT 3.1) */
	NEXUS_LONG,    /* more bytes than a message may have */
	NEXUS_FIELD    /* a field is missing, too wide, or one too many */
};

struct nexus_message {
	size_t at, size; /* its bytes; of bytes that are no message only at */
	unsigned tcode, src;
	bool known;          /* the text has its fields */
	bool has[NX_FIELDS];
	uint64_t value[NX_FIELDS];
	unsigned width[NX_FIELDS]; /* bits on the wire */
	const char *unclear; /* why it can be read in two ways; NULL: in one */
};

/* What is next in the @n bytes of a stream from *at on, which is moved past it, and past what is to
 * be skipped after it.  @src_bits: width of SRC; @sifive: with the messages of SiFive encoders. */
enum nexus_what nexus_read(const uint8_t *bytes, size_t n, size_t *at, unsigned src_bits,
                           bool sifive, struct nexus_message *m);

#endif
