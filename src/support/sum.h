/* Sums that say whether bytes are the same, all but certainly: FNV-1a, 64 bits. */
#ifndef HS_SUPPORT_SUM_H
#define HS_SUPPORT_SUM_H

#include <stddef.h>
#include <stdint.h>

#define SUPPORT_SUM_START UINT64_C(0xcbf29ce484222325)

/* A sum that goes on. */
uint64_t support_sum(uint64_t sum, const void *bytes, size_t n);
uint64_t support_sum_number(uint64_t sum, uint64_t v);
/* Of @n bytes at @p, or with NULL of the file: their number, and samples of them. */
uint64_t support_sum_samples(uint64_t sum, const uint8_t *p, int fd, uint64_t n);

#endif
