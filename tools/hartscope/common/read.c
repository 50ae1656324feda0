/* Every block of a recording, flow or trace, for one who takes them. */
#include "common/tool.h"

#define BATCH 4096

bool read_blocks(const struct reader *r, struct hs_source *source, struct damage *damage)
{
	static struct hs_block blocks[BATCH];
	struct progress progress;
	struct hs_error e = { 0 };
	uint64_t done = 0, total;
	bool more = true;
	enum hs_status s;
	size_t n;

	progress_start(&progress, r->quiet);
	while (more && (s = hs_source_next(source, blocks, BATCH, &n, &e)) != HS_END) {
		more = r->take(r->to, blocks, n);
		done += n;
		if (s != HS_OK)
			damage_add(damage, &e);
		hs_source_bytes(source, &total);
		progress_show(&progress, r->what, total ? hs_source_bytes(source, NULL) : done, total);
	}
	progress_end(&progress);
	return more;
}
