/* What the reader has for the decoder in addition to hs_nt_read(). */
#ifndef HS_NTRACE_READER_H
#define HS_NTRACE_READER_H

#include <hartscope/ntrace.h>

#include "ntrace/nt_reader.h"

/* A short DirectBranch: TCODE in the first byte, I-CNT below 64 in the second; no SRC, no
 * TSTAMP. */
#define NT_BRANCH_BYTES 2u

/* Four messages at once: the bits that a short DirectBranch has in common with all others. */
#define NT_BRANCH_MASK UINT64_C(0x03ff03ff03ff03ff)
#define NT_BRANCH_BITS \
	(UINT64_C(0x0300030003000300) | UINT64_C(0x0001000100010001) * (HS_NT_DIRECT_BRANCH << 2))

/* The MDO bits of eight bytes, side by side. */
static inline uint64_t nt_pack_mdo(uint64_t v)
{
	v = v >> 2 & UINT64_C(0x3f3f3f3f3f3f3f3f);
	v = (v & UINT64_C(0x003f003f003f003f)) | (v & UINT64_C(0x3f003f003f003f00)) >> 2;
	v = (v & UINT64_C(0x00000fff00000fff)) | (v & UINT64_C(0x0fff00000fff0000)) >> 4;
	return (v & UINT64_C(0x0000000000ffffff)) | (v & UINT64_C(0x00ffffff00000000)) >> 8;
}

/* A run of short DirectBranch messages, still in the input. */
struct nt_branches {
	const uint8_t *bytes;
	size_t count;
};

/* Those that the input begins with, at most 64; none when the reader is inside a message. */
struct nt_branches nt_find_branches(const struct hs_nt_reader *r, const struct hs_span *in);

/* I-CNT of the message at place @i of the run. */
static inline uint64_t nt_branch_icnt(const struct nt_branches *run, size_t i)
{
	return run->bytes[NT_BRANCH_BYTES * i + 1] >> 2;
}

/* Read @n of them, at least 1; *m is the last one. */
void nt_take_branches(struct hs_nt_reader *r, struct hs_span *in, size_t n, struct hs_nt_msg *m);

#endif
