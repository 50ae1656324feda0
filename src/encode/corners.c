/* Corners of the protocols: their table, and recordings of what they execute. */
#include <stdlib.h>

#include <hartscope/encode.h>
#include <hartscope/recording.h>

#include "encode/corner_script.h"

static const struct hs_corner corners[] = {
#define CORNER(name, protocol, settings, script, point) { name, protocol, settings, script, point },
#include "encode/corners.def"
#undef CORNER
};

const struct hs_corner *hs_corner_at(size_t index)
{
	return index < sizeof(corners) / sizeof(*corners) ? &corners[index] : NULL;
}

/* The program that was laid out, and what it executed. */
static enum hs_status write_recording(const char *path, const struct corner_run *g,
                                      struct hs_error *e)
{
	const struct hs_image image = { .sections = g->sections, .count = 2, .isa.xlen = 64 };
	const struct hs_rec_writer_options wo = {
		.size = sizeof(wo), .source = "generate", .xlen = 64, .image = &image
	};
	struct hs_rec_writer *w;
	enum hs_status s = hs_rec_create(path, &wo, &w, e);

	if (s != HS_OK)
		return s;
	s = hs_rec_write(w, g->block, g->n, e);
	if (s == HS_OK)
		return hs_rec_finish(w, true, "end of the script", e);
	hs_rec_discard(w);
	return s;
}

enum hs_status hs_corner_record(const struct hs_corner *c, uint64_t seed, const char *path,
                                struct hs_error *error)
{
	struct corner_run *g = calloc(1, sizeof(*g));
	enum hs_status s;

	if (!g)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (encode_run_corner(g, c->script, seed))
		s = write_recording(path, g, error);
	else
		s = hs_error_set(error, HS_E_CONFIG, "%s-%s: %s", c->protocol, c->name, g->error);
	free(g->block);
	free(g);
	return s;
}
