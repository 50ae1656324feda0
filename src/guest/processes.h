/* Processes, as a process map has them. */
#ifndef HS_GUEST_PROCESSES_H
#define HS_GUEST_PROCESSES_H

#include <hartscope/program.h>

/* A mapped file; where two overlap the later one holds. */
struct guest_map {
	uint64_t start, size, offset;
	const char *file;
	/* The file here, when it was looked for: object 1 + its number, 0: it was not given. */
	bool looked;
	uint32_t object, segment;
};

/* A process from its fork or exec to its exec or exit. */
struct guest_process {
	uint32_t pid, parent;
	const char *name; /* NULL: not known */
	uint64_t from;    /* moment; with has_moment */
	uint64_t since;   /* time of perf, if it is known */
	uint64_t context; /* with has_context */
	bool has_moment, has_context;
	bool ended;       /* another one of this pid is another process */
	struct guest_map *maps;
	size_t map_count, map_room;
};

struct guest_processes {
	struct guest_process *items;
	size_t count, room;
	size_t linked; /* to a context, when settled */
};

void guest_free_processes(struct guest_processes *p);

/* process_text.c: read a process map of either format. */
enum hs_status guest_add_processes(struct hs_guest *g, const struct hs_guest_file *file,
                                   struct hs_error *error);
/* perf_text.c: a line of perf script.  HS_END: it is of something else. */
enum hs_status guest_take_perf_line(struct hs_guest *g, char *line);

/* link.c: find the contexts of processes, and the mappings that their maps give. */
enum hs_status guest_link_processes(struct hs_guest *g);

#endif
