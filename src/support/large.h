/* Memory of large tables. */
#ifndef HS_SUPPORT_LARGE_H
#define HS_SUPPORT_LARGE_H

#include <stddef.h>

/* As malloc(), to be freed by free().  Where the kernel has large pages, as it does for a table of
 * some MiB that is used all over, it needs one page fault for each of them and not 512. */
void *support_large(size_t size);

#endif
