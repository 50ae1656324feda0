/* perf.data: the build-id of an ELF file. */
#include <string.h>

#include <hartscope/capture.h>

#include "inputs/inputs.h"
#include "support/build_id.h"

bool hs_perf_find_build_id(const char *path, struct hs_perf_build_id *id)
{
	uint8_t bytes[SUPPORT_ID_MAX];
	const size_t n = support_file_build_id(path, bytes);

	*id = (struct hs_perf_build_id){ .path = path };
	id->size = (uint8_t)(n < sizeof(id->id) ? n : sizeof(id->id));
	memcpy(id->id, bytes, id->size);
	return n > 0;
}
