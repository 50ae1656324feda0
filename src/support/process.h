/* Programs of contexts as JSON: one format for manifest.json and TRACE.json. */
#ifndef HS_SUPPORT_PROCESS_H
#define HS_SUPPORT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

/* Programs in one list, at most. */
#define SUPPORT_PROCESSES_LIMIT 4096u

/* *path belongs to @object.  false: @object does not describe a program; outputs may be changed. */
bool support_read_process(const json_t *object, uint64_t *context, uint64_t *bias,
                          const char **path);
json_t *support_process_json(uint64_t context, uint64_t bias, const char *path);

#endif
