/* The server as an object: a player for each hart. */
#include <stdlib.h>

#include "core/config.h"
#include "gdb/private.h"
#include "source/source.h"

/* Take the harts of a recording apart; everything else is one. */
static enum hs_status open_harts(struct hs_gdb_server *g, struct hs_error *error)
{
	const uint32_t *harts = NULL;
	uint32_t count = 0;
	enum hs_status s = hs_source_get_harts(g->o.source, &harts, &count, error);

	if (s != HS_OK)
		return s;
	const bool apart = count > 1 && !g->o.one_hart;

	g->players = calloc(apart ? count : 1, sizeof(*g->players));
	g->own = calloc(apart ? count : 1, sizeof(struct hs_source *));
	if (!g->players || !g->own)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	g->player_count = apart ? count : 1;
	g->own_count = apart ? count : 0;
	if (g->o.index)
		hs_source_map_index(g->o.index, &g->index);
	g->players[0] = (struct gdb_player){ .source = g->o.source,
		                             .o = &g->o,
		                             .hart = count ? harts[0] : 0,
		                             .index = g->index.n ? &g->index : NULL };
	for (uint32_t i = 0; apart && i < count && s == HS_OK; i++) {
		s = hs_source_open_hart(g->o.source, harts[i], &g->own[i], error);
		g->players[i] =
			(struct gdb_player){ .source = g->own[i], .o = &g->o, .hart = harts[i] };
	}
	return s;
}

static enum hs_status open_players(struct hs_gdb_server *g, struct hs_error *error)
{
	enum hs_status s = open_harts(g, error);
	uint32_t good = 0;

	for (uint32_t i = 0; s == HS_OK && i < g->player_count; i++) {
		s = gdb_player_open(&g->players[i]);
		if (s == HS_OK) { /* harts without instructions are no threads */
			const struct gdb_player p = g->players[i];

			g->players[i] = g->players[good];
			g->players[good++] = p;
		}
		s = s == HS_E_NOCODE ? HS_OK : s;
	}
	if (s != HS_OK)
		return s;
	for (uint32_t i = good; i < g->player_count; i++)
		gdb_player_close(&g->players[i]);
	g->player_count = good;
	return good ? HS_OK
	            : hs_error_set(error, HS_E_NOCODE, "it has no instruction whose code is known");
}

enum hs_status hs_gdb_server_new(const struct hs_gdb_server_options *options,
                                 struct hs_gdb_server **server, struct hs_error *error)
{
	struct hs_gdb_server_options o;

	if (base_take_config(&o, sizeof(o), options) != HS_OK || !o.source || !o.write ||
	    !hs_source_program(o.source))
		return hs_error_set(error, HS_E_CONFIG, "a server needs a flow and its program");
	struct hs_gdb_server *g = calloc(1, sizeof(*g));
	enum hs_status s = HS_E_MEMORY;

	if (g) {
		g->o = o;
		g->program = hs_source_program(o.source);
		g->xlen = hs_program_image(g->program)->isa.xlen == 32 ? 32 : 64;
		s = support_out_open(&g->out, o.write, o.context);
	}
	if (s == HS_OK)
		s = gdb_memory_open(g);
	if (s == HS_OK)
		s = open_players(g, error);
	if (s == HS_OK) {
		*server = g;
		return HS_OK;
	}
	hs_gdb_server_free(g);
	return s == HS_E_MEMORY ? hs_error_set(error, s, "out of memory") : s;
}

void hs_gdb_server_free(struct hs_gdb_server *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; i < g->player_count; i++)
		gdb_player_close(&g->players[i]);
	for (uint32_t i = 0; i < g->own_count; i++)
		hs_source_close(g->own[i]);
	free(g->own);
	free(g->players);
	hs_source_unmap_index(&g->index);
	gdb_memory_close(g);
	gdb_watch_close(g);
	support_out_free(&g->out);
	free(g);
}
