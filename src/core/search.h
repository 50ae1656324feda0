/* Binary search. */
#ifndef HS_BASE_SEARCH_H
#define HS_BASE_SEARCH_H

#include <stddef.h>

/* How many of the numbers 0 to @n - 1 come first, those for which @holds is true: an expression in
 * @i, such as items[i].start <= addr, that is true for the first ones and false for the rest. */
#define base_count_leading(n, i, holds) \
	__extension__({ \
		size_t low_ = 0, high_ = (n); \
		while (low_ < high_) { \
			const size_t i = low_ + (high_ - low_) / 2; \
			if (holds) \
				low_ = i + 1; \
			else \
				high_ = i; \
		} \
		low_; \
	})

#endif
