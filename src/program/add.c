/* Programs: files as they are added, each with the debug file that it has. */
#include "core/config.h"
#include "program/private.h"

/* @file is new, or was there already (NULL). */
static enum hs_status add_debug_file(struct hs_program *p, const struct program_input *in,
                                     const struct program_file *file, struct hs_error *error)
{
	const enum hs_status s =
		file ? program_add_debug_file(p, file, file->refused ? &in->build_id : NULL)
		     : HS_OK;

	return s == HS_OK ? s : hs_error_set(error, s, "%s: out of memory", file->path);
}

static enum hs_status add_elf(struct hs_program *p, const struct program_input *in,
                              struct hs_error *error)
{
	struct program_file *f = NULL;
	const enum hs_status s = program_add_elf(p, in, &f, error);

	return s == HS_OK ? add_debug_file(p, in, f, error) : s;
}

static enum hs_status add_names(struct hs_program *p, const struct program_input *in,
                                struct hs_error *error)
{
	struct program_file *f;
	const enum hs_status s = program_add_names(p, in, &f, error);

	return s == HS_OK ? add_debug_file(p, in, f, error) : s;
}

enum hs_status hs_program_add_elf(struct hs_program *p, const char *path, uint64_t bias,
                                  struct hs_error *error)
{
	return add_elf(p, &(struct program_input){ .name = path, .bias = bias }, error);
}

enum hs_status hs_program_add_elf_memory(struct hs_program *p, const struct hs_span *bytes,
                                         const char *name, uint64_t bias, struct hs_error *error)
{
	return add_elf(p, &(struct program_input){ .name = name, .bias = bias, .bytes = bytes },
	               error);
}

enum hs_status hs_program_add_symbols(struct hs_program *p, const char *path, uint64_t bias,
                                      struct hs_error *error)
{
	return add_names(p, &(struct program_input){ .name = path, .bias = bias }, error);
}

enum hs_status hs_program_add_symbols_memory(struct hs_program *p, const struct hs_span *bytes,
                                             const char *name, uint64_t bias,
                                             struct hs_error *error)
{
	return add_names(p, &(struct program_input){ .name = name, .bias = bias, .bytes = bytes },
	                 error);
}

enum hs_status hs_program_add_mapped(struct hs_program *p, const struct hs_program_mapping *mapping,
                                     struct hs_error *error)
{
	struct hs_program_mapping m;
	struct program_file *f = NULL;

	if (base_take_config(&m, sizeof(m), mapping) != HS_OK || !m.path)
		return hs_error_set(error, HS_E_CONFIG,
		                    "hs_program_mapping: no path, or members "
		                    "that are not known");
	struct program_input in = { .name = m.path, .build_id = m.build_id };
	const enum hs_status s = program_open_elf(p, &in, &f, error);

	if (s != HS_OK)
		return s;
	const bool found = program_find_bias(f->elf, &m, &in.bias);

	program_close_file(f);
	if (!found)
		return hs_error_set(error, HS_E_FORMAT, "%s: no segment at file offset 0x%llx",
		                    m.path, (unsigned long long)m.offset);
	return add_names(p, &in, error);
}
