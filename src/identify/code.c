/* The program, loaded once, and where its instructions begin. */
#include <stdlib.h>
#include <string.h>

#include "identify/private.h"
#include "source/source.h"

#define BLOCKS (1u << 16)
#define PROCESS_BLOCKS (1u << 12) /* there may be many */
#define FILES 64

static struct hs_source_options named_code(const struct hs_identify_options *o)
{
	return (struct hs_source_options){
		.size = sizeof(struct hs_source_options),
		.code = o->code,
		.code_count = o->code_count,
		.xlen = o->xlen,
		.custom = o->custom,
		.custom_count = o->custom_count,
		.guest = o->guest,
		.guest_count = o->guest_count,
		.sysroot = o->sysroot,
	};
}

bool identify_names_code(const struct hs_identify_options *o)
{
	const struct hs_source_options so = named_code(o);

	return hs_source_names_code(&so);
}

static bool open_code(struct identify_code *code, const struct hs_identify_options *o,
                      int64_t offset, struct hs_error *error)
{
	static const uint8_t none[1];
	struct hs_code_file files[FILES];
	struct hs_trace_params *params;
	struct hs_source_options so = named_code(o);

	if (o->code_count > FILES) {
		hs_error_set(error, HS_E_CONFIG, "more than %d files of code", FILES);
		return false;
	}
	so.path = "capture";
	so.trace = (struct hs_span){ none, 1 };
	so.code = files;

	for (size_t i = 0; i < so.code_count; i++) {
		files[i] = o->code[i];
		files[i].address += (uint64_t)offset;
	}
	if (hs_trace_params_new(NULL, &params, error) != HS_OK)
		return false;
	so.params = params;
	const enum hs_status status = hs_source_open(&so, &code->source, error);

	hs_trace_params_free(params);
	if (status != HS_OK)
		return false;
	hs_source_get_images(code->source, &code->set);
	code->image = hs_program_image(hs_source_program(code->source));
	return true;
}

/* Mark the half-words of a section at which an instruction begins, from its first on. */
static void mark_starts(struct identify_code *code, size_t index)
{
	const struct hs_section *s = &code->image->sections[index];
	const size_t bit = code->first[index];

	for (size_t at = 0; at + 1 < s->size; at += (s->bytes[at] & 3) == 3 ? 4 : 2)
		code->starts[(bit + at / 2) / 8] |= (uint8_t)(1u << (bit + at / 2) % 8);
}

static bool index_code(struct identify_code *code, size_t blocks)
{
	const struct hs_image *image = code->image;
	size_t bits = 0;

	code->first = calloc(image->count + 1, sizeof(*code->first));
	for (size_t i = 0; code->first && i < image->count; i++) {
		code->first[i] = bits;
		bits += image->sections[i].size / 2 + 1;
	}
	code->bytes = bits / 8 + 1;
	code->starts = calloc(code->bytes, 1);
	code->memory = malloc(hs_bb_memory(blocks));
	if (!code->first || !code->starts || !code->memory)
		return false;
	code->least = UINT64_MAX;
	for (size_t i = 0; i < image->count; i++) {
		const struct hs_section *s = &image->sections[i];

		mark_starts(code, i);
		code->least = s->start < code->least ? s->start : code->least;
		code->most = s->start + s->size - 1;
	}
	return hs_bb_init(&code->table, image, code->memory, blocks) == HS_OK;
}

/* The programs of contexts, with which addresses may be code in any of them. */
static bool index_processes(struct identify_code *code)
{
	const size_t n = code->set.count;

	code->process = n ? calloc(n, sizeof(*code->process)) : NULL;
	code->tables = n ? calloc(n, sizeof(struct hs_bb_table *)) : NULL;
	if (n && (!code->process || !code->tables))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct identify_code *p = &code->process[i];

		p->image = &code->set.images[i];
		code->tables[i] = &p->table;
		if (!index_code(p, PROCESS_BLOCKS))
			return false;
		code->least = p->least < code->least ? p->least : code->least;
		code->most = p->most > code->most ? p->most : code->most;
	}
	return true;
}

bool identify_load(struct identify_code *code, const struct hs_identify_options *o, int64_t offset,
                   struct hs_error *error)
{
	*code = (struct identify_code){ 0 };
	if (!open_code(code, o, offset, error))
		return false;
	if (index_code(code, BLOCKS) && index_processes(code))
		return true;
	identify_unload(code);
	hs_error_set(error, HS_E_MEMORY, "out of memory");
	return false;
}

static void drop_index(struct identify_code *code)
{
	free(code->memory);
	free(code->starts);
	free(code->first);
}

void identify_unload(struct identify_code *code)
{
	for (size_t i = 0; code->process && i < code->set.count; i++)
		drop_index(&code->process[i]);
	free(code->process);
	free(code->tables);
	drop_index(code);
	hs_source_close(code->source);
	free(code->decoder);
	*code = (struct identify_code){ 0 };
}

/* The section that has the address, or the number of sections. */
static size_t section_of(const struct hs_image *image, uint64_t address)
{
	size_t low = 0, high = image->count;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (address - image->sections[middle].start < image->sections[middle].size)
			return middle;
		if (address < image->sections[middle].start)
			high = middle;
		else
			low = middle + 1;
	}
	return image->count;
}

bool identify_bit_of(const struct identify_code *code, uint64_t address, size_t *bit)
{
	if (address & 1 || address < code->least || address > code->most)
		return false;
	const size_t i = section_of(code->image, address);

	if (i == code->image->count)
		return false;
	*bit = code->first[i] + (size_t)(address - code->image->sections[i].start) / 2;
	return true;
}

static bool has_start(const struct identify_code *code, uint64_t address)
{
	size_t bit;

	return identify_bit_of(code, address, &bit) && code->starts[bit / 8] >> bit % 8 & 1;
}

bool identify_is_code(const struct identify_code *code, uint64_t address)
{
	bool is = has_start(code, address);

	for (size_t i = 0; i < code->set.count && !is; i++)
		is = has_start(&code->process[i], address);
	return is;
}
