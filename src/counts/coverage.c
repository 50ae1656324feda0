/* Coverage (coverage.h): counting blocks. */
#include <stdlib.h>
#include <string.h>

#include "counts/coverage_private.h"
#include "program/line_at.h"
#include "program/program.h"

enum hs_status hs_coverage_new(struct hs_program *program, const struct hs_program_set *programs,
                               struct hs_coverage **coverage)
{
	struct hs_coverage *c = calloc(1, sizeof(*c));

	if (!c)
		return HS_E_MEMORY;
	c->program = program;
	c->programs = programs && programs->count ? programs : NULL;
	c->files.item_size = sizeof(struct coverage_file);
	c->functions.item_size = sizeof(struct coverage_function);
	c->lines.item_size = sizeof(struct hs_coverage_line);
	c->branches.item_size = sizeof(struct hs_coverage_branch);
	*coverage = c;
	return HS_OK;
}

void hs_coverage_set_threads(struct hs_coverage *c, uint32_t threads)
{
	c->threads = threads;
}

void hs_coverage_free(struct hs_coverage *c)
{
	if (!c)
		return;
	coverage_free_result(c);
	free(c->blocks);
	free(c);
}

/* Room for @n more blocks. */
static bool make_room(struct hs_coverage *c, size_t n)
{
	const size_t room = 2 * c->block_room + n;
	struct coverage_block *more;

	if (c->block_room - c->block_count >= n)
		return true;
	more = reallocarray(c->blocks, room, sizeof(*more));
	if (!more)
		return false;
	c->blocks = more;
	c->block_room = room;
	return true;
}

/* What is known of the code of a block: is it not the program's own? */
static struct coverage_block look_at(const struct counted_block *from)
{
	struct coverage_block b = { .iaddr = from->iaddr,
		                    .shape = from->shape,
		                    .program = from->program,
		                    .count = from->count };
	struct hs_section own;
	const struct hs_image image = counts_code_of(from, &own);
	struct hs_span code;
	uint64_t n;

	code.p = hs_img_bytes(&image, b.iaddr, &code.n);
	b.unmapped = !code.p;
	b.outside = code.p && hs_program_own_file(b.program) &&
	            !program_file_code(b.program, b.iaddr, &n);
	b.foreign = from->number && code.p && !hs_program_is_as_in_file(b.program, b.iaddr, &code);
	return b;
}

enum hs_status coverage_take(struct hs_coverage *c, const struct counts_blocks *blocks)
{
	const struct counted_block *v = blocks->table.items;

	if (!make_room(c, blocks->table.count))
		return HS_E_MEMORY;
	for (uint32_t i = 0; i < blocks->table.count; i++)
		if (counts_block_of(&v[i]).iretire)
			c->blocks[c->block_count++] = look_at(&v[i]);
	return HS_OK;
}

enum hs_status hs_coverage_get_result(struct hs_coverage *c, struct hs_coverage_result *result)
{
	const enum hs_status s = coverage_make_result(c);

	*result = c->result;
	return s;
}
