/* The numbers of a recording are little-endian in its files, and as the host has them in memory. */
#ifndef HS_RECORDING_ORDER_H
#define HS_RECORDING_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/format.h"

/* This host is big-endian. */
#define REC_SWAPS (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Words of a stream, in the other order. */
void rec_swap_words(uint32_t *words, size_t n);

/* The numbers of a record, whose type and size are as this host has them, in the other order.  Code
 * and paths stay as they are; so does what has less bytes than its type needs. */
void rec_swap_payload(const struct hs_rec_log_head *head, void *payload);

/* Whole records as this host has them, for a file. */
void rec_swap_records(void *records, size_t n);

/* What was read of a file; what is written to one. */
static inline void rec_order_words(uint32_t *words, size_t n)
{
	if (REC_SWAPS)
		rec_swap_words(words, n);
}

static inline void rec_order_records(void *records, size_t n)
{
	if (REC_SWAPS)
		rec_swap_records(records, n);
}

#endif
