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
	c->blocks.item_size = sizeof(struct coverage_block);
	c->files.item_size = sizeof(struct coverage_file);
	c->functions.item_size = sizeof(struct coverage_function);
	c->lines.item_size = sizeof(struct hs_coverage_line);
	c->branches.item_size = sizeof(struct hs_coverage_branch);
	program_select_start(&c->select, program, programs);
	if (program_select_hart(&c->select, 0) != HS_OK) {
		hs_coverage_free(c);
		return HS_E_MEMORY;
	}
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
	support_hash_free(&c->blocks);
	program_select_end(&c->select);
	free(c);
}

static bool same_block(const void *item, const void *key)
{
	const struct coverage_block *a = item, *b = key;

	return a->iaddr == b->iaddr && a->shape == b->shape && a->program == b->program &&
	       a->number == b->number;
}

/* What counts of the second word of a block. */
static uint64_t shape_of(const struct hs_block *b)
{
	const struct hs_block kept = { .iretire = b->iretire, .itype = b->itype };
	uint64_t words[2];

	memcpy(words, &kept, sizeof(words));
	return words[1];
}

/* What is known of the code of a block that comes first: is it not the program's own? */
static void look_at_code(const struct hs_coverage *c, struct coverage_block *b)
{
	struct hs_program *program = c->select.program;
	struct hs_span code;
	uint64_t n;

	code.p = hs_img_bytes(program_select_image(&c->select), b->iaddr, &code.n);
	b->unmapped = !code.p;
	b->outside =
		code.p && hs_program_own_file(program) && !program_file_code(program, b->iaddr, &n);
	b->foreign = b->number && code.p && !hs_program_is_as_in_file(program, b->iaddr, &code);
}

static enum hs_status count_block(struct hs_coverage *c, const struct hs_block *b, uint64_t times)
{
	struct coverage_block key = { .iaddr = b->iaddr,
		                      .shape = shape_of(b),
		                      .program = c->select.program,
		                      .count = times };

	if (program_select_number(&c->select, b->iaddr, 2u * (uint64_t)b->iretire, &key.number) !=
	    HS_OK)
		return HS_E_MEMORY;
	const uint32_t hash = support_hash_of(key.iaddr, key.shape ^ key.number << 32);
	struct coverage_block *known = support_hash_find(&c->blocks, hash, same_block, &key);

	if (known) {
		known->count += times;
		return HS_OK;
	}
	look_at_code(c, &key);
	known = support_hash_add(&c->blocks, hash);
	if (!known)
		return HS_E_MEMORY;
	*known = key;
	return HS_OK;
}

enum hs_status hs_coverage_add_times(struct hs_coverage *c, const struct hs_block *item,
                                     uint64_t times)
{
	if (item->kind != HS_KIND_BLOCK)
		return program_select_event(&c->select, item);
	return times && item->iretire ? count_block(c, item, times) : HS_OK;
}

enum hs_status hs_coverage_add(struct hs_coverage *c, const struct hs_block *blocks, size_t n)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < n && s == HS_OK; i++)
		s = hs_coverage_add_times(c, &blocks[i], 1);
	return s;
}

enum hs_status hs_coverage_add_run(struct hs_coverage *c, const struct hs_run_count *run)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < run->n && s == HS_OK; i++)
		s = hs_coverage_add_times(c, &run->blocks[i], run->times);
	return s;
}

enum hs_status hs_coverage_get_result(struct hs_coverage *c, struct hs_coverage_result *result)
{
	const enum hs_status s = coverage_make_result(c);

	*result = c->result;
	return s;
}
