/* Guests: files in, notes out. */
#include <stdlib.h>

#include "core/config.h"
#include "guest/private.h"

enum hs_status hs_guest_new(struct hs_guest **g)
{
	*g = calloc(1, sizeof(**g));
	return *g ? HS_OK : HS_E_MEMORY;
}

enum hs_status hs_guest_set_names(struct hs_guest *g, const struct hs_name_options *options)
{
	return base_take_config(&g->names, sizeof(g->names), options);
}

void hs_guest_free(struct hs_guest *g)
{
	if (!g)
		return;
	guest_free_texts(g);
	free(g->symbols.items);
	guest_free_objects(&g->objects);
	guest_free_objects(&g->debug_files);
	guest_free_evidence(&g->evidence);
	free(g->mappings);
	free(g->tasks);
	guest_free_processes(&g->processes);
	guest_free_threads(&g->threads);
	free(g->modules);
	free(g->sections);
	free(g);
}

enum hs_status hs_guest_settle(struct hs_guest *g, struct hs_error *error)
{
	enum hs_status status;

	guest_settle_threads(g);
	guest_sort_symbols(&g->symbols);
	guest_sort_pieces(&g->evidence);
	status = guest_fit_symbols(g);
	if (status == HS_OK)
		status = guest_settle_mappings(g);
	if (status == HS_OK)
		status = guest_place_modules(g);
	if (status == HS_OK)
		status = guest_link_processes(g);
	if (status == HS_OK)
		status = guest_settle_tasks(g);
	if (status == HS_OK)
		status = guest_link_debug_files(g);
	if (status == HS_OK && g->threads.unplaced)
		status = guest_note(g, "%zu switches of threads are not used: nothing says how the "
		                    "times of perf and of the trace belong together",
		                    g->threads.unplaced);
	if (status == HS_OK && g->evidence.full)
		status = guest_note(g, "more different code ran than can be compared with files");
	return status == HS_OK ? status : hs_error_set(error, status, "out of memory");
}

enum hs_status hs_guest_add(struct hs_guest *g, const struct hs_guest_file *file,
                            struct hs_error *error)
{
	switch (file->kind) {
	case HS_GUEST_SYMBOLS: return guest_add_symbols(g, file, error);
	case HS_GUEST_MODULES: return guest_add_modules(g, file, error);
	case HS_GUEST_CODE: return guest_add_files(g, file, error);
	case HS_GUEST_PROCESSES: return guest_add_processes(g, file, error);
	}
	return hs_error_set(error, HS_E_ARG, "%s: no kind of file has the number %d", file->path,
	                    (int)file->kind);
}
