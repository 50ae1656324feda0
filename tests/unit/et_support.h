/* Packets of E-Trace 2.1 for tests: what a standard support packet says (ET Standard Support Packet
 * format), and parameters. */
#ifndef TESTS_ET_SUPPORT_H
#define TESTS_ET_SUPPORT_H

#include "cases.h"

#include <hartscope/etrace.h>

/* Bits from sijump on, as the text's table has them. */
#define SIJUMP (1ull << 0)
#define IMPLICIT_RETURN (1ull << 1)
#define BRANCH_PREDICTOR (1ull << 2)
#define IMPLICIT_EXCEPT (1ull << 4)
#define FULL_IADDRESS (1ull << 5)
#define RESYNC_DISABLED (1ull << 6)
#define IRET_EXT (1ull << 7)
#define TIME(n) ((uint64_t)(n) << 8)
#define F0S(n) ((uint64_t)(n) << 11)
#define STACK(n) ((uint64_t)(n) << 13)
#define COUNTER(n) ((uint64_t)(n) << 16)
#define BPRED(n) ((uint64_t)(n) << 20)
#define CACHE(n) ((uint64_t)(n) << 23)

static inline size_t put_bytes(uint8_t *out, const uint8_t *bytes, size_t n)
{
	memcpy(out, bytes, n);
	return n;
}

#define C(...) \
	{ \
		.size = sizeof(struct hs_et_config), .version = HS_ET_2_1, __VA_ARGS__ \
	}

static inline struct hs_et_config plain(void)
{
	return (struct hs_et_config)C(.dialect = HS_ET_DIALECT_REFERENCE);
}

#endif
