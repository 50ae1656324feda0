/* A trace to another one, without a flow on disk (design/encode).
 *
 * Each hart is decoded on its own, from the start, as the harts of a recording are read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/capture.h>

#include "encode/private.h"
#include "source/source.h"

bool encode_is_trace(const char *path)
{
	const size_t room = strlen(path) + sizeof(".json");
	char *params = malloc(room);

	if (!params)
		return false;
	snprintf(params, room, "%s.json", path);
	const bool is = hs_file_what(path, NULL) != HS_FILE_RECORDING && access(path, R_OK) == 0 &&
	                access(params, R_OK) == 0;

	free(params);
	return is;
}

enum hs_status encode_open_trace_hart(struct hs_encode *e, const struct hs_source_options *all,
                                      uint32_t hart, bool first, struct hs_source **source)
{
	struct hs_source_options so = *all;
	struct hs_range_found range;

	so.threads = first ? so.threads : 1;
	so.one_hart = true;
	so.hart = hart;
	const enum hs_status s = hs_source_open(&so, source, &e->error);

	if (s != HS_OK || !hs_source_get_range(e->source, &range))
		return s;
	return hs_source_take_range(*source, e->source, &e->error);
}
