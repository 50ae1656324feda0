/* Memory of large tables (large.h). */
#define _DEFAULT_SOURCE /* madvise() */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "support/large.h"

#define LARGE_PAGE ((size_t)1 << 21)

void *support_large(size_t size)
{
	if (size < LARGE_PAGE || size > SIZE_MAX - LARGE_PAGE)
		return malloc(size);
	const size_t whole = (size + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
	void *memory = aligned_alloc(LARGE_PAGE, whole);

#ifdef MADV_HUGEPAGE
	if (memory) /* what it says changes nothing but the time */
		(void)madvise(memory, whole, MADV_HUGEPAGE);
#endif
	return memory;
}
