/* A flow of a program: its code and where its files were mapped go into it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "program/program.h"
#include "recording/recording.h"

static void note_lost(const struct hs_rec_notes *notes, const char *file, const char *to)
{
	struct hs_error e;

	hs_error_set(&e, HS_OK,
	             "%s: %s: %s does not say that it was mapped; give it with --elf where that is "
	             "read",
	             file, strerror(errno), to);
	if (notes && notes->take)
		notes->take(notes->to, &e);
}

/* The ELF files of a program as mappings with absolute paths; freed by free_maps(). */
static struct hs_rec_map *maps_of(const struct hs_program *program, const char *to,
                                  const struct hs_rec_notes *notes, size_t *count)
{
	struct hs_program_file f;
	struct hs_rec_map *maps;
	size_t n = 0;

	while (hs_program_get_file(program, n, &f))
		n++;
	*count = 0;
	maps = n ? calloc(n, sizeof(*maps)) : NULL;
	for (size_t i = 0; maps && hs_program_get_file(program, i, &f); i++) {
		char *path = realpath(f.path, NULL);

		if (path)
			maps[(*count)++] = (struct hs_rec_map){
				.start = f.start, .size = f.size, .offset = f.offset, .path = path
			};
		else
			note_lost(notes, f.path, to);
	}
	return maps;
}

static void free_maps(struct hs_rec_map *maps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free((void *)(uintptr_t)maps[i].path);
	free(maps);
}

enum hs_status hs_rec_create_of(const char *path, struct hs_program *program,
                                const struct hs_rec_writer_options *options,
                                const struct hs_rec_notes *notes, struct hs_rec_writer **w,
                                struct hs_error *error)
{
	const struct hs_image *image = hs_program_image(program);
	struct hs_rec_writer_options o = *options;
	struct hs_rec_map *maps = maps_of(program, path, notes, &o.map_count);

	o.xlen = image->isa.xlen;
	o.image = image->count ? image : NULL;
	o.maps = maps;
	const enum hs_status s = hs_rec_create(path, &o, w, error);

	free_maps(maps, o.map_count);
	return s;
}
